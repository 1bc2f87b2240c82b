"""Coverage points for state that programs retain, and for builds after compilers were unloaded (5.8.8 and 5.8.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, OutputBuffers
from clconform.oracles.chapters.programs.error_conditions.binaries import programs_with_binaries
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BinaryProgram, IlProgram, LinkedProgram, Program, SourceProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.state import Model

rules = Rules()

INFO, LOAD = "clGetProgramInfo", "clCreateProgramWithBinary"
SOURCE, DEVICES, SIZES, BINARIES = (f"CL_PROGRAM_{name}" for name in ("SOURCE", "DEVICES", "BINARY_SIZES", "BINARIES"))


def _has_several_strings(asked: CompletedCall) -> bool:
    program = asked.subject
    return isinstance(program, SourceProgram) and program.string_count > 1 and _is_reported(asked)


def _is_extension_program(asked: CompletedCall) -> bool:
    program = asked.subject
    by_the_extension = isinstance(program, IlProgram) and program.query == "CL_PROGRAM_IL_KHR"
    return by_the_extension and _is_reported(asked)


def _is_reported(asked: CompletedCall) -> bool:
    return asked.code == SUCCESS and "param_value" in asked.outputs


rules.coverage_point(
    "CL_PROGRAM_SOURCE/effect/2",
    INFO,
    "Checked on queries of CL_PROGRAM_SOURCE of programs that were created from several strings.",
    SOURCE,
    holds=QueryCoverage((SOURCE,), _has_several_strings),
)
rules.coverage_point(
    "clCreateProgramWithILKHR/effect/2",
    INFO,
    "Checked on queries of CL_PROGRAM_DEVICES of programs from IL.",
    DEVICES,
    holds=QueryCoverage((DEVICES,), _is_extension_program),
)

# binaries


def _is_compiler_output(asked: CompletedCall) -> bool:
    """Return whether a passed binary was queried from a program that was created from source or IL, or by a link."""
    origins = programs_with_binaries(asked.call, asked.model)
    return any(isinstance(each, (SourceProgram, IlProgram, LinkedProgram)) for each in origins)


def _is_reported_binary(asked: CompletedCall) -> bool:
    """Return whether the passed binaries were queried from other programs."""
    return bool(programs_with_binaries(asked.call, asked.model))


def _fits_reported_sizes(asked: CompletedCall) -> bool:
    """Return whether a query returns binaries in memory of exactly the reported sizes."""
    program, room = asked.subject, asked.call.param_value
    if asked.code != SUCCESS or not isinstance(program, Program) or not isinstance(room, OutputBuffers):
        return False
    told = program.facts.get(SIZES)
    return isinstance(told, tuple) and any(told) and tuple(room.counts) == told


def _is_parent_binary(asked: CompletedCall) -> bool:
    """Return whether the binary of a device is passed for one of the sub-devices of this device."""
    listed = asked.call.device_list.values if isinstance(asked.call.device_list, ElementList) else ()
    return any(Handle(each.devices[0].name) not in listed for each in programs_with_binaries(asked.call, asked.model))


for _record, _words, _holds in (
    (
        "clGetProgramBuildInfo/effect/3",
        "Checked on clCreateProgramWithBinary with the binary of a device, for a sub-device of this device.",
        _is_parent_binary,
    ),
    (
        "CL_PROGRAM_BINARIES/effect/1",
        "Checked on clCreateProgramWithBinary with a binary that was queried from a built, compiled or linked program.",
        _is_compiler_output,
    ),
    (
        "CL_PROGRAM_BINARIES/effect/3",
        "Checked on clCreateProgramWithBinary with a binary that was queried from another program.",
        _is_reported_binary,
    ),
):
    rules.coverage_point(
        _record, LOAD, _words, "clCreateProgramWithBinary/success", holds=_holds, requires_success=True
    )
rules.coverage_point(
    "CL_PROGRAM_BINARIES/effect/2",
    INFO,
    "Checked on queries of CL_PROGRAM_BINARIES into memory of exactly the reported sizes.",
    "clGetProgramInfo/success",
    BINARIES,
    holds=QueryCoverage((BINARIES,), _fits_reported_sizes),
)
rules.untestable(
    "CL_PROGRAM_BINARIES/effect/4",
    "",
    "a binary does not show for which device it is, and devices may accept each other's binaries",
)

# programs that are released


def _has_released_program(asked: CompletedCall) -> bool:
    """Return whether an enqueued kernel belongs to a program that the application has released."""
    kernel = asked.model.find(asked.call.kernel)
    return isinstance(kernel, Kernel) and kernel.program is not None and kernel.program.references == 0


rules.coverage_point(
    "clReleaseProgram/effect/2",
    "clEnqueueNDRangeKernel",
    "Checked on kernels that are enqueued after their program was released.",
    "clEnqueueNDRangeKernel/success",
    holds=_has_released_program,
    requires_success=True,
)

# compilers that were unloaded


def _follows_unload_by(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a build, compilation or link follows an unload of all compilers by ``function``."""

    def holds(asked: CompletedCall) -> bool:
        made_here = asked.model.find(asked.call.arguments.get("program"))
        if isinstance(made_here, BinaryProgram):
            return False
        return _last_unload(asked.model) == function

    return holds


def _last_unload(model: Model) -> str:
    """Return the function that last unloaded the compilers of all platforms; empty if they were not unloaded."""
    unloaded = {platform.unloaded_by for platform in model.platforms.values()}
    return unloaded.pop() if len(unloaded) == 1 else ""


for _record in ("clUnloadPlatformCompiler/effect/1", "clUnloadCompiler/effect/1"):
    for _build in ("clBuildProgram", "clCompileProgram", "clLinkProgram"):
        _follows_unload = _follows_unload_by(_record.partition("/")[0])
        rules.coverage_point(_record, _build, "", f"{_build}/success", holds=_follows_unload, requires_success=True)
