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

from .oracle_setup import DevicePlan, OracleSetup, get_call_verdict

SIZE = 8192
ADDRESSABLE, EXTERNAL = 1 << 30, 1 << 31
READ_WRITE, WRITE_ONLY, READ_ONLY, USE, ALLOC, COPY = (1 << bit for bit in range(6))
FIRST_QUEUE, SECOND_QUEUE, FOREIGN_QUEUE = (Handle(f"queue{number}") for number in (1, 2, 3))
RESIDENT_BUFFER, PLAIN_BUFFER, EXTERNAL_BUFFER, NEW_BUFFER, OTHER_NEW_BUFFER = (
    Handle(f"mem{number}") for number in range(1, 6)
)
BUS_PLACE = BusAddresses(Handle("bus1"), Handle("bus2"))
WAIT, WRITE, RESIDENT = "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD", "clEnqueueMakeBuffersResidentAMD"
UNDEFINED = ("undefined", "")


def set_up_bus_memory(*, view: bool = True) -> OracleSetup:
    """Return a setup of two devices.

    The first has a resident buffer; by default, the second has an external buffer for it.
    """
    there = OracleSetup(DevicePlan(), DevicePlan(), version="3.0", extensions="cl_amd_bus_addressable_memory")
    for device in there.roots:
        device.facts |= {"CL_DEVICE_MAX_MEM_ALLOC_SIZE": 1 << 20, "CL_DEVICE_MEM_BASE_ADDR_ALIGN": 1024}
    contexts = [Context(f"context{number}", devices=list(there.roots)) for number in (1, 2)]
    for context in contexts:
        there.model.add(context)
    owners = (contexts[0], contexts[0], contexts[1])
    for queue, context, device in zip(
        (FIRST_QUEUE, SECOND_QUEUE, FOREIGN_QUEUE), owners, (*there.roots, there.roots[0]), strict=True
    ):
        made = HostQueue(queue.name, context=context, queue_device=device)
        there.model.add(made)
    create_buffer(there, RESIDENT_BUFFER, ADDRESSABLE | COPY, Data(bytes(SIZE)))
    create_buffer(there, PLAIN_BUFFER, READ_WRITE)
    make_resident(there)
    if view:
        create_buffer(there, EXTERNAL_BUFFER, EXTERNAL | WRITE_ONLY, BUS_PLACE)
    return there


def create_buffer(there: OracleSetup, name: Handle, flags: int, host: Value = None, context: str = "context1") -> None:
    """Judge a successful clCreateBuffer call that returns ``name``."""
    call = there.call("clCreateBuffer", Handle(context), flags, SIZE, host, OutputBuffer(1))
    there.oracle.judge(there.oracle.expect(call), Returned(name.name, {"errcode_ret": Output([0], 4)}))


def make_resident(
    there: OracleSetup, *buffers: Handle, addresses: tuple[str | None, ...] = ("bus1", "bus2")
) -> list[str]:
    """Make buffers resident, and return the requirements that the driver violates if it returns these addresses."""
    listed = buffers or (RESIDENT_BUFFER,)
    call = there.call(
        RESIDENT, FIRST_QUEUE, len(listed), ElementList(listed), 1, OutputBuffer(len(listed)), 0, None, OutputBuffer(1)
    )
    outputs = {
        "bus_addresses": Output(list(addresses), 8 * len(addresses)),
        "event": Output([f"event{100 + len(there.model.objects)}"], 8),
    }
    judgement = there.oracle.judge(there.oracle.expect(call), Returned(0, outputs, alignment=4096))
    return [requirement for deviation in judgement.deviations for requirement in deviation.requirements]


def complete_call(there: OracleSetup, function: str, *arguments: Value) -> None:
    """Judge a successful call, which must be defined and must not deviate."""
    call = there.call(function, *arguments)
    expectation = there.oracle.expect(call)
    assert not expectation.undefined, expectation.undefined
    assert not there.oracle.judge(expectation, Returned(0)).deviations


