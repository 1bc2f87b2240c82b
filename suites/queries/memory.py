"""Memory objects for queries: buffers, sub-buffers, images of every type, and pipes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle
from clconform.spec_tables.requirements import Query
from clconform.suites.helpers import has_version, require_handle, skip_unless
from clconform.suites.kit.formats import IMAGE_2D, list_formats
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_OF_BUFFER, IMAGE_TYPES, LAYERS, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import HALF, SIZE
from clconform.suites.queries.kinds import ObjectKind, ObjectKindRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

MEMORY, IMAGE = "clGetMemObjectInfo", "clGetImageInfo"
PARAMETER = {MEMORY: "memobj", IMAGE: "image"}
BUFFER_INTEROP_ERRORS = (
    "clGetMemObjectInfo/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clGetMemObjectInfo/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clGetMemObjectInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1",
)
"""Error conditions that must not hold for a buffer that is not shared with another interface."""
IMAGE_INTEROP_ERRORS = (
    "clGetImageInfo/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clGetImageInfo/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clGetImageInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1",
)
kinds = ObjectKindRegistry()


@kinds.declare_family(MEMORY)
def buffers() -> Iterator[ObjectKind]:
    yield ObjectKind("a buffer", functools.partial(_buffer, ("CL_MEM_READ_WRITE",)), BUFFER_INTEROP_ERRORS)
    yield ObjectKind("a buffer without flags", _buffer_without_flags)
    yield ObjectKind("a buffer to read", functools.partial(_buffer, ("CL_MEM_READ_ONLY",)))
    yield ObjectKind("a buffer to write", functools.partial(_buffer, ("CL_MEM_WRITE_ONLY",)))
    copied, on_the_host = ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR"), ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")
    yield ObjectKind("a buffer copied from the host", functools.partial(_buffer, copied))
    yield ObjectKind("a buffer in host memory", functools.partial(_buffer, on_the_host))


def _buffer(flags: tuple[str, ...], kit: Kit) -> QuerySubject:
    return {"memobj": kit.buffer(*flags, size=SIZE - 1)}


def _buffer_without_flags(kit: Kit) -> QuerySubject:
    return {"memobj": require_handle(kit.call("clCreateBuffer", flags=0, size=SIZE - 1))}


@kinds.declare("a buffer that the host may only read", MEMORY)
def host_read_only_buffer(kit: Kit) -> QuerySubject:
    skip_unless(has_version(kit.cl, (1, 2)), "requires OpenCL 1.2 (host access flags)")
    return {"memobj": kit.buffer("CL_MEM_READ_WRITE", "CL_MEM_HOST_READ_ONLY")}


@kinds.declare("a buffer with properties", MEMORY)
def buffer_with_properties(kit: Kit) -> QuerySubject:
    return {"memobj": require_handle(kit.call("clCreateBufferWithProperties", properties=ElementList((0,))))}


@kinds.declare("a buffer with NULL properties", MEMORY)
def buffer_with_null_properties(kit: Kit) -> QuerySubject:
    return {"memobj": require_handle(kit.call("clCreateBufferWithProperties"))}


@kinds.declare("the start of a buffer", MEMORY)
def first_region(kit: Kit) -> QuerySubject:
    return {"memobj": kit.sub_buffer(kit.buffer(), 0, HALF)}


@kinds.declare("a later region of a buffer", MEMORY)
def later_region(kit: Kit) -> QuerySubject:
    origin = kit.alignment
    return {"memobj": kit.sub_buffer(kit.buffer(), origin, SIZE - origin, "CL_MEM_READ_ONLY")}


@kinds.declare("a region of a buffer to read", MEMORY)
def inheriting_region(kit: Kit) -> QuerySubject:
    return {"memobj": kit.sub_buffer(kit.buffer("CL_MEM_READ_ONLY"), 0, SIZE)}


def _region_with_flags(flags: tuple[str, ...], kit: Kit) -> QuerySubject:
    skip_unless(has_version(kit.cl, (1, 2)), "requires OpenCL 1.2 (host access flags)")
    return {"memobj": kit.sub_buffer(kit.buffer(*flags), 0, SIZE)}


@kinds.declare_family(MEMORY)
def regions() -> Iterator[ObjectKind]:
    for words, flags in (
        ("a region of a buffer that the host may only read", ("CL_MEM_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY")),
        ("a region of a buffer in host memory", ("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")),
        ("a region of a buffer copied from the host", ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")),
    ):
        yield ObjectKind(words, functools.partial(_region_with_flags, flags))


def _buffer_on_host_memory(kit: Kit) -> Handle:
    return kit.buffer_on_host_memory(require_handle(kit.cl.host_allocate(SIZE, SIZE)))


@kinds.declare("a buffer on host memory", MEMORY)
def buffer_on_area(kit: Kit) -> QuerySubject:
    return {"memobj": _buffer_on_host_memory(kit)}


@kinds.declare("the start of a buffer on host memory", MEMORY)
def first_region_on_area(kit: Kit) -> QuerySubject:
    return {"memobj": kit.sub_buffer(_buffer_on_host_memory(kit), 0, HALF)}


@kinds.declare("a later region of a buffer on host memory", MEMORY)
def later_region_on_area(kit: Kit) -> QuerySubject:
    origin = kit.alignment
    return {"memobj": kit.sub_buffer(_buffer_on_host_memory(kit), origin, SIZE - origin)}


@kinds.declare("a buffer on shared virtual memory", MEMORY)
def buffer_on_shared_memory(kit: Kit) -> QuerySubject:
    return {"memobj": kit.buffer_on_host_memory(kit.svm())}


@kinds.declare("a region of a buffer on shared virtual memory", MEMORY)
def region_on_shared_memory(kit: Kit) -> QuerySubject:
    return {"memobj": kit.sub_buffer(kit.buffer_on_host_memory(kit.svm()), 0, HALF)}


def _image(image_type: str, function: str, kit: Kit) -> QuerySubject:
    return {PARAMETER[function]: kit.image(image_type)}


def _legacy_image(image_type: str, function: str, kit: Kit) -> QuerySubject:
    return {PARAMETER[function]: kit.legacy_image(image_type)}


@kinds.declare_family(MEMORY)
def images_as_memory() -> Iterator[ObjectKind]:
    yield from _images(MEMORY)


@kinds.declare_family(MEMORY)
def images_on_host_memory() -> Iterator[ObjectKind]:
    for words, function in (
        ("an image on host memory", "clCreateImage"),
        ("an image on host memory, by the function that takes properties", "clCreateImageWithProperties"),
    ):
        yield ObjectKind(words, functools.partial(_image_on_host_memory, function))


def _image_on_host_memory(function: str, kit: Kit) -> QuerySubject:
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
    return {
        "memobj": require_handle(
            kit.call(function, flags=flags, host_ptr=require_handle(kit.cl.host_allocate(SIZE, SIZE)))
        )
    }


@kinds.declare_family(IMAGE)
def images() -> Iterator[ObjectKind]:
    yield from _images(IMAGE)
    for image_type in (*IMAGE_TYPES, IMAGE_OF_BUFFER):
        words = f"an {_type_label(image_type)} described with 1 in each size that it does not use"
        yield ObjectKind(words, functools.partial(_image_with_unused_sizes, image_type))


def _image_with_unused_sizes(image_type: str, kit: Kit) -> QuerySubject:
    """Return an image whose description has nonzero values in fields that the image type does not use."""
    width, height, depth, layers = (size or 1 for size in IMAGE_TYPES.get(image_type, (WIDTH, 0, 0, 0)))
    image = kit.image(image_type, image_width=width, image_height=height, image_depth=depth, image_array_size=layers)
    return {"image": image}


@kinds.declare("an image array after other images were queried", IMAGE)
def image_after_others(kit: Kit) -> QuerySubject:
    """Return an image whose values differ from those of all images that were queried before."""
    for other in (kit.image("CL_MEM_OBJECT_IMAGE3D"), kit.image(IMAGE_OF_BUFFER)):
        for query in kit.cl.tables.requirements_of(IMAGE):
            if isinstance(query, Query) and not kit.cl.find_inapplicability(query.id):
                kit.cl.query(IMAGE, other, query.name)
    return {"image": kit.image("CL_MEM_OBJECT_IMAGE2D_ARRAY", image_width=2 * WIDTH, image_height=2 * HEIGHT)}


def _images(function: str) -> Iterator[ObjectKind]:
    for image_type in IMAGE_TYPES:
        aims = IMAGE_INTEROP_ERRORS if function == IMAGE else ()
        yield ObjectKind(f"an {_type_label(image_type)}", functools.partial(_image, image_type, function), aims)
    yield ObjectKind("an image1d of a buffer", functools.partial(_image, IMAGE_OF_BUFFER, function))
    for image_type in ("CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"):
        yield ObjectKind(
            f"an {_type_label(image_type)} created with the functions of 1.1",
            functools.partial(_legacy_image, image_type, function),
        )
    for image_type in (IMAGE_2D, "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY"):
        yield ObjectKind(
            f"an {_type_label(image_type)} with pitches", functools.partial(_image_with_pitches, image_type, function)
        )
    yield ObjectKind("an image2d of a buffer", functools.partial(_image_on_buffer, function))
    yield ObjectKind("a depth image", functools.partial(_image_of_format, "CL_DEPTH", "CL_FLOAT", function))


def _image_with_pitches(image_type: str, function: str, kit: Kit) -> QuerySubject:
    """Return an image that copies host memory with gaps after each row and slice."""
    row = 2 * WIDTH * PIXEL_BYTES
    layers = max(LAYERS, DEPTH)
    slices = 0 if image_type.endswith("2D") else row * (HEIGHT + 1)
    content = Data(bytes(row * (HEIGHT + 1) * layers))
    flags = ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    image = kit.image(image_type, flags=flags, host=content, image_row_pitch=row, image_slice_pitch=slices)
    return {PARAMETER[function]: image}


def _image_on_buffer(function: str, kit: Kit) -> QuerySubject:
    """Return a 2D image with aligned rows that is created from a buffer."""
    alignment = kit.cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT")
    skip_unless(alignment, "the device has no 2D images on buffers")
    row = -(-WIDTH // alignment) * alignment * PIXEL_BYTES
    buffer = kit.buffer(size=row * HEIGHT)
    return {PARAMETER[function]: kit.image(IMAGE_2D, source=buffer, image_row_pitch=row)}


def _image_of_format(order: str, data_type: str, function: str, kit: Kit) -> QuerySubject:
    """Return a 2D image with a format that the device lists for reading."""
    flags = "CL_MEM_READ_ONLY"
    pairs = list_formats(kit, kit.context, kit.constant(flags), kit.constant(IMAGE_2D))
    skip_unless(
        (kit.constant(order), kit.constant(data_type)) in pairs, f"the device does not list {order}, {data_type}"
    )
    return {PARAMETER[function]: kit.image(IMAGE_2D, (order, data_type), flags=(flags,))}


def _type_label(image_type: str) -> str:
    return image_type.removeprefix("CL_MEM_OBJECT_").replace("_", " ").lower()


@kinds.declare("a pipe", "clGetPipeInfo")
def pipe(kit: Kit) -> QuerySubject:
    return {"pipe": kit.pipe()}


@kinds.declare("a pipe of larger packets", "clGetPipeInfo")
def pipe_of_larger_packets(kit: Kit) -> QuerySubject:
    return {"pipe": kit.pipe(16, 4)}


@kinds.declare("a pipe", MEMORY)
def pipe_as_memory(kit: Kit) -> QuerySubject:
    return {"memobj": kit.pipe()}
