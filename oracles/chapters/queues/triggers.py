"""Coverage points for queues, and requirements that cannot be tested (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import AWAIT
from clconform.oracles.chapters.contexts.triggers import made_with
from clconform.oracles.chapters.notifications.triggers import set_on_its_way
from clconform.oracles.chapters.queues.clauses import BY_LIST, DEFAULT, ENQUEUE, ON_DEVICE, Wish
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import DeviceQueue, HostQueue, Queue
from clconform.oracles.queries.effects import answered
from clconform.oracles.recurring.order import READ, asked_about, behind_another, read_after
from clconform.oracles.recurring.property_lists import pairs
from clconform.oracles.recurring.waiting import STATUS
from clconform.spec_tables.records import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables

rules = Rules()

OF_HOST = ("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE")
SET_DEFAULT = "clSetDefaultDeviceCommandQueue"


@rules.completion
def _declare(rules: Rules, tables: Tables) -> None:
    for function in BY_LIST:
        for record in tables.records_of(function):
            if isinstance(record, Property):
                words = f"A queue can be created with the property {record.name}."
                rules.trigger(record.id, function, words, f"{function}/success", holds=made_with(record.name))
        words = "A device has at most one default on-device queue in a context."
        rules.trigger(f"{function}/effect/1", function, words, f"{function}/success", holds=_same_default)
    core = BY_LIST[0]
    words = "Creating the default on-device queue again returns the existing one, with one more reference."
    rules.trigger(f"{core}/effect/2", core, words, f"{core}/success", holds=_same_default)
    _flags(rules, core)
    refusal = f"{SET_DEFAULT}/CL_INVALID_OPERATION/1"
    for number, words, supported in (
        (1, "The call fails for a device without on-device queues.", 0),
        (2, "The call fails for a device whose default on-device queue cannot be replaced.", 1),
    ):
        record_id = f"device-side-enqueue:{SET_DEFAULT}/{number}"
        rules.trigger(record_id, SET_DEFAULT, words, refusal, holds=_refused_with(supported))


def _flags(rules: Rules, function: str) -> None:
    for name in OF_HOST:
        words = f"A queue can be created with {name}."
        holds = _made_with_bit(name)
        record_id = f"cl_command_queue_properties:{name}"
        rules.trigger(record_id, "clCreateCommandQueue", words, "clCreateCommandQueue/success", holds=holds)
    by_name = {f"cl_command_queue_properties:{name}": "CL_QUEUE_PROPERTIES" for name in (ON_DEVICE, DEFAULT)}
    for hint in ("PRIORITY", "THROTTLE"):
        for level in ("HIGH", "MED", "LOW"):
            by_name[f"cl_queue_{hint.lower()}_khr:CL_QUEUE_{hint}_{level}_KHR"] = f"CL_QUEUE_{hint}_KHR"
    for record_id, name in by_name.items():
        value = record_id.partition(":")[2]
        words, holds = f"A queue can be created with {value}.", made_with(name, value)
        rules.trigger(record_id, function, words, f"{function}/success", holds=holds)


def _replaced(queue: Queue, _question: Question) -> bool:
    """Return whether the device of a queue has had more than one default queue."""
    context, device = queue.context, queue.device
    return context is not None and device is not None and len(context.defaults.get(device.name, [])) > 1


def _made_with_bit(name: str) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.code == "CL_SUCCESS" and bool(asked.call.properties & asked.model.value(name))


def _same_default(asked: AnsweredCall) -> bool:
    """Return whether a default queue is requested for a device that already has one."""
    context, device = asked.model.known(asked.call.context), asked.model.known(asked.call.device)
    if asked.code != "CL_SUCCESS" or not isinstance(context, Context) or not isinstance(device, Device):
        return False
    wanted = Wish(asked.call, asked.model).has(DEFAULT)
    return wanted and any(name in asked.model.things for name in context.defaults.get(device.name, []))


def _refused_with(capabilities: int) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: the default queue of a 3.0 device with these capabilities is to be replaced."""

    def holds(asked: AnsweredCall) -> bool:
        device = asked.model.known(asked.call.device)
        if not isinstance(device, Device) or device.version < (3, 0):
            return False
        return device.number(ENQUEUE) == capabilities and asked.code in ("CL_SUCCESS", "CL_INVALID_OPERATION")

    return holds


INFO, BITS, SIZE = "clGetCommandQueueInfo", "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
OLD = "clCreateCommandQueue"
CHANGE = "clSetCommandQueueProperty"
HOST_BITS = tuple(f"clEnqueue{name}Buffer/success" for name in ("Read", "Copy", "Fill"))


