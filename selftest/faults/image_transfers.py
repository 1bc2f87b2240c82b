"""Faults of image transfers: texels that are read from, or written to, an incorrect location."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.harness_actions import READ
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.storage import Content, MemoryPlace, Storage, StorageView, defined_bytes
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.simulator.platform import Simulation

faults = Faults()

LAYERED, SOLID, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
XOR_MASK = 0x5A


@faults.plant
def slice_to_layer_copy_reversed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between a 3D image and a 2D array reverses the order of the slices."""
    work = _get_effect(simulation, call, outcome, "clEnqueueCopyImage")
    if work is None:
        return outcome
    images = _get_images(simulation, call, "src_image", "dst_image")
    if {image.shape.image_type for image in images} != {LAYERED, SOLID}:
        return outcome
    for place in work.writes:
        content = place.read()
        each = len(content.bytes_held) // _get_triple(call.region)[2]
        place.write(_join_pieces(content, [(at, each) for at in reversed(range(0, len(content.bytes_held), each))]))
    return outcome


@faults.plant
def image_map_origin_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The pointer of a mapped image region points to the first texel of the image."""
    model = simulation.model
    if call.function != READ or not isinstance(outcome, Returned):
        return outcome
    handle = call.pointer.handle if isinstance(call.pointer, OffsetPointer) else call.pointer
    through = [each for each in model.mapped_regions if isinstance(handle, Handle) and each.pointer == handle.name]
    for each in through:
        whole = each.memory.memory
        if not isinstance(each.memory, Image) or whole is None:
            continue
        (place,) = simulation.oracle.rulebook.effect_of(call, model).reads
        back = each.region.start - whole.start
        raw = place.storage.read(tuple((start - back, size) for start, size in place.spans)).bytes_held
        return msgspec.structs.replace(outcome, outputs={"content": Output([], len(raw), raw)})
    return outcome


@faults.plant
def image_fill_one_texel_too_wide(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A fill of a part of each row also changes the next texel to the right."""
    work = _get_effect(simulation, call, outcome, "clEnqueueFillImage")
    if work is None:
        return outcome
    (image,) = _get_images(simulation, call, "image")
    size = image.format.element_size
    if _get_triple(call.origin)[0] + _get_triple(call.region)[0] >= image.shape.extent[0]:
        return outcome
    for place in work.writes:
        for start, length in place.spans:
            last = place.storage.read(((start + length - size, size),))
            place.storage.write(((start + length, size),), last)
    return outcome


@faults.plant
def host_ptr_row_pitch_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image with CL_MEM_COPY_HOST_PTR ignores the row pitch of the host memory."""
    image = _get_created_image(simulation, call, outcome)
    if (
        image is None
        or image.memory is None
        or not call.flags & simulation.model.constant_value("CL_MEM_COPY_HOST_PTR")
    ):
        return outcome
    size = image.memory.size
    given = _read_host_bytes(simulation, call.host_ptr, size)
    if image.shape.row_pitch > image.shape.width * image.format.element_size and len(given.bytes_held) == size:
        image.memory.storage.write(image.memory.spans(0, size), given)
    return outcome


@faults.plant
def image_from_buffer_is_copy(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image created from a buffer copies the buffer's contents instead of sharing its memory."""
    image = _get_created_image(simulation, call, outcome)
    if image is not None and isinstance(image.source, Buffer) and image.memory is not None:
        size = image.memory.size
        copied = StorageView(Storage(size), 0, size)
        copied.storage.write(((0, size),), image.memory.storage.read(image.memory.spans(0, size)))
        image.memory = copied
    return outcome


@faults.plant
def image_read_corrupts_padding(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read of an image with a row pitch changes the host memory between two rows."""
    if not _has_succeeded(outcome, call, "clEnqueueReadImage") or not isinstance(call.ptr, OutputBuffer):
        return outcome
    (image,) = _get_images(simulation, call, "image")
    width, rows, _ = _get_triple(call.region)
    size, pitch = width * image.format.element_size, call.row_pitch
    if image.shape.image_type == ROWS or rows == 1 or pitch <= size:
        return outcome
    raw = _get_read_bytes(outcome)
    return _with_read_bytes(outcome, raw[:size] + bytes(byte ^ XOR_MASK for byte in raw[size:pitch]) + raw[pitch:])


@faults.plant
def buffer_to_image_offset_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy from a buffer to an image ignores src_offset."""
    work = _get_effect(simulation, call, outcome, "clEnqueueCopyBufferToImage")
    if work is not None and call.src_offset:
        (source,), (target,) = work.reads, work.writes
        back = call.src_offset
        first = source.storage.read(tuple((start - back, size) for start, size in source.spans))
        target.write(first._replace(writers=target.read().writers))
    return outcome


def _get_effect(simulation: Simulation, call: Call, outcome: Outcome, function: str) -> MemoryEffect | None:
    """Return the memory effect of a successful call of this function; None for all other calls."""
    if not _has_succeeded(outcome, call, function):
        return None
    try:
        return simulation.oracle.rulebook.effect_of(call, simulation.model)
    except (UnknownFactError, UndefinedBehaviourError):
        return None


def _has_succeeded(outcome: Outcome, call: Call, function: str) -> bool:
    return call.function == function and isinstance(outcome, Returned) and outcome.value == 0


def _get_created_image(simulation: Simulation, call: Call, outcome: Outcome) -> Image | None:
    """Return the image that a call has created; None if it has not created one."""
    if not call.function.startswith("clCreateImage") or not isinstance(outcome, Returned):
        return None
    made = simulation.model.find(Handle(outcome.value)) if isinstance(outcome.value, str) else None
    return made if isinstance(made, Image) else None


def _get_images(simulation: Simulation, call: Call, *parameters: str) -> list[Image]:
    return [simulation.model.get(Image, call.arguments[parameter]) for parameter in parameters]


def _get_triple(value: object) -> tuple[int, int, int]:
    """Return the three numbers of an origin or a region; zeros if the argument is not a list of numbers."""
    numbers = [one for one in value.values if isinstance(one, int)] if isinstance(value, ElementList) else [0, 0, 0]
    first, second, third = numbers
    return first, second, third


def _join_pieces(content: Content, pieces: list[tuple[int, int]]) -> Content:
    """Return pieces of some bytes, each given by its start and size, concatenated."""
    cuts = [slice(start, start + size) for start, size in pieces]
    return Content(
        b"".join(content.bytes_held[cut] for cut in cuts),
        b"".join(content.defined[cut] for cut in cuts),
        [requirement for cut in cuts for requirement in content.writers[cut]],
    )


def _read_host_bytes(simulation: Simulation, pointer: object, size: int) -> Content:
    """Return ``size`` bytes at a host pointer, or fewer bytes if the host memory is shorter."""
    if isinstance(pointer, Data):
        return defined_bytes(pointer.content[:size])
    handle, offset = (pointer.handle, pointer.offset) if isinstance(pointer, OffsetPointer) else (pointer, 0)
    memory = simulation.model.find(handle)
    if not isinstance(memory, PointerMemory) or memory.memory is None or memory.memory.size < offset + size:
        return defined_bytes(b"")
    return MemoryPlace(memory.memory.storage, memory.memory.spans(offset, size)).read()


def _get_read_bytes(outcome: Outcome) -> bytes:
    """Return the bytes that a read has written to its output buffer."""
    return outcome.outputs["ptr"].raw if isinstance(outcome, Returned) and "ptr" in outcome.outputs else b""


def _with_read_bytes(outcome: Outcome, raw: bytes) -> Outcome:
    if not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    return outcome.with_outputs(ptr=Output([], len(raw), raw))
