"""Adds objects to the model that calls created unexpectedly or without a rule; marks objects that may be invalid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import find_function
from clconform.oracles.engine.matchers import handle_names
from clconform.oracles.model.call_scope import objects_of
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.events import Event
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.oracles.model.programs import BuildState, Program, ProgramBuild
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.model.semaphores import Semaphore

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model

OBJECT_CLASSES: dict[str, type[ContextObject]] = {
    kind.type: kind
    for kind in (
        CommandBuffer,
        Event,
        Kernel,
        MemoryObject,
        MutableCommand,
        PointerMemory,
        Program,
        CommandQueue,
        Sampler,
        Semaphore,
    )
}
"""Handle type to the model class for an object in an unknown state."""


def adopt_objects(call: Call, outcome: Returned, model: Model, *, should_have_failed: bool = False) -> None:
    """Add to the model the objects that a call without a postcondition has created, so that they are released later.

    ``should_have_failed``: the call should have failed, so its objects may be invalid.
    """
    function = find_function(call.function, model.tables.functions)
    if not function.creates:
        return
    made = [outcome.value] if function.returns == function.creates and isinstance(outcome.value, str) else []
    for parameter in function.parameters:
        if parameter.direction == "out" and parameter.base == function.creates and parameter.name in outcome.outputs:
            made += handle_names(outcome.outputs[parameter.name].values)
    for name in made:
        if name not in model.objects:
            thing = _create_unmodelled(function.creates, str(name), call, model)
            thing.possibly_invalid = should_have_failed
            model.add(thing)


def mark_possibly_invalid(call: Call, model: Model) -> None:
    """Mark the objects in a call's arguments as possibly invalid: the call succeeded although it should have failed.

    Contexts and queues are exempt, since nearly all calls need them. Queries are exempt, since they do not change
    objects.
    """
    function = find_function(call.function, model.tables.functions)
    if not function.queries:
        for thing in objects_of(call, model):
            if isinstance(thing, ContextObject) and not isinstance(thing, CommandQueue):
                thing.possibly_invalid = True


def _create_unmodelled(type_name: str, name: str, call: Call, model: Model) -> ClObject:
    arguments = [model.find(value) for value in call.arguments.values()]
    parent = next((thing for thing in arguments if isinstance(thing, Device)), None)
    context = next((thing for thing in arguments if isinstance(thing, Context)), None)
    if type_name == "cl_device_id" and parent is not None:
        return Device(
            name,
            tainted=True,
            parent=parent,
            platform=parent.platform,
            version=parent.version,
            extensions=parent.extensions,
            reports_version=parent.reports_version,
            reports_extensions=parent.reports_extensions,
        )
    if type_name == "cl_context":
        return Context(name, tainted=True)
    kind = OBJECT_CLASSES.get(type_name, ContextObject)
    made = kind(name, tainted=True, context=context)
    if isinstance(made, CommandQueue):
        made.queue_device = parent
    if isinstance(made, Program) and context is not None:
        made.built_devices = list(context.devices)
        made.builds = {device.name: ProgramBuild(BuildState.UNKNOWN, None) for device in context.devices}
    return made
