"""Semaphores (section 5.13): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.suites.chapters.semaphores.kinds import (
    LIST,
    SYNC_FD,
    exportable,
    imports_sync_files,
    to_export,
)
from clconform.suites.chapters.semaphores.valid_calls import listed, signaled
from clconform.suites.errors.variations import Variation, Variations, bound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

TYPE, BINARY, DEVICES = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "TYPE_BINARY", "DEVICE_HANDLE_LIST"))
UNKNOWN_NAME, UNKNOWN_TYPE = 0x7FFF0001, 0x7FFF0002


# clCreateSemaphoreWithPropertiesKHR


def _binary(kit: Kit, *more: str | int | Handle) -> dict[str, Value]:
    return {"sema_props": kit.listed(TYPE, BINARY, *more)}


def _listing(kit: Kit, _given: Arguments, *elements: str | int) -> dict[str, Value]:
    return {"sema_props": kit.listed(*elements)}


@variations.of("clCreateSemaphoreWithPropertiesKHR/success")
def valid_lists() -> Iterator[Variation]:
    """Yield lists with each property, in both orders."""
    yield Variation("for the device", lambda kit, _given: _binary(kit, DEVICES, kit.cl.device, 0))
    yield Variation(
        "the device first",
        lambda kit, _given: {"sema_props": kit.listed(DEVICES, kit.cl.device, 0, TYPE, BINARY)},
    )
    yield Variation("to be exported", lambda kit, _given: _binary(kit, LIST, exportable(kit), 0))
    yield Variation(
        "to be exported, for the device",
        lambda kit, _given: _binary(kit, DEVICES, kit.cl.device, 0, LIST, exportable(kit), 0),
    )
    yield Variation("types of handles: none", lambda kit, _given: _none_to_export(kit))
    yield Variation("one of two devices", _for_one_of_two)
    yield Variation("the other of two devices", bound(_for_one_of_two, 1))
    yield Variation("from -1 in place of a sync file", lambda kit, _given: _from_a_file(kit))
    yield Variation("from -1, for the device", lambda kit, _given: _from_a_file(kit, DEVICES, kit.cl.device, 0))


def _none_to_export(kit: Kit) -> dict[str, Value]:
    exportable(kit)
    return _binary(kit, LIST, 0)


def _from_a_file(kit: Kit, *more: str | int | Handle) -> dict[str, Value]:
    imports_sync_files(kit)
    return _binary(kit, SYNC_FD, -1, *more)


def _for_one_of_two(kit: Kit, _given: Arguments, which: int = 0) -> dict[str, Value]:
    devices = (kit.cl.device, kit.another_device)
    return {"context": kit.new_context(*devices), **_binary(kit, DEVICES, devices[which], 0)}


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4")
def no_types() -> Iterator[Variation]:
    """Yield lists without a semaphore type."""
    yield Variation("an empty property list", {"sema_props": Items((0,))})
    yield Variation("only the device", lambda kit, _given: {"sema_props": kit.listed(DEVICES, kit.cl.device, 0)})
    yield Variation("only a type to export", lambda kit, _given: {"sema_props": kit.listed(LIST, exportable(kit), 0)})


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1")
def wrong_properties() -> Iterator[Variation]:
    """Yield unknown names, unknown values, repeated names, and a missing device in a context of two."""
    yield Variation("an unknown name", bound(_listing, TYPE, BINARY, UNKNOWN_NAME, 0))
    yield Variation("an unknown name first", bound(_listing, UNKNOWN_NAME, 1, TYPE, BINARY))
    yield Variation("a name of contexts", bound(_listing, TYPE, BINARY, "CL_CONTEXT_PLATFORM", 0))
    yield Variation("no such type", bound(_listing, TYPE, UNKNOWN_TYPE))
    yield Variation("type 0", bound(_listing, TYPE, 0))
    yield Variation("the type twice", bound(_listing, TYPE, BINARY, TYPE, BINARY))
    yield Variation(
        "the device twice", lambda kit, _given: _binary(kit, DEVICES, kit.cl.device, 0, DEVICES, kit.cl.device, 0)
    )
    yield Variation("no such type of handles", _to_nothing)
    yield Variation("context of two devices, none named", _for_none_of_two)
    yield Variation("-2 in place of a sync file", lambda kit, _given: _from_no_file(kit))


def _to_nothing(kit: Kit, _given: Arguments) -> dict[str, Value]:
    exportable(kit)
    return _binary(kit, LIST, UNKNOWN_TYPE, 0)


def _for_none_of_two(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.another_device), **_binary(kit)}


def _from_no_file(kit: Kit) -> dict[str, Value]:
    imports_sync_files(kit)
    return _binary(kit, SYNC_FD, -2)


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1")
def wrong_devices() -> Iterator[Variation]:
    """Yield an empty device list, two devices, one device twice, and a device outside the context."""
    yield Variation("an empty list of devices", lambda kit, _given: _binary(kit, DEVICES, 0))
    yield Variation("a device twice", lambda kit, _given: _binary(kit, DEVICES, kit.cl.device, kit.cl.device, 0))
    yield Variation("a device of no context", lambda kit, _given: _binary(kit, DEVICES, kit.another_device, 0))
    yield Variation("two devices", _for_both)


def _for_both(kit: Kit, _given: Arguments) -> dict[str, Value]:
    devices = (kit.cl.device, kit.another_device)
    return {"context": kit.new_context(*devices), **_binary(kit, DEVICES, *devices, 0)}


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/2")
def several_types() -> Iterator[Variation]:
    """Yield several handle types to export to."""
    yield Variation("two types", lambda kit, _given: _binary(kit, LIST, exportable(kit), SYNC_FD, 0))
    yield Variation("one type twice", lambda kit, _given: _binary(kit, LIST, exportable(kit), exportable(kit), 0))


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2")
def several_handles() -> Iterator[Variation]:
    """Yield a repeated handle."""
    yield Variation("-1 twice in place of a sync file", lambda kit, _given: _from_a_file(kit, SYNC_FD, -1))


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_OPERATION/1")
def imported_and_exported() -> Iterator[Variation]:
    """Yield a handle to import together with a type to export to."""
    yield Variation("from -1, and to be exported", lambda kit, _given: _from_a_file(kit, LIST, exportable(kit), 0))
    yield Variation(
        "to be exported, and from -1",
        lambda kit, _given: {**_from_a_file(kit), **_binary(kit, LIST, exportable(kit), 0, SYNC_FD, -1)},
    )


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/2")
def not_imported() -> Iterator[Variation]:
    """Yield the sync file -1, for a device that may not support imports of sync files."""
    yield Variation("-1 in place of a sync file, for the device", _from_a_file_that_none_imports)


def _from_a_file_that_none_imports(kit: Kit, _given: Arguments) -> dict[str, Value]:
    kit.cl.fact("CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR")
    return _binary(kit, SYNC_FD, -1, DEVICES, kit.cl.device, 0)


# clEnqueueSignalSemaphoresKHR and clEnqueueWaitSemaphoresKHR


@variations.of("clEnqueueSignalSemaphoresKHR/success")
def valid_signals() -> Iterator[Variation]:
    """Yield lists of several lengths, payload lists, and other queues."""
    yield Variation("one semaphore", lambda kit, _given: listed(kit.semaphore()))
    yield Variation("five semaphores", lambda kit, _given: listed(*(kit.semaphore() for _ in range(5))))
    yield Variation("more semaphores than are counted", lambda kit, _given: _counted_short(kit))
    yield from _valid_commands()
    yield Variation("for the device", lambda kit, _given: listed(kit.semaphore(DEVICES, kit.cl.device, 0)))
    yield Variation("to be exported", lambda kit, _given: listed(to_export(kit)))


def _counted_short(kit: Kit) -> dict[str, Value]:
    return {"num_sema_objects": 1, "sema_objects": Items((kit.semaphore(), kit.semaphore()))}


def _valid_commands() -> Iterator[Variation]:
    """Yield variations that are valid for both commands."""
    for words, payloads in (("1 and 0", (1, 0)), ("0 and 0", (0, 0)), ("large numbers", (1 << 63, (1 << 64) - 1))):
        yield Variation(f"payloads: {words}", {"sema_payload_list": Items(payloads)})
    yield Variation("event=NULL", {"event": None})
    yield Variation("out of order", lambda kit, _given: {"command_queue": kit.out_of_order()})
    yield Variation("another queue", lambda kit, _given: {"command_queue": kit.new_queue()})
    yield Variation(
        "after an event that is complete",
        lambda kit, _given: {"num_events_in_wait_list": 1, "event_wait_list": Items((kit.event(),))},
    )
    yield Variation(
        "after a command",
        lambda kit, _given: {"num_events_in_wait_list": 1, "event_wait_list": Items((kit.event_of_a_command(),))},
    )


@variations.of("clEnqueueWaitSemaphoresKHR/success")
def valid_waits() -> Iterator[Variation]:
    """Yield lists of several lengths, payload lists, and other queues."""
    yield Variation("one semaphore", lambda kit, _given: signaled(kit, 1))
    yield Variation("five semaphores", lambda kit, _given: signaled(kit, 5))
    yield from _valid_commands()
    yield Variation("in another order", lambda kit, _given: _turned_round(signaled(kit, 3)))


def _turned_round(given: Arguments) -> dict[str, Value]:
    semaphores = given["sema_objects"]
    return {**given, "sema_objects": Items(semaphores.values[::-1])} if isinstance(semaphores, Items) else {}


@variations.of("clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_VALUE/1")
def none_at_all() -> Iterator[Variation]:
    """Yield an empty list of semaphores."""
    yield Variation("none, and no list", {"num_sema_objects": 0, "sema_objects": None})


@variations.of(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1"
)
def no_semaphores() -> Iterator[Variation]:
    """Yield NULL alone, first and last."""
    yield Variation("NULL alone", {"num_sema_objects": 1, "sema_objects": Items((None,))})
    yield Variation("NULL first", lambda _kit, given: listed(None, *_first(given)))
    yield Variation("NULL last", lambda _kit, given: listed(*_first(given), None))


def _first(given: Arguments) -> tuple[Handle, ...]:
    """Return the first semaphore of a call."""
    semaphores = given["sema_objects"]
    found = semaphores.values[:1] if isinstance(semaphores, Items) else ()
    return tuple(each for each in found if isinstance(each, Handle))


@variations.of("clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1")
def signals_of_other_contexts() -> Iterator[Variation]:
    """Yield semaphores, an event and a queue of another context."""
    yield from _of_other_contexts(signals=False)


@variations.of("clEnqueueWaitSemaphoresKHR/CL_INVALID_CONTEXT/1")
def waits_of_other_contexts() -> Iterator[Variation]:
    """Yield signaled semaphores, an event and a queue of another context."""
    yield from _of_other_contexts(signals=True)


def _of_other_contexts(*, signals: bool) -> Iterator[Variation]:
    """Yield a semaphore, an event and a queue of another context; ``signals``: the semaphore is signaled."""
    yield Variation("a semaphore of another context, last", bound(_with_a_foreign_one, signals, False, True))
    yield Variation("a semaphore of another context, first", bound(_with_a_foreign_one, signals, True, False))
    yield Variation("a semaphore of another context", bound(_with_a_foreign_one, signals, False, False))
    yield Variation("a queue of another context", lambda kit, _given: {"command_queue": kit.foreign.queue})
    yield Variation(
        "an event of another context",
        lambda kit, _given: {"num_events_in_wait_list": 1, "event_wait_list": Items((kit.foreign.event(),))},
    )


def _with_a_foreign_one(
    kit: Kit,
    given: Arguments,
    signals: bool,  # noqa: FBT001 (given by position)
    before: bool,  # noqa: FBT001
    behind: bool,  # noqa: FBT001
) -> dict[str, Value]:
    """List a semaphore of another context: before or after a valid one, or alone."""
    right = _first(given)
    foreign = _ready(kit.foreign, signals)
    return listed(*(right if behind else ()), foreign, *(right if before else ()))


def _ready(kit: Kit, signals: bool, *more: str | int | Handle, queue: Handle | None = None) -> Handle:  # noqa: FBT001
    """Create a semaphore, and signal it if ``signals``."""
    semaphore = kit.semaphore(*more)
    if signals:
        used = queue or kit.queue
        kit.cl.clEnqueueSignalSemaphoresKHR(used, 1, Items((semaphore,)), None, 0, None, None)
        kit.cl.clFlush(used)
    return semaphore


@variations.of("clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3")
def signals_of_another_device() -> Iterator[Variation]:
    """Yield a semaphore of the other of two devices."""
    yield Variation("for the other device of the context", bound(_apart, False, False))
    yield Variation("for the other device of the context, last", bound(_apart, False, True))


@variations.of("clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3")
def waits_of_another_device() -> Iterator[Variation]:
    """Yield a signaled semaphore of the other of two devices."""
    yield Variation("for the other device of the context", bound(_apart, True, False))
    yield Variation("for the other device of the context, last", bound(_apart, True, True))


def _apart(kit: Kit, _given: Arguments, signals: bool, mixed: bool) -> dict[str, Value]:  # noqa: FBT001
    """List a semaphore of the other device; ``mixed``: after a semaphore of the queue's device."""
    device, other = kit.cl.device, kit.another_device
    both = kit.within(kit.new_context(device, other))
    own = [_ready(both, signals, DEVICES, device, 0)] if mixed else []
    there = both.new_queue(other)
    return {"command_queue": both.queue, **listed(*own, _ready(both, signals, DEVICES, other, 0, queue=there))}


