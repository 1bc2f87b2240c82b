"""Cuts the output of a query to the size that the driver returns; the bytes after that are not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned
from clconform.calls.values import FILL_BYTE, OutputBuffer
from clconform.oracles.queries.query_request import requested_query

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import Query

SIGNED_TYPES = ("char", "cl_char")
"""Signed integer types of one byte."""


def trim_output(outcome: Returned, call: Call, model: Model) -> Returned:
    """Return the outcome of a query with its value cut to the returned size; other outcomes are unchanged.

    If the size is not a whole number of elements, it is invalid, and the value is removed. In an array of bytes, the
    last bytes may equal the fill pattern and look unwritten; they are assumed to be written.
    """
    answer, told = outcome.outputs.get("param_value"), outcome.outputs.get("param_value_size_ret")
    if not isinstance(call.param_value, OutputBuffer):
        return outcome
    if answer is None or told is None or not told.values or not isinstance(told.values[0], int):
        return outcome
    size, query = told.values[0], requested_query(call, model)
    if query is None or size < 0:
        return outcome
    width = model.lookups.size_of(query.type)
    if query.shape != "string" and width and size % width:
        whole = {name: output for name, output in outcome.outputs.items() if name != "param_value"}
        return msgspec.structs.replace(outcome, outputs=whole)
    if size < answer.written:
        answer = _cut_output(answer, size, query, model)
    elif 0 < answer.written < size <= call.param_value.count and width == 1 and query.shape == "array":
        answer = _extend_over_fill(answer, size, query)
    return outcome.with_outputs(param_value=answer)


def _extend_over_fill(answer: Output, size: int, query: Query) -> Output:
    """Return an array of bytes extended to ``size`` by bytes that equal the fill pattern of an output buffer."""
    last = FILL_BYTE - 256 if query.type in SIGNED_TYPES else FILL_BYTE
    return Output([*answer.values, *[last] * (size - answer.written)], size, answer.raw.ljust(size, bytes([FILL_BYTE])))


def _cut_output(answer: Output, size: int, query: Query, model: Model) -> Output:
    raw = answer.raw[:size]
    if query.shape == "string":
        return Output([raw.decode("utf-8", "backslashreplace")] if raw else [], size, raw)
    width = model.lookups.size_of(query.type)
    if not width:
        return answer
    return Output(answer.values[: size // width * model.lookups.count_members(query.type)], size, raw)
