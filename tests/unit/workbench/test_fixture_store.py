"""Fixtures on the disk: nothing of anyone's is ever written over."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.contract.profile import PROFILES
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import fixture, fixture_store
from inspector.workbench.fixture import Fixture
from inspector.workbench.fixture_store import FixtureStore, capsule_folder

CONTRACT = PROFILES["0.3"].contract


def made(name="rm", **fields):
    """A fixture of on-shell."""
    return Fixture(name, CONTRACT.interface, "on-shell", "observe", {"turn": 1, **fields})


@pytest.fixture
def store(tmp_path):
    """A store whose folder is not there yet."""
    return FixtureStore(tmp_path / "state" / "fixtures")


def entries(store, capsule=None):
    """What is listed."""
    return store.scan(CONTRACT, capsule).entries


def entry(store, name):
    """The entry of a name."""
    (found,) = [one for one in entries(store) if one.name == name]
    return found


def files(store):
    """Names of everything in the folder but what was deleted."""
    return sorted(path.name for path in store.folder.iterdir() if path.name != ".deleted")


def refusal(call, *arguments, **named):
    """The error of a call that must fail."""
    with pytest.raises(InspectorError) as caught:
        call(*arguments, **named)
    return caught.value


class TestSave:
    """New ones and in place of earlier ones."""

    def test_saved_fixture_is_listed_and_loaded(self, store):
        """To the letter."""
        kept = made(command="\0 é \u202e", turn=4_294_967_295)
        saved = store.save(kept)
        assert saved.undo is None
        assert files(store) == ["rm.json"]
        (found,) = entries(store)
        assert (found.name, found.event, found.phase) == ("rm", "on-shell", "observe")
        assert (found.is_own, found.is_star, found.is_usable, found.note) == (True, False, True, "")
        assert store.load(found.path) == kept

    def test_no_folder_is_an_empty_list(self, store):
        """And none is made by looking."""
        assert store.scan(CONTRACT) == fixture_store.Listing()
        assert not store.folder.exists()

    def test_name_is_needed(self, store):
        """Blanks are none."""
        assert refusal(store.save, made(" \n")).message == "A fixture needs a name."

    @pytest.mark.parametrize("name", ["CON", "..", "a/b", "界" * 120, "\u202e", "%2E"])
    def test_any_name_comes_back(self, store, name):
        """Whatever the file is called."""
        store.save(made(name))
        assert entry(store, fixture.clean_name(name)).is_usable
        assert all(path.parent == store.folder for path in store.folder.rglob("*.json"))

    def test_taken_name_is_refused_whatever_its_case(self, store):
        """On a disk that ignores case it would be the same file."""
        store.save(made("Rm"))
        error = refusal(store.save, made("rM"))
        assert error.message == "There is a file Rm.json already; it is left as it is."
        assert files(store) == ["Rm.json"]

    @pytest.mark.parametrize("content", [b"{ half", b"[]", b"", b'{"fixture": 99}'])
    def test_broken_and_foreign_files_are_never_written_over(self, store, content):
        """Neither by saving nor by anything else."""
        store.folder.mkdir(parents=True)
        path = store.folder / "rm.json"
        path.write_bytes(content)
        (found,) = entries(store)
        assert (found.is_fixture, found.is_usable) == (False, False)
        assert found.note.startswith("rm.json ")
        other = store.save(made("other")).path
        for call in (
            lambda: store.save(made("rm")),
            lambda: store.save(made("rm"), found),
            lambda: store.rename(found, "x"),
            lambda: store.rename(entry(store, "other"), "rm"),
            lambda: store.delete(found),
            lambda: store.duplicate(found),
        ):
            with pytest.raises(InspectorError):
                call()
        assert path.read_bytes() == content
        assert Path(other).exists()

    def test_replacing_keeps_the_earlier_one_for_the_way_back(self, store):
        """Undo brings it back."""
        store.save(made(turn=1))
        saved = store.save(made(turn=2), entry(store, "rm"))
        assert store.load(saved.path).fields["turn"] == 2
        assert saved.undo.sentence == "“rm” was saved in place of the earlier one."
        store.undo(saved.undo)
        assert store.load(saved.path).fields["turn"] == 1
        assert len(entries(store)) == 1

    def test_file_changed_meanwhile_is_not_replaced(self, store):
        """The other program's work stays."""
        path = Path(store.save(made()).path)
        shown = entry(store, "rm")
        path.write_bytes(fixture.encode(made(turn=77)))
        error = refusal(store.save, made(turn=2), shown)
        assert error.message == "rm.json was changed by another program; it is left as it is."
        assert store.load(str(path)).fields["turn"] == 77
        assert refusal(store.delete, shown).kind is ErrorKind.USAGE
        assert refusal(store.rename, shown, "x").kind is ErrorKind.USAGE

    def test_replacement_changed_meanwhile_is_not_undone(self, store):
        """Someone went on with it."""
        store.save(made())
        saved = store.save(made(turn=2), entry(store, "rm"))
        Path(saved.path).write_bytes(fixture.encode(made(turn=3)))
        assert refusal(store.undo, saved.undo).kind is ErrorKind.USAGE
        assert store.load(saved.path).fields["turn"] == 3

    def test_failure_leaves_nothing_behind(self, store, monkeypatch):
        """No half file, no temporary one; the earlier one is whole."""
        store.save(made(turn=1))
        shown = entry(store, "rm")

        def full(_handle):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        error = refusal(store.save, made(turn=2), shown)
        assert error.kind is ErrorKind.NOT_WRITABLE
        assert "The disk is full." in error.message
        refusal(store.save, made("new"))
        assert files(store) == ["rm.json"]
        assert store.load(shown.path).fields["turn"] == 1

    def test_without_links_a_name_is_taken_first(self, store, monkeypatch):
        """As on a stick with FAT."""

        def no_links(_source, _target):
            raise OSError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", no_links)
        store.save(made())
        assert store.load(str(store.folder / "rm.json")) == made()
        refusal(store.save, made())
        assert files(store) == ["rm.json"]

    def test_folder_that_cannot_be_is_told(self, tmp_path):
        """A file stands in its place."""
        (tmp_path / "fixtures").write_text("x")
        store = FixtureStore(tmp_path / "fixtures")
        assert "cannot be written" in refusal(store.save, made()).message
        assert "cannot be read" in store.scan(CONTRACT).notes[0]


