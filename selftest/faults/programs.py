"""Faults of programs: builds and their queries, links, sources, headers and binaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer, Pointers, Texts
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.program_sources import EXTRA_KERNEL_MACRO, PARTS
from clconform.oracles.model.programs import BuildState, Program, ProgramBuild, SourceProgram
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATE, LOAD, BUILD, COMPILE, LINK = (
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
def build_log_accumulates(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The log of a build contains the options of earlier builds."""
    build = _get_queried_build(LOG, simulation, call)
    return (
        _with_query_text(" ".join(build.all_previous_options), call, outcome)
        if build is not None and build.all_previous_options
        else outcome
    )


@faults.plant
def build_stays_in_progress(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The status of a build remains CL_BUILD_IN_PROGRESS."""
    build = _get_queried_build(STATUS, simulation, call)
    begun = build is not None and build.state is not BuildState.NONE
    return _with_query_number(simulation.model.constant_value("CL_BUILD_IN_PROGRESS"), outcome) if begun else outcome


@faults.plant
def build_options_not_kept(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_PROGRAM_BUILD_OPTIONS is empty after a build with options."""
    build = _get_queried_build(OPTIONS, simulation, call)
    return _with_query_text("", call, outcome) if build is not None and build.options else outcome


@faults.plant
def failed_build_keeps_old_status(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A failed build leaves CL_BUILD_SUCCESS as the build status."""
    build = _get_queried_build(STATUS, simulation, call)
    failed = build is not None and build.state is BuildState.FAILED
    return _with_query_number(simulation.model.constant_value("CL_BUILD_SUCCESS"), outcome) if failed else outcome


@faults.plant
def kernels_of_earlier_builds_counted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_PROGRAM_NUM_KERNELS counts a kernel of an earlier build that the last build does not contain."""
    model = simulation.model
    if call.function != "clGetProgramInfo" or call.param_name != model.constant_value("CL_PROGRAM_NUM_KERNELS"):
        return outcome
    program = model.find(call.program)
    former = (
        [each for build in program.builds.values() for each in build.all_previous_options]
        if isinstance(program, Program)
        else []
    )
    return _with_query_number(2, outcome) if any(EXTRA_KERNEL_MACRO in each for each in former) else outcome


@faults.plant
def link_with_undefined_function_succeeds(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A link succeeds although a function is not defined in any program."""
    if call.function != LINK or _get_error_code(outcome, "errcode_ret") != simulation.model.constant_value(
        "CL_LINK_PROGRAM_FAILURE"
    ):
        return outcome
    compiled = simulation.model.find(call.input_programs.values[0])
    if not isinstance(compiled, Program):
        return outcome
    compiled.parts = ("definition",)
    return simulation.make_call(call)


@faults.plant
def library_reported_executable(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program linked as a library reports the binary type of an executable."""
    build = _get_queried_build(TYPE, simulation, call)
    library = build is not None and build.state is BuildState.LIBRARY
    return (
        _with_query_number(simulation.model.constant_value("CL_PROGRAM_BINARY_TYPE_EXECUTABLE"), outcome)
        if library
        else outcome
    )


@faults.plant
def build_with_kernels_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built or compiled although kernels of it exist."""
    return _detach_kernels(_get_blocking_kernels(simulation, call, outcome), outcome)


@faults.plant
def build_with_clones_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built or compiled although kernels of it exist, if all of them are clones."""
    kernels = _get_blocking_kernels(simulation, call, outcome)
    return _detach_kernels(kernels if all(each.source is not None for each in kernels) else [], outcome)


def _get_blocking_kernels(simulation: Simulation, call: Call, outcome: Outcome) -> list[Kernel]:
    """Return the kernels because of which a build of their program was rejected."""
    if call.function not in (BUILD, COMPILE) or not isinstance(outcome, Returned):
        return []
    model = simulation.model
    if outcome.value != model.constant_value("CL_INVALID_OPERATION"):
        return []
    return [each for each in model.objects_of_class(Kernel) if each.program is model.find(call.program)]


def _detach_kernels(kernels: list[Kernel], outcome: Outcome) -> Outcome:
    """Return the outcome of a successful build, and detach these kernels from their program."""
    if not kernels or not isinstance(outcome, Returned):
        return outcome
    for kernel in kernels:
        kernel.program = None
    return msgspec.structs.replace(outcome, value=0)


@faults.plant
def last_header_of_name_used(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If several headers have the same name, the last one is included."""
    names = call.header_include_names if call.function == COMPILE else None
    if not isinstance(names, Texts) or len(set(names.contents)) == len(names.contents):
        return outcome
    headers = call.input_headers.values if isinstance(call.input_headers, ElementList) else ()
    return _repeat_with({"input_headers": ElementList(headers[::-1])}, simulation, call)


@faults.plant
def string_lengths_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """All source strings are read up to their terminators, whatever their lengths."""
    shorter = call.function == CREATE and isinstance(call.lengths, ElementList) and isinstance(call.strings, Texts)
    return _recreate_with({"lengths": None}, simulation, call, outcome) if shorter else outcome


@faults.plant
def joined_source_has_extra_character(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_PROGRAM_SOURCE of a program with several strings has one extra character."""
    program = simulation.model.find(call.arguments.get("program"))
    source = call.function == "clGetProgramInfo" and call.param_name == simulation.model.constant_value(
        "CL_PROGRAM_SOURCE"
    )
    if not source or not isinstance(program, SourceProgram) or program.string_count == 1:
        return outcome
    return _with_query_text(f"{program.source} ", call, outcome)


@faults.plant
def null_string_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is created although one of its source strings is NULL."""
    null = call.function == CREATE and isinstance(call.strings, Pointers)
    given: dict[str, Value] = {"count": 1, "strings": Texts((PARTS["add_index"],))}
    return _repeat_with(given, simulation, call) if null else outcome


@faults.plant
def own_binary_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A binary that another program returned is rejected."""
    if call.function != LOAD or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    simulation.model.objects.pop(str(outcome.value), None)
    code = {"errcode_ret": Output([simulation.model.constant_value("CL_INVALID_BINARY")], 4)}
    return msgspec.structs.replace(outcome, value=None, outputs={**outcome.outputs, **code})


@faults.plant
def headers_without_count_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is compiled although input_headers is given and num_input_headers is 0."""
    if call.function != COMPILE or call.num_input_headers != 0 or call.input_headers is None:
        return outcome
    return _repeat_with({"input_headers": None, "header_include_names": None}, simulation, call)


def _get_queried_build(query: str, simulation: Simulation, call: Call) -> ProgramBuild | None:
    """Return the build that a build info query of this name refers to, or None."""
    model = simulation.model
    if call.function != "clGetProgramBuildInfo" or call.param_name != model.constant_value(query):
        return None
    program, device = model.find(call.program), model.find(call.device)
    return program.builds.get(device.name) if isinstance(program, Program) and device is not None else None


def _with_query_number(number: int, outcome: Outcome) -> Outcome:
    """Return the outcome of a query with another number as its value."""
    if not isinstance(outcome, Returned) or outcome.value != 0 or "param_value" not in outcome.outputs:
        return outcome
    return outcome.with_outputs(param_value=Output([number], 4))


def _with_query_text(text: str, call: Call, outcome: Outcome) -> Outcome:
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


def _get_error_code(outcome: Outcome, parameter: str) -> object:
    """Return the error code in an output, or None."""
    output = outcome.outputs.get(parameter) if isinstance(outcome, Returned) else None
    return output.values[0] if output is not None else None


def _repeat_with(changes: dict[str, Value], simulation: Simulation, call: Call) -> Outcome:
    """Return the outcome of the call with these changes to its arguments."""
    return simulation.make_call(Call(call.function, {**call.arguments, **changes}))


def _recreate_with(changes: dict[str, Value], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Remove the object that the call created, repeat the call with these changes, and return the second outcome."""
    if isinstance(outcome, Returned):
        simulation.model.objects.pop(str(outcome.value), None)
    return _repeat_with(changes, simulation, call)
