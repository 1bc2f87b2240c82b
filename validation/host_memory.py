"""Host memory that commands may still read or write: what the program hands to another command meanwhile is a race."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import Data
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.waiting import command_of, is_blocking
from clconform.oracles.model.errors import ForbiddenError, UnknownError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.recording.file_format import Entered
    from clconform.validation.ended import EndedCommands

WRITES = {"clEnqueueReadBuffer": True, "clEnqueueWriteBuffer": False}
"""Commands that transfer one piece of host memory, and whether they write to it."""
CREATES = ("clCreateBuffer", "clCreateBufferWithProperties", "clCreateImage", "clCreateImageWithProperties")
CREATES_OLD = ("clCreateImage2D", "clCreateImage3D")
"""Functions that make a memory object, perhaps on memory of the host, which kernels reach from then on."""
MAPS, UNMAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage"), "clEnqueueUnmapMemObject"
SYSTEM_MEMORY = "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL"
MOST_PLACES = 4096
"""Places of memory objects in the host's memory that are told apart."""
ANYWHERE = 1 << 64
"""Behind every address: the end of memory of which the size is not known."""


class _Use(NamedTuple):
    start: int
    end: int
    writes: bool
    command: Command
    number: int


class HostMemory:
    """The host memory of commands that may not be complete."""

    def __init__(self, ended: EndedCommands) -> None:
        self._ended = ended
        self._uses: list[_Use] = []
        self._of_objects: set[tuple[int, int]] = set()

    def race(self, entered: Entered, call: Call, model: Model) -> str:
        """Return why a call's host memory must not be used now, or an empty string."""
        if call.function not in WRITES or not self._uses:
            return ""
        start, end = _range(entered)
        pending = {id(command) for command in model.order.pending}
        self._uses = [use for use in self._uses if id(use.command) in pending and use.command not in self._ended]
        met = [
            use for use in self._uses if use.start < end and start < use.end and (use.writes or WRITES[call.function])
        ]
        if not met:
            return ""
        try:
            before = command_of(call, model, MemoryEffect()).before
        except (UnknownError, ForbiddenError):
            return ""
        first = next((use for use in met if use.command not in before), None)
        if first is None:
            return ""
        return f"ptr is host memory of {first.command.function}, call {first.number}, which may not be complete"

    def changed(self, entered: Entered, call: Call, command: Command, model: Model) -> str:
        """Return why the host memory of a write must not have changed, or an empty string.

        It may have where the write was over, and where a kernel may have written to it.
        """
        start, end = _range(entered)
        reached = any(start < last and first < end for first, last in self._of_objects) or any(
            shares_everything(device, model) for device in model.root_devices()
        )
        pending = any(each is command for each in model.order.pending)
        if not pending or command in self._ended or reached or not isinstance(call.arguments["ptr"], Data):
            return ""
        return "the program has changed the memory at ptr before the command was known to be complete"

    def add(self, entered: Entered, call: Call, model: Model, number: int) -> None:
        """Note the host memory of a command that was enqueued and may not be complete, or of a memory object."""
        if call.function in (*CREATES, *CREATES_OLD) and entered.arguments["host_ptr"].bits:
            if entered.arguments["flags"].bits & model.value("CL_MEM_USE_HOST_PTR"):
                first = entered.arguments["host_ptr"].bits
                size = entered.arguments["size"].bits if "size" in entered.arguments else ANYWHERE - first
                self._of_objects.add((first, first + size))
                if len(self._of_objects) > MOST_PLACES:
                    self._of_objects = {(0, ANYWHERE)}
            return
        if call.function not in WRITES or is_blocking(call) or not model.order.pending:
            return
        command = model.order.pending[-1]
        if command.function == call.function:
            start, end = _range(entered)
            self._uses.append(_Use(start, end, WRITES[call.function], command, number))


def shares_everything(device: Device, model: Model) -> bool:
    """Return whether kernels on a device may write to any memory of the host, or whether that is not known."""
    told = device.facts.get("CL_DEVICE_SVM_CAPABILITIES", 0), device.facts.get(SYSTEM_MEMORY, 0)
    shared, unified = (each if isinstance(each, int) else -1 for each in told)
    return bool(unified or shared & model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"))


def _range(entered: Entered) -> tuple[int, int]:
    start = entered.arguments["ptr"].bits
    return start, start + entered.arguments["size"].bits


class Maps:
    """The pointers that maps have returned and that are not unmapped, with how many maps there are of each."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def lacks(self, entered: Entered) -> str:
        """Return why a call may not unmap its pointer, or an empty string."""
        if entered.function != UNMAPS or self._counts[entered.arguments["mapped_ptr"].bits]:
            return ""
        return "mapped_ptr is of no map, or of one that is unmapped already"

    def follow(self, entered: Entered, result: int) -> None:
        """Note a call that has succeeded, or returned a pointer."""
        if entered.function in MAPS and result:
            self._counts[result] += 1
        elif entered.function == UNMAPS and not result:
            pointer = entered.arguments["mapped_ptr"].bits
            self._counts[pointer] = max(0, self._counts[pointer] - 1)
            if not self._counts[pointer]:
                del self._counts[pointer]
