"""Unmapping and migration of memory objects: each error condition of section 5.5, violated and not violated."""

from __future__ import annotations

import copy
import struct
from dataclasses import replace

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Value
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.mapped_regions import MappedRegion
from clconform.oracles.model.memory_objects import Buffer, Pipe, SubBuffer
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation
from clconform.oracles.model.queues import CommandQueue, HostQueue

from .oracle_setup import DevicePlan, OracleSetup, get_verdict
from .query_evaluation import evaluate_query_call

BUFFER, SPARE, SUB_BUFFER, PIPE, FOREIGN = (Handle(f"mem{number}") for number in range(1, 6))
QUEUE, FOREIGN_QUEUE = Handle("queue1"), Handle("queue2")
EXTERNAL = "cl_khr_external_memory"


def create_world() -> OracleSetup:
    """Return two contexts of a device. The first has a pipe and two buffers, one with a sub-buffer and a map."""
    there = OracleSetup(DevicePlan(), version="3.0", extensions=EXTERNAL)
    model = there.model
    contexts = [Context(f"context{number}", devices=list(there.roots)) for number in (1, 2)]
    for number, context in enumerate(contexts, 1):
        queue = HostQueue(f"queue{number}", context=context, queue_device=there.roots[0])
        for thing in (context, queue):
            model.add(thing)
    for handle, context in ((BUFFER, contexts[0]), (SPARE, contexts[0]), (FOREIGN, contexts[1])):
        model.add(Buffer(handle.name, context=context, size=64, memory=StorageView(Storage(64), 0, 64)))
    model.add(Pipe(PIPE.name, context=contexts[0], size=64))
    buffer = model.get(Buffer, BUFFER)
    assert buffer.memory is not None
    part = buffer.memory.sub_view(0, 32)
    model.add(SubBuffer(SUB_BUFFER.name, context=contexts[0], buffer=buffer, size=32, memory=part))
    mapping = Command("clEnqueueMapBuffer", model.get(CommandQueue, QUEUE), is_complete=True)
    model.mapped_regions.append(MappedRegion("clEnqueueMapBuffer", "pointer1", buffer, buffer.memory, mapping))
    return there


