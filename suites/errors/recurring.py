"""Changes for the kinds of conditions that recur: whatever function a table gives such a clause, it is provoked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items
from clconform.spec_tables.records import Flag
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import Change, bound, recurring, still_right
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.controls import Arguments

NOBODYS_BITS = (1 << 62, 1 << 63)
"""Bits that no registry gives out."""
FAILED, LEAST = -1, -(1 << 31)
"""Statuses of events that ended in an error."""


def _is_list(clause: ErrorClause, name: str, tables: Tables) -> bool:
    parameters = tables.functions[clause.function].parameters
    return any(parameter.name == name and parameter.pointers for parameter in parameters)


@recurring("invalid-object")
@recurring("invalid-object-in-list")
def _objects(clause: ErrorClause, tables: Tables) -> Iterator[Change]:
    for name in clause.condition.parameters:
        if not _is_list(clause, name, tables):
            yield Change(f"{name}=NULL", {name: None})
            boundary = f"{name}=an object of another type"
            yield Change(boundary, bound(_of_another_type, name))
            continue
        yield Change(f"NULL first in {name}", bound(_null_at, name, 0))
        yield Change(f"NULL last in {name}", bound(_null_at, name, -1))
        yield Change(f"an object of another type in {name}", bound(_of_another_type_in, name))


def _null_at(_bench: Bench, arguments: Arguments, name: str, position: int) -> Mapping[str, Value]:
    return {name: _with(arguments[name], position, None)}


def _with(given: Value, position: int, element: Handle | None) -> Items:
    values: list[int | Handle | None] = list(given.values) if isinstance(given, Items) else [None]
    values[position] = element
    return Items(tuple(values))


def _of_another_type(bench: Bench, _given: Arguments, name: str) -> Mapping[str, Value]:
    return {name: _another(bench)}


def _of_another_type_in(bench: Bench, arguments: Arguments, name: str) -> Mapping[str, Value]:
    return {name: _with(arguments[name], 0, _another(bench))}


def _another(bench: Bench) -> Handle:
    """Return a live handle that is none of what the functions of these chapters take."""
    needs(bench.cl.robustness, "live handles of another type are sent with --robustness only")
    return bench.cl.platform


@recurring("null-parameter")
def _nulls(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    for name in clause.condition.parameters:
        yield Change(f"{name}=NULL", {name: None})


@recurring("zero-parameter")
def _zeros(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    for name in clause.condition.parameters:
        yield Change(f"{name}=0", {name: 0})


@recurring("zero-or-null-parameter")
@recurring("null-or-zero-parameter")
def _nulls_and_zeros(clause: ErrorClause, tables: Tables) -> Iterator[Change]:
    for name in clause.condition.parameters:
        yield Change(f"{name}=NULL", {name: None}) if _is_list(clause, name, tables) else Change(f"{name}=0", {name: 0})


@recurring("user-data-without-callback")
def _data_without_callback(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    callback = next((name for name in clause.condition.parameters if name.startswith("pfn")), "pfn_notify")
    yield Change("user data without a callback", {callback: None, "user_data": 1})


@recurring("count-pointer-disagree")
def _counts(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    count, listed = clause.condition.parameters
    yield Change(f"{count}=0 with a list", {count: 0})
    yield Change(f"{count}=1 with NULL", {count: 1, listed: None})


@recurring("wait-list")
def _wait_lists(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    count, listed = clause.condition.parameters
    yield Change(f"{count}=1, NULL", {count: 1, listed: None})
    yield Change(f"{count}=largest, NULL", {count: 0xFFFFFFFF, listed: None})
    yield Change(f"{count}=0, a list", lambda bench, _given: {count: 0, listed: Items((bench.event(),))})
    yield Change("{NULL}", {count: 1, listed: Items((None,))})
    yield Change("{NULL, an event}", lambda bench, _given: {count: 2, listed: Items((None, bench.event()))})
    yield Change("{an event, NULL}", lambda bench, _given: {count: 2, listed: Items((bench.event(), None))})


@still_right("wait-list")
def _complete_events(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    count, listed = clause.condition.parameters
    for number, words in ((1, "an event that is complete"), (2, "two events that are complete")):
        yield Change(f"waits for {words}", bound(_waiting, count, listed, number))


def _waiting(bench: Bench, _given: Arguments, count: str, listed: str, number: int) -> Mapping[str, Value]:
    return {count: number, listed: Items(tuple(bench.event() for _ in range(number)))}


@recurring("failed-event-in-wait-list")
def _failed_events(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    (listed,) = clause.condition.parameters
    count = f"num_events_in_{listed.removeprefix('event_')}"

    def failed(bench: Bench, _given: Arguments, statuses: tuple[int, ...]) -> Mapping[str, Value]:
        return {count: len(statuses), listed: Items(tuple(bench.event(status) for status in statuses))}

    for boundary, statuses in (
        ("{an event that failed}", (FAILED,)),
        ("{complete, failed}", (0, FAILED)),
        ("{failed, complete}", (FAILED, 0)),
        ("{failed with the least number}", (LEAST,)),
    ):
        yield Change(boundary, bound(failed, statuses))


@recurring("context-mismatch")
def _other_contexts(clause: ErrorClause, tables: Tables) -> Iterator[Change]:
    parameters = {parameter.name: parameter.base for parameter in tables.functions[clause.function].parameters}
    others = {parameters[name] for name in clause.condition.parameters} - {"cl_command_queue", "cl_event"}
    for name in clause.condition.parameters:
        if parameters[name] == "cl_command_queue" and others:
            yield Change(f"{name} of another context", bound(_foreign, name, "foreign_queue"))
        elif parameters[name] == "cl_mem":
            yield Change(f"{name} of another context", bound(_foreign, name, "foreign_buffer"))
        elif parameters[name] == "cl_event":
            yield Change("an event of another context", bound(_foreign_events, name))


def _foreign(bench: Bench, _given: Arguments, name: str, which: str) -> Mapping[str, Value]:
    return {name: getattr(bench, which)}


def _foreign_events(bench: Bench, _given: Arguments, listed: str) -> Mapping[str, Value]:
    return {
        f"num_events_in_{listed.removeprefix('event_')}": 1,
        listed: Items((bench.event(context=bench.foreign_context),)),
    }


@recurring("device-of-context")
def _devices(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    name, context = clause.condition.parameters

    def another(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        others = [device for device in bench.cl.devices if device != bench.cl.device]
        needs(others, "the platform has one device only")
        return {name: others[0]}

    yield Change(f"{name}=NULL", {name: None})
    yield Change(f"{name} not in {context}", another)


@recurring("pitch-too-small")
def _pitches(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    pitch, region = clause.condition.parameters
    yield Change(f"{pitch}=1", {pitch: 1})
    yield Change(f"{pitch}=width-1", bound(_as_wide, pitch, region, -1))


@still_right("pitch-too-small")
def _tight_pitches(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    pitch, region = clause.condition.parameters
    yield Change(f"{pitch}=width", bound(_as_wide, pitch, region, 0))


def _as_wide(_bench: Bench, given: Arguments, pitch: str, region: str, more: int) -> Mapping[str, Value]:
    size = given[region]
    first = size.values[0] if isinstance(size, Items) else None
    width = first if isinstance(first, int) else 0
    return {pitch: width + more, pitch.replace("row", "slice"): 0}  # slices without a gap are right in any case


@recurring("invalid-flags")
def _flags(clause: ErrorClause, tables: Tables) -> Iterator[Change]:
    (name,) = clause.condition.parameters
    function = tables.functions[clause.function]
    base = next(parameter.base for parameter in function.parameters if parameter.name == name)
    for bit in NOBODYS_BITS:
        yield Change(f"{name}=bit {bit.bit_length() - 1}", {name: bit})
        yield Change(
            f"{name} and bit {bit.bit_length() - 1}",
            bound(_with_bit, name, bit),
        )
    pointer = any(parameter.name == "host_ptr" for parameter in function.parameters)
    for one, other in _excluding(base, tables):
        bits = tables.enumerants[one].value | tables.enumerants[other].value
        wants_host = pointer and any(word in f"{one} {other}" for word in ("USE_HOST", "COPY_HOST"))
        host: dict[str, Value] = {"host_ptr": Data(bytes(SIZE))} if wants_host else {}
        yield Change(f"{one} and {other}", {name: bits, **host})


def _excluding(type_name: str, tables: Tables) -> list[tuple[str, str]]:
    """Return the pairs of a type's flags that exclude each other."""
    pairs = {
        tuple(sorted((record.name, other)))
        for record in tables.records.values()
        if isinstance(record, Flag) and record.type == type_name
        for other in record.excludes
    }
    return sorted((first, second) for first, second in pairs)


