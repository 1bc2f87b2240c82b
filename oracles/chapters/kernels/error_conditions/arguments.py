"""Error conditions of kernel arguments (section 5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, OffsetPointer, Pointers
from clconform.oracles.chapters.kernels.argument_echo import is_null
from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.kernels import find_argument
from clconform.oracles.common.objects import GENERIC_CLASSES, is_invalid_object, name_object
from clconform.oracles.contents.pointers import memory_at, split_address
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    may,
    must_by,
    must_if,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.image_kernels import IMAGE_TYPES_IN_C
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.oracles.model.state import Model

rules = Rules()

DEPTH = "_depth_t"
IMAGE_TYPES = {f"{kind.name}{end}": name for name, kind in IMAGE_TYPES_IN_C.items() for end in ("_t", DEPTH)}
"""Maps an image type of OpenCL C to the type of the memory object."""
READ, WRITE, BOTH = (f"CL_KERNEL_ARG_ACCESS_{name}" for name in ("READ_ONLY", "WRITE_ONLY", "READ_WRITE"))
READ_ONLY_FLAG, WRITE_ONLY_FLAG = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"
SMALL_BYTES = 1024
"""A size in bytes that is within the constant and local memory of every device."""


@rules.clause("clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def has_invalid_size(call: Call, model: Model) -> PredicateResult:
    """arg_size does not match the argument's type (for objects: the size of a handle).

    For an argument in local memory, arg_size must not be 0. If a device of the kernel's context has version 3.1 or
    later, the error for 0 is optional.
    """
    declared = declared_argument(call, model)
    if declared is None:
        return NO
    if declared.kind is ArgumentKind.LOCAL:
        if call.arg_size != 0:
            return NO
        context = model.get(Kernel, call.kernel).context
        newer = context is None or any(device.version >= (3, 1) for device in context.devices)
        return may("local-memory-size-zero-in-3.1") if newer else must_by("local-memory-size-zero")
    size = declared.argument_size(model.pointer_bytes)
    if size is None:
        raise UnknownFactError("the size of the type")
    return must_if(bool(call.arg_size != size))


@rules.alternatives_of("clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def find_size_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: arg_size is 0 for local memory, or not the size of the argument's type or of a handle.
    """
    declared = declared_argument(call, model)
    if declared is not None and declared.kind is ArgumentKind.LOCAL:
        yield "arg_size is 0 for an argument in local memory"
    elif declared is not None:
        sized = "the argument's type" if declared.kind is ArgumentKind.VALUE else "a handle"
        yield f"arg_size is not {declared.argument_size(model.pointer_bytes)}, the size of {sized}"


