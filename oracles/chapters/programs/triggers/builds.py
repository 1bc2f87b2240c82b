"""Which calls put the sentences of section 5.8 to the test that have no error code."""

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
    """Return the lengths that a call gives for its strings."""
    given = asked.call.lengths.values if isinstance(asked.call.lengths, Items) else ()
    return tuple(each for each in given if isinstance(each, int))


def _program(asked: AnsweredCall) -> Program:
    return asked.model.get(Program, asked.call.program)


def _state(*states: BuildState) -> Holds:
    """Return whether the build that is asked about is in one of these states."""

    def holds(asked: AnsweredCall) -> bool:
        device = asked.model.known(asked.call.device)
        build = _program(asked).builds.get(device.name) if device is not None else None
        return build is not None and build.state in states

    return holds


def _made(*kinds: type[Program]) -> Holds:
    return lambda asked: isinstance(asked.model.known(asked.call.program), kinds)


# what is read of strings is judged by the source that a program tells

_by_success(
    "clCreateProgramWithSource/effect/1",
    MAKE,
    "For an entry of lengths that is zero, the string is read up to its null terminator.",
    lambda asked: 0 in _lengths(asked),
)
_by_success(
    "clCreateProgramWithSource/effect/2",
    MAKE,
    "With lengths NULL, every string is read up to its null terminator.",
    lambda asked: asked.call.lengths is None and isinstance(asked.call.strings, Texts),
)
_by_success(
    "clCreateProgramWithSource/effect/3",
    MAKE,
    "An entry of lengths greater than zero is the length of its string without the null terminator.",
    lambda asked: any(_lengths(asked)),
)
_by_answer(
    "clCreateProgramWithSource/effect/5",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "A program from source is associated with all devices of its context.",
    _made(SourceProgram),
)
_by_answer(
    "clCreateProgramWithIL/effect/2",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "A program from an intermediate language is associated with all devices of its context.",
    _made(IlProgram),
)
_by_success(
    "clCreateProgramWithBinary/effect/2",
    LOAD,
    "With binary_status NULL, no status per device is returned.",
    lambda asked: asked.call.binary_status is None and bool(origins_of(asked.call, asked.model)),
)

# builds


def _for_all(asked: AnsweredCall) -> bool:
    return asked.call.device_list is None


def _for_some(asked: AnsweredCall) -> bool:
    return isinstance(asked.call.device_list, Items)


def _with_options(asked: AnsweredCall) -> bool:
    """Return whether a compiler must take the options, of which there are some."""
    return bool(options_given(asked.call)) and taken_by_a_compiler(options_given(asked.call), _program(asked).devices)


def _with_options_of_a_linker(asked: AnsweredCall) -> bool:
    """Return whether a linker must take the options, of which there are some."""
    devices = asked.model.context(asked.call.context).devices
    return bool(options_given(asked.call)) and taken_by_a_linker(options_given(asked.call), devices)


def _for_an_executable(asked: AnsweredCall) -> bool:
    return _with_options_of_a_linker(asked) and LIBRARY not in options_given(asked.call)


def _without_options(asked: AnsweredCall) -> bool:
    return asked.call.options is None


def _with_headers(asked: AnsweredCall) -> bool:
    """Return whether a source includes one of the headers that are given, and is known with them alone."""
    program = _program(asked)
    if not isinstance(program, SourceProgram) or parts_of(program.source) is not None:
        return False
    try:
        return parts_of(source_of(asked.call, program, asked.model)) is not None
    except UnknownError:
        return False


_by_success(
    "clBuildProgram/effect/2", BUILD, "With device_list NULL, the program is built for each of its devices.", _for_all
)
_by_success(
    "clBuildProgram/effect/4", BUILD, "Options that the document lists for compilers are accepted.", _with_options
)
_by_success(
    "clCompileProgram/effect/1",
    COMPILE,
    "With device_list NULL, the program is compiled for each of its devices.",
    _for_all,
)
_by_success("clCompileProgram/effect/3", COMPILE, "Options of NULL are like an empty string.", _without_options)
_by_success(
    "clCompileProgram/effect/4", COMPILE, "Options that the document lists for compilers are accepted.", _with_options
)
_by_success(
    "clCompileProgram/effect/5",
    COMPILE,
    "A name in header_include_names stands for the header in an include directive of the source.",
    _with_headers,
)
_by_success(
    "clLinkProgram/effect/2",
    LINK,
    "With device_list NULL, the programs are linked for all devices of context.",
    _for_all,
)
_by_success(
    "clLinkProgram/effect/4",
    LINK,
    "Options that the document lists for linkers are accepted.",
    _with_options_of_a_linker,
)
_by_success(
    "clLinkProgram/effect/16",
    LINK,
    "If the link can begin, a program is returned.",
    _for_some,
)
_by_success(
    "OpenCL:program-linking-options/1",
    LINK,
    "The options for executables are accepted by the linker.",
    _for_an_executable,
)
_by_success("clBuildProgram/effect/6", BUILD, "Options of NULL are like an empty string.", _without_options)
_by_success("clLinkProgram/effect/6", LINK, "Options of NULL are like an empty string.", _without_options)

