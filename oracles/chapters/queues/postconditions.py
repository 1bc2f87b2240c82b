"""Postconditions of creating, changing, flushing and finishing queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.queues.error_conditions import LARGEST_UINT
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.judgements import UNEXPLAINED_CODES
from clconform.oracles.engine.matchers import OneOf, Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.queues import CommandQueue, DeviceQueue, HostQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.state import Model

rules = Rules()

UNKNOWN_QUEUE = ""
"""Name that stands for an unknown default on-device queue."""
PREFERRED_SIZE = "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE"


@rules.postcondition("clCreateCommandQueue")
def expect_queue(call: Call, model: Model) -> Postcondition:
    """The call creates a new queue on device with the given properties."""
    return create_postcondition(_create_queue(call, model, call.properties), call, model)


@rules.postcondition("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
def expect_queue_with_properties(call: Call, model: Model) -> Postcondition:
    """The call creates a new queue on device with properties.

    If properties contains CL_QUEUE_ON_DEVICE_DEFAULT and device already has a default on-device queue, the call returns
    this queue instead.
    """
    given = list_values(call.properties)
    bits = given.get(model.constant_value("CL_QUEUE_PROPERTIES"), 0)
    queue = _create_queue(call, model, bits if isinstance(bits, int) else 0)
    queue.has_property_list, queue.properties = True, call.properties
    if isinstance(queue, DeviceQueue):
        size = given.get(model.constant_value("CL_QUEUE_SIZE"), model.device(call.device).facts.get(PREFERRED_SIZE))
        queue.size = size if isinstance(size, int) and size <= LARGEST_UINT else None
    if not _current_bits(queue) & model.constant_value("CL_QUEUE_ON_DEVICE_DEFAULT"):
        return create_postcondition(queue, call, model)
    return _expect_existing_default(call, model) or _expect_new_default(call, model, queue)


def _expect_new_default(call: Call, model: Model, queue: CommandQueue) -> Postcondition:
    promised = create_postcondition(queue, call, model)

    def apply(value: Element, seen: dict[str, Values]) -> None:
        promised.apply(value, seen)
        _replace_default(model.context(call.context), model.device(call.device).name, queue.name)

    return Postcondition(promised.value, apply=apply)


def _expect_existing_default(call: Call, model: Model) -> Postcondition | None:
    """Return the postcondition of a call that returns the existing default on-device queue, and retains this queue.

    Return None if the device does not have a default on-device queue.
    """
    names = model.context(call.context).default_queues.get(model.device(call.device).name, [])
    living = [name for name in names if (known := model.objects.get(name)) and known.references > 0]
    if not living:
        return None

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if value in living:
            model.objects[str(value)].references += 1

    again = tuple((name,) for name in reversed(living))
    return Postcondition(OneOf(again, (f"{call.function}/success",)), apply=apply)


def _replace_default(context: Context, device: str, queue: str) -> None:
    before = context.default_queues.setdefault(device, [])
    context.default_queues[device] = [*(name for name in before if name != queue), queue]


@rules.postcondition("clSetDefaultDeviceCommandQueue")
def expect_replaced_default(call: Call, model: Model) -> Postcondition:
    """After the call, command_queue is the default on-device queue of device."""
    context, device = model.context(call.context), model.device(call.device)
    queue = model.get(CommandQueue, call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        _replace_default(context, device.name, queue.name)

    return Postcondition(apply=apply)


@rules.aftermath("clSetDefaultDeviceCommandQueue")
def record_failed_replacement(call: Call, model: Model, code: str) -> None:
    """Record that the default on-device queue is unknown after an unexpected success or an unexpected error."""
    context, device, queue = (model.find(value) for value in (call.context, call.device, call.command_queue))
    if code not in UNEXPLAINED_CODES or not isinstance(queue, CommandQueue):
        return
    for each in {context, queue.context}:
        for one in {device, queue.device}:
            if isinstance(each, Context) and isinstance(one, Device):
                _replace_default(each, one.name, queue.name)
                _replace_default(each, one.name, UNKNOWN_QUEUE)


@rules.postcondition("clSetCommandQueueProperty")
def expect_changed_properties(call: Call, model: Model) -> Postcondition:
    """The call enables or disables properties of command_queue; old_properties receives the previous properties."""
    queue = model.get(CommandQueue, call.command_queue)
    before = _current_bits(queue)
    after = before | call.properties if call.enable else before & ~call.properties
    told = {"old_properties": OneOf(((before,),), ("clSetCommandQueueProperty/success",))}

    def apply(_value: object, _seen: object) -> None:
        _set_bits(queue, after, model)
        queue.was_changed = True
        queue.facts.pop("CL_QUEUE_PROPERTIES", None)

    return Postcondition(outputs=dict(told) if isinstance(call.old_properties, OutputBuffer) else {}, apply=apply)


def _create_queue(call: Call, model: Model, bits: int) -> CommandQueue:
    context, device = model.context(call.context), model.device(call.device)
    kind = DeviceQueue if bits & model.constant_value("CL_QUEUE_ON_DEVICE") else HostQueue
    queue = kind(context=context, queue_device=device)
    _set_bits(queue, bits, model)
    return queue


def _set_bits(queue: CommandQueue, bits: int, model: Model) -> None:
    queue.in_order = not bits & model.constant_value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    queue.profiling = bool(bits & model.constant_value("CL_QUEUE_PROFILING_ENABLE"))
    queue.bits = bits


def _current_bits(queue: CommandQueue) -> int:
    """Return the current flags of a queue. Raises UnknownFactError for a queue whose creation should have failed."""
    if queue.bits is None:
        raise UnknownFactError(queue.name)
    return queue.bits


rules.relies_on_interpretation("blocking-flush", "clFlush/success")


@rules.postcondition("clFinish", "clFlush")
def expect_finished_queue(call: Call, model: Model) -> Postcondition:
    """The commands in command_queue are submitted to the device; when clFinish returns, they are complete."""
    queue = model.get(CommandQueue, call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        model.commands.flush(queue, call.function)
        if call.function == "clFinish":
            model.commands.note_queue_wait(queue, call.function)

    return Postcondition(apply=apply)
