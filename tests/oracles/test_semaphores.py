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

from .oracle_setup import DevicePlan, OracleSetup, find_broken_usage_rules, get_condition_ids, get_verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

CREATE, INFO = "clCreateSemaphoreWithPropertiesKHR", "clGetSemaphoreInfoKHR"
SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
EXPORT, REIMPORT = "clGetSemaphoreHandleForTypeKHR", "clReImportSemaphoreSyncFdKHR"
TYPE, BINARY, DEVICES = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "TYPE_BINARY", "DEVICE_HANDLE_LIST"))
EXPORTS, OPAQUE, SYNC = (
    f"CL_SEMAPHORE_{name}_KHR" for name in ("EXPORT_HANDLE_TYPES", "HANDLE_OPAQUE_FD", "HANDLE_SYNC_FD")
)
EXTENSIONS = " ".join(
    ("cl_khr_semaphore", *(f"cl_khr_external_semaphore{end}" for end in ("", "_opaque_fd", "_sync_fd")))
)
FIRST, SECOND = Handle("device1"), Handle("device2")
UNDEFINED = "undefined"
CREATED = Handle("semaphore1")


@pytest.fixture
def oracle_setup() -> OracleSetup:
    """Return a setup of two devices, with contexts of the first, both and the second, queues and semaphores."""
    there = OracleSetup(DevicePlan(), DevicePlan(), extensions=EXTENSIONS)
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


def create_list(there: OracleSetup, *elements: str | int | Handle) -> ElementList:
    return ElementList(tuple(there.value(each) if isinstance(each, str) else each for each in elements))


def join_ids(*codes: str, of: str = CREATE) -> str:
    return " ".join(sorted(f"{of}/{code}" for code in codes))


