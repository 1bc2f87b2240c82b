"""Texels in exact fractions: the values that a kernel reads from them, and the bytes that may store a colour.

Written only from the conversion rules of OpenCL C (3.0, 6.15.15 and 8.3), to check ``oracles/contents``. It uses no
floating-point arithmetic and shares no code with it. Memory layouts follow section 5.3.1.1 of the API document.
"""

from __future__ import annotations

import enum
import functools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class SpecialValue(enum.Enum):
    """The value of a channel that is not a finite number."""

    NAN = "nan"
    INFINITY = "inf"
    MINUS_INFINITY = "-inf"


class FractionBounds(NamedTuple):
    """An irrational number, enclosed by two fractions that differ from it by less than 10**-30."""

    low: Fraction
    high: Fraction


ChannelValue = Fraction | SpecialValue | FractionBounds

MEMORY_ORDER = {
    "CL_R": "R",
    "CL_A": "A",
    "CL_DEPTH": "R",
    "CL_LUMINANCE": "R",
    "CL_INTENSITY": "R",
    "CL_RG": "RG",
    "CL_RA": "RA",
    "CL_RGB": "RGB",
    "CL_sRGB": "RGB",
    "CL_RGBA": "RGBA",
    "CL_sRGBA": "RGBA",
    "CL_BGRA": "BGRA",
    "CL_sBGRA": "BGRA",
    "CL_ARGB": "ARGB",
    "CL_ABGR": "ABGR",
}
"""Maps channel orders to the components of a colour in memory order.

Luminance, intensity and depth store the first component of a colour.
"""
PACKED_LAYOUTS = {
    "CL_UNORM_SHORT_565": (16, (("R", 15, 11), ("G", 10, 5), ("B", 4, 0))),
    "CL_UNORM_SHORT_555": (16, (("R", 14, 10), ("G", 9, 5), ("B", 4, 0))),
    "CL_UNORM_INT_101010": (32, (("R", 29, 20), ("G", 19, 10), ("B", 9, 0))),
    "CL_UNORM_INT_101010_2": (32, (("R", 31, 22), ("G", 21, 12), ("B", 11, 2), ("A", 1, 0))),
}
"""Maps channel data types to the number of bits of a texel, and the highest and lowest bit of each component."""
FAMILIES = {"CL_UNORM_INT": "unorm", "CL_SNORM_INT": "snorm", "CL_SIGNED_INT": "signed", "CL_UNSIGNED_INT": "unsigned"}
MAX_ERROR_STEPS = Fraction(6, 10)
"""Largest distance of a stored normalised integer from the exact result (8.3.1.2), in steps of that integer."""
ROOT_DIGITS = 40
"""Number of decimal digits that roots are calculated to."""
HALF = (5, 10)
SINGLE = (8, 23)
"""Number of bits of a floating-point number's exponent, and of its fraction."""


class TexelField(NamedTuple):
    """A component of a texel that is read as one little-endian number: its lowest bit, width, and encoding."""

    component: str
    shift: int
    bits: int
    family: str


class PermittedPatterns(NamedTuple):
    """The bit patterns that may store a component. ``any_nan``: every NaN pattern is permitted as well.

    ``nearest``: the patterns of the two numbers next to the exact result, or of the result itself if it is exact.
    """

    field: TexelField
    patterns: frozenset[int]
    nearest: frozenset[int]
    any_nan: bool = False

    def permits(self, pattern: int) -> bool:
        """Return whether this pattern is permitted."""
        form = HALF if self.field.bits == 16 else SINGLE
        return pattern in self.patterns or (self.any_nan and _decode_float(pattern, form) is SpecialValue.NAN)


@functools.cache
def get_texel_fields(order: str, channel_type: str) -> tuple[int, tuple[TexelField, ...]]:
    """Return the size of a texel and its components in memory order. Raises KeyError if the layout is unknown."""
    if channel_type in PACKED_LAYOUTS:
        bits, places = PACKED_LAYOUTS[channel_type]
        return bits // 8, tuple(TexelField(name, low, high - low + 1, "unorm") for name, high, low in places)
    if channel_type in {"CL_HALF_FLOAT", "CL_FLOAT"}:
        family, bits = "float", 16 if channel_type == "CL_HALF_FLOAT" else 32
    else:
        stem = channel_type.rstrip("0123456789")
        family, bits = FAMILIES[stem], int(channel_type.removeprefix(stem))
    names = MEMORY_ORDER[order]
    found = []
    for index, name in enumerate(names):
        curved = order.startswith("CL_s") and name != "A"
        found.append(TexelField(name, index * bits, bits, "srgb" if curved else family))
    return len(names) * bits // 8, tuple(found)


