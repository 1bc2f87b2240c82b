"""Creation, termination and destructor callbacks of contexts (4.4): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, Items, OutputBuffer
from clconform.suites.chapters.contexts.valid_calls import terminable
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.contexts import PLATFORM
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.variations import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

SYNC, TERMINABLE = "CL_CONTEXT_INTEROP_USER_SYNC", "CL_CONTEXT_TERMINATE_KHR"
INITIALIZE = "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
NOBODYS_NAMES = (1, 0x7777, (1 << 31) - 1)
"""Property names that are not in the registry."""
NOBODYS_TYPES = (20, 31, 32, 63)
"""Bits of a device type that are not in the registry."""
TYPES = ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL")
variations = Variations()

# lists of properties


@variations.of("clCreateContext/CL_INVALID_PROPERTY/1", "clCreateContextFromType/CL_INVALID_PROPERTY/1")
def invalid_lists() -> Iterator[Variation]:
    """Yield unknown names, repeated names, and values that a property does not allow."""
    for name in NOBODYS_NAMES:
        yield Variation(f"name {name:#x}", _properties(name, 1))
    yield Variation("CL_QUEUE_SIZE", _properties("CL_QUEUE_SIZE", 1))
    yield Variation("an unknown name after a valid one", _properties(SYNC, 0, 0x7777, 1))
    yield Variation("CL_CONTEXT_PLATFORM twice", _platform_twice)
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC twice, same value", _properties(SYNC, 1, SYNC, 1))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC twice, different values", _properties(SYNC, 1, SYNC, 0))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=2", _properties(SYNC, 2))
    yield Variation("CL_CONTEXT_MEMORY_INITIALIZE_KHR=unknown bit", _properties(INITIALIZE, 1 << 20))
    yield Variation(
        "CL_CONTEXT_MEMORY_INITIALIZE_KHR=all bits and an unknown bit", _properties(INITIALIZE, 1 << 20 | 3)
    )


@variations.of("clCreateContext/CL_INVALID_PLATFORM/1", "clCreateContextFromType/CL_INVALID_PLATFORM/1")
def invalid_platforms() -> Iterator[Variation]:
    """Yield NULL as the platform, as a pointer and as a number."""
    yield Variation("platform=NULL", bound(_no_platform, None))
    yield Variation("platform=0", bound(_no_platform, 0))


@variations.of("clCreateContext/success", "clCreateContextFromType/success")
def valid_lists() -> Iterator[Variation]:
    """Yield each property with each of its values, lists with elements after the terminator, and callbacks."""
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=0", _properties(SYNC, 0))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC=1", _properties(SYNC, 1))
    yield Variation("CL_CONTEXT_TERMINATE_KHR=0", _properties(TERMINABLE, 0))
    yield Variation("CL_CONTEXT_TERMINATE_KHR=1", _properties(TERMINABLE, 1))
    for kinds in range(4):
        yield Variation(f"CL_CONTEXT_MEMORY_INITIALIZE_KHR={kinds}", _properties(INITIALIZE, kinds))
    yield Variation("every property", _properties(SYNC, 1, TERMINABLE, 1, INITIALIZE, 3))
    for shared in ("CL_CONTEXT_D3D10_DEVICE_KHR", "CL_GL_CONTEXT_KHR"):
        yield Variation(f"{shared}=NULL", _properties(shared, 0))
    yield Variation("properties=NULL", {"properties": None})
    yield Variation("an empty property list", {"properties": Items((0,))})
    yield Variation("elements after the terminator", _beyond_the_end)
    yield Variation("pfn_notify with user_data", {"pfn_notify": Callback("an error"), "user_data": 1})
    yield Variation("pfn_notify without user_data", {"pfn_notify": Callback("an error")})


def _properties(*elements: str | int) -> Difference:
    """Return the difference that lists these properties after the platform."""
    return lambda kit, _given: {"properties": kit.context_properties(*elements)}


def _platform_twice(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"properties": kit.context_properties(PLATFORM, kit.cl.platform)}


def _no_platform(kit: Kit, _given: Arguments, null: int | None) -> Mapping[str, Value]:
    return {"properties": Items((kit.value(PLATFORM), null, 0))}


def _beyond_the_end(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Add elements after the terminator of the list."""
    return {"properties": Items((*kit.context_properties().values, 0x7777, 1, 0))}


# clCreateContext


@variations.of("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1")
def devices_away() -> Iterator[Variation]:
    """Yield devices that are not available."""
    yield Variation("an unavailable device", lambda kit, _given: _devices(kit.unavailable_device))
    yield Variation(
        "an unavailable device after an available one",
        lambda kit, _given: _devices(kit.cl.device, kit.unavailable_device),
    )


@variations.of("clCreateContext/CL_INVALID_PROPERTY/3")
def devices_not_to_be_terminated() -> Iterator[Variation]:
    """Yield the termination property for devices that do not all support termination."""
    yield Variation("a device that does not support termination", _not_all_terminable)


