"""What a dropped path is taken for."""

import pytest

from inspector.workbench import opening
from inspector.workbench.opening import PathKind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("sample:tour", PathKind.CAPSULE),
        ("/a/murmur.yaml", PathKind.CAPSULE),
        ("/a/hook-1.0.0.mur.zip", PathKind.CAPSULE),
        ("/a/hook.wasm", PathKind.CAPSULE),
        ("/a/HOOK.WAT", PathKind.CAPSULE),
        ("/a/deny-rm.scenario.yaml", PathKind.SCENARIO),
        ("/a/x.yml", PathKind.SCENARIO),
        ("/a/x.json", PathKind.SCENARIO),
        ("/a/run.jsonl", PathKind.RECORDING),
        ("/a/picture.png", PathKind.UNKNOWN),
        ("/a/plain.zip", PathKind.UNKNOWN),
    ],
)
def test_kind_of__by_name(path, kind):
    """The ending decides."""
    assert opening.kind_of(path) is kind


def test_kind_of_existing__folder__is_a_capsule_whatever_its_name(tmp_path):
    """Even one that is called like a scenario."""
    folder = tmp_path / "odd.yaml"
    folder.mkdir()
    assert opening.kind_of_existing(str(folder)) is PathKind.CAPSULE
    assert opening.kind_of_existing(str(tmp_path / "none.yaml")) is PathKind.SCENARIO


def test_missing_text__gone_path__is_told(tmp_path):
    """Samples are always there."""
    assert opening.missing_text(str(tmp_path)) == ""
    assert opening.missing_text("sample:tour") == ""
    assert opening.missing_text(str(tmp_path / "gone")) == "no longer there"
    assert opening.missing_text("/" + "x" * 5000).startswith("cannot be reached")


def test_unknown_text__names_the_file_and_what_can_be_opened():
    """One sentence to go on with."""
    assert opening.unknown_text("/a/b.png").startswith("b.png is nothing that can be opened.")
