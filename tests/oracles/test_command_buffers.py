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
from clconform.oracles.engine.predicate_result import Decision, May, evaluate
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.command_state import Command
from clconform.oracles.model.devices import Device
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.kernels import KernelArgument
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .recorded import ALONE, ENQUEUE, LAUNCH, UPDATE, Recorded
from .worlds import clauses, usage_rules, verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

CREATE, REMAP = "clCreateCommandBufferKHR", "clRemapCommandBufferKHR"
SIMULTANEOUS, DEVICE_SIDE = "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR", "CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR"
MUTABLE, FLAGS = "CL_COMMAND_BUFFER_MUTABLE_KHR", "CL_COMMAND_BUFFER_FLAGS_KHR"
NO_MORE = "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
TYPE = "CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR"
PAIR = ("device1", "device2")


def queues(*numbers: int | None) -> dict[str, Value]:
    listed = tuple(None if number is None else Handle(f"queue{number}") for number in numbers)
    return {"num_queues": len(listed), "queues": ElementList(listed)}


def broken(world: Recorded, function: str, record: str, **given: Value) -> bool:
    musts, _ = verdict(world, function, **given)
    return record in musts.split()


# creation


@pytest.mark.parametrize(
    ("record", "world", "given", "right"),
    [
        ("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", {"capabilities": 23}, queues(3), queues(1)),
        (
            "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
            {"COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR": 2},
            queues(1),
            queues(4),
        ),
        ("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1", {}, queues(1, 6), queues(1, 2)),
        ("clCreateCommandBufferKHR/CL_INVALID_VALUE/1", {"extensions": ALONE}, queues(1, 2), queues(1)),
        ("clCreateCommandBufferKHR/CL_INVALID_VALUE/1", {}, {**queues(1), "num_queues": 0}, queues(1, 2)),
        ("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3", {"capabilities": 15}, queues(1, 2), queues(1)),
        ("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5", {}, queues(1, 5), queues(1, 2)),
    ],
)
def test_queues_that_a_command_buffer_cannot_be_made_for(
    record: str, world: dict[str, object], given: dict[str, Value], right: dict[str, Value]
) -> None:
    there = Recorded(**world)  # type: ignore[arg-type]
    others: dict[str, Value] = {"properties": None, "errcode_ret": OutputBuffer(1)}
    assert broken(there, CREATE, record, **given, **others)
    assert not broken(there, CREATE, record, **right, **others)


@pytest.mark.parametrize(
    ("platform", "synchronized", "device_side", "wrong"),
    [
        (True, (), True, "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4"),
        (True, (), False, ""),
        (False, PAIR, True, ""),
        (False, PAIR, False, ""),
        (False, (), False, "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5"),
    ],
)
def test_devices_synchronize_as_they_and_the_platform_say(
    platform: bool,  # noqa: FBT001
    synchronized: tuple[str, ...],
    device_side: bool,  # noqa: FBT001
    wrong: str,
) -> None:
    universal = Recorded().value("CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR")
    there = Recorded(platform=universal if platform else 0, COMMAND_BUFFER_SYNC_DEVICES_KHR=synchronized)
    asked = there.items(FLAGS, DEVICE_SIDE, 0) if device_side else None
    musts, _ = verdict(there, CREATE, properties=asked, errcode_ret=OutputBuffer(1), **queues(1, 5))
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
def test_a_root_device_in_the_list_stands_for_its_parts(said: dict[str, object], wrong: bool) -> None:  # noqa: FBT001
    there = Recorded(**said)  # type: ignore[arg-type]
    root = there.roots[0]
    part = Device("device3", platform=there.platform, parent=root, version=root.version, extensions=root.extensions)
    context = there.model.context(Handle("context1"))
    for thing in (part, HostQueue("queue7", context=context, queue_device=part, bits=0, in_order=True)):
        there.model.add(thing)
    given: dict[str, Value] = {"properties": there.items(FLAGS, DEVICE_SIDE, 0), "errcode_ret": OutputBuffer(1)}
    record = "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4"
    for pair in ((1, 7), (7, 1)):
        assert broken(there, CREATE, record, **queues(*pair), **given) is wrong
    assert not broken(there, CREATE, record, **{**queues(1, 7), "num_queues": 1}, **given)
    again: dict[str, Value] = {"num_handles": 0, "handles": None, "handles_ret": None, "errcode_ret": OutputBuffer(1)}
    made = there.with_flags("buffer1", DEVICE_SIDE)
    record = "clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1"
    assert broken(there, REMAP, record, command_buffer=made, automatic=1, **queues(1, 7), **again) is wrong


