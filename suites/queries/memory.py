"""Memory objects to ask: buffers, their regions, images of every type, pipes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.suites.kit.images import IMAGE_TYPES, OF_A_BUFFER
from clconform.suites.kit.memory import HALF, SIZE
from clconform.suites.queries.kinds import Kind, Kinds
from clconform.suites.steps import at_least, needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

MEMORY, IMAGE = "clGetMemObjectInfo", "clGetImageInfo"
PARAMETER = {MEMORY: "memobj", IMAGE: "image"}
kinds = Kinds()


@kinds.family(MEMORY)
def buffers() -> Iterator[Kind]:
    yield Kind("a buffer", functools.partial(_buffer, ("CL_MEM_READ_WRITE",)))
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


@kinds.family(IMAGE)
def images() -> Iterator[Kind]:
    yield from _images(IMAGE)


def _images(function: str) -> Iterator[Kind]:
    for image_type in IMAGE_TYPES:
        yield Kind(f"an {_words(image_type)}", functools.partial(_image, image_type, function))
    yield Kind("an image1d of a buffer", functools.partial(_image, OF_A_BUFFER, function))
    for image_type in ("CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"):
        yield Kind(f"an {_words(image_type)} made as before 1.2", functools.partial(_older_image, image_type, function))


def _words(image_type: str) -> str:
    return image_type.removeprefix("CL_MEM_OBJECT_").replace("_", " ").lower()


@kinds.of("a pipe", "clGetPipeInfo")
def pipe_to_ask(kit: Kit) -> About:
    return {"pipe": kit.pipe()}


@kinds.of("a pipe", MEMORY)
def pipe_as_memory(kit: Kit) -> About:
    return {"memobj": kit.pipe()}
