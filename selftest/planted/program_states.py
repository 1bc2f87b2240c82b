"""Faults of programs that show only after several calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Items
from clconform.oracles.model.programs import Build, BuildState, Program
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()
BUILD, STATUS = "clBuildProgram", "CL_PROGRAM_BUILD_STATUS"


@faults.plant
def builds_for_one_device_count_for_all(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The status of a build is also reported for devices that the build did not include."""
    model = simulation.model
    if call.function != "clGetProgramBuildInfo" or call.param_name != model.value(STATUS):
        return outcome
    program, device = model.known(call.program), model.known(call.device)
    if not isinstance(program, Program) or device is None or device.name not in program.builds:
        return outcome
    states = {build.state for build in program.builds.values()}
    untouched = program.builds[device.name].state is BuildState.NONE and BuildState.BUILT in states
    told = isinstance(outcome, Returned) and "param_value" in outcome.outputs
    if not untouched or not isinstance(outcome, Returned) or not told:
        return outcome
    answer = Output([model.value("CL_BUILD_SUCCESS")], 4)
    return Returned(outcome.value, {**outcome.outputs, "param_value": answer})


@faults.plant
def released_kernels_still_stop_builds(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program cannot be built again after a kernel was released."""
    model = simulation.model
    if call.function != BUILD or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    gone = any(name.startswith("kernel") for name in model.gone)
    return Returned(model.value("CL_INVALID_OPERATION"), outcome.outputs) if gone else outcome


@faults.plant
def devices_in_a_list_are_built_for_in_the_first_place_only(
    simulation: Simulation, call: Call, outcome: Outcome
) -> Outcome:
    """A program is built only for the first device of a list."""
    if call.function != BUILD or not isinstance(outcome, Returned) or outcome.value != 0 or call.pfn_notify is not None:
        return outcome
    program = simulation.model.known(call.program)
    if not isinstance(program, Program) or not isinstance(call.device_list, Items):
        return outcome
    for value in call.device_list.values[1:]:
        device = simulation.model.device(value)
        program.builds[device.name] = Build()
        program.built = [each for each in program.built if each is not device]
    return outcome
