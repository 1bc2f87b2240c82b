"""Reads and changes outcomes using only the function's prototype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Output, Returned
from clconform.calls.values import FILL_BYTE, Handle, OutputBuffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.spec_tables.requirements import Function

ERROR_PARAMETER = "errcode_ret"
_STEMS = {"cl_command_queue": "queue", "void": "pointer"}


def get_stem(base: str) -> str:
    """Return the name prefix of objects of a type."""
    return _STEMS.get(base) or base.removeprefix("cl_").removesuffix("_id")


def get_code(function: Function, outcome: Returned) -> int | None:
    """Return the error code of an outcome, 0 for success; None if the outcome does not contain one."""
    if function.error_by == "return":
        return outcome.value if isinstance(outcome.value, int) else None
    told = outcome.outputs.get(ERROR_PARAMETER)
    if told is not None and told.values and isinstance(told.values[0], int):
        return told.values[0]
    return None


def has_succeeded(function: Function, outcome: Returned) -> bool:
    """Return whether a call succeeded."""
    if function.error_by == "return":
        return outcome.value == 0
    return outcome.value is not None or function.returns == "void"


def with_code(function: Function, outcome: Returned, code: int) -> Returned:
    """Return an outcome with another error code, if the function reports one."""
    if function.error_by == "return":
        return msgspec.structs.replace(outcome, value=code)
    if ERROR_PARAMETER not in outcome.outputs:
        return outcome
    return outcome.with_outputs(**{ERROR_PARAMETER: Output([code], 4)})


def as_failed(function: Function, outcome: Returned, code: int) -> Returned:
    """Return the outcome of a failed call: the error code, no object, and unwritten outputs."""
    outputs = {name: Output([UNTOUCHED] * len(each.values)) for name, each in outcome.outputs.items()}
    value = code if function.error_by == "return" else None
    return with_code(function, msgspec.structs.replace(outcome, value=value, outputs=outputs, alignment=0), code)


def with_values(outcome: Returned, name: str, values: Sequence[Any]) -> Returned:
    """Return an outcome with other values in an output, and with matching bytes if the output stores bytes."""
    output = outcome.outputs[name]
    raw = output.raw
    if raw and values and all(isinstance(value, int) for value in values):
        width = len(raw) // len(values)
        raw = b"".join((value % (1 << 8 * width)).to_bytes(width, "little") for value in values)
    if raw and len(values) == 1 and isinstance(values[0], str) and isinstance(output.values[0], str):
        raw = values[0].encode("utf-8", "surrogateescape")
    return outcome.with_outputs(**{name: msgspec.structs.replace(output, values=list(values), raw=raw)})


def find_first_number(outcome: Returned, name: str) -> int | None:
    """Return the index of the first number of an output, or None."""
    output = outcome.outputs.get(name)
    numbers = (at for at, value in enumerate(output.values) if isinstance(value, int)) if output else iter(())
    return next(numbers, None)


def get_content(call: Call, outcome: Returned, name: str) -> bytes | None:
    """Return all bytes of a byte buffer, including unwritten ones; None if the call does not have such a buffer."""
    output_buffer, output = call.arguments.get(name), outcome.outputs.get(name)
    if not isinstance(output_buffer, OutputBuffer) or output is None or not output_buffer.count:
        return None
    return output.raw.ljust(output_buffer.count, bytes([FILL_BYTE]))


def with_content(outcome: Returned, name: str, content: bytes) -> Returned:
    """Return an outcome with other bytes in a buffer."""
    kept = content.rstrip(bytes([FILL_BYTE]))
    return outcome.with_outputs(**{name: Output([], len(kept), kept)})


def has_all_objects(function: Function, call: Call) -> bool:
    """Return whether all object and pointer arguments of a call are handles, so that the call is likely to succeed."""
    wanted = [p for p in function.parameters if (p.base.startswith("cl_") and not p.pointers) or p.base == "void"]
    return all(isinstance(call.arguments[each.name], Handle) for each in wanted)
