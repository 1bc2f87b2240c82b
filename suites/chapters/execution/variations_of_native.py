"""Native kernels (section 5.10): argument blocks and object lists that are inconsistent, and valid ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import block_of
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()
BLOCK = 16
"""Bytes of an argument block."""


@variations.of("clEnqueueNativeKernel/CL_INVALID_VALUE/2")
def no_arguments_at_all() -> Iterator[Variation]:
    """Yield a NULL argument block with a size, and with a number of objects."""
    for size in (1, 8):
        yield Variation(f"args=NULL, cb_args={size}", {"cb_args": size})
    yield Variation("args=NULL, num_mem_objects=1", bound(_with_lists, {"args": None, "cb_args": 0}))


@variations.of("clEnqueueNativeKernel/CL_INVALID_VALUE/4")
def no_list_of_objects() -> Iterator[Variation]:
    """Yield a number of objects without a list of objects or of their locations."""
    yield Variation("num_mem_objects=1, mem_list=NULL", bound(_with_lists, {"mem_list": None}))
    yield Variation("num_mem_objects=1, args_mem_loc=NULL", bound(_with_lists, {"args_mem_loc": None}))
    both: Mapping[str, Value] = {"mem_list": None, "args_mem_loc": None}
    yield Variation("num_mem_objects=1, both NULL", bound(_with_lists, both))


@variations.of("clEnqueueNativeKernel/CL_INVALID_VALUE/5")
def a_list_of_no_objects() -> Iterator[Variation]:
    """Yield lists of objects and of their locations with a number of 0."""
    none: Mapping[str, Value] = {"num_mem_objects": 0}
    yield Variation("num_mem_objects=0, both lists", bound(_with_lists, none))
    yield Variation("num_mem_objects=0, mem_list", bound(_with_lists, {**none, "args_mem_loc": None}))
    yield Variation("num_mem_objects=0, args_mem_loc", bound(_with_lists, {**none, "mem_list": None}))


@variations.of("clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1")
def no_buffers() -> Iterator[Variation]:
    """Yield an image in the list of buffers, alone and after a buffer."""
    yield Variation("an image in mem_list", bound(_with_an_image, 0))
    yield Variation("an image last in mem_list", bound(_with_an_image, 1))


@variations.of("clEnqueueNativeKernel/success")
def blocks_of_arguments() -> Iterator[Variation]:
    """Yield a block of bytes, a block with a buffer's handle, and a block with NULL as the buffer."""
    yield Variation("16 bytes of arguments", {"args": Data(bytes(range(BLOCK))), "cb_args": BLOCK})
    yield Variation("a buffer among the arguments", bound(_with_lists, {}))
    yield Variation("NULL in mem_list", bound(_with_lists, {"mem_list": Items((None,))}))


def _with_lists(kit: Kit, _given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return an argument block that begins with a buffer's handle, with these changes."""
    return {**block_of(kit, kit.first_buffer), **changes}


def _with_an_image(kit: Kit, _given: Arguments, before: int) -> Mapping[str, Value]:
    needs(kit.cl.robustness, "requires --robustness (valid handles of the wrong kind)")
    return block_of(kit, *[kit.first_buffer] * before, kit.image())
