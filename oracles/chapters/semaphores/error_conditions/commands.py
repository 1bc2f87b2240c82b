"""Error conditions of signaling, awaiting and releasing semaphores (sections 5.13.6 and 5.13.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.contexts import contexts_of, find_other_contexts
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.contents.semaphore_payloads import semaphores_in
from clconform.oracles.engine.predicate_result import NO, UNDEFINED, PredicateResult, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.semaphores import Semaphore
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1"
)
def has_invalid_semaphore(call: Call, model: Model) -> PredicateResult:
    """An element of sema_objects is NULL or not a valid semaphore."""
    if not isinstance(call.sema_objects, ElementList):
        return UNDEFINED if call.num_sema_objects else NO
    return strongest_result(is_invalid_object(each, "cl_semaphore_khr", model) for each in call.sema_objects.values)


@rules.alternatives_of(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_SEMAPHORE_KHR/1"
)
def find_invalid_semaphores(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of sema_objects that is NULL or not a valid semaphore."""
    return find_invalid_object("sema_objects", call.sema_objects, "cl_semaphore_khr", model)


@rules.clause(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3", "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/3"
)
def is_for_other_device(call: Call, model: Model) -> PredicateResult:
    """An element of sema_objects was created for devices that do not include the device of command_queue."""
    device = model.require(CommandQueue, call.command_queue).device
    named = [each.device_names for each in semaphores_in(call, model) if each.has_named_devices]
    if device is None:
        raise UnknownFactError("the device of the queue")
    return must_if(any(device.name not in names for names in named))


@rules.clause(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4", "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4"
)
def is_outside_context(call: Call, model: Model) -> PredicateResult:
    """The context of an element of sema_objects does not contain the device of command_queue."""
    device = model.require(CommandQueue, call.command_queue).device
    owners = [each.context for each in semaphores_in(call, model)]
    if device is None or any(owner is None or not owner.devices for owner in owners):
        raise UnknownFactError("devices")
    return must_if(any(owner is not None and device not in owner.devices for owner in owners))


@rules.clause("clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_CONTEXT/1")
def has_several_contexts(call: Call, model: Model) -> PredicateResult:
    """command_queue, sema_objects and the events in event_wait_list do not all belong to the same context."""
    given = (call.command_queue, call.sema_objects, call.event_wait_list)
    return must_if(len({each.name for value in given for each in contexts_of(value, model)}) > 1)


@rules.alternatives_of(
    "clEnqueueSignalSemaphoresKHR/CL_INVALID_CONTEXT/1", "clEnqueueWaitSemaphoresKHR/CL_INVALID_CONTEXT/1"
)
def find_semaphore_contexts(call: Call, model: Model) -> Iterator[str]:
    """Yield each object that belongs to a different context than command_queue."""
    return find_other_contexts(call, model, "command_queue", "sema_objects", "event_wait_list")


@rules.clause("clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/2", "clEnqueueWaitSemaphoresKHR/CL_INVALID_VALUE/2")
def lacks_payloads(call: Call, model: Model) -> PredicateResult:
    """sema_payload_list is NULL, and an element of sema_objects requires a payload."""
    if call.sema_payload_list is not None:
        return NO
    binary = model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR")
    if any(each.kind != binary for each in semaphores_in(call, model)):
        raise UnknownFactError("whether a semaphore needs a payload")
    return NO


@rules.clause("clEnqueueSignalSemaphoresKHR/usage/1")
def is_signaled_twice(call: Call, model: Model) -> PredicateResult:
    """A signal of an element of sema_objects has been enqueued, and a wait for it has not been enqueued since.

    A semaphore that occurs twice in sema_objects also violates this rule.
    """
    listed = semaphores_in(call, model)
    return must_if(_has_repeated(listed) or any(each.signaled_by is not None and not each.is_shared for each in listed))


@rules.clause("clEnqueueWaitSemaphoresKHR/usage/1")
def is_awaited_twice(call: Call, model: Model) -> PredicateResult:
    """A wait for an element of sema_objects has been enqueued, and a signal of it has not been enqueued since.

    A semaphore that occurs twice in sema_objects also violates this rule.
    """
    listed = semaphores_in(call, model)
    return must_if(
        _has_repeated(listed)
        or any(each.awaited_by is not None and each.signaled_by is None and not each.is_shared for each in listed)
    )


def _has_repeated(listed: list[Semaphore]) -> bool:
    """Return whether a list contains a semaphore twice."""
    return len({each.name for each in listed}) < len(listed)


@rules.clause("clReleaseSemaphoreKHR/usage/1")
def is_over_released(call: Call, model: Model) -> PredicateResult:
    """The application does not own a reference to sema_object."""
    thing = model.find(call.sema_object)
    return must_if(call.sema_object is not None and (thing is None or thing.references < 1))
