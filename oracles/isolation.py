"""Memory of one process must not show in another: a mark that one writes is looked for by the next (section 3.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.promises import Complaint
from clconform.oracles.rules import SURE, WORDS

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model import Model

KEPT_APART = "OpenCL:valid-usage-and-undefined-behavior/2"
MARK = bytes.fromhex("c7a1f3095be264d88e1d70b6329f4a5c")
"""Bytes that no memory holds by chance."""

WORDS[KEPT_APART] = "Memory does not show what another process has written there, where the system keeps them apart."
SURE[KEPT_APART] = "inferred"


def note_marks(call: Call, model: Model) -> None:
    """Note that the driver's process has been given the mark by a call."""
    for value in call.arguments.values():
        if isinstance(value, Data) and MARK in value.content:
            model.marked = True


def shown(outcome: Returned, model: Model) -> tuple[list[Complaint], set[str]]:
    """Complain of the mark in bytes that a process reads which was never given it, while one before it was.

    Also return the record where such bytes were read at all, and are clean.
    """
    if model.marked or not model.marked_before:
        return [], set()
    read = [output.raw for output in outcome.outputs.values() if len(output.raw) >= len(MARK)]
    if not read:
        return [], set()
    if any(MARK in raw for raw in read):
        return [Complaint(KEPT_APART, "no bytes of another process", "bytes that a process before has written")], set()
    return [], {KEPT_APART}
