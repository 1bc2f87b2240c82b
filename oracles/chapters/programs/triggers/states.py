"""Which calls show what callbacks may rely on, which devices were compiled for, and references (5.8.2 to 5.8.5)."""

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
    """Return whether the callback of a build by a function has come, for the program that is asked about."""

    def holds(asked: AnsweredCall) -> bool:
        program = _program(asked)
        told = [each for each in notices_of(asked.model) if isinstance(each, OfBuild) and each.thing is program]
        return bool(told) and told[-1].times > 0 and told[-1].record == f"{function}/success"

    return holds


for _function, _number in (("clBuildProgram", 8), ("clCompileProgram", 10), ("clLinkProgram", 12)):
    rules.trigger(
        f"{_function}/effect/{_number}",
        OF_BUILDS,
        "Once pfn_notify is called, the state of the program is that after the build.",
        STATUS,
        holds=Answered((STATUS,), _told_by(_function)),
    )


def _not_compiled_for(asked: AnsweredCall) -> bool:
    """Return whether the program was compiled, but for other devices than the one that is asked about."""
    builds, device = _program(asked).builds, asked.model.known(asked.call.device)
    own = builds.get(device.name) if device is not None else None
    compiled = any(each.state is BuildState.COMPILED for each in builds.values())
    return own is not None and own.state is BuildState.NONE and compiled


def _linked_for_one(asked: AnsweredCall) -> bool:
    """Return whether the program was linked for other devices than all of its context."""
    program = _program(asked)
    context = program.context
    return isinstance(program, LinkedProgram) and context is not None and len(program.devices) < len(context.devices)


rules.trigger(
    "clCompileProgram/effect/2",
    OF_BUILDS,
    "With a device_list, the program is compiled for no other device.",
    STATUS,
    holds=Answered((STATUS,), _not_compiled_for),
)
rules.trigger(
    "clLinkProgram/effect/3",
    OF_PROGRAMS,
    "With a device_list, the programs are linked for the devices in it that have something to link.",
    "CL_PROGRAM_DEVICES",
    holds=Answered(("CL_PROGRAM_DEVICES",), _linked_for_one),
)
rules.trigger(
    "clRetainProgram/effect/1",
    OF_PROGRAMS,
    "A program that was retained counts at least the references taken.",
    COUNT,
    holds=Answered((COUNT,), lambda asked: _program(asked).references > 1),
)
rules.trigger(
    "clRetainProgram/effect/2",
    OF_PROGRAMS,
    "A new program counts at least one reference.",
    COUNT,
    holds=Answered((COUNT,), lambda asked: _program(asked).references == 1),
)
rules.untestable(
    "clReleaseProgram/effect/1",
    "Releasing a program decreases its reference count by one.",
    "counts are said to be stale at once, and a program without references can be asked nothing",
)
rules.untestable(
    "cl_build_status:CL_BUILD_IN_PROGRESS",
    "CL_BUILD_IN_PROGRESS is the status of a build that goes on.",
    "a build may end at any time, so that no query must find it going on",
)


def _without_its_kernels(asked: AnsweredCall) -> bool:
    """Return whether there were kernels of a program, all of which the application has released."""
    program = _program(asked)
    return program.had_kernels and not any(each.program is program for each in asked.model.of_kind(Kernel))


def _left_out(asked: AnsweredCall) -> bool:
    """Return whether a linked program is asked about a device for which there was nothing to link."""
    program, device = _program(asked), asked.model.known(asked.call.device)
    there = isinstance(program, LinkedProgram) and device is not None and device.name in program.left_out
    return there and "param_value" in asked.seen


for _function in ("clBuildProgram", "clCompileProgram"):
    rules.trigger(
        "clReleaseKernel/effect/2",
        _function,
        "A kernel is gone when nothing needs it any more: its program can be built again.",
        f"{_function}/success",
        holds=_without_its_kernels,
        by_success=True,
    )
rules.trigger(
    "clLinkProgram/effect/8",
    OF_BUILDS,
    "No executable is made for a device for which no input program has a compiled binary or library.",
    BINARY_TYPE,
    holds=Answered((BINARY_TYPE,), _left_out),
)
GOING_ON = "whether a build goes on is not seen from outside before its callback comes, so that no call must be refused"
for _function, _words in {
    "clBuildProgram": "A build of program for one of the devices in device_list has not completed.",
    "clCompileProgram": "A build of program for one of the devices in device_list has not completed.",
    "clLinkProgram": "The build of a program in input_programs has not completed.",
}.items():
    rules.untestable(f"{_function}/CL_INVALID_OPERATION/1", _words, GOING_ON)
rules.untestable(
    "clLinkProgram/effect/5",
    "Without options a binary is linked as it was built at first.",
    "a compiled binary was made with options of a compiler, and which of the programs counts is not said",
)
rules.untestable(
    "clCreateProgramWithILKHR/CL_INVALID_OPERATION/1",
    "No device of context supports an intermediate language.",
    "a device that reports the extension, without which the function is not to be called, supports SPIR-V",
)
rules.untestable(
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "No device of program supports an intermediate language.",
    "no such device has a program from one, so that CL_INVALID_PROGRAM is right in each call, too",
)


SPIRV = b"\x03\x02\x23\x07"
"""How a module of SPIR-V begins, in the order of bytes of the hosts that the suites run on."""


def _spirv_where_required(asked: AnsweredCall) -> bool:
    """Return whether a module of SPIR-V is given to devices of 2.1 or 2.2."""
    context = asked.model.known(asked.call.context)
    if not isinstance(context, Context) or not isinstance(asked.call.il, Data):
        return False
    required = all((2, 1) <= device.version < (3, 0) for device in context.devices)
    return bool(context.devices) and required and asked.call.il.content.startswith(SPIRV)


rules.trigger(
    "OpenCL:spir-v-intermediate-language/1",
    "clCreateProgramWithIL",
    "A device of 2.1 or 2.2 takes a module of SPIR-V.",
    "clCreateProgramWithIL/success",
    holds=_spirv_where_required,
    by_success=True,
)
rules.untestable(
    "clGetKernelSubGroupInfoKHR/success",
    "The call succeeds if no clause says otherwise.",
    "the function is in the registry, but no document at hand says what it does",
)
