"""Faults of image contents: texels that are lost, moved, stale, or out of place."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents.image_layout import host_spans, texel_place
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.selftest.faults.contents import XOR_MASK, replay_first_map
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.oracles.contents.storage import Content, MemoryPlace, Storage

    _Damage = Callable[[Image, list[int], list[int]], None]

faults = Faults()

MOVERS = {
    "clEnqueueWriteImage": ("image", "origin"),
    "clEnqueueCopyImage": ("dst_image", "dst_origin"),
    "clEnqueueCopyBufferToImage": ("dst_image", "dst_origin"),
    "clEnqueueFillImage": ("image", "origin"),
}
"""The parameters for the image and the origin of each command that writes texels."""
LAYERS = {"CL_MEM_OBJECT_IMAGE1D_ARRAY": 1, "CL_MEM_OBJECT_IMAGE2D_ARRAY": 2, "CL_MEM_OBJECT_IMAGE3D": 2}
"""The index of the coordinate that counts the layers or slices of each image type."""
CHANNELS = 4
MAP = "clEnqueueMapImage"


def _plant_in_region(*functions: str) -> Callable[[_Damage], _Damage]:
    """Return a decorator that declares a fault: it receives the image, the origin and the region that a call writes."""

    def declare(damage: _Damage) -> _Damage:
        @faults.plant(*functions, succeeded=True)
        @functools.wraps(damage)
        def fault(step: SimulatedStep) -> None:
            image_name, origin_name = MOVERS[step.call.function]
            image = step.find(image_name, Image)
            if image is None or image.memory is None or image.strides is None:
                return
            try:
                origin, region = list(triple_of(step.call.arguments[origin_name])), list(triple_of(step.call.region))
            except UnknownFactError:
                return
            damage(image, origin, region)

        return damage

    return declare


@faults.plant("clEnqueueReadImage", output="ptr", succeeded=True)
def image_read_row_pitch_ignored(step: SimulatedStep) -> Outcome | None:
    """A read of an image ignores row_pitch: the rows in host memory follow each other without padding."""
    call, image = step.call, step.find("image", Image)
    if image is None or not call.row_pitch or step.argument("ptr", OutputBuffer) is None:
        return None
    try:
        spans = host_spans(image, triple_of(call.region), call.row_pitch, call.slice_pitch)
    except UnknownFactError:
        return None
    raw = step.outcome.outputs["ptr"].raw
    moved = bytearray(raw)
    at = 0
    for start, size in spans:
        moved[at : at + size] = raw[start : start + size]
        at += size
    return step.with_bytes("ptr", bytes(moved))


@_plant_in_region(*MOVERS)
def last_slice_lost(image: Image, origin: list[int], region: list[int]) -> None:
    """If a transfer has several slices or layers, the last one is corrupted."""
    at = LAYERS.get(image.shape.image_type)
    if at is not None and region[at] > 1:
        origin[at] += region[at] - 1
        region[at] = 1
        _corrupt_region(image, origin, region)


@_plant_in_region(*MOVERS)
def texel_written_in_next_layer(image: Image, origin: list[int], region: list[int]) -> None:
    """A command that writes texels to a layer or slice also writes the first texel of the next layer or slice."""
    at = LAYERS.get(image.shape.image_type)
    if at is not None and origin[at] + region[at] < image.shape.extent[at]:
        beyond = [0, 0, 0]
        beyond[at] = origin[at] + region[at]
        _corrupt_region(image, beyond, [1, 1, 1])


@faults.plant(MAP, READ)
def image_maps_stale(step: SimulatedStep) -> Outcome | None:
    """Every map of an image shows the texels at the first map."""
    first: dict[int, tuple[Storage, Content]] = step.state("texels_first_mapped", {})
    return replay_first_map(step, first, MAP)


@_plant_in_region("clEnqueueCopyImage", "clEnqueueCopyBufferToImage")
def copy_goes_to_first_layer(image: Image, origin: list[int], region: list[int]) -> None:
    """A copy to a layer or slice of an image changes the first layer or slice instead."""
    at = LAYERS.get(image.shape.image_type)
    if at is not None and origin[at]:
        content = _get_place(image, origin, region).read()
        _corrupt_region(image, origin, region)
        origin[at] = 0
        _get_place(image, origin, region).write(content)


@_plant_in_region("clEnqueueWriteImage")
def written_channels_swapped(image: Image, origin: list[int], region: list[int]) -> None:
    """A write to an image with four channels swaps the first and the third channel of each texel."""
    size = image.format.element_size // CHANNELS
    if image.format.layout is None or len(image.format.layout.channels) != CHANNELS:
        return
    place = _get_place(image, origin, region)
    content = place.read()
    held = bytearray(content.bytes_held)
    for start in range(0, len(held), CHANNELS * size):
        one, other = slice(start, start + size), slice(start + 2 * size, start + 3 * size)
        held[one], held[other] = held[other], held[one]
    place.write(content._replace(bytes_held=bytes(held)))


def _get_place(image: Image, origin: list[int], region: list[int]) -> MemoryPlace:
    return texel_place(image, (origin[0], origin[1], origin[2]), (region[0], region[1], region[2]))


def _corrupt_region(image: Image, origin: list[int], region: list[int]) -> None:
    """Change every byte of a region."""
    place = _get_place(image, origin, region)
    content = place.read()
    place.write(content._replace(bytes_held=bytes(byte ^ XOR_MASK for byte in content.bytes_held)))
