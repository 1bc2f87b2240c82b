"""Faults of memory contents: bytes that are lost, moved, stale, or out of bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.host import READ
from clconform.calls.values import FILL, Handle, Inside, OutputBuffer
from clconform.oracles.contents.maps import mapped, reach
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import HostArea
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from typing import Any

    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.contents.storage import Content, Place
    from clconform.simulator.platform import Simulation

faults = Faults()

RECTANGLES = ("clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect")
FLIPPED = 0x5A


@faults.plant
def rectangle_loses_its_last_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last byte of a rectangular transfer is corrupted."""
    work = _work(simulation, call, outcome, *RECTANGLES)
    if work is None:
        return outcome
    for place in work.writes:
        spoil(place, -1)
    output_buffer = call.arguments.get("ptr")
    if (
        call.function != RECTANGLES[0]
        or not isinstance(output_buffer, OutputBuffer)
        or not isinstance(outcome, Returned)
    ):
        return outcome
    raw = outcome.outputs["ptr"].raw.rstrip(bytes([FILL]))
    wrong = raw[:-1] + bytes([raw[-1] ^ FLIPPED]) if raw else raw
    return outcome.with_outputs(ptr=Output([], len(wrong), wrong))


@faults.plant
def fill_one_pattern_short(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last repetition of a fill pattern is missing."""
    work = _work(simulation, call, outcome, "clEnqueueFillBuffer", "clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
    for place in work.writes if work else ():
        for back in range(1, call.pattern_size + 1):
            spoil(place, -back)
    return outcome


@faults.plant
def stale_map(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every map of a buffer shows the contents at the first map."""
    first: dict[int, tuple[Any, Content]] = simulation.__dict__.setdefault("first_mapped", {})
    model = simulation.model
    if _succeeded(outcome, call, "clEnqueueMapBuffer"):
        storage = model.maps[-1].region.storage
        first.setdefault(id(storage), (storage, storage.read(((0, storage.size),))))
    if call.function != READ or not isinstance(outcome, Returned):
        return outcome
    (place,) = simulation.oracle.rulebook.effect_of(call, model).reads
    _, shown = first.get(id(place.storage), (None, None))
    if shown is None or mapped(place, model, writes=False) is None:
        return outcome
    raw = b"".join(shown.held[start : start + size] for start, size in place.spans)
    return msgspec.structs.replace(outcome, outputs={"content": Output([], len(raw), raw)})


@faults.plant
def unmap_loses_what_was_written(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Unmapping a region restores the contents from before the map."""
    before: list[tuple[Any, Content]] = simulation.__dict__.setdefault("when_mapped", [])
    model = simulation.model
    if _succeeded(outcome, call, "clEnqueueMapBuffer"):
        region = model.maps[-1]
        view = region.region
        before.append((region, view.storage.read(view.spans(0, view.size))))
    if _succeeded(outcome, call, "clEnqueueUnmapMemObject"):
        for region, content in [each for each in before if each[0] not in model.maps]:
            view = region.region
            if region.writes:
                view.storage.write(view.spans(0, view.size), content)
            before.remove((region, content))
    return outcome


@faults.plant
def copy_shifted_by_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Copied bytes are rotated by one byte."""
    work = _work(simulation, call, outcome, "clEnqueueCopyBuffer")
    for place in work.writes if work else ():
        content = place.read()
        shifted = content.held[-1:] + content.held[:-1]
        place.write(content._replace(held=shifted))
    return outcome


@faults.plant
def sub_buffer_at_the_start(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-buffer begins at the start of its buffer, whatever its origin."""
    if call.function == "clCreateSubBuffer" and isinstance(outcome, Returned) and isinstance(outcome.value, str):
        region, parent = simulation.model.get(Buffer, Handle(outcome.value)), simulation.model.get(Buffer, call.buffer)
        if parent.memory is not None:
            region.memory = parent.memory.part(0, region.size)
    return outcome


@faults.plant
def reads_beyond_the_area(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read into the end of a host area also writes one byte after the area."""
    beyond: set[str] = simulation.__dict__.setdefault("beyond", set())
    model = simulation.model
    pointer = call.arguments.get("pointer" if call.function == READ else "ptr")
    area = _area(simulation, pointer)
    if area is None or not isinstance(outcome, Returned):
        return outcome
    if _succeeded(outcome, call, "clEnqueueReadBuffer"):
        place = reach(pointer, model).place(((0, call.size),))
        if place.spans and sum(place.spans[-1]) == area.size:
            beyond.add(area.name)
    if call.function == READ and area.name in beyond:
        return msgspec.structs.replace(outcome, overrun=["pointer"])
    return outcome


def _area(simulation: Simulation, pointer: object) -> HostArea | None:
    handle = pointer.handle if isinstance(pointer, Inside) else pointer
    thing = simulation.model.known(handle)
    return thing if isinstance(thing, HostArea) else None


def _work(simulation: Simulation, call: Call, outcome: Outcome, *functions: str) -> MemoryEffect | None:
    """Return the memory effect of a successful call of one of these functions; None for all other calls."""
    if not any(_succeeded(outcome, call, function) for function in functions):
        return None
    try:
        return simulation.oracle.rulebook.effect_of(call, simulation.model)
    except (UnknownError, ForbiddenError):
        return None


def _succeeded(outcome: Outcome, call: Call, function: str) -> bool:
    if call.function != function or not isinstance(outcome, Returned):
        return False
    return outcome.value == 0 or isinstance(outcome.value, str)


def spoil(place: Place, index: int) -> None:
    """Change one byte that a command has written; ``index`` is negative and counts from the end."""
    content = place.read()
    if -index <= len(content.held):
        held = bytearray(content.held)
        held[index] ^= FLIPPED
        place.write(content._replace(held=bytes(held)))
