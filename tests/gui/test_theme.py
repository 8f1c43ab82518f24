"""The two palettes: readable, complete, and put on at once."""

import re

import pytest
from PySide6.QtGui import QColor, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from inspector import assets
from inspector.gui import theme


def _luminance(color: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.getRgbF()[:3]
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: QColor, second: QColor) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_contrast__black_on_white__is_twenty_one():
    """The measure itself is right at its ends."""
    assert _contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert _contrast(QColor("white"), QColor("white")) == pytest.approx(1)


@pytest.mark.parametrize("name", theme.THEME_NAMES)
class TestPalettes:
    """What holds in both palettes."""

    @pytest.mark.parametrize("role", theme.TEXT_ROLES)
    def test_text_is_readable_on_every_ground(self, name, role):
        """Text roles reach 4.5:1 on each ground that text stands on."""
        colors = theme.roles(name)
        grounds = ("surface", "raised", "hover", "selection", "pressed", f"{role}_tint")
        found = {ground: _contrast(colors[role], colors[ground]) for ground in grounds}
        assert min(found.values()) >= 4.5, found

    @pytest.mark.parametrize(
        ("role", "ground"),
        [("selection_text", "selection"), ("on_accent", "accent"), ("tooltip_text", "tooltip")],
    )
    def test_paired_text_is_readable(self, name, role, ground):
        """Text with a ground of its own reaches 4.5:1 there."""
        colors = theme.roles(name)
        assert _contrast(colors[role], colors[ground]) >= 4.5

    @pytest.mark.parametrize("ground", ["surface", "raised"])
    @pytest.mark.parametrize("role", ["outline", "accent", "disabled"])
    def test_edges_of_controls_are_visible(self, name, role, ground):
        """Outlines, focus rings and disabled text reach 3:1."""
        colors = theme.roles(name)
        assert _contrast(colors[role], colors[ground]) >= 3

    def test_text_on_a_match_is_readable(self, name):
        """Found text stays readable on its highlight."""
        colors = theme.roles(name)
        assert _contrast(colors["text"], colors["match"]) >= 4.5

    def test_sheet_names_only_colours_of_the_palette(self, name):
        """Every colour in the filled sheet is one of the palette's."""
        known = {color.name() for color in theme.roles(name).values()}
        used = set(re.findall(r"#[0-9a-fA-F]{3,8}\b", theme.style_sheet(name)))
        assert used
        assert used <= known

    def test_sheet_names_only_files_that_exist(self, name):
        """No arrow is missing."""
        for path in re.findall(r'url\("([^"]+)"\)', theme.style_sheet(name)):
            assert assets.Path(path).is_file(), path


def test_palettes__roles__are_the_same_in_both():
    """No role exists in one palette only."""
    assert theme.roles("light").keys() == theme.roles("dark").keys()


def test_sheet_files__source__holds_no_colour_of_its_own():
    """The sheet's text names tokens, never colours."""
    for file in assets.resource("qss").glob("*.qss"):
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", file.read_text("utf-8")), file.name


class TestApply:
    """Putting a palette on."""

    def test_palette_and_name_follow(self, qapp):
        """The Qt palette, the name and the look-up agree."""
        for name in theme.THEME_NAMES:
            theme.apply(qapp, name)
            assert theme.current_name() == name
            assert qapp.palette().color(QPalette.ColorRole.Window) == theme.color("surface")
            assert theme.color("surface") == theme.roles(name)["surface"]

    def test_style_is_fusion(self, qapp):
        """The look does not depend on the platform's style."""
        theme.apply(qapp, "light")
        qapp.setStyleSheet("")  # the sheet hides the style below it
        assert QApplication.style().name() == "fusion"
        theme.apply(qapp, "light")

    def test_changed_is_told_once_with_the_new_colours(self, qapp, qtbot):
        """Listeners find the new look in force."""
        theme.apply(qapp, "light")
        with qtbot.waitSignal(theme.notifier().changed) as told:
            theme.apply(qapp, "dark")
        assert told.signal_triggered
        assert theme.current_name() == "dark"

    def test_existing_widgets_are_restyled(self, qapp, qtbot):
        """A label made before has the new text colour."""
        theme.apply(qapp, "light")
        label = QLabel("text")
        qtbot.addWidget(label)
        label.ensurePolished()
        theme.apply(qapp, "dark")
        shown = label.palette().color(label.foregroundRole())
        assert shown == theme.roles("dark")["text"]

    def test_focus_is_visible_on_a_button(self, qapp, qtbot):
        """A focused button does not look like one without focus."""
        theme.apply(qapp, "light")
        button = QPushButton("Do")
        qtbot.addWidget(button)
        button.show()
        qtbot.waitExposed(button)
        button.clearFocus()
        without = button.grab().toImage()
        button.setFocus()
        qtbot.waitUntil(button.hasFocus)
        assert button.grab().toImage() != without

    def test_unknown_role_is_refused(self, qapp):
        """A misspelt role never gives some colour."""
        theme.apply(qapp, "light")
        with pytest.raises(KeyError):
            theme.color("primary")


class TestFonts:
    """Two sizes, one of them for values."""

    def test_mono_font_has_figures_of_one_width(self, qapp):
        """Values align."""
        assert QFontInfo(theme.mono_font()).fixedPitch()

    def test_mono_font_has_the_size_of_the_controls(self, qapp):
        """Values and labels stand on one line."""
        assert theme.mono_font().pointSizeF() == theme.ui_font().pointSizeF()

    def test_small_is_smaller(self, qapp):
        """The second size differs."""
        assert theme.ui_font(small=True).pointSizeF() < theme.ui_font().pointSizeF()
        assert theme.mono_font(small=True).pointSizeF() < theme.mono_font().pointSizeF()
