"""Mapped regions of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, OffsetPointer

if TYPE_CHECKING:
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import StorageView
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.pointer_memory import PointerMemory


@dataclass(eq=False)
class MappedRegion:
    """A mapped region; the host may access it through ``pointer`` once ``command`` is complete.

    ``is_writable``: the host may write to it. ``discards_contents``: its contents are discarded, so the host must not
    read it. ``is_uncertain``: a call to unmap it failed, and its state is unknown. ``may_be_unmapped``: another region
    of the same shared memory was unmapped, which may have unmapped all regions. ``shows_latest_bytes``: the host
    certainly reads the latest bytes in it. ``rows``: for an image, the mapped bytes of the storage. ``offsets``: the
    offset of each row from the pointer, by the returned pitches; empty if the pitches are unusable. ``is_blocking``:
    the mapping call returned only after the region was mapped.
    """

    function: str
    pointer: str
    memory: MemoryObject | PointerMemory
    region: StorageView
    command: Command
    is_writable: bool = False
    discards_contents: bool = False
    is_uncertain: bool = False
    may_be_unmapped: bool = False
    shows_latest_bytes: bool = True
    rows: Spans | None = None
    offsets: tuple[int, ...] = ()
    is_blocking: bool = False

    @property
    def spans(self) -> Spans:
        """Return the mapped bytes as spans of the storage."""
        return self.region.spans(0, self.region.size) if self.rows is None else self.rows

    @property
    def accessible_runs(self) -> tuple[tuple[int, int], ...]:
        """Return the runs of bytes that the host may access, each as its offset from the pointer and its size."""
        if self.rows is None:
            return ((self.offset, self.region.size),)
        return tuple((offset, size) for offset, (_, size) in zip(self.offsets, self.rows, strict=False))

    @property
    def offset(self) -> int:
        """The offset of the region from ``pointer``: 0 except for shared virtual memory."""
        if self.function != "clEnqueueSVMMap" or self.memory.memory is None:
            return 0
        return self.region.start - self.memory.memory.start

    @property
    def unmap_call(self) -> tuple[str, tuple[Handle | OffsetPointer, ...]]:
        """Return the function that unmaps the region, and its arguments without the queue."""
        if self.function == "clEnqueueSVMMap":
            whole = Handle(self.pointer)
            return "clEnqueueSVMUnmap", (OffsetPointer(whole, self.offset) if self.offset else whole,)
        return "clEnqueueUnmapMemObject", (Handle(self.memory.name), Handle(self.pointer))

    def contains(self, spans: Spans) -> bool:
        """Return whether all bytes of ``spans`` are mapped."""
        own = self.spans
        return all(any(first <= start and start + size <= first + most for first, most in own) for start, size in spans)
