"""Unified shared memory that cannot be allocated or freed: types that nobody has, sizes, alignments and properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.contents.unified import ALLOCATED_BY, CROSS, allocation, supports
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import NullError, UnknownError
from clconform.oracles.model.pointed_memory import SharedAllocation
from clconform.oracles.recurring.alignment import LONG16, largest_type
from clconform.oracles.recurring.contexts import association
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
"""Names of properties that the document thinks of adding, or that another extension adds: memory flags, a location."""


@rules.clause("clSharedMemAllocINTEL/CL_INVALID_DEVICE/1")
def shared_with_no_device_of_the_context(call: Call, model: Model) -> Reply:
    """A device is given, and it is no valid one, or not one that the context knows."""
    if call.device is None:
        return Answer.NO
    reply = valid_object(call.device, "cl_device_id", model)
    return association(model.context(call.context), model.device(call.device)) if reply is Answer.NO else reply


@rules.clause(*(f"{function}/CL_INVALID_OPERATION/1" for function in ALLOCATED_BY))
def nobody_has_the_type(call: Call, model: Model) -> Reply:
    """The device that is named has no memory of this type; or no device of the context, where none is named."""
    kind = ALLOCATED_BY[call.function]
    devices = devices_of(call, model)
    if not any(supports(device, kind) for device in devices):
        return Answer.MUST
    lonely = kind is SharedAllocation and call.device is None and not any(device.number(CROSS) for device in devices)
    return May("shared-by-no-two") if lonely else Answer.NO


@rules.clause(*(f"{function}/CL_INVALID_VALUE/1" for function in ALLOCATED_BY))
def no_power_of_two(call: Call, model: Model) -> Reply:
    """The alignment is neither zero nor a power of two."""
    del model
    return bool(call.alignment & (call.alignment - 1))


@rules.clause(*(f"{function}/CL_INVALID_VALUE/2" for function in ALLOCATED_BY))
def aligned_beyond_the_largest_type(call: Call, model: Model) -> Reply:
    """The alignment is more than the size of the largest data type of the devices that the memory is for."""
    devices = supporting(call, model)
    if call.alignment > LONG16:
        return Must("more-than-the-document-has") if devices else May("type-of-no-device")
    return May("largest-type") if call.alignment > largest_type(devices) else Answer.NO


@rules.clause(*(f"{function}/CL_INVALID_PROPERTY/1" for function in ALLOCATED_BY))
def properties_not_valid(call: Call, model: Model) -> Reply:
    """A property has a name that is not known, stands there twice, or has a value that is not valid."""
    if placed_wrongly(call, model):
        return May("placement-as-a-value")
    listed = read_list(call.properties) or []
    if any(name in NAMES_THAT_MAY_COME for name, _ in listed):
        return May("property-of-elsewhere")
    reply = list_not_valid(call, "properties", model, once=True)
    return May("flags-of-none") if reply is Answer.NO and (model.value(FLAGS), 0) in listed else reply


@rules.clause(*(f"{function}/CL_INVALID_PROPERTY/2" for function in ALLOCATED_BY))
def placed_wrongly(call: Call, model: Model) -> bool:
    """A place is asked for that the memory is to be in at first, and it is not shared; or both places at once."""
    most = 1 if call.function == "clSharedMemAllocINTEL" else 0
    flags = [value for name, value in read_list(call.properties) or () if name == model.value(FLAGS)]
    asked = [[name for name in PLACEMENTS if isinstance(bits, int) and bits & model.value(name)] for bits in flags]
    return any(len(places) > most for places in asked)


@rules.clause(*(f"{function}/CL_INVALID_BUFFER_SIZE/1" for function in ALLOCATED_BY))
def empty_or_too_large(call: Call, model: Model) -> Reply:
    """Nothing is asked for, or more than a device gives to a single object."""
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
    """The pointer is neither NULL nor where an allocation begins; what was freed before is never given."""
    if call.ptr is None:
        return Answer.NO
    if isinstance(call.ptr, Handle) and model.known(call.ptr) is None:
        return Answer.UNDEFINED
    memory = allocation(call.ptr, model)
    if memory is None or not isinstance(call.ptr, Handle):
        return Answer.MUST
    return May("memory-of-another-context") if memory.context is not model.known(call.context) else Answer.NO


def devices_of(call: Call, model: Model) -> list[Device]:
    """Return the devices that memory is allocated for; UnknownError where they are not known, NullError for NULL."""
    if call.arguments.get("device") is not None:
        return [model.device(call.device)]
    if call.context is None:
        raise NullError("NULL")
    context = model.known(call.context)
    if not isinstance(context, Context) or not context.devices:
        raise UnknownError("devices")
    return context.devices


def supporting(call: Call, model: Model) -> list[Device]:
    """Return those of the devices that have memory of the type."""
    return [device for device in devices_of(call, model) if supports(device, ALLOCATED_BY[call.function])]