def test_properties_are_valid_and_supported() -> None:
    there = Recorded(capabilities=27)
    given: dict[str, Value] = {**queues(1), "errcode_ret": OutputBuffer(1)}
    for elements in ((FLAGS, 1 << 60, 0), (FLAGS, 0, FLAGS, 0, 0), (0x7FFF0001, 0, 0)):
        listed = there.items(*elements)
        assert broken(there, CREATE, "clCreateCommandBufferKHR/CL_INVALID_VALUE/3", properties=listed, **given)
    listed = there.items(FLAGS, SIMULTANEOUS, 0)
    assert broken(there, CREATE, "clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1", properties=listed, **given)
    assert verdict(Recorded(), CREATE, properties=listed, **given) == ("", "")
    unsupported = "clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1"
    for flag, query in (
        ("CL_COMMAND_BUFFER_MUTABLE_KHR", "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"),
        (DEVICE_SIDE, "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR"),
    ):
        for number in (0, 1):
            there = Recorded()
            there.roots[0].facts[query] = number
            open_here = verdict(there, CREATE, properties=there.items(FLAGS, flag, 0), **given)
            assert open_here == ("", "" if number else unsupported)


# finalizing and enqueuing

NO_EVENTS: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
OWN: dict[str, Value] = {"num_queues": 0, "queues": None}


@pytest.mark.parametrize(
    ("record", "given"),
    [
        ("clEnqueueCommandBufferKHR/CL_INVALID_VALUE/2", queues(1, 2)),
        ("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1", queues(None)),
        ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", queues(3)),
        ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", queues(4)),
        ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", queues(5)),
        ("clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1", queues(6)),
    ],
)
def test_queues_that_cannot_replace_others(record: str, given: dict[str, Value]) -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1", ended=True)
    assert broken(there, ENQUEUE, record, command_buffer=buffer, **given, **NO_EVENTS)
    for right in (OWN, queues(1), queues(2)):
        assert verdict(there, ENQUEUE, command_buffer=buffer, **right, **NO_EVENTS)[0] == ""


@pytest.mark.parametrize("elements", [("CL_QUEUE_PROPERTIES", 0, 0), None])
def test_a_queue_of_another_list_with_the_same_bits_may_be_refused(elements: tuple[str | int, ...] | None) -> None:
    there = Recorded()
    queue = there.model.objects["queue2"]
    assert isinstance(queue, HostQueue)
    queue.has_property_list, queue.properties = True, there.items(*elements) if elements else None
    given: dict[str, Value] = {"command_buffer": there.command_buffer("buffer1", ended=True), **NO_EVENTS}
    musts, mays = verdict(there, ENQUEUE, **queues(2), **given)
    assert musts == ""
    assert ("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1" in mays) is (elements is not None)


def behind_an_event(there: Recorded, buffer: Handle) -> UserEvent:
    event = UserEvent("event1", context=there.model.context(Handle("context1")), command=Command("clCreateUserEvent"))
    there.model.add(event)
    waits: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    there.does(ENQUEUE, command_buffer=buffer, **OWN, **waits, event=None)
    return event


def open_or_broken(there: Recorded, given: dict[str, Value]) -> bool:
    return any("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2" in some for some in verdict(there, ENQUEUE, **given))


@pytest.mark.parametrize("flag", ["", SIMULTANEOUS])
def test_an_instance_that_is_held_up_is_pending(flag: str) -> None:
    record = "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2"
    there = Recorded()
    buffer = there.with_flags("buffer1", flag, ended=True) if flag else there.command_buffer("buffer1", ended=True)
    given: dict[str, Value] = {"command_buffer": buffer, **OWN, **NO_EVENTS}
    assert not open_or_broken(there, given)
    event = behind_an_event(there, buffer)
    assert broken(there, ENQUEUE, record, **given) is not bool(flag)
    assert event.command is not None
    there.model.commands.finish([event.command])
    assert open_or_broken(there, given) is not bool(flag)
    assert not broken(there, ENQUEUE, record, **given)
    there.does("clFinish", command_queue=Handle("queue1"))
    assert not open_or_broken(there, given)


def test_an_instance_on_two_queues_is_over_after_both() -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1", "queue1", "queue2", ended=True)
    there.does(ENQUEUE, command_buffer=buffer, **OWN, **NO_EVENTS)
    known = there.model.get(CommandBuffer, buffer)
    there.does("clFinish", command_queue=Handle("queue2"))
    assert known.running_instances
    there.does("clFinish", command_queue=Handle("queue1"))
    assert not known.running_instances


