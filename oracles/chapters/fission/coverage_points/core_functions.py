"""Coverage points for the requirements of cl_ext_device_fission on functions of the core specification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.partition.coverage_kinds import INFO, UNITS, is_sub_device, queries_device
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.queries.query_request import requested_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()


def _has_sub_device(asked: CompletedCall) -> bool:
    return any(isinstance(thing, Device) and not thing.is_root for thing in asked.model.objects.values())


def _context_of(asked: CompletedCall) -> Context | None:
    thing = asked.model.find(asked.call.arguments.get("context"))
    return thing if isinstance(thing, Context) else None


def _lists(asked: CompletedCall, when: Callable[[Context], bool]) -> bool:
    context, requirement = _context_of(asked), requested_query(asked.call, asked.model)
    listed = requirement is not None and requirement.name == "CL_CONTEXT_DEVICES" and "param_value" in asked.outputs
    return listed and context is not None and asked.code == "CL_SUCCESS" and when(context)


def _has_attached_sub_device(context: Context) -> bool:
    return any(not device.is_root and device.references < 1 for device in context.devices)


def _queries(asked: CompletedCall, name: str) -> bool:
    requirement = requested_query(asked.call, asked.model)
    return (
        requirement is not None
        and requirement.name == name
        and "param_value" in asked.outputs
        and asked.code == "CL_SUCCESS"
    )


def _is_from_binary(asked: CompletedCall) -> bool:
    program = asked.model.find(asked.call.program)
    return isinstance(program, Program) and not program.from_source


def _queries_queue_of_sub_device(asked: CompletedCall) -> bool:
    queue = asked.model.find(asked.call.command_queue)
    device = queue.device if isinstance(queue, CommandQueue) else None
    return isinstance(device, Device) and not device.is_root and _queries(asked, "CL_QUEUE_DEVICE")


rules.coverage_point(
    "cl_ext_device_fission:clGetDeviceIDs/1",
    "clGetDeviceIDs",
    "clGetDeviceIDs returns only root devices.",
    "clGetDeviceIDs/success",
    holds=lambda asked: asked.code == "CL_SUCCESS" and _has_sub_device(asked) and "devices" in asked.outputs,
)
for _requirement, _words in (
    (
        "cl_ext_device_fission:clGetDeviceIDs/2",
        "The devices that a call of clGetDeviceIDs returns do not share compute units.",
    ),
    ("cl_ext_device_fission:clGetDeviceIDs/3", "Root devices do not share compute units."),
):
    rules.untestable(_requirement, _words, "no query reports which compute units a device has")
rules.coverage_point(
    "cl_ext_device_fission:clGetDeviceInfo/1",
    INFO,
    "CL_DEVICE_MAX_COMPUTE_UNITS of a sub-device is the number of compute units of the sub-device.",
    UNITS,
    holds=queries_device(UNITS, is_sub_device),
)
rules.untestable(
    "cl_ext_device_fission:clGetDeviceInfo/2",
    "Devices that can share a binary have the same CL_DEVICE_VENDOR_ID.",
    "it is recommended, not required",
)
rules.untestable(
    "cl_ext_device_fission:clGetDeviceInfo/3",
    "A sub-device may return other values for queries than its parent device.",
    PERMISSION,
)
rules.coverage_point(
    "cl_ext_device_fission:references/1",
    "clGetContextInfo",
    "A released sub-device is not destroyed while a context contains it.",
    "clGetContextInfo/success",
    "CL_CONTEXT_NUM_DEVICES",
    holds=lambda asked: bool((context := _context_of(asked)) and _has_attached_sub_device(context)),
)
for _requirement, _words, _holds in (
    (
        "cl_ext_device_fission:clCreateContext/1",
        "CL_CONTEXT_DEVICES of a context from clCreateContext contains all elements of devices.",
        lambda asked: _lists(asked, lambda context: bool(context.devices)),
    ),
    (
        "cl_ext_device_fission:clCreateContext/2",
        "CL_CONTEXT_DEVICES of a context from clCreateContext contains only sub-devices that are elements of devices.",
        lambda asked: (
            _has_sub_device(asked) and _lists(asked, lambda context: any(device.is_root for device in context.devices))
        ),
    ),
    (
        "cl_ext_device_fission:clCreateContextFromType/1",
        "CL_CONTEXT_DEVICES of a context from clCreateContextFromType contains only root devices.",
        lambda asked: _has_sub_device(asked) and _lists(asked, lambda context: not context.devices),
    ),
    (
        "cl_ext_device_fission:clCreateContextFromType/2",
        "CL_CONTEXT_DEVICES of a context from clCreateContextFromType does not contain sub-devices.",
        lambda asked: _has_sub_device(asked) and _lists(asked, lambda context: not context.devices),
    ),
    (
        "cl_ext_device_fission:clGetContextInfo/1",
        "CL_CONTEXT_DEVICES returns only the devices that the context was created with.",
        lambda asked: _has_sub_device(asked) and _lists(asked, lambda context: bool(context.devices)),
    ),
    (
        "cl_ext_device_fission:clGetContextInfo/2",
        "CL_CONTEXT_DEVICES does not return unlisted sub-devices, even if the context can use them.",
        lambda asked: _has_sub_device(asked) and _lists(asked, lambda context: bool(context.devices)),
    ),
):
    rules.coverage_point(_requirement, "clGetContextInfo", _words, "CL_CONTEXT_DEVICES", holds=_holds)
rules.coverage_point(
    "cl_ext_device_fission:clCreateCommandQueue/1",
    "clCreateCommandQueue",
    "clCreateCommandQueue accepts only a device in context or a descendant of such a device.",
    "clCreateCommandQueue/CL_INVALID_DEVICE/1",
    "clCreateCommandQueue/success",
    holds=lambda asked: isinstance(asked.call.device, Handle) and isinstance(asked.call.context, Handle),
)
rules.untestable(
    "cl_ext_device_fission:clCreateCommandQueue/2",
    "Commands in the queue of a sub-device are executed only on that sub-device.",
    "the implementation only has to attempt it, and the host cannot observe which units execute a command",
)
rules.coverage_point(
    "cl_ext_device_fission:clGetCommandQueueInfo/1",
    "clGetCommandQueueInfo",
    "CL_QUEUE_DEVICE of a queue that was created for a sub-device returns that sub-device.",
    "CL_QUEUE_DEVICE",
    holds=_queries_queue_of_sub_device,
)
rules.coverage_point(
    "cl_ext_device_fission:clCreateProgramWithBinary/1",
    "clCreateProgramWithBinary",
    "clCreateProgramWithBinary accepts only devices in context and their descendants.",
    "clCreateProgramWithBinary/CL_INVALID_DEVICE/1",
    "clCreateProgramWithBinary/success",
    holds=lambda asked: asked.call.device_list is not None,
)
rules.coverage_point(
    "cl_ext_device_fission:clBuildProgram/1",
    "clBuildProgram",
    "clBuildProgram accepts only devices in the program's context and their descendants.",
    "clBuildProgram/CL_INVALID_DEVICE/1",
    "clBuildProgram/success",
    holds=lambda asked: asked.call.device_list is not None,
)
rules.untestable(
    "cl_ext_device_fission:clBuildProgram/2",
    "The application builds a program for each device that uses the program.",
    "it is a requirement on applications",
)
rules.coverage_point(
    "cl_ext_device_fission:clBuildProgram/3",
    "clBuildProgram",
    "A program created from binaries is built only for the devices that it was created with.",
    "clBuildProgram/CL_INVALID_DEVICE/1",
    holds=lambda asked: asked.call.device_list is not None and _is_from_binary(asked),
)
for _requirement, _words, _query, _holds in (
    (
        "cl_ext_device_fission:clGetProgramInfo/1",
        "CL_PROGRAM_DEVICES of a program from source returns the context's devices and all devices it is built for.",
        "CL_PROGRAM_DEVICES",
        lambda asked: not _is_from_binary(asked) and _queries(asked, "CL_PROGRAM_DEVICES"),
    ),
    (
        "cl_ext_device_fission:clGetProgramInfo/2",
        "CL_PROGRAM_DEVICES of a program from binaries returns the devices it was created with or is built for.",
        "CL_PROGRAM_DEVICES",
        lambda asked: _is_from_binary(asked) and _queries(asked, "CL_PROGRAM_DEVICES"),
    ),
    (
        "cl_ext_device_fission:clGetProgramInfo/3",
        "CL_PROGRAM_BINARY_SIZES returns one size for each device of the program.",
        "CL_PROGRAM_BINARY_SIZES",
        lambda asked: _queries(asked, "CL_PROGRAM_BINARY_SIZES"),
    ),
):
    rules.coverage_point(_requirement, "clGetProgramInfo", _words, _query, holds=_holds)