rules.trigger(
    "clLinkProgram/effect/17",
    LINK,
    "Without a callback the code is CL_SUCCESS after a link, and CL_LINK_PROGRAM_FAILURE after one that failed.",
    "clLinkProgram/success",
    "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
    holds=lambda asked: asked.call.pfn_notify is None and asked.code in ("CL_SUCCESS", LINK_FAILURE),
)
rules.trigger(
    "clLinkProgram/effect/18",
    LINK,
    "If the link cannot begin, NULL is returned.",
    "clLinkProgram/success",
    holds=lambda asked: asked.code not in ("CL_SUCCESS", LINK_FAILURE),
)
rules.untestable("clBuildProgram/effect/1", "Other options for a binary than its own may do anything.", PERMISSION)
rules.untestable("clLinkProgram/effect/1", "Other options for a binary than its own may do anything.", PERMISSION)
rules.untestable("OpenCL:preprocessor-options/1", "Without a space after -D, anything may happen.", PERMISSION)
rules.untestable("OpenCL:spir-compilation-options/1", "Without the options for SPIR, anything may happen.", PERMISSION)

# what is told of builds

_by_answer(
    "clBuildProgram/effect/9",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Without a callback the call returns once the build has finished.",
    _state(BuildState.BUILT),
)


def _elsewhere(asked: AnsweredCall) -> bool:
    """Return whether the program is built, but not for the device that is asked about."""
    return _state(BuildState.NONE)(asked) and bool(_program(asked).built)


_by_answer(
    "clBuildProgram/effect/3",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "With a device_list, the program is built for no other device.",
    _elsewhere,
)
_by_answer(
    "clCompileProgram/effect/11",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Without a callback the call returns once the compilation has finished.",
    _state(BuildState.COMPILED),
)
_by_answer(
    "clLinkProgram/effect/13",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "Without a callback the call returns once the link has finished.",
    lambda asked: _made(LinkedProgram)(asked) and _state(*OVER)(asked),
)
_by_answer(
    "clLinkProgram/effect/7",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "An executable is made for each device for which all input programs have a compiled binary or library.",
    lambda asked: _made(LinkedProgram)(asked) and _state(BuildState.BUILT)(asked),
)
_by_answer(
    "clLinkProgram/effect/15",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "The program of a link is associated with the devices in device_list, or with all of context.",
    _made(LinkedProgram),
)
_by_answer(
    "OpenCL:library-linking-options/1",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "With -create-library a library is made of the input programs.",
    _state(BuildState.LIBRARY),
)
_by_answer(
    "CL_PROGRAM_BUILD_STATUS/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_STATUS",
    "The status is that of the last build, compilation or link.",
    _state(*OVER),
)
_by_answer(
    "CL_PROGRAM_BUILD_OPTIONS/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_OPTIONS",
    "The options are those of the last build, compilation or link.",
    _state(*OVER),
)
_by_answer(
    "CL_PROGRAM_BUILD_OPTIONS/effect/2",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_OPTIONS",
    "The options are empty before the first build.",
    _state(BuildState.NONE),
)
_by_answer(
    "CL_PROGRAM_BUILD_LOG/effect/2",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_LOG",
    "The log is empty before the first build.",
    _state(BuildState.NONE),
)


def _after_another(asked: AnsweredCall) -> bool:
    """Return whether a build was begun after another one with options."""
    device = asked.model.known(asked.call.device)
    build = _program(asked).builds.get(device.name) if device is not None else None
    return build is not None and bool(build.former) and build.state in OVER


_by_answer(
    "CL_PROGRAM_BUILD_LOG/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BUILD_LOG",
    "The log is that of the last build, compilation or link.",
    _after_another,
)
_by_answer(
    "CL_PROGRAM_BINARY_TYPE/effect/1",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "The type of what is compiled is CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT.",
    _state(BuildState.COMPILED),
)
_by_answer(
    "CL_PROGRAM_BINARY_TYPE/effect/2",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "The type of what is linked with -create-library is CL_PROGRAM_BINARY_TYPE_LIBRARY.",
    _state(BuildState.LIBRARY),
)
_by_answer(
    "CL_PROGRAM_BINARY_TYPE/effect/3",
    OF_BUILDS,
    "CL_PROGRAM_BINARY_TYPE",
    "The type of what is built, or linked to an executable, is CL_PROGRAM_BINARY_TYPE_EXECUTABLE.",
    _state(BuildState.BUILT),
)