def _with_bit(_bench: Bench, arguments: Arguments, name: str, bit: int) -> Mapping[str, Value]:
    given = arguments[name]
    return {name: (given if isinstance(given, int) else 0) | bit}


@recurring("host-pointer-flags")
def _host_pointers(clause: ErrorClause, tables: Tables) -> Iterator[Change]:
    pointer, flags = clause.condition.parameters
    bits = {name: tables.enumerants[f"CL_MEM_{name}_HOST_PTR"].value for name in ("USE", "COPY", "ALLOC")}
    host = Data(bytes(SIZE))
    yield Change("USE, NULL", {flags: bits["USE"], pointer: None})
    yield Change("COPY, NULL", {flags: bits["COPY"], pointer: None})
    yield Change("ALLOC and COPY, NULL", {flags: bits["ALLOC"] | bits["COPY"], pointer: None})
    yield Change("a pointer without flags", {flags: 0, pointer: host})
    yield Change("a pointer, ALLOC", {flags: bits["ALLOC"], pointer: host})


@recurring("misaligned-sub-buffer")
def _misaligned(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    for name in clause.condition.parameters:
        boundary = f"{name} begins where only another device may"
        yield Change(boundary, bound(_apart, name))


def _apart(bench: Bench, _given: Arguments, name: str) -> Mapping[str, Value]:
    """Make a region on a context of two devices that only the other one can address."""
    cl = bench.cl
    fine = {device: (cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN", device) or 0) // 8 for device in cl.devices}
    finer = [device for device, alignment in fine.items() if 0 < alignment < bench.alignment]
    needs(finer, "no other device of the platform has a finer base address alignment")
    context = bench.new_context(cl.device, finer[0])
    whole = bench.new_buffer("CL_MEM_READ_WRITE", context=context, size=2 * SIZE)
    others = {spare: bench.new_buffer("CL_MEM_READ_WRITE", context=context) for spare in ("src_buffer", "dst_buffer")}
    return {**others, "command_queue": bench.new_queue(context), name: bench.region(whole, fine[finer[0]], SIZE)}


@still_right("misaligned-sub-buffer")
def _aligned(clause: ErrorClause, _tables: Tables) -> Iterator[Change]:
    for name in clause.condition.parameters:
        yield Change(f"{name} begins at the device's alignment", bound(_at_the_alignment, name))


def _at_the_alignment(bench: Bench, _given: Arguments, name: str) -> Mapping[str, Value]:
    whole = bench.new_buffer("CL_MEM_READ_WRITE", size=bench.alignment + SIZE)
    return {name: bench.region(whole, bench.alignment, SIZE)}
