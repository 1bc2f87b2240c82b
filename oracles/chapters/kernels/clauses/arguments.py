"""Error conditions of kernel arguments (section 5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Inside, Pointers
from clconform.oracles.chapters.kernels.told_arguments import is_null
from clconform.oracles.contents.pointers import base_and_offset, memory_at
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.image_kernels import TYPES_IN_C
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe
from clconform.oracles.model.parameters import Sort
from clconform.oracles.model.pointed_memory import SvmAllocation
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.kernels import arguments_of
from clconform.oracles.recurring.objects import UNTOLD, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.parameters import Parameter
    from clconform.oracles.model.world import Model

rules = Rules()

DEPTH = "_depth_t"
IMAGE_TYPES = {f"{kind.name}{end}": name for name, kind in TYPES_IN_C.items() for end in ("_t", DEPTH)}
"""Image type in OpenCL C to the type of the memory object."""
READ, WRITE, BOTH = (f"CL_KERNEL_ARG_ACCESS_{name}" for name in ("READ_ONLY", "WRITE_ONLY", "READ_WRITE"))
READABLE, WRITABLE = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"
SMALL_BYTES = 1024
"""Size in bytes that fits into the constant memory of every device."""


@rules.clause("clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def of_another_size(call: Call, model: Model) -> Reply:
    """arg_size does not match the argument's type (for objects: the size of a handle).

    For an argument in local memory, arg_size is 0; from version 3.1 on the result is then unspecified.
    """
    declared = declared_argument(call, model)
    if declared is None:
        return Answer.NO
    if declared.sort is Sort.LOCAL:
        if call.arg_size != 0:
            return Answer.NO
        context = model.get(Kernel, call.kernel).context
        newer = context is None or any(device.version >= (3, 1) for device in context.devices)
        return May("local-memory-of-no-byte-in-3.1") if newer else Must("local-memory-of-no-byte")
    return bool(call.arg_size != declared.size)


@rules.clause("clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def no_such_value(call: Call, model: Model) -> Reply:
    """arg_value is NULL for an argument by value, or a memory object of another kind or image type than declared.

    The error is also allowed if arg_value is not NULL for an argument in local memory.
    """
    declared = declared_argument(call, model)
    if declared is None:
        return Answer.NO
    if declared.sort is Sort.LOCAL:
        return May("address-for-local-memory") if call.arg_value is not None else Answer.NO
    if declared.sort is Sort.VALUE:
        return Must("nothing-for-an-argument") if call.arg_value is None else Answer.NO
    reply = _no_object(call, declared, model)
    if reply is not Answer.NO:
        return May("code-of-an-argument") if reply is Answer.MUST or isinstance(reply, Must) else reply
    given = given_argument(call, model)
    if not isinstance(given, MemoryObject) or not declared.is_memory_object:
        return Answer.NO
    if _is_another(given, declared):
        return Must("object-against-the-declaration")
    return _doubtful(call, given, declared, model)


rules.interpreted("object-against-the-declaration", "clSetKernelArg/CL_INVALID_ARG_VALUE/1")


@rules.clause("clSetKernelArg/CL_INVALID_MEM_OBJECT/1")
def no_memory_object(call: Call, model: Model) -> Reply:
    """arg_value is not a valid memory object for a memory object argument; for a buffer argument NULL is valid."""
    declared = declared_argument(call, model)
    if declared is None or not declared.is_memory_object:
        return Answer.NO
    reply = _no_object(call, declared, model)
    given = given_argument(call, model)
    if reply is not Answer.NO or not isinstance(given, MemoryObject):
        return reply
    return May("code-of-an-argument") if _is_another(given, declared) else _doubtful(call, given, declared, model)


@rules.clause("clSetKernelArg/CL_INVALID_MEM_OBJECT/2")
def no_depth_image(call: Call, model: Model) -> Reply:
    """The argument is declared as a depth image or an array of depth images, and arg_value is not such an image."""
    declared = declared_argument(call, model)
    if declared is None or declared.sort is not Sort.IMAGE or not declared.type_name.endswith(DEPTH):
        return Answer.NO
    reply = _no_object(call, declared, model)
    if reply is not Answer.NO:
        return reply
    given = given_argument(call, model)
    if not isinstance(given, Image):
        return May("unknown-fact") if type(given) in UNTOLD else Answer.MUST
    return _is_another(given, declared) or given.format.order != model.value("CL_DEPTH")


@rules.clause("clSetKernelArg/CL_INVALID_MEM_OBJECT/6")
def object_of_another_kind(call: Call, model: Model) -> Reply:
    """arg_value is a valid memory object of another kind, image type or depth than declared.

    The result is unspecified for an object of another context, for a depth image passed to an argument without depth,
    and for a buffer that is too large.
    """
    declared, given = declared_argument(call, model), given_argument(call, model)
    if declared is None or not declared.is_memory_object or not isinstance(given, MemoryObject):
        return Answer.NO
    if _is_another(given, declared):
        return Answer.MUST
    depth = isinstance(given, Image) and given.format.order == model.value("CL_DEPTH")
    if declared.sort is Sort.IMAGE and declared.type_name.endswith(DEPTH) and isinstance(given, Image) and not depth:
        return Answer.MUST
    return _doubtful(call, given, declared, model)


@rules.clause("clSetKernelArg/CL_INVALID_CONTEXT/1")
def argument_of_another_context(call: Call, model: Model) -> Reply:
    """arg_value is an object of another context than kernel; before version 3.1 the error is only allowed."""
    declared, given = declared_argument(call, model), given_argument(call, model)
    kernel = model.get(Kernel, call.kernel)
    by_value = declared is None or declared.sort in (Sort.VALUE, Sort.LOCAL)
    if by_value or not isinstance(given, ContextObject) or given.context is kernel.context:
        return Answer.NO
    if given.context is None or kernel.context is None:
        return UNKNOWN
    newer = all(device.version >= (3, 1) for device in kernel.context.devices)
    return Answer.MUST if newer else May("argument-of-another-context")


@rules.clause("clSetKernelArg/CL_INVALID_SAMPLER/1")
def no_sampler(call: Call, model: Model) -> Reply:
    """arg_value is not a valid sampler for an argument of the type sampler_t."""
    declared = declared_argument(call, model)
    return _no_object(call, declared, model) if declared is not None and declared.sort is Sort.SAMPLER else Answer.NO


@rules.clause("clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1")
def no_device_queue(call: Call, model: Model) -> Reply:
    """arg_value is not a valid device queue for an argument of the type queue_t."""
    declared = declared_argument(call, model)
    return _no_object(call, declared, model) if declared is not None and declared.sort is Sort.QUEUE else Answer.NO


@rules.clause("clSetKernelArg/CL_INVALID_ARG_VALUE/2")
def access_not_allowed(call: Call, model: Model) -> Reply:
    """arg_value is a CL_MEM_WRITE_ONLY image for a read_only argument, or a CL_MEM_READ_ONLY one for write_only."""
    declared, given = declared_argument(call, model), given_argument(call, model)
    if declared is None or declared.sort is not Sort.IMAGE or not isinstance(given, Image):
        return Answer.NO
    wrong = {READ: WRITABLE, WRITE: READABLE}.get(declared.access)
    return wrong is not None and bool(given.flags & model.value(wrong))


@rules.clause("clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1")
def larger_than_the_language_allows(call: Call, model: Model) -> Reply:
    """The memory for the argument exceeds a restriction of the kernel's language; OpenCL C has none."""
    declared = declared_argument(call, model)
    if declared is None or declared.sort not in (Sort.BUFFER, Sort.LOCAL):
        return Answer.NO
    return (
        May("limits-of-constant-memory")
        if _too_large(given_argument(call, model), declared, call, model)
        else Answer.NO
    )


