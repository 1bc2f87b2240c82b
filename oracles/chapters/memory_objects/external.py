"""Memory of other interfaces that is acquired and released (section 5.5.1.1): nobody here has any, only its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

FUNCTIONS = ("clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR")


@rules.clause(*(f"{function}/CL_INVALID_MEM_OBJECT/1" for function in FUNCTIONS))
def not_of_another_interface(call: Call, model: Model) -> Reply:
    """A memory object is none, or was not made of another interface's memory: no one here is."""
    del model
    return isinstance(call.mem_objects, Items) and bool(call.mem_objects.values)


@rules.clause(*(f"{function}/CL_INVALID_COMMAND_QUEUE/1" for function in FUNCTIONS))
def queue_not_for_them(call: Call, model: Model) -> Reply:
    """The queue is no valid one (NULL in any case), or its device is in no context of the memory objects."""
    reply = valid_object(call.command_queue, "cl_command_queue", model)
    if reply is not Answer.NO:
        return reply
    device = model.get(Queue, call.command_queue).device
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    owners = [thing.context for thing in map(model.known, listed) if isinstance(thing, ContextObject)]
    return any(owner is not None and owner.devices and device not in owner.devices for owner in owners)
