"""Memory effects of kernel enqueues (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.execution.enqueueing_kernel_effects import run_child_kernels
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.chapters.execution.image_kernel_effects import run_image_kernel
from clconform.oracles.chapters.execution.nd_range import is_empty
from clconform.oracles.chapters.execution.range_kernel_effects import run_range_kernel
from clconform.oracles.chapters.kernels.argument_echo import argument_echo_effect
from clconform.oracles.chapters.kernels.execution_info import access_paths, indirectly_accessible
from clconform.oracles.chapters.kernels.limit_effects import limit_kernel_effect
from clconform.oracles.chapters.memory_model.litmus import litmus_effect
from clconform.oracles.chapters.pipes.packets import pipe_effect
from clconform.oracles.chapters.programs.constants import constant_echo_effect
from clconform.oracles.chapters.programs.option_echo import option_echo_effect
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.geometry import overlaps
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import MemoryPlace, PointerTarget, attribute_to, whole_places
from clconform.oracles.contents.usm import ATOMIC, is_usable_by
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES, NODE_LINK_BYTES, run_kernel
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.kernels import SET_BY_ADDRESS, SET_CONCURRENTLY, Kernel
from clconform.oracles.model.limit_kernels import find_limit_kernel
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.option_kernels import ECHO_OPTIONS
from clconform.oracles.model.pipe_kernels import PACKETS, PIPE_KERNELS
from clconform.oracles.model.pointer_memory import HostArea, PointerMemory, UsmAllocation
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.oracles.model.spirv import ECHO_CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.buffer_kernels import BufferKernel
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import KernelArgument
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.memory_effect("clEnqueueNativeKernel")
def read_native_kernel_buffers(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueNativeKernel: it reads the buffers in mem_list.

    The native kernels of the suites do not write.
    """
    listed = call.mem_list.values if isinstance(call.mem_list, ElementList) else ()
    return MemoryEffect(reads=whole_places(map(model.find, listed)))