UNCLEAR = "nobody knows what the command-buffer holds"


@pytest.mark.parametrize("code", [-9999, -5])
@pytest.mark.parametrize("flag", ["", SIMULTANEOUS])
def test_an_instance_may_be_pending_that_was_refused_for_no_reason(flag: str, code: int) -> None:
    there = Recorded()
    buffer = there.with_flags("buffer1", flag, ended=True) if flag else there.command_buffer("buffer1", ended=True)
    given: dict[str, Value] = {"command_buffer": buffer, **OWN, **NO_EVENTS}
    there.oracle.judge(there.oracle.expect(Call(ENQUEUE, given)), Returned(code))
    assert there.oracle.expect(Call(ENQUEUE, given)).undefined == UNCLEAR
    assert evaluate(is_pending, Call(ENQUEUE, given), there.model) == (Decision.NO if flag else May("unknown-fact"))


@pytest.mark.parametrize(("code", "open_then"), [(-9999, True), (-5, True), (-36, False)])
def test_what_a_command_buffer_holds_is_open_after_a_recording_that_was_refused_for_no_reason(
    code: int, *, open_then: bool
) -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1")
    wrong = there.launch(buffer, command_queue=Handle("queue6")) if code == -36 else there.launch(buffer)
    there.oracle.judge(there.oracle.expect(Call(LAUNCH, wrong)), Returned(code))
    there.does("clFinalizeCommandBufferKHR", command_buffer=buffer)
    given: dict[str, Value] = {"command_buffer": buffer, **OWN, **NO_EVENTS}
    assert there.oracle.expect(Call(ENQUEUE, given)).undefined == (UNCLEAR if open_then else "")


def test_whether_a_command_buffer_is_finalized_is_open_after_an_error_without_a_reason() -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1")
    finalize = Call("clFinalizeCommandBufferKHR", {"command_buffer": buffer})
    assert clauses(there.oracle.expect(finalize)) == ("", "")
    there.oracle.judge(there.oracle.expect(finalize), Returned(-9999))
    assert clauses(there.oracle.expect(finalize)) == ("", "clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")


def test_a_command_is_used_no_more_whose_command_buffer_may_have_been_released() -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1")
    handle = there.record(buffer, 1, "command1")
    query = there.value("CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR")
    asked = there.call("clGetMutableCommandInfoKHR", handle, query, 4, OutputBuffer(4), OutputBuffer(1))
    assert not there.oracle.expect(asked).undefined
    release = Call("clReleaseCommandBufferKHR", {"command_buffer": buffer})
    there.oracle.judge(there.oracle.expect(release), Returned(-9999))
    assert there.oracle.expect(asked).undefined
    assert there.oracle.expect(release).undefined


# recording


def test_a_handle_needs_the_extension_for_updates() -> None:
    for there, wrong in ((Recorded(ALONE), True), (Recorded(), False)):
        given = there.launch(there.command_buffer("buffer1"), mutable_handle=OutputBuffer(1))
        assert broken(there, LAUNCH, "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/2", **given) is wrong


@pytest.mark.parametrize("fields", [1, 2, 3])
def test_only_what_the_device_updates_may_be_asked_for(fields: int) -> None:
    there = Recorded(MUTABLE_DISPATCH_CAPABILITIES_KHR=2)
    listed = there.items("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", fields, 0)
    given = there.launch(there.command_buffer("buffer1"), properties=listed)
    assert broken(there, LAUNCH, "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4", **given) is (fields != 2)


@pytest.mark.parametrize("capabilities", [30, 31])
@pytest.mark.parametrize("title", ["print_ids", "add_index"])
def test_a_kernel_that_prints_needs_the_capability(title: str, capabilities: int) -> None:
    there, record = Recorded(capabilities=capabilities), "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/2"
    there.kernel.function = title
    there.kernel.program.kernels = {title: ()}
    given = there.launch(there.command_buffer("buffer1"))
    wrong = title == "print_ids" and not capabilities & 1
    assert broken(there, LAUNCH, record, **given) is wrong


