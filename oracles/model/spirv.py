"""Small SPIR-V modules for each version and address width; each module has one kernel."""

from __future__ import annotations

import struct
from typing import NamedTuple

EMPTY_KERNEL = "nothing"
"""The kernel of the module without constants; it is empty and does not have arguments."""
ECHO_CONSTANTS = "tell_constants"
"""The kernel of the module with specialization constants; it stores them as words in the buffer of its argument."""


SUB_GROUPS_KERNEL, SUB_GROUP_COUNT = "in_sub_groups", 2
"""The kernel of the module that requires this number of sub-groups in a work-group; it is empty, without arguments."""


class SpecializationConstant(NamedTuple):
    """A specialization constant: its identifier, its size in bytes, and its default value."""

    spec_id: int
    bytes: int
    default: int


NUMBER, BOOLEAN_CONSTANT, UNSET_NUMBER = (
    SpecializationConstant(3, 4, 5),
    SpecializationConstant(4, 1, 0),
    SpecializationConstant(9, 4, 7),
)
"""A number, a boolean, and a number that suites do not set."""
CONSTANTS = (NUMBER, BOOLEAN_CONSTANT, UNSET_NUMBER)
"""The constants in the order in which the kernel stores them; a boolean as 1 or 0."""

_MAGIC = 0x07230203
_WIDTHS = {32: 1, 64: 2}
"""Maps numbers of address bits to addressing models."""
_MINORS = range(7)
"""SPIR-V 1.0 to 1.6."""
_FIRST_WITH_SUB_GROUPS = 1
"""The first minor version in which a kernel can require a number of sub-groups."""
_VOID, _TYPE, _FUNCTION, _BLOCK = 1, 2, 3, 4
_WORD, _BOOLEAN, _POINTER, _DATA, _FIRST, _SECOND, _THIRD = 5, 6, 7, 8, 9, 10, 11
_ZERO, _ONE, _TWO, _CHOSEN, _NEXT, _LAST, _BOUND = 12, 13, 14, 15, 16, 17, 18
"""Identifiers in a module; the last name is the first unused identifier."""
_GLOBAL, _ALIGNED = 5, 2
"""The storage class of global memory, and the memory operand that an alignment follows."""


def _instruction(operation: int, *operands: int) -> list[int]:
    return [(len(operands) + 1) << 16 | operation, *operands]


def _store_instruction(pointer: int, value: int) -> list[int]:
    return _instruction(62, pointer, value, _ALIGNED, NUMBER.bytes)


def _module_head(name: str, width: int, *capabilities: int) -> list[int]:
    """Return the beginning of a module: its capabilities, memory model and entry point."""
    letters = name.encode() + b"\0"
    words = struct.unpack(f"<{-(-len(letters) // 4)}I", letters.ljust(-(-len(letters) // 4) * 4, b"\0"))
    return [
        *_instruction(17, 4),  # capability: addresses
        *_instruction(17, 6),  # capability: kernels
        *(word for capability in capabilities for word in _instruction(17, capability)),
        *_instruction(14, _WIDTHS[width], 2),  # memory model: OpenCL
        *_instruction(15, 6, _FUNCTION, *words),  # entry point: a kernel
    ]


def _empty_module(width: int) -> list[int]:
    return [*_module_head(EMPTY_KERNEL, width), *_empty_body()]


def _sub_group_module(width: int) -> list[int]:
    return [
        *_module_head(SUB_GROUPS_KERNEL, width, 58),  # capability: sub-group dispatch
        *_instruction(16, _FUNCTION, 36, SUB_GROUP_COUNT),  # execution mode: sub-groups of a work-group
        *_empty_body(),
    ]


def _empty_body() -> list[int]:
    return [
        *_instruction(19, _VOID),
        *_instruction(33, _TYPE, _VOID),  # function type: no parameters, returns void
        *_instruction(54, _VOID, _FUNCTION, 0, _TYPE),
        *_instruction(248, _BLOCK),
        *_instruction(253),  # return
        *_instruction(56),  # end of the function
    ]


def _constant_module(width: int) -> list[int]:
    names = dict(zip((_FIRST, _SECOND, _THIRD), CONSTANTS, strict=True))
    return [
        *_module_head(ECHO_CONSTANTS, width),
        *(word for name, constant in names.items() for word in _instruction(71, name, 1, constant.spec_id)),
        *_instruction(19, _VOID),
        *_instruction(21, _WORD, 32, 0),
        *_instruction(20, _BOOLEAN),
        *_instruction(32, _POINTER, _GLOBAL, _WORD),
        *_instruction(33, _TYPE, _VOID, _POINTER),  # function type: pointer parameter, returns void
        *_instruction(50, _WORD, _FIRST, NUMBER.default),
        *_instruction(49, _BOOLEAN, _SECOND),  # false, unless it is set
        *_instruction(50, _WORD, _THIRD, UNSET_NUMBER.default),
        *(word for value, name in enumerate((_ZERO, _ONE, _TWO)) for word in _instruction(43, _WORD, name, value)),
        *_instruction(54, _VOID, _FUNCTION, 0, _TYPE),
        *_instruction(55, _POINTER, _DATA),
        *_instruction(248, _BLOCK),
        *_store_instruction(_DATA, _FIRST),
        *_instruction(169, _WORD, _CHOSEN, _SECOND, _ONE, _ZERO),  # 1 if it is true, else 0
        *_instruction(70, _POINTER, _NEXT, _DATA, _ONE),  # the address of the second word
        *_store_instruction(_NEXT, _CHOSEN),
        *_instruction(70, _POINTER, _LAST, _DATA, _TWO),
        *_store_instruction(_LAST, _THIRD),
        *_instruction(253),
        *_instruction(56),
    ]


def _assemble(minor: int, instructions: list[int]) -> bytes:
    """Return a module in the host's byte order."""
    words = [_MAGIC, 1 << 16 | minor << 8, 0, _BOUND, 0, *instructions]
    return struct.pack(f"={len(words)}I", *words)


_FORMS = [(minor, width) for minor in _MINORS for width in _WIDTHS]
EMPTY_MODULES = {(f"SPIR-V_1.{minor}", width): _assemble(minor, _empty_module(width)) for minor, width in _FORMS}
"""Maps the name of a language, as in CL_DEVICE_IL_VERSION, and a number of address bits to the module without
constants.
"""
CONSTANT_MODULES = {(f"SPIR-V_1.{minor}", width): _assemble(minor, _constant_module(width)) for minor, width in _FORMS}
"""The modules with specialization constants; keys as for ``EMPTY_MODULES``."""


SUB_GROUP_MODULES = {
    (f"SPIR-V_1.{minor}", width): _assemble(minor, _sub_group_module(width))
    for minor, width in _FORMS
    if minor >= _FIRST_WITH_SUB_GROUPS
}
"""The modules that require sub-groups; keys as for ``EMPTY_MODULES``.

The documents of SPIR-V define which devices accept these modules.
"""


def kernel_in_module(module: bytes) -> str:
    """Return the name of the kernel in a module of the suites."""
    if module in SUB_GROUP_MODULES.values():
        return SUB_GROUPS_KERNEL
    return ECHO_CONSTANTS if module in CONSTANT_MODULES.values() else EMPTY_KERNEL
