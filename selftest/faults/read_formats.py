"""Faults of image reads in kernels: channels that are not at the positions that the image format defines."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.oracles.contents.storage import MemoryPlace, defined_bytes
from clconform.oracles.model.image_formats import PACKED
from clconform.oracles.model.image_kernels import COLOUR_BYTES, ImageOperation
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()
OF_16_BITS = "CL_UNORM_INT16"
BYTES = COLOUR_BYTES // 4
"""The number of bytes of one component of a colour."""


@faults.plant
def luminance_read_as_red_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel reads CL_LUMINANCE and CL_INTENSITY images with zero for green and blue."""

    def alone(order: str, _channel_type: str, colour: bytes) -> bytes:
        replicated = order in ("CL_LUMINANCE", "CL_INTENSITY")
        return colour[:BYTES] + bytes(2 * BYTES) + colour[3 * BYTES :] if replicated else colour

    return _change_read_colours(simulation, call, outcome, alone)


@faults.plant
def packed_red_and_blue_swapped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel reads packed formats with red and blue swapped."""

    def swapped(_order: str, channel_type: str, colour: bytes) -> bytes:
        red, green, blue, alpha = (colour[at : at + BYTES] for at in range(0, COLOUR_BYTES, BYTES))
        return blue + green + red + alpha if channel_type in PACKED else colour

    return _change_read_colours(simulation, call, outcome, swapped)


@faults.plant
def unorm16_read_with_8_bits(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel reads normalised 16-bit numbers with only 8 bits of precision."""

    def rounded(_order: str, channel_type: str, colour: bytes) -> bytes:
        if channel_type != OF_16_BITS:
            return colour
        return struct.pack("<4f", *(int(each * 255) / 255 for each in struct.unpack("<4f", colour)))

    return _change_read_colours(simulation, call, outcome, rounded)


def _change_read_colours(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[str, str, bytes], bytes]
) -> Outcome:
    """Change the colours that a kernel has just read, by the format's channel order and channel data type."""
    done = call.function == "clEnqueueNDRangeKernel" and isinstance(outcome, Returned) and outcome.value == 0
    kernel = simulation.model.find(call.kernel) if done else None
    known = kernel.image_kernel if isinstance(kernel, Kernel) else None
    if known is None or known.operation is not ImageOperation.READ or known.samples or not isinstance(kernel, Kernel):
        return outcome
    image, colours = kernel.arguments[0].object, kernel.arguments[1].object
    if not isinstance(image, Image) or not isinstance(colours, Buffer) or colours.memory is None:
        return outcome
    names = simulation.model.tables.name_of
    order = names(image.format.order, "cl_channel_order") or ""
    channel_type = names(image.format.channel_type, "cl_channel_type") or ""
    place = MemoryPlace(colours.memory.storage, colours.memory.spans(0, colours.memory.size), colours)
    held = place.read().bytes_held
    starts = range(0, len(held) - COLOUR_BYTES + 1, COLOUR_BYTES)
    place.write(defined_bytes(b"".join(change(order, channel_type, held[at : at + COLOUR_BYTES]) for at in starts)))
    return outcome
