"""Determines which bytes of host memory the commands of a program read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import Handle, Inside
from clconform.oracles.contents.image_places import image_of, in_host_memory
from clconform.oracles.contents.transfers import rectangle, triple
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.recording.conversion import NAMELESS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.model.world import Model
    from clconform.recording.file_format import Entered

ANYWHERE = 1 << 64
"""An address above all others: the end of memory of unknown size."""
IN_ONE_PIECE = {
    "clEnqueueReadBuffer": (("ptr", True),),
    "clEnqueueWriteBuffer": (("ptr", False),),
    "clEnqueueSVMMemcpy": (("dst_ptr", True), ("src_ptr", False)),
    "clEnqueueSVMMemFill": (("svm_ptr", True),),
    "clEnqueueMemcpyINTEL": (("dst_ptr", True), ("src_ptr", False)),
    "clEnqueueMemFillINTEL": (("dst_ptr", True),),
    "clEnqueueMemsetINTEL": (("dst_ptr", True),),
}
"""Commands on ``size`` bytes: their pointer parameters, and whether the command writes there."""
RECTANGLES = {"clEnqueueReadBufferRect": True, "clEnqueueWriteBufferRect": False}
IMAGES = {"clEnqueueReadImage": True, "clEnqueueWriteImage": False}
"""Commands on rows of the memory at ``ptr``, and whether the command writes them."""
MOST_PIECES = 4096
"""Maximum number of rows of one transfer that are distinguished."""
UNSEEN = ("clEnqueueNativeKernel", "clEnqueueCommandBufferKHR")
"""Commands that may write to any host memory."""
FUNCTIONS = frozenset((*IN_ONE_PIECE, *RECTANGLES, *IMAGES, *UNSEEN))
"""All commands that use host memory."""


class HostBytes(NamedTuple):
    """Bytes that a command reads, or ``writes``.

    ``pieces``: the bytes that it certainly uses, each as its first address and the one after its last. ``start`` and
    ``end``: the range of all bytes. ``parameter``: the pointer parameter. ``named``: a call returned the memory.
    """

    start: int
    end: int
    pieces: tuple[tuple[int, int], ...]
    writes: bool
    parameter: str = ""
    named: bool = False

    @property
    def known_to_the_model(self) -> bool:
        """Return whether the model itself tracks the users of this memory."""
        return self.named and self.parameter != "ptr"

    def may_meet(self, start: int, end: int) -> bool:
        """Return whether they may include bytes of a range."""
        return self.start < end and start < self.end

    def meets(self, other: HostBytes) -> bool:
        """Return whether both certainly have a byte in common."""
        if not self.may_meet(other.start, other.end):
            return False
        mine, theirs = sorted(self.pieces), sorted(other.pieces)
        while mine and theirs:
            if mine[-1][0] < theirs[-1][1] and theirs[-1][0] < mine[-1][1]:
                return True
            (mine if mine[-1][0] >= theirs[-1][0] else theirs).pop()
        return False


def host_bytes(entered: Entered, call: Call, model: Model) -> Iterator[HostBytes]:
    """Yield the bytes of host memory that a command uses; nothing for other calls."""
    function, given = call.function, entered.arguments
    if function in UNSEEN:
        yield HostBytes(0, ANYWHERE, (), writes=True)
    for parameter, writes in IN_ONE_PIECE.get(function, ()):
        start, size = given[parameter].bits, given["size"].bits
        if start and size:
            piece = (start, start + size)
            yield HostBytes(*piece, (piece,), writes, parameter, is_named(call.arguments[parameter]))
    rows = RECTANGLES.get(function, IMAGES.get(function))
    if rows is not None and given["ptr"].bits:
        named, start = is_named(call.arguments["ptr"]), given["ptr"].bits
        try:
            spans = rectangle(call, "host").spans() if function in RECTANGLES else _texels(call, model)
        except (UnknownError, ForbiddenError):
            yield HostBytes(start, ANYWHERE, (), rows, "ptr", named)
            return
        pieces = tuple((start + offset, start + offset + size) for offset, size in spans)
        if pieces:
            certain = pieces if len(pieces) <= MOST_PIECES else ()
            yield HostBytes(min(pieces)[0], max(end for _, end in pieces), certain, rows, "ptr", named)


def _texels(call: Call, model: Model) -> Spans:
    row, slice_ = (
        call.arguments.get(name, call.arguments.get(f"input_{name}")) for name in ("row_pitch", "slice_pitch")
    )
    if not isinstance(row, int) or not isinstance(slice_, int):
        raise UnknownError("pitches")
    return in_host_memory(image_of(call.arguments["image"], model), triple(call.arguments["region"]), row, slice_)


def is_named(value: object) -> bool:
    """Return whether a call returned the memory: it is mapped, or shared with devices."""
    handle = value.handle if isinstance(value, Inside) else value
    return isinstance(handle, Handle) and not handle.name.startswith(NAMELESS)
