"""Error conditions of buffer ranges: bounds, overlaps, patterns, host access (sections 5.2.2 and 5.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.flags import HOST_READ_DENIED, HOST_WRITE_DENIED, find_creation_flags, has_any_flag
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_by, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import join_names
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

FIRST_ZERO_SIZE_VERSION = (2, 1)
"""The first version that allows commands on 0 bytes."""


@rules.clause("clEnqueueReadBuffer/CL_INVALID_VALUE/1", "clEnqueueWriteBuffer/CL_INVALID_VALUE/1")
def is_range_or_pointer_invalid(call: Call, model: Model) -> PredicateResult:
    """offset + size exceeds the size of buffer, or ptr is NULL."""
    if call.ptr is None:
        return MUST if call.size else may("zero-size-command")
    return is_range_out_of_bounds(call.offset, call.size, model.require(Buffer, call.buffer), model)


@rules.alternatives_of("clEnqueueReadBuffer/CL_INVALID_VALUE/1", "clEnqueueWriteBuffer/CL_INVALID_VALUE/1")
def find_range_or_pointer_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: the range exceeds the buffer, or ptr is NULL."""
    if (
        call.buffer is not None
        and is_range_out_of_bounds(call.offset, call.size, model.get(Buffer, call.buffer), model).is_must
    ):
        yield "offset + size exceeds the size of buffer"
    if call.ptr is None:
        yield "ptr is NULL"


def is_range_out_of_bounds(offset: int, size: int, buffer: Buffer, model: Model) -> PredicateResult:
    """Return whether a range lies outside a buffer.

    Before version 2.1, the error for an empty range is optional.
    """
    if size == 0:
        return may_reject_zero_size(model) if offset <= buffer.size else may("zero-size-command")
    return must_if(offset + size > buffer.size)


def may_reject_zero_size(model: Model) -> PredicateResult:
    """Return an optional error for a command on 0 bytes if a platform or device has a version before 2.1."""
    versions = [platform.version for platform in model.platforms.values()]
    versions += [device.version for device in model.root_devices()]
    late = bool(versions) and min(versions) >= FIRST_ZERO_SIZE_VERSION
    return NO if late else may("zero-size-command")


@rules.clause("clEnqueueReadBuffer/CL_INVALID_OPERATION/1", "clEnqueueReadBufferRect/CL_INVALID_OPERATION/1")
def is_host_read_forbidden(call: Call, model: Model) -> PredicateResult:
    """buffer was created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS."""
    return must_if(has_any_flag(model.require(Buffer, call.buffer), HOST_READ_DENIED, model))


@rules.alternatives_of("clEnqueueReadBuffer/CL_INVALID_OPERATION/1", "clEnqueueReadBufferRect/CL_INVALID_OPERATION/1")
def find_read_denying_flags(call: Call, model: Model) -> Iterator[str]:
    """Yield each flag of buffer with which the host must not read it."""
    return find_creation_flags("buffer", model.require(Buffer, call.buffer), HOST_READ_DENIED, model)


@rules.clause("clEnqueueWriteBuffer/CL_INVALID_OPERATION/1", "clEnqueueWriteBufferRect/CL_INVALID_OPERATION/1")
def is_host_write_forbidden(call: Call, model: Model) -> PredicateResult:
    """buffer was created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS."""
    return must_if(has_any_flag(model.require(Buffer, call.buffer), HOST_WRITE_DENIED, model))


@rules.alternatives_of("clEnqueueWriteBuffer/CL_INVALID_OPERATION/1", "clEnqueueWriteBufferRect/CL_INVALID_OPERATION/1")
def find_write_denying_flags(call: Call, model: Model) -> Iterator[str]:
    """Yield each flag of buffer with which the host must not write it."""
    return find_creation_flags("buffer", model.require(Buffer, call.buffer), HOST_WRITE_DENIED, model)


@rules.clause("clEnqueueCopyBuffer/CL_INVALID_VALUE/1")
def is_copy_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """src_offset + size exceeds the size of src_buffer, or dst_offset + size exceeds the size of dst_buffer."""
    return may("zero-size-command") if call.size == 0 else must_if(any(_exceeding_sides(call, model)))


def _exceeding_sides(call: Call, model: Model) -> Iterator[str]:
    """Yield each side of a copy, ``src`` or ``dst``, whose range exceeds its buffer."""
    for side in ("src", "dst"):
        buffer, offset = call.arguments[f"{side}_buffer"], call.arguments[f"{side}_offset"]
        if buffer is not None and isinstance(offset, int) and offset + call.size > model.get(Buffer, buffer).size:
            yield side


