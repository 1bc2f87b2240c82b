"""Faults of specialization constants: kernels store values other than those that were set."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.oracles.model.programs import IlProgram
from clconform.oracles.model.spirv import BOOLEAN_CONSTANT, CONSTANTS, ECHO_CONSTANTS
from clconform.selftest.faults.registry import Faults
from clconform.selftest.faults.stored_words import plant_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.programs import SpecializationValue
    from clconform.oracles.model.spirv import SpecializationConstant

    _Change = Callable[[SpecializationConstant, int, SpecializationValue | None], int]

faults = Faults()

OVERWRITTEN_BYTE = 0xA5
"""The value that overwrites the memory of a constant's value after the call has returned."""


def _plant_in_constants(change: _Change) -> _Change:
    """Declare a fault: instead of each word, a kernel stores ``change(constant, word, specialization)``."""

    @plant_in_words(faults, ECHO_CONSTANTS)
    @functools.wraps(change)
    def fault(kernel: Kernel, words: list[int]) -> list[int]:
        program = kernel.program
        if not isinstance(program, IlProgram) or not program.built_with:
            return words
        used = next(iter(program.built_with.values()))
        return [change(each, word, used.get(each.spec_id)) for each, word in zip(CONSTANTS, words, strict=True)]

    return change


@_plant_in_constants
def constant_value_read_at_build(_: SpecializationConstant, word: int, used: SpecializationValue | None) -> int:
    """A build reads the value of a constant from the application's pointer, not from a copy made when it was set."""
    return word if used is None else OVERWRITTEN_BYTE


@_plant_in_constants
def constant_set_twice_keeps_default(its: SpecializationConstant, word: int, used: SpecializationValue | None) -> int:
    """A constant that was set to two values in turn has its default value from the module."""
    return its.default if used and used.was_changed else word


@_plant_in_constants
def constants_reset_after_build(its: SpecializationConstant, word: int, used: SpecializationValue | None) -> int:
    """The second build after a constant was set uses the default value from the module."""
    return its.default if used and used.build_count else word


@_plant_in_constants
def boolean_constant_uses_lowest_bit(its: SpecializationConstant, word: int, used: SpecializationValue | None) -> int:
    """A boolean constant that is set to 2 is false."""
    return used.value[0] & 1 if its is BOOLEAN_CONSTANT and used and used.value else word


@_plant_in_constants
def unset_constants_are_zero(_: SpecializationConstant, word: int, used: SpecializationValue | None) -> int:
    """A constant that was not set is zero, whatever its default value in the module."""
    return 0 if used is None else word
