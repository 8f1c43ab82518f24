"""The settings of the next session as they are typed, valid or not.

Lives here: `SessionDraft`, from it to the settings and back, and what a session made
with it would have otherwise. Not here: the form (gui.views.session_form), starting a
session (gui.workbench_bridge), keeping the draft (gui.window_state). Rooms above may
import it.

Text that is not in use stays in the draft, so that a switch there and back loses
nothing.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Literal

import msgspec

from inspector.contract.value import to_json
from inspector.errors import InspectorError, with_hint
from inspector.protocol.message import SessionSettings
from inspector.workbench import scenario_source, value_text
from inspector.workbench.formatting import compact, count_text, summary
from inspector.workbench.scenario import ENV_KEYS as ENV_KEYS
from inspector.workbench.scenario import too_large
from inspector.workbench.source import Source
from inspector.workbench.value_text import MAX_CHARACTERS, MAX_YAML

InferenceKind = Literal["none", "reply", "error", "driver"]
INFERENCE_KINDS: tuple[InferenceKind, ...] = ("none", "reply", "error", "driver")

_OWN = "the capsule's own"
_LONGEST_SHOWN = 60


class ContextDraft(msgspec.Struct, frozen=True):
    """Messages of one conversation.

    Attributes:
        context_id: Name of the context.
        text: JSON or YAML of a list of messages, to the letter.
    """

    context_id: str
    text: str = ""


class SessionDraft(msgspec.Struct, frozen=True):
    """What stands in the form.

    Attributes:
        session_id: "" for a fresh one.
        has_model: Whether `model` is used instead of the capsule's.
        model: Model name in the session context.
        has_capabilities: Whether `capabilities` are used instead of the capsule's.
        capabilities: Names apart by commas or line ends.
        env: Typed value by name of a variable setting.
        env_used: Names of the settings that are in use.
        inference: What run-inference answers with.
        reply: The scripted reply.
        error: The scripted error.
        contexts: Conversations, in order.
        held: Whether async workers begin held.
        lenient_imports: Whether unknown imports become traps.
        workdir: The accessible folder, "" for a fresh one.
        home: The murmur home, "" for the private one.
    """

    session_id: str = ""
    has_model: bool = False
    model: str = ""
    has_capabilities: bool = False
    capabilities: str = ""
    env: dict[str, str] = {}
    env_used: tuple[str, ...] = ()
    inference: InferenceKind = "none"
    reply: str = ""
    error: str = ""
    contexts: tuple[ContextDraft, ...] = ()
    held: bool = False
    lenient_imports: bool = False
    workdir: str = ""
    home: str = ""


class Problem(msgspec.Struct, frozen=True):
    """Why a field cannot be used.

    Attributes:
        field: Name of the field in SessionDraft.
        sentence: What is wrong and what to do.
        context: Place in `contexts`, or None.
        line: In the text of the context, from 1.
        column: The same.
    """

    field: str
    sentence: str
    context: int | None = None
    line: int = 1
    column: int = 1


_LABELS = {
    "session_id": "Session id",
    "workdir": "Accessible folder",
    "home": "Murmur home",
    "contexts": "Conversations",
    "reply": "Scripted reply",
    "error": "Scripted error",
}


def label_of(field: str) -> str:
    """The words that people read for a field of a problem."""
    return _LABELS.get(field, field.removeprefix("env.").capitalize())


class Difference(msgspec.Struct, frozen=True):
    """One thing that a session made with the draft would have otherwise.

    Attributes:
        name: The setting, for people.
        before: What the running session has.
        after: What the next one would have.
    """

    name: str
    before: str
    after: str


def draft_of(settings: SessionSettings) -> SessionDraft:
    """The draft that stands for some settings.

    Args:
        settings: E.g. those of a scenario.
    """
    inference = settings.inference or {}
    kind: InferenceKind = next((key for key in INFERENCE_KINDS if key in inference), "none")
    capabilities = settings.capabilities
    return SessionDraft(
        session_id=settings.session_id or "",
        has_model=settings.model is not None,
        model=settings.model or "",
        has_capabilities=capabilities is not None,
        capabilities="\n".join(capabilities or ()),
        env=dict(settings.env),
        env_used=tuple(settings.env),
        inference=kind,
        reply=str(inference.get("reply", "")),
        error=str(inference.get("error", "")),
        contexts=tuple(
            ContextDraft(name, value_text.to_text(messages))
            for name, messages in settings.conversation.items()
        ),
        held=settings.held,
        lenient_imports=settings.lenient_imports,
        workdir=settings.workdir or "",
        home=settings.home or "",
    )


def check(draft: SessionDraft) -> tuple[SessionSettings | None, tuple[Problem, ...]]:
    """The settings that a draft stands for.

    Args:
        draft: As typed.

    Returns:
        The settings and no problem, or None and every problem.
    """
    problems = list(_text_problems(draft))
    conversation: dict[str, list[Any]] = {}
    for index, context in enumerate(draft.contexts):
        found = _messages(index, context)
        if isinstance(found, Problem):
            problems.append(found)
        elif context.context_id in conversation:
            sentence = f"Two conversations are named {context.context_id!r}; rename one."
            problems.append(Problem("contexts", sentence, index))
        else:
            conversation[context.context_id] = found
    if problems:
        return None, tuple(problems)
    return _settings(draft, conversation), ()


def _settings(draft: SessionDraft, conversation: dict[str, list[Any]]) -> SessionSettings:
    inference: dict[str, Any] | None = {
        "none": None,
        "reply": {"reply": draft.reply},
        "error": {"error": draft.error},
        "driver": {"driver": True},
    }[draft.inference]
    return SessionSettings(
        session_id=draft.session_id or None,
        model=draft.model if draft.has_model else None,
        capabilities=capability_names(draft.capabilities) if draft.has_capabilities else None,
        env={name: draft.env.get(name, "") for name in ENV_KEYS if name in draft.env_used},
        inference=inference,
        conversation=conversation,
        held=draft.held,
        lenient_imports=draft.lenient_imports,
        workdir=draft.workdir or None,
        home=draft.home or None,
    )


def capability_names(text: str) -> tuple[str, ...]:
    """Names that were typed apart by commas or line ends."""
    names = (name.strip() for name in text.replace(",", "\n").split("\n"))
    return tuple(name for name in names if name)


def _text_problems(draft: SessionDraft) -> Iterator[Problem]:
    for field, text in (
        ("session_id", draft.session_id),
        ("model", draft.model if draft.has_model else ""),
        ("capabilities", draft.capabilities if draft.has_capabilities else ""),
        ("reply", draft.reply if draft.inference == "reply" else ""),
        ("error", draft.error if draft.inference == "error" else ""),
        *((f"env.{name}", draft.env.get(name, "")) for name in draft.env_used),
    ):
        if _has_half(text):
            yield Problem(field, "The text holds half a character; type it anew.")
        elif field.startswith("env.") and "\0" in text:
            yield Problem(field, "A variable cannot hold a NUL character; take it out.")
    if draft.session_id and _is_no_name(draft.session_id):
        sentence = f"{draft.session_id!r} cannot be the name of a folder; leave out / and \\."
        yield Problem("session_id", sentence)
    for field, path in (("workdir", draft.workdir), ("home", draft.home)):
        if path and (_has_half(path) or "\0" in path):
            yield Problem(field, "This cannot be the path of a folder.")
        elif path and not PurePath(path).is_absolute():
            yield Problem(field, "Give the whole path, from the root on.")


def _has_half(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _is_no_name(name: str) -> bool:
    return name in ("", ".", "..") or bool(set(name) & set("/\\\0"))


def _messages(index: int, context: ContextDraft) -> list[Any] | Problem:
    """The messages of a context, or what is wrong with them."""
    name = context.context_id
    if _is_no_name(name) or _has_half(name):
        sentence = f"A conversation cannot be named {name!r}: the name becomes a folder."
        return Problem("contexts", sentence, index)
    if len(context.text) > MAX_CHARACTERS:
        sentence = f"More than {MAX_CHARACTERS:,} characters; give these messages in a scenario."
        return Problem("contexts", sentence, index)
    if len(context.text) > MAX_YAML and not context.text.lstrip().startswith(("{", "[")):
        sentence = f"Text of more than {MAX_YAML:,} characters must be JSON."
        return Problem("contexts", sentence, index)
    try:
        source = _parsed(context.text)
    except InspectorError as error:
        sentence = with_hint(error.message[:1].upper() + error.message[1:], error.hint)
        return Problem("contexts", sentence, index, error.line or 1, error.column or 1)
    data = [] if source.data is None else source.data
    if not isinstance(data, list):
        return Problem("contexts", "The messages are a list; begin with [ or -.", index)
    for number, message in enumerate(data):
        if not isinstance(message, dict):
            place = source.place((number,))
            sentence = "A message is a mapping with role and content."
            return Problem("contexts", sentence, index, place.line, place.column)
    stored: list[Any] = to_json(data)
    if (path := too_large(stored, ())) is not None:
        place = source.place(path)
        sentence = "A whole number exceeds 64 bits."
        return Problem("contexts", sentence, index, place.line, place.column)
    return stored


@lru_cache(maxsize=32)
def _parsed(text: str) -> Source:
    """What was typed for one context; the others are not read again at each key."""
    return scenario_source.parse(text, "messages")


# -- what would be otherwise -----------------------------------------------------------


def differences(used: SessionSettings, wanted: SessionSettings) -> tuple[Difference, ...]:
    """What a session made with other settings would have otherwise.

    Args:
        used: The settings of the running session.
        wanted: The settings that the next one would be made with.
    """
    pairs = zip(_facts(used), _facts(wanted), strict=True)
    found = [
        Difference(name, before, after)
        for (name, old, before), (_, new, after) in pairs
        if old != new
    ]
    names = [*used.conversation, *(n for n in wanted.conversation if n not in used.conversation)]
    for name in names:
        old, new = used.conversation.get(name), wanted.conversation.get(name)
        if old != new:
            found.append(
                Difference(f"conversation {name}", _message_count(old), _changed(old, new))
            )
    return tuple(found)


def needs_reopening(used: SessionSettings, wanted: SessionSettings) -> bool:
    """Whether the capsule has to be read again, since hooks are looked for or linked anew."""
    return (used.home, used.lenient_imports) != (wanted.home, wanted.lenient_imports)


def _facts(settings: SessionSettings) -> Iterator[tuple[str, object, str]]:
    """Name, value and text of each setting but the conversations."""
    yield "session id", settings.session_id, settings.session_id or "a fresh one"
    model = _OWN if settings.model is None else _quoted(settings.model)
    yield "model", settings.model, model
    names = settings.capabilities
    yield "capabilities", names, _OWN if names is None else ", ".join(names) or "none"
    for name in ENV_KEYS:
        value = settings.env.get(name)
        yield name, value, _OWN if value is None else _quoted(value)
    yield "model's answer", settings.inference, _inference_text(settings.inference)
    yield "async workers", settings.held, "held" if settings.held else "eager"
    lenient = "traps when called" if settings.lenient_imports else "refused"
    yield "unknown imports", settings.lenient_imports, lenient
    yield "accessible folder", settings.workdir, settings.workdir or "a fresh one"
    yield "murmur home", settings.home, settings.home or "the private one"


def _inference_text(inference: dict[str, Any] | None) -> str:
    if inference is None:
        return "an error: no driver"
    if "driver" in inference:
        return "the capsule's driver"
    ((kind, text),) = inference.items()
    return f"the {kind} {_quoted(str(text))}"


def _quoted(text: str) -> str:
    return summary(text, _LONGEST_SHOWN)


def _message_count(messages: list[Any] | None) -> str:
    return "none" if messages is None else count_text(len(messages), "message")


def _changed(old: list[Any] | None, new: list[Any] | None) -> str:
    text = _message_count(new)
    same_length = old is not None and new is not None and len(old) == len(new)
    return f"{text}, others" if same_length and compact(old) != compact(new) else text
