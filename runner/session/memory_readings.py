"""Reads memory again by another function, so that the oracle can attribute unexpected bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, MemoryReading, Returned
from clconform.calls.harness_actions import READ
from clconform.calls.values import ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.byte_attribution import UNREADABLE
from clconform.oracles.contents.image_layout import texel_place
from clconform.oracles.contents.mapped_contents import maps_of
from clconform.oracles.engine.crashes import can_finish
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import HostArea, PointerMemory, SvmAllocation
from clconform.oracles.model.queues import HostQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.calls.values import Value
    from clconform.oracles.contents.byte_attribution import ReadingRequest
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.model.contexts import ContextObject
    from clconform.oracles.model.state import Model

READ_BUFFER, READ_RECTANGLE, READ_IMAGE = "clEnqueueReadBuffer", "clEnqueueReadBufferRect", "clEnqueueReadImage"
MAP_BUFFER = "clEnqueueMapBuffer"
COPY_IMAGE, COPY_SVM, MAP_SVM = "clEnqueueCopyImageToBuffer", "clEnqueueSVMMemcpy", "clEnqueueSVMMap"
MAX_BYTES = 1 << 20
"""Maximum number of bytes that are read again."""
WAIT_PARAMETERS = ("num_events_in_wait_list", "event_wait_list")
ORIGIN = ElementList((0, 0, 0))


class MemoryReader:
    """Reads memory after a call. A reading that is undefined or invalid is not made; the memory is then unreadable.

    ``call``: the call that returned unexpected bytes; readings use its queue and wait for its events. ``model``: the
    model before this call. ``make``: makes a call without judging it; None if the call is undefined, invalid or
    unavailable. ``make_unmodelled``: the same for calls with objects that the model does not know.
    """

    def __init__(
        self,
        call: Call,
        model: Model,
        make: Callable[[Call], Outcome | None],
        make_unmodelled: Callable[[Call], Outcome],
    ) -> None:
        self._model, self._make, self._make_unmodelled = model, make, make_unmodelled
        self._queue = model.find(call.arguments.get("command_queue"))
        number, events = (call.arguments.get(name) for name in WAIT_PARAMETERS)
        self._waits: dict[str, Value] = {
            "num_events_in_wait_list": number or 0,
            "event_wait_list": events,
            "event": None,
        }

    def read(self, request: ReadingRequest) -> MemoryReading:
        """Return the bytes of the requested memory, in the order of its spans; ``UNREADABLE`` if it cannot be read."""
        place, owner = request.place, request.place.owner
        if not place.spans or _end(place.spans) - _start(place.spans) > MAX_BYTES:
            return UNREADABLE
        if isinstance(owner, HostArea):
            return self._read_area(place, owner)
        queue = self._find_queue(owner)
        if queue is None:
            return UNREADABLE
        if isinstance(owner, Buffer):
            return self._read_buffer(place, owner, queue, request.avoid)
        if isinstance(owner, Image):
            return self._read_image(place, owner, queue, request.avoid)
        if isinstance(owner, SvmAllocation):
            return self._read_svm(place, owner, queue, request.avoid)
        return UNREADABLE

    def _find_queue(self, owner: ContextObject | None) -> Handle | None:
        """Return a queue in the context of an object whose commands all complete, or None."""
        queues = self._model.objects_of_class(HostQueue)
        for queue in sorted(queues, key=lambda each: each is not self._queue):
            if owner is not None and queue.context is owner.context and can_finish(queue, self._model):
                return Handle(queue.name)
        return None

    def _read_area(self, place: MemoryPlace, area: HostArea) -> MemoryReading:
        if area.memory is None:
            return UNREADABLE
        start, size = _start(place.spans), _end(place.spans) - _start(place.spans)
        pointer = OffsetPointer(Handle(area.name), start - area.memory.start)
        outcome = self._make(Call(READ, {"pointer": pointer, "size": size, "content": OutputBuffer(size)}))
        return _select_bytes(READ, outcome, "content", place.spans, start)

    def _read_buffer(self, place: MemoryPlace, buffer: Buffer, queue: Handle, avoid: str) -> MemoryReading:
        if buffer.memory is None or buffer.references < 1:
            return UNREADABLE
        start, size = _start(place.spans), _end(place.spans) - _start(place.spans)
        offset = start - buffer.memory.start
        common: dict[str, Value] = {"command_queue": queue, "buffer": Handle(buffer.name), "blocking_read": 1}
        whole: dict[str, Value] = {**common, "offset": offset, "size": size, "ptr": OutputBuffer(size), **self._waits}
        if avoid != READ_BUFFER:
            return _select_bytes(READ_BUFFER, self._make(Call(READ_BUFFER, whole)), "ptr", place.spans, start)
        rectangle: dict[str, Value] = {
            **common,
            "buffer_origin": ElementList((offset, 0, 0)),
            "host_origin": ORIGIN,
            "region": ElementList((size, 1, 1)),
            **{f"{side}_{name}_pitch": 0 for side in ("buffer", "host") for name in ("row", "slice")},
            "ptr": OutputBuffer(size),
            **self._waits,
        }
        found = _select_bytes(READ_RECTANGLE, self._make(Call(READ_RECTANGLE, rectangle)), "ptr", place.spans, start)
        return found if found.function else self._map_buffer(place, common, offset, size)

    def _map_buffer(self, place: MemoryPlace, common: dict[str, Value], offset: int, size: int) -> MemoryReading:
        """Map a part of a buffer, and read it on the host."""
        if maps_of(place.storage, self._model):
            return UNREADABLE
        queue, buffer = common["command_queue"], common["buffer"]
        region: dict[str, Value] = {"map_flags": self._model.constant_value("CL_MAP_READ"), "offset": offset}
        where: dict[str, Value] = {"command_queue": queue, "buffer": buffer, "blocking_map": 1, **region, "size": size}
        mapped = self._make(Call(MAP_BUFFER, {**where, **self._waits, "errcode_ret": OutputBuffer(1)}))
        if not isinstance(mapped, Returned) or not isinstance(mapped.value, str):
            return UNREADABLE
        pointer = Handle(mapped.value)
        outcome = self._make_unmodelled(Call(READ, {"pointer": pointer, "size": size, "content": OutputBuffer(size)}))
        unmapped: dict[str, Value] = {"command_queue": queue, "memobj": buffer, "mapped_ptr": pointer}
        self._make_unmodelled(Call("clEnqueueUnmapMemObject", {**unmapped, **self._waits}))
        self._make_unmodelled(Call("clFinish", {"command_queue": queue}))
        return _select_bytes(MAP_BUFFER, outcome, "content", place.spans, _start(place.spans))

    def _read_image(self, place: MemoryPlace, image: Image, queue: Handle, avoid: str) -> MemoryReading:
        """Read a whole image, and return the texels in the spans of ``place``."""
        extent = image.shape.extent
        size = extent[0] * extent[1] * extent[2] * image.format.element_size
        try:
            whole = texel_place(image, (0, 0, 0), extent)
        except (UnknownFactError, UndefinedBehaviourError):
            return UNREADABLE
        if not 0 < size <= MAX_BYTES or image.references < 1 or maps_of(place.storage, self._model):
            return UNREADABLE
        region = ElementList(extent)
        if avoid != READ_IMAGE:
            arguments: dict[str, Value] = {
                "command_queue": queue,
                "image": Handle(image.name),
                "blocking_read": 1,
                "origin": ORIGIN,
                "region": region,
                "row_pitch": 0,
                "slice_pitch": 0,
                "ptr": OutputBuffer(size),
                **self._waits,
            }
            function, outcome = READ_IMAGE, self._make(Call(READ_IMAGE, arguments))
        else:
            function, outcome = COPY_IMAGE, self._read_through_buffer(image, queue, region, size)
        if not isinstance(outcome, Returned) or outcome.value != 0:
            return UNREADABLE
        return _select_texels(function, outcome.outputs["ptr"].raw, place.spans, whole.spans)

    def _read_through_buffer(self, image: Image, queue: Handle, region: ElementList, size: int) -> Outcome | None:
        """Copy an image to a new buffer, and read the buffer."""
        if image.context is None:
            return None
        creation: dict[str, Value] = {"context": Handle(image.context.name), "flags": 0, "size": size}
        made = self._make_unmodelled(
            Call("clCreateBuffer", {**creation, "host_ptr": None, "errcode_ret": OutputBuffer(1)})
        )
        if not isinstance(made, Returned) or not isinstance(made.value, str):
            return None
        buffer, read = Handle(made.value), None
        images: dict[str, Value] = {"command_queue": queue, "src_image": Handle(image.name), "dst_buffer": buffer}
        places: dict[str, Value] = {"src_origin": ORIGIN, "region": region, "dst_offset": 0}
        copied = self._make_unmodelled(Call(COPY_IMAGE, {**images, **places, **self._waits}))
        if isinstance(copied, Returned) and copied.value == 0:
            target: dict[str, Value] = {"command_queue": queue, "buffer": buffer, "blocking_read": 1}
            bytes_read: dict[str, Value] = {"offset": 0, "size": size, "ptr": OutputBuffer(size)}
            read = self._make_unmodelled(Call(READ_BUFFER, {**target, **bytes_read, **self._waits}))
        if isinstance(copied, Returned):
            self._make_unmodelled(Call("clReleaseMemObject", {"memobj": buffer}))
        return read

    def _read_svm(self, place: MemoryPlace, memory: PointerMemory, queue: Handle, avoid: str) -> MemoryReading:
        if memory.memory is None:
            return UNREADABLE
        start, size = _start(place.spans), _end(place.spans) - _start(place.spans)
        offset, handle = start - memory.memory.start, Handle(memory.name)
        pointer = OffsetPointer(handle, offset) if offset else handle
        if avoid != COPY_SVM:
            arguments: dict[str, Value] = {
                "command_queue": queue,
                "blocking_copy": 1,
                "dst_ptr": OutputBuffer(size),
                "src_ptr": pointer,
                "size": size,
                **self._waits,
            }
            return _select_bytes(COPY_SVM, self._make(Call(COPY_SVM, arguments)), "dst_ptr", place.spans, start)
        if maps_of(place.storage, self._model):
            return UNREADABLE
        flags = self._model.constant_value("CL_MAP_READ")
        region: dict[str, Value] = {"svm_ptr": pointer, "size": size}
        mapped = self._make(
            Call(MAP_SVM, {"command_queue": queue, "blocking_map": 1, "flags": flags, **region, **self._waits})
        )
        if not isinstance(mapped, Returned) or mapped.value != 0:
            return UNREADABLE
        outcome = self._make_unmodelled(Call(READ, {"pointer": pointer, "size": size, "content": OutputBuffer(size)}))
        self._make_unmodelled(Call("clEnqueueSVMUnmap", {"command_queue": queue, "svm_ptr": pointer, **self._waits}))
        self._make_unmodelled(Call("clFinish", {"command_queue": queue}))
        return _select_bytes(MAP_SVM, outcome, "content", place.spans, start)


def _start(spans: Spans) -> int:
    return min(start for start, _ in spans)


def _end(spans: Spans) -> int:
    return max(start + size for start, size in spans)


def _select_bytes(function: str, outcome: Outcome | None, output: str, spans: Spans, first: int) -> MemoryReading:
    """Return the bytes in ``spans`` of an output that begins at the offset ``first``."""
    if not isinstance(outcome, Returned) or outcome.value not in (0, None) or output not in outcome.outputs:
        return UNREADABLE
    raw = outcome.outputs[output].raw
    return MemoryReading(function, b"".join(raw[start - first : start - first + size] for start, size in spans))


def _select_texels(function: str, raw: bytes, spans: Spans, whole: Spans) -> MemoryReading:
    """Return the bytes in ``spans`` of an output that consists of the bytes in ``whole``, one span after the other."""
    parts, before = [], 0
    starts = []
    for start, size in whole:
        starts.append((start, size, before))
        before += size
    for start, size in spans:
        at = next((at + start - first for first, length, at in starts if first <= start < first + length), None)
        length = next((length - (start - first) for first, length, _ in starts if first <= start < first + length), 0)
        if at is None or length < size:
            return UNREADABLE
        parts.append(raw[at : at + size])
    return MemoryReading(function, b"".join(parts))
