"""What stands in the composer for one event, also while it is not valid.

Lives here: the value `Draft`. Not here: checking it (workbench.command), editing it
(gui.views.composer_view), keeping it between starts (gui.window_state). Rooms above may
import it.
"""

from typing import Any, Literal

import msgspec


class Draft(msgspec.Struct, frozen=True):
    """What was typed for one event and phase.

    Attributes:
        event: A lifecycle function, e.g. `on-shell`.
        phase: `observe` or `decide` (contract.Phase).
        mode: Which of the two editors shows: `form` or `text`.
        text: The text editor's content to the letter, valid or not; "" in form mode.
        fields: The form's record in JSON form; only what differs from nothing need be
            there.
    """

    event: str
    phase: str
    mode: Literal["form", "text"] = "form"
    text: str = ""
    fields: dict[str, Any] = {}
