"""The folders of fixtures: reading, writing, renaming, deleting, and the way back.

Lives here: `FixtureStore`. Not here: what is in a file (workbench.fixture), threads
(gui.file_job), showing (gui.models.fixture_model). Rooms above may import it.

Files are written beside their place and then put there. A file that is broken, that is
no fixture, or that another program changed is never written over.
"""

import contextlib
import json
import os
import tempfile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from inspector import paths
from inspector.contract.contract import Contract
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import fixture as fixtures
from inspector.workbench import fixture_file
from inspector.workbench.fixture import ENDING, Fixture, name_key

FOLDER = "fixtures"
"""Name of the folder, in the state folder and in a capsule."""

_BIN = ".deleted"
_KEPT_DELETED = 100
_STARS = "fixture-stars.json"
MOST_FILES = 5_000
"""Files of one folder that are looked at."""


class Entry(msgspec.Struct, frozen=True):
    """One file of a folder of fixtures.

    Attributes:
        path: The file.
        name: Of the fixture; of the file when it is none.
        event: A lifecycle function, "" for what is no fixture.
        phase: `observe`, `decide`, or "".
        is_own: Whether it lies in the user's folder; a capsule's is only read.
        is_star: Whether it is a favourite.
        is_usable: Whether it can be loaded under the contract in force.
        note: One sentence on what is wrong or special, or "".
        digest: Of the content that was read.
    """

    path: str
    name: str
    event: str
    phase: str
    is_own: bool
    is_star: bool
    is_usable: bool
    note: str
    digest: str

    @property
    def is_fixture(self) -> bool:
        """Whether it is a fixture at all."""
        return bool(self.event)


class Listing(msgspec.Struct, frozen=True):
    """What the folders hold.

    Attributes:
        entries: Favourites first, then by name.
        notes: What could not be looked at, in sentences.
    """

    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


class Undo(msgspec.Struct, frozen=True):
    """How to take a change back.

    Attributes:
        sentence: What was done, e.g. `“rm” was deleted.`
        path: The file that was there.
        kept: Where its content is kept meanwhile.
        written: Digest of what replaced it, "" when it was deleted.
    """

    sentence: str
    path: str
    kept: str
    written: str = ""


class Saved(msgspec.Struct, frozen=True):
    """What saving came to; `undo` is None for a new file."""

    path: str
    undo: Undo | None = None


def default_folder() -> Path:
    """The user's own folder of fixtures."""
    return paths.state_dir() / FOLDER


def capsule_folder(capsule: str | None) -> Path | None:
    """The folder of a capsule's own fixtures, when a capsule is a folder and has one."""
    if not capsule:
        return None
    path = Path(capsule)
    folder = (path if path.is_dir() else path.parent) / FOLDER
    is_capsule = path.is_dir() or path.name == "murmur.yaml"
    return folder if is_capsule and folder.is_dir() else None


