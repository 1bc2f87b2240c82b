"""Bus addressable memory: calls just inside and outside each limit of the document, and valid uses of signals.

Each call has the error conditions that must and may hold, or is undefined.
"""

from __future__ import annotations

import struct

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import BusAddresses, Data, ElementList, Handle, OffsetPointer, OutputBuffer, Value
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .worlds import Plan, World, verdict_on

SIZE = 8192
ADDRESSABLE, EXTERNAL = 1 << 30, 1 << 31
READ_WRITE, WRITE_ONLY, READ_ONLY, USE, ALLOC, COPY = (1 << bit for bit in range(6))
HERE, THERE, ABROAD = (Handle(f"queue{number}") for number in (1, 2, 3))
OWN, PLAIN, VIEW, LATE, FOREIGN = (Handle(f"mem{number}") for number in range(1, 6))
PLACE = BusAddresses(Handle("bus1"), Handle("bus2"))
WAIT, WRITE, RESIDENT = "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD", "clEnqueueMakeBuffersResidentAMD"
NEVER = ("undefined", "")


def world(*, view: bool = True) -> World:
    """Return two devices in a context: the first has a resident buffer, the second an external view of it."""
    there = World(Plan(), Plan(), version="3.0", extensions="cl_amd_bus_addressable_memory")
    for device in there.roots:
        device.facts |= {"CL_DEVICE_MAX_MEM_ALLOC_SIZE": 1 << 20, "CL_DEVICE_MEM_BASE_ADDR_ALIGN": 1024}
    contexts = [Context(f"context{number}", devices=list(there.roots)) for number in (1, 2)]
    for context in contexts:
        there.model.add(context)
    owners = (contexts[0], contexts[0], contexts[1])
    for queue, context, device in zip((HERE, THERE, ABROAD), owners, (*there.roots, there.roots[0]), strict=True):
        made = HostQueue(queue.name, context=context, queue_device=device)
        there.model.add(made)
    create(there, OWN, ADDRESSABLE | COPY, Data(bytes(SIZE)))
    create(there, PLAIN, READ_WRITE)
    make_resident(there)
    if view:
        create(there, VIEW, EXTERNAL | WRITE_ONLY, PLACE)
    return there


def create(there: World, name: Handle, flags: int, host: Value = None, context: str = "context1") -> None:
    """Create a buffer."""
    call = there.call("clCreateBuffer", Handle(context), flags, SIZE, host, OutputBuffer(1))
    there.oracle.judge(there.oracle.expect(call), Returned(name.name, {"errcode_ret": Output([0], 4)}))


def make_resident(there: World, *buffers: Handle, told: tuple[str | None, ...] = ("bus1", "bus2")) -> list[str]:
    """Make buffers resident; return the requirements that the driver violates if it returns these addresses."""
    listed = buffers or (OWN,)
    call = there.call(
        RESIDENT, HERE, len(listed), ElementList(listed), 1, OutputBuffer(len(listed)), 0, None, OutputBuffer(1)
    )
    outputs = {
        "bus_addresses": Output(list(told), 8 * len(told)),
        "event": Output([f"event{100 + len(there.model.objects)}"], 8),
    }
    judgement = there.oracle.judge(there.oracle.expect(call), Returned(0, outputs, alignment=4096))
    return [record for blame in judgement.deviations for record in blame.requirements]


def did(there: World, function: str, *arguments: Value) -> None:
    """Judge a successful call, which must be defined and must not deviate."""
    call = there.call(function, *arguments)
    expectation = there.oracle.expect(call)
    assert not expectation.undefined, expectation.undefined
    assert not there.oracle.judge(expectation, Returned(0)).deviations


