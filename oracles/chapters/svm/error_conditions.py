"""Error conditions of SVM allocations and of commands on them (section 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.common.alignment import largest_type_size
from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.flags import are_flags_invalid, find_flag_violations, find_flags, flags_of
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.common.parameters import describe_disagreement, find_null
from clconform.oracles.contents.mapped_contents import maps_of
from clconform.oracles.contents.pointers import is_multiple_of, memory_at, split_address
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    RELATED_TO_NULL,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    may,
    must_by,
    must_if,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import PointerMemory, SvmAllocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

FINE, ATOMICS = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
SUPPORT = {FINE: "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", ATOMICS: "CL_DEVICE_SVM_ATOMICS"}
"""Maps each flag to the device capability that it requires."""
TYPE = "cl_svm_mem_flags"


@rules.clause("clSVMAlloc/NULL/1")
def lacks_svm_support(call: Call, model: Model) -> PredicateResult:
    """context is NULL or not a valid context, or no device in context supports SVM."""
    reply = is_invalid_object(call.context, "cl_context", model)
    if reply is not NO:
        return reply
    return must_if(all(lacks_capability(device, "SVM") for device in devices_in_context(call, model)))


@rules.alternatives_of("clSVMAlloc/NULL/1")
def find_context_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: context is NULL, not a valid context, or has no device that supports SVM."""
    found = list(find_invalid_object("context", call.context, "cl_context", model))
    yield from found or ["no device in context supports SVM"]


