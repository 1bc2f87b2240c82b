"""Variations for recurring conditions, for every function with such an error condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList
from clconform.spec_tables.requirements import Flag
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import AREA_ALIGNMENT, SIZE, UNDEFINED_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
OTHER_KINDS = {"buffer": "an image", "image": "a buffer", "pipe": "a buffer"}
"""The memory object that is passed instead of an object of the required type."""
FAILED, LOWEST_STATUS = -1, -(1 << 31)
"""Statuses of failed events: the largest and the smallest."""
COUNT_PARAMETERS = {"event_wait_list": "num_events_in_wait_list", "event_list": "num_events"}
"""Maps each parameter that lists events to the parameter with the number of events."""


def _is_list(clause: ErrorCondition, name: str, tables: Tables) -> bool:
    parameters = tables.functions[clause.function].parameters
    return any(parameter.name == name and parameter.pointers for parameter in parameters)


@variations.declare_kind("invalid-object", "invalid-object-in-list")
def _objects(clause: ErrorCondition, tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        if not _is_list(clause, name, tables):
            yield Variation(f"{name}=NULL", {name: None})
            test_value = f"{name}=an object of another type"
            yield Variation(test_value, bind_values(_replace_by_other_type, name))
            kind = clause.condition.values[-1]
            if kind in OTHER_KINDS:
                yield Variation(f"{name}={OTHER_KINDS[kind]}", bind_values(_replace_by_other_kind, name, kind))
            continue
        yield Variation(f"NULL first in {name}", bind_values(_insert_null, name, 0))
        yield Variation(f"NULL last in {name}", bind_values(_insert_null, name, -1))
        yield Variation(f"an object of another type in {name}", bind_values(_replace_element_by_other_type, name))


def _insert_null(_kit: Kit, arguments: Arguments, name: str, position: int) -> Mapping[str, Value]:
    return {name: _replace_element(arguments[name], position, None)}


def _replace_element(given: Value, position: int, element: Handle | None) -> ElementList:
    values: list[int | Handle | None] = list(given.values) if isinstance(given, ElementList) else [None]
    values[position] = element
    return ElementList(tuple(values))


def _replace_by_other_type(kit: Kit, _given: Arguments, name: str) -> Mapping[str, Value]:
    return {name: _handle_of_other_type(kit)}


def _replace_by_other_kind(kit: Kit, _given: Arguments, name: str, kind: str) -> Mapping[str, Value]:
    """Replace the argument by a memory object of another type."""
    skip_unless(kit.cl.robustness, "requires --robustness (valid handles of the wrong kind)")
    return {name: kit.image() if kind == "buffer" else kit.first_buffer}


def _replace_element_by_other_type(kit: Kit, arguments: Arguments, name: str) -> Mapping[str, Value]:
    return {name: _replace_element(arguments[name], 0, _handle_of_other_type(kit))}


def _handle_of_other_type(kit: Kit) -> Handle:
    """Return a valid handle of a type that the tested functions do not accept."""
    skip_unless(kit.cl.robustness, "requires --robustness (valid handles of the wrong type)")
    return kit.cl.platform


@variations.declare_kind("null-parameter")
def _nulls(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        yield Variation(f"{name}=NULL", {name: None})


@variations.declare_kind("zero-parameter")
def _zeros(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        yield Variation(f"{name}=0", {name: 0})


@variations.declare_kind("zero-or-null-parameter", "null-or-zero-parameter")
def _nulls_and_zeros(clause: ErrorCondition, tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        yield (
            Variation(f"{name}=NULL", {name: None})
            if _is_list(clause, name, tables)
            else Variation(f"{name}=0", {name: 0})
        )


@variations.declare_kind("user-data-without-callback")
def _data_without_callback(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    callback = next((name for name in clause.condition.parameters if name.startswith("pfn")), "pfn_notify")
    yield Variation("user data without a callback", {callback: None, "user_data": 1})


@variations.declare_kind("count-pointer-disagree")
def _counts(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    yield Variation(f"{count}=0 with a list", {count: 0})
    yield Variation(f"{count}=1 with NULL", {count: 1, listed: None})


@variations.declare_kind("null-with-count")
def _counts_with_null(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    yield Variation(f"{count}=1 with NULL", {count: 1, listed: None})
    yield Variation(f"{count}=UINT_MAX with NULL", {count: 0xFFFFFFFF, listed: None})


@variations.declare_kind("pointer-without-count")
def _lists_without_count(clause: ErrorCondition, tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    parameters = {parameter.name: parameter.base for parameter in tables.functions[clause.function].parameters}
    yield Variation(
        f"{count}=0 with {listed} not NULL", bind_values(_pass_zero_count, count, listed, parameters[listed])
    )


def _pass_zero_count(kit: Kit, given: Arguments, count: str, listed: str, base: str) -> Mapping[str, Value]:
    if base == "cl_event":
        return {count: 0, listed: ElementList((kit.event(),))}
    if base == "void" and given[listed] is None:
        return {count: 0, listed: Data(bytes(AREA_ALIGNMENT))}
    skip_unless(given[listed] is not None, f"the valid call passes no {listed}")
    return {count: 0}


@variations.declare_kind("wait-list")
def _wait_lists(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    yield Variation(f"{count}=1, NULL", {count: 1, listed: None})
    yield Variation(f"{count}=UINT_MAX, NULL", {count: 0xFFFFFFFF, listed: None})
    yield Variation(f"{count}=0, a list", lambda kit, _given: {count: 0, listed: ElementList((kit.event(),))})
    yield Variation("{NULL}", {count: 1, listed: ElementList((None,))})
    yield Variation("{NULL, an event}", lambda kit, _given: {count: 2, listed: ElementList((None, kit.event()))})
    yield Variation("{an event, NULL}", lambda kit, _given: {count: 2, listed: ElementList((kit.event(), None))})


@variations.declare_valid_kind("wait-list")
def _complete_events(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    for number, words in ((1, "an event that is complete"), (2, "two events that are complete")):
        yield Variation(f"waits for {words}", bind_values(_list_complete_events, count, listed, number))


def _list_complete_events(kit: Kit, _given: Arguments, count: str, listed: str, number: int) -> Mapping[str, Value]:
    return {count: number, listed: ElementList(tuple(kit.event() for _ in range(number)))}


@variations.declare_kind("failed-event-in-wait-list")
def _failed_events(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    (listed,) = clause.condition.parameters
    count = COUNT_PARAMETERS[listed]

    def failed(kit: Kit, _given: Arguments, statuses: tuple[int, ...]) -> Mapping[str, Value]:
        return {count: len(statuses), listed: ElementList(tuple(kit.event(status) for status in statuses))}

    for test_value, statuses in (
        ("{an event that failed}", (FAILED,)),
        ("{complete, failed}", (0, FAILED)),
        ("{failed, complete}", (FAILED, 0)),
        ("{failed with INT_MIN}", (LOWEST_STATUS,)),
    ):
        yield Variation(test_value, bind_values(failed, statuses))


@variations.declare_kind("context-mismatch")
def _other_contexts(clause: ErrorCondition, tables: Tables) -> Iterator[Variation]:
    parameters = {parameter.name: parameter.base for parameter in tables.functions[clause.function].parameters}
    for name in clause.condition.parameters:
        if parameters[name] == "cl_event":
            yield Variation("an event of another context", bind_values(_list_foreign_event, name))
        elif parameters[name] != "cl_command_queue" or _other_object_types(clause, parameters):
            yield Variation(f"{name} of another context", bind_values(_replace_by_foreign, name))


def _other_object_types(clause: ErrorCondition, parameters: Mapping[str, str]) -> set[str]:
    """Return the types of the objects that must be in the queue's context, except queues and events."""
    return {parameters[name] for name in clause.condition.parameters} - {"cl_command_queue", "cl_event"}


