"""Host memory that commands may still read or write; passing it to another command meanwhile is a race."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.waiting import command_of, is_blocking
from clconform.oracles.model.commands import Command
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.pointed_memory import DeviceAllocation, PointedMemory, UsmAllocation
from clconform.validation.host_bytes import ANYWHERE, FUNCTIONS, HostBytes, host_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.recording.file_format import Entered
    from clconform.validation.ended import EndedCommands
    from clconform.validation.under_way import UnderWay

CREATES = ("clCreateBuffer", "clCreateBufferWithProperties", "clCreateImage", "clCreateImageWithProperties")
CREATES_OLD = ("clCreateImage2D", "clCreateImage3D")
"""Functions that create a memory object, perhaps on host memory, which kernels can then access."""
MAPS, UNMAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage"), "clEnqueueUnmapMemObject"
SYSTEM_MEMORY = "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL"
MOST_PLACES = 4096
"""Maximum number of distinguished areas of memory objects in host memory."""


class _Use(msgspec.Struct, eq=False):
    """A command that may use host memory; ``clouded``: others may change the memory, or show that it is complete."""

    used: tuple[HostBytes, ...]
    command: Command
    number: int
    clouded: bool = False


class HostMemory:
    """The host memory of commands that may be incomplete."""

    def __init__(self, ended: EndedCommands) -> None:
        self._ended = ended
        self._uses: list[_Use] = []
        self._of_objects: set[tuple[int, int]] = set()

    def race(self, entered: Entered, call: Call, model: Model) -> str:
        """Return why a call's host memory must not be used now, or an empty string."""
        if call.function not in FUNCTIONS or not self._uses:
            return ""
        self._drop_what_is_over(model)
        own = [each for each in host_bytes(entered, call, model) if not each.known_to_the_model]
        met = [(use, mine) for use in self._uses for mine in own if _conflict(mine, use)]
        if not met:
            return ""
        try:
            before = command_of(call, model, MemoryEffect()).before
        except (UnknownError, ForbiddenError):
            return ""
        first = next(((use, mine) for use, mine in met if use.command not in before), None)
        if first is None:
            return ""
        use, mine = first
        return (
            f"{mine.parameter} is host memory of {use.command.function}, call {use.number}, which may not be complete"
        )

    def changed(self, command: Command, model: Model) -> str:
        """Return why the host memory that a command reads must not have changed, or an empty string.

        A change is allowed if the command was complete, or if another command or a kernel may have written the memory.
        """
        self._drop_what_is_over(model)
        use = next((each for each in self._uses if each.command is command), None)
        if use is None or use.clouded or _can_be_told_by_kernels(model):
            return ""
        read = next((each for each in use.used if not each.writes and not each.named), None)
        if read is None or any(read.may_meet(first, last) for first, last in self._of_objects):
            return ""
        return f"the program has changed the memory at {read.parameter} before the command was known to be complete"

    def add(self, begun: UnderWay, model: Model, others: Iterable[UnderWay]) -> None:
        """Note the host memory of an enqueued command that may be incomplete, or of a memory object.

        ``others``: calls that have not returned.
        """
        entered, call = begun.entered, begun.call
        if call.function in (*CREATES, *CREATES_OLD) and entered.arguments["host_ptr"].bits:
            if entered.arguments["flags"].bits & model.value("CL_MEM_USE_HOST_PTR"):
                first = entered.arguments["host_ptr"].bits
                size = entered.arguments["size"].bits if "size" in entered.arguments else ANYWHERE - first
                self._of_objects.add((first, first + size))
                if len(self._of_objects) > MOST_PLACES:
                    self.lose()
            return
        if call.function not in FUNCTIONS or is_blocking(call):
            return
        used = tuple(host_bytes(entered, call, model))
        command = model.order.pending[-1] if model.order.pending else None
        known = any(use.command is command for use in self._uses)
        if command is None or command.function != call.function or known:
            if any(each.writes and not each.named for each in used):
                self.lose()
            return
        writers = [each for use in self._uses if use.command not in self._ended for each in use.used if each.writes]
        for other in others:
            writers += [each for each in host_bytes(other.entered, other.call, model) if each.writes]
        clouded = any(mine.may_meet(each.start, each.end) for mine in used for each in writers)
        self._uses.append(_Use(used, command, begun.number, clouded))

    def cloud(self) -> None:
        """Note that the program may know that some commands are complete, but not which."""
        for use in self._uses:
            use.clouded = True

    def lose(self) -> None:
        """Note that unknown commands may write anywhere."""
        self._of_objects = {(0, ANYWHERE)}

    def _drop_what_is_over(self, model: Model) -> None:
        pending = {id(command) for command in model.order.pending}
        self._uses = [use for use in self._uses if id(use.command) in pending and use.command not in self._ended]


def _conflict(mine: HostBytes, use: _Use) -> bool:
    """Return whether one of two commands certainly writes to memory that the other one uses."""
    others = (each for each in use.used if not each.known_to_the_model)
    return any((mine.writes or each.writes) and mine.meets(each) for each in others)


def _can_be_told_by_kernels(model: Model) -> bool:
    """Return whether a kernel may write to any host memory, or signal the host immediately that it has run."""
    return any(shares_everything(device, model) for device in model.root_devices()) or any(
        each.fine or (isinstance(each, UsmAllocation) and not isinstance(each, DeviceAllocation))
        for each in model.of_kind(PointedMemory)
    )


def shares_everything(device: Device, model: Model) -> bool:
    """Return whether kernels on a device may write to any host memory; also true if that is unknown."""
    told = device.facts.get("CL_DEVICE_SVM_CAPABILITIES", 0), device.facts.get(SYSTEM_MEMORY, 0)
    shared, unified = (each if isinstance(each, int) else -1 for each in told)
    return bool(unified or shared & model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"))


class Maps:
    """The returned pointers of mapped regions, with the number of mappings of each."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def lacks(self, entered: Entered) -> str:
        """Return why a call may not unmap its pointer, or an empty string."""
        if entered.function != UNMAPS or self._counts[entered.arguments["mapped_ptr"].bits]:
            return ""
        return "mapped_ptr is not the pointer of a mapped region"

    def follow(self, entered: Entered, result: int) -> None:
        """Note a call that succeeded, or returned a pointer."""
        if entered.function in MAPS and result:
            self._counts[result] += 1
        elif entered.function == UNMAPS and not result:
            pointer = entered.arguments["mapped_ptr"].bits
            self._counts[pointer] = max(0, self._counts[pointer] - 1)
            if not self._counts[pointer]:
                del self._counts[pointer]
