"""Commands on unified shared memory that cannot be right, and those that nobody may give: fills, copies and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.contents.pointers import base_and_offset, multiple_of
from clconform.oracles.contents.unified import allocation, usable_by
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.pointed_memory import SharedAllocation, UsmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.alignment import LONG16, largest_type
from clconform.oracles.recurring.flags import flags_not_valid

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

FILL, COPY, MIGRATE, ADVISE = (f"clEnqueue{name}INTEL" for name in ("MemFill", "Memcpy", "MigrateMem", "MemAdvise"))


@rules.clause(f"{FILL}/CL_INVALID_VALUE/1")
def filled_nowhere_or_out_of_step(call: Call, model: Model) -> Reply:
    """There is no address to fill from, or it is not a multiple of the pattern's size."""
    if call.size == 0:
        return May("no-unified-bytes")
    if call.dst_ptr is None:
        return Answer.MUST
    if _out_of_reach(call.dst_ptr, call, model):
        return Answer.UNDEFINED
    return bool(call.pattern_size) and not multiple_of(call.dst_ptr, call.pattern_size, model)


@rules.clause(f"{FILL}/CL_INVALID_VALUE/3")
def no_such_pattern(call: Call, model: Model) -> Reply:
    """The pattern's size is no power of two, or more than that of the device's largest data type."""
    if call.pattern_size == 0 or call.pattern_size & (call.pattern_size - 1):
        return Answer.MUST
    if call.pattern_size > LONG16:
        return Must("more-than-the-document-has")
    return May("largest-type") if call.pattern_size > largest_type([_device(call, model)]) else Answer.NO


@rules.clause(f"{FILL}/CL_INVALID_VALUE/4")
def no_whole_patterns(call: Call, model: Model) -> Reply:
    """The bytes to fill are not a whole number of patterns."""
    del model
    return bool(call.pattern_size and call.size % call.pattern_size)


@rules.clause(f"{COPY}/CL_INVALID_VALUE/1")
def copied_from_or_to_nowhere(call: Call, model: Model) -> Reply:
    """One of the two pointers is NULL."""
    if call.size == 0:
        return May("no-unified-bytes")
    if call.dst_ptr is None or call.src_ptr is None:
        return Answer.MUST
    both = (call.dst_ptr, call.src_ptr)
    if any(allocation(value, model) is not None and _out_of_reach(value, call, model) for value in both):
        return Answer.UNDEFINED
    hosts = [value for value in both if allocation(value, model) is None]
    return May("copied-by-the-host's-address") if hosts else Answer.NO


@rules.clause(f"{COPY}/CL_MEM_COPY_OVERLAP/1")
def copied_onto_itself(call: Call, model: Model) -> Reply:
    """The bytes to be read and those to be written have some in common."""
    del model
    (target, to), (source, start) = (base_and_offset(value) for value in (call.dst_ptr, call.src_ptr))
    if not isinstance(target, Handle) or target != source:
        return Answer.NO
    if call.size == 0:
        return May("no-unified-bytes") if to == start else Answer.NO
    return Must("overlap-is-an-error") if abs(to - start) < call.size else Answer.NO


@rules.clause(f"{COPY}/usage/2", f"{COPY}/usage/3")
def copied_across_contexts(call: Call, model: Model) -> bool:
    """A pointer leads into memory of another context than the queue's."""
    owner = model.get(Queue, call.command_queue).context
    found = [allocation(value, model) for value in (call.dst_ptr, call.src_ptr)]
    return any(memory is not None and memory.context is not owner for memory in found)


@rules.clause(f"{MIGRATE}/CL_INVALID_VALUE/1", f"{ADVISE}/CL_INVALID_VALUE/1")
def no_region_of_shared_memory(call: Call, model: Model) -> Reply:
    """The document asks itself which regions are not valid; a part of an allocation of shared memory is."""
    memory = allocation(call.ptr, model)
    if memory is not None and memory.context is not model.get(Queue, call.command_queue).context:
        return Answer.UNDEFINED
    if memory is None or not isinstance(memory, SharedAllocation) or not usable_by(memory, _device(call, model), model):
        return May("region-for-a-hint")
    return Answer.NO if call.size else May("region-for-a-hint")


@rules.clause(f"{MIGRATE}/CL_INVALID_VALUE/2")
def migrated_in_no_known_way(call: Call, model: Model) -> Reply:
    """The flags are zero, or bits that are no flags of migrations or not supported together."""
    if call.flags == 0:
        return Answer.MUST
    if call.flags & model.value("CL_MIGRATE_MEM_OBJECT_HOST"):
        reply = flags_not_valid(call.flags, "cl_mem_migration_flags", model)
        return May("migrated-to-the-host") if reply is Answer.NO else reply
    return flags_not_valid(call.flags, "cl_mem_migration_flags", model)


@rules.clause(f"{ADVISE}/CL_INVALID_VALUE/2")
def advice_not_supported(call: Call, model: Model) -> Reply:
    """The advice is none that the queue's device supports; zero is none at all, and allowed since revision Q."""
    del model
    return May("advice-of-nobody") if call.advice else Answer.NO


rules.inferred(f"{ADVISE}/success")


def _device(call: Call, model: Model) -> Device:
    device = model.get(Queue, call.command_queue).device
    if device is None:
        raise UnknownError("device")
    return device


def _out_of_reach(value: object, call: Call, model: Model) -> bool:
    """Tell whether nothing says that the queue's device may use what a pointer leads into."""
    memory = model.known(base_and_offset(value)[0])
    if not isinstance(memory, ContextObject):
        return True
    foreign = isinstance(memory, UsmAllocation) and memory.context is not model.get(Queue, call.command_queue).context
    return foreign or not usable_by(memory, _device(call, model), model)
