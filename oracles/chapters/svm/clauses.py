"""Error conditions of SVM allocations and of commands on them (section 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.contents.maps import maps_of
from clconform.oracles.contents.pointers import base_and_offset, memory_at, multiple_of
from clconform.oracles.engine.answers import BESIDE_NULL, UNKNOWN, Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import PointedMemory, SvmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.alignment import largest_type
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.flags import flags_not_valid, flags_of
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

FINE, ATOMICS = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
SUPPORT = {FINE: "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", ATOMICS: "CL_DEVICE_SVM_ATOMICS"}
"""Flag to the capability that it requires of a device."""
TYPE = "cl_svm_mem_flags"


@rules.clause("clSVMAlloc/NULL/1")
def nobody_shares_memory(call: Call, model: Model) -> Reply:
    """context is NULL or not a valid context, or no device in it supports SVM."""
    reply = valid_object(call.context, "cl_context", model)
    if reply is not Answer.NO:
        return reply
    return all(lacks(device, "SVM") for device in devices_of(call, model))


@rules.clause("clSVMAlloc/NULL/2")
def atomics_without_fine_grain(call: Call, model: Model) -> Reply:
    """flags contains CL_MEM_SVM_ATOMICS, but not CL_MEM_SVM_FINE_GRAIN_BUFFER."""
    return bool(call.flags & model.value(ATOMICS)) and not call.flags & model.value(FINE)


@rules.clause("clSVMAlloc/NULL/3")
def flags_exclude_each_other(call: Call, model: Model) -> Reply:
    """flags contains more than one of CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY."""
    present = {name for name in flags_of(TYPE, model) if call.flags & model.value(name)}
    return any(present.intersection(flags_of(TYPE, model)[name].excludes) for name in present)


@rules.clause("clSVMAlloc/NULL/4")
def not_supported(call: Call, model: Model) -> Reply:
    """flags requests fine-grain buffers or atomics, and a device in context does not support them."""
    wanted = [name for name in SUPPORT if call.flags & model.value(name)]
    devices = devices_of(call, model) if wanted else []
    without = {name: [device for device in devices if not _has(device, SUPPORT[name], model)] for name in wanted}
    if any(len(lacking) == len(devices) for lacking in without.values()):
        return Answer.MUST
    if without.get(FINE):
        return Must("fine-grain-everywhere")
    return May("atomics-somewhere") if without.get(ATOMICS) else Answer.NO


rules.interpreted("fine-grain-everywhere", "clSVMAlloc/NULL/4")


@rules.clause("clSVMAlloc/NULL/5")
def unknown_flags(call: Call, model: Model) -> Reply:
    """flags contains a bit other than those of the cl_svm_mem_flags that the function accepts.

    The error is only allowed for a flag of memory objects that an extension defines.
    """
    unlisted = call.flags
    for name in flags_of(TYPE, model):
        unlisted &= ~model.value(name)
    added = 0
    for name, bits in model.tables.values_of_group("cl_mem_flags").items():
        added |= bits if any(gate.subject == "extension" for gate in model.tables.enumerants[name].gates) else 0
    if unlisted & ~added:
        return Answer.MUST
    return May("flag-of-elsewhere") if unlisted else Answer.NO


@rules.clause("clSVMAlloc/NULL/6")
def empty_or_too_large(call: Call, model: Model) -> Reply:
    """size is 0 or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE of a device in context."""
    if call.size == 0:
        return Answer.MUST
    most = [device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices_of(call, model)]
    if call.size > max(most):
        return Answer.MUST
    return May("more-than-some-device-gives") if call.size > min(most) else Answer.NO


@rules.clause("clSVMAlloc/NULL/7")
def alignment_not_possible(call: Call, model: Model) -> Reply:
    """alignment is neither 0 nor a power of two, or is greater than a device in context supports."""
    if call.alignment & (call.alignment - 1):
        return Answer.MUST
    if call.alignment == 0:
        return Answer.NO
    return May("beyond-the-largest-type") if call.alignment > largest_type(devices_of(call, model)) else Answer.NO


def devices_of(call: Call, model: Model) -> list[Device]:
    """Return the devices of the context; UnknownError if unknown."""
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownError("devices")
    return devices


def _has(device: Device, capability: str, model: Model) -> bool:
    return bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & model.value(capability))


PATTERN_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


@rules.clause("clEnqueueSVMFree/CL_INVALID_VALUE/1")
def free_list_and_its_length_disagree(call: Call, model: Model) -> Reply:
    """num_svm_pointers is 0 and svm_pointers is not NULL, or num_svm_pointers is not 0 and svm_pointers is NULL."""
    del model
    if (call.num_svm_pointers == 0) != (call.svm_pointers is None):
        return Answer.MUST
    return May("nothing-to-free") if call.svm_pointers is None or None in pointers_in(call) else Answer.NO


@rules.clause("clEnqueueSVMMemcpy/CL_INVALID_VALUE/1")
def copied_from_or_to_nowhere(call: Call, model: Model) -> Reply:
    """dst_ptr or src_ptr is NULL."""
    del model
    if call.dst_ptr is None or call.src_ptr is None:
        return Answer.MUST
    return May("no-shared-bytes") if call.size == 0 else Answer.NO


@rules.clause("clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1")
def copied_onto_itself(call: Call, model: Model) -> Reply:
    """The ranges of size bytes at src_ptr and at dst_ptr overlap."""
    del model
    if call.dst_ptr is None and call.src_ptr is None:
        return BESIDE_NULL
    (target, to), (source, start) = (base_and_offset(value) for value in (call.dst_ptr, call.src_ptr))
    if target is None or target != source:
        return Answer.NO
    if call.size == 0:
        return May("no-shared-bytes") if to == start else Answer.NO
    return bool(abs(to - start) < call.size)


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/1")
def filled_nowhere(call: Call, model: Model) -> Reply:
    """svm_ptr is NULL."""
    del model
    if call.svm_ptr is None:
        return Answer.MUST
    return May("no-shared-bytes") if call.size == 0 else Answer.NO


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/2")
def filled_out_of_step(call: Call, model: Model) -> Reply:
    """svm_ptr is not a multiple of pattern_size."""
    if call.svm_ptr is None or call.pattern_size == 0:
        return Answer.NO
    return not multiple_of(call.svm_ptr, call.pattern_size, model)


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/3")
def no_such_pattern(call: Call, model: Model) -> Reply:
    """pattern is NULL, or pattern_size is not the size of a data type."""
    if call.pattern is None or call.pattern_size not in PATTERN_SIZES:
        return Answer.MUST
    queue = model.get(Queue, call.command_queue)
    if queue.device is None:
        raise UnknownError("device")
    return May("beyond-the-largest-type") if call.pattern_size > largest_type([queue.device]) else Answer.NO


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/4")
def no_whole_patterns(call: Call, model: Model) -> Reply:
    """size is not a multiple of pattern_size."""
    del model
    return bool(call.pattern_size and call.size % call.pattern_size)


@rules.clause("clEnqueueSVMMap/CL_INVALID_VALUE/2")
def nothing_to_map_or_unknown_flags(call: Call, model: Model) -> Reply:
    """size is 0, or flags is 0 or not a valid combination of map flags."""
    if call.size == 0:
        return Answer.MUST
    return flags_not_valid(call.flags, "cl_map_flags", call, model) if call.flags else May("mapped-for-nothing")


@rules.clause("clEnqueueSVMUnmap/CL_INVALID_VALUE/1")
def unmapped_without_a_map(call: Call, model: Model) -> Reply:
    """svm_ptr is NULL. A pointer other than the start of a mapped region makes the call undefined.

    The error is also allowed after the first unmap of a region that was mapped several times.
    """
    if call.svm_ptr is None:
        return Answer.MUST
    base, offset = base_and_offset(call.svm_ptr)
    memory = allocation(base, model)
    if memory is None or memory.memory is None:
        raise UnknownError("map")
    start = memory.memory.start + offset
    maps = [each for each in maps_of(memory.memory.storage, model) if each.region.start == start]
    if not maps:
        return Answer.UNDEFINED
    if all(each.perhaps_over for each in maps):
        return May("maps-of-one-place")
    return May("map-after-an-error") if all(each.doubtful for each in maps) else Answer.NO


@rules.clause("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2")
def beyond_the_allocation(call: Call, model: Model) -> Reply:
    """A pointer in svm_pointers and its non-zero size describe a range that is not inside an SVM allocation."""
    if not isinstance(call.svm_pointers, Items) or not isinstance(call.sizes, Items):
        return Answer.NO
    pairs = zip(call.svm_pointers.values, call.sizes.values, strict=False)
    return any(not _inside(pointer, size, model) for pointer, size in pairs if isinstance(size, int) and size)


@rules.clause("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/5")
def unknown_ways_to_migrate(call: Call, model: Model) -> Reply:
    """flags contains a bit that is not a migration flag; before version 3.1 the error is only allowed."""
    reply = flags_not_valid(call.flags, "cl_mem_migration_flags", call, model)
    device = model.get(Queue, call.command_queue).device
    return UNKNOWN if reply is Answer.MUST and (device is None or device.version < (3, 1)) else reply


def _inside(pointer: object, size: int, model: Model) -> bool:
    memory = allocation(pointer, model)
    return memory is not None and base_and_offset(pointer)[1] + size <= memory.size


POINTERS = ("svm_pointer", "svm_pointers", "svm_ptr", "dst_ptr", "src_ptr")
"""Parameters that take SVM pointers or lists of SVM pointers."""


def allocation(value: object, model: Model) -> SvmAllocation | None:
    """Return the existing SVM allocation that a pointer points into, or None."""
    return memory_at(value, model, SvmAllocation)


def pointers_in(call: Call) -> list[object]:
    """Return all pointers that a call passes."""
    given = [call.arguments[name] for name in POINTERS if name in call.arguments]
    return [one for value in given for one in (value.values if isinstance(value, Items) else (value,))]


@rules.clause(
    "clEnqueueSVMFree/usage/1",
    "clEnqueueSVMMemcpy/usage/1",
    "clEnqueueSVMMemcpy/usage/4",
    "clEnqueueSVMMemFill/usage/1",
    "clEnqueueSVMMemFill/usage/2",
    "clEnqueueSVMMap/usage/1",
    "clEnqueueSVMUnmap/usage/1",
)
def of_another_context(call: Call, model: Model) -> bool:
    """An SVM pointer that is passed belongs to a different context than command_queue."""
    queue = model.known(call.command_queue)
    owner = queue.context if isinstance(queue, Queue) else None
    memory = [allocation(value, model) for value in pointers_in(call)]
    return owner is not None and any(each is not None and each.context is not owner for each in memory)


@rules.clause("clEnqueueSVMFree/usage/2", "clEnqueueSVMFree/usage/3")
def freed_without_a_callback(call: Call, model: Model) -> bool:
    """pfn_free_func is NULL, and an element of svm_pointers is not the start of a live SVM allocation."""
    if call.svm_pointers is None or call.pfn_free_func is not None:
        return False
    return any(_no_start(value, model) for value in pointers_in(call))


@rules.clause("clSVMFree/usage/1", "clSVMFree/usage/2")
def nothing_of_the_context(call: Call, model: Model) -> bool:
    """svm_pointer is neither NULL nor the start of a live SVM allocation of context."""
    if call.svm_pointer is None:
        return False
    memory = allocation(call.svm_pointer, model)
    context = model.known(call.context)
    of_another = memory is not None and isinstance(context, Context) and memory.context is not context
    return of_another or _no_start(call.svm_pointer, model)


@rules.clause("clSVMFree/usage/3")
def still_under_a_buffer(call: Call, model: Model) -> bool:
    """A memory object that was created with the allocation as its host_ptr still exists."""
    memory = allocation(call.svm_pointer, model)
    if memory is None or memory.memory is None:
        return False
    others: list[Buffer | PointedMemory] = [*model.of_kind(Buffer), *model.of_kind(PointedMemory)]
    views = [thing.memory for thing in others if thing is not memory]
    return any(view is not None and view.storage is memory.memory.storage for view in views)


def _no_start(value: object, model: Model) -> bool:
    return not isinstance(value, Handle) or allocation(value, model) is None