def _replace_by_foreign(kit: Kit, given: Arguments, name: str) -> Mapping[str, Value]:
    """Replace an object, or the first element of a list, by a similar object of another context."""
    value = given[name]
    if isinstance(value, ElementList):
        skip_unless(value.values, "the list is empty")
        return {name: _replace_element(value, 0, kit.foreign.get_similar(value.values[0]))}
    return {name: kit.foreign.get_similar(value)}


def _list_foreign_event(kit: Kit, _given: Arguments, listed: str) -> Mapping[str, Value]:
    return {COUNT_PARAMETERS[listed]: 1, listed: ElementList((kit.foreign.event(),))}


@variations.declare_kind("device-of-context")
def _devices(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    name, context = clause.condition.parameters

    yield Variation(f"{name}=NULL", {name: None})
    yield Variation(f"{name} not in {context}", lambda kit, _given: {name: kit.any_other_device})


@variations.declare_kind("pitch-too-small")
def _pitches(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    pitch, region = clause.condition.parameters
    yield Variation(f"{pitch}=1", {pitch: 1})
    yield Variation(f"{pitch}=width-1", bind_values(_set_row_pitch, pitch, region, -1))


@variations.declare_valid_kind("pitch-too-small")
def _tight_pitches(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    pitch, region = clause.condition.parameters
    yield Variation(f"{pitch}=width", bind_values(_set_row_pitch, pitch, region, 0))


def _set_row_pitch(_kit: Kit, given: Arguments, pitch: str, region: str, more: int) -> Mapping[str, Value]:
    size = given[region]
    first = size.values[0] if isinstance(size, ElementList) else None
    width = first if isinstance(first, int) else 0
    return {pitch: width + more, pitch.replace("row", "slice"): 0}  # a slice pitch of 0 is always valid


@variations.declare_kind("invalid-flags")
def _flags(clause: ErrorCondition, tables: Tables) -> Iterator[Variation]:
    (name,) = clause.condition.parameters
    function = tables.functions[clause.function]
    base = next(parameter.base for parameter in function.parameters if parameter.name == name)
    for bit in UNDEFINED_BITS:
        yield Variation(f"{name}=bit {bit.bit_length() - 1}", {name: bit})
        yield Variation(
            f"{name} and bit {bit.bit_length() - 1}",
            bind_values(_add_bit, name, bit),
        )
    pointer = any(parameter.name == "host_ptr" for parameter in function.parameters)
    for one, other in _exclusive_flags(base, tables):
        bits = tables.enumerants[one].value | tables.enumerants[other].value
        wants_host = pointer and any(word in f"{one} {other}" for word in ("USE_HOST", "COPY_HOST"))
        host: dict[str, Value] = {"host_ptr": Data(bytes(SIZE))} if wants_host else {}
        yield Variation(f"{one} and {other}", {name: bits, **host})


def _exclusive_flags(type_name: str, tables: Tables) -> list[tuple[str, str]]:
    """Return the pairs of mutually exclusive flags of a flags type."""
    pairs = {
        tuple(sorted((requirement.name, other)))
        for requirement in tables.requirements.values()
        if isinstance(requirement, Flag) and requirement.type == type_name
        for other in requirement.excludes
    }
    return sorted((first, second) for first, second in pairs)


def _add_bit(_kit: Kit, arguments: Arguments, name: str, bit: int) -> Mapping[str, Value]:
    given = arguments[name]
    return {name: (given if isinstance(given, int) else 0) | bit}


@variations.declare_kind("host-pointer-flags")
def _host_pointers(clause: ErrorCondition, tables: Tables) -> Iterator[Variation]:
    pointer, flags = clause.condition.parameters
    bits = {name: tables.enumerants[f"CL_MEM_{name}_HOST_PTR"].value for name in ("USE", "COPY", "ALLOC")}
    host = Data(bytes(SIZE))
    yield Variation("USE, NULL", {flags: bits["USE"], pointer: None})
    yield Variation("COPY, NULL", {flags: bits["COPY"], pointer: None})
    yield Variation("ALLOC and COPY, NULL", {flags: bits["ALLOC"] | bits["COPY"], pointer: None})
    yield Variation("host_ptr without flags", {flags: 0, pointer: host})
    yield Variation("host_ptr with ALLOC", {flags: bits["ALLOC"], pointer: host})


@variations.declare_kind("misaligned-sub-buffer")
def _misaligned(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        test_value = f"{name} aligned for another device only"
        yield Variation(test_value, bind_values(_create_misaligned_region, name))


def _create_misaligned_region(kit: Kit, given: Arguments, name: str) -> Mapping[str, Value]:
    """Return a sub-buffer in a context of two devices that is misaligned for the device under test only."""
    cl = kit.cl
    fine = {device: (cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN", device) or 0) // 8 for device in cl.devices}
    finer = [device for device, alignment in fine.items() if 0 < alignment < kit.alignment]
    skip_unless(finer, "no other device of the platform has a finer base address alignment")
    both = kit.for_context(kit.new_context(cl.device, finer[0]))
    whole = both.buffer(size=2 * SIZE)
    others = {spare: both.buffer() for spare in ("src_buffer", "dst_buffer")}
    others |= {spare: both.image() for spare in ("src_image", "dst_image") if spare in given}
    return {**others, "command_queue": both.queue, name: both.sub_buffer(whole, fine[finer[0]], SIZE)}


@variations.declare_kind("unsupported-by-device")
def _missing_capabilities(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    if clause.condition.values == ("images",):
        yield Variation("a queue on a device without images", bind_values(_use_device_without_images))


def _use_device_without_images(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    """Return objects in a context of two devices, with the queue on a device without image support."""
    cl = kit.cl
    lacking = [
        device
        for device in kit.other_devices
        if cl.fact("CL_DEVICE_AVAILABLE", device) and cl.fact("CL_DEVICE_IMAGE_SUPPORT", device) == 0
    ]
    skip_unless(lacking, "no other device of the platform lacks images")
    both = kit.for_context(kit.new_context(cl.device, lacking[0]))
    objects = {"command_queue": both.new_queue(lacking[0])}
    objects |= {name: both.image() for name in ("image", "src_image", "dst_image") if name in given}
    objects |= {name: both.buffer() for name in ("src_buffer", "dst_buffer") if name in given}
    return objects


@variations.declare_valid_kind("misaligned-sub-buffer")
def _aligned(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        yield Variation(f"{name} starts at the device's alignment", bind_values(_create_aligned_region, name))


def _create_aligned_region(kit: Kit, _given: Arguments, name: str) -> Mapping[str, Value]:
    whole = kit.buffer(size=kit.alignment + SIZE)
    return {name: kit.sub_buffer(whole, kit.alignment, SIZE)}
