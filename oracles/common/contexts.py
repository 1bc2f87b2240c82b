"""Recurring conditions about contexts: objects of different contexts in a call, and devices outside a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, Predicate, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()


@rules.recurring_condition("context-mismatch", "{objects} do not all belong to the same context.")
@rules.recurring_condition("context-mismatch-if-given", "{0} is not NULL and belongs to a different context than {1}.")
def _build_context_mismatch(requirement: ErrorCondition) -> Predicate:
    names = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        contexts = {context.name for name in names for context in contexts_of(call.arguments.get(name), model)}
        return must_if(len(contexts) > 1)

    return holds


@rules.alternatives_of_kind("context-mismatch", "context-mismatch-if-given")
def find_context_mismatches(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield each object that belongs to a different context than the first object."""
    return find_other_contexts(call, model, *condition.condition.parameters)


def find_other_contexts(call: Call, model: Model, *names: str) -> Iterator[str]:
    """Yield each object in some parameters that belongs to a different context than the first object."""
    owners = [each for name in names for each in _placed_contexts(name, call.arguments.get(name), model)]
    for place, context in owners[1:]:
        first, wanted = owners[0]
        if context.name != wanted.name:
            yield f"{place} belongs to a different context than {first}"


def _placed_contexts(name: str, value: object, model: Model) -> Iterator[tuple[str, Context]]:
    """Yield the place and the context of each object in an argument, if the context is known.

    The place is ``name``, or ``name[index]`` in a list.
    """
    for index, one in enumerate(value.values if isinstance(value, ElementList) else (value,)):
        place = f"{name}[{index}]" if isinstance(value, ElementList) else name
        yield from ((place, context) for context in contexts_of(one, model))


def contexts_of(value: object, model: Model) -> list[Context]:
    """Return the known contexts of the objects in an argument."""
    things = [model.find(one) for one in (value.values if isinstance(value, ElementList) else (value,))]
    owners = [thing.context if isinstance(thing, ContextObject) else thing for thing in things]
    return [owner for owner in owners if isinstance(owner, Context)]


@rules.recurring_condition("device-of-context", "{0} is NULL, not a valid device, or not associated with {1}.")
def _build_device_of_context(requirement: ErrorCondition) -> Predicate:
    device, context = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        reply = is_invalid_object(call.arguments[device], "cl_device_id", model)
        if reply is not NO:
            return reply
        return is_unassociated(model.context(call.arguments[context]), model.device(call.arguments[device]))

    return holds


def is_unassociated(context: Context, device: Device) -> PredicateResult:
    """Return whether a device does not belong to a context; a sub-device may belong to it through an ancestor."""
    if not context.devices:
        return _is_not_of_type(context, device)
    if device in context.devices:
        return NO
    if any(ancestor in context.devices for ancestor in device.ancestors):
        by_fission = device.partition is not None and device.partition.function == "clCreateSubDevicesEXT"
        return NO if by_fission else may("associated-device")
    return MUST


def is_not_among(devices: Sequence[Device], device: Device) -> PredicateResult:
    """Return whether a device is not among the devices of a program; a sub-device of such a device may be accepted.

    If ``devices`` is empty, they are unknown, because the context was created by a device type.
    """
    if device in devices:
        return NO
    if not devices:
        return may("unknown-fact")
    return may("associated-device") if any(each in devices for each in device.ancestors) else MUST


def _is_not_of_type(context: Context, device: Device) -> PredicateResult:
    """Return whether a device does not belong to a context that was created by a device type.

    A root device of another type, and its sub-devices, do not belong to the context.
    """
    names = {candidate.name for candidate in context.candidates}
    if names and not names & {device.name, *(ancestor.name for ancestor in device.ancestors)}:
        return MUST
    return NO if context.candidates == [device] else may("unknown-fact")


@rules.alternatives_of_kind("device-of-context")
def find_device_violation(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds: the device is NULL, invalid, or not associated with the context."""
    device, context = condition.condition.parameters
    yield from find_invalid_or_other(
        device, call.arguments[device], "cl_device_id", model, f"associated with {context}"
    )


def find_invalid_or_other(name: str, value: object, type_name: str, model: Model, wanted: str) -> Iterator[str]:
    """Yield that a parameter is NULL or not a valid object, or otherwise that the object is not what is wanted."""
    yield from list(find_invalid_object(name, value, type_name, model)) or [f"{name} is not {wanted}"]
