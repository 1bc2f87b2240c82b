"""Semaphores: calls that must fail, undefined calls, and known payloads and command states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.queues import HostQueue
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.queries.query_request import query_request_of

from .worlds import Plan, World, clauses, usage_rules, verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

MAKE, INFO = "clCreateSemaphoreWithPropertiesKHR", "clGetSemaphoreInfoKHR"
SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
EXPORT, AGAIN = "clGetSemaphoreHandleForTypeKHR", "clReImportSemaphoreSyncFdKHR"
TYPE, BINARY, DEVICES = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "TYPE_BINARY", "DEVICE_HANDLE_LIST"))
EXPORTS, OPAQUE, SYNC = (
    f"CL_SEMAPHORE_{name}_KHR" for name in ("EXPORT_HANDLE_TYPES", "HANDLE_OPAQUE_FD", "HANDLE_SYNC_FD")
)
EXTENSIONS = " ".join(
    ("cl_khr_semaphore", *(f"cl_khr_external_semaphore{end}" for end in ("", "_opaque_fd", "_sync_fd")))
)
FIRST, OTHER = Handle("device1"), Handle("device2")
UNDEFINED = "undefined"
CREATED = Handle("semaphore1")


@pytest.fixture
def world() -> World:
    """Return a setup of two devices, with contexts of the first, both and the second, queues and semaphores."""
    there = World(Plan(), Plan(), extensions=EXTENSIONS)
    first, second = there.roots
    for device, imports in ((first, (OPAQUE, SYNC)), (second, (OPAQUE,))):
        device.facts["CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR"] = tuple(map(there.value, imports))
        device.facts["CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"] = (there.value(OPAQUE),)
    contexts = [
        Context("context1", devices=[first]),
        Context("context2", devices=[first, second]),
        Context("context3", devices=[second]),
        Context("context4", devices=[first]),
    ]
    binary = there.value(BINARY)
    for thing in (
        *contexts,
        HostQueue("queue1", context=contexts[0], queue_device=first),
        HostQueue("queue2", context=contexts[1], queue_device=first),
        HostQueue("queue3", context=contexts[1], queue_device=second),
        *(Semaphore(f"semaphore{number}", context=contexts[0], kind=binary) for number in (1, 2)),
        Semaphore("of_first", context=contexts[1], kind=binary, device_names=("device1",), has_named_devices=True),
        Semaphore("of_second", context=contexts[1], kind=binary, device_names=("device2",), has_named_devices=True),
        Semaphore("elsewhere", context=contexts[2], kind=binary),
        Semaphore("foreign", context=contexts[3], kind=binary),
        Semaphore("exported", context=contexts[0], kind=binary, export_types=(there.value(OPAQUE),)),
        Semaphore("imported", context=contexts[0], kind=binary, import_types=(there.value(SYNC),), is_shared=True),
    ):
        there.model.add(thing)
    return there


def listed(there: World, *elements: str | int | Handle) -> ElementList:
    return ElementList(tuple(there.value(each) if isinstance(each, str) else each for each in elements))


def ids(*codes: str, of: str = MAKE) -> str:
    return " ".join(sorted(f"{of}/{code}" for code in codes))


ONE = (TYPE, BINARY)
LISTS: list[tuple[str, tuple[str | int | Handle, ...], str, str]] = [
    ("context1", (*ONE, 0), "", ""),
    ("context1", (*ONE, DEVICES, FIRST, 0, 0), "", ""),
    ("context1", (DEVICES, FIRST, 0, *ONE, 0), "", ""),
    ("context1", (*ONE, EXPORTS, OPAQUE, 0, 0), "", ""),
    ("context1", (*ONE, EXPORTS, 0, 0), "", ""),
    ("context1", (*ONE, SYNC, -1, 0), "", ""),
    ("context2", (*ONE, DEVICES, OTHER, 0, 0), "", ""),
    ("context1", (0,), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4", ""),
    ("context1", (DEVICES, FIRST, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4", ""),
    ("context1", (TYPE, 7, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*ONE, *ONE, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*ONE, 0x7FFF0001, 1, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*ONE, EXPORTS, 1, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*ONE, SYNC, -2, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*ONE, OPAQUE, -1, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context2", (*ONE, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*ONE, EXPORTS, SYNC, 0, 0), "", "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1"),
    ("context1", (*ONE, DEVICES, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1", ""),
    ("context1", (*ONE, DEVICES, FIRST, FIRST, 0, 0), "", "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1"),
    ("context2", (*ONE, DEVICES, FIRST, OTHER, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1", ""),
    ("context1", (*ONE, DEVICES, OTHER, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1", ""),
    (
        "context2",
        (*ONE, SYNC, -1, DEVICES, OTHER, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/2",
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
    ),
    ("context2", (*ONE, SYNC, -1, DEVICES, FIRST, 0, 0), "", ""),
    (
        "context1",
        (*ONE, EXPORTS, OPAQUE, SYNC, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/2",
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
    ),
    ("context1", (*ONE, SYNC, -1, SYNC, -1, 0), ids("CL_INVALID_PROPERTY/1", "CL_INVALID_PROPERTY/2"), ""),
    (
        "context1",
        (*ONE, SYNC, -1, EXPORTS, OPAQUE, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_OPERATION/1",
        "",
    ),
    ("context1", (*ONE, OPAQUE, 5, 0), UNDEFINED, ""),
    ("context1", (*ONE, DEVICES, FIRST, 0), UNDEFINED, ""),
    ("context1", ONE, UNDEFINED, ""),
]


@pytest.mark.parametrize(("context", "elements", "must", "may"), LISTS)
def test_lists_of_properties(
    world: World, context: str, elements: tuple[str | int | Handle, ...], must: str, may: str
) -> None:
    given = listed(world, *elements)
    assert verdict(world, MAKE, context=Handle(context), sema_props=given, errcode_ret=OutputBuffer(1)) == (must, may)


def test_a_handle_given_twice_is_one_of_several(world: World) -> None:
    given = listed(world, *ONE, SYNC, -1, OPAQUE, -1, 0)
    musts, _ = verdict(world, MAKE, context=Handle("context1"), sema_props=given, errcode_ret=OutputBuffer(1))
    assert "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2" in musts


def asked(there: World, function: str, *names: str | None, queue: str = "queue1", **more: Value) -> tuple[str, str]:
    """Return the verdict on a semaphore command."""
    semaphores = ElementList(tuple(None if name is None else Handle(name) for name in names))
    return verdict(there, function, **arguments(semaphores, queue, **more))


def arguments(semaphores: Value, queue: str = "queue1", **more: Value) -> dict[str, Value]:
    count = len(semaphores.values) if isinstance(semaphores, ElementList) else 0
    usual: dict[str, Value] = {
        "command_queue": Handle(queue),
        "num_sema_objects": count,
        "sema_objects": semaphores,
        "sema_payload_list": None,
        "num_events_in_wait_list": 0,
        "event_wait_list": None,
        "event": OutputBuffer(1),
    }
    return {**usual, **more}


def done(there: World, function: str, *names: str, queue: str = "queue1", event: str = "") -> None:
    """Apply a successful semaphore command to the model; ``event`` is the name of its event."""
    given = arguments(ElementList(tuple(map(Handle, names))), queue)
    promise = postcondition_of(there.judged(function, *given.values()))
    assert promise is not None
    promise.apply(0, {"event": [event]})


COMMANDS: list[tuple[tuple[str | None, ...], str, str]] = [
    (("semaphore1", "semaphore2"), "queue1", ""),
    (("of_first",), "queue2", ""),
    (("of_second",), "queue3", ""),
    ((None,), "queue1", "clEnqueueSignalSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1"),
    (("semaphore1", None), "queue1", "clEnqueueSignalSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1"),
    (("of_second",), "queue2", "clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3"),
    (("of_first", "of_second"), "queue2", "clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3"),
    (("foreign",), "queue1", "clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1"),
    (("semaphore1", "foreign"), "queue1", "clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1"),
    (
        ("elsewhere",),
        "queue1",
        "clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4 clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1",
    ),
    (("semaphore1", "semaphore1"), "queue1", UNDEFINED),
]
OF_WAITS = (
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1",
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3",
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4",
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_CONTEXT/1",
)


@pytest.mark.parametrize(("names", "queue", "must"), COMMANDS)
def test_signals(world: World, names: tuple[str | None, ...], queue: str, must: str) -> None:
    musts, _ = asked(world, SIGNAL, *names, queue=queue)
    assert musts == must


@pytest.mark.parametrize(("names", "queue", "must"), COMMANDS)
def test_waits_for_what_is_signaled(world: World, names: tuple[str | None, ...], queue: str, must: str) -> None:
    home = {"queue2": {"of_second": "queue3"}}.get(queue, {})
    for name in {name for name in names if name is not None}:
        done(world, SIGNAL, name, queue=home.get(name, queue))
    musts, _ = asked(world, WAIT, *names, queue=queue)
    assert musts == must.replace(SIGNAL, WAIT)
    assert must == UNDEFINED or set(musts.split()) <= set(OF_WAITS)


def test_payloads_are_needed_by_no_binary_semaphore(world: World) -> None:
    clause = "clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/2"
    assert asked(world, SIGNAL, "semaphore1") == ("", "")
    semaphore = world.model.get(Semaphore, CREATED)
    semaphore.kind = 7
    assert asked(world, SIGNAL, "semaphore1") == ("", clause)
    assert asked(world, SIGNAL, "semaphore1", sema_payload_list=ElementList((1,))) == ("", "")
    semaphore.signaled_by = None
    done(world, SIGNAL, "semaphore1")
    assert asked(world, WAIT, "semaphore1")[1] == "clEnqueueWaitSemaphoresKHR/CL_INVALID_VALUE/2"
    assert asked(world, WAIT, "semaphore1", sema_payload_list=ElementList((1,))) == ("", "")


def test_a_list_of_semaphores_that_is_null_is_never_sent(world: World) -> None:
    musts, _ = verdict(world, SIGNAL, **{**arguments(None), "num_sema_objects": 1})
    assert musts == UNDEFINED
    assert verdict(world, SIGNAL, **arguments(None)) == ("clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/1", "")


def test_turns_of_signals_and_waits(world: World) -> None:
    assert asked(world, WAIT, "semaphore1") == (UNDEFINED, "")
    done(world, SIGNAL, "semaphore1")
    assert asked(world, SIGNAL, "semaphore1") == (UNDEFINED, "clEnqueueSignalSemaphoresKHR/usage/1")
    done(world, WAIT, "semaphore1")
    assert asked(world, WAIT, "semaphore1") == (UNDEFINED, "clEnqueueWaitSemaphoresKHR/usage/1")
    assert asked(world, SIGNAL, "semaphore1") == ("", "")


def test_an_imported_semaphore_may_be_signaled_by_others(world: World) -> None:
    done(world, SIGNAL, "imported")
    assert asked(world, SIGNAL, "imported") == ("", "")
    done(world, WAIT, "imported")
    assert asked(world, WAIT, "imported") == (UNDEFINED, "")


def test_nothing_is_enqueued_behind_what_waits_for_the_user(world: World) -> None:
    made = postcondition_of(world.judged("clCreateUserEvent", Handle("context1"), OutputBuffer(1)))
    assert made is not None
    made.apply("event1", {})
    waits: tuple[Value, ...] = (1, ElementList((Handle("event1"),)))
    listed_event: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": waits[1]}
    assert asked(world, SIGNAL, "semaphore1", **listed_event) == (UNDEFINED, "")
    held = postcondition_of(world.judged("clEnqueueMarkerWithWaitList", Handle("queue1"), *waits, None))
    assert held is not None
    held.apply(0, {})
    assert asked(world, SIGNAL, "semaphore1") == (UNDEFINED, "")
    done(world, SIGNAL, "of_first", queue="queue2")
    assert asked(world, WAIT, "of_first", queue="queue2") == ("", "")


@pytest.mark.parametrize(("held", "allowed"), [(True, False), (False, True)])
def test_only_references_of_the_application_are_released(world: World, held: bool, allowed: bool) -> None:  # noqa: FBT001
    world.model.objects["semaphore1"].references = int(held)
    call = world.call("clReleaseSemaphoreKHR", CREATED)
    assert (usage_rules(world, call) == "clReleaseSemaphoreKHR/usage/1") == allowed


def payload(there: World, name: str) -> object:
    call = there.call(INFO, Handle(name), there.value("CL_SEMAPHORE_PAYLOAD_KHR"), 8, OutputBuffer(8), OutputBuffer(1))
    question = query_request_of(call, there.model)
    assert question is not None
    return getattr(there.oracle.rulebook.expected_value(question), "alternatives", None)


def finished(there: World, *names: str) -> None:
    commands = [each for each in there.model.commands.pending if each.function in names]
    there.model.commands.finish(commands, "clFinish")


def test_the_payload_follows_signals_and_waits(world: World) -> None:
    assert payload(world, "semaphore1") == ((0,),)
    done(world, SIGNAL, "semaphore1")
    assert payload(world, "semaphore1") == ((1,), (0,))
    assert payload(world, "semaphore2") == ((0,),)
    finished(world, SIGNAL)
    assert payload(world, "semaphore1") == ((1,),)
    done(world, WAIT, "semaphore1")
    assert payload(world, "semaphore1") == ((0,), (1,))
    done(world, SIGNAL, "semaphore1")
    finished(world, SIGNAL)
    assert payload(world, "semaphore1") == ((1,),)
    assert payload(world, "imported") == ((0,), (1,))


def test_a_wait_that_is_over_shows_that_its_signal_has_run(world: World) -> None:
    done(world, SIGNAL, "of_second", queue="queue3")
    done(world, SIGNAL, "of_first", queue="queue2")
    first, second = world.model.commands.pending
    semaphore = world.model.get(Semaphore, Handle("of_second"))
    semaphore.device_names = ("device1", "device2")
    done(world, WAIT, "of_second", queue="queue2")
    finished(world, WAIT)
    assert first.has_run
    assert not first.is_complete
    assert second.is_complete
    assert first in world.model.commands.pending


SIZES: list[tuple[str, str, str, int, str, str]] = [
    ("exported", "device1", OPAQUE, 4, "", ""),
    ("semaphore1", "device1", OPAQUE, 4, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1", ""),
    ("exported", "device1", OPAQUE, 3, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/2", ""),
    ("exported", "device2", OPAQUE, 4, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/3", ""),
    ("exported", "device1", SYNC, 4, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1", ""),
]


@pytest.mark.parametrize(("name", "device", "kind", "size", "must", "may"), SIZES)
def test_exports(world: World, name: str, device: str, kind: str, size: int, must: str, may: str) -> None:
    given = (Handle(name), Handle(device), world.value(kind), size, OutputBuffer(max(size, 1)), OutputBuffer(1))
    assert clauses(world.expect(EXPORT, *given)) == (must, may)


def test_an_export_without_memory_and_for_another_device(world: World) -> None:
    given = (Handle("exported"), FIRST, world.value(OPAQUE), 0, None, OutputBuffer(1))
    assert clauses(world.expect(EXPORT, *given)) == ("", "")
    semaphore = world.model.get(Semaphore, Handle("of_first"))
    semaphore.export_types = (world.value(OPAQUE),)
    other = (Handle("of_first"), OTHER, world.value(OPAQUE), 0, None, OutputBuffer(1))
    assert clauses(world.expect(EXPORT, *other)) == ("", "clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4")


def test_a_copy_of_a_payload_is_not_asked_for_before_its_signal(world: World) -> None:
    semaphore = world.model.get(Semaphore, CREATED)
    semaphore.export_types = (world.value(SYNC),)
    given = (CREATED, FIRST, world.value(SYNC), 4, OutputBuffer(4), OutputBuffer(1))
    assert world.expect(EXPORT, *given).undefined
    done(world, SIGNAL, "semaphore1")
    assert not world.expect(EXPORT, *given).undefined


AGAIN_ROWS = [
    ("imported", -1, "", ""),
    ("semaphore1", -1, "clReImportSemaphoreSyncFdKHR/CL_INVALID_SEMAPHORE_KHR/2", ""),
    ("imported", -2, "clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1", ""),
    ("imported", 3, UNDEFINED, ""),
]


@pytest.mark.parametrize(("name", "number", "must", "may"), AGAIN_ROWS)
def test_imports_again(world: World, name: str, number: int, must: str, may: str) -> None:
    assert verdict(world, AGAIN, sema_object=Handle(name), reimport_props=None, fd=number) == (must, may)