@variations.of("clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4")
def signals_beside_the_context() -> Iterator[Variation]:
    """Yield a semaphore of a context without the queue's device."""
    yield Variation("in a context of another device", bound(_elsewhere, False))


@variations.of("clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4")
def waits_beside_the_context() -> Iterator[Variation]:
    """Yield a signaled semaphore of a context without the queue's device."""
    yield Variation("in a context of another device", bound(_elsewhere, True))


def _elsewhere(kit: Kit, _given: Arguments, signals: bool) -> dict[str, Value]:  # noqa: FBT001
    there = kit.within(kit.new_context(kit.another_device))
    return listed(_ready(there, signals, queue=there.new_queue(kit.another_device)))


# clGetSemaphoreHandleForTypeKHR and clReImportSemaphoreSyncFdKHR


@variations.of("clGetSemaphoreHandleForTypeKHR/success")
def valid_exports() -> Iterator[Variation]:
    """Yield a query of the size only, another size, and NULL outputs."""
    yield Variation("only the size", {"handle_size": 0, "handle_ptr": None})
    yield Variation("only the handle", {"handle_size_ret": None})
    yield Variation("a larger buffer", {"handle_size": 16, "handle_ptr": OutputBuffer(16)})
    yield Variation("nothing", {"handle_size": 0, "handle_ptr": None, "handle_size_ret": None})


