"""What the runtime says when it cannot instantiate a hook.

Lives here: `InstantiationError` and the texts of link failures. Not here: linking
(instance). Only instance imports it.

wasmtime's C API defines host functions without a type, so a hook that imports one with
another signature would link. The mirrored runtime refuses it; so the types of imported
host functions are compared here.
"""

import re

from wasmtime import WasmtimeError

from inspector.contract.contract import Contract
from inspector.contract.record import Failure
from inspector.manifest.grant import Limits
from inspector.runtime import failure
from inspector.runtime.component import ComponentShape, find_compatible
from inspector.runtime.memory import MemoryAccount
from inspector.runtime.type_check import Mismatch, check_function

_IMPORT = re.compile(r"component imports (?:instance|function|\w+) `([^`]+)`")
_TABLE = re.compile(r"table minimum size of (\d+) elements exceeds table limits")


class InstantiationError(Exception):
    """A hook that the runtime refuses to run.

    Attributes:
        text: The runtime's own text, without the prefix `runtime failure: `.
        detail: The engine's whole text with causes, or what differs in a type, or None.
        failure: The class: `rejected`, or what ended the hook's own start.
        prefixed: Whether the runtime puts `runtime failure: ` before the text.
    """

    def __init__(
        self,
        text: str,
        detail: str | None = None,
        failure: Failure = Failure.REJECTED,
        *,
        prefixed: bool = True,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.detail = detail
        self.failure = failure
        self.prefixed = prefixed


ImportMismatch = tuple[str, Mismatch]
"""The imported interface and what differs."""


def import_mismatch(shape: ComponentShape, contract: Contract) -> ImportMismatch | None:
    """The first imported host function whose type is not the contract's.

    Args:
        shape: Of the hook.
        contract: What the runtime defines.
    """
    for name, interface in shape.imports.items():
        known = find_compatible(name, contract.interfaces)
        if known is None or contract.import_rule(known) is None:
            continue
        ours = contract.interfaces[known].functions
        for function, found in interface.functions.items():
            mismatch = check_function(ours[function], found) if function in ours else None
            if mismatch is not None:
                return name, mismatch
    return None


def mismatch_failure(mismatch: ImportMismatch, label: str) -> InstantiationError:
    """The error for an import of another type."""
    name, difference = mismatch
    cause = (
        f"component imports instance `{name}`, but a matching implementation was not found "
        "in the linker"
    )
    text = f"failed to instantiate hook {label}: {cause}"
    return InstantiationError(text, f"{difference.text}: {difference.detail}")


def link_failure(
    error: WasmtimeError,
    mismatch: ImportMismatch | None,
    shape: ComponentShape,
    account: MemoryAccount,
    label: str,
    limits: Limits,
    interrupted: bool,
) -> InstantiationError:
    """The error for what the engine said while linking or starting a hook.

    Args:
        error: What the engine said.
        mismatch: An import of another type, which the engine does not see.
        shape: Of the hook; imports fail in their order.
        account: Its memories.
        label: NAME@VERSION.
        limits: For the texts of the limiter.
        interrupted: Whether the user interrupted.
    """
    if mismatch is not None and not _comes_first(error, mismatch[0], shape):
        return mismatch_failure(mismatch, label)
    kind, cause = _cause(error, account, limits, interrupted)
    detail = failure.full_text(error)
    if account.denial is not None and account.denial not in detail:
        detail = f"{detail}\n\n{account.denial}"
    return InstantiationError(f"failed to instantiate hook {label}: {cause}", detail, kind)


def denial_failure(denial: str, label: str) -> InstantiationError:
    """The error for a hook whose start went on past a denied growth.

    Args:
        denial: The text of the denial.
        label: NAME@VERSION.
    """
    text = f"failed to instantiate hook {label}: {denial}"
    return InstantiationError(text, None, Failure.RESOURCE_LIMIT)


def _comes_first(error: WasmtimeError, name: str, shape: ComponentShape) -> bool:
    """Whether the engine's failing import stands before another one."""
    found = _IMPORT.match(failure.display_text(error))
    order = list(shape.imports)
    return found is not None and found[1] in order and order.index(found[1]) < order.index(name)


def _cause(
    error: WasmtimeError, account: MemoryAccount, limits: Limits, interrupted: bool
) -> tuple[Failure, str]:
    text = failure.display_text(error)
    has_run = "wasm backtrace" in text
    if account.denial is not None:
        # The runtime shows a denial at the start of a memory, but only a backtrace when
        # a start function grows one.
        return Failure.RESOURCE_LIMIT, text if has_run else account.denial
    table = _TABLE.search(failure.full_text(error))
    if table is not None:
        denial = (
            f"table growth to {table[1]} elements exceeds "
            f"capabilities.limits.table_elements ({limits.table_elements})"
        )
        return Failure.RESOURCE_LIMIT, denial
    if failure.is_interrupt(error):
        return (Failure.INTERRUPTED if interrupted else Failure.DEADLINE), text
    return (Failure.TRAP if has_run else Failure.REJECTED), text