class FixtureStore:
    """Reads and writes fixtures; every method may block on the disk.

    It is made for one thread at a time.
    """

    def __init__(self, folder: Path, stars: Path | None = None) -> None:
        """Name the folders; nothing is read or made yet.

        Args:
            folder: The user's own folder.
            stars: The file of favourites; beside the folder when it is not given.
        """
        self.folder = folder
        self._stars = stars or folder.parent / _STARS
        self._read: dict[tuple[str, int, int, int], tuple[Fixture | InspectorError, str]] = {}

    # -- reading ------------------------------------------------------------------------

    def scan(self, contract: Contract, capsule: Path | None = None) -> Listing:
        """Look at every file of the folders; what did not change is not read again.

        Args:
            contract: The contract in force.
            capsule: A capsule's own folder of fixtures, or None.
        """
        stars = self._load_stars()
        known, self._read = self._read, {}
        entries: list[Entry] = []
        notes: list[str] = []
        for folder, is_own in ((self.folder, True), (capsule, False)):
            if folder is None or (not is_own and fixture_file.same_place(folder, self.folder)):
                continue
            try:
                files = fixture_file.files(folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                notes.append(f"{folder} cannot be read: {error.strerror}.")
                continue
            if len(files) > MOST_FILES:
                notes.append(f"{folder} has more than {MOST_FILES:,} files; the rest is left out.")
            for path in files[:MOST_FILES]:
                entry = self._entry(path, contract, known, is_own=is_own)
                entries.append(replace(entry, is_star=entry.path in stars))
        return Listing(tuple(sorted(entries, key=_order)), tuple(notes))

    def _entry(
        self,
        path: Path,
        contract: Contract,
        known: dict[tuple[str, int, int, int], tuple[Fixture | InspectorError, str]],
        *,
        is_own: bool,
    ) -> Entry:
        try:
            status = path.stat()
            key = (str(path), status.st_mtime_ns, status.st_size, status.st_ino)
            found = known.get(key) or _read_file(path)
        except OSError as error:
            unread = InspectorError(
                ErrorKind.BAD_EVENT, f"{path.name} cannot be read: {error.strerror}."
            )
            found, key = (unread, ""), None
        if key is not None:
            self._read[key] = _light(found)
        content, digest = found
        entry = Entry(str(path), path.stem, "", "", is_own, False, False, "", digest)
        if isinstance(content, InspectorError):
            return replace(entry, note=content.message)
        if content.fields is _LEFT_OUT:
            content = self.load(str(path))
        fit = fixtures.fit(content, contract)
        return replace(
            entry,
            name=_shown_name(content.name, path.stem),
            event=content.event,
            phase=content.phase,
            is_usable=fit.is_usable,
            note=fit.note,
        )

    def load(self, path: str) -> Fixture:
        """Read one fixture as it is now.

        Raises:
            InspectorError: one sentence on why it cannot be read.
        """
        file = Path(path)
        try:
            content, _ = _read_file(file)
        except FileNotFoundError as error:
            raise fixture_file.not_there(file) from error
        except OSError as error:
            raise InspectorError(
                ErrorKind.BAD_EVENT, f"{file.name} cannot be read: {error.strerror}."
            ) from error
        if isinstance(content, InspectorError):
            raise content
        return replace(content, name=_shown_name(content.name, file.stem))

    # -- writing ------------------------------------------------------------------------

    def save(self, fixture: Fixture, expected: Entry | None = None) -> Saved:
        """Write a fixture under its name.

        Args:
            fixture: What to keep; its name is cleaned.
            expected: The entry that it is to replace, as it was shown; None when there
                is no fixture of that name.

        Raises:
            InspectorError: USAGE for an empty or taken name or a file that changed
                meanwhile, NOT_WRITABLE.
        """
        fixture = replace(fixture, name=_checked(fixture.name))
        content = fixtures.encode(fixture)
        if expected is None:
            target = self._free_path(fixture.name)
            fixture_file.create(target, content)
            return Saved(str(target))
        target = Path(expected.path)
        self._check_own(expected)
        kept = self._keep(target)
        fixture_file.put(target, content)
        sentence = f"“{fixture.name}” was saved in place of the earlier one."
        return Saved(
            str(target), Undo(sentence, str(target), str(kept), fixture_file.digest(content))
        )

    def rename(self, entry: Entry, name: str) -> str:
        """Give a fixture another name, and its file too.

        Returns:
            The path of the file.

        Raises:
            InspectorError: USAGE for an empty or taken name or a file that changed
                meanwhile, NOT_WRITABLE.
        """
        name = _checked(name)
        self._check_own(entry)
        old = Path(entry.path)
        content = fixtures.encode(replace(self.load(entry.path), name=name))
        new = self.folder / (fixtures.file_stem(name) + ENDING)
        if fixture_file.same_place(old, new):
            fixture_file.put(old, content)
            with fixture_file.told(old):
                # On a file system that ignores case only the spelling changes.
                old.rename(new)
        else:
            new = self._free_path(name, but=old)
            fixture_file.create(new, content)
            with fixture_file.told(old):
                old.unlink(missing_ok=True)
        if entry.is_star:
            self._change_stars(str(old), str(new))
        return str(new)

    def duplicate(self, entry: Entry) -> str:
        """Copy a fixture, a capsule's one too, into the user's folder under a free name.

        Returns:
            The path of the copy.

        Raises:
            InspectorError: when it cannot be read or written.
        """
        original = self.load(entry.path)
        copy = replace(original, name=fixtures.copy_name(original.name, self._names()))
        target = self._free_path(copy.name)
        fixture_file.create(target, fixtures.encode(copy))
        return str(target)

    def delete(self, entry: Entry) -> Undo:
        """Take a fixture away; it is kept aside until many more were deleted.

        Raises:
            InspectorError: USAGE when the file changed meanwhile, NOT_WRITABLE.
        """
        self._check_own(entry)
        path = Path(entry.path)
        kept = self._keep(path)
        with fixture_file.told(path):
            path.unlink()
        return Undo(f"“{entry.name}” was deleted.", str(path), str(kept))

    def undo(self, undo: Undo) -> str:
        """Put back what was deleted or replaced.

        Returns:
            The path of the file that is back.

        Raises:
            InspectorError: USAGE when another file stands there now, NOT_WRITABLE.
        """
        path, kept = Path(undo.path), Path(undo.kept)
        with fixture_file.told(path):
            content = kept.read_bytes()
        if not undo.written:
            fixture_file.create(path, content)
        elif fixture_file.digest_of(path) == undo.written:
            fixture_file.put(path, content)
        else:
            raise fixture_file.changed(path)
        with contextlib.suppress(OSError):
            kept.unlink()
        return str(path)

    def set_star(self, entry: Entry, *, is_star: bool) -> None:
        """Make a fixture a favourite, or no longer.

        Raises:
            InspectorError: NOT_WRITABLE.
        """
        self._change_stars("" if is_star else entry.path, entry.path if is_star else "")

    # -- files --------------------------------------------------------------------------

    def _names(self) -> set[str]:
        keys = set()
        with contextlib.suppress(OSError):
            for path in fixture_file.files(self.folder):
                with contextlib.suppress(InspectorError):
                    keys.add(name_key(self.load(str(path)).name))
                keys.add(name_key(path.stem))
        return keys

    def _free_path(self, name: str, but: Path | None = None) -> Path:
        """The file of a new name; no file may be there whose name is the same to someone."""
        target = self.folder / (fixtures.file_stem(name) + ENDING)
        with fixture_file.told(self.folder):
            files = fixture_file.files(self.folder) if self.folder.exists() else []
        for path in files:
            if path != but and name_key(path.name) == name_key(target.name):
                raise fixture_file.taken(path)
        return target

    def _check_own(self, entry: Entry) -> None:
        """Refuse to touch what is not ours or not as it was shown."""
        path = Path(entry.path)
        if not entry.is_own or path.parent != self.folder:
            message = f"“{entry.name}” belongs to the capsule and is only read."
            raise InspectorError(ErrorKind.USAGE, message, hint="Duplicate it to change it.")
        if not entry.is_fixture:
            raise InspectorError(ErrorKind.USAGE, f"{path.name} is left as it is.", hint=entry.note)
        if fixture_file.digest_of(path) != entry.digest:
            raise fixture_file.changed(path)

    def _keep(self, path: Path) -> Path:
        """Copy a file's content aside."""
        folder = self.folder / _BIN
        with fixture_file.told(path):
            folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f"{path.stem[:40]}.", dir=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(path.read_bytes())
            fixture_file.prune(folder, _KEPT_DELETED)
        return Path(name)

    # -- favourites -----------------------------------------------------------------------

    def _load_stars(self) -> set[str]:
        try:
            found = msgspec.json.decode(self._stars.read_bytes(), type=list[str])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return set()
        return set(found)

    def _change_stars(self, gone: str, come: str) -> None:
        stars = (self._load_stars() - {gone}) | ({come} if come else set())
        content = (json.dumps(sorted(stars), indent=1) + "\n").encode()
        fixture_file.put(self._stars, content)


_LEFT_OUT: dict[str, object] = {"": None}
"""In place of fields that are too many to be kept in mind."""

_LIGHT_BYTES = 20_000


def _light(found: tuple[Fixture | InspectorError, str]) -> tuple[Fixture | InspectorError, str]:
    content, digest = found
    if isinstance(content, Fixture) and len(repr(content.fields)) > _LIGHT_BYTES:
        return replace(content, fields=_LEFT_OUT), digest
    return found


def _read_file(path: Path) -> tuple[Fixture | InspectorError, str]:
    with path.open("rb") as file:
        content = file.read(fixtures.MAX_BYTES + 1)
    digest = fixture_file.digest(content)
    try:
        return fixtures.decode(content, path.name), digest
    except InspectorError as error:
        return error, digest


def _order(entry: Entry) -> tuple[bool, bool, str, bool, str]:
    key = name_key(entry.name)
    return not entry.is_star, not entry.is_fixture, key, not entry.is_own, entry.path


def _shown_name(stored: str, stem: str) -> str:
    """The name in the file, unless someone renamed the file since."""
    return stored if stored and name_key(fixtures.file_stem(stored)) == name_key(stem) else stem


def _checked(name: str) -> str:
    cleaned = fixtures.clean_name(name)
    if not cleaned:
        raise InspectorError(ErrorKind.USAGE, "A fixture needs a name.")
    return cleaned
