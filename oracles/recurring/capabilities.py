"""Calls that need a capability that the device of a queue, or every device of a context, lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()

QUERIES = {
    "SVM": ("CL_DEVICE_SVM_CAPABILITIES",),
    "images": ("CL_DEVICE_IMAGE_SUPPORT",),
    "pipes": ("CL_DEVICE_PIPE_SUPPORT",),
    "IL": ("CL_DEVICE_IL_VERSION", "CL_DEVICE_IL_VERSION_KHR"),
}
"""Capability to the query that is zero or empty on a device that lacks it: the core's, then the extension's."""


@rules.recurring("unsupported-by-device", "The device of {0} does not support {lacking}.")
def _unsupported(record: ErrorClause) -> Predicate:
    (name,) = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        queue = model.known(call.arguments[name])
        if not isinstance(queue, Queue) or queue.device is None:
            return _lacking_everywhere(record, model)
        return any(lacks(queue.device, capability) for capability in record.condition.values)

    return holds


@rules.recurring("unsupported-by-all-devices", "No device of {0} supports {lacking}.")
def _unsupported_by_all(record: ErrorClause) -> Predicate:
    (name,) = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        if model.known(call.arguments[name]) is None:
            return _lacking_everywhere(record, model)
        devices = model.context(call.arguments[name]).devices
        if not devices:
            return May("unknown-fact")
        return all(lacks(device, capability) for device in devices for capability in record.condition.values)

    return holds


def _lacking_everywhere(record: ErrorClause, model: Model) -> Reply:
    """Return whether none of the platforms' devices could support a call whose objects do not identify a device."""
    devices = model.root_devices()
    nobody = all(lacks(device, capability) for device in devices for capability in record.condition.values)
    return May("feature-of-nobody") if devices and nobody else Answer.NO


def lacks(device: Device, capability: str) -> bool:
    """Return whether a device reports that it lacks a capability; UnknownError if it was not queried."""
    told = told_of(device, capability)
    if told is None:
        raise UnknownError(capability)
    return told in (0, "")


def told_of(device: Device, capability: str) -> Fact | None:
    """Return a device's value for a capability, by the core's query or else the extension's; None if unknown."""
    return next((device.facts[name] for name in QUERIES[capability] if name in device.facts), None)