# what is told of programs


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
    "The source is one null-terminated string that joins all strings.",
    _made(SourceProgram),
)
_by_answer(
    "CL_PROGRAM_SOURCE/effect/3",
    OF_PROGRAMS,
    "CL_PROGRAM_SOURCE",
    "Without source, the answer is a null string, or the source that is stored in the binary.",
    _made(ProgramWithoutSource),
)
_by_answer(
    "CL_PROGRAM_IL/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_IL",
    "Without intermediate language, the size is 0, and nothing is written.",
    lambda asked: _made(SourceProgram, ProgramWithoutSource)(asked) and not _made(IlProgram)(asked),
)
_by_answer(
    "CL_PROGRAM_IL_KHR/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_IL_KHR",
    "Without intermediate language, the size is 0, and nothing is written.",
    lambda asked: _made(SourceProgram, ProgramWithoutSource)(asked) and not _made(IlProgram)(asked),
)
_by_answer(
    "CL_PROGRAM_BINARY_SIZES/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_BINARY_SIZES",
    "There is one size for each device of the program.",
    lambda asked: bool(_program(asked).devices),
)
_by_answer(
    "CL_PROGRAM_BINARY_SIZES/effect/2",
    OF_PROGRAMS,
    "CL_PROGRAM_BINARY_SIZES",
    "The size is 0 for a device without a binary.",
    _never_built,
)
_by_answer(
    "CL_PROGRAM_NUM_KERNELS/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_NUM_KERNELS",
    "The number of kernels is that of the kernels that can be made of the program.",
    _holds_kernels,
)
_by_answer(
    "CL_PROGRAM_KERNEL_NAMES/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_KERNEL_NAMES",
    "The names are those of the kernels that can be made of the program, with semicolons between.",
    _holds_kernels,
)


def _of_headers(*, alike: bool) -> Holds:
    """Return whether a program was compiled with several headers, or with several of one name."""

    def holds(asked: AnsweredCall) -> bool:
        names = _program(asked).header_names
        return _holds_kernels(asked) and len(names) > 1 and (len(set(names)) < len(names)) == alike

    return holds


_by_answer(
    "clCompileProgram/effect/6",
    OF_PROGRAMS,
    "CL_PROGRAM_KERNEL_NAMES",
    "The header of a name is the program at the same place in input_headers.",
    _of_headers(alike=False),
)
_by_answer(
    "clCompileProgram/effect/8",
    OF_PROGRAMS,
    "CL_PROGRAM_KERNEL_NAMES",
    "Of several headers of one name, the first one is used.",
    _of_headers(alike=True),
)

# binaries

_by_success(
    "clCreateProgramWithBinary/effect/1",
    LOAD,
    "binary_status is CL_SUCCESS for a device whose binary is loaded, CL_INVALID_VALUE for one that is NULL or empty.",
    lambda asked: asked.call.binary_status is not None and bool(origins_of(asked.call, asked.model)),
)
_by_answer(
    "clCreateProgramWithBinary/effect/4",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "A program from binaries is associated with the devices in device_list.",
    _made(BinaryProgram),
)
_by_answer(
    "clCreateProgramWithBuiltInKernels/effect/1",
    OF_PROGRAMS,
    "CL_PROGRAM_DEVICES",
    "A program of built-in kernels is associated with the devices in device_list.",
    _made(BuiltInProgram),
)


def _binary_of(*states: BuildState) -> Holds:
    """Return whether a program is made of the binary of one in one of these states."""

    def holds(asked: AnsweredCall) -> bool:
        origins = origins_of(asked.call, asked.model)
        return any(build.state in states for origin in origins for build in origin.builds.values())

    return holds


def _binary_of_a_link(asked: AnsweredCall) -> bool:
    return any(isinstance(origin, LinkedProgram) for origin in origins_of(asked.call, asked.model))


_by_success(
    "clBuildProgram/effect/11",
    LOAD,
    "The binary of an executable is accepted by clCreateProgramWithBinary.",
    _binary_of(BuildState.BUILT),
)
_by_success(
    "OpenCL:platform-model/2",
    LOAD,
    "The binary of an executable can be had from the runtime, and loaded again.",
    _binary_of(BuildState.BUILT),
)
_by_success(
    "clCompileProgram/effect/13",
    LOAD,
    "The binary of a compiled program is accepted by clCreateProgramWithBinary.",
    _binary_of(BuildState.COMPILED),
)
_by_success(
    "clLinkProgram/effect/14",
    LOAD,
    "The binary of a linked program is accepted by clCreateProgramWithBinary.",
    _binary_of_a_link,
)

# callbacks


def _told_of(function: str, *, with_data: bool = False) -> Holds:
    """Return whether a callback is waited for that tells of a build by a function."""

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
    _words = "pfn_notify is called once the build, compilation or link has finished, however it went."
    rules.trigger(_end, AWAIT, _words, _success, holds=_told_of(_function))
    _words = "pfn_notify gets the user_data that was given with it."
    rules.trigger(_data, AWAIT, _words, _success, holds=_told_of(_function, with_data=True))
rules.trigger(
    "clLinkProgram/effect/11",
    AWAIT,
    "Once the linker has finished, pfn_notify gets the program that the call has returned.",
    "clLinkProgram/success",
    holds=_told_of(LINK),
)
