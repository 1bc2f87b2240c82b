"""Creates the calls that read all buffers and images between the calls of a replayed sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.crashes import can_finish
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.queues import HostQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model


def create_reads(model: Model) -> Iterator[Call]:
    """Yield a blocking read of each buffer and image whose contents the model knows, on a queue of the same context.

    Queues with commands that may never complete are not used, because the read would wait for these commands.
    """
    queues = {
        queue.context: Handle(queue.name) for queue in model.objects_of_class(HostQueue) if can_finish(queue, model)
    }
    for memory in (*model.objects_of_class(Buffer), *model.objects_of_class(Image)):
        queue = queues.get(memory.context)
        if queue is None or memory.references < 1 or memory.memory is None or not memory.memory.storage.is_kept:
            continue
        if isinstance(memory, Image):
            yield from _create_image_read(queue, memory)
        elif not isinstance(memory, SubBuffer):
            where: dict[str, Value] = {
                "command_queue": queue,
                "buffer": Handle(memory.name),
                "blocking_read": 1,
                "offset": 0,
            }
            yield Call("clEnqueueReadBuffer", {**where, "size": memory.size, **_output_arguments(memory.size)})


def _create_image_read(queue: Handle, image: Image) -> Iterator[Call]:
    width, height, depth = image.shape.extent
    size = width * height * depth * image.format.element_size
    if size:
        where: dict[str, Value] = {"command_queue": queue, "image": Handle(image.name), "blocking_read": 1}
        place: dict[str, Value] = {"origin": ElementList((0, 0, 0)), "region": ElementList((width, height, depth))}
        yield Call(
            "clEnqueueReadImage", {**where, **place, "row_pitch": 0, "slice_pitch": 0, **_output_arguments(size)}
        )


def _output_arguments(size: int) -> dict[str, Value]:
    return {"ptr": OutputBuffer(size), "num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
