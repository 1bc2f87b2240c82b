"""Error conditions of rectangular buffer regions: bounds, pitches and overlaps (section 5.2.2, Appendix D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.clauses.ranges import of_one_buffer, regions_overlap
from clconform.oracles.contents.geometry import Rectangle, overlap_by_the_appendix, shared_bytes
from clconform.oracles.contents.transfers import rectangle, triple
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.geometry import Rectangle
    from clconform.oracles.model.world import Model

rules = Rules()

SIZES = 1 << 64
"""The number of values of a 64-bit size_t, which all hosts of the suites have."""


def pitches(call: Call, side: str) -> tuple[int, int]:
    """Return the row pitch and the slice pitch of one side of a call, 0 for tight packing."""
    row, slices = (call.arguments[f"{side}_{name}_pitch"] for name in ("row", "slice"))
    if not isinstance(row, int) or not isinstance(slices, int):
        raise UnknownError("pitches")
    return row, slices


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/2", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/2")
def rectangle_out_of_bounds(call: Call, model: Model) -> Reply:
    """The region at buffer_origin extends beyond the end of buffer."""
    return _out_of_bounds(rectangle(call, "buffer"), model.given(Buffer, call.buffer).size)


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/2")
def copied_rectangle_out_of_bounds(call: Call, model: Model) -> Reply:
    """The region at src_origin extends beyond the end of src_buffer, or the region at dst_origin beyond dst_buffer."""
    sides = (("src", call.src_buffer), ("dst", call.dst_buffer))
    return gravest([side_out_of_bounds(side, buffer, call, model) for side, buffer in sides])


def side_out_of_bounds(side: str, buffer: Value, call: Call, model: Model) -> Reply:
    """Return whether the rectangle of one side of a copy lies outside its buffer."""
    if buffer is None:
        return Answer.NO
    return _out_of_bounds(rectangle(call, side), model.get(Buffer, buffer).size)


def _out_of_bounds(there: Rectangle, size: int) -> Reply:
    """Return whether a rectangle lies outside a buffer of ``size`` bytes."""
    if there.end <= size:
        return Answer.NO
    return May("offset-that-wraps") if there.start % SIZES + there.end - there.start <= size else Answer.MUST


@rules.clause(
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/3",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/3",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/3",
)
def nothing_in_the_region(call: Call, model: Model) -> Reply:
    """An element of region is 0."""
    del model
    return 0 in triple(call.region)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/6", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/6")
def buffer_slices_too_near(call: Call, model: Model) -> Reply:
    """buffer_slice_pitch is not 0, less than region[1] * buffer_row_pitch, and not a multiple of buffer_row_pitch."""
    del model
    return _read_or_written(call, "buffer")


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/7", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/7")
def host_slices_too_near(call: Call, model: Model) -> Reply:
    """host_slice_pitch is not 0, less than region[1] * host_row_pitch, and not a multiple of host_row_pitch."""
    del model
    return _read_or_written(call, "host")


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/6")
def source_slices_too_near(call: Call, model: Model) -> Reply:
    """src_slice_pitch is not 0, and is less than region[1] * src_row_pitch or not a multiple of src_row_pitch."""
    del model
    return any(faults_of_slices(call, "src"))


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/7")
def destination_slices_too_near(call: Call, model: Model) -> Reply:
    """dst_slice_pitch is not 0, and is less than region[1] * dst_row_pitch or not a multiple of dst_row_pitch."""
    del model
    return any(faults_of_slices(call, "dst"))


def faults_of_slices(call: Call, side: str) -> tuple[bool, bool]:
    """Return whether the slice pitch of a side is too small, and whether it is not a multiple of the row pitch."""
    row, slices = pitches(call, side)
    width, height, _ = triple(call.region)
    row = row or width
    return 0 < slices < height * row, slices != 0 and row != 0 and slices % row != 0


def _read_or_written(call: Call, side: str) -> Reply:
    wrong = faults_of_slices(call, side)
    if not all(wrong):
        return May("one-fault-of-slices") if any(wrong) else Answer.NO
    given, _ = pitches(call, side)
    return Answer.MUST if given else May("slices-of-tight-rows")


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/9", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/9")
def buffer_slices_less_than_a_slice(call: Call, model: Model) -> Reply:
    """buffer_slice_pitch is not 0 and less than region[1] * buffer_row_pitch (from revision 3.1 on)."""
    del model
    return _wrong_slices(call, "buffer", 0)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/10", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/10")
def buffer_slices_of_parts_of_rows(call: Call, model: Model) -> Reply:
    """buffer_slice_pitch is not 0 and not a multiple of buffer_row_pitch (from revision 3.1 on)."""
    del model
    return _wrong_slices(call, "buffer", 1)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/11", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/11")
def host_slices_less_than_a_slice(call: Call, model: Model) -> Reply:
    """host_slice_pitch is not 0 and less than region[1] * host_row_pitch (from revision 3.1 on)."""
    del model
    return _wrong_slices(call, "host", 0)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/12", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/12")
def host_slices_of_parts_of_rows(call: Call, model: Model) -> Reply:
    """host_slice_pitch is not 0 and not a multiple of host_row_pitch (from revision 3.1 on)."""
    del model
    return _wrong_slices(call, "host", 1)


def _wrong_slices(call: Call, side: str, fault: int) -> Reply:
    """Return the predicate result for one of the two faults of a slice pitch; each is an error by itself."""
    given, _ = pitches(call, side)
    if not faults_of_slices(call, side)[fault]:
        return Answer.NO
    return Answer.MUST if given else May("slices-of-tight-rows")


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/15")
def row_pitches_differ_in_one_buffer(call: Call, model: Model) -> Reply:
    """src_buffer and dst_buffer are the same buffer, and their row pitches differ (from revision 3.1 on)."""
    return _differ(call, model, 0)


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/16")
def slice_pitches_differ_in_one_buffer(call: Call, model: Model) -> Reply:
    """src_buffer and dst_buffer are the same buffer, and their slice pitches differ (from revision 3.1 on)."""
    return _differ(call, model, 1)


def _differ(call: Call, model: Model, which: int) -> Reply:
    if model.given(Buffer, call.src_buffer) is not model.given(Buffer, call.dst_buffer):
        return Answer.NO
    given = pitches(call, "src")[which] != pitches(call, "dst")[which]
    source, destination = rectangle(call, "src"), rectangle(call, "dst")
    used = (source.row != destination.row, source.slice != destination.slice)[which]
    if given and used:
        return Answer.MUST
    return May("one-pitch-differs") if given or used else Answer.NO


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/8")
def pitches_differ_in_one_buffer(call: Call, model: Model) -> Reply:
    """src_buffer and dst_buffer are the same buffer, and both their row pitches and their slice pitches differ."""
    if model.given(Buffer, call.src_buffer) is not model.given(Buffer, call.dst_buffer):
        return Answer.NO
    given = [one != other for one, other in zip(pitches(call, "src"), pitches(call, "dst"), strict=True)]
    source, destination = rectangle(call, "src"), rectangle(call, "dst")
    used = (source.row != destination.row, source.slice != destination.slice)
    if all(given) and all(used):
        return Answer.MUST
    return May("one-pitch-differs") if any(given) or any(used) else Answer.NO


@rules.clause("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def copied_rectangles_overlap(call: Call, model: Model) -> Reply:
    """src_buffer and dst_buffer are the same buffer, and the regions overlap as defined in Appendix D.

    The same holds for two overlapping sub-buffers of one buffer if the regions overlap both by their origins and by
    their bytes in the buffer.
    """
    source, destination = model.given(Buffer, call.src_buffer), model.given(Buffer, call.dst_buffer)
    if source is not destination and not of_one_buffer(source, destination):
        return Answer.NO
    one, other = rectangle(call, "src"), rectangle(call, "dst")
    if source is not destination:
        return Answer.MUST if _overlap_everywhere(source, one, destination, other) else May("overlap-of-regions")
    alike = (one.row, one.slice) == (other.row, other.slice)
    if not alike or 0 in one.region or max(one.end, other.end) > source.size:
        return May("rule-of-overlap")
    if not overlap_by_the_appendix(one, other):
        return Answer.NO
    return Answer.MUST if shared_bytes(one.spans(), other.spans()) else May("overlap-by-rule-only")


def _overlap_everywhere(source: Buffer, one: Rectangle, destination: Buffer, other: Rectangle) -> bool:
    """Return whether two sub-buffers and the rectangles in them overlap certainly.

    The rectangles must have the same pitches and overlap both by their origins and by their bytes in the buffer.
    """
    alike = (one.row, one.slice) == (other.row, other.slice) and 0 not in one.region
    if not alike or one.end > source.size or other.end > destination.size or not regions_overlap(source, destination):
        return False
    target = other.spans()
    moved = tuple((start + destination.offset - source.offset, size) for start, size in target)
    return overlap_by_the_appendix(one, other) and all(shared_bytes(one.spans(), each) for each in (target, moved))


rules.unstated(
    "1.0",
    "3.1",
    "one-fault-of-slices",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/9",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/9",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/10",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/10",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/11",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/11",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/12",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/12",
)
rules.unstated(
    "1.0",
    "3.1",
    "one-pitch-differs",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/15",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/16",
)
