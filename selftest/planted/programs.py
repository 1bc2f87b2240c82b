"""Faults of programs: builds and their queries, links, sources, headers and binaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Items, OutputBuffer, Pointers, Texts
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import Build, BuildState, Program, SourceProgram
from clconform.oracles.model.sources import PARTS, WITH_ANOTHER
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

MAKE, LOAD, BUILD, COMPILE, LINK = (
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clBuildProgram",
    "clCompileProgram",
    "clLinkProgram",
)
LOG, OPTIONS, STATUS, TYPE = (
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BINARY_TYPE",
)


@faults.plant
def logs_grow_from_build_to_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The log of a build contains the options of earlier builds."""
    build = _asked_of(LOG, simulation, call)
    return _telling(" ".join(build.former), call, outcome) if build is not None and build.former else outcome


@faults.plant
def builds_never_end(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The status of a build remains CL_BUILD_IN_PROGRESS."""
    build = _asked_of(STATUS, simulation, call)
    begun = build is not None and build.state is not BuildState.NONE
    return _answering(simulation.model.value("CL_BUILD_IN_PROGRESS"), outcome) if begun else outcome


@faults.plant
def options_of_builds_are_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_PROGRAM_BUILD_OPTIONS is empty after a build with options."""
    build = _asked_of(OPTIONS, simulation, call)
    return _telling("", call, outcome) if build is not None and build.options else outcome


@faults.plant
def failed_builds_keep_the_earlier_status(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A failed build leaves CL_BUILD_SUCCESS as the build status."""
    build = _asked_of(STATUS, simulation, call)
    failed = build is not None and build.state is BuildState.FAILED
    return _answering(simulation.model.value("CL_BUILD_SUCCESS"), outcome) if failed else outcome


@faults.plant
def kernels_of_earlier_builds_are_counted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_PROGRAM_NUM_KERNELS counts a kernel of an earlier build that the last build does not contain."""
    model = simulation.model
    if call.function != "clGetProgramInfo" or call.param_name != model.value("CL_PROGRAM_NUM_KERNELS"):
        return outcome
    program = model.known(call.program)
    former = (
        [each for build in program.builds.values() for each in build.former] if isinstance(program, Program) else []
    )
    return _answering(2, outcome) if any(WITH_ANOTHER in each for each in former) else outcome


@faults.plant
def links_succeed_whatever_is_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A link succeeds although a function is not defined in any program."""
    if call.function != LINK or _code(outcome, "errcode_ret") != simulation.model.value("CL_LINK_PROGRAM_FAILURE"):
        return outcome
    compiled = simulation.model.known(call.input_programs.values[0])
    if not isinstance(compiled, Program):
        return outcome
    compiled.parts = ("definition",)
    return simulation.answer(call)


@faults.plant
def libraries_are_executables(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program linked as a library reports the binary type of an executable."""
    build = _asked_of(TYPE, simulation, call)
    library = build is not None and build.state is BuildState.LIBRARY
    return _answering(simulation.model.value("CL_PROGRAM_BINARY_TYPE_EXECUTABLE"), outcome) if library else outcome


@faults.plant
def kernels_do_not_stop_builds(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built or compiled although kernels of it exist."""
    return _built_beside(_kernels_that_stop(simulation, call, outcome), outcome)


@faults.plant
def clones_do_not_stop_builds(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built or compiled although kernels of it exist, if all of them are clones."""
    kernels = _kernels_that_stop(simulation, call, outcome)
    return _built_beside(kernels if all(each.source is not None for each in kernels) else [], outcome)


def _kernels_that_stop(simulation: Simulation, call: Call, outcome: Outcome) -> list[Kernel]:
    """Return the kernels of a program whose build was rejected because of them."""
    if call.function not in (BUILD, COMPILE) or not isinstance(outcome, Returned):
        return []
    model = simulation.model
    if outcome.value != model.value("CL_INVALID_OPERATION"):
        return []
    return [each for each in model.of_kind(Kernel) if each.program is model.known(call.program)]


def _built_beside(kernels: list[Kernel], outcome: Outcome) -> Outcome:
    """Return the outcome of a successful build, and detach these kernels from their program."""
    if not kernels or not isinstance(outcome, Returned):
        return outcome
    for kernel in kernels:
        kernel.program = None
    return msgspec.structs.replace(outcome, value=0)


@faults.plant
def the_last_header_of_a_name_counts(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If several headers have the same name, the last one is included."""
    names = call.header_include_names if call.function == COMPILE else None
    if not isinstance(names, Texts) or len(set(names.contents)) == len(names.contents):
        return outcome
    headers = call.input_headers.values if isinstance(call.input_headers, Items) else ()
    return _instead({"input_headers": Items(headers[::-1])}, simulation, call)


@faults.plant
def lengths_of_strings_are_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """All source strings are read up to their terminators, whatever their lengths."""
    shorter = call.function == MAKE and isinstance(call.lengths, Items) and isinstance(call.strings, Texts)
    return _remade({"lengths": None}, simulation, call, outcome) if shorter else outcome


@faults.plant
def joined_strings_keep_their_ends(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_PROGRAM_SOURCE of a program with several strings has one extra character."""
    program = simulation.model.known(call.arguments.get("program"))
    source = call.function == "clGetProgramInfo" and call.param_name == simulation.model.value("CL_PROGRAM_SOURCE")
    if not source or not isinstance(program, SourceProgram) or program.strings == 1:
        return outcome
    return _telling(f"{program.source} ", call, outcome)


@faults.plant
def null_strings_are_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is created although one of its source strings is NULL."""
    null = call.function == MAKE and isinstance(call.strings, Pointers)
    given: dict[str, Value] = {"count": 1, "strings": Texts((PARTS["add_index"],))}
    return _instead(given, simulation, call) if null else outcome


@faults.plant
def own_binaries_are_refused(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A binary that another program returned is rejected."""
    if call.function != LOAD or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    simulation.model.things.pop(str(outcome.value), None)
    code = {"errcode_ret": Output([simulation.model.value("CL_INVALID_BINARY")], 4)}
    return msgspec.structs.replace(outcome, value=None, outputs={**outcome.outputs, **code})


@faults.plant
def headers_need_no_names(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is compiled although input_headers is given and num_input_headers is 0."""
    if call.function != COMPILE or call.num_input_headers != 0 or call.input_headers is None:
        return outcome
    return _instead({"input_headers": None, "header_include_names": None}, simulation, call)


def _asked_of(query: str, simulation: Simulation, call: Call) -> Build | None:
    """Return the build that a build info query of this name refers to, or None."""
    model = simulation.model
    if call.function != "clGetProgramBuildInfo" or call.param_name != model.value(query):
        return None
    program, device = model.known(call.program), model.known(call.device)
    return program.builds.get(device.name) if isinstance(program, Program) and device is not None else None


def _answering(number: int, outcome: Outcome) -> Outcome:
    """Return the outcome of a query with another number as its value."""
    if not isinstance(outcome, Returned) or outcome.value != 0 or "param_value" not in outcome.outputs:
        return outcome
    return outcome.with_outputs(param_value=Output([number], 4))


def _telling(text: str, call: Call, outcome: Outcome) -> Outcome:
    """Return the outcome of a query with another text and its size; unchanged if the output buffer is too small."""
    content = text.encode() + b"\0"
    room = call.param_value.count if isinstance(call.param_value, OutputBuffer) else len(content)
    if not isinstance(outcome, Returned) or room < len(content):
        return outcome
    outputs = dict(outcome.outputs)
    if isinstance(call.param_value_size_ret, OutputBuffer):
        outputs["param_value_size_ret"] = Output([len(content)], 8)
    if isinstance(call.param_value, OutputBuffer):
        outputs["param_value"] = Output([f"{text}\0"], len(content), content)
    return msgspec.structs.replace(outcome, value=0, outputs=outputs)


def _code(outcome: Outcome, parameter: str) -> object:
    """Return the error code in an output, or None."""
    output = outcome.outputs.get(parameter) if isinstance(outcome, Returned) else None
    return output.values[0] if output is not None else None


def _instead(changes: dict[str, Value], simulation: Simulation, call: Call) -> Outcome:
    """Return the outcome of the call with these changes to its arguments."""
    return simulation.answer(Call(call.function, {**call.arguments, **changes}))


def _remade(changes: dict[str, Value], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Return the outcome of the call with these changes, and remove the object that it created first."""
    if isinstance(outcome, Returned):
        simulation.model.things.pop(str(outcome.value), None)
    return _instead(changes, simulation, call)
