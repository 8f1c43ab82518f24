"""Hook doubles: components for tests, written as WAT from the contract's own types.

Lives here: the frame of a double, and ready-made ones. What a double does is said with
the steps and sources that this module hands on. Not here: capsule folders around a
component. Any test may import it.

Example::

    hook({"on-shell": [Check(Field("binary"), "/usr/bin/pytest"), Answer()]}).component()
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import wasmtime

from inspector.contract import contract
from inspector.contract.type import Function
from tests.helpers import wat_host
from tests.helpers.wat_libc import LIBC, LIBC_IMPORTS
from tests.helpers.wat_scope import Module, Scope
from tests.helpers.wat_source import (
    ABSENT,
    Calls,
    ConversationPages,
    Field,
    History,
    HostValue,
    Joined,
    JsonText,
    Same,
    Source,
    Text,
    inference,
    input_length,
    output_length,
    task_input,
    task_output,
    token_count,
)
from tests.helpers.wat_step import (
    Answer,
    Check,
    Error,
    GrowMemory,
    GrowTable,
    Mark,
    Nonsense,
    Nonsensical,
    OnCall,
    Return,
    Spin,
    Step,
    Steps,
    Trap,
    When,
    steps_code,
)
from tests.helpers.wat_wasi import (
    AppendFile,
    Environment,
    FileText,
    HttpGet,
    Preopens,
    Print,
    Sleep,
)
from tests.helpers.wat_wasi_import import (
    HTTP_ERRORS,
    WASI_FUNCTIONS,
    wasi_import,
    wasi_labels,
)

__all__ = [
    "ABSENT",
    "HTTP_ERRORS",
    "Answer",
    "AppendFile",
    "Calls",
    "Check",
    "ConversationPages",
    "Double",
    "Environment",
    "Error",
    "Field",
    "FileText",
    "GrowMemory",
    "GrowTable",
    "History",
    "HostValue",
    "HttpGet",
    "Joined",
    "JsonText",
    "Mark",
    "Nonsense",
    "Nonsensical",
    "OnCall",
    "Preopens",
    "Print",
    "Return",
    "Same",
    "Sleep",
    "Source",
    "Spin",
    "Step",
    "Steps",
    "Text",
    "Trap",
    "When",
    "answering_driver",
    "answering_hook",
    "component",
    "driver",
    "echo_driver",
    "echo_hook",
    "erring_hook",
    "growing_hook",
    "hook",
    "inference",
    "input_length",
    "marking_hook",
    "output_length",
    "spinning_hook",
    "stub_hook",
    "task_input",
    "task_output",
    "token_count",
    "trapping_hook",
]

DEFAULT_VERSION = "0.8.0"
PAGE_BYTES = 65536
TOOL_INTERFACE = "murmur:tool/run@0.1.0"

_LOWERED = "(memory $memory) (realloc $realloc) string-encoding=utf8"


@dataclass(frozen=True)
class Double:
    """A component that exports one interface.

    Attributes:
        version: The contract whose types it is built with.
        interface: The name it exports them under.
        types: Full name of the contract's interface that has the functions' types.
        functions: What each exported function does; falling off the end returns ok(none).
        stubs: Functions exported without parameters and result.
        imports_types: Whether it also imports the interface as an instance of types, as
            guests made with wit-bindgen do.
        unknown_imports: Names of further interfaces that it imports one function of.
        extra_exports: Names of plain functions exported beside the interface.
        pages: Initial memory; more when the static memory needs it.
    """

    functions: Mapping[str, Steps] = field(default_factory=dict)
    stubs: tuple[str, ...] = ()
    version: str = DEFAULT_VERSION
    interface: str = ""
    types: str = ""
    imports_types: bool = False
    unknown_imports: tuple[str, ...] = ()
    extra_exports: tuple[str, ...] = ()
    pages: int = 1

    def component(self) -> bytes:
        """The component's bytes."""
        return component(self.wat())

    def wat(self) -> str:
        """The component as WAT text."""
        module = Module(contract.load(self.version).interfaces)
        declared = module.interfaces[self.types].functions
        bodies = {name: declared[name] for name in self.functions}
        code = [_core_function(module, f, self.functions[n]) for n, f in bodies.items()]
        parts = [
            "(component",
            self._foreign_imports(declared.values()),
            *(wat_host.import_text(n, n, f.values()) for n, f in module.imports.items()),
            *map(wasi_import, _labels(module)),
            _libc(module, self.pages),
            *_lowerings(module),
            _main(module, code),
            self._exports(bodies),
            ")",
        ]
        return "\n".join(parts)

    def _foreign_imports(self, functions: Iterable[Function]) -> str:
        lines = []
        if self.imports_types:
            text = wat_host.import_text(self.interface, "own-types", functions)
            lines += [line for line in text.splitlines() if "(func " not in line]
        lines += [
            f'(import "{name}" (instance (export "call" (func))))' for name in self.unknown_imports
        ]
        return "\n".join(lines)

    def _exports(self, bodies: Mapping[str, Function]) -> str:
        named = wat_host.named_types(bodies.values())
        lines = [f"(type ${name} {wat_host.define(named[name])})" for name in named]
        for name, function in bodies.items():
            lines.append(f"(type ${name}.type {wat_host.function_type(function)})")
            lines.append(
                f'(func ${name} (type ${name}.type) (canon lift (core func $main "{name}")'
                f" {_LOWERED} (post-return $free)))"
            )
        lines += ['(func $stub (canon lift (core func $main "stub")))', "(instance $exported"]
        lines += [f'  (export "{name}" (type ${name}))' for name in named]
        lines += [f'  (export "{name}" (func ${name}))' for name in bodies]
        lines += [f'  (export "{name}" (func $stub))' for name in self.stubs]
        lines += [")", f'(export "{self.interface}" (instance $exported))']
        lines += [f'(export "{name}" (func $stub))' for name in self.extra_exports]
        return "\n".join(lines)


