"""Conversion of a colour to a texel: by clEnqueueFillImage (section 5.3.5), or by a kernel's write_image functions.

The OpenCL API specification requires the conversion to the image's format, but does not define it. OpenCL C does (its
section 8.3), and bounds the rounding: both neighbours of the exact value are permitted.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING

from clconform.oracles.contents import srgb
from clconform.oracles.contents.storage import plain, unknown
from clconform.oracles.contents.texels import ENTRY
from clconform.oracles.engine.permitted import SIGNIFICANDS, Field, Permitted, bits_of, is_nan, ordered

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.engine.permitted import Loose
    from clconform.oracles.model.image_formats import Channel, TexelLayout

WORD_BYTES = 4
PLACES = {"R": 0, "G": 1, "B": 2, "A": 3, "L": 0, "I": 0, "D": 0}
"""Channel to the index of its number in a colour."""


def colour_bytes(layout: TexelLayout) -> int:
    """Return the bytes of a colour: of one number for depth, and of four otherwise."""
    return WORD_BYTES if layout.channels[0].name == "D" else WORD_BYTES * len("RGBA")


def storing(layout: TexelLayout, colour: bytes, *, saturates: bool = False) -> Content:
    """Return a texel of a colour: 32-bit numbers for red, green, blue and alpha, or one for depth.

    The numbers are integers for integer formats, else floating-point numbers. Channels with several permitted numbers
    get a tolerance; undetermined channels are unknown. ``saturates``: an integer beyond a channel's range becomes the
    nearest one; otherwise its result is unspecified.
    """
    words = _words(layout, colour)
    fields = [
        _stored(layout, channel, word, saturates=saturates)
        for channel, word in zip(layout.channels, words, strict=True)
    ]
    held = sum(field.usual << field.shift for field in fields if field).to_bytes(layout.size, "little")
    if layout.encoding in ("sint", "uint") and all(map(_fits, layout.channels, words)):
        return plain(held)
    if any(channel.shift % 8 or channel.bits % 8 for channel in layout.channels):
        known = tuple(field for field in fields if field is not None)
        loose: Loose = ((0, Permitted(layout.size, known, ENTRY)),)
    else:
        loose = tuple(
            (field.shift // 8, Permitted(field.bits // 8, (field.moved(0),), ENTRY)) for field in fields if field
        )
    return unknown(layout.size)._replace(held=held, loose=loose)


def within_range(layout: TexelLayout, colour: bytes) -> bool:
    """Return whether all integers of a colour are within the ranges of the channels; others are clamped or rounded."""
    return layout.encoding not in ("sint", "uint") or all(map(_fits, layout.channels, _words(layout, colour)))


def _words(layout: TexelLayout, colour: bytes) -> list[int]:
    return [struct.unpack_from("<I", colour, WORD_BYTES * PLACES[channel.name])[0] for channel in layout.channels]


def _fits(channel: Channel, word: int) -> bool:
    """Return whether an integer is within a channel's range, so that it is stored unchanged."""
    low, high = _range_of(channel)
    return low <= ordered(channel.encoding, 8 * WORD_BYTES, word) <= high


def _range_of(channel: Channel) -> tuple[int, int]:
    half = 1 << channel.bits - 1
    return (-half, half - 1) if channel.encoding == "sint" else (0, 2 * half - 1)


def _stored(layout: TexelLayout, channel: Channel, word: int, *, saturates: bool) -> Field | None:
    if channel.encoding in ("sint", "uint"):
        return _integer(channel, word, saturates=saturates)
    if is_nan("float", 32, word):
        return _nan(channel) if channel.encoding in SIGNIFICANDS else None
    number = struct.unpack("<f", word.to_bytes(WORD_BYTES, "little"))[0]
    if channel.encoding in SIGNIFICANDS:
        if channel.name == "D" and not 0 <= number <= 1:
            return None  # depths are numbers from 0 to 1
        return _float(channel, number, word)
    if math.isinf(number):
        return None  # OpenCL C defines its conversion, and drivers differ
    if layout.srgb and channel.name != "A":
        return _normalised(channel, srgb.stored(number))
    return _normalised(channel, number)


def _integer(channel: Channel, word: int, *, saturates: bool) -> Field | None:
    number = ordered(channel.encoding, 8 * WORD_BYTES, word)
    low, high = _range_of(channel)
    kept = min(max(number, low), high)
    if kept != number and not saturates:
        return None
    bits = kept & ((1 << channel.bits) - 1)
    return Field(channel.encoding, channel.shift, channel.bits, kept, kept, bits)


def _normalised(channel: Channel, number: float) -> Field:
    """Return the stored number for a value that is clamped, and multiplied by the largest stored number."""
    bits, signed = channel.bits, channel.encoding == "snorm"
    most = (1 << bits - signed) - 1
    least = -most if signed else 0
    clamped = Fraction(min(max(number, -1.0 if signed else 0.0), 1.0)) * most
    low, high, usual = math.floor(clamped), math.ceil(clamped), round(clamped)
    if signed and number < -1:
        low = least - 1  # the bits have one more number, which also stands for -1
    return Field(channel.encoding, channel.shift, bits, low, high, usual & ((1 << bits) - 1))


def _nan(channel: Channel) -> Field:
    quiet = ((1 << channel.bits - SIGNIFICANDS[channel.encoding]) - 1) << SIGNIFICANDS[channel.encoding] - 1
    return Field(channel.encoding, channel.shift, channel.bits, 0, 0, quiet & ((1 << channel.bits - 1) - 1), nan=True)


def _float(channel: Channel, number: float, word: int) -> Field:
    """Return the stored floating-point number with as many bits; one too small to be normal may become 0."""
    bits, kind = channel.bits, channel.encoding
    smallest = 1 << SIGNIFICANDS[kind]
    if kind == "float":
        place = ordered(kind, bits, word)
        return Field(kind, channel.shift, bits, place, place, word, zero=0 < abs(place) < smallest)
    low, high = _halves_around(abs(number))
    usual = _nearest_half(abs(number))
    if number < 0:
        low, high, usual = -high, -low, -usual
    usual_bits = bits_of(kind, bits, usual) if usual else word >> 16
    return Field(kind, channel.shift, bits, low, high, usual_bits, zero=min(abs(low), abs(high)) < smallest)


INFINITE_HALF, LARGEST_HALF = 0x7C00, 65504.0
OVERFLOW = 65520.0
"""The smallest number that rounds to infinity, with rounding to nearest."""


def _halves_around(number: float) -> tuple[int, int]:
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
