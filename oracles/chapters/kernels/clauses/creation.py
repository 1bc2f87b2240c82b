"""Error conditions of creating and cloning kernels (sections 5.9.1 and 5.9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Text
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.argument_kernels import DIFFERING, MORE
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import BuildState, BuiltInProgram, Program
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

WITHOUT_EXECUTABLE = {BuildState.NONE, BuildState.FAILED, BuildState.COMPILED, BuildState.LIBRARY}
"""Build states without an executable for the device, unless an earlier build left one."""


@rules.clause(
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1", "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1"
)
def no_executable(call: Call, model: Model) -> Reply:
    """program does not have a successfully built executable for any device."""
    program = model.given(Program, call.program)
    if program.may_be_left:
        return May("left-by-a-failed-build")
    states = {build.state for build in program.builds.values()}
    if BuildState.BUILT in states:
        if program.is_incomplete:
            return May("names-without-an-executable")
        return May("executable-without-kernels") if program.has_no_kernels else Answer.NO
    if isinstance(program, BuiltInProgram):
        return May("built-in-without-a-build")
    if not states or not states <= WITHOUT_EXECUTABLE:
        raise UnknownError("whether a build has succeeded")
    return Answer.MUST


@rules.clause("clCreateKernel/CL_INVALID_KERNEL_NAME/1")
def no_such_kernel(call: Call, model: Model) -> Reply:
    """program does not have a kernel with the name kernel_name."""
    program = model.given(Program, call.program)
    if not isinstance(call.kernel_name, Text):
        return Answer.NO
    states = {build.state for build in program.builds.values()}
    if not program.kernels and not (states and states <= WITHOUT_EXECUTABLE):
        raise UnknownError("the program's kernels")
    if not program.holds:
        return May("names-without-an-executable")
    return call.kernel_name.content not in program.holds


@rules.clause("clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1")
def defined_otherwise(call: Call, model: Model) -> Reply:
    """The arguments of the kernel kernel_name differ between the devices that program was built for."""
    program = model.given(Program, call.program)
    if not isinstance(call.kernel_name, Text):
        return Answer.NO
    if call.kernel_name.content not in program.kernels:
        return May("unknown-fact") if not program.kernels else Answer.NO
    return differs(program, call.kernel_name.content)


def differs(program: Program, kernel: str) -> Reply:
    """Return whether a kernel of ours differs between the devices that a program was built for."""
    if kernel != DIFFERING.name:
        return Answer.NO
    if program.may_be_left or any(build.state is not BuildState.BUILT for build in program.builds.values()):
        return May("unknown-fact") if len(program.builds) > 1 else Answer.NO
    return len({MORE in (build.options or "") for build in program.builds.values()}) > 1


def number_of_the_same(program: Program) -> int | None:
    """Return how many kernels of a program are the same for all devices; None if unknown."""
    if not program.holds and not program.has_no_kernels:
        return None
    replies = [differs(program, name) for name in program.holds]
    return None if any(isinstance(each, May) for each in replies) else len(replies) - replies.count(True)


@rules.clause("clCreateKernelsInProgram/CL_INVALID_VALUE/1")
def too_few_for_all_kernels(call: Call, model: Model) -> Reply:
    """num_kernels is less than the number of kernels that program contains, and kernels is not NULL.

    It is unspecified whether a function counts that differs between devices, so that no kernel is created for it.
    """
    if call.kernels is None:
        return Answer.NO
    program = model.given(Program, call.program)
    if program.kernels and call.num_kernels >= len(program.kernels):
        return Answer.NO
    count = number_of_the_same(program) if program.holds else None
    if count is None:
        raise UnknownError("the program's kernels")
    if count <= call.num_kernels < len(program.holds):
        raise UnknownError("whether a kernel counts that is not made")
    return bool(call.num_kernels < count)


@rules.clause("clCloneKernel/CL_INVALID_KERNEL/1")
def nothing_to_clone(call: Call, model: Model) -> Reply:
    """source_kernel is NULL or not a valid kernel."""
    return valid_object(call.source_kernel, "cl_kernel", model)
