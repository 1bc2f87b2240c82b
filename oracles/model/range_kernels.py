"""Kernels that write values of their index space: ids of work-items and groups, sizes, and values in local memory.

Each work-item writes to the elements of its index in the range. The index counts from 0 along the first dimension, then
along the second and the third, without the offset. Elements are 32-bit unsigned numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.parameters import KernelParameter

AXES = range(3)
"""The dimensions that kernels query; in dimensions that the enqueue does not have, ids are 0 and sizes are 1."""
SHARED_ELEMENTS = 3
"""The number of elements that ``count_items`` changes: the count of work-items, their greatest index, and a sum."""
FACTOR = 2654435761
"""A factor that spreads the numbers of the sum over all bits."""
ALL_TRUE = 0x7F
"""The value that ``tell_ids`` writes if all relations between ids and sizes hold."""


class WorkItemOutput(Enum):
    """The values that a work-item writes."""

    IDS = "ids and sizes, and whether they are consistent"
    GROUPS = "linear ids, and the sizes of its group and of a full group; in OpenCL C 2.0 or later"
    TURNED = "the value that another work-item of its group stored in local memory"
    COUNTED = "no own values: all work-items add to the same elements"


@dataclass(frozen=True)
class RangeKernel:
    """A kernel over a range.

    ``elements``: the number of elements that each work-item writes; 0 if all work-items write to the same
    ``SHARED_ELEMENTS`` elements. ``local``: the second argument is local memory, with one element for each work-item of
    a group.
    """

    name: str
    output: WorkItemOutput
    source: str
    elements: int
    local: bool = False

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """Return the arguments of the kernel as the source declares them."""
        shared = [KernelParameter("shared", "uint*", "CL_KERNEL_ARG_ADDRESS_LOCAL", bytes=ELEMENT_BYTES)] * self.local
        return KernelParameter("data", "uint*", "CL_KERNEL_ARG_ADDRESS_GLOBAL", bytes=ELEMENT_BYTES), *shared


def _kernel_source(name: str, body: list[str], local: str = "", attribute: str = "") -> str:
    index = (
        "    size_t i = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1)\n"
        "                + get_global_id(1) - get_global_offset(1)) * get_global_size(0)\n"
        "               + get_global_id(0) - get_global_offset(0);\n"
    )
    lines = "".join(f"    {line}\n" for line in body)
    return f"__kernel {attribute}void {name}(__global uint *data{local})\n{{\n{index}{lines}}}\n"


def _store(values: list[str], more: list[str]) -> tuple[list[str], int]:
    """Return source lines with which a work-item increments its first element and stores values in the next elements.

    ``values`` and ``more``: expressions for the values. The number of elements is also returned.
    """
    count = 1 + len(values) + len(more)
    lines = [f"__global uint *own = data + i * {count}u;", "own[0] += 1u;"]
    lines += [f"own[{at}] = {value};" for at, value in enumerate((*values, *more), 1)]
    return lines, count


def _queries_per_axis(function: str) -> list[str]:
    return [f"(uint){function}({axis})" for axis in AXES]


def _upper_halves(function: str) -> list[str]:
    """Return an expression for the upper 32 bits of a function's result along each axis.

    The result is shifted twice by 16 bits: a shift by 32 bits is undefined if size_t has 32 bits.
    """
    return [f"(uint)({function}({axis}) >> 16 >> 16)" for axis in AXES]


def _relation_bits() -> str:
    """Return an expression with one bit for each relation that must hold between ids and sizes."""
    ids = "get_global_id({0}) == get_global_offset({0}) + get_group_id({0}) * get_local_size({0}) + get_local_id({0})"
    sizes = "get_global_size({0}) == get_num_groups({0}) * get_local_size({0})"
    bits = [f"(uint)({ids.format(axis)}) << {axis}" for axis in AXES]
    bits += [f"(uint)({sizes.format(axis)}) << {axis + len(AXES)}" for axis in AXES]
    within = " && ".join(f"get_local_id({axis}) < get_local_size({axis})" for axis in AXES)
    return " | ".join([*bits, f"(uint)({within}) << {2 * len(AXES)}"])


_RANGE_QUERIES = [
    "get_work_dim()",
    *(
        line
        for function in ("get_global_id", "get_global_offset", "get_global_size")
        for line in _queries_per_axis(function)
    ),
    *(line for function in ("get_global_id", "get_global_offset") for line in _upper_halves(function)),
]
_GROUP_QUERIES = [
    line
    for function in ("get_local_id", "get_group_id", "get_local_size", "get_num_groups")
    for line in _queries_per_axis(function)
]
_IDS, IDS = _store([*_RANGE_QUERIES, _relation_bits()], _GROUP_QUERIES)
_GROUPS, GROUPS = _store(
    ["(uint)get_global_linear_id()"],
    ["(uint)get_local_linear_id()", *_queries_per_axis("get_enqueued_local_size"), *_GROUP_QUERIES],
)
_TURNED = [
    "size_t size = get_local_size(0) * get_local_size(1) * get_local_size(2);",
    "size_t l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);",
    "shared[l] = data[i];",
    "barrier(CLK_LOCAL_MEM_FENCE);",
    "data[i] = shared[size - 1 - l] * 3u + (uint)l;",
]
_COUNTED = [
    "atomic_inc(&data[0]);",
    "atomic_max(&data[1], (uint)i);",
    f"atomic_add(&data[2], ((uint)i + 1u) * {FACTOR}u);",
]

PRINT_IDS, HINTED_IDS = "print_ids", "tell_hinted_ids"
"""The kernel that calls printf, and the kernel with a hint for groups of 4 work-items."""
HINT = "__attribute__((work_group_size_hint(4, 1, 1))) "
RANGE_KERNELS: dict[str, RangeKernel] = {
    kernel.name: kernel
    for kernel in (
        RangeKernel("tell_ids", WorkItemOutput.IDS, _kernel_source("tell_ids", _IDS), IDS),
        RangeKernel(
            PRINT_IDS, WorkItemOutput.IDS, _kernel_source(PRINT_IDS, [*_IDS, 'printf("%u\\n", (uint)i);']), IDS
        ),
        RangeKernel(HINTED_IDS, WorkItemOutput.IDS, _kernel_source(HINTED_IDS, _IDS, attribute=HINT), IDS),
        RangeKernel("tell_groups", WorkItemOutput.GROUPS, _kernel_source("tell_groups", _GROUPS), GROUPS),
        RangeKernel(
            "turn_groups",
            WorkItemOutput.TURNED,
            _kernel_source("turn_groups", _TURNED, ", __local uint *shared"),
            1,
            local=True,
        ),
        RangeKernel("count_items", WorkItemOutput.COUNTED, _kernel_source("count_items", _COUNTED), 0),
    )
}