def decode_texel(
    order: str, channel_type: str, raw: bytes
) -> tuple[ChannelValue, ChannelValue, ChannelValue, ChannelValue]:
    """Return the four components that a kernel reads from a texel with these bytes: R, G, B and A.

    They are integers for integer types. A depth texel is read as its component, followed by 0, 0 and 1.
    """
    size, places = get_texel_fields(order, channel_type)
    assert len(raw) == size
    number = int.from_bytes(raw, "little")
    read: dict[str, ChannelValue] = {"R": Fraction(0), "G": Fraction(0), "B": Fraction(0), "A": Fraction(1)}
    if order == "CL_A":
        read["A"] = Fraction(0)
    for place in places:
        read[place.component] = _decode_field(place, number >> place.shift & (1 << place.bits) - 1)
    if order in {"CL_LUMINANCE", "CL_INTENSITY"}:
        read["G"] = read["B"] = read["R"]
    if order == "CL_INTENSITY":
        read["A"] = read["R"]
    return read["R"], read["G"], read["B"], read["A"]


def find_permitted_patterns(order: str, channel_type: str, colour: Sequence[float]) -> tuple[PermittedPatterns, ...]:
    """Return the permitted patterns of each component after a write of a colour (R, G, B and A, or only a depth).

    The numbers have the colour's C type: integers, or floats that a 32-bit float represents exactly.
    """
    return tuple(
        _find_field_patterns(place, colour[0 if place.component == "R" else "RGBA".index(place.component)])
        for place in get_texel_fields(order, channel_type)[1]
    )


def is_permitted_texel(order: str, channel_type: str, colour: Sequence[float], raw: bytes) -> bool:
    """Return whether a texel may have these bytes after a write of the colour. Unused bits may have any value."""
    number = int.from_bytes(raw, "little")
    return all(
        each.permits(number >> each.field.shift & (1 << each.field.bits) - 1)
        for each in find_permitted_patterns(order, channel_type, colour)
    )


def _decode_field(place: TexelField, pattern: int) -> ChannelValue:
    if place.family == "float":
        return _decode_float(pattern, HALF if place.bits == 16 else SINGLE)
    if place.family == "unsigned":
        return Fraction(pattern)
    if place.family in {"signed", "snorm"} and pattern >> place.bits - 1:
        pattern -= 1 << place.bits
    if place.family == "signed":
        return Fraction(pattern)
    if place.family == "snorm":
        return max(Fraction(-1), Fraction(pattern, (1 << place.bits - 1) - 1))
    share = Fraction(pattern, (1 << place.bits) - 1)
    return _decode_srgb(share) if place.family == "srgb" else share


def _decode_float(pattern: int, form: tuple[int, int]) -> Fraction | SpecialValue:
    """Return the number that a pattern represents. Both zeros are 0."""
    exponent_bits, fraction_bits = form
    fraction = pattern & (1 << fraction_bits) - 1
    exponent = pattern >> fraction_bits & (1 << exponent_bits) - 1
    negative = bool(pattern >> fraction_bits + exponent_bits)
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        if fraction:
            return SpecialValue.NAN
        return SpecialValue.MINUS_INFINITY if negative else SpecialValue.INFINITY
    whole = fraction if exponent == 0 else fraction + (1 << fraction_bits)
    size = whole * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)
    return -size if negative else size


def _decode_srgb(share: Fraction) -> ChannelValue:
    """Return the linear value of an sRGB value between 0 and 1 (8.3.5)."""
    if share <= Fraction(4045, 100000):
        return share / Fraction(1292, 100)
    if share == 1:
        return share
    return _find_root_bounds(((share + Fraction(55, 1000)) / Fraction(1055, 1000)) ** 12, 5)


def encode_srgb(linear: Fraction) -> FractionBounds:
    """Return the sRGB value of a linear value between 0 and 1 (8.3.5)."""
    if linear < Fraction(31308, 10**7):
        exact = linear * Fraction(1292, 100)
        return FractionBounds(exact, exact)
    low, high = _find_root_bounds(linear**5, 12)
    return FractionBounds(*(Fraction(1055, 1000) * each - Fraction(55, 1000) for each in (low, high)))


