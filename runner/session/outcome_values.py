"""Reads handles and error codes from the outcomes of calls, and defines size limits for the values of queries."""

from __future__ import annotations

from typing import Any

from clconform.calls.call import UNTOUCHED, Outcome, Returned
from clconform.calls.number_references import ReturnedNumber
from clconform.calls.values import Handle
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups

MAX_VALUE_BYTES = 1 << 20
"""Size in bytes of the longest value that a query requests; of a longer value, only the size is queried."""
TRUNCATED_VALUE_BYTES = 4096
"""Size in bytes of the output buffer for a value that is longer than ``MAX_VALUE_BYTES``."""


def error_code(outcome: Returned) -> str:
    """Return the name of the error code of a call that returns a number or writes ``errcode_ret``; empty without one.

    A negative number is an error code, and so is NULL for an object.
    """
    told = outcome.outputs.get("errcode_ret")
    code = told.values[0] if told is not None and told.values else outcome.value
    if isinstance(code, int) and code < 0:
        return TableLookups.for_tables(load()).error_name(code)
    return "NULL" if told is not None and outcome.value is None else ""


def long_value_note(size: int) -> str:
    """Return the note on a value that is too long to be requested; ``size``: the bytes that the driver reports."""
    return f"reports an answer of {size} bytes; answers of more than {MAX_VALUE_BYTES} bytes are not requested"


def returned_handles(outcome: Outcome, parameter: str = "") -> list[Handle]:
    """Return the handles in the output ``parameter`` of a call; for an empty name, the handle that is its result."""
    if not isinstance(outcome, Returned):
        return []
    values = [outcome.value]
    if parameter:
        values = outcome.outputs[parameter].values if parameter in outcome.outputs else []
    return [Handle(value) for value in values if isinstance(value, str) and value != UNTOUCHED]


def with_returned_numbers(value: Any, outcome: Returned) -> Any:
    """Return the value of a query, with the numbers of the outcome that contains it, which remember their origin."""
    output = outcome.outputs.get("param_value")
    numbers = output.values if output is not None else []
    if not any(isinstance(number, ReturnedNumber) for number in numbers):
        return value
    if isinstance(value, list | tuple):
        return type(value)(numbers) if list(value) == numbers else value
    return numbers[0] if value == numbers[0] else value
