"""Texel conversions compared with a second implementation in exact fractions: every value of 8 and 16 bits.

The oracle may permit more than OpenCL C, but at most both neighbours of an exact result.
"""

from __future__ import annotations

import functools
import itertools
import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from clconform.oracles.contents.color_conversion import colour_size, convert_colour
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.contents.texels import read_texel
from clconform.oracles.model.image_formats import texel_layout

from ..sampling import ALL  # noqa: TID252 (tests are no part of the installed package)
from . import exact_texels as exact
from .exact_texels import Bounds, Special

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.contents.storage import Content
    from clconform.oracles.engine.tolerances import NumberTolerance
    from clconform.oracles.model.image_formats import TexelLayout

PLAIN = [f"CL_{family}_INT{bits}" for family in ("UNORM", "SNORM", "SIGNED", "UNSIGNED") for bits in (8, 16)]
SOLE = {"CL_DEPTH": ("CL_UNORM_INT16", "CL_FLOAT"), "CL_LUMINANCE": PLAIN[:2], "CL_INTENSITY": PLAIN[:2]}
"""Channel orders with their own reading rules."""
FORMATS = [
    *(("CL_RGBA", channel_type) for channel_type in (*PLAIN, "CL_HALF_FLOAT")),
    *((order, "CL_UNORM_INT8") for order in ("CL_R", "CL_A", "CL_RG", "CL_RA", "CL_RGB", "CL_BGRA", "CL_ARGB")),
    *((order, "CL_UNORM_INT8") for order in ("CL_ABGR", "CL_sRGB", "CL_sRGBA", "CL_sBGRA")),
    *((order, channel_type) for order, types in SOLE.items() for channel_type in types if channel_type != "CL_FLOAT"),
    ("CL_RGB", "CL_UNORM_SHORT_565"),
    ("CL_RGB", "CL_UNORM_SHORT_555"),
    ("CL_RGB", "CL_UNORM_INT_101010"),
    ("CL_RGBA", "CL_UNORM_INT_101010_2"),
]
"""Formats with channels of at most 16 bits, so that all values can be tested."""
AS_OF_ONE_CHANNEL = ("CL_INTENSITY", "CL_LUMINANCE", "CL_DEPTH")
"""Orders of one channel whose values are converted as in CL_R."""
SHARE = 1 if ALL else 17
"""Step between the tested 16-bit values of such an order."""
THIRD = 1 if ALL else 3
"""Step between the tested 16-bit values of other orders."""
ULPS = Fraction(3, 2)
"""Maximum error of a normalised number that is read (8.3.1.1), in units of its last place."""
CURVE = Fraction(6, 10)
"""Maximum error of a number that is read from sRGB, in steps of the stored value on the curve (8.3.5)."""
SHIFT = 150
"""Every finite number of 32 bits is a multiple of 2 to the minus 149."""
FLOATS = (0x00000000, 0x80000000, 0x3F800000, 0x00000001, 0x807FFFFF, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000)
INTEGERS = (0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65535, 65536, 2**31 - 1, -(2**31))


def layout(order: str, channel_type: str) -> TexelLayout:
    """Return the layout of a format that has one."""
    found = texel_layout(order, channel_type)
    assert found is not None
    return found


