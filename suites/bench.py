"""What the calls of one example work on: contexts, queues and memory, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from clconform.calls.values import Data, Handle, Items, Room
from clconform.runner.session.session import made
from clconform.suites.queries.memory import REGION
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

_T = TypeVar("_T")
SIZE = 4096
"""Bytes of a buffer."""
HALF = SIZE // 2
TOP = (1 << 64) - 1
"""The largest size_t."""
NOBODYS_BITS = (1 << 62, 1 << 63)
"""Bits of flags that no registry gives out."""


class Bench:
    """Objects for the calls of one example; ``spare`` ones are like the first, ``foreign`` ones of another context."""

    def __init__(self, cl: Session) -> None:
        self.cl = cl
        self._kept: dict[Callable[[Bench], Any], Any] = {}

    def value(self, *names: str) -> int:
        """Return the sum of named constants."""
        return sum(value(self.cl, name) for name in names)

    def once(self, make: Callable[[Bench], _T]) -> _T:
        """Return what a function or class makes of this bench, made when it is first asked for and then kept."""
        if make not in self._kept:
            self._kept[make] = make(self)
        kept: _T = self._kept[make]
        return kept

    @cached_property
    def context(self) -> Handle:
        """A context of the device under test."""
        return self.new_context()

    @cached_property
    def foreign_context(self) -> Handle:
        """Another context of the same device."""
        return self.new_context()

    def new_context(self, *devices: Handle) -> Handle:
        """Make a context, of the device under test where none are named."""
        chosen = devices or (self.cl.device,)
        return one(self.cl.clCreateContext(None, len(chosen), Items(chosen), None, None, Room(1)))

    @cached_property
    def queue(self) -> Handle:
        """A queue on the device under test."""
        return self.new_queue(self.context)

    @cached_property
    def foreign_queue(self) -> Handle:
        """A queue of the other context."""
        return self.new_queue(self.foreign_context)

    def new_queue(self, context: Handle, device: Handle | None = None, properties: int = 0) -> Handle:
        """Make a queue, on the device under test where none is named."""
        return one(self.cl.clCreateCommandQueue(context, device or self.cl.device, properties, Room(1)))

    @cached_property
    def buffer(self) -> Handle:
        """A buffer that anybody may read and write."""
        return self.new_buffer("CL_MEM_READ_WRITE")

    @cached_property
    def spare_buffer(self) -> Handle:
        """Another such buffer."""
        return self.new_buffer("CL_MEM_READ_WRITE")

    @cached_property
    def foreign_buffer(self) -> Handle:
        """Such a buffer of the other context."""
        return self.new_buffer("CL_MEM_READ_WRITE", context=self.foreign_context)

    def new_buffer(self, *flags: str, context: Handle | None = None, size: int = SIZE) -> Handle:
        """Make a buffer; one that copies from the host is filled with zeros."""
        content = Data(bytes(size)) if "CL_MEM_COPY_HOST_PTR" in flags else None
        return one(self.cl.clCreateBuffer(context or self.context, self.value(*flags), size, content, Room(1)))

    def region(self, buffer: Handle, origin: int, size: int) -> Handle:
        """Make a sub-buffer with its buffer's flags."""
        needs(promised(self.cl, "clCreateSubBuffer"), "sub-buffers come with 1.1")
        kind = self.value("CL_BUFFER_CREATE_TYPE_REGION")
        return one(self.cl.clCreateSubBuffer(buffer, 0, kind, Data(REGION.pack(origin, size)), Room(1)))

    @cached_property
    def alignment(self) -> int:
        """The device's base address alignment in bytes."""
        bits = self.cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN") or 0
        needs(0 < bits // 8 < SIZE, "the device does not tell a base address alignment of use")
        return int(bits) // 8

    def event(self, status: int = 0, context: Handle | None = None) -> Handle:
        """Make a user event and set its status: 0 is complete, a negative one an error."""
        needs(promised(self.cl, "clCreateUserEvent"), "user events come with 1.1")
        event = one(self.cl.clCreateUserEvent(context or self.context, Room(1)))
        self.cl.clSetUserEventStatus(event, status)
        return event

    def map(self, buffer: Handle, *flags: str, offset: int = 0, size: int = SIZE) -> Handle:
        """Map a part of a buffer, and wait for it."""
        bits = self.value(*flags)
        mapped = made(self.cl.clEnqueueMapBuffer(self.queue, buffer, 1, bits, offset, size, 0, None, None, Room(1)))
        needs(mapped, "the driver maps no buffer")
        return mapped[0]
