"""Icons: complete, in role colours, sharp, and following the look."""

import gc
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImage
from PySide6.QtWidgets import QPushButton

from inspector import assets
from inspector.gui import icons, theme

NEEDED = [
    "open",
    "reload",
    "fire",
    "stop",
    "watch",
    "search",
    "shield",
    "trash",
    "pin",
    "copy",
    "theme",
    "follow",
    "pause",
    "save",
    "help",
    "close",
    "add",
    "remove",
    "up",
    "down",
    "left",
    "right",
    "expand",
    "edit",
    "more",
    "hook",
    "event",
    "log",
    "session",
    "diff",
    "form",
    "text",
    "reset",
    "warning",
    "error",
    "info",
    "success",
]


def _colors(image: QImage) -> set[str]:
    """The colours of the opaque pixels."""
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


def _ink(image: QImage) -> int:
    return sum(
        image.pixelColor(x, y).alpha() > 127
        for x in range(image.width())
        for y in range(image.height())
    )


@pytest.mark.parametrize("name", [*NEEDED, *sorted({s.name for s in icons.MARKS.values()})])
def test_icon__every_needed_name__draws_in_its_role_alone(name):
    """An icon has ink, and only in the colour of its role."""
    image = icons.pixmap(name, "accent", 32).toImage()
    assert _ink(image) > 8
    assert _colors(image) == {theme.color("accent").name()}


@pytest.mark.parametrize(
    "path", sorted(assets.resource("icons").glob("*.svg")), ids=lambda p: p.stem
)
def test_icon_file__grid__is_sixteen(path):
    """Every file is drawn on the same grid."""
    assert ElementTree.parse(path).getroot().get("viewBox") == "0 0 16 16"


def test_icon__unknown_name__is_refused():
    """A misspelt name never gives an empty picture."""
    with pytest.raises(KeyError):
        icons.icon("flame")
    with pytest.raises(KeyError):
        icons.pixmap("flame", "text", 16)


def test_icon__other_look__changes_colour_without_being_set_again(qapp):
    """The icon that a button has follows the palette."""
    button = QPushButton()
    button.setIcon(icons.icon("fire", "positive"))
    before = _colors(button.icon().pixmap(16).toImage())
    theme.apply(qapp, "dark")
    after = _colors(button.icon().pixmap(16).toImage())
    assert before == {theme.roles("light")["positive"].name()}
    assert after == {theme.roles("dark")["positive"].name()}
    button.deleteLater()


def test_icon__disabled_and_selected__take_the_state_colour():
    """The state of a control decides over the icon's role."""
    icon = icons.icon("fire", "accent")
    disabled = icon.pixmap(QSize(16, 16), QIcon.Mode.Disabled).toImage()
    selected = icon.pixmap(QSize(16, 16), QIcon.Mode.Selected).toImage()
    assert _colors(disabled) == {theme.color("disabled").name()}
    assert _colors(selected) == {theme.color("selection_text").name()}


def test_icon__double_resolution__is_drawn_not_scaled():
    """At two device pixels per pixel the picture has twice the pixels."""
    icon = icons.icon("search")
    twice = icon.pixmap(QSize(16, 16), 2.0)
    assert twice.size() == QSize(32, 32)
    assert twice.devicePixelRatio() == 2.0
    once = icon.pixmap(QSize(16, 16), 1.0)
    scaled = once.toImage().scaled(32, 32)
    assert twice.toImage().convertToFormat(scaled.format()) != scaled


def test_icon__same_arguments__is_the_same_object():
    """Icons are cached."""
    assert icons.icon("fire", "accent") is icons.icon("fire", "accent")


def test_icon__ten_thousand_draws_and_collections__stays_alive(qapp):
    """The engine behind an icon is not lost between Python and Qt."""
    names = sorted(icons.names())
    for turn in range(10_000):
        copy = QIcon(icons.icon(names[turn % len(names)], "text"))
        assert not copy.pixmap(16).isNull()
        if turn % 1000 == 0:
            del copy
            gc.collect()


def test_marks__words__have_shapes_that_differ_by_meaning():
    """Marks with different meanings differ without colour."""
    signs = {sign.name: sign for sign in icons.MARKS.values()}
    shapes = [icons.pixmap(name, "text", 32).toImage() for name in signs]
    for index, shape in enumerate(shapes):
        assert all(shape != other for other in shapes[index + 1 :])
    assert len(signs) == 7


def test_states__dots__have_shapes_that_differ():
    """Each state of a hook has a shape of its own."""
    shapes = [icons.pixmap(sign.name, "text", 32).toImage() for sign in icons.STATES.values()]
    for index, shape in enumerate(shapes):
        assert all(shape != other for other in shapes[index + 1 :])


@pytest.mark.parametrize("word", ["honored", "fault", "error", "denied", "queued", "superseded"])
def test_mark_icon__word__has_the_role_of_its_sign(word):
    """The picture of a result is in the colour of its role."""
    found = _colors(icons.mark_icon(word).pixmap(32).toImage())
    assert found == {theme.color(icons.mark(word).role).name()}


@pytest.mark.parametrize("word", ["ready", "compiling", "running", "trapped", "rejected", "held"])
def test_state_icon__word__has_the_role_of_its_sign(word):
    """The dot of a hook is in the colour of its role."""
    found = _colors(icons.state_icon(word).pixmap(16).toImage())
    assert found == {theme.color(icons.state(word).role).name()}
