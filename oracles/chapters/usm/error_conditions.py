"""Error conditions of USM allocations, of commands on them, and of kernel arguments that point to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.common.alignment import LONG16_BYTES, largest_type_size
from clconform.oracles.common.contexts import find_invalid_or_other, is_unassociated
from clconform.oracles.common.flags import are_flags_invalid, find_flag_violations, find_flags
from clconform.oracles.common.kernels import find_argument
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.common.parameters import find_null
from clconform.oracles.common.property_lists import find_list_violations, is_list_invalid, parse_list
from clconform.oracles.contents.pointers import is_multiple_of, split_address
from clconform.oracles.contents.usm import (
    ALLOCATION_CLASSES,
    CROSS,
    SYSTEM,
    allocation_at,
    is_usable_by,
    supports_memory_type,
)
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    RELATED_TO_NULL,
    UNDEFINED,
    PredicateResult,
    may,
    must_by,
    must_if,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.errors import NullObjectError, UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import SharedAllocation, UsmAllocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

FLAGS = "CL_MEM_ALLOC_FLAGS_INTEL"
PLACEMENTS = tuple(f"CL_MEM_ALLOC_INITIAL_PLACEMENT_{where}_INTEL" for where in ("DEVICE", "HOST"))
UNPUBLISHED_NAMES = (0x1101, 0x419E)
"""Property names from drafts or from other extensions: memory flags, and the location of a buffer."""


@rules.clause("clSharedMemAllocINTEL/CL_INVALID_DEVICE/1")
def has_foreign_device(call: Call, model: Model) -> PredicateResult:
    """device is not NULL, and is not a valid device or not associated with context."""
    if call.device is None:
        return NO
    reply = is_invalid_object(call.device, "cl_device_id", model)
    return is_unassociated(model.context(call.context), model.device(call.device)) if reply is NO else reply


@rules.alternatives_of("clSharedMemAllocINTEL/CL_INVALID_DEVICE/1")
def find_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: device is not a valid device, or not associated with context."""
    return find_invalid_or_other("device", call.device, "cl_device_id", model, "associated with context")


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
)
def lacks_allocation_type(call: Call, model: Model) -> PredicateResult:
    """device does not support the type of memory that the function allocates.

    If the call does not name a device, the error applies if no device in context supports this type.
    """
    kind = ALLOCATION_CLASSES[call.function]
    devices = allocation_devices(call, model)
    if not any(supports_memory_type(device, kind) for device in devices):
        return MUST
    lonely = kind is SharedAllocation and call.device is None and not any(device.number(CROSS) for device in devices)
    return may("usm-shared-without-cross-device") if lonely else NO


@rules.alternatives_of(
    "clHostMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
)
def find_missing_allocation_type(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: the passed device, or no device in context, supports the type of allocation."""
    del model
    passed = call.arguments.get("device") is not None
    yield f"{'device does not support' if passed else 'no device in context supports'} this type of allocation"


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/1",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/1",
)
def has_invalid_alignment(call: Call, model: Model) -> PredicateResult:
    """alignment is neither 0 nor a power of two."""
    del model
    return must_if(bool(call.alignment & (call.alignment - 1)))


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/2",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/2",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/2",
)
def exceeds_largest_alignment(call: Call, model: Model) -> PredicateResult:
    """alignment is more than the size of the largest data type that device supports.

    If device is NULL or not a parameter, the limit is that of all devices in context that support the allocation.
    """
    devices = supporting_devices(call, model)
    if call.alignment > LONG16_BYTES:
        return must_by("usm-alignment-above-largest-type") if devices else may("usm-type-unsupported")
    return may("usm-largest-type") if call.alignment > largest_type_size(devices) else NO


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
)
def has_invalid_properties(call: Call, model: Model) -> PredicateResult:
    """properties contains an unsupported property name, the same name twice, or an invalid value."""
    if has_invalid_placement(call, model).is_must:
        return may("usm-placement-value")
    listed = parse_list(call.properties) or []
    if any(name in UNPUBLISHED_NAMES for name, _ in listed):
        return may("property-defined-elsewhere")
    reply = is_list_invalid(call, "properties", model, forbids_duplicates=True)
    return may("usm-flags-zero") if reply is NO and (model.constant_value(FLAGS), 0) in listed else reply


@rules.alternatives_of(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
)
def find_property_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: properties contains an unsupported name, an unsupported value, or the same name more than
    once.
    """
    return find_list_violations(call, "properties", model, forbids_duplicates=True)


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
)
def has_invalid_placement(call: Call, model: Model) -> PredicateResult:
    """CL_MEM_ALLOC_FLAGS_INTEL contains both initial placements, or one for an allocation that is not shared."""
    return must_if(any(find_placement_violations(call, model)))


