"""A small module of intermediate language: SPIR-V with one kernel that does nothing, for each version and width."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.oracles.versions import Version

KERNEL = "nothing"
"""The kernel of the module; it has no arguments."""

_MAGIC = 0x07230203
WIDTHS = {32: 1, 64: 2}
"""Bits of an address to the addressing model of that name."""
_VOID, _TYPE, _FUNCTION, _BLOCK, _BOUND = 1, 2, 3, 4, 5
"""Identifiers of the module's parts, and the first one that none has."""


def module(version: Version, width: int) -> bytes:
    """Return the module in the host's order of bytes.

    ``version``: of SPIR-V; ``width``: bits of a device's address, 32 or 64 (ValueError for others).
    """
    if width not in WIDTHS:
        raise ValueError(f"no addressing model has {width} bits: give one of {', '.join(map(str, WIDTHS))}")
    name = KERNEL.encode() + b"\0"
    letters = struct.unpack(f"<{-(-len(name) // 4)}I", name.ljust(-(-len(name) // 4) * 4, b"\0"))
    instructions = (
        (17, 4),  # capability: addresses
        (17, 6),  # capability: kernels
        (14, WIDTHS[width], 2),  # memory model: of OpenCL
        (15, 6, _FUNCTION, *letters),  # entry point: a kernel
        (19, _VOID),
        (33, _TYPE, _VOID),  # a function of nothing that returns nothing
        (54, _VOID, _FUNCTION, 0, _TYPE),
        (248, _BLOCK),
        (253,),  # return
        (56,),  # end of the function
    )
    words = [_MAGIC, version.major << 16 | version.minor << 8, 0, _BOUND, 0]
    for operation, *operands in instructions:
        words += [(len(operands) + 1) << 16 | operation, *operands]
    return struct.pack(f"={len(words)}I", *words)
