"""Faults of programs that show only after several calls."""

from __future__ import annotations

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList
from clconform.oracles.model.devices import Device
from clconform.oracles.model.programs import BuildState, Program, ProgramBuild
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()
BUILD = "clBuildProgram"


@faults.plant("clGetProgramBuildInfo", query="CL_PROGRAM_BUILD_STATUS")
def build_status_shared_by_devices(step: SimulatedStep) -> Outcome | None:
    """The status of a build is also reported for devices that the build did not include."""
    program, device = step.find("program", Program), step.find("device", Device)
    if program is None or device is None or device.name not in program.builds:
        return None
    states = {build.state for build in program.builds.values()}
    untouched = program.builds[device.name].state is BuildState.NONE and BuildState.BUILT in states
    built = Output([step.constant("CL_BUILD_SUCCESS")], 4)
    return step.outcome.with_outputs(param_value=built) if untouched else None


@faults.plant(BUILD, succeeded=True)
def released_kernels_block_builds(step: SimulatedStep) -> Outcome | None:
    """A program cannot be built again after a kernel was released."""
    gone = any(name.startswith("kernel") for name in step.model.released)
    return step.fail("CL_INVALID_OPERATION") if gone else None


@faults.plant(BUILD, succeeded=True)
def only_first_listed_device_built(step: SimulatedStep) -> None:
    """A program is built only for the first device of a list."""
    program, listed = step.find("program", Program), step.argument("device_list", ElementList)
    if program is None or listed is None or step.call.pfn_notify is not None:
        return
    for value in listed.values[1:]:
        device = step.model.device(value)
        program.builds[device.name] = ProgramBuild()
        program.built_devices = [each for each in program.built_devices if each is not device]
