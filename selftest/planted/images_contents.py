"""Faults of image contents: texels that are lost, moved, stale, or out of place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.host import READ
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents.image_places import in_host_memory, texels
from clconform.oracles.contents.maps import mapped
from clconform.oracles.contents.transfers import triple
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.images import Image
from clconform.selftest.planted.contents import FLIPPED
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from typing import Any

    from clconform.oracles.contents.storage import Content, Place
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
def texels_after_a_gap_are_read_before_it(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read of an image ignores row_pitch: the rows in host memory follow each other without padding."""
    if (
        not _succeeded(outcome, call, "clEnqueueReadImage")
        or not isinstance(call.ptr, OutputBuffer)
        or not call.row_pitch
    ):
        return outcome
    image = _image(simulation, call.image)
    if image is None or not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    try:
        spans = in_host_memory(image, triple(call.region), call.row_pitch, call.slice_pitch)
    except UnknownError:
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
    """The last slice or layer of a transfer with several is corrupted."""
    found = _moved(simulation, call, outcome)
    if found is None:
        return outcome
    image, origin, region = found
    at = LAYERS.get(image.shape.image_type)
    if at is not None and region[at] > 1:
        origin[at] += region[at] - 1
        region[at] = 1
        _spoil_all(image, origin, region)
    return outcome


@faults.plant
def texel_written_beyond_its_layer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command that writes texels to a layer or slice also writes the first texel of the next one."""
    found = _moved(simulation, call, outcome)
    if found is None:
        return outcome
    image, origin, region = found
    at = LAYERS.get(image.shape.image_type)
    if at is not None and origin[at] + region[at] < image.shape.extent[at]:
        beyond = [0, 0, 0]
        beyond[at] = origin[at] + region[at]
        _spoil_all(image, beyond, [1, 1, 1])
    return outcome


@faults.plant
def images_map_stale(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every map of an image shows the texels at the first map."""
    first: dict[int, tuple[Any, Content]] = simulation.__dict__.setdefault("texels_first_mapped", {})
    model = simulation.model
    if _succeeded(outcome, call, "clEnqueueMapImage") and model.maps:
        storage = model.maps[-1].region.storage
        first.setdefault(id(storage), (storage, storage.read(((0, storage.size),))))
    if call.function != READ or not isinstance(outcome, Returned):
        return outcome
    try:
        (place,) = simulation.oracle.rulebook.effect_of(call, model).reads
    except (UnknownError, ForbiddenError):
        return outcome
    _, shown = first.get(id(place.storage), (None, None))
    if shown is None or mapped(place, model, writes=False) is None:
        return outcome
    raw = b"".join(shown.held[start : start + size] for start, size in place.spans)
    return msgspec.structs.replace(outcome, outputs={"content": Output([], len(raw), raw)})


@faults.plant
def copies_go_to_the_first_layer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy to a layer of an array, or to a slice, goes to the first layer or slice instead."""
    found = _moved(simulation, call, outcome) if call.function.startswith("clEnqueueCopy") else None
    if found is None:
        return outcome
    image, origin, region = found
    at = LAYERS.get(image.shape.image_type)
    if at is not None and origin[at]:
        right = _place(image, origin, region)
        content = right.read()
        first = list(origin)
        first[at] = 0
        _spoil_all(image, origin, region)
        _place(image, first, region).write(content)
    return outcome


@faults.plant
def channels_of_a_write_reversed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A write to an image with four channels swaps the first and the third channel of each texel."""
    found = _moved(simulation, call, outcome) if call.function == "clEnqueueWriteImage" else None
    if found is None:
        return outcome
    image, origin, region = found
    size = image.format.element_size // CHANNELS
    if image.format.layout is None or len(image.format.layout.channels) != CHANNELS:
        return outcome
    place = _place(image, origin, region)
    content = place.read()
    held = bytearray(content.held)
    for start in range(0, len(held), CHANNELS * size):
        one, other = slice(start, start + size), slice(start + 2 * size, start + 3 * size)
        held[one], held[other] = held[other], held[one]
    place.write(content._replace(held=bytes(held)))
    return outcome


def _succeeded(outcome: Outcome, call: Call, function: str) -> bool:
    return (
        call.function == function
        and isinstance(outcome, Returned)
        and (outcome.value == 0 or isinstance(outcome.value, str))
    )


def _image(simulation: Simulation, handle: object) -> Image | None:
    found = simulation.model.known(handle)
    return found if isinstance(found, Image) else None


def _moved(simulation: Simulation, call: Call, outcome: Outcome) -> tuple[Image, list[int], list[int]] | None:
    """Return the image, the origin and the region that a command has written; None for other calls."""
    if not any(_succeeded(outcome, call, function) for function in MOVERS):
        return None
    image_name, origin_name = MOVERS[call.function]
    image = _image(simulation, call.arguments[image_name])
    if image is None or image.memory is None or image.steps is None:
        return None
    try:
        return image, list(triple(call.arguments[origin_name])), list(triple(call.region))
    except UnknownError:
        return None


def _place(image: Image, origin: list[int], region: list[int]) -> Place:
    return texels(image, (origin[0], origin[1], origin[2]), (region[0], region[1], region[2]))


def _spoil_all(image: Image, origin: list[int], region: list[int]) -> None:
    """Change every byte of a region."""
    place = _place(image, origin, region)
    content = place.read()
    place.write(content._replace(held=bytes(byte ^ FLIPPED for byte in content.held)))