@rules.alternatives_of(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
)
def find_placement_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: the flags contain both initial placements, or one for an allocation that is not shared.
    """
    shared = call.function == "clSharedMemAllocINTEL"
    flags = [value for name, value in parse_list(call.properties) or () if name == model.constant_value(FLAGS)]
    for bits in flags:
        places = list(find_flags(bits, PLACEMENTS, model)) if isinstance(bits, int) else []
        if len(places) == len(PLACEMENTS):
            yield f"{FLAGS} contains {' and '.join(places)}"
        elif places and not shared:
            yield f"{FLAGS} contains {places[0]} for an allocation that is not shared"


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
)
def has_invalid_size(call: Call, model: Model) -> PredicateResult:
    """size is 0, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of a device that supports the type of the allocation.

    The error is optional if size does not exceed the limit of another device that supports this type.
    """
    if call.size == 0:
        return MUST
    most = [device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in supporting_devices(call, model)]
    if not most:
        return may("usm-type-unsupported")
    if call.size > max(most):
        return MUST
    return may("size-above-limit-of-some-devices") if call.size > min(most) else NO


@rules.alternatives_of(
    "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
)
def find_size_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: size is 0 or above the limit of every device that supports this type of allocation.
    """
    del model
    if call.size == 0:
        yield "size is 0"
    else:
        yield "size is more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device that supports this type of allocation"


@rules.clause("clMemFreeINTEL/CL_INVALID_VALUE/1", "clMemBlockingFreeINTEL/CL_INVALID_VALUE/1")
def is_not_allocation(call: Call, model: Model) -> PredicateResult:
    """ptr is neither NULL nor the start of an allocation. The suites never pass a freed pointer."""
    if call.ptr is None:
        return NO
    if isinstance(call.ptr, Handle) and model.find(call.ptr) is None:
        return UNDEFINED
    memory = allocation_at(call.ptr, model)
    if memory is None or not isinstance(call.ptr, Handle):
        return MUST
    return may("usm-memory-of-another-context") if memory.context is not model.find(call.context) else NO


def allocation_devices(call: Call, model: Model) -> list[Device]:
    """Return the devices that memory is allocated for.

    Raises UnknownFactError if the devices are unknown, and NullObjectError if context is NULL.
    """
    if call.arguments.get("device") is not None:
        return [model.device(call.device)]
    if call.context is None:
        raise NullObjectError("NULL")
    context = model.find(call.context)
    if not isinstance(context, Context) or not context.devices:
        raise UnknownFactError("devices")
    return context.devices


def supporting_devices(call: Call, model: Model) -> list[Device]:
    """Return the devices of ``allocation_devices`` that support the type of memory that the function allocates."""
    return [
        device
        for device in allocation_devices(call, model)
        if supports_memory_type(device, ALLOCATION_CLASSES[call.function])
    ]


FILL = "clEnqueueMemFillINTEL"
COPY = "clEnqueueMemcpyINTEL"


@rules.clause("clEnqueueMemFillINTEL/CL_INVALID_VALUE/1")
def has_invalid_fill_target(call: Call, model: Model) -> PredicateResult:
    """dst_ptr is NULL, or is not a multiple of pattern_size."""
    if call.size == 0:
        return may("usm-size-zero")
    if call.dst_ptr is None:
        return MUST
    if _is_inaccessible(call.dst_ptr, call, model):
        return UNDEFINED
    return must_if(bool(call.pattern_size) and not is_multiple_of(call.dst_ptr, call.pattern_size, model))