@pytest.mark.parametrize("capabilities", [29, 31])
@pytest.mark.parametrize("title", ["enqueue_at_once", "add_index"])
def test_a_kernel_that_enqueues_kernels_needs_the_capability(title: str, capabilities: int) -> None:
    there, record = Recorded(capabilities=capabilities), "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/3"
    there.kernel.function = title
    there.kernel.program.kernels = {title: ()}
    given = there.launch(there.command_buffer("buffer1"))
    wrong = title == "enqueue_at_once" and not capabilities & 2
    assert broken(there, LAUNCH, record, **given) is wrong
    there.kernel.program.kernels = {}
    musts, mays = verdict(there, LAUNCH, **given)
    assert record not in musts
    assert (record in mays) is not bool(capabilities & 2)


@pytest.mark.parametrize("of_the_buffer", [True, False])
def test_the_assertion_on_groups_needs_their_size(of_the_buffer: bool) -> None:  # noqa: FBT001
    there, record = Recorded(), "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3"
    name = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR" if of_the_buffer else "CL_MUTABLE_DISPATCH_ASSERTS_KHR"
    listed = there.items(name, NO_MORE, 0)
    buffer = there.command_buffer("buffer1", properties=listed if of_the_buffer else None)
    given = there.launch(buffer, properties=None if of_the_buffer else listed)
    assert not broken(there, LAUNCH, record, **given)
    assert broken(there, LAUNCH, record, **{**given, "local_work_size": None})


def test_recurring_conditions_of_recording() -> None:
    there = Recorded()
    buffer, ended = there.command_buffer("buffer1"), there.command_buffer("buffer2", ended=True)
    several = there.command_buffer("buffer3", "queue1", "queue2")
    there.record(buffer, 7)
    for record, changes in (
        (f"{LAUNCH}/CL_INVALID_OPERATION/1", {"command_buffer": ended}),
        (f"{LAUNCH}/CL_INVALID_COMMAND_QUEUE/2", {"command_queue": Handle("queue2")}),
        (f"{LAUNCH}/CL_INVALID_COMMAND_QUEUE/2", {"command_buffer": several}),
        (f"{LAUNCH}/CL_INVALID_SYNC_POINT_WAIT_LIST_KHR/1", {"num_sync_points_in_wait_list": 1}),
        (f"{LAUNCH}/CL_INVALID_SYNC_POINT_WAIT_LIST_KHR/1", {"sync_point_wait_list": ElementList((7,))}),
    ):
        assert broken(there, LAUNCH, record, **there.launch(buffer, **changes)), record  # type: ignore[arg-type]
    waits: dict[str, Value] = {"num_sync_points_in_wait_list": 1, "sync_point_wait_list": ElementList((7,))}
    assert not verdict(there, LAUNCH, **there.launch(buffer, **waits))[0]
    assert verdict(there, LAUNCH, **there.launch(buffer, **{**waits, "sync_point_wait_list": ElementList((8,))})) == (
        "undefined",
        "",
    )
    alone = Recorded(ALONE)
    named = alone.launch(alone.command_buffer("buffer1"), command_queue=Handle("queue1"))
    assert broken(alone, LAUNCH, f"{LAUNCH}/CL_INVALID_COMMAND_QUEUE/1", **named)


def test_clauses_of_the_command_itself_hold_for_recording_it() -> None:
    there = Recorded()
    given = there.launch(there.command_buffer("buffer1"), work_dim=0)
    assert broken(there, LAUNCH, f"{LAUNCH}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1", **given)


@pytest.mark.parametrize(
    ("queue", "waits", "refused"),
    [("queue3", False, True), ("queue3", True, False), ("queue1", False, False)],
)
def test_commands_that_may_run_at_the_same_time_must_not_meet(queue: str, waits: bool, refused: bool) -> None:  # noqa: FBT001
    there = Recorded()
    buffer = there.command_buffer("buffer1", queue)
    there.record(buffer, 1)
    listed: dict[str, Value] = {"num_sync_points_in_wait_list": 1, "sync_point_wait_list": ElementList((1,))}
    there.record(buffer, 2, **(listed if waits else {}))
    there.does("clFinalizeCommandBufferKHR", command_buffer=buffer)
    undefined = there.expect(ENQUEUE, 0, None, buffer, 0, None, None).undefined
    assert undefined == ("recorded commands that use the same memory may run in any order" if refused else "")


