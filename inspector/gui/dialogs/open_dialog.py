"""Asks for a capsule: a folder or a file.

Lives here: `OpenDialog`. Not here: opening (gui.main_window). Only gui.main_window
imports it.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_FILTERS = ["Capsules (murmur.yaml *.mur.zip *.wasm *.wat)", "All files (*)"]


class OpenDialog(QFileDialog):
    """A file dialog that the window does not wait for; `fileSelected` gives the path."""

    def __init__(self, parent: QWidget, *, wants_folder: bool) -> None:
        super().__init__(parent, "Open a capsule folder" if wants_folder else "Open a capsule file")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if wants_folder:
            self.setFileMode(QFileDialog.FileMode.Directory)
            self.setOption(QFileDialog.Option.ShowDirsOnly)
        else:
            self.setFileMode(QFileDialog.FileMode.ExistingFile)
            self.setNameFilters(_FILTERS)


class ScenarioDialog(QFileDialog):
    """Asks for a scenario file; `fileSelected` gives the path."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "Run a scenario")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFileMode(QFileDialog.FileMode.ExistingFile)
        self.setNameFilters(["Scenarios (*.yaml *.yml *.json)", "All files (*)"])
