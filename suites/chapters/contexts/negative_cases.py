"""Creation, termination and destructor callbacks of contexts (4.4): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, HostCallback, OutputBuffer
from clconform.suites.chapters.contexts.valid_calls import create_terminable
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.contexts import PLATFORM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

SYNC, TERMINABLE = "CL_CONTEXT_INTEROP_USER_SYNC", "CL_CONTEXT_TERMINATE_KHR"
INITIALIZE = "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
UNKNOWN_NAMES = (1, 0x7777, (1 << 31) - 1)
"""Property names that are not in the registry."""
UNKNOWN_TYPE_BITS = (20, 31, 32, 63)
"""Bits that do not denote a device type in the registry."""
TYPES = ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL")
variations = VariationRegistry()

# lists of properties


@variations.declare("clCreateContext/CL_INVALID_PROPERTY/1", "clCreateContextFromType/CL_INVALID_PROPERTY/1")
def invalid_lists() -> Iterator[Variation]:
    """Yield unknown names, repeated names, and values that a property does not allow."""
    for name in UNKNOWN_NAMES:
        yield Variation(f"name {name:#x}", _with_properties(name, 1))
    yield Variation("CL_QUEUE_SIZE", _with_properties("CL_QUEUE_SIZE", 1))
    yield Variation("an unknown name after a valid one", _with_properties(SYNC, 0, 0x7777, 1))
    yield Variation("CL_CONTEXT_PLATFORM twice", _with_platform_twice)
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC twice, same value", _with_properties(SYNC, 1, SYNC, 1))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC twice, different values", _with_properties(SYNC, 1, SYNC, 0))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=2", _with_properties(SYNC, 2))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=-1", _with_properties(SYNC, -1))
    yield Variation("CL_CONTEXT_MEMORY_INITIALIZE_KHR=unknown bit", _with_properties(INITIALIZE, 1 << 20))
    yield Variation(
        "CL_CONTEXT_MEMORY_INITIALIZE_KHR=all bits and an unknown bit", _with_properties(INITIALIZE, 1 << 20 | 3)
    )


@variations.declare("clCreateContext/CL_INVALID_PLATFORM/1", "clCreateContextFromType/CL_INVALID_PLATFORM/1")
def invalid_platforms() -> Iterator[Variation]:
    """Yield NULL in the property list as the platform, as a pointer and as the number 0."""
    yield Variation("platform=NULL", bind_values(_with_null_platform, None))
    yield Variation("platform=0", bind_values(_with_null_platform, 0))


@variations.declare("clCreateContext/success", "clCreateContextFromType/success")
def valid_lists() -> Iterator[Variation]:
    """Yield valid context creation calls: each property with each valid value, unusual valid lists, and callbacks.

    The unusual lists are NULL, empty, or have elements after the terminator.
    """
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=0", _with_properties(SYNC, 0))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=1", _with_properties(SYNC, 1))
    yield Variation("CL_CONTEXT_TERMINATE_KHR=0", _with_properties(TERMINABLE, 0))
    yield Variation("CL_CONTEXT_TERMINATE_KHR=1", _with_properties(TERMINABLE, 1))
    for kinds in range(4):
        yield Variation(f"CL_CONTEXT_MEMORY_INITIALIZE_KHR={kinds}", _with_properties(INITIALIZE, kinds))
    yield Variation("every property", _with_properties(SYNC, 1, TERMINABLE, 1, INITIALIZE, 3))
    for shared in ("CL_CONTEXT_D3D10_DEVICE_KHR", "CL_GL_CONTEXT_KHR"):
        yield Variation(f"{shared}=NULL", _with_properties(shared, 0))
    yield Variation("properties=NULL", {"properties": None})
    yield Variation("an empty property list", {"properties": ElementList((0,))})
    yield Variation("elements after the terminator", _with_elements_after_terminator)
    yield Variation("pfn_notify with user_data", {"pfn_notify": HostCallback("an error"), "user_data": 1})
    yield Variation("pfn_notify without user_data", {"pfn_notify": HostCallback("an error")})


def _with_properties(*elements: str | int) -> Difference:
    """Return the argument changes that pass these properties after the platform."""
    return lambda kit, _given: {"properties": kit.context_properties(*elements)}


def _with_platform_twice(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"properties": kit.context_properties(PLATFORM, kit.cl.platform)}


def _with_null_platform(kit: Kit, _given: Arguments, null: int | None) -> Mapping[str, Value]:
    return {"properties": ElementList((kit.constant(PLATFORM), null, 0))}


def _with_elements_after_terminator(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Add elements after the terminator of the list."""
    return {"properties": ElementList((*kit.context_properties().values, 0x7777, 1, 0))}


