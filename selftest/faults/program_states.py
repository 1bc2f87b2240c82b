"""Faults of programs that show only after several calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList
from clconform.oracles.model.programs import BuildState, Program, ProgramBuild
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()
BUILD, STATUS = "clBuildProgram", "CL_PROGRAM_BUILD_STATUS"


@faults.plant
def build_status_shared_by_devices(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The status of a build is also reported for devices that the build did not include."""
    model = simulation.model
    if call.function != "clGetProgramBuildInfo" or call.param_name != model.constant_value(STATUS):
        return outcome
    program, device = model.find(call.program), model.find(call.device)
    if not isinstance(program, Program) or device is None or device.name not in program.builds:
        return outcome
    states = {build.state for build in program.builds.values()}
    untouched = program.builds[device.name].state is BuildState.NONE and BuildState.BUILT in states
    told = isinstance(outcome, Returned) and "param_value" in outcome.outputs
    if not untouched or not isinstance(outcome, Returned) or not told:
        return outcome
    answer = Output([model.constant_value("CL_BUILD_SUCCESS")], 4)
    return Returned(outcome.value, {**outcome.outputs, "param_value": answer})


@faults.plant
def released_kernels_block_builds(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program cannot be built again after a kernel was released."""
    model = simulation.model
    if call.function != BUILD or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    gone = any(name.startswith("kernel") for name in model.released)
    return Returned(model.constant_value("CL_INVALID_OPERATION"), outcome.outputs) if gone else outcome


@faults.plant
def only_first_listed_device_built(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built only for the first device of a list."""
    if call.function != BUILD or not isinstance(outcome, Returned) or outcome.value != 0 or call.pfn_notify is not None:
        return outcome
    program = simulation.model.find(call.program)
    if not isinstance(program, Program) or not isinstance(call.device_list, ElementList):
        return outcome
    for value in call.device_list.values[1:]:
        device = simulation.model.device(value)
        program.builds[device.name] = ProgramBuild()
        program.built_devices = [each for each in program.built_devices if each is not device]
    return outcome
