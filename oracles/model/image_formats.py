"""Image formats: the channels of a texel, their sizes in bits, and their positions (section 5.3.1.1)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CHANNELS: Mapping[str, tuple[str, ...]] = {
    "CL_R": ("R",),
    "CL_A": ("A",),
    "CL_DEPTH": ("D",),
    "CL_LUMINANCE": ("L",),
    "CL_INTENSITY": ("I",),
    "CL_RG": ("R", "G"),
    "CL_RA": ("R", "A"),
    "CL_RGB": ("R", "G", "B"),
    "CL_RGBA": ("R", "G", "B", "A"),
    "CL_ARGB": ("A", "R", "G", "B"),
    "CL_BGRA": ("B", "G", "R", "A"),
    "CL_ABGR": ("A", "B", "G", "R"),
    "CL_sRGB": ("R", "G", "B"),
    "CL_sRGBA": ("R", "G", "B", "A"),
    "CL_sBGRA": ("B", "G", "R", "A"),
}
"""Maps channel orders to their channels in memory order.

The orders with an x (``CL_Rx``, ``CL_RGx``, ``CL_RGBx``, ``CL_sRGBx``) are omitted: the documents do not specify the
size of their unused channel.
"""
UNPACKED: Mapping[str, tuple[str, int]] = {
    "CL_SNORM_INT8": ("snorm", 8),
    "CL_SNORM_INT16": ("snorm", 16),
    "CL_UNORM_INT8": ("unorm", 8),
    "CL_UNORM_INT16": ("unorm", 16),
    "CL_SIGNED_INT8": ("sint", 8),
    "CL_SIGNED_INT16": ("sint", 16),
    "CL_SIGNED_INT32": ("sint", 32),
    "CL_UNSIGNED_INT8": ("uint", 8),
    "CL_UNSIGNED_INT16": ("uint", 16),
    "CL_UNSIGNED_INT32": ("uint", 32),
    "CL_HALF_FLOAT": ("half", 16),
    "CL_FLOAT": ("float", 32),
}
"""Maps channel data types with a separate number for each channel to the encoding and the bits of each channel."""
PACKED: Mapping[str, tuple[int, tuple[tuple[str, int, int], ...]]] = {
    "CL_UNORM_SHORT_565": (2, (("R", 11, 5), ("G", 5, 6), ("B", 0, 5))),
    "CL_UNORM_SHORT_555": (2, (("R", 10, 5), ("G", 5, 5), ("B", 0, 5))),
    "CL_UNORM_INT_101010": (4, (("R", 20, 10), ("G", 10, 10), ("B", 0, 10))),
    "CL_UNORM_INT_101010_2": (4, (("R", 22, 10), ("G", 12, 10), ("B", 2, 10), ("A", 0, 2))),
}
"""Maps channel data types to their size in bytes and to their channels: name, lowest bit, number of bits.

All channels share one number.
"""


@dataclass(frozen=True)
class Channel:
    """One channel of a texel.

    ``name``: R, G, B, A, D for depth, L for luminance, I for intensity. ``shift``: the lowest bit of the channel if the
    texel is read as one little-endian number. ``encoding``: ``unorm``, ``snorm``, ``uint``, ``sint``, ``half`` or
    ``float``.
    """

    name: str
    shift: int
    bits: int
    encoding: str


@dataclass(frozen=True)
class TexelLayout:
    """The layout of a texel: its size in bytes, and its channels in memory order.

    ``srgb``: the colours, but not alpha, are stored with the sRGB curve.
    """

    size: int
    channels: tuple[Channel, ...]
    srgb: bool = False

    @property
    def encoding(self) -> str:
        """Return the encoding of the channels."""
        return self.channels[0].encoding

    @property
    def used_bytes(self) -> bytes:
        """Return 1 for each byte of a texel whose bits all belong to channels, and 0 for other bytes."""
        bits = sum(((1 << each.bits) - 1) << each.shift for each in self.channels)
        return bytes(int(byte == 0xFF) for byte in bits.to_bytes(self.size, "little"))  # noqa: PLR2004 (all bits)


@functools.cache
def texel_layout(order: str, channel_type: str) -> TexelLayout | None:
    """Return the layout for the names of a channel order and data type; None if the documents do not specify it."""
    srgb = order.startswith("CL_s")
    if channel_type in PACKED:
        size, places = PACKED[channel_type]
        wanted = ("CL_RGBA",) if len(places) > len("RGB") else ("CL_RGB", "CL_RGBx")
        if order not in wanted:
            return None
        return TexelLayout(size, tuple(Channel(name, shift, bits, "unorm") for name, shift, bits in places))
    if channel_type not in UNPACKED or order not in CHANNELS:
        return None
    kind, bits = UNPACKED[channel_type]
    names = CHANNELS[order]
    channels = tuple(Channel(name, bits * index, bits, kind) for index, name in enumerate(names))
    return TexelLayout(len(names) * bits // 8, channels, srgb)


@functools.cache
def element_bits(order: str, channel_type: str) -> int:
    """Return the number of bits of an image element, or 0 if the documents do not specify it."""
    if channel_type in PACKED:
        return PACKED[channel_type][0] * 8
    if channel_type not in UNPACKED or order not in CHANNELS:
        return 0
    return UNPACKED[channel_type][1] * len(CHANNELS[order])
