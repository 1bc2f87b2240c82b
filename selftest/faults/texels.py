"""Faults of texel values: colour conversion, and the border colour."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import Data
from clconform.oracles.chapters.execution.image_kernel_effects import OPAQUE_ORDERS, texel_indices
from clconform.oracles.contents import srgb
from clconform.oracles.contents.color_conversion import convert_colour
from clconform.oracles.contents.storage import defined_bytes, repeat
from clconform.oracles.contents.texels import border_colour, encode_words
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.image_kernels import COLOUR_BYTES
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.model.image_formats import TexelLayout
    from clconform.simulator.platform import Simulation

faults = Faults()
Colour = tuple[float, ...]


@faults.plant
def colours_not_clamped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A normalised channel stores the low bits of a colour value that is out of range."""
    return _change_fill(simulation, call, outcome, _wrap_channels)


@faults.plant
def srgb_converted_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A colour is converted to sRGB twice."""

    def twice(layout: TexelLayout, colour: Colour, texel: bytes) -> bytes:
        again = tuple(srgb.stored_value(each) for each in colour[:3])
        return _convert_colour(layout, (*again, *colour[3:])) if layout.srgb else texel

    return _change_fill(simulation, call, outcome, twice)


@faults.plant
def bgra_stored_as_rgba(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Red and blue are swapped in BGRA images."""

    def swapped(layout: TexelLayout, colour: Colour, texel: bytes) -> bytes:
        names = "".join(channel.name for channel in layout.channels)
        return _convert_colour(layout, (colour[2], colour[1], colour[0], colour[3])) if names == "BGRA" else texel

    return _change_fill(simulation, call, outcome, swapped)


@faults.plant
def border_alpha_inverted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The alpha of a sampler's border colour is 1 where it must be 0, and 0 where it must be 1."""
    work = _get_effect(simulation, call, outcome, "clEnqueueNDRangeKernel")
    model = simulation.model
    kernel = model.get(Kernel, call.kernel) if work is not None else None
    known = kernel.image_kernel if kernel is not None else None
    if work is None or kernel is None or known is None or not known.samples:
        return outcome
    image = kernel.arguments[0].object
    if not isinstance(image, Image) or image.format.layout is None:
        return outcome
    opaque = model.tables.name_of(image.format.order, "cl_channel_order") in OPAQUE_ORDERS
    wrong = encode_words(border_colour(image.format.layout, opaque=not opaque))
    colours = work.writes[0]
    ((first, _),) = colours.spans
    for index, texel in enumerate(texel_indices(kernel, known, image, model)):
        if texel is None:
            colours.storage.write(((first + COLOUR_BYTES * index, COLOUR_BYTES),), wrong)
    return outcome


def _change_fill(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[TexelLayout, Colour, bytes], bytes]
) -> Outcome:
    """Replace the texels that a fill with four floating-point numbers has written."""
    work = _get_effect(simulation, call, outcome, "clEnqueueFillImage")
    image = simulation.model.get(Image, call.image) if work is not None else None
    layout = image.format.layout if image is not None else None
    if work is None or layout is None or layout.encoding in ("sint", "uint") or not isinstance(call.fill_color, Data):
        return outcome
    if layout.channels[0].name == "D":
        return outcome
    colour: Colour = struct.unpack_from("<4f", call.fill_color.content)
    usual = _convert_colour(layout, colour)
    texel = change(layout, colour, usual)
    for place in work.writes if texel != usual else ():
        place.write(repeat(defined_bytes(texel), sum(size for _, size in place.spans) // layout.size))
    return outcome


def _convert_colour(layout: TexelLayout, colour: Colour) -> bytes:
    return convert_colour(layout, struct.pack("<4f", *colour)).bytes_held


def _wrap_channels(layout: TexelLayout, colour: Colour, texel: bytes) -> bytes:
    """Return a texel whose normalised channels hold the low bits of values that are out of range."""
    whole = int.from_bytes(texel, "little")
    for channel in layout.channels:
        number = colour["RGBA".index(channel.name)] if channel.name in "RGBA" else colour[0]
        if channel.encoding == "unorm" and 1 < abs(number) < 1 << 16:
            mask = (1 << channel.bits) - 1
            whole = whole & ~(mask << channel.shift) | (int(number * mask) & mask) << channel.shift
    return whole.to_bytes(layout.size, "little")


def _get_effect(simulation: Simulation, call: Call, outcome: Outcome, function: str) -> MemoryEffect | None:
    """Return the memory effect of a successful call of this function; None for all other calls."""
    if call.function != function or not isinstance(outcome, Returned) or outcome.value != 0:
        return None
    try:
        return simulation.oracle.rulebook.effect_of(call, simulation.model)
    except (UnknownFactError, UndefinedBehaviourError):
        return None
