"""Error conditions of specialization constants, release callbacks and compiler unloading (5.8.2, 5.8.3 and 5.8.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.constants import SIZES
from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.programs import IlProgram, Program
from clconform.oracles.model.spirv import CONSTANT_MODULES, EMPTY_MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clSetProgramReleaseCallback/CL_INVALID_OPERATION/1")
def lacks_destructor_support(call: Call, model: Model) -> PredicateResult:
    """No device in the context of program supports destructors for program scope global variables."""
    context = model.get(Program, call.program).context
    if context is None or not context.devices:
        raise UnknownFactError("devices")
    supported = any(str(device.version) == "2.2" for device in context.devices)
    return NO if supported else may("destructors-of-programs")


@rules.clause("clUnloadPlatformCompiler/CL_INVALID_PLATFORM/1")
def is_platform_invalid(call: Call, model: Model) -> PredicateResult:
    """platform is NULL or not a valid platform; for NULL the error is optional if the call goes through a loader."""
    if call.platform is None and model.through_loader:
        return may("default-platform-of-loader")
    return is_invalid_object(call.platform, "cl_platform_id", model)


@rules.alternatives_of("clUnloadPlatformCompiler/CL_INVALID_PLATFORM/1")
def find_platform_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: platform is NULL or not a valid platform."""
    return find_invalid_object("platform", call.platform, "cl_platform_id", model)


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1")
def is_not_from_il(call: Call, model: Model) -> PredicateResult:
    """program is NULL, is not a valid program, or was not created from an intermediate language.

    The error is optional for a program without such a language if all its devices have version 3.0 or later, and none
    of them supports one.
    """
    if call.program is None:
        return MUST
    program = model.find(call.program)
    if program is None or program.references < 1:
        return UNDEFINED
    if not isinstance(program, Program):
        return may("handle-of-other-type")
    if type(program) is Program:
        return may("unknown-fact")
    if isinstance(program, IlProgram):
        return NO
    newer = bool(program.devices) and all(device.version >= (3, 0) for device in program.devices)
    return may("constant-without-languages") if newer and _lacks_languages(program) else MUST


def _lacks_languages(program: Program) -> bool:
    """Return whether no device of a program supports an intermediate language."""
    return all(lacks_capability(device, "IL") for device in program.devices)


@rules.alternatives_of("clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1")
def find_program_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: program is NULL, or was not created from an intermediate language."""
    del model
    yield "program is NULL" if call.program is None else "program was not created from an intermediate language"


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1")
def lacks_il_support(call: Call, model: Model) -> PredicateResult:
    """No device of program supports an intermediate language."""
    program = model.get(Program, call.program)
    if not program.devices:
        raise UnknownFactError("devices")
    return must_if(_lacks_languages(program))


@rules.clause("clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1")
def lacks_module_compiler(call: Call, model: Model) -> PredicateResult:
    """program was created with clCreateProgramWithIL, and CL_DEVICE_COMPILER_AVAILABLE is CL_FALSE for all its devices.

    The error is optional if the value is CL_FALSE for only some devices of program.
    """
    program = model.get(Program, call.program)
    lacking = [device.number("CL_DEVICE_COMPILER_AVAILABLE") == 0 for device in program.devices]
    if any(lacking) and not all(lacking):
        return may("one-device-without-a-compiler")
    return must_if(isinstance(program, IlProgram) and bool(lacking) and all(lacking))


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_SPEC_ID/1")
def is_constant_undefined(call: Call, model: Model) -> PredicateResult:
    """spec_id is not the identifier of a specialization constant in the module of program."""
    program = model.get(Program, call.program)
    if not isinstance(program, IlProgram):
        return may("unknown-fact")
    if program.il in EMPTY_MODULES.values():
        return MUST
    _check_constants_known(program)
    return must_if(call.spec_id not in SIZES)


def _check_constants_known(program: IlProgram) -> None:
    """Raise UnknownFactError unless the program was created from a module with known constants."""
    if program.il not in CONSTANT_MODULES.values():
        raise UnknownFactError("the module's constants")


@rules.clause("clSetProgramSpecializationConstant/CL_INVALID_VALUE/1")
def has_invalid_value_size(call: Call, model: Model) -> PredicateResult:
    """spec_value is NULL, or spec_size is not the size in bytes of the specialization constant spec_id."""
    if call.spec_value is None:
        return MUST
    program = model.get(Program, call.program)
    if not isinstance(program, IlProgram) or call.spec_id not in SIZES:
        return may("unknown-fact")
    _check_constants_known(program)
    return must_if(bool(call.spec_size != SIZES[call.spec_id]))


@rules.alternatives_of("clSetProgramSpecializationConstant/CL_INVALID_VALUE/1")
def find_constant_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: spec_value is NULL, or spec_size is not the size of the constant."""
    del model
    if call.spec_value is None:
        yield "spec_value is NULL"
    if call.spec_id in SIZES and call.spec_size != SIZES[call.spec_id]:
        yield f"spec_size is not {SIZES[call.spec_id]}, the size of the constant spec_id"
