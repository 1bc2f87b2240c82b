"""Contexts made, retained and terminated (section 4.4): right calls and what can be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, Items, Room
from clconform.suites.errors.changes import bound, change
from clconform.suites.errors.controls import control
from clconform.suites.partition.cases import part
from clconform.suites.partition.entries import CORE_ENTRY
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

MAKE, BY_TYPE = "clCreateContext", "clCreateContextFromType"
TERMINATE, CALLBACK = "clTerminateContextKHR", "clSetContextDestructorCallback"
PLATFORM, SYNC = "CL_CONTEXT_PLATFORM", "CL_CONTEXT_INTEROP_USER_SYNC"
TERMINABLE, INITIALIZE = "CL_CONTEXT_TERMINATE_KHR", "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
NOBODYS_NAMES = (1, 0x7777, (1 << 31) - 1)
"""Names of properties that no registry gives out."""
NOBODYS_BITS = (20, 31, 32, 63)
"""Bits of a device type that no registry gives out."""
TYPES = ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL")


def listed(bench: Bench, *elements: str | int | Handle) -> Items:
    """Return a list of properties: names stand for their values, and the platform is added at the front."""
    values = [bench.value(each) if isinstance(each, str) else each for each in elements]
    return Items((bench.value(PLATFORM), bench.cl.platform, *values, 0))


@control(MAKE)
def context(bench: Bench) -> Arguments:
    """Make a context of the device under test, on the platform of that device."""
    return {"properties": listed(bench), "num_devices": 1, "devices": Items((bench.cl.device,))}


@control(BY_TYPE)
def context_of_a_type(bench: Bench) -> Arguments:
    """Make a context of the type that the device under test has."""
    return {"properties": listed(bench), "device_type": bench.cl.fact("CL_DEVICE_TYPE") or 0}


@control("clRetainContext")
def retained(bench: Bench) -> Arguments:
    """Retain a context."""
    return {"context": bench.context}


@control("clReleaseContext")
def released(bench: Bench) -> Arguments:
    """Release a context that has one reference."""
    return {"context": bench.new_context()}


def terminable(bench: Bench) -> Handle:
    """Make a context that can be terminated."""
    properties = listed(bench, TERMINABLE, 1)
    return one(bench.cl.clCreateContext(properties, 1, Items((bench.cl.device,)), None, None, Room(1)))


@control(TERMINATE)
def terminated(bench: Bench) -> Arguments:
    """Terminate a context that was made to be terminated."""
    return {"context": terminable(bench)}


@control(CALLBACK)
def callback(bench: Bench) -> Arguments:
    """Register a callback for the context's end."""
    return {"context": bench.context, "pfn_notify": Callback("the context ends")}


def properties(*elements: str | int) -> Difference:
    """Return the change that another list of properties makes, behind the platform."""
    return lambda bench, _given: {"properties": listed(bench, *elements)}


