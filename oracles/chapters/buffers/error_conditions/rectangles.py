"""Error conditions of rectangular buffer regions: bounds, pitches and overlaps (section 5.2.2, Appendix D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.error_conditions.ranges import (
    are_disjoint_sub_buffers,
    describe_overlap,
    do_sub_buffers_overlap,
    have_same_root_buffer,
)
from clconform.oracles.contents.geometry import Rectangle, overlaps, rectangles_overlap
from clconform.oracles.contents.transfers import rectangle_of, triple_of
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.geometry import Rectangle
    from clconform.oracles.model.state import Model

rules = Rules()


def read_pitches(call: Call, side: str) -> tuple[int, int]:
    """Return the row pitch and the slice pitch of a rectangle; a pitch of 0 means tight packing.

    ``side``: the prefix of the parameters of the rectangle. Raise UnknownFactError if a pitch is not a number.
    """
    row, slices = (call.arguments[f"{side}_{name}_pitch"] for name in ("row", "slice"))
    if not isinstance(row, int) or not isinstance(slices, int):
        raise UnknownFactError("pitches")
    return row, slices


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/2", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/2")
def is_rectangle_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """The region at buffer_origin extends beyond the end of buffer."""
    return _is_out_of_bounds(rectangle_of(call, "buffer"), model.require(Buffer, call.buffer).size, model)


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/2")
def is_copied_rectangle_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """The region at src_origin extends beyond the end of src_buffer, or the region at dst_origin beyond dst_buffer."""
    return strongest_result(
        [is_side_out_of_bounds(side, call.arguments[f"{side}_buffer"], call, model) for side in ("src", "dst")]
    )


@rules.alternatives_of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/2")
def find_copied_rectangle_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield for each side of the copy whether its region extends beyond the end of its buffer."""
    for side in ("src", "dst"):
        if is_side_out_of_bounds(side, call.arguments[f"{side}_buffer"], call, model).is_must:
            yield f"the region at {side}_origin extends beyond the end of {side}_buffer"


def is_side_out_of_bounds(side: str, buffer: Value, call: Call, model: Model) -> PredicateResult:
    """Return whether the source or destination rectangle of a copy lies outside its buffer.

    ``side``: ``src`` or ``dst``.
    """
    if buffer is None:
        return NO
    return _is_out_of_bounds(rectangle_of(call, side), model.get(Buffer, buffer).size, model)


def _is_out_of_bounds(there: Rectangle, size: int, model: Model) -> PredicateResult:
    """Return whether a rectangle lies outside a buffer of ``size`` bytes."""
    if there.end <= size:
        return NO
    wrapped = there.start % (model.size_max + 1)
    return may("rectangle-offset-overflow") if wrapped + there.end - there.start <= size else MUST


