"""Faults of image transfers: texels that are read from, or written to, an incorrect location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.storage import Content, MemoryPlace, Storage, StorageView, defined_bytes
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.selftest.faults.contents import XOR_MASK
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()

LAYERED, SOLID, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
CREATING = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")


@faults.plant("clEnqueueCopyImage", succeeded=True)
def slice_to_layer_copy_reversed(step: SimulatedStep) -> None:
    """A copy between a 3D image and a 2D array reverses the order of the slices."""
    images = [step.find(name, Image) for name in ("src_image", "dst_image")]
    if {image.shape.image_type for image in images if image is not None} != {LAYERED, SOLID}:
        return
    for place in step.writes:
        content = place.read()
        each = len(content.bytes_held) // _get_triple(step.call.region)[2]
        place.write(_join_pieces(content, [(at, each) for at in reversed(range(0, len(content.bytes_held), each))]))


@faults.plant(READ)
def image_map_origin_ignored(step: SimulatedStep) -> Outcome | None:
    """The pointer of a mapped image region points to the first texel of the image."""
    pointer, work = step.call.pointer, step.find_effect()
    handle = pointer.handle if isinstance(pointer, OffsetPointer) else pointer
    for each in step.model.mapped_regions:
        whole = each.memory.memory if isinstance(each.memory, Image) else None
        if work is not None and whole is not None and isinstance(handle, Handle) and each.pointer == handle.name:
            back, place = each.region.start - whole.start, work.reads[0]
            shown = place.storage.read(tuple((start - back, size) for start, size in place.spans))
            return step.with_bytes("content", shown.bytes_held)
    return None


@faults.plant("clEnqueueFillImage", succeeded=True)
def image_fill_one_texel_too_wide(step: SimulatedStep) -> None:
    """A fill of a part of each row also changes the next texel to the right."""
    image = step.model.get(Image, step.call.image)
    size = image.format.element_size
    if _get_triple(step.call.origin)[0] + _get_triple(step.call.region)[0] >= image.shape.extent[0]:
        return
    for place in step.writes:
        for start, length in place.spans:
            last = place.storage.read(((start + length - size, size),))
            place.storage.write(((start + length, size),), last)


@faults.plant(*CREATING)
def host_ptr_row_pitch_ignored(step: SimulatedStep) -> None:
    """An image with CL_MEM_COPY_HOST_PTR ignores the row pitch of the host memory."""
    image = step.find_created(Image)
    if image is None or image.memory is None or not step.call.flags & step.constant("CL_MEM_COPY_HOST_PTR"):
        return
    size = image.memory.size
    given = _read_host_bytes(step, step.call.host_ptr, size)
    if image.shape.row_pitch > image.shape.width * image.format.element_size and len(given.bytes_held) == size:
        image.memory.storage.write(image.memory.spans(0, size), given)


@faults.plant(*CREATING)
def image_from_buffer_is_copy(step: SimulatedStep) -> None:
    """An image created from a buffer copies the buffer's contents instead of sharing its memory."""
    image = step.find_created(Image)
    if image is not None and isinstance(image.source, Buffer) and image.memory is not None:
        size = image.memory.size
        copied = StorageView(Storage(size), 0, size)
        copied.storage.write(((0, size),), image.memory.storage.read(image.memory.spans(0, size)))
        image.memory = copied


@faults.plant("clEnqueueReadImage", output="ptr", succeeded=True)
def image_read_corrupts_padding(step: SimulatedStep) -> Outcome | None:
    """A read of an image with a row pitch changes the host memory between two rows."""
    image, raw = step.model.get(Image, step.call.image), step.outcome.outputs["ptr"].raw
    width, rows, _ = _get_triple(step.call.region)
    size, pitch = width * image.format.element_size, step.call.row_pitch
    if image.shape.image_type == ROWS or rows == 1 or pitch <= size or step.argument("ptr", OutputBuffer) is None:
        return None
    return step.with_bytes("ptr", raw[:size] + bytes(byte ^ XOR_MASK for byte in raw[size:pitch]) + raw[pitch:])


@faults.plant("clEnqueueCopyBufferToImage", succeeded=True)
def buffer_to_image_offset_ignored(step: SimulatedStep) -> None:
    """A copy from a buffer to an image ignores src_offset."""
    work, back = step.find_effect(), step.call.src_offset
    if work is not None and back:
        (source,), (target,) = work.reads, work.writes
        first = source.storage.read(tuple((start - back, size) for start, size in source.spans))
        target.write(first._replace(writers=target.read().writers))


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


def _read_host_bytes(step: SimulatedStep, pointer: object, size: int) -> Content:
    """Return ``size`` bytes at a host pointer, or fewer bytes if the host memory is shorter."""
    if isinstance(pointer, Data):
        return defined_bytes(pointer.content[:size])
    handle, offset = (pointer.handle, pointer.offset) if isinstance(pointer, OffsetPointer) else (pointer, 0)
    memory = step.model.find(handle)
    if not isinstance(memory, PointerMemory) or memory.memory is None or memory.memory.size < offset + size:
        return defined_bytes(b"")
    return MemoryPlace(memory.memory.storage, memory.memory.spans(offset, size)).read()
