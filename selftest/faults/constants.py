"""Faults of specialization constants: kernels store values other than those that were set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.programs import IlProgram
from clconform.oracles.model.spirv import BOOLEAN_CONSTANT, CONSTANTS, ECHO_CONSTANTS
from clconform.selftest.faults.registry import Faults
from clconform.selftest.faults.stored_words import change_stored_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import SpecializationValue
    from clconform.oracles.model.spirv import SpecializationConstant
    from clconform.simulator.platform import Simulation

faults = Faults()

OVERWRITTEN_BYTE = 0xA5
"""The value that overwrites the memory of a constant's value after the call has returned."""


@faults.plant
def constant_value_read_at_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A build reads the value of a constant from the application's pointer, not from a copy made when it was set."""
    return _change_stored_constants(
        simulation, call, outcome, lambda _, word, used: word if used is None else OVERWRITTEN_BYTE
    )


@faults.plant
def constant_set_twice_keeps_default(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A constant that was set to two values in turn has its default value from the module."""
    return _change_stored_constants(
        simulation, call, outcome, lambda its, word, used: its.default if used and used.was_changed else word
    )


@faults.plant
def constants_reset_after_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The second build after a constant was set uses the default value from the module."""
    return _change_stored_constants(
        simulation, call, outcome, lambda its, word, used: its.default if used and used.build_count else word
    )


@faults.plant
def boolean_constant_uses_lowest_bit(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A boolean constant that is set to 2 is false."""

    def lowest(its: SpecializationConstant, word: int, used: SpecializationValue | None) -> int:
        return used.value[0] & 1 if its is BOOLEAN_CONSTANT and used and used.value else word

    return _change_stored_constants(simulation, call, outcome, lowest)


@faults.plant
def unset_constants_are_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A constant that was not set is zero, whatever its default value in the module."""
    return _change_stored_constants(simulation, call, outcome, lambda _, word, used: 0 if used is None else word)


def _change_stored_constants(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    change: Callable[[SpecializationConstant, int, SpecializationValue | None], int],
) -> Outcome:
    """Replace each word that the kernel has just stored by ``change(constant, word, specialization)``."""

    def changed(kernel: Kernel, words: list[int]) -> list[int]:
        program = kernel.program
        if not isinstance(program, IlProgram) or not program.built_with:
            return words
        used = next(iter(program.built_with.values()))
        return [change(each, word, used.get(each.spec_id)) for each, word in zip(CONSTANTS, words, strict=True)]

    return change_stored_words(simulation, call, outcome, ECHO_CONSTANTS, changed)
