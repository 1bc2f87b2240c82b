"""Small modules of intermediate language: SPIR-V with one kernel that does nothing, for each version and width."""

from __future__ import annotations

import struct

KERNEL = "nothing"
"""The kernel of a module; it has no arguments."""
SPEC_ID, SPEC_BYTES = 3, 4
"""The identifier of the specialization constant of a module that has one, and its size in bytes."""

_MAGIC = 0x07230203
_WIDTHS = {32: 1, 64: 2}
"""Bits of an address to the addressing model of that name."""
_MINORS = range(7)
"""SPIR-V 1.0 to 1.6."""
_VOID, _TYPE, _FUNCTION, _BLOCK, _BOUND = 1, 2, 3, 4, 5
_NUMBER, _CONSTANT = 5, 6
"""Identifiers of the module's parts, and the first one that none has."""


def _module(minor: int, width: int, *, constant: bool = False) -> bytes:
    """Return a module in the host's order of bytes, for a version and the bits of a device's address.

    ``constant``: it has a specialization constant, which its kernel does not use.
    """
    name = KERNEL.encode() + b"\0"
    letters = struct.unpack(f"<{-(-len(name) // 4)}I", name.ljust(-(-len(name) // 4) * 4, b"\0"))
    instructions = (
        (17, 4),  # capability: addresses
        (17, 6),  # capability: kernels
        (14, _WIDTHS[width], 2),  # memory model: of OpenCL
        (15, 6, _FUNCTION, *letters),  # entry point: a kernel
        *(((71, _CONSTANT, 1, SPEC_ID),) if constant else ()),  # the constant's identifier
        (19, _VOID),
        (33, _TYPE, _VOID),  # a function of nothing that returns nothing
        *(((21, _NUMBER, 32, 0), (50, _NUMBER, _CONSTANT, 5)) if constant else ()),  # 5, unless it is set
        (54, _VOID, _FUNCTION, 0, _TYPE),
        (248, _BLOCK),
        (253,),  # return
        (56,),  # end of the function
    )
    words = [_MAGIC, 1 << 16 | minor << 8, 0, _CONSTANT + 1 if constant else _BOUND, 0]
    for operation, *operands in instructions:
        words += [(len(operands) + 1) << 16 | operation, *operands]
    return struct.pack(f"={len(words)}I", *words)


MODULES = {(f"SPIR-V_1.{minor}", width): _module(minor, width) for minor in _MINORS for width in _WIDTHS}
"""The module by the language's name, as a device reports it, and the bits of the device's addresses."""
WITH_CONSTANT = {(name, width): _module(int(name[-1]), width, constant=True) for name, width in MODULES}
"""The same with a specialization constant."""
