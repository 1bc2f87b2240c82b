"""Setting of kernel arguments (section 5.9.2): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Inside, Pointers
from clconform.oracles.model.parameters import HANDLE_BYTES
from clconform.suites.chapters.kernels.making import (
    CHANGED,
    DEEP,
    FIXED,
    LOCAL_BYTES,
    OBJECTS,
    OTHER,
    PIPE,
    QUEUE,
    READ,
    READ_DEPTH,
    READ_LAYERS,
    SAMPLER,
    SHARED,
    VALUES,
    WRITTEN,
    Place,
    depth_image,
    given,
    image_for,
    kernel_of,
    right,
)
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.suites.errors.variations import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NULL_AT_AN_ADDRESS = Pointers((None,))
"""The address of a NULL handle."""
ELEMENTS_OF_THREE = 12
"""Bytes of three elements of a three-component vector, whose type occupies four."""
variations = Variations()


def _set(place: Place, make: Callable[[Kit], Value], size: int | None = None) -> Difference:
    """Return the difference that sets an argument to a value from ``make``."""

    def difference(kit: Kit, _given: Arguments) -> dict[str, Value]:
        kernel_of(kit, place.kernel)
        return given(kit, place, make(kit), size)

    return difference


def _with(place: Place, value: Value, size: int | None = None) -> Difference:
    return _set(place, lambda _kit: value, size)


def _handle(make: Callable[[Kit], Handle]) -> Callable[[Kit], Value]:
    return lambda kit: HandleBytes(make(kit))


def _robust(make: Callable[[Kit], Handle]) -> Callable[[Kit], Value]:
    """Return a function that creates an object of another type than declared; skip without ``--robustness``."""

    def made(kit: Kit) -> Value:
        needs(kit.cl.robustness, "requires --robustness (valid handles of the wrong kind)")
        return HandleBytes(make(kit))

    return made


# clSetKernelArg


@variations.of("clSetKernelArg/CL_INVALID_ARG_INDEX/1", "clSetKernelArgSVMPointer/CL_INVALID_ARG_INDEX/1")
def no_arguments() -> Iterator[Variation]:
    """Yield indices past the arguments of the kernel."""
    yield Variation("arg_index=number of arguments", _behind)
    yield Variation("arg_index=UINT_MAX", {"arg_index": 0xFFFFFFFF})


def _behind(_kit: Kit, arguments: Arguments) -> dict[str, Value]:
    return {"arg_index": 1 + (len(VALUES) if "arg_size" in arguments else 0)}


@variations.of("clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def other_sizes() -> Iterator[Variation]:
    """Yield one byte less and one more for each value type, and several invalid sizes for each type of object."""
    for place in VALUES:
        size = place.declared.bytes
        for other in (size - 1, size + 1):
            yield Variation(f"{place}, {other} bytes", _with(place, Data(bytes(size + 1)), other))
    three = next(place for place in VALUES if place.declared.type_name == "uint3")
    yield Variation("uint3, 12 bytes", _with(three, Data(bytes(ELEMENTS_OF_THREE)), ELEMENTS_OF_THREE))
    for place in OBJECTS:
        for size in (0, HANDLE_BYTES // 2, HANDLE_BYTES - 1):
            yield Variation(f"{place}, {size} bytes", bound(_cut, place, size))
        yield Variation(f"{place}, {2 * HANDLE_BYTES} bytes", bound(_twice, place))
    yield Variation(f"{SHARED}, 0 bytes", _with(SHARED, None, 0))


def _cut(kit: Kit, _given: Arguments, place: Place, size: int) -> dict[str, Value]:
    return given(kit, place, right(kit, place), size)


def _twice(kit: Kit, _given: Arguments, place: Place) -> dict[str, Value]:
    value = right(kit, place)
    handle = value.handle if isinstance(value, HandleBytes) else None
    return given(kit, place, Pointers((handle, None)), 2 * HANDLE_BYTES)


@variations.of("clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield NULL for values, and memory objects that do not match the declaration."""
    for place in VALUES:
        yield Variation(f"{place}, NULL", _with(place, None))
    yield Variation("an image for a pointer", _set(OTHER, _robust(lambda kit: kit.image())))
    yield Variation("an image for constant memory", _set(FIXED, _robust(lambda kit: kit.image())))
    yield Variation("a buffer for an image", _set(READ, _robust(lambda kit: kit.first_buffer)))
    yield Variation("a buffer for a pipe", _set(PIPE, _robust(lambda kit: kit.first_buffer)))
    yield Variation("a 3D image for a 2D one", _set(READ, _robust(lambda kit: image_for(kit, DEEP))))
    yield Variation("a 2D image for a 3D one", _set(DEEP, _robust(lambda kit: kit.image())))
    yield Variation("a 2D image for an array", _set(READ_LAYERS, _robust(lambda kit: kit.image())))


