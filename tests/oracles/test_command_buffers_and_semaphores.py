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

from .oracle_setup import OracleSetup, get_condition_ids

EXTENSIONS = "cl_khr_semaphore cl_khr_command_buffer cl_khr_command_buffer_mutable_dispatch"


@pytest.fixture
def world() -> OracleSetup:
    """Return a model with a context, a queue and a kernel."""
    world = OracleSetup(extensions=EXTENSIONS)
    context = Context("context1", devices=list(world.roots))
    queue = HostQueue("queue1", context=context, queue_device=world.roots[0])
    for thing in (context, queue, Kernel("kernel1", context=context)):
        world.model.add(thing)
    return world


def complete_call(world: OracleSetup, value: str, outputs: dict[str, str], function: str, *arguments: object) -> None:
    """Apply a successful call to the model. Its result and outputs are objects with these names."""
    promise = postcondition_of(world.create_call_context(function, *arguments))
    assert promise is not None
    promise.apply(value, {name: [made] for name, made in outputs.items()})


def find_expected_values(world: OracleSetup, name: str) -> dict[str, object]:
    """Map queries of an object to the values that they may return. Unknown values are left out."""
    thing, rulebook = world.model.object_of(Handle(name)), world.oracle.rulebook
    found: dict[str, object] = {}
    for query in rulebook.rules.expected_values.entries:
        requirement = world.model.tables.requirements[query]
        if isinstance(requirement, Query) and requirement.name in world.model.tables.enumerants:
            parameters = [each.name for each in world.model.tables.functions[requirement.function].parameters]
            values = [Handle(name), world.value(requirement.name), 0, OutputBuffer(1), OutputBuffer(1)]
            if len(parameters) == len(values):
                call = Call(requirement.function, dict(zip(parameters, values, strict=True)))
                want = rulebook.expected_value(QueryRequest(requirement, call, thing, world.model))
                if isinstance(want, OneOf):
                    found[requirement.name] = want.alternatives
    return found


def create_command_buffer(world: OracleSetup) -> None:
    properties = world.create_list("CL_COMMAND_BUFFER_FLAGS_KHR", 0, 0)
    complete_call(
        world,
        "buffer1",
        {},
        "clCreateCommandBufferKHR",
        1,
        ElementList((Handle("queue1"),)),
        properties,
        OutputBuffer(1),
    )


def test_command_buffer_queries_return_creation_arguments_and_state(world: OracleSetup) -> None:
    create_command_buffer(world)
    told = find_expected_values(world, "buffer1")
    assert told["CL_COMMAND_BUFFER_QUEUES_KHR"] == (("queue1",),)
    assert told["CL_COMMAND_BUFFER_NUM_QUEUES_KHR"] == ((1,),)
    assert told["CL_COMMAND_BUFFER_CONTEXT_KHR"] == (("context1",),)
    assert told["CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"] == ((world.value("CL_COMMAND_BUFFER_FLAGS_KHR"), 0, 0),)
    assert told["CL_COMMAND_BUFFER_STATE_KHR"] == ((world.value("CL_COMMAND_BUFFER_STATE_RECORDING_KHR"),),)


def test_second_finalization_of_command_buffer_is_rejected(world: OracleSetup) -> None:
    create_command_buffer(world)
    assert get_condition_ids(world.expect("clFinalizeCommandBufferKHR", Handle("buffer1")))[0] == ""
    complete_call(world, "", {}, "clFinalizeCommandBufferKHR", Handle("buffer1"))
    assert find_expected_values(world, "buffer1")["CL_COMMAND_BUFFER_STATE_KHR"] == (
        (world.value("CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR"),),
    )
    assert (
        get_condition_ids(world.expect("clFinalizeCommandBufferKHR", Handle("buffer1")))[0]
        == "clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1"
    )


@pytest.mark.parametrize("sized", [True, False])
def test_mutable_command_queries_return_recorded_arguments(world: OracleSetup, sized: bool) -> None:  # noqa: FBT001
    create_command_buffer(world)
    properties = world.create_list("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", 1, 0) if sized else None
    sizes = (ElementList((8,)), ElementList((16,)), ElementList((4,))) if sized else (None, ElementList((16,)), None)
    recorded = (Handle("buffer1"), None, properties, Handle("kernel1"), 1, *sizes, 0, None, None, OutputBuffer(1))
    complete_call(world, "", {"mutable_handle": "command1"}, "clCommandNDRangeKernelKHR", *recorded)
    told = find_expected_values(world, "command1")
    assert told["CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR"] == (("queue1",),)
    assert told["CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR"] == (("buffer1",),)
    assert told["CL_MUTABLE_DISPATCH_KERNEL_KHR"] == (("kernel1",),)
    assert told["CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR"] == ((8,) if sized else (0,),)
    assert told["CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR"] == ((16,),)
    assert told["CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR"] == ((4,) if sized else (0,),)
    assert told["CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR"] == (properties.values if properties else (),)
    complete_call(world, "", {}, "clReleaseCommandBufferKHR", Handle("buffer1"))
    assert not {"buffer1", "command1"} & set(world.model.objects)


def create_semaphore(world: OracleSetup, *more: str | int | Handle) -> None:
    elements = ("CL_SEMAPHORE_TYPE_KHR", "CL_SEMAPHORE_TYPE_BINARY_KHR", *more, 0)
    given = ElementList(tuple(world.value(each) if isinstance(each, str) else each for each in elements))
    complete_call(
        world, "semaphore1", {}, "clCreateSemaphoreWithPropertiesKHR", Handle("context1"), given, OutputBuffer(1)
    )


@pytest.mark.parametrize("named", [True, False])
def test_semaphore_query_returns_listed_devices_or_those_of_context(world: OracleSetup, named: bool) -> None:  # noqa: FBT001
    create_semaphore(world, *(("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", world.device, 0) if named else ()))
    told = find_expected_values(world, "semaphore1")
    assert told["CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"] == ((world.device.name,),)
    assert told["CL_SEMAPHORE_TYPE_KHR"] == ((world.value("CL_SEMAPHORE_TYPE_BINARY_KHR"),),)
    assert told["CL_SEMAPHORE_PAYLOAD_KHR"] == ((0,),)


def test_semaphore_created_with_export_types_is_exportable(world: OracleSetup) -> None:
    create_semaphore(world, "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", 0)
    assert find_expected_values(world, "semaphore1")["CL_SEMAPHORE_EXPORTABLE_KHR"] == ((1,),)


def test_payload_query_may_return_two_values_after_enqueued_signal(world: OracleSetup) -> None:
    create_semaphore(world)
    signal = (Handle("queue1"), 1, ElementList((Handle("semaphore1"),)), None, 0, None, None)
    complete_call(world, "", {}, "clEnqueueSignalSemaphoresKHR", *signal)
    assert find_expected_values(world, "semaphore1")["CL_SEMAPHORE_PAYLOAD_KHR"] == ((1,), (0,))


@pytest.mark.parametrize(
    ("elements", "fails"),
    [
        (None, False),
        ((0,), True),
        (("CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", 0, 0), True),
        (("CL_SEMAPHORE_TYPE_KHR", "CL_SEMAPHORE_TYPE_BINARY_KHR", 0), False),
    ],
)
def test_creation_of_semaphore_without_type_is_rejected(
    world: OracleSetup, elements: tuple[str | int, ...] | None, *, fails: bool
) -> None:
    given = None if elements is None else world.create_list(*elements)
    musts, _ = get_condition_ids(
        world.expect("clCreateSemaphoreWithPropertiesKHR", Handle("context1"), given, OutputBuffer(1))
    )
    assert ("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4" in musts) == fails
