"""Coverage points for queues, and requirements that cannot be tested (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import AWAIT
from clconform.oracles.chapters.contexts.coverage_points.general import is_created_with
from clconform.oracles.chapters.notifications.coverage_points import is_flushed_only_by
from clconform.oracles.chapters.queues.error_conditions import BY_LIST, DEFAULT, ENQUEUE, ON_DEVICE, Wish
from clconform.oracles.common.ordering_evidence import READ_BUFFER, cover_read, cover_status_query, is_waiting_in_order
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.common.wait_evidence import STATUS_QUERY
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import CommandQueue, DeviceQueue, HostQueue
from clconform.oracles.queries.prose_rules import cover_query
from clconform.spec_tables.requirements import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables

rules = Rules()

HOST_PROPERTIES = ("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE")
SET_DEFAULT = "clSetDefaultDeviceCommandQueue"


@rules.completion
def _declare_creation(rules: Rules, tables: Tables) -> None:
    for function in BY_LIST:
        for requirement in tables.requirements_of(function):
            if isinstance(requirement, Property):
                words = f"A queue can be created with the property {requirement.name}."
                rules.coverage_point(
                    requirement.id, function, words, f"{function}/success", holds=is_created_with(requirement.name)
                )
    _declare_flags(rules, BY_LIST[0])


def _declare_flags(rules: Rules, function: str) -> None:
    for name in HOST_PROPERTIES:
        words = f"A queue can be created with {name}."
        holds = _creates_with_bit(name)
        record_id = f"cl_command_queue_properties:{name}"
        rules.coverage_point(record_id, "clCreateCommandQueue", words, "clCreateCommandQueue/success", holds=holds)
    by_name = {f"cl_command_queue_properties:{name}": "CL_QUEUE_PROPERTIES" for name in (ON_DEVICE, DEFAULT)}
    for hint in ("PRIORITY", "THROTTLE"):
        for level in ("HIGH", "MED", "LOW"):
            by_name[f"cl_queue_{hint.lower()}_khr:CL_QUEUE_{hint}_{level}_KHR"] = f"CL_QUEUE_{hint}_KHR"
    for record_id, name in by_name.items():
        value = record_id.partition(":")[2]
        words, holds = (
            f"A queue can be created with {value} and the properties that {value} requires.",
            is_created_with(name, value),
        )
        rules.coverage_point(record_id, function, words, f"{function}/success", holds=holds)


def _has_replaced_default(queue: CommandQueue, _question: QueryRequest) -> bool:
    """Return whether the default on-device queue for the device of a queue has been replaced in the context."""
    context, device = queue.context, queue.device
    return context is not None and device is not None and len(context.default_queues.get(device.name, [])) > 1


def _creates_with_bit(name: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.code == "CL_SUCCESS" and bool(asked.call.properties & asked.model.constant_value(name))


def _recreates_default(asked: CompletedCall) -> bool:
    """Return whether a call requests a default on-device queue for a device that already has one."""
    context, device = asked.model.find(asked.call.context), asked.model.find(asked.call.device)
    if asked.code != "CL_SUCCESS" or not isinstance(context, Context) or not isinstance(device, Device):
        return False
    wanted = Wish(asked.call, asked.model).has(DEFAULT)
    return wanted and any(name in asked.model.objects for name in context.default_queues.get(device.name, []))


def _replaces_default_with(capabilities: int) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call replaces the default on-device queue of a device of version 3.0 or later.

    ``capabilities``: the value of CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES for the device.
    """

    def holds(asked: CompletedCall) -> bool:
        device = asked.model.find(asked.call.device)
        if not isinstance(device, Device) or device.version < (3, 0):
            return False
        return device.number(ENQUEUE) == capabilities and asked.code in ("CL_SUCCESS", "CL_INVALID_OPERATION")

    return holds


INFO, BITS, SIZE = "clGetCommandQueueInfo", "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
CREATE = "clCreateCommandQueue"
SET_PROPERTY = "clSetCommandQueueProperty"
BUFFER_WRITERS = tuple(f"clEnqueue{name}Buffer/success" for name in ("Read", "Copy", "Fill"))