def verdict(there: World, function: str, *arguments: Value) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a call, or ``undefined`` and the violated usage rules."""
    return verdict_on(there, there.call(function, *arguments))


FLAGS, POINTER = "clCreateBuffer/CL_INVALID_VALUE/1", "clCreateBuffer/CL_INVALID_HOST_PTR/3"
NOT_MAPPED, IN_USE = "clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2", "clCreateBuffer/CL_OUT_OF_RESOURCES/2"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (0, ("", "")),
        (READ_WRITE, ("", "")),
        (READ_ONLY, ("", "")),
        (WRITE_ONLY, ("", "")),
        (COPY, ("", "")),
        (ALLOC, (FLAGS, "")),
        (USE, (FLAGS, "")),
        (COPY | ALLOC, (FLAGS, "")),
    ],
)
def test_flags_of_a_buffer_that_others_may_write(flags: int, expected: tuple[str, str]) -> None:
    host = Data(bytes(SIZE)) if flags & (USE | COPY) else None
    call = ("clCreateBuffer", Handle("context1"), ADDRESSABLE | flags, SIZE, host, OutputBuffer(1))
    assert verdict(world(), *call) == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (WRITE_ONLY, ("", NOT_MAPPED)),
        (0, ("", f"{FLAGS} {NOT_MAPPED}")),
        (WRITE_ONLY | ADDRESSABLE, ("", f"{FLAGS} {NOT_MAPPED}")),
        (READ_WRITE, (FLAGS, NOT_MAPPED)),
        (READ_ONLY, (FLAGS, NOT_MAPPED)),
        (WRITE_ONLY | ALLOC, (FLAGS, NOT_MAPPED)),
        (WRITE_ONLY | COPY, (FLAGS, NOT_MAPPED)),
    ],
)
def test_flags_of_memory_of_another_device(flags: int, expected: tuple[str, str]) -> None:
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | flags, SIZE, PLACE, OutputBuffer(1))
    assert verdict(world(view=False), *call) == expected


BUS1, BUS2 = Handle("bus1"), Handle("bus2")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (PLACE, ("", NOT_MAPPED)),
        (BusAddresses(0, BUS2), (POINTER, "")),
        (BusAddresses(BUS1, 0), (POINTER, "")),
        (BusAddresses(0, 0), (POINTER, "")),
        *((BusAddresses(OffsetPointer(BUS1, offset), BUS2), (POINTER, "")) for offset in (1, 8, 2048, 4095, 4097)),
        *((BusAddresses(BUS1, OffsetPointer(BUS2, offset)), (POINTER, "")) for offset in (1, 8, 2048, 4095, 4097)),
        (BusAddresses(OffsetPointer(BUS1, 4096), BUS2), NEVER),
        (BusAddresses(BUS2, BUS1), NEVER),
        (BusAddresses(BUS1, BUS1), NEVER),
        (BusAddresses(Handle("bus9"), BUS2), NEVER),
        (BusAddresses(1 << 20, 1 << 21), NEVER),
        (BusAddresses((1 << 20) + 1, 1 << 21), NEVER),
        (Data(struct.pack("qq", 0, 0).ljust(SIZE, b"\0")), (POINTER, "")),
        (None, ("", POINTER)),
    ],
    ids=str,
)
def test_addresses_that_memory_of_another_device_is_made_at(host: Value, expected: tuple[str, str]) -> None:
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | WRITE_ONLY, SIZE, host, OutputBuffer(1))
    assert verdict(world(view=False), *call) == expected


@pytest.mark.parametrize(("size", "expected"), [(1, ("", NOT_MAPPED)), (SIZE, ("", NOT_MAPPED)), (SIZE + 1, NEVER)])
def test_memory_of_another_device_is_not_made_larger_than_it_is(size: int, expected: tuple[str, str]) -> None:
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | WRITE_ONLY, size, PLACE, OutputBuffer(1))
    assert verdict(world(view=False), *call) == expected


def test_an_address_is_good_for_one_buffer_at_a_time() -> None:
    there = world()
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | WRITE_ONLY, SIZE, PLACE, OutputBuffer(1))
    assert verdict(there, *call) == (NOT_MAPPED, f"{POINTER} {IN_USE}")
    did(there, "clReleaseMemObject", VIEW)
    assert verdict(there, *call) == ("", NOT_MAPPED)


def test_another_context_may_be_refused_the_memory() -> None:
    call = ("clCreateBuffer", Handle("context2"), EXTERNAL | WRITE_ONLY, SIZE, PLACE, OutputBuffer(1))
    assert verdict(world(view=False), *call) == ("", f"{NOT_MAPPED} {IN_USE}")


def test_no_part_is_made_of_a_buffer_on_the_bus() -> None:
    for buffer, expected in ((OWN, NEVER), (VIEW, NEVER), (PLAIN, ("", ""))):
        call = ("clCreateSubBuffer", buffer, 0, 0x1220, Data(struct.pack("@NN", 0, 128)), OutputBuffer(1))
        assert verdict(world(), *call) == expected


OPERATION_1 = "clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1"
OPERATION_2 = "clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2"


@pytest.mark.parametrize(
    ("count", "buffers", "output_buffer", "event", "expected"),
    [
        (1, (OWN,), OutputBuffer(1), OutputBuffer(1), ("", "")),
        (1, (OWN,), OutputBuffer(1), None, ("", OPERATION_1)),
        (1, None, OutputBuffer(1), OutputBuffer(1), (OPERATION_1, "")),
        (1, (OWN,), None, OutputBuffer(1), (OPERATION_1, "")),
        (1, None, None, None, (OPERATION_1, "")),
        (0, None, None, OutputBuffer(1), NEVER),
        (0, (OWN,), OutputBuffer(1), OutputBuffer(1), NEVER),
        (2, (OWN, OWN), OutputBuffer(2), OutputBuffer(1), ("", "")),
        (2, (OWN,), OutputBuffer(2), OutputBuffer(1), NEVER),
        (2, (OWN, OWN), OutputBuffer(1), OutputBuffer(1), NEVER),
        (1, (PLAIN,), OutputBuffer(1), OutputBuffer(1), (OPERATION_2, "")),
        (1, (VIEW,), OutputBuffer(1), OutputBuffer(1), (OPERATION_2, "")),
        (1, (None,), OutputBuffer(1), OutputBuffer(1), (OPERATION_2, "")),
        (2, (OWN, PLAIN), OutputBuffer(2), OutputBuffer(1), (OPERATION_2, "")),
        (2, (None, OWN), OutputBuffer(2), OutputBuffer(1), (OPERATION_2, "")),
        (1, (PLAIN,), None, OutputBuffer(1), (f"{OPERATION_1} {OPERATION_2}", "")),
    ],
    ids=str,
)
def test_buffers_made_resident(
    count: int, buffers: tuple[Handle | None, ...] | None, output_buffer: Value, event: Value, expected: tuple[str, str]
) -> None:
    listed = None if buffers is None else ElementList(buffers)
    assert verdict(world(), RESIDENT, HERE, count, listed, 1, output_buffer, 0, None, event) == expected


def test_what_the_document_has_no_word_on_is_not_asked() -> None:
    there = world()
    rest = (1, ElementList((OWN,)), 1, OutputBuffer(1))
    assert verdict(there, RESIDENT, None, *rest, 0, None, OutputBuffer(1)) == NEVER
    assert verdict(there, RESIDENT, ABROAD, *rest, 0, None, OutputBuffer(1)) == NEVER
    assert verdict(there, RESIDENT, HERE, *rest, 1, None, OutputBuffer(1)) == NEVER
    assert verdict(there, WRITE, ABROAD, VIEW, 1, 0, 0, None, None) == NEVER
    assert verdict(there, WRITE, THERE, VIEW, 1, 0, 1, None, None) == NEVER


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        (("bus3", "bus4", "bus5", "bus6"), False),
        (("bus3", "bus4", "bus5", "bus4"), False),
        (("bus3", "bus4", "bus3", "bus6"), True),
        (("bus3", "bus4", "bus5", "bus3"), True),
        (("bus1", "bus4", "bus5", "bus6"), True),
        (("bus3", None, "bus5", "bus6"), True),
        ((None, "bus4", "bus5", "bus6"), True),
        (("bus3", "bus4", "untouched", "untouched"), True),
    ],
)
def test_addresses_that_are_told(told: tuple[str | None, ...], wrong: bool) -> None:  # noqa: FBT001
    there = world()
    for name in (LATE, FOREIGN):
        create(there, name, ADDRESSABLE)
    assert make_resident(there, LATE, FOREIGN, told=told) == ([f"{RESIDENT}/success"] if wrong else [])


BEYOND, QUEUE = "clEnqueueWriteSignalAMD/CL_INVALID_BUFFER_SIZE/1", "clEnqueueWriteSignalAMD/CL_INVALID_COMMAND_QUEUE/1"
OBJECT_1, OBJECT_2 = (
    "clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/2",
)


@pytest.mark.parametrize(
    ("queue", "buffer", "offset", "expected"),
    [
        (THERE, VIEW, 0, ("", "")),
        (THERE, VIEW, SIZE - 4, ("", "")),
        (THERE, VIEW, SIZE - 3, (BEYOND, "")),
        (THERE, VIEW, SIZE, (BEYOND, "")),
        (THERE, VIEW, (1 << 64) - 1, (BEYOND, "")),
        (None, VIEW, 0, (QUEUE, "")),
        (THERE, None, 0, (OBJECT_1, "")),
        (THERE, OWN, 0, (OBJECT_2, "")),
        (THERE, PLAIN, 0, (OBJECT_2, "")),
        (None, PLAIN, SIZE, (f"{BEYOND} {QUEUE} {OBJECT_2}", "")),
        (HERE, VIEW, 0, NEVER),
    ],
    ids=str,
)
def test_signals_written(queue: Value, buffer: Value, offset: int, expected: tuple[str, str]) -> None:
    assert verdict(world(), WRITE, queue, buffer, 1, offset, 0, None, OutputBuffer(1)) == expected


@pytest.mark.parametrize(
    ("queue", "buffer", "expected"),
    [
        (HERE, OWN, ("", "")),
        (None, OWN, ("clEnqueueWaitSignalAMD/CL_INVALID_COMMAND_QUEUE/1", "")),
        (HERE, None, ("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/1", "")),
        (HERE, VIEW, ("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2", "")),
        (HERE, PLAIN, ("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2", "")),
        (THERE, OWN, NEVER),
    ],
    ids=str,
)
def test_signals_waited_for(queue: Value, buffer: Value, expected: tuple[str, str]) -> None:
    assert verdict(world(), WAIT, queue, buffer, 1, 0, None, OutputBuffer(1)) == expected


def test_a_buffer_that_was_never_resident_is_not_waited_for() -> None:
    there = world()
    create(there, LATE, ADDRESSABLE)
    assert verdict(there, WAIT, HERE, LATE, 1, 0, None, OutputBuffer(1)) == NEVER


def test_signals_without_an_address_are_not_waited_for() -> None:
    there = world()
    create(there, LATE, ADDRESSABLE)
    assert make_resident(there, LATE, told=("bus3", None)) == [f"{RESIDENT}/success"]
    assert verdict(there, WAIT, HERE, LATE, 1, 0, None, OutputBuffer(1)) == (
        "clEnqueueWaitSignalAMD/CL_INVALID_VALUE/1",
        "",
    )


def test_signals_without_an_address_are_not_written() -> None:
    there = world()
    place = there.model.get(Buffer, VIEW).bus
    assert place is not None
    assert verdict(there, WRITE, THERE, VIEW, 1, 0, 0, None, None) == ("", "")
    place.signal = ""
    found = verdict(there, WRITE, THERE, VIEW, 1, 0, 0, None, None)
    assert found == ("clEnqueueWriteSignalAMD/CL_INVALID_VALUE/1", "")


def signal(there: World, value: int, offset: int = 0) -> None:
    """Write a signal and flush its queue."""
    did(there, WRITE, THERE, VIEW, value, offset, 0, None, None)
    did(there, "clFlush", THERE)


@pytest.mark.parametrize(("before", "value", "made"), [(0, 1, True), (5, 6, True), (5, 5, False), (5, 4, False)])
def test_values_only_grow(before: int, value: int, made: bool) -> None:  # noqa: FBT001
    there = world()
    if before:
        signal(there, before)
    expected = ("", "") if made else ("undefined", "clEnqueueWriteSignalAMD/usage/1")
    assert verdict(there, WRITE, THERE, VIEW, value, 0, 0, None, None) == expected


@pytest.mark.parametrize(
    ("written", "value", "made"), [((), 1, True), ((), 0, False), ((3,), 3, True), ((3,), 4, True), ((3,), 2, False)]
)
def test_what_is_waited_for(written: tuple[int, ...], value: int, made: bool) -> None:  # noqa: FBT001
    there = world()
    for each in written:
        signal(there, each)
    assert (verdict(there, WAIT, HERE, OWN, value, 0, None, None) != NEVER) == made


def test_nothing_is_waited_for_that_nobody_can_write_or_that_may_be_elsewhere() -> None:
    assert verdict(world(view=False), WAIT, HERE, OWN, 1, 0, None, None) == NEVER
    there = world()
    signal(there, 1, offset=8)
    assert verdict(there, WAIT, HERE, OWN, 1, 0, None, None) == NEVER


def test_no_call_waits_for_a_signal_that_is_not_on_its_way() -> None:
    there = world()
    did(there, WAIT, HERE, OWN, 1, 0, None, None)
    assert verdict(there, "clFinish", HERE) == NEVER
    assert verdict(there, "clReleaseMemObject", VIEW) == NEVER
    assert verdict(there, WAIT, HERE, OWN, 2, 0, None, None) == NEVER
    assert verdict(there, WRITE, THERE, VIEW, 2, 0, 0, None, None) == NEVER
    assert verdict(there, WRITE, THERE, VIEW, 1, 4, 0, None, None) == NEVER
    did(there, WRITE, THERE, VIEW, 1, 0, 0, None, None)
    assert verdict(there, "clFinish", HERE) == NEVER
    did(there, "clFlush", THERE)
    assert verdict(there, WRITE, THERE, VIEW, 2, 0, 0, None, None) == NEVER
    did(there, "clFinish", HERE)
    assert verdict(there, WRITE, THERE, VIEW, 2, 0, 0, None, None) == ("", "")


def reading(there: World) -> tuple[str, str]:
    """Return the expectation of a read of the buffer on its own device."""
    return verdict(there, "clEnqueueReadBuffer", HERE, OWN, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def test_what_another_device_writes_is_read_after_its_signal_only() -> None:
    there = world()
    assert reading(there) == ("", "")
    did(there, "clEnqueueWriteBuffer", THERE, VIEW, 0, 0, 4, Data(b"abcd"), 0, None, None)
    assert reading(there) == NEVER
    did(there, "clFinish", THERE)
    assert reading(there) == NEVER
    signal(there, 1)
    assert reading(there) == NEVER
    did(there, WAIT, HERE, OWN, 1, 0, None, None)
    assert reading(there) == ("", "")
    call = there.call("clEnqueueReadBuffer", HERE, OWN, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)
    right = Returned(0, {"ptr": Output([], SIZE, b"abcd".ljust(SIZE, b"\0"))})
    stale = Returned(0, {"ptr": Output([], SIZE, bytes(SIZE))})
    expectation = there.oracle.expect(call)
    (blame,) = there.oracle.judge(expectation, stale).deviations
    assert blame.requirements == (f"{WAIT}/success",)
    assert not there.oracle.judge(there.oracle.expect(call), right).deviations


def test_a_wait_before_the_write_covers_it_once_the_signal_is_written() -> None:
    there = world()
    did(there, WAIT, HERE, OWN, 1, 0, None, None)
    did(there, "clEnqueueWriteBuffer", THERE, VIEW, 0, 0, 4, Data(b"abcd"), 0, None, None)
    assert reading(there) == NEVER
    signal(there, 1)
    assert reading(there) == ("", "")


def test_memory_is_not_given_back_while_another_device_writes_it() -> None:
    there = world()
    did(there, "clEnqueueWriteBuffer", THERE, VIEW, 0, 0, 4, Data(b"abcd"), 0, None, None)
    assert verdict(there, "clReleaseMemObject", OWN) == NEVER
    assert verdict(there, "clReleaseMemObject", VIEW) == ("", "")
    did(there, "clFinish", THERE)
    assert verdict(there, "clReleaseMemObject", OWN) == ("", "")


@pytest.mark.parametrize(
    "call",
    [
        ("clEnqueueReadBuffer", THERE, VIEW, 1, 0, 4, OutputBuffer(4), 0, None, None),
        ("clEnqueueCopyBuffer", THERE, VIEW, PLAIN, 0, 0, 4, 0, None, None),
        ("clEnqueueMigrateMemObjects", THERE, 1, ElementList((VIEW,)), 0, 0, None, None),
        ("clEnqueueMapBuffer", THERE, VIEW, 1, 4, 0, 4, 0, None, None, OutputBuffer(1)),
        ("clEnqueueWriteBuffer", HERE, VIEW, 1, 0, 4, Data(b"abcd"), 0, None, None),
        ("clEnqueueWriteBuffer", THERE, OWN, 1, 0, 4, Data(b"abcd"), 0, None, None),
    ],
    ids=lambda call: call[0],
)
def test_what_is_never_done_with_memory_on_the_bus(call: tuple[Value, ...]) -> None:
    function, *arguments = call
    assert verdict(world(), str(function), *arguments) == NEVER


def told_status(there: World, status: int) -> list[str]:
    """Return the requirements that the driver violates if the event of the wait has this status."""
    query = {"event": Handle("event1"), "param_name": there.value("CL_EVENT_COMMAND_EXECUTION_STATUS")}
    call = Call(
        "clGetEventInfo",
        {**query, "param_value_size": 4, "param_value": OutputBuffer(4), "param_value_size_ret": OutputBuffer(1)},
    )
    raw = struct.pack("i", status)
    outputs = {"param_value": Output([status], 4, raw), "param_value_size_ret": Output([4], 8)}
    judgement = there.oracle.judge(there.oracle.expect(call), Returned(0, outputs))
    return [record for blame in judgement.deviations for record in blame.requirements]


def test_a_wait_is_not_over_before_its_value_is_written() -> None:
    there = world()
    signal(there, 1)
    did(there, "clFinish", THERE)
    call = there.call(WAIT, HERE, OWN, 2, 0, None, OutputBuffer(1))
    there.oracle.judge(there.oracle.expect(call), Returned(0, {"event": Output(["event1"], 8)}))
    assert not told_status(there, 3)
    assert not told_status(there, 1)
    assert told_status(there, 0) == ["CL_EVENT_COMMAND_EXECUTION_STATUS"]
    signal(there, 2)
    assert not told_status(there, 0)
    did(there, "clFinish", HERE)
    assert not told_status(there, 0)
    assert told_status(there, 1) == ["CL_EVENT_COMMAND_EXECUTION_STATUS"]
