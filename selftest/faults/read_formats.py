"""Faults of image reads in kernels: channels that are not at the positions that the image format defines."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING

from clconform.oracles.contents.storage import MemoryPlace, defined_bytes
from clconform.oracles.model.image_formats import PACKED
from clconform.oracles.model.image_kernels import COLOUR_BYTES, ImageOperation
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    _Change = Callable[[str, str, bytes], bytes]

faults = Faults()
BYTES = COLOUR_BYTES // 4
"""The number of bytes of one component of a colour."""


def _plant_colours(change: _Change) -> _Change:
    """Declare a fault: a kernel reads other colours, depending on the channel order and channel data type."""

    @faults.plant("clEnqueueNDRangeKernel", succeeded=True)
    @functools.wraps(change)
    def fault(step: SimulatedStep) -> None:
        kernel = step.find("kernel", Kernel)
        known = kernel.image_kernel if kernel is not None else None
        if kernel is None or known is None or known.operation is not ImageOperation.READ or known.samples:
            return
        image, colours = kernel.arguments[0].object, kernel.arguments[1].object
        if not isinstance(image, Image) or not isinstance(colours, Buffer) or colours.memory is None:
            return
        names = step.model.tables.name_of
        order = names(image.format.order, "cl_channel_order") or ""
        channel_type = names(image.format.channel_type, "cl_channel_type") or ""
        place = MemoryPlace(colours.memory.storage, colours.memory.spans(0, colours.memory.size), colours)
        held = place.read().bytes_held
        starts = range(0, len(held) - COLOUR_BYTES + 1, COLOUR_BYTES)
        changed = b"".join(change(order, channel_type, held[at : at + COLOUR_BYTES]) for at in starts)
        place.write(defined_bytes(changed))

    return change


@_plant_colours
def luminance_read_as_red_only(order: str, _channel_type: str, colour: bytes) -> bytes:
    """A kernel reads CL_LUMINANCE and CL_INTENSITY images with zero for green and blue."""
    replicated = order in ("CL_LUMINANCE", "CL_INTENSITY")
    return colour[:BYTES] + bytes(2 * BYTES) + colour[3 * BYTES :] if replicated else colour


@_plant_colours
def packed_red_and_blue_swapped(_order: str, channel_type: str, colour: bytes) -> bytes:
    """A kernel reads packed formats with red and blue swapped."""
    red, green, blue, alpha = (colour[at : at + BYTES] for at in range(0, COLOUR_BYTES, BYTES))
    return blue + green + red + alpha if channel_type in PACKED else colour


@_plant_colours
def unorm16_read_with_8_bits(_order: str, channel_type: str, colour: bytes) -> bytes:
    """A kernel reads normalised 16-bit numbers with only 8 bits of precision."""
    if channel_type != "CL_UNORM_INT16":
        return colour
    return struct.pack("<4f", *(int(each * 255) / 255 for each in struct.unpack("<4f", colour)))
