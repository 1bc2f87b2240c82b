"""Host memory that commands may still read or write: what the program hands to another command meanwhile is a race."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.waiting import command_of, is_blocking
from clconform.oracles.model.errors import ForbiddenError, UnknownError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model
    from clconform.recording.file_format import Entered

WRITES = {"clEnqueueReadBuffer": True, "clEnqueueWriteBuffer": False}
"""Commands that transfer one piece of host memory, and whether they write to it."""
MAPS, UNMAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage"), "clEnqueueUnmapMemObject"


class _Use(NamedTuple):
    start: int
    end: int
    writes: bool
    command: Command
    number: int


class HostMemory:
    """The host memory of commands that may not be complete."""

    def __init__(self) -> None:
        self._uses: list[_Use] = []

    def race(self, entered: Entered, call: Call, model: Model) -> str:
        """Return why a call's host memory must not be used now, or an empty string."""
        if call.function not in WRITES or not self._uses:
            return ""
        start, end = _range(entered)
        pending = {id(command) for command in model.order.pending}
        self._uses = [use for use in self._uses if id(use.command) in pending]
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

    def add(self, entered: Entered, call: Call, model: Model, number: int) -> None:
        """Note the host memory of a command that was enqueued and may not be complete."""
        if call.function not in WRITES or is_blocking(call) or not model.order.pending:
            return
        command = model.order.pending[-1]
        if command.function == call.function:
            start, end = _range(entered)
            self._uses.append(_Use(start, end, WRITES[call.function], command, number))


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
