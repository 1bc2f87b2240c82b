"""Finds kernel arguments that are no valid objects: host pointers, other bytes, and released objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import Data, Handle
from clconform.oracles.contents.storage import PointerTarget
from clconform.oracles.engine.wording import join_names
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.pointer_memory import HostArea, PointerMemory
from clconform.validation.findings import ERROR, UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.recording.conversion import Conversion

OBJECT_TYPES = {
    ArgumentKind.BUFFER: ("cl_mem", "CL_INVALID_MEM_OBJECT"),
    ArgumentKind.IMAGE: ("cl_mem", "CL_INVALID_MEM_OBJECT"),
    ArgumentKind.PIPE: ("cl_mem", "CL_INVALID_MEM_OBJECT"),
    ArgumentKind.SAMPLER: ("cl_sampler", "CL_INVALID_SAMPLER"),
    ArgumentKind.QUEUE: ("cl_command_queue", "CL_INVALID_DEVICE_QUEUE"),
}
"""Maps the kinds of arguments that are objects to the type of the handle, and to the error for an invalid object."""
KERNEL_USERS = ("clEnqueueNDRangeKernel", "clEnqueueTask", "clCommandNDRangeKernelKHR")
"""Functions that use a kernel with the objects to which its arguments are set."""
NOT_RETAINED = "a kernel does not retain its arguments"


class InvalidArgument(NamedTuple):
    """An argument that is not a valid object: the kind of the finding, its requirements, its reason, and the errors.

    ``object``: the name of the released object that it was, or an empty string.
    """

    kind: str
    requirements: tuple[str, ...]
    reason: str
    allowed: tuple[str, ...] = ()
    object: str = ""


def describe_argument(kernel: Kernel, index: int) -> str:
    """Return a text with the index of an argument, and its name and type if they are known."""
    known = kernel.declared_argument(index)
    if known is None:
        return f"argument {index}"
    space = known.address_qualifier.rpartition("_")[2].lower()
    type_name = f"{space} {known.type_name}" if known.type_name.endswith("*") else known.type_name
    return f"argument {index} ({type_name.replace('unknown*', '*')} {known.name})".replace(" )", ")")


def takes_number(kernel: Kernel, index: int) -> bool:
    """Return whether an argument of a kernel is declared as a number, a vector or another type of values."""
    known = kernel.declared_argument(index)
    return known is not None and known.kind is ArgumentKind.VALUE


def describe_unset_arguments(call: Call, model: Model) -> str:
    """Return a text with the arguments of the call's kernel that are not set; empty if there are none."""
    kernel = model.find(call.arguments.get("kernel"))
    unset = kernel.unset_arguments if isinstance(kernel, Kernel) else ()
    if not unset or not isinstance(kernel, Kernel):
        return ""
    named = [describe_argument(kernel, index) for index in unset[:8]]
    return f"{join_names(named, 'and')} {'is' if len(unset) == 1 else 'are'} not set"


def describe_undeclared_argument(call: Call, model: Model) -> str:
    """Return a text about the argument that a call sets, if its declaration is not known; else an empty string."""
    kernel = model.find(call.arguments.get("kernel")) if call.function == "clSetKernelArg" else None
    if not isinstance(kernel, Kernel) or kernel.declared_argument(call.arg_index) is not None:
        return ""
    name = describe_kernel(kernel)
    return f"The declaration of argument {call.arg_index} of {name} is not known, so the driver may deviate."


