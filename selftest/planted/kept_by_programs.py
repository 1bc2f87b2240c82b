"""Faults of objects that programs and kernels retain, of unloaded compilers, and of binaries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Items, OutputBuffers
from clconform.oracles.chapters.execution.clauses.launches import device_of, has_its_parents
from clconform.oracles.chapters.programs.clauses.binaries import origins_of
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import IlProgram, LinkedProgram, SourceProgram
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject
    from clconform.simulator.platform import Simulation

faults = Faults()
VALUE = "param_value"
BUILDS = ("clBuildProgram", "clCompileProgram")


@faults.plant
def sub_devices_need_a_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel cannot be enqueued on a sub-device if its program was built only for the parent device."""
    kernel = simulation.model.known(call.kernel) if call.function == "clEnqueueNDRangeKernel" else None
    program = kernel.program if isinstance(kernel, Kernel) else None
    if program is None or not isinstance(outcome, Returned):
        return outcome
    refused = has_its_parents(program, device_of(call, simulation.model))
    code = simulation.model.value("CL_INVALID_PROGRAM_EXECUTABLE")
    return msgspec.structs.replace(outcome, value=code) if refused else outcome


@faults.plant
def binaries_are_for_one_device_alone(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A binary of a device is rejected for a sub-device of that device."""
    if call.function != "clCreateProgramWithBinary" or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    listed = call.device_list.values if isinstance(call.device_list, Items) else ()
    given = [simulation.model.known(each) for each in listed]
    own = all(each.devices[0] in given for each in origins_of(call, simulation.model))
    code = Output([simulation.model.value("CL_INVALID_BINARY")], 4)
    return outcome if own else msgspec.structs.replace(outcome, value=None).with_outputs(errcode_ret=code)


@faults.plant
def unloaded_compilers_stay_away(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Builds and compilations fail after the compiler of any platform was unloaded."""
    unloaded = any(platform.unloaded_by for platform in simulation.model.platforms.values())
    if call.function not in BUILDS or not isinstance(outcome, Returned) or not unloaded:
        return outcome
    return msgspec.structs.replace(outcome, value=simulation.model.value("CL_COMPILER_NOT_AVAILABLE"))


@faults.plant
def released_programs_are_deleted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is deleted with its last reference although kernels of it exist."""
    kernel = simulation.model.known(call.arguments.get("kernel"))
    if call.function != "clEnqueueNDRangeKernel" or not isinstance(kernel, Kernel) or kernel.program is None:
        return outcome
    code = simulation.model.value("CL_INVALID_PROGRAM_EXECUTABLE")
    gone = kernel.program.references == 0 and isinstance(outcome, Returned)
    return msgspec.structs.replace(outcome, value=code) if gone and isinstance(outcome, Returned) else outcome


@faults.plant
def attributes_on_lines_of_their_own(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The attributes of a kernel are separated by line breaks."""
    about = _asked(simulation, call, outcome, "clGetKernelInfo", "CL_KERNEL_ATTRIBUTES")
    if about is None or not isinstance(outcome, Returned):
        return outcome
    raw = outcome.outputs[VALUE].raw.replace(b") ", b")\n") if VALUE in outcome.outputs else b""
    return outcome.with_outputs(param_value=Output([raw.decode()], len(raw), raw)) if raw else outcome


@faults.plant
def binaries_are_longer_than_told(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A binary is written past the end of a buffer of the size that the program reported."""
    told = _asked(simulation, call, outcome, "clGetProgramInfo", "CL_PROGRAM_BINARIES")
    if told is None or not isinstance(call.param_value, OutputBuffers) or not isinstance(outcome, Returned):
        return outcome
    exact = tuple(call.param_value.counts) == told.facts.get("CL_PROGRAM_BINARY_SIZES")
    return msgspec.structs.replace(outcome, overrun=[VALUE]) if exact else outcome


@faults.plant
def programs_of_modules_are_for_one_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program created from an intermediate language returns NULL in place of its first device."""
    program = _asked(simulation, call, outcome, "clGetProgramInfo", "CL_PROGRAM_DEVICES")
    if not isinstance(program, IlProgram) or not isinstance(outcome, Returned) or VALUE not in outcome.outputs:
        return outcome
    shown = outcome.outputs[VALUE]
    return outcome.with_outputs(param_value=msgspec.structs.replace(shown, values=[None, *shown.values[1:]]))


@faults.plant
def kernels_are_made_of_differing_functions(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The number of kernels includes a function that differs between devices."""
    program = simulation.model.known(call.arguments.get("program"))
    if call.function != "clCreateKernelsInProgram" or not isinstance(program, SourceProgram):
        return outcome
    if not isinstance(outcome, Returned) or outcome.value != 0 or "num_kernels_ret" not in outcome.outputs:
        return outcome
    return outcome.with_outputs(num_kernels_ret=Output([len(program.holds)], 4)) if program.holds else outcome


@faults.plant
def only_preferred_multiples_are_launched(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel enqueue fails if its work-group size is not a multiple of the preferred multiple."""
    if call.function != "clEnqueueNDRangeKernel" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    local = call.local_work_size.values[: call.work_dim] if isinstance(call.local_work_size, Items) else ()
    sizes = [each for each in local if isinstance(each, int)]
    wrong = bool(sizes) and math.prod(sizes) % PREFERRED != 0
    code = simulation.model.value("CL_INVALID_WORK_GROUP_SIZE")
    return msgspec.structs.replace(outcome, value=code) if wrong else outcome


PREFERRED = 32
"""The preferred work-group size multiple of simulated devices."""


def _asked(simulation: Simulation, call: Call, outcome: Outcome, function: str, query: str) -> ClObject | None:
    """Return the object of a successful query; None for other calls."""
    answered = isinstance(outcome, Returned) and outcome.value == 0
    if call.function != function or not answered or call.param_name != simulation.model.value(query):
        return None
    return simulation.model.known(next(iter(call.arguments.values())))


@faults.plant
def links_are_for_every_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A linked program reports an executable for a device for which nothing was linked."""
    model = simulation.model
    asked = call.function == "clGetProgramBuildInfo" and call.param_name == model.value("CL_PROGRAM_BINARY_TYPE")
    program, device = (model.known(call.program), model.known(call.device)) if asked else (None, None)
    if not isinstance(program, LinkedProgram) or device is None or device.name not in program.left_out:
        return outcome
    if not isinstance(outcome, Returned) or VALUE not in outcome.outputs:
        return outcome
    return outcome.with_outputs(param_value=Output([model.value("CL_PROGRAM_BINARY_TYPE_EXECUTABLE")], 4))


@faults.plant
def empty_binaries_are_invalid(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The status of a NULL or empty binary is CL_INVALID_BINARY instead of CL_INVALID_VALUE."""
    told = outcome.outputs.get("binary_status") if isinstance(outcome, Returned) else None
    if call.function != "clCreateProgramWithBinary" or told is None or not isinstance(outcome, Returned):
        return outcome
    empty, invalid = (simulation.model.value(f"CL_INVALID_{name}") for name in ("VALUE", "BINARY"))
    return outcome.with_outputs(binary_status=Output([invalid if each == empty else each for each in told.values]))
