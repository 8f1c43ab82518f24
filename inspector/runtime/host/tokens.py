"""murmur:runtime/tokens: the host's token count of a text.

Lives here: the import's functions. Not here: the counting (contract.token_count). Only
runtime and worker import it.
"""

from collections.abc import Callable, Mapping

from inspector.contract.token_count import count

__all__ = ["count", "implementations"]


def implementations() -> Mapping[str, Callable[..., int]]:
    """The functions of `murmur:runtime/tokens`, the same for every hook.

    Returns:
        Function name to implementation, for host_function.define.
    """
    return {"count": count}
