"""Semaphores (section 5.13): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.suites.chapters.semaphores.external_semaphores import (
    EXPORT_TYPES,
    SYNC_FD,
    create_exportable,
    get_export_type,
    needs_sync_file_import,
)
from clconform.suites.chapters.semaphores.valid_calls import list_semaphores, list_signaled
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

TYPE, BINARY, DEVICES = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "TYPE_BINARY", "DEVICE_HANDLE_LIST"))
UNKNOWN_NAME, UNKNOWN_TYPE = 0x7FFF0001, 0x7FFF0002


# clCreateSemaphoreWithPropertiesKHR


def _with_binary_type(kit: Kit, *more: str | int | Handle) -> dict[str, Value]:
    return {"sema_props": kit.property_list(TYPE, BINARY, *more)}


def _with_properties(kit: Kit, _given: Arguments, *elements: str | int) -> dict[str, Value]:
    return {"sema_props": kit.property_list(*elements)}


@variations.declare("clCreateSemaphoreWithPropertiesKHR/success")
def valid_lists() -> Iterator[Variation]:
    """Yield lists with each property, and with all properties in both orders."""
    yield Variation("for the device", lambda kit, _given: _with_binary_type(kit, DEVICES, kit.cl.device, 0))
    yield Variation(
        "the device first",
        lambda kit, _given: {"sema_props": kit.property_list(DEVICES, kit.cl.device, 0, TYPE, BINARY)},
    )
    yield Variation("to be exported", lambda kit, _given: _with_binary_type(kit, EXPORT_TYPES, get_export_type(kit), 0))
    yield Variation(
        "to be exported, for the device",
        lambda kit, _given: _with_binary_type(kit, DEVICES, kit.cl.device, 0, EXPORT_TYPES, get_export_type(kit), 0),
    )
    yield Variation("types of handles: none", lambda kit, _given: _with_empty_export_list(kit))
    yield Variation("one of two devices", _with_one_of_two_devices)
    yield Variation("the other of two devices", bind_values(_with_one_of_two_devices, 1))
    yield Variation("from -1 in place of a sync file", lambda kit, _given: _with_sync_file(kit))
    yield Variation("from -1, for the device", lambda kit, _given: _with_sync_file(kit, DEVICES, kit.cl.device, 0))


def _with_empty_export_list(kit: Kit) -> dict[str, Value]:
    get_export_type(kit)
    return _with_binary_type(kit, EXPORT_TYPES, 0)


def _with_sync_file(kit: Kit, *more: str | int | Handle) -> dict[str, Value]:
    needs_sync_file_import(kit)
    return _with_binary_type(kit, SYNC_FD, -1, *more)


def _with_one_of_two_devices(kit: Kit, _given: Arguments, which: int = 0) -> dict[str, Value]:
    devices = (kit.cl.device, kit.other_available_device)
    return {"context": kit.new_context(*devices), **_with_binary_type(kit, DEVICES, devices[which], 0)}


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4")
def missing_types() -> Iterator[Variation]:
    """Yield lists without a semaphore type."""
    yield Variation("an empty property list", {"sema_props": ElementList((0,))})
    yield Variation("only the device", lambda kit, _given: {"sema_props": kit.property_list(DEVICES, kit.cl.device, 0)})
    yield Variation(
        "only a type to export",
        lambda kit, _given: {"sema_props": kit.property_list(EXPORT_TYPES, get_export_type(kit), 0)},
    )


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1")
def invalid_properties() -> Iterator[Variation]:
    """Yield lists with unknown names or values, repeated names, and without a device in a context of two devices."""
    yield Variation("an unknown name", bind_values(_with_properties, TYPE, BINARY, UNKNOWN_NAME, 0))
    yield Variation("an unknown name first", bind_values(_with_properties, UNKNOWN_NAME, 1, TYPE, BINARY))
    yield Variation("a name of contexts", bind_values(_with_properties, TYPE, BINARY, "CL_CONTEXT_PLATFORM", 0))
    yield Variation("no such type", bind_values(_with_properties, TYPE, UNKNOWN_TYPE))
    yield Variation("type 0", bind_values(_with_properties, TYPE, 0))
    yield Variation("the type twice", bind_values(_with_properties, TYPE, BINARY, TYPE, BINARY))
    yield Variation(
        "the device twice",
        lambda kit, _given: _with_binary_type(kit, DEVICES, kit.cl.device, 0, DEVICES, kit.cl.device, 0),
    )
    yield Variation("no such type of handles", _with_unknown_export_type)
    yield Variation("context of two devices, none named", _without_device_list)
    yield Variation("-2 in place of a sync file", lambda kit, _given: _with_invalid_sync_file(kit))


def _with_unknown_export_type(kit: Kit, _given: Arguments) -> dict[str, Value]:
    get_export_type(kit)
    return _with_binary_type(kit, EXPORT_TYPES, UNKNOWN_TYPE, 0)


def _without_device_list(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.other_available_device), **_with_binary_type(kit)}


def _with_invalid_sync_file(kit: Kit) -> dict[str, Value]:
    needs_sync_file_import(kit)
    return _with_binary_type(kit, SYNC_FD, -2)


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1")
def invalid_devices() -> Iterator[Variation]:
    """Yield an empty device list, two devices, one device twice, and a device outside the context."""
    yield Variation("an empty list of devices", lambda kit, _given: _with_binary_type(kit, DEVICES, 0))
    yield Variation(
        "a device twice", lambda kit, _given: _with_binary_type(kit, DEVICES, kit.cl.device, kit.cl.device, 0)
    )
    yield Variation(
        "a device of no context", lambda kit, _given: _with_binary_type(kit, DEVICES, kit.other_available_device, 0)
    )
    yield Variation("two devices", _with_both_devices)


def _with_both_devices(kit: Kit, _given: Arguments) -> dict[str, Value]:
    devices = (kit.cl.device, kit.other_available_device)
    return {"context": kit.new_context(*devices), **_with_binary_type(kit, DEVICES, *devices, 0)}


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/2")
def several_export_types() -> Iterator[Variation]:
    """Yield lists with two handle types for export."""
    yield Variation(
        "two types", lambda kit, _given: _with_binary_type(kit, EXPORT_TYPES, get_export_type(kit), SYNC_FD, 0)
    )
    yield Variation(
        "one type twice",
        lambda kit, _given: _with_binary_type(kit, EXPORT_TYPES, get_export_type(kit), get_export_type(kit), 0),
    )


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2")
def repeated_handles() -> Iterator[Variation]:
    """Yield a list that imports the sync file -1 twice."""
    yield Variation("-1 twice in place of a sync file", lambda kit, _given: _with_sync_file(kit, SYNC_FD, -1))


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_OPERATION/1")
def imports_with_export_types() -> Iterator[Variation]:
    """Yield a list with both a handle to import and a handle type for export."""
    yield Variation(
        "from -1, and to be exported", lambda kit, _given: _with_sync_file(kit, EXPORT_TYPES, get_export_type(kit), 0)
    )
    yield Variation(
        "to be exported, and from -1",
        lambda kit, _given: {
            **_with_sync_file(kit),
            **_with_binary_type(kit, EXPORT_TYPES, get_export_type(kit), 0, SYNC_FD, -1),
        },
    )


@variations.declare("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/2")
def unsupported_imports() -> Iterator[Variation]:
    """Yield an import of the sync file -1, for a device that may not support such imports."""
    yield Variation("-1 in place of a sync file, for the device", _with_unsupported_sync_file)


def _with_unsupported_sync_file(kit: Kit, _given: Arguments) -> dict[str, Value]:
    kit.cl.fact("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR")
    return _with_binary_type(kit, SYNC_FD, -1, DEVICES, kit.cl.device, 0)


# clEnqueueSignalSemaphoresKHR and clEnqueueWaitSemaphoresKHR


@variations.declare("clEnqueueSignalSemaphoresKHR/success")
def valid_signals() -> Iterator[Variation]:
    """Yield signals of several numbers of semaphores, with payload lists, and on other queues."""
    yield Variation("one semaphore", lambda kit, _given: list_semaphores(kit.semaphore()))
    yield Variation("five semaphores", lambda kit, _given: list_semaphores(*(kit.semaphore() for _ in range(5))))
    yield Variation("more semaphores than are counted", lambda kit, _given: _with_smaller_count(kit))
    yield from _valid_commands()
    yield Variation("for the device", lambda kit, _given: list_semaphores(kit.semaphore(DEVICES, kit.cl.device, 0)))
    yield Variation("to be exported", lambda kit, _given: list_semaphores(create_exportable(kit)))


def _with_smaller_count(kit: Kit) -> dict[str, Value]:
    return {"num_sema_objects": 1, "sema_objects": ElementList((kit.semaphore(), kit.semaphore()))}


def _valid_commands() -> Iterator[Variation]:
    """Yield variations that are valid for signal commands and for wait commands."""
    for words, payloads in (("1 and 0", (1, 0)), ("0 and 0", (0, 0)), ("large numbers", (1 << 63, (1 << 64) - 1))):
        yield Variation(f"payloads: {words}", {"sema_payload_list": ElementList(payloads)})
    yield Variation("event=NULL", {"event": None})
    yield Variation("out of order", lambda kit, _given: {"command_queue": kit.out_of_order_queue()})
    yield Variation("another queue", lambda kit, _given: {"command_queue": kit.new_queue()})
    yield Variation(
        "after an event that is complete",
        lambda kit, _given: {"num_events_in_wait_list": 1, "event_wait_list": ElementList((kit.event(),))},
    )
    yield Variation(
        "after a command",
        lambda kit, _given: {"num_events_in_wait_list": 1, "event_wait_list": ElementList((kit.command_event(),))},
    )


@variations.declare("clEnqueueWaitSemaphoresKHR/success")
def valid_waits() -> Iterator[Variation]:
    """Yield waits for several numbers of semaphores, with payload lists, and on other queues."""
    yield Variation("one semaphore", lambda kit, _given: list_signaled(kit, 1))
    yield Variation("five semaphores", lambda kit, _given: list_signaled(kit, 5))
    yield from _valid_commands()
    yield Variation("in another order", lambda kit, _given: _reverse(list_signaled(kit, 3)))


def _reverse(given: Arguments) -> dict[str, Value]:
    semaphores = given["sema_objects"]
    return (
        {**given, "sema_objects": ElementList(semaphores.values[::-1])} if isinstance(semaphores, ElementList) else {}
    )


@variations.declare("clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_VALUE/1")
def empty_lists() -> Iterator[Variation]:
    """Yield an empty list of semaphores."""
    yield Variation("none, and no list", {"num_sema_objects": 0, "sema_objects": None})


@variations.declare(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1"
)
def null_semaphores() -> Iterator[Variation]:
    """Yield NULL as the only, the first and the last semaphore of the list."""
    yield Variation("NULL alone", {"num_sema_objects": 1, "sema_objects": ElementList((None,))})
    yield Variation("NULL first", lambda _kit, given: list_semaphores(None, *_first_semaphore(given)))
    yield Variation("NULL last", lambda _kit, given: list_semaphores(*_first_semaphore(given), None))


def _first_semaphore(given: Arguments) -> tuple[Handle, ...]:
    """Return the first semaphore in the list of a call, as a tuple."""
    semaphores = given["sema_objects"]
    found = semaphores.values[:1] if isinstance(semaphores, ElementList) else ()
    return tuple(each for each in found if isinstance(each, Handle))


@variations.declare("clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1")
def signals_of_other_contexts() -> Iterator[Variation]:
    """Yield a semaphore, an event and a queue of another context, for the signal command."""
    yield from _foreign_arguments(signals=False)


@variations.declare("clEnqueueWaitSemaphoresKHR/CL_INVALID_CONTEXT/1")
def waits_of_other_contexts() -> Iterator[Variation]:
    """Yield a signaled semaphore, an event and a queue of another context, for the wait command."""
    yield from _foreign_arguments(signals=True)


def _foreign_arguments(*, signals: bool) -> Iterator[Variation]:
    """Yield a semaphore, an event and a queue of another context.

    ``signals``: whether the semaphore is signaled first.
    """
    yield Variation("a semaphore of another context, last", bind_values(_with_foreign_semaphore, signals, False, True))
    yield Variation("a semaphore of another context, first", bind_values(_with_foreign_semaphore, signals, True, False))
    yield Variation("a semaphore of another context", bind_values(_with_foreign_semaphore, signals, False, False))
    yield Variation("a queue of another context", lambda kit, _given: {"command_queue": kit.foreign.queue})
    yield Variation(
        "an event of another context",
        lambda kit, _given: {"num_events_in_wait_list": 1, "event_wait_list": ElementList((kit.foreign.event(),))},
    )


def _with_foreign_semaphore(
    kit: Kit,
    given: Arguments,
    signals: bool,  # noqa: FBT001 (given by position)
    before: bool,  # noqa: FBT001
    after: bool,  # noqa: FBT001
) -> dict[str, Value]:
    """List a semaphore of another context alone, or next to a valid semaphore.

    ``signals``: whether the foreign semaphore is signaled first. ``before``: the list begins with the foreign
    semaphore; ``after``: the list ends with it.
    """
    right = _first_semaphore(given)
    foreign = _create_semaphore(kit.foreign, signals)
    return list_semaphores(*(right if after else ()), foreign, *(right if before else ()))


def _create_semaphore(kit: Kit, signals: bool, *more: str | int | Handle, queue: Handle | None = None) -> Handle:  # noqa: FBT001
    """Create a semaphore; ``signals``: whether it is signaled."""
    semaphore = kit.semaphore(*more)
    if signals:
        used = queue or kit.queue
        kit.cl.clEnqueueSignalSemaphoresKHR(used, 1, ElementList((semaphore,)), None, 0, None, None)
        kit.cl.clFlush(used)
    return semaphore


@variations.declare("clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3")
def signals_of_another_device() -> Iterator[Variation]:
    """Yield a semaphore that belongs to the other of two devices."""
    yield Variation("for the other device of the context", bind_values(_with_semaphore_of_other_device, False, False))
    yield Variation(
        "for the other device of the context, last", bind_values(_with_semaphore_of_other_device, False, True)
    )


@variations.declare("clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3")
def waits_of_another_device() -> Iterator[Variation]:
    """Yield a signaled semaphore that belongs to the other of two devices."""
    yield Variation("for the other device of the context", bind_values(_with_semaphore_of_other_device, True, False))
    yield Variation(
        "for the other device of the context, last", bind_values(_with_semaphore_of_other_device, True, True)
    )


def _with_semaphore_of_other_device(kit: Kit, _given: Arguments, signals: bool, mixed: bool) -> dict[str, Value]:  # noqa: FBT001
    """List a semaphore that belongs to the other of two devices.

    ``signals``: whether the listed semaphores are signaled first. ``mixed``: whether a semaphore of the queue's device
    precedes it.
    """
    device, other = kit.cl.device, kit.other_available_device
    both = kit.for_context(kit.new_context(device, other))
    own = [_create_semaphore(both, signals, DEVICES, device, 0)] if mixed else []
    there = both.new_queue(other)
    return {
        "command_queue": both.queue,
        **list_semaphores(*own, _create_semaphore(both, signals, DEVICES, other, 0, queue=there)),
    }


@variations.declare("clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4")
def signals_outside_the_context() -> Iterator[Variation]:
    """Yield a semaphore of a context that does not contain the queue's device."""
    yield Variation("in a context of another device", bind_values(_in_context_of_another_device, False))


