"""Programs that cannot be made, and what cannot be told of them (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Text
from clconform.oracles.chapters.programs.languages import modules_for
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import BuildState, BuiltInProgram, Program
from clconform.oracles.recurring.contexts import association, not_among
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

AFTER_A_BUILD = (
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_KERNEL_NAMES",
    "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
    "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT",
)


@rules.clause("clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def device_not_for_the_program(call: Call, model: Model) -> Reply:
    """An element of device_list is NULL, or is not associated with context."""
    return _listed(call.device_list, model, lambda device: association(model.context(call.context), device))


@rules.clause("clBuildProgram/CL_INVALID_DEVICE/1")
def device_not_of_the_program(call: Call, model: Model) -> Reply:
    """An element of device_list is NULL, or is not associated with the context of program.

    For a program created from binaries, it is not one of the program's devices.
    """
    program = model.known(call.program)

    def judged(device: Device) -> Reply:
        if not isinstance(program, Program) or program.context is None:
            raise UnknownError("program")
        if not program.from_source:
            return not_among(program.devices, device)
        return association(program.context, device)

    return _listed(call.device_list, model, judged)


def _listed(devices: object, model: Model, judged: Callable[[Device], Reply]) -> Reply:
    """Judge a list of devices: each must be a valid one before it is looked at in its own right."""
    if not isinstance(devices, Items):
        return Answer.NO
    replies = [valid_object(value, "cl_device_id", model) for value in devices.values]
    if Answer.MUST in replies or Answer.UNDEFINED in replies:
        return Answer.UNDEFINED if Answer.UNDEFINED in replies else Answer.MUST
    found = [judged(model.device(value)) for value in devices.values]
    return next((reply for reply in found if reply not in (Answer.NO, False)), Answer.NO)


@rules.clause("clGetProgramBuildInfo/CL_INVALID_DEVICE/1")
def device_without_a_build(call: Call, model: Model) -> Reply:
    """device is NULL, or is not associated with program."""
    reply = valid_object(call.device, "cl_device_id", model)
    if reply is not Answer.NO:
        return reply
    program = model.get(Program, call.program)
    if not program.devices:
        raise UnknownError("the program's devices")
    return not_among([*program.devices, *program.built], model.device(call.device))


@rules.clause("clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1")
def no_executable_to_tell_of(call: Call, model: Model) -> Reply:
    """param_name asks for kernel names or their number, and program has not been built for any device.

    For the queries about global constructors and destructors the error is optional.
    """
    program = model.get(Program, call.program)
    name = next((name for name in AFTER_A_BUILD if call.param_name == model.value(name)), None)
    if name is not None and program.may_be_left:
        return May("left-by-a-failed-build")
    if name is None or program.built:
        return May("unknown-fact") if name and being_built(program) else Answer.NO
    if isinstance(program, BuiltInProgram):
        return May("built-in-without-a-build")
    return May("false-before-a-build") if name.endswith("TORS_PRESENT") else Answer.MUST


def being_built(program: Program) -> bool:
    """Return whether a build may go on, or its end is not known, on some device."""
    return any(build.state not in (BuildState.BUILT, BuildState.FAILED) for build in program.builds.values())


@rules.clause("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def not_of_a_language(call: Call, model: Model) -> Reply:
    """il is not a module of an intermediate language that the devices support."""
    if not isinstance(call.il, Data) or not call.length:
        return Answer.NO
    if call.il.content[: call.length] in modules_for(model.context(call.context).devices):
        return Answer.NO
    raise UnknownError("whether the bytes are a module")


@rules.clause("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def no_such_built_in_kernel(call: Call, model: Model) -> Reply:
    """kernel_names is NULL, or has a name that is not a built-in kernel of any device in device_list."""
    if not isinstance(call.kernel_names, Text):
        return Answer.MUST
    known: set[str] = set()
    for device in devices_listed(call, model):
        told = device.facts.get("CL_DEVICE_BUILT_IN_KERNELS")
        if not isinstance(told, str):
            raise UnknownError("CL_DEVICE_BUILT_IN_KERNELS")
        known.update(told.split(";"))
    return not set(call.kernel_names.content.split(";")) <= known


def devices_listed(call: Call, model: Model) -> list[Device]:
    """Return the devices that a call lists; UnknownError where there are none."""
    if not isinstance(call.device_list, Items):
        raise UnknownError("no devices")
    return [model.device(value) for value in call.device_list.values]
