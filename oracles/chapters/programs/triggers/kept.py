"""Which calls show what programs keep of what they are made of, and that compilers come back (5.8.8 and 5.8.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, OutputBuffers
from clconform.oracles.chapters.programs.clauses.binaries import origins_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BinaryProgram, IlProgram, LinkedProgram, Program, SourceProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.world import Model

rules = Rules()

INFO, LOAD = "clGetProgramInfo", "clCreateProgramWithBinary"
SOURCE, DEVICES, SIZES, BINARIES = (f"CL_PROGRAM_{name}" for name in ("SOURCE", "DEVICES", "BINARY_SIZES", "BINARIES"))


def _of_several_strings(asked: AnsweredCall) -> bool:
    program = asked.subject
    return isinstance(program, SourceProgram) and program.strings > 1 and _is_told(asked)


def _of_the_extension(asked: AnsweredCall) -> bool:
    program = asked.subject
    by_the_extension = isinstance(program, IlProgram) and program.query == "CL_PROGRAM_IL_KHR"
    return by_the_extension and _is_told(asked)


def _is_told(asked: AnsweredCall) -> bool:
    return asked.code == SUCCESS and "param_value" in asked.seen


rules.trigger(
    f"{SOURCE}/effect/2",
    INFO,
    "The strings that a program was made of are joined without their null terminators.",
    SOURCE,
    holds=Answered((SOURCE,), _of_several_strings),
)
rules.trigger(
    "clCreateProgramWithILKHR/effect/2",
    INFO,
    "A program from an intermediate language is associated with all devices of its context.",
    DEVICES,
    holds=Answered((DEVICES,), _of_the_extension),
)

# binaries


def _made_by_a_compiler(asked: AnsweredCall) -> bool:
    """Return whether the binary is that of a program which was built, compiled or linked from source or modules."""
    origins = origins_of(asked.call, asked.model)
    return any(isinstance(each, (SourceProgram, IlProgram, LinkedProgram)) for each in origins)


def _told_again(asked: AnsweredCall) -> bool:
    """Return whether the binary is what another program has told."""
    return bool(origins_of(asked.call, asked.model))


def _into_room_as_told(asked: AnsweredCall) -> bool:
    """Return whether binaries are read into memory that is exactly as large as the sizes that were told."""
    program, room = asked.subject, asked.call.param_value
    if asked.code != SUCCESS or not isinstance(program, Program) or not isinstance(room, OutputBuffers):
        return False
    told = program.facts.get(SIZES)
    return isinstance(told, tuple) and any(told) and tuple(room.counts) == told


def _of_a_parent(asked: AnsweredCall) -> bool:
    """Return whether the binary for a device is given for a sub-device of it."""
    listed = asked.call.device_list.values if isinstance(asked.call.device_list, Items) else ()
    return any(Handle(each.devices[0].name) not in listed for each in origins_of(asked.call, asked.model))


rules.trigger(
    "clGetProgramBuildInfo/effect/3",
    LOAD,
    "The binary for a device is taken for a sub-device of it.",
    f"{LOAD}/success",
    holds=_of_a_parent,
    by_success=True,
)
for _record, _words, _holds in (
    (1, "The binary of a program is what its build, compilation or link has made.", _made_by_a_compiler),
    (3, "The binary for a device is copied to the memory that is given for it.", _told_again),
):
    rules.trigger(f"{BINARIES}/effect/{_record}", LOAD, _words, f"{LOAD}/success", holds=_holds, by_success=True)
rules.trigger(
    f"{BINARIES}/effect/2",
    INFO,
    "As much memory as CL_PROGRAM_BINARY_SIZES says is needed for each binary.",
    f"{INFO}/success",
    BINARIES,
    holds=Answered((BINARIES,), _into_room_as_told),
)
rules.untestable(
    f"{BINARIES}/effect/4",
    "The binaries have the order of the devices in CL_PROGRAM_DEVICES.",
    "nothing tells for which device a binary is, and devices may take each other's",
)

# programs that are released


def _of_a_released_program(asked: AnsweredCall) -> bool:
    """Return whether a kernel runs whose program has been released."""
    kernel = asked.model.known(asked.call.kernel)
    return isinstance(kernel, Kernel) and kernel.program is not None and kernel.program.references == 0


rules.trigger(
    "clReleaseProgram/effect/2",
    "clEnqueueNDRangeKernel",
    "A program that was released is not deleted as long as there are kernels of it.",
    "clEnqueueNDRangeKernel/success",
    holds=_of_a_released_program,
    by_success=True,
)

# compilers that were unloaded


def _unloaded_by(function: str) -> Callable[[AnsweredCall], bool]:
    """Return whether a call builds, compiles or links after a function has unloaded the compiler."""

    def holds(asked: AnsweredCall) -> bool:
        made_here = asked.model.known(asked.call.arguments.get("program"))
        if isinstance(made_here, BinaryProgram):
            return False
        return _last_unload(asked.model) == function

    return holds


def _last_unload(model: Model) -> str:
    """Return the function by which all platforms' compilers were unloaded last; empty if they were not."""
    unloaded = {platform.unloaded_by for platform in model.platforms.values()}
    return unloaded.pop() if len(unloaded) == 1 else ""


for _unload in ("clUnloadPlatformCompiler", "clUnloadCompiler"):
    for _build in ("clBuildProgram", "clCompileProgram", "clLinkProgram"):
        _words = "After it, programs can still be built, compiled and linked."
        _success = f"{_build}/success"
        rules.trigger(f"{_unload}/effect/1", _build, _words, _success, holds=_unloaded_by(_unload), by_success=True)
