"""Kernels: made from a built program, told by their source, and run (sections 5.9 and 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Items
from clconform.oracles.chapters.execution.reaching import nodes_worked_on, out_of_reach
from clconform.oracles.chapters.kernels.execution_info import reached_besides
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.maps import ForbiddenError, Reach, reach
from clconform.oracles.contents.storage import Place, by, wholes
from clconform.oracles.contents.unified import ATOMIC
from clconform.oracles.engine.answers import Answer, May, Reply, UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Each, Element, Promise, Such, Values, Want
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, KERNELS, KnownKernel, run
from clconform.oracles.model.world import Child, Device, Thing
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreateKernel")
def kernel_made(call: Call, model: Model) -> Promise:
    """A new kernel of that name, which tells its arguments as the source declares them."""
    program = model.child(call.program)
    child = Child("cl_kernel", "", context=program.context, parent=program, source=call.kernel_name.content)
    child.argument_info = program.argument_info
    child.echoes = {
        "CL_KERNEL_FUNCTION_NAME": exactly(call.kernel_name.content),
        "CL_KERNEL_CONTEXT": exactly(program.context.name if program.context else None),
        "CL_KERNEL_PROGRAM": exactly(program.name),
    }
    known = KERNELS.get(child.source)
    if known is not None and not program.binary:
        child.echoes |= _declared(known, program, model)
    return made("cl_kernel", call, model, child)


def _declared(known: KnownKernel, program: Child, model: Model) -> dict[str, tuple[tuple[int | str | None, ...], ...]]:
    answers: dict[str, tuple[tuple[int | str | None, ...], ...]] = {"CL_KERNEL_NUM_ARGS": exactly(len(known.arguments))}
    for device in program.built:
        answers[f"CL_KERNEL_COMPILE_WORK_GROUP_SIZE@{device.name}"] = (known.group,)
    for index, argument in enumerate(known.arguments):
        qualifiers = sum(model.value(name) for name in argument.qualifiers)
        answers |= {
            f"CL_KERNEL_ARG_NAME@{index}": exactly(argument.name),
            f"CL_KERNEL_ARG_TYPE_NAME@{index}": exactly(argument.type_name),
            f"CL_KERNEL_ARG_ADDRESS_QUALIFIER@{index}": exactly(model.value(argument.address)),
            f"CL_KERNEL_ARG_ACCESS_QUALIFIER@{index}": exactly(model.value(argument.access)),
            f"CL_KERNEL_ARG_TYPE_QUALIFIER@{index}": exactly(qualifiers),
        }
    return answers


@rules.answer("CL_KERNEL_ATTRIBUTES")
def attributes_declared(thing: Thing, model: Model) -> Want:
    """The attributes that the source gives the kernel, whatever the space between; an empty string without any."""
    del model
    known = KERNELS.get(thing.source) if isinstance(thing, Child) else None
    if known is None or not isinstance(thing, Child) or thing.parent is None or thing.parent.binary:
        return Each(())
    wanted = known.attributes
    return Such(
        lambda seen: "".join("".join(map(str, seen)).split()) == "".join(wanted.split()),
        repr(wanted),
        ("CL_KERNEL_ATTRIBUTES",),
        wanted,
    )


@rules.clause("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1")
def arguments_not_kept(call: Call, model: Model) -> Reply:
    """What the arguments are was not kept when the program was built, or the program was not made from source."""
    kernel = model.child(call.kernel)
    if kernel.argument_info and kernel.parent is not None and not kernel.parent.binary:
        return Answer.NO
    return May("argument-info-kept")


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1", "clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1")
def device_without_the_kernel(call: Call, model: Model) -> Reply:
    """The device is not one that the kernel was built for, or it is NULL and the kernel was built for several."""
    kernel = model.child(call.kernel)
    built = kernel.parent.built if kernel.parent else []
    if call.device is None:
        if len(built) == 1 < len(_associated(kernel)):
            return May("built-for-one-of-several")
        return len(_associated(kernel)) > 1
    reply = valid_object(call.device, "cl_device_id", model)
    if reply is not Answer.NO:
        return reply
    device = model.device(call.device)
    return Answer.NO if device in built else device not in _associated(kernel) or May("unknown-fact")


def _associated(kernel: Child) -> list[Device]:
    return kernel.parent.devices if kernel.parent else []


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2")
def global_size_of_a_usual_kernel(call: Call, model: Model) -> Reply:
    """The largest global size is asked of a kernel from source on a device that is no custom device."""
    if call.param_name != model.value("CL_KERNEL_GLOBAL_WORK_SIZE"):
        return Answer.NO
    kernel = model.child(call.kernel)
    device = model.known(call.device) or next(iter(kernel.parent.built if kernel.parent else []), None)
    if not isinstance(device, Device):
        raise UnknownError("device")
    custom = device.number("CL_DEVICE_TYPE") & model.value("CL_DEVICE_TYPE_CUSTOM")
    return bool(kernel.source in KERNELS and not custom)


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1")
def no_sub_groups(call: Call, model: Model) -> Reply:
    """The device does not support sub-groups."""
    kernel = model.child(call.kernel)
    device = model.known(call.device) or next(iter(kernel.parent.built if kernel.parent else []), None)
    if not isinstance(device, Device):
        raise UnknownError("device")
    return device.number("CL_DEVICE_MAX_NUM_SUB_GROUPS") == 0


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2")
def input_of_the_wrong_size(call: Call, model: Model) -> Reply:
    """The name needs an input, and it is NULL or of a size that the name does not take."""
    word = model.lookups.size_of("size_t")
    sizes = {
        "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE": (word, 2 * word, 3 * word),
        "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE": (word, 2 * word, 3 * word),
        "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT": (word,),
    }
    name = next((name for name in sizes if model.value(name) == call.param_name), None)
    if name is None:
        return Answer.NO
    return call.input_value is None or call.input_value_size not in sizes[name]


@rules.success("clSetKernelArg")
def argument_set(call: Call, model: Model) -> Promise:
    """The argument is kept for the next launches."""
    kernel = model.child(call.kernel)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(call.arg_value, HandleBytes):
            kernel.arguments[call.arg_index] = model.known(call.arg_value.handle)

    return Promise(apply=apply)


@rules.success("clSetKernelArgSVMPointer", "clSetKernelArgMemPointerINTEL")
def pointer_set(call: Call, model: Model) -> Promise:
    """The address is kept for the next launches."""
    kernel = model.child(call.kernel)
    try:
        found: object = reach(call.arg_value, model)
    except (UnknownError, ForbiddenError):
        found = None

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        kernel.arguments[call.arg_index] = found

    return Promise(apply=apply)


@rules.success("clEnqueueNDRangeKernel", "clEnqueueTask")
def kernel_run(call: Call, model: Model) -> Promise:
    """Each work-item does the kernel's work once."""
    model.child(call.kernel)
    return Promise()


