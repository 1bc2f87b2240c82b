"""Requirements on image formats that are covered when a kernel reads an image (section 5.3.1.1)."""

from __future__ import annotations

from clconform.oracles.model.image_formats import PACKED

_DESCRIPTOR = "OpenCL:image-format-descriptor"
PRECISION = "OpenCL:image-format-descriptor/4"
LUMINANCE, INTENSITY, PACKED_IN_ONE, FIRST_CHANNEL_HIGHEST, PACKED_565, PACKED_101010_2 = (
    f"{_DESCRIPTOR}/{number}" for number in (5, 6, 7, 8, 9, 10)
)
FORMAT_TEXTS = {
    PRECISION: "A kernel reads numbers with the full precision of the channel data type.",
    LUMINANCE: "Checked on reads of a buffer to which a kernel wrote numbers from a CL_LUMINANCE image.",
    INTENSITY: "Checked on reads of a buffer to which a kernel wrote numbers from a CL_INTENSITY image.",
    PACKED_IN_ONE: "Checked on reads of a buffer to which a kernel wrote numbers from an image with a packed format.",
    FIRST_CHANNEL_HIGHEST: (
        "Checked on reads of a buffer to which a kernel wrote numbers from an image with a packed format."
    ),
    PACKED_565: "Checked on reads of a buffer to which a kernel wrote numbers from a CL_UNORM_SHORT_565 image.",
    PACKED_101010_2: "Checked on reads of a buffer to which a kernel wrote numbers from a CL_UNORM_INT_101010_2 image.",
}
"""Maps requirements to the texts of their coverage points."""
_BY_ORDER = {"CL_LUMINANCE": LUMINANCE, "CL_INTENSITY": INTENSITY}
_BY_TYPE = {"CL_UNORM_SHORT_565": PACKED_565, "CL_UNORM_INT_101010_2": PACKED_101010_2}


def requirements_of_format(order: str | None, channel_type: str | None) -> frozenset[str]:
    """Return the requirements that a kernel covers by reading an image with a given format."""
    packed = (
        {PACKED_IN_ONE, FIRST_CHANNEL_HIGHEST, _BY_TYPE.get(channel_type or "", "")}
        if channel_type in PACKED
        else set()
    )
    return frozenset({PRECISION, _BY_ORDER.get(order or "", ""), *packed} - {""})
