"""Native kernels (section 5.10): inconsistent and valid argument blocks and object lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.kit.memory import native_kernel_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
BLOCK = 16
"""Bytes of an argument block."""


@variations.declare("clEnqueueNativeKernel/CL_INVALID_VALUE/2")
def null_argument_blocks() -> Iterator[Variation]:
    """Yield a NULL argument block with a size, and with a number of objects."""
    for size in (1, 8):
        yield Variation(f"args=NULL, cb_args={size}", {"cb_args": size})
    yield Variation("args=NULL, num_mem_objects=1", bind_values(_with_lists, {"args": None, "cb_args": 0}))


@variations.declare("clEnqueueNativeKernel/CL_INVALID_VALUE/4")
def missing_object_lists() -> Iterator[Variation]:
    """Yield a number of objects without the list of objects, or without the list of their locations."""
    yield Variation("num_mem_objects=1, mem_list=NULL", bind_values(_with_lists, {"mem_list": None}))
    yield Variation("num_mem_objects=1, args_mem_loc=NULL", bind_values(_with_lists, {"args_mem_loc": None}))
    both: Mapping[str, Value] = {"mem_list": None, "args_mem_loc": None}
    yield Variation("num_mem_objects=1, both NULL", bind_values(_with_lists, both))


@variations.declare("clEnqueueNativeKernel/CL_INVALID_VALUE/5")
def unexpected_object_lists() -> Iterator[Variation]:
    """Yield lists of objects and of their locations, with 0 as their number."""
    none: Mapping[str, Value] = {"num_mem_objects": 0}
    yield Variation("num_mem_objects=0, both lists", bind_values(_with_lists, none))
    yield Variation("num_mem_objects=0, mem_list", bind_values(_with_lists, {**none, "args_mem_loc": None}))
    yield Variation("num_mem_objects=0, args_mem_loc", bind_values(_with_lists, {**none, "mem_list": None}))


@variations.declare("clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1")
def objects_that_are_not_buffers() -> Iterator[Variation]:
    """Yield an image in the list of buffers: as the only object, and after a buffer."""
    yield Variation("an image in mem_list", bind_values(_with_image, 0))
    yield Variation("an image last in mem_list", bind_values(_with_image, 1))


@variations.declare("clEnqueueNativeKernel/success")
def valid_argument_blocks() -> Iterator[Variation]:
    """Yield a block of bytes, a block with a buffer's handle, and a block with NULL as the buffer."""
    yield Variation("16 bytes of arguments", {"args": Data(bytes(range(BLOCK))), "cb_args": BLOCK})
    yield Variation("a buffer among the arguments", bind_values(_with_lists, {}))
    yield Variation("NULL in mem_list", bind_values(_with_lists, {"mem_list": ElementList((None,))}))


def _with_lists(kit: Kit, _given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return an argument block that begins with a buffer's handle; ``changes`` replaces some arguments."""
    return {**native_kernel_arguments(kit, kit.first_buffer), **changes}


def _with_image(kit: Kit, _given: Arguments, before: int) -> Mapping[str, Value]:
    return native_kernel_arguments(kit, *[kit.first_buffer] * before, kit.image())