def _asked_of(when: Callable[[Queue, Question], bool], *names: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: one of these queries is made for a queue that passes a test."""
    return answered(*names, when=lambda question: isinstance(question.thing, Queue) and when(question.thing, question))


def _without_properties(queue: Queue, _question: Question) -> bool:
    return queue.with_list and isinstance(queue, HostQueue) and not pairs(queue.properties)


def _lacks(name: str) -> Callable[[Queue, Question], bool]:
    return lambda queue, question: queue.with_list and question.model.value(name) not in pairs(queue.properties)


for _function, _number in (("clCreateCommandQueueWithProperties", 3), (BY_LIST[1], 2)):
    rules.trigger(
        f"{_function}/effect/{_number}",
        INFO,
        (
            "Checked on queries of CL_QUEUE_PROPERTIES of host queues that were created with an empty list: the value "
            "is 0."
        ),
        BITS,
        holds=_asked_of(_without_properties, BITS),
    )
rules.trigger(
    f"{BITS}/effect/2",
    INFO,
    "Checked on queries of CL_QUEUE_PROPERTIES of queues that were created without the property.",
    BITS,
    holds=_asked_of(_lacks(BITS), BITS),
)
rules.trigger(
    f"{OLD}/effect/1",
    INFO,
    "Checked on queries of CL_QUEUE_PROPERTIES of queues that were created with properties 0: the value is 0.",
    BITS,
    holds=_asked_of(lambda queue, _question: not queue.with_list and queue.bits == 0, BITS),
)
rules.trigger(
    f"{SIZE}/effect/1",
    INFO,
    "Checked on queries of CL_QUEUE_SIZE of on-device queues that were created without the property.",
    SIZE,
    holds=_asked_of(lambda queue, question: isinstance(queue, DeviceQueue) and _lacks(SIZE)(queue, question), SIZE),
)
for _record in (f"{BITS}/effect/1", f"{OLD}/effect/2"):
    rules.trigger(
        _record,
        "clGetEventInfo",
        (
            "Checked on queries of the status of a command in an in-order queue, while the command before it waits for "
            "a user event."
        ),
        STATUS,
        holds=asked_about(behind_another),
    )
    rules.trigger(
        _record,
        READ,
        "Checked on reads of bytes that several commands of an in-order queue wrote.",
        *HOST_BITS,
        holds=read_after(
            lambda writer, queue, _asked: writer.queue is queue and queue.in_order and bool(writer.before)
        ),
    )
rules.trigger(
    f"{SET_DEFAULT}/effect/1",
    INFO,
    "Checked on queries of CL_QUEUE_DEVICE_DEFAULT after the default was replaced.",
    "CL_QUEUE_DEVICE_DEFAULT",
    holds=_asked_of(_replaced, "CL_QUEUE_DEVICE_DEFAULT"),
)
rules.trigger(
    "clReleaseCommandQueue/effect/3",
    AWAIT,
    "Checked on waits for an event callback whose command only the release of its queue flushed.",
    "clReleaseCommandQueue/success",
    holds=set_on_its_way("clReleaseCommandQueue"),
)
for _number, _words, _holds in (
    (
        1,
        "Checked on queries of CL_QUEUE_PROPERTIES of a changed queue.",
        _asked_of(lambda queue, _question: queue.changed, BITS),
    ),
):
    rules.trigger(f"{CHANGE}/effect/{_number}", INFO, _words, BITS, f"{CHANGE}/success", holds=_holds)
for _number, _words, _told in (
    (2, "Checked on calls with old_properties not NULL.", True),
    (3, "Checked on calls with old_properties NULL: they succeed.", False),
):
    rules.trigger(
        f"{CHANGE}/effect/{_number}",
        CHANGE,
        _words,
        f"{CHANGE}/success",
        holds=lambda asked, told=_told: (asked.call.old_properties is not None) is told,  # type: ignore[misc]
        by_success=True,
    )
rules.trigger(
    f"{CHANGE}/effect/4",
    CHANGE,
    "Checked on calls for queues of 1.0 devices: they succeed.",
    f"{CHANGE}/success",
    holds=lambda asked: all(device.version < (1, 1) for device in asked.judged.scope.devices),
    by_success=True,
)
for _hint in ("PRIORITY", "THROTTLE"):
    rules.untestable(
        f"CL_QUEUE_{_hint}_KHR/effect/1",
        "",
        "no query returns the value of a property that is not in the list",
    )
for _number, _words in (
    (1, ""),
    (2, ""),
):
    rules.untestable(
        f"clReleaseCommandQueue/effect/{_number}",
        _words,
        "a returned count is stale immediately, and a queue without references cannot be queried",
    )
