"""Numbers that calls return, and references to them in the arguments of later calls.

A suite gets each size and count in an outcome as a ``ReturnedNumber``, which remembers the outcome. The sum of such a
number and a constant remembers it, too. A stored call has plain numbers, and a ``NumberReference`` for each of them
that came from an earlier outcome. A replay computes these numbers from the outcomes of its own process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from clconform.calls.call import Call, NumberReference, Output, Returned
from clconform.calls.values import (
    BusAddresses,
    DispatchConfigs,
    ElementList,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from clconform.calls.call import Outcome

WHOLE = -1
"""The position of a reference that concerns the whole argument, not an element of a list."""
MAX_ELEMENTS = 64
"""Only the numbers in outputs of up to this many elements are remembered."""
MAX_CAPACITY = 1 << 24
"""The largest capacity of an output buffer that a replay takes from another outcome than the stored one."""


class MissingNumberError(ValueError):
    """A call needs a number that no earlier call has returned."""


class NumberOrigin(NamedTuple):
    """The origin of a number: ``factor`` times an element of an output of an earlier step, plus ``offset``.

    ``step``, ``output`` and ``element``: as in a ``NumberReference``. ``owner``: the sequence with the step, compared
    by identity.
    """

    step: int
    output: str
    element: int = 0
    factor: int = 1
    offset: int = 0
    owner: object = None


class ReturnedNumber(int):
    """A number that a call returned, or a number computed from it with a constant; ``origin``: its origin.

    All other operations return plain numbers.
    """

    origin: NumberOrigin

    def __new__(cls, value: int, origin: NumberOrigin) -> Self:
        """Return ``value`` with its origin."""
        number = super().__new__(cls, value)
        number.origin = origin
        return number

    def _linear(self, factor: int, offset: int) -> ReturnedNumber:
        """Return ``factor`` times this number, plus ``offset``."""
        origin = self.origin
        changed = origin._replace(factor=factor * origin.factor, offset=factor * origin.offset + offset)
        return ReturnedNumber(factor * int(self) + offset, changed)

    def __add__(self, other: int) -> int:
        """Return the sum, which keeps the origin if ``other`` is a constant."""
        return self._linear(1, other) if _is_constant(other) else int.__add__(self, other)

    __radd__ = __add__

    def __sub__(self, other: int) -> int:
        """Return the difference, which keeps the origin if ``other`` is a constant."""
        return self._linear(1, -other) if _is_constant(other) else int.__sub__(self, other)

    def __rsub__(self, other: int) -> int:
        """Return the difference, which keeps the origin if ``other`` is a constant."""
        return self._linear(-1, other) if _is_constant(other) else int.__rsub__(self, other)

    def __mul__(self, other: int) -> int:
        """Return the product, which keeps the origin if ``other`` is a constant."""
        return self._linear(other, 0) if _is_constant(other) else int.__mul__(self, other)

    __rmul__ = __mul__


def _has_returned_number(value: Value) -> bool:
    """Return whether an argument may contain a number that a call returned."""
    match value:
        case OutputBuffer(count):
            return type(count) is ReturnedNumber
        case OffsetPointer(_, offset):
            return type(offset) is ReturnedNumber
        case ElementList(values) | OutputBuffers(values):
            return any(type(one) is ReturnedNumber for one in values)
        case Pointers() | BusAddresses() | DispatchConfigs():
            return True
    return type(value) is ReturnedNumber


def _is_constant(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, ReturnedNumber)


def mark_numbers(outcome: Returned, outputs: Iterable[str], step: int, owner: object) -> Returned:
    """Return an outcome in which the numbers of these outputs remember their origin.

    ``step``: the id of the outcome's step in the sequence ``owner``.
    """
    marked: dict[str, Output] = {}
    for name in outputs:
        output = outcome.outputs.get(name)
        if output is not None and 0 < len(output.values) <= MAX_ELEMENTS:
            values = [
                ReturnedNumber(value, NumberOrigin(step, name, element, owner=owner))
                if isinstance(value, int)
                else value
                for element, value in enumerate(output.values)
            ]
            marked[name] = msgspec.structs.replace(output, values=values)
    return outcome.with_outputs(**marked) if marked else outcome


def take_references(call: Call, owner: object = None) -> Call:
    """Return a call with plain numbers, and with a reference for each number that an outcome of ``owner`` contains."""
    if not any(map(_has_returned_number, call.arguments.values())):
        return Call(call.function, call.arguments) if call.references else call
    found: list[NumberReference] = []

    def plain(name: str, position: int, value: int) -> int:
        if not isinstance(value, ReturnedNumber):
            return value
        step, output, element, factor, offset, its = value.origin
        if its is owner:
            found.append(NumberReference(name, step, output, position, element, factor, offset))
        return int(value)

    arguments = {name: _map_numbers(name, value, plain) for name, value in call.arguments.items()}
    return Call(call.function, arguments, tuple(found))


def place_references(call: Call, find: Callable[[NumberReference, int], int]) -> Call:
    """Return a call with another number in place of each referring one, and without references.

    ``find`` returns the number for a reference and the stored number.
    """
    if not call.references:
        return call
    known = {(reference.parameter, reference.position): reference for reference in call.references}

    def placed(name: str, position: int, value: int) -> int:
        reference = known.get((name, position))
        return value if reference is None else find(reference, value)

    arguments = dict(call.arguments)
    for name in dict.fromkeys(reference.parameter for reference in call.references):
        arguments[name] = _map_numbers(name, arguments[name], placed)
    return Call(call.function, arguments)


def restore_numbers(call: Call) -> Call:
    """Return a call whose referring numbers remember their origin; ``take_references`` is the reverse."""
    return place_references(call, lambda reference, value: ReturnedNumber(value, _origin_of(reference)))


def place_present_numbers(call: Call, outcomes: Mapping[int, Outcome]) -> Call:
    """Return a stored call with the numbers that the present process has returned.

    ``outcomes``: maps the ids of stored steps to the present outcomes, as a session returned them. MissingNumberError
    if an outcome does not contain the number, or if the memory for it would be too large.
    """

    def find(reference: NumberReference, stored: int) -> int:
        outcome = outcomes.get(reference.step)
        output = outcome.outputs.get(reference.output) if isinstance(outcome, Returned) else None
        values = output.values[reference.element : reference.element + 1] if output is not None else []
        if not values or not isinstance(values[0], int):
            raise MissingNumberError(
                f"{call.function}: no earlier call has returned the number for {reference.parameter}"
            )
        number = reference.factor * values[0] + reference.offset
        is_capacity = isinstance(call.arguments[reference.parameter], OutputBuffer | OutputBuffers)
        if number < min(0, stored) or (is_capacity and number > max(MAX_CAPACITY, stored)):
            raise MissingNumberError(f"{call.function}: {reference.parameter} cannot be {number}")
        return number

    return place_references(call, find)


def _origin_of(reference: NumberReference) -> NumberOrigin:
    return NumberOrigin(reference.step, reference.output, reference.element, reference.factor, reference.offset)


def _map_numbers(name: str, value: Value, change: Callable[[str, int, int], int]) -> Value:
    """Return an argument with a function applied to its numbers: it takes the parameter, the position and the number.

    Numbers inside structures for extensions cannot have references; they become plain numbers.
    """
    match value:
        case bool():
            return value
        case int():
            return change(name, WHOLE, value)
        case OutputBuffer(count):
            return OutputBuffer(change(name, WHOLE, count))
        case OutputBuffers(counts):
            return OutputBuffers(tuple(change(name, at, count) for at, count in enumerate(counts)))
        case ElementList(values):
            return ElementList(
                tuple(change(name, at, one) if isinstance(one, int) else one for at, one in enumerate(values))
            )
        case OffsetPointer(handle, offset):
            return OffsetPointer(handle, change(name, WHOLE, offset))
        case Pointers(values):
            return Pointers(
                tuple(
                    OffsetPointer(one.handle, change(name, at, one.offset)) if isinstance(one, OffsetPointer) else one
                    for at, one in enumerate(values)
                )
            )
        case BusAddresses() | DispatchConfigs():
            written = msgspec.to_builtins(value, builtin_types=(bytes,), enc_hook=int)
            return msgspec.convert(written, type(value), builtin_types=(bytes,))
    return value
