"""Declarations of the kernels of any program, as far as the driver's information and the source agree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.oracles.model.image_kernels import IMAGE_TYPES_IN_C
from clconform.oracles.model.parameters import KIND_BY_TYPE, ArgumentKind, KernelParameter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCALAR_BYTES = {
    "char": 1,
    "uchar": 1,
    "short": 2,
    "ushort": 2,
    "int": 4,
    "uint": 4,
    "long": 8,
    "ulong": 8,
    "half": 2,
    "float": 4,
    "double": 8,
}
"""Maps the scalar types of kernel arguments to their sizes, which are the same on all devices."""
VECTOR_WIDTHS = {2: 2, 3: 4, 4: 4, 8: 8, 16: 16}
"""Maps the number of elements of a vector to the number of elements that it occupies."""
TYPE_BYTES = SCALAR_BYTES | {
    f"{name}{width}": size * places for name, size in SCALAR_BYTES.items() for width, places in VECTOR_WIDTHS.items()
}
"""Maps the scalar and vector types of OpenCL C to their sizes."""
IMAGE_TYPES = {f"{kind.name}{end}" for kind in IMAGE_TYPES_IN_C.values() for end in ("_t", "_depth_t")}
"""The image types of OpenCL C, without multisampled images."""
ADDRESS_PREFIX, ACCESS_PREFIX = "CL_KERNEL_ARG_ADDRESS_", "CL_KERNEL_ARG_ACCESS_"
PRIVATE, LOCAL, PIPE = f"{ADDRESS_PREFIX}PRIVATE", f"{ADDRESS_PREFIX}LOCAL", "CL_KERNEL_ARG_TYPE_PIPE"
CONST = "CL_KERNEL_ARG_TYPE_CONST"
"""The qualifier of a pointer through which a kernel only reads."""
SHARED = (f"{ADDRESS_PREFIX}GLOBAL", f"{ADDRESS_PREFIX}CONSTANT")
"""The address spaces of pointers for which an application passes a memory object."""


@dataclass(frozen=True)
class KernelDeclaration:
    """The declaration of a kernel.

    ``arguments``: each argument, or None for an argument of an unknown type; None if their number is unknown.
    ``required_groups`` and ``largest_groups``: map names of devices to the values of CL_KERNEL_COMPILE_WORK_GROUP_SIZE
    and CL_KERNEL_WORK_GROUP_SIZE after the creation of the kernel.
    """

    arguments: tuple[KernelParameter | None, ...] | None = None
    required_groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    largest_groups: Mapping[str, int] = field(default_factory=dict)


def make_parameter(
    name: str, type_name: str, address: str, access: str = "", qualifiers: Sequence[str] = ()
) -> KernelParameter | None:
    """Return an argument by its declaration in OpenCL C; None if the type of value that it takes is not certain.

    ``type_name``: without qualifiers; it ends with one ``*`` for a pointer. ``address``: the name of an enumerant.
    """
    base, pointed = type_name.removesuffix("*").strip(), type_name.endswith("*")
    parameter = KernelParameter(
        name,
        f"{base}*" if pointed else base,
        address,
        access or f"{ACCESS_PREFIX}NONE",
        tuple(qualifiers),
        TYPE_BYTES.get(base, 0),
    )
    if PIPE in qualifiers:
        return parameter
    if pointed:
        return parameter if base and "*" not in base and address in (*SHARED, LOCAL) else None
    if base in IMAGE_TYPES:
        return parameter if address in (PRIVATE, SHARED[0]) else None
    known = base in TYPE_BYTES or base in KIND_BY_TYPE
    return parameter if known and address == PRIVATE else None


def merge_arguments(
    first: tuple[KernelParameter | None, ...] | None, second: tuple[KernelParameter | None, ...] | None
) -> tuple[KernelParameter | None, ...] | None:
    """Return the arguments that two sources of information declare: unknown where both are known and differ."""
    if first is None or second is None:
        return second if first is None else first
    if len(first) != len(second):
        return None
    return tuple(_merge(one, other) for one, other in zip(first, second, strict=True))


def _merge(one: KernelParameter | None, other: KernelParameter | None) -> KernelParameter | None:
    if one is None or other is None:
        return other if one is None else one
    if one.kind is not other.kind or (one.kind is ArgumentKind.VALUE and one.bytes != other.bytes):
        return None
    if one.kind is ArgumentKind.IMAGE and one.type_name != other.type_name:
        return None
    return one
