"""Faults of build options: macros, and OpenCL C versions other than the requested one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import Text
from clconform.oracles.chapters.programs.standards import fails_on_all
from clconform.oracles.model.feature_sources import with_feature
from clconform.oracles.model.option_kernels import LAST, TELL_OPTIONS
from clconform.oracles.model.programs import BinaryProgram, IlProgram, SourceProgram
from clconform.oracles.model.sources import SINCE
from clconform.selftest.planted.registry import Faults
from clconform.selftest.planted.stored_words import restored

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.kernels import Kernel
    from clconform.simulator.platform import Simulation

faults = Faults()
BUILDS = ("clBuildProgram", "clCompileProgram")
VARIABLES = "program_scope_global_variables"
"""A feature of OpenCL C: the end of its macro's name."""


@faults.plant
def macros_without_a_value_are_empty(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A macro that is defined without a value is defined as empty instead of as 1."""
    return _rewritten(simulation, call, outcome, lambda words: [0 if word == TWICE_ONE else word for word in words])


@faults.plant
def definitions_are_evaluated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A macro that is defined as a sum expands to the value of the sum, as if it were parenthesised."""
    return _rewritten(simulation, call, outcome, lambda words: [BOTH if word == A_SUM else word for word in words])


@faults.plant
def the_macro_of_relaxed_arithmetic_is_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The macro for -cl-fast-relaxed-math is never defined."""
    return _rewritten(simulation, call, outcome, lambda words: [*words[:LAST], 0])


@faults.plant
def options_without_support_are_taken(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program is built although its options require features that no device supports; the options are ignored."""
    refused = call.function in BUILDS and isinstance(outcome, Returned) and outcome.value != 0
    program = simulation.model.known(call.arguments.get("program"))
    options = call.options.content if refused and isinstance(call.options, Text) else ""
    lacking = isinstance(program, SourceProgram) and fails_on_all(options, program.devices)
    return simulation.answer(Call(call.function, {**call.arguments, "options": Text("")})) if lacking else outcome


@faults.plant
def all_sources_are_of_the_oldest_version(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Sources that use features of OpenCL C versions after 1.0 are never compiled."""
    program = simulation.model.known(call.arguments.get("program")) if call.function in BUILDS else None
    newer = isinstance(program, SourceProgram) and bool(set(program.parts or ()) & set(SINCE))
    return _failing("CL_BUILD_PROGRAM_FAILURE", simulation, outcome) if newer else outcome


@faults.plant
def the_macro_of_program_scope_variables_is_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The macro for program scope global variables is not defined although the device lists the feature."""
    program = simulation.model.known(call.arguments.get("program")) if call.function in BUILDS else None
    needed = isinstance(program, SourceProgram) and with_feature(VARIABLES) in (program.parts or ())
    return _failing("CL_BUILD_PROGRAM_FAILURE", simulation, outcome) if needed else outcome


@faults.plant
def modules_take_no_options(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program from an intermediate language cannot be built with options, nor compiled with headers."""
    program = simulation.model.known(call.arguments.get("program")) if call.function in BUILDS else None
    options = isinstance(call.options, Text) and call.options.content if program is not None else ""
    given = isinstance(program, IlProgram) and bool(options or call.arguments.get("num_input_headers"))
    return _failing("CL_INVALID_BUILD_OPTIONS", simulation, outcome) if given else outcome


@faults.plant
def binaries_forget_their_options(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A program from a binary loses the macros of the build that produced the binary."""

    def forgotten(kernel: Kernel, words: list[int]) -> list[int]:
        return [0] * len(words) if isinstance(kernel.program, BinaryProgram) else words

    return restored(simulation, call, outcome, TELL_OPTIONS.name, forgotten)


def _failing(code: str, simulation: Simulation, outcome: Outcome) -> Outcome:
    return Returned(simulation.model.value(code), outcome.outputs) if isinstance(outcome, Returned) else outcome


TWICE_ONE, A_SUM, BOTH = 2, 7, 10
"""The values that the kernel stores for a macro of 1, and for a macro of 2+3 without and with parentheses."""


def _rewritten(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[list[int]], list[int]]
) -> Outcome:
    """Change the words that the kernel has just stored."""
    return restored(simulation, call, outcome, TELL_OPTIONS.name, lambda _kernel, words: change(words))