@variations.declare("clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4")
def waits_outside_the_context() -> Iterator[Variation]:
    """Yield a signaled semaphore of a context that does not contain the queue's device."""
    yield Variation("in a context of another device", bind_values(_in_context_of_another_device, True))


def _in_context_of_another_device(kit: Kit, _given: Arguments, signals: bool) -> dict[str, Value]:  # noqa: FBT001
    there = kit.for_context(kit.new_context(kit.other_available_device))
    return list_semaphores(_create_semaphore(there, signals, queue=there.new_queue(kit.other_available_device)))


# clGetSemaphoreHandleForTypeKHR and clReImportSemaphoreSyncFdKHR


@variations.declare("clGetSemaphoreHandleForTypeKHR/success")
def valid_exports() -> Iterator[Variation]:
    """Yield queries of only the size, of only the handle, and of neither, and a query with a larger output buffer."""
    yield Variation("only the size", {"handle_size": 0, "handle_ptr": None})
    yield Variation("only the handle", {"handle_size_ret": None})
    yield Variation("a larger buffer", {"handle_size": 16, "handle_ptr": OutputBuffer(16)})
    yield Variation("nothing", {"handle_size": 0, "handle_ptr": None, "handle_size_ret": None})


@variations.declare("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1")
def unavailable_handle_types() -> Iterator[Variation]:
    """Yield semaphores that are not exportable, and handle types for which the semaphore was not created."""
    yield Variation("a semaphore that cannot be exported", lambda kit, _given: {"sema_object": kit.semaphore()})
    yield Variation("no such type", {"handle_type": UNKNOWN_TYPE})
    yield Variation("type 0", {"handle_type": 0})
    yield Variation("a sync file", lambda kit, _given: {"handle_type": kit.constant(SYNC_FD)})
    yield Variation(
        "cannot be exported, only the size is queried",
        lambda kit, _given: {"sema_object": kit.semaphore(), "handle_size": 0, "handle_ptr": None},
    )


