"""Effects of kernels on memory (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.execution.clauses.launches import device_of
from clconform.oracles.chapters.execution.enqueueing_kernels import children_run
from clconform.oracles.chapters.execution.image_kernels import image_worked_on
from clconform.oracles.chapters.execution.range_kernels import range_worked_on
from clconform.oracles.chapters.execution.ranges import is_empty
from clconform.oracles.chapters.kernels.execution_info import reached_besides, ways_to
from clconform.oracles.chapters.kernels.told_arguments import arguments_told
from clconform.oracles.chapters.memory_model.litmus import instances_tried
from clconform.oracles.chapters.pipes.packets import through_a_pipe
from clconform.oracles.chapters.programs.constants import constants_told
from clconform.oracles.chapters.programs.told_options import options_told
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.geometry import shared_bytes
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import POINTER_BYTES, Place, Reach, by, wholes
from clconform.oracles.contents.unified import ATOMIC, usable_by
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.kernels import BY_ADDRESS, SET_AT_ONCE, Kernel
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, run
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.option_kernels import TELL_OPTIONS
from clconform.oracles.model.pipe_kernels import PACKETS, PIPE_KERNELS
from clconform.oracles.model.pointed_memory import HostArea, PointedMemory, UsmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.oracles.model.spirv import TELL_CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.kernels import Argument
    from clconform.oracles.model.known_kernels import KnownKernel
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.effect("clEnqueueNativeKernel")
def buffers_looked_at(call: Call, model: Model) -> MemoryEffect:
    """Read the buffers in mem_list: the native kernels of the suites do not write."""
    listed = call.mem_list.values if isinstance(call.mem_list, Items) else ()
    return MemoryEffect(reads=wholes(map(model.known, listed)))


@rules.effect("clEnqueueNDRangeKernel", "clEnqueueTask")
def elements_worked_on(call: Call, model: Model) -> MemoryEffect:
    """Compute one output element per work-item for a known kernel; the effect of other kernels is unknown."""
    kernel = model.get(Kernel, call.kernel)
    used = [argument.used for argument in kernel.arguments.values()]
    if kernel.doubtful or any(map(_gone, used)):
        raise ForbiddenError("an argument of the kernel is gone, or it is open what it is")
    if is_empty(call):
        return MemoryEffect()
    queue = model.get(Queue, call.command_queue)
    known, items = kernel.known, _items(call)
    if kernel.ours in PIPE_KERNELS and items == 1:
        used_first = kernel.arguments[0].used if 0 in kernel.arguments else None
        data = _elements(kernel.arguments.get(1), PACKETS)
        return through_a_pipe(PIPE_KERNELS[kernel.ours], used_first, data, f"{call.function}/success")
    atomics = known is not None and known.atomics
    if any(out_of_reach(each, queue, model, atomics=atomics) for each in used):
        raise ForbiddenError("the queue's device need not be able to use an argument of the kernel")
    told = list(reached_besides(kernel, model))
    if any(map(_gone, told)):
        raise ForbiddenError("memory that the kernel was told of is gone")
    besides = wholes(told)
    told_of = _by_its_family(call, kernel, items, besides, model)
    if told_of is not None:
        return told_of
    if known is not None and known.walks and items is not None:
        return nodes_worked_on(call, known, items, besides, model)
    if known is None or known.operands is None or items is None:
        return _unforeseen(kernel, besides)
    source, target = (_elements(kernel.arguments.get(index), items) for index in known.operands)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(by(run(known, source.read()), f"{call.function}/success"))
        target.storage.ways = frozenset({ATOMIC} if known.atomics else ()) | (kernel.shows & {SET_AT_ONCE, BY_ADDRESS})

    return MemoryEffect((source, *besides), (target,), carry_out=carry_out)


def _by_its_family(
    call: Call, kernel: Kernel, items: int | None, besides: tuple[Place, ...], model: Model
) -> MemoryEffect | None:
    """Return the effect of a kernel with a model of its own; None for any other kernel.

    These are kernels over ranges and images, litmus kernels, kernels that enqueue kernels, and kernels that write their
    arguments or options to a buffer.
    """
    try:
        if kernel.ours in LITMUS_KERNELS:
            return instances_tried(call, kernel, LITMUS_KERNELS[kernel.ours])
        if kernel.ours in RANGE_KERNELS:
            return range_worked_on(call, kernel, RANGE_KERNELS[kernel.ours], model)
        if kernel.ours in ENQUEUEING_KERNELS:
            return children_run(call, kernel, ENQUEUEING_KERNELS[kernel.ours], model)
        if kernel.ours == TELL_OPTIONS.name and items == 1:
            return options_told(kernel, device_of(call, model), f"{call.function}/success")
        if kernel.ours == TELL_CONSTANTS and items == 1:
            return constants_told(kernel, device_of(call, model), f"{call.function}/success")
        if kernel.over_images is not None and items is not None:
            return image_worked_on(call, kernel, kernel.over_images, items, model)
    except UnknownError:
        return _unforeseen(kernel, besides)
    told_by = ARGUMENT_KERNELS.get(kernel.ours) if kernel.parameters is not None and items == 1 else None
    if told_by is not None and told_by.words:
        return arguments_told(kernel, told_by, f"{call.function}/success")
    return None


def _gone(used: object) -> bool:
    """Return whether the application has released the object of an argument, which the kernel does not retain."""
    owner = used.owner if isinstance(used, Reach) else used
    return isinstance(owner, ContextObject) and owner.references < 1


def _items(call: Call) -> int | None:
    """Return the number of work-items of a one-dimensional range without an offset, None for any other range."""
    if call.function == "clEnqueueTask":
        return 1
    given = call.global_work_size
    sizes = [size for size in given.values if isinstance(size, int)] if isinstance(given, Items) else []
    return sizes[0] if len(sizes) == 1 and call.work_dim == 1 and call.global_work_offset is None else None


def _elements(argument: Argument | None, items: int) -> Place:
    """Return the place of the first elements of a kernel's argument."""
    spans = ((0, ELEMENT_BYTES * items),) if items else ()
    used = argument.used if argument is not None else None
    if isinstance(used, Reach):
        return used.place(spans)
    if isinstance(used, Buffer | PointedMemory) and used.memory is not None:
        if ELEMENT_BYTES * items > used.memory.size:
            raise ForbiddenError("the kernel goes beyond the buffer")
        return Place(used.memory.storage, used.memory.moved(spans), used)
    raise UnknownError("argument")


