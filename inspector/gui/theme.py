"""The two palettes of the window, light and dark, and how they are put on.

Lives here: every colour of the program, the Qt palette made of them, the style sheet
filled with them. Not here: the sheet's text (resources/qss), icons (icons), the look-up
that widgets use (widgets.look). Everything in gui above widgets may import it.
"""

import string
from functools import lru_cache
from typing import Literal

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from inspector import assets
from inspector.gui.widgets import look
from inspector.gui.widgets.look import Look, Spacing, color, mono_font, ui_font

__all__ = [
    "TEXT_ROLES",
    "THEME_NAMES",
    "ThemeName",
    "apply",
    "color",
    "current_name",
    "mono_font",
    "notifier",
    "roles",
    "spacing",
    "ui_font",
]

ThemeName = Literal["light", "dark"]
THEME_NAMES: tuple[ThemeName, ...] = ("light", "dark")
spacing = Spacing

TEXT_ROLES = ("text", "muted", "accent", "positive", "caution", "negative", "notice")
"""Roles that text is written in; each readable on `surface`, on `raised` and on its tint."""

_TOKENS: dict[ThemeName, dict[str, str]] = {
    "light": {
        "surface": "#f4f5f7",
        "raised": "#ffffff",
        "text": "#1c2128",
        "muted": "#596270",
        "accent": "#1f5bd0",
        "positive": "#17703c",
        "caution": "#855200",
        "negative": "#b4231c",
        "notice": "#7737a6",
        "border": "#d8dce2",
        "outline": "#858d99",
        "hover": "#e8ebef",
        "pressed": "#dbe0e6",
        "selection": "#d3e2fd",
        "selection_text": "#12264d",
        "on_accent": "#ffffff",
        "disabled": "#838b97",
        "tooltip": "#262c36",
        "tooltip_text": "#f2f4f7",
        "match": "#ffe28a",
    },
    "dark": {
        "surface": "#1b1e24",
        "raised": "#23272f",
        "text": "#e5e8ed",
        "muted": "#a0a9b7",
        "accent": "#82aeff",
        "positive": "#62cc8c",
        "caution": "#e6b45c",
        "negative": "#ff938a",
        "notice": "#cfa6fb",
        "border": "#39404b",
        "outline": "#747e8d",
        "hover": "#2d323c",
        "pressed": "#363d49",
        "selection": "#243c66",
        "selection_text": "#f0f5ff",
        "on_accent": "#0f1a2e",
        "disabled": "#6c7583",
        "tooltip": "#38404d",
        "tooltip_text": "#f2f4f7",
        "match": "#6b5310",
    },
}

_TINT = {"light": 0.10, "dark": 0.15}
"""How much of a role's colour is in its tint, the rest is `raised`."""


def _mix(first: QColor, second: QColor, part: float) -> QColor:
    channels = zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a * part + b * (1 - part)) for a, b in channels))


@lru_cache(maxsize=2)
def roles(name: ThemeName) -> dict[str, QColor]:
    """Every colour of a palette by role, with a `ROLE_tint` for each text role.

    Args:
        name: `light` or `dark`.

    Returns:
        A shared dict; do not change it.
    """
    colors = {role: QColor(value) for role, value in _TOKENS[name].items()}
    for role in TEXT_ROLES:
        colors[f"{role}_tint"] = _mix(colors[role], colors["raised"], _TINT[name])
    return colors


def current_name() -> str:
    """The palette in force; "" before the first `apply`."""
    return look.look().name


def notifier() -> Look:
    """The object whose `changed` signal tells of another palette."""
    return look.look()


def apply(app: QApplication, name: ThemeName) -> None:
    """Put a palette on the whole application.

    Args:
        app: The running application.
        name: `light` or `dark`.
    """
    if current_name() == "":
        app.setStyle("Fusion")
    colors = roles(name)
    # From one sheet to the next Qt takes five times as long as by way of none.
    app.setStyleSheet("")
    app.setPalette(_palette(colors))
    # Widgets are restyled by the sheet; by then they must find the new colours.
    look.look().blockSignals(True)
    look.look().install(name, colors)
    look.look().blockSignals(False)
    app.setStyleSheet(style_sheet(name))
    look.look().changed.emit()


def _palette(colors: dict[str, QColor]) -> QPalette:
    role = QPalette.ColorRole
    table = {
        role.Window: "surface",
        role.WindowText: "text",
        role.Base: "raised",
        role.AlternateBase: "surface",
        role.Text: "text",
        role.PlaceholderText: "muted",
        role.Button: "raised",
        role.ButtonText: "text",
        role.BrightText: "negative",
        role.Light: "raised",
        role.Midlight: "hover",
        role.Mid: "border",
        role.Dark: "outline",
        role.Shadow: "outline",
        role.Highlight: "selection",
        role.HighlightedText: "selection_text",
        role.Accent: "accent",
        role.Link: "accent",
        role.LinkVisited: "notice",
        role.ToolTipBase: "tooltip",
        role.ToolTipText: "tooltip_text",
    }
    palette = QPalette()
    for qt_role, token in table.items():
        palette.setColor(qt_role, colors[token])
    for qt_role in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText):
        palette.setColor(QPalette.ColorGroup.Disabled, qt_role, colors["disabled"])
    return palette


@lru_cache(maxsize=2)
def style_sheet(name: ThemeName) -> str:
    """The style sheet of a palette: the numbered files, filled with its colours.

    Raises:
        KeyError: when a file names a token that there is none of.
    """
    tokens = {role: value.name() for role, value in roles(name).items()}
    tokens["tick"] = "white" if name == "light" else "black"
    tokens["icons"] = assets.resource("icons").as_posix()
    files = sorted(assets.resource("qss").glob("*.qss"))
    return "\n".join(string.Template(f.read_text("utf-8")).substitute(tokens) for f in files)
