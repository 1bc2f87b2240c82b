"""Faults of specialization constants: kernels store values other than those that were set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.programs import IlProgram
from clconform.oracles.model.spirv import CONSTANTS, TELL_CONSTANTS, TRUTH
from clconform.selftest.planted.registry import Faults
from clconform.selftest.planted.stored_words import restored

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import Specialization
    from clconform.oracles.model.spirv import Constant
    from clconform.simulator.platform import Simulation

faults = Faults()

GONE = 0xA5
"""The value that overwrites the memory of a constant's value after the call has returned."""


@faults.plant
def values_of_constants_are_read_at_the_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A build reads the value of a constant from the application's pointer, not from a copy made when it was set."""
    return _told(simulation, call, outcome, lambda _, word, used: word if used is None else GONE)


@faults.plant
def values_that_are_set_twice_are_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A constant that was set to two values in turn has its default value from the module."""
    return _told(simulation, call, outcome, lambda its, word, used: its.default if used and used.again else word)


@faults.plant
def constants_are_set_for_one_build(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The second build after a constant was set uses the default value from the module."""
    return _told(simulation, call, outcome, lambda its, word, used: its.default if used and used.builds else word)


@faults.plant
def booleans_are_their_lowest_bit(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A boolean constant that is set to 2 is false."""

    def lowest(its: Constant, word: int, used: Specialization | None) -> int:
        return used.value[0] & 1 if its is TRUTH and used and used.value else word

    return _told(simulation, call, outcome, lowest)


@faults.plant
def constants_that_are_not_set_are_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A constant that was not set is zero, whatever its default value in the module."""
    return _told(simulation, call, outcome, lambda _, word, used: 0 if used is None else word)


def _told(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    change: Callable[[Constant, int, Specialization | None], int],
) -> Outcome:
    """Replace each word that the kernel has just stored by ``change(constant, word, specialization)``."""

    def changed(kernel: Kernel, words: list[int]) -> list[int]:
        program = kernel.program
        if not isinstance(program, IlProgram) or not program.built_with:
            return words
        used = next(iter(program.built_with.values()))
        return [change(each, word, used.get(each.spec_id)) for each, word in zip(CONSTANTS, words, strict=True)]

    return restored(simulation, call, outcome, TELL_CONSTANTS, changed)
