"""Setting of kernel arguments (section 5.9.2): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, OffsetPointer, Pointers
from clconform.suites.chapters.kernels.argument_cases import (
    CHANGED_IMAGE,
    DEPTH_IMAGE,
    FIXED,
    IMAGE_3D,
    LAYERED_IMAGE,
    LOCAL_BYTES,
    OBJECTS,
    OTHER,
    PIPE,
    QUEUE,
    READ_IMAGE,
    SAMPLER,
    SHARED,
    VALUES,
    WRITTEN_IMAGE,
    ArgumentReference,
    create_depth_image,
    create_image_for,
    get_kernel,
    get_valid_value,
    setter_arguments,
)
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.images import IMAGE_OF_BUFFER
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NULL_AT_AN_ADDRESS = Pointers((None,))
"""A pointer to a handle that is NULL."""
SMALL_HANDLE_SIZES, LARGE_HANDLE_SIZE = (0, 4, 7), 16
"""Invalid sizes of a handle in bytes; where a handle has 4 bytes, this size is skipped."""
ELEMENTS_OF_THREE = 12
"""The size in bytes of three elements, an invalid size: a three-component vector type has the size of four elements."""
variations = VariationRegistry()


def _set_argument(argument: ArgumentReference, create: Callable[[Kit], Value], size: int | None = None) -> Difference:
    """Return the argument changes that set ``argument`` to the value that ``create`` returns."""

    def difference(kit: Kit, _given: Arguments) -> dict[str, Value]:
        get_kernel(kit, argument.kernel)
        return setter_arguments(kit, argument, create(kit), size)

    return difference


def _set_value(argument: ArgumentReference, value: Value, size: int | None = None) -> Difference:
    return _set_argument(argument, lambda _kit: value, size)


def _handle_of(create: Callable[[Kit], Handle]) -> Callable[[Kit], Value]:
    return lambda kit: HandleBytes(create(kit))


def _require_robustness(create: Callable[[Kit], Handle]) -> Callable[[Kit], Value]:
    """Return a function that creates an object of another C type than declared.

    Without ``--robustness``, the function skips the item.
    """

    def made(kit: Kit) -> Value:
        skip_unless(kit.cl.robustness, "requires --robustness (valid handles of the wrong kind)")
        return HandleBytes(create(kit))

    return made


# clSetKernelArg


@variations.declare("clSetKernelArg/CL_INVALID_ARG_INDEX/1", "clSetKernelArgSVMPointer/CL_INVALID_ARG_INDEX/1")
def invalid_indices() -> Iterator[Variation]:
    """Yield indices past the arguments of the kernel."""
    yield Variation("arg_index=number of arguments", _with_index_after_last)
    yield Variation("arg_index=UINT_MAX", {"arg_index": 0xFFFFFFFF})


def _with_index_after_last(_kit: Kit, arguments: Arguments) -> dict[str, Value]:
    return {"arg_index": 1 + (len(VALUES) if "arg_size" in arguments else 0)}


@variations.declare("clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def mismatched_sizes() -> Iterator[Variation]:
    """Yield sizes one byte below and above the size of each value type, and invalid sizes for each object type."""
    for place in VALUES:
        size = place.declaration.bytes
        for other in (size - 1, size + 1):
            yield Variation(f"{place}, {other} bytes", _set_value(place, Data(bytes(size + 1)), other))
    three = next(place for place in VALUES if place.declaration.type_name == "uint3")
    yield Variation("uint3, 12 bytes", _set_value(three, Data(bytes(ELEMENTS_OF_THREE)), ELEMENTS_OF_THREE))
    for place in OBJECTS:
        for size in SMALL_HANDLE_SIZES:
            yield Variation(f"{place}, {size} bytes", bind_values(_with_size, place, size))
        yield Variation(f"{place}, {LARGE_HANDLE_SIZE} bytes", bind_values(_with_several_handles, place))
    yield Variation(f"{SHARED}, 0 bytes", _set_value(SHARED, None, 0))


def _with_size(kit: Kit, _given: Arguments, argument: ArgumentReference, size: int) -> dict[str, Value]:
    skip_unless(size != kit.pointer_bytes, f"a handle has {size} bytes")
    return setter_arguments(kit, argument, get_valid_value(kit, argument), size)


def _with_several_handles(kit: Kit, _given: Arguments, argument: ArgumentReference) -> dict[str, Value]:
    value = get_valid_value(kit, argument)
    handle = value.handle if isinstance(value, HandleBytes) else None
    others = (None,) * (LARGE_HANDLE_SIZE // kit.pointer_bytes - 1)
    return setter_arguments(kit, argument, Pointers((handle, *others)), LARGE_HANDLE_SIZE)


@variations.declare("clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield NULL for arguments that are values, and memory objects whose type does not match the declaration."""
    for place in VALUES:
        yield Variation(f"{place}, NULL", _set_value(place, None))
    for words, place, create in MISMATCHED_OBJECTS:
        yield Variation(words, _set_argument(place, _handle_of(create)))


