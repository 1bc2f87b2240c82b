"""Recurring conditions about a capability that the device of a queue, or every device of a context, lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.predicate_result import NO, Predicate, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()

CAPABILITY_QUERIES = {
    "SVM": ("CL_DEVICE_SVM_CAPABILITIES",),
    "images": ("CL_DEVICE_IMAGE_SUPPORT",),
    "pipes": ("CL_DEVICE_PIPE_SUPPORT",),
    "IL": ("CL_DEVICE_IL_VERSION", "CL_DEVICE_IL_VERSION_KHR"),
}
"""Capability to the core query, and that of an extension; a device without the capability returns 0 or nothing."""


@rules.recurring_condition("unsupported-by-device", "The device of {0} does not support {lacking}.")
def _build_unsupported(requirement: ErrorCondition) -> Predicate:
    (name,) = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        queue = model.find(call.arguments[name])
        if not isinstance(queue, CommandQueue) or queue.device is None:
            return _is_unsupported_everywhere(requirement, model)
        return must_if(any(lacks_capability(queue.device, capability) for capability in requirement.condition.values))

    return holds


@rules.recurring_condition("unsupported-by-all-devices", "No device of {0} supports {lacking}.")
def _build_unsupported_by_all(requirement: ErrorCondition) -> Predicate:
    (name,) = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        if model.find(call.arguments[name]) is None:
            return _is_unsupported_everywhere(requirement, model)
        devices = model.context(call.arguments[name]).devices
        if not devices:
            return may("unknown-fact")
        return must_if(
            all(
                lacks_capability(device, capability)
                for device in devices
                for capability in requirement.condition.values
            )
        )

    return holds


def _is_unsupported_everywhere(requirement: ErrorCondition, model: Model) -> PredicateResult:
    """Return whether a call without a valid object may fail because every root device lacks a capability."""
    devices = model.root_devices()
    no_support = all(
        lacks_capability(device, capability) for device in devices for capability in requirement.condition.values
    )
    return may("feature-unsupported-everywhere") if devices and no_support else NO


def lacks_capability(device: Device, capability: str) -> bool:
    """Return whether a device reports that it lacks a capability; UnknownFactError if it was not queried."""
    told = reported_value(device, capability)
    if told is None:
        raise UnknownFactError(capability)
    return told in (0, "")


def reported_value(device: Device, capability: str) -> Fact | None:
    """Return the value that a device reports for a capability, by the core or the extension query; None if unknown."""
    return next((device.facts[name] for name in CAPABILITY_QUERIES[capability] if name in device.facts), None)