@rules.alternatives_of("clEnqueueMemFillINTEL/CL_INVALID_VALUE/1")
def find_fill_target_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: dst_ptr is NULL, or not a multiple of pattern_size."""
    del model
    yield f"dst_ptr is {'NULL' if call.dst_ptr is None else 'not a multiple of pattern_size'}"


@rules.clause("clEnqueueMemFillINTEL/CL_INVALID_VALUE/3")
def has_invalid_pattern_size(call: Call, model: Model) -> PredicateResult:
    """pattern_size is not a power of two, or is more than the size of the largest data type of the device."""
    if call.pattern_size == 0 or call.pattern_size & (call.pattern_size - 1):
        return MUST
    if call.pattern_size > LONG16_BYTES:
        return must_by("usm-alignment-above-largest-type")
    return may("usm-largest-type") if call.pattern_size > largest_type_size([_device_of_queue(call, model)]) else NO


@rules.alternatives_of("clEnqueueMemFillINTEL/CL_INVALID_VALUE/3")
def find_pattern_size_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: pattern_size is not a power of two, or more than the size of the largest data type.
    """
    del model
    if call.pattern_size == 0 or call.pattern_size & (call.pattern_size - 1):
        yield "pattern_size is not a power of two"
    if call.pattern_size > LONG16_BYTES:
        yield "pattern_size is more than the size of the largest data type"


@rules.clause("clEnqueueMemFillINTEL/CL_INVALID_VALUE/4")
def has_partial_pattern(call: Call, model: Model) -> PredicateResult:
    """size is not a multiple of pattern_size."""
    del model
    return must_if(bool(call.pattern_size and call.size % call.pattern_size))


@rules.clause("clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1")
def has_null_pointer(call: Call, model: Model) -> PredicateResult:
    """dst_ptr or src_ptr is NULL."""
    if call.size == 0:
        return may("usm-size-zero")
    if call.dst_ptr is None or call.src_ptr is None:
        return MUST
    both = (call.dst_ptr, call.src_ptr)
    if any(allocation_at(value, model) is not None and _is_inaccessible(value, call, model) for value in both):
        return UNDEFINED
    hosts = [value for value in both if allocation_at(value, model) is None]
    return may("usm-copy-of-host-memory") if hosts else NO


@rules.alternatives_of("clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1")
def find_null_pointers(call: Call, model: Model) -> Iterator[str]:
    """Yield each of dst_ptr and src_ptr that is NULL."""
    del model
    return find_null(call, "dst_ptr", "src_ptr")


@rules.clause("clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1")
def has_overlap(call: Call, model: Model) -> PredicateResult:
    """The ranges of size bytes at src_ptr and at dst_ptr overlap."""
    del model
    if call.dst_ptr is None and call.src_ptr is None:
        return RELATED_TO_NULL
    (target, to), (source, start) = (split_address(value) for value in (call.dst_ptr, call.src_ptr))
    if not isinstance(target, Handle) or target != source:
        return NO
    if call.size == 0:
        return may("usm-size-zero") if to == start else NO
    return must_by("usm-copy-overlap") if abs(to - start) < call.size else NO


@rules.clause("clEnqueueMemcpyINTEL/usage/2", "clEnqueueMemcpyINTEL/usage/3")
def has_foreign_context(call: Call, model: Model) -> PredicateResult:
    """dst_ptr or src_ptr points into an allocation of a context other than the context of command_queue."""
    owner = model.get(CommandQueue, call.command_queue).context
    found = [allocation_at(value, model) for value in (call.dst_ptr, call.src_ptr)]
    return must_if(any(memory is not None and memory.context is not owner for memory in found))


@rules.clause("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1", "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1")
def has_invalid_region(call: Call, model: Model) -> PredicateResult:
    """ptr and size do not describe a valid region.

    The document does not specify which regions are valid, so the error is optional for every region. If the device must
    not access the memory at ptr, the call is undefined.
    """
    memory = allocation_at(call.ptr, model)
    if memory is None and call.ptr is not None and not _is_host_memory_accessible(call, model):
        return UNDEFINED
    if memory is not None and memory.context is not model.get(CommandQueue, call.command_queue).context:
        return UNDEFINED
    return may("usm-region-of-hint")