@variations.of("clSetKernelArg/CL_INVALID_MEM_OBJECT/1")
def no_memory_objects() -> Iterator[Variation]:
    """Yield NULL for images and pipes, and memory objects of another context."""
    for place in (READ, WRITTEN, PIPE):
        yield Variation(f"{place}, NULL", _with(place, None))
        yield Variation(f"{place}, the address of NULL", _with(place, NULL_AT_AN_ADDRESS))
    yield Variation("a buffer of another context", _set(OTHER, _handle(lambda kit: kit.foreign.first_buffer)))
    yield Variation("an image of another context", _set(READ, _handle(lambda kit: image_for(kit.foreign, READ))))
    yield Variation("a sampler for a pointer", _set(OTHER, _robust(lambda kit: kit.sampler())))


@variations.of("clSetKernelArg/CL_INVALID_MEM_OBJECT/6")
def objects_of_other_kinds() -> Iterator[Variation]:
    """Yield memory objects whose kind, image type or depth differs from the argument's declaration."""
    yield Variation("an image for a pointer", _set(OTHER, _handle(lambda kit: kit.image())))
    yield Variation("a buffer for an image", _set(READ, _handle(lambda kit: kit.first_buffer)))
    yield Variation("a 3D image for a 2D one", _set(READ, _handle(lambda kit: image_for(kit, DEEP))))
    yield Variation("colours for depths", _set(READ_DEPTH, _handle(lambda kit: kit.image())))


@variations.of("clSetKernelArg/CL_INVALID_CONTEXT/1")
def objects_of_other_contexts() -> Iterator[Variation]:
    """Yield a buffer, an image and a sampler of another context."""
    yield Variation("a buffer of another context", _set(OTHER, _handle(lambda kit: kit.foreign.first_buffer)))
    yield Variation("an image of another context", _set(READ, _handle(lambda kit: image_for(kit.foreign, READ))))
    yield Variation("a sampler of another context", _set(SAMPLER, _handle(lambda kit: kit.foreign.sampler())))


@variations.of("clSetKernelArg/CL_INVALID_MEM_OBJECT/2")
def no_depth_images() -> Iterator[Variation]:
    """Yield NULL and a colour image for a depth image."""
    yield Variation("NULL for an image of depths", _with(READ_DEPTH, None))
    yield Variation("an image of colours for one of depths", _set(READ_DEPTH, _handle(lambda kit: kit.image())))


@variations.of("clSetKernelArg/CL_INVALID_SAMPLER/1")
def no_samplers() -> Iterator[Variation]:
    """Yield NULL and a buffer for a sampler."""
    yield Variation("sampler, NULL", _with(SAMPLER, None))
    yield Variation("sampler, the address of NULL", _with(SAMPLER, NULL_AT_AN_ADDRESS))
    yield Variation("a buffer for a sampler", _set(SAMPLER, _robust(lambda kit: kit.first_buffer)))


@variations.of("clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1")
def no_device_queues() -> Iterator[Variation]:
    """Yield NULL and a host queue for a device queue."""
    yield Variation("queue, NULL", _with(QUEUE, None))
    yield Variation("queue, the address of NULL", _with(QUEUE, NULL_AT_AN_ADDRESS))
    yield Variation("a host queue for a device queue", _set(QUEUE, _robust(lambda kit: kit.queue)))


