"""The features of calls by which cells are found: shapes without object numbers, differences, and carriers."""

from __future__ import annotations

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.model.state import Model
from clconform.selftest.condition_cells.call_features import (
    describe_arguments,
    describe_shape,
    find_carriers,
    find_differences,
    object_parameters_of,
)
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition


def call(queue: str, *, size: int = 4) -> Call:
    return Call(
        "clEnqueueReadBuffer",
        {
            "command_queue": Handle(queue),
            "buffer": Handle("mem7"),
            "size": size,
            "list": ElementList((Handle("event1"),)),
        },
    )


def test_shape_omits_the_numbers_of_objects() -> None:
    assert describe_shape(call("queue1")) == describe_shape(call("queue22"))
    assert "queue, mem, 4, ElementList(values=(event,))" in describe_shape(call("queue1"))


def test_differences_are_the_parameters_with_other_values() -> None:
    assert find_differences(describe_arguments(call("queue1")), describe_arguments(call("queue2", size=5))) == ["size"]
    assert find_differences(describe_arguments(call("queue1")), describe_arguments(call("event2"))) == ["command_queue"]


def test_carriers_are_those_of_the_condition_and_of_any_sub_device() -> None:
    root = Device("device1")
    part = Device("device2", parent=root)
    model = Model(load())
    buffer = Buffer("mem1", context=(context := Context("context1", devices=[part])))
    things = (root, part, context, buffer, SubBuffer("mem7", context=context, buffer=buffer))
    for thing in (*things, CommandQueue("queue1", context=context, queue_device=part)):
        model.add(thing)
    assert find_carriers(call("queue1"), model, ("buffer",), ()) == {"sub-buffer", "sub-device"}
    assert find_carriers(call("queue1"), model, ("command_queue",), ("queue1",)) == {"retained handle", "sub-device"}


def test_condition_without_named_objects_uses_all_objects_of_its_function() -> None:
    named = load().requirements["clEnqueueReadBuffer/CL_INVALID_MEM_OBJECT/1"]
    assert isinstance(named, ErrorCondition)
    assert object_parameters_of(named, load()) == {"buffer"}
    unnamed = load().requirements["clSetKernelArg/CL_INVALID_ARG_INDEX/1"]
    assert isinstance(unnamed, ErrorCondition)
    assert object_parameters_of(unnamed, load()) == {"kernel"}
