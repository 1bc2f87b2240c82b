"""Command queues: on which devices they are made and what they then answer (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.answers import Answer, Reply
from clconform.oracles.model import Child
from clconform.oracles.objects.making import exactly, list_echo, made, pairs
from clconform.oracles.promises import Promise
from clconform.oracles.recurring.objects import valid_object
from clconform.oracles.rules import SURE, clause, promise

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model

SURE |= dict.fromkeys(
    ("clCreateCommandQueue/CL_INVALID_DEVICE/1", "clCreateCommandQueueWithProperties/CL_INVALID_DEVICE/1"), "inferred"
)


@clause("clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1")
def not_a_queue_for_the_name(call: Call, model: Model) -> Reply:
    """The queue is NULL, or no queue on the device although its size is asked for."""
    reply = valid_object(call.command_queue, "cl_command_queue", model)
    if reply is not Answer.NO:
        return reply
    queue = model.child(call.command_queue)
    return call.param_name == model.value("CL_QUEUE_SIZE") and queue.sort == "host queue"


@promise("clCreateCommandQueue")
def queue_made(call: Call, model: Model) -> Promise:
    """A new queue on exactly that device, which tells the properties that it was made with."""
    child = _queue(call, model, call.properties)
    child.echoes["CL_QUEUE_PROPERTIES_ARRAY"] = ((), (0,))
    return made("cl_command_queue", call, model, child)


@promise("clCreateCommandQueueWithProperties")
def queue_made_with_properties(call: Call, model: Model) -> Promise:
    """A new queue on exactly that device, which repeats its list of properties whole."""
    given = pairs(call.properties)
    bits = given.get(model.value("CL_QUEUE_PROPERTIES"), 0)
    child = _queue(call, model, bits if isinstance(bits, int) else 0)
    child.echoes["CL_QUEUE_PROPERTIES_ARRAY"] = list_echo(call.properties)
    size = given.get(model.value("CL_QUEUE_SIZE"))
    if isinstance(size, int) and child.sort == "device queue":
        child.echoes["CL_QUEUE_SIZE"] = exactly(size)
    return made("cl_command_queue", call, model, child)


def _queue(call: Call, model: Model, bits: int) -> Child:
    context, device = model.context(call.context), model.device(call.device)
    on_device = bool(bits & model.value("CL_QUEUE_ON_DEVICE"))
    child = Child("cl_command_queue", "", context=context, device=device)
    child.sort = "device queue" if on_device else "host queue"
    child.in_order = not bits & model.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    child.profiling = bool(bits & model.value("CL_QUEUE_PROFILING_ENABLE"))
    child.echoes = {
        "CL_QUEUE_CONTEXT": exactly(context.name),
        "CL_QUEUE_DEVICE": exactly(device.name),
        "CL_QUEUE_PROPERTIES": exactly(bits),
    }
    if not on_device:
        child.echoes["CL_QUEUE_DEVICE_DEFAULT"] = exactly(None)
    return child


@promise("clFinish", "clFlush")
def queue_finished(call: Call, model: Model) -> Promise:
    """Commands of the queue are done, or on their way."""
    queue = model.child(call.command_queue)

    def apply(_value: object, _seen: object) -> None:
        model.order.flush(queue)
        if call.function == "clFinish":
            model.order.finish(model.order.of_queue(queue))

    return Promise(apply=apply)
