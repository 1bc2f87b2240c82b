"""Tracks the pointers of mapped regions: uses after the unmap, unmaps of other pointers, and regions that are left."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Step
from clconform.oracles.engine.host_threads import MAP_FUNCTIONS
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.queues import CommandQueue
from clconform.validation.findings import ADVICE, UNDEFINED
from clconform.validation.host_byte_ranges import HOST_MEMORY_COMMANDS, host_byte_ranges_of
from clconform.validation.pending_call import PendingCall
from clconform.validation.usage_rules import UsageViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.model.state import Model
    from clconform.recording.file_format import CallEntry

UNMAP_FUNCTION = "clEnqueueUnmapMemObject"
USE_AFTER_UNMAP = "OpenCL:accessing-mapped-regions-of-a-memory-object/usage/4"
MAX_UNMAPPED = 1024
"""Maximum number of stored pointers of unmapped regions."""
_MAX_RANGES = 8
"""Maximum number of unmapped regions that are compared with pointers into them, and not only to their start."""


class _MappedRegion(msgspec.Struct, eq=False):
    """A mapped region.

    ``end``: the address after its last byte, as far as it is known. ``memory``: the name of its memory object.
    ``base``: the address of the object's first byte, or 0 if it is unknown. ``begun``, ``step``: the call that mapped
    it. ``unmapped``: the call that unmapped it, and ``command`` its command.
    """

    start: int
    end: int
    memory: str
    base: int
    begun: PendingCall
    step: Step
    unmapped: PendingCall | None = None
    command: Command | None = None


class MappedPointers:
    """The pointers that map calls of one program returned, and the regions that were unmapped."""

    def __init__(self) -> None:
        self._mapped: dict[int, list[_MappedRegion]] = {}
        self._unmapped: dict[int, _MappedRegion] = {}
        self._latest: deque[_MappedRegion] = deque(maxlen=_MAX_RANGES)
        self._bases: dict[str, int] = {}

    def unmap_error(self, entered: CallEntry) -> str:
        """Return why a call must not unmap its pointer; empty if it may, or if it is not an unmap call."""
        if entered.function != UNMAP_FUNCTION or entered.arguments["mapped_ptr"].bits in self._mapped:
            return ""
        return "mapped_ptr is not the pointer of a mapped region"

    def find_violations(self, begun: PendingCall, model: Model) -> Iterator[UsageViolation]:
        """Yield the uses of pointers to unmapped regions in a command on host memory.

        The use is undefined only if the memory is certainly that of the memory object: a buffer, on processors. Other
        devices may map a copy of the memory, whose address the program's own allocations can get after the unmap.
        """
        if not self._unmapped or begun.call.function not in HOST_MEMORY_COMMANDS:
            return
        for used in host_byte_ranges_of(begun.entered, begun.call, model):
            region = self._find_unmapped(used.start) if used.parameter else None
            if region is None or region.unmapped is None or not _is_unmapped_before(region, begun, model):
                continue
            words = (
                f"{used.parameter} points to a region of {region.memory} that {region.begun.entered.function} (call "
                f"{region.begun.number}) mapped and call {region.unmapped.number} unmapped"
            )
            if _is_own_memory(region, model):
                yield UsageViolation(UNDEFINED, (USE_AFTER_UNMAP,), words, values={"object": region.memory})
            else:
                doubt = "; the access is undefined unless the program has allocated memory there since"
                yield UsageViolation(ADVICE, (USE_AFTER_UNMAP,), words + doubt, values={"object": region.memory})

    def note_call(self, begun: PendingCall, step: Step, result: int, model: Model, *, is_judged: bool) -> None:
        """Note a map call that returned a pointer, or an unmap call that succeeded.

        ``is_judged``: the model knows the command.
        """
        given = begun.entered.arguments
        if begun.entered.function in MAP_FUNCTIONS and result:
            thing = model.find(begun.call.arguments.get("buffer", begun.call.arguments.get("image")))
            size = given["size"].bits if "size" in given else 1
            name = thing.name if thing is not None else ""
            base = result - given["offset"].bits if "offset" in given else 0
            self._mapped.setdefault(result, []).append(_MappedRegion(result, result + size, name, base, begun, step))
            self._forget_unmapped(result, result + size)
            if self._bases.get(name, base) != base:  # the driver has moved the memory
                self.forget([name])
        elif begun.entered.function == UNMAP_FUNCTION and not result:
            self._note_unmap(begun, given["mapped_ptr"].bits, model, is_judged=is_judged)

    def forget(self, names: list[str]) -> None:
        """Forget the unmapped regions of memory objects that were deleted or moved: the addresses may be used again."""
        if self._bases.keys().isdisjoint(names):
            return
        for each in [each for each in self._unmapped.values() if each.memory in names]:
            self._drop(each)
        for name in names:
            self._bases.pop(name, None)

    def left(self) -> Iterator[tuple[str, PendingCall, Step]]:
        """Yield the memory objects of the regions which are still mapped, with the calls that mapped them."""
        for regions in self._mapped.values():
            yield from ((each.memory, each.begun, each.step) for each in regions)

    def _note_unmap(self, begun: PendingCall, pointer: int, model: Model, *, is_judged: bool) -> None:
        regions = self._mapped.get(pointer, [])
        region = regions.pop() if regions else None
        if regions or region is None:
            return
        del self._mapped[pointer]
        latest, thing = model.commands.latest, model.objects.get(region.memory)
        if not is_judged or latest is None or latest.function != UNMAP_FUNCTION or not isinstance(thing, MemoryObject):
            return
        if thing.root_object.flags & model.constant_value("CL_MEM_USE_HOST_PTR"):  # the memory is the program's
            return
        region.unmapped, region.command = begun, latest
        self._unmapped[pointer] = region
        self._bases[region.memory] = region.base
        self._latest.append(region)
        if len(self._unmapped) > MAX_UNMAPPED:
            self._drop(next(iter(self._unmapped.values())))

    def _find_unmapped(self, pointer: int) -> _MappedRegion | None:
        """Return an unmapped region with this pointer, unless the memory there is mapped again."""
        region = self._unmapped.get(pointer)
        region = region or next((each for each in self._latest if each.start <= pointer < each.end), None)
        if region is None:
            return None
        mapped = (each for regions in self._mapped.values() for each in regions)
        return None if any(each.start <= pointer < each.end for each in mapped) else region

    def _forget_unmapped(self, start: int, end: int) -> None:
        """Forget the unmapped regions that a new mapped region may overlap."""
        known = self._unmapped.get(start)
        met = [each for each in self._latest if each.start < end and start < each.end]
        for each in (*met, known) if known is not None else met:
            self._drop(each)

    def _drop(self, region: _MappedRegion) -> None:
        if self._unmapped.get(region.start) is region:
            del self._unmapped[region.start]
        if region in self._latest:
            self._latest.remove(region)


def _is_unmapped_before(region: _MappedRegion, begun: PendingCall, model: Model) -> bool:
    """Return whether a region is unmapped when a command runs."""
    command = region.command
    if command is None or command.is_complete or command not in model.commands.pending:
        return True
    return (
        command.queue is not None and command.queue.in_order and model.find(begun.call.command_queue) is command.queue
    )


def _is_own_memory(region: _MappedRegion, model: Model) -> bool:
    """Return whether a mapped region was certainly in the memory of its memory object."""
    thing, queue = model.objects.get(region.memory), model.find(region.begun.call.command_queue)
    if not isinstance(thing, Buffer) or not isinstance(queue, CommandQueue) or queue.context is None:
        return False
    devices = [*queue.context.devices, *queue.context.candidates]
    types = [each.facts.get("CL_DEVICE_TYPE") for each in devices]
    processor = model.constant_value("CL_DEVICE_TYPE_CPU")
    return bool(types) and all(isinstance(each, int) and bool(each & processor) for each in types)
