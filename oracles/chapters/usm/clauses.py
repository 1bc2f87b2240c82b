"""Error conditions of USM allocations, of commands on them, and of kernel arguments that point to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.contents.pointers import base_and_offset, multiple_of
from clconform.oracles.contents.unified import ALLOCATED_BY, CROSS, SYSTEM, allocation, supports, usable_by
from clconform.oracles.engine.answers import BESIDE_NULL, Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.errors import NullError, UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import SharedAllocation, UsmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.alignment import LONG16, largest_type
from clconform.oracles.recurring.contexts import association
from clconform.oracles.recurring.flags import flags_not_valid
from clconform.oracles.recurring.kernels import arguments_of
from clconform.oracles.recurring.objects import valid_object
from clconform.oracles.recurring.property_lists import list_not_valid, read_list

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

FLAGS = "CL_MEM_ALLOC_FLAGS_INTEL"
PLACEMENTS = tuple(f"CL_MEM_ALLOC_INITIAL_PLACEMENT_{where}_INTEL" for where in ("DEVICE", "HOST"))
NAMES_THAT_MAY_COME = (0x1101, 0x419E)
"""Property names from drafts or other extensions: memory flags and buffer location."""


@rules.clause("clSharedMemAllocINTEL/CL_INVALID_DEVICE/1")
def shared_with_no_device_of_the_context(call: Call, model: Model) -> Reply:
    """device is not NULL, and is not a valid device or not associated with context."""
    if call.device is None:
        return Answer.NO
    reply = valid_object(call.device, "cl_device_id", model)
    return association(model.context(call.context), model.device(call.device)) if reply is Answer.NO else reply


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
)
def nobody_has_the_type(call: Call, model: Model) -> Reply:
    """device does not support this type of allocation; if device is NULL, no device in context does."""
    kind = ALLOCATED_BY[call.function]
    devices = devices_of(call, model)
    if not any(supports(device, kind) for device in devices):
        return Answer.MUST
    lonely = kind is SharedAllocation and call.device is None and not any(device.number(CROSS) for device in devices)
    return May("shared-by-no-two") if lonely else Answer.NO


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/1",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/1",
)
def no_power_of_two(call: Call, model: Model) -> Reply:
    """alignment is neither 0 nor a power of two."""
    del model
    return bool(call.alignment & (call.alignment - 1))


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/2",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/2",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/2",
)
def aligned_beyond_the_largest_type(call: Call, model: Model) -> Reply:
    """alignment is greater than the size of the largest data type that the devices support."""
    devices = supporting(call, model)
    if call.alignment > LONG16:
        return Must("more-than-the-document-has") if devices else May("type-of-no-device")
    return May("largest-type") if call.alignment > largest_type(devices) else Answer.NO


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
)
def properties_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an unsupported property name, the same name twice, or a value that is not valid."""
    if placed_wrongly(call, model):
        return May("placement-as-a-value")
    listed = read_list(call.properties) or []
    if any(name in NAMES_THAT_MAY_COME for name, _ in listed):
        return May("property-of-elsewhere")
    reply = list_not_valid(call, "properties", model, once=True)
    return May("flags-of-none") if reply is Answer.NO and (model.value(FLAGS), 0) in listed else reply


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
)
def placed_wrongly(call: Call, model: Model) -> bool:
    """properties requests both initial placements, or requests one for an allocation that is not shared."""
    most = 1 if call.function == "clSharedMemAllocINTEL" else 0
    flags = [value for name, value in read_list(call.properties) or () if name == model.value(FLAGS)]
    asked = [[name for name in PLACEMENTS if isinstance(bits, int) and bits & model.value(name)] for bits in flags]
    return any(len(places) > most for places in asked)


@rules.clause(
    "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
)
def empty_or_too_large(call: Call, model: Model) -> Reply:
    """size is 0 or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE."""
    if call.size == 0:
        return Answer.MUST
    most = [device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in supporting(call, model)]
    if not most:
        return May("type-of-no-device")
    if call.size > max(most):
        return Answer.MUST
    return May("more-than-some-device-gives") if call.size > min(most) else Answer.NO


