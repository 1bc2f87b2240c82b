"""Detects races on host memory: a call uses host memory that earlier commands may still read or write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.contents.dependencies import create_command, is_blocking
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import MemoryPlace, Storage
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_uses import MemoryUse, MemoryUses, UsesByBytes
from clconform.oracles.model.pointer_memory import DeviceAllocation, PointerMemory, UsmAllocation
from clconform.validation.findings import UNDEFINED
from clconform.validation.host_areas import CREATE_BUFFER
from clconform.validation.host_byte_ranges import ADDRESS_END, HOST_MEMORY_COMMANDS, HostByteRange, host_byte_ranges_of
from clconform.validation.usage_rules import UsageViolation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.recording.file_format import CallEntry
    from clconform.validation.known_completions import KnownCompletions
    from clconform.validation.pending_call import PendingCall

CREATE_FUNCTIONS = (*CREATE_BUFFER, "clCreateImage", "clCreateImageWithProperties")
OLD_CREATE_FUNCTIONS = ("clCreateImage2D", "clCreateImage3D")
"""Functions that create an image, perhaps on host memory, which kernels can then access."""
SYSTEM_MEMORY = "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL"
MIN_DROPPED = 8
"""Minimum number of ended commands that are dropped together."""
MAX_AREAS = 4096
"""Maximum number of areas of host memory with memory objects that are tracked separately."""


class _CommandUse(msgspec.Struct, eq=False):
    """A command that may still use host memory.

    ``is_uncertain``: other calls may change the memory, or inform the program that the command is complete. ``age``:
    the number of earlier commands that used host memory.
    """

    used: tuple[HostByteRange, ...]
    command: Command
    number: int
    is_uncertain: bool
    age: int


class HostMemoryRaces:
    """Tracks the host memory that possibly incomplete commands use."""

    def __init__(self, ended: KnownCompletions) -> None:
        self._ended = ended
        self._uses: dict[Command, _CommandUse] = {}
        self._certain = MemoryUses()
        self._writes = UsesByBytes()
        self._memory = Storage(ADDRESS_END, host=True)
        self._of_objects: set[tuple[int, int]] = set()
        self._added = self._uncertain_before = 0

    def find_race(self, entered: CallEntry, call: Call, model: Model) -> UsageViolation | None:
        """Return why a call must not use its host memory now; None if it may."""
        if call.function not in HOST_MEMORY_COMMANDS or not self._uses:
            return None
        self._drop_ended(model)
        own = [each for each in host_byte_ranges_of(entered, call, model) if not each.is_tracked_by_model]
        try:
            command = create_command(call, model, MemoryEffect(*self._certain_places(own)))
        except (UnknownFactError, UndefinedBehaviourError):
            return None

        def conflicts(_command: Command, other: Command) -> bool:
            use = self._uses[other]
            if command.waits_for_user_event or other.waits_for_user_event:  # the program may set it after the other
                return False
            return self._may_run(use, model) and any(_is_conflict(mine, use) for mine in own)

        other = self._certain.find_conflict(command, conflicts)
        if other is None:
            return None
        use = self._uses[other]
        mine = next(each for each in own if _is_conflict(each, use))
        named = f"{other.function} (call {use.number})"
        reason = f"{mine.parameter} is host memory of {named}, which may not be complete"
        return UsageViolation(UNDEFINED, (), reason, "host-memory-race", {"other": named})

    def find_change(self, command: Command, model: Model) -> str:
        """Return why a change of the host memory that a command reads was not allowed; empty if it was.

        The change is allowed if the command was complete, or if another command or a kernel may have written to the
        memory.
        """
        use = self._uses.get(command)
        if use is None or not self._may_run(use, model) or use.is_uncertain or use.age < self._uncertain_before:
            return ""
        if _may_kernels_signal(model):
            return ""
        read = next((each for each in use.used if not each.writes and not each.is_returned_memory), None)
        if read is None or any(read.may_overlap(first, last) for first, last in self._of_objects):
            return ""
        return f"the program has changed the memory at {read.parameter} before the command was known to be complete"

    def add(self, begun: PendingCall, model: Model, others: Iterable[PendingCall]) -> None:
        """Note the host memory of an enqueued command that may be incomplete, or of a new memory object.

        ``others``: calls that have not returned.
        """
        entered, call = begun.entered, begun.call
        if call.function in (*CREATE_FUNCTIONS, *OLD_CREATE_FUNCTIONS) and entered.arguments["host_ptr"].bits:
            if entered.arguments["flags"].bits & model.constant_value("CL_MEM_USE_HOST_PTR"):
                first = entered.arguments["host_ptr"].bits
                size = entered.arguments["size"].bits if "size" in entered.arguments else ADDRESS_END - first
                self._of_objects.add((first, first + size))
                if len(self._of_objects) > MAX_AREAS:
                    self.mark_unknown()
            return
        if call.function not in HOST_MEMORY_COMMANDS or is_blocking(call):
            return
        used = tuple(host_byte_ranges_of(entered, call, model))
        command = model.commands.latest
        if command is None or command.function != call.function or command in self._uses:
            if any(each.writes and not each.is_returned_memory for each in used):
                self.mark_unknown()
            return
        writers = [
            each for other in others for each in host_byte_ranges_of(other.entered, other.call, model) if each.writes
        ]
        clouded = any(
            self._has_writer(mine, model) or any(mine.may_overlap(each.start, each.end) for each in writers)
            for mine in used
        )
        self._uses[command] = _CommandUse(used, command, begun.number, clouded, self._added)
        self._added += 1
        self._certain.add(command, *self._certain_places(each for each in used if not each.is_tracked_by_model))
        self._add_writes(self._uses[command])

    def _add_writes(self, use: _CommandUse) -> None:
        for each in use.used:
            if each.writes:
                place = MemoryPlace(self._memory, ((each.start, each.end - each.start),))
                self._writes.add(MemoryUse(use.command, place, writes=True, start=each.start, end=each.end))

    def _certain_places(self, used: Iterable[HostByteRange]) -> tuple[tuple[MemoryPlace, ...], tuple[MemoryPlace, ...]]:
        """Return the bytes that a command certainly reads, and those that it certainly writes."""
        places: tuple[list[MemoryPlace], list[MemoryPlace]] = [], []
        for each in used:
            if each.pieces:
                spans = tuple((start, end - start) for start, end in each.pieces)
                places[each.writes].append(MemoryPlace(self._memory, spans))
        return tuple(places[0]), tuple(places[1])

    def _has_writer(self, used: HostByteRange, model: Model) -> bool:
        """Return whether a command that may run may write to bytes of a range."""
        ended: list[MemoryUse] = []
        found = False
        for each in self._writes.overlapping(used.start, used.end):
            use = self._uses.get(each.command)
            found = use is not None and self._may_run(use, model)
            if found:
                break
            ended.append(each)
        for each in ended:
            self._writes.drop(each)
        return found

    def mark_uncertain(self) -> None:
        """Note that the program may know that some commands are complete, but the recording does not show which."""
        self._uncertain_before = self._added

    def mark_unknown(self) -> None:
        """Note that unknown commands may write to any host memory."""
        self._of_objects = {(0, ADDRESS_END)}

    def _may_run(self, use: _CommandUse, model: Model) -> bool:
        return use.command in model.commands.pending and use.command not in self._ended

    def _drop_ended(self, model: Model) -> None:
        """Drop commands that have ended, after they have become most of the stored commands."""
        if len(self._uses) <= 2 * len(model.commands.pending) + MIN_DROPPED:
            return
        for use in [each for each in self._uses.values() if not self._may_run(each, model)]:
            del self._uses[use.command]
            self._certain.drop(use.command)
        self._writes = UsesByBytes()
        for use in self._uses.values():
            self._add_writes(use)


def _is_conflict(mine: HostByteRange, use: _CommandUse) -> bool:
    """Return whether one of two commands certainly writes to memory that the other command uses."""
    others = (each for each in use.used if not each.is_tracked_by_model)
    return any((mine.writes or each.writes) and mine.overlaps(each) for each in others)


def _may_kernels_signal(model: Model) -> bool:
    """Return whether a kernel may write to any host memory, or signal its completion to the host immediately."""
    return any(may_write_host_memory(device, model) for device in model.root_devices()) or any(
        each.is_fine_grained or (isinstance(each, UsmAllocation) and not isinstance(each, DeviceAllocation))
        for each in model.objects_of_class(PointerMemory)
    )


def may_write_host_memory(device: Device, model: Model) -> bool:
    """Return whether kernels on a device may write to any host memory; True if this is unknown."""
    told = device.facts.get("CL_DEVICE_SVM_CAPABILITIES", 0), device.facts.get(SYSTEM_MEMORY, 0)
    shared, unified = (each if isinstance(each, int) else -1 for each in told)
    return bool(unified or shared & model.constant_value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"))