def _find_root_bounds(number: Fraction, degree: int) -> FractionBounds:
    """Return bounds for a root of a positive number, by bisection of integers."""
    scaled = number.numerator * 10 ** (ROOT_DIGITS * degree) // number.denominator
    low, high = 0, 10 ** (ROOT_DIGITS + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if middle**degree <= scaled:
            low = middle
        else:
            high = middle
    return FractionBounds(Fraction(low, 10**ROOT_DIGITS), Fraction(high, 10**ROOT_DIGITS))


def _find_field_patterns(place: TexelField, given: float) -> PermittedPatterns:
    if place.family == "float":
        return _find_float_patterns(place, given)
    if place.family in {"signed", "unsigned"}:
        lowest = -(1 << place.bits - 1) if place.family == "signed" else 0
        highest = lowest + (1 << place.bits) - 1
        saturated = frozenset({min(max(int(given), lowest), highest) & (1 << place.bits) - 1})
        return PermittedPatterns(place, saturated, saturated)
    if math.isnan(given):
        # a saturating conversion should return 0, but another value is not excluded
        return PermittedPatterns(place, frozenset(range(1 << place.bits)), frozenset())
    if place.family == "snorm":
        # a signed integer type saturates one step below the integer that represents -1
        steps, lowest = (1 << place.bits - 1) - 1, -(1 << place.bits - 1)
    else:
        steps, lowest = (1 << place.bits) - 1, 0
    clamped = Fraction(min(max(given, -2), 1))
    clamped = max(clamped, Fraction(lowest, steps))
    exact = encode_srgb(clamped) if place.family == "srgb" else FractionBounds(clamped, clamped)
    first = max(math.ceil(exact.low * steps - MAX_ERROR_STEPS), lowest)
    last = min(math.floor(exact.high * steps + MAX_ERROR_STEPS), steps)
    mask = (1 << place.bits) - 1
    beside = frozenset({math.floor(exact.low * steps) & mask, math.ceil(exact.high * steps) & mask})
    if clamped < -1:
        beside |= {-steps & mask}  # this pattern also represents -1
    return PermittedPatterns(place, frozenset(value & mask for value in range(first, last + 1)), beside)


def _find_float_patterns(place: TexelField, given: float) -> PermittedPatterns:
    """Return the permitted patterns of a 32-bit float: rounded to nearest even or towards zero. Subnormals may be 0."""
    exponent_bits, fraction_bits = form = HALF if place.bits == 16 else SINGLE
    sign = place.bits - 1
    negative = math.copysign(1, given) < 0
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if math.isnan(given):
        return PermittedPatterns(place, frozenset(), frozenset(), any_nan=True)
    if math.isinf(given):
        only = frozenset({infinity | negative << sign})
        return PermittedPatterns(place, only, only)
    size = abs(Fraction(given))
    lower = _find_largest_not_above(size, form)
    sizes, beside = {lower}, {lower | negative << sign}
    if (exact := _decode_float(lower, form)) != size:
        assert isinstance(exact, Fraction)
        # the next pattern is the next number; the pattern after the largest number counts as the next power of two
        step = _get_step(lower, form)
        beside.add((lower + 1) | negative << sign)
        nearer = exact + step / 2
        if size > nearer or (size == nearer and lower & 1):
            sizes.add(lower + 1)
    smallest_normal = 1 << fraction_bits
    patterns = {each | negative << sign for each in sizes}
    if any(0 < each < smallest_normal for each in sizes) or 0 < size < Fraction(2) ** -126:
        patterns |= {0, 1 << sign}
    return PermittedPatterns(place, frozenset(patterns), frozenset(beside))


def _find_largest_not_above(size: Fraction, form: tuple[int, int]) -> int:
    exponent_bits, fraction_bits = form
    low, high = 0, (((1 << exponent_bits) - 1) << fraction_bits)
    while high - low > 1:
        middle = (low + high) // 2
        number = _decode_float(middle, form)
        assert isinstance(number, Fraction)
        if number <= size:
            low = middle
        else:
            high = middle
    return low


def _get_step(pattern: int, form: tuple[int, int]) -> Fraction:
    exponent_bits, fraction_bits = form
    exponent = max(pattern >> fraction_bits, 1)
    return Fraction(2) ** (exponent - ((1 << exponent_bits - 1) - 1) - fraction_bits)


def generate_texels(order: str, channel_type: str) -> Iterator[bytes]:
    """Yield texels in which each component of up to 16 bits has each of its patterns at least once.

    The components are shifted against each other, so that no two components are always equal.
    """
    size, places = get_texel_fields(order, channel_type)
    widest = max(place.bits for place in places)
    assert widest <= 16
    for start in range(1 << widest):
        number = 0
        for index, place in enumerate(places):
            number |= ((start + 37 * index) & (1 << place.bits) - 1) << place.shift
        yield number.to_bytes(size, "little")
