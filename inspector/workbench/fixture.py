"""A fixture: a composed event kept under a name, as one small JSON file.

Lives here: the value, its text and back, and file names that are safe everywhere. Not
here: folders and files (workbench.fixture_store), showing them (gui.models.
fixture_model). Rooms above may import it.
"""

import hashlib
import json
import re
import unicodedata
from typing import Any

import msgspec

from inspector.contract import value
from inspector.contract.contract import EVENTS, Contract, Phase
from inspector.contract.profile import PROFILES
from inspector.errors import ErrorKind, InspectorError
from inspector.workbench import command
from inspector.workbench.json_source import JsonReader

VERSION = 1
"""Of the file; a file of a newer one is left alone."""

ENDING = ".json"
MAX_BYTES = 16 * 1024 * 1024
"""A longer file is not read."""

MAX_NAME = 120
"""Characters of a name at most."""

MAX_STEM_BYTES = 140
"""A file's name stays below what every file system takes (eCryptfs has 143)."""

_FORBIDDEN = '<>:"/\\|?*%'
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTERFACE = re.compile(r"murmur:hook/lifecycle@([0-9]+\.[0-9]+\.[0-9]+)")
_KEYS = ("fixture", "name", "contract", "event", "phase", "fields")


class Fixture(msgspec.Struct, frozen=True):
    """An event as it was composed.

    Attributes:
        name: As the user wrote it, cleaned.
        interface: The lifecycle it was composed for, e.g. `murmur:hook/lifecycle@0.8.0`.
        event: A lifecycle function.
        phase: `observe` or `decide`.
        fields: The record in JSON form.
        extras: Keys of the file that are not ours; they are kept.
    """

    name: str
    interface: str
    event: str
    phase: str
    fields: dict[str, Any]
    extras: dict[str, Any] = {}


def clean_name(text: str) -> str:
    """A name on one line, without blanks around it and without what no file can hold.

    Args:
        text: As it was typed.

    Returns:
        At most MAX_NAME characters; "" when nothing is left.
    """
    plain = _SURROGATE.sub("\ufffd", text)
    spaced = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in plain)
    return unicodedata.normalize("NFC", " ".join(spaced.split()))[:MAX_NAME].strip()


def name_key(name: str) -> str:
    """What two names have in common when no file system should hold both."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def file_stem(name: str) -> str:
    """The file's name of a fixture without its ending, good on every platform.

    Letters of any script stay as they are. What some platform refuses, hides or cannot
    tell apart is written as %XX, so that different names have different files.

    Args:
        name: A name from `clean_name`.
    """
    name = unicodedata.normalize("NFC", name)
    stem = "".join(_spelled(char) for char in name)
    if stem.startswith("."):
        stem = "%2E" + stem[1:]
    if stem.endswith((".", " ")):
        stem = stem[:-1] + _percent(stem[-1])
    if _RESERVED.fullmatch(stem):
        stem = _percent(stem[0]) + stem[1:]
    if len(stem.encode()) <= MAX_STEM_BYTES:
        return stem
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    head = stem.encode()[: MAX_STEM_BYTES - len(digest) - 1].decode(errors="ignore")
    # A cut inside %XX would be one more thing to explain.
    return f"{re.sub('%[0-9A-F]?$', '', head)}~{digest}"


def _spelled(char: str) -> str:
    hidden = unicodedata.category(char)[0] == "C" or unicodedata.category(char) in ("Zl", "Zp")
    return _percent(char) if hidden or char in _FORBIDDEN else char


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def copy_name(name: str, taken: set[str]) -> str:
    """A free name for a copy, e.g. `rm copy`, then `rm copy 2`.

    Args:
        name: Of the original.
        taken: Keys (`name_key`) of the names that there are.
    """
    base = clean_name(name[: MAX_NAME - 12])
    number = 1
    while True:
        found = f"{base} copy" if number == 1 else f"{base} copy {number}"
        if name_key(found) not in taken:
            return found
        number += 1


def encode(fixture: Fixture) -> bytes:
    """The file's content: pretty JSON in UTF-8, the same every time."""
    data = {
        "fixture": VERSION,
        "name": fixture.name,
        "contract": fixture.interface,
        "event": fixture.event,
        "phase": fixture.phase,
        "fields": value.to_json(fixture.fields),
        **fixture.extras,
    }
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def decode(content: bytes, file: str) -> Fixture:
    """Read a file's content.

    Args:
        content: The bytes of the file.
        file: Its name, for messages.

    Returns:
        The fixture; its fields are not checked against any contract.

    Raises:
        InspectorError: BAD_EVENT; one sentence on whether it is broken (and where),
            foreign, or of a newer program.
    """
    if len(content) > MAX_BYTES:
        raise _bad(f"{file} is larger than {MAX_BYTES // 2**20} MiB.")
    if not content.strip():
        raise _bad(f"{file} is empty.")
    try:
        source = JsonReader(content.decode(), file).read()
    except UnicodeDecodeError as error:
        raise _bad(f"{file} is not UTF-8 text (byte {error.start + 1:,}).") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _bad(f"{file} is not JSON ({place}: {error.msg}).") from error
    except InspectorError as error:
        place = f"line {error.line}, column {error.column}"
        raise _bad(f"{file} cannot be read ({place}: {error.message.rstrip('.')}).") from error
    return _fixture_of(source.data, file)