MISMATCHED_OBJECTS: tuple[tuple[str, ArgumentReference, Callable[[Kit], Handle]], ...] = (
    ("an image for a pointer", OTHER, lambda kit: kit.image()),
    ("an image for constant memory", FIXED, lambda kit: kit.image()),
    ("a buffer for an image", READ_IMAGE, lambda kit: kit.first_buffer),
    ("a buffer for a pipe", PIPE, lambda kit: kit.first_buffer),
    ("a 3D image for a 2D one", READ_IMAGE, lambda kit: create_image_for(kit, IMAGE_3D)),
    ("a 2D image for a 3D one", IMAGE_3D, lambda kit: kit.image()),
    ("a 2D image for an array", LAYERED_IMAGE, lambda kit: kit.image()),
    ("a buffer for an image to write", WRITTEN_IMAGE, lambda kit: kit.first_buffer),
    ("a sub-buffer for an image", READ_IMAGE, lambda kit: kit.sub_buffer(kit.first_buffer, 0, SIZE // 2)),
    ("a 1D image for a 2D one", READ_IMAGE, lambda kit: kit.image("CL_MEM_OBJECT_IMAGE1D")),
    ("a 1D image from a buffer for a 2D image", READ_IMAGE, lambda kit: kit.image(IMAGE_OF_BUFFER)),
    ("a 1D image from a buffer for a pointer", OTHER, lambda kit: kit.image(IMAGE_OF_BUFFER)),
    ("an array for a 2D image", READ_IMAGE, lambda kit: create_image_for(kit, LAYERED_IMAGE)),
    ("an array for a 3D image", IMAGE_3D, lambda kit: create_image_for(kit, LAYERED_IMAGE)),
    ("a buffer for an array", LAYERED_IMAGE, lambda kit: kit.first_buffer),
    ("a pipe for a pointer", OTHER, lambda kit: kit.pipe()),
    ("a pipe for an image", READ_IMAGE, lambda kit: kit.pipe()),
    ("an image for a pipe", PIPE, lambda kit: kit.image()),
)
"""Memory objects of another kind or image type than the argument is declared with; all have the type cl_mem."""


@variations.declare("clSetKernelArg/CL_INVALID_MEM_OBJECT/1")
def values_that_are_not_memory_objects() -> Iterator[Variation]:
    """Yield NULL for arguments that are images or pipes, and memory objects of another context."""
    for place in (READ_IMAGE, WRITTEN_IMAGE, PIPE):
        yield Variation(f"{place}, NULL", _set_value(place, None))
        yield Variation(f"{place}, the address of NULL", _set_value(place, NULL_AT_AN_ADDRESS))
    yield Variation(
        "a buffer of another context", _set_argument(OTHER, _handle_of(lambda kit: kit.foreign.first_buffer))
    )
    yield Variation(
        "an image of another context",
        _set_argument(READ_IMAGE, _handle_of(lambda kit: create_image_for(kit.foreign, READ_IMAGE))),
    )
    yield Variation("a sampler for a pointer", _set_argument(OTHER, _require_robustness(lambda kit: kit.sampler())))


@variations.declare("clSetKernelArg/CL_INVALID_MEM_OBJECT/6")
def mismatched_memory_objects() -> Iterator[Variation]:
    """Yield memory objects whose type, image type or channel order differs from the argument's declaration."""
    yield Variation("an image for a pointer", _set_argument(OTHER, _handle_of(lambda kit: kit.image())))
    yield Variation("a buffer for an image", _set_argument(READ_IMAGE, _handle_of(lambda kit: kit.first_buffer)))
    yield Variation(
        "a 3D image for a 2D one", _set_argument(READ_IMAGE, _handle_of(lambda kit: create_image_for(kit, IMAGE_3D)))
    )
    yield Variation("a color image for a depth image", _set_argument(DEPTH_IMAGE, _handle_of(lambda kit: kit.image())))


@variations.declare("clSetKernelArg/CL_INVALID_CONTEXT/1")
def objects_of_other_contexts() -> Iterator[Variation]:
    """Yield a buffer, an image and a sampler of another context."""
    yield Variation(
        "a buffer of another context", _set_argument(OTHER, _handle_of(lambda kit: kit.foreign.first_buffer))
    )
    yield Variation(
        "an image of another context",
        _set_argument(READ_IMAGE, _handle_of(lambda kit: create_image_for(kit.foreign, READ_IMAGE))),
    )
    yield Variation(
        "a sampler of another context", _set_argument(SAMPLER, _handle_of(lambda kit: kit.foreign.sampler()))
    )


@variations.declare("clSetKernelArg/CL_INVALID_MEM_OBJECT/2")
def images_that_are_not_depth_images() -> Iterator[Variation]:
    """Yield NULL and a colour image as the value of a depth image argument."""
    yield Variation("NULL for a depth image", _set_value(DEPTH_IMAGE, None))
    yield Variation(
        "a color image for a depth image argument", _set_argument(DEPTH_IMAGE, _handle_of(lambda kit: kit.image()))
    )


@variations.declare("clSetKernelArg/CL_INVALID_SAMPLER/1")
def values_that_are_not_samplers() -> Iterator[Variation]:
    """Yield NULL and a buffer as the value of a sampler argument."""
    yield Variation("sampler, NULL", _set_value(SAMPLER, None))
    yield Variation("sampler, the address of NULL", _set_value(SAMPLER, NULL_AT_AN_ADDRESS))
    yield Variation("a buffer for a sampler", _set_argument(SAMPLER, _require_robustness(lambda kit: kit.first_buffer)))


@variations.declare("clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1")
def values_that_are_not_device_queues() -> Iterator[Variation]:
    """Yield NULL and a host queue as the value of a device queue argument."""
    yield Variation("queue, NULL", _set_value(QUEUE, None))
    yield Variation("queue, the address of NULL", _set_value(QUEUE, NULL_AT_AN_ADDRESS))
    yield Variation("a host queue for a device queue", _set_argument(QUEUE, _require_robustness(lambda kit: kit.queue)))


@variations.declare("clSetKernelArg/CL_INVALID_ARG_VALUE/2")
def images_without_declared_access() -> Iterator[Variation]:
    """Yield write-only images for arguments that are read, and read-only images for an argument that is written."""
    for place, flag in (
        (READ_IMAGE, "CL_MEM_WRITE_ONLY"),
        (LAYERED_IMAGE, "CL_MEM_WRITE_ONLY"),
        (WRITTEN_IMAGE, "CL_MEM_READ_ONLY"),
    ):
        yield Variation(f"{place}, {flag}", bind_values(_with_image_flag, place, flag))


def _with_image_flag(kit: Kit, _given: Arguments, argument: ArgumentReference, flag: str) -> dict[str, Value]:
    return setter_arguments(kit, argument, HandleBytes(create_image_for(kit, argument, flag)))


@variations.declare("clSetKernelArg/success")
def valid_arguments() -> Iterator[Variation]:
    """Yield valid values and objects for each type of argument, NULL for buffers, and sizes of local memory."""
    for place in (*VALUES, *OBJECTS, WRITTEN_IMAGE, CHANGED_IMAGE, DEPTH_IMAGE, IMAGE_3D, LAYERED_IMAGE):
        yield Variation(f"a valid value: {place}", bind_values(_with_valid_value, place))
    for place in (OTHER, FIXED):
        yield Variation(f"{place}, NULL", _set_value(place, None))
        yield Variation(f"{place}, the address of NULL", _set_value(place, NULL_AT_AN_ADDRESS))
    yield Variation(
        "a sub-buffer", _set_argument(OTHER, _handle_of(lambda kit: kit.sub_buffer(kit.first_buffer, 0, SIZE // 2)))
    )
    yield Variation("local memory with an address", _set_value(SHARED, Data(bytes(LOCAL_BYTES))))
    for flag in ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"):
        yield Variation(f"a buffer with {flag}", bind_values(_with_buffer_flag, flag))
    for size in (1, LOCAL_BYTES):
        yield Variation(f"{SHARED}, {size} bytes", _set_value(SHARED, None, size))
    yield Variation(
        "an image to read for an argument to read", bind_values(_with_image_flag, READ_IMAGE, "CL_MEM_READ_ONLY")
    )
    yield Variation(
        "an image to write for an argument to write", bind_values(_with_image_flag, WRITTEN_IMAGE, "CL_MEM_WRITE_ONLY")
    )
    yield Variation(
        "an image to read for an argument to read and write",
        bind_values(_with_image_flag, CHANGED_IMAGE, "CL_MEM_READ_ONLY"),
    )
    yield Variation(
        "a depth image for a color image argument", _set_argument(READ_IMAGE, _handle_of(create_depth_image))
    )


def _with_valid_value(kit: Kit, _given: Arguments, argument: ArgumentReference) -> dict[str, Value]:
    return setter_arguments(kit, argument, get_valid_value(kit, argument))


def _with_buffer_flag(kit: Kit, _given: Arguments, flag: str) -> dict[str, Value]:
    return setter_arguments(kit, OTHER, HandleBytes(kit.buffer(flag)))


@variations.declare("clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1")
def oversized_local_memory() -> Iterator[Variation]:
    """Yield a local memory argument that exceeds the device's local memory."""
    yield Variation("more local memory than there is", _with_oversized_local_memory)


def _with_oversized_local_memory(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return setter_arguments(kit, SHARED, None, 1 + int(kit.cl.fact("CL_DEVICE_LOCAL_MEM_SIZE") or 0))


# clSetKernelArgSVMPointer


@variations.declare("clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1")
def pointers_without_svm() -> Iterator[Variation]:
    """Yield the valid call, which is invalid on a device without SVM."""
    yield Variation("an address", {})


@variations.declare("clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1")
def pointers_outside_svm() -> Iterator[Variation]:
    """Yield NULL, and pointers outside the context's SVM allocations."""
    yield Variation("arg_value=NULL", {"arg_value": None})
    yield Variation("the end of an allocation", _with_end_of_allocation)
    yield Variation("memory of the host", lambda kit, _given: {"arg_value": kit.host_area()})
    yield Variation("of another context", lambda kit, _given: {"arg_value": kit.foreign.svm()})


def _with_end_of_allocation(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"arg_value": OffsetPointer(kit.svm(), SIZE)}


@variations.declare("clSetKernelArgSVMPointer/success")
def valid_pointers() -> Iterator[Variation]:
    """Yield pointers into an SVM allocation, and a pointer for an argument in constant memory."""
    for offset in (4, SIZE - 4):
        yield Variation(f"at offset {offset} of an allocation", bind_values(_with_offset, offset))
    yield Variation("to constant memory", _with_constant_memory)


def _with_offset(kit: Kit, _given: Arguments, offset: int) -> dict[str, Value]:
    return {"arg_value": OffsetPointer(kit.svm(), offset)}


def _with_constant_memory(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"kernel": get_kernel(kit, FIXED.kernel), "arg_index": FIXED.index}
