"""The permitted results of a kernel's read_image functions for a texel (section 8.3 of OpenCL C).

Integers are returned unchanged. For normalised and sRGB numbers OpenCL C bounds the error, so several results are
permitted.
"""

from __future__ import annotations

import functools
import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING

from clconform.oracles.contents import srgb
from clconform.oracles.contents.storage import Content
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.tolerances import (
    SIGNIFICANDS,
    BytesTolerance,
    NumberTolerance,
    bits_of_key,
    is_nan,
    sort_key,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.oracles.model.image_formats import Channel, TexelLayout

INTERPRETATION = InterpretationId("texel-conversion-bounds")
"""The id of the interpretation for the bounds of conversions."""
FLOAT, WORD, WORD_BYTES = "float", 32, 4
MAX_ULP_ERROR = Fraction(3, 2)
"""Maximum error of a normalised number, in units in the last place."""
MAX_SRGB_ERROR = Fraction(1, 2)
"""Maximum difference between an sRGB result that is converted back and the stored number."""
ONE = 0x3F800000
"""The bits of 1.0."""
CHANNEL_SOURCES = {
    "L": ("L", "L", "L", ""),
    "I": ("I", "I", "I", "I"),
    "D": ("D", "", "", ""),
}
"""Maps the channel of a single-channel format to the source channels of red, green, blue and alpha.

A name is empty for a component without a source.
"""
COLOURS = ("R", "G", "B", "A")


def read_texel(layout: TexelLayout, texel: Content, at: int = 0) -> tuple[NumberTolerance | None, ...]:
    """Return the permitted results of read_imagef, or read_imagei or read_imageui for integers, for a texel.

    ``at``: the offset of the texel in the bytes. The result has four 32-bit numbers for red, green, blue and alpha;
    None stands for an unknown number. For depth, the function returns only the first number; the kernels of the suites
    add the others.
    """
    sources = {channel.name: channel for channel in layout.channels}
    alpha_is_one = not {"A", "I"}.intersection(sources)
    found: list[NumberTolerance | None] = []
    for name, colour in zip(_channel_sources(layout), COLOURS, strict=True):
        if name:
            found.append(_read_channel(layout, sources[name], texel, at))
        else:
            found.append(_missing_channel(layout, one=colour == "A" and alpha_is_one))
    return tuple(found)


def border_colour(layout: TexelLayout, *, opaque: bool) -> tuple[NumberTolerance | None, ...]:
    """Return the colour of texels outside the image: zeros, with an alpha of 1 if the channel order is ``opaque``."""
    zero = _missing_channel(layout, one=False)
    return zero, zero, zero, _missing_channel(layout, one=opaque)


def _channel_sources(layout: TexelLayout) -> tuple[str, ...]:
    names = {channel.name for channel in layout.channels}
    single = CHANNEL_SOURCES.get(layout.channels[0].name)
    return single or tuple(colour if colour in names else "" for colour in COLOURS)


def _missing_channel(layout: TexelLayout, *, one: bool) -> NumberTolerance:
    if layout.encoding in ("sint", "uint"):
        return NumberTolerance(layout.encoding, 0, WORD, int(one), int(one), int(one))
    return _exact_word(ONE if one else 0)


def _exact_word(raw: int) -> NumberTolerance:
    return NumberTolerance(FLOAT, 0, WORD, raw, raw, raw)


def stored_range(layout: TexelLayout, channel: Channel, texel: Content, at: int) -> NumberTolerance | None:
    """Return the permitted stored numbers of a channel of a texel, or None if unknown."""
    whole = slice(at, at + layout.size)
    first, last = at + channel.shift // 8, at + (channel.shift + channel.bits + 7) // 8
    if all(texel.defined[first:last]):
        raw = int.from_bytes(texel.bytes_held[whole], "little") >> channel.shift & ((1 << channel.bits) - 1)
        place = sort_key(channel.encoding, channel.bits, raw)
        return NumberTolerance(
            channel.encoding,
            0,
            channel.bits,
            place,
            place,
            raw,
            requires_nan=is_nan(channel.encoding, channel.bits, raw),
        )
    for start, permitted in texel.tolerances:
        if start <= first and last <= start + permitted.size:
            shift = channel.shift - 8 * (start - at)
            return next(
                (one.with_shift(0) for one in permitted.fields if (one.shift, one.bits) == (shift, channel.bits)), None
            )
    return None


def _read_channel(layout: TexelLayout, channel: Channel, texel: Content, at: int) -> NumberTolerance | None:
    held = stored_range(layout, channel, texel, at)
    if held is None:
        return None
    usual = convert_channel(layout, channel, held.preferred)
    if held.requires_nan:
        return usual
    ends = (bits_of_key(channel.encoding, channel.bits, each) for each in (held.low, held.high))
    low, high = (usual if raw == held.preferred else convert_channel(layout, channel, raw) for raw in ends)
    return NumberTolerance(
        low.kind,
        0,
        WORD,
        low.low,
        high.high,
        usual.preferred,
        allows_zero=held.allows_zero or low.allows_zero or high.allows_zero,
    )


@functools.cache
def convert_channel(layout: TexelLayout, channel: Channel, raw: int) -> NumberTolerance:
    """Return the permitted results of reading a channel with these bits."""
    kind, bits = channel.encoding, channel.bits
    place = sort_key(kind, bits, raw)
    if kind in ("sint", "uint"):
        return NumberTolerance(kind, 0, WORD, place, place, place & ((1 << WORD) - 1))
    if kind in SIGNIFICANDS:
        return _convert_float(kind, bits, raw)
    if layout.srgb and channel.name != "A":
        return _convert_srgb(place, bits)
    most = (1 << bits - (kind == "snorm")) - 1
    return _tolerance_around(max(Fraction(place, most), Fraction(-1)))


def _convert_float(kind: str, bits: int, raw: int) -> NumberTolerance:
    """Return the permitted results of reading a floating-point number: the number, or 0 if it is subnormal."""
    if is_nan(kind, bits, raw):
        return NumberTolerance(FLOAT, 0, WORD, 0, 0, 0x7FC00000, requires_nan=True)
    number = struct.unpack("<e" if kind == "half" else "<f", raw.to_bytes(bits // 8, "little"))[0]
    place = nearest_key(number)
    small = 0 < abs(sort_key(kind, bits, raw)) < 1 << SIGNIFICANDS[kind]
    return NumberTolerance(
        FLOAT,
        0,
        WORD,
        place,
        place,
        bits_of_key(FLOAT, WORD, place) if number else raw << WORD - bits,
        allows_zero=small,
    )


def _convert_srgb(place: int, bits: int) -> NumberTolerance:
    most = (1 << bits) - 1
    low, usual, high = (
        srgb.linear_intensity(float(each / most))
        for each in (place - MAX_SRGB_ERROR, Fraction(place), place + MAX_SRGB_ERROR)
    )
    least, middle, greatest = (nearest_key(each) for each in (max(low, 0.0), usual, high))
    return NumberTolerance(FLOAT, 0, WORD, least, greatest, bits_of_key(FLOAT, WORD, middle))


def _tolerance_around(number: Fraction) -> NumberTolerance:
    """Return the floating-point numbers that are close enough to an exact result; -1, 0 and 1 must be exact."""
    middle = nearest_key(float(number))
    if number.denominator == 1:
        return NumberTolerance(FLOAT, 0, WORD, middle, middle, bits_of_key(FLOAT, WORD, middle))
    _, exponent = math.frexp(float(number))
    reach = MAX_ULP_ERROR * Fraction(2) ** (exponent - SIGNIFICANDS[FLOAT] - 1)
    least, greatest = number - reach, number + reach
    low = next(each for each in range(middle - 3, middle + 1) if _compare(each, least) >= 0)
    high = next(each for each in range(middle + 3, middle - 1, -1) if _compare(each, greatest) <= 0)
    return NumberTolerance(FLOAT, 0, WORD, low, high, bits_of_key(FLOAT, WORD, middle))


def _compare(place: int, number: Fraction) -> int:
    """Return the sign of the difference between the 32-bit number with this sort key and ``number``."""
    above, below = _float_of_key(place).as_integer_ratio()
    return above * number.denominator - number.numerator * below


def nearest_key(number: float) -> int:
    """Return the sort key of the nearest 32-bit number."""
    return sort_key(FLOAT, WORD, struct.unpack("<I", struct.pack("<f", number))[0])


def _float_of_key(place: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits_of_key(FLOAT, WORD, place)))[0])


def encode_words(fields: Sequence[NumberTolerance | None]) -> Content:
    """Return the concatenated 32-bit numbers: integers as bytes, floating-point numbers as tolerances."""
    held, defined, loose = bytearray(), bytearray(), []
    for field in fields:
        exact = field is not None and field.kind not in SIGNIFICANDS
        if field is not None and not exact:
            loose.append((len(held), BytesTolerance(WORD_BYTES, (field,), INTERPRETATION)))
        held += (field.preferred if field else 0).to_bytes(WORD_BYTES, "little")
        defined += bytes([exact]) * WORD_BYTES
    return Content(bytes(held), bytes(defined), [""] * len(held), tuple(loose))
