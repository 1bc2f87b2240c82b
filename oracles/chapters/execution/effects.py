"""What kernels that run do to memory (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.execution.reaching import nodes_worked_on, out_of_reach
from clconform.oracles.chapters.kernels.execution_info import reached_besides
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Place, Reach, by, wholes
from clconform.oracles.contents.unified import ATOMIC
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, run
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import PointedMemory
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.kernels import Argument
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clEnqueueNDRangeKernel", "clEnqueueTask")
def kernel_run(call: Call, model: Model) -> Promise:
    """Each work-item does the kernel's work once."""
    model.get(Kernel, call.kernel)
    return Promise()


@rules.effect("clEnqueueNDRangeKernel", "clEnqueueTask")
def elements_worked_on(call: Call, model: Model) -> MemoryEffect:
    """A known kernel makes one element of another for each work-item; of others nobody knows what they leave behind."""
    kernel = model.get(Kernel, call.kernel)
    used = [argument.used for argument in kernel.arguments.values()]
    if any(map(_gone, used)):
        raise ForbiddenError("an argument of the kernel is gone")
    queue = model.get(Queue, call.command_queue)
    known, items = kernel.known, _items(call)
    atomics = known is not None and known.atomics
    if any(out_of_reach(each, queue, model, atomics=atomics) for each in used):
        raise ForbiddenError("the queue's device need not be able to use an argument of the kernel")
    told = list(reached_besides(kernel, model))
    if any(map(_gone, told)):
        raise ForbiddenError("memory that the kernel was told of is gone")
    besides = wholes(told)
    if known is not None and known.walks and items is not None:
        return nodes_worked_on(call, known, items, besides, model)
    if known is None or known.operands is None or items is None:
        return _unforeseen(kernel, besides)
    source, target = (_elements(kernel.arguments.get(index), items) for index in known.operands)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(by(run(known, source.read()), f"{call.function}/success"))
        target.storage.ways = frozenset({ATOMIC} if known.atomics else ())

    return MemoryEffect((source, *besides), (target,), carry_out=carry_out)


def _gone(used: object) -> bool:
    """Tell whether the application has given back what it set as an argument: the kernel does not keep it."""
    owner = used.owner if isinstance(used, Reach) else used
    return isinstance(owner, ContextObject) and owner.references < 1


def _items(call: Call) -> int | None:
    """Return how many work-items run, counted from 0, or None where they are counted otherwise."""
    if call.function == "clEnqueueTask":
        return 1
    given = call.global_work_size
    sizes = [size for size in given.values if isinstance(size, int)] if isinstance(given, Items) else []
    return sizes[0] if len(sizes) == 1 and call.work_dim == 1 and call.global_work_offset is None else None


def _elements(argument: Argument | None, items: int) -> Place:
    """Return the first elements of a kernel's argument."""
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
