"""Isolation of memory between processes: a mark that one process writes must not appear in the next (section 3.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.matchers import Mismatch
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.state import Model

rules = Rules()

PROCESS_ISOLATION = "OpenCL:valid-usage-and-undefined-behavior/2"
MARK = bytes.fromhex("c7a1f3095be264d88e1d70b6329f4a5c")
"""Byte sequence that is too long to occur in uninitialized memory by chance."""

rules.words[PROCESS_ISOLATION] = (
    "A call does not return bytes that another process wrote, if the operating system isolates processes."
)
rules.inferred(PROCESS_ISOLATION)


def _record_marks(call: Call, model: Model) -> None:
    """Set ``has_marker`` of the model if a call passes the mark to the driver's process."""
    for value in call.arguments.values():
        if isinstance(value, Data) and MARK in value.content:
            model.has_marker = True


@rules.watch()
def check_isolation(call: Call, outcome: Returned, _code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Return a mismatch if a call returns the mark although only an earlier process passed it to the driver.

    Also return the requirement as covered if the call returns enough bytes and they do not contain the mark.
    """
    _record_marks(call, model)
    if model.has_marker or not model.had_marker_before:
        return [], set()
    read = [output.raw for output in outcome.outputs.values() if len(output.raw) >= len(MARK)]
    if not read:
        return [], set()
    if any(MARK in raw for raw in read):
        observed, symptom = "bytes that a process before has written", symptoms.BYTES_OF_ANOTHER_PROCESS
        return [Mismatch(PROCESS_ISOLATION, "no bytes of another process", observed, symptom)], set()
    return [], {PROCESS_ISOLATION}
