"""Steps of the event suites: copies, writes, markers, barriers, and status queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.suites.common.waiting import STATUS
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

INFO, WRITE, COPY = "clGetEventInfo", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer"


def query_statuses(kit: Kit, *events: Handle) -> None:
    """Query the execution status of each of these events."""
    for event in events:
        kit.cl.query(INFO, event, STATUS)


def enqueue_copy(kit: Kit, *after: Handle) -> Handle:
    """Enqueue a copy between two new buffers, and return its event."""
    places: Arguments = {
        "src_buffer": kit.buffer(),
        "dst_buffer": kit.buffer(),
        "src_offset": 0,
        "dst_offset": 0,
        "size": SIZE,
    }
    return kit.require_event(
        kit.enqueue(COPY, after=ElementList(after) if after else None, event=OutputBuffer(1), **places)
    )


def enqueue_fence(kit: Kit, function: str) -> list[Handle]:
    """Enqueue a marker or barrier without a wait list, and return its event if the function has one."""
    skip_unless(is_available(kit.cl, function), f"{function} is not available")
    outcome = kit.call(function)
    return [] if function == "clEnqueueBarrier" else [kit.require_event(outcome)]


def enqueue_fence_after(function: str, kit: Kit, *after: Handle) -> Handle:
    """Enqueue a marker or barrier that waits for these events, and return the event of the marker or barrier."""
    skip_unless(is_available(kit.cl, function), f"{function} is not available")
    return kit.require_event(kit.enqueue(function, after=ElementList(after), event=OutputBuffer(1)))


def enqueue_write(kit: Kit, queue: Handle) -> tuple[Handle, Handle]:
    """Enqueue a non-blocking write to a new buffer, and return the buffer and the event."""
    buffer = kit.create_filled_buffer(SIZE, seed=1)
    place: Arguments = {
        "buffer": buffer,
        "blocking_write": 0,
        "offset": 0,
        "size": SIZE,
        "ptr": Data(pattern_bytes(SIZE, 2)),
    }
    return buffer, kit.require_event(kit.enqueue(WRITE, queue=queue, event=OutputBuffer(1), **place))
