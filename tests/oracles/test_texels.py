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

from ..case_sampling import ALL  # noqa: TID252 (tests are no part of the installed package)
from . import exact_texels as exact
from .exact_texels import FractionBounds, SpecialValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.contents.storage import Content
    from clconform.oracles.engine.tolerances import NumberTolerance
    from clconform.oracles.model.image_formats import TexelLayout

PLAIN_TYPES = [f"CL_{family}_INT{bits}" for family in ("UNORM", "SNORM", "SIGNED", "UNSIGNED") for bits in (8, 16)]
SPECIAL_ORDERS = {
    "CL_DEPTH": ("CL_UNORM_INT16", "CL_FLOAT"),
    "CL_LUMINANCE": PLAIN_TYPES[:2],
    "CL_INTENSITY": PLAIN_TYPES[:2],
}
"""Channel orders with their own reading rules."""
FORMATS = [
    *(("CL_RGBA", channel_type) for channel_type in (*PLAIN_TYPES, "CL_HALF_FLOAT")),
    *((order, "CL_UNORM_INT8") for order in ("CL_R", "CL_A", "CL_RG", "CL_RA", "CL_RGB", "CL_BGRA", "CL_ARGB")),
    *((order, "CL_UNORM_INT8") for order in ("CL_ABGR", "CL_sRGB", "CL_sRGBA", "CL_sBGRA")),
    *(
        (order, channel_type)
        for order, types in SPECIAL_ORDERS.items()
        for channel_type in types
        if channel_type != "CL_FLOAT"
    ),
    ("CL_RGB", "CL_UNORM_SHORT_565"),
    ("CL_RGB", "CL_UNORM_SHORT_555"),
    ("CL_RGB", "CL_UNORM_INT_101010"),
    ("CL_RGBA", "CL_UNORM_INT_101010_2"),
]
"""Formats with channels of at most 16 bits, so that all values can be tested."""
SINGLE_CHANNEL_ORDERS = ("CL_INTENSITY", "CL_LUMINANCE", "CL_DEPTH")
"""Orders of one channel whose values are converted as in CL_R."""
LARGE_STEP = 1 if ALL else 17
"""Step between the tested 16-bit values of such an order."""
SMALL_STEP = 1 if ALL else 3
"""Step between the tested 16-bit values of other orders."""
MAX_ULPS = Fraction(3, 2)
"""Maximum error of a normalised number that is read (8.3.1.1), in units of its last place."""
MAX_CURVE_STEPS = Fraction(6, 10)
"""Maximum error of a number that is read from sRGB, in steps of the stored value on the curve (8.3.5)."""
FLOAT_SHIFT = 150
"""Every finite number of 32 bits is a multiple of 2 to the minus 149."""
FLOATS = (0x00000000, 0x80000000, 0x3F800000, 0x00000001, 0x807FFFFF, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000)
INTEGERS = (0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32769, 65535, 65536, 2**31 - 1, -(2**31))


def get_layout(order: str, channel_type: str) -> TexelLayout:
    """Return the layout of a format that has one."""
    found = texel_layout(order, channel_type)
    assert found is not None
    return found


