"""The manifest to read: line numbers, one place underlined, what is said about it.

Lives here: `ManifestView`. Not here: who jumps where (gui.window_desk). Only
gui.main_window imports it.
"""

import re
from pathlib import Path, PurePath

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.gui.focus import Place
from inspector.gui.views.text_view import TextView
from inspector.gui.widgets import look
from inspector.gui.widgets.banner import Banner
from inspector.gui.widgets.elided_label import ElidedLabel
from inspector.gui.widgets.empty_state import EmptyState
from inspector.gui.widgets.look import Spacing
from inspector.gui.workbench_bridge import WorkbenchBridge
from inspector.workbench.opening import MANIFEST_NAME

MOST_BYTES = 1024 * 1024
"""The engine reads no longer manifest either."""

_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What ends a line in YAML, so that line numbers are those of the findings."""

_SEVERITY = {"error": "negative", "warning": "caution", "info": "accent"}


class ManifestView(QWidget):
    """The capsule's manifest as the engine read it, or another file that a place is in."""

    def __init__(self, bridge: WorkbenchBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._shown: tuple[str, str] | None = None
        self._seen: object = None
        self._place: Place | None = None
        self.title = ElidedLabel("", self)
        self.title.setContentsMargins(Spacing.S, Spacing.XS, Spacing.S, Spacing.XS)
        look.set_property(self.title, "tone", "muted")
        self.note = Banner(self)
        self.note.closed.connect(self._on_note_closed)
        self.text = TextView("Manifest", self)
        self.empty = EmptyState(
            "text",
            "No manifest",
            "A component or packed hook that is opened alone has none. Open a capsule folder to "
            "see its murmur.yaml here.",
            self,
        )
        self._stack = QStackedWidget(self)
        page = QWidget(self._stack)
        rows = QVBoxLayout(page)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for widget in (self.title, self.note):
            rows.addWidget(widget)
        rows.addWidget(self.text, 1)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self.text)
        bridge.capsule_changed.connect(self._on_capsule_changed)

    # -- which text --------------------------------------------------------------------------

    @property
    def manifest_file(self) -> str:
        """Path of the capsule's manifest, or "" without a capsule."""
        inspection = self._bridge.state.inspection
        if inspection is None:
            return ""
        path = PurePath(inspection.capsule.path)
        return str(path if path.name == MANIFEST_NAME else path / MANIFEST_NAME)

    @Slot()
    def _on_capsule_changed(self) -> None:
        inspection = self._bridge.state.inspection
        if inspection is not self._seen:
            self._seen = inspection
            self.show_manifest()

    @Slot()
    def show_manifest(self) -> None:
        """Show the capsule's manifest without a place."""
        self._place = None
        self.note.hide()
        text = self._bridge.state.manifest_text
        if text is None:
            self._shown = None
            self._stack.setCurrentIndex(0)
        else:
            self._show(self.manifest_file, text)
            self.text.clear_place()

    def _show(self, file: str, text: str) -> None:
        if self._shown != (file, text):
            self._shown = (file, text)
            path = PurePath(file)
            self.title.setText(f"{path.parent.name}/{path.name}")
            self.title.set_hint(file)
            self.text.set_lines(_LINE_END.split(text), "yaml" if _is_yaml(file) else "none")
        self._stack.setCurrentIndex(1)

    # -- a place -----------------------------------------------------------------------------

    def show_place(self, place: Place, *, take_focus: bool) -> str:
        """Show a place and underline what stands there.

        Args:
            place: Where, and what is said about it.
            take_focus: Whether the keyboard goes there, too.

        Returns:
            "" when it is shown, else why not, in a sentence.
        """
        text = self._bridge.state.manifest_text
        file = place.file or self.manifest_file
        if text is None or file != self.manifest_file:
            text = _read(file)
        if text is None:
            return f"{file} cannot be read, so its place cannot be shown."
        self._place = place
        self._show(file, text)
        if place.note:
            self.note.show_message(place.severity, place.note)
        else:
            self.note.hide()
        line, column = place.line, place.column or 1
        if line is None and place.name:
            line, column = _entry_of(self.text.lines, place.name)
        if line is None:
            self.text.clear_place()
        else:
            role = _SEVERITY.get(place.severity, "accent")
            self.text.show_place(line, column, role, take_focus=take_focus)
        return ""

    @property
    def place(self) -> Place | None:
        """What is underlined."""
        return self._place

    @Slot()
    def _on_note_closed(self) -> None:
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def open_search(self) -> None:
        """Search in the text."""
        if self._stack.currentIndex():
            self.text.open_search()


def _is_yaml(file: str) -> bool:
    return file.endswith((".yaml", ".yml"))


def _entry_of(lines: list[str], name: str) -> tuple[int | None, int]:
    """Line and column of the first entry with a name, or None."""
    entry = re.compile(rf"""\bname:\s*["']?({re.escape(name)})(?=["'\s,}}]|$)""")
    for number, line in enumerate(lines, 1):
        if (found := entry.search(line)) is not None:
            return number, found.start(1) + 1
    return None, 1


def _read(file: str) -> str | None:
    """A file of the capsule that is no manifest of its own; None when it cannot be read."""
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError):
        return None
    return content.decode("utf-8", "replace") if len(content) <= MOST_BYTES else None
