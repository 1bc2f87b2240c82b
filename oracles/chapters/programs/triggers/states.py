"""Coverage points for build callbacks, devices of a compilation, and reference counts (5.8.2 to 5.8.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.chapters.notifications.kinds import OfBuild
from clconform.oracles.chapters.notifications.notices import notices_of
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BuildState, LinkedProgram, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()

OF_PROGRAMS, OF_BUILDS = "clGetProgramInfo", "clGetProgramBuildInfo"
STATUS, COUNT = "CL_PROGRAM_BUILD_STATUS", "CL_PROGRAM_REFERENCE_COUNT"
BINARY_TYPE = "CL_PROGRAM_BINARY_TYPE"


def _program(asked: AnsweredCall) -> Program:
    return asked.model.get(Program, asked.call.program)


def _told_by(function: str) -> Callable[[AnsweredCall], bool]:
    """Return a condition: the callback of a build by a function was called for the queried program."""

    def holds(asked: AnsweredCall) -> bool:
        program = _program(asked)
        told = [each for each in notices_of(asked.model) if isinstance(each, OfBuild) and each.thing is program]
        return bool(told) and told[-1].times > 0 and told[-1].record == f"{function}/success"

    return holds


for _function, _number in (("clBuildProgram", 8), ("clCompileProgram", 10), ("clLinkProgram", 12)):
    rules.trigger(
        f"{_function}/effect/{_number}",
        OF_BUILDS,
        "Checked on queries of CL_PROGRAM_BUILD_STATUS after pfn_notify was called.",
        STATUS,
        holds=Answered((STATUS,), _told_by(_function)),
    )


def _not_compiled_for(asked: AnsweredCall) -> bool:
    """Return whether the program was compiled, but not for the queried device."""
    builds, device = _program(asked).builds, asked.model.known(asked.call.device)
    own = builds.get(device.name) if device is not None else None
    compiled = any(each.state is BuildState.COMPILED for each in builds.values())
    return own is not None and own.state is BuildState.NONE and compiled


def _linked_for_one(asked: AnsweredCall) -> bool:
    """Return whether the program was linked for fewer devices than its context has."""
    program = _program(asked)
    context = program.context
    return isinstance(program, LinkedProgram) and context is not None and len(program.devices) < len(context.devices)


rules.trigger(
    "clCompileProgram/effect/2",
    OF_BUILDS,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS for a device of the program that was not in device_list.",
    STATUS,
    holds=Answered((STATUS,), _not_compiled_for),
)
rules.trigger(
    "clLinkProgram/effect/3",
    OF_PROGRAMS,
    "Checked on queries of CL_PROGRAM_DEVICES.",
    "CL_PROGRAM_DEVICES",
    holds=Answered(("CL_PROGRAM_DEVICES",), _linked_for_one),
)
rules.trigger(
    "clRetainProgram/effect/1",
    OF_PROGRAMS,
    "Checked on queries of CL_PROGRAM_REFERENCE_COUNT of a retained program.",
    COUNT,
    holds=Answered((COUNT,), lambda asked: _program(asked).references > 1),
)
rules.trigger(
    "clRetainProgram/effect/2",
    OF_PROGRAMS,
    "Checked on queries of CL_PROGRAM_REFERENCE_COUNT of a program with one reference.",
    COUNT,
    holds=Answered((COUNT,), lambda asked: _program(asked).references == 1),
)
rules.untestable(
    "clReleaseProgram/effect/1",
    "",
    "a returned count is stale immediately, and a program without references cannot be queried",
)
rules.untestable(
    "cl_build_status:CL_BUILD_IN_PROGRESS",
    "CL_BUILD_IN_PROGRESS is the status of a build that has not completed.",
    "a build may end at any time, so no query is guaranteed to find it in progress",
)


def _without_its_kernels(asked: AnsweredCall) -> bool:
    """Return whether a program had kernels, and the application has released all of them."""
    program = _program(asked)
    return program.had_kernels and not any(each.program is program for each in asked.model.of_kind(Kernel))


def _left_out(asked: AnsweredCall) -> bool:
    """Return whether a linked program is queried for a device without anything to link."""
    program, device = _program(asked), asked.model.known(asked.call.device)
    there = isinstance(program, LinkedProgram) and device is not None and device.name in program.left_out
    return there and "param_value" in asked.seen


for _function in ("clBuildProgram", "clCompileProgram"):
    rules.trigger(
        "clReleaseKernel/effect/2",
        _function,
        "Checked on builds of a program whose kernels were all released: they succeed.",
        f"{_function}/success",
        holds=_without_its_kernels,
        by_success=True,
    )
rules.trigger(
    "clLinkProgram/effect/8",
    OF_BUILDS,
    "Checked on queries of CL_PROGRAM_BINARY_TYPE for such a device.",
    BINARY_TYPE,
    holds=Answered((BINARY_TYPE,), _left_out),
)
GOING_ON = (
    "before its callback is called, it is not observable whether a build is in progress, so no call is certain to fail"
)
for _function, _words in {
    "clBuildProgram": "A build of program for one of the devices in device_list has not completed.",
    "clCompileProgram": "A build of program for one of the devices in device_list has not completed.",
    "clLinkProgram": "The build of a program in input_programs has not completed.",
}.items():
    rules.untestable(f"{_function}/CL_INVALID_OPERATION/1", _words, GOING_ON)
rules.untestable(
    "clLinkProgram/effect/5",
    "",
    (
        "a compiled binary was created with compiler options, and the document does not specify which of the programs "
        "counts"
    ),
)
rules.untestable(
    "clCreateProgramWithILKHR/CL_INVALID_OPERATION/1",
    "No device of context supports an intermediate language.",
    "a device that reports the extension supports SPIR-V, and without the extension the function must not be called",
)
rules.untestable(
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "No device of program supports an intermediate language.",
    (
        "a device without an intermediate language cannot have a program from one, so CL_INVALID_PROGRAM is also "
        "allowed in each call"
    ),
)


SPIRV = b"\x03\x02\x23\x07"
"""Magic number of a SPIR-V module, in little-endian byte order."""


def _spirv_where_required(asked: AnsweredCall) -> bool:
    """Return whether a SPIR-V module is passed for devices of 2.1 or 2.2."""
    context = asked.model.known(asked.call.context)
    if not isinstance(context, Context) or not isinstance(asked.call.il, Data):
        return False
    required = all((2, 1) <= device.version < (3, 0) for device in context.devices)
    return bool(context.devices) and required and asked.call.il.content.startswith(SPIRV)


rules.trigger(
    "OpenCL:spir-v-intermediate-language/1",
    "clCreateProgramWithIL",
    "Checked on clCreateProgramWithIL with a SPIR-V module in contexts whose devices are all of 2.1 or 2.2.",
    "clCreateProgramWithIL/success",
    holds=_spirv_where_required,
    by_success=True,
)
rules.untestable(
    "clGetKernelSubGroupInfoKHR/success",
    "The call succeeds if no error condition holds.",
    "the function is in the registry, but the available documents do not describe it",
)
