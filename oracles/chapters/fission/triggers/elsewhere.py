"""What cl_ext_device_fission says of functions that are not its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.partition.trigger_kinds import INFO, UNITS, answered, part
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import Queue
from clconform.oracles.queries.questions import query_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _of_other_functions(rules: Rules, _tables: Tables) -> None:
    """Declare what cl_ext_device_fission says of functions that are not its own."""

    def told(record: str) -> str:
        return f"cl_ext_device_fission:{record}"

    def lives(asked: AnsweredCall) -> bool:
        return any(isinstance(thing, Device) and not thing.root for thing in asked.model.things.values())

    def context_of(asked: AnsweredCall) -> Context | None:
        thing = asked.model.known(asked.call.arguments.get("context"))
        return thing if isinstance(thing, Context) else None

    def lists(asked: AnsweredCall, when: Callable[[Context], bool]) -> bool:
        context, record = context_of(asked), query_of(asked.call, asked.model)
        listed = record is not None and record.name == "CL_CONTEXT_DEVICES" and "param_value" in asked.seen
        return listed and context is not None and asked.code == "CL_SUCCESS" and when(context)

    def attached_part(context: Context) -> bool:
        return any(not device.root and device.references < 1 for device in context.devices)

    rules.trigger(
        told("clGetDeviceIDs/1"),
        "clGetDeviceIDs",
        "root devices only",
        "clGetDeviceIDs/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and lives(asked) and "devices" in asked.seen,
    )
    for number in (2, 3):
        rules.untestable(
            told(f"clGetDeviceIDs/{number}"), "root devices share no units", "no query tells which units a device has"
        )
    rules.trigger(
        told("clGetDeviceInfo/1"), INFO, "a sub-device tells its own compute units", UNITS, holds=answered(UNITS, part)
    )
    rules.untestable(
        told("clGetDeviceInfo/2"),
        "devices that share binaries have one vendor",
        "a recommendation: nothing could violate it",
    )
    rules.untestable(
        told("clGetDeviceInfo/3"),
        "other answers may differ from the parent's",
        "a permission: nothing could violate it",
    )
    rules.trigger(
        told("references/1"),
        "clGetContextInfo",
        "a device lives as long as what uses it",
        "clGetContextInfo/success",
        "CL_CONTEXT_NUM_DEVICES",
        holds=lambda asked: bool((context := context_of(asked)) and attached_part(context)),
    )
    rules.trigger(
        told("clCreateContext/1"),
        "clGetContextInfo",
        "a context holds the devices it was given",
        "CL_CONTEXT_DEVICES",
        holds=lambda asked: lists(asked, lambda context: bool(context.devices)),
    )
    rules.trigger(
        told("clCreateContext/2"),
        "clGetContextInfo",
        "and none of their sub-devices",
        "CL_CONTEXT_DEVICES",
        holds=lambda asked: (
            lives(asked) and lists(asked, lambda context: any(device.root for device in context.devices))
        ),
    )
    for number in (1, 2):
        rules.trigger(
            told(f"clCreateContextFromType/{number}"),
            "clGetContextInfo",
            "root devices only",
            "CL_CONTEXT_DEVICES",
            holds=lambda asked: lives(asked) and lists(asked, lambda context: not context.devices),
        )
    for number in (1, 2):
        rules.trigger(
            told(f"clGetContextInfo/{number}"),
            "clGetContextInfo",
            "only the devices that were given",
            "CL_CONTEXT_DEVICES",
            holds=lambda asked: lives(asked) and lists(asked, lambda context: bool(context.devices)),
        )
    rules.trigger(
        told("clCreateCommandQueue/1"),
        "clCreateCommandQueue",
        "a queue wants a device of the context or a descendant",
        "clCreateCommandQueue/CL_INVALID_DEVICE/1",
        "clCreateCommandQueue/success",
        holds=lambda asked: isinstance(asked.call.device, Handle) and isinstance(asked.call.context, Handle),
    )
    rules.untestable(
        told("clCreateCommandQueue/2"), "work runs on the sub-device", "an attempt only, and the host cannot see it"
    )
    rules.trigger(
        told("clGetCommandQueueInfo/1"),
        "clGetCommandQueueInfo",
        "a queue names its sub-device",
        "CL_QUEUE_DEVICE",
        holds=_queue_of_part,
    )
    rules.trigger(
        told("clCreateProgramWithBinary/1"),
        "clCreateProgramWithBinary",
        "a program wants devices of the context or descendants",
        "clCreateProgramWithBinary/CL_INVALID_DEVICE/1",
        "clCreateProgramWithBinary/success",
        holds=lambda asked: asked.call.device_list is not None,
    )
    rules.trigger(
        told("clBuildProgram/1"),
        "clBuildProgram",
        "a build wants devices of the context or descendants",
        "clBuildProgram/CL_INVALID_DEVICE/1",
        "clBuildProgram/success",
        holds=lambda asked: asked.call.device_list is not None,
    )
    rules.untestable(
        told("clBuildProgram/2"), "a program is built for each device that runs it", "a duty of the application"
    )
    rules.trigger(
        told("clBuildProgram/3"),
        "clBuildProgram",
        "a program from a binary is built for its own devices only",
        "clBuildProgram/CL_INVALID_DEVICE/1",
        holds=lambda asked: asked.call.device_list is not None and _from_binary(asked),
    )
    rules.trigger(
        told("clGetProgramInfo/1"),
        "clGetProgramInfo",
        "the context's devices and those built for",
        "CL_PROGRAM_DEVICES",
        holds=lambda asked: not _from_binary(asked) and _asks(asked, "CL_PROGRAM_DEVICES"),
    )
    rules.trigger(
        told("clGetProgramInfo/2"),
        "clGetProgramInfo",
        "the program's devices and those built for",
        "CL_PROGRAM_DEVICES",
        holds=lambda asked: _from_binary(asked) and _asks(asked, "CL_PROGRAM_DEVICES"),
    )
    rules.trigger(
        told("clGetProgramInfo/3"),
        "clGetProgramInfo",
        "one size of a binary for each device",
        "CL_PROGRAM_BINARY_SIZES",
        holds=lambda asked: _asks(asked, "CL_PROGRAM_BINARY_SIZES"),
    )


def _asks(asked: AnsweredCall, name: str) -> bool:
    record = query_of(asked.call, asked.model)
    return record is not None and record.name == name and "param_value" in asked.seen and asked.code == "CL_SUCCESS"


def _from_binary(asked: AnsweredCall) -> bool:
    program = asked.model.known(asked.call.program)
    return isinstance(program, Program) and not program.from_source


def _queue_of_part(asked: AnsweredCall) -> bool:
    queue = asked.model.known(asked.call.command_queue)
    device = queue.device if isinstance(queue, Queue) else None
    return isinstance(device, Device) and not device.root and _asks(asked, "CL_QUEUE_DEVICE")
