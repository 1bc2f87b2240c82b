"""Command-buffers, the commands recorded in them, and what both answer (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.oracles.engine.answers import UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Fresh, Promise
from clconform.oracles.model.world import Child
from clconform.oracles.recurring.making import exactly, made, release_child
from clconform.oracles.recurring.property_lists import list_echo, list_or_its_end

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.engine.wants import Element, Values, Want
    from clconform.oracles.model.world import Model

rules = Rules()

BUFFER, COMMAND = "cl_command_buffer_khr", "cl_mutable_command_khr"
STATE = "CL_COMMAND_BUFFER_STATE_KHR"
OF_A_KERNEL = ("KERNEL", "DIMENSIONS", "GLOBAL_WORK_OFFSET", "GLOBAL_WORK_SIZE", "LOCAL_WORK_SIZE")

for _name in OF_A_KERNEL:
    rules.untestable(
        f"CL_MUTABLE_DISPATCH_{_name}_KHR/effect/1",
        "a command that runs no kernel has no such answer",
        "only commands that run kernels have handles: asked for another's, its function fails",
    )


@rules.success("clCreateCommandBufferKHR")
def command_buffer_made(call: Call, model: Model) -> Promise:
    """A new command-buffer for exactly those queues, which records, and repeats its list of properties whole."""
    if not isinstance(call.queues, Items):
        raise UnknownError("no queues")
    queues = [model.child(value) for value in call.queues.values]
    context = queues[0].context if queues else None
    child = Child(BUFFER, "", context=context, parent=queues[0] if queues else None)
    child.echoes = {
        "CL_COMMAND_BUFFER_NUM_QUEUES_KHR": exactly(len(queues)),
        "CL_COMMAND_BUFFER_QUEUES_KHR": (tuple(queue.name for queue in queues),),
        "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR": list_or_its_end(call.properties),
        "CL_COMMAND_BUFFER_CONTEXT_KHR": exactly(context.name if context else None),
        STATE: exactly(model.value("CL_COMMAND_BUFFER_STATE_RECORDING_KHR")),
    }
    return made(BUFFER, call, model, child)


@rules.clause("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def finalized_before(call: Call, model: Model) -> Reply:
    """The command-buffer does not record any more."""
    recording = exactly(model.value("CL_COMMAND_BUFFER_STATE_RECORDING_KHR"))
    return model.child(call.command_buffer).echoes.get(STATE) != recording


@rules.success("clFinalizeCommandBufferKHR")
def command_buffer_finalized(call: Call, model: Model) -> Promise:
    """The command-buffer can be run, and records no more."""
    child = model.child(call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.echoes[STATE] = exactly(model.value("CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR"))

    return Promise(apply=apply)


@rules.success("clCommandNDRangeKernelKHR")
def kernel_recorded(call: Call, model: Model) -> Promise:
    """The command is recorded; its handle, where one is asked for, tells what it was recorded with."""
    parent, kernel = model.child(call.command_buffer), model.child(call.kernel)
    queue = call.command_queue.name if isinstance(call.command_queue, Handle) else None
    if queue is None and parent.parent is not None:
        queue = parent.parent.name
    child = Child(COMMAND, "", context=parent.context, parent=parent)
    child.echoes = {
        "CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR": exactly(queue),
        "CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR": exactly(parent.name),
        "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR": exactly(model.value("CL_COMMAND_NDRANGE_KERNEL")),
        "CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR": list_echo(call.properties),
        "CL_MUTABLE_DISPATCH_KERNEL_KHR": exactly(kernel.name),
        "CL_MUTABLE_DISPATCH_DIMENSIONS_KHR": exactly(call.work_dim),
        "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR": _sizes(call.global_work_offset, call.work_dim),
        "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR": _sizes(call.global_work_size, call.work_dim),
        "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR": _sizes(call.local_work_size, call.work_dim),
    }

    def apply(_value: Element, seen: dict[str, Values]) -> None:
        names = [name for name in seen.get("mutable_handle", []) if isinstance(name, str)]
        if names and isinstance(call.mutable_handle, Room):
            child.name = names[0]
            model.add(child)

    outputs: dict[str, Want] = {}
    if isinstance(call.mutable_handle, Room):
        records = ("clCommandNDRangeKernelKHR/success",)
        outputs["mutable_handle"] = Fresh(COMMAND, 1, 1, records, model.alive(COMMAND))
    return Promise(outputs=outputs, apply=apply)


def _sizes(given: object, dimensions: int) -> tuple[tuple[int | str | None, ...], ...]:
    """Return what is told of sizes or offsets: as they were given, and zeros where they were not."""
    values = given.values if isinstance(given, Items) else (0,) * dimensions
    return (tuple(value for value in values if isinstance(value, int)),)


@rules.success("clReleaseCommandBufferKHR")
def command_buffer_released(call: Call, model: Model) -> Promise:
    """The command-buffer has one reference less, and with the last one its commands go too."""
    child = model.child(call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references -= 1
        if child.references < 1:
            for thing in [one for one in model.things.values() if one.type == COMMAND]:
                if isinstance(thing, Child) and thing.parent is child:
                    model.drop(thing)
        release_child(child, model)

    return Promise(apply=apply)