@variations.of("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1")
def types_not_asked_for() -> Iterator[Variation]:
    """Yield semaphores that are not exportable, and handle types that the semaphore was not created with."""
    yield Variation("a semaphore that cannot be exported", lambda kit, _given: {"sema_object": kit.semaphore()})
    yield Variation("no such type", {"handle_type": UNKNOWN_TYPE})
    yield Variation("type 0", {"handle_type": 0})
    yield Variation("a sync file", lambda kit, _given: {"handle_type": kit.value(SYNC_FD)})
    yield Variation(
        "cannot be exported, and only the size is asked for",
        lambda kit, _given: {"sema_object": kit.semaphore(), "handle_size": 0, "handle_ptr": None},
    )


@variations.of("clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/2")
def sizes_too_small() -> Iterator[Variation]:
    """Yield sizes smaller than a file descriptor."""
    for size in (0, 1, 3):
        yield Variation(f"handle_size={size}", {"handle_size": size})


@variations.of("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/3")
def other_devices() -> Iterator[Variation]:
    """Yield a device outside the semaphore's context."""
    yield Variation("a device of no context", lambda kit, _given: {"device": kit.another_device})


@variations.of("clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4")
def devices_beside_it() -> Iterator[Variation]:
    """Yield the other device of the context, where the semaphore is limited to one device."""
    yield Variation("the other device of the context", _asked_for_the_other)