def _fixture_of(data: Any, file: str) -> Fixture:
    version = data.get("fixture") if isinstance(data, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise _bad(f"{file} is no fixture of an event.")
    if version > VERSION:
        raise _bad(f"{file} was written by a newer inspector (format {version}).")
    for key in ("name", "contract", "event", "phase"):
        if not isinstance(data.get(key), str):
            raise _bad(f"{file} is broken: `{key}` must be a text.")
    if not isinstance(data.get("fields"), dict):
        raise _bad(f"{file} is broken: `fields` must hold the event's fields.")
    if data["event"] not in EVENTS:
        raise _bad(f"{file} is broken: there is no event {data['event']!r}.")
    if data["phase"] not in tuple(Phase):
        raise _bad(f"{file} is broken: `phase` must be observe or decide.")
    extras = {key: item for key, item in data.items() if key not in _KEYS}
    return Fixture(
        clean_name(data["name"]),
        data["contract"],
        data["event"],
        data["phase"],
        data["fields"],
        extras,
    )


class Fit(msgspec.Struct, frozen=True):
    """How a fixture stands to the contract in force.

    Attributes:
        is_usable: Whether it can be loaded as it is.
        note: What there is to know, in one sentence, or "".
    """

    is_usable: bool
    note: str = ""


def fit(fixture: Fixture, contract: Contract) -> Fit:
    """Whether a fixture can be composed under a contract.

    Args:
        fixture: A fixture.
        contract: The contract in force.

    Returns:
        Usable when every field fits, also when it was made for another contract; the
        note says so then.
    """
    made_for = lifecycle(fixture.interface)
    ours = f"lifecycle@{contract.version}"
    problem = _problem(fixture, contract)
    if fixture.interface == contract.interface:
        return Fit(not problem, f"It does not fit {ours}: {problem}." if problem else "")
    if not problem:
        return Fit(True, f"Made for {made_for}; it fits {ours} as well.")
    takers = [name for name, p in PROFILES.items() if p.contract.interface == fixture.interface]
    hint = f" Profile {takers[0]} takes it." if takers else ""
    return Fit(False, f"Made for {made_for}, and {ours} is in force: {problem}.{hint}")


def _problem(fixture: Fixture, contract: Contract) -> str:
    phases = command.phases(contract, fixture.event)
    if Phase(fixture.phase) not in phases:
        return f"{fixture.event} has no decision point"
    try:
        value.complete(contract.record(fixture.event), fixture.fields)
    except value.FieldError as error:
        return str(error).rstrip(".")
    return ""


def lifecycle(interface: str) -> str:
    """An interface as people say it, e.g. `lifecycle@0.8.0`."""
    found = _INTERFACE.fullmatch(interface)
    return f"lifecycle@{found.group(1)}" if found else repr(interface[:60])


def _bad(sentence: str) -> InspectorError:
    return InspectorError(ErrorKind.BAD_EVENT, sentence)
