"""Query results of programs, before and after builds (section 5.8.8)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.error_conditions.linking import LINKABLE
from clconform.oracles.chapters.programs.options import parse_definitions
from clconform.oracles.engine.matchers import Anything, OneOf, Satisfies, Values, handle_names
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.program_sources import VARIABLE_BYTES, VARIABLE_SOURCE
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    BuiltInProgram,
    IlProgram,
    LinkedProgram,
    Program,
    ProgramBuild,
    ProgramWithoutSource,
    SourceProgram,
)
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

STATUSES = {
    BuildState.NONE: ("CL_BUILD_NONE",),
    BuildState.GOING_ON: ("CL_BUILD_SUCCESS", "CL_BUILD_ERROR", "CL_BUILD_IN_PROGRESS"),
    BuildState.ENDED: ("CL_BUILD_SUCCESS", "CL_BUILD_ERROR"),
    BuildState.FAILED: ("CL_BUILD_ERROR",),
    BuildState.FAILED_FOR_SOME: ("CL_BUILD_ERROR", "CL_BUILD_SUCCESS", "CL_BUILD_NONE"),
    BuildState.UNKNOWN: ("CL_BUILD_SUCCESS", "CL_BUILD_ERROR", "CL_BUILD_NONE"),
    BuildState.COMPILED: ("CL_BUILD_SUCCESS",),
    BuildState.LIBRARY: ("CL_BUILD_SUCCESS",),
    BuildState.BUILT: ("CL_BUILD_SUCCESS",),
}
"""Maps each build state to the allowed build statuses."""
BINARY_TYPES = {
    BuildState.COMPILED: "CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT",
    BuildState.LIBRARY: "CL_PROGRAM_BINARY_TYPE_LIBRARY",
    BuildState.BUILT: "CL_PROGRAM_BINARY_TYPE_EXECUTABLE",
}
"""Maps each build state with a binary to the type of this binary."""
BINARY_BYTES = 16
"""Size of a binary of the simulated platform in bytes."""
DISTINCT_LENGTH = 12
"""Minimum length of a macro value that is unlikely to occur by chance."""


@rules.expected_value("CL_PROGRAM_CONTEXT", of=Program)
def context_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the context that the program was created in."""
    return expect_handle(question, program.context) if program.context is not None else None


@rules.expected_value("CL_PROGRAM_SOURCE", of=Program)
def source_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the concatenation of all strings that the program was created from.

    For a program that was not created from source, it is empty or the source stored in its binary: for a program from a
    binary, exactly the source of the program that the binary is from; for others, a text that names all its kernels.
    """
    if isinstance(program, SourceProgram):
        return expect_exactly(question, program.source)
    if isinstance(program, BinaryProgram) and program.sources:
        return expect_one_of(question, tuple((each,) for each in ("", *program.sources)))
    if isinstance(program, BinaryProgram) or program.from_source or not program.kernels:
        return None

    def fits(seen: Values) -> bool:
        text = "".join(map(str, seen))
        return not text or all(name in text for name in program.kernels)

    words = f"empty, or a source with {' and '.join(program.kernels)}"
    return Satisfies(fits, words, (question.query.id,), ("",))


@rules.expected_value("CL_PROGRAM_IL", "CL_PROGRAM_IL_KHR", of=Program)
def il_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the IL that the program was created from; it is empty if it was not created from IL.

    Both names of the query have the same number and the same description, which names both creating functions.
    """
    if isinstance(program, IlProgram):
        if program.il is None:
            return None
        return expect_one_of(question, (struct.unpack(f"{len(program.il)}b", program.il),))
    return expect_one_of(question, ((),)) if isinstance(program, SourceProgram | ProgramWithoutSource) else None


