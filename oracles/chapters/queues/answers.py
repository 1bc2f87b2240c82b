"""Query results of queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything
from clconform.oracles.model.queues import DeviceQueue, Queue
from clconform.oracles.queries.told import either, exactly, named
from clconform.oracles.recurring.property_lists import list_echo

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.queries.questions import Question

rules = Rules()

rules.inferred("CL_QUEUE_DEVICE_DEFAULT")


@rules.answer("CL_QUEUE_CONTEXT", of=Queue)
def context_of(queue: Queue, question: Question) -> Want | None:
    """The value is the context that the queue was created in."""
    return named(question, queue.context) if queue.context is not None else None


@rules.answer("CL_QUEUE_DEVICE", of=Queue)
def device_of(queue: Queue, question: Question) -> Want | None:
    """The value is the device that the queue was created on."""
    return named(question, queue.device) if queue.bits is not None else None


@rules.answer("CL_QUEUE_PROPERTIES", of=Queue)
def properties_of(queue: Queue, question: Question) -> Want | None:
    """The value is the current properties of the queue."""
    return exactly(question, queue.bits) if queue.bits is not None else None


@rules.answer("CL_QUEUE_PROPERTIES_ARRAY", of=Queue)
def list_of(queue: Queue, question: Question) -> Want | None:
    """The value is the property list that the queue was created with, unchanged; without a list it is empty or 0."""
    if queue.bits is None:
        return None
    return either(question, list_echo(queue.properties) if queue.with_list else ((),))


@rules.answer("CL_QUEUE_SIZE", of=DeviceQueue)
def size_of(queue: DeviceQueue, question: Question) -> Want | None:
    """The value is the CL_QUEUE_SIZE given at creation, or else CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE."""
    return exactly(question, queue.size) if queue.size is not None else None


@rules.answer("CL_QUEUE_DEVICE_DEFAULT", of=Queue)
def default_of_the_device(queue: Queue, question: Question) -> Want:
    """The value is the default on-device queue of the queue's device, or NULL if there is none."""
    if queue.context is None or queue.device is None:
        return Anything()
    names = queue.context.defaults.get(queue.device.name, [])
    if names and names[-1] not in question.model.things:
        return Anything((None,))
    return exactly(question, names[-1] if names else None)