@rules.alternatives_of("clEnqueueCopyBuffer/CL_INVALID_VALUE/1")
def find_copy_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield for each side of the copy whether its range exceeds its buffer."""
    sides = _exceeding_sides(call, model)
    return (f"{side}_offset + size exceeds the size of {side}_buffer" for side in sides)


@rules.clause("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1")
def does_copy_overlap(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are the same buffer, and the source and destination ranges overlap.

    The condition also holds for two overlapping sub-buffers of one buffer, if the ranges overlap both as offsets in the
    sub-buffers and as bytes of the parent buffer. For other sub-buffers of one buffer, and for a sub-buffer and its
    parent, the error is optional, except for disjoint sub-buffers with ranges that do not overlap as offsets either.
    """
    source, destination = model.require(Buffer, call.src_buffer), model.require(Buffer, call.dst_buffer)
    if source is destination and call.size == 0:
        return may("overlap-of-empty-copy") if 0 in (call.src_offset, call.dst_offset) else NO
    if source is destination:
        return must_if(
            bool(call.src_offset < call.dst_offset + call.size and call.dst_offset < call.src_offset + call.size)
        )
    if not have_same_root_buffer(source, destination):
        return NO
    shift = destination.offset - source.offset
    away = (call.dst_offset - call.src_offset, call.dst_offset + shift - call.src_offset)
    inside = call.src_offset + call.size <= source.size and call.dst_offset + call.size <= destination.size
    shared = do_sub_buffers_overlap(source, destination)
    if inside and shared and all(abs(each) < call.size for each in away):
        return MUST
    apart = are_disjoint_sub_buffers(source, destination) and abs(away[0]) >= call.size
    return NO if apart else may("overlap-of-sub-buffers")


@rules.alternatives_of("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1")
def find_copy_overlap(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: the ranges overlap in one buffer, or in two sub-buffers that overlap."""
    yield describe_overlap(call, model, "ranges")


def describe_overlap(call: Call, model: Model, overlapping: str) -> str:
    """Return the text of an overlap in a copy: the two buffers are the same, or are overlapping sub-buffers.

    ``overlapping``: the noun for the parts that overlap, such as ``ranges`` or ``regions``.
    """
    if model.require(Buffer, call.src_buffer) is model.require(Buffer, call.dst_buffer):
        return f"src_buffer and dst_buffer are the same buffer, and the {overlapping} overlap"
    return f"src_buffer and dst_buffer are overlapping sub-buffers of one buffer, and the {overlapping} overlap"


def do_sub_buffers_overlap(first: Buffer, second: Buffer) -> bool:
    """Return whether two buffers are sub-buffers of the same buffer and share bytes."""
    if not isinstance(first, SubBuffer) or not isinstance(second, SubBuffer) or first.parent is not second.parent:
        return False
    return first.offset < second.offset + second.size and second.offset < first.offset + first.size


def are_disjoint_sub_buffers(first: Buffer, second: Buffer) -> bool:
    """Return whether two buffers are sub-buffers of the same buffer without common bytes."""
    are_sub_buffers = isinstance(first, SubBuffer) and isinstance(second, SubBuffer) and first.parent is second.parent
    return are_sub_buffers and not do_sub_buffers_overlap(first, second)


def have_same_root_buffer(first: Buffer, second: Buffer) -> bool:
    """Return whether two buffers share one parent buffer: two sub-buffers, or a sub-buffer and its parent."""
    return (first.parent or first) is (second.parent or second)


@rules.clause("clEnqueueFillBuffer/CL_INVALID_VALUE/1")
def is_fill_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """offset + size exceeds the size of buffer. Before version 2.1, the error for an empty range is optional."""
    return is_range_out_of_bounds(call.offset, call.size, model.require(Buffer, call.buffer), model)


PATTERN_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
MAX_PATTERN_WITHOUT_INT64 = 64
"""Size in bytes of the largest vector on a device without 64-bit integers."""


@rules.clause("clEnqueueFillBuffer/CL_INVALID_VALUE/2")
def is_pattern_invalid(call: Call, model: Model) -> PredicateResult:
    """pattern is NULL, or pattern_size is not one of 1, 2, 4, 8, 16, 32, 64 and 128.

    On a device of the embedded profile, the error is optional if pattern_size is 128.
    """
    if call.pattern is None or call.pattern_size not in PATTERN_SIZES:
        return MUST
    queue = model.get(CommandQueue, call.command_queue)
    embedded = queue.device is not None and queue.device.facts.get("CL_DEVICE_PROFILE") == "EMBEDDED_PROFILE"
    return may("usm-largest-type") if embedded and call.pattern_size > MAX_PATTERN_WITHOUT_INT64 else NO


@rules.alternatives_of("clEnqueueFillBuffer/CL_INVALID_VALUE/2")
def find_pattern_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: pattern is NULL, or pattern_size is not one of the sizes of a pattern."""
    del model
    if call.pattern is None:
        yield "pattern is NULL"
    if call.pattern_size not in PATTERN_SIZES:
        yield f"pattern_size is not one of {join_names([str(size) for size in PATTERN_SIZES], 'and')}"


@rules.clause("clEnqueueFillBuffer/CL_INVALID_VALUE/3")
def is_range_not_pattern_multiple(call: Call, model: Model) -> PredicateResult:
    """offset or size is not a multiple of pattern_size."""
    if call.pattern_size == 0:
        return may("pattern-size-zero")
    odd = list(find_partial_patterns(call, model))
    return MUST if len(odd) > 1 else must_by("offset-or-size-not-multiple") if odd else NO


@rules.alternatives_of("clEnqueueFillBuffer/CL_INVALID_VALUE/3")
def find_partial_patterns(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: offset or size is not a multiple of pattern_size."""
    del model
    numbers = {"offset": call.offset, "size": call.size}
    return (
        f"{name} is not a multiple of pattern_size" for name, number in numbers.items() if number % call.pattern_size
    )