@rules.clause("clMemFreeINTEL/CL_INVALID_VALUE/1", "clMemBlockingFreeINTEL/CL_INVALID_VALUE/1")
def nothing_that_was_allocated(call: Call, model: Model) -> Reply:
    """ptr is neither NULL nor the start of an allocation. A freed pointer is never passed."""
    if call.ptr is None:
        return Answer.NO
    if isinstance(call.ptr, Handle) and model.known(call.ptr) is None:
        return Answer.UNDEFINED
    memory = allocation(call.ptr, model)
    if memory is None or not isinstance(call.ptr, Handle):
        return Answer.MUST
    return May("memory-of-another-context") if memory.context is not model.known(call.context) else Answer.NO


def devices_of(call: Call, model: Model) -> list[Device]:
    """Return the devices that memory is allocated for; UnknownError if unknown, NullError for a NULL context."""
    if call.arguments.get("device") is not None:
        return [model.device(call.device)]
    if call.context is None:
        raise NullError("NULL")
    context = model.known(call.context)
    if not isinstance(context, Context) or not context.devices:
        raise UnknownError("devices")
    return context.devices


def supporting(call: Call, model: Model) -> list[Device]:
    """Return the devices of the allocation that support its type."""
    return [device for device in devices_of(call, model) if supports(device, ALLOCATED_BY[call.function])]


FILL, COPY, ADVISE = (f"clEnqueue{name}INTEL" for name in ("MemFill", "Memcpy", "MemAdvise"))


@rules.clause("clEnqueueMemFillINTEL/CL_INVALID_VALUE/1")
def filled_nowhere_or_out_of_step(call: Call, model: Model) -> Reply:
    """dst_ptr is NULL, or is not a multiple of pattern_size."""
    if call.size == 0:
        return May("no-unified-bytes")
    if call.dst_ptr is None:
        return Answer.MUST
    if _out_of_reach(call.dst_ptr, call, model):
        return Answer.UNDEFINED
    return bool(call.pattern_size) and not multiple_of(call.dst_ptr, call.pattern_size, model)


@rules.clause("clEnqueueMemFillINTEL/CL_INVALID_VALUE/3")
def no_such_pattern(call: Call, model: Model) -> Reply:
    """pattern_size is not a power of two, or exceeds the size of the device's largest data type."""
    if call.pattern_size == 0 or call.pattern_size & (call.pattern_size - 1):
        return Answer.MUST
    if call.pattern_size > LONG16:
        return Must("more-than-the-document-has")
    return May("largest-type") if call.pattern_size > largest_type([_device(call, model)]) else Answer.NO


@rules.clause("clEnqueueMemFillINTEL/CL_INVALID_VALUE/4")
def no_whole_patterns(call: Call, model: Model) -> Reply:
    """size is not a multiple of pattern_size."""
    del model
    return bool(call.pattern_size and call.size % call.pattern_size)


@rules.clause("clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1")
def copied_from_or_to_nowhere(call: Call, model: Model) -> Reply:
    """dst_ptr or src_ptr is NULL."""
    if call.size == 0:
        return May("no-unified-bytes")
    if call.dst_ptr is None or call.src_ptr is None:
        return Answer.MUST
    both = (call.dst_ptr, call.src_ptr)
    if any(allocation(value, model) is not None and _out_of_reach(value, call, model) for value in both):
        return Answer.UNDEFINED
    hosts = [value for value in both if allocation(value, model) is None]
    return May("copied-by-the-host's-address") if hosts else Answer.NO


@rules.clause("clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1")
def copied_onto_itself(call: Call, model: Model) -> Reply:
    """The ranges of size bytes at src_ptr and at dst_ptr overlap."""
    del model
    if call.dst_ptr is None and call.src_ptr is None:
        return BESIDE_NULL
    (target, to), (source, start) = (base_and_offset(value) for value in (call.dst_ptr, call.src_ptr))
    if not isinstance(target, Handle) or target != source:
        return Answer.NO
    if call.size == 0:
        return May("no-unified-bytes") if to == start else Answer.NO
    return Must("overlap-is-an-error") if abs(to - start) < call.size else Answer.NO


