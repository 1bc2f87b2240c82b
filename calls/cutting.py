"""What is stored of a long output: its beginning, its true length, and a digest by which equal ones stay equal.

A call is judged by its whole outcome, before anything is cut. A driver that answers with megabytes, again and again,
would otherwise fill the journal: each deviation has all calls of its example.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned

if TYPE_CHECKING:
    from clconform.calls.call import Begun, Outcome

LONGEST_BYTES = 1 << 14
"""Bytes of an output that are stored, and characters of all texts among its values."""
MOST_VALUES = 1 << 12
"""Values of an output that are stored."""
DIGITS = 16


def cut_short(outcome: Outcome) -> Outcome:
    """Return an outcome as it is stored: the same, unless one of its outputs is longer than the limits."""
    if not isinstance(outcome, Returned):
        return outcome
    long = [(name, output) for name, output in outcome.outputs.items() if is_long(output)]
    return outcome.with_outputs(**{name: _beginning(output) for name, output in long}) if long else outcome


def is_cut(outcome: Outcome | Begun | None) -> bool:
    """Return whether an outcome was stored with only the beginning of an output."""
    return isinstance(outcome, Returned) and any(output.digest for output in outcome.outputs.values())


def is_long(output: Output) -> bool:
    """Return whether an output is longer than what is stored."""
    if len(output.raw) > LONGEST_BYTES or len(output.values) > MOST_VALUES:
        return True
    texts = [value for value in output.values if isinstance(value, str)]
    return bool(texts) and sum(map(len, texts)) > LONGEST_BYTES


def _beginning(output: Output) -> Output:
    left = LONGEST_BYTES
    values: list[int | float | str | None] = []
    for value in output.values[:MOST_VALUES]:
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
        raw=output.raw[:LONGEST_BYTES],
        count=len(output.values),
        digest=whole.hexdigest()[:DIGITS],
    )
