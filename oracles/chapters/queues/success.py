"""Command queues: on which devices they are made and what they then answer (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Room
from clconform.oracles.chapters.queues.clauses import LARGEST_UINT
from clconform.oracles.engine.answers import Answer, Reply, UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, OneOf, Promise
from clconform.oracles.model.world import Child
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.objects import valid_object
from clconform.oracles.recurring.property_lists import list_echo, pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element, Values, Want
    from clconform.oracles.model.world import Context, Model, Thing

rules = Rules()

PREFERRED_SIZE = "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE"
rules.inferred("CL_QUEUE_DEVICE_DEFAULT")
rules.inferred("clCreateCommandQueue/CL_INVALID_DEVICE/1", "clCreateCommandQueueWithProperties/CL_INVALID_DEVICE/1")


@rules.clause("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1")
def not_a_queue_for_the_name(call: Call, model: Model) -> Reply:
    """The queue is NULL, or no queue on the device although its size is asked for."""
    reply = valid_object(call.command_queue, "cl_command_queue", model)
    if reply is not Answer.NO:
        return reply
    queue = model.child(call.command_queue)
    return call.param_name == model.value("CL_QUEUE_SIZE") and queue.sort == "host queue"


@rules.success("clCreateCommandQueue")
def queue_made(call: Call, model: Model) -> Promise:
    """A new queue on exactly that device, which tells the properties that it was made with."""
    child = _queue(call, model, call.properties)
    child.echoes["CL_QUEUE_PROPERTIES_ARRAY"] = ((),)
    return made("cl_command_queue", call, model, child)


@rules.success("clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR")
def queue_made_with_properties(call: Call, model: Model) -> Promise:
    """A new queue on exactly that device, which repeats its list of properties whole; or the default one once more."""
    given = pairs(call.properties)
    bits = given.get(model.value("CL_QUEUE_PROPERTIES"), 0)
    child = _queue(call, model, bits if isinstance(bits, int) else 0)
    child.echoes["CL_QUEUE_PROPERTIES_ARRAY"] = list_echo(call.properties)
    if child.sort == "device queue":
        size = given.get(model.value("CL_QUEUE_SIZE"), model.device(call.device).facts.get(PREFERRED_SIZE))
        child.echoes["CL_QUEUE_SIZE"] = exactly(size) if isinstance(size, int) and size <= LARGEST_UINT else ()
    if not _flags(child) & model.value("CL_QUEUE_ON_DEVICE_DEFAULT"):
        return made("cl_command_queue", call, model, child)
    return _default_again(call, model) or _first_default(call, model, child)


def _first_default(call: Call, model: Model, child: Child) -> Promise:
    promised = made("cl_command_queue", call, model, child)

    def apply(value: Element, seen: dict[str, Values]) -> None:
        promised.apply(value, seen)
        _replace_default(model.context(call.context), model.device(call.device).name, child.name)

    return Promise(promised.value, apply=apply)


def _default_again(call: Call, model: Model) -> Promise | None:
    """Return the promise of the default queue that there is already, with one reference more; None without one."""
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
    """The queue is the device's default one from now on."""
    context, device, queue = model.context(call.context), model.device(call.device), model.child(call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        _replace_default(context, device.name, queue.name)

    return Promise(apply=apply)


@rules.answer("CL_QUEUE_DEVICE_DEFAULT")
def default_of_the_device(thing: Thing, model: Model) -> Want:
    """The queue that is the default one of the queue's device, as long as it lives; NULL where there has been none."""
    name = "CL_QUEUE_DEVICE_DEFAULT"
    if not isinstance(thing, Child) or thing.context is None or thing.device is None:
        return Anything()
    names = thing.context.defaults.get(thing.device.name, [])
    if names and names[-1] not in model.things:
        return Anything((None,))
    return OneOf(((names[-1] if names else None,),), (name,))


@rules.success("clSetCommandQueueProperty")
def properties_changed(call: Call, model: Model) -> Promise:
    """The properties are enabled or disabled, and those from before are told."""
    queue = model.child(call.command_queue)
    before = _flags(queue)
    after = before | call.properties if call.enable else before & ~call.properties
    told = {"old_properties": OneOf(((before,),), ("clSetCommandQueueProperty/success",))}

    def apply(_value: object, _seen: object) -> None:
        _set_flags(queue, after, model)
        queue.facts.pop("CL_QUEUE_PROPERTIES", None)

    return Promise(outputs=dict(told) if isinstance(call.old_properties, Room) else {}, apply=apply)


def _queue(call: Call, model: Model, bits: int) -> Child:
    context, device = model.context(call.context), model.device(call.device)
    child = Child("cl_command_queue", "", context=context, device=device)
    child.sort = "device queue" if bits & model.value("CL_QUEUE_ON_DEVICE") else "host queue"
    child.echoes = {"CL_QUEUE_CONTEXT": exactly(context.name), "CL_QUEUE_DEVICE": exactly(device.name)}
    _set_flags(child, bits, model)
    return child


def _set_flags(queue: Child, bits: int, model: Model) -> None:
    queue.in_order = not bits & model.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    queue.profiling = bool(bits & model.value("CL_QUEUE_PROFILING_ENABLE"))
    queue.echoes["CL_QUEUE_PROPERTIES"] = exactly(bits)


def _flags(queue: Child) -> int:
    """Return the properties that a queue has now; UnknownError for a queue that should not have been made."""
    for (bits,) in queue.echoes.get("CL_QUEUE_PROPERTIES", ()):
        if isinstance(bits, int):
            return bits
    raise UnknownError(queue.name)


rules.inferred("clFlush/success")  # that it does not wait for an event of the user is said nowhere in one sentence


@rules.success("clFinish", "clFlush")
def queue_finished(call: Call, model: Model) -> Promise:
    """Commands of the queue are done, or on their way."""
    queue = model.child(call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        model.order.flush(queue)
        if call.function == "clFinish":
            model.order.finish(model.order.of_queue(queue))

    return Promise(apply=apply)