@rules.expected_value("CL_PROGRAM_NUM_KERNELS", of=Program)
def kernel_count(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the number of kernels in the program executable."""
    return expect_exactly(question, len(program.available_kernels)) if program.available_kernels else None


@rules.expected_value("CL_PROGRAM_KERNEL_NAMES", of=Program)
def kernel_names(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the names of all kernels in the program executable, in any order."""
    names = program.available_kernels
    if not names:
        return None

    def fits(seen: Values) -> bool:
        return sorted("".join(map(str, seen)).split(";")) == sorted(names)

    words = f"{';'.join(names)}, in any order"
    return Satisfies(fits, words, (question.query.id,), (";".join(names),))


@rules.expected_value("CL_PROGRAM_BUILD_STATUS", of=Program)
def status_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the status of the last build for the device, and CL_BUILD_NONE before the first build.

    If a build for several devices failed, the value is CL_BUILD_ERROR for at least one of them.
    """
    build = _queried_build(program, question)
    if build is None:
        return None
    value = question.model.constant_value
    if build.state is BuildState.FAILED_FOR_SOME:
        error = value("CL_BUILD_ERROR")
        others = build.devices - {question.named_device.name if question.named_device else ""}
        told = [program.facts.get(f"{question.query.name}@{name}", error) for name in others]
        if error not in told:
            return expect_exactly(question, error)
    return expect_one_of(question, tuple((value(name),) for name in STATUSES[build.state]))


@rules.expected_value("CL_PROGRAM_BUILD_OPTIONS", of=Program)
def options_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the options of the last build for the device, and an empty string before the first build.

    The options of calls that were rejected after that build are also allowed.
    """
    build = _queried_build(program, question)
    if build is None or build.options is None or build.state is BuildState.UNKNOWN:
        return None
    options = [build.options, *program.rejected_options]
    if build.state is BuildState.FAILED_FOR_SOME:
        if build.previous_options is None:
            return None
        options.append(build.previous_options)
    return expect_one_of(question, tuple((each,) for each in dict.fromkeys(options)))


rules.uses_interpretation("options-of-a-refused-call", "CL_PROGRAM_BUILD_OPTIONS")


@rules.expected_value("CL_PROGRAM_BUILD_LOG", of=Program)
def log_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is an empty string before the first build for the device.

    After a later build, the log does not contain a macro value that only the options of an earlier build define.
    """
    build = _queried_build(program, question)
    if build is None or build.state in (BuildState.FAILED_FOR_SOME, BuildState.UNKNOWN, BuildState.GOING_ON):
        return None
    if build.state is BuildState.NONE:
        return expect_exactly(question, "")
    stale = _stale_words(program, build)
    if not stale or build.options is None:
        return None
    allowed = f"a log without {' and '.join(stale)}, of which only an earlier build knew"
    name = question.query.name
    return Satisfies(lambda seen: not any(word in str(seen[0]) for word in stale), allowed, (name,), ("",))


def _stale_words(program: Program, build: ProgramBuild) -> list[str]:
    """Return the macro values that only the options of earlier builds contain.

    The source and the options of the last build do not contain these values.
    """
    known = f"{program.source if isinstance(program, SourceProgram) else ''} {build.options}"
    values = (each.partition("=")[2] for options in build.all_previous_options for each in parse_definitions(options))
    return list(dict.fromkeys(value for value in values if len(value) >= DISTINCT_LENGTH and value not in known))


@rules.expected_value("CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE", of=SourceProgram)
def variables_size(program: SourceProgram, question: QueryRequest) -> Matcher | None:
    """After a successful build, the value is at least the size in bytes of the program scope variables."""
    build = _queried_build(program, question)
    if build is None or build.state is not BuildState.BUILT or program.source != VARIABLE_SOURCE:
        return None
    words = f"at least {VARIABLE_BYTES}, the bytes of the program's variable"
    return Satisfies(
        lambda seen: isinstance(seen[0], int) and seen[0] >= VARIABLE_BYTES,
        words,
        (question.query.name,),
        (VARIABLE_BYTES,),
    )


@rules.expected_value("CL_PROGRAM_BINARY_TYPE", of=Program)
def binary_type_of(program: Program, question: QueryRequest) -> Matcher | None:
    """The value is the type of the binary that was last built, compiled, linked or loaded for the device.

    Before the first build, the value is CL_PROGRAM_BINARY_TYPE_NONE for a program created from source. If
    input_programs of clLinkProgram does not contain a compiled binary or library for the device, the value is not
    CL_PROGRAM_BINARY_TYPE_EXECUTABLE.
    """
    build = _queried_build(program, question)
    device, value = question.named_device, question.model.constant_value
    if isinstance(program, LinkedProgram) and device is not None and device.name in program.skipped_devices:
        executable, nothing = (value(f"CL_PROGRAM_BINARY_TYPE_{name}") for name in ("EXECUTABLE", "NONE"))
        words = "no executable, since there was nothing to link"
        return Satisfies(lambda seen: seen[0] != executable, words, (question.query.name,), (nothing,))
    loaded = program.saved_state if isinstance(program, BinaryProgram) else BuildState.NONE
    state = build.state if build is not None else BuildState.UNKNOWN
    if state is BuildState.NONE and loaded in LINKABLE:
        state = loaded
    if state in BINARY_TYPES:
        return expect_exactly(question, question.model.constant_value(BINARY_TYPES[state]))
    if build is not None and build.state is BuildState.NONE and isinstance(program, SourceProgram):
        return expect_exactly(question, question.model.constant_value("CL_PROGRAM_BINARY_TYPE_NONE"))
    return None


@rules.expected_value("CL_PROGRAM_NUM_DEVICES", of=Program)
def device_count(program: Program, question: QueryRequest) -> Matcher:
    """The value is the number of devices that the program was created for.

    With cl_ext_device_fission, the number may include other devices that the program was built for.
    """
    del question
    if not program.devices:
        return Anything()
    union = {device.name for device in (*program.devices, *program.built_devices)}
    return OneOf(tuple((count,) for count in sorted({len(union), len(program.devices)})), ("CL_PROGRAM_NUM_DEVICES",))


@rules.expected_value("CL_PROGRAM_DEVICES", of=Program)
def devices_of_a_program(program: Program, question: QueryRequest) -> Matcher:
    """The value is the list of devices that the program was created for.

    With cl_ext_device_fission, the list may include other devices that the program was built for.
    """
    del question
    if not program.devices:
        return Anything()
    own = sorted(device.name for device in program.devices)
    union = sorted({*own, *(device.name for device in program.built_devices)})

    def fits(seen: Values) -> bool:
        return sorted(handle_names(seen)) in (own, union)

    words = " or ".join(dict.fromkeys(", ".join(names) for names in (own, union)))
    return Satisfies(fits, words, ("CL_PROGRAM_DEVICES",), tuple(union))


@rules.expected_value("CL_PROGRAM_BINARY_SIZES", of=Program)
def binary_sizes(program: Program, question: QueryRequest) -> Matcher:
    """The value contains one size for each device of the program.

    All sizes are 0 for a program from source that was never built.
    """
    del question
    if not program.devices:
        return Anything()
    counts = {len(program.devices), len({device.name for device in (*program.devices, *program.built_devices)})}
    words = " or ".join(f"{count} sizes" for count in sorted(counts))
    if isinstance(program, SourceProgram) and all(build.state is BuildState.NONE for build in program.builds.values()):
        nothing = (0,) * len(program.devices)
        return OneOf((nothing,), ("CL_PROGRAM_BINARY_SIZES",))
    most = max(counts)
    return Satisfies(lambda seen: len(seen) in counts, words, ("CL_PROGRAM_BINARY_SIZES",), (BINARY_BYTES,) * most)


def _queried_build(program: Program, question: QueryRequest) -> ProgramBuild | None:
    """Return the known state of the build for the queried device; None if unknown.

    A sub-device without a build has the binary of its parent device (section 5.8.1), so its query results are
    unspecified.
    """
    device = question.named_device
    if device is None:
        return None
    build = program.builds.get(device.name)
    if build is None and isinstance(program, BuiltInProgram) and device in program.devices:
        return ProgramBuild()
    parents = (program.builds.get(each.name) for each in device.ancestors)
    if (
        build is not None
        and build.state is BuildState.NONE
        and any(each and each.state is not BuildState.NONE for each in parents)
    ):
        return None
    return build