# clCreateContext


@variations.declare("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1")
def unavailable_devices() -> Iterator[Variation]:
    """Yield devices that are not available, according to CL_DEVICE_AVAILABLE."""
    yield Variation("an unavailable device", lambda kit, _given: _with_devices(kit.unavailable_device))
    yield Variation(
        "an unavailable device after an available one",
        lambda kit, _given: _with_devices(kit.cl.device, kit.unavailable_device),
    )


@variations.declare("clCreateContext/CL_INVALID_PROPERTY/3")
def devices_without_termination() -> Iterator[Variation]:
    """Yield the termination property for a device that does not support termination."""
    yield Variation("a device that does not support termination", _with_device_without_termination)


def _with_device_without_termination(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    able = kit.cl.fact("CL_DEVICE_TERMINATE_CAPABILITY_KHR", kit.other_available_device)
    skip_unless(able == 0, "every device supports termination")
    return {
        "properties": kit.context_properties(TERMINABLE, 1),
        **_with_devices(kit.cl.device, kit.other_available_device),
    }


@variations.declare("clCreateContext/success")
def valid_devices() -> Iterator[Variation]:
    """Yield device lists: one device, several devices, repeated devices, and sub-devices."""
    yield Variation("the device twice", lambda kit, _given: _with_devices(kit.cl.device, kit.cl.device))
    yield Variation("a device many times", lambda kit, _given: _with_devices(*[kit.cl.device] * 16))
    yield Variation("another device", lambda kit, _given: _with_devices(kit.other_available_device))
    yield Variation("two devices", lambda kit, _given: _with_devices(kit.cl.device, kit.other_available_device))
    yield Variation(
        "two devices, reversed", lambda kit, _given: _with_devices(kit.other_available_device, kit.cl.device)
    )
    yield Variation("a sub-device", lambda kit, _given: _with_devices(create_sub_device(kit.cl, CORE_ENTRY)))
    yield Variation(
        "a sub-device and its parent",
        lambda kit, _given: _with_devices(create_sub_device(kit.cl, CORE_ENTRY), kit.cl.device),
    )
    yield Variation("num_devices less than the length of the list", _with_first_of_two_devices)


def _with_devices(*chosen: Handle) -> Mapping[str, Value]:
    return {"num_devices": len(chosen), "devices": ElementList(chosen)}


def _with_first_of_two_devices(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"num_devices": 1, "devices": ElementList((kit.cl.device, kit.other_available_device))}


# clCreateContextFromType


@variations.declare("clCreateContextFromType/CL_INVALID_DEVICE_TYPE/1")
def invalid_types() -> Iterator[Variation]:
    """Yield a device type without bits, and bits that are not in the registry."""
    yield Variation("device_type=0", {"device_type": 0})
    for bit in UNKNOWN_TYPE_BITS:
        yield Variation(f"bit {bit}", {"device_type": 1 << bit})
        yield Variation(f"the device's type and bit {bit}", bind_values(_with_bit, bit))
    yield Variation("device_type=all 64 bits", {"device_type": (1 << 64) - 1})


@variations.declare("clCreateContextFromType/CL_DEVICE_NOT_FOUND/1")
def missing_types() -> Iterator[Variation]:
    """Yield a device type that the platform's devices do not have."""
    yield Variation("a device type that no device has", _with_missing_type)


@variations.declare("clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1")
def types_of_unavailable_devices() -> Iterator[Variation]:
    """Yield the type of an unavailable device."""
    yield Variation("a device type of unavailable devices only", _with_type_of_unavailable_device)


@variations.declare("clCreateContextFromType/success")
def valid_types() -> Iterator[Variation]:
    """Yield every device type."""
    for name in TYPES:
        yield Variation(f"CL_DEVICE_TYPE_{name}", bind_values(_with_type, name))
    yield Variation("properties=NULL, CL_DEVICE_TYPE_DEFAULT", {"properties": None, "device_type": 1})


def _with_bit(_kit: Kit, given: Arguments, bit: int) -> Mapping[str, Value]:
    known = given["device_type"]
    return {"device_type": (known if isinstance(known, int) else 0) | 1 << bit}


def _with_type(kit: Kit, _given: Arguments, name: str) -> Mapping[str, Value]:
    return {"device_type": kit.constant(f"CL_DEVICE_TYPE_{name}")}


def _with_type_of_unavailable_device(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"device_type": kit.cl.fact("CL_DEVICE_TYPE", kit.unavailable_device)}


def _with_missing_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    every = {kit.constant(f"CL_DEVICE_TYPE_{name}") for name in TYPES[:3]}
    free = every - {kit.cl.fact("CL_DEVICE_TYPE", device) for device in kit.cl.devices}
    skip_unless(free, "the platform has devices of every type")
    return {"device_type": min(free)}


# clTerminateContextKHR, clSetContextDestructorCallback


@variations.declare("clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1")
def terminated_contexts() -> Iterator[Variation]:
    """Yield a context that was terminated."""
    yield Variation("already terminated", _with_terminated_context)


@variations.declare("clTerminateContextKHR/CL_INVALID_OPERATION/1")
def contexts_without_termination() -> Iterator[Variation]:
    """Yield contexts that were created without termination enabled."""
    yield Variation("created without properties", bind_values(_with_context_properties, None))
    yield Variation("created with CL_CONTEXT_TERMINATE_KHR=0", bind_values(_with_context_properties, (TERMINABLE, 0)))


@variations.declare("clTerminateContextKHR/success")
def contexts_in_use() -> Iterator[Variation]:
    """Yield a context with a command that is waiting."""
    yield Variation("while a command waits", _with_waiting_command)


@variations.declare("clSetContextDestructorCallback/success")
def destructor_callbacks() -> Iterator[Variation]:
    """Yield a callback with user data, and a second callback for the same context."""
    yield Variation("user_data", {"user_data": 1})
    yield Variation("a second callback", _with_second_callback)


def _with_terminated_context(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    context = create_terminable(kit)
    kit.cl.clTerminateContextKHR(context)
    return {"context": context}


def _with_context_properties(
    kit: Kit, _given: Arguments, elements: tuple[str | int, ...] | None
) -> Mapping[str, Value]:
    chosen = None if elements is None else kit.context_properties(*elements)
    return {
        "context": require_handle(
            kit.cl.clCreateContext(chosen, 1, ElementList((kit.cl.device,)), None, None, OutputBuffer(1))
        )
    }


def _with_waiting_command(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return a context with a waiting command. The command waits for a user event that is never set."""
    context = create_terminable(kit)
    busy = kit.for_context(context)
    event = busy.user_event()
    kit.cl.clEnqueueMarkerWithWaitList(busy.queue, 1, ElementList((event,)), OutputBuffer(1))
    return {"context": context}


def _with_second_callback(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    first = {"context": given["context"], "pfn_notify": HostCallback("the context ends"), "user_data": None}
    kit.cl.call(Call("clSetContextDestructorCallback", first))
    return {"pfn_notify": HostCallback("the context ends as well")}