def round_to_float(number: float) -> float:
    """Return the nearest 32-bit float."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


def encode_float(number: float) -> int:
    """Return the bits of a 32-bit float."""
    return int.from_bytes(struct.pack("<f", number), "little")


def decode_float(pattern: int) -> float:
    """Return the 32-bit float that a pattern stands for."""
    return float(struct.unpack("<f", pattern.to_bytes(4, "little"))[0])


def decode_range(field: NumberTolerance) -> tuple[float, float]:
    """Return the least and the greatest number that are permitted."""
    return tuple(decode_float(place if place >= 0 else 0x80000000 - place) for place in (field.low, field.high))  # type: ignore[return-value]


def find_reading_error(
    value: exact.ChannelValue, field: NumberTolerance | None, curved: int | None, *, integers: bool
) -> str:
    """Return why the permitted values of a read component are not correct, or "". ``curved``: the stored sRGB value."""
    if field is None:
        return "nothing is known"
    if isinstance(value, SpecialValue):
        pattern = {
            SpecialValue.NAN: 0x7FC00000,
            SpecialValue.INFINITY: 0x7F800000,
            SpecialValue.MINUS_INFINITY: 0xFF800000,
        }[value]
        others = field.accepts(0x7F7FFFFF) or field.accepts(0)
        return "" if field.accepts(pattern) and not others and field.low == field.high else "not special"
    if integers:
        assert isinstance(value, Fraction)
        low, high = field.low, field.high
        return "" if low == high == value and field.accepts(int(value) & 0xFFFFFFFF) else "another integer"
    low, high = decode_range(field)
    if curved is not None:
        return _find_curve_error(value, low, high, curved)
    assert isinstance(value, Fraction)
    if low == high == value:
        return ""
    below, above = _subtract_scaled(value, low), -_subtract_scaled(value, high)
    if (value.denominator == 1 and abs(value.numerator) <= 1) or below < 0 or above < 0:
        return f"{low} to {high}, not {float(value)}"
    farthest = get_max_error(math.frexp(value)[1]) * (value.denominator << FLOAT_SHIFT)
    return "" if below <= farthest and above <= farthest else f"{low} to {high} for {float(value)}"


def _subtract_scaled(value: Fraction, number: float) -> int:
    """Return the value minus a 32-bit float, times the value's denominator and 2 to the ``FLOAT_SHIFT``."""
    numerator, denominator = number.as_integer_ratio()
    return (value.numerator << FLOAT_SHIFT) - value.denominator * numerator * ((1 << FLOAT_SHIFT) // denominator)


@functools.cache
def get_max_error(exponent: int) -> Fraction:
    """Return the maximum error of a read number whose exact value has this binary exponent."""
    return MAX_ULPS * Fraction(2) ** (exponent - 24)


def _find_curve_error(value: exact.ChannelValue, low: float, high: float, curved: int) -> str:
    bounds = value if isinstance(value, FractionBounds) else FractionBounds(value, value)  # type: ignore[arg-type]
    if not Fraction(low) <= bounds.low <= bounds.high <= Fraction(high):
        return f"{low} to {high} without the exact one"
    stored = [exact.encode_srgb(min(max(Fraction(end), Fraction(0)), Fraction(1))) for end in (low, high)]
    steps = [abs(end * 255 - curved) for each in stored for end in each]
    return (
        ""
        if max(steps) <= MAX_CURVE_STEPS + Fraction(1, 1000)
        else f"{low} to {high} are {float(max(steps))} steps away"
    )


@pytest.mark.parametrize(("order", "channel_type"), FORMATS)
def test_texels_are_read_as_their_exact_values_within_tolerance(order: str, channel_type: str) -> None:
    of_texel, integers = get_layout(order, channel_type), "SIGNED" in channel_type
    for raw in list_texels(order, channel_type):
        told = read_texel(of_texel, defined_bytes(raw))
        for index, (value, field) in enumerate(zip(exact.decode_texel(order, channel_type, raw), told, strict=True)):
            if order == "CL_DEPTH" and index:
                continue
            curved = get_stored_byte(order, index, raw) if order.startswith("CL_s") and index < 3 else None
            assert find_reading_error(value, field, curved, integers=integers) == "", (raw.hex(), index)


def get_stored_byte(order: str, index: int, raw: bytes) -> int:
    """Return the byte in which a component of a colour is stored."""
    return raw[exact.MEMORY_ORDER[order].index("RGBA"[index])]


def list_texels(order: str, channel_type: str) -> Iterator[bytes]:
    """Yield texels with every value of each component, except for some formats with 16-bit components.

    Four 16-bit components share every third block of values. Every 17th value or block is enough for single 16-bit
    components of orders that are converted as CL_R, and for 16-bit integers, which are read as 8-bit integers. With
    ``CLCONFORM_TESTS=all``, no value is left out.
    """
    size, places = exact.get_texel_fields(order, channel_type)
    if size < 8:
        step = LARGE_STEP if size > 1 and order in SINGLE_CHANNEL_ORDERS else 1
        yield from itertools.islice(exact.generate_texels(order, channel_type), 0, None, step)
        return
    step = LARGE_STEP if "SIGNED" in channel_type else SMALL_STEP
    for start in range(0, (1 << 16) - len(places) + 1, len(places) * step):
        yield struct.pack("<4H", *(start + index for index in range(len(places))))


@pytest.mark.parametrize("channel_type", ["CL_FLOAT", "CL_SIGNED_INT32", "CL_UNSIGNED_INT32"])
def test_texels_of_32_bits_are_read_unchanged(channel_type: str) -> None:
    of_texel = get_layout("CL_R", channel_type)
    for pattern in (*FLOATS, *(value & 0xFFFFFFFF for value in INTEGERS)):
        raw = pattern.to_bytes(4, "little")
        field, (value, *_) = read_texel(of_texel, defined_bytes(raw))[0], exact.decode_texel("CL_R", channel_type, raw)
        assert find_reading_error(value, field, None, integers="SIGNED" in channel_type) == "", raw.hex()


def list_colours(order: str, channel_type: str) -> Iterator[tuple[float, ...]]:
    """Yield colours at, between and beyond the values that a format can store."""
    _, places = exact.get_texel_fields(order, channel_type)
    widest = max(place.bits for place in places)
    numbers = [-2.0, -1.0, -0.0, 0.0, 1.0, 1.5, 1e-45, -1e-40, 0.0031308, 0.04045]
    if channel_type == "CL_HALF_FLOAT":
        numbers += [math.inf, -math.inf]  # unspecified in a normalised channel
        halves = [decode_half(pattern) for pattern in range(0, 0x7C00, 97)]
        numbers += [*halves, *(-each for each in halves), 65504.0, 65519.0, 65520.0, 65536.0, 1e30, 2.0**-25, 6e-8]
        numbers += [round_to_float((low + high) / 2) for low, high in itertools.pairwise(halves)]
    else:
        steps = (1 << widest) - 1
        some = range(0, steps + 1, max(1, steps // 512))
        numbers += [round_to_float((step + part) / steps) for step in some for part in (0, 0.39, 0.41, 0.5, 0.59, 0.61)]
        numbers += [-number for number in numbers] if "SNORM" in channel_type else []
    for start in range(0, len(numbers), 4):
        four = [round_to_float(number) for number in (numbers * 2)[start : start + 4]]
        yield tuple(four)


def decode_half(pattern: int) -> float:
    """Return the number that a half's pattern stands for."""
    return float(struct.unpack("<e", pattern.to_bytes(2, "little"))[0])


@pytest.mark.parametrize(("order", "channel_type"), [each for each in FORMATS if "SIGNED" not in each[1]])
def test_colours_are_stored_as_nearest_values(order: str, channel_type: str) -> None:
    of_texel = get_layout(order, channel_type)
    count = colour_size(of_texel) // 4
    for colour in list_colours(order, channel_type):
        told = convert_colour(of_texel, struct.pack(f"<{count}f", *colour[:count]))
        for allowed in exact.find_permitted_patterns(order, channel_type, colour):
            taken = {
                pattern for pattern in list_test_patterns(allowed) if accepts_pattern(told, allowed.field, pattern)
            }
            assert allowed.patterns <= taken, (colour, allowed, taken)
            assert taken <= allowed.patterns | allowed.nearest | list_zeros(allowed), (colour, allowed, taken)


def accepts_pattern(texel: Content, field: exact.TexelField, pattern: int) -> bool:
    """Return whether a component of a texel may have a pattern."""
    for at, permitted in texel.tolerances:
        for each in permitted.fields:
            if 8 * at + each.shift == field.shift:
                assert each.bits == field.bits
                return each.accepts(pattern << each.shift)
    touched = texel.defined[field.shift // 8 : (field.shift + field.bits + 7) // 8]
    held = int.from_bytes(texel.bytes_held, "little") >> field.shift & ((1 << field.bits) - 1)
    return not all(touched) or held == pattern


def list_test_patterns(allowed: exact.PermittedPatterns) -> set[int]:
    """Return the patterns of a component to test: permitted ones, their neighbours, zeros and the extremes."""
    bits = allowed.field.bits
    steps = (-3, -2, -1, 0, 1, 2, 3)
    near = {(pattern + step) % (1 << bits) for pattern in allowed.patterns | allowed.nearest for step in steps}
    return near | {0, 1, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits - 1) + 1, (1 << bits) - 1}


def list_zeros(allowed: exact.PermittedPatterns) -> set[int]:
    """Return both zeros if a floating-point component may be one of them, else an empty set."""
    both = {0, 1 << allowed.field.bits - 1}
    return both if allowed.field.family == "float" and both & (allowed.patterns | allowed.nearest) else set()


@pytest.mark.parametrize("channel_type", [each for each in PLAIN_TYPES if "SIGNED" in each])
def test_stored_integers_out_of_range_saturate_or_are_unspecified(channel_type: str) -> None:
    of_texel = get_layout("CL_R", channel_type)
    letter = "I" if "UNSIGNED" in channel_type else "i"
    for integer in INTEGERS:
        given = integer & 0xFFFFFFFF if letter == "I" else integer
        (allowed,) = exact.find_permitted_patterns("CL_R", channel_type, (given,))
        (pattern,) = allowed.patterns
        kept = exact.decode_texel("CL_R", channel_type, pattern.to_bytes(of_texel.size, "little"))[0] == given
        for saturates in (False, True):
            told = convert_colour(of_texel, struct.pack(f"<4{letter}", *[given] * 4), saturate=saturates)
            taken = {each for each in list_test_patterns(allowed) if accepts_pattern(told, allowed.field, each)}
            assert taken == allowed.patterns if kept or saturates else allowed.patterns <= taken, (given, saturates)


def test_nan_colour_is_stored_as_nan() -> None:
    for order, channel_type in (("CL_R", "CL_HALF_FLOAT"), ("CL_R", "CL_FLOAT")):
        told = convert_colour(get_layout(order, channel_type), struct.pack("<4f", *[math.nan] * 4))
        (allowed,) = exact.find_permitted_patterns(order, channel_type, (math.nan,))
        bits = allowed.field.bits
        patterns = [*range(0, 1 << bits, (1 << bits) // 997), (1 << bits) - 1, 0x7C01, 0x7F800001]
        assert all(
            accepts_pattern(told, allowed.field, each) <= allowed.permits(each) for each in patterns if each < 1 << bits
        )
        assert accepts_pattern(told, allowed.field, (1 << bits) - 1)


def test_texel_layouts_equal_the_second_implementation() -> None:
    names = {"L": "R", "I": "R", "D": "R"}
    for order in exact.MEMORY_ORDER:
        for channel_type in (*PLAIN_TYPES, "CL_SIGNED_INT32", "CL_UNSIGNED_INT32", "CL_HALF_FLOAT", "CL_FLOAT"):
            of_texel = get_layout(order, channel_type)
            size, places = exact.get_texel_fields(order, channel_type)
            assert size == of_texel.size
            assert [(names.get(each.name, each.name), each.shift, each.bits) for each in of_texel.channels] == [
                (place.component, place.shift, place.bits) for place in places
            ]
