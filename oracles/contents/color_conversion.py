"""Conversion of a colour to a texel: by clEnqueueFillImage (section 5.3.5), or by a kernel's write_image functions.

The OpenCL API specification requires the conversion to the image's format, but does not define it. Section 8.3 of
OpenCL C defines it, and bounds the rounding: both neighbours of the exact value are permitted.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING

from clconform.oracles.contents import srgb
from clconform.oracles.contents.storage import defined_bytes, unknown_bytes
from clconform.oracles.contents.texels import INTERPRETATION
from clconform.oracles.engine.tolerances import (
    SIGNIFICANDS,
    BytesTolerance,
    NumberTolerance,
    bits_of_key,
    is_nan,
    sort_key,
)

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.engine.tolerances import Tolerances
    from clconform.oracles.model.image_formats import Channel, TexelLayout

WORD_BYTES = 4
COLOUR_INDICES = {"R": 0, "G": 1, "B": 2, "A": 3, "L": 0, "I": 0, "D": 0}
"""Maps the name of a channel to the index of its number in a colour."""


def colour_size(layout: TexelLayout) -> int:
    """Return the number of bytes of a colour: one number for depth, four numbers for other channel orders."""
    return WORD_BYTES if layout.channels[0].name == "D" else WORD_BYTES * len("RGBA")


def convert_colour(layout: TexelLayout, colour: bytes, *, saturate: bool = False) -> Content:
    """Return the texel of a colour.

    ``colour``: 32-bit numbers for red, green, blue and alpha, or one number for depth; integers for integer formats,
    otherwise floating-point numbers. Channels with several permitted numbers get a tolerance; channels with an
    unspecified number are unknown. ``saturate``: an integer outside the range of its channel becomes the nearest number
    in the range; otherwise the result is unspecified.
    """
    words = _colour_words(layout, colour)
    fields = [
        _convert_channel(layout, channel, word, saturates=saturate)
        for channel, word in zip(layout.channels, words, strict=True)
    ]
    held = sum(field.preferred << field.shift for field in fields if field).to_bytes(layout.size, "little")
    if layout.encoding in ("sint", "uint") and all(map(_is_in_channel_range, layout.channels, words)):
        return defined_bytes(held)
    if any(channel.shift % 8 or channel.bits % 8 for channel in layout.channels):
        known = tuple(field for field in fields if field is not None)
        loose: Tolerances = ((0, BytesTolerance(layout.size, known, INTERPRETATION)),)
    else:
        loose = tuple(
            (field.shift // 8, BytesTolerance(field.bits // 8, (field.with_shift(0),), INTERPRETATION))
            for field in fields
            if field
        )
    return unknown_bytes(layout.size)._replace(bytes_held=held, tolerances=loose)


def is_within_range(layout: TexelLayout, colour: bytes) -> bool:
    """Return whether all numbers of a colour are within the ranges of integer channels; True for other formats."""
    return layout.encoding not in ("sint", "uint") or all(
        map(_is_in_channel_range, layout.channels, _colour_words(layout, colour))
    )


def _colour_words(layout: TexelLayout, colour: bytes) -> list[int]:
    return [
        struct.unpack_from("<I", colour, WORD_BYTES * COLOUR_INDICES[channel.name])[0] for channel in layout.channels
    ]


def _is_in_channel_range(channel: Channel, word: int) -> bool:
    """Return whether an integer is within a channel's range, so that it is stored unchanged."""
    low, high = _channel_range(channel)
    return low <= sort_key(channel.encoding, 8 * WORD_BYTES, word) <= high


def _channel_range(channel: Channel) -> tuple[int, int]:
    half = 1 << channel.bits - 1
    return (-half, half - 1) if channel.encoding == "sint" else (0, 2 * half - 1)