def _asked_for_the_other(kit: Kit, _given: Arguments) -> dict[str, Value]:
    both = kit.within(kit.new_context(kit.cl.device, kit.another_device))
    semaphore = both.semaphore(DEVICES, kit.cl.device, 0, LIST, exportable(kit), 0)
    return {"sema_object": semaphore, "device": kit.another_device, "handle_size": 0, "handle_ptr": None}


@variations.of("clReImportSemaphoreSyncFdKHR/success")
def valid_imports() -> Iterator[Variation]:
    """Yield an empty property list."""
    yield Variation("an empty property list", {"reimport_props": Items((0,))})


@variations.of("clReImportSemaphoreSyncFdKHR/CL_INVALID_SEMAPHORE_KHR/2")
def not_from_files() -> Iterator[Variation]:
    """Yield semaphores that were not created from a sync file."""
    yield Variation("an ordinary semaphore", lambda kit, _given: {"sema_object": kit.semaphore()})
    yield Variation("one that can be exported", lambda kit, _given: {"sema_object": to_export(kit)})


@variations.of("clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1")
def no_descriptors() -> Iterator[Variation]:
    """Yield numbers that are not file descriptors."""
    for number in (-2, -(1 << 31)):
        yield Variation(f"fd={number}", {"fd": number})