class TestRename:
    """F2."""

    def test_name_and_file_are_new(self, store):
        """What is in it stays, also what is not ours."""
        path = Path(store.save(replace(made(), extras={"why": "12"})).path)
        new = store.rename(entry(store, "rm"), "ls: all")
        assert not path.exists()
        assert files(store) == ["ls%3A all.json"]
        assert store.load(new) == replace(made("ls: all"), extras={"why": "12"})

    def test_only_the_case_may_change(self, store):
        """The same file for some."""
        store.save(made("rm"))
        store.rename(entry(store, "rm"), "RM")
        assert [one.name for one in entries(store)] == ["RM"]

    def test_same_name_changes_nothing(self, store):
        """F2 and Enter."""
        store.save(made())
        store.rename(entry(store, "rm"), "rm")
        assert files(store) == ["rm.json"]

    def test_taken_name_is_refused(self, store):
        """Both stay."""
        store.save(made("a", turn=1))
        store.save(made("b", turn=2))
        assert refusal(store.rename, entry(store, "a"), "B").hint == "Choose another name."
        assert [store.load(one.path).fields["turn"] for one in entries(store)] == [1, 2]

    def test_star_goes_along(self, store):
        """It is the same fixture."""
        store.save(made())
        store.set_star(entry(store, "rm"), is_star=True)
        store.rename(entry(store, "rm"), "ls")
        assert entry(store, "ls").is_star


class TestDuplicateAndDelete:
    """And the way back."""

    def test_copies_have_names_of_their_own(self, store):
        """Counted."""
        store.save(made())
        store.duplicate(entry(store, "rm"))
        store.duplicate(entry(store, "rm"))
        assert [one.name for one in entries(store)] == ["rm", "rm copy", "rm copy 2"]

    def test_deleted_one_comes_back_to_the_letter(self, store):
        """Not in our spelling: in the user's."""
        path = Path(store.save(made()).path)
        content = json.dumps(json.loads(path.read_bytes()), indent=7).encode()
        path.write_bytes(content)
        undo = store.delete(entry(store, "rm"))
        assert undo.sentence == "“rm” was deleted."
        assert entries(store) == ()
        assert store.undo(undo) == str(path)
        assert path.read_bytes() == content

    def test_place_taken_meanwhile_stays(self, store):
        """Undo never writes over the new one."""
        store.save(made(turn=1))
        undo = store.delete(entry(store, "rm"))
        store.save(made(turn=2))
        assert refusal(store.undo, undo).kind is ErrorKind.USAGE
        assert store.load(undo.path).fields["turn"] == 2

    def test_gone_file_is_told(self, store):
        """Someone was faster."""
        path = Path(store.save(made()).path)
        shown = entry(store, "rm")
        path.unlink()
        assert refusal(store.delete, shown).message == "rm.json is no longer there."
        assert refusal(store.load, shown.path).message == "rm.json is no longer there."

    def test_what_was_deleted_does_not_pile_up(self, store, monkeypatch):
        """The newest are kept."""
        monkeypatch.setattr(fixture_store, "_KEPT_DELETED", 3)
        for _ in range(5):
            store.save(made())
            store.delete(entry(store, "rm"))
        assert len(list((store.folder / ".deleted").iterdir())) == 3