def _queries_queue(when: Callable[[CommandQueue, QueryRequest], bool], *names: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: one of the queries ``names`` is made for a queue for which ``when`` is true."""
    return cover_query(
        *names, when=lambda question: isinstance(question.subject, CommandQueue) and when(question.subject, question)
    )


def _lacks_properties(queue: CommandQueue, _question: QueryRequest) -> bool:
    return queue.has_property_list and isinstance(queue, HostQueue) and not list_values(queue.properties)


def _lacks_property(name: str) -> Callable[[CommandQueue, QueryRequest], bool]:
    return lambda queue, question: (
        queue.has_property_list and question.model.constant_value(name) not in list_values(queue.properties)
    )


_EMPTY_LIST_TEXT = (
    "Checked on queries of CL_QUEUE_PROPERTIES of host queues that were created with an empty property list: the value "
    "is 0."
)
for _requirement, _words, _query, _when in (
    ("clCreateCommandQueueWithProperties/effect/3", _EMPTY_LIST_TEXT, BITS, _lacks_properties),
    ("clCreateCommandQueueWithPropertiesKHR/effect/2", _EMPTY_LIST_TEXT, BITS, _lacks_properties),
    (
        "CL_QUEUE_PROPERTIES/effect/2",
        "Checked on queries of CL_QUEUE_PROPERTIES of queues whose property list does not contain CL_QUEUE_PROPERTIES.",
        BITS,
        _lacks_property(BITS),
    ),
    (
        "clCreateCommandQueue/effect/1",
        "Checked on queries of CL_QUEUE_PROPERTIES of queues that were created with properties 0: the value is 0.",
        BITS,
        lambda queue, _question: not queue.has_property_list and queue.bits == 0,
    ),
    (
        "CL_QUEUE_SIZE/effect/1",
        "Checked on queries of CL_QUEUE_SIZE of on-device queues that were created without CL_QUEUE_SIZE.",
        SIZE,
        lambda queue, question: isinstance(queue, DeviceQueue) and _lacks_property(SIZE)(queue, question),
    ),
    (
        "clSetDefaultDeviceCommandQueue/effect/1",
        "Checked on queries of CL_QUEUE_DEVICE_DEFAULT after the default on-device queue was replaced.",
        "CL_QUEUE_DEVICE_DEFAULT",
        _has_replaced_default,
    ),
):
    rules.coverage_point(_requirement, INFO, _words, _query, holds=_queries_queue(_when, _query))
_ONE_DEFAULT_TEXT = "A device has at most one default on-device queue in a context."
for _requirement, _words in (
    ("clCreateCommandQueueWithProperties/effect/1", _ONE_DEFAULT_TEXT),
    ("clCreateCommandQueueWithPropertiesKHR/effect/1", _ONE_DEFAULT_TEXT),
    (
        "clCreateCommandQueueWithProperties/effect/2",
        "A second creation of the default on-device queue returns the existing queue and retains it.",
    ),
):
    _function = _requirement.partition("/")[0]
    rules.coverage_point(_requirement, _function, _words, f"{_function}/success", holds=_recreates_default)
for _record in ("CL_QUEUE_PROPERTIES/effect/1", "clCreateCommandQueue/effect/2"):
    rules.coverage_point(
        _record,
        "clGetEventInfo",
        (
            "Checked on queries of the status of a command in an in-order queue, while the previous command waits for "
            "a user event."
        ),
        STATUS_QUERY,
        holds=cover_status_query(is_waiting_in_order),
    )
    rules.coverage_point(
        _record,
        READ_BUFFER,
        "Checked on reads of bytes that several commands of an in-order queue wrote.",
        *BUFFER_WRITERS,
        holds=cover_read(
            lambda writer, queue, _asked: writer.queue is queue and queue.in_order and bool(writer.predecessors)
        ),
    )
for _requirement, _words, _supported in (
    (
        "device-side-enqueue:clSetDefaultDeviceCommandQueue/1",
        "clSetDefaultDeviceCommandQueue fails for a device that does not support on-device queues.",
        0,
    ),
    (
        "device-side-enqueue:clSetDefaultDeviceCommandQueue/2",
        "clSetDefaultDeviceCommandQueue fails for a device that does not support a replaceable default queue.",
        1,
    ),
):
    rules.coverage_point(
        _requirement,
        SET_DEFAULT,
        _words,
        "clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1",
        holds=_replaces_default_with(_supported),
    )
rules.coverage_point(
    "clReleaseCommandQueue/effect/3",
    AWAIT,
    "Checked on waits for an event callback: only the release of the queue flushed the command of the event.",
    "clReleaseCommandQueue/success",
    holds=is_flushed_only_by("clReleaseCommandQueue"),
)
rules.coverage_point(
    "clSetCommandQueueProperty/effect/1",
    INFO,
    "Checked on queries of CL_QUEUE_PROPERTIES after clSetCommandQueueProperty.",
    BITS,
    "clSetCommandQueueProperty/success",
    holds=_queries_queue(lambda queue, _question: queue.was_changed, BITS),
)
for _requirement, _words, _holds in (
    (
        "clSetCommandQueueProperty/effect/2",
        "Checked on calls with old_properties not NULL.",
        lambda asked: asked.call.old_properties is not None,
    ),
    (
        "clSetCommandQueueProperty/effect/3",
        "Checked on calls with old_properties NULL: they succeed.",
        lambda asked: asked.call.old_properties is None,
    ),
    (
        "clSetCommandQueueProperty/effect/4",
        "Checked on calls for queues on devices of version 1.0: the calls succeed.",
        lambda asked: all(device.version < (1, 1) for device in asked.context.scope.devices),
    ),
):
    rules.coverage_point(
        _requirement,
        SET_PROPERTY,
        _words,
        "clSetCommandQueueProperty/success",
        holds=_holds,
        requires_success=True,
    )
for _requirement in ("CL_QUEUE_PRIORITY_KHR/effect/1", "CL_QUEUE_THROTTLE_KHR/effect/1"):
    rules.untestable(_requirement, "", "no query returns the value of a property that is not in the list")
for _requirement in ("clReleaseCommandQueue/effect/1", "clReleaseCommandQueue/effect/2"):
    rules.untestable(
        _requirement, "", "a returned count is stale immediately, and a queue without references cannot be queried"
    )
