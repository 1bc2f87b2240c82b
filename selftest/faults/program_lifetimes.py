"""Faults of objects that programs and kernels retain, of unloaded compilers, and of binaries."""

from __future__ import annotations

import math

import msgspec

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList, OutputBuffers
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import (
    executing_device,
    has_ancestor_executable,
)
from clconform.oracles.chapters.programs.error_conditions.binaries import programs_with_binaries
from clconform.oracles.model.devices import Device
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import IlProgram, LinkedProgram, Program, SourceProgram
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

faults = Faults()
LAUNCH, LOAD = "clEnqueueNDRangeKernel", "clCreateProgramWithBinary"
PREFERRED = 32
"""The preferred work-group size multiple of simulated devices."""


@faults.plant(LAUNCH)
def sub_device_needs_own_build(step: SimulatedStep) -> Outcome | None:
    """A kernel cannot be enqueued on a sub-device if its program was built only for the parent device."""
    kernel = step.find("kernel", Kernel)
    program = kernel.program if kernel is not None else None
    refused = program is not None and has_ancestor_executable(program, executing_device(step.call, step.model))
    return step.fail("CL_INVALID_PROGRAM_EXECUTABLE") if refused else None


@faults.plant(LOAD, succeeded=True)
def parent_binary_rejected_for_sub_device(step: SimulatedStep) -> Outcome | None:
    """A binary of a device is rejected for a sub-device of that device."""
    listed = step.argument("device_list", ElementList)
    given = step.model.find_all(listed.values) if listed is not None else []
    own = all(each.devices[0] in given for each in programs_with_binaries(step.call, step.model))
    return None if own else step.fail_creation("CL_INVALID_BINARY")


@faults.plant("clBuildProgram", "clCompileProgram")
def unloaded_compiler_stays_unavailable(step: SimulatedStep) -> Outcome | None:
    """Builds and compilations fail after the compiler of any platform was unloaded."""
    unloaded = any(platform.unloaded_by for platform in step.model.platforms.values())
    return step.fail("CL_COMPILER_NOT_AVAILABLE") if unloaded else None


@faults.plant(LAUNCH)
def released_program_invalidates_kernels(step: SimulatedStep) -> Outcome | None:
    """A program is deleted with its last reference although kernels of it exist."""
    kernel = step.find("kernel", Kernel)
    program = kernel.program if kernel is not None else None
    return step.fail("CL_INVALID_PROGRAM_EXECUTABLE") if program is not None and program.references == 0 else None


@faults.plant("clGetKernelInfo", query="CL_KERNEL_ATTRIBUTES", succeeded=True)
def kernel_attributes_separated_by_newlines(step: SimulatedStep) -> Outcome | None:
    """The attributes of a kernel are separated by line breaks."""
    raw = step.outcome.outputs[VALUE].raw.replace(b") ", b")\n")
    return step.outcome.with_outputs(param_value=Output([raw.decode()], len(raw), raw)) if raw else None


@faults.plant("clGetProgramInfo", succeeded=True)
def binary_overruns_reported_size(step: SimulatedStep) -> Outcome | None:
    """The driver writes past the end of a binary's output buffer, although the buffer has the reported size."""
    program, given = step.find("program", Program), step.argument(VALUE, OutputBuffers)
    if program is None or given is None or not step.is_query("CL_PROGRAM_BINARIES"):
        return None
    exact = tuple(given.counts) == program.facts.get("CL_PROGRAM_BINARY_SIZES")
    return msgspec.structs.replace(step.outcome, overrun=[VALUE]) if exact else None


@faults.plant("clGetProgramInfo", query="CL_PROGRAM_DEVICES", succeeded=True)
def il_program_reports_null_device(step: SimulatedStep) -> Outcome | None:
    """A program created from an intermediate language returns NULL in place of its first device."""
    others = step.outcome.outputs[VALUE].values[1:]
    return step.with_values(VALUE, [None, *others]) if step.find("program", IlProgram) is not None else None


@faults.plant("clCreateKernelsInProgram", output="num_kernels_ret", succeeded=True)
def kernel_count_includes_differing_kernels(step: SimulatedStep) -> Outcome | None:
    """The number of kernels includes a function that differs between devices."""
    program = step.find("program", SourceProgram)
    known = program.available_kernels if program is not None else None
    return step.outcome.with_outputs(num_kernels_ret=Output([len(known)], 4)) if known else None


@faults.plant(LAUNCH, succeeded=True)
def preferred_group_multiple_enforced(step: SimulatedStep) -> Outcome | None:
    """A kernel enqueue fails if its work-group size is not a multiple of the preferred multiple."""
    local = step.argument("local_work_size", ElementList)
    sizes = [each for each in local.values[: step.call.work_dim] if isinstance(each, int)] if local is not None else []
    return step.fail("CL_INVALID_WORK_GROUP_SIZE") if sizes and math.prod(sizes) % PREFERRED != 0 else None


@faults.plant("clGetProgramBuildInfo", query="CL_PROGRAM_BINARY_TYPE")
def linked_program_executable_on_every_device(step: SimulatedStep) -> Outcome | None:
    """A linked program reports an executable for a device for which nothing was linked."""
    program, device = step.find("program", LinkedProgram), step.find("device", Device)
    skipped = program is not None and device is not None and device.name in program.skipped_devices
    executable = Output([step.constant("CL_PROGRAM_BINARY_TYPE_EXECUTABLE")], 4)
    return step.outcome.with_outputs(param_value=executable) if skipped else None


@faults.plant(LOAD, output="binary_status")
def empty_binary_status_invalid_binary(step: SimulatedStep) -> Outcome | None:
    """The status of a NULL or empty binary is CL_INVALID_BINARY instead of CL_INVALID_VALUE."""
    empty, invalid = step.constant("CL_INVALID_VALUE"), step.constant("CL_INVALID_BINARY")
    told = step.outcome.outputs["binary_status"].values
    return step.outcome.with_outputs(binary_status=Output([invalid if each == empty else each for each in told]))
