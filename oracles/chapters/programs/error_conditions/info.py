"""Error conditions of program queries (section 5.8.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.contexts import find_invalid_or_other, is_not_among
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.programs import BuildState, BuiltInProgram, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

QUERIES_AFTER_BUILD = (
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_KERNEL_NAMES",
    "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
    "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT",
)


@rules.clause("clGetProgramBuildInfo/CL_INVALID_DEVICE/1")
def has_foreign_device(call: Call, model: Model) -> PredicateResult:
    """device is NULL, or is not associated with program."""
    reply = is_invalid_object(call.device, "cl_device_id", model)
    if reply is not NO:
        return reply
    program = model.get(Program, call.program)
    if not program.devices:
        raise UnknownFactError("the program's devices")
    return is_not_among([*program.devices, *program.built_devices], model.device(call.device))


@rules.alternatives_of("clGetProgramBuildInfo/CL_INVALID_DEVICE/1")
def find_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: device is NULL, not a valid device, or not associated with program."""
    return find_invalid_or_other("device", call.device, "cl_device_id", model, "associated with program")


@rules.clause("clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1")
def lacks_executable(call: Call, model: Model) -> PredicateResult:
    """param_name is CL_PROGRAM_NUM_KERNELS or CL_PROGRAM_KERNEL_NAMES, and program was not built for any device.

    The error is optional for CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT and CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT.
    """
    program = model.get(Program, call.program)
    name = next((name for name in QUERIES_AFTER_BUILD if call.param_name == model.constant_value(name)), None)
    if name is not None and program.may_keep_executable:
        return may("state-after-failed-build")
    if name is not None and program.built_devices and program.has_no_kernels:
        return may("executable-without-kernels")
    if name is None or program.built_devices:
        return may("unknown-fact") if name and is_build_unfinished(program) else NO
    if isinstance(program, BuiltInProgram):
        return may("built-in-kernels-without-build")
    return may("constructors-before-build") if name.endswith("TORS_PRESENT") else MUST


def is_build_unfinished(program: Program) -> bool:
    """Return whether a build may be in progress on some device, or its result is unknown."""
    return any(build.state not in (BuildState.BUILT, BuildState.FAILED) for build in program.builds.values())
