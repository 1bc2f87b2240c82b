"""Queues made, retained, changed and chosen as default (section 5.1): right calls and what can be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.suites.errors.changes import change
from clconform.suites.errors.contexts import another, of_type_of
from clconform.suites.errors.controls import control
from clconform.suites.partition.cases import part
from clconform.suites.partition.entries import CORE_ENTRY
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

BY_BITS, SET = "clCreateCommandQueue", "clSetCommandQueueProperty"
BY_LIST = ("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
SET_DEFAULT = "clSetDefaultDeviceCommandQueue"
BITS, SIZE = "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
OUT_OF_ORDER, PROFILING = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE"
ON_DEVICE, DEFAULT = "CL_QUEUE_ON_DEVICE", "CL_QUEUE_ON_DEVICE_DEFAULT"
NOBODYS_BITS = (4, 20, 32, 63)
"""Bits of a queue's properties that no registry gives out."""
LARGEST = "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE"


@control(BY_BITS)
def queue(bench: Bench) -> Arguments:
    """Make a queue in order, without profiling."""
    return {"context": bench.context, "device": bench.cl.device, "properties": 0}


@control(*BY_LIST)
def queue_by_a_list(bench: Bench) -> Arguments:
    """Make a queue without a list of properties."""
    return {"context": bench.context, "device": bench.cl.device}


@control("clRetainCommandQueue")
def retained(bench: Bench) -> Arguments:
    """Retain a queue."""
    return {"command_queue": bench.queue}


@control("clReleaseCommandQueue")
def released(bench: Bench) -> Arguments:
    """Release a queue that has one reference."""
    return {"command_queue": bench.new_queue(bench.context)}


@control(SET)
def profiled(bench: Bench) -> Arguments:
    """Have a queue's commands timed, where the properties of queues can be changed."""
    bits = bench.value(PROFILING)
    return {"command_queue": bench.queue, "properties": bits, "enable": 1, "old_properties": Room(1)}


@control(SET_DEFAULT)
def default(bench: Bench) -> Arguments:
    """Choose a default queue; on a device without queues of its own it is one on the host, and the device refuses."""
    made = device_queue(bench) if bench.cl.fact(LARGEST) else bench.queue
    return {"context": bench.context, "device": bench.cl.device, "command_queue": made}


def listed(bench: Bench, *elements: str | int) -> Items:
    """Return a list of properties with its end; names stand for their values, and ``A+B`` for both bits."""
    values = [bench.value(*each.split("+")) if isinstance(each, str) else each for each in elements]
    return Items((*values, 0))


