"""Faults of texel values: colour conversion, and the border colour."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.chapters.execution.image_kernel_effects import OPAQUE_ORDERS, texel_indices
from clconform.oracles.contents import srgb
from clconform.oracles.contents.color_conversion import convert_colour
from clconform.oracles.contents.storage import defined_bytes, repeat
from clconform.oracles.contents.texels import border_colour, encode_words
from clconform.oracles.model.image_kernels import COLOUR_BYTES
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.image_formats import TexelLayout

    _Change = Callable[[TexelLayout, "Colour", bytes], bytes]

faults = Faults()
Colour = tuple[float, ...]


def _plant_fill(change: _Change) -> _Change:
    """Declare a fault: a fill with four floating-point numbers writes another texel.

    The function returns it, from the layout of a texel, the colour, and the correct texel.
    """

    @faults.plant("clEnqueueFillImage", succeeded=True)
    @functools.wraps(change)
    def fault(step: SimulatedStep) -> None:
        given, layout = step.argument("fill_color", Data), step.model.get(Image, step.call.image).format.layout
        if given is None or layout is None or layout.encoding in ("sint", "uint") or layout.channels[0].name == "D":
            return
        colour: Colour = struct.unpack_from("<4f", given.content)
        usual = _convert_colour(layout, colour)
        texel = change(layout, colour, usual)
        for place in step.writes if texel != usual else ():
            place.write(repeat(defined_bytes(texel), sum(size for _, size in place.spans) // layout.size))

    return change


@_plant_fill
def colours_not_clamped(layout: TexelLayout, colour: Colour, texel: bytes) -> bytes:
    """A normalised channel stores the low bits of a colour value that is out of range."""
    whole = int.from_bytes(texel, "little")
    for channel in layout.channels:
        number = colour["RGBA".index(channel.name)] if channel.name in "RGBA" else colour[0]
        if channel.encoding == "unorm" and 1 < abs(number) < 1 << 16:
            mask = (1 << channel.bits) - 1
            whole = whole & ~(mask << channel.shift) | (int(number * mask) & mask) << channel.shift
    return whole.to_bytes(layout.size, "little")


@_plant_fill
def srgb_converted_twice(layout: TexelLayout, colour: Colour, texel: bytes) -> bytes:
    """A colour is converted to sRGB twice."""
    again = tuple(srgb.stored_value(each) for each in colour[:3])
    return _convert_colour(layout, (*again, *colour[3:])) if layout.srgb else texel


@_plant_fill
def bgra_stored_as_rgba(layout: TexelLayout, colour: Colour, texel: bytes) -> bytes:
    """Red and blue are swapped in BGRA images."""
    names = "".join(channel.name for channel in layout.channels)
    return _convert_colour(layout, (colour[2], colour[1], colour[0], colour[3])) if names == "BGRA" else texel


@faults.plant("clEnqueueNDRangeKernel", succeeded=True)
def border_alpha_inverted(step: SimulatedStep) -> None:
    """The alpha of a sampler's border colour is 1 where it must be 0, and 0 where it must be 1."""
    work, kernel = step.find_effect(), step.model.get(Kernel, step.call.kernel)
    known = kernel.image_kernel
    if work is None or known is None or not known.samples:
        return
    image = kernel.arguments[0].object
    if not isinstance(image, Image) or image.format.layout is None:
        return
    opaque = step.model.tables.name_of(image.format.order, "cl_channel_order") in OPAQUE_ORDERS
    wrong = encode_words(border_colour(image.format.layout, opaque=not opaque))
    colours = work.writes[0]
    ((first, _),) = colours.spans
    for index, texel in enumerate(texel_indices(kernel, known, image, step.model)):
        if texel is None:
            colours.storage.write(((first + COLOUR_BYTES * index, COLOUR_BYTES),), wrong)


def _convert_colour(layout: TexelLayout, colour: Colour) -> bytes:
    return convert_colour(layout, struct.pack("<4f", *colour)).bytes_held
