"""Invalid calls that the driver has accepted: the objects that later calls must not use.

A document does not define the use of an object or a state that an accepted invalid call has created. A session refuses
such a use; otherwise a crash of the driver would be caused by the calls of this project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.values import find_handles
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import handle_names
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call, Returned
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import Function

UNDEFINED_USE_IF_ACCEPTED = frozenset(
    {
        "argument-of-another-context",
        "default-queue-of-another-context",
        "depth-image-argument",
        "exec-info-pointer-outside-allocation",
        "handle-of-other-type",
        "host-queue-as-default",
        "invalid-image-descriptors-in-3.1",
        "memory-limits-of-arguments",
        "pointer-for-local-memory",
        "read-write-image-argument",
        "rectangle-offset-overflow",
        "svm-pointer-outside-allocation",
        "undefined-or-vendor-format",
        "usm-argument-not-pointer",
        "usm-memory-of-another-context",
        "usm-pointer-outside-allocation",
    }
)
"""The interpretations by which a call may succeed, although no document then defines the use of its result."""
ENQUEUE_PREFIX, COMMAND_PREFIX, EVENT_TYPE = "clEnqueue", "clCommand", "cl_event"
PERMANENT = (Device, Platform)
"""The classes of objects that an accepted call does not make unusable."""


def is_use_undefined(expectation: Expectation, observed: str) -> bool:
    """Return whether a call succeeded so that no document defines the use of its result.

    Either the call should have failed, or it may fail and only some readings define the use of its result.
    """
    if observed != SUCCESS or expectation.call.function in HOST_ACTIONS:
        return False
    return bool(expectation.required_errors) or any(
        held.interpretation in UNDEFINED_USE_IF_ACCEPTED for held in expectation.optional_errors
    )


def mark_unusable(expectation: Expectation, outcome: Returned, model: Model) -> None:
    """Mark the objects that later calls must not use after a call for which ``is_use_undefined`` is true.

    If the call should have failed, these are the objects that it has created, and those that it may have changed.
    Otherwise only the objects that it has created, and the queue of a command.
    """
    call = expectation.call
    function = model.tables.functions[call.function]
    if function.queries:
        return
    names = [name for name in _created_names(function, outcome) if not _is_root(model.objects.get(name))]
    should_have_failed = bool(expectation.required_errors or expectation.implementation_defined)
    for name, thing in _named_objects(call, model):
        if thing is None or _may_have_changed(thing, function, should_have_failed=should_have_failed):
            names.append(name)
    model.unusable_objects.update(dict.fromkeys(names, call.function))


def _is_root(thing: ClObject | None) -> bool:
    """Return whether an object is a platform or a root device, which no call creates."""
    return isinstance(thing, Platform) or (isinstance(thing, Device) and thing.is_root)


def _created_names(function: Function, outcome: Returned) -> Iterator[str]:
    """Yield the names of the objects and of the memory that a call has created."""
    if isinstance(outcome.value, str):
        yield outcome.value
    for parameter in function.parameters:
        creates = parameter.base in (function.creates, EVENT_TYPE) and parameter.direction == "out"
        if creates and parameter.name in outcome.outputs:
            yield from handle_names(outcome.outputs[parameter.name].values)


def _named_objects(call: Call, model: Model) -> Iterator[tuple[str, ClObject | None]]:
    """Yield the name of each handle and each pointer in the arguments of a call, with its object or None."""
    for value in call.arguments.values():
        for handle in find_handles(value):
            yield handle.name, model.objects.get(handle.name)


def _may_have_changed(thing: ClObject, function: Function, *, should_have_failed: bool) -> bool:
    """Return whether an accepted call may have changed an object in its arguments.

    Calls that create objects do not change a context or a queue, but an enqueued command remains in its queue.
    """
    if isinstance(thing, PERMANENT):
        return False
    enqueues = function.name.startswith(ENQUEUE_PREFIX)
    if isinstance(thing, CommandQueue) and enqueues:
        return True
    if isinstance(thing, Context | CommandQueue) and (function.creates or not should_have_failed):
        return False
    return should_have_failed


def exclude_unusable(expectation: Expectation, model: Model) -> Expectation:
    """Return the expectation of an undefined call if a call uses the result of an accepted invalid call."""
    unusable = "" if expectation.undefined else describe_unusable(expectation.call, model)
    return msgspec.structs.replace(expectation, undefined=unusable) if unusable else expectation


def describe_unusable(call: Call, model: Model) -> str:
    """Return why a call would use the result of an invalid call that the driver has accepted; empty if it does not."""
    if not model.unusable_objects:
        return ""
    for name, thing in _named_objects(call, model):
        for used in (name, *(each.name for each in _objects_behind(thing, call))):
            if used in model.unusable_objects:
                return f"it uses {used}, which {model.unusable_objects[used]} accepted in a call that is invalid"
    return ""


def _is_kernel_command(call: Call) -> bool:
    """Return whether a call enqueues or records a kernel."""
    return "kernel" in call.arguments and call.function.startswith((ENQUEUE_PREFIX, COMMAND_PREFIX))


def _objects_behind(thing: ClObject | None, call: Call) -> Iterator[ClObject]:
    """Yield the objects that a call also uses if it uses an object: parents, and the arguments of enqueued kernels."""
    parent = thing.parent if isinstance(thing, ContextObject) else None
    while parent is not None:
        yield parent
        parent = parent.parent
    if isinstance(thing, Kernel) and _is_kernel_command(call):
        yield from thing.used_objects
    if isinstance(thing, CommandBuffer):
        for command in thing.commands:
            for used in command.objects.values():
                yield used
                if isinstance(used, Kernel):
                    yield from used.used_objects