def _core_function(module: Module, function: Function, steps: Steps) -> str:
    scope = Scope(module, function)
    body = f"{steps_code(scope, steps)}\n{_default_return(scope)}"
    parameters = " ".join(f"(param $p{n} {core})" for n, core in enumerate(scope.parameters))
    declared = " ".join(f"(local {name} {core})" for name, core in scope.locals)
    return (
        f'(func (export "{function.name}") {parameters} (result i32) {declared}\n'
        f"(global.set $calls (i32.add (global.get $calls) (i32.const 1)))\n{body})"
    )


def _default_return(scope: Scope) -> str:
    """ok(none) where the function's result has it, else a trap."""
    result = scope.function.result
    is_hook = result is not None and "$hook-output" in wat_host.spell(result)
    return Answer().code(scope) if is_hook else "unreachable"


def _labels(module: Module) -> list[str]:
    used = [WASI_FUNCTIONS[name].label for name in module.wasi]
    return wasi_labels(used)


def _libc(module: Module, pages: int) -> str:
    heap = module.image.end
    needed = -(-(heap + 1) // PAGE_BYTES)
    return LIBC.format(pages=max(pages, needed), heap=heap, segment=module.image.segment())


def _lowerings(module: Module) -> list[str]:
    """Core functions of everything imported, by the names that the code calls."""
    lines = []
    for name in module.wasi:
        found = WASI_FUNCTIONS[name]
        if found.name.startswith("[drop]"):
            resource = f"${found.label}.{found.name.removeprefix('[drop]')}"
            lines.append(f"(core func ${name} (canon resource.drop {resource}))")
        else:
            target = f'(func ${found.label} "{found.name}")'
            lines.append(f"(core func ${name} (canon lower {target} {_LOWERED}))")
    for interface, functions in module.imports.items():
        for name in functions:
            target = f'(func ${interface} "{name}")'
            lines.append(f"(core func ${interface}.{name} (canon lower {target} {_LOWERED}))")
    return lines


def _main(module: Module, code: list[str]) -> str:
    """The module with the double's own code, and its instance."""
    signatures = {name: WASI_FUNCTIONS[name].signature for name in module.wasi}
    for interface, functions in module.imports.items():
        for name, function in functions.items():
            signatures[f"{interface}.{name}"] = wat_host.lowered_type(function)
    imports = [f'(import "host" "{n}" (func ${n} {s}))' for n, s in signatures.items()]
    given = [f'(export "{name}" (func ${name}))' for name in signatures]
    return "\n".join(
        [
            f"(core module $main {LIBC_IMPORTS}",
            *imports,
            "(table $table 1 funcref)",
            "(global $calls (mut i32) (i32.const 0))",
            "(global $history (mut i32) (i32.const 0))",
            *module.helpers.values(),
            '(func (export "stub"))',
            *code,
            ")",
            f"(core instance $host {' '.join(given)})",
            '(core instance $main (instantiate $main (with "libc" (instance $libc))',
            '  (with "host" (instance $host))))',
        ]
    )


@lru_cache(maxsize=256)
def component(wat: str) -> bytes:
    """The bytes of a component or module in WAT text."""
    return bytes(wasmtime.wat2wasm(wat))


# --- ready-made doubles -------------------------------------------------------------


def hook(
    functions: Mapping[str, Steps],
    *,
    version: str = DEFAULT_VERSION,
    interface: str | None = None,
    others: str = "none",
    **settings: Any,
) -> Double:
    """A hook with some functions given.

    Args:
        functions: What each does, by event.
        version: The contract whose types it is built with.
        interface: The name it exports, its version's own by default.
        others: What the other required functions are: `none` (answer none), `stub` (no
            parameters, no result, so that a call fails its check) or `absent`.
        settings: Further attributes of Double.
    """
    found = contract.load(version)
    missing = [name for name in found.rules.required if name not in functions]
    filled = {**functions, **{name: Answer() for name in missing if others == "none"}}
    return Double(
        functions=filled,
        stubs=tuple(missing) if others == "stub" else (),
        version=version,
        interface=found.interface if interface is None else interface,
        types=found.interface,
        **settings,
    )


def stub_hook(
    functions: Iterable[str] | None = None,
    interface: str | None = None,
    version: str = DEFAULT_VERSION,
) -> Double:
    """A hook whose functions take nothing and return nothing, the required six by default."""
    found = contract.load(version)
    names = found.rules.required if functions is None else tuple(functions)
    name = found.interface if interface is None else interface
    return Double(stubs=names, version=version, interface=name, types=found.interface)


def answering_hook(answers: Mapping[str, Step], **settings: Any) -> Double:
    """A hook that gives one answer per event and none at the other required ones."""
    return hook(dict(answers), **settings)


def spinning_hook(event: str = "on-session-start", **settings: Any) -> Double:
    """A hook that loops forever at an event; its other functions are stubs."""
    return hook({event: Spin()}, **{"others": "stub", **settings})


def trapping_hook(event: str, **settings: Any) -> Double:
    """A hook that traps at an event."""
    return hook({event: Trap()}, **settings)


def erring_hook(event: str, text: Text, **settings: Any) -> Double:
    """A hook that returns err at an event."""
    return hook({event: Error(text)}, **settings)


def echo_hook(event: str, path: str, **settings: Any) -> Double:
    """A hook that returns the text of a field as err at an event."""
    return hook({event: Error(Field(path))}, **settings)


def growing_hook(event: str, pages: int = 16, **settings: Any) -> Double:
    """A hook that grows its memory until it is denied, then traps."""
    return hook({event: [GrowMemory(pages), Trap()]}, **settings)


def marking_hook(**settings: Any) -> Double:
    """A hook that notes S at session start and T at a tool call, and at session end
    notes E and returns everything noted as err.
    """
    return hook(
        {
            "on-session-start": Mark("S"),
            "on-tool-call": Mark("T"),
            "on-session-end": [Mark("E"), Error(History())],
        },
        **{"others": "stub", **settings},
    )


def driver(steps: Steps, version: str = DEFAULT_VERSION) -> Double:
    """An inference driver with a body of its own."""
    return Double({"run": steps}, version=version, interface=TOOL_INTERFACE, types=TOOL_INTERFACE)


def _driver_answer(text: Text) -> Joined:
    head = '{"stop_reason":"end_turn","content":[{"type":"text","text":"'
    return Joined(head, text, '"}]}')


def echo_driver() -> Double:
    """A driver whose completion is the request it got, as text."""
    answer = _driver_answer(JsonText(Field("data")))
    return driver(Return({"status": "passed", "data": answer}))


def answering_driver(text: str) -> Double:
    """A driver whose completion is a given text."""
    return driver(Return({"status": "passed", "data": _driver_answer(JsonText(text))}))
