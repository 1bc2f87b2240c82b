"""Which looks of the host at shared virtual memory put to the test what sections 3.3.2, 3.3.5 and 3.3.9.5 say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.oracles.contents.maps import mapped, reach
from clconform.oracles.contents.transfers import run_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import HostArea, SvmAllocation

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.maps import MappedRegion

    _Holds = Callable[[Place, Command, MappedRegion | None], bool]

rules = Rules()

LAUNCH, FILL = "clEnqueueNDRangeKernel", "clEnqueueSVMMemFill"
SVM, COMMANDS = "OpenCL:shared-virtual-memory", "OpenCL:host-side-and-device-side-commands"
CHANGES = (LAUNCH, FILL, "clEnqueueSVMMemcpy", "clEnqueueFillBuffer", "clEnqueueCopyBuffer", "clEnqueueWriteBuffer")
MAPS = ("clEnqueueMapBuffer", "clEnqueueSVMMap")
BLAMED = tuple(f"{function}/success" for function in (*CHANGES, *MAPS))
"""What answers for bytes that the host finds."""


def _looks(holds: _Holds) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that the host looks at memory that a command has changed, which is over.

    ``holds`` is asked of the place, the command, and the map of the memory, if any.
    """

    def shows(asked: AnsweredCall) -> bool:
        if asked.code != SUCCESS:
            return False
        try:
            place = reach(asked.call.pointer, asked.model).place(run_of(0, asked.call.size))
        except (ForbiddenError, UnknownError):
            return False
        writer = asked.model.order.writers.get(place.storage)
        if writer is None or not writer.over or writer.function not in CHANGES:
            return False
        return holds(place, writer, mapped(place, asked.model, writes=False))

    return shows


def _coarse(place: Place, _writer: Command, through: MappedRegion | None) -> bool:
    return isinstance(place.owner, SvmAllocation) and not place.owner.fine and through is not None


def _fine(place: Place, _writer: Command, through: MappedRegion | None) -> bool:
    return isinstance(place.owner, SvmAllocation) and place.owner.fine and through is None


def _of_the_system(place: Place, writer: Command, _through: MappedRegion | None) -> bool:
    by_its_address = any(each.owner is place.owner for each in writer.writes)
    return isinstance(place.owner, HostArea) and writer.function in (LAUNCH, FILL) and by_its_address


def _beside(of: _Holds) -> _Holds:
    """Return whether the host also looks at bytes that the command has left alone."""

    def holds(place: Place, writer: Command, through: MappedRegion | None) -> bool:
        changed = {
            byte
            for each in writer.writes
            if each.storage is place.storage
            for first, size in each.spans
            for byte in range(first, first + size)
        }
        looked = {byte for first, size in place.spans for byte in range(first, first + size)}
        return of(place, writer, through) and bool(changed & looked) and bool(looked - changed)

    return holds


def _mapped_after_a_kernel(place: Place, writer: Command, through: MappedRegion | None) -> bool:
    return writer.function == LAUNCH and through is not None and isinstance(place.owner, Buffer | SvmAllocation)


_POINT = "What a command has changed in {} is found by the host once it has waited for that."
_LEFT = "A command changes no other bytes of fine-grained memory than its own."
for _record, _words, _holds in (
    ("OpenCL:memory-objects/3", "Mapped memory lies in one piece behind its pointer.", _mapped_after_a_kernel),
    (f"{COMMANDS}/6", "Who maps memory after a kernel finds what the kernel has written.", _mapped_after_a_kernel),
    (f"{SVM}/1", _POINT.format("coarse-grained memory, which is mapped,"), _coarse),
    (f"{SVM}/4", "A command and the host share fine-grained memory byte by byte.", _beside(_fine)),
    (f"{SVM}/5", _POINT.format("fine-grained memory"), _fine),
    (f"{SVM}/6", "A command and the host share the host's own memory byte by byte.", _beside(_of_the_system)),
    (f"{SVM}/7", _POINT.format("the host's own memory"), _of_the_system),
    (f"{COMMANDS}/19", "The host finds what a command has changed in fine-grained memory without a map.", _fine),
    (f"{COMMANDS}/20", _LEFT, _beside(_fine)),
    (f"{COMMANDS}/21", _LEFT, _beside(_fine)),
):
    rules.trigger(_record, READ, _words, *BLAMED, holds=_looks(_holds))