@rules.clause(
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/3",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/3",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/3",
)
def is_region_empty(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0."""
    del model
    return must_if(0 in triple_of(call.region))


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/6", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/6")
def is_buffer_slice_pitch_invalid(call: Call, model: Model) -> PredicateResult:
    """buffer_slice_pitch is nonzero, less than region[1] * buffer_row_pitch, and not a multiple of buffer_row_pitch.

    The error is optional if only one of the last two conditions holds, or if buffer_row_pitch is 0.
    """
    del model
    return _has_both_slice_pitch_faults(call, "buffer")


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/7", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/7")
def is_host_slice_pitch_invalid(call: Call, model: Model) -> PredicateResult:
    """host_slice_pitch is nonzero, less than region[1] * host_row_pitch, and not a multiple of host_row_pitch.

    The error is optional if only one of the last two conditions holds, or if host_row_pitch is 0.
    """
    del model
    return _has_both_slice_pitch_faults(call, "host")


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/6")
def is_source_slice_pitch_invalid(call: Call, model: Model) -> PredicateResult:
    """src_slice_pitch is nonzero, and is less than region[1] * src_row_pitch or not a multiple of src_row_pitch."""
    del model
    return must_if(any(slice_pitch_faults(call, "src")))


@rules.alternatives_of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/6")
def find_source_slice_pitch_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: src_slice_pitch is too small, or not a multiple of src_row_pitch."""
    del model
    return _find_slice_pitch_faults(call, "src")


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/7")
def is_destination_slice_pitch_invalid(call: Call, model: Model) -> PredicateResult:
    """dst_slice_pitch is nonzero, and is less than region[1] * dst_row_pitch or not a multiple of dst_row_pitch."""
    del model
    return must_if(any(slice_pitch_faults(call, "dst")))


@rules.alternatives_of("clEnqueueCopyBufferRect/CL_INVALID_VALUE/7")
def find_destination_slice_pitch_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: dst_slice_pitch is too small, or not a multiple of dst_row_pitch."""
    del model
    return _find_slice_pitch_faults(call, "dst")


def slice_pitch_faults(call: Call, side: str) -> tuple[bool, bool]:
    """Return whether a slice pitch is too small, and whether it is not a multiple of the row pitch.

    ``side``: the prefix of the parameters of the rectangle.
    """
    row, slices = read_pitches(call, side)
    width, height, _ = triple_of(call.region)
    row = row or width
    return 0 < slices < height * row, slices != 0 and row != 0 and slices % row != 0


def _find_slice_pitch_faults(call: Call, side: str) -> Iterator[str]:
    """Yield each alternative that holds: the slice pitch of a side is too small, or not a multiple of the row pitch."""
    too_small, not_multiple = slice_pitch_faults(call, side)
    if too_small:
        yield f"{side}_slice_pitch is less than region[1] * {side}_row_pitch"
    if not_multiple:
        yield f"{side}_slice_pitch is not a multiple of {side}_row_pitch"


def _has_both_slice_pitch_faults(call: Call, side: str) -> PredicateResult:
    wrong = slice_pitch_faults(call, side)
    if not all(wrong):
        return may("one-slice-pitch-condition") if any(wrong) else NO
    given, _ = read_pitches(call, side)
    return MUST if given else may("slice-pitch-with-zero-row-pitch")


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/9", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/9")
def is_buffer_slice_pitch_too_small(call: Call, model: Model) -> PredicateResult:
    """buffer_slice_pitch is nonzero and less than region[1] * buffer_row_pitch (from revision 3.1 on)."""
    del model
    return _has_slice_pitch_fault(call, "buffer", 0)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/10", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/10")
def is_buffer_slice_pitch_not_multiple(call: Call, model: Model) -> PredicateResult:
    """buffer_slice_pitch is nonzero and not a multiple of buffer_row_pitch (from revision 3.1 on)."""
    del model
    return _has_slice_pitch_fault(call, "buffer", 1)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/11", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/11")
def is_host_slice_pitch_too_small(call: Call, model: Model) -> PredicateResult:
    """host_slice_pitch is nonzero and less than region[1] * host_row_pitch (from revision 3.1 on)."""
    del model
    return _has_slice_pitch_fault(call, "host", 0)


@rules.clause("clEnqueueReadBufferRect/CL_INVALID_VALUE/12", "clEnqueueWriteBufferRect/CL_INVALID_VALUE/12")
def is_host_slice_pitch_not_multiple(call: Call, model: Model) -> PredicateResult:
    """host_slice_pitch is nonzero and not a multiple of host_row_pitch (from revision 3.1 on)."""
    del model
    return _has_slice_pitch_fault(call, "host", 1)


def _has_slice_pitch_fault(call: Call, side: str, fault: int) -> PredicateResult:
    """Return whether the slice pitch of a rectangle has the fault at index ``fault`` of ``slice_pitch_faults``.

    ``side``: the prefix of the parameters of the rectangle. The error is optional if the row pitch is 0.
    """
    given, _ = read_pitches(call, side)
    if not slice_pitch_faults(call, side)[fault]:
        return NO
    return MUST if given else may("slice-pitch-with-zero-row-pitch")


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/15")
def do_row_pitches_differ(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are the same buffer, and src_row_pitch differs from dst_row_pitch.

    This condition applies from revision 3.1 on.
    """
    return _do_pitches_differ(call, model, 0)


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/16")
def do_slice_pitches_differ(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are the same buffer, and src_slice_pitch differs from dst_slice_pitch.

    This condition applies from revision 3.1 on.
    """
    return _do_pitches_differ(call, model, 1)


def _do_pitches_differ(call: Call, model: Model, which: int) -> PredicateResult:
    if model.require(Buffer, call.src_buffer) is not model.require(Buffer, call.dst_buffer):
        return NO
    given = read_pitches(call, "src")[which] != read_pitches(call, "dst")[which]
    source, destination = rectangle_of(call, "src"), rectangle_of(call, "dst")
    used = (source.row_distance != destination.row_distance, source.slice_distance != destination.slice_distance)[which]
    if given and used:
        return MUST
    return may("one-pitch-differs") if given or used else NO


@rules.clause("clEnqueueCopyBufferRect/CL_INVALID_VALUE/8")
def do_both_pitches_differ(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are the same buffer, the row pitches differ, and the slice pitches differ.

    The error is optional if only the row pitches or only the slice pitches differ.
    """
    if model.require(Buffer, call.src_buffer) is not model.require(Buffer, call.dst_buffer):
        return NO
    given = [one != other for one, other in zip(read_pitches(call, "src"), read_pitches(call, "dst"), strict=True)]
    source, destination = rectangle_of(call, "src"), rectangle_of(call, "dst")
    used = (source.row_distance != destination.row_distance, source.slice_distance != destination.slice_distance)
    if all(given) and all(used):
        return MUST
    return may("one-pitch-differs") if any(given) or any(used) else NO


@rules.clause("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def do_copied_rectangles_overlap(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are the same buffer, and the regions overlap as defined in Appendix D.

    The condition also holds for two overlapping sub-buffers of one buffer, if the regions overlap both as offsets in
    the sub-buffers and as bytes of the parent buffer. For other sub-buffers of one buffer, and for a sub-buffer and its
    parent, the error is optional, except for disjoint sub-buffers with regions that do not overlap as offsets either.
    """
    source, destination = model.require(Buffer, call.src_buffer), model.require(Buffer, call.dst_buffer)
    if source is not destination and not have_same_root_buffer(source, destination):
        return NO
    one, other = rectangle_of(call, "src"), rectangle_of(call, "dst")
    if source is not destination:
        if _do_regions_overlap_certainly(source, one, destination, other):
            return MUST
        apart = are_disjoint_sub_buffers(source, destination) and (one.end <= other.start or other.end <= one.start)
        return NO if apart else may("overlap-of-sub-buffers")
    alike = (one.row_distance, one.slice_distance) == (other.row_distance, other.slice_distance)
    if not alike or 0 in one.region or max(one.end, other.end) > source.size:
        return may("overlap-rule-preconditions")
    if not rectangles_overlap(one, other):
        return NO
    return MUST if overlaps(one.spans(), other.spans()) else may("overlap-by-rule-only")


@rules.alternatives_of("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1")
def find_rectangle_overlap(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: the regions overlap in one buffer, or in two sub-buffers that overlap."""
    yield describe_overlap(call, model, "regions")


def _do_regions_overlap_certainly(source: Buffer, one: Rectangle, destination: Buffer, other: Rectangle) -> bool:
    """Return whether two sub-buffers overlap and the rectangles in them certainly overlap.

    The rectangles must have the same pitches, and must overlap both as offsets in the sub-buffers and as bytes of the
    parent buffer.
    """
    alike = (one.row_distance, one.slice_distance) == (other.row_distance, other.slice_distance) and 0 not in one.region
    if (
        not alike
        or one.end > source.size
        or other.end > destination.size
        or not do_sub_buffers_overlap(source, destination)
    ):
        return False
    target = other.spans()
    moved = tuple((start + destination.offset - source.offset, size) for start, size in target)
    return rectangles_overlap(one, other) and all(overlaps(one.spans(), each) for each in (target, moved))


rules.undocumented_in(
    "1.0",
    "3.1",
    "one-slice-pitch-condition",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/9",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/9",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/10",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/10",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/11",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/11",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/12",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/12",
)
rules.undocumented_in(
    "1.0",
    "3.1",
    "one-pitch-differs",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/15",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/16",
)
