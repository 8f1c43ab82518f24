"""The `observability.eval` block, as hooks see it in MURMUR_EVAL_CONFIG.

Lives here: its lowering to JSON. Not here: the environment of a hook (runtime). Rooms
above may import it.
"""

import msgspec

from inspector.manifest.schema import BlockView
from inspector.manifest.untyped import json_text

_DEFAULT_TURNS = 10
_DEFAULT_TOKENS = 100_000
_U32 = 1 << 32


class EvalBlock(msgspec.Struct, frozen=True):
    """The block.

    Attributes:
        dataset_id: As written, or None.
        json: The text of MURMUR_EVAL_CONFIG.
    """

    dataset_id: str | None
    json: str


def read(view: BlockView | None) -> EvalBlock | None:
    """Lower the block: known scorers with their defaults, unknown ones left out.

    Source: spec/manifest.md 4.6 and 6.
    """
    if view is None:
        return None
    dataset = view.text("dataset_id")
    scorers = [text for item in view.inners("scorers") if (text := _scorer(item)) is not None]
    head = [f'"dataset_id":{json_text(dataset.text)}'] if dataset else []
    body = ",".join([*head, f'"scorers":[{",".join(scorers)}]'])
    return EvalBlock(dataset.text if dataset else None, "{" + body + "}")


def _scorer(view: BlockView) -> str | None:
    kind = view.text("type")
    word = kind.text if kind else ""
    name = view.text("name")
    limit = view.count("max")
    extra = {
        "exit_ok": "",
        "llm_judge": "",
        "max_turns": f',"max":{(_DEFAULT_TURNS if limit is None else limit) % _U32}',
        "max_tokens": f',"max":{_DEFAULT_TOKENS if limit is None else limit}',
        "tool_sequence": f',"expected":{_list([t.text for t in view.texts("expected")])}',
    }.get(word)
    if extra is None:
        return None
    label = json_text(name.text if name else word)
    return f'{{"type":{json_text(word)},"name":{label}{extra}}}'


def _list(texts: list[str]) -> str:
    return f"[{','.join(json_text(text) for text in texts)}]"
