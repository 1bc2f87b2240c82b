"""What kernels reach by addresses: those of their arguments, and those that lie in memory which they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.execution_info import ways_to
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.geometry import shared_bytes
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import POINTER_BYTES, Reach, by
from clconform.oracles.contents.unified import SYSTEM, usable_by
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, run
from clconform.oracles.model.pointed_memory import HostArea, PointedMemory, SvmAllocation, UsmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.capabilities import lacks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.known_kernels import KnownKernel
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1", "clEnqueueTask/CL_INVALID_OPERATION/1")
def addresses_of_no_use(call: Call, model: Model) -> Reply:
    """An argument is an address of shared virtual memory or of the host's own, and the device shares no such memory."""
    device = model.get(Queue, call.command_queue).device
    arguments = model.get(Kernel, call.kernel).arguments.values()
    if device is None or any(each.is_unknown for each in arguments):
        raise UnknownError("an address")
    owners = [each.reach.owner for each in arguments if each.reach is not None]
    if any(isinstance(owner, SvmAllocation) for owner in owners) and lacks(device, "SVM"):
        return Answer.MUST
    if all(isinstance(owner, SvmAllocation | UsmAllocation) for owner in owners) or _shares_all(device, model):
        return Answer.NO
    return May("the-host's-own-by-unified") if device.facts.get(SYSTEM) else Answer.MUST


def _shares_all(device: Device, model: Model) -> bool:
    """Tell whether a device shares all memory of the host as shared virtual memory."""
    return bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"))


def nodes_worked_on(
    call: Call, known: KnownKernel, items: int, besides: tuple[Place, ...], model: Model
) -> MemoryEffect:
    """Return the work of a kernel that walks along a list: it reads each node's address, and works on its elements."""
    kernel, queue = model.get(Kernel, call.kernel), model.get(Queue, call.command_queue)
    nodes = list(_nodes(kernel, queue, items, model))
    links = tuple(node.place(((0, POINTER_BYTES),)) for node in nodes)
    bodies = tuple(_body(node, items) for node in nodes)
    ways = [frozenset() if _is_argument(node, kernel) else ways_to(node.owner, kernel) for node in nodes]

    def carry_out(_value: Element, _command: Command | None) -> None:
        for body, names in zip(bodies, ways, strict=True):
            body.write(by(run(known, body.read()), f"{call.function}/success"))
            body.storage.ways = names

    return MemoryEffect((*links, *besides), bodies, carry_out=carry_out)


def out_of_reach(used: object, queue: Queue, model: Model, *, atomics: bool = False) -> bool:
    """Tell whether an argument leads into unified memory that the queue's device need not be able to use."""
    if not isinstance(used, Reach) or queue.device is None:
        return False
    if not isinstance(used.owner, UsmAllocation | HostArea):
        return False
    return not usable_by(used.owner, queue.device, model, atomics=atomics)


def _nodes(kernel: Kernel, queue: Queue, items: int, model: Model) -> Iterator[Reach]:
    """Yield the nodes of a list; ForbiddenError where one may not be reached, or nothing says what comes of it."""
    before: list[Place] = []
    node = _first(kernel)
    while node is not None:
        if not _is_argument(node, kernel) and not ways_to(node.owner, kernel):
            raise ForbiddenError("the kernel was not told of memory that it would reach")
        if out_of_reach(node, queue, model):
            raise ForbiddenError("the queue's device need not be able to use memory that the kernel would reach")
        if node.offset % POINTER_BYTES or _alignment(node) % POINTER_BYTES:
            raise ForbiddenError("an address would lie where none can")
        whole = node.place(((0, POINTER_BYTES + ELEMENT_BYTES * items),))
        if any(one.storage is whole.storage and shared_bytes(one.spans, whole.spans) for one in before):
            raise ForbiddenError("the kernel would come to the same memory again")
        before.append(whole)
        yield node
        node = _next(node, model)


def _first(kernel: Kernel) -> Reach | None:
    argument = kernel.arguments.get(0)
    if argument is not None and argument.object is not None:
        raise ForbiddenError("the list would begin in a memory object")
    return argument.reach if argument is not None else None


def _alignment(node: Reach) -> int:
    """Return what the address of a node's memory is a multiple of in any case, 0 where that is not known."""
    return node.owner.alignment if isinstance(node.owner, PointedMemory) else 0


def _next(node: Reach, model: Model) -> Reach | None:
    try:
        value = node.place(((0, POINTER_BYTES),)).pointer()
        return None if value is None else reach(value, model)
    except UnknownError:
        raise ForbiddenError("what the kernel would go on to need be no address") from None


def _is_argument(node: Reach, kernel: Kernel) -> bool:
    reached = (each.reach for each in kernel.arguments.values())
    return any(each is not None and each.owner is node.owner for each in reached)


def _body(node: Reach, items: int) -> Place:
    """Return the elements of a node: behind the address of the next one."""
    return node.place(((POINTER_BYTES, ELEMENT_BYTES * items),) if items else ())