@rules.clause("clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1")
def nobody_shares_memory(call: Call, model: Model) -> Reply:
    """No device in the kernel's context supports SVM."""
    context = model.given(Kernel, call.kernel).context
    devices = context.devices if context is not None else []
    return May("unknown-fact") if not devices else all(lacks(device, "SVM") for device in devices)


@rules.clause("clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1")
def at_no_shared_memory(call: Call, model: Model) -> Reply:
    """arg_value is not a valid value; unspecified for NULL and for pointers outside SVM of the kernel's context."""
    kernel = model.given(Kernel, call.kernel)
    if call.arg_value is not None and model.known(base_and_offset(call.arg_value)[0]) is None:
        return Answer.UNDEFINED
    memory = memory_at(call.arg_value, model, SvmAllocation)
    inside = memory is not None and base_and_offset(call.arg_value)[1] < memory.size
    if inside and memory is not None and memory.context is kernel.context:
        return Answer.NO
    return May("argument-at-no-allocation")


@rules.clause("clSetKernelArgSVMPointer/usage/1")
def misaligned(call: Call, model: Model) -> bool:
    """arg_value is not a multiple of the size of the type that the argument points to."""
    declared = declared_argument(call, model)
    offset = base_and_offset(call.arg_value)[1]
    return declared is not None and declared.bytes > 0 and offset % declared.bytes > 0


