"""Memory objects and samplers to ask: buffers, their regions, images of every type, pipes."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, Room
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import at_least, needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session
    from clconform.suites.queries.kinds import Maker

SIZE = 4096
REGION = struct.Struct("@NN")
WIDTH, HEIGHT, DEPTH, LAYERS = 16, 8, 4, 3
PIXEL_BYTES = 4
MEMORY = "clGetMemObjectInfo"
kinds = Kinds()


def a_buffer(cl: Session, context: Handle, *flags: str, size: int = SIZE) -> Handle:
    """Make a buffer; with ``CL_MEM_COPY_HOST_PTR`` among the flags from bytes of the host."""
    content = Data(bytes(size)) if "CL_MEM_COPY_HOST_PTR" in flags else None
    return one(cl.clCreateBuffer(context, sum(value(cl, flag) for flag in flags), size, content, Room(1)))


@kinds.family(MEMORY)
def buffers() -> Iterator[tuple[str, Maker]]:
    yield "a buffer", functools.partial(_buffer, ("CL_MEM_READ_WRITE",))
    yield "a buffer without flags", functools.partial(_buffer, ())
    yield "a buffer to read", functools.partial(_buffer, ("CL_MEM_READ_ONLY",))
    yield "a buffer to write", functools.partial(_buffer, ("CL_MEM_WRITE_ONLY",))
    copied, on_the_host = ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR"), ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")
    yield "a buffer copied from the host", functools.partial(_buffer, copied)
    yield "a buffer in host memory", functools.partial(_buffer, on_the_host)


def _buffer(flags: tuple[str, ...], cl: Session) -> About:
    return {"memobj": a_buffer(cl, a_context(cl), *flags, size=SIZE - 1)}


@kinds.of("a buffer that the host may only read", MEMORY)
def host_read_only(cl: Session) -> About:
    needs(at_least(cl, (1, 2)), "host access flags come with 1.2")
    return {"memobj": a_buffer(cl, a_context(cl), "CL_MEM_READ_WRITE", "CL_MEM_HOST_READ_ONLY")}


@kinds.of("a buffer with properties", MEMORY)
def buffer_with_properties(cl: Session) -> About:
    return _with_properties(cl, Items((0,)))


@kinds.of("a buffer with NULL properties", MEMORY)
def buffer_with_null_properties(cl: Session) -> About:
    return _with_properties(cl, None)


def _with_properties(cl: Session, properties: Items | None) -> About:
    needs(promised(cl, "clCreateBufferWithProperties"), "buffers take no list of properties before 3.0")
    flags = value(cl, "CL_MEM_READ_WRITE")
    return {"memobj": one(cl.clCreateBufferWithProperties(a_context(cl), properties, flags, SIZE, None, Room(1)))}


def a_region(cl: Session, buffer: Handle, origin: int, size: int, *flags: str) -> Handle:
    """Make a region of a buffer."""
    needs(promised(cl, "clCreateSubBuffer"), "sub-buffers come with 1.1")
    bits = sum(value(cl, flag) for flag in flags)
    kind_of_region = value(cl, "CL_BUFFER_CREATE_TYPE_REGION")
    return one(cl.clCreateSubBuffer(buffer, bits, kind_of_region, Data(REGION.pack(origin, size)), Room(1)))


def _aligned(cl: Session) -> int:
    bits = cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN") or 0
    needs(bits and bits // 8 < SIZE, "the device does not tell its base address alignment")
    return int(bits) // 8


@kinds.of("the start of a buffer", MEMORY)
def first_region(cl: Session) -> About:
    return {"memobj": a_region(cl, a_buffer(cl, a_context(cl), "CL_MEM_READ_WRITE"), 0, SIZE // 2)}


@kinds.of("a later region of a buffer", MEMORY)
def later_region(cl: Session) -> About:
    origin = _aligned(cl)
    buffer = a_buffer(cl, a_context(cl), "CL_MEM_READ_WRITE")
    return {"memobj": a_region(cl, buffer, origin, SIZE - origin, "CL_MEM_READ_ONLY")}


@kinds.of("a region of a buffer to read", MEMORY)
def inheriting_region(cl: Session) -> About:
    return {"memobj": a_region(cl, a_buffer(cl, a_context(cl), "CL_MEM_READ_ONLY"), 0, SIZE)}


def _region_with_flags(flags: tuple[str, ...], cl: Session) -> About:
    needs(at_least(cl, (1, 2)), "host access flags come with 1.2")
    return {"memobj": a_region(cl, a_buffer(cl, a_context(cl), *flags), 0, SIZE)}


@kinds.family(MEMORY)
def regions() -> Iterator[tuple[str, Maker]]:
    for words, flags in (
        ("a region of a buffer that the host may only read", ("CL_MEM_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY")),
        ("a region of a buffer in host memory", ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")),
        ("a region of a buffer copied from the host", ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")),
    ):
        yield words, functools.partial(_region_with_flags, flags)


def _on_host_memory(cl: Session, area: Handle) -> Handle:
    flags = value(cl, "CL_MEM_READ_WRITE") | value(cl, "CL_MEM_USE_HOST_PTR")
    return one(cl.clCreateBuffer(a_context(cl), flags, SIZE, area, Room(1)))


def _area(cl: Session) -> Handle:
    return one(cl.host_allocate(SIZE, SIZE))


@kinds.of("a buffer on the host's own memory", MEMORY)
def on_an_area(cl: Session) -> About:
    return {"memobj": _on_host_memory(cl, _area(cl))}


@kinds.of("the start of a buffer on the host's own memory", MEMORY)
def first_region_on_an_area(cl: Session) -> About:
    return {"memobj": a_region(cl, _on_host_memory(cl, _area(cl)), 0, SIZE // 2)}


@kinds.of("a later region of a buffer on the host's own memory", MEMORY)
def later_region_on_an_area(cl: Session) -> About:
    origin = _aligned(cl)
    return {"memobj": a_region(cl, _on_host_memory(cl, _area(cl)), origin, SIZE - origin)}


def _on_shared_memory(cl: Session) -> Handle:
    needs(promised(cl, "clSVMAlloc"), "shared virtual memory comes with 2.0")
    needs(cl.fact("CL_DEVICE_SVM_CAPABILITIES"), "the device has no shared virtual memory")
    context, flags = a_context(cl), value(cl, "CL_MEM_READ_WRITE")
    memory = one(cl.clSVMAlloc(context, flags, SIZE, 0))
    return one(cl.clCreateBuffer(context, flags | value(cl, "CL_MEM_USE_HOST_PTR"), SIZE, memory, Room(1)))


@kinds.of("a buffer on shared virtual memory", MEMORY)
def on_shared_memory(cl: Session) -> About:
    return {"memobj": _on_shared_memory(cl)}


@kinds.of("a region of a buffer on shared virtual memory", MEMORY)
def region_on_shared_memory(cl: Session) -> About:
    return {"memobj": a_region(cl, _on_shared_memory(cl), 0, SIZE // 2)}


IMAGE_TYPES: dict[str, tuple[int, int, int, int]] = {
    "IMAGE1D": (WIDTH, 0, 0, 0),
    "IMAGE1D_ARRAY": (WIDTH, 0, 0, LAYERS),
    "IMAGE2D": (WIDTH, HEIGHT, 0, 0),
    "IMAGE2D_ARRAY": (WIDTH, HEIGHT, 0, LAYERS),
    "IMAGE3D": (WIDTH, HEIGHT, DEPTH, 0),
}
"""Image type to width, height, depth and number of layers."""


def an_image(cl: Session, context: Handle, name: str, *flags: str, source: Handle | None = None) -> Handle:
    """Make an image of four channels of a byte each; ``source``: the buffer or image that it is made of."""
    needs(cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device has no images")
    needs(promised(cl, "clCreateImage"), "images of every type come with 1.2")
    width, height, depth, layers = IMAGE_TYPES.get(name, (WIDTH, 0, 0, 0))
    pixel = Items((value(cl, "CL_RGBA"), value(cl, "CL_UNSIGNED_INT8")))
    fields = (value(cl, f"CL_MEM_OBJECT_{name}"), width, height, depth, layers, 0, 0, 0, 0, source)
    bits = sum(value(cl, flag) for flag in (flags or ("CL_MEM_READ_WRITE",)))
    return one(cl.clCreateImage(context, bits, pixel, Items(fields), None, Room(1)))


def _image(name: str, function: str, cl: Session) -> About:
    parameter = "image" if function == "clGetImageInfo" else "memobj"
    return {parameter: an_image(cl, a_context(cl), name)}


def _image_of_a_buffer(function: str, cl: Session) -> About:
    context = a_context(cl)
    buffer = a_buffer(cl, context, "CL_MEM_READ_WRITE", size=WIDTH * PIXEL_BYTES)
    parameter = "image" if function == "clGetImageInfo" else "memobj"
    return {parameter: an_image(cl, context, "IMAGE1D_BUFFER", source=buffer)}


def _older_image(name: str, function: str, cl: Session) -> About:
    needs(cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device has no images")
    pixel = Items((value(cl, "CL_RGBA"), value(cl, "CL_UNSIGNED_INT8")))
    parameter = "image" if function == "clGetImageInfo" else "memobj"
    context, flags = a_context(cl), value(cl, "CL_MEM_READ_WRITE")
    if name == "IMAGE2D":
        return {parameter: one(cl.clCreateImage2D(context, flags, pixel, WIDTH, HEIGHT, 0, None, Room(1)))}
    return {parameter: one(cl.clCreateImage3D(context, flags, pixel, WIDTH, HEIGHT, DEPTH, 0, 0, None, Room(1)))}


@kinds.family(MEMORY)
def images_as_memory() -> Iterator[tuple[str, Maker]]:
    yield from _images(MEMORY)


@kinds.family("clGetImageInfo")
def images() -> Iterator[tuple[str, Maker]]:
    yield from _images("clGetImageInfo")


def _images(function: str) -> Iterator[tuple[str, Maker]]:
    for name in IMAGE_TYPES:
        yield f"an {name.replace('_', ' ').lower()}", functools.partial(_image, name, function)
    yield "an image1d of a buffer", functools.partial(_image_of_a_buffer, function)
    for name in ("IMAGE2D", "IMAGE3D"):
        yield f"an {name.lower()} made as before 1.2", functools.partial(_older_image, name, function)


def a_pipe(cl: Session) -> Handle:
    """Make a pipe."""
    needs(promised(cl, "clCreatePipe"), "pipes come with 2.0")
    needs(not at_least(cl, (3, 0)) or cl.fact("CL_DEVICE_PIPE_SUPPORT"), "the device has no pipes")
    flags = value(cl, "CL_MEM_READ_WRITE") | value(cl, "CL_MEM_HOST_NO_ACCESS")
    return one(cl.clCreatePipe(a_context(cl), flags, 8, 16, None, Room(1)))


@kinds.of("a pipe", "clGetPipeInfo")
def pipe_to_ask(cl: Session) -> About:
    return {"pipe": a_pipe(cl)}


@kinds.of("a pipe", MEMORY)
def pipe_as_memory(cl: Session) -> About:
    return {"memobj": a_pipe(cl)}


SAMPLER = "clGetSamplerInfo"


@kinds.of("a sampler", SAMPLER)
def sampler(cl: Session) -> About:
    modes = (value(cl, "CL_ADDRESS_CLAMP_TO_EDGE"), value(cl, "CL_FILTER_LINEAR"))
    return {"sampler": one(cl.clCreateSampler(a_context(cl), 1, *modes, Room(1)))}


@kinds.of("a sampler of pixels", SAMPLER)
def sampler_of_pixels(cl: Session) -> About:
    modes = (value(cl, "CL_ADDRESS_NONE"), value(cl, "CL_FILTER_NEAREST"))
    return {"sampler": one(cl.clCreateSampler(a_context(cl), 0, *modes, Room(1)))}


def _sampler_by_list(properties: tuple[str | int, ...] | None, cl: Session) -> About:
    needs(promised(cl, "clCreateSamplerWithProperties"), "samplers take no list of properties before 2.0")
    given = None
    if properties is not None:
        given = Items(tuple(value(cl, each) if isinstance(each, str) else each for each in properties))
    return {"sampler": one(cl.clCreateSamplerWithProperties(a_context(cl), given, Room(1)))}


@kinds.family(SAMPLER)
def samplers_by_list() -> Iterator[tuple[str, Maker]]:
    yield "a sampler with a NULL list", functools.partial(_sampler_by_list, None)
    yield "a sampler with an empty list", functools.partial(_sampler_by_list, (0,))
    one_property = ("CL_SAMPLER_NORMALIZED_COORDS", 0, 0)
    yield "a sampler with one property", functools.partial(_sampler_by_list, one_property)
    filtered = ("CL_SAMPLER_FILTER_MODE", "CL_FILTER_LINEAR")
    all_properties = (
        *filtered,
        "CL_SAMPLER_NORMALIZED_COORDS",
        1,
        "CL_SAMPLER_ADDRESSING_MODE",
        "CL_ADDRESS_REPEAT",
        0,
    )
    yield "a sampler with all properties", functools.partial(_sampler_by_list, all_properties)
