"""Staging writes manifests inside the tools folder, and nowhere else."""

import pytest

from tests.helpers.launch import Staged, launch
from tests.helpers.wat import Answer, Error, Field, answering_hook, hook, stub_hook


def writer(*manifests):
    """A hook that asks for manifests, as (binary, content)."""
    payload = [{"binary-name": binary, "content": content} for binary, content in manifests]
    return Staged(
        answering_hook({"on-stage": Answer("write-manifests", payload)}),
        name="writer",
        binding="on-stage",
    )


class TestManifests:
    """What becomes of write-manifests."""

    def test_manifests__plain_names__are_written_and_overwrite(self, tmp_path):
        """Each goes to tools/NAME/murmur.yaml; a later one replaces an earlier."""
        staged = writer(("git", "a: 1"), ("bash", "b: 2\0\u00e9"), ("git", "a: 3"))
        with launch(tmp_path, staged) as run:
            record = run.emit("on-stage")
            assert run.file("tools/git/murmur.yaml") == "a: 3"
            assert run.file("tools/bash/murmur.yaml") == "b: 2\0\u00e9"
            assert [m.path for m in record.outcome.manifests] == [
                "tools/git/murmur.yaml",
                "tools/bash/murmur.yaml",
                "tools/git/murmur.yaml",
            ]
            assert record.findings == ()

    @pytest.mark.parametrize("name", ["../escape", "../../x", "a/../../b", "/abs/olute"])
    def test_manifests__name_leads_out__writes_nothing_and_says_so(self, tmp_path, name):
        """The runtime would write there; the inspector reports it instead."""
        with launch(tmp_path, writer((name, "x"), ("fine", "y"))) as run:
            record = run.emit("on-stage")
            (finding,) = record.findings
            assert repr(name) in finding
            assert "the runtime would" in finding
            assert run.file("tools/fine/murmur.yaml") == "y"
            assert run.log("writer") == ""
        assert not (tmp_path / "escape").exists()
        written = {p.name for p in tmp_path.rglob("murmur.yaml")}
        assert written == {"murmur.yaml"}
        assert len(list(tmp_path.rglob("murmur.yaml"))) == 1

    def test_manifests__symlink_leads_out__writes_nothing(self, tmp_path):
        """A link that a hook may have made is no way out either."""
        outside = tmp_path / "outside"
        outside.mkdir()
        with launch(tmp_path, writer(("link", "x"))) as run:
            (run.session_dir / "tools").mkdir()
            (run.session_dir / "tools" / "link").symlink_to(outside)
            record = run.emit("on-stage")
            assert len(record.findings) == 1
        assert list(outside.iterdir()) == []

    def test_manifests__nested_name__is_written_as_the_runtime_does(self, tmp_path):
        """A separator inside the folder is no harm."""
        with launch(tmp_path, writer(("a/b", "x"))) as run:
            run.emit("on-stage")
            assert run.file("tools/a/b/murmur.yaml") == "x"

    def test_manifests__folder_is_a_file__logs_and_goes_on(self, tmp_path):
        """An I/O error is a line in the runtime's words; the next manifest is written."""
        with launch(tmp_path, writer(("taken", "x"), ("fine", "y"))) as run:
            (run.session_dir / "tools").mkdir()
            (run.session_dir / "tools" / "taken").write_text("in the way")
            run.emit("on-stage")
            assert run.log("writer") == (
                "failed to create tool dir for taken: File exists (os error 17)\n"
            )
            assert run.file("tools/fine/murmur.yaml") == "y"

    def test_manifests__target_is_a_folder__logs(self, tmp_path):
        """So is an error of the file itself."""
        with launch(tmp_path, writer(("git", "x"))) as run:
            (run.session_dir / "tools" / "git" / "murmur.yaml").mkdir(parents=True)
            run.emit("on-stage")
            assert run.log("writer") == (
                "failed to write manifest for git: Is a directory (os error 21)\n"
            )


class TestSelection:
    """Which hooks are staged, and on what."""

    def test_hooks__async_or_bound_elsewhere__are_not_staged(self, tmp_path):
        """Blocking hooks bound to on-stage or to everything are staged."""
        answer = hook({"on-stage": Answer()})
        staged = [
            Staged(answer, name="all"),
            Staged(answer, name="stage", binding="on-stage"),
            Staged(answer, name="async", is_async=True),
            Staged(answer, name="shell", binding="on-shell"),
        ]
        with launch(tmp_path, *staged) as run:
            assert [call.hook for call in run.emit("on-stage").calls] == ["all", "stage"]

    def test_hook__without_the_function__logs_that_it_misses_it(self, tmp_path):
        """This hits every all-bound hook that has no on-stage."""
        with launch(tmp_path, Staged(stub_hook())) as run:
            record = run.emit("on-stage")
            assert run.log() == "hook test-hook@0.0.1 missing on-stage\n"
            assert record.calls[0].failure == "absent"

    def test_event__allowed_binaries__arrive(self, tmp_path):
        """The hook sees what the capsule allows."""
        double = hook({"on-stage": Error(Field("shell-allow[1]"))})
        with launch(tmp_path, Staged(double)) as run:
            run.emit("on-stage", {"shell-allow": ["bash", "git"]})
            assert run.log() == "git\n"

    def test_instance__staged_twice__remembers_nothing(self, tmp_path):
        """Each staging gets an instance of its own, apart from the session's."""
        from tests.helpers.wat import Calls

        double = hook({"on-stage": Error(Calls()), "on-shell": Error(Calls())})
        with launch(tmp_path, Staged(double)) as run:
            for event in ("on-stage", "on-stage", "on-shell", "on-stage", "on-shell"):
                run.emit(event)
            assert run.log().split() == ["1", "1", "1", "1", "2"]