@variations.declare("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/2")
def small_sizes() -> Iterator[Variation]:
    """Yield sizes smaller than a file descriptor."""
    for size in (0, 1, 3):
        yield Variation(f"handle_size={size}", {"handle_size": size})


@variations.declare("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/3")
def other_devices() -> Iterator[Variation]:
    """Yield a device outside the semaphore's context."""
    yield Variation("a device of no context", lambda kit, _given: {"device": kit.other_available_device})


@variations.declare("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4")
def devices_without_the_semaphore() -> Iterator[Variation]:
    """Yield the second device of the context, for a semaphore that is limited to the first device."""
    yield Variation("the other device of the context", _with_other_device)


def _with_other_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    both = kit.for_context(kit.new_context(kit.cl.device, kit.other_available_device))
    semaphore = both.semaphore(DEVICES, kit.cl.device, 0, EXPORT_TYPES, get_export_type(kit), 0)
    return {"sema_object": semaphore, "device": kit.other_available_device, "handle_size": 0, "handle_ptr": None}


@variations.declare("clReImportSemaphoreSyncFdKHR/success")
def valid_imports() -> Iterator[Variation]:
    """Yield an empty property list instead of NULL."""
    yield Variation("an empty property list", {"reimport_props": ElementList((0,))})


@variations.declare("clReImportSemaphoreSyncFdKHR/CL_INVALID_SEMAPHORE_KHR/2")
def semaphores_without_sync_files() -> Iterator[Variation]:
    """Yield semaphores that were not created from a sync file."""
    yield Variation("an ordinary semaphore", lambda kit, _given: {"sema_object": kit.semaphore()})
    yield Variation("one that can be exported", lambda kit, _given: {"sema_object": create_exportable(kit)})


@variations.declare("clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1")
def invalid_descriptors() -> Iterator[Variation]:
    """Yield numbers that are not file descriptors."""
    for number in (-2, -(1 << 31)):
        yield Variation(f"fd={number}", {"fd": number})