def find_invalid_argument(
    call: Call, model: Model, conversion: Conversion, describe_object: Callable[[str], str]
) -> InvalidArgument | None:
    """Return why the bytes of a kernel argument are certainly not a valid object; None if they may be.

    ``describe_object``: returns a text with the places where an object was created and released.
    """
    kernel = model.find(call.arguments.get("kernel")) if call.function == "clSetKernelArg" else None
    if not isinstance(kernel, Kernel) or kernel.tainted or not isinstance(call.arg_value, Data):
        return None
    index, content = call.arg_index, call.arg_value.content
    known = kernel.declared_argument(index)
    if known is None or known.kind not in OBJECT_TYPES or not content:
        return None
    type_name, code = OBJECT_TYPES[known.kind]
    named = describe_argument(kernel, index)
    if call.arg_size != model.pointer_bytes:
        words = f"arg_size is {call.arg_size}, but {named} of {describe_kernel(kernel)} takes the handle of an object"
        return InvalidArgument(
            ERROR, _known(model, f"{call.function}/CL_INVALID_ARG_SIZE/1"), words, ("CL_INVALID_ARG_SIZE",)
        )
    address = int.from_bytes(content, "little")
    if not address:
        return None
    released = conversion.find_destroyed(type_name, address)
    if released:
        words = f"arg_value, {named} of {describe_kernel(kernel)}, is {released}: {describe_object(released)}"
        return InvalidArgument(UNDEFINED, (), words, object=released)
    words = (
        f"arg_value points to {address:#x}, which is not a handle that a call has returned; "
        f"{named} of {describe_kernel(kernel)} takes a {type_name}"
    )
    allowed = (code,) if known.kind in (ArgumentKind.BUFFER, ArgumentKind.SAMPLER) else (code, "CL_INVALID_ARG_VALUE")
    return InvalidArgument(ERROR, _known(model, f"{call.function}/{code}/1"), words, allowed)


def _known(model: Model, requirement: str) -> tuple[str, ...]:
    return (requirement,) if requirement in model.tables.requirements else ()


def describe_kernel(kernel: Kernel) -> str:
    """Return the name of a kernel with that of its function, if it is known."""
    return f"{kernel.name} ({kernel.function_name})" if kernel.function_name else kernel.name


def find_released_argument(call: Call, model: Model, describe_object: Callable[[str], str]) -> InvalidArgument | None:
    """Return why a call must not use its kernel: an argument is a released object; None if there is none."""
    kernel = model.find(call.arguments.get("kernel")) if call.function in KERNEL_USERS else None
    if not isinstance(kernel, Kernel) or kernel.tainted:
        return None
    for index, thing in argument_objects(kernel):
        if _is_certainly_released(thing, model):
            setter = kernel.arguments[index].call
            by = f", set by {setter.function}" if setter is not None else ""
            words = (
                f"{describe_argument(kernel, index)} of {describe_kernel(kernel)}{by}, is {thing.name}: "
                f"{describe_object(thing.name)}; {NOT_RETAINED}"
            )
            return InvalidArgument(UNDEFINED, (), words, object=thing.name)
    return None


def argument_objects(kernel: Kernel) -> Iterator[tuple[int, ClObject]]:
    """Yield the objects to which arguments are certainly set, each with the index of its argument."""
    for index, argument in sorted(kernel.arguments.items()):
        known = kernel.declared_argument(index)
        if index in kernel.uncertain_arguments or (known is not None and known.kind not in OBJECT_TYPES):
            continue
        used = argument.used_memory
        thing = used.owner if isinstance(used, PointerTarget) else used
        if thing is not None:
            yield index, thing


def _is_certainly_released(thing: ClObject, model: Model) -> bool:
    """Return whether the program has released all references to an object, and no object keeps the object alive."""
    if thing.counted_concurrently or thing.has_uncertain_count or thing.possibly_invalid or thing.tainted:
        return False
    if isinstance(thing, HostArea):
        return False
    if isinstance(thing, PointerMemory):  # the argument is an address, which a later allocation may have again
        others = (each for each in model.objects_of_class(PointerMemory) if not isinstance(each, HostArea))
        return model.find(Handle(thing.name)) is not thing and not any(others)
    return thing.references <= 0 and not any(
        each.parent is thing and each.keeps_parent for each in model.objects_of_class(ContextObject)
    )
