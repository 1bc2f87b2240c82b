"""Faults of objects that programs and kernels retain, of unloaded compilers, and of binaries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffers
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import (
    executing_device,
    has_ancestor_executable,
)
from clconform.oracles.chapters.programs.error_conditions.binaries import programs_with_binaries
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import IlProgram, LinkedProgram, SourceProgram
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject
    from clconform.simulator.platform import Simulation

faults = Faults()
VALUE = "param_value"
BUILDS = ("clBuildProgram", "clCompileProgram")


@faults.plant
def sub_device_needs_own_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel cannot be enqueued on a sub-device if its program was built only for the parent device."""
    kernel = simulation.model.find(call.kernel) if call.function == "clEnqueueNDRangeKernel" else None
    program = kernel.program if isinstance(kernel, Kernel) else None
    if program is None or not isinstance(outcome, Returned):
        return outcome
    refused = has_ancestor_executable(program, executing_device(call, simulation.model))
    code = simulation.model.constant_value("CL_INVALID_PROGRAM_EXECUTABLE")
    return msgspec.structs.replace(outcome, value=code) if refused else outcome


@faults.plant
def parent_binary_rejected_for_sub_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A binary of a device is rejected for a sub-device of that device."""
    if call.function != "clCreateProgramWithBinary" or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    listed = call.device_list.values if isinstance(call.device_list, ElementList) else ()
    given = [simulation.model.find(each) for each in listed]
    own = all(each.devices[0] in given for each in programs_with_binaries(call, simulation.model))
    code = Output([simulation.model.constant_value("CL_INVALID_BINARY")], 4)
    return outcome if own else msgspec.structs.replace(outcome, value=None).with_outputs(errcode_ret=code)


@faults.plant
def unloaded_compiler_stays_unavailable(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Builds and compilations fail after the compiler of any platform was unloaded."""
    unloaded = any(platform.unloaded_by for platform in simulation.model.platforms.values())
    if call.function not in BUILDS or not isinstance(outcome, Returned) or not unloaded:
        return outcome
    return msgspec.structs.replace(outcome, value=simulation.model.constant_value("CL_COMPILER_NOT_AVAILABLE"))


@faults.plant
def released_program_invalidates_kernels(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is deleted with its last reference although kernels of it exist."""
    kernel = simulation.model.find(call.arguments.get("kernel"))
    if call.function != "clEnqueueNDRangeKernel" or not isinstance(kernel, Kernel) or kernel.program is None:
        return outcome
    code = simulation.model.constant_value("CL_INVALID_PROGRAM_EXECUTABLE")
    gone = kernel.program.references == 0 and isinstance(outcome, Returned)
    return msgspec.structs.replace(outcome, value=code) if gone and isinstance(outcome, Returned) else outcome


@faults.plant
def kernel_attributes_separated_by_newlines(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The attributes of a kernel are separated by line breaks."""
    about = _get_queried_object(simulation, call, outcome, "clGetKernelInfo", "CL_KERNEL_ATTRIBUTES")
    if about is None or not isinstance(outcome, Returned):
        return outcome
    raw = outcome.outputs[VALUE].raw.replace(b") ", b")\n") if VALUE in outcome.outputs else b""
    return outcome.with_outputs(param_value=Output([raw.decode()], len(raw), raw)) if raw else outcome


@faults.plant
def binary_overruns_reported_size(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The driver writes past the end of a binary's output buffer, although the buffer has the reported size."""
    told = _get_queried_object(simulation, call, outcome, "clGetProgramInfo", "CL_PROGRAM_BINARIES")
    if told is None or not isinstance(call.param_value, OutputBuffers) or not isinstance(outcome, Returned):
        return outcome
    exact = tuple(call.param_value.counts) == told.facts.get("CL_PROGRAM_BINARY_SIZES")
    return msgspec.structs.replace(outcome, overrun=[VALUE]) if exact else outcome


@faults.plant
def il_program_reports_null_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program created from an intermediate language returns NULL in place of its first device."""
    program = _get_queried_object(simulation, call, outcome, "clGetProgramInfo", "CL_PROGRAM_DEVICES")
    if not isinstance(program, IlProgram) or not isinstance(outcome, Returned) or VALUE not in outcome.outputs:
        return outcome
    shown = outcome.outputs[VALUE]
    return outcome.with_outputs(param_value=msgspec.structs.replace(shown, values=[None, *shown.values[1:]]))


@faults.plant
def kernel_count_includes_differing_kernels(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The number of kernels includes a function that differs between devices."""
    program = simulation.model.find(call.arguments.get("program"))
    if call.function != "clCreateKernelsInProgram" or not isinstance(program, SourceProgram):
        return outcome
    if not isinstance(outcome, Returned) or outcome.value != 0 or "num_kernels_ret" not in outcome.outputs:
        return outcome
    return (
        outcome.with_outputs(num_kernels_ret=Output([len(program.available_kernels)], 4))
        if program.available_kernels
        else outcome
    )


@faults.plant
def preferred_group_multiple_enforced(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel enqueue fails if its work-group size is not a multiple of the preferred multiple."""
    if call.function != "clEnqueueNDRangeKernel" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    local = call.local_work_size.values[: call.work_dim] if isinstance(call.local_work_size, ElementList) else ()
    sizes = [each for each in local if isinstance(each, int)]
    wrong = bool(sizes) and math.prod(sizes) % PREFERRED != 0
    code = simulation.model.constant_value("CL_INVALID_WORK_GROUP_SIZE")
    return msgspec.structs.replace(outcome, value=code) if wrong else outcome


PREFERRED = 32
"""The preferred work-group size multiple of simulated devices."""


def _get_queried_object(
    simulation: Simulation, call: Call, outcome: Outcome, function: str, query: str
) -> ClObject | None:
    """Return the object of a successful query; None for other calls."""
    answered = isinstance(outcome, Returned) and outcome.value == 0
    if call.function != function or not answered or call.param_name != simulation.model.constant_value(query):
        return None
    return simulation.model.find(next(iter(call.arguments.values())))


@faults.plant
def linked_program_executable_on_every_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A linked program reports an executable for a device for which nothing was linked."""
    model = simulation.model
    asked = call.function == "clGetProgramBuildInfo" and call.param_name == model.constant_value(
        "CL_PROGRAM_BINARY_TYPE"
    )
    program, device = (model.find(call.program), model.find(call.device)) if asked else (None, None)
    if not isinstance(program, LinkedProgram) or device is None or device.name not in program.skipped_devices:
        return outcome
    if not isinstance(outcome, Returned) or VALUE not in outcome.outputs:
        return outcome
    return outcome.with_outputs(param_value=Output([model.constant_value("CL_PROGRAM_BINARY_TYPE_EXECUTABLE")], 4))


@faults.plant
def empty_binary_status_invalid_binary(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The status of a NULL or empty binary is CL_INVALID_BINARY instead of CL_INVALID_VALUE."""
    told = outcome.outputs.get("binary_status") if isinstance(outcome, Returned) else None
    if call.function != "clCreateProgramWithBinary" or told is None or not isinstance(outcome, Returned):
        return outcome
    empty, invalid = (simulation.model.constant_value(f"CL_INVALID_{name}") for name in ("VALUE", "BINARY"))
    return outcome.with_outputs(binary_status=Output([invalid if each == empty else each for each in told.values]))
