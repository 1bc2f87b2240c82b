"""Add objects to the model that it cannot explain, and mark objects that may no longer be valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import function_of
from clconform.oracles.engine.wants import handles
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.events import Event
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointed_memory import PointedMemory
from clconform.oracles.model.programs import Build, BuildState, Program
from clconform.oracles.model.queues import Queue
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.model.scope import things_of
from clconform.oracles.model.semaphores import Semaphore

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model

KINDS: dict[str, type[ContextObject]] = {
    kind.type: kind
    for kind in (
        CommandBuffer,
        Event,
        Kernel,
        MemoryObject,
        MutableCommand,
        PointedMemory,
        Program,
        Queue,
        Sampler,
        Semaphore,
    )
}
"""Handle type to the model class for an object whose other state is unknown."""


def adopt(call: Call, outcome: Returned, model: Model, *, wrongly: bool = False) -> None:
    """Register new objects that the model cannot explain, so that they are released at the end.

    ``wrongly``: the call that created them should have failed, so they may be invalid.
    """
    function = function_of(call.function, model.tables.functions)
    if not function.creates:
        return
    made = [outcome.value] if function.returns == function.creates and isinstance(outcome.value, str) else []
    for parameter in function.parameters:
        if parameter.direction == "out" and parameter.base == function.creates and parameter.name in outcome.outputs:
            made += handles(outcome.outputs[parameter.name].values)
    for name in made:
        if name not in model.things:
            thing = _unknown(function.creates, str(name), call, model)
            thing.misused = wrongly
            model.add(thing)


def misuse(call: Call, model: Model) -> None:
    """Mark a call's objects as possibly invalid, because the call succeeded although it should have failed.

    Contexts and queues are exempt, since nearly all calls need them. So are queries, which change nothing.
    """
    function = function_of(call.function, model.tables.functions)
    if not function.queries:
        for thing in things_of(call, model):
            if isinstance(thing, ContextObject) and not isinstance(thing, Queue):
                thing.misused = True


def _unknown(type_name: str, name: str, call: Call, model: Model) -> ClObject:
    arguments = [model.known(value) for value in call.arguments.values()]
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
            tells_version=parent.tells_version,
            tells_extensions=parent.tells_extensions,
        )
    if type_name == "cl_context":
        return Context(name, tainted=True)
    kind = KINDS.get(type_name, ContextObject)
    made = kind(name, tainted=True, context=context)
    if isinstance(made, Queue):
        made.on = parent
    if isinstance(made, Program) and context is not None:
        made.built = list(context.devices)
        made.builds = {device.name: Build(BuildState.UNKNOWN, None) for device in context.devices}
    return made
