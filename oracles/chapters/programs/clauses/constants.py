"""Error conditions of specialization constants, release callbacks and compiler unloading (5.8.2, 5.8.3 and 5.8.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.constants import SIZES
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import IlProgram, Program
from clconform.oracles.model.spirv import MODULES, WITH_CONSTANTS
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clSetProgramReleaseCallback/CL_INVALID_OPERATION/1")
def nothing_to_destruct(call: Call, model: Model) -> Reply:
    """No device in the context of program supports destructors for program scope global variables."""
    context = model.get(Program, call.program).context
    if context is None or not context.devices:
        raise UnknownError("devices")
    supported = any(str(device.version) == "2.2" for device in context.devices)
    return Answer.NO if supported else May("destructors-of-programs")


@rules.clause("clUnloadPlatformCompiler/CL_INVALID_PLATFORM/1")
def no_platform(call: Call, model: Model) -> Reply:
    """platform is NULL or not a valid platform; a loader may select one for NULL."""
    if call.platform is None and model.through_loader:
        return May("platform-of-a-loader")
    return valid_object(call.platform, "cl_platform_id", model)


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1")
def not_from_a_language(call: Call, model: Model) -> Reply:
    """program is NULL, is not a valid program, or was not created from an intermediate language."""
    if call.program is None:
        return Answer.MUST
    program = model.known(call.program)
    if program is None or program.references < 1:
        return Answer.UNDEFINED
    if not isinstance(program, Program):
        return May("other-type")
    return May("unknown-fact") if type(program) is Program else not isinstance(program, IlProgram)


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1")
def languages_of_nobody(call: Call, model: Model) -> Reply:
    """No device of program supports an intermediate language."""
    devices = model.get(Program, call.program).devices
    if not devices:
        raise UnknownError("devices")
    return all(lacks(device, "IL") for device in devices)


@rules.clause("clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1")
def no_compiler_for_the_module(call: Call, model: Model) -> Reply:
    """program was created with clCreateProgramWithIL, and CL_DEVICE_COMPILER_AVAILABLE is CL_FALSE."""
    program = model.get(Program, call.program)
    lacking = [device.number("CL_DEVICE_COMPILER_AVAILABLE") == 0 for device in program.devices]
    if any(lacking) and not all(lacking):
        return May("one-device-without-a-compiler")
    return isinstance(program, IlProgram) and bool(lacking) and all(lacking)


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_SPEC_ID/1")
def no_such_constant(call: Call, model: Model) -> Reply:
    """spec_id is not the identifier of a specialization constant of the module."""
    program = model.get(Program, call.program)
    if not isinstance(program, IlProgram):
        return May("unknown-fact")
    if program.il in MODULES.values():
        return Answer.MUST
    _known_constants(program)
    return call.spec_id not in SIZES


def _known_constants(program: IlProgram) -> None:
    """Raise UnknownError unless the module is the one with known constants."""
    if program.il not in WITH_CONSTANTS.values():
        raise UnknownError("the module's constants")


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_VALUE/1")
def value_of_another_size(call: Call, model: Model) -> Reply:
    """spec_value is NULL, or spec_size is not the size of the specialization constant."""
    if call.spec_value is None:
        return Answer.MUST
    program = model.get(Program, call.program)
    if not isinstance(program, IlProgram) or call.spec_id not in SIZES:
        return May("unknown-fact")
    _known_constants(program)
    return bool(call.spec_size != SIZES[call.spec_id])