@rules.clause("clSetKernelArgSVMPointer/usage/2")
def no_pointer_at_all(call: Call, model: Model) -> bool:
    """The argument is not declared as a pointer to global or constant memory."""
    declared = declared_argument(call, model)
    return declared is not None and declared.sort is not Sort.BUFFER


def declared_argument(call: Call, model: Model) -> Parameter | None:
    """Return the declaration of the argument, None if the index is too large; UnknownError if unknown."""
    declared = arguments_of(call.kernel, model)
    return declared[call.arg_index] if call.arg_index < len(declared) else None


def _handle(call: Call) -> Handle | None:
    """Return the handle that arg_value holds, or None."""
    value = call.arg_value
    if isinstance(value, HandleBytes):
        return value.handle
    first = value.values[0] if isinstance(value, Pointers) and value.values else None
    return first if isinstance(first, Handle) else None


def given_argument(call: Call, model: Model) -> object:
    """Return the object whose handle arg_value holds, or None."""
    return model.known(_handle(call))


OBJECTS = {Sort.SAMPLER: ("cl_sampler", ""), Sort.QUEUE: ("cl_command_queue", "device-queue")}


def _no_object(call: Call, declared: Parameter, model: Model) -> Reply:
    """Return whether the passed value is not a valid object of the type that the argument requires."""
    if is_null(call.arg_value):
        if declared.sort is Sort.BUFFER:
            return Answer.NO
        return Must("nothing-for-an-argument") if call.arg_value is None else Answer.MUST
    if isinstance(call.arg_value, Data | Handle | Inside):
        return Answer.UNDEFINED
    type_name, kind = OBJECTS.get(declared.sort, ("cl_mem", ""))
    return valid_object(_handle(call), type_name, model, kind)


def _is_another(given: MemoryObject, declared: Parameter) -> bool:
    """Return whether a memory object has another kind or image type than the argument is declared as."""
    wanted: type[MemoryObject] = {Sort.BUFFER: Buffer, Sort.IMAGE: Image, Sort.PIPE: Pipe}[declared.sort]
    if type(given) in UNTOLD:
        return False
    if not isinstance(given, wanted):
        return True
    return isinstance(given, Image) and given.shape.image_type != IMAGE_TYPES.get(declared.type_name)


def _doubtful(call: Call, given: MemoryObject, declared: Parameter, model: Model) -> Reply:
    """Return why the result for a memory object of the declared kind is unspecified."""
    kernel = model.get(Kernel, call.kernel)
    if given.context is not kernel.context or type(given) in UNTOLD:
        return May("argument-of-another-context")
    if isinstance(given, Image):
        depth = given.format.order == model.value("CL_DEPTH")
        if depth != declared.type_name.endswith(DEPTH):
            return May("depth-of-an-argument")
        limited = given.flags & (model.value(READABLE) | model.value(WRITABLE))
        return May("access-to-read-and-write") if declared.access == BOTH and limited else Answer.NO
    if _too_large(given, declared, call, model):
        return May("limits-of-constant-memory")
    return Answer.NO


def _too_large(given: object, declared: Parameter, call: Call, model: Model) -> bool:
    """Return whether a buffer exceeds a device's constant memory, or a size its local memory."""
    context = model.get(Kernel, call.kernel).context
    devices = context.devices if context is not None else []
    if declared.sort is Sort.LOCAL:
        size, query = call.arg_size, "CL_DEVICE_LOCAL_MEM_SIZE"
    elif declared.address == "CL_KERNEL_ARG_ADDRESS_CONSTANT" and isinstance(given, Buffer):
        size, query = given.size, "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE"
    else:
        return False
    return size > SMALL_BYTES and any(size > device.number(query) for device in devices)