def _convert_channel(layout: TexelLayout, channel: Channel, word: int, *, saturates: bool) -> NumberTolerance | None:
    if channel.encoding in ("sint", "uint"):
        return _convert_integer(channel, word, saturates=saturates)
    if is_nan("float", 32, word):
        return _convert_nan(channel) if channel.encoding in SIGNIFICANDS else None
    number = struct.unpack("<f", word.to_bytes(WORD_BYTES, "little"))[0]
    if channel.encoding in SIGNIFICANDS:
        if channel.name == "D" and not 0 <= number <= 1:
            return None  # depths are numbers from 0 to 1
        return _convert_float(channel, number, word)
    if math.isinf(number):
        return None  # OpenCL C defines its conversion, and drivers differ
    if layout.srgb and channel.name != "A":
        return _convert_normalised(channel, srgb.stored_value(number))
    return _convert_normalised(channel, number)


def _convert_integer(channel: Channel, word: int, *, saturates: bool) -> NumberTolerance | None:
    number = sort_key(channel.encoding, 8 * WORD_BYTES, word)
    low, high = _channel_range(channel)
    kept = min(max(number, low), high)
    if kept != number and not saturates:
        return None
    bits = kept & ((1 << channel.bits) - 1)
    return NumberTolerance(channel.encoding, channel.shift, channel.bits, kept, kept, bits)


def _convert_normalised(channel: Channel, number: float) -> NumberTolerance:
    """Return the permitted stored numbers: the value is clamped, and multiplied by the largest stored number."""
    bits, signed = channel.bits, channel.encoding == "snorm"
    most = (1 << bits - signed) - 1
    least = -most if signed else 0
    clamped = Fraction(min(max(number, -1.0 if signed else 0.0), 1.0)) * most
    low, high, usual = math.floor(clamped), math.ceil(clamped), round(clamped)
    if signed and number < -1:
        low = least - 1  # the bits have one more number, which also stands for -1
    return NumberTolerance(channel.encoding, channel.shift, bits, low, high, usual & ((1 << bits) - 1))


def _convert_nan(channel: Channel) -> NumberTolerance:
    quiet = ((1 << channel.bits - SIGNIFICANDS[channel.encoding]) - 1) << SIGNIFICANDS[channel.encoding] - 1
    return NumberTolerance(
        channel.encoding, channel.shift, channel.bits, 0, 0, quiet & ((1 << channel.bits - 1) - 1), requires_nan=True
    )


def _convert_float(channel: Channel, number: float, word: int) -> NumberTolerance:
    """Return the permitted floating-point numbers of the channel's width; a subnormal number may become 0."""
    bits, kind = channel.bits, channel.encoding
    smallest = 1 << SIGNIFICANDS[kind]
    if kind == "float":
        place = sort_key(kind, bits, word)
        return NumberTolerance(kind, channel.shift, bits, place, place, word, allows_zero=0 < abs(place) < smallest)
    low, high = _neighbouring_halves(abs(number))
    usual = _nearest_half(abs(number))
    if number < 0:
        low, high, usual = -high, -low, -usual
    usual_bits = bits_of_key(kind, bits, usual) if usual else word >> 16
    return NumberTolerance(
        kind, channel.shift, bits, low, high, usual_bits, allows_zero=min(abs(low), abs(high)) < smallest
    )


INFINITE_HALF, LARGEST_HALF = 0x7C00, 65504.0
OVERFLOW = 65520.0
"""The smallest number that becomes infinity with rounding to nearest."""


def _neighbouring_halves(number: float) -> tuple[int, int]:
    """Return the bits of the 16-bit numbers below and above a nonnegative number."""
    if math.isinf(number):
        return INFINITE_HALF, INFINITE_HALF
    if number > LARGEST_HALF:
        return INFINITE_HALF - 1, INFINITE_HALF
    near = _nearest_half(number)
    value = struct.unpack("<e", near.to_bytes(2, "little"))[0]
    return near - (value > number), near + (value < number)


def _nearest_half(number: float) -> int:
    if number >= OVERFLOW:
        return INFINITE_HALF
    return int(struct.unpack("<H", struct.pack("<e", min(number, LARGEST_HALF)))[0])
