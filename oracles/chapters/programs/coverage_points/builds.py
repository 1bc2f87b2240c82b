"""Coverage points for creating, building, compiling and linking programs (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import ElementList, HostCallback, Texts
from clconform.oracles.chapters.notifications.callback_kinds import BuildCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.chapters.programs.error_conditions.binaries import programs_with_binaries
from clconform.oracles.chapters.programs.error_conditions.building import expand_source, parse_options
from clconform.oracles.chapters.programs.options import CREATE_LIBRARY, is_accepted_by_compilers, is_accepted_by_linkers
from clconform.oracles.chapters.programs.postconditions.building import LINK_FAILURE
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.program_sources import split_parts
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

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

    Holds = Callable[[CompletedCall], bool]

rules = Rules()

CREATE, LOAD, BUILD, COMPILE, LINK = (
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clBuildProgram",
    "clCompileProgram",
    "clLinkProgram",
)
DEVICES, KERNELS, SIZES = "CL_PROGRAM_DEVICES", "CL_PROGRAM_KERNEL_NAMES", "CL_PROGRAM_BINARY_SIZES"
STATUS, OPTIONS, LOG = "CL_PROGRAM_BUILD_STATUS", "CL_PROGRAM_BUILD_OPTIONS", "CL_PROGRAM_BUILD_LOG"
BINARY_TYPE = "CL_PROGRAM_BINARY_TYPE"
BUILD_QUERIES = (STATUS, OPTIONS, LOG, BINARY_TYPE)
"""Queries of clGetProgramBuildInfo."""
ENDED_STATES = (BuildState.BUILT, BuildState.COMPILED, BuildState.LIBRARY, BuildState.FAILED)


def _cover_by_success(requirement: str, function: str, words: str, holds: Holds) -> None:
    rules.coverage_point(requirement, function, words, f"{function}/success", holds=holds, requires_success=True)


def _cover_by_query(requirement: str, query: str, words: str, holds: Holds) -> None:
    function = "clGetProgramBuildInfo" if query in BUILD_QUERIES else "clGetProgramInfo"
    rules.coverage_point(requirement, function, words, query, holds=QueryCoverage((query,), holds))


def _string_lengths(asked: CompletedCall) -> tuple[int, ...]:
    """Return the elements of lengths; empty if lengths is NULL."""
    given = asked.call.lengths.values if isinstance(asked.call.lengths, ElementList) else ()
    return tuple(each for each in given if isinstance(each, int))


def _queried_program(asked: CompletedCall) -> Program:
    return asked.model.get(Program, asked.call.program)


def _is_in_state(*states: BuildState) -> Holds:
    """Return a coverage condition: the last build of the program for the queried device is in one of these states."""

    def holds(asked: CompletedCall) -> bool:
        device = asked.model.find(asked.call.device)
        build = _queried_program(asked).builds.get(device.name) if device is not None else None
        return build is not None and build.state in states

    return holds


def _is_program_of(*kinds: type[Program]) -> Holds:
    return lambda asked: isinstance(asked.model.find(asked.call.program), kinds)


# The source that a program reports shows which bytes of the strings the call read.

_cover_by_success("clCreateProgramWithSource/effect/1", CREATE, "", lambda asked: 0 in _string_lengths(asked))
_cover_by_success(
    "clCreateProgramWithSource/effect/2",
    CREATE,
    "",
    lambda asked: asked.call.lengths is None and isinstance(asked.call.strings, Texts),
)
_cover_by_success("clCreateProgramWithSource/effect/3", CREATE, "", lambda asked: any(_string_lengths(asked)))
_cover_by_query(
    "clCreateProgramWithSource/effect/5",
    DEVICES,
    "Checked on queries of CL_PROGRAM_DEVICES of programs from source.",
    _is_program_of(SourceProgram),
)
_cover_by_query(
    "clCreateProgramWithIL/effect/2",
    DEVICES,
    "Checked on queries of CL_PROGRAM_DEVICES of programs from IL.",
    _is_program_of(IlProgram),
)
_cover_by_success(
    "clCreateProgramWithBinary/effect/2",
    LOAD,
    "",
    lambda asked: asked.call.binary_status is None and bool(programs_with_binaries(asked.call, asked.model)),
)

# builds


def _is_for_all_devices(asked: CompletedCall) -> bool:
    return asked.call.device_list is None


def _is_for_listed_devices(asked: CompletedCall) -> bool:
    return isinstance(asked.call.device_list, ElementList)


def _has_compiler_options(asked: CompletedCall) -> bool:
    """Return whether a call passes options that every compiler must accept."""
    return bool(parse_options(asked.call)) and is_accepted_by_compilers(
        parse_options(asked.call), _queried_program(asked).devices
    )


def _has_linker_options(asked: CompletedCall) -> bool:
    """Return whether a call passes options that every linker must accept."""
    devices = asked.model.context(asked.call.context).devices
    return bool(parse_options(asked.call)) and is_accepted_by_linkers(parse_options(asked.call), devices)


def _links_executable(asked: CompletedCall) -> bool:
    return _has_linker_options(asked) and CREATE_LIBRARY not in parse_options(asked.call)


def _lacks_options(asked: CompletedCall) -> bool:
    return asked.call.options is None


def _uses_headers(asked: CompletedCall) -> bool:
    """Return whether a source consists of known parts only together with the headers in input_headers."""
    program = _queried_program(asked)
    if not isinstance(program, SourceProgram) or split_parts(program.source) is not None:
        return False
    try:
        return split_parts(expand_source(asked.call, program, asked.model)) is not None
    except UnknownFactError:
        return False


_cover_by_success("clBuildProgram/effect/2", BUILD, "", _is_for_all_devices)
_cover_by_success("clBuildProgram/effect/4", BUILD, "", _has_compiler_options)
_cover_by_success("clCompileProgram/effect/1", COMPILE, "", _is_for_all_devices)
_cover_by_success("clCompileProgram/effect/3", COMPILE, "", _lacks_options)
_cover_by_success("clCompileProgram/effect/4", COMPILE, "", _has_compiler_options)
_cover_by_success("clCompileProgram/effect/5", COMPILE, "", _uses_headers)
_cover_by_success("clLinkProgram/effect/2", LINK, "", _is_for_all_devices)
_cover_by_success("clLinkProgram/effect/4", LINK, "", _has_linker_options)
_cover_by_success(
    "clLinkProgram/effect/16", LINK, "Checked on successful links with a device_list.", _is_for_listed_devices
)
_cover_by_success("OpenCL:program-linking-options/1", LINK, "", _links_executable)
_cover_by_success("clBuildProgram/effect/6", BUILD, "", _lacks_options)
_cover_by_success("clLinkProgram/effect/6", LINK, "", _lacks_options)

rules.coverage_point(
    "clLinkProgram/effect/17",
    LINK,
    "Checked on calls with pfn_notify NULL that return CL_SUCCESS or CL_LINK_PROGRAM_FAILURE.",
    "clLinkProgram/success",
    "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
    holds=lambda asked: asked.call.pfn_notify is None and asked.code in ("CL_SUCCESS", LINK_FAILURE),
)
rules.coverage_point(
    "clLinkProgram/effect/18",
    LINK,
    "Checked on calls that fail with an error code other than CL_LINK_PROGRAM_FAILURE.",
    "clLinkProgram/success",
    holds=lambda asked: asked.code not in ("CL_SUCCESS", LINK_FAILURE),
)
for _requirement in ("clBuildProgram/effect/1", "clLinkProgram/effect/1"):
    rules.untestable(
        _requirement,
        "For a program from a binary, the effect of options other than the original ones is implementation-defined.",
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

_cover_by_query(
    "clBuildProgram/effect/9",
    STATUS,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a successful build.",
    _is_in_state(BuildState.BUILT),
)


def _is_built_elsewhere(asked: CompletedCall) -> bool:
    """Return whether the program is built, but not for the queried device."""
    return _is_in_state(BuildState.NONE)(asked) and bool(_queried_program(asked).built_devices)


_cover_by_query(
    "clBuildProgram/effect/3",
    STATUS,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS for a device of the program that was not in device_list.",
    _is_built_elsewhere,
)
_cover_by_query(
    "clCompileProgram/effect/11",
    STATUS,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a successful compilation.",
    _is_in_state(BuildState.COMPILED),
)
_cover_by_query(
    "clLinkProgram/effect/13",
    STATUS,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a link.",
    lambda asked: _is_program_of(LinkedProgram)(asked) and _is_in_state(*ENDED_STATES)(asked),
)
_cover_by_query(
    "clLinkProgram/effect/7",
    STATUS,
    "Checked on queries of CL_PROGRAM_BUILD_STATUS after a successful link.",
    lambda asked: _is_program_of(LinkedProgram)(asked) and _is_in_state(BuildState.BUILT)(asked),
)
_cover_by_query(
    "clLinkProgram/effect/15",
    DEVICES,
    "Checked on queries of CL_PROGRAM_DEVICES of linked programs.",
    _is_program_of(LinkedProgram),
)
_cover_by_query(
    "OpenCL:library-linking-options/1",
    BINARY_TYPE,
    "Checked on queries of CL_PROGRAM_BINARY_TYPE after a link with -create-library.",
    _is_in_state(BuildState.LIBRARY),
)
_cover_by_query("CL_PROGRAM_BUILD_STATUS/effect/1", STATUS, "", _is_in_state(*ENDED_STATES))
_cover_by_query("CL_PROGRAM_BUILD_OPTIONS/effect/1", OPTIONS, "", _is_in_state(*ENDED_STATES))
_cover_by_query("CL_PROGRAM_BUILD_OPTIONS/effect/2", OPTIONS, "", _is_in_state(BuildState.NONE))
_cover_by_query("CL_PROGRAM_BUILD_LOG/effect/2", LOG, "", _is_in_state(BuildState.NONE))


def _follows_build(asked: CompletedCall) -> bool:
    """Return whether the last build for the queried device followed an earlier build with options."""
    device = asked.model.find(asked.call.device)
    build = _queried_program(asked).builds.get(device.name) if device is not None else None
    return build is not None and bool(build.all_previous_options) and build.state in ENDED_STATES


_cover_by_query(
    "CL_PROGRAM_BUILD_LOG/effect/1",
    LOG,
    (
        "Checked after a second build: the log does not contain macro values that only the options of an earlier "
        "build define."
    ),
    _follows_build,
)
_cover_by_query("CL_PROGRAM_BINARY_TYPE/effect/1", BINARY_TYPE, "", _is_in_state(BuildState.COMPILED))
_cover_by_query("CL_PROGRAM_BINARY_TYPE/effect/2", BINARY_TYPE, "", _is_in_state(BuildState.LIBRARY))
_cover_by_query("CL_PROGRAM_BINARY_TYPE/effect/3", BINARY_TYPE, "", _is_in_state(BuildState.BUILT))

# queries of programs


def _holds_kernels(asked: CompletedCall) -> bool:
    return bool(_queried_program(asked).available_kernels)


def _is_never_built(asked: CompletedCall) -> bool:
    program = _queried_program(asked)
    states = {build.state for build in program.builds.values()}
    return isinstance(program, SourceProgram) and states == {BuildState.NONE}


_cover_by_query("CL_PROGRAM_SOURCE/effect/1", "CL_PROGRAM_SOURCE", "", _is_program_of(SourceProgram))
_cover_by_query("CL_PROGRAM_SOURCE/effect/3", "CL_PROGRAM_SOURCE", "", _is_program_of(ProgramWithoutSource))
_cover_by_query(
    "CL_PROGRAM_IL/effect/1",
    "CL_PROGRAM_IL",
    "",
    lambda asked: _is_program_of(SourceProgram, ProgramWithoutSource)(asked) and not _is_program_of(IlProgram)(asked),
)
_cover_by_query(
    "CL_PROGRAM_IL_KHR/effect/1",
    "CL_PROGRAM_IL_KHR",
    "",
    lambda asked: _is_program_of(SourceProgram, ProgramWithoutSource)(asked) and not _is_program_of(IlProgram)(asked),
)
_cover_by_query(
    "CL_PROGRAM_BINARY_SIZES/effect/1",
    SIZES,
    "",
    lambda asked: bool(_queried_program(asked).devices),
)
_cover_by_query(
    "CL_PROGRAM_BINARY_SIZES/effect/2", SIZES, "Checked on programs from source that were never built.", _is_never_built
)
_cover_by_query("CL_PROGRAM_NUM_KERNELS/effect/1", "CL_PROGRAM_NUM_KERNELS", "", _holds_kernels)
_cover_by_query("CL_PROGRAM_KERNEL_NAMES/effect/1", KERNELS, "", _holds_kernels)


def _used_headers(*, alike: bool) -> Holds:
    """Return a coverage condition: a program was compiled with several headers.

    ``alike``: True if two of the headers must have the same name, False if all names must differ.
    """

    def holds(asked: CompletedCall) -> bool:
        names = _queried_program(asked).header_names
        return _holds_kernels(asked) and len(names) > 1 and (len(set(names)) < len(names)) == alike

    return holds


_cover_by_query(
    "clCompileProgram/effect/6",
    KERNELS,
    "Checked on queries of the kernel names after a compilation with several headers of different names.",
    _used_headers(alike=False),
)
_cover_by_query(
    "clCompileProgram/effect/8",
    KERNELS,
    "Checked on queries of the kernel names after a compilation with two headers of the same name.",
    _used_headers(alike=True),
)

# binaries

_cover_by_success(
    "clCreateProgramWithBinary/effect/1",
    LOAD,
    "Checked on calls with binaries that were queried from other programs.",
    lambda asked: asked.call.binary_status is not None and bool(programs_with_binaries(asked.call, asked.model)),
)
_cover_by_query(
    "clCreateProgramWithBinary/effect/4",
    DEVICES,
    "Checked on queries of CL_PROGRAM_DEVICES of programs from binaries.",
    _is_program_of(BinaryProgram),
)
_cover_by_query(
    "clCreateProgramWithBuiltInKernels/effect/1",
    DEVICES,
    "Checked on queries of CL_PROGRAM_DEVICES of programs with built-in kernels.",
    _is_program_of(BuiltInProgram),
)


def _loads_binary_of(*states: BuildState) -> Holds:
    """Return a coverage condition: a program is created from the binary of a program in one of these states."""

    def holds(asked: CompletedCall) -> bool:
        origins = programs_with_binaries(asked.call, asked.model)
        return any(build.state in states for origin in origins for build in origin.builds.values())

    return holds


def _loads_linked_binary(asked: CompletedCall) -> bool:
    return any(isinstance(origin, LinkedProgram) for origin in programs_with_binaries(asked.call, asked.model))


_cover_by_success("clBuildProgram/effect/11", LOAD, "", _loads_binary_of(BuildState.BUILT))
_cover_by_success(
    "OpenCL:platform-model/2",
    LOAD,
    "Checked on clCreateProgramWithBinary with the binary of an executable, queried from another program.",
    _loads_binary_of(BuildState.BUILT),
)
_cover_by_success("clCompileProgram/effect/13", LOAD, "", _loads_binary_of(BuildState.COMPILED))
_cover_by_success("clLinkProgram/effect/14", LOAD, "", _loads_linked_binary)

# callbacks


def _awaits_callback_of(function: str, *, with_data: bool = False) -> Holds:
    """Return a coverage condition: a call waits for the callback of a build, compilation or link by ``function``.

    ``with_data``: whether the callback must have user data.
    """

    def holds(asked: CompletedCall) -> bool:
        return any(
            isinstance(notice, BuildCallback)
            and notice.requirement == f"{function}/success"
            and notice.name == asked.call.callback.name
            and (notice.user_data is not None or not with_data)
            for notice in pending_callbacks(asked.model)
            if isinstance(asked.call.callback, HostCallback)
        )

    return holds


for _function, _end, _data in (
    (BUILD, "clBuildProgram/effect/7", "clBuildProgram/effect/10"),
    (COMPILE, "clCompileProgram/effect/9", "clCompileProgram/effect/12"),
    (LINK, "clLinkProgram/effect/9", "clLinkProgram/effect/10"),
):
    _success = f"{_function}/success"
    rules.coverage_point(_end, AWAIT, "", _success, holds=_awaits_callback_of(_function))
    rules.coverage_point(_data, AWAIT, "", _success, holds=_awaits_callback_of(_function, with_data=True))
rules.coverage_point("clLinkProgram/effect/11", AWAIT, "", "clLinkProgram/success", holds=_awaits_callback_of(LINK))
