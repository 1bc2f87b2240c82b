"""The few kernels that suites run, each with its meaning in Python: what it does to the buffers that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.contents.storage import Content

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Argument:
    """A kernel's argument as its source declares it: qualifiers by the names that queries answer with."""

    name: str
    type_name: str
    address: str
    access: str = "CL_KERNEL_ARG_ACCESS_NONE"
    qualifiers: tuple[str, ...] = ()


@dataclass(frozen=True)
class KnownKernel:
    """A kernel over buffers of 32-bit unsigned numbers: one work-item an element.

    ``source``: OpenCL C that any version accepts. ``meaning``: element and its index to the new element.
    ``operands``: the arguments that elements come from and go to, or None where that is not all that it does.
    ``group``: the work-group size that the source requires, or zeros.
    """

    name: str
    source: str
    meaning: Callable[[int, int], int]
    arguments: tuple[Argument, ...]
    operands: tuple[int, int] | None = (0, 0)
    group: tuple[int, int, int] = (0, 0, 0)


MASK = (1 << 32) - 1
ELEMENT_BYTES = 4

KERNELS: dict[str, KnownKernel] = {
    kernel.name: kernel
    for kernel in (
        KnownKernel(
            "add_index",
            "__kernel void add_index(__global uint *data)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    data[i] = data[i] * 3u + (uint)i;\n"
            "}\n",
            lambda element, index: (element * 3 + index) & MASK,
            (Argument("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL"),),
        ),
        KnownKernel(
            "copy_plus_one",
            "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    to[i] = from[i] + 1u;\n"
            "}\n",
            lambda element, _index: (element + 1) & MASK,
            (
                Argument("to", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL"),
                Argument("from", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", qualifiers=("CL_KERNEL_ARG_TYPE_CONST",)),
            ),
            operands=(1, 0),
        ),
        KnownKernel(
            "add_scaled",
            "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
            "void add_scaled(__global uint *restrict data, __global const volatile uint *other,\n"
            "                __constant uint *scale, __local uint *shared, uint offset)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    shared[get_local_id(0)] = other[i] * scale[0];\n"
            "    data[i] += shared[get_local_id(0)] + offset;\n"
            "}\n",
            lambda element, _index: element,
            (
                Argument("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", qualifiers=("CL_KERNEL_ARG_TYPE_RESTRICT",)),
                Argument(
                    "other",
                    "uint*",
                    "CL_KERNEL_ARG_ADDRESS_GLOBAL",
                    qualifiers=("CL_KERNEL_ARG_TYPE_CONST", "CL_KERNEL_ARG_TYPE_VOLATILE"),
                ),
                Argument("scale", "uint*", "CL_KERNEL_ARG_ADDRESS_CONSTANT", qualifiers=("CL_KERNEL_ARG_TYPE_CONST",)),
                Argument("shared", "uint*", "CL_KERNEL_ARG_ADDRESS_LOCAL"),
                Argument("offset", "uint", "CL_KERNEL_ARG_ADDRESS_PRIVATE"),
            ),
            operands=None,
            group=(4, 1, 1),
        ),
    )
}


def run(kernel: KnownKernel, content: Content) -> Content:
    """Return what a kernel makes of its source, element by element; of undefined bytes it makes undefined elements."""
    made, defined = bytearray(), bytearray()
    for index in range(len(content.held) // ELEMENT_BYTES):
        place = slice(ELEMENT_BYTES * index, ELEMENT_BYTES * (index + 1))
        element = int.from_bytes(content.held[place], "little")
        made += kernel.meaning(element, index).to_bytes(ELEMENT_BYTES, "little")
        defined += bytes([all(content.defined[place])]) * ELEMENT_BYTES
    return Content(bytes(made), bytes(defined), [""] * len(made))
