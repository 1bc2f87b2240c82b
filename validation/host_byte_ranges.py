"""Determines the bytes of host memory that the commands of a program read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import Handle, OffsetPointer
from clconform.oracles.contents.image_layout import accessible_image, host_spans
from clconform.oracles.contents.transfers import rectangle_of, triple_of
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.recording.conversion import UNNAMED_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.model.state import Model
    from clconform.recording.file_format import CallEntry

ADDRESS_END = 1 << 64
"""The end of memory of unknown size: an address above all others."""
CONTIGUOUS_COMMANDS = {
    "clEnqueueReadBuffer": (("ptr", True),),
    "clEnqueueWriteBuffer": (("ptr", False),),
    "clEnqueueSVMMemcpy": (("dst_ptr", True), ("src_ptr", False)),
    "clEnqueueSVMMemFill": (("svm_ptr", True),),
    "clEnqueueMemcpyINTEL": (("dst_ptr", True), ("src_ptr", False)),
    "clEnqueueMemFillINTEL": (("dst_ptr", True),),
    "clEnqueueMemsetINTEL": (("dst_ptr", True),),
}
"""Maps commands on ``size`` contiguous bytes to their pointer parameters, and to whether the command writes there."""
RECTANGLE_COMMANDS = {"clEnqueueReadBufferRect": True, "clEnqueueWriteBufferRect": False}
IMAGE_COMMANDS = {"clEnqueueReadImage": True, "clEnqueueWriteImage": False}
"""Maps commands on the rows of an image at ``ptr`` to whether the command writes there."""
MAX_PIECES = 4096
"""Maximum number of rows of one transfer that are tracked separately."""
UNKNOWN_WRITERS = ("clEnqueueNativeKernel", "clEnqueueCommandBufferKHR")
"""Commands that may write to any host memory."""
HOST_MEMORY_COMMANDS = frozenset((*CONTIGUOUS_COMMANDS, *RECTANGLE_COMMANDS, *IMAGE_COMMANDS, *UNKNOWN_WRITERS))
"""All commands that may use host memory."""


class HostByteRange(NamedTuple):
    """Host memory that a command reads or, with ``writes``, writes.

    ``pieces``: the bytes that the command certainly uses, as pairs of the first address and the address after the last.
    ``start`` and ``end``: the range that contains all bytes. ``parameter``: the pointer parameter.
    ``is_returned_memory``: an OpenCL call returned the memory.
    """

    start: int
    end: int
    pieces: tuple[tuple[int, int], ...]
    writes: bool
    parameter: str = ""
    is_returned_memory: bool = False

    @property
    def is_tracked_by_model(self) -> bool:
        """Return whether the model tracks which commands use this memory, so that no check is needed here."""
        return self.is_returned_memory and self.parameter != "ptr"

    def may_overlap(self, start: int, end: int) -> bool:
        """Return whether the command may use bytes from ``start`` up to, but not including, ``end``."""
        return self.start < end and start < self.end

    def overlaps(self, other: HostByteRange) -> bool:
        """Return whether the commands of the two ranges certainly use a common byte."""
        if not self.may_overlap(other.start, other.end):
            return False
        mine, theirs = sorted(self.pieces), sorted(other.pieces)
        while mine and theirs:
            if mine[-1][0] < theirs[-1][1] and theirs[-1][0] < mine[-1][1]:
                return True
            (mine if mine[-1][0] >= theirs[-1][0] else theirs).pop()
        return False


def host_byte_ranges_of(entered: CallEntry, call: Call, model: Model) -> Iterator[HostByteRange]:
    """Yield the ranges of host memory that a command uses; none for other calls."""
    function, given = call.function, entered.arguments
    if function in UNKNOWN_WRITERS:
        yield HostByteRange(0, ADDRESS_END, (), writes=True)
    for parameter, writes in CONTIGUOUS_COMMANDS.get(function, ()):
        start, size = given[parameter].bits, given["size"].bits
        if start and size:
            piece = (start, start + size)
            yield HostByteRange(*piece, (piece,), writes, parameter, is_returned_pointer(call.arguments[parameter]))
    rows = RECTANGLE_COMMANDS.get(function, IMAGE_COMMANDS.get(function))
    if rows is not None and given["ptr"].bits:
        named, start = is_returned_pointer(call.arguments["ptr"]), given["ptr"].bits
        try:
            spans = rectangle_of(call, "host").spans() if function in RECTANGLE_COMMANDS else _image_spans(call, model)
        except (UnknownFactError, UndefinedBehaviourError):
            yield HostByteRange(start, ADDRESS_END, (), rows, "ptr", named)
            return
        pieces = tuple((start + offset, start + offset + size) for offset, size in spans)
        if pieces:
            certain = pieces if len(pieces) <= MAX_PIECES else ()
            yield HostByteRange(min(pieces)[0], max(end for _, end in pieces), certain, rows, "ptr", named)


def _image_spans(call: Call, model: Model) -> Spans:
    row, slice_ = (
        call.arguments.get(name, call.arguments.get(f"input_{name}")) for name in ("row_pitch", "slice_pitch")
    )
    if not isinstance(row, int) or not isinstance(slice_, int):
        raise UnknownFactError("pitches")
    return host_spans(
        accessible_image(call.arguments["image"], model), triple_of(call.arguments["region"]), row, slice_
    )


def is_returned_pointer(value: object) -> bool:
    """Return whether an OpenCL call returned this pointer: a mapped region, or memory shared with devices."""
    handle = value.handle if isinstance(value, OffsetPointer) else value
    return isinstance(handle, Handle) and not handle.name.startswith(UNNAMED_PREFIX)