def test_an_instance_works_on_what_was_recorded_each_time_it_runs() -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1")
    memory = [there.model.get(Buffer, Handle(name)).memory for name in ("mem1", "mem2")]
    for view in memory:
        assert view is not None
        view.storage.write(((0, 256),), defined_bytes(bytes(256)))
    there.record(buffer, 1)
    there.kernel.arguments[0] = KernelArgument(None, 8, there.model.objects["mem2"])
    there.does("clFinalizeCommandBufferKHR", command_buffer=buffer)
    for _ in range(2):
        there.does(ENQUEUE, command_buffer=buffer, **OWN, **NO_EVENTS)
    first, second = (view.storage.read(((4 * 5, 4),)).bytes_held for view in memory if view is not None)
    assert int.from_bytes(first, "little") == 5 * 3 + 5
    assert int.from_bytes(second, "little") == 0


def test_an_argument_of_a_recorded_launch_is_not_released() -> None:
    there = Recorded()
    buffer = there.command_buffer("buffer1")
    release = there.call("clReleaseMemObject", Handle("mem1"))
    assert not there.oracle.expect(release).undefined
    there.record(buffer, 1)
    assert "OpenCL:command-buffers/usage/3" in there.oracle.expect(release).undefined
    assert not there.oracle.expect(there.call("clReleaseMemObject", Handle("mem2"))).undefined
    there.does("clReleaseCommandBufferKHR", command_buffer=buffer)
    assert not there.oracle.expect(release).undefined


# remapping


@pytest.mark.parametrize(
    ("record", "world", "given"),
    [
        ("clRemapCommandBufferKHR/CL_INVALID_VALUE/2", {}, queues(1, 2)),
        ("clRemapCommandBufferKHR/CL_INVALID_VALUE/3", {}, {"num_handles": 1}),
        ("clRemapCommandBufferKHR/CL_INVALID_VALUE/3", {}, {"handles_ret": OutputBuffer(1)}),
        (
            "clRemapCommandBufferKHR/CL_INVALID_VALUE/4",
            {},
            {"num_handles": 1, "handles": ElementList((None,)), "handles_ret": OutputBuffer(1)},
        ),
        ("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1", {}, queues(6)),
        ("clRemapCommandBufferKHR/CL_INVALID_OPERATION/1", {"platform": 4}, {}),
        ("clRemapCommandBufferKHR/CL_INVALID_OPERATION/2", {"platform": 2}, {"automatic": 1}),
        ("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", {"capabilities": 23}, queues(3)),
    ],
)
def test_what_cannot_be_remapped(record: str, world: dict[str, object], given: dict[str, Value]) -> None:
    bits = Recorded().value("CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR")
    there = Recorded(**{"platform": bits, **world})  # type: ignore[arg-type]
    if world.get("platform") == 4:
        there.platform.facts["CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR"] = 0
    right: dict[str, Value] = {"command_buffer": there.command_buffer("buffer1"), "automatic": 0, **queues(2)}
    right |= {"num_handles": 0, "handles": None, "handles_ret": None, "errcode_ret": OutputBuffer(1)}
    assert broken(there, REMAP, record, **{**right, **given})
    if given:
        assert not broken(there, REMAP, record, **right)


# updating


def updated(there: Recorded, config: DispatchConfig | None, **changes: Value) -> tuple[str, str]:
    given: dict[str, Value] = {"command_buffer": Handle("buffer1"), "num_configs": 1}
    given |= {"config_types": there.items(TYPE), "configs": DispatchConfigs((config,))}
    return verdict(there, UPDATE, **{**given, **changes})


def with_command(fields: int = 31, *, flag: str = MUTABLE, **changes: Value) -> Recorded:
    there = Recorded()
    buffer = there.with_flags("buffer1", flag)
    listed = there.items("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", fields, 0)
    there.record(buffer, 1, "command1", properties=listed, **changes)
    there.does("clFinalizeCommandBufferKHR", command_buffer=buffer)
    return there


def config(**fields: object) -> DispatchConfig:
    return DispatchConfig(**{"command": Handle("command1"), "work_dim": 1, **fields})  # type: ignore[arg-type]


ARGUMENT = ArgumentUpdate(0, 8, HandleBytes(Handle("mem2")))
BITS = {name: 1 << at for at, name in enumerate(("OFFSET", "SIZE", "LOCAL", "ARGUMENTS", "INFO"))}