@rules.clause("clSVMAlloc/NULL/2")
def has_atomics_without_fine_grain(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_SVM_ATOMICS, but not CL_MEM_SVM_FINE_GRAIN_BUFFER."""
    return must_if(bool(call.flags & model.constant_value(ATOMICS)) and not call.flags & model.constant_value(FINE))


@rules.clause("clSVMAlloc/NULL/3")
def has_exclusive_flags(call: Call, model: Model) -> PredicateResult:
    """flags contains more than one of CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY."""
    present = {name for name in flags_of(TYPE, model) if call.flags & model.constant_value(name)}
    return must_if(any(present.intersection(flags_of(TYPE, model)[name].excludes) for name in present))


@rules.clause("clSVMAlloc/NULL/4")
def is_flag_unsupported(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_SVM_FINE_GRAIN_BUFFER or CL_MEM_SVM_ATOMICS, which a device in context does not support.

    For CL_MEM_SVM_ATOMICS the error is optional if another device in context supports this flag.
    """
    without = _devices_without_flags(call, model)
    devices = devices_in_context(call, model) if without else []
    if any(len(lacking) == len(devices) for lacking in without.values()):
        return MUST
    if without.get(FINE):
        return must_by("svm-fine-grain-on-all-devices")
    return may("svm-atomics-on-some-devices") if without.get(ATOMICS) else NO


def _devices_without_flags(call: Call, model: Model) -> dict[str, list[Device]]:
    """Return each flag of the call that requires a capability, with the devices that lack it."""
    wanted = list(find_flags(call.flags, tuple(SUPPORT), model))
    devices = devices_in_context(call, model) if wanted else []
    return {
        name: [device for device in devices if not _has_capability(device, SUPPORT[name], model)] for name in wanted
    }


@rules.alternatives_of("clSVMAlloc/NULL/4")
def find_unsupported_flags(call: Call, model: Model) -> Iterator[str]:
    """Yield each flag that all devices do not support, or a fine-grain flag that a device does not support."""
    devices = devices_in_context(call, model)
    for name, lacking in _devices_without_flags(call, model).items():
        if len(lacking) == len(devices) or (lacking and name == FINE):
            owner = (
                "no device in context supports it" if len(lacking) == len(devices) else "a device in context does not"
            )
            yield f"flags contains {name} and {owner}"


rules.relies_on_interpretation("svm-fine-grain-on-all-devices", "clSVMAlloc/NULL/4")


@rules.clause("clSVMAlloc/NULL/5")
def has_unknown_flags(call: Call, model: Model) -> PredicateResult:
    """flags contains a bit other than the bits of cl_svm_mem_flags that the function accepts.

    The error is optional for a flag of cl_mem_flags that an extension defines.
    """
    unlisted = call.flags
    for name in flags_of(TYPE, model):
        unlisted &= ~model.constant_value(name)
    added = 0
    for name, bits in model.tables.values_of_group("cl_mem_flags").items():
        added |= bits if any(gate.subject == "extension" for gate in model.tables.enumerants[name].applicability) else 0
    if unlisted & ~added:
        return MUST
    return may("flag-defined-elsewhere") if unlisted else NO


@rules.clause("clSVMAlloc/NULL/6")
def has_invalid_size(call: Call, model: Model) -> PredicateResult:
    """size is 0, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of a device in context.

    The error is optional if size does not exceed the limit of another device in context.
    """
    if call.size == 0:
        return MUST
    most = [device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices_in_context(call, model)]
    if call.size > max(most):
        return MUST
    return may("size-above-limit-of-some-devices") if call.size > min(most) else NO


@rules.alternatives_of("clSVMAlloc/NULL/6")
def find_size_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: size is 0 or above the limit of every device."""
    del model
    yield "size is 0" if call.size == 0 else "size is more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device"


@rules.clause("clSVMAlloc/NULL/7")
def has_invalid_alignment(call: Call, model: Model) -> PredicateResult:
    """alignment is neither 0 nor a power of two, or is more than a device in context supports.

    The error is optional for a power of two that is more than the size of the largest data type.
    """
    if call.alignment & (call.alignment - 1):
        return MUST
    if call.alignment == 0:
        return NO
    return may("svm-above-largest-type") if call.alignment > largest_type_size(devices_in_context(call, model)) else NO


def devices_in_context(call: Call, model: Model) -> list[Device]:
    """Return the devices in context; UnknownFactError if they are unknown."""
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownFactError("devices")
    return devices


def _has_capability(device: Device, capability: str, model: Model) -> bool:
    return bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & model.constant_value(capability))


PATTERN_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


@rules.clause("clEnqueueSVMFree/CL_INVALID_VALUE/1")
def has_inconsistent_free_list(call: Call, model: Model) -> PredicateResult:
    """num_svm_pointers is 0 and svm_pointers is not NULL, or num_svm_pointers is not 0 and svm_pointers is NULL."""
    del model
    if (call.num_svm_pointers == 0) != (call.svm_pointers is None):
        return MUST
    return may("svm-free-of-nothing") if call.svm_pointers is None or None in passed_pointers(call) else NO


@rules.alternatives_of("clEnqueueSVMFree/CL_INVALID_VALUE/1")
def find_inconsistent_free_list(call: Call, model: Model) -> Iterator[str]:
    """Yield how num_svm_pointers and svm_pointers contradict each other."""
    del model
    yield describe_disagreement(call, "num_svm_pointers", "svm_pointers")


@rules.clause("clEnqueueSVMMemcpy/CL_INVALID_VALUE/1")
def has_null_pointer(call: Call, model: Model) -> PredicateResult:
    """dst_ptr or src_ptr is NULL."""
    del model
    if call.dst_ptr is None or call.src_ptr is None:
        return MUST
    return may("svm-size-zero") if call.size == 0 else NO


@rules.alternatives_of("clEnqueueSVMMemcpy/CL_INVALID_VALUE/1")
def find_null_pointers(call: Call, model: Model) -> Iterator[str]:
    """Yield each of dst_ptr and src_ptr that is NULL."""
    del model
    return find_null(call, "dst_ptr", "src_ptr")


@rules.clause("clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1")
def has_overlap(call: Call, model: Model) -> PredicateResult:
    """The ranges of size bytes at src_ptr and at dst_ptr overlap."""
    del model
    if call.dst_ptr is None and call.src_ptr is None:
        return RELATED_TO_NULL
    (target, to), (source, start) = (split_address(value) for value in (call.dst_ptr, call.src_ptr))
    if target is None or target != source:
        return NO
    if call.size == 0:
        return may("svm-size-zero") if to == start else NO
    return must_if(bool(abs(to - start) < call.size))


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/1")
def is_fill_target_null(call: Call, model: Model) -> PredicateResult:
    """svm_ptr is NULL."""
    del model
    if call.svm_ptr is None:
        return MUST
    return may("svm-size-zero") if call.size == 0 else NO


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/2")
def is_fill_target_misaligned(call: Call, model: Model) -> PredicateResult:
    """svm_ptr is not a multiple of pattern_size."""
    if call.svm_ptr is None or call.pattern_size == 0:
        return NO
    return must_if(not is_multiple_of(call.svm_ptr, call.pattern_size, model))


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/3")
def has_invalid_pattern(call: Call, model: Model) -> PredicateResult:
    """pattern is NULL, or pattern_size is not the size of an OpenCL C data type.

    The sizes are the powers of two from 1 to 128; the error is optional for 128 if the device does not support 64-bit
    integers.
    """
    if call.pattern is None or call.pattern_size not in PATTERN_SIZES:
        return MUST
    queue = model.get(CommandQueue, call.command_queue)
    if queue.device is None:
        raise UnknownFactError("device")
    return may("svm-above-largest-type") if call.pattern_size > largest_type_size([queue.device]) else NO


@rules.alternatives_of("clEnqueueSVMMemFill/CL_INVALID_VALUE/3")
def find_pattern_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: pattern is NULL, or pattern_size is not the size of a data type."""
    del model
    yield from find_null(call, "pattern")
    if call.pattern_size not in PATTERN_SIZES:
        yield "pattern_size is not the size of an OpenCL C data type"


@rules.clause("clEnqueueSVMMemFill/CL_INVALID_VALUE/4")
def has_partial_pattern(call: Call, model: Model) -> PredicateResult:
    """size is not a multiple of pattern_size."""
    del model
    return must_if(bool(call.pattern_size and call.size % call.pattern_size))


@rules.clause("clEnqueueSVMMap/CL_INVALID_VALUE/2")
def has_invalid_map(call: Call, model: Model) -> PredicateResult:
    """size is 0, or flags is not a valid combination of map flags; for flags 0 the error is optional."""
    if call.size == 0:
        return MUST
    return are_flags_invalid(call.flags, "cl_map_flags", call, model) if call.flags else may("svm-map-flags-zero")


@rules.alternatives_of("clEnqueueSVMMap/CL_INVALID_VALUE/2")
def find_map_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: size is 0, or flags is not a valid combination of map flags."""
    if call.size == 0:
        yield "size is 0"
    yield from find_flag_violations("flags", call.flags, "cl_map_flags", call, model)


@rules.clause("clEnqueueSVMUnmap/CL_INVALID_VALUE/1")
def is_not_mapped(call: Call, model: Model) -> PredicateResult:
    """svm_ptr is NULL. A pointer other than the start of a mapped region makes the call undefined.

    The error is also allowed after the first unmap of a region that was mapped several times.
    """
    if call.svm_ptr is None:
        return MUST
    base, offset = split_address(call.svm_ptr)
    memory = find_allocation(base, model)
    if memory is None or memory.memory is None:
        raise UnknownFactError("map")
    start = memory.memory.start + offset
    maps = [each for each in maps_of(memory.memory.storage, model) if each.region.start == start]
    if not maps:
        return UNDEFINED
    if all(each.may_be_unmapped for each in maps):
        return may("repeated-svm-maps")
    return may("map-after-failed-unmap") if all(each.is_uncertain for each in maps) else NO


@rules.clause("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2")
def exceeds_allocation(call: Call, model: Model) -> PredicateResult:
    """The range of sizes[i] bytes at svm_pointers[i] is not inside an SVM allocation, and sizes[i] is not 0."""
    return must_if(any(find_exceeding_ranges(call, model)))


@rules.alternatives_of("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2")
def find_exceeding_ranges(call: Call, model: Model) -> Iterator[str]:
    """Yield each range that is not inside an SVM allocation."""
    if isinstance(call.svm_pointers, ElementList) and isinstance(call.sizes, ElementList):
        for at, (pointer, size) in enumerate(zip(call.svm_pointers.values, call.sizes.values, strict=False)):
            if isinstance(size, int) and size and not _is_inside(pointer, size, model):
                yield f"the range of sizes[{at}] bytes at svm_pointers[{at}] is not inside an SVM allocation"


@rules.clause("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/5")
def has_invalid_migration_flags(call: Call, model: Model) -> PredicateResult:
    """flags contains a bit that is not a migration flag; the error is optional for devices before version 3.1."""
    reply = are_flags_invalid(call.flags, "cl_mem_migration_flags", call, model)
    device = model.get(CommandQueue, call.command_queue).device
    return UNKNOWN if reply is MUST and (device is None or device.version < (3, 1)) else reply


def _is_inside(pointer: object, size: int, model: Model) -> bool:
    memory = find_allocation(pointer, model)
    return memory is not None and split_address(pointer)[1] + size <= memory.size


POINTER_PARAMETERS = ("svm_pointer", "svm_pointers", "svm_ptr", "dst_ptr", "src_ptr")
"""Parameters that take SVM pointers or lists of SVM pointers."""


def find_allocation(value: object, model: Model) -> SvmAllocation | None:
    """Return the existing SVM allocation that a pointer points into, or None."""
    return memory_at(value, model, SvmAllocation)


def passed_pointers(call: Call) -> list[object]:
    """Return all pointers that a call passes."""
    given = [call.arguments[name] for name in POINTER_PARAMETERS if name in call.arguments]
    return [one for value in given for one in (value.values if isinstance(value, ElementList) else (value,))]


@rules.clause(
    "clEnqueueSVMFree/usage/1",
    "clEnqueueSVMMemcpy/usage/1",
    "clEnqueueSVMMemcpy/usage/4",
    "clEnqueueSVMMemFill/usage/1",
    "clEnqueueSVMMemFill/usage/2",
    "clEnqueueSVMMap/usage/1",
    "clEnqueueSVMUnmap/usage/1",
)
def has_foreign_context(call: Call, model: Model) -> PredicateResult:
    """An SVM pointer in the call points into an allocation of a context other than the context of command_queue."""
    queue = model.find(call.command_queue)
    owner = queue.context if isinstance(queue, CommandQueue) else None
    memory = [find_allocation(value, model) for value in passed_pointers(call)]
    return must_if(owner is not None and any(each is not None and each.context is not owner for each in memory))


@rules.clause("clEnqueueSVMFree/usage/2", "clEnqueueSVMFree/usage/3")
def is_free_without_callback_invalid(call: Call, model: Model) -> PredicateResult:
    """pfn_free_func is NULL, and an element of svm_pointers is not the start of a live SVM allocation."""
    if call.svm_pointers is None or call.pfn_free_func is not None:
        return NO
    return must_if(any(_is_not_start(value, model) for value in passed_pointers(call)))


@rules.clause("clSVMFree/usage/1", "clSVMFree/usage/2")
def is_not_allocation_of_context(call: Call, model: Model) -> PredicateResult:
    """svm_pointer is neither NULL nor the start of a live SVM allocation of context."""
    if call.svm_pointer is None:
        return NO
    memory = find_allocation(call.svm_pointer, model)
    context = model.find(call.context)
    of_another = memory is not None and isinstance(context, Context) and memory.context is not context
    return must_if(of_another or _is_not_start(call.svm_pointer, model))


@rules.clause("clSVMFree/usage/3")
def is_used_by_buffer(call: Call, model: Model) -> PredicateResult:
    """A memory object still exists whose host_ptr points into the SVM allocation at svm_pointer."""
    memory = find_allocation(call.svm_pointer, model)
    if memory is None or memory.memory is None:
        return NO
    others: list[Buffer | PointerMemory] = [*model.objects_of_class(Buffer), *model.objects_of_class(PointerMemory)]
    views = [thing.memory for thing in others if thing is not memory]
    return must_if(any(view is not None and view.storage is memory.memory.storage for view in views))


def _is_not_start(value: object, model: Model) -> bool:
    return not isinstance(value, Handle) or find_allocation(value, model) is None
