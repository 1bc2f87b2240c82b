"""Faults of programs: builds and their queries, links, sources, headers and binaries."""

from __future__ import annotations

import msgspec

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList, OutputBuffer, Pointers, Texts
from clconform.oracles.model.devices import Device
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.program_sources import EXTRA_KERNEL_MACRO, PARTS
from clconform.oracles.model.programs import BuildState, Program, ProgramBuild, SourceProgram
from clconform.selftest.faults.registry import SIZE, VALUE, Faults, SimulatedStep

faults = Faults()

CREATE, COMPILE, INFO, BUILD_INFO = (
    "clCreateProgramWithSource",
    "clCompileProgram",
    "clGetProgramInfo",
    "clGetProgramBuildInfo",
)
BUILDS = ("clBuildProgram", COMPILE)
STATUS = "CL_PROGRAM_BUILD_STATUS"


@faults.plant(BUILD_INFO)
def build_log_accumulates(step: SimulatedStep) -> Outcome | None:
    """The log of a build contains the options of earlier builds."""
    build = _get_queried_build(step) if step.is_query("CL_PROGRAM_BUILD_LOG") else None
    earlier = build.all_previous_options if build is not None else []
    return _with_text(step, " ".join(earlier)) if earlier else None


@faults.plant(BUILD_INFO, query=STATUS, succeeded=True)
def build_stays_in_progress(step: SimulatedStep) -> Outcome | None:
    """The status of a build remains CL_BUILD_IN_PROGRESS."""
    build = _get_queried_build(step)
    begun = build is not None and build.state is not BuildState.NONE
    return _with_constant(step, "CL_BUILD_IN_PROGRESS") if begun else None


@faults.plant(BUILD_INFO)
def build_options_not_kept(step: SimulatedStep) -> Outcome | None:
    """CL_PROGRAM_BUILD_OPTIONS is empty after a build with options."""
    build = _get_queried_build(step) if step.is_query("CL_PROGRAM_BUILD_OPTIONS") else None
    return _with_text(step, "") if build is not None and build.options else None


@faults.plant(BUILD_INFO, query=STATUS, succeeded=True)
def failed_build_keeps_old_status(step: SimulatedStep) -> Outcome | None:
    """A failed build leaves CL_BUILD_SUCCESS as the build status."""
    build = _get_queried_build(step)
    failed = build is not None and build.state is BuildState.FAILED
    return _with_constant(step, "CL_BUILD_SUCCESS") if failed else None


@faults.plant(INFO, query="CL_PROGRAM_NUM_KERNELS", succeeded=True)
def kernels_of_earlier_builds_counted(step: SimulatedStep) -> Outcome | None:
    """CL_PROGRAM_NUM_KERNELS counts a kernel of an earlier build that the last build does not contain."""
    program = step.find("program", Program)
    builds = program.builds.values() if program is not None else ()
    former = any(EXTRA_KERNEL_MACRO in options for build in builds for options in build.all_previous_options)
    return step.outcome.with_outputs(param_value=Output([2], 4)) if former else None


@faults.plant("clLinkProgram", error="CL_LINK_PROGRAM_FAILURE")
def link_with_undefined_function_succeeds(step: SimulatedStep) -> Outcome | None:
    """A link succeeds although a function is not defined in any program."""
    compiled = step.model.find(step.call.input_programs.values[0])
    if not isinstance(compiled, Program):
        return None
    compiled.parts = ("definition",)
    return step.repeat()


@faults.plant("clLinkProgram", error="CL_LINK_PROGRAM_FAILURE")
def failed_link_returns_null(step: SimulatedStep) -> Outcome | None:
    """A failed link returns NULL instead of the program with the build log."""
    return msgspec.structs.replace(step.outcome, value=None)


@faults.plant(BUILD_INFO, query="CL_PROGRAM_BINARY_TYPE", succeeded=True)
def library_reported_executable(step: SimulatedStep) -> Outcome | None:
    """A program linked as a library reports the binary type of an executable."""
    build = _get_queried_build(step)
    library = build is not None and build.state is BuildState.LIBRARY
    return _with_constant(step, "CL_PROGRAM_BINARY_TYPE_EXECUTABLE") if library else None


