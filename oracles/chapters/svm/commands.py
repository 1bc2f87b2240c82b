"""Commands on shared memory that cannot be right: freed, copied, filled, mapped and migrated (section 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.svm.pointers import allocation, pointers_in
from clconform.oracles.contents.maps import maps_of
from clconform.oracles.contents.pointers import base_and_offset, multiple_of
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.alignment import largest_type
from clconform.oracles.recurring.flags import flags_not_valid

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

PATTERN_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


@rules.clause("clEnqueueSVMFree/CL_INVALID_VALUE/1")
def free_list_and_its_length_disagree(call: Call, model: Model) -> Reply:
    """Pointers are given without their number, or a number without pointers."""
    del model
    if (call.num_svm_pointers == 0) != (call.svm_pointers is None):
        return Answer.MUST
    return May("nothing-to-free") if call.svm_pointers is None or None in pointers_in(call) else Answer.NO


@rules.clause("clEnqueueSVMMemcpy/CL_INVALID_VALUE/1")
def copied_from_or_to_nowhere(call: Call, model: Model) -> Reply:
    """One of the two pointers is NULL."""
    del model
    if call.size == 0:
        return May("no-shared-bytes")
    return call.dst_ptr is None or call.src_ptr is None


@rules.clause("clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1")
def copied_onto_itself(call: Call, model: Model) -> Reply:
    """The bytes to be read and those to be written have some in common."""
    del model
    (target, to), (source, start) = (base_and_offset(value) for value in (call.dst_ptr, call.src_ptr))
    if target is None or target != source:
        return Answer.NO
    if call.size == 0:
        return May("no-shared-bytes") if to == start else Answer.NO
    return bool(abs(to - start) < call.size)


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/1")
def filled_nowhere(call: Call, model: Model) -> Reply:
    """There is no address to fill from."""
    del model
    if call.size == 0:
        return May("no-shared-bytes")
    return call.svm_ptr is None


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/2")
def filled_out_of_step(call: Call, model: Model) -> Reply:
    """The address is not a multiple of the pattern's size."""
    if call.svm_ptr is None or call.pattern_size == 0:
        return Answer.NO
    return not multiple_of(call.svm_ptr, call.pattern_size, model)


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/3")
def no_such_pattern(call: Call, model: Model) -> Reply:
    """There is no pattern, or it has a size that no data type has."""
    if call.pattern is None or call.pattern_size not in PATTERN_SIZES:
        return Answer.MUST
    queue = model.get(Queue, call.command_queue)
    if queue.device is None:
        raise UnknownError("device")
    return May("beyond-the-largest-type") if call.pattern_size > largest_type([queue.device]) else Answer.NO


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/4")
def no_whole_patterns(call: Call, model: Model) -> Reply:
    """The bytes to fill are not a whole number of patterns."""
    del model
    return bool(call.pattern_size and call.size % call.pattern_size)


@rules.clause("clEnqueueSVMMap/CL_INVALID_VALUE/2")
def nothing_to_map_or_unknown_flags(call: Call, model: Model) -> Reply:
    """No byte is to be mapped, or the flags do not say how, or in a way that cannot be."""
    if call.size == 0:
        return Answer.MUST
    return flags_not_valid(call.flags, "cl_map_flags", model) if call.flags else May("mapped-for-nothing")


@rules.clause("clEnqueueSVMUnmap/CL_INVALID_VALUE/1")
def unmapped_without_a_map(call: Call, model: Model) -> Reply:
    """The pointer is NULL; for one that was not mapped the call may fail, too."""
    if call.svm_ptr is None:
        return Answer.MUST
    base, offset = base_and_offset(call.svm_ptr)
    memory = allocation(base, model)
    if memory is None or memory.memory is None:
        raise UnknownError("map")
    start = memory.memory.start + offset
    maps = [each for each in maps_of(memory.memory.storage, model) if each.region.start == start]
    if not maps:
        return May("shared-memory-not-mapped")
    return May("map-after-an-error") if all(each.doubtful for each in maps) else Answer.NO


@rules.clause("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2")
def beyond_the_allocation(call: Call, model: Model) -> Reply:
    """A range that is not empty does not lie in shared memory."""
    if not isinstance(call.svm_pointers, Items) or not isinstance(call.sizes, Items):
        return Answer.NO
    pairs = zip(call.svm_pointers.values, call.sizes.values, strict=False)
    return any(not _inside(pointer, size, model) for pointer, size in pairs if isinstance(size, int) and size)


def _inside(pointer: object, size: int, model: Model) -> bool:
    memory = allocation(pointer, model)
    return memory is not None and base_and_offset(pointer)[1] + size <= memory.size
