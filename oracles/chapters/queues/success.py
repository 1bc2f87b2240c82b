"""Postconditions of creating, changing, flushing and finishing queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.queues.clauses import LARGEST_UINT
from clconform.oracles.engine.judgements import AGAINST_THE_CLAUSES
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Promise
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.queues import DeviceQueue, HostQueue, Queue
from clconform.oracles.recurring.making import made
from clconform.oracles.recurring.property_lists import pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()

NOBODY = ""
"""Name of an unknown default queue; it does not name any object."""
PREFERRED_SIZE = "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE"


@rules.success("clCreateCommandQueue")
def queue_made(call: Call, model: Model) -> Promise:
    """The call creates a new queue on device with the given properties."""
    return made(_queue(call, model, call.properties), call, model)


@rules.success("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
def queue_made_with_properties(call: Call, model: Model) -> Promise:
    """The call creates a new queue on device with properties, or returns the existing default on-device queue."""
    given = pairs(call.properties)
    bits = given.get(model.value("CL_QUEUE_PROPERTIES"), 0)
    queue = _queue(call, model, bits if isinstance(bits, int) else 0)
    queue.with_list, queue.properties = True, call.properties
    if isinstance(queue, DeviceQueue):
        size = given.get(model.value("CL_QUEUE_SIZE"), model.device(call.device).facts.get(PREFERRED_SIZE))
        queue.size = size if isinstance(size, int) and size <= LARGEST_UINT else None
    if not _bits(queue) & model.value("CL_QUEUE_ON_DEVICE_DEFAULT"):
        return made(queue, call, model)
    return _default_again(call, model) or _first_default(call, model, queue)


def _first_default(call: Call, model: Model, queue: Queue) -> Promise:
    promised = made(queue, call, model)

    def apply(value: Element, seen: dict[str, Values]) -> None:
        promised.apply(value, seen)
        _replace_default(model.context(call.context), model.device(call.device).name, queue.name)

    return Promise(promised.value, apply=apply)


def _default_again(call: Call, model: Model) -> Promise | None:
    """Return the postcondition that the existing default queue gets one more reference; None without one."""
    names = model.context(call.context).defaults.get(model.device(call.device).name, [])
    living = [name for name in names if (known := model.things.get(name)) and known.references > 0]
    if not living:
        return None

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if value in living:
            model.things[str(value)].references += 1

    again = tuple((name,) for name in reversed(living))
    return Promise(OneOf(again, (f"{call.function}/success",)), apply=apply)


def _replace_default(context: Context, device: str, queue: str) -> None:
    before = context.defaults.setdefault(device, [])
    context.defaults[device] = [*(name for name in before if name != queue), queue]


@rules.success("clSetDefaultDeviceCommandQueue")
def default_replaced(call: Call, model: Model) -> Promise:
    """command_queue is the default on-device queue of device after the call."""
    context, device = model.context(call.context), model.device(call.device)
    queue = model.get(Queue, call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        _replace_default(context, device.name, queue.name)

    return Promise(apply=apply)


@rules.aftermath("clSetDefaultDeviceCommandQueue")
def default_lost(call: Call, model: Model, code: str) -> None:
    """Record that either queue may be the default, after a success that should have been an error, or the reverse."""
    context, device, queue = (model.known(value) for value in (call.context, call.device, call.command_queue))
    if code not in AGAINST_THE_CLAUSES or not isinstance(queue, Queue):
        return
    for each in {context, queue.context}:
        for one in {device, queue.device}:
            if isinstance(each, Context) and isinstance(one, Device):
                _replace_default(each, one.name, queue.name)
                _replace_default(each, one.name, NOBODY)


@rules.success("clSetCommandQueueProperty")
def properties_changed(call: Call, model: Model) -> Promise:
    """The properties are enabled or disabled, and old_properties holds those from before the call."""
    queue = model.get(Queue, call.command_queue)
    before = _bits(queue)
    after = before | call.properties if call.enable else before & ~call.properties
    told = {"old_properties": OneOf(((before,),), ("clSetCommandQueueProperty/success",))}

    def apply(_value: object, _seen: object) -> None:
        _set_bits(queue, after, model)
        queue.changed = True
        queue.facts.pop("CL_QUEUE_PROPERTIES", None)

    return Promise(outputs=dict(told) if isinstance(call.old_properties, OutputBuffer) else {}, apply=apply)


def _queue(call: Call, model: Model, bits: int) -> Queue:
    context, device = model.context(call.context), model.device(call.device)
    kind = DeviceQueue if bits & model.value("CL_QUEUE_ON_DEVICE") else HostQueue
    queue = kind(context=context, on=device)
    _set_bits(queue, bits, model)
    return queue


def _set_bits(queue: Queue, bits: int, model: Model) -> None:
    queue.in_order = not bits & model.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    queue.profiling = bool(bits & model.value("CL_QUEUE_PROFILING_ENABLE"))
    queue.bits = bits


def _bits(queue: Queue) -> int:
    """Return the current properties of a queue; UnknownError for a queue that should not have been created."""
    if queue.bits is None:
        raise UnknownError(queue.name)
    return queue.bits


rules.interpreted("flush-that-waits", "clFlush/success")


@rules.success("clFinish", "clFlush")
def queue_finished(call: Call, model: Model) -> Promise:
    """The commands of the queue are submitted to the device, and after clFinish they are complete."""
    queue = model.get(Queue, call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        model.order.flush(queue, call.function)
        if call.function == "clFinish":
            model.order.waited(queue, call.function)

    return Promise(apply=apply)
