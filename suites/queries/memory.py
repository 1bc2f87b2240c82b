"""Memory objects to query: buffers, sub-buffers, images of every type, pipes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items
from clconform.spec_tables.records import Query
from clconform.suites.kit.formats import FLAT, listed
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_TYPES, LAYERS, OF_A_BUFFER, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import HALF, SIZE
from clconform.suites.queries.kinds import Kind, Kinds
from clconform.suites.steps import at_least, needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

MEMORY, IMAGE = "clGetMemObjectInfo", "clGetImageInfo"
PARAMETER = {MEMORY: "memobj", IMAGE: "image"}
OF_OTHER_INTERFACES = (
    "clGetMemObjectInfo/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clGetMemObjectInfo/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clGetMemObjectInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1",
)
"""Errors that are not allowed for a buffer that is not shared with another API."""
IMAGES_OF_OTHER_INTERFACES = (
    "clGetImageInfo/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clGetImageInfo/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clGetImageInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1",
)
kinds = Kinds()


@kinds.family(MEMORY)
def buffers() -> Iterator[Kind]:
    yield Kind("a buffer", functools.partial(_buffer, ("CL_MEM_READ_WRITE",)), OF_OTHER_INTERFACES)
    yield Kind("a buffer without flags", _without_flags)
    yield Kind("a buffer to read", functools.partial(_buffer, ("CL_MEM_READ_ONLY",)))
    yield Kind("a buffer to write", functools.partial(_buffer, ("CL_MEM_WRITE_ONLY",)))
    copied, on_the_host = ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR"), ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")
    yield Kind("a buffer copied from the host", functools.partial(_buffer, copied))
    yield Kind("a buffer in host memory", functools.partial(_buffer, on_the_host))


def _buffer(flags: tuple[str, ...], kit: Kit) -> About:
    return {"memobj": kit.buffer(*flags, size=SIZE - 1)}


def _without_flags(kit: Kit) -> About:
    return {"memobj": one(kit.call("clCreateBuffer", flags=0, size=SIZE - 1))}


@kinds.of("a buffer that the host may only read", MEMORY)
def host_read_only(kit: Kit) -> About:
    needs(at_least(kit.cl, (1, 2)), "requires OpenCL 1.2 (host access flags)")
    return {"memobj": kit.buffer("CL_MEM_READ_WRITE", "CL_MEM_HOST_READ_ONLY")}


@kinds.of("a buffer with properties", MEMORY)
def buffer_with_properties(kit: Kit) -> About:
    return {"memobj": one(kit.call("clCreateBufferWithProperties", properties=Items((0,))))}


@kinds.of("a buffer with NULL properties", MEMORY)
def buffer_with_null_properties(kit: Kit) -> About:
    return {"memobj": one(kit.call("clCreateBufferWithProperties"))}


@kinds.of("the start of a buffer", MEMORY)
def first_region(kit: Kit) -> About:
    return {"memobj": kit.sub_buffer(kit.buffer(), 0, HALF)}


@kinds.of("a later region of a buffer", MEMORY)
def later_region(kit: Kit) -> About:
    origin = kit.alignment
    return {"memobj": kit.sub_buffer(kit.buffer(), origin, SIZE - origin, "CL_MEM_READ_ONLY")}


@kinds.of("a region of a buffer to read", MEMORY)
def inheriting_region(kit: Kit) -> About:
    return {"memobj": kit.sub_buffer(kit.buffer("CL_MEM_READ_ONLY"), 0, SIZE)}


def _region_with_flags(flags: tuple[str, ...], kit: Kit) -> About:
    needs(at_least(kit.cl, (1, 2)), "requires OpenCL 1.2 (host access flags)")
    return {"memobj": kit.sub_buffer(kit.buffer(*flags), 0, SIZE)}


@kinds.family(MEMORY)
def regions() -> Iterator[Kind]:
    for words, flags in (
        ("a region of a buffer that the host may only read", ("CL_MEM_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY")),
        ("a region of a buffer in host memory", ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")),
        ("a region of a buffer copied from the host", ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")),
    ):
        yield Kind(words, functools.partial(_region_with_flags, flags))


def _on_host_memory(kit: Kit) -> Handle:
    return kit.buffer_on(one(kit.cl.host_allocate(SIZE, SIZE)))


@kinds.of("a buffer on host memory", MEMORY)
def on_an_area(kit: Kit) -> About:
    return {"memobj": _on_host_memory(kit)}


@kinds.of("the start of a buffer on host memory", MEMORY)
def first_region_on_an_area(kit: Kit) -> About:
    return {"memobj": kit.sub_buffer(_on_host_memory(kit), 0, HALF)}


@kinds.of("a later region of a buffer on host memory", MEMORY)
def later_region_on_an_area(kit: Kit) -> About:
    origin = kit.alignment
    return {"memobj": kit.sub_buffer(_on_host_memory(kit), origin, SIZE - origin)}


@kinds.of("a buffer on shared virtual memory", MEMORY)
def on_shared_memory(kit: Kit) -> About:
    return {"memobj": kit.buffer_on(kit.svm())}


@kinds.of("a region of a buffer on shared virtual memory", MEMORY)
def region_on_shared_memory(kit: Kit) -> About:
    return {"memobj": kit.sub_buffer(kit.buffer_on(kit.svm()), 0, HALF)}


def _image(image_type: str, function: str, kit: Kit) -> About:
    return {PARAMETER[function]: kit.image(image_type)}


def _older_image(image_type: str, function: str, kit: Kit) -> About:
    return {PARAMETER[function]: kit.image_as_before_1_2(image_type)}


@kinds.family(MEMORY)
def images_as_memory() -> Iterator[Kind]:
    yield from _images(MEMORY)


@kinds.family(MEMORY)
def images_on_host_memory() -> Iterator[Kind]:
    for words, function in (
        ("an image on host memory", "clCreateImage"),
        ("an image on host memory, by the function that takes properties", "clCreateImageWithProperties"),
    ):
        yield Kind(words, functools.partial(_image_on_host_memory, function))


def _image_on_host_memory(function: str, kit: Kit) -> About:
    flags = kit.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
    return {"memobj": one(kit.call(function, flags=flags, host_ptr=one(kit.cl.host_allocate(SIZE, SIZE))))}


@kinds.family(IMAGE)
def images() -> Iterator[Kind]:
    yield from _images(IMAGE)
    for image_type in (*IMAGE_TYPES, OF_A_BUFFER):
        words = f"an {_words(image_type)} described with 1 in each size that it does not use"
        yield Kind(words, functools.partial(_with_sizes_unused, image_type))


def _with_sizes_unused(image_type: str, kit: Kit) -> About:
    """Return an image whose description has nonzero values in fields that its type does not use."""
    width, height, depth, layers = (size or 1 for size in IMAGE_TYPES.get(image_type, (WIDTH, 0, 0, 0)))
    image = kit.image(image_type, image_width=width, image_height=height, image_depth=depth, image_array_size=layers)
    return {"image": image}


@kinds.of("an image of layers beside others that were asked", IMAGE)
def beside_others(kit: Kit) -> About:
    """Return an image that differs in every value from images that were queried before."""
    for other in (kit.image("CL_MEM_OBJECT_IMAGE3D"), kit.image(OF_A_BUFFER)):
        for query in kit.cl.tables.records_of(IMAGE):
            if isinstance(query, Query) and not kit.cl.applies(query.id):
                kit.cl.query(IMAGE, other, query.name)
    return {"image": kit.image("CL_MEM_OBJECT_IMAGE2D_ARRAY", image_width=2 * WIDTH, image_height=2 * HEIGHT)}


def _images(function: str) -> Iterator[Kind]:
    for image_type in IMAGE_TYPES:
        aims = IMAGES_OF_OTHER_INTERFACES if function == IMAGE else ()
        yield Kind(f"an {_words(image_type)}", functools.partial(_image, image_type, function), aims)
    yield Kind("an image1d of a buffer", functools.partial(_image, OF_A_BUFFER, function))
    for image_type in ("CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"):
        yield Kind(f"an {_words(image_type)} made as before 1.2", functools.partial(_older_image, image_type, function))
    for image_type in (FLAT, "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY"):
        yield Kind(f"an {_words(image_type)} with pitches", functools.partial(_with_pitches, image_type, function))
    yield Kind("an image2d of a buffer", functools.partial(_on_a_buffer, function))
    yield Kind("a depth image", functools.partial(_of_another_format, "CL_DEPTH", "CL_FLOAT", function))


def _with_pitches(image_type: str, function: str, kit: Kit) -> About:
    """Return an image with padding after each row and slice, initialised from host memory."""
    row = 2 * WIDTH * PIXEL_BYTES
    layers = max(LAYERS, DEPTH)
    slices = 0 if image_type.endswith("2D") else row * (HEIGHT + 1)
    content = Data(bytes(row * (HEIGHT + 1) * layers))
    flags = ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    image = kit.image(image_type, flags=flags, host=content, image_row_pitch=row, image_slice_pitch=slices)
    return {PARAMETER[function]: image}


def _on_a_buffer(function: str, kit: Kit) -> About:
    """Return a 2D image on a buffer, with aligned rows."""
    alignment = kit.cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT")
    needs(alignment, "the device has no 2D images on buffers")
    row = -(-WIDTH // alignment) * alignment * PIXEL_BYTES
    buffer = kit.buffer(size=row * HEIGHT)
    return {PARAMETER[function]: kit.image(FLAT, source=buffer, image_row_pitch=row)}


def _of_another_format(order: str, data_type: str, function: str, kit: Kit) -> About:
    """Return a 2D image of a format that the device lists for reading."""
    flags = "CL_MEM_READ_ONLY"
    pairs = listed(kit, kit.context, kit.value(flags), kit.value(FLAT))
    needs((kit.value(order), kit.value(data_type)) in pairs, f"the device does not list {order}, {data_type}")
    return {PARAMETER[function]: kit.image(FLAT, (order, data_type), flags=(flags,))}


def _words(image_type: str) -> str:
    return image_type.removeprefix("CL_MEM_OBJECT_").replace("_", " ").lower()


@kinds.of("a pipe", "clGetPipeInfo")
def pipe_to_ask(kit: Kit) -> About:
    return {"pipe": kit.pipe()}


@kinds.of("a pipe of larger packets", "clGetPipeInfo")
def pipe_of_larger_packets(kit: Kit) -> About:
    return {"pipe": kit.pipe(16, 4)}


@kinds.of("a pipe", MEMORY)
def pipe_as_memory(kit: Kit) -> About:
    return {"memobj": kit.pipe()}
