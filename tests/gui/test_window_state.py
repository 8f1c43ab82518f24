"""What is remembered, and files that are not as they should be."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.gui import window_state
from inspector.gui.window_state import VERSION, WindowState
from inspector.workbench.draft import Draft

FULL = WindowState(
    geometry="AAA=",
    layout="BBB=",
    theme="dark",
    profile="0.4",
    recent=("/a", "sample:tour"),
    event="on-shell",
    drafts=(Draft("on-shell", "decide", "text", "{half", {"turn": 2**63}),),
)


def test_save_and_load__whole_state__is_the_same(tmp_path):
    """Also a draft that is not valid, and a number beyond 63 bits."""
    path = tmp_path / "deep" / "window.json"
    assert window_state.save(path, FULL) == ""
    assert window_state.load(path) == window_state.Loaded(FULL)
    assert [found.name for found in path.parent.iterdir()] == ["window.json"]


def test_load__no_file__is_a_new_window(tmp_path):
    """Without a word."""
    assert window_state.load(tmp_path / "none.json") == window_state.Loaded(WindowState())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"version": "x"}',
        b'{"version": 1, "recent": 3}',
        b"[" * 9999,
    ],
)
def test_load__damaged_file__is_a_new_window_with_a_sentence(tmp_path, content):
    """It may be written over."""
    path = tmp_path / "window.json"
    path.write_bytes(content)
    loaded = window_state.load(path)
    assert loaded.state == WindowState()
    assert str(path) in loaded.note
    assert loaded.may_save


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_load__any_bytes__never_raise(tmp_path, content):
    """A bad file never keeps the window from opening."""
    path = tmp_path / "window.json"
    path.write_bytes(content)
    assert isinstance(window_state.load(path).state, WindowState)


def test_load__newer_version__is_left_alone(tmp_path):
    """The newer program finds its file as it was."""
    path = tmp_path / "window.json"
    path.write_text(json.dumps({"version": VERSION + 1, "recent": "something else"}))
    loaded = window_state.load(path)
    assert (loaded.state, loaded.may_save) == (WindowState(), False)
    assert "newer inspector" in loaded.note


def test_load__unknown_profile__is_the_default(tmp_path):
    """A profile that went does not stop the window."""
    path = tmp_path / "window.json"
    path.write_text(json.dumps({"version": 1, "profile": "0.2", "theme": "dark"}))
    state = window_state.load(path).state
    assert (state.profile, state.theme) == ("0.3", "dark")


def test_load__folder_in_its_place__is_told(tmp_path):
    """What cannot be read is told."""
    assert "cannot be read" in window_state.load(tmp_path).note


def test_save__no_way_to_write__is_told_and_leaves_nothing(tmp_path):
    """The old file stays whole."""
    blocked = tmp_path / "file"
    blocked.write_text("x")
    assert "could not be saved" in window_state.save(blocked / "window.json", FULL)
    taken = tmp_path / "window.json"
    taken.mkdir()
    assert "could not be saved" in window_state.save(taken, FULL)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["file", "window.json"]


def test_with_recent__same_capsule_again__moves_to_the_front():
    """No doubles, ten at most."""
    recent = tuple(f"/{i}" for i in range(10))
    assert window_state.with_recent(recent, "/3")[:2] == ("/3", "/0")
    assert len(window_state.with_recent(recent, "/new")) == 10


def test_kept_drafts__too_long_one__is_not_kept():
    """The next start must not be slow for ever."""
    short = Draft("on-shell", "observe", "text", "x")
    long = Draft("on-stage", "observe", "text", "x" * (window_state.LONGEST_DRAFT + 1))
    wide = Draft("on-inference", "observe", "form", "", {"prompt": "x" * 300_000})
    assert window_state.kept_drafts((short, long, wide)) == (short,)
