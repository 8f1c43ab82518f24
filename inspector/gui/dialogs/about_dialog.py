"""What this program is, with every version that a bug report wants.

Lives here: `AboutDialog` and the text to copy. Not here: where the engine's versions come
from (worker). Only gui.window_desk imports it.
"""

import platform
from collections.abc import Mapping

import PySide6
from PySide6.QtCore import QSize, Qt, Slot, qVersion
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from inspector import __version__
from inspector.gui import icons, theme
from inspector.gui.widgets import look
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.look import Spacing
from inspector.workbench.state import Engine

_WHAT = (
    "Opens capsules of the Murmur runtime, fires lifecycle events at their hooks, and says what "
    "the runtime would make of each answer."
)


class AboutDialog(QDialog):
    """Closes itself for good."""

    def __init__(self, engine: Engine, parent: QWidget) -> None:
        """Make the dialog.

        Args:
            engine: The engine as it is known now.
            parent: The window.
        """
        super().__init__(parent)
        self.setWindowTitle("About Capsule Inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel("Capsule Inspector", self)
        title.setFont(theme.ui_font(weight=QFont.Weight.DemiBold))
        what = QLabel(_WHAT, self)
        what.setWordWrap(True)
        look.set_property(what, "tone", "muted")
        self.text = CodeEdit("Versions", self)
        self.text.setReadOnly(True)
        self.text.set_text(about_text(engine.versions))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy_button = QPushButton(icons.icon("copy"), "Copy", self)
        self.copy_button.setIconSize(QSize(Spacing.ICON, Spacing.ICON))
        self.copy_button.setToolTip("Copy the versions, for a bug report")
        self.copy_button.clicked.connect(self.copy)
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setSpacing(Spacing.S)
        for widget in (title, what):
            layout.addWidget(widget)
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)
        self.resize(look.zoomed(520), look.zoomed(340))

    @Slot()
    def copy(self) -> None:
        """Put the versions on the clipboard."""
        QGuiApplication.clipboard().setText(self.text.text())


def about_text(engine_versions: Mapping[str, str]) -> str:
    """The versions, one a line.

    Args:
        engine_versions: What the engine said of itself; {} before one was started.
    """
    wasmtime = engine_versions.get("wasmtime", "not known: no engine was started yet")
    lines = [
        ("capsule-inspector", __version__),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("PySide6", PySide6.__version__),
        ("Qt", str(qVersion())),
        ("wasmtime", wasmtime),
        ("platform", platform.platform()),
        ("window system", QGuiApplication.platformName()),
    ]
    other = {"wasmtime", "capsule-inspector"}
    lines += [(name, text) for name, text in engine_versions.items() if name not in other]
    engine_own = engine_versions.get("capsule-inspector", __version__)
    if engine_own != __version__:
        lines.append(("engine", engine_own))
    width = max(len(name) for name, _ in lines) + 2
    return "\n".join(f"{name:{width}}{text}" for name, text in lines)
