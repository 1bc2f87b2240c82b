"""Coverage points for build callbacks, devices of a compilation, and reference counts (5.8.2 to 5.8.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.chapters.notifications.callback_kinds import BuildCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BuildState, LinkedProgram, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()

PROGRAM_INFO, BUILD_INFO = "clGetProgramInfo", "clGetProgramBuildInfo"
STATUS, COUNT = "CL_PROGRAM_BUILD_STATUS", "CL_PROGRAM_REFERENCE_COUNT"
BINARY_TYPE = "CL_PROGRAM_BINARY_TYPE"


def _queried_program(asked: CompletedCall) -> Program:
    return asked.model.get(Program, asked.call.program)


def _follows_callback_of(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the last build callback of the queried program was called.

    ``function``: the function that must have registered the callback.
    """

    def holds(asked: CompletedCall) -> bool:
        program = _queried_program(asked)
        told = [
            each
            for each in pending_callbacks(asked.model)
            if isinstance(each, BuildCallback) and each.subject is program
        ]
        return bool(told) and told[-1].call_count > 0 and told[-1].requirement == f"{function}/success"

    return holds


for _requirement in ("clBuildProgram/effect/8", "clCompileProgram/effect/10", "clLinkProgram/effect/12"):
    rules.coverage_point(
        _requirement,
        BUILD_INFO,
        "Checked on queries of CL_PROGRAM_BUILD_STATUS after pfn_notify was called.",
        STATUS,
        holds=QueryCoverage((STATUS,), _follows_callback_of(_requirement.partition("/")[0])),
    )


def _is_compiled_elsewhere(asked: CompletedCall) -> bool:
    """Return whether the program was compiled, but not for the queried device."""
    builds, device = _queried_program(asked).builds, asked.model.find(asked.call.device)
    own = builds.get(device.name) if device is not None else None
    compiled = any(each.state is BuildState.COMPILED for each in builds.values())
    return own is not None and own.state is BuildState.NONE and compiled


def _is_linked_for_some(asked: CompletedCall) -> bool:
    """Return whether the program was linked for only some of the devices in its context."""
    program = _queried_program(asked)
    context = program.context
    return isinstance(program, LinkedProgram) and context is not None and len(program.devices) < len(context.devices)


rules.coverage_point(
    "clCompileProgram/effect/2",
    BUILD_INFO,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS for a device of the program that was not in device_list.",
    STATUS,
    holds=QueryCoverage((STATUS,), _is_compiled_elsewhere),
)
rules.coverage_point(
    "clLinkProgram/effect/3",
    PROGRAM_INFO,
    "Checked on queries of CL_PROGRAM_DEVICES of programs that were linked for only some devices in the context.",
    "CL_PROGRAM_DEVICES",
    holds=QueryCoverage(("CL_PROGRAM_DEVICES",), _is_linked_for_some),
)
for _requirement, _words, _holds in (
    (
        "clRetainProgram/effect/1",
        "Checked on queries of CL_PROGRAM_REFERENCE_COUNT of a retained program.",
        lambda asked: _queried_program(asked).references > 1,
    ),
    (
        "clRetainProgram/effect/2",
        "Checked on queries of CL_PROGRAM_REFERENCE_COUNT of a program with one reference.",
        lambda asked: _queried_program(asked).references == 1,
    ),
):
    rules.coverage_point(_requirement, PROGRAM_INFO, _words, COUNT, holds=QueryCoverage((COUNT,), _holds))
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


def _has_released_kernels(asked: CompletedCall) -> bool:
    """Return whether a program had kernels, and the application has released all of them."""
    program = _queried_program(asked)
    return program.had_kernels and not any(each.program is program for each in asked.model.objects_of_class(Kernel))


def _is_left_out(asked: CompletedCall) -> bool:
    """Return whether a query names a device for which a linked program had neither compiled binaries nor libraries."""
    program, device = _queried_program(asked), asked.model.find(asked.call.device)
    there = isinstance(program, LinkedProgram) and device is not None and device.name in program.skipped_devices
    return there and "param_value" in asked.outputs


for _function in ("clBuildProgram", "clCompileProgram"):
    rules.coverage_point(
        "clReleaseKernel/effect/2",
        _function,
        "Checked on builds of a program after the application has released all its kernels: the builds succeed.",
        f"{_function}/success",
        holds=_has_released_kernels,
        requires_success=True,
    )
rules.coverage_point(
    "clLinkProgram/effect/8",
    BUILD_INFO,
    "Checked on queries of CL_PROGRAM_BINARY_TYPE for a device without a compiled binary or library.",
    BINARY_TYPE,
    holds=QueryCoverage((BINARY_TYPE,), _is_left_out),
)
BUILD_IN_PROGRESS_REASON = (
    "before its callback is called, it is not observable whether a build is in progress, so no call is certain to fail"
)
_INCOMPLETE_TEXT = "A build of program for one of the devices in device_list has not completed."
for _requirement, _words in (
    ("clBuildProgram/CL_INVALID_OPERATION/1", _INCOMPLETE_TEXT),
    ("clCompileProgram/CL_INVALID_OPERATION/1", _INCOMPLETE_TEXT),
    ("clLinkProgram/CL_INVALID_OPERATION/1", "The build of a program in input_programs has not completed."),
):
    rules.untestable(_requirement, _words, BUILD_IN_PROGRESS_REASON)
rules.untestable(
    "clLinkProgram/effect/5",
    "",
    (
        "a compiled binary was created with compiler options, and the document does not specify "
        "which program's options are used"
    ),
)
rules.untestable(
    "clCreateProgramWithILKHR/CL_INVALID_OPERATION/1",
    "No device in context supports an intermediate language.",
    "a device that reports the extension supports SPIR-V, and without the extension the function must not be called",
)


SPIRV_MAGIC = b"\x03\x02\x23\x07"
"""Magic number of a SPIR-V module, in little-endian byte order."""


def _passes_required_spirv(asked: CompletedCall) -> bool:
    """Return whether a call passes a SPIR-V module for devices of version 2.1 or 2.2."""
    context = asked.model.find(asked.call.context)
    if not isinstance(context, Context) or not isinstance(asked.call.il, Data):
        return False
    required = all((2, 1) <= device.version < (3, 0) for device in context.devices)
    return bool(context.devices) and required and asked.call.il.content.startswith(SPIRV_MAGIC)


rules.coverage_point(
    "OpenCL:spir-v-intermediate-language/1",
    "clCreateProgramWithIL",
    "Checked on clCreateProgramWithIL with a SPIR-V module in contexts with only devices of version 2.1 or 2.2.",
    "clCreateProgramWithIL/success",
    holds=_passes_required_spirv,
    requires_success=True,
)
rules.untestable(
    "clGetKernelSubGroupInfoKHR/success",
    "The call succeeds if no error condition holds.",
    "the function is in the registry, but the available documents do not describe it",
)