@rules.clause("clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def has_invalid_value(call: Call, model: Model) -> PredicateResult:
    """arg_value is NULL for an argument by value, or a memory object of another kind or image type than declared.

    The error is optional if arg_value is not NULL for an argument in local memory.
    """
    declared = declared_argument(call, model)
    if declared is None:
        return NO
    if declared.kind is ArgumentKind.LOCAL:
        return may("pointer-for-local-memory") if call.arg_value is not None else NO
    if declared.kind is ArgumentKind.VALUE:
        return must_by("null-argument-value") if call.arg_value is None else NO
    reply = _is_object_invalid(call, declared, model)
    if reply is not NO:
        return may("code-for-invalid-argument-object") if reply.is_must else reply
    given = passed_object(call, model)
    if not isinstance(given, MemoryObject) or not declared.is_memory_object:
        return NO
    if _is_other_kind(given, declared):
        return must_by("argument-object-kind-mismatch")
    return _unspecified_reason(call, given, declared, model)


@rules.alternatives_of("clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def find_value_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: arg_value is NULL for an argument by value, or an object of another kind or image type.
    """
    declared, given = declared_argument(call, model), passed_object(call, model)
    if declared is None or declared.kind is ArgumentKind.VALUE:
        yield "arg_value is NULL for an argument by value"
    elif isinstance(given, MemoryObject):
        yield _describe_kind_mismatch(given, declared)


rules.relies_on_interpretation("argument-object-kind-mismatch", "clSetKernelArg/CL_INVALID_ARG_VALUE/1")


@rules.clause("clSetKernelArg/CL_INVALID_MEM_OBJECT/1")
def has_invalid_memory_object(call: Call, model: Model) -> PredicateResult:
    """The argument is declared as a memory object, and arg_value is not a valid memory object.

    A buffer argument may be NULL.
    """
    declared = declared_argument(call, model)
    if declared is None or not declared.is_memory_object:
        return NO
    reply = _is_object_invalid(call, declared, model)
    given = passed_object(call, model)
    if reply is not NO or not isinstance(given, MemoryObject):
        return reply
    return (
        may("code-for-invalid-argument-object")
        if _is_other_kind(given, declared)
        else _unspecified_reason(call, given, declared, model)
    )


@rules.clause("clSetKernelArg/CL_INVALID_MEM_OBJECT/2")
def lacks_depth_image(call: Call, model: Model) -> PredicateResult:
    """The argument is declared as a depth image or an array of depth images, and arg_value is not such an image."""
    declared = declared_argument(call, model)
    if declared is None or declared.kind is not ArgumentKind.IMAGE or not declared.type_name.endswith(DEPTH):
        return NO
    reply = _is_object_invalid(call, declared, model)
    if reply is not NO:
        return reply
    given = passed_object(call, model)
    if not isinstance(given, Image):
        return may("unknown-fact") if type(given) in GENERIC_CLASSES else MUST
    return must_if(_is_other_kind(given, declared) or given.format.order != model.constant_value("CL_DEPTH"))


@rules.alternatives_of("clSetKernelArg/CL_INVALID_MEM_OBJECT/2", "clSetKernelArg/CL_INVALID_MEM_OBJECT/6")
def find_depth_image_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: arg_value is not a valid image, an object of another kind or type, or an image without depth.
    """
    declared, given = declared_argument(call, model), passed_object(call, model)
    if declared is None or not isinstance(given, MemoryObject):
        yield "arg_value is not a valid image"
    elif _is_other_kind(given, declared):
        yield _describe_kind_mismatch(given, declared)
    else:
        yield "arg_value is not a depth image"


@rules.clause("clSetKernelArg/CL_INVALID_MEM_OBJECT/6")
def has_object_of_other_kind(call: Call, model: Model) -> PredicateResult:
    """arg_value is a valid memory object of another kind or image type than declared.

    The condition also holds if the argument is declared as a depth image and arg_value is an image without depth. The
    result is unspecified for an object of another context, for a depth image passed to an argument without depth, and
    for a buffer that is too large.
    """
    declared, given = declared_argument(call, model), passed_object(call, model)
    if declared is None or not declared.is_memory_object or not isinstance(given, MemoryObject):
        return NO
    if _is_other_kind(given, declared):
        return MUST
    depth = isinstance(given, Image) and given.format.order == model.constant_value("CL_DEPTH")
    if (
        declared.kind is ArgumentKind.IMAGE
        and declared.type_name.endswith(DEPTH)
        and isinstance(given, Image)
        and not depth
    ):
        return MUST
    return _unspecified_reason(call, given, declared, model)


@rules.clause("clSetKernelArg/CL_INVALID_CONTEXT/1")
def has_object_of_other_context(call: Call, model: Model) -> PredicateResult:
    """arg_value is an object of another context than kernel; before version 3.1 the error is optional."""
    declared, given = declared_argument(call, model), passed_object(call, model)
    kernel = model.get(Kernel, call.kernel)
    by_value = declared is None or declared.kind in (ArgumentKind.VALUE, ArgumentKind.LOCAL)
    if by_value or not isinstance(given, ContextObject) or given.context is kernel.context:
        return NO
    if given.context is None or kernel.context is None:
        return UNKNOWN
    newer = all(device.version >= (3, 1) for device in kernel.context.devices)
    return MUST if newer else may("argument-of-another-context")


@rules.clause("clSetKernelArg/CL_INVALID_SAMPLER/1")
def lacks_sampler(call: Call, model: Model) -> PredicateResult:
    """The argument has the type sampler_t, and arg_value is not a valid sampler."""
    declared = declared_argument(call, model)
    return (
        _is_object_invalid(call, declared, model)
        if declared is not None and declared.kind is ArgumentKind.SAMPLER
        else NO
    )


@rules.clause("clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1")
def lacks_device_queue(call: Call, model: Model) -> PredicateResult:
    """The argument has the type queue_t, and arg_value is not a valid device queue."""
    declared = declared_argument(call, model)
    return (
        _is_object_invalid(call, declared, model)
        if declared is not None and declared.kind is ArgumentKind.QUEUE
        else NO
    )


@rules.clause("clSetKernelArg/CL_INVALID_ARG_VALUE/2")
def has_conflicting_access(call: Call, model: Model) -> PredicateResult:
    """The access qualifier of the argument conflicts with the flags of the image arg_value.

    The argument is read_only and the image has CL_MEM_WRITE_ONLY, or the argument is write_only and the image has
    CL_MEM_READ_ONLY.
    """
    declared, given = declared_argument(call, model), passed_object(call, model)
    if declared is None or declared.kind is not ArgumentKind.IMAGE or not isinstance(given, Image):
        return NO
    wrong = EXCLUDED_FLAGS.get(declared.access_qualifier)
    return must_if(wrong is not None and bool(given.flags & model.constant_value(wrong)))


EXCLUDED_FLAGS = {READ: WRITE_ONLY_FLAG, WRITE: READ_ONLY_FLAG}
"""Maps each access qualifier of an argument to the flag that the image must not have."""


@rules.alternatives_of("clSetKernelArg/CL_INVALID_ARG_VALUE/2")
def find_conflicting_access(call: Call, model: Model) -> Iterator[str]:
    """Yield the access qualifier of the argument with the flag of the image that it excludes."""
    declared = declared_argument(call, model)
    if declared is not None and declared.access_qualifier in EXCLUDED_FLAGS:
        words = "read_only" if declared.access_qualifier == READ else "write_only"
        yield f"the argument is {words} and the image arg_value has {EXCLUDED_FLAGS[declared.access_qualifier]}"


@rules.clause("clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1")
def exceeds_language_limit(call: Call, model: Model) -> PredicateResult:
    """The memory for the argument exceeds a size limit of the kernel's language. OpenCL C has no such limit.

    The error is optional if a buffer for constant memory exceeds CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE of a device, or if
    arg_size for local memory exceeds CL_DEVICE_LOCAL_MEM_SIZE.
    """
    declared = declared_argument(call, model)
    if declared is None or declared.kind not in (ArgumentKind.BUFFER, ArgumentKind.LOCAL):
        return NO
    if not _is_too_large(passed_object(call, model), declared, call, model):
        return NO
    is_local = declared.kind is ArgumentKind.LOCAL
    return may("local-memory-limit-of-arguments" if is_local else "memory-limits-of-arguments")


@rules.clause("clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1")
def lacks_svm_support(call: Call, model: Model) -> PredicateResult:
    """No device in the kernel's context supports SVM."""
    context = model.require(Kernel, call.kernel).context
    devices = context.devices if context is not None else []
    return may("unknown-fact") if not devices else must_if(all(lacks_capability(device, "SVM") for device in devices))


@rules.clause("clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1")
def is_outside_svm(call: Call, model: Model) -> PredicateResult:
    """arg_value is not a pointer into an SVM allocation of the kernel's context.

    The error is optional, because the document does not specify which pointers are not valid. An enqueue of the kernel
    accepts or rejects a pointer to host memory, depending on the device.
    """
    kernel = model.require(Kernel, call.kernel)
    if call.arg_value is not None and model.find(split_address(call.arg_value)[0]) is None:
        return UNDEFINED
    memory = memory_at(call.arg_value, model, SvmAllocation)
    inside = memory is not None and split_address(call.arg_value)[1] < memory.size
    if inside and memory is not None and memory.context is kernel.context:
        return NO
    is_in_area = memory_at(call.arg_value, model, HostArea) is not None
    return may("system-pointer-as-argument" if is_in_area else "svm-pointer-outside-allocation")


@rules.clause("clSetKernelArgSVMPointer/usage/1")
def is_misaligned(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if arg_value is not a multiple of the size of the type that the argument points to."""
    declared = declared_argument(call, model)
    offset = split_address(call.arg_value)[1]
    return must_if(declared is not None and declared.bytes > 0 and offset % declared.bytes > 0)


@rules.clause("clSetKernelArgSVMPointer/usage/2")
def is_not_pointer_argument(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if the argument is not declared as a pointer to global or constant memory."""
    declared = declared_argument(call, model)
    return must_if(declared is not None and declared.kind is not ArgumentKind.BUFFER)


def declared_argument(call: Call, model: Model) -> KernelParameter | None:
    """Return the declaration of the argument arg_index; None if arg_index is too large.

    Raise UnknownFactError if the declarations of the kernel are not known.
    """
    return find_argument(call.kernel, call.arg_index, model)


def _passed_handle(call: Call) -> Handle | None:
    """Return the handle that arg_value points to, or None."""
    value = call.arg_value
    if isinstance(value, HandleBytes):
        return value.handle
    first = value.values[0] if isinstance(value, Pointers) and value.values else None
    return first if isinstance(first, Handle) else None


def passed_object(call: Call, model: Model) -> object:
    """Return the object whose handle arg_value points to, or None."""
    return model.find(_passed_handle(call))


OBJECT_TYPES = {ArgumentKind.SAMPLER: ("cl_sampler", ""), ArgumentKind.QUEUE: ("cl_command_queue", "device-queue")}


def _is_object_invalid(call: Call, declared: KernelParameter, model: Model) -> PredicateResult:
    """Return whether the passed value is not a valid object of the type that the argument requires."""
    if is_null(call.arg_value):
        if declared.kind is ArgumentKind.BUFFER:
            return NO
        return must_by("null-argument-value") if call.arg_value is None else MUST
    if isinstance(call.arg_value, Data | Handle | OffsetPointer):
        return UNDEFINED
    type_name, kind = OBJECT_TYPES.get(declared.kind, ("cl_mem", ""))
    return is_invalid_object(_passed_handle(call), type_name, model, kind)


@rules.alternatives_of(
    "clSetKernelArg/CL_INVALID_MEM_OBJECT/1",
    "clSetKernelArg/CL_INVALID_SAMPLER/1",
    "clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1",
)
def find_invalid_argument_object(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: arg_value is NULL, points to NULL, or does not point to a valid object of the argument's type.
    """
    declared = declared_argument(call, model)
    kind = declared.kind if declared is not None else ArgumentKind.BUFFER
    type_name, object_kind = OBJECT_TYPES.get(kind, ("cl_mem", ""))
    if call.arg_value is None:
        yield "arg_value is NULL"
    elif is_null(call.arg_value):
        yield "arg_value points to NULL"
    else:
        yield f"arg_value does not point to a valid {name_object(type_name, object_kind)}"


def _is_other_kind(given: MemoryObject, declared: KernelParameter) -> bool:
    """Return whether a memory object differs in kind or image type from the declaration of an argument."""
    if type(given) in GENERIC_CLASSES:
        return False
    if not isinstance(given, CLASSES[declared.kind]):
        return True
    return isinstance(given, Image) and given.shape.image_type != IMAGE_TYPES.get(declared.type_name)


CLASSES: dict[ArgumentKind, type[MemoryObject]] = {
    ArgumentKind.BUFFER: Buffer,
    ArgumentKind.IMAGE: Image,
    ArgumentKind.PIPE: Pipe,
}
"""Maps each kind of an argument to the class of the memory objects that it accepts."""


def _describe_kind_mismatch(given: MemoryObject, declared: KernelParameter) -> str:
    """Return a text: how a memory object differs in kind or image type from the declaration of the argument."""
    if isinstance(given, CLASSES[declared.kind]):
        return "arg_value is an image of another type than declared"
    return "arg_value is a memory object of another kind than declared"


def _unspecified_reason(call: Call, given: MemoryObject, declared: KernelParameter, model: Model) -> PredicateResult:
    """Return an optional error if a memory object of the declared kind may be rejected.

    The interpretation of the error names the reason. The result is NO if the object must be accepted.
    """
    kernel = model.get(Kernel, call.kernel)
    if given.context is not kernel.context or type(given) in GENERIC_CLASSES:
        return may("argument-of-another-context")
    if isinstance(given, Image):
        depth = given.format.order == model.constant_value("CL_DEPTH")
        if depth != declared.type_name.endswith(DEPTH):
            return may("depth-image-argument")
        limited = given.flags & (model.constant_value(READ_ONLY_FLAG) | model.constant_value(WRITE_ONLY_FLAG))
        return may("read-write-image-argument") if declared.access_qualifier == BOTH and limited else NO
    if _is_too_large(given, declared, call, model):
        return may("memory-limits-of-arguments")
    return NO


def _is_too_large(given: object, declared: KernelParameter, call: Call, model: Model) -> bool:
    """Return whether an argument exceeds a memory limit of a device in the kernel's context.

    For a buffer in constant memory, its size must not exceed the constant memory. For local memory, arg_size must not
    exceed the local memory.
    """
    context = model.get(Kernel, call.kernel).context
    devices = context.devices if context is not None else []
    if declared.kind is ArgumentKind.LOCAL:
        size, query = call.arg_size, "CL_DEVICE_LOCAL_MEM_SIZE"
    elif declared.address_qualifier == "CL_KERNEL_ARG_ADDRESS_CONSTANT" and isinstance(given, Buffer):
        size, query = given.size, "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE"
    else:
        return False
    return size > SMALL_BYTES and any(size > device.number(query) for device in devices)
