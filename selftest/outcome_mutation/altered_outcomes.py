"""Altered outcomes of one call: an error in place of success or the reverse, and other values, bytes and callbacks."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from clconform.calls.call import UNTOUCHED, Absent, Call, CallbackInvocation, Hung, Outcome, Output, Returned
from clconform.calls.harness_actions import AWAIT, find_function
from clconform.calls.values import FILL_BYTE, OutputBuffer, OutputBuffers
from clconform.oracles.chapters.isolation.postconditions import MARK
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.model.devices import Device, Platform
from clconform.selftest.outcome_changes import ERROR_PARAMETER, as_failed, get_code, get_stem, with_code, with_values
from clconform.simulator.answer_policy import FirstAllowedPolicy
from clconform.simulator.platform import LIST_ARGUMENTS
from clconform.simulator.topologies import TOPOLOGIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.lookups import TableLookups
    from clconform.spec_tables.requirements import Function

AlterationKind = Literal["accepted", "code", "value", "contents", "callback", "nothing", "refused", "never"]
ALTERATION_KINDS: dict[AlterationKind, str] = {
    "accepted": "a call succeeds that must fail",
    "code": "a call fails with another code",
    "value": "a result, a size or an element of an answer is another one",
    "contents": "a byte of memory is another one",
    "callback": "a callback comes too often, never, or with other arguments",
    "nothing": "a call returns nothing although it succeeds",
    "refused": "a call fails that must succeed",
    "never": "a call never returns, or there is no such function",
}
"""The kinds of alterations with their descriptions, the most specific first."""
UNEXPECTED_CODES = (
    "CL_INVALID_OPERATION",
    "CL_INVALID_VALUE",
    "CL_INVALID_PROPERTY",
    "CL_INVALID_DEVICE",
    "CL_INVALID_HANDLE",
)
"""The error codes of altered outcomes; the first one that is not allowed is used."""
MAX_ELEMENTS = 6
"""The maximum number of altered elements of a list, half of them at its start and half at its end."""
MAX_BYTES = 24
"""The maximum number of altered bytes of a content, not counting those at its start, and of altered callbacks."""
START_BYTES = 512
"""The size of the start of a content, in bytes, of which every fourth byte is also altered."""
FEATURE_EXTENSIONS = ("cl_khr_subgroups", "cl_khr_3d_image_writes", "cl_khr_image2d_from_buffer")
"""Extensions without functions and queries that a device may list only with a certain feature."""
TERMINATOR = "\0"
UNKNOWN_NUMBER = 99_999_999
"""The number in the name of an object that does not exist."""
FLIP_MASK = 0x10
FIRST_POLICY = FirstAllowedPolicy(TOPOLOGIES["everything"])
"""The policy that chooses the arguments of a callback."""


class AlteredResult(NamedTuple):
    """An altered outcome of a call: its ``name``, which is unique for the call, its kind, and the outcome itself."""

    name: str
    sort: AlterationKind
    outcome: Outcome


def alter_outcome(call: Call, outcome: Returned, model: Model, allowed: Iterable[str]) -> Iterator[AlteredResult]:
    """Yield altered outcomes of a call; ``allowed``: the codes that the call may return.

    Alterations by which violations are found fastest come first. Alterations that equal the actual outcome are left
    out. Names and outcomes depend only on the arguments.
    """
    function = find_function(call.function, model.tables.functions)
    for name, sort, altered in _alter_all(function, call, outcome, model, frozenset(allowed)):
        if altered != outcome:
            yield AlteredResult(name, sort, altered)
    if function.name in model.tables.functions:
        yield AlteredResult("hung", "never", Hung(1.0))
        yield AlteredResult("absent", "never", Absent("no-entry", "it was left out"))


def _alter_all(
    function: Function, call: Call, outcome: Returned, model: Model, allowed: frozenset[str]
) -> Iterator[tuple[str, AlterationKind, Returned]]:
    failed = bool(get_code(function, outcome))
    errors = [name for name in _get_codes(function, model) if name not in allowed]
    if failed:
        yield "accepted", "accepted", _accept(function, call, outcome, model)
        yield from ((f"code {name}", "code", _with_named_code(function, outcome, name, model)) for name in errors[:1])
        yield "an object with an error", "code", _with_object(function, outcome)
    elif function.name in model.tables.functions:
        refused = ((name, as_failed(function, outcome, model.constant_value(name))) for name in errors[:1])
        yield from ((f"refused {name}", "refused", altered) for name, altered in refused)
    for name, output in sorted(outcome.outputs.items(), key=lambda each: each[0].endswith("_size_ret")):
        if name != ERROR_PARAMETER and output.values:
            values = _alter_list(output.values, model)
            yield from ((f"{name}: {words}", "value", with_values(outcome, name, other)) for words, other in values)
            yield from _alter_size(call, outcome, name)
    yield from _alter_result(function, outcome, model)
    yield from _alter_contents(call, outcome, model)
    yield from _alter_callbacks(call, outcome, model)
    if outcome.alignment:
        yield "alignment 1", "value", msgspec.structs.replace(outcome, alignment=1)
    yield from ((f"overrun {name}", "contents", _with_overrun(outcome, name)) for name in outcome.outputs)
    if not failed:
        yield from _omit_results(function, outcome, model)
    if ERROR_PARAMETER in outcome.outputs:
        yield (
            f"{ERROR_PARAMETER}: not written",
            "nothing",
            outcome.with_outputs(**{ERROR_PARAMETER: Output([UNTOUCHED])}),
        )


def _alter_contents(call: Call, outcome: Returned, model: Model) -> Iterator[tuple[str, AlterationKind, Returned]]:
    for name, output in outcome.outputs.items():
        buffer = call.arguments.get(name)
        if not output.values and isinstance(buffer, OutputBuffer):
            yield from _alter_bytes(outcome, name, buffer.count)
            if model.had_marker_before and buffer.count >= len(MARK):
                told = outcome.with_outputs(**{name: _make_marked_output(buffer.count)})
                yield f"{name}: bytes of another process", "contents", told
        if isinstance(buffer, OutputBuffers):
            yield f"{name}: no bytes", "contents", outcome.with_outputs(**{name: Output([""] * len(output.values))})


def _omit_results(
    function: Function, outcome: Returned, model: Model
) -> Iterator[tuple[str, AlterationKind, Returned]]:
    """Yield successful outcomes that return nothing, or leave an output unwritten."""
    for name, output in outcome.outputs.items():
        if name != ERROR_PARAMETER:
            blank = Output([UNTOUCHED] * len(output.values))
            yield f"{name}: not written", "nothing", outcome.with_outputs(**{name: blank})
    if outcome.value is not None and function.error_by != "return" and function.name in model.tables.functions:
        yield "NULL", "nothing", msgspec.structs.replace(outcome, value=None)


def _get_codes(function: Function, model: Model) -> list[str]:
    """Return codes for failures of a function; codes that the function does not list come first."""
    called = function.name in model.tables.functions
    own = {clause.code for clause in model.tables.error_conditions_of(function.name)} if called else set()
    return sorted((name for name in UNEXPECTED_CODES if name in model.tables.enumerants), key=lambda name: name in own)


def _make_unknown_name(type_name: str) -> str:
    return f"{get_stem(type_name)}{UNKNOWN_NUMBER}"


def _accept(function: Function, call: Call, outcome: Returned, model: Model) -> Returned:
    """Return the successful outcome of a call that must fail, with new objects."""
    value: Any = 0 if function.error_by == "return" else _make_unknown_name(function.returns.rstrip("*"))
    outputs = {}
    for parameter in function.parameters:
        output, buffer = outcome.outputs.get(parameter.name), call.arguments.get(parameter.name)
        if output is None or not isinstance(buffer, OutputBuffer):
            continue
        known = model.tables.types.get(parameter.base)
        if parameter.name != ERROR_PARAMETER and known is not None and known.kind == "handle":
            made: list[int | float | str | None] = [
                f"{get_stem(parameter.base)}{UNKNOWN_NUMBER - at}" for at in range(buffer.count)
            ]
            outputs[parameter.name] = Output(made, 8 * buffer.count)
    return with_code(function, msgspec.structs.replace(outcome.with_outputs(**outputs), value=value), 0)


def _with_named_code(function: Function, outcome: Returned, name: str, model: Model) -> Returned:
    return with_code(function, outcome, model.constant_value(name))


def _with_object(function: Function, outcome: Returned) -> Returned:
    if function.error_by != "errcode_ret" or ERROR_PARAMETER not in outcome.outputs:
        return outcome
    return msgspec.structs.replace(outcome, value=_make_unknown_name(function.returns.rstrip("*")))


def _choose_positions(length: int) -> list[int]:
    """Return some positions of a list at its start and its end."""
    return sorted({*range(min(length, MAX_ELEMENTS // 2)), *range(max(0, length - MAX_ELEMENTS // 2), length)})


def _alter_list(values: Sequence[Any], model: Model) -> Iterator[tuple[str, list[Any]]]:
    """Yield other values for a list, each with a name."""
    for at in _choose_positions(len(values)):
        for words, other in _alter_value(values[at], model):
            changed = list(values)
            changed[at] = other
            yield f"{words} at {at}", changed
    yield "each name another one", [f"x{each}" if _is_text(each) else each for each in values]
    if list(values[:2]) == [UNTOUCHED] * 2:
        yield "two numbers where nothing is due", [1, 1, *values[2:]]
    if len(values) > 1:
        yield "the first twice", [values[0], values[0], *values[2:]]
        yield "reversed", list(reversed(values))
        yield "the last not written", [*values[:-1], UNTOUCHED]


def _is_text(value: Any) -> bool:
    """Return whether a value is a string and not an object name."""
    return isinstance(value, str) and not re.fullmatch(r"[a-z_]+[0-9]+", value) and value != UNTOUCHED


def _alter_value(value: Any, model: Model) -> Iterator[tuple[str, Any]]:
    if value == UNTOUCHED:
        yield "0 where nothing is due", 0
        yield "a handle where nothing is due", next(iter(model.objects), None)
    elif isinstance(value, bool):
        return
    elif isinstance(value, int):
        yield "one more", value + 1
        yield "one less", max(0, value - 1) if value >= 0 else value - 1
        yield "0", 0
        yield "1", 1
        yield "double", min(2 * value, (1 << 63) - 1)
        yield "half", value // 2
        yield "the highest bit", value | 1 << 31
        yield "a high bit", value | 1 << 30
        yield from ((f"without bit {bit}", value ^ 1 << bit) for bit in range(20) if value >= 0 and value >> bit & 1)
        more = [bit for bit in range(20) if value >= 0 and not value >> bit & 1]
        yield from ((f"with bit {bit}", value | 1 << bit) for bit in more)
        yield from ((f"bit {bit} alone", 1 << bit) for bit in range(1, 8) if value.bit_count() == 1)
        yield "a large number", (1 << 62) + 1
        yield "all bits", (1 << 64) - 1
    elif isinstance(value, float):
        yield "another number", value + 1.0
    elif isinstance(value, str) and value in model.objects:
        yield "NULL", None
        yield "an unknown object", re.sub(r"[0-9]+$", str(UNKNOWN_NUMBER), value)
        kind = type(model.objects[value])
        others = [name for name, thing in model.objects.items() if name != value and type(thing) is kind]
        ends = (
            number for number in range(len(others)) if number < MAX_ELEMENTS or number >= len(others) - MAX_ELEMENTS
        )
        yield from ((f"another object {number}", others[number]) for number in ends)
        if not isinstance(model.objects[value], Platform | Device):
            yield "a device", next(iter(each.name for each in model.root_devices()), None)
    elif isinstance(value, str) and re.fullmatch(r"[a-z_]+[0-9]+", value):
        yield "NULL", None
        yield from (("an object that there is", name) for name in list(model.objects)[:1])
        stem = value.rstrip("0123456789")
        alike = [name for name in model.objects if name.rstrip("0123456789") == stem]
        yield from ((f"one that there is {number}", name) for number, name in enumerate(alike[:MAX_ELEMENTS]))
    elif isinstance(value, str):
        yield from _alter_text(value)
        yield from _alter_extensions(value, model)
    elif value is None:
        yield "an unknown object", next(reversed(model.objects), None)
        yield "the first object", next(iter(model.objects), None)


def _alter_extensions(text: str, model: Model) -> Iterator[tuple[str, str]]:
    """Yield extension lists in which a known extension that is not longer replaces the longest name."""
    longest = max(text.removesuffix(TERMINATOR).split() or [""], key=len)
    for name in _get_extensions(model.lookups) if "cl_khr_" in text else ():
        if name not in text.split() and len(name) <= len(longest):
            yield f"{name} in place of the longest", text.replace(longest, name, 1)


@functools.cache
def _get_extensions(lookups: TableLookups) -> list[str]:
    """Return the names of the extensions in the tables."""
    gates = (gate for requirement in lookups.tables.requirements.values() for gate in requirement.applicability)
    return sorted({gate.name for gate in gates if gate.name.startswith("cl_")}.union(FEATURE_EXTENSIONS))


def _alter_text(text: str) -> Iterator[tuple[str, str]]:
    body = text.removesuffix("\0")
    yield "no terminator", body
    yield "empty", "\0"
    yield "a terminator inside", f"{body[: len(body) // 2]}\0{body[len(body) // 2 + 1 :]}\0"
    yield "one letter more", f"{body}x\0"
    yield "one letter before", f"x{body}\0"
    yield "one letter less", f"{body[:-1]}\0"
    yield "a word more", f"{body} cl_khr_unknown\0"
    yield "twice", f"{body} {body}\0"
    words = body.split(" ")
    for at in range(min(len(words), 3 * MAX_BYTES)):
        yield f"without word {at}", " ".join([*words[:at], *words[at + 1 :]]) + "\0"
    yield "every digit 1", re.sub(r"[0-9]", "1", body) + "\0"
    yield "other digits", re.sub(r"[0-9]", lambda digit: str((int(digit[0]) + 1) % 10), body) + "\0"
    yield "commas", body.replace(" ", ",") + "\0"
    parts = body.split(";")
    for at in range(min(len(parts), MAX_BYTES)) if len(parts) > 1 else ():
        yield f"without part {at}", ";".join([*parts[:at], *parts[at + 1 :]]) + "\0"


def _alter_size(call: Call, outcome: Returned, name: str) -> Iterator[tuple[str, AlterationKind, Returned]]:
    """Yield a query value without its last element, with the matching size."""
    size, output = outcome.outputs.get(f"{name}_size_ret"), outcome.outputs[name]
    buffer = call.arguments.get(name)
    if size is None or not size.values or not output.raw or not isinstance(buffer, OutputBuffer):
        return
    told = size.values[0]
    if not isinstance(told, int) or (isinstance(output.values[0], str) and len(output.values) == 1):
        return
    width = len(output.raw) // len(output.values) if output.values else 0
    if width:
        shorter = Output(output.values[:-1], max(0, output.written - width), output.raw[:-width])
        size_of = Output([told - width], size.written)
        yield f"{name}: without the last", "value", outcome.with_outputs(**{name: shorter, f"{name}_size_ret": size_of})


def _alter_result(
    function: Function, outcome: Returned, model: Model
) -> Iterator[tuple[str, AlterationKind, Returned]]:
    """Yield other results of a function that does not return an error code."""
    if function.error_by == "return" and function.name in model.tables.functions:
        return
    if outcome.value is None and (function.returns == "void" or ERROR_PARAMETER in outcome.outputs):
        return
    for words, value in _alter_value(outcome.value, model):
        if value is not None:
            yield f"result: {words}", "value", msgspec.structs.replace(outcome, value=value)


def name_full_flip(name: str) -> str:
    """Return the name of the alteration that flips every byte of an output."""
    return f"{name}: every byte flipped"


def _alter_bytes(outcome: Returned, name: str, count: int) -> Iterator[tuple[str, AlterationKind, Returned]]:
    """Yield contents with one byte flipped, with all bytes flipped, and without any bytes."""
    output = outcome.outputs[name]
    whole = output.raw.ljust(count, bytes([FILL_BYTE])) if count <= 1 << 20 else output.raw
    even = [len(whole) * at // MAX_BYTES for at in range(MAX_BYTES)]
    uneven = [at + place for at, place in enumerate(even)]  # so that not always the same byte of an element is altered
    first = range(0, START_BYTES, 4)  # each of the first few elements that a kernel has written
    places = [*even, *uneven, len(whole) - 1, *first] if len(whole) > MAX_BYTES else [*range(len(whole))]
    for at in dict.fromkeys(at for at in places if at < len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= FLIP_MASK
        kept = bytes(flipped).rstrip(bytes([FILL_BYTE]))
        yield f"{name}: byte {at} flipped", "contents", outcome.with_outputs(**{name: Output([], len(kept), kept)})
    every = bytes(byte ^ FLIP_MASK for byte in whole)
    yield name_full_flip(name), "contents", outcome.with_outputs(**{name: Output([], len(every), every)})
    yield f"{name}: no byte written", "contents", outcome.with_outputs(**{name: Output()})


def _alter_callbacks(call: Call, outcome: Returned, model: Model) -> Iterator[tuple[str, AlterationKind, Returned]]:
    """Yield the same outcome with other callbacks."""
    came = outcome.callbacks[:MAX_BYTES]

    def instead(at: int, *those: CallbackInvocation) -> Returned:
        changed = [*outcome.callbacks[:at], *those, *outcome.callbacks[at + 1 :]]
        if call.function == AWAIT and isinstance(outcome.value, int):
            value = outcome.value + len(those) - 1
            return msgspec.structs.replace(outcome, callbacks=changed, value=value)
        return msgspec.structs.replace(outcome, callbacks=changed)

    for at, each in enumerate(came):
        yield f"callback {at} twice", "callback", instead(at, each, each)
        yield f"callback {at} never", "callback", instead(at)
        for key, value in each.arguments.items():
            for words, other in _alter_argument(value, model):
                changed = msgspec.structs.replace(each, arguments={**each.arguments, key: other})
                yield f"callback {at} with {words} as {key}", "callback", instead(at, changed)
    for number, notice in enumerate(pending_callbacks(model)[:MAX_BYTES]):
        more = msgspec.structs.replace(outcome, callbacks=[*came, _make_untimely_callback(notice, model)])
        if call.function == AWAIT and isinstance(outcome.value, int):
            more = msgspec.structs.replace(more, value=outcome.value + 1)
        yield f"the callback of registration {number} more", "callback", more
    if len(came) > 1:
        yield "callbacks reversed", "callback", msgspec.structs.replace(outcome, callbacks=[*reversed(came)])


def _make_untimely_callback(notice: PendingCallback, model: Model) -> CallbackInvocation:
    """Return a call of a registered callback with valid arguments."""
    told = {
        name: FIRST_POLICY.choose_values(want, _make_unknown_name)
        for name, want in notice.expected_arguments(model).items()
    }
    arguments: dict[str, Any] = {name: values if name in LIST_ARGUMENTS else values[0] for name, values in told.items()}
    return CallbackInvocation(notice.name, {**arguments, "user_data": notice.user_data})


def _alter_argument(value: Any, model: Model) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        yield "a shorter list", value[:-1]
        yield "a reversed list", list(reversed(value))
        for words, other in _alter_value(value[0], model) if value else ():
            yield f"a list with {words}", [other, *value[1:]]
    elif value is None:
        yield "a number", 1
        yield "an object", next(iter(model.objects), None)
    else:
        yield from (
            (words, other) for words, other in _alter_value(value, model) if isinstance(other, int | str | None)
        )


def _make_marked_output(count: int) -> Output:
    """Return ``count`` bytes that start with the mark written by an earlier process."""
    raw = MARK.ljust(count, bytes(1))
    return Output([], count, raw)


def _with_overrun(outcome: Returned, name: str) -> Returned:
    return msgspec.structs.replace(outcome, overrun=[name])