def _unforeseen(kernel: Kernel, besides: tuple[Place, ...]) -> MemoryEffect:
    used = [argument.used for argument in kernel.arguments.values()]
    given = [each.owner if isinstance(each, Reach) else each for each in used]
    places = (*wholes(given), *besides)

    def carry_out(_value: Element, _command: Command | None) -> None:
        for place in places:
            place.storage.forget(place.spans)

    return MemoryEffect(writes=places, carry_out=carry_out)


def nodes_worked_on(
    call: Call, known: KnownKernel, items: int, besides: tuple[Place, ...], model: Model
) -> MemoryEffect:
    """Return the effect of a kernel that walks along a linked list and changes each node's elements."""
    kernel, queue = model.get(Kernel, call.kernel), model.get(Queue, call.command_queue)
    nodes = list(_nodes(kernel, queue, items, model))
    links = tuple(node.place(((0, POINTER_BYTES),)) for node in nodes)
    bodies = tuple(_body(node, items) for node in nodes)
    device = device_of(call, model)
    ways = [frozenset() if _is_argument(node, kernel) else ways_to(node.owner, kernel, device, model) for node in nodes]

    def carry_out(_value: Element, _command: Command | None) -> None:
        for body, names in zip(bodies, ways, strict=True):
            body.write(by(run(known, body.read()), f"{call.function}/success"))
            body.storage.ways = names

    return MemoryEffect((*links, *besides), bodies, carry_out=carry_out)


def out_of_reach(used: object, queue: Queue, model: Model, *, atomics: bool = False) -> bool:
    """Return whether an argument points into unified memory that the queue's device may be unable to access."""
    if not isinstance(used, Reach) or queue.device is None:
        return False
    if not isinstance(used.owner, UsmAllocation | HostArea):
        return False
    return not usable_by(used.owner, queue.device, model, atomics=atomics)


def _nodes(kernel: Kernel, queue: Queue, items: int, model: Model) -> Iterator[Reach]:
    """Yield the nodes of a list; ForbiddenError if a node is not accessible or the result is undefined."""
    before: list[Place] = []
    node = _first(kernel)
    while node is not None:
        if queue.device is None:
            raise UnknownError("the queue's device")
        if not _is_argument(node, kernel) and not ways_to(node.owner, kernel, queue.device, model):
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
    """Return the guaranteed alignment of a node's memory, 0 if it is not known."""
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
    """Return the elements of a node, which follow the address of the next node."""
    return node.place(((POINTER_BYTES, ELEMENT_BYTES * items),) if items else ())
