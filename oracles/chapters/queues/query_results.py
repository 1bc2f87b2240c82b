"""Query results of queues (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.property_lists import allowed_list_values
from clconform.oracles.engine.matchers import Anything
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.queues import CommandQueue, DeviceQueue
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

rules.inferred("CL_QUEUE_DEVICE_DEFAULT")


@rules.expected_value("CL_QUEUE_CONTEXT", of=CommandQueue)
def context_of(queue: CommandQueue, question: QueryRequest) -> Matcher | None:
    """The value is the context that the queue was created in."""
    return expect_handle(question, queue.context) if queue.context is not None else None


@rules.expected_value("CL_QUEUE_DEVICE", of=CommandQueue)
def device_of(queue: CommandQueue, question: QueryRequest) -> Matcher | None:
    """The value is the device that the queue was created on."""
    return expect_handle(question, queue.device) if queue.bits is not None else None


@rules.expected_value("CL_QUEUE_PROPERTIES", of=CommandQueue)
def properties_of(queue: CommandQueue, question: QueryRequest) -> Matcher | None:
    """The value is the current properties of the queue."""
    return expect_exactly(question, queue.bits) if queue.bits is not None else None


@rules.expected_value("CL_QUEUE_PROPERTIES_ARRAY", of=CommandQueue)
def list_of(queue: CommandQueue, question: QueryRequest) -> Matcher | None:
    """The value is the property list that the queue was created with, complete and in the original order.

    If the queue was created without a property list, the value is empty. An empty list may also be returned as a single
    0.
    """
    if queue.bits is None:
        return None
    return expect_one_of(
        question, allowed_list_values(queue.properties, question) if queue.has_property_list else ((),)
    )


@rules.expected_value("CL_QUEUE_SIZE", of=DeviceQueue)
def size_of(queue: DeviceQueue, question: QueryRequest) -> Matcher | None:
    """The value is the CL_QUEUE_SIZE given at creation, or else CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE."""
    return expect_exactly(question, queue.size) if queue.size is not None else None


@rules.expected_value("CL_QUEUE_DEVICE_DEFAULT", of=CommandQueue)
def default_queue_of(queue: CommandQueue, question: QueryRequest) -> Matcher:
    """The value is the default on-device queue of the queue's device, or NULL if no default queue exists."""
    if queue.context is None or queue.device is None:
        return Anything()
    names = queue.context.default_queues.get(queue.device.name, [])
    if names and names[-1] not in question.model.objects:
        return Anything((None,))
    return expect_exactly(question, names[-1] if names else None)
