"""Faults of functions that read memory, and of functions that write it: the other side works as specified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import FILL_BYTE, OutputBuffer
from clconform.oracles.contents.mapped_contents import find_map
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.contents import XOR_MASK, corrupt_byte
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()

READ_BUFFER, READ_RECTANGLE, READ_IMAGE = "clEnqueueReadBuffer", "clEnqueueReadBufferRect", "clEnqueueReadImage"
COPY_SVM = "clEnqueueSVMMemcpy"
CREATING_IMAGES = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")


def _leave_untouched(step: SimulatedStep, output: str) -> Outcome | None:
    """Return the outcome of a read that has not written its output buffer."""
    if step.argument(output, OutputBuffer) is None:
        return None
    return step.with_bytes(output, bytes([FILL_BYTE]) * len(step.outcome.outputs[output].raw))


def _corrupt_first_byte(step: SimulatedStep, output: str) -> Outcome | None:
    """Return the outcome of a read with another first byte."""
    raw = step.outcome.outputs[output].raw
    return step.with_bytes(output, bytes([raw[0] ^ XOR_MASK]) + raw[1:]) if raw else None


@faults.plant(READ_BUFFER, output="ptr", succeeded=True)
def buffer_read_leaves_output_untouched(step: SimulatedStep) -> Outcome | None:
    """A read of a buffer does not write to its output buffer."""
    return _leave_untouched(step, "ptr")


@faults.plant(READ_BUFFER, output="ptr", succeeded=True)
def buffer_read_returns_another_first_byte(step: SimulatedStep) -> Outcome | None:
    """The first byte of a read of a buffer is corrupted."""
    return _corrupt_first_byte(step, "ptr")


@faults.plant(READ_RECTANGLE, output="ptr", succeeded=True)
def rectangle_read_leaves_output_untouched(step: SimulatedStep) -> Outcome | None:
    """A read of a rectangle does not write to its output buffer."""
    return _leave_untouched(step, "ptr")


@faults.plant(READ_RECTANGLE, output="ptr", succeeded=True)
def rectangle_read_begins_a_byte_early(step: SimulatedStep) -> Outcome | None:
    """A read of a rectangle returns the bytes that precede each of its rows by one byte."""
    work = step.find_effect()
    if work is None or work.shown is None or step.argument("ptr", OutputBuffer) is None:
        return None
    raw = bytearray(step.outcome.outputs["ptr"].raw)
    place = work.shown.place
    earlier = place.storage.read(tuple((max(start - 1, 0), size) for start, size in place.spans)).bytes_held
    at = 0
    for start, size in work.shown.spans:
        raw[start : start + size] = earlier[at : at + size]
        at += size
    return step.with_bytes("ptr", bytes(raw))


@faults.plant(READ_IMAGE, output="ptr", succeeded=True)
def image_read_leaves_output_untouched(step: SimulatedStep) -> Outcome | None:
    """A read of an image does not write to its output buffer."""
    return _leave_untouched(step, "ptr")


@faults.plant(READ_IMAGE, output="ptr", succeeded=True)
def image_read_returns_another_first_byte(step: SimulatedStep) -> Outcome | None:
    """The first byte of a read of an image is corrupted."""
    return _corrupt_first_byte(step, "ptr")


@faults.plant(READ, output="content")
def buffer_map_shows_another_first_byte(step: SimulatedStep) -> Outcome | None:
    """The first byte that the host reads in a mapped region of a buffer is corrupted."""
    work = step.find_effect()
    region = find_map(work.reads[0], step.model, writes=False) if work is not None and work.reads else None
    is_buffer = region is not None and region.function == "clEnqueueMapBuffer" and isinstance(region.memory, Buffer)
    return _corrupt_first_byte(step, "content") if is_buffer else None


@faults.plant(READ, output="content")
def shared_memory_map_shows_another_first_byte(step: SimulatedStep) -> Outcome | None:
    """The first byte that the host reads in a mapped region of shared virtual memory is corrupted."""
    work = step.find_effect()
    region = find_map(work.reads[0], step.model, writes=False) if work is not None and work.reads else None
    is_shared = region is not None and region.function == "clEnqueueSVMMap"
    return _corrupt_first_byte(step, "content") if is_shared else None


@faults.plant(COPY_SVM, output="dst_ptr", succeeded=True)
def shared_memory_copy_to_host_leaves_output_untouched(step: SimulatedStep) -> Outcome | None:
    """A copy from shared virtual memory to the host does not write to its output buffer."""
    return _leave_untouched(step, "dst_ptr")


@faults.plant("clEnqueueWriteBuffer", succeeded=True)
def buffer_write_corrupts_last_byte(step: SimulatedStep) -> None:
    """The last byte of a write to a buffer is corrupted."""
    for place in step.writes:
        corrupt_byte(place, -1)


@faults.plant("clEnqueueWriteBufferRect", succeeded=True)
def rectangle_write_corrupts_last_byte(step: SimulatedStep) -> None:
    """The last byte of a write to a rectangle is corrupted."""
    for place in step.writes:
        corrupt_byte(place, -1)


@faults.plant("clEnqueueWriteImage", succeeded=True)
def image_write_corrupts_last_byte(step: SimulatedStep) -> None:
    """The last byte of a write to an image is corrupted."""
    for place in step.writes:
        corrupt_byte(place, -1)


@faults.plant("clEnqueueCopyBufferToImage", succeeded=True)
def copy_to_image_corrupts_last_byte(step: SimulatedStep) -> None:
    """The last byte of a copy from a buffer to an image is corrupted."""
    for place in step.writes:
        corrupt_byte(place, -1)


@faults.plant("clCreateBuffer", "clCreateBufferWithProperties")
def buffer_creation_corrupts_copied_byte(step: SimulatedStep) -> None:
    """The last byte that a new buffer copies from host memory is corrupted."""
    buffer = step.find_created(Buffer)
    if buffer is not None and buffer.memory is not None and step.call.flags & step.constant("CL_MEM_COPY_HOST_PTR"):
        storage, size = buffer.memory.storage, buffer.size
        content = storage.read(((size - 1, 1),))
        storage.write(((size - 1, 1),), content._replace(bytes_held=bytes([content.bytes_held[0] ^ XOR_MASK])))


@faults.plant(*CREATING_IMAGES)
def image_creation_corrupts_copied_byte(step: SimulatedStep) -> None:
    """The first byte that a new image copies from host memory is corrupted."""
    image = step.find_created(Image)
    if image is not None and image.memory is not None and step.call.flags & step.constant("CL_MEM_COPY_HOST_PTR"):
        start = image.memory.start
        content = image.memory.storage.read(((start, 1),))
        changed = content._replace(bytes_held=bytes([content.bytes_held[0] ^ XOR_MASK]))
        image.memory.storage.write(((start, 1),), changed)
