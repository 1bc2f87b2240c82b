"""Memory effects of kernels that enqueue child kernels (section 3.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.chapters.execution.nd_range import read_range
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, MemoryPlace, concatenate, unknown_bytes
from clconform.oracles.engine.tolerances import ListedTolerance
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES, MASK, Elements
from clconform.oracles.model.enqueueing_kernels import CHILDREN, ENQUEUED, NOT_ENQUEUED, WORDS
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import DeviceQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.enqueueing_kernels import EnqueueingKernel
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.state import Model

INTERPRETATION = "device-side-enqueue-failure"
"""The interpretation by which a kernel may fail to enqueue a block."""
CHILD_KERNELS_RAN = "elements of child kernels"
"""Evidence tag of memory that a kernel and its child kernels wrote."""


def run_child_kernels(call: Call, kernel: Kernel, known: EnqueueingKernel, model: Model) -> MemoryEffect:
    """Return the effect of a kernel enqueue and its child kernels.

    Raise UnknownFactError for an unsupported range or argument. Raise UndefinedBehaviourError if the device has no
    device queue, or if the kernel exceeds the buffer.
    """
    launch, argument = read_range(call), kernel.arguments.get(0)
    buffer = argument.object if argument is not None else None
    if launch.dimensions != 1 or any(launch.offset) or not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownFactError("launch")
    _require_device_queue(call, kernel, known, model)
    size = launch.work_items * WORDS * ELEMENT_BYTES
    if size > buffer.memory.size:
        raise UndefinedBehaviourError("the kernel goes beyond the buffer")
    data, success = MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer), f"{call.function}/success"

    def carry_out(_value: Element, _command: Command | None) -> None:
        data.write_lazily(lambda: _written_content(Elements(data.read()), launch.work_items, success))
        data.storage.used_capabilities = frozenset({CHILD_KERNELS_RAN})

    return MemoryEffect((data,), (data,), apply=carry_out)


def _require_device_queue(call: Call, kernel: Kernel, known: EnqueueingKernel, model: Model) -> None:
    """Raise UndefinedBehaviourError unless the kernel certainly has a device queue on its device."""
    device = executing_device(call, model)
    if known.takes_queue:
        argument = kernel.arguments.get(1)
        queues = [argument.object if argument is not None else None]
    else:
        names = kernel.context.default_queues.get(device.name, []) if kernel.context is not None else []
        queues = [model.objects.get(name) for name in names]
    if not queues or not all(_is_queue_of_device(queue, device, kernel) for queue in queues):
        raise UndefinedBehaviourError("the kernel would have no device queue to put a block into")


def _is_queue_of_device(queue: object, device: object, kernel: Kernel) -> bool:
    if not isinstance(queue, DeviceQueue) or queue.references < 1:
        return False
    return queue.device is device and queue.context is kernel.context


def _written_content(before: Elements, items: int, success: str) -> Content:
    return concatenate(
        [part for item in range(items) for part in (_enqueue_status(success), _child_elements(before, item, success))]
    )


def _enqueue_status(success: str) -> Content:
    """Return the element that shows whether a block was enqueued. Success and failure are both accepted."""
    permitted = ListedTolerance(ELEMENT_BYTES, (), INTERPRETATION, (ENQUEUED, NOT_ENQUEUED))
    return Content(permitted.preferred, bytes(ELEMENT_BYTES), [success] * ELEMENT_BYTES, ((0, permitted),))


def _child_elements(before: Elements, item: int, success: str) -> Content:
    """Return the elements that the work-items of a block write."""
    return concatenate([_child_element(before, item, child, success) for child in range(CHILDREN)])


def _child_element(before: Elements, item: int, child: int, success: str) -> Content:
    try:
        number = before[item * WORDS + 1 + child] * 3 + item * CHILDREN + child
    except UnknownFactError:
        return unknown_bytes(ELEMENT_BYTES)
    held = (number & MASK).to_bytes(ELEMENT_BYTES, "little")
    return Content(held, b"\1" * ELEMENT_BYTES, [success] * ELEMENT_BYTES)
