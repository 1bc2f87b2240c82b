"""Memory of one process must not show in another: a mark that one writes is looked for by the next (section 3.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Complaint

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.world import Model

rules = Rules()

KEPT_APART = "OpenCL:valid-usage-and-undefined-behavior/2"
MARK = bytes.fromhex("c7a1f3095be264d88e1d70b6329f4a5c")
"""Bytes that no memory holds by chance."""

rules.words[KEPT_APART] = (
    "Memory does not show bytes written by another process, if the operating system isolates processes."
)
rules.inferred(KEPT_APART)


def _note_marks(call: Call, model: Model) -> None:
    """Note that the driver's process has been given the mark by a call."""
    for value in call.arguments.values():
        if isinstance(value, Data) and MARK in value.content:
            model.marked = True


@rules.watch()
def kept_apart(call: Call, outcome: Returned, _code: str, model: Model) -> tuple[list[Complaint], set[str]]:
    """Complain of the mark in bytes that a process reads which was never given it, while one before it was.

    Also return the record where such bytes were read at all, and are clean.
    """
    _note_marks(call, model)
    if model.marked or not model.marked_before:
        return [], set()
    read = [output.raw for output in outcome.outputs.values() if len(output.raw) >= len(MARK)]
    if not read:
        return [], set()
    if any(MARK in raw for raw in read):
        observed, symptom = "bytes that a process before has written", symptoms.BYTES_OF_ANOTHER_PROCESS
        return [Complaint(KEPT_APART, "no bytes of another process", observed, symptom)], set()
    return [], {KEPT_APART}