def single(number: float) -> float:
    """Return the nearest 32-bit float."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


def bits(number: float) -> int:
    """Return the bits of a 32-bit float."""
    return int.from_bytes(struct.pack("<f", number), "little")


def number_of(pattern: int) -> float:
    """Return the 32-bit float that a pattern stands for."""
    return float(struct.unpack("<f", pattern.to_bytes(4, "little"))[0])


def ends(field: NumberTolerance) -> tuple[float, float]:
    """Return the least and the greatest number that are permitted."""
    return tuple(number_of(place if place >= 0 else 0x80000000 - place) for place in (field.low, field.high))  # type: ignore[return-value]


def wrong_reading(value: exact.Value, field: NumberTolerance | None, curved: int | None, *, integers: bool) -> str:
    """Return the error in the permitted values of a read component, or none; ``curved``: the stored sRGB value."""
    if field is None:
        return "nothing is known"
    if isinstance(value, Special):
        pattern = {Special.NAN: 0x7FC00000, Special.INFINITY: 0x7F800000, Special.MINUS_INFINITY: 0xFF800000}[value]
        others = field.accepts(0x7F7FFFFF) or field.accepts(0)
        return "" if field.accepts(pattern) and not others and field.low == field.high else "not special"
    if integers:
        assert isinstance(value, Fraction)
        low, high = field.low, field.high
        return "" if low == high == value and field.accepts(int(value) & 0xFFFFFFFF) else "another integer"
    low, high = ends(field)
    if curved is not None:
        return _off_the_curve(value, low, high, curved)
    assert isinstance(value, Fraction)
    if low == high == value:
        return ""
    below, above = _less(value, low), -_less(value, high)
    if (value.denominator == 1 and abs(value.numerator) <= 1) or below < 0 or above < 0:
        return f"{low} to {high}, not {float(value)}"
    farthest = farthest_from(math.frexp(value)[1]) * (value.denominator << SHIFT)
    return "" if below <= farthest and above <= farthest else f"{low} to {high} for {float(value)}"


def _less(value: Fraction, number: float) -> int:
    """Return the value minus a 32-bit float, times the value's denominator and 2 to the ``SHIFT``."""
    numerator, denominator = number.as_integer_ratio()
    return (value.numerator << SHIFT) - value.denominator * numerator * ((1 << SHIFT) // denominator)


@functools.cache
def farthest_from(exponent: int) -> Fraction:
    """Return the maximum error of a read number whose exact value has this binary exponent."""
    return ULPS * Fraction(2) ** (exponent - 24)


def _off_the_curve(value: exact.Value, low: float, high: float, curved: int) -> str:
    bounds = value if isinstance(value, Bounds) else Bounds(value, value)  # type: ignore[arg-type]
    if not Fraction(low) <= bounds.low <= bounds.high <= Fraction(high):
        return f"{low} to {high} without the exact one"
    stored = [exact.on_the_curve(min(max(Fraction(end), Fraction(0)), Fraction(1))) for end in (low, high)]
    steps = [abs(end * 255 - curved) for each in stored for end in each]
    return "" if max(steps) <= CURVE + Fraction(1, 1000) else f"{low} to {high} are {float(max(steps))} steps away"


@pytest.mark.parametrize(("order", "channel_type"), FORMATS)
def test_every_value_is_read_as_the_exact_one(order: str, channel_type: str) -> None:
    of_texel, integers = layout(order, channel_type), "SIGNED" in channel_type
    for raw in texels(order, channel_type):
        told = read_texel(of_texel, defined_bytes(raw))
        for index, (value, field) in enumerate(zip(exact.reading(order, channel_type, raw), told, strict=True)):
            if order == "CL_DEPTH" and index:
                continue
            curved = stored_at(order, index, raw) if order.startswith("CL_s") and index < 3 else None
            assert wrong_reading(value, field, curved, integers=integers) == "", (raw.hex(), index)


def stored_at(order: str, index: int, raw: bytes) -> int:
    """Return the byte in which a component of a colour is stored."""
    return raw[exact.IN_MEMORY[order].index("RGBA"[index])]


def texels(order: str, channel_type: str) -> Iterator[bytes]:
    """Yield texels with every value of each component, except for some formats with 16-bit components.

    Four 16-bit components share every third block of values. Every 17th value or block is enough for single 16-bit
    components of orders that are converted as CL_R, and for 16-bit integers, which are read as 8-bit integers. With
    ``CLCONFORM_TESTS=all``, no value is left out.
    """
    size, places = exact.fields(order, channel_type)
    if size < 8:
        step = SHARE if size > 1 and order in AS_OF_ONE_CHANNEL else 1
        yield from itertools.islice(exact.every_texel(order, channel_type), 0, None, step)
        return
    step = SHARE if "SIGNED" in channel_type else THIRD
    for start in range(0, (1 << 16) - len(places) + 1, len(places) * step):
        yield struct.pack("<4H", *(start + index for index in range(len(places))))


@pytest.mark.parametrize("channel_type", ["CL_FLOAT", "CL_SIGNED_INT32", "CL_UNSIGNED_INT32"])
def test_numbers_of_32_bits_are_read_as_they_are(channel_type: str) -> None:
    of_texel = layout("CL_R", channel_type)
    for pattern in (*FLOATS, *(value & 0xFFFFFFFF for value in INTEGERS)):
        raw = pattern.to_bytes(4, "little")
        field, (value, *_) = read_texel(of_texel, defined_bytes(raw))[0], exact.reading("CL_R", channel_type, raw)
        assert wrong_reading(value, field, None, integers="SIGNED" in channel_type) == "", raw.hex()


def colours(order: str, channel_type: str) -> Iterator[tuple[float, ...]]:
    """Yield colours at, between and beyond the values that a format can store."""
    _, places = exact.fields(order, channel_type)
    widest = max(place.bits for place in places)
    numbers = [-2.0, -1.0, -0.0, 0.0, 1.0, 1.5, 1e-45, -1e-40, 0.0031308, 0.04045]
    if channel_type == "CL_HALF_FLOAT":
        numbers += [math.inf, -math.inf]  # unspecified in a normalised channel
        halves = [number_of_half(pattern) for pattern in range(0, 0x7C00, 97)]
        numbers += [*halves, *(-each for each in halves), 65504.0, 65519.0, 65520.0, 65536.0, 1e30, 2.0**-25, 6e-8]
        numbers += [single((low + high) / 2) for low, high in itertools.pairwise(halves)]
    else:
        steps = (1 << widest) - 1
        some = range(0, steps + 1, max(1, steps // 512))
        numbers += [single((step + part) / steps) for step in some for part in (0, 0.39, 0.41, 0.5, 0.59, 0.61)]
        numbers += [-number for number in numbers] if "SNORM" in channel_type else []
    for start in range(0, len(numbers), 4):
        four = [single(number) for number in (numbers * 2)[start : start + 4]]
        yield tuple(four)


def number_of_half(pattern: int) -> float:
    """Return the number that a half's pattern stands for."""
    return float(struct.unpack("<e", pattern.to_bytes(2, "little"))[0])


@pytest.mark.parametrize(("order", "channel_type"), [each for each in FORMATS if "SIGNED" not in each[1]])
def test_colours_become_what_is_nearest(order: str, channel_type: str) -> None:
    of_texel = layout(order, channel_type)
    count = colour_size(of_texel) // 4
    for colour in colours(order, channel_type):
        told = convert_colour(of_texel, struct.pack(f"<{count}f", *colour[:count]))
        for allowed in exact.storing(order, channel_type, colour):
            taken = {pattern for pattern in around(allowed) if accepts(told, allowed.field, pattern)}
            assert allowed.patterns <= taken, (colour, allowed, taken)
            assert taken <= allowed.patterns | allowed.beside | zeros(allowed), (colour, allowed, taken)


def accepts(texel: Content, field: exact.Field, pattern: int) -> bool:
    """Return whether a component of a texel may have a pattern."""
    for at, permitted in texel.tolerances:
        for each in permitted.fields:
            if 8 * at + each.shift == field.shift:
                assert each.bits == field.bits
                return each.accepts(pattern << each.shift)
    touched = texel.defined[field.shift // 8 : (field.shift + field.bits + 7) // 8]
    held = int.from_bytes(texel.bytes_held, "little") >> field.shift & ((1 << field.bits) - 1)
    return not all(touched) or held == pattern


def around(allowed: exact.Permitted) -> set[int]:
    """Return the patterns of a component to test: permitted ones, their neighbours, zeros and the extremes."""
    bits = allowed.field.bits
    steps = (-3, -2, -1, 0, 1, 2, 3)
    near = {(pattern + step) % (1 << bits) for pattern in allowed.patterns | allowed.beside for step in steps}
    return near | {0, 1, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits - 1) + 1, (1 << bits) - 1}


def zeros(allowed: exact.Permitted) -> set[int]:
    """Return both zeros if a floating-point component may be one of them, else an empty set."""
    both = {0, 1 << allowed.field.bits - 1}
    return both if allowed.field.family == "float" and both & (allowed.patterns | allowed.beside) else set()


@pytest.mark.parametrize("channel_type", [each for each in PLAIN if "SIGNED" in each])
def test_integers_beyond_a_channel_saturate_or_are_open(channel_type: str) -> None:
    of_texel = layout("CL_R", channel_type)
    letter = "I" if "UNSIGNED" in channel_type else "i"
    for integer in INTEGERS:
        given = integer & 0xFFFFFFFF if letter == "I" else integer
        (allowed,) = exact.storing("CL_R", channel_type, (given,))
        (pattern,) = allowed.patterns
        kept = exact.reading("CL_R", channel_type, pattern.to_bytes(of_texel.size, "little"))[0] == given
        for saturates in (False, True):
            told = convert_colour(of_texel, struct.pack(f"<4{letter}", *[given] * 4), saturate=saturates)
            taken = {each for each in around(allowed) if accepts(told, allowed.field, each)}
            assert taken == allowed.patterns if kept or saturates else allowed.patterns <= taken, (given, saturates)


def test_a_number_that_is_none_stays_one() -> None:
    for order, channel_type in (("CL_R", "CL_HALF_FLOAT"), ("CL_R", "CL_FLOAT")):
        told = convert_colour(layout(order, channel_type), struct.pack("<4f", *[math.nan] * 4))
        (allowed,) = exact.storing(order, channel_type, (math.nan,))
        bits = allowed.field.bits
        patterns = [*range(0, 1 << bits, (1 << bits) // 997), (1 << bits) - 1, 0x7C01, 0x7F800001]
        assert all(accepts(told, allowed.field, each) <= allowed.has(each) for each in patterns if each < 1 << bits)
        assert accepts(told, allowed.field, (1 << bits) - 1)


def test_layouts_are_those_of_the_second_implementation() -> None:
    names = {"L": "R", "I": "R", "D": "R"}
    for order in exact.IN_MEMORY:
        for channel_type in (*PLAIN, "CL_SIGNED_INT32", "CL_UNSIGNED_INT32", "CL_HALF_FLOAT", "CL_FLOAT"):
            of_texel = layout(order, channel_type)
            size, places = exact.fields(order, channel_type)
            assert size == of_texel.size
            assert [(names.get(each.name, each.name), each.shift, each.bits) for each in of_texel.channels] == [
                (place.component, place.shift, place.bits) for place in places
            ]