@rules.effect("clEnqueueNDRangeKernel", "clEnqueueTask")
def elements_worked_on(call: Call, model: Model) -> MemoryEffect:
    """A known kernel makes one element of another for each work-item; of others nobody knows what they leave behind."""
    kernel = model.child(call.kernel)
    if any(map(_gone, kernel.arguments.values())):
        raise ForbiddenError("an argument of the kernel is gone")
    queue = model.child(call.command_queue)
    known, items = KERNELS.get(kernel.source), _items(call)
    atomics = known is not None and known.atomics
    if any(out_of_reach(argument, queue, model, atomics=atomics) for argument in kernel.arguments.values()):
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


def _gone(argument: object) -> bool:
    """Tell whether the application has given back what it set as an argument: the kernel does not keep it."""
    owner = argument.owner if isinstance(argument, Reach) else argument
    return isinstance(owner, Child) and owner.references < 1


def _items(call: Call) -> int | None:
    """Return how many work-items run, counted from 0, or None where they are counted otherwise."""
    if call.function == "clEnqueueTask":
        return 1
    given = call.global_work_size
    sizes = [size for size in given.values if isinstance(size, int)] if isinstance(given, Items) else []
    return sizes[0] if len(sizes) == 1 and call.work_dim == 1 and call.global_work_offset is None else None


def _elements(argument: object, items: int) -> Place:
    """Return the first elements of a kernel's argument."""
    spans = ((0, ELEMENT_BYTES * items),) if items else ()
    if isinstance(argument, Reach):
        return argument.place(spans)
    if isinstance(argument, Child) and argument.memory is not None:
        if ELEMENT_BYTES * items > argument.memory.size:
            raise ForbiddenError("the kernel goes beyond the buffer")
        return Place(argument.memory.storage, argument.memory.moved(spans), argument)
    raise UnknownError("argument")


def _unforeseen(kernel: Child, besides: tuple[Place, ...]) -> MemoryEffect:
    given = [each.owner if isinstance(each, Reach) else each for each in kernel.arguments.values()]
    places = (*wholes(given), *besides)

    def carry_out(_value: Element, _command: Command | None) -> None:
        for place in places:
            place.storage.forget(place.spans)

    return MemoryEffect(writes=places, carry_out=carry_out)
