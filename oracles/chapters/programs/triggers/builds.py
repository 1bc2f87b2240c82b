"""Coverage points for creating, building, compiling and linking programs (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import AWAIT
from clconform.calls.values import Callback, Items, Texts
from clconform.oracles.chapters.notifications.kinds import OfBuild
from clconform.oracles.chapters.notifications.notices import notices_of
from clconform.oracles.chapters.programs.clauses.binaries import origins_of
from clconform.oracles.chapters.programs.clauses.building import options_given, source_of
from clconform.oracles.chapters.programs.options import LIBRARY, taken_by_a_compiler, taken_by_a_linker
from clconform.oracles.chapters.programs.success.building import LINK_FAILURE
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    BuiltInProgram,
    IlProgram,
    LinkedProgram,
    Program,
    ProgramWithoutSource,
    SourceProgram,
)
from clconform.oracles.model.sources import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall

    Holds = Callable[[AnsweredCall], bool]

rules = Rules()

MAKE, LOAD, BUILD, COMPILE, LINK = (
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clBuildProgram",
    "clCompileProgram",
    "clLinkProgram",
)
OF_PROGRAMS, OF_BUILDS = "clGetProgramInfo", "clGetProgramBuildInfo"
OVER = (BuildState.BUILT, BuildState.COMPILED, BuildState.LIBRARY, BuildState.FAILED)


def _by_success(record: str, function: str, words: str, holds: Holds) -> None:
    rules.trigger(record, function, words, f"{function}/success", holds=holds, by_success=True)


def _by_answer(record: str, function: str, query: str, words: str, holds: Holds) -> None:
    rules.trigger(record, function, words, query, holds=Answered((query,), holds))


def _lengths(asked: AnsweredCall) -> tuple[int, ...]:
    """Return the lengths that a call passes for its strings."""
    given = asked.call.lengths.values if isinstance(asked.call.lengths, Items) else ()
    return tuple(each for each in given if isinstance(each, int))


def _program(asked: AnsweredCall) -> Program:
    return asked.model.get(Program, asked.call.program)


def _state(*states: BuildState) -> Holds:
    """Return a condition: the last build for the queried device is in one of these states."""

    def holds(asked: AnsweredCall) -> bool:
        device = asked.model.known(asked.call.device)
        build = _program(asked).builds.get(device.name) if device is not None else None
        return build is not None and build.state in states

    return holds


def _made(*kinds: type[Program]) -> Holds:
    return lambda asked: isinstance(asked.model.known(asked.call.program), kinds)


# the source that a program reports shows which bytes of the strings were read

_by_success(
    "clCreateProgramWithSource/effect/1",
    MAKE,
    "",
    lambda asked: 0 in _lengths(asked),
)
_by_success(
    "clCreateProgramWithSource/effect/2",
    MAKE,
    "",
    lambda asked: asked.call.lengths is None and isinstance(asked.call.strings, Texts),
)
_by_success(
    "clCreateProgramWithSource/effect/3",
    MAKE,
    "",
    lambda asked: any(_lengths(asked)),
)
_by_answer(
    "clCreateProgramWithSource/effect/5",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "Checked on queries of CL_PROGRAM_DEVICES.",
    _made(SourceProgram),
)
_by_answer(
    "clCreateProgramWithIL/effect/2",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "Checked on queries of CL_PROGRAM_DEVICES.",
    _made(IlProgram),
)
_by_success(
    "clCreateProgramWithBinary/effect/2",
    LOAD,
    "",
    lambda asked: asked.call.binary_status is None and bool(origins_of(asked.call, asked.model)),
)

# builds


def _for_all(asked: AnsweredCall) -> bool:
    return asked.call.device_list is None


def _for_some(asked: AnsweredCall) -> bool:
    return isinstance(asked.call.device_list, Items)


def _with_options(asked: AnsweredCall) -> bool:
    """Return whether a call passes options, and every compiler must accept them."""
    return bool(options_given(asked.call)) and taken_by_a_compiler(options_given(asked.call), _program(asked).devices)


def _with_options_of_a_linker(asked: AnsweredCall) -> bool:
    """Return whether a call passes options, and every linker must accept them."""
    devices = asked.model.context(asked.call.context).devices
    return bool(options_given(asked.call)) and taken_by_a_linker(options_given(asked.call), devices)


def _for_an_executable(asked: AnsweredCall) -> bool:
    return _with_options_of_a_linker(asked) and LIBRARY not in options_given(asked.call)


def _without_options(asked: AnsweredCall) -> bool:
    return asked.call.options is None


def _with_headers(asked: AnsweredCall) -> bool:
    """Return whether the source includes one of the given headers, and its content is known only with them."""
    program = _program(asked)
    if not isinstance(program, SourceProgram) or parts_of(program.source) is not None:
        return False
    try:
        return parts_of(source_of(asked.call, program, asked.model)) is not None
    except UnknownError:
        return False


_by_success("clBuildProgram/effect/2", BUILD, "", _for_all)
_by_success("clBuildProgram/effect/4", BUILD, "", _with_options)
_by_success(
    "clCompileProgram/effect/1",
    COMPILE,
    "",
    _for_all,
)
_by_success("clCompileProgram/effect/3", COMPILE, "", _without_options)
_by_success("clCompileProgram/effect/4", COMPILE, "", _with_options)
_by_success(
    "clCompileProgram/effect/5",
    COMPILE,
    "",
    _with_headers,
)
_by_success(
    "clLinkProgram/effect/2",
    LINK,
    "",
    _for_all,
)
_by_success(
    "clLinkProgram/effect/4",
    LINK,
    "",
    _with_options_of_a_linker,
)
_by_success(
    "clLinkProgram/effect/16",
    LINK,
    "Checked on successful links with a device_list.",
    _for_some,
)
_by_success(
    "OpenCL:program-linking-options/1",
    LINK,
    "",
    _for_an_executable,
)
_by_success("clBuildProgram/effect/6", BUILD, "", _without_options)
_by_success("clLinkProgram/effect/6", LINK, "", _without_options)

rules.trigger(
    "clLinkProgram/effect/17",
    LINK,
    "Checked on every call with pfn_notify NULL that returns one of these codes.",
    "clLinkProgram/success",
    "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
    holds=lambda asked: asked.call.pfn_notify is None and asked.code in ("CL_SUCCESS", LINK_FAILURE),
)
rules.trigger(
    "clLinkProgram/effect/18",
    LINK,
    "Checked on every call that fails with another code than CL_LINK_PROGRAM_FAILURE.",
    "clLinkProgram/success",
    holds=lambda asked: asked.code not in ("CL_SUCCESS", LINK_FAILURE),
)
rules.untestable(
    "clBuildProgram/effect/1",
    "The effect of other options than those that a binary was built with is implementation-defined.",
    PERMISSION,
)
rules.untestable(
    "clLinkProgram/effect/1",
    "The effect of other options than those that a binary was built with is implementation-defined.",
    PERMISSION,
)
rules.untestable(
    "OpenCL:preprocessor-options/1", "The effect of -D without a following space is implementation-defined.", PERMISSION
)
rules.untestable(
    "OpenCL:spir-compilation-options/1",
    "The effect of compiling SPIR without the options for SPIR is implementation-defined.",
    PERMISSION,
)

# queries of builds

_by_answer(
    "clBuildProgram/effect/9",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a successful build.",
    _state(BuildState.BUILT),
)


def _elsewhere(asked: AnsweredCall) -> bool:
    """Return whether the program is built, but not for the queried device."""
    return _state(BuildState.NONE)(asked) and bool(_program(asked).built)


_by_answer(
    "clBuildProgram/effect/3",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Checked on queries of CL_PROGRAM_BUILD_STATUS for a device of the program that was not in device_list.",
    _elsewhere,
)
_by_answer(
    "clCompileProgram/effect/11",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a successful compilation.",
    _state(BuildState.COMPILED),
)
_by_answer(
    "clLinkProgram/effect/13",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a link.",
    lambda asked: _made(LinkedProgram)(asked) and _state(*OVER)(asked),
)
_by_answer(
    "clLinkProgram/effect/7",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a successful link.",
    lambda asked: _made(LinkedProgram)(asked) and _state(BuildState.BUILT)(asked),
)
_by_answer(
    "clLinkProgram/effect/15",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "Checked on queries of CL_PROGRAM_DEVICES.",
    _made(LinkedProgram),
)
_by_answer(
    "OpenCL:library-linking-options/1",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "Checked on queries of CL_PROGRAM_BINARY_TYPE.",
    _state(BuildState.LIBRARY),
)
_by_answer(
    "CL_PROGRAM_BUILD_STATUS/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "",
    _state(*OVER),
)
_by_answer(
    "CL_PROGRAM_BUILD_OPTIONS/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_OPTIONS",
    "",
    _state(*OVER),
)
_by_answer(
    "CL_PROGRAM_BUILD_OPTIONS/effect/2",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_OPTIONS",
    "",
    _state(BuildState.NONE),
)
_by_answer(
    "CL_PROGRAM_BUILD_LOG/effect/2",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_LOG",
    "",
    _state(BuildState.NONE),
)


def _after_another(asked: AnsweredCall) -> bool:
    """Return whether the last build of a program followed another build with options."""
    device = asked.model.known(asked.call.device)
    build = _program(asked).builds.get(device.name) if device is not None else None
    return build is not None and bool(build.former) and build.state in OVER


_by_answer(
    "CL_PROGRAM_BUILD_LOG/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_LOG",
    (
        "Checked on a build that followed another one with options: the log does not mention values of macros that "
        "only earlier options defined."
    ),
    _after_another,
)
_by_answer(
    "CL_PROGRAM_BINARY_TYPE/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "",
    _state(BuildState.COMPILED),
)
_by_answer(
    "CL_PROGRAM_BINARY_TYPE/effect/2",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "",
    _state(BuildState.LIBRARY),
)
_by_answer(
    "CL_PROGRAM_BINARY_TYPE/effect/3",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "",
    _state(BuildState.BUILT),
)

# queries of programs


def _holds_kernels(asked: AnsweredCall) -> bool:
    return bool(_program(asked).holds)


def _never_built(asked: AnsweredCall) -> bool:
    program = _program(asked)
    states = {build.state for build in program.builds.values()}
    return isinstance(program, SourceProgram) and states == {BuildState.NONE}


_by_answer(
    "CL_PROGRAM_SOURCE/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_SOURCE",
    "",
    _made(SourceProgram),
)
_by_answer(
    "CL_PROGRAM_SOURCE/effect/3",
    OF_PROGRAMS,
    "CL_PROGRAM_SOURCE",
    "",
    _made(ProgramWithoutSource),
)
_by_answer(
    "CL_PROGRAM_IL/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_IL",
    "",
    lambda asked: _made(SourceProgram, ProgramWithoutSource)(asked) and not _made(IlProgram)(asked),
)
_by_answer(
    "CL_PROGRAM_IL_KHR/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_IL_KHR",
    "",
    lambda asked: _made(SourceProgram, ProgramWithoutSource)(asked) and not _made(IlProgram)(asked),
)
_by_answer(
    "CL_PROGRAM_BINARY_SIZES/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_BINARY_SIZES",
    "",
    lambda asked: bool(_program(asked).devices),
)
_by_answer(
    "CL_PROGRAM_BINARY_SIZES/effect/2",
    OF_PROGRAMS,
    "CL_PROGRAM_BINARY_SIZES",
    "Checked on programs from source that were never built.",
    _never_built,
)
_by_answer(
    "CL_PROGRAM_NUM_KERNELS/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_NUM_KERNELS",
    "",
    _holds_kernels,
)
_by_answer(
    "CL_PROGRAM_KERNEL_NAMES/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_KERNEL_NAMES",
    "",
    _holds_kernels,
)


def _of_headers(*, alike: bool) -> Holds:
    """Return a condition: a program was compiled with several headers, or with several headers of one name."""

    def holds(asked: AnsweredCall) -> bool:
        names = _program(asked).header_names
        return _holds_kernels(asked) and len(names) > 1 and (len(set(names)) < len(names)) == alike

    return holds


_by_answer(
    "clCompileProgram/effect/6",
    OF_PROGRAMS,
    "CL_PROGRAM_KERNEL_NAMES",
    "Checked on queries of the kernel names after a compilation with several headers of different names.",
    _of_headers(alike=False),
)
_by_answer(
    "clCompileProgram/effect/8",
    OF_PROGRAMS,
    "CL_PROGRAM_KERNEL_NAMES",
    "Checked on queries of the kernel names after a compilation with several headers of one name.",
    _of_headers(alike=True),
)

# binaries

_by_success(
    "clCreateProgramWithBinary/effect/1",
    LOAD,
    "Checked on loads of binaries that another program reported.",
    lambda asked: asked.call.binary_status is not None and bool(origins_of(asked.call, asked.model)),
)
_by_answer(
    "clCreateProgramWithBinary/effect/4",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "Checked on queries of CL_PROGRAM_DEVICES.",
    _made(BinaryProgram),
)
_by_answer(
    "clCreateProgramWithBuiltInKernels/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "Checked on queries of CL_PROGRAM_DEVICES.",
    _made(BuiltInProgram),
)


def _binary_of(*states: BuildState) -> Holds:
    """Return a condition: a program is created from the binary of a program in one of these states."""

    def holds(asked: AnsweredCall) -> bool:
        origins = origins_of(asked.call, asked.model)
        return any(build.state in states for origin in origins for build in origin.builds.values())

    return holds


def _binary_of_a_link(asked: AnsweredCall) -> bool:
    return any(isinstance(origin, LinkedProgram) for origin in origins_of(asked.call, asked.model))


_by_success(
    "clBuildProgram/effect/11",
    LOAD,
    "",
    _binary_of(BuildState.BUILT),
)
_by_success(
    "OpenCL:platform-model/2",
    LOAD,
    "Checked on clCreateProgramWithBinary with the binary of an executable, queried from another program.",
    _binary_of(BuildState.BUILT),
)
_by_success(
    "clCompileProgram/effect/13",
    LOAD,
    "",
    _binary_of(BuildState.COMPILED),
)
_by_success(
    "clLinkProgram/effect/14",
    LOAD,
    "",
    _binary_of_a_link,
)

# callbacks


def _told_of(function: str, *, with_data: bool = False) -> Holds:
    """Return a condition: a wait for a callback of a build by a function."""

    def holds(asked: AnsweredCall) -> bool:
        return any(
            isinstance(notice, OfBuild)
            and notice.record == f"{function}/success"
            and notice.name == asked.call.callback.name
            and (notice.user_data is not None or not with_data)
            for notice in notices_of(asked.model)
            if isinstance(asked.call.callback, Callback)
        )

    return holds


for _function, _end, _data in (
    (BUILD, "clBuildProgram/effect/7", "clBuildProgram/effect/10"),
    (COMPILE, "clCompileProgram/effect/9", "clCompileProgram/effect/12"),
    (LINK, "clLinkProgram/effect/9", "clLinkProgram/effect/10"),
):
    _success = f"{_function}/success"
    _words = ""
    rules.trigger(_end, AWAIT, _words, _success, holds=_told_of(_function))
    _words = ""
    rules.trigger(_data, AWAIT, _words, _success, holds=_told_of(_function, with_data=True))
rules.trigger(
    "clLinkProgram/effect/11",
    AWAIT,
    "",
    "clLinkProgram/success",
    holds=_told_of(LINK),
)
