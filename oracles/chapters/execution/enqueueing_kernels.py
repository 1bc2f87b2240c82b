"""Effects of kernels that enqueue kernels, including their child kernels (section 3.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.clauses.launches import device_of
from clconform.oracles.chapters.execution.ranges import range_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Place, in_a_row, unknown
from clconform.oracles.engine.permitted import Listed
from clconform.oracles.model.enqueueing_kernels import ALONE, CHILDREN, ENQUEUED, WORDS
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, MASK, Elements
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import DeviceQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.enqueueing_kernels import EnqueueingKernel
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.world import Model

ENTRY = "blocks-of-a-kernel"
"""The interpretation that allows a block not to be enqueued."""
BY_CHILDREN = "elements of child kernels"
"""Evidence tag of memory that such a kernel wrote."""


def children_run(call: Call, kernel: Kernel, known: EnqueueingKernel, model: Model) -> MemoryEffect:
    """Return the effect of a kernel enqueue and its child kernels.

    Raise UnknownError for an unsupported range or argument, and ForbiddenError without a device queue on the device or
    if the kernel exceeds the buffer.
    """
    launch, argument = range_of(call), kernel.arguments.get(0)
    buffer = argument.object if argument is not None else None
    if launch.dimensions != 1 or any(launch.offset) or not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownError("launch")
    _needs_a_queue(call, kernel, known, model)
    size = launch.work_items * WORDS * ELEMENT_BYTES
    if size > buffer.memory.size:
        raise ForbiddenError("the kernel goes beyond the buffer")
    data, success = Place(buffer.memory.storage, buffer.memory.spans(0, size), buffer), f"{call.function}/success"

    def carry_out(_value: Element, _command: Command | None) -> None:
        data.put(lambda: _left(Elements(data.read()), launch.work_items, success))
        data.storage.ways = frozenset({BY_CHILDREN})

    return MemoryEffect((data,), (data,), carry_out=carry_out)


def _needs_a_queue(call: Call, kernel: Kernel, known: EnqueueingKernel, model: Model) -> None:
    """Raise ForbiddenError unless the kernel certainly has a device queue on its device."""
    device = device_of(call, model)
    if known.by_argument:
        argument = kernel.arguments.get(1)
        queues = [argument.object if argument is not None else None]
    else:
        names = kernel.context.defaults.get(device.name, []) if kernel.context is not None else []
        queues = [model.things.get(name) for name in names]
    if not queues or not all(_is_for(queue, device, kernel) for queue in queues):
        raise ForbiddenError("the kernel would have no device queue to put a block into")


def _is_for(queue: object, device: object, kernel: Kernel) -> bool:
    if not isinstance(queue, DeviceQueue) or queue.references < 1:
        return False
    return queue.device is device and queue.context is kernel.context


def _left(before: Elements, items: int, success: str) -> Content:
    return in_a_row([part for item in range(items) for part in (_told(success), _stored(before, item, success))])


def _told(success: str) -> Content:
    """Return the element that shows whether a block was enqueued; both values are accepted."""
    permitted = Listed(ELEMENT_BYTES, (), ENTRY, (ENQUEUED, ALONE))
    return Content(permitted.usual, bytes(ELEMENT_BYTES), [success] * ELEMENT_BYTES, ((0, permitted),))


def _stored(before: Elements, item: int, success: str) -> Content:
    """Return the elements that a block's work-items write."""
    return in_a_row([_element(before, item, child, success) for child in range(CHILDREN)])


def _element(before: Elements, item: int, child: int, success: str) -> Content:
    try:
        number = before[item * WORDS + 1 + child] * 3 + item * CHILDREN + child
    except UnknownError:
        return unknown(ELEMENT_BYTES)
    held = (number & MASK).to_bytes(ELEMENT_BYTES, "little")
    return Content(held, b"\1" * ELEMENT_BYTES, [success] * ELEMENT_BYTES)
