"""Values saved to files."""

import json

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from inspector.gui.file_job import FileJob
from inspector.gui.views.value_saver import ValueSaver


@pytest.fixture
def saver(qtbot):
    """A saver and its window."""
    window = QWidget()
    qtbot.addWidget(window)
    return ValueSaver(FileJob(window), window)


@pytest.mark.parametrize("value", ["a\r\nb\0ü🤖", {"n": 2**64 - 1, "t": ["x", None]}, [], ""])
def test_save__any_value__is_exact(qtbot, saver, tmp_path, value):
    """Text as it is, everything else as JSON."""
    saver.ask(value)
    (dialog,) = saver.parent().findChildren(QFileDialog)
    path = tmp_path / "value"
    with qtbot.waitSignal(saver.told) as told:
        dialog.fileSelected.emit(str(path))
    dialog.close()
    assert told.args == ["info", f"Saved the value {path}."]
    content = path.read_bytes().decode()
    assert (content if isinstance(value, str) else json.loads(content)) == value


def test_save__folder_that_is_a_file__is_told(qtbot, saver, tmp_path):
    """In one sentence."""
    (tmp_path / "f").write_text("")
    saver.ask("x")
    with qtbot.waitSignal(saver.told) as told:
        saver.save(str(tmp_path / "f" / "g"))
    assert told.args[0] == "error"
    assert "the file cannot be written" in told.args[1]