@rules.memory_effect("clEnqueueNDRangeKernel", "clEnqueueTask")
def execute_kernel(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of a kernel enqueue, computed for the kernels of the suites.

    Any other kernel writes unknown bytes to the memory of its arguments. Raise UndefinedBehaviourError if the kernel
    may use memory that is released, inaccessible or too small.
    """
    kernel = model.get(Kernel, call.kernel)
    used = [argument.used_memory for argument in kernel.arguments.values()]
    if kernel.uncertain_arguments or any(map(_is_released, used)):
        raise UndefinedBehaviourError("an argument of the kernel is gone, or it is open what it is")
    if is_empty(call):
        return MemoryEffect()
    _require_local_memory(kernel)
    queue = model.get(CommandQueue, call.command_queue)
    known, items = kernel.buffer_kernel, _count_work_items(call)
    if kernel.suite_kernel_name in PIPE_KERNELS and items == 1:
        used_first = kernel.arguments[0].used_memory if 0 in kernel.arguments else None
        data = _argument_elements(kernel.arguments.get(1), PACKETS)
        return pipe_effect(PIPE_KERNELS[kernel.suite_kernel_name], used_first, data, f"{call.function}/success")
    atomics = known is not None and known.uses_atomics
    if any(is_inaccessible(each, queue, model, atomics=atomics) for each in used):
        raise UndefinedBehaviourError("the queue's device need not be able to use an argument of the kernel")
    told = list(indirectly_accessible(kernel, model))
    if any(map(_is_released, told)):
        raise UndefinedBehaviourError("memory that the kernel was told of is gone")
    besides = whole_places(told)
    told_of = _run_modelled_kernel(call, kernel, items, besides, model)
    if told_of is not None:
        return told_of
    if known is not None and known.walks_list and items is not None:
        return run_list_kernel(call, known, items, besides, model)
    if known is None or known.operands is None or items is None:
        return _write_unknown(kernel, besides)
    source, target = (_argument_elements(kernel.arguments.get(index), items) for index in known.operands)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write(attribute_to(run_kernel(known, source.read()), f"{call.function}/success"))
        target.storage.used_capabilities = frozenset({ATOMIC} if known.uses_atomics else ()) | (
            kernel.covered_requirements & {SET_CONCURRENTLY, SET_BY_ADDRESS}
        )

    return MemoryEffect((source, *besides), (target,), apply=carry_out)


def _require_local_memory(kernel: Kernel) -> None:
    if kernel.has_too_little_local_memory:
        raise UndefinedBehaviourError("an argument in local memory is smaller than one element")


def _run_modelled_kernel(
    call: Call, kernel: Kernel, items: int | None, besides: tuple[MemoryPlace, ...], model: Model
) -> MemoryEffect | None:
    """Return the effect of a special kernel of the suites; None for any other kernel.

    Special kernels work on ranges and images, run litmus tests, enqueue kernels, or write their arguments or options to
    a buffer.
    """
    try:
        if kernel.suite_kernel_name in LITMUS_KERNELS:
            return litmus_effect(call, kernel, LITMUS_KERNELS[kernel.suite_kernel_name])
        if kernel.suite_kernel_name in RANGE_KERNELS:
            return run_range_kernel(call, kernel, RANGE_KERNELS[kernel.suite_kernel_name], model)
        if kernel.suite_kernel_name in ENQUEUEING_KERNELS:
            return run_child_kernels(call, kernel, ENQUEUEING_KERNELS[kernel.suite_kernel_name], model)
        if kernel.suite_kernel_name == ECHO_OPTIONS.name and items == 1:
            return option_echo_effect(kernel, executing_device(call, model), f"{call.function}/success")
        if kernel.suite_kernel_name == ECHO_CONSTANTS and items == 1:
            return constant_echo_effect(kernel, executing_device(call, model), f"{call.function}/success")
        limited = find_limit_kernel(kernel.suite_kernel_name)
        if limited is not None and items == 1:
            return limit_kernel_effect(kernel, limited, f"{call.function}/success", model)
        if kernel.image_kernel is not None and items is not None:
            return run_image_kernel(call, kernel, kernel.image_kernel, items, model)
    except UnknownFactError:
        return _write_unknown(kernel, besides)
    told_by = ARGUMENT_KERNELS.get(kernel.suite_kernel_name) if kernel.parameters is not None and items == 1 else None
    if told_by is not None and told_by.words:
        return argument_echo_effect(kernel, told_by, f"{call.function}/success")
    return None


def _is_released(used: object) -> bool:
    """Return whether the application has released the object of an argument; kernels do not retain such objects."""
    owner = used.owner if isinstance(used, PointerTarget) else used
    return isinstance(owner, ContextObject) and owner.references < 1


def _count_work_items(call: Call) -> int | None:
    """Return the number of work-items of a one-dimensional range without an offset, None for any other range."""
    if call.function == "clEnqueueTask":
        return 1
    given = call.global_work_size
    sizes = [size for size in given.values if isinstance(size, int)] if isinstance(given, ElementList) else []
    return sizes[0] if len(sizes) == 1 and call.work_dim == 1 and call.global_work_offset is None else None


def _argument_elements(argument: KernelArgument | None, items: int) -> MemoryPlace:
    """Return the memory of the first ``items`` elements of a kernel's argument."""
    spans = ((0, ELEMENT_BYTES * items),) if items else ()
    used = argument.used_memory if argument is not None else None
    if isinstance(used, PointerTarget):
        return used.memory_place(spans)
    if isinstance(used, Buffer | PointerMemory) and used.memory is not None:
        if ELEMENT_BYTES * items > used.memory.size:
            raise UndefinedBehaviourError("the kernel goes beyond the buffer")
        return MemoryPlace(used.memory.storage, used.memory.to_storage_spans(spans), used)
    raise UnknownFactError("argument")


def _write_unknown(kernel: Kernel, besides: tuple[MemoryPlace, ...]) -> MemoryEffect:
    used = [argument.used_memory for argument in kernel.arguments.values()]
    given = [each.owner if isinstance(each, PointerTarget) else each for each in used]
    places = (*whole_places(given), *besides)

    def carry_out(_value: Element, _command: Command | None) -> None:
        for place in places:
            place.storage.forget(place.spans)

    return MemoryEffect(writes=places, apply=carry_out)


def run_list_kernel(
    call: Call, known: BufferKernel, items: int, besides: tuple[MemoryPlace, ...], model: Model
) -> MemoryEffect:
    """Return the effect of a kernel that follows a linked list and changes the elements of each node."""
    kernel, queue = model.get(Kernel, call.kernel), model.get(CommandQueue, call.command_queue)
    nodes = list(_walk_nodes(kernel, queue, items, model))
    links = tuple(node.memory_place(((0, NODE_LINK_BYTES),)) for node in nodes)
    bodies = tuple(_node_elements(node, items) for node in nodes)
    device = executing_device(call, model)
    ways = [
        frozenset() if _is_argument(node, kernel) else access_paths(node.owner, kernel, device, model) for node in nodes
    ]

    def carry_out(_value: Element, _command: Command | None) -> None:
        for body, names in zip(bodies, ways, strict=True):
            body.write(attribute_to(run_kernel(known, body.read()), f"{call.function}/success"))
            body.storage.used_capabilities = names

    return MemoryEffect((*links, *besides), bodies, apply=carry_out)


def is_inaccessible(used: object, queue: CommandQueue, model: Model, *, atomics: bool = False) -> bool:
    """Return whether an argument points to USM or host memory that the queue's device may be unable to access."""
    if not isinstance(used, PointerTarget) or queue.device is None:
        return False
    if not isinstance(used.owner, UsmAllocation | HostArea):
        return False
    return not is_usable_by(used.owner, queue.device, model, atomics=atomics)


def _walk_nodes(kernel: Kernel, queue: CommandQueue, items: int, model: Model) -> Iterator[PointerTarget]:
    """Yield the nodes of a linked list; raise UndefinedBehaviourError if the kernel must not access a node."""
    before: list[MemoryPlace] = []
    node, address_bits = _first_node(kernel), 8 * model.pointer_bytes
    while node is not None:
        if queue.device is None:
            raise UnknownFactError("the queue's device")
        bits = queue.device.facts.get("CL_DEVICE_ADDRESS_BITS")
        if isinstance(bits, int) and bits > address_bits:
            raise UndefinedBehaviourError("the kernel would read larger addresses than those of the host")
        if not _is_argument(node, kernel) and not access_paths(node.owner, kernel, queue.device, model):
            raise UndefinedBehaviourError("the kernel was not told of memory that it would reach")
        if is_inaccessible(node, queue, model):
            raise UndefinedBehaviourError(
                "the queue's device need not be able to use memory that the kernel would reach"
            )
        if node.offset % NODE_LINK_BYTES or _alignment(node) % NODE_LINK_BYTES:
            raise UndefinedBehaviourError("an address would lie where none can")
        whole = node.memory_place(((0, NODE_LINK_BYTES + ELEMENT_BYTES * items),))
        if any(one.storage is whole.storage and overlaps(one.spans, whole.spans) for one in before):
            raise UndefinedBehaviourError("the kernel would come to the same memory again")
        before.append(whole)
        yield node
        node = _next_node(node, model)


def _first_node(kernel: Kernel) -> PointerTarget | None:
    argument = kernel.arguments.get(0)
    if argument is not None and argument.object is not None:
        raise UndefinedBehaviourError("the list would begin in a memory object")
    return argument.reach if argument is not None else None


def _alignment(node: PointerTarget) -> int:
    """Return the guaranteed alignment of a node's memory, 0 if it is not known."""
    return node.owner.known_alignment if isinstance(node.owner, PointerMemory) else 0


def _next_node(node: PointerTarget, model: Model) -> PointerTarget | None:
    try:
        value = node.memory_place(((0, model.pointer_bytes),)).read_address()
        return None if value is None else resolve_pointer(value, model)
    except UnknownFactError:
        raise UndefinedBehaviourError("what the kernel would go on to need be no address") from None


def _is_argument(node: PointerTarget, kernel: Kernel) -> bool:
    reached = (each.reach for each in kernel.arguments.values())
    return any(each is not None and each.owner is node.owner for each in reached)


def _node_elements(node: PointerTarget, items: int) -> MemoryPlace:
    """Return the memory of the elements of a node, which follow the address of the next node."""
    return node.memory_place(((NODE_LINK_BYTES, ELEMENT_BYTES * items),) if items else ())
