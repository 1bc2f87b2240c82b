"""Tolerances for numbers in memory: several values are permitted, since conversions may round."""

from __future__ import annotations

from dataclasses import dataclass

SIGNIFICANDS = {"half": 10, "float": 23}
"""Kind of floating-point number to the number of stored bits of its significand."""


def sort_key(kind: str, bits: int, raw: int) -> int:
    """Return a sort key for the bits of a number, monotonic in its value; both zeros have key 0.

    ``kind``: ``uint``, ``sint``, ``unorm``, ``snorm``, ``half`` or ``float``.
    """
    sign = raw >> bits - 1
    if kind in SIGNIFICANDS:
        return -(raw - (1 << bits - 1)) if sign else raw
    return raw - (sign << bits) if kind in ("sint", "snorm") else raw


def bits_of_key(kind: str, bits: int, key: int) -> int:
    """Return the bits of the number with a sort key; the inverse of ``sort_key``."""
    if key >= 0:
        return key
    return (1 << bits - 1) - key if kind in SIGNIFICANDS else key + (1 << bits)


def is_nan(kind: str, bits: int, raw: int) -> bool:
    """Return whether the bits are those of a NaN."""
    if kind not in SIGNIFICANDS:
        return False
    magnitude = raw & ((1 << bits - 1) - 1)
    infinity = ((1 << bits - 1 - SIGNIFICANDS[kind]) - 1) << SIGNIFICANDS[kind]
    return magnitude > infinity


@dataclass(frozen=True)
class NumberTolerance:
    """A tolerance for one number: it permits the sort keys from ``low`` to ``high``.

    ``shift`` and ``bits``: the position and the width of the number within the integer of all bytes. ``preferred``: the
    preferred bits. ``allows_zero``: zero is also permitted. ``requires_nan``: only NaNs are permitted.
    """

    kind: str
    shift: int
    bits: int
    low: int
    high: int
    preferred: int
    allows_zero: bool = False
    requires_nan: bool = False

    def accepts(self, whole: int) -> bool:
        """Return whether the number's bits, within the integer of all bytes, are permitted."""
        raw = whole >> self.shift & ((1 << self.bits) - 1)
        if is_nan(self.kind, self.bits, raw) or self.requires_nan:
            return self.requires_nan and is_nan(self.kind, self.bits, raw)
        place = sort_key(self.kind, self.bits, raw)
        return self.low <= place <= self.high or (self.allows_zero and place == 0)

    def with_shift(self, shift: int) -> NumberTolerance:
        """Return a copy of the tolerance with this shift."""
        return NumberTolerance(
            self.kind, shift, self.bits, self.low, self.high, self.preferred, self.allows_zero, self.requires_nan
        )


@dataclass(frozen=True)
class BytesTolerance:
    """A tolerance for some little-endian bytes that contain numbers; bits outside all ``fields`` are arbitrary.

    ``interpretation``: the id of the interpretation that permits these values; empty if the documents permit them.
    """

    size: int
    fields: tuple[NumberTolerance, ...]
    interpretation: str = ""

    def accepts(self, raw: bytes) -> bool:
        """Return whether the bytes are permitted."""
        whole = int.from_bytes(raw, "little")
        return all(each.accepts(whole) for each in self.fields)

    @property
    def preferred(self) -> bytes:
        """Return the preferred bytes."""
        return sum(each.preferred << each.shift for each in self.fields).to_bytes(self.size, "little")

    def choose(self, draw: int) -> bytes:
        """Return permitted bytes; the number ``draw`` selects them."""
        whole = draw & ((1 << 8 * self.size) - 1)
        for each in self.fields:
            raw = (
                each.preferred
                if each.requires_nan
                else bits_of_key(each.kind, each.bits, each.low + draw % (each.high - each.low + 1))
            )
            whole = whole & ~(((1 << each.bits) - 1) << each.shift) | raw << each.shift
        return whole.to_bytes(self.size, "little")

    @property
    def description(self) -> str:
        """Return a description of the permitted values: the bits of the lowest and of the highest number."""
        return ", ".join(map(_describe, self.fields))


@dataclass(frozen=True)
class ListedTolerance(BytesTolerance):
    """A tolerance for some bytes that contain one of the listed numbers; the first number is preferred."""

    numbers: tuple[int, ...] = ()

    def accepts(self, raw: bytes) -> bool:
        """Return whether the bytes are one of the listed numbers."""
        return int.from_bytes(raw, "little") in self.numbers

    @property
    def preferred(self) -> bytes:
        """Return the preferred bytes."""
        return self.numbers[0].to_bytes(self.size, "little")

    def choose(self, draw: int) -> bytes:
        """Return one of the listed numbers as bytes; the number ``draw`` selects it."""
        return self.numbers[draw % len(self.numbers)].to_bytes(self.size, "little")

    @property
    def description(self) -> str:
        """Return a description of the permitted values."""
        return " or ".join(f"{number:#x}" for number in self.numbers)


def _describe(field: NumberTolerance) -> str:
    if field.requires_nan:
        return "a NaN"
    low, high = (bits_of_key(field.kind, field.bits, place) for place in (field.low, field.high))
    named = f"{low:#x}" if low == high else f"{low:#x} to {high:#x}"
    return f"{named} or 0" if field.allows_zero else named


Tolerances = tuple[tuple[int, BytesTolerance], ...]
"""Tolerances for numbers among some bytes, each with its offset."""


def place_tolerances(tolerances: Tolerances, spans: tuple[tuple[int, int], ...]) -> Tolerances:
    """Return the tolerances with their offsets after the bytes are written into consecutive spans of memory.

    ``spans``: start and size of each span. A number that is split between two spans is omitted.
    """
    found: list[tuple[int, BytesTolerance]] = []
    first = 0
    for start, size in spans if tolerances else ():
        found += [
            (start + at - first, each) for at, each in tolerances if first <= at and at + each.size <= first + size
        ]
        first += size
    return tuple(found)
