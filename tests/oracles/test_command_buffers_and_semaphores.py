"""Creation of command-buffers, recorded commands and semaphores: postconditions and error conditions."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.engine.matchers import OneOf
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.queues import HostQueue
from clconform.oracles.queries.query_request import QueryRequest
from clconform.spec_tables.requirements import Query

from .worlds import World, clauses

EXTENSIONS = "cl_khr_semaphore cl_khr_command_buffer cl_khr_command_buffer_mutable_dispatch"


@pytest.fixture
def world() -> World:
    """Return a model with a context, a queue and a kernel."""
    world = World(extensions=EXTENSIONS)
    context = Context("context1", devices=list(world.roots))
    queue = HostQueue("queue1", context=context, queue_device=world.roots[0])
    for thing in (context, queue, Kernel("kernel1", context=context)):
        world.model.add(thing)
    return world


def succeed(world: World, value: str, outputs: dict[str, str], function: str, *arguments: object) -> None:
    """Apply a successful call to the model; its result and outputs are objects with these names."""
    promise = postcondition_of(world.judged(function, *arguments))
    assert promise is not None
    promise.apply(value, {name: [made] for name, made in outputs.items()})


def told_of(world: World, name: str) -> dict[str, object]:
    """Return the values that queries of an object may return, by query name; unknown values are left out."""
    thing, rulebook = world.model.object_of(Handle(name)), world.oracle.rulebook
    found: dict[str, object] = {}
    for query in rulebook.rules.expected_values.entries:
        record = world.model.tables.requirements[query]
        if isinstance(record, Query) and record.name in world.model.tables.enumerants:
            parameters = [each.name for each in world.model.tables.functions[record.function].parameters]
            values = [Handle(name), world.value(record.name), 0, OutputBuffer(1), OutputBuffer(1)]
            if len(parameters) == len(values):
                call = Call(record.function, dict(zip(parameters, values, strict=True)))
                want = rulebook.expected_value(QueryRequest(record, call, thing, world.model))
                if isinstance(want, OneOf):
                    found[record.name] = want.alternatives
    return found


def a_command_buffer(world: World) -> None:
    properties = world.items("CL_COMMAND_BUFFER_FLAGS_KHR", 0, 0)
    succeed(
        world,
        "buffer1",
        {},
        "clCreateCommandBufferKHR",
        1,
        ElementList((Handle("queue1"),)),
        properties,
        OutputBuffer(1),
    )


def test_a_command_buffer_repeats_its_queues_and_properties_and_records(world: World) -> None:
    a_command_buffer(world)
    told = told_of(world, "buffer1")
    assert told["CL_COMMAND_BUFFER_QUEUES_KHR"] == (("queue1",),)
    assert told["CL_COMMAND_BUFFER_NUM_QUEUES_KHR"] == ((1,),)
    assert told["CL_COMMAND_BUFFER_CONTEXT_KHR"] == (("context1",),)
    assert told["CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"] == ((world.value("CL_COMMAND_BUFFER_FLAGS_KHR"), 0, 0),)
    assert told["CL_COMMAND_BUFFER_STATE_KHR"] == ((world.value("CL_COMMAND_BUFFER_STATE_RECORDING_KHR"),),)


def test_a_command_buffer_is_finalized_once(world: World) -> None:
    a_command_buffer(world)
    assert clauses(world.expect("clFinalizeCommandBufferKHR", Handle("buffer1")))[0] == ""
    succeed(world, "", {}, "clFinalizeCommandBufferKHR", Handle("buffer1"))
    assert told_of(world, "buffer1")["CL_COMMAND_BUFFER_STATE_KHR"] == (
        (world.value("CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR"),),
    )
    assert (
        clauses(world.expect("clFinalizeCommandBufferKHR", Handle("buffer1")))[0]
        == "clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1"
    )


@pytest.mark.parametrize("sized", [True, False])
def test_a_command_tells_what_it_was_recorded_with_and_goes_with_its_buffer(world: World, sized: bool) -> None:  # noqa: FBT001
    a_command_buffer(world)
    properties = world.items("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", 1, 0) if sized else None
    sizes = (ElementList((8,)), ElementList((16,)), ElementList((4,))) if sized else (None, ElementList((16,)), None)
    recorded = (Handle("buffer1"), None, properties, Handle("kernel1"), 1, *sizes, 0, None, None, OutputBuffer(1))
    succeed(world, "", {"mutable_handle": "command1"}, "clCommandNDRangeKernelKHR", *recorded)
    told = told_of(world, "command1")
    assert told["CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR"] == (("queue1",),)
    assert told["CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR"] == (("buffer1",),)
    assert told["CL_MUTABLE_DISPATCH_KERNEL_KHR"] == (("kernel1",),)
    assert told["CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR"] == ((8,) if sized else (0,),)
    assert told["CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR"] == ((16,),)
    assert told["CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR"] == ((4,) if sized else (0,),)
    assert told["CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR"] == (properties.values if properties else (),)
    succeed(world, "", {}, "clReleaseCommandBufferKHR", Handle("buffer1"))
    assert not {"buffer1", "command1"} & set(world.model.objects)


def a_semaphore(world: World, *more: str | int | Handle) -> None:
    elements = ("CL_SEMAPHORE_TYPE_KHR", "CL_SEMAPHORE_TYPE_BINARY_KHR", *more, 0)
    given = ElementList(tuple(world.value(each) if isinstance(each, str) else each for each in elements))
    succeed(world, "semaphore1", {}, "clCreateSemaphoreWithPropertiesKHR", Handle("context1"), given, OutputBuffer(1))


@pytest.mark.parametrize("named", [True, False])
def test_a_semaphore_is_of_the_device_named_or_of_all_in_its_context(world: World, named: bool) -> None:  # noqa: FBT001
    a_semaphore(world, *(("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", world.device, 0) if named else ()))
    told = told_of(world, "semaphore1")
    assert told["CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"] == ((world.device.name,),)
    assert told["CL_SEMAPHORE_TYPE_KHR"] == ((world.value("CL_SEMAPHORE_TYPE_BINARY_KHR"),),)
    assert told["CL_SEMAPHORE_PAYLOAD_KHR"] == ((0,),)


def test_a_semaphore_for_which_types_are_listed_can_be_exported(world: World) -> None:
    a_semaphore(world, "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", 0)
    assert told_of(world, "semaphore1")["CL_SEMAPHORE_EXPORTABLE_KHR"] == ((1,),)


def test_the_payload_is_open_once_a_signal_is_on_its_way(world: World) -> None:
    a_semaphore(world)
    signal = (Handle("queue1"), 1, ElementList((Handle("semaphore1"),)), None, 0, None, None)
    succeed(world, "", {}, "clEnqueueSignalSemaphoresKHR", *signal)
    assert told_of(world, "semaphore1")["CL_SEMAPHORE_PAYLOAD_KHR"] == ((1,), (0,))


@pytest.mark.parametrize(
    ("elements", "fails"),
    [
        (None, False),
        ((0,), True),
        (("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", 0, 0), True),
        (("CL_SEMAPHORE_TYPE_KHR", "CL_SEMAPHORE_TYPE_BINARY_KHR", 0), False),
    ],
)
def test_a_semaphore_needs_a_type(world: World, elements: tuple[str | int, ...] | None, fails: bool) -> None:  # noqa: FBT001
    given = None if elements is None else world.items(*elements)
    musts, _ = clauses(world.expect("clCreateSemaphoreWithPropertiesKHR", Handle("context1"), given, OutputBuffer(1)))
    assert ("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4" in musts) == fails
