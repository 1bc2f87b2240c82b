"""Faults of memory contents: bytes that are lost, moved, stale, or out of bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.harness_actions import READ
from clconform.calls.values import FILL_BYTE, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.mapped_contents import find_map, resolve_pointer
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import HostArea
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from typing import Any

    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.contents.storage import Content, MemoryPlace
    from clconform.simulator.platform import Simulation

faults = Faults()

RECTANGLES = ("clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect")
XOR_MASK = 0x5A


@faults.plant
def rectangle_loses_last_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last byte of a rectangular transfer is corrupted."""
    work = _get_effect(simulation, call, outcome, *RECTANGLES)
    if work is None:
        return outcome
    for place in work.writes:
        corrupt_byte(place, -1)
    output_buffer = call.arguments.get("ptr")
    if (
        call.function != RECTANGLES[0]
        or not isinstance(output_buffer, OutputBuffer)
        or not isinstance(outcome, Returned)
    ):
        return outcome
    raw = outcome.outputs["ptr"].raw.rstrip(bytes([FILL_BYTE]))
    wrong = raw[:-1] + bytes([raw[-1] ^ XOR_MASK]) if raw else raw
    return outcome.with_outputs(ptr=Output([], len(wrong), wrong))


@faults.plant
def fill_skips_last_pattern(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last repetition of a fill pattern is missing."""
    work = _get_effect(simulation, call, outcome, "clEnqueueFillBuffer", "clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
    for place in work.writes if work else ():
        for back in range(1, call.pattern_size + 1):
            corrupt_byte(place, -back)
    return outcome


@faults.plant
def buffer_maps_stale(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every map of a buffer shows the contents at the first map."""
    first: dict[int, tuple[Any, Content]] = simulation.__dict__.setdefault("first_mapped", {})
    model = simulation.model
    if _has_succeeded(outcome, call, "clEnqueueMapBuffer"):
        storage = model.mapped_regions[-1].region.storage
        first.setdefault(id(storage), (storage, storage.read(((0, storage.size),))))
    if call.function != READ or not isinstance(outcome, Returned):
        return outcome
    (place,) = simulation.oracle.rulebook.effect_of(call, model).reads
    _, shown = first.get(id(place.storage), (None, None))
    if shown is None or find_map(place, model, writes=False) is None:
        return outcome
    raw = b"".join(shown.bytes_held[start : start + size] for start, size in place.spans)
    return msgspec.structs.replace(outcome, outputs={"content": Output([], len(raw), raw)})


@faults.plant
def unmap_discards_writes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Unmapping a region restores the contents from before the map."""
    before: list[tuple[Any, Content]] = simulation.__dict__.setdefault("when_mapped", [])
    model = simulation.model
    if _has_succeeded(outcome, call, "clEnqueueMapBuffer"):
        region = model.mapped_regions[-1]
        view = region.region
        before.append((region, view.storage.read(view.spans(0, view.size))))
    if _has_succeeded(outcome, call, "clEnqueueUnmapMemObject"):
        for region, content in [each for each in before if each[0] not in model.mapped_regions]:
            view = region.region
            if region.is_writable:
                view.storage.write(view.spans(0, view.size), content)
            before.remove((region, content))
    return outcome


@faults.plant
def copy_rotated_by_one_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Copied bytes are rotated by one byte."""
    work = _get_effect(simulation, call, outcome, "clEnqueueCopyBuffer")
    for place in work.writes if work else ():
        content = place.read()
        shifted = content.bytes_held[-1:] + content.bytes_held[:-1]
        place.write(content._replace(bytes_held=shifted))
    return outcome


@faults.plant
def sub_buffer_origin_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-buffer begins at the start of its buffer, whatever its origin."""
    if call.function == "clCreateSubBuffer" and isinstance(outcome, Returned) and isinstance(outcome.value, str):
        region, parent = simulation.model.get(Buffer, Handle(outcome.value)), simulation.model.get(Buffer, call.buffer)
        if parent.memory is not None:
            region.memory = parent.memory.sub_view(0, region.size)
    return outcome


@faults.plant
def read_overruns_host_area(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read into the end of a host area also writes one byte after the area."""
    beyond: set[str] = simulation.__dict__.setdefault("beyond", set())
    model = simulation.model
    pointer = call.arguments.get("pointer" if call.function == READ else "ptr")
    area = _get_area(simulation, pointer)
    if area is None or not isinstance(outcome, Returned):
        return outcome
    if _has_succeeded(outcome, call, "clEnqueueReadBuffer"):
        place = resolve_pointer(pointer, model).memory_place(((0, call.size),))
        if place.spans and sum(place.spans[-1]) == area.size:
            beyond.add(area.name)
    if call.function == READ and area.name in beyond:
        return msgspec.structs.replace(outcome, overrun=["pointer"])
    return outcome


def _get_area(simulation: Simulation, pointer: object) -> HostArea | None:
    handle = pointer.handle if isinstance(pointer, OffsetPointer) else pointer
    thing = simulation.model.find(handle)
    return thing if isinstance(thing, HostArea) else None


def _get_effect(simulation: Simulation, call: Call, outcome: Outcome, *functions: str) -> MemoryEffect | None:
    """Return the memory effect of a successful call of one of these functions; None for all other calls."""
    if not any(_has_succeeded(outcome, call, function) for function in functions):
        return None
    try:
        return simulation.oracle.rulebook.effect_of(call, simulation.model)
    except (UnknownFactError, UndefinedBehaviourError):
        return None


def _has_succeeded(outcome: Outcome, call: Call, function: str) -> bool:
    if call.function != function or not isinstance(outcome, Returned):
        return False
    return outcome.value == 0 or isinstance(outcome.value, str)


def corrupt_byte(place: MemoryPlace, index: int) -> None:
    """Change one byte that a command has written; ``index`` is negative and counts from the end of the bytes."""
    content = place.read()
    if -index <= len(content.bytes_held):
        held = bytearray(content.bytes_held)
        held[index] ^= XOR_MASK
        place.write(content._replace(bytes_held=bytes(held)))
