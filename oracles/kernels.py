"""The few kernels that suites run, each with its meaning in Python: what it does to the buffers that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class KnownKernel:
    """A kernel over one buffer of 32-bit unsigned numbers: one work-item an element.

    ``source``: OpenCL C that any version accepts. ``meaning``: element and its index to the new element.
    """

    name: str
    source: str
    meaning: Callable[[int, int], int]


MASK = (1 << 32) - 1

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
        ),
    )
}


def run(kernel: KnownKernel, content: bytearray, items: int) -> None:
    """Do to a buffer's content what the kernel does when ``items`` work-items run over it."""
    for index in range(items):
        place = slice(4 * index, 4 * index + 4)
        element = int.from_bytes(content[place], "little")
        content[place] = kernel.meaning(element, index).to_bytes(4, "little")
