"""The kernels that suites run on buffers, each with a Python function that computes its results."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.contents.storage import Content
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.parameters import KernelParameter

if TYPE_CHECKING:
    from collections.abc import Callable


class Elements:
    """The elements of a kernel's source buffer by index; UnknownFactError for an element with undefined bytes."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def __len__(self) -> int:
        return len(self._content.bytes_held) // ELEMENT_BYTES

    def __getitem__(self, index: int) -> int:
        place = slice(ELEMENT_BYTES * index, ELEMENT_BYTES * (index + 1))
        if not all(self._content.defined[place]):
            raise UnknownFactError("element")
        return int.from_bytes(self._content.bytes_held[place], "little")


@dataclass(frozen=True)
class BufferKernel:
    """A kernel over buffers of 32-bit unsigned numbers: one work-item per element.

    ``source``: source that compilers for any version of OpenCL C accept. ``meaning``: returns the new element at an
    index, given all elements. ``operands``: the indices of the arguments with the source and the target buffer; None if
    the kernel uses other memory. ``required_group``: the work-group size that the source requires, or zeros.
    ``group_hint``: the work-group size hint, or zeros. ``type_hint``: the vector type hint, or empty. ``uses_atomics``:
    work-items access the same elements, by atomic operations. ``walks_list``: the argument is the first node of a list,
    and the elements of all nodes are processed; a node begins with the address of the next node, or with NULL. Its
    elements follow after ``NODE_LINK_BYTES``.
    """

    name: str
    source: str
    meaning: Callable[[Elements, int], int]
    arguments: tuple[KernelParameter, ...]
    operands: tuple[int, int] | None = (0, 0)
    required_group: tuple[int, int, int] = (0, 0, 0)
    group_hint: tuple[int, int, int] = (0, 0, 0)
    type_hint: str = ""
    uses_atomics: bool = False
    walks_list: bool = False

    @property
    def attributes(self) -> str:
        """The kernel's attributes as written in the source, or an empty string."""
        declared = (
            f"reqd_work_group_size{self.required_group}" if any(self.required_group) else "",
            f"work_group_size_hint{self.group_hint}" if any(self.group_hint) else "",
            f"vec_type_hint({self.type_hint})" if self.type_hint else "",
        )
        return " ".join(filter(None, declared))


MASK = (1 << 32) - 1
ELEMENT_BYTES, LINKS = 4, 5
"""The number of bytes of an element; the number of links that ``chase`` follows."""
NODE_LINK_BYTES = 8
"""The number of bytes before the elements of a node of ``walk``, a ulong whose low bytes are an address."""
TALLIES, FACTOR = 4, 2654435761
"""The number of elements that all work-items of ``tally`` update; a factor that spreads numbers over all bits."""


BITS, DOUBLINGS = 32, 22
"""The number of bits of an element; ``linger`` runs 2 to the power of ``DOUBLINGS`` rounds, so that it takes time."""


def _chase(elements: Elements, index: int) -> int:
    """Return the last index after following ``LINKS`` links: each element contains the index of the next element."""
    for _ in range(LINKS):
        index = elements[index] % len(elements)
    return index


def _tally(elements: Elements, index: int) -> int:
    """Return the value of an element after the kernel ``tally``, once all work-items that update it have run."""
    if index >= TALLIES:
        return elements[index]
    items = range(index, len(elements), TALLIES)
    numbers = [item * FACTOR & MASK for item in items]
    if index == 0:
        return (elements[index] + sum(numbers)) & MASK
    if index == 1:
        return max(elements[index], *numbers)
    if index == 2:  # noqa: PLR2004 (the cases of the source)
        return min(elements[index], *numbers)
    return functools.reduce(operator.xor, numbers, elements[index])


def linger_once(number: int) -> int:
    """Return the result of one round of ``linger``: each bit of the result is the XOR of bits of ``number``."""
    number ^= number << 13 & MASK
    number ^= number >> 17
    return number ^ number << 5 & MASK


def linger(number: int, doublings: int) -> int:
    """Return a number after 2 to the power of ``doublings`` rounds, without running each round."""
    return _xor_selected(_compute_rounds(doublings), number)


@functools.cache
def _compute_rounds(doublings: int) -> tuple[int, ...]:
    """Return the result of 2 to the power of ``doublings`` rounds for each single bit."""
    if not doublings:
        return tuple(linger_once(1 << bit) for bit in range(BITS))
    half = _compute_rounds(doublings - 1)
    return tuple(_xor_selected(half, number) for number in half)


def _xor_selected(made: tuple[int, ...], number: int) -> int:
    return functools.reduce(operator.xor, (made[bit] for bit in range(BITS) if number >> bit & 1), 0)


def _create_add_index(
    name: str, attribute: str = "", *, group: tuple[int, int, int] = (0, 0, 0), likely: tuple[int, int, int] = (0, 0, 0)
) -> BufferKernel:
    """Return a kernel that adds the work-item's index to three times an element.

    ``attribute``: the kernel's attribute in OpenCL C. ``group`` and ``likely``: the required work-group size, and the
    hint.
    """
    before = f"__attribute__(({attribute}))\n" if attribute else ""
    return BufferKernel(
        name,
        f"__kernel {before}void {name}(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
        lambda elements, index: (elements[index] * 3 + index) & MASK,
        (KernelParameter("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", bytes=ELEMENT_BYTES),),
        required_group=group,
        group_hint=likely,
    )


