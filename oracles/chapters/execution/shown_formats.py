"""What kernels show of image formats by the numbers that they read (section 5.3.1.1)."""

from __future__ import annotations

from clconform.oracles.model.image_formats import PACKED

_DESCRIPTOR = "OpenCL:image-format-descriptor"
PRECISION = f"{_DESCRIPTOR}/4"
LUMINANCE, INTENSITY, IN_ONE, FIRST_HIGHEST, OF_16_BITS, OF_32_BITS = (
    f"{_DESCRIPTOR}/{number}" for number in (5, 6, 7, 8, 9, 10)
)
SHOWN = {
    PRECISION: "A kernel reads numbers with all the bits that the data type has for them.",
    LUMINANCE: "A kernel reads the channel of a CL_LUMINANCE image as red, as green and as blue.",
    INTENSITY: "A kernel reads the channel of a CL_INTENSITY image as red, green, blue and alpha.",
    IN_ONE: "All channels of a packed format lie in one unsigned short or unsigned int.",
    FIRST_HIGHEST: "The first channel of a packed format has the highest bits, and each later one lower bits.",
    OF_16_BITS: "CL_UNORM_SHORT_565 has R in bits 15 to 11, G in bits 10 to 5 and B in bits 4 to 0.",
    OF_32_BITS: "CL_UNORM_INT_101010_2 has R in bits 31 to 22, G in 21 to 12, B in 11 to 2 and A in 1 and 0.",
}
"""Sentence to what a kernel that reads such texels shows, in words."""
_BY_ORDER = {"CL_LUMINANCE": LUMINANCE, "CL_INTENSITY": INTENSITY}
_BY_TYPE = {"CL_UNORM_SHORT_565": OF_16_BITS, "CL_UNORM_INT_101010_2": OF_32_BITS}


def shown_by_reading(order: str | None, channel_type: str | None) -> frozenset[str]:
    """Return the sentences that a kernel shows by reading texels of a format."""
    packed = {IN_ONE, FIRST_HIGHEST, _BY_TYPE.get(channel_type or "", "")} if channel_type in PACKED else set()
    return frozenset({PRECISION, _BY_ORDER.get(order or "", ""), *packed} - {""})
