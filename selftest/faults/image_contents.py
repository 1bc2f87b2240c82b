"""Faults of image contents: texels that are lost, moved, stale, or out of place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.harness_actions import READ
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents.image_layout import host_spans, texel_place
from clconform.oracles.contents.mapped_contents import find_map
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.images import Image
from clconform.selftest.faults.contents import XOR_MASK
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from typing import Any

    from clconform.oracles.contents.storage import Content, MemoryPlace
    from clconform.simulator.platform import Simulation

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


@faults.plant
def image_read_row_pitch_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read of an image ignores row_pitch: the rows in host memory follow each other without padding."""
    if (
        not _has_succeeded(outcome, call, "clEnqueueReadImage")
        or not isinstance(call.ptr, OutputBuffer)
        or not call.row_pitch
    ):
        return outcome
    image = _get_image(simulation, call.image)
    if image is None or not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    try:
        spans = host_spans(image, triple_of(call.region), call.row_pitch, call.slice_pitch)
    except UnknownFactError:
        return outcome
    raw = outcome.outputs["ptr"].raw
    moved = bytearray(raw)
    at = 0
    for start, size in spans:
        moved[at : at + size] = raw[start : start + size]
        at += size
    outputs = {**outcome.outputs, "ptr": Output([], len(moved), bytes(moved))}
    return msgspec.structs.replace(outcome, outputs=outputs)


@faults.plant
def last_slice_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If a transfer has several slices or layers, the last one is corrupted."""
    found = _get_written_region(simulation, call, outcome)
    if found is None:
        return outcome
    image, origin, region = found
    at = LAYERS.get(image.shape.image_type)
    if at is not None and region[at] > 1:
        origin[at] += region[at] - 1
        region[at] = 1
        _corrupt_region(image, origin, region)
    return outcome


@faults.plant
def texel_written_in_next_layer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command that writes texels to a layer or slice also writes the first texel of the next layer or slice."""
    found = _get_written_region(simulation, call, outcome)
    if found is None:
        return outcome
    image, origin, region = found
    at = LAYERS.get(image.shape.image_type)
    if at is not None and origin[at] + region[at] < image.shape.extent[at]:
        beyond = [0, 0, 0]
        beyond[at] = origin[at] + region[at]
        _corrupt_region(image, beyond, [1, 1, 1])
    return outcome


@faults.plant
def image_maps_stale(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every map of an image shows the texels at the first map."""
    first: dict[int, tuple[Any, Content]] = simulation.__dict__.setdefault("texels_first_mapped", {})
    model = simulation.model
    if _has_succeeded(outcome, call, "clEnqueueMapImage") and model.mapped_regions:
        storage = model.mapped_regions[-1].region.storage
        first.setdefault(id(storage), (storage, storage.read(((0, storage.size),))))
    if call.function != READ or not isinstance(outcome, Returned):
        return outcome
    try:
        (place,) = simulation.oracle.rulebook.effect_of(call, model).reads
    except (UnknownFactError, UndefinedBehaviourError):
        return outcome
    _, shown = first.get(id(place.storage), (None, None))
    if shown is None or find_map(place, model, writes=False) is None:
        return outcome
    raw = b"".join(shown.bytes_held[start : start + size] for start, size in place.spans)
    return msgspec.structs.replace(outcome, outputs={"content": Output([], len(raw), raw)})


@faults.plant
def copy_goes_to_first_layer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy to a layer or slice of an image changes the first layer or slice instead."""
    found = _get_written_region(simulation, call, outcome) if call.function.startswith("clEnqueueCopy") else None
    if found is None:
        return outcome
    image, origin, region = found
    at = LAYERS.get(image.shape.image_type)
    if at is not None and origin[at]:
        right = _get_place(image, origin, region)
        content = right.read()
        first = list(origin)
        first[at] = 0
        _corrupt_region(image, origin, region)
        _get_place(image, first, region).write(content)
    return outcome


@faults.plant
def written_channels_swapped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A write to an image with four channels swaps the first and the third channel of each texel."""
    found = _get_written_region(simulation, call, outcome) if call.function == "clEnqueueWriteImage" else None
    if found is None:
        return outcome
    image, origin, region = found
    size = image.format.element_size // CHANNELS
    if image.format.layout is None or len(image.format.layout.channels) != CHANNELS:
        return outcome
    place = _get_place(image, origin, region)
    content = place.read()
    held = bytearray(content.bytes_held)
    for start in range(0, len(held), CHANNELS * size):
        one, other = slice(start, start + size), slice(start + 2 * size, start + 3 * size)
        held[one], held[other] = held[other], held[one]
    place.write(content._replace(bytes_held=bytes(held)))
    return outcome


def _has_succeeded(outcome: Outcome, call: Call, function: str) -> bool:
    return (
        call.function == function
        and isinstance(outcome, Returned)
        and (outcome.value == 0 or isinstance(outcome.value, str))
    )


def _get_image(simulation: Simulation, handle: object) -> Image | None:
    found = simulation.model.find(handle)
    return found if isinstance(found, Image) else None


def _get_written_region(
    simulation: Simulation, call: Call, outcome: Outcome
) -> tuple[Image, list[int], list[int]] | None:
    """Return the image, the origin and the region that a command has written; None for other calls."""
    if not any(_has_succeeded(outcome, call, function) for function in MOVERS):
        return None
    image_name, origin_name = MOVERS[call.function]
    image = _get_image(simulation, call.arguments[image_name])
    if image is None or image.memory is None or image.strides is None:
        return None
    try:
        return image, list(triple_of(call.arguments[origin_name])), list(triple_of(call.region))
    except UnknownFactError:
        return None


def _get_place(image: Image, origin: list[int], region: list[int]) -> MemoryPlace:
    return texel_place(image, (origin[0], origin[1], origin[2]), (region[0], region[1], region[2]))


def _corrupt_region(image: Image, origin: list[int], region: list[int]) -> None:
    """Change every byte of a region."""
    place = _get_place(image, origin, region)
    content = place.read()
    place.write(content._replace(bytes_held=bytes(byte ^ XOR_MASK for byte in content.bytes_held)))
