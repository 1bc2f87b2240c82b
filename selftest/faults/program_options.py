"""Faults of build options: macros, and OpenCL C versions other than the requested one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import Text
from clconform.oracles.chapters.programs.standards import option_failing_everywhere
from clconform.oracles.model.feature_sources import part_needing_feature
from clconform.oracles.model.option_kernels import ECHO_OPTIONS, RELAXED_INDEX
from clconform.oracles.model.program_sources import MINIMUM_VERSIONS
from clconform.oracles.model.programs import BinaryProgram, IlProgram, SourceProgram
from clconform.selftest.faults.registry import Faults
from clconform.selftest.faults.stored_words import change_stored_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.kernels import Kernel
    from clconform.simulator.platform import Simulation

faults = Faults()
BUILDS = ("clBuildProgram", "clCompileProgram")
VARIABLES = "program_scope_global_variables"
"""A feature of OpenCL C: the end of its macro's name."""


@faults.plant
def macro_without_value_is_empty(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A macro that is defined without a value is defined as empty instead of as 1."""
    return _change_stored_words(
        simulation, call, outcome, lambda words: [0 if word == MACRO_ONE else word for word in words]
    )


@faults.plant
def macro_definition_evaluated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A macro that is defined as a sum expands to the value of the sum, as if it were parenthesised."""
    return _change_stored_words(
        simulation, call, outcome, lambda words: [MACRO_VALUE if word == MACRO_SUM else word for word in words]
    )


@faults.plant
def fast_relaxed_math_macro_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The macro for -cl-fast-relaxed-math is never defined."""
    return _change_stored_words(simulation, call, outcome, lambda words: [*words[:RELAXED_INDEX], 0])


@faults.plant
def unsupported_options_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built although its options require features that no device supports; the options are ignored."""
    refused = call.function in BUILDS and isinstance(outcome, Returned) and outcome.value != 0
    program = simulation.model.find(call.arguments.get("program"))
    options = call.options.content if refused and isinstance(call.options, Text) else ""
    lacking = isinstance(program, SourceProgram) and option_failing_everywhere(options, program.devices)
    return simulation.make_call(Call(call.function, {**call.arguments, "options": Text("")})) if lacking else outcome


@faults.plant
def sources_compiled_as_first_version(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Sources that use features of OpenCL C versions after 1.0 are never compiled."""
    program = simulation.model.find(call.arguments.get("program")) if call.function in BUILDS else None
    newer = isinstance(program, SourceProgram) and bool(set(program.parts or ()) & set(MINIMUM_VERSIONS))
    return _fail("CL_BUILD_PROGRAM_FAILURE", simulation, outcome) if newer else outcome


@faults.plant
def program_scope_variables_macro_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The macro for program scope global variables is not defined although the device lists the feature."""
    program = simulation.model.find(call.arguments.get("program")) if call.function in BUILDS else None
    needed = isinstance(program, SourceProgram) and part_needing_feature(VARIABLES) in (program.parts or ())
    return _fail("CL_BUILD_PROGRAM_FAILURE", simulation, outcome) if needed else outcome


@faults.plant
def il_program_options_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program from an intermediate language cannot be built with options, nor compiled with headers."""
    program = simulation.model.find(call.arguments.get("program")) if call.function in BUILDS else None
    options = isinstance(call.options, Text) and call.options.content if program is not None else ""
    given = isinstance(program, IlProgram) and bool(options or call.arguments.get("num_input_headers"))
    return _fail("CL_INVALID_BUILD_OPTIONS", simulation, outcome) if given else outcome


@faults.plant
def binary_loses_build_options(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program from a binary loses the macros of the build that produced the binary."""

    def forgotten(kernel: Kernel, words: list[int]) -> list[int]:
        return [0] * len(words) if isinstance(kernel.program, BinaryProgram) else words

    return change_stored_words(simulation, call, outcome, ECHO_OPTIONS.name, forgotten)


def _fail(code: str, simulation: Simulation, outcome: Outcome) -> Outcome:
    return (
        Returned(simulation.model.constant_value(code), outcome.outputs) if isinstance(outcome, Returned) else outcome
    )


MACRO_ONE, MACRO_SUM, MACRO_VALUE = 2, 7, 10
"""The values that the kernel stores for a macro of 1, and for a macro of 2+3 without and with parentheses."""


def _change_stored_words(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[list[int]], list[int]]
) -> Outcome:
    """Change the words that the kernel has just stored."""
    return change_stored_words(simulation, call, outcome, ECHO_OPTIONS.name, lambda _kernel, words: change(words))