def _not_all_terminable(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    able = kit.cl.fact("CL_DEVICE_TERMINATE_CAPABILITY_KHR", kit.another_device)
    needs(able == 0, "every device supports termination")
    return {"properties": kit.context_properties(TERMINABLE, 1), **_devices(kit.cl.device, kit.another_device)}


@variations.of("clCreateContext/success")
def valid_devices() -> Iterator[Variation]:
    """Yield device lists: one device, several devices, repeated devices, and sub-devices."""
    yield Variation("the device twice", lambda kit, _given: _devices(kit.cl.device, kit.cl.device))
    yield Variation("a device many times", lambda kit, _given: _devices(*[kit.cl.device] * 16))
    yield Variation("another device", lambda kit, _given: _devices(kit.another_device))
    yield Variation("two devices", lambda kit, _given: _devices(kit.cl.device, kit.another_device))
    yield Variation("two devices, reversed", lambda kit, _given: _devices(kit.another_device, kit.cl.device))
    yield Variation("a sub-device", lambda kit, _given: _devices(part(kit.cl, CORE_ENTRY)))
    yield Variation(
        "a sub-device and its parent", lambda kit, _given: _devices(part(kit.cl, CORE_ENTRY), kit.cl.device)
    )
    yield Variation("num_devices less than the length of the list", _first_of_two)


def _devices(*chosen: Handle) -> Mapping[str, Value]:
    return {"num_devices": len(chosen), "devices": Items(chosen)}


def _first_of_two(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"num_devices": 1, "devices": Items((kit.cl.device, kit.another_device))}


# clCreateContextFromType


@variations.of("clCreateContextFromType/CL_INVALID_DEVICE_TYPE/1")
def invalid_types() -> Iterator[Variation]:
    """Yield an empty type, and bits that are not in the registry."""
    yield Variation("device_type=0", {"device_type": 0})
    for bit in NOBODYS_TYPES:
        yield Variation(f"bit {bit}", {"device_type": 1 << bit})
        yield Variation(f"the device's type and bit {bit}", bound(_with_bit, bit))
    yield Variation("device_type=all 64 bits", {"device_type": (1 << 64) - 1})


@variations.of("clCreateContextFromType/CL_DEVICE_NOT_FOUND/1")
def types_of_nobody() -> Iterator[Variation]:
    """Yield a type that no device of the platform has."""
    yield Variation("a device type that no device has", _type_of_nobody)


@variations.of("clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1")
def types_of_devices_away() -> Iterator[Variation]:
    """Yield the type of an unavailable device."""
    yield Variation("a device type of unavailable devices only", _type_of_one_away)


@variations.of("clCreateContextFromType/success")
def valid_types() -> Iterator[Variation]:
    """Yield every device type."""
    for name in TYPES:
        yield Variation(f"CL_DEVICE_TYPE_{name}", bound(_type, name))
    yield Variation("properties=NULL, CL_DEVICE_TYPE_DEFAULT", {"properties": None, "device_type": 1})


def _with_bit(_kit: Kit, given: Arguments, bit: int) -> Mapping[str, Value]:
    known = given["device_type"]
    return {"device_type": (known if isinstance(known, int) else 0) | 1 << bit}


def _type(kit: Kit, _given: Arguments, name: str) -> Mapping[str, Value]:
    return {"device_type": kit.value(f"CL_DEVICE_TYPE_{name}")}


def _type_of_one_away(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"device_type": kit.cl.fact("CL_DEVICE_TYPE", kit.unavailable_device)}


def _type_of_nobody(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    every = {kit.value(f"CL_DEVICE_TYPE_{name}") for name in TYPES[:3]}
    free = every - {kit.cl.fact("CL_DEVICE_TYPE", device) for device in kit.cl.devices}
    needs(free, "the platform has devices of every type")
    return {"device_type": min(free)}


# clTerminateContextKHR, clSetContextDestructorCallback


@variations.of("clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1")
def terminated_contexts() -> Iterator[Variation]:
    """Yield a context that was terminated."""
    yield Variation("already terminated", _terminated_before)


@variations.of("clTerminateContextKHR/CL_INVALID_OPERATION/1")
def contexts_not_to_be_terminated() -> Iterator[Variation]:
    """Yield contexts that were created without termination enabled."""
    yield Variation("created without properties", bound(_made_with, None))
    yield Variation("created with CL_CONTEXT_TERMINATE_KHR=0", bound(_made_with, (TERMINABLE, 0)))


@variations.of("clTerminateContextKHR/success")
def contexts_in_use() -> Iterator[Variation]:
    """Yield a context with a waiting command."""
    yield Variation("while a command waits", _busy)


@variations.of("clSetContextDestructorCallback/success")
def callbacks() -> Iterator[Variation]:
    """Yield user data, and a second callback."""
    yield Variation("user_data", {"user_data": 1})
    yield Variation("a second callback", _registered_before)


def _terminated_before(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    context = terminable(kit)
    kit.cl.clTerminateContextKHR(context)
    return {"context": context}


def _made_with(kit: Kit, _given: Arguments, elements: tuple[str | int, ...] | None) -> Mapping[str, Value]:
    chosen = None if elements is None else kit.context_properties(*elements)
    return {"context": one(kit.cl.clCreateContext(chosen, 1, Items((kit.cl.device,)), None, None, OutputBuffer(1)))}


def _busy(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return a context with a command that waits for an event that never completes."""
    context = terminable(kit)
    busy = kit.within(context)
    event = busy.user_event()
    kit.cl.clEnqueueMarkerWithWaitList(busy.queue, 1, Items((event,)), OutputBuffer(1))
    return {"context": context}


def _registered_before(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    kit.cl.clSetContextDestructorCallback(given["context"], Callback("the context ends"), None)
    return {"pfn_notify": Callback("the context ends as well")}