@rules.clause("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2")
def has_invalid_migration_flags(call: Call, model: Model) -> PredicateResult:
    """flags is 0, contains a bit that is not a migration flag, or contains flags that exclude each other."""
    if call.flags == 0:
        return MUST
    if call.flags & model.constant_value("CL_MIGRATE_MEM_OBJECT_HOST"):
        reply = are_flags_invalid(call.flags, "cl_mem_migration_flags", call, model)
        return may("usm-migration-to-host") if reply is NO else reply
    return are_flags_invalid(call.flags, "cl_mem_migration_flags", call, model)


@rules.alternatives_of("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2")
def find_migration_flag_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: flags is 0, contains an undefined bit, or contains flags that exclude each other.
    """
    if call.flags == 0:
        yield "flags is 0"
    yield from find_flag_violations("flags", call.flags, "cl_mem_migration_flags", call, model)


@rules.clause("clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/2")
def is_advice_unsupported(call: Call, model: Model) -> PredicateResult:
    """advice is not supported by the device of command_queue; the error is optional."""
    del call, model
    return may("usm-advice")


ADVICE_UNCLEAR = (
    "no region and no advice is certain to be valid, so an error with this code does not show which error condition "
    "holds"
)
rules.untestable(
    "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1", "ptr and size do not describe a valid region.", ADVICE_UNCLEAR
)
rules.untestable(
    "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/2",
    "advice is not supported by the device of command_queue; the error is optional.",
    ADVICE_UNCLEAR,
)


def _device_of_queue(call: Call, model: Model) -> Device:
    device = model.get(CommandQueue, call.command_queue).device
    if device is None:
        raise UnknownFactError("device")
    return device


def _is_inaccessible(value: object, call: Call, model: Model) -> bool:
    """Return whether the device of command_queue may be unable to access the memory at a pointer."""
    memory = model.find(split_address(value)[0])
    if not isinstance(memory, ContextObject):
        return True
    foreign = (
        isinstance(memory, UsmAllocation) and memory.context is not model.get(CommandQueue, call.command_queue).context
    )
    return foreign or not is_usable_by(memory, _device_of_queue(call, model), model)


def _is_host_memory_accessible(call: Call, model: Model) -> bool:
    """Return whether the queue's device reports that it can access the host memory at ptr directly."""
    memory = model.find(split_address(call.ptr)[0])
    return memory is not None and is_usable_by(memory, _device_of_queue(call, model), model)


POINTER_ADDRESS_SPACES = ("CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ADDRESS_CONSTANT")
"""Address spaces of arguments that accept a pointer."""


@rules.clause("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_INDEX/1")
def is_index_invalid(call: Call, model: Model) -> PredicateResult:
    """arg_index is at least the number of arguments of kernel.

    The error is optional for an argument that is not a pointer to global or constant memory.
    """
    declared = find_argument(call.kernel, call.arg_index, model)
    if declared is None:
        return MUST
    return NO if declared.address_qualifier in POINTER_ADDRESS_SPACES else may("usm-argument-not-pointer")


@rules.clause("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1")
def is_pointer_invalid(call: Call, model: Model) -> PredicateResult:
    """The argument arg_index is not a pointer to global or constant memory, or arg_value is outside all allocations."""
    declared = find_argument(call.kernel, call.arg_index, model)
    if declared is None:
        return may("usm-argument-not-pointer")
    if declared.address_qualifier not in POINTER_ADDRESS_SPACES:
        return may("usm-argument-not-pointer") if call.arg_value is None else must_by("usm-pointer-for-local-or-value")
    if call.arg_value is None:
        return NO
    base, offset = split_address(call.arg_value)
    if model.find(base) is None:
        return UNDEFINED
    memory = allocation_at(call.arg_value, model)
    kernel = model.get(Kernel, call.kernel)
    if memory is not None and offset < memory.size:
        return NO if memory.context is kernel.context else may("usm-memory-of-another-context")
    devices = kernel.context.devices if kernel.context is not None else []
    return NO if devices and all(each.number(SYSTEM) for each in devices) else may("usm-pointer-outside-allocation")
