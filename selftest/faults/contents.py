"""Faults of memory contents: bytes that are lost, moved, stale, or out of bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.harness_actions import READ
from clconform.calls.values import FILL_BYTE, OffsetPointer, OutputBuffer
from clconform.oracles.contents.mapped_contents import find_map, resolve_pointer
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import HostArea
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from typing import Any

    from clconform.calls.call import Outcome
    from clconform.oracles.contents.storage import Content, MemoryPlace, Storage

faults = Faults()

RECTANGLES = ("clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect")
MAP, UNMAP = "clEnqueueMapBuffer", "clEnqueueUnmapMemObject"
XOR_MASK = 0x5A


@faults.plant(*RECTANGLES, succeeded=True)
def rectangle_loses_last_byte(step: SimulatedStep) -> Outcome | None:
    """The last byte of a rectangular transfer is corrupted."""
    work = step.find_effect()
    for place in work.writes if work is not None else ():
        corrupt_byte(place, -1)
    if work is None or step.call.function != RECTANGLES[0] or step.argument("ptr", OutputBuffer) is None:
        return None
    raw = step.outcome.outputs["ptr"].raw.rstrip(bytes([FILL_BYTE]))
    return step.with_bytes("ptr", raw[:-1] + bytes([raw[-1] ^ XOR_MASK]) if raw else raw)


@faults.plant("clEnqueueFillBuffer", "clEnqueueSVMMemFill", "clEnqueueMemFillINTEL", succeeded=True)
def fill_skips_last_pattern(step: SimulatedStep) -> None:
    """The last repetition of a fill pattern is missing."""
    for place in step.writes:
        for back in range(1, step.call.pattern_size + 1):
            corrupt_byte(place, -back)


@faults.plant(MAP, READ)
def buffer_maps_stale(step: SimulatedStep) -> Outcome | None:
    """Every map of a buffer shows the contents at the first map."""
    first: dict[int, tuple[Storage, Content]] = step.state("first_mapped", {})
    return replay_first_map(step, first, MAP)


def replay_first_map(step: SimulatedStep, first: dict[int, tuple[Storage, Content]], function: str) -> Outcome | None:
    """Keep the contents of memory at its first map by a function; return them for reads of the mapped region."""
    if step.call.function == function and step.has_succeeded and step.model.mapped_regions:
        storage = step.model.mapped_regions[-1].region.storage
        first.setdefault(id(storage), (storage, storage.read(((0, storage.size),))))
    work = step.find_effect() if step.call.function == READ else None
    if work is None or find_map(work.reads[0], step.model, writes=False) is None:
        return None
    return show_stored_bytes(step, work.reads[0], first)


def show_stored_bytes(
    step: SimulatedStep, place: MemoryPlace, stored: dict[int, tuple[Storage, Content]]
) -> Outcome | None:
    """Return the outcome of a read by the host with bytes that were stored earlier, or None if there are none."""
    _, shown = stored.get(id(place.storage), (None, None))
    if shown is None:
        return None
    raw = b"".join(shown.bytes_held[start : start + size] for start, size in place.spans)
    return step.with_bytes("content", raw)


@faults.plant(MAP, UNMAP, succeeded=True)
def unmap_discards_writes(step: SimulatedStep) -> None:
    """Unmapping a region restores the contents from before the map."""
    before: list[tuple[Any, Content]] = step.state("when_mapped", [])
    if step.call.function == MAP:
        region = step.model.mapped_regions[-1]
        view = region.region
        before.append((region, view.storage.read(view.spans(0, view.size))))
        return
    for region, content in [each for each in before if each[0] not in step.model.mapped_regions]:
        view = region.region
        if region.is_writable:
            view.storage.write(view.spans(0, view.size), content)
        before.remove((region, content))


@faults.plant("clEnqueueCopyBuffer", succeeded=True)
def copy_rotated_by_one_byte(step: SimulatedStep) -> None:
    """Copied bytes are rotated by one byte."""
    for place in step.writes:
        content = place.read()
        place.write(content._replace(bytes_held=content.bytes_held[-1:] + content.bytes_held[:-1]))


@faults.plant("clCreateSubBuffer", succeeded=True)
def sub_buffer_origin_ignored(step: SimulatedStep) -> None:
    """A sub-buffer begins at the start of its buffer, whatever its origin."""
    region, parent = step.find_created(Buffer), step.find("buffer", Buffer)
    if region is not None and parent is not None and parent.memory is not None:
        region.memory = parent.memory.sub_view(0, region.size)


@faults.plant("clEnqueueReadBuffer", READ)
def read_overruns_host_area(step: SimulatedStep) -> Outcome | None:
    """A read into the end of a host area also writes one byte after the area."""
    beyond: set[str] = step.state("beyond", set())
    pointer = step.call.arguments.get("pointer" if step.call.function == READ else "ptr")
    area = step.model.find(pointer.handle if isinstance(pointer, OffsetPointer) else pointer)
    if not isinstance(area, HostArea):
        return None
    if step.call.function == READ:
        return msgspec.structs.replace(step.outcome, overrun=["pointer"]) if area.name in beyond else None
    if step.has_succeeded:
        place = resolve_pointer(pointer, step.model).memory_place(((0, step.call.size),))
        if place.spans and sum(place.spans[-1]) == area.size:
            beyond.add(area.name)
    return None


def corrupt_byte(place: MemoryPlace, index: int) -> None:
    """Change one byte that a command has written; ``index`` is negative and counts from the end of the bytes."""
    content = place.read()
    if -index <= len(content.bytes_held):
        held = bytearray(content.bytes_held)
        held[index] ^= XOR_MASK
        place.write(content._replace(bytes_held=bytes(held)))