def device_queue(
    bench: Bench, *elements: str | int, context: Handle | None = None, device: Handle | None = None
) -> Handle:
    """Make a queue on the device, the default one where the list says so."""
    needs(promised(bench.cl, BY_LIST[0]), "queues on the device come with 2.0")
    chosen = listed(bench, *(elements or (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}")))
    make = bench.cl.clCreateCommandQueueWithProperties
    return one(make(context or bench.context, device or bench.cl.device, chosen, Room(1)))


def _bits() -> None:
    for function, base in ((BY_BITS, 0), (SET, 2)):
        for bit in NOBODYS_BITS:
            change(f"{function}/CL_INVALID_VALUE/1", f"bit {bit}", {"properties": 1 << bit})
            change(f"{function}/CL_INVALID_VALUE/1", f"profiling and bit {bit}", {"properties": 1 << bit | 2})
        for name in (ON_DEVICE, DEFAULT):
            change(f"{function}/CL_INVALID_VALUE/1", f"{name} alone", _given_bits(base, name))
            boundary = f"{name} among others"
            change(f"{function}/CL_INVALID_VALUE/1", boundary, _given_bits(base, name, OUT_OF_ORDER, PROFILING))
        change(f"{function}/CL_INVALID_QUEUE_PROPERTIES/1", "out of order on a device in order", in_order_only)
        for boundary, names in (
            ("out of order", (OUT_OF_ORDER,)),
            ("profiling", (PROFILING,)),
            ("out of order and profiling", (OUT_OF_ORDER, PROFILING)),
        ):
            change(f"{function}/success", boundary, _supported(*names))
        change(f"{function}/success", "no property", {"properties": 0})
    change(f"{SET}/success", "disable a property", {"enable": 0})
    change(f"{SET}/success", "the old ones not asked for", {"old_properties": None})
    change(f"{SET}/CL_INVALID_OPERATION/1", "enable a property", {"enable": 1})
    change(f"{SET}/CL_INVALID_QUEUE_PROPERTIES/1", "disable what the device never had", _disabled)


def _given_bits(base: int, *names: str) -> Difference:
    return lambda bench, _given: {"properties": base | bench.value(*names)}


def _supported(*names: str) -> Difference:
    def differs(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        needs(supports(bench, *names), "the device has no such queues")
        return {"properties": bench.value(*names)}

    return differs


def in_order_only(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
    """Ask for a queue out of order, on a device that has none."""
    needs(not supports(bench, OUT_OF_ORDER), "the device has queues out of order")
    return {"properties": bench.value(OUT_OF_ORDER)}


def _disabled(bench: Bench, given: Arguments) -> Mapping[str, Value]:
    return {**in_order_only(bench, given), "enable": 0}


def supports(bench: Bench, *names: str) -> bool:
    """Tell whether queues on the host may have these properties."""
    bits = bench.value(*names)
    return bool((bench.cl.fact("CL_DEVICE_QUEUE_PROPERTIES") or 0) & bits == bits)


def _devices(function: str) -> None:
    not_of_it, success = f"{function}/CL_INVALID_DEVICE/1", f"{function}/success"
    change(not_of_it, "the parent of the context's device", lambda bench, _given: _parent(bench))
    change(not_of_it, "a part of another device", lambda bench, _given: _part_of_another(bench))
    change(not_of_it, "a part of the context's device", lambda bench, _given: {"device": part(bench.cl, CORE_ENTRY)})
    change(not_of_it, "a device of another type than the context's", lambda bench, _given: _of_another_type(bench))
    change(success, "a part in a context of its own", lambda bench, _given: _part_alone(bench))
    change(success, "the second of two devices", lambda bench, _given: _second(bench))
    change(success, "in a context of the device's type", lambda bench, _given: _of_its_type(bench))


def _parent(bench: Bench) -> Mapping[str, Value]:
    return {"context": bench.new_context(part(bench.cl, CORE_ENTRY)), "device": bench.cl.device}


def _part_of_another(bench: Bench) -> Mapping[str, Value]:
    return {"context": bench.new_context(another(bench)), "device": part(bench.cl, CORE_ENTRY)}


def _part_alone(bench: Bench) -> Mapping[str, Value]:
    device = part(bench.cl, CORE_ENTRY)
    return {"context": bench.new_context(device), "device": device}


def _second(bench: Bench) -> Mapping[str, Value]:
    return {"context": bench.new_context(bench.cl.device, another(bench)), "device": another(bench)}


def _of_its_type(bench: Bench) -> Mapping[str, Value]:
    return {"context": of_type_of(bench, bench.cl.device)}


def _of_another_type(bench: Bench) -> Mapping[str, Value]:
    other, fact = another(bench), "CL_DEVICE_TYPE"
    needs(bench.cl.fact(fact, other) != bench.cl.fact(fact), "every device that is available has the same type")
    return {"context": of_type_of(bench, other)}


def _defaults() -> None:
    refused, no_queue = f"{SET_DEFAULT}/CL_INVALID_OPERATION/1", f"{SET_DEFAULT}/CL_INVALID_COMMAND_QUEUE/1"
    change(refused, "a device whose default stays", lambda bench, _given: _lasting(bench))
    change(no_queue, "command_queue=NULL", {"command_queue": None})
    change(no_queue, "a queue on the host", lambda bench, _given: {"command_queue": bench.queue})
    change(no_queue, "a queue of another device", lambda bench, _given: _of_another_device(bench))
    change(no_queue, "a queue of another context", lambda bench, _given: _of_another_context(bench))
    no_device, success = f"{SET_DEFAULT}/CL_INVALID_DEVICE/1", f"{SET_DEFAULT}/success"
    change(no_device, "a part of the context's device", lambda bench, _given: {"device": part(bench.cl, CORE_ENTRY)})
    change(success, "in a context of the device's type", lambda bench, _given: _in_a_context_of_its_type(bench))
    change(success, "in place of the one there is", lambda bench, _given: _in_place(bench))
    change(success, "the one there is", lambda bench, _given: {"command_queue": _present(bench)})


def _present(bench: Bench) -> Handle:
    """Make the default queue, or get it once more."""
    needs(bench.cl.fact(LARGEST), "the device has no queues of its own")
    return device_queue(bench, BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")


def _in_place(bench: Bench) -> Mapping[str, Value]:
    present = _present(bench)
    needs((bench.cl.fact("CL_DEVICE_MAX_ON_DEVICE_QUEUES") or 0) > 1, "the device has one queue of its own at a time")
    replacing = device_queue(bench)
    bench.cl.query("clGetCommandQueueInfo", present, "CL_QUEUE_DEVICE_DEFAULT")
    return {"command_queue": replacing}


def _in_a_context_of_its_type(bench: Bench) -> Mapping[str, Value]:
    needs(bench.cl.fact(LARGEST), "the device has no queues of its own")
    context = of_type_of(bench, bench.cl.device)
    return {"context": context, "command_queue": device_queue(bench, context=context)}


def _lasting(bench: Bench) -> Mapping[str, Value]:
    """Take a device that has queues of its own, but none to replace."""
    cl = bench.cl
    only = {cl.tables.enumerants["CL_DEVICE_QUEUE_SUPPORTED"].value}
    capable = [device for device in cl.devices if cl.fact("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", device) in only]
    needs(capable, "no device has queues of its own without a default to replace")
    context = bench.new_context(capable[0])
    made = device_queue(bench, context=context, device=capable[0])
    return {"context": context, "device": capable[0], "command_queue": made}


def _of_another_device(bench: Bench) -> Mapping[str, Value]:
    context, other = bench.new_context(bench.cl.device, another(bench)), another(bench)
    needs(bench.cl.fact(LARGEST, other), "the other device has no queues of its own")
    return {"context": context, "command_queue": device_queue(bench, context=context, device=other)}


def _of_another_context(bench: Bench) -> Mapping[str, Value]:
    needs(bench.cl.fact(LARGEST), "the device has no queues of its own")
    return {"command_queue": device_queue(bench, context=bench.foreign_context)}


_bits()
for _function in (BY_BITS, *BY_LIST):
    _devices(_function)
_defaults()
