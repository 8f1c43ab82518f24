"""What the capsule's driver is run with, in process."""

from pathlib import Path

import pytest

from inspector.manifest.grant import DriverGrant, Grant, NetworkRule
from tests.helpers.launch import Staged, launch
from tests.helpers.wat import (
    Answer,
    Environment,
    HttpGet,
    Joined,
    JsonText,
    Return,
    answering_driver,
    driver,
    hook,
    inference,
)

_REFUSED = "!15"


def _said(folder: Path, text, grant: DriverGrant, hook_grant: Grant) -> str:
    """The completion of a driver that says a text."""
    head = '{"stop_reason":"end_turn","content":[{"type":"text","text":"'
    data = Joined(head, JsonText(text), '"}]}')
    double = driver(Return({"status": "passed", "data": data}))
    asking = Staged(hook({"on-shell": Answer("artifact", inference())}), grant=hook_grant)
    wanted = {"driver": True}
    with launch(folder, asking, inference=wanted, driver=double, driver_grant=grant) as running:
        record = running.emit("on-shell")
    return str(record.calls[0].payload)


def test_driver__without_a_grant__is_refused_whatever_the_hook_may(tmp_path: Path) -> None:
    """The hook's rules are the hook's."""
    rule = NetworkRule("127.0.0.1:1", None, "127.0.0.1", 1)
    url = HttpGet("http://127.0.0.1:1/")
    assert _said(tmp_path, url, DriverGrant(), Grant(network=(rule,))) == _REFUSED
    # Allowed, and nobody listens there.
    assert _said(tmp_path, url, DriverGrant(network=(rule,)), Grant()) != _REFUSED


def test_driver__variables__are_read_when_the_session_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the process, then from the .env file beside the manifest; what is no text is not."""
    monkeypatch.setenv("LAB_SET", "process")
    monkeypatch.setenv("LAB_BYTES", "\udcff")
    monkeypatch.delenv("LAB_FILE", raising=False)
    (tmp_path / ".env").write_text("LAB_SET=file\nLAB_FILE=file\nLAB_OTHER=x\n")
    grant = DriverGrant(env=("LAB_FILE", "LAB_BYTES", "LAB_SET", "", "A=B"))
    said = _said(tmp_path, Environment(), grant, Grant())
    assert said.startswith("LAB_FILE=file\nLAB_SET=process\nMURMUR_INFERENCE_")
    assert "LAB_OTHER" not in said


def test_driver__wanted_where_hooks_have_no_inference__is_none(tmp_path: Path) -> None:
    """The first contract has no interface of drivers."""
    asking = Staged(hook({"on-shell": Answer()}, version="0.2.0"))
    double = answering_driver("never")
    with launch(
        tmp_path, asking, profile="0.1", inference={"driver": True}, driver=double
    ) as running:
        assert [call.result for call in running.emit("on-shell").calls] == ["none"]
