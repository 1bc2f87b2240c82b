"""Faults of build options: macros, and OpenCL C versions other than the requested one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Text
from clconform.oracles.chapters.programs.standards import option_failing_everywhere
from clconform.oracles.model.feature_sources import REQUIRED_MACROS, part_needing_feature
from clconform.oracles.model.option_kernels import ECHO_OPTIONS, RELAXED_INDEX
from clconform.oracles.model.program_sources import MINIMUM_VERSIONS
from clconform.oracles.model.programs import BinaryProgram, IlProgram, SourceProgram
from clconform.selftest.faults.registry import Faults, SimulatedStep
from clconform.selftest.faults.stored_words import plant_in_words

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.model.kernels import Kernel

faults = Faults()
BUILDS = ("clBuildProgram", "clCompileProgram")
VARIABLES = "program_scope_global_variables"
"""A feature of OpenCL C: the end of its macro's name."""
MACRO_ONE, MACRO_SUM, MACRO_VALUE = 2, 7, 10
"""The values that the kernel stores for a macro of 1, and for a macro of 2+3 without and with parentheses."""


@plant_in_words(faults, ECHO_OPTIONS.name)
def macro_without_value_is_empty(_kernel: Kernel, words: list[int]) -> list[int]:
    """A macro that is defined without a value is defined as empty instead of as 1."""
    return [0 if word == MACRO_ONE else word for word in words]


@plant_in_words(faults, ECHO_OPTIONS.name)
def macro_definition_evaluated(_kernel: Kernel, words: list[int]) -> list[int]:
    """A macro that is defined as a sum expands to the value of the sum, as if it were parenthesised."""
    return [MACRO_VALUE if word == MACRO_SUM else word for word in words]


@plant_in_words(faults, ECHO_OPTIONS.name)
def fast_relaxed_math_macro_missing(_kernel: Kernel, words: list[int]) -> list[int]:
    """The macro for -cl-fast-relaxed-math is never defined."""
    return [*words[:RELAXED_INDEX], 0]


@plant_in_words(faults, ECHO_OPTIONS.name)
def binary_loses_build_options(kernel: Kernel, words: list[int]) -> list[int]:
    """A program from a binary loses the macros of the build that produced the binary."""
    return [0] * len(words) if isinstance(kernel.program, BinaryProgram) else words


@faults.plant(*BUILDS, succeeded=False)
def unsupported_options_ignored(step: SimulatedStep) -> Outcome | None:
    """A program is built although its options require features that no device supports; the options are ignored."""
    program, options = step.find("program", SourceProgram), _get_options(step)
    lacking = program is not None and option_failing_everywhere(options, program.devices)
    return step.repeat(options=Text("")) if lacking else None


@faults.plant(*BUILDS)
def sources_compiled_as_first_version(step: SimulatedStep) -> Outcome | None:
    """Sources that use features of OpenCL C versions after 1.0 are never compiled."""
    return step.fail("CL_BUILD_PROGRAM_FAILURE") if set(MINIMUM_VERSIONS) & set(_get_parts(step)) else None


@faults.plant(*BUILDS)
def program_scope_variables_macro_missing(step: SimulatedStep) -> Outcome | None:
    """The macro for program scope global variables is not defined although the device lists the feature."""
    return step.fail("CL_BUILD_PROGRAM_FAILURE") if part_needing_feature(VARIABLES) in _get_parts(step) else None


@faults.plant("clBuildProgram", error="CL_BUILD_PROGRAM_FAILURE")
def unlisted_macro_defined_by_builds(step: SimulatedStep) -> Outcome | None:
    """A build defines the macros of all features, also of those that the device does not list."""
    return step.accept() if set(REQUIRED_MACROS) & set(_get_parts(step)) else None


@faults.plant("clCompileProgram", error="CL_COMPILE_PROGRAM_FAILURE")
def unlisted_macro_defined_by_compilations(step: SimulatedStep) -> Outcome | None:
    """A compilation defines the macros of all features, also of those that the device does not list."""
    return step.accept() if set(REQUIRED_MACROS) & set(_get_parts(step)) else None


@faults.plant(*BUILDS)
def il_program_options_rejected(step: SimulatedStep) -> Outcome | None:
    """A program from an intermediate language cannot be built with options, nor compiled with headers."""
    given = _get_options(step) or step.call.arguments.get("num_input_headers")
    return step.fail("CL_INVALID_BUILD_OPTIONS") if given and step.find("program", IlProgram) is not None else None


def _get_options(step: SimulatedStep) -> str:
    options = step.argument("options", Text)
    return options.content if options is not None else ""


def _get_parts(step: SimulatedStep) -> tuple[str, ...]:
    """Return the parts of the source of a program; empty for other programs."""
    program = step.find("program", SourceProgram)
    return (program.parts or ()) if program is not None else ()