@rules.clause("clEnqueueMemcpyINTEL/usage/2", "clEnqueueMemcpyINTEL/usage/3")
def copied_across_contexts(call: Call, model: Model) -> bool:
    """dst_ptr or src_ptr points into an allocation of a different context than command_queue."""
    owner = model.get(Queue, call.command_queue).context
    found = [allocation(value, model) for value in (call.dst_ptr, call.src_ptr)]
    return any(memory is not None and memory.context is not owner for memory in found)


@rules.clause("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1", "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1")
def no_region_of_shared_memory(call: Call, model: Model) -> Reply:
    """ptr and size do not describe a valid region.

    The document does not specify which regions are valid. A pointer that the device must not access makes the call
    undefined.
    """
    memory = allocation(call.ptr, model)
    if memory is None and call.ptr is not None and not _shared_with_the_host(call, model):
        return Answer.UNDEFINED
    if memory is not None and memory.context is not model.get(Queue, call.command_queue).context:
        return Answer.UNDEFINED
    return May("region-for-a-hint")


@rules.clause("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2")
def migrated_in_no_known_way(call: Call, model: Model) -> Reply:
    """flags is 0, contains a bit that is not a migration flag, or contains flags that exclude each other."""
    if call.flags == 0:
        return Answer.MUST
    if call.flags & model.value("CL_MIGRATE_MEM_OBJECT_HOST"):
        reply = flags_not_valid(call.flags, "cl_mem_migration_flags", call, model)
        return May("migrated-to-the-host") if reply is Answer.NO else reply
    return flags_not_valid(call.flags, "cl_mem_migration_flags", call, model)


@rules.clause("clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/2")
def advice_not_supported(call: Call, model: Model) -> Reply:
    """advice is not supported by the device of command_queue; the error is optional."""
    del call, model
    return May("advice-of-nobody")


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


def _device(call: Call, model: Model) -> Device:
    device = model.get(Queue, call.command_queue).device
    if device is None:
        raise UnknownError("device")
    return device


def _out_of_reach(value: object, call: Call, model: Model) -> bool:
    """Return whether it is not guaranteed that the queue's device can access the memory that a pointer refers to."""
    memory = model.known(base_and_offset(value)[0])
    if not isinstance(memory, ContextObject):
        return True
    foreign = isinstance(memory, UsmAllocation) and memory.context is not model.get(Queue, call.command_queue).context
    return foreign or not usable_by(memory, _device(call, model), model)


def _shared_with_the_host(call: Call, model: Model) -> bool:
    """Return whether the queue's device reports that it can access the host memory at ptr directly."""
    memory = model.known(base_and_offset(call.ptr)[0])
    return memory is not None and usable_by(memory, _device(call, model), model)


SPACES = ("CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ADDRESS_CONSTANT")
"""Address spaces of arguments that accept a pointer."""


@rules.clause("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_INDEX/1")
def no_argument_for_a_pointer(call: Call, model: Model) -> Reply:
    """arg_index is not less than the number of arguments of kernel.

    The error is also allowed for an argument that does not accept such a pointer.
    """
    arguments = arguments_of(call.kernel, model)
    if call.arg_index >= len(arguments):
        return Answer.MUST
    return Answer.NO if arguments[call.arg_index].address in SPACES else May("argument-of-no-kind")


@rules.clause("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1")
def no_pointer_for_the_argument(call: Call, model: Model) -> Reply:
    """The argument is not a pointer to global or constant memory, or arg_value does not point into an allocation."""
    arguments = arguments_of(call.kernel, model)
    if call.arg_index >= len(arguments):
        return May("argument-of-no-kind")
    if arguments[call.arg_index].address not in SPACES:
        return May("argument-of-no-kind") if call.arg_value is None else Must("only-global-or-constant")
    if call.arg_value is None:
        return Answer.NO
    base, offset = base_and_offset(call.arg_value)
    if model.known(base) is None:
        return Answer.UNDEFINED
    memory = allocation(call.arg_value, model)
    kernel = model.get(Kernel, call.kernel)
    if memory is not None and offset < memory.size:
        return Answer.NO if memory.context is kernel.context else May("memory-of-another-context")
    devices = kernel.context.devices if kernel.context is not None else []
    return Answer.NO if devices and all(each.number(SYSTEM) for each in devices) else May("unknown-pointer")
