"""Error conditions of calls on command-buffers, and the model state after successful calls (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Returned
from clconform.calls.values import (
    ArgumentUpdate,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    InfoUpdate,
    OutputBuffer,
)
from clconform.oracles.chapters.command_buffers.error_conditions.enqueuing import is_pending
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.engine.predicate_result import NO, evaluate, may
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.devices import Device
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.kernels import KernelArgument
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .command_buffer_setup import BASE_EXTENSION, ENQUEUE, RECORD_KERNEL, UPDATE, CommandBufferSetup
from .oracle_setup import find_broken_usage_rules, get_condition_ids, get_verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

CREATE, REMAP = "clCreateCommandBufferKHR", "clRemapCommandBufferKHR"
SIMULTANEOUS, DEVICE_SIDE = "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR", "CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR"
MUTABLE, FLAGS = "CL_COMMAND_BUFFER_MUTABLE_KHR", "CL_COMMAND_BUFFER_FLAGS_KHR"
NO_ADDITIONAL_GROUPS = "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
CONFIG_TYPE = "CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR"
DEVICE_PAIR = ("device1", "device2")


def build_queue_arguments(*numbers: int | None) -> dict[str, Value]:
    listed = tuple(None if number is None else Handle(f"queue{number}") for number in numbers)
    return {"num_queues": len(listed), "queues": ElementList(listed)}


def violates_requirement(world: CommandBufferSetup, function: str, requirement: str, **given: Value) -> bool:
    musts, _ = get_verdict(world, function, **given)
    return requirement in musts.split()


# creation


@pytest.mark.parametrize(
    ("record", "world", "given", "right"),
    [
        (
            "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",
            {"capabilities": 23},
            build_queue_arguments(3),
            build_queue_arguments(1),
        ),
        (
            "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
            {"COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR": 2},
            build_queue_arguments(1),
            build_queue_arguments(4),
        ),
        ("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1", {}, build_queue_arguments(1, 6), build_queue_arguments(1, 2)),
        (
            "clCreateCommandBufferKHR/CL_INVALID_VALUE/1",
            {"extensions": BASE_EXTENSION},
            build_queue_arguments(1, 2),
            build_queue_arguments(1),
        ),
        (
            "clCreateCommandBufferKHR/CL_INVALID_VALUE/1",
            {},
            {**build_queue_arguments(1), "num_queues": 0},
            build_queue_arguments(1, 2),
        ),
        (
            "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3",
            {"capabilities": 15},
            build_queue_arguments(1, 2),
            build_queue_arguments(1),
        ),
        (
            "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5",
            {},
            build_queue_arguments(1, 5),
            build_queue_arguments(1, 2),
        ),
    ],
)
def test_creation_with_incompatible_queues_is_rejected(
    record: str, world: dict[str, object], given: dict[str, Value], right: dict[str, Value]
) -> None:
    there = CommandBufferSetup(**world)  # type: ignore[arg-type]
    others: dict[str, Value] = {"properties": None, "errcode_ret": OutputBuffer(1)}
    assert violates_requirement(there, CREATE, record, **given, **others)
    assert not violates_requirement(there, CREATE, record, **right, **others)


@pytest.mark.parametrize(
    ("platform", "synchronized", "device_side", "wrong"),
    [
        (True, (), True, "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4"),
        (True, (), False, ""),
        (False, DEVICE_PAIR, True, ""),
        (False, DEVICE_PAIR, False, ""),
        (False, (), False, "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5"),
    ],
)
def test_creation_for_devices_without_common_sync_is_rejected(
    platform: bool,  # noqa: FBT001
    synchronized: tuple[str, ...],
    device_side: bool,  # noqa: FBT001
    wrong: str,
) -> None:
    universal = CommandBufferSetup().value("CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR")
    there = CommandBufferSetup(platform=universal if platform else 0, COMMAND_BUFFER_SYNC_DEVICES_KHR=synchronized)
    asked = there.create_list(FLAGS, DEVICE_SIDE, 0) if device_side else None
    musts, _ = get_verdict(there, CREATE, properties=asked, errcode_ret=OutputBuffer(1), **build_queue_arguments(1, 5))
    assert musts == wrong


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"COMMAND_BUFFER_SYNC_DEVICES_KHR": ()}, True),
        ({"COMMAND_BUFFER_SYNC_DEVICES_KHR": ("device1",)}, False),
        ({"COMMAND_BUFFER_SYNC_DEVICES_KHR": None, "COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR": 0}, True),
        ({"COMMAND_BUFFER_SYNC_DEVICES_KHR": None, "COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR": 1}, False),
    ],
)
def test_root_device_in_sync_devices_list_includes_its_sub_devices(said: dict[str, object], wrong: bool) -> None:  # noqa: FBT001
    there = CommandBufferSetup(**said)  # type: ignore[arg-type]
    root = there.roots[0]
    part = Device("device3", platform=there.platform, parent=root, version=root.version, extensions=root.extensions)
    context = there.model.context(Handle("context1"))
    for thing in (part, HostQueue("queue7", context=context, queue_device=part, bits=0, in_order=True)):
        there.model.add(thing)
    given: dict[str, Value] = {"properties": there.create_list(FLAGS, DEVICE_SIDE, 0), "errcode_ret": OutputBuffer(1)}
    requirement = "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4"
    for pair in ((1, 7), (7, 1)):
        assert violates_requirement(there, CREATE, requirement, **build_queue_arguments(*pair), **given) is wrong
    assert not violates_requirement(
        there, CREATE, requirement, **{**build_queue_arguments(1, 7), "num_queues": 1}, **given
    )
    again: dict[str, Value] = {"num_handles": 0, "handles": None, "handles_ret": None, "errcode_ret": OutputBuffer(1)}
    made = there.create_with_flag("buffer1", DEVICE_SIDE)
    requirement = "clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1"
    assert (
        violates_requirement(
            there, REMAP, requirement, command_buffer=made, automatic=1, **build_queue_arguments(1, 7), **again
        )
        is wrong
    )


def test_creation_with_invalid_or_unsupported_properties_is_rejected() -> None:
    there = CommandBufferSetup(capabilities=27)
    given: dict[str, Value] = {**build_queue_arguments(1), "errcode_ret": OutputBuffer(1)}
    for elements in ((FLAGS, 1 << 60, 0), (FLAGS, 0, FLAGS, 0, 0), (0x7FFF0001, 0, 0)):
        listed = there.create_list(*elements)
        assert violates_requirement(
            there, CREATE, "clCreateCommandBufferKHR/CL_INVALID_VALUE/3", properties=listed, **given
        )
    listed = there.create_list(FLAGS, SIMULTANEOUS, 0)
    assert violates_requirement(
        there, CREATE, "clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1", properties=listed, **given
    )
    assert get_verdict(CommandBufferSetup(), CREATE, properties=listed, **given) == ("", "")
    unsupported = "clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1"
    for flag, query in (
        ("CL_COMMAND_BUFFER_MUTABLE_KHR", "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"),
        (DEVICE_SIDE, "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR"),
    ):
        for number in (0, 1):
            there = CommandBufferSetup()
            there.roots[0].facts[query] = number
            open_here = get_verdict(there, CREATE, properties=there.create_list(FLAGS, flag, 0), **given)
            assert open_here == ("", "" if number else unsupported)


# finalizing and enqueuing

NO_EVENTS: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
OWN_QUEUES: dict[str, Value] = {"num_queues": 0, "queues": None}


@pytest.mark.parametrize(
    ("record", "given"),
    [
        ("clEnqueueCommandBufferKHR/CL_INVALID_VALUE/2", build_queue_arguments(1, 2)),
        ("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1", build_queue_arguments(None)),
        ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", build_queue_arguments(3)),
        ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", build_queue_arguments(4)),
        ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", build_queue_arguments(5)),
        ("clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1", build_queue_arguments(6)),
    ],
)
def test_enqueue_with_incompatible_replacement_queues_is_rejected(record: str, given: dict[str, Value]) -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1", ended=True)
    assert violates_requirement(there, ENQUEUE, record, command_buffer=buffer, **given, **NO_EVENTS)
    for right in (OWN_QUEUES, build_queue_arguments(1), build_queue_arguments(2)):
        assert get_verdict(there, ENQUEUE, command_buffer=buffer, **right, **NO_EVENTS)[0] == ""


@pytest.mark.parametrize("elements", [("CL_QUEUE_PROPERTIES", 0, 0), None])
def test_replacement_queue_with_different_property_list_may_be_rejected(elements: tuple[str | int, ...] | None) -> None:
    there = CommandBufferSetup()
    queue = there.model.objects["queue2"]
    assert isinstance(queue, HostQueue)
    queue.has_property_list, queue.properties = True, there.create_list(*elements) if elements else None
    given: dict[str, Value] = {"command_buffer": there.create_command_buffer("buffer1", ended=True), **NO_EVENTS}
    musts, mays = get_verdict(there, ENQUEUE, **build_queue_arguments(2), **given)
    assert musts == ""
    assert ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1" in mays) is (elements is not None)


def enqueue_after_user_event(there: CommandBufferSetup, buffer: Handle) -> UserEvent:
    event = UserEvent("event1", context=there.model.context(Handle("context1")), command=Command("clCreateUserEvent"))
    there.model.add(event)
    waits: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    there.complete_call(ENQUEUE, command_buffer=buffer, **OWN_QUEUES, **waits, event=None)
    return event


def may_be_pending(there: CommandBufferSetup, given: dict[str, Value]) -> bool:
    return any(
        "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2" in some for some in get_verdict(there, ENQUEUE, **given)
    )


@pytest.mark.parametrize("flag", ["", SIMULTANEOUS])
def test_enqueued_instance_counts_as_pending_while_it_is_blocked(flag: str) -> None:
    requirement = "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2"
    there = CommandBufferSetup()
    buffer = (
        there.create_with_flag("buffer1", flag, ended=True)
        if flag
        else there.create_command_buffer("buffer1", ended=True)
    )
    given: dict[str, Value] = {"command_buffer": buffer, **OWN_QUEUES, **NO_EVENTS}
    assert not may_be_pending(there, given)
    event = enqueue_after_user_event(there, buffer)
    assert violates_requirement(there, ENQUEUE, requirement, **given) is not bool(flag)
    assert event.command is not None
    there.model.commands.finish([event.command])
    assert may_be_pending(there, given) is not bool(flag)
    assert not violates_requirement(there, ENQUEUE, requirement, **given)
    there.complete_call("clFinish", command_queue=Handle("queue1"))
    assert not may_be_pending(there, given)


def test_instance_on_two_queues_ends_after_both_queues_are_finished() -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1", "queue1", "queue2", ended=True)
    there.complete_call(ENQUEUE, command_buffer=buffer, **OWN_QUEUES, **NO_EVENTS)
    known = there.model.get(CommandBuffer, buffer)
    there.complete_call("clFinish", command_queue=Handle("queue2"))
    assert known.running_instances
    there.complete_call("clFinish", command_queue=Handle("queue1"))
    assert not known.running_instances


UNKNOWN_CONTENTS = "nobody knows what the command-buffer holds"


@pytest.mark.parametrize("code", [-9999, -5])
@pytest.mark.parametrize("flag", ["", SIMULTANEOUS])
def test_enqueue_is_undefined_after_unexpected_error_of_an_enqueue(flag: str, code: int) -> None:
    there = CommandBufferSetup()
    buffer = (
        there.create_with_flag("buffer1", flag, ended=True)
        if flag
        else there.create_command_buffer("buffer1", ended=True)
    )
    given: dict[str, Value] = {"command_buffer": buffer, **OWN_QUEUES, **NO_EVENTS}
    there.oracle.judge(there.oracle.expect(Call(ENQUEUE, given)), Returned(code))
    assert there.oracle.expect(Call(ENQUEUE, given)).undefined == UNKNOWN_CONTENTS
    assert evaluate(is_pending, Call(ENQUEUE, given), there.model) == (NO if flag else may("unknown-fact"))


@pytest.mark.parametrize(("code", "open_then"), [(-9999, True), (-5, True), (-36, False)])
def test_recorded_commands_are_unknown_after_unexpected_recording_error(code: int, *, open_then: bool) -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1")
    wrong = (
        there.build_kernel_arguments(buffer, command_queue=Handle("queue6"))
        if code == -36
        else there.build_kernel_arguments(buffer)
    )
    there.oracle.judge(there.oracle.expect(Call(RECORD_KERNEL, wrong)), Returned(code))
    there.complete_call("clFinalizeCommandBufferKHR", command_buffer=buffer)
    given: dict[str, Value] = {"command_buffer": buffer, **OWN_QUEUES, **NO_EVENTS}
    assert there.oracle.expect(Call(ENQUEUE, given)).undefined == (UNKNOWN_CONTENTS if open_then else "")


def test_second_finalization_may_fail_after_unexpected_error() -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1")
    finalize = Call("clFinalizeCommandBufferKHR", {"command_buffer": buffer})
    assert get_condition_ids(there.oracle.expect(finalize)) == ("", "")
    there.oracle.judge(there.oracle.expect(finalize), Returned(-9999))
    assert get_condition_ids(there.oracle.expect(finalize)) == ("", "clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")


def test_query_of_command_is_undefined_if_its_buffer_may_be_released() -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1")
    handle = there.record_kernel(buffer, 1, "command1")
    query = there.value("CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR")
    asked = there.call("clGetMutableCommandInfoKHR", handle, query, 4, OutputBuffer(4), OutputBuffer(1))
    assert not there.oracle.expect(asked).undefined
    release = Call("clReleaseCommandBufferKHR", {"command_buffer": buffer})
    there.oracle.judge(there.oracle.expect(release), Returned(-9999))
    assert there.oracle.expect(asked).undefined
    assert there.oracle.expect(release).undefined


# recording


def test_mutable_handle_without_mutable_dispatch_extension_is_rejected() -> None:
    for there, wrong in ((CommandBufferSetup(BASE_EXTENSION), True), (CommandBufferSetup(), False)):
        given = there.build_kernel_arguments(there.create_command_buffer("buffer1"), mutable_handle=OutputBuffer(1))
        assert (
            violates_requirement(there, RECORD_KERNEL, "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/2", **given) is wrong
        )


@pytest.mark.parametrize("fields", [1, 2, 3])
def test_request_for_unsupported_updatable_fields_is_rejected(fields: int) -> None:
    there = CommandBufferSetup(MUTABLE_DISPATCH_CAPABILITIES_KHR=2)
    listed = there.create_list("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", fields, 0)
    given = there.build_kernel_arguments(there.create_command_buffer("buffer1"), properties=listed)
    assert violates_requirement(there, RECORD_KERNEL, "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4", **given) is (
        fields != 2
    )


def create_setup_with_kernel(title: str, capabilities: int) -> tuple[CommandBufferSetup, dict[str, Value]]:
    """Return a setup with a kernel of this name, and the arguments that record it into a command-buffer."""
    there = CommandBufferSetup(capabilities=capabilities)
    there.kernel.function = title
    there.kernel.program.kernels = {title: ()}
    return there, there.build_kernel_arguments(there.create_command_buffer("buffer1"))


@pytest.mark.parametrize("capabilities", [30, 31])
@pytest.mark.parametrize("title", ["print_ids", "add_index"])
def test_recording_of_printf_kernel_is_rejected_without_capability(title: str, capabilities: int) -> None:
    there, given = create_setup_with_kernel(title, capabilities)
    requirement = "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/2"
    wrong = title == "print_ids" and not capabilities & 1
    assert violates_requirement(there, RECORD_KERNEL, requirement, **given) is wrong


@pytest.mark.parametrize("capabilities", [29, 31])
@pytest.mark.parametrize("title", ["enqueue_at_once", "add_index"])
def test_recording_of_enqueueing_kernel_is_rejected_without_capability(title: str, capabilities: int) -> None:
    there, given = create_setup_with_kernel(title, capabilities)
    requirement = "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/3"
    wrong = title == "enqueue_at_once" and not capabilities & 2
    assert violates_requirement(there, RECORD_KERNEL, requirement, **given) is wrong
    there.kernel.program.kernels = {}
    musts, mays = get_verdict(there, RECORD_KERNEL, **given)
    assert requirement not in musts
    assert (requirement in mays) is not bool(capabilities & 2)


@pytest.mark.parametrize("of_the_buffer", [True, False])
def test_recording_with_work_group_assertion_without_local_size_is_rejected(of_the_buffer: bool) -> None:  # noqa: FBT001
    there, requirement = CommandBufferSetup(), "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3"
    name = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR" if of_the_buffer else "CL_MUTABLE_DISPATCH_ASSERTS_KHR"
    listed = there.create_list(name, NO_ADDITIONAL_GROUPS, 0)
    buffer = there.create_command_buffer("buffer1", properties=listed if of_the_buffer else None)
    given = there.build_kernel_arguments(buffer, properties=None if of_the_buffer else listed)
    assert not violates_requirement(there, RECORD_KERNEL, requirement, **given)
    assert violates_requirement(there, RECORD_KERNEL, requirement, **{**given, "local_work_size": None})


def test_recording_with_invalid_queue_or_sync_points_is_rejected() -> None:
    there = CommandBufferSetup()
    buffer, ended = there.create_command_buffer("buffer1"), there.create_command_buffer("buffer2", ended=True)
    several = there.create_command_buffer("buffer3", "queue1", "queue2")
    there.record_kernel(buffer, 7)
    for requirement, changes in (
        (f"{RECORD_KERNEL}/CL_INVALID_OPERATION/1", {"command_buffer": ended}),
        (f"{RECORD_KERNEL}/CL_INVALID_COMMAND_QUEUE/2", {"command_queue": Handle("queue2")}),
        (f"{RECORD_KERNEL}/CL_INVALID_COMMAND_QUEUE/2", {"command_buffer": several}),
        (f"{RECORD_KERNEL}/CL_INVALID_SYNC_POINT_WAIT_LIST_KHR/1", {"num_sync_points_in_wait_list": 1}),
        (f"{RECORD_KERNEL}/CL_INVALID_SYNC_POINT_WAIT_LIST_KHR/1", {"sync_point_wait_list": ElementList((7,))}),
    ):
        assert violates_requirement(
            there, RECORD_KERNEL, requirement, **there.build_kernel_arguments(buffer, **changes)
        ), requirement  # type: ignore[arg-type]
    waits: dict[str, Value] = {"num_sync_points_in_wait_list": 1, "sync_point_wait_list": ElementList((7,))}
    assert not get_verdict(there, RECORD_KERNEL, **there.build_kernel_arguments(buffer, **waits))[0]
    assert get_verdict(
        there,
        RECORD_KERNEL,
        **there.build_kernel_arguments(buffer, **{**waits, "sync_point_wait_list": ElementList((8,))}),
    ) == (
        "undefined",
        "",
    )
    alone = CommandBufferSetup(BASE_EXTENSION)
    named = alone.build_kernel_arguments(alone.create_command_buffer("buffer1"), command_queue=Handle("queue1"))
    assert violates_requirement(alone, RECORD_KERNEL, f"{RECORD_KERNEL}/CL_INVALID_COMMAND_QUEUE/1", **named)


@pytest.mark.parametrize(
    ("function", "several", "number"), [(RECORD_KERNEL, False, 1), (RECORD_KERNEL, True, 2), (ENQUEUE, True, 1)]
)
def test_call_may_fail_after_release_of_a_queue_of_the_command_buffer(
    function: str, number: int, *, several: bool
) -> None:
    there = CommandBufferSetup() if several else CommandBufferSetup(BASE_EXTENSION)
    buffer = there.create_command_buffer("buffer1", ended=function == ENQUEUE)
    waits: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None}
    given = (
        {"num_queues": 0, "queues": None, "command_buffer": buffer, **waits}
        if function == ENQUEUE
        else there.build_kernel_arguments(buffer)
    )
    requirement = f"{function}/CL_INVALID_COMMAND_QUEUE/{number}"
    musts, mays = get_verdict(there, function, **given)
    assert requirement not in f"{musts} {mays}".split()
    for queue in there.model.objects_of_class(HostQueue):
        queue.references = 0
    musts, mays = get_verdict(there, function, **given)
    assert requirement not in musts.split()
    assert requirement in mays.split()


def test_recording_function_inherits_conditions_of_enqueue_function() -> None:
    there = CommandBufferSetup()
    given = there.build_kernel_arguments(there.create_command_buffer("buffer1"), work_dim=0)
    assert violates_requirement(
        there, RECORD_KERNEL, f"{RECORD_KERNEL}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1", **given
    )


@pytest.mark.parametrize(
    ("queue", "waits", "refused"),
    [("queue3", False, True), ("queue3", True, False), ("queue1", False, False)],
)
def test_enqueue_of_unordered_commands_on_the_same_memory_is_undefined(queue: str, waits: bool, refused: bool) -> None:  # noqa: FBT001
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1", queue)
    there.record_kernel(buffer, 1)
    listed: dict[str, Value] = {"num_sync_points_in_wait_list": 1, "sync_point_wait_list": ElementList((1,))}
    there.record_kernel(buffer, 2, **(listed if waits else {}))
    there.complete_call("clFinalizeCommandBufferKHR", command_buffer=buffer)
    undefined = there.expect(ENQUEUE, 0, None, buffer, 0, None, None).undefined
    assert undefined == ("recorded commands that use the same memory may run in any order" if refused else "")


def test_enqueued_instance_uses_the_arguments_set_at_recording() -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1")
    memory = [there.model.get(Buffer, Handle(name)).memory for name in ("mem1", "mem2")]
    for view in memory:
        assert view is not None
        view.storage.write(((0, 256),), defined_bytes(bytes(256)))
    there.record_kernel(buffer, 1)
    there.kernel.arguments[0] = KernelArgument(None, 8, there.model.objects["mem2"])
    there.complete_call("clFinalizeCommandBufferKHR", command_buffer=buffer)
    for _ in range(2):
        there.complete_call(ENQUEUE, command_buffer=buffer, **OWN_QUEUES, **NO_EVENTS)
    first, second = (view.storage.read(((4 * 5, 4),)).bytes_held for view in memory if view is not None)
    assert int.from_bytes(first, "little") == 5 * 3 + 5
    assert int.from_bytes(second, "little") == 0


def test_release_of_buffer_in_recorded_arguments_is_undefined() -> None:
    there = CommandBufferSetup()
    buffer = there.create_command_buffer("buffer1")
    release = there.call("clReleaseMemObject", Handle("mem1"))
    assert not there.oracle.expect(release).undefined
    there.record_kernel(buffer, 1)
    assert "OpenCL:command-buffers/usage/3" in there.oracle.expect(release).undefined
    assert not there.oracle.expect(there.call("clReleaseMemObject", Handle("mem2"))).undefined
    there.complete_call("clReleaseCommandBufferKHR", command_buffer=buffer)
    assert not there.oracle.expect(release).undefined


# remapping


@pytest.mark.parametrize(
    ("record", "world", "given"),
    [
        ("clRemapCommandBufferKHR/CL_INVALID_VALUE/2", {}, build_queue_arguments(1, 2)),
        ("clRemapCommandBufferKHR/CL_INVALID_VALUE/3", {}, {"num_handles": 1}),
        ("clRemapCommandBufferKHR/CL_INVALID_VALUE/3", {}, {"handles_ret": OutputBuffer(1)}),
        (
            "clRemapCommandBufferKHR/CL_INVALID_VALUE/4",
            {},
            {"num_handles": 1, "handles": ElementList((None,)), "handles_ret": OutputBuffer(1)},
        ),
        ("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1", {}, build_queue_arguments(6)),
        ("clRemapCommandBufferKHR/CL_INVALID_OPERATION/1", {"platform": 4}, {}),
        ("clRemapCommandBufferKHR/CL_INVALID_OPERATION/2", {"platform": 2}, {"automatic": 1}),
        ("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", {"capabilities": 23}, build_queue_arguments(3)),
    ],
)
def test_invalid_remapping_is_rejected(record: str, world: dict[str, object], given: dict[str, Value]) -> None:
    bits = CommandBufferSetup().value("CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR")
    there = CommandBufferSetup(**{"platform": bits, **world})  # type: ignore[arg-type]
    if world.get("platform") == 4:
        there.platform.facts["CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR"] = 0
    right: dict[str, Value] = {
        "command_buffer": there.create_command_buffer("buffer1"),
        "automatic": 0,
        **build_queue_arguments(2),
    }
    right |= {"num_handles": 0, "handles": None, "handles_ret": None, "errcode_ret": OutputBuffer(1)}
    assert violates_requirement(there, REMAP, record, **{**right, **given})
    if given:
        assert not violates_requirement(there, REMAP, record, **right)


# updating


def expect_update(there: CommandBufferSetup, config: DispatchConfig | None, **changes: Value) -> tuple[str, str]:
    given: dict[str, Value] = {"command_buffer": Handle("buffer1"), "num_configs": 1}
    given |= {"config_types": there.create_list(CONFIG_TYPE), "configs": DispatchConfigs((config,))}
    return get_verdict(there, UPDATE, **{**given, **changes})


def set_up_mutable_command(fields: int = 31, *, flag: str = MUTABLE, **changes: Value) -> CommandBufferSetup:
    there = CommandBufferSetup()
    buffer = there.create_with_flag("buffer1", flag)
    listed = there.create_list("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", fields, 0)
    there.record_kernel(buffer, 1, "command1", properties=listed, **changes)
    there.complete_call("clFinalizeCommandBufferKHR", command_buffer=buffer)
    return there


def create_config(**fields: object) -> DispatchConfig:
    return DispatchConfig(**{"command": Handle("command1"), "work_dim": 1, **fields})  # type: ignore[arg-type]


ARGUMENT_UPDATE = ArgumentUpdate(0, 8, HandleBytes(Handle("mem2")))
FIELD_BITS = {name: 1 << at for at, name in enumerate(("OFFSET", "SIZE", "LOCAL", "ARGUMENTS", "INFO"))}


@pytest.mark.parametrize(
    ("record", "changed"),
    [
        ("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1", create_config(command=None)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/4", None),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3", create_config(global_work_size=(18,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3", create_config(local_work_size=(3,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/4", create_config(work_dim=2)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5", create_config(num_args=1)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5", create_config(arg_list=(ARGUMENT_UPDATE,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6", create_config(num_svm_args=1)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6", create_config(arg_svm_list=())),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7", create_config(num_exec_infos=1)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7", create_config(exec_info_list=(InfoUpdate(0, 8, None),))),
    ],
)
def test_invalid_update_of_mutable_command_is_rejected(record: str, changed: DispatchConfig | None) -> None:
    there = set_up_mutable_command()
    assert record in expect_update(there, changed)[0].split()
    for right in (
        create_config(),
        create_config(global_work_size=(8,)),
        create_config(num_args=1, arg_list=(ARGUMENT_UPDATE,)),
    ):
        assert not expect_update(there, right)[0]


@pytest.mark.parametrize(
    ("record", "field", "changed"),
    [
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/5", "OFFSET", create_config(global_work_offset=(1,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6", "SIZE", create_config(global_work_size=(8,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/7", "LOCAL", create_config(local_work_size=(2,))),
        (
            "clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8",
            "ARGUMENTS",
            create_config(num_args=1, arg_list=(ARGUMENT_UPDATE,)),
        ),
        (
            "clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/9",
            "INFO",
            create_config(num_exec_infos=1, exec_info_list=(InfoUpdate(0, 8, None),)),
        ),
    ],
)
def test_update_of_field_that_is_not_updatable_is_rejected(record: str, field: str, changed: DispatchConfig) -> None:
    names = ("GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE", "ARGUMENTS", "EXEC_INFO")
    bit = CommandBufferSetup().value(f"CL_MUTABLE_DISPATCH_{names[list(FIELD_BITS).index(field)]}_KHR")
    assert record in expect_update(set_up_mutable_command(31 & ~bit), changed)[0].split()
    assert record not in expect_update(set_up_mutable_command(31), changed)[0].split()


def test_update_without_mutable_flag_or_with_invalid_type_is_rejected() -> None:
    requirement = "clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/2"
    assert requirement in expect_update(set_up_mutable_command(flag=SIMULTANEOUS), create_config())[0].split()
    there = set_up_mutable_command()
    assert requirement not in expect_update(there, create_config())[0]
    wrong = expect_update(there, create_config(), config_types=ElementList((there.value(CONFIG_TYPE) + 1,)))
    assert wrong[0] == "clUpdateMutableCommandsKHR/CL_INVALID_VALUE/3"


def test_update_while_instance_is_pending_is_undefined() -> None:
    there = set_up_mutable_command()
    enqueue_after_user_event(there, Handle("buffer1"))
    given: dict[str, Value] = {"num_configs": 0, "config_types": None, "configs": None}
    call = there.call(UPDATE, Handle("buffer1"), *given.values())
    assert find_broken_usage_rules(there, call) == "clUpdateMutableCommandsKHR/usage/1"
    assert find_broken_usage_rules(set_up_mutable_command(), call) == ""


def test_update_to_more_work_groups_than_asserted_is_undefined() -> None:
    there = CommandBufferSetup()
    buffer = there.create_with_flag("buffer1", MUTABLE)
    listed = there.create_list("CL_MUTABLE_DISPATCH_ASSERTS_KHR", NO_ADDITIONAL_GROUPS, 0)
    there.record_kernel(buffer, 1, "command1", properties=listed)
    there.complete_call("clFinalizeCommandBufferKHR", command_buffer=buffer)
    for size, wanted in ((20, "clUpdateMutableCommandsKHR/usage/2"), (16, ""), (12, "")):
        listed_configs = DispatchConfigs((create_config(global_work_size=(size,)),))
        call = there.call(UPDATE, buffer, 1, there.create_list(CONFIG_TYPE), listed_configs)
        assert find_broken_usage_rules(there, call) == wanted


def test_update_inherits_conditions_of_set_kernel_arg() -> None:
    wrong = ArgumentUpdate(1, 8, HandleBytes(Handle("mem2")))
    there = set_up_mutable_command()
    assert (
        f"{UPDATE}/via/clSetKernelArg/CL_INVALID_ARG_INDEX/1"
        in expect_update(there, create_config(num_args=1, arg_list=(wrong,)))[0]
    )


@pytest.mark.parametrize(("offset", "must"), [(4, True), (1024, False), (0, False)])
def test_update_to_misaligned_sub_buffer_argument_is_rejected(offset: int, *, must: bool) -> None:
    there = set_up_mutable_command()
    there.roots[0].facts["CL_DEVICE_MEM_BASE_ADDR_ALIGN"] = 8192
    there.model.get(Buffer, Handle("mem2")).offset = offset
    requirement = f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"
    assert (expect_update(there, create_config(num_args=1, arg_list=(ARGUMENT_UPDATE,)))[0] == requirement) is must
    assert not expect_update(there, create_config())[0]


def test_update_to_size_above_the_address_range_is_rejected() -> None:
    there = CommandBufferSetup()
    there.roots[0].facts["CL_DEVICE_ADDRESS_BITS"] = 32
    buffer = there.create_with_flag("buffer1", MUTABLE)
    there.record_kernel(buffer, 1, "command1", local_work_size=None)
    there.complete_call("clFinalizeCommandBufferKHR", command_buffer=buffer)
    requirement = f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2"
    assert expect_update(there, create_config(global_work_size=(1 << 32,)))[0] == requirement
    assert not expect_update(there, create_config(global_work_size=((1 << 32) - 1,)))[0]