def expect_call(there: OracleSetup, function: str, *arguments: Value) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a call, or ``undefined`` and the violated usage rules."""
    return get_call_verdict(there, there.call(function, *arguments))


FLAGS_ERROR, POINTER_ERROR = "clCreateBuffer/CL_INVALID_VALUE/1", "clCreateBuffer/CL_INVALID_HOST_PTR/3"
NOT_MAPPED_ERROR, IN_USE_ERROR = (
    "clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2",
    "clCreateBuffer/CL_OUT_OF_RESOURCES/2",
)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (0, ("", "")),
        (READ_WRITE, ("", "")),
        (READ_ONLY, ("", "")),
        (WRITE_ONLY, ("", "")),
        (COPY, ("", "")),
        (ALLOC, (FLAGS_ERROR, "")),
        (USE, (FLAGS_ERROR, "")),
        (COPY | ALLOC, (FLAGS_ERROR, "")),
    ],
)
def test_bus_addressable_buffer_with_invalid_flags_is_rejected(flags: int, expected: tuple[str, str]) -> None:
    host = Data(bytes(SIZE)) if flags & (USE | COPY) else None
    call = ("clCreateBuffer", Handle("context1"), ADDRESSABLE | flags, SIZE, host, OutputBuffer(1))
    assert expect_call(set_up_bus_memory(), *call) == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (WRITE_ONLY, ("", NOT_MAPPED_ERROR)),
        (0, ("", f"{FLAGS_ERROR} {NOT_MAPPED_ERROR}")),
        (WRITE_ONLY | ADDRESSABLE, ("", f"{FLAGS_ERROR} {NOT_MAPPED_ERROR}")),
        (READ_WRITE, (FLAGS_ERROR, NOT_MAPPED_ERROR)),
        (READ_ONLY, (FLAGS_ERROR, NOT_MAPPED_ERROR)),
        (WRITE_ONLY | ALLOC, (FLAGS_ERROR, NOT_MAPPED_ERROR)),
        (WRITE_ONLY | COPY, (FLAGS_ERROR, NOT_MAPPED_ERROR)),
    ],
)
def test_external_buffer_with_invalid_flags_is_rejected(flags: int, expected: tuple[str, str]) -> None:
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | flags, SIZE, BUS_PLACE, OutputBuffer(1))
    assert expect_call(set_up_bus_memory(view=False), *call) == expected


BUS1, BUS2 = Handle("bus1"), Handle("bus2")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (BUS_PLACE, ("", NOT_MAPPED_ERROR)),
        (BusAddresses(0, BUS2), (POINTER_ERROR, "")),
        (BusAddresses(BUS1, 0), (POINTER_ERROR, "")),
        (BusAddresses(0, 0), (POINTER_ERROR, "")),
        *(
            (BusAddresses(OffsetPointer(BUS1, offset), BUS2), (POINTER_ERROR, ""))
            for offset in (1, 8, 2048, 4095, 4097)
        ),
        *(
            (BusAddresses(BUS1, OffsetPointer(BUS2, offset)), (POINTER_ERROR, ""))
            for offset in (1, 8, 2048, 4095, 4097)
        ),
        (BusAddresses(OffsetPointer(BUS1, 4096), BUS2), UNDEFINED),
        (BusAddresses(BUS2, BUS1), UNDEFINED),
        (BusAddresses(BUS1, BUS1), UNDEFINED),
        (BusAddresses(Handle("bus9"), BUS2), UNDEFINED),
        (BusAddresses(1 << 20, 1 << 21), UNDEFINED),
        (BusAddresses((1 << 20) + 1, 1 << 21), UNDEFINED),
        (Data(struct.pack("qq", 0, 0).ljust(SIZE, b"\0")), (POINTER_ERROR, "")),
        (None, ("", POINTER_ERROR)),
    ],
    ids=str,
)
def test_external_buffer_without_valid_bus_addresses_is_rejected(host: Value, expected: tuple[str, str]) -> None:
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | WRITE_ONLY, SIZE, host, OutputBuffer(1))
    assert expect_call(set_up_bus_memory(view=False), *call) == expected


@pytest.mark.parametrize(
    ("size", "expected"), [(1, ("", NOT_MAPPED_ERROR)), (SIZE, ("", NOT_MAPPED_ERROR)), (SIZE + 1, UNDEFINED)]
)
def test_external_buffer_larger_than_the_resident_buffer_is_undefined(size: int, expected: tuple[str, str]) -> None:
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | WRITE_ONLY, size, BUS_PLACE, OutputBuffer(1))
    assert expect_call(set_up_bus_memory(view=False), *call) == expected


def test_bus_address_of_existing_external_buffer_is_rejected() -> None:
    there = set_up_bus_memory()
    call = ("clCreateBuffer", Handle("context1"), EXTERNAL | WRITE_ONLY, SIZE, BUS_PLACE, OutputBuffer(1))
    assert expect_call(there, *call) == (NOT_MAPPED_ERROR, f"{POINTER_ERROR} {IN_USE_ERROR}")
    complete_call(there, "clReleaseMemObject", EXTERNAL_BUFFER)
    assert expect_call(there, *call) == ("", NOT_MAPPED_ERROR)


def test_external_buffer_in_a_second_context_may_be_rejected() -> None:
    call = ("clCreateBuffer", Handle("context2"), EXTERNAL | WRITE_ONLY, SIZE, BUS_PLACE, OutputBuffer(1))
    assert expect_call(set_up_bus_memory(view=False), *call) == ("", f"{NOT_MAPPED_ERROR} {IN_USE_ERROR}")


def test_creation_of_sub_buffer_of_bus_addressable_buffer_is_undefined() -> None:
    for buffer, expected in ((RESIDENT_BUFFER, UNDEFINED), (EXTERNAL_BUFFER, UNDEFINED), (PLAIN_BUFFER, ("", ""))):
        call = ("clCreateSubBuffer", buffer, 0, 0x1220, Data(struct.pack("@NN", 0, 128)), OutputBuffer(1))
        assert expect_call(set_up_bus_memory(), *call) == expected


OPERATION_1 = "clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1"
OPERATION_2 = "clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2"


@pytest.mark.parametrize(
    ("count", "buffers", "output_buffer", "event", "expected"),
    [
        (1, (RESIDENT_BUFFER,), OutputBuffer(1), OutputBuffer(1), ("", "")),
        (1, (RESIDENT_BUFFER,), OutputBuffer(1), None, ("", OPERATION_1)),
        (1, None, OutputBuffer(1), OutputBuffer(1), (OPERATION_1, "")),
        (1, (RESIDENT_BUFFER,), None, OutputBuffer(1), (OPERATION_1, "")),
        (1, None, None, None, (OPERATION_1, "")),
        (0, None, None, OutputBuffer(1), UNDEFINED),
        (0, (RESIDENT_BUFFER,), OutputBuffer(1), OutputBuffer(1), UNDEFINED),
        (2, (RESIDENT_BUFFER, RESIDENT_BUFFER), OutputBuffer(2), OutputBuffer(1), ("", "")),
        (2, (RESIDENT_BUFFER,), OutputBuffer(2), OutputBuffer(1), UNDEFINED),
        (2, (RESIDENT_BUFFER, RESIDENT_BUFFER), OutputBuffer(1), OutputBuffer(1), UNDEFINED),
        (1, (PLAIN_BUFFER,), OutputBuffer(1), OutputBuffer(1), (OPERATION_2, "")),
        (1, (EXTERNAL_BUFFER,), OutputBuffer(1), OutputBuffer(1), (OPERATION_2, "")),
        (1, (None,), OutputBuffer(1), OutputBuffer(1), (OPERATION_2, "")),
        (2, (RESIDENT_BUFFER, PLAIN_BUFFER), OutputBuffer(2), OutputBuffer(1), (OPERATION_2, "")),
        (2, (None, RESIDENT_BUFFER), OutputBuffer(2), OutputBuffer(1), (OPERATION_2, "")),
        (1, (PLAIN_BUFFER,), None, OutputBuffer(1), (f"{OPERATION_1} {OPERATION_2}", "")),
    ],
    ids=str,
)
def test_make_resident_with_invalid_arguments_is_rejected(
    count: int, buffers: tuple[Handle | None, ...] | None, output_buffer: Value, event: Value, expected: tuple[str, str]
) -> None:
    listed = None if buffers is None else ElementList(buffers)
    assert (
        expect_call(set_up_bus_memory(), RESIDENT, FIRST_QUEUE, count, listed, 1, output_buffer, 0, None, event)
        == expected
    )


def test_signal_calls_with_null_or_foreign_queue_are_undefined() -> None:
    there = set_up_bus_memory()
    rest = (1, ElementList((RESIDENT_BUFFER,)), 1, OutputBuffer(1))
    assert expect_call(there, RESIDENT, None, *rest, 0, None, OutputBuffer(1)) == UNDEFINED
    assert expect_call(there, RESIDENT, FOREIGN_QUEUE, *rest, 0, None, OutputBuffer(1)) == UNDEFINED
    assert expect_call(there, RESIDENT, FIRST_QUEUE, *rest, 1, None, OutputBuffer(1)) == UNDEFINED
    assert expect_call(there, WRITE, FOREIGN_QUEUE, EXTERNAL_BUFFER, 1, 0, 0, None, None) == UNDEFINED
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 1, 0, 1, None, None) == UNDEFINED


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
def test_make_resident_with_missing_or_repeated_addresses_deviates(told: tuple[str | None, ...], wrong: bool) -> None:  # noqa: FBT001
    there = set_up_bus_memory()
    for name in (NEW_BUFFER, OTHER_NEW_BUFFER):
        create_buffer(there, name, ADDRESSABLE)
    assert make_resident(there, NEW_BUFFER, OTHER_NEW_BUFFER, addresses=told) == (
        [f"{RESIDENT}/success"] if wrong else []
    )


PAST_END, QUEUE_ERROR = (
    "clEnqueueWriteSignalAMD/CL_INVALID_BUFFER_SIZE/1",
    "clEnqueueWriteSignalAMD/CL_INVALID_COMMAND_QUEUE/1",
)
OBJECT_1, OBJECT_2 = (
    "clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/2",
)


@pytest.mark.parametrize(
    ("queue", "buffer", "offset", "expected"),
    [
        (SECOND_QUEUE, EXTERNAL_BUFFER, 0, ("", "")),
        (SECOND_QUEUE, EXTERNAL_BUFFER, SIZE - 4, ("", "")),
        (SECOND_QUEUE, EXTERNAL_BUFFER, SIZE - 3, (PAST_END, "")),
        (SECOND_QUEUE, EXTERNAL_BUFFER, SIZE, (PAST_END, "")),
        (SECOND_QUEUE, EXTERNAL_BUFFER, (1 << 64) - 1, (PAST_END, "")),
        (None, EXTERNAL_BUFFER, 0, (QUEUE_ERROR, "")),
        (SECOND_QUEUE, None, 0, (OBJECT_1, "")),
        (SECOND_QUEUE, RESIDENT_BUFFER, 0, (OBJECT_2, "")),
        (SECOND_QUEUE, PLAIN_BUFFER, 0, (OBJECT_2, "")),
        (None, PLAIN_BUFFER, SIZE, (f"{PAST_END} {QUEUE_ERROR} {OBJECT_2}", "")),
        (FIRST_QUEUE, EXTERNAL_BUFFER, 0, UNDEFINED),
    ],
    ids=str,
)
def test_write_signal_with_invalid_arguments_is_rejected(
    queue: Value, buffer: Value, offset: int, expected: tuple[str, str]
) -> None:
    assert expect_call(set_up_bus_memory(), WRITE, queue, buffer, 1, offset, 0, None, OutputBuffer(1)) == expected


@pytest.mark.parametrize(
    ("queue", "buffer", "expected"),
    [
        (FIRST_QUEUE, RESIDENT_BUFFER, ("", "")),
        (None, RESIDENT_BUFFER, ("clEnqueueWaitSignalAMD/CL_INVALID_COMMAND_QUEUE/1", "")),
        (FIRST_QUEUE, None, ("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/1", "")),
        (FIRST_QUEUE, EXTERNAL_BUFFER, ("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2", "")),
        (FIRST_QUEUE, PLAIN_BUFFER, ("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2", "")),
        (SECOND_QUEUE, RESIDENT_BUFFER, UNDEFINED),
    ],
    ids=str,
)
def test_wait_signal_with_invalid_arguments_is_rejected(queue: Value, buffer: Value, expected: tuple[str, str]) -> None:
    assert expect_call(set_up_bus_memory(), WAIT, queue, buffer, 1, 0, None, OutputBuffer(1)) == expected


def test_wait_for_signal_of_non_resident_buffer_is_undefined() -> None:
    there = set_up_bus_memory()
    create_buffer(there, NEW_BUFFER, ADDRESSABLE)
    assert expect_call(there, WAIT, FIRST_QUEUE, NEW_BUFFER, 1, 0, None, OutputBuffer(1)) == UNDEFINED


def test_wait_for_signal_of_buffer_without_signal_address_is_rejected() -> None:
    there = set_up_bus_memory()
    create_buffer(there, NEW_BUFFER, ADDRESSABLE)
    assert make_resident(there, NEW_BUFFER, addresses=("bus3", None)) == [f"{RESIDENT}/success"]
    assert expect_call(there, WAIT, FIRST_QUEUE, NEW_BUFFER, 1, 0, None, OutputBuffer(1)) == (
        "clEnqueueWaitSignalAMD/CL_INVALID_VALUE/1",
        "",
    )


def test_write_of_signal_without_signal_address_is_rejected() -> None:
    there = set_up_bus_memory()
    place = there.model.get(Buffer, EXTERNAL_BUFFER).bus
    assert place is not None
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 1, 0, 0, None, None) == ("", "")
    place.signal = ""
    found = expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 1, 0, 0, None, None)
    assert found == ("clEnqueueWriteSignalAMD/CL_INVALID_VALUE/1", "")


def send_signal(there: OracleSetup, value: int, offset: int = 0) -> None:
    """Write a signal and flush its queue."""
    complete_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, value, offset, 0, None, None)
    complete_call(there, "clFlush", SECOND_QUEUE)


@pytest.mark.parametrize(("before", "value", "made"), [(0, 1, True), (5, 6, True), (5, 5, False), (5, 4, False)])
def test_write_of_signal_value_that_does_not_increase_is_undefined(before: int, value: int, made: bool) -> None:  # noqa: FBT001
    there = set_up_bus_memory()
    if before:
        send_signal(there, before)
    expected = ("", "") if made else ("undefined", "clEnqueueWriteSignalAMD/usage/1")
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, value, 0, 0, None, None) == expected


@pytest.mark.parametrize(
    ("written", "value", "made"), [((), 1, True), ((), 0, False), ((3,), 3, True), ((3,), 4, True), ((3,), 2, False)]
)
def test_wait_for_signal_value_zero_or_already_passed_is_undefined(
    written: tuple[int, ...],
    value: int,
    made: bool,  # noqa: FBT001
) -> None:
    there = set_up_bus_memory()
    for each in written:
        send_signal(there, each)
    assert (expect_call(there, WAIT, FIRST_QUEUE, RESIDENT_BUFFER, value, 0, None, None) != UNDEFINED) == made


def test_wait_for_signal_that_nothing_can_write_is_undefined() -> None:
    assert expect_call(set_up_bus_memory(view=False), WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, None, None) == UNDEFINED
    there = set_up_bus_memory()
    send_signal(there, 1, offset=8)
    assert expect_call(there, WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, None, None) == UNDEFINED


def test_blocking_call_before_flushed_signal_is_undefined() -> None:
    there = set_up_bus_memory()
    complete_call(there, WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, None, None)
    assert expect_call(there, "clFinish", FIRST_QUEUE) == UNDEFINED
    assert expect_call(there, "clReleaseMemObject", EXTERNAL_BUFFER) == UNDEFINED
    assert expect_call(there, WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 2, 0, None, None) == UNDEFINED
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 2, 0, 0, None, None) == UNDEFINED
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 1, 4, 0, None, None) == UNDEFINED
    complete_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 1, 0, 0, None, None)
    assert expect_call(there, "clFinish", FIRST_QUEUE) == UNDEFINED
    complete_call(there, "clFlush", SECOND_QUEUE)
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 2, 0, 0, None, None) == UNDEFINED
    complete_call(there, "clFinish", FIRST_QUEUE)
    assert expect_call(there, WRITE, SECOND_QUEUE, EXTERNAL_BUFFER, 2, 0, 0, None, None) == ("", "")


def expect_read(there: OracleSetup) -> tuple[str, str]:
    """Return what ``expect_call`` returns for a read of the resident buffer on its own device."""
    return expect_call(
        there, "clEnqueueReadBuffer", FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None
    )


def test_read_of_remote_write_before_wait_for_signal_is_undefined() -> None:
    there = set_up_bus_memory()
    assert expect_read(there) == ("", "")
    complete_call(there, "clEnqueueWriteBuffer", SECOND_QUEUE, EXTERNAL_BUFFER, 0, 0, 4, Data(b"abcd"), 0, None, None)
    assert expect_read(there) == UNDEFINED
    complete_call(there, "clFinish", SECOND_QUEUE)
    assert expect_read(there) == UNDEFINED
    send_signal(there, 1)
    assert expect_read(there) == UNDEFINED
    complete_call(there, WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, None, None)
    assert expect_read(there) == ("", "")
    call = there.call(
        "clEnqueueReadBuffer", FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None
    )
    right = Returned(0, {"ptr": Output([], SIZE, b"abcd".ljust(SIZE, b"\0"))})
    stale = Returned(0, {"ptr": Output([], SIZE, bytes(SIZE))})
    expectation = there.oracle.expect(call)
    (deviation,) = there.oracle.judge(expectation, stale).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", f"{WAIT}/success")
    assert not there.oracle.judge(there.oracle.expect(call), right).deviations


def test_read_is_defined_after_the_signal_that_an_earlier_wait_awaits() -> None:
    there = set_up_bus_memory()
    complete_call(there, WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 1, 0, None, None)
    complete_call(there, "clEnqueueWriteBuffer", SECOND_QUEUE, EXTERNAL_BUFFER, 0, 0, 4, Data(b"abcd"), 0, None, None)
    assert expect_read(there) == UNDEFINED
    send_signal(there, 1)
    assert expect_read(there) == ("", "")


def test_release_during_remote_write_is_undefined() -> None:
    there = set_up_bus_memory()
    complete_call(there, "clEnqueueWriteBuffer", SECOND_QUEUE, EXTERNAL_BUFFER, 0, 0, 4, Data(b"abcd"), 0, None, None)
    assert expect_call(there, "clReleaseMemObject", RESIDENT_BUFFER) == UNDEFINED
    assert expect_call(there, "clReleaseMemObject", EXTERNAL_BUFFER) == ("", "")
    complete_call(there, "clFinish", SECOND_QUEUE)
    assert expect_call(there, "clReleaseMemObject", RESIDENT_BUFFER) == ("", "")


@pytest.mark.parametrize(
    "call",
    [
        ("clEnqueueReadBuffer", SECOND_QUEUE, EXTERNAL_BUFFER, 1, 0, 4, OutputBuffer(4), 0, None, None),
        ("clEnqueueCopyBuffer", SECOND_QUEUE, EXTERNAL_BUFFER, PLAIN_BUFFER, 0, 0, 4, 0, None, None),
        ("clEnqueueMigrateMemObjects", SECOND_QUEUE, 1, ElementList((EXTERNAL_BUFFER,)), 0, 0, None, None),
        ("clEnqueueMapBuffer", SECOND_QUEUE, EXTERNAL_BUFFER, 1, 4, 0, 4, 0, None, None, OutputBuffer(1)),
        ("clEnqueueWriteBuffer", FIRST_QUEUE, EXTERNAL_BUFFER, 1, 0, 4, Data(b"abcd"), 0, None, None),
        ("clEnqueueWriteBuffer", SECOND_QUEUE, RESIDENT_BUFFER, 1, 0, 4, Data(b"abcd"), 0, None, None),
    ],
    ids=lambda call: call[0],
)
def test_unsupported_commands_on_bus_memory_are_undefined(call: tuple[Value, ...]) -> None:
    function, *arguments = call
    assert expect_call(set_up_bus_memory(), str(function), *arguments) == UNDEFINED


def find_status_deviations(there: OracleSetup, status: int) -> list[str]:
    """Return the requirements that the driver violates if the event of the wait has this status."""
    query = {"event": Handle("event1"), "param_name": there.value("CL_EVENT_COMMAND_EXECUTION_STATUS")}
    call = Call(
        "clGetEventInfo",
        {**query, "param_value_size": 4, "param_value": OutputBuffer(4), "param_value_size_ret": OutputBuffer(1)},
    )
    raw = struct.pack("i", status)
    outputs = {"param_value": Output([status], 4, raw), "param_value_size_ret": Output([4], 8)}
    judgement = there.oracle.judge(there.oracle.expect(call), Returned(0, outputs))
    return [requirement for deviation in judgement.deviations for requirement in deviation.requirements]


def test_wait_that_completes_before_its_signal_value_deviates() -> None:
    there = set_up_bus_memory()
    send_signal(there, 1)
    complete_call(there, "clFinish", SECOND_QUEUE)
    call = there.call(WAIT, FIRST_QUEUE, RESIDENT_BUFFER, 2, 0, None, OutputBuffer(1))
    there.oracle.judge(there.oracle.expect(call), Returned(0, {"event": Output(["event1"], 8)}))
    assert not find_status_deviations(there, 3)
    assert not find_status_deviations(there, 1)
    assert find_status_deviations(there, 0) == ["CL_EVENT_COMMAND_EXECUTION_STATUS"]
    send_signal(there, 2)
    assert not find_status_deviations(there, 0)
    complete_call(there, "clFinish", FIRST_QUEUE)
    assert not find_status_deviations(there, 0)
    assert find_status_deviations(there, 1) == ["CL_EVENT_COMMAND_EXECUTION_STATUS"]