def twice(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
    """Name the platform twice."""
    return {"properties": listed(bench, PLATFORM, bench.cl.platform)}


def no_platform(bench: Bench, _given: Arguments, null: int | None) -> Mapping[str, Value]:
    """Name NULL as the platform, as a pointer or as a number."""
    return {"properties": Items((bench.value(PLATFORM), null, 0))}


def beyond_the_end(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
    """Have more stand behind the end of the list."""
    return {"properties": Items((*listed(bench).values, 0x7777, 1, 0))}


def _lists(function: str) -> None:
    not_valid, success = f"{function}/CL_INVALID_PROPERTY/1", f"{function}/success"
    for name in NOBODYS_NAMES:
        change(not_valid, f"name {name:#x}", properties(name, 1))
    change(not_valid, "a queue's name", properties("CL_QUEUE_SIZE", 1))
    change(not_valid, "a name of nobody's behind a good one", properties(SYNC, 0, 0x7777, 1))
    change(not_valid, "the platform twice", twice)
    change(not_valid, "yes twice", properties(SYNC, 1, SYNC, 1))
    change(not_valid, "yes and no", properties(SYNC, 1, SYNC, 0))
    change(not_valid, "neither yes nor no", properties(SYNC, 2))
    change(not_valid, "memory of no kind", properties(INITIALIZE, 1 << 20))
    change(not_valid, "memory of all kinds and of no kind", properties(INITIALIZE, 1 << 20 | 3))
    change(f"{function}/CL_INVALID_PLATFORM/1", "platform=NULL", bound(no_platform, None))
    change(f"{function}/CL_INVALID_PLATFORM/1", "platform=0", bound(no_platform, 0))
    change(success, "synchronized by OpenCL", properties(SYNC, 0))
    change(success, "synchronized by the user", properties(SYNC, 1))
    change(success, "not to be terminated", properties(TERMINABLE, 0))
    change(success, "to be terminated", properties(TERMINABLE, 1))
    for kinds in range(4):
        change(success, f"memory to initialize: {kinds}", properties(INITIALIZE, kinds))
    change(success, "every property", properties(SYNC, 1, TERMINABLE, 1, INITIALIZE, 3))
    for shared in ("CL_CONTEXT_D3D10_DEVICE_KHR", "CL_GL_CONTEXT_KHR"):
        change(success, f"{shared}=NULL", properties(shared, 0))
    change(success, "properties=NULL", {"properties": None})
    change(success, "an empty list", {"properties": Items((0,))})
    change(success, "more behind the end", beyond_the_end)
    change(success, "a callback", {"pfn_notify": Callback("an error"), "user_data": 1})
    change(success, "a callback without data", {"pfn_notify": Callback("an error")})
    change(success, "no code asked for", {"errcode_ret": None})


def devices(*chosen: Handle) -> Mapping[str, Value]:
    """Return other devices, and their number."""
    return {"num_devices": len(chosen), "devices": Items(chosen)}


def away(bench: Bench) -> Handle:
    """Return a root device that says that it is not available."""
    cl = bench.cl
    gone = [device for device in cl.devices if cl.fact("CL_DEVICE_AVAILABLE", device) == 0]
    needs(gone, "every device is available")
    return gone[0]


def of_type_of(bench: Bench, device: Handle) -> Handle:
    """Make a context of the type that a device has."""
    kind = bench.cl.fact("CL_DEVICE_TYPE", device) or 0
    return one(bench.cl.clCreateContextFromType(listed(bench), kind, None, None, Room(1)))


def another(bench: Bench) -> Handle:
    """Return another root device that is available."""
    cl = bench.cl
    others = [device for device in cl.devices if device != cl.device and cl.fact("CL_DEVICE_AVAILABLE", device)]
    needs(others, "the platform has one device only that is available")
    return others[0]


def _devices() -> None:
    gone, success = f"{MAKE}/CL_DEVICE_NOT_AVAILABLE/1", f"{MAKE}/success"
    change(gone, "a device that is away", lambda bench, _given: devices(away(bench)))
    change(gone, "a device that is away behind another", lambda bench, _given: devices(bench.cl.device, away(bench)))
    change(success, "the device twice", lambda bench, _given: devices(bench.cl.device, bench.cl.device))
    change(success, "a device many times", lambda bench, _given: devices(*[bench.cl.device] * 16))
    change(success, "another device", lambda bench, _given: devices(another(bench)))
    change(success, "two devices", lambda bench, _given: devices(bench.cl.device, another(bench)))
    change(success, "two devices, the other way round", lambda bench, _given: devices(another(bench), bench.cl.device))
    change(success, "a sub-device", lambda bench, _given: devices(part(bench.cl, CORE_ENTRY)))
    change(success, "a sub-device and its parent", lambda bench, _given: _family(bench))
    change(success, "fewer devices than stand in the list", lambda bench, _given: _first_of_two(bench))


def _family(bench: Bench) -> Mapping[str, Value]:
    return devices(part(bench.cl, CORE_ENTRY), bench.cl.device)


def _first_of_two(bench: Bench) -> Mapping[str, Value]:
    return {"num_devices": 1, "devices": Items((bench.cl.device, another(bench)))}


def _types() -> None:
    not_valid, success = f"{BY_TYPE}/CL_INVALID_DEVICE_TYPE/1", f"{BY_TYPE}/success"
    change(not_valid, "no bit", {"device_type": 0})
    for bit in NOBODYS_BITS:
        change(not_valid, f"bit {bit}", {"device_type": 1 << bit})
        change(not_valid, f"the device's type and bit {bit}", _with_bit(bit))
    change(not_valid, "every bit of 64", {"device_type": (1 << 64) - 1})
    for name in TYPES:
        change(success, f"devices of the type {name}", _type(name))
    change(
        f"{BY_TYPE}/CL_DEVICE_NOT_FOUND/1", "a type that no device has", lambda bench, _given: _type_of_nobody(bench)
    )
    gone = f"{BY_TYPE}/CL_DEVICE_NOT_AVAILABLE/1"
    change(gone, "a type that only devices have that are away", lambda bench, _given: _type_of(bench, away(bench)))
    change(success, "no type and no platform", {"properties": None, "device_type": 1})


def _with_bit(bit: int) -> Difference:
    def differs(_bench: Bench, given: Arguments) -> Mapping[str, Value]:
        known = given["device_type"]
        return {"device_type": (known if isinstance(known, int) else 0) | 1 << bit}

    return differs


def _type(name: str) -> Difference:
    return lambda bench, _given: {"device_type": bench.value(f"CL_DEVICE_TYPE_{name}")}


def _type_of(bench: Bench, device: Handle) -> Mapping[str, Value]:
    return {"device_type": bench.cl.fact("CL_DEVICE_TYPE", device)}


def _type_of_nobody(bench: Bench) -> Mapping[str, Value]:
    every = {bench.value(f"CL_DEVICE_TYPE_{name}") for name in TYPES[:3]}
    free = every - {bench.cl.fact("CL_DEVICE_TYPE", device) for device in bench.cl.devices}
    needs(free, "the platform has devices of every type")
    return {"device_type": min(free)}


def _endings() -> None:
    terminable_by_some = f"{MAKE}/CL_INVALID_PROPERTY/3"
    change(terminable_by_some, "a device that cannot be terminated", lambda bench, _given: _not_all(bench))
    change(f"{TERMINATE}/CL_CONTEXT_TERMINATED_KHR/1", "terminated before", lambda bench, _given: _ended(bench))
    for boundary, elements in (("made without a list", None), ("made not to be terminated", (TERMINABLE, 0))):
        refused = f"{TERMINATE}/CL_INVALID_OPERATION/1"
        change(refused, boundary, _made_with(elements))
    change(f"{TERMINATE}/success", "while a command waits", lambda bench, _given: _busy(bench))
    change(f"{CALLBACK}/success", "data", {"user_data": 1})
    change(f"{CALLBACK}/success", "a second one", _registered)


def _not_all(bench: Bench) -> Mapping[str, Value]:
    able = bench.cl.fact("CL_DEVICE_TERMINATE_CAPABILITY_KHR", another(bench))
    needs(able == 0, "every device can be terminated")
    return {"properties": listed(bench, TERMINABLE, 1), **devices(bench.cl.device, another(bench))}


def _ended(bench: Bench) -> Mapping[str, Value]:
    context = terminable(bench)
    bench.cl.clTerminateContextKHR(context)
    return {"context": context}


def _made_with(elements: tuple[str | int, ...] | None) -> Difference:
    def differs(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        chosen = None if elements is None else listed(bench, *elements)
        return {"context": one(bench.cl.clCreateContext(chosen, 1, Items((bench.cl.device,)), None, None, Room(1)))}

    return differs


def _busy(bench: Bench) -> Mapping[str, Value]:
    """Have a command of the context wait for an event that nobody will set."""
    context = terminable(bench)
    event = one(bench.cl.clCreateUserEvent(context, Room(1)))
    bench.cl.clEnqueueMarkerWithWaitList(bench.new_queue(context), 1, Items((event,)), Room(1))
    return {"context": context}


def _registered(bench: Bench, given: Arguments) -> Mapping[str, Value]:
    bench.cl.clSetContextDestructorCallback(given["context"], Callback("the context ends"), None)
    return {"pfn_notify": Callback("the context ends as well")}


for _function in (MAKE, BY_TYPE):
    _lists(_function)
_devices()
_types()
_endings()
