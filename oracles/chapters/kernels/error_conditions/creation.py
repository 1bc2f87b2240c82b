"""Error conditions of creating and cloning kernels (sections 5.9.1 and 5.9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Text
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.argument_kernels import BUILD_DEPENDENT, EXTRA_ARGUMENT_OPTION
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.programs import BuildState, BuiltInProgram, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

WITHOUT_EXECUTABLE = {BuildState.NONE, BuildState.FAILED, BuildState.COMPILED, BuildState.LIBRARY}
"""Build states without an executable for the device, unless an earlier build created one."""


@rules.clause(
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1", "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1"
)
def lacks_executable(call: Call, model: Model) -> PredicateResult:
    """program has not been built successfully for any device."""
    program = model.require(Program, call.program)
    if program.may_keep_executable:
        return may("state-after-failed-build")
    states = {build.state for build in program.builds.values()}
    if BuildState.BUILT in states:
        if program.is_incomplete:
            return may("kernel-name-without-executable")
        return may("executable-without-kernels") if program.has_no_kernels else NO
    if isinstance(program, BuiltInProgram):
        return may("built-in-kernels-without-build")
    if not states or not states <= WITHOUT_EXECUTABLE:
        raise UnknownFactError("whether a build has succeeded")
    return MUST


@rules.clause("clCreateKernel/CL_INVALID_KERNEL_NAME/1")
def lacks_kernel(call: Call, model: Model) -> PredicateResult:
    """program does not have a kernel with the name kernel_name."""
    program = model.require(Program, call.program)
    if not isinstance(call.kernel_name, Text):
        return NO
    states = {build.state for build in program.builds.values()}
    if not program.kernels and not (states and states <= WITHOUT_EXECUTABLE):
        raise UnknownFactError("the program's kernels")
    if not program.available_kernels:
        return may("kernel-name-without-executable")
    return must_if(call.kernel_name.content not in program.available_kernels)


@rules.clause("clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1")
def has_differing_definitions(call: Call, model: Model) -> PredicateResult:
    """The arguments of the kernel kernel_name differ between the devices that program was built for."""
    program = model.require(Program, call.program)
    if not isinstance(call.kernel_name, Text):
        return NO
    if call.kernel_name.content not in program.kernels:
        return may("unknown-fact") if not program.kernels else NO
    return is_differing(program, call.kernel_name.content)


def is_differing(program: Program, kernel: str) -> PredicateResult:
    """Return whether the arguments of a known kernel differ between the devices that a program was built for."""
    if kernel != BUILD_DEPENDENT.name:
        return NO
    if program.may_keep_executable or any(build.state is not BuildState.BUILT for build in program.builds.values()):
        return may("unknown-fact") if len(program.builds) > 1 else NO
    return must_if(len({EXTRA_ARGUMENT_OPTION in (build.options or "") for build in program.builds.values()}) > 1)


def count_equal_kernels(program: Program) -> int | None:
    """Return how many kernels of a program have equal arguments on all devices; None if that is not known."""
    if not program.available_kernels and not program.has_no_kernels:
        return None
    replies = [is_differing(program, name) for name in program.available_kernels]
    return None if any(each.is_may for each in replies) else len(replies) - replies.count(MUST)


@rules.clause("clCreateKernelsInProgram/CL_INVALID_VALUE/1")
def has_too_few_kernels(call: Call, model: Model) -> PredicateResult:
    """num_kernels is less than the number of kernels in program, and kernels is not NULL.

    No kernel is created for a function whose arguments differ between devices. It is unspecified whether the number of
    kernels includes such a function.
    """
    if call.kernels is None:
        return NO
    program = model.require(Program, call.program)
    if program.kernels and call.num_kernels >= len(program.kernels):
        return NO
    count = count_equal_kernels(program) if program.available_kernels else None
    if count is None:
        raise UnknownFactError("the program's kernels")
    if count <= call.num_kernels < len(program.available_kernels):
        raise UnknownFactError("whether a kernel counts that is not made")
    return must_if(bool(call.num_kernels < count))


@rules.clause("clCloneKernel/CL_INVALID_KERNEL/1")
def is_source_kernel_invalid(call: Call, model: Model) -> PredicateResult:
    """source_kernel is NULL or not a valid kernel."""
    return is_invalid_object(call.source_kernel, "cl_kernel", model)


@rules.alternatives_of("clCloneKernel/CL_INVALID_KERNEL/1")
def find_source_kernel_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: source_kernel is NULL or not a valid kernel."""
    return find_invalid_object("source_kernel", call.source_kernel, "cl_kernel", model)
