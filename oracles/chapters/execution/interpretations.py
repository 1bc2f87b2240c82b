"""Open points of section 5.10: what kernels read from images, and what they write there."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "conversions-of-texels",
        "5.3.5 and 5.3.1.1: numbers read from and written to images other than integers within their range",
        "what read_image functions return, and what a fill colour or write_image functions store, is judged by the "
        "rules of OpenCL C (its section 8.3), and each result within its bounds is right: a stored number is the next "
        "one below or above the exact one, a normalised number that is read is wrong by 1.5 units in the last place at "
        "most, one read by the sRGB curve is stored as the same one again, floating-point numbers that are not normal "
        "may become 0, a NaN any NaN, and what an infinite colour becomes in a normalised channel is open",
        "section 5.3 says that a colour is converted to the format of the image, and leaves the conversion to the "
        "specification of OpenCL C, which gives bounds",
    ),
    Interpretation(
        "colours-beyond-the-range",
        "5.3.5, clEnqueueFillImage: an integer of fill_color that is beyond the range of a channel of 8 or 16 bits",
        "what the channel then holds is unknown; where a kernel writes such a number, it holds the nearest one",
        "the colour is converted to the format of the image, and not said to saturate; OpenCL C says so of kernels",
    ),
)