class TestListing:
    """Order, favourites, others' files, the capsule's own."""

    def test_favourites_come_first_then_names_then_what_is_none(self, store):
        """Numbers of upper case letters play no part."""
        for name in ("b", "C", "a"):
            store.save(made(name))
        (store.folder / "A0.json").write_text("nonsense")
        (store.folder / "notes.txt").write_text("not looked at")
        store.set_star(entry(store, "C"), is_star=True)
        assert [one.name for one in entries(store)] == ["C", "a", "b", "A0"]
        store.set_star(entry(store, "C"), is_star=False)
        assert [one.name for one in entries(store)] == ["a", "b", "C", "A0"]

    def test_damaged_favourites_are_none(self, store):
        """They are a convenience."""
        store.save(made())
        (store.folder.parent / "fixture-stars.json").write_text("{")
        assert not entry(store, "rm").is_star
        store.set_star(entry(store, "rm"), is_star=True)
        assert entry(store, "rm").is_star

    def test_edit_by_another_program_is_noticed(self, store):
        """Content, name, and a file that came."""
        path = Path(store.save(made()).path)
        before = entry(store, "rm")
        path.write_bytes(fixture.encode(made(turn=100_000)))
        assert entry(store, "rm").digest != before.digest
        path.rename(store.folder / "renamed outside.json")
        assert [one.name for one in entries(store)] == ["renamed outside"]
        (store.folder / "came.json").write_bytes(fixture.encode(made("came")))
        assert [one.name for one in entries(store)] == ["came", "renamed outside"]

    def test_unchanged_files_are_not_read_again(self, store, monkeypatch):
        """A look costs no more than the folder."""
        store.save(made())
        first = entries(store)
        monkeypatch.setattr(fixture_store, "_read_file", None)
        assert entries(store) == first

    def test_big_one_is_judged_again_under_another_contract(self, store):
        """Although its fields were not kept in mind."""
        store.save(made(command="x" * 100_000))
        assert entry(store, "rm").is_usable
        (found,) = store.scan(PROFILES["0.1"].contract).entries
        assert found.note.startswith("Made for lifecycle@0.8.0")

    def test_capsules_own_are_read_and_never_written(self, store, tmp_path):
        """They can be starred and copied."""
        folder = tmp_path / "capsule" / "fixtures"
        folder.mkdir(parents=True)
        path = folder / "shared.json"
        path.write_bytes(fixture.encode(made("shared")))
        (found,) = entries(store, folder)
        assert not found.is_own
        message = "“shared” belongs to the capsule and is only read."
        assert refusal(store.delete, found).message == message
        assert refusal(store.rename, found, "x").message == message
        assert refusal(store.save, made("shared"), found).message == message
        store.set_star(found, is_star=True)
        store.duplicate(found)
        assert [(one.name, one.is_own, one.is_star) for one in entries(store, folder)] == [
            ("shared", False, True),
            ("shared copy", True, False),
        ]
        assert list(folder.iterdir()) == [path]

    def test_unreadable_file_does_not_hide_the_others(self, store):
        """A folder with the ending of a fixture."""
        store.save(made())
        (store.folder / "folder.json").mkdir()
        notes = {one.name: one.note for one in entries(store)}
        assert notes == {"rm": "", "folder": "folder.json cannot be read: Is a directory."}

    def test_folder_of_a_capsule_is_found_where_it_is_one(self, tmp_path):
        """Beside its manifest; not beside a component."""
        (tmp_path / "fixtures").mkdir()
        (tmp_path / "murmur.yaml").write_text("")
        (tmp_path / "hook.wasm").write_bytes(b"")
        assert capsule_folder(str(tmp_path)) == tmp_path / "fixtures"
        assert capsule_folder(str(tmp_path / "murmur.yaml")) == tmp_path / "fixtures"
        assert capsule_folder(str(tmp_path / "hook.wasm")) is None
        assert capsule_folder(str(tmp_path / "fixtures")) is None
        assert capsule_folder(None) is None