@variations.of("clSetKernelArg/CL_INVALID_ARG_VALUE/2")
def images_without_the_access() -> Iterator[Variation]:
    """Yield images that kernels may only write for read-only arguments, and vice versa."""
    for place, flag in ((READ, "CL_MEM_WRITE_ONLY"), (READ_LAYERS, "CL_MEM_WRITE_ONLY"), (WRITTEN, "CL_MEM_READ_ONLY")):
        yield Variation(f"{place}, {flag}", bound(_with_flag, place, flag))


def _with_flag(kit: Kit, _given: Arguments, place: Place, flag: str) -> dict[str, Value]:
    return given(kit, place, HandleBytes(image_for(kit, place, flag)))


@variations.of("clSetKernelArg/success")
def valid_arguments() -> Iterator[Variation]:
    """Yield a valid value of each type, an object of each sort, NULL for buffers, and sizes of local memory."""
    for place in (*VALUES, *OBJECTS, WRITTEN, CHANGED, READ_DEPTH, DEEP, READ_LAYERS):
        yield Variation(f"a right value: {place}", bound(_right, place))
    for place in (OTHER, FIXED):
        yield Variation(f"{place}, NULL", _with(place, None))
        yield Variation(f"{place}, the address of NULL", _with(place, NULL_AT_AN_ADDRESS))
    yield Variation("a sub-buffer", _set(OTHER, _handle(lambda kit: kit.sub_buffer(kit.first_buffer, 0, SIZE // 2))))
    yield Variation("local memory with an address", _with(SHARED, Data(bytes(LOCAL_BYTES))))
    for flag in ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"):
        yield Variation(f"a buffer with {flag}", bound(_limited_buffer, flag))
    for size in (1, LOCAL_BYTES):
        yield Variation(f"{SHARED}, {size} bytes", _with(SHARED, None, size))
    yield Variation("an image to read for an argument to read", bound(_with_flag, READ, "CL_MEM_READ_ONLY"))
    yield Variation("an image to write for an argument to write", bound(_with_flag, WRITTEN, "CL_MEM_WRITE_ONLY"))
    yield Variation(
        "an image to read for an argument to read and write", bound(_with_flag, CHANGED, "CL_MEM_READ_ONLY")
    )
    yield Variation("an image of depths for one of colours", _set(READ, _handle(depth_image)))


def _right(kit: Kit, _given: Arguments, place: Place) -> dict[str, Value]:
    return given(kit, place, right(kit, place))


def _limited_buffer(kit: Kit, _given: Arguments, flag: str) -> dict[str, Value]:
    return given(kit, OTHER, HandleBytes(kit.buffer(flag)))


@variations.of("clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1")
def large_memory() -> Iterator[Variation]:
    """Yield more local memory than the device has; kernels in OpenCL C do not restrict the size further."""
    yield Variation("more local memory than there is", _too_much)


def _too_much(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return given(kit, SHARED, None, 1 + int(kit.cl.fact("CL_DEVICE_LOCAL_MEM_SIZE") or 0))


# clSetKernelArgSVMPointer


@variations.of("clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1")
def addresses_without_shared_memory() -> Iterator[Variation]:
    """Yield the valid call, which is invalid on a device without SVM."""
    yield Variation("an address", {})


@variations.of("clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1")
def addresses_of_nothing() -> Iterator[Variation]:
    """Yield NULL, and pointers outside the context's SVM allocations."""
    yield Variation("arg_value=NULL", {"arg_value": None})
    yield Variation("the end of an allocation", _end)
    yield Variation("memory of the host", lambda kit, _given: {"arg_value": kit.area()})
    yield Variation("of another context", lambda kit, _given: {"arg_value": kit.foreign.svm()})


def _end(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"arg_value": Inside(kit.svm(), SIZE)}


@variations.of("clSetKernelArgSVMPointer/success")
def valid_addresses() -> Iterator[Variation]:
    """Yield pointers into an SVM allocation, also for constant memory."""
    for offset in (4, SIZE - 4):
        yield Variation(f"at offset {offset} of an allocation", bound(_inside, offset))
    yield Variation("to constant memory", _constant)


def _inside(kit: Kit, _given: Arguments, offset: int) -> dict[str, Value]:
    return {"arg_value": Inside(kit.svm(), offset)}


def _constant(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"kernel": kernel_of(kit, FIXED.kernel), "arg_index": FIXED.index}
