"""Truncates long outputs for storage: keeps their beginning, their length, and a digest that identifies them.

The judge evaluates a call by its complete outcome before truncation. Without truncation, a driver that repeatedly
returns megabytes would fill the journal: each deviation stores all calls of its example.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned

if TYPE_CHECKING:
    from clconform.calls.call import Begun, Outcome

MAX_BYTES = 1 << 14
"""The maximum number of stored bytes of an output, and of characters in all texts among its values."""
MAX_VALUES = 1 << 12
"""The maximum number of stored values of an output."""
DIGEST_DIGITS = 16


def truncate_outcome(outcome: Outcome) -> Outcome:
    """Return an outcome in its stored form: unchanged, unless one of its outputs exceeds the limits."""
    if not isinstance(outcome, Returned):
        return outcome
    long = [(name, output) for name, output in outcome.outputs.items() if exceeds_limits(output)]
    return outcome.with_outputs(**{name: _truncate_output(output) for name, output in long}) if long else outcome


def is_truncated(outcome: Outcome | Begun | None) -> bool:
    """Return whether an outcome was stored with a truncated output."""
    return isinstance(outcome, Returned) and any(output.digest for output in outcome.outputs.values())


def exceeds_limits(output: Output) -> bool:
    """Return whether an output exceeds the limits."""
    if len(output.raw) > MAX_BYTES or len(output.values) > MAX_VALUES:
        return True
    texts = [value for value in output.values if isinstance(value, str)]
    return bool(texts) and sum(map(len, texts)) > MAX_BYTES


def _truncate_output(output: Output) -> Output:
    left = MAX_BYTES
    values: list[int | float | str | None] = []
    for value in output.values[:MAX_VALUES]:
        if isinstance(value, str):
            values.append(value[:left])
            left -= len(value)
            if left <= 0:
                break
        else:
            values.append(value)
    whole = hashlib.sha256(msgspec.msgpack.encode((output.values, output.raw)))
    return msgspec.structs.replace(
        output,
        values=values,
        raw=output.raw[:MAX_BYTES],
        count=len(output.values),
        digest=whole.hexdigest()[:DIGEST_DIGITS],
    )