BINARY_TYPE = (TYPE, BINARY)
LIST_CASES: list[tuple[str, tuple[str | int | Handle, ...], str, str]] = [
    ("context1", (*BINARY_TYPE, 0), "", ""),
    ("context1", (*BINARY_TYPE, DEVICES, FIRST, 0, 0), "", ""),
    ("context1", (DEVICES, FIRST, 0, *BINARY_TYPE, 0), "", ""),
    ("context1", (*BINARY_TYPE, EXPORTS, OPAQUE, 0, 0), "", ""),
    ("context1", (*BINARY_TYPE, EXPORTS, 0, 0), "", ""),
    ("context1", (*BINARY_TYPE, SYNC, -1, 0), "", ""),
    ("context2", (*BINARY_TYPE, DEVICES, SECOND, 0, 0), "", ""),
    ("context1", (0,), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4", ""),
    ("context1", (DEVICES, FIRST, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4", ""),
    ("context1", (TYPE, 7, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*BINARY_TYPE, *BINARY_TYPE, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*BINARY_TYPE, 0x7FFF0001, 1, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*BINARY_TYPE, EXPORTS, 1, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*BINARY_TYPE, SYNC, -2, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*BINARY_TYPE, OPAQUE, -1, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context2", (*BINARY_TYPE, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1", ""),
    ("context1", (*BINARY_TYPE, EXPORTS, SYNC, 0, 0), "", "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1"),
    ("context1", (*BINARY_TYPE, DEVICES, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1", ""),
    (
        "context1",
        (*BINARY_TYPE, DEVICES, FIRST, FIRST, 0, 0),
        "",
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1",
    ),
    (
        "context2",
        (*BINARY_TYPE, DEVICES, FIRST, SECOND, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1",
        "",
    ),
    ("context1", (*BINARY_TYPE, DEVICES, SECOND, 0, 0), "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/1", ""),
    (
        "context2",
        (*BINARY_TYPE, SYNC, -1, DEVICES, SECOND, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_DEVICE/2",
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
    ),
    ("context2", (*BINARY_TYPE, SYNC, -1, DEVICES, FIRST, 0, 0), "", ""),
    (
        "context1",
        (*BINARY_TYPE, EXPORTS, OPAQUE, SYNC, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/2",
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
    ),
    ("context1", (*BINARY_TYPE, SYNC, -1, SYNC, -1, 0), join_ids("CL_INVALID_PROPERTY/1", "CL_INVALID_PROPERTY/2"), ""),
    (
        "context1",
        (*BINARY_TYPE, SYNC, -1, EXPORTS, OPAQUE, 0, 0),
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_OPERATION/1",
        "",
    ),
    ("context1", (*BINARY_TYPE, OPAQUE, 5, 0), UNDEFINED, ""),
    ("context1", (*BINARY_TYPE, DEVICES, FIRST, 0), UNDEFINED, ""),
    ("context1", BINARY_TYPE, UNDEFINED, ""),
]


@pytest.mark.parametrize(("context", "elements", "must", "may"), LIST_CASES)
def test_invalid_semaphore_property_lists_are_rejected(
    oracle_setup: OracleSetup, context: str, elements: tuple[str | int | Handle, ...], must: str, may: str
) -> None:
    given = create_list(oracle_setup, *elements)
    assert get_verdict(
        oracle_setup, CREATE, context=Handle(context), sema_props=given, errcode_ret=OutputBuffer(1)
    ) == (must, may)


def test_semaphore_with_two_imported_handles_is_rejected(oracle_setup: OracleSetup) -> None:
    given = create_list(oracle_setup, *BINARY_TYPE, SYNC, -1, OPAQUE, -1, 0)
    musts, _ = get_verdict(
        oracle_setup, CREATE, context=Handle("context1"), sema_props=given, errcode_ret=OutputBuffer(1)
    )
    assert "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2" in musts


def judge_command(
    there: OracleSetup, function: str, *names: str | None, queue: str = "queue1", **more: Value
) -> tuple[str, str]:
    """Return the verdict on a semaphore command."""
    semaphores = ElementList(tuple(None if name is None else Handle(name) for name in names))
    return get_verdict(there, function, **build_arguments(semaphores, queue, **more))


def build_arguments(semaphores: Value, queue: str = "queue1", **more: Value) -> dict[str, Value]:
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


def apply_command(there: OracleSetup, function: str, *names: str, queue: str = "queue1", event: str = "") -> None:
    """Apply a successful semaphore command to the model. ``event`` is the name of its event."""
    given = build_arguments(ElementList(tuple(map(Handle, names))), queue)
    promise = postcondition_of(there.create_call_context(function, *given.values()))
    assert promise is not None
    promise.apply(0, {"event": [event]})


COMMAND_CASES: list[tuple[tuple[str | None, ...], str, str]] = [
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
WAIT_CONDITIONS = (
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1",
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3",
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4",
    "clEnqueueWaitSemaphoresKHR/CL_INVALID_CONTEXT/1",
)


@pytest.mark.parametrize(("names", "queue", "must"), COMMAND_CASES)
def test_invalid_signal_commands_are_rejected(
    oracle_setup: OracleSetup, names: tuple[str | None, ...], queue: str, must: str
) -> None:
    musts, _ = judge_command(oracle_setup, SIGNAL, *names, queue=queue)
    assert musts == must


@pytest.mark.parametrize(("names", "queue", "must"), COMMAND_CASES)
def test_invalid_waits_for_signaled_semaphores_are_rejected(
    oracle_setup: OracleSetup, names: tuple[str | None, ...], queue: str, must: str
) -> None:
    home = {"queue2": {"of_second": "queue3"}}.get(queue, {})
    for name in {name for name in names if name is not None}:
        apply_command(oracle_setup, SIGNAL, name, queue=home.get(name, queue))
    musts, _ = judge_command(oracle_setup, WAIT, *names, queue=queue)
    assert musts == must.replace(SIGNAL, WAIT)
    assert must == UNDEFINED or set(musts.split()) <= set(WAIT_CONDITIONS)


def test_signal_of_binary_semaphore_without_payload_is_valid(oracle_setup: OracleSetup) -> None:
    clause = "clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/2"
    assert judge_command(oracle_setup, SIGNAL, "semaphore1") == ("", "")
    semaphore = oracle_setup.model.get(Semaphore, CREATED)
    semaphore.kind = 7
    assert judge_command(oracle_setup, SIGNAL, "semaphore1") == ("", clause)
    assert judge_command(oracle_setup, SIGNAL, "semaphore1", sema_payload_list=ElementList((1,))) == ("", "")
    semaphore.signaled_by = None
    apply_command(oracle_setup, SIGNAL, "semaphore1")
    assert judge_command(oracle_setup, WAIT, "semaphore1")[1] == "clEnqueueWaitSemaphoresKHR/CL_INVALID_VALUE/2"
    assert judge_command(oracle_setup, WAIT, "semaphore1", sema_payload_list=ElementList((1,))) == ("", "")


def test_command_with_null_semaphore_list_is_undefined(oracle_setup: OracleSetup) -> None:
    musts, _ = get_verdict(oracle_setup, SIGNAL, **{**build_arguments(None), "num_sema_objects": 1})
    assert musts == UNDEFINED
    assert get_verdict(oracle_setup, SIGNAL, **build_arguments(None)) == (
        "clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/1",
        "",
    )


def test_two_consecutive_signals_or_waits_of_a_semaphore_are_undefined(oracle_setup: OracleSetup) -> None:
    assert judge_command(oracle_setup, WAIT, "semaphore1") == (UNDEFINED, "")
    apply_command(oracle_setup, SIGNAL, "semaphore1")
    assert judge_command(oracle_setup, SIGNAL, "semaphore1") == (UNDEFINED, "clEnqueueSignalSemaphoresKHR/usage/1")
    apply_command(oracle_setup, WAIT, "semaphore1")
    assert judge_command(oracle_setup, WAIT, "semaphore1") == (UNDEFINED, "clEnqueueWaitSemaphoresKHR/usage/1")
    assert judge_command(oracle_setup, SIGNAL, "semaphore1") == ("", "")


def test_second_signal_of_imported_semaphore_is_defined(oracle_setup: OracleSetup) -> None:
    apply_command(oracle_setup, SIGNAL, "imported")
    assert judge_command(oracle_setup, SIGNAL, "imported") == ("", "")
    apply_command(oracle_setup, WAIT, "imported")
    assert judge_command(oracle_setup, WAIT, "imported") == (UNDEFINED, "")


def test_semaphore_commands_after_unset_user_event_are_undefined(oracle_setup: OracleSetup) -> None:
    made = postcondition_of(oracle_setup.create_call_context("clCreateUserEvent", Handle("context1"), OutputBuffer(1)))
    assert made is not None
    made.apply("event1", {})
    waits: tuple[Value, ...] = (1, ElementList((Handle("event1"),)))
    listed_event: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": waits[1]}
    assert judge_command(oracle_setup, SIGNAL, "semaphore1", **listed_event) == (UNDEFINED, "")
    held = postcondition_of(
        oracle_setup.create_call_context("clEnqueueMarkerWithWaitList", Handle("queue1"), *waits, None)
    )
    assert held is not None
    held.apply(0, {})
    assert judge_command(oracle_setup, SIGNAL, "semaphore1") == (UNDEFINED, "")
    apply_command(oracle_setup, SIGNAL, "of_first", queue="queue2")
    assert judge_command(oracle_setup, WAIT, "of_first", queue="queue2") == ("", "")


@pytest.mark.parametrize(("held", "allowed"), [(True, False), (False, True)])
def test_release_of_semaphore_without_references_is_undefined(
    oracle_setup: OracleSetup,
    held: bool,  # noqa: FBT001
    allowed: bool,  # noqa: FBT001
) -> None:
    oracle_setup.model.objects["semaphore1"].references = int(held)
    call = oracle_setup.call("clReleaseSemaphoreKHR", CREATED)
    assert (find_broken_usage_rules(oracle_setup, call) == "clReleaseSemaphoreKHR/usage/1") == allowed


def get_expected_payload(there: OracleSetup, name: str) -> object:
    call = there.call(INFO, Handle(name), there.value("CL_SEMAPHORE_PAYLOAD_KHR"), 8, OutputBuffer(8), OutputBuffer(1))
    question = query_request_of(call, there.model)
    assert question is not None
    return getattr(there.oracle.rulebook.expected_value(question), "alternatives", None)


def finish_commands(there: OracleSetup, *names: str) -> None:
    commands = [each for each in there.model.commands.pending if each.function in names]
    there.model.commands.finish(commands, "clFinish")


def test_payload_query_must_match_completed_signals_and_waits(oracle_setup: OracleSetup) -> None:
    assert get_expected_payload(oracle_setup, "semaphore1") == ((0,),)
    apply_command(oracle_setup, SIGNAL, "semaphore1")
    assert get_expected_payload(oracle_setup, "semaphore1") == ((1,), (0,))
    assert get_expected_payload(oracle_setup, "semaphore2") == ((0,),)
    finish_commands(oracle_setup, SIGNAL)
    assert get_expected_payload(oracle_setup, "semaphore1") == ((1,),)
    apply_command(oracle_setup, WAIT, "semaphore1")
    assert get_expected_payload(oracle_setup, "semaphore1") == ((0,), (1,))
    apply_command(oracle_setup, SIGNAL, "semaphore1")
    finish_commands(oracle_setup, SIGNAL)
    assert get_expected_payload(oracle_setup, "semaphore1") == ((1,),)
    assert get_expected_payload(oracle_setup, "imported") == ((0,), (1,))


def test_completed_semaphore_wait_implies_a_completed_signal(oracle_setup: OracleSetup) -> None:
    apply_command(oracle_setup, SIGNAL, "of_second", queue="queue3")
    apply_command(oracle_setup, SIGNAL, "of_first", queue="queue2")
    first, second = oracle_setup.model.commands.pending
    semaphore = oracle_setup.model.get(Semaphore, Handle("of_second"))
    semaphore.device_names = ("device1", "device2")
    apply_command(oracle_setup, WAIT, "of_second", queue="queue2")
    finish_commands(oracle_setup, WAIT)
    assert first.has_run
    assert not first.is_complete
    assert second.is_complete
    assert first in oracle_setup.model.commands.pending


EXPORT_CASES: list[tuple[str, str, str, int, str, str]] = [
    ("exported", "device1", OPAQUE, 4, "", ""),
    ("semaphore1", "device1", OPAQUE, 4, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1", ""),
    ("exported", "device1", OPAQUE, 3, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/2", ""),
    ("exported", "device2", OPAQUE, 4, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/3", ""),
    ("exported", "device1", SYNC, 4, "clGetSemaphoreHandleForTypeKHR/CL_INVALID_VALUE/1", ""),
]


@pytest.mark.parametrize(("name", "device", "kind", "size", "must", "may"), EXPORT_CASES)
def test_invalid_semaphore_exports_are_rejected(
    oracle_setup: OracleSetup, name: str, device: str, kind: str, size: int, must: str, may: str
) -> None:
    given = (Handle(name), Handle(device), oracle_setup.value(kind), size, OutputBuffer(max(size, 1)), OutputBuffer(1))
    assert get_condition_ids(oracle_setup.expect(EXPORT, *given)) == (must, may)


def test_semaphore_export_for_another_device_may_be_rejected(oracle_setup: OracleSetup) -> None:
    given = (Handle("exported"), FIRST, oracle_setup.value(OPAQUE), 0, None, OutputBuffer(1))
    assert get_condition_ids(oracle_setup.expect(EXPORT, *given)) == ("", "")
    semaphore = oracle_setup.model.get(Semaphore, Handle("of_first"))
    semaphore.export_types = (oracle_setup.value(OPAQUE),)
    other = (Handle("of_first"), SECOND, oracle_setup.value(OPAQUE), 0, None, OutputBuffer(1))
    assert get_condition_ids(oracle_setup.expect(EXPORT, *other)) == (
        "",
        "clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4",
    )


def test_export_of_sync_fd_before_a_signal_is_undefined(oracle_setup: OracleSetup) -> None:
    semaphore = oracle_setup.model.get(Semaphore, CREATED)
    semaphore.export_types = (oracle_setup.value(SYNC),)
    given = (CREATED, FIRST, oracle_setup.value(SYNC), 4, OutputBuffer(4), OutputBuffer(1))
    assert oracle_setup.expect(EXPORT, *given).undefined
    apply_command(oracle_setup, SIGNAL, "semaphore1")
    assert not oracle_setup.expect(EXPORT, *given).undefined


REIMPORT_CASES = [
    ("imported", -1, "", ""),
    ("semaphore1", -1, "clReImportSemaphoreSyncFdKHR/CL_INVALID_SEMAPHORE_KHR/2", ""),
    ("imported", -2, "clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1", ""),
    ("imported", 3, UNDEFINED, ""),
]


@pytest.mark.parametrize(("name", "number", "must", "may"), REIMPORT_CASES)
def test_invalid_reimports_are_rejected(oracle_setup: OracleSetup, name: str, number: int, must: str, may: str) -> None:
    assert get_verdict(oracle_setup, REIMPORT, sema_object=Handle(name), reimport_props=None, fd=number) == (must, may)