@pytest.mark.parametrize(
    ("record", "changed"),
    [
        ("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1", config(command=None)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/4", None),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3", config(global_work_size=(18,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3", config(local_work_size=(3,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/4", config(work_dim=2)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5", config(num_args=1)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5", config(arg_list=(ARGUMENT,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6", config(num_svm_args=1)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6", config(arg_svm_list=())),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7", config(num_exec_infos=1)),
        ("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7", config(exec_info_list=(InfoUpdate(0, 8, None),))),
    ],
)
def test_what_an_update_must_not_be(record: str, changed: DispatchConfig | None) -> None:
    there = with_command()
    assert record in updated(there, changed)[0].split()
    for right in (config(), config(global_work_size=(8,)), config(num_args=1, arg_list=(ARGUMENT,))):
        assert not updated(there, right)[0]


@pytest.mark.parametrize(
    ("record", "field", "changed"),
    [
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/5", "OFFSET", config(global_work_offset=(1,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6", "SIZE", config(global_work_size=(8,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/7", "LOCAL", config(local_work_size=(2,))),
        ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8", "ARGUMENTS", config(num_args=1, arg_list=(ARGUMENT,))),
        (
            "clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/9",
            "INFO",
            config(num_exec_infos=1, exec_info_list=(InfoUpdate(0, 8, None),)),
        ),
    ],
)
def test_what_was_not_to_be_updated_stays(record: str, field: str, changed: DispatchConfig) -> None:
    names = ("GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE", "ARGUMENTS", "EXEC_INFO")
    bit = Recorded().value(f"CL_MUTABLE_DISPATCH_{names[list(BITS).index(field)]}_KHR")
    assert record in updated(with_command(31 & ~bit), changed)[0].split()
    assert record not in updated(with_command(31), changed)[0].split()


def test_an_update_needs_its_flag_and_the_right_type() -> None:
    record = "clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/2"
    assert record in updated(with_command(flag=SIMULTANEOUS), config())[0].split()
    there = with_command()
    assert record not in updated(there, config())[0]
    wrong = updated(there, config(), config_types=ElementList((there.value(TYPE) + 1,)))
    assert wrong[0] == "clUpdateMutableCommandsKHR/CL_INVALID_VALUE/3"


def test_an_update_while_an_instance_is_pending_is_undefined() -> None:
    there = with_command()
    behind_an_event(there, Handle("buffer1"))
    given: dict[str, Value] = {"num_configs": 0, "config_types": None, "configs": None}
    call = there.call(UPDATE, Handle("buffer1"), *given.values())
    assert usage_rules(there, call) == "clUpdateMutableCommandsKHR/usage/1"
    assert usage_rules(with_command(), call) == ""


def test_more_groups_than_were_asserted_are_undefined() -> None:
    there = Recorded()
    buffer = there.with_flags("buffer1", MUTABLE)
    listed = there.items("CL_MUTABLE_DISPATCH_ASSERTS_KHR", NO_MORE, 0)
    there.record(buffer, 1, "command1", properties=listed)
    there.does("clFinalizeCommandBufferKHR", command_buffer=buffer)
    for size, wanted in ((20, "clUpdateMutableCommandsKHR/usage/2"), (16, ""), (12, "")):
        listed_configs = DispatchConfigs((config(global_work_size=(size,)),))
        call = there.call(UPDATE, buffer, 1, there.items(TYPE), listed_configs)
        assert usage_rules(there, call) == wanted


def test_an_update_breaks_what_the_calls_for_it_would() -> None:
    wrong = ArgumentUpdate(1, 8, HandleBytes(Handle("mem2")))
    there = with_command()
    assert (
        f"{UPDATE}/via/clSetKernelArg/CL_INVALID_ARG_INDEX/1"
        in updated(there, config(num_args=1, arg_list=(wrong,)))[0]
    )


@pytest.mark.parametrize(("offset", "must"), [(4, True), (1024, False), (0, False)])
def test_an_updated_launch_has_its_new_arguments(offset: int, *, must: bool) -> None:
    there = with_command()
    there.roots[0].facts["CL_DEVICE_MEM_BASE_ADDR_ALIGN"] = 8192
    there.model.get(Buffer, Handle("mem2")).offset = offset
    record = f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"
    assert (updated(there, config(num_args=1, arg_list=(ARGUMENT,)))[0] == record) is must
    assert not updated(there, config())[0]


def test_an_update_with_a_size_beyond_the_device_breaks_the_launch() -> None:
    there = Recorded()
    there.roots[0].facts["CL_DEVICE_ADDRESS_BITS"] = 32
    buffer = there.with_flags("buffer1", MUTABLE)
    there.record(buffer, 1, "command1", local_work_size=None)
    there.does("clFinalizeCommandBufferKHR", command_buffer=buffer)
    record = f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2"
    assert updated(there, config(global_work_size=(1 << 32,)))[0] == record
    assert not updated(there, config(global_work_size=((1 << 32) - 1,)))[0]
