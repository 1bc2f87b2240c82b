"""Checks that an outcome is possible for its call, so that rules can rely on its types and lengths.

Outcomes are untrusted: they come from the process in which the driver runs, or from files. Whether the values conform
is not checked here.
"""

from __future__ import annotations

import functools
import math
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.call import UNTOUCHED
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.values import OutputBuffer, OutputBuffers

if TYPE_CHECKING:
    from clconform.calls.call import Call, CallbackInvocation, Output, Returned
    from clconform.spec_tables.entries import Parameter
    from clconform.spec_tables.lookups import TableLookups

_NAME = re.compile(r"[a-z_]{1,64}[0-9]{1,19}")
_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_BYTES = ("void", "char", "unsigned char", "cl_char", "cl_uchar")
_BUFFERS = (OutputBuffer, OutputBuffers)
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
MAX_CALLBACKS = 1000
"""Maximum number of callbacks that one outcome may report; a worker does not count more."""


class _ElementFormat(NamedTuple):
    """The format of an output's elements.

    ``members``: the number of values in each element. ``handles``: all values are names of objects, or NULL.
    ``numbers``: all values are numbers.
    """

    members: int
    handles: bool
    numbers: bool


class _OutcomeFormat(NamedTuple):
    """The format of the outcomes of a function; it is cached, since each outcome is checked against it.

    ``result``: ``number``, ``handle`` or ``nothing``. ``code``: the result is the error code. ``elements``: parameter
    to the format of its elements, or None for bytes.
    """

    result: str
    code: bool
    elements: dict[str, _ElementFormat | None]


@functools.lru_cache(maxsize=4096)
def _outcome_format(function: str, lookups: TableLookups) -> _OutcomeFormat | None:
    known = lookups.tables.functions.get(function)
    if known is None:
        return None
    elements = {parameter.name: _element_format(parameter, lookups) for parameter in known.parameters}
    return _OutcomeFormat(_result_kind(known.returns, lookups), known.error_by == "return", elements)


def pad_outputs(call: Call, outcome: Returned, lookups: TableLookups) -> Returned:
    """Return a valid outcome with each typed output padded to the number of elements of its buffer."""
    form = _outcome_format(call.function, lookups) if outcome.outputs else None
    if form is None:
        return outcome
    changed: dict[str, Output] = {}
    for name, output in outcome.outputs.items():
        given, elements = call.arguments.get(name), form.elements.get(name)
        if elements is None or not isinstance(given, OutputBuffer):
            continue
        lacking = given.count * elements.members - len(output.values)
        if lacking > 0:
            changed[name] = msgspec.structs.replace(output, values=[*output.values, *[UNTOUCHED] * lacking])
    return outcome.with_outputs(**changed) if changed else outcome


def find_outcome_error(call: Call, outcome: Returned, lookups: TableLookups) -> str:
    """Return why an outcome is impossible for its call, in one line for people; empty if it is possible."""
    if call.function in HOST_ACTIONS:
        return ""
    form = _outcome_format(call.function, lookups)
    if form is None:
        return f"{call.function} is not a function in the tables"
    wrong = _check_result(outcome.value, form.result)
    if wrong:
        return f"the result {wrong}"
    if not math.isfinite(outcome.seconds) or not 0 <= outcome.alignment <= _MOST:
        return "the time or the alignment is not a number in range"
    known = form.elements
    asked = {name: value for name, value in call.arguments.items() if isinstance(value, _BUFFERS) and name in known}
    if not (asked or outcome.outputs or outcome.overrun or outcome.callbacks):
        return ""
    outputs, failed = outcome.outputs, form.code and outcome.value != 0  # stored errors may have no outputs
    if outputs.keys() != asked.keys() and not (failed and outputs.keys() < asked.keys()):
        odd = min(outputs.keys() ^ asked.keys())
        return f"the outputs are not those that the call requests: {odd[:64]!r}"
    if outcome.overrun and (not asked.keys() >= set(outcome.overrun) or len(outcome.overrun) > len(asked)):
        return "an overrun of a parameter that is not an output"
    for name, output in outputs.items():
        wrong = _check_output(output, asked[name], known[name])
        if wrong:
            return f"{name} {wrong}"
    return _check_callbacks(outcome.callbacks) if outcome.callbacks else ""


def _result_kind(returns: str, lookups: TableLookups) -> str:
    base = returns.rstrip("* ").removeprefix("const ").strip()
    if "*" in returns:
        return "handle"
    if base == "void":
        return "nothing"
    known = lookups.tables.types.get(base)
    return "handle" if known is not None and known.kind == "handle" else "number"


def _check_result(value: object, kind: str) -> str:
    if kind == "number":
        return "" if _is_number(value) else "is not a 64-bit number"
    if kind == "nothing":
        return "" if value is None else "is not empty, but the function returns nothing"
    return "" if value is None or _is_name(value) else "is not a handle"


def _check_output(output: Output, given: object, elements: _ElementFormat | None) -> str:
    if isinstance(given, OutputBuffers):
        return _check_buffer_list(output, given)
    count = given.count if isinstance(given, OutputBuffer) else 0
    values = output.values
    if elements is None:  # bytes; a value may consist of several
        if output.written > count or len(output.raw) > count:
            return f"has {output.written} bytes written in {count}"
        elements = _ElementFormat(1, handles=False, numbers=False)
    if output.written < 0 or len(values) > count * elements.members:
        return f"has {len(values)} values where at most {count * elements.members} fit"
    longest = max(count, 64) * 4  # an undecodable byte is shown as four characters
    for value in values:
        if type(value) is int and not elements.handles:  # the most frequent case
            fits = _LEAST <= value <= _MOST
        else:
            fits = _is_valid_element(value, elements, longest)
        if not fits:
            return f"holds {str(value)[:64]!r}"
    return ""


def _is_valid_element(value: object, elements: _ElementFormat, longest: int) -> bool:
    if value == UNTOUCHED or value is None:
        return value is not None or not elements.numbers
    if elements.handles:
        return _is_name(value)
    if isinstance(value, str):
        return not elements.numbers and len(value) <= longest
    return isinstance(value, float) or _is_number(value)


def _check_buffer_list(output: Output, given: OutputBuffers) -> str:
    if len(output.values) != len(given.counts):
        return f"has {len(output.values)} parts of {len(given.counts)}"
    for value, count in zip(output.values, given.counts, strict=True):
        if not isinstance(value, str) or len(value) > 2 * count or not _HEX.fullmatch(value):
            return "holds invalid bytes"
    return "" if 0 <= output.written <= sum(given.counts) else f"has {output.written} bytes written"


def _check_callbacks(called: list[CallbackInvocation]) -> str:
    if len(called) > MAX_CALLBACKS:
        return f"{len(called)} callbacks in one call"
    for each in called:
        for value in each.arguments.values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, int) and not _is_number(one):
                    return "a callback's argument is not a 64-bit number"
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _element_format(parameter: Parameter, lookups: TableLookups) -> _ElementFormat | None:
    """Return the format of an output's elements; None for bytes, since their type depends on the query."""
    if parameter.pointers > 1:
        return _ElementFormat(1, handles=False, numbers=False)
    if parameter.base in _BYTES:
        return None
    known = lookups.tables.types.get(parameter.base)
    if known is not None and known.kind == "handle":
        return _ElementFormat(1, handles=True, numbers=False)
    if known is not None and known.kind == "struct":
        return _ElementFormat(max(len(known.fields), 1), handles=False, numbers=False)
    return _ElementFormat(1, handles=False, numbers="propert" not in parameter.base and parameter.base != "intptr_t")
