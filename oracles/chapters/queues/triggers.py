"""Which calls put what section 5.1 says beside its clauses to the test, and what none can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.contexts.triggers import made_with
from clconform.oracles.chapters.queues.clauses import BY_LIST, DEFAULT, ENQUEUE, ON_DEVICE, Wish
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.spec_tables.records import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
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


def _made_with_bit(name: str) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.code == "CL_SUCCESS" and bool(asked.call.properties & asked.model.value(name))


def _same_default(asked: AnsweredCall) -> bool:
    """Return whether a default queue is asked for where the device has one already."""
    context, device = asked.model.known(asked.call.context), asked.model.known(asked.call.device)
    if asked.code != "CL_SUCCESS" or not isinstance(context, Context) or not isinstance(device, Device):
        return False
    wanted = Wish(asked.call, asked.model).has(DEFAULT)
    return wanted and any(name in asked.model.things for name in context.defaults.get(device.name, []))


def _refused_with(capabilities: int) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that a device of 3.0 with these capabilities is asked to replace its default queue."""

    def holds(asked: AnsweredCall) -> bool:
        device = asked.model.known(asked.call.device)
        if not isinstance(device, Device) or device.version < (3, 0):
            return False
        return device.number(ENQUEUE) == capabilities and asked.code in ("CL_SUCCESS", "CL_INVALID_OPERATION")

    return holds
