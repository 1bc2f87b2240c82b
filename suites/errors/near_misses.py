"""Near misses: valid calls that differ from a call with an error in one number, by one step where this is possible.

The model decides which calls are valid. Between the number of a valid call and that of a call that violates an error
condition, a bisection finds two neighbours: the condition does not hold for one of them, and may or must hold for the
other. The first one is a near miss, if no other condition holds for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Call
from clconform.calls.machine_words import pack_words, unpack_words
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import Data, ElementList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.kit.valid_calls import Arguments

MAX_NEW_BYTES = 1 << 24
"""The maximum size in bytes of memory that a near miss allocates, as estimated from its arguments."""
MAX_WORK_ITEMS = 1 << 14
"""The maximum number of work-items of a near miss."""
MAX_PIXEL_BYTES = 16
"""The size of the largest pixel in bytes."""
SIZE_PARAMETERS = ("size", "image_width", "image_height", "image_depth", "pipe_packet_size", "pipe_max_packets")
"""Parameters whose product is at least the number of bytes, or pixels, of a created memory object."""
DESCRIBED_EXTENTS = slice(1, 5)
"""The elements of an image description with the width, height, depth and number of layers."""
DESCRIBED_PITCHES = slice(5, 7)
REGION_PARAMETER = "buffer_create_info"
"""The parameter whose bytes are a ``cl_buffer_region``."""
REGION_FIELDS = 2
"""The number of fields of a ``cl_buffer_region``, all of type size_t."""
INT_LIMIT = 1 << 31
"""The number of values that every integer type of a parameter has, except negative ones."""


class Operand(NamedTuple):
    """A number in the arguments of a call: a parameter, or an element of its list or structure."""

    parameter: str
    position: int | None = None

    @property
    def name(self) -> str:
        """The name of the operand in test values: ``size``, ``region[2]``."""
        return self.parameter if self.position is None else f"{self.parameter}[{self.position}]"

    def value_in(self, arguments: Mapping[str, Value]) -> int | None:
        """Return the number, or None if the arguments have another value there."""
        value = arguments.get(self.parameter)
        if self.position is None:
            return value if isinstance(value, int) else None
        elements = _elements_of(self.parameter, value)
        element = elements[self.position] if self.position < len(elements) else None
        return element if isinstance(element, int) else None

    def replace_in(self, arguments: Mapping[str, Value], number: int) -> Arguments:
        """Return the arguments with another number."""
        if self.position is None:
            return {**arguments, self.parameter: number}
        given = arguments[self.parameter]
        elements = _elements_of(self.parameter, given)
        changed = (*elements[: self.position], number, *elements[self.position + 1 :])
        if isinstance(given, Data):
            width = given.size // REGION_FIELDS
            numbers = [number for number in changed if isinstance(number, int)]
            return {**arguments, self.parameter: Data(pack_words(numbers, width))}
        return {**arguments, self.parameter: ElementList(changed)}


def _elements_of(parameter: str, value: Value) -> tuple[int | Handle | None, ...]:
    """Return the elements of a list, or the numbers of a ``cl_buffer_region``; empty for other values."""
    if isinstance(value, ElementList):
        return value.values
    if parameter == REGION_PARAMETER and isinstance(value, Data):
        return unpack_words(value.content, value.size // REGION_FIELDS)
    return ()


class NearMiss(NamedTuple):
    """A valid call near an error condition: the number of one operand, and all arguments."""

    operand: Operand
    number: int
    arguments: Arguments

    @property
    def words(self) -> str:
        """The operand and its number, for a test value."""
        return f"{self.operand.name}={self.number}"


def differing_operands(valid: Arguments, wrong: Arguments) -> Iterator[Operand]:
    """Yield the numbers of a call that violates an error condition which differ from those of the valid call."""
    for name, value in wrong.items():
        if isinstance(value, int):
            operands = [Operand(name)]
        else:
            operands = [Operand(name, index) for index in range(len(_elements_of(name, value)))]
        yield from (
            operand
            for operand in operands
            if (number := operand.value_in(wrong)) is not None and number != operand.value_in(valid)
        )


class NearMissSearch:
    """The search for near misses of one function in the current state of a session.

    A near miss must succeed unless resources are lacking, as the function's valid call must.
    """

    def __init__(self, cl: Session, function: str) -> None:
        self._cl, self._function = cl, function
        self._types = ArgumentTypes(cl.tables, cl.model.pointer_bytes)
        self._known: set[str] = set()

    def set_valid_call(self, valid: Arguments) -> None:
        """Set the valid call, for which some conditions may hold that need not be avoided."""
        expectation = self._cl.oracle.expect(Call(self._function, valid))
        self._known = {held.clause.id for held in expectation.optional_errors}

    def is_allowed(self, arguments: Arguments) -> bool:
        """Return whether a call may succeed and is cheap enough to be made."""
        expectation = self._cl.oracle.expect(Call(self._function, arguments))
        return is_cheap(arguments) and not (expectation.required_errors or expectation.undefined)

    def is_valid(self, arguments: Arguments) -> bool:
        """Return whether a call must succeed, unless resources are lacking, and is cheap enough to be made."""
        call = Call(self._function, arguments)
        if not is_cheap(arguments) or self._types.find_mismatch(call):
            return False
        expectation = self._cl.oracle.expect(call)
        return not (expectation.required_errors or expectation.undefined) and all(
            held.clause.id in self._known for held in expectation.optional_errors
        )

    def holds(self, clause: ErrorCondition, arguments: Arguments) -> bool:
        """Return whether an error condition holds or may hold for a call."""
        return self._cl.oracle.may_hold(clause.id, Call(self._function, arguments))

    def find(
        self, clause: ErrorCondition, valid: Arguments, wrong: Arguments, is_needed: Callable[[str], bool]
    ) -> Iterator[NearMiss]:
        """Yield the near misses between a valid call and a call that violates an error condition.

        For each number that differs, only this number changes from the valid to the other call; if the condition then
        does not hold, all other numbers are those of the call that violates it. For an element that the valid call
        lacks, the search starts at small numbers. ``is_needed``: returns whether an operand needs another near miss.
        """
        for operand in differing_operands(valid, wrong):
            good, bad = operand.value_in(valid), operand.value_in(wrong)
            if bad is None or not is_needed(operand.name):
                continue
            starts = [(valid, good), (wrong, good)] if good is not None else []
            for rest, start in (*starts, *((wrong, number) for number in (1, 0, min(2 * bad, INT_LIMIT)))):
                if start is None or not _has_same_elements(operand, rest, wrong):
                    continue
                ends = operand.replace_in(rest, start), operand.replace_in(rest, bad)
                if not self.holds(clause, ends[0]) and self.holds(clause, ends[1]):
                    yield from self._find_neighbours(clause, operand, rest, start, bad)
                    break

    def find_inner(self, clause: ErrorCondition, near: NearMiss, others: Iterable[NearMiss]) -> Iterator[NearMiss]:
        """Yield near misses with half of the number of a near miss, and the largest valid number of another operand.

        ``others``: near misses of the same condition, whose operands increase.
        """
        half = near.operand.replace_in(near.arguments, near.number // 2)
        for other in others:
            start = other.operand.value_in(half)
            if other.operand == near.operand or start is None or self.holds(clause, half):
                continue
            bad = max(near.number, other.number) + 1
            if start < bad and self.holds(clause, other.operand.replace_in(half, bad)):
                yield from self._find_neighbours(clause, other.operand, half, start, bad)

    def _find_neighbours(
        self, clause: ErrorCondition, operand: Operand, rest: Arguments, good: int, bad: int
    ) -> Iterator[NearMiss]:
        """Yield the valid calls next to the first number for which the condition holds, and next to ``bad``."""
        near = _bisect(good, bad, lambda number: self.holds(clause, operand.replace_in(rest, number)))
        numbers = [near, bad - 1, bad + 1]
        if not self.is_valid(operand.replace_in(rest, near)) and self.is_valid(operand.replace_in(rest, good)):
            numbers[0] = _bisect(good, near, lambda number: not self.is_valid(operand.replace_in(rest, number)))
        for number in dict.fromkeys(numbers):
            if 0 <= number < max(INT_LIMIT, bad):
                alone = operand.replace_in(rest, number)
                candidates = (alone, _replace_equal_numbers(alone, bad, number))
                arguments = next(filter(self.is_valid, candidates), None)
                if arguments is not None:
                    yield NearMiss(operand, number, arguments)


def _replace_equal_numbers(arguments: Arguments, old: int, new: int) -> Arguments:
    """Return the arguments with all equal numbers replaced, such as a local and a global size of the same value."""
    for name, value in arguments.items():
        if isinstance(value, ElementList):
            for index, element in enumerate(value.values):
                if element == old:
                    arguments = Operand(name, index).replace_in(arguments, new)
    return arguments


def _has_same_elements(operand: Operand, some: Arguments, others: Arguments) -> bool:
    """Return whether the lists with an operand have the same length in two calls."""
    name = operand.parameter
    return len(_elements_of(name, some[name])) == len(_elements_of(name, others[name]))


def _bisect(good: int, bad: int, holds: Callable[[int], bool]) -> int:
    """Return the last number before one for which ``holds`` is true, between ``good`` and ``bad``."""
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        if holds(middle):
            bad = middle
        else:
            good = middle
    return good


def is_cheap(arguments: Arguments) -> bool:
    """Return whether a call needs little memory and time, as estimated from its arguments."""
    sizes = [arguments[name] for name in SIZE_PARAMETERS if isinstance(arguments.get(name), int)]
    described = arguments.get("image_desc")
    bytes_needed = _product(sizes)
    if isinstance(described, ElementList):
        bytes_needed = MAX_PIXEL_BYTES * max(
            _product(described.values[DESCRIBED_EXTENTS]), *_numbers(described.values[DESCRIBED_PITCHES])
        )
    items = arguments.get("global_work_size")
    work_items = _product(items.values) if isinstance(items, ElementList) else 1
    return bytes_needed <= MAX_NEW_BYTES and work_items <= MAX_WORK_ITEMS


def _product(values: Iterable[object]) -> int:
    return math.prod(max(value, 1) for value in _numbers(values))


def _numbers(values: Iterable[object]) -> list[int]:
    return [value for value in values if isinstance(value, int)]