@faults.plant(*BUILDS, error="CL_INVALID_OPERATION")
def build_with_kernels_accepted(step: SimulatedStep) -> Outcome | None:
    """A program is built or compiled although kernels of it exist."""
    return _detach_kernels(step, _get_kernels(step))


@faults.plant(*BUILDS, error="CL_INVALID_OPERATION")
def build_with_clones_accepted(step: SimulatedStep) -> Outcome | None:
    """A program is built or compiled although kernels of it exist, if all of them are clones."""
    kernels = _get_kernels(step)
    return _detach_kernels(step, kernels) if all(each.source is not None for each in kernels) else None


def _get_kernels(step: SimulatedStep) -> list[Kernel]:
    """Return the kernels of the program that a call builds."""
    program = step.model.find(step.call.program)
    return [each for each in step.model.objects_of_class(Kernel) if each.program is program]


def _detach_kernels(step: SimulatedStep, kernels: list[Kernel]) -> Outcome | None:
    """Return the outcome of a successful build, and detach these kernels from their program."""
    for kernel in kernels:
        kernel.program = None
    return step.accept() if kernels else None


@faults.plant(COMPILE)
def last_header_of_name_used(step: SimulatedStep) -> Outcome | None:
    """If several headers have the same name, the last one is included."""
    names, headers = step.argument("header_include_names", Texts), step.argument("input_headers", ElementList)
    if names is None or len(set(names.contents)) == len(names.contents):
        return None
    return step.repeat(input_headers=ElementList(headers.values[::-1] if headers is not None else ()))


@faults.plant(CREATE)
def string_lengths_ignored(step: SimulatedStep) -> Outcome | None:
    """All source strings are read up to their terminators, whatever their lengths."""
    if step.argument("lengths", ElementList) is None or step.argument("strings", Texts) is None:
        return None
    step.model.objects.pop(str(step.outcome.value), None)
    return step.repeat(lengths=None)


@faults.plant(INFO)
def joined_source_has_extra_character(step: SimulatedStep) -> Outcome | None:
    """CL_PROGRAM_SOURCE of a program with several strings has one extra character."""
    program = step.find("program", SourceProgram) if step.is_query("CL_PROGRAM_SOURCE") else None
    return _with_text(step, f"{program.source} ") if program is not None and program.string_count != 1 else None


@faults.plant(CREATE)
def null_string_skipped(step: SimulatedStep) -> Outcome | None:
    """A program is created although one of its source strings is NULL."""
    without = step.argument("strings", Pointers) is not None
    return step.repeat(count=1, strings=Texts((PARTS["add_index"],))) if without else None


faults.plant("clCreateProgramWithBinary", succeeded=True).add(
    "own-binary-rejected",
    "A binary that another program returned is rejected.",
    lambda step: step.fail_creation("CL_INVALID_BINARY", remove=True),
)


@faults.plant(COMPILE)
def headers_without_count_accepted(step: SimulatedStep) -> Outcome | None:
    """A program is compiled although input_headers is given and num_input_headers is 0."""
    given = step.call.num_input_headers == 0 and step.call.input_headers is not None
    return step.repeat(input_headers=None, header_include_names=None) if given else None


def _get_queried_build(step: SimulatedStep) -> ProgramBuild | None:
    """Return the build that a build info query refers to, or None."""
    program, device = step.find("program", Program), step.find("device", Device)
    return program.builds.get(device.name) if program is not None and device is not None else None


def _with_constant(step: SimulatedStep, name: str) -> Outcome:
    """Return the outcome of a query with an enumerant as its value."""
    return step.outcome.with_outputs(param_value=Output([step.constant(name)], 4))


def _with_text(step: SimulatedStep, text: str) -> Outcome | None:
    """Return the outcome of a query with another text and its size; None if the output buffer is too small."""
    content, shown = text.encode() + b"\0", step.argument(VALUE, OutputBuffer)
    if shown is not None and shown.count < len(content):
        return None
    outputs = {VALUE: Output([f"{text}\0"], len(content), content), SIZE: Output([len(content)], 8)}
    given = {name: output for name, output in outputs.items() if step.argument(name, OutputBuffer) is not None}
    return msgspec.structs.replace(step.outcome, value=0, outputs={**step.outcome.outputs, **given})
