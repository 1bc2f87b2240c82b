"""Handles in the outcomes of calls, and size limits for the values of queries."""

from __future__ import annotations

from clconform.calls.call import UNTOUCHED, Outcome, Returned
from clconform.calls.values import Handle

MAX_VALUE_BYTES = 1 << 20
"""Size of the longest value that a query requests; of a longer value only the size is known."""
TRUNCATED_VALUE_BYTES = 4096
"""Size of the output buffer for a value that is reported as longer than that."""


def long_value_note(size: int) -> str:
    """Return the note on a value that is not requested as a whole; ``size``: in bytes, as reported by the driver."""
    return f"reports an answer of {size} bytes; answers of more than {MAX_VALUE_BYTES} bytes are not requested"


def returned_handles(outcome: Outcome, parameter: str = "") -> list[Handle]:
    """Return the handles that a call returned, in the named output or as its result."""
    if not isinstance(outcome, Returned):
        return []
    values = [outcome.value]
    if parameter:
        values = outcome.outputs[parameter].values if parameter in outcome.outputs else []
    return [Handle(value) for value in values if isinstance(value, str) and value != UNTOUCHED]