def evaluate_command(there: OracleSetup, function: str, **arguments: Value) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a call with those arguments that its function takes."""
    names = {parameter.name for parameter in there.model.tables.functions[function].parameters}
    usual: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": OutputBuffer(1)}
    given = {"command_queue": QUEUE} | usual | arguments
    return get_verdict(there, function, **{name: value for name, value in given.items() if name in names})


UNMAP, MIGRATE = "clEnqueueUnmapMemObject", "clEnqueueMigrateMemObjects"
NO_OBJECT, NO_POINTER = "clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1", "clEnqueueUnmapMemObject/CL_INVALID_VALUE/1"


@pytest.mark.parametrize(
    ("memory", "pointer", "expected"),
    [
        (BUFFER, Handle("pointer1"), ("", "")),
        (BUFFER, None, (NO_POINTER, "")),
        (BUFFER, OutputBuffer(64), (NO_POINTER, "")),
        (SPARE, Handle("pointer1"), (NO_POINTER, "")),
        (SUB_BUFFER, Handle("pointer1"), ("", NO_POINTER)),
        (BUFFER, Handle("pointer2"), ("", NO_POINTER)),
        (None, Handle("pointer1"), (NO_OBJECT, NO_POINTER)),
        (PIPE, Handle("pointer1"), (f"{NO_OBJECT} {NO_POINTER}", "")),
    ],
    ids=str,
)
def test_unmap_of_pointer_that_is_not_mapped_is_rejected(
    memory: Value, pointer: Value, expected: tuple[str, str]
) -> None:
    assert evaluate_command(create_world(), UNMAP, memobj=memory, mapped_ptr=pointer) == expected


def test_pointer_may_still_be_mapped_after_unexpected_unmap_error() -> None:
    there = create_world()
    usual: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": None, "event": None}
    call = Call(UNMAP, {"command_queue": QUEUE, "memobj": BUFFER, "mapped_ptr": Handle("pointer1"), **usual})
    there.oracle.judge(there.oracle.expect(call), Returned(there.value("CL_INVALID_EVENT_WAIT_LIST")))
    assert evaluate_command(there, UNMAP, memobj=BUFFER, mapped_ptr=Handle("pointer1")) == ("", NO_POINTER)


@pytest.mark.parametrize("later_size", [8, 64])
def test_one_of_two_maps_is_certain_after_a_failed_unmap_of_the_first(later_size: int) -> None:
    """The second of two successful unmaps may fail, because the failed unmap may have ended a map as well."""
    there = create_world()
    usual: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
    call = Call(UNMAP, {"command_queue": QUEUE, "memobj": BUFFER, "mapped_ptr": Handle("pointer1"), **usual})
    failed = Call(UNMAP, {**call.arguments, "num_events_in_wait_list": 1})
    there.oracle.judge(there.oracle.expect(failed), Returned(there.value("CL_INVALID_EVENT_WAIT_LIST")))
    (first,) = there.model.mapped_regions
    later = replace(first, region=first.region.sub_view(0, later_size), is_uncertain=False)
    there.model.mapped_regions.append(later)
    assert evaluate_command(there, UNMAP, memobj=BUFFER, mapped_ptr=Handle("pointer1")) == ("", "")
    there.oracle.judge(there.oracle.expect(call), Returned(0))
    assert there.model.mapped_regions == [first]
    assert evaluate_command(there, UNMAP, memobj=BUFFER, mapped_ptr=Handle("pointer1")) == ("", NO_POINTER)


@pytest.mark.parametrize(
    ("queue", "objects", "flags", "expected"),
    [
        (QUEUE, (BUFFER, SPARE), 0, ("", "")),
        (QUEUE, (BUFFER,), 3, ("", "")),
        (QUEUE, (BUFFER,), 4, ("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2", "")),
        (QUEUE, (BUFFER,), 1 | 1 << 63, ("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2", "")),
        (QUEUE, (BUFFER, FOREIGN), 0, ("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1", "")),
        (QUEUE, (FOREIGN,), 0, ("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1", "")),
        (FOREIGN_QUEUE, (FOREIGN,), 0, ("", "")),
        (QUEUE, (SPARE, None), 0, ("clEnqueueMigrateMemObjects/CL_INVALID_MEM_OBJECT/1", "")),
        (QUEUE, (), 0, ("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/1", "")),
    ],
    ids=str,
)
def test_migration_with_invalid_objects_or_flags_is_rejected(
    queue: Handle, objects: tuple[Handle | None, ...], flags: int, expected: tuple[str, str]
) -> None:
    there = create_world()
    there.model.mapped_regions.clear()
    given: dict[str, Value] = {"num_mem_objects": len(objects), "mem_objects": ElementList(objects), "flags": flags}
    assert evaluate_command(there, MIGRATE, command_queue=queue, **given) == expected


OVER_RELEASED = ("undefined", "clReleaseMemObject/usage/1")
NOT_RETAINED = "clRetainMemObject/CL_INVALID_MEM_OBJECT/1"


@pytest.mark.parametrize(
    ("memory", "expected"), [(None, (NOT_RETAINED, "")), (BUFFER, ("", "")), (PIPE, ("", NOT_RETAINED))]
)
def test_retain_of_null_memory_object_is_rejected(memory: Value, expected: tuple[str, str]) -> None:
    assert evaluate_command(create_world(), "clRetainMemObject", memobj=memory) == expected


@pytest.mark.parametrize(("references", "expected"), [(1, ("", "")), (0, OVER_RELEASED)])
def test_release_of_memory_object_without_references_is_undefined(references: int, expected: tuple[str, str]) -> None:
    there = create_world()
    there.model.get(Buffer, SPARE).references = references
    assert evaluate_command(there, "clReleaseMemObject", memobj=SPARE) == expected


def test_release_of_deleted_memory_object_is_undefined() -> None:
    assert evaluate_command(create_world(), "clReleaseMemObject", memobj=Handle("mem99")) == OVER_RELEASED


@pytest.mark.parametrize(
    ("function", "no_object", "no_queue", "elsewhere", "not_listed"),
    [
        (
            "clEnqueueAcquireExternalMemObjectsKHR",
            "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
            "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/2",
            "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
            "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
        ),
        (
            "clEnqueueReleaseExternalMemObjectsKHR",
            "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
            "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/2",
            "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
            "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
        ),
    ],
)
def test_acquire_and_release_of_ordinary_memory_objects_are_rejected(
    function: str, no_object: str, no_queue: str, elsewhere: str, not_listed: str
) -> None:
    there = create_world()
    assert evaluate_command(there, function, num_mem_objects=0, mem_objects=None) == ("", "")
    assert evaluate_command(there, function, num_mem_objects=1, mem_objects=ElementList((BUFFER,))) == (no_object, "")
    assert evaluate_command(there, function, num_mem_objects=1, mem_objects=ElementList((None,))) == (no_object, "")
    nothing: dict[str, Value] = {"num_mem_objects": 0, "mem_objects": None}
    assert evaluate_command(there, function, command_queue=None, **nothing) == (no_queue, "")
    elsewhere_made = Context("context3", devices=[copy.copy(there.roots[0])])
    there.model.get(Buffer, BUFFER).context = there.model.add(elsewhere_made) or elsewhere_made
    musts = evaluate_command(there, function, num_mem_objects=1, mem_objects=ElementList((BUFFER,)))[0].split()
    assert (elsewhere in musts, not_listed in musts) == (True, False)


AREA, SVM_AREA, OTHER_ADDRESS = Handle("pointer2"), Handle("pointer3"), 4096
SUB_BUFFER_ORIGIN = 16


@pytest.mark.parametrize(
    ("answer", "fine"),
    [
        (("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR", "CL_MEM_HOST_READ_ONLY"), True),
        (("CL_MEM_READ_WRITE", "CL_MEM_HOST_READ_ONLY"), True),
        (("CL_MEM_READ_WRITE",), True),
        (("CL_MEM_READ_ONLY",), False),
        (("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR"), False),
        (("CL_MEM_HOST_READ_ONLY",), False),
    ],
)
def test_sub_buffer_may_report_flags_of_its_buffer(answer: tuple[str, ...], *, fine: bool) -> None:
    there = create_world()
    whole = sum(map(there.value, ("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR", "CL_MEM_HOST_READ_ONLY")))
    buffer = there.model.get(Buffer, BUFFER)
    buffer.flags, buffer.reportable_flags = whole, (whole,)
    kind = there.value("CL_BUFFER_CREATE_TYPE_REGION")
    made = there.expect("clCreateSubBuffer", BUFFER, 0, kind, Data(struct.pack("@NN", 0, 8)), OutputBuffer(1))
    there.oracle.judge(made, Returned("mem8", {"errcode_ret": Output([0], 4)}))
    asked = there.expect("clGetMemObjectInfo", Handle("mem8"), there.value("CL_MEM_FLAGS"), 8, OutputBuffer(8), None)
    judgement = there.oracle.judge(asked, Returned(0, {"param_value": Output([sum(map(there.value, answer))], 8)}))
    assert (judgement.deviations == []) is fine


def judge_memory_query(origin: int | None, flags: str, given: Value, query: str, answer: int | str) -> str:
    """Create a buffer on some memory, and a sub-buffer if ``origin`` is given. Return the verdict on a query value."""
    there = create_world()
    for handle, kind in ((AREA, HostArea), (SVM_AREA, SvmAllocation)):
        memory = kind(handle.name, context=there.model.context(Handle("context1")), size=64)
        memory.memory = StorageView(Storage(64), 0, 64)
        there.model.add(memory)
    bits = there.value("CL_MEM_READ_WRITE") | there.value(flags)
    steps = [("clCreateBuffer", (Handle("context1"), bits, 32, given, OutputBuffer(1)))]
    if origin is not None:
        kind = there.value("CL_BUFFER_CREATE_TYPE_REGION")
        steps.append(
            ("clCreateSubBuffer", (Handle("mem8"), 0, kind, Data(struct.pack("@NN", origin, 8)), OutputBuffer(1)))
        )
    for serial, (function, arguments) in enumerate(steps, 8):
        expectation = there.expect(function, *arguments)
        assert (
            there.oracle.judge(expectation, Returned(f"mem{serial}", {"errcode_ret": Output([0], 4)})).deviations == []
        )
    about = Handle(f"mem{7 + len(steps)}")
    size = 4 if query == SVM else 8
    expectation = there.expect("clGetMemObjectInfo", about, there.value(query), size, OutputBuffer(size), None)
    return dict(there.oracle.judge(expectation, Returned(0, {"param_value": Output([answer], size)})).evidence)[query]


HOST, SVM, USED, COPIED = "CL_MEM_HOST_PTR", "CL_MEM_USES_SVM_POINTER", "CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"


@pytest.mark.parametrize(
    ("origin", "flags", "given", "query", "right", "wrong"),
    [
        (None, USED, AREA, HOST, AREA.name, 0),
        (None, COPIED, AREA, HOST, 0, AREA.name),
        (0, USED, AREA, HOST, AREA.name, 0),
        (SUB_BUFFER_ORIGIN, USED, AREA, HOST, OTHER_ADDRESS, AREA.name),
        (SUB_BUFFER_ORIGIN, USED, AREA, HOST, OTHER_ADDRESS, 0),
        (SUB_BUFFER_ORIGIN, COPIED, AREA, HOST, 0, OTHER_ADDRESS),
        (None, USED, AREA, SVM, 0, 1),
        (None, USED, SVM_AREA, SVM, 1, 0),
        (None, USED, OffsetPointer(SVM_AREA, 8), SVM, 1, 0),
        (None, COPIED, SVM_AREA, SVM, 0, 1),
        (SUB_BUFFER_ORIGIN, USED, SVM_AREA, SVM, 1, 0),
    ],
    ids=str,
)
def test_memory_object_must_report_its_host_memory(
    origin: int | None, flags: str, given: Value, query: str, right: int | str, wrong: int | str
) -> None:
    assert judge_memory_query(origin, flags, given, query, right) == "conforms"
    assert judge_memory_query(origin, flags, given, query, wrong) == "deviates"


@pytest.mark.parametrize(
    ("object_", "size", "said"), [(BUFFER, 64, "fine"), (BUFFER, 4096, "fine"), (BUFFER, 63, "wrong")]
)
@pytest.mark.parametrize("made_as", ["a buffer", "a region"])
def test_reported_size_of_memory_object_must_not_be_below_requested_size(
    object_: Handle, size: int, said: str, made_as: str
) -> None:
    there = create_world()
    if made_as == "a region":
        object_, size = SUB_BUFFER, size - 32
    question = Call(
        "clGetMemObjectInfo",
        {
            "memobj": object_,
            "param_name": there.value("CL_MEM_SIZE"),
            "param_value_size": 8,
            "param_value": OutputBuffer(8),
            "param_value_size_ret": None,
        },
    )
    assert evaluate_query_call(there, question, size)["CL_MEM_SIZE"] == said


def judge_map_counts(there: OracleSetup, memory: Handle, *answers: int) -> list[bool]:
    """Return for each value whether an object may report it as its map count."""
    query = there.value("CL_MEM_MAP_COUNT")
    asked = there.call("clGetMemObjectInfo", memory, query, 4, OutputBuffer(4), OutputBuffer(1))
    told = [{"param_value": Output([answer], 4), "param_value_size_ret": Output([4], 8)} for answer in answers]
    return [not there.oracle.judge(there.oracle.expect(asked), Returned(0, each)).deviations for each in told]


def test_map_count_of_memory_object_without_maps_must_be_zero() -> None:
    there = create_world()
    assert judge_map_counts(there, SPARE, 0, 1, 17, (1 << 32) - 1) == [True, False, False, False]


@pytest.mark.parametrize("code", ["", "CL_OUT_OF_RESOURCES"])
def test_reported_map_count_may_not_exceed_the_number_of_maps(code: str) -> None:
    there = create_world()
    waits = (0, None, OutputBuffer(1), OutputBuffer(1))
    asked = there.expect("clEnqueueMapBuffer", QUEUE, SUB_BUFFER, 1, there.value("CL_MAP_READ"), 0, 8, *waits)
    told = {
        "errcode_ret": Output([there.value(code) if code else 0], 4),
        "event": Output([None if code else "event1"], 8),
    }
    there.oracle.judge(asked, Returned(None if code else "pointer9", told))
    for memory in (SUB_BUFFER, BUFFER):
        assert judge_map_counts(there, memory, 0, 1, 2) == [True, True, False]
    assert judge_map_counts(there, SPARE, 0, 1) == [True, False]