def _create_target_and_source(source: str) -> tuple[KernelParameter, KernelParameter]:
    """Return the parameters of a kernel that writes the buffer ``to`` and reads the buffer ``source``."""
    kind, space, constant = "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", ("CL_KERNEL_ARG_TYPE_CONST",)
    return (
        KernelParameter("to", kind, space, bytes=ELEMENT_BYTES),
        KernelParameter(source, kind, space, qualifiers=constant, bytes=ELEMENT_BYTES),
    )


KERNELS: dict[str, BufferKernel] = {
    kernel.name: kernel
    for kernel in (
        _create_add_index("add_index"),
        BufferKernel(
            "copy_plus_one",
            "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    to[i] = from[i] + 1u;\n"
            "}\n",
            lambda elements, index: (elements[index] + 1) & MASK,
            _create_target_and_source("from"),
            operands=(1, 0),
        ),
        BufferKernel(
            "chase",
            "__kernel void chase(__global uint *to, __global const uint *links)\n"
            "{\n"
            "    uint at = (uint)get_global_id(0);\n"
            f"    for (int step = 0; step < {LINKS}; step++)\n"
            "        at = links[at] % (uint)get_global_size(0);\n"
            "    to[get_global_id(0)] = at;\n"
            "}\n",
            _chase,
            _create_target_and_source("links"),
            operands=(1, 0),
        ),
        BufferKernel(
            "tally",
            "__kernel void tally(__global uint *data)\n"
            "{\n"
            "    uint i = (uint)get_global_id(0);\n"
            f"    uint number = i * {FACTOR}u;\n"
            f"    switch (i % {TALLIES}u) {{\n"
            "    case 0: atomic_add(&data[0], number); break;\n"
            "    case 1: atomic_max(&data[1], number); break;\n"
            "    case 2: atomic_min(&data[2], number); break;\n"
            "    default: atomic_xor(&data[3], number); break;\n"
            "    }\n"
            "}\n",
            _tally,
            (KernelParameter("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", bytes=ELEMENT_BYTES),),
            uses_atomics=True,
        ),
        BufferKernel(
            "linger",
            "__kernel void linger(__global uint *data)\n"
            "{\n"
            "    uint number = data[get_global_id(0)];\n"
            f"    for (uint round = 0; round < {1 << DOUBLINGS}u; round++) {{\n"
            "        number ^= number << 13;\n"
            "        number ^= number >> 17;\n"
            "        number ^= number << 5;\n"
            "    }\n"
            "    data[get_global_id(0)] = number;\n"
            "}\n",
            lambda elements, index: linger(elements[index], DOUBLINGS),
            (KernelParameter("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", bytes=ELEMENT_BYTES),),
        ),
        BufferKernel(
            "walk",
            "__kernel void walk(__global ulong *first)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    for (__global ulong *node = first; node; node = (__global ulong *)(uintptr_t)node[0]) {\n"
            "        __global uint *data = (__global uint *)(node + 1);\n"
            "        data[i] = data[i] * 3u + (uint)i;\n"
            "    }\n"
            "}\n",
            lambda elements, index: (elements[index] * 3 + index) & MASK,
            (KernelParameter("first", "ulong*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", bytes=8),),
            operands=None,
            walks_list=True,
        ),
        BufferKernel(
            "add_scaled",
            "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) __attribute__((vec_type_hint(uint)))\n"
            "void add_scaled(__global uint *restrict data, __global const volatile uint *other,\n"
            "                __constant uint *scale, __local uint *shared, uint offset)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    shared[get_local_id(0)] = other[i] * scale[0];\n"
            "    data[i] += shared[get_local_id(0)] + offset;\n"
            "}\n",
            lambda elements, index: elements[index],
            (
                KernelParameter(
                    "data",
                    "uint*",
                    "CL_KERNEL_ARG_ADDRESS_GLOBAL",
                    qualifiers=("CL_KERNEL_ARG_TYPE_RESTRICT",),
                    bytes=ELEMENT_BYTES,
                ),
                KernelParameter(
                    "other",
                    "uint*",
                    "CL_KERNEL_ARG_ADDRESS_GLOBAL",
                    qualifiers=("CL_KERNEL_ARG_TYPE_CONST", "CL_KERNEL_ARG_TYPE_VOLATILE"),
                    bytes=ELEMENT_BYTES,
                ),
                KernelParameter(
                    "scale",
                    "uint*",
                    "CL_KERNEL_ARG_ADDRESS_CONSTANT",
                    qualifiers=("CL_KERNEL_ARG_TYPE_CONST",),
                    bytes=ELEMENT_BYTES,
                ),
                KernelParameter("shared", "uint*", "CL_KERNEL_ARG_ADDRESS_LOCAL", bytes=ELEMENT_BYTES),
                KernelParameter("offset", "uint", "CL_KERNEL_ARG_ADDRESS_PRIVATE", bytes=ELEMENT_BYTES),
            ),
            operands=None,
            required_group=(4, 1, 1),
            type_hint="uint",
        ),
        _create_add_index("add_alone", "reqd_work_group_size(1, 1, 1)", group=(1, 1, 1)),
        _create_add_index("add_hinted", "work_group_size_hint(4, 1, 1)", likely=(4, 1, 1)),
    )
}


def run_kernel(kernel: BufferKernel, content: Content) -> Content:
    """Return the target's contents after a kernel; elements that depend on undefined bytes are undefined."""
    made, defined = bytearray(), bytearray()
    elements = Elements(content)
    for index in range(len(elements)):
        try:
            new, known = kernel.meaning(elements, index), 1
        except UnknownFactError:
            new, known = 0, 0
        made += new.to_bytes(ELEMENT_BYTES, "little")
        defined += bytes([known]) * ELEMENT_BYTES
    return Content(bytes(made), bytes(defined), [""] * len(made))
