"""The memory layout of the tables' types on a machine: sizes, alignments, ``struct`` codes and ranges of numbers."""

from __future__ import annotations

import ctypes
import re
import struct
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clconform.harness.errors import BadCall
from clconform.harness.names import BUS_ADDRESS
from clconform.harness.signatures import split_field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.spec_tables.requirements import Enumerant, Type

_CODES: dict[tuple[int, bool], str] = {
    (size, signed): code.lower() if signed else code
    for size, code in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
    for signed in (True, False)
}
"""Maps the size of an integer in bytes, and whether it has a sign, to its ``struct`` code."""
_SIZED_INTEGER = re.compile(r"(u?)int(8|16|32|64)(?:_t)?")
_INTEGERS = {
    "char": (1, True),
    "signed char": (1, True),
    "unsigned char": (1, False),
    "half": (2, False),
    "short": (2, True),
    "unsigned short": (2, False),
    "int": (4, True),
    "unsigned int": (4, False),
    "unsigned": (4, False),
}
"""Maps machine types to their sizes in bytes, and whether they have a sign."""
_LONGS = {"long": True, "unsigned long": False}
_WORDS = {"size_t": False, "uintptr_t": False, "intptr_t": True, "ssize_t": True, "ptrdiff_t": True}
"""Maps machine types of the width of a pointer to whether they have a sign."""
_FLOATS = {"float": ("f", 4), "double": ("d", 8)}
_MAX_TYPEDEFS = 16
_ADDRESS_STRUCTURES = {"cl_bus_address_amd": BUS_ADDRESS}
"""Maps structures whose fields are all addresses to the kind of address."""


class Machine(NamedTuple):
    """A machine on which a driver runs.

    ``byte_order``: ``<`` or ``>``, as for ``struct``. ``pointer_bytes``, ``long_bytes``: sizes of C types.
    ``structures``: maps the names of structures to their sizes and the offsets of their fields, by a C compiler for
    that machine; other structures are laid out with natural alignment.
    """

    byte_order: str
    pointer_bytes: int
    long_bytes: int
    structures: Mapping[str, tuple[int, Sequence[int]]]

    @property
    def size_max(self) -> int:
        """Return the largest size_t."""
        return (1 << 8 * self.pointer_bytes) - 1

    @property
    def integer_order(self) -> Literal["little", "big"]:
        """Return the byte order, as for ``int.from_bytes``."""
        return "little" if self.byte_order == "<" else "big"


THIS_MACHINE = Machine(
    "<" if sys.byteorder == "little" else ">", ctypes.sizeof(ctypes.c_void_p), ctypes.sizeof(ctypes.c_long), {}
)
"""The machine of this process, for the recordings of its programs."""


class TypeLayout(NamedTuple):
    """The layout of one element in memory.

    ``code``: its ``struct`` format, with the byte order and all padding. ``members``: the kind of each unpacked value:
    a handle type or kind of address, ``"text"`` for a character array, or empty for a number. ``signed``: whether the
    element is a signed integer. ``is_pointer``: whether it is an address. ``is_scalar``: whether it is passed by value.
    ``offsets``: of the fields of a structure, in bytes.
    """

    size: int
    code: str
    members: tuple[str, ...]
    signed: bool = False
    is_pointer: bool = False
    is_scalar: bool = True
    alignment: int = 1
    offsets: tuple[int, ...] = (0,)

    @property
    def letters(self) -> str:
        """Return the format without the byte order."""
        return self.code[1:]

    def unpack(self, content: bytes) -> list[Any]:
        """Decode all complete elements; a structure yields its fields in order."""
        count = len(content) // self.size
        if len(self.members) == 1:
            return list(struct.unpack(f"{self.code[0]}{count}{self.code[1:]}", content[: count * self.size]))
        return [value for one in struct.iter_unpack(self.code, content[: count * self.size]) for value in one]

    def pack(self, numbers: Sequence[int]) -> bytes:
        """Return the bytes of one element, from the values of its fields; BadCall if one does not fit."""
        try:
            return struct.pack(self.code, *numbers)
        except struct.error as error:
            raise BadCall(f"a value does not fit its field: {error}") from None

    def to_bytes(self, value: int) -> bytes:
        """Return the bytes of a number of this type; BadCall if the number has more bits than the type."""
        bits = self.to_c_integer(value) & ((1 << 8 * self.size) - 1)
        return bits.to_bytes(self.size, "little" if self.code[0] == "<" else "big")

    def from_word(self, word: int) -> int:
        """Return the number of this type in a machine word."""
        return self.to_c_integer(word & ((1 << 8 * self.size) - 1))

    def to_c_integer(self, value: int) -> int:
        """Return the number converted to this type as in C; BadCall if it has more bits than the type."""
        bits = 8 * self.size
        if 0 <= value < 1 << (bits - 1):
            return value
        if not -(1 << (bits - 1)) <= value < (1 << bits):
            raise BadCall(f"{value} does not fit into {bits} bits")
        value &= (1 << bits) - 1
        return value - (1 << bits) if self.signed and value >> (bits - 1) else value


class TypeLayouts:
    """The layouts of all types of the tables on one machine, computed on first use.

    ``machine``: the machine. ``pointer``: the layout of a pointer.
    """

    def __init__(
        self, types: Mapping[str, Type], enumerants: Mapping[str, Enumerant], machine: Machine = THIS_MACHINE
    ) -> None:
        self._types = types
        self._enumerants = enumerants
        self._cache: dict[str, TypeLayout | None] = {}
        self.machine = machine
        self.pointer = self._pointer_layout("")

    def pack_pointers(self, addresses: Sequence[int]) -> bytes:
        """Return an array of pointers; BadCall if an address is too large."""
        return b"".join(map(self.pointer.to_bytes, addresses))

    def layout(self, base: str, pointers: int = 0) -> TypeLayout | None:
        """Return the layout of ``base`` with ``pointers`` stars; None for ``void``, opaque and unknown types."""
        if pointers:
            return self.pointer
        if base not in self._cache:
            self._cache[base] = self._compute_layout(base)
        return self._cache[base]

    def is_handle(self, base: str) -> bool:
        """Return whether ``base`` is a handle type of OpenCL objects."""
        return base in self._types and self._types[base].kind == "handle"

    def is_property(self, base: str) -> bool:
        """Return whether an element of this type may be a number or an object's address, as in property lists."""
        known = self._types.get(base)
        if known is not None and known.kind != "scalar":
            return False
        machine = self._basic_type(base)
        return machine in ("intptr_t", "uintptr_t") or (machine.endswith(("64", "64_t")) and "propert" in base)

    def integer(self, size: int) -> TypeLayout:
        """Return the layout of an unsigned integer of ``size`` bytes."""
        return self._integer_layout(size, signed=False)

    def _pointer_layout(self, member: str) -> TypeLayout:
        return self._integer_layout(self.machine.pointer_bytes, signed=False)._replace(
            members=(member,), is_pointer=True
        )

    def _integer_layout(self, size: int, *, signed: bool) -> TypeLayout:
        return TypeLayout(size, f"{self.machine.byte_order}{_CODES[size, signed]}", ("",), signed, alignment=size)

    def _basic_type(self, base: str) -> str:
        """Resolve typedefs to a basic C type; return an unknown name unchanged."""
        for _ in range(_MAX_TYPEDEFS):
            known = self._types.get(base)
            if self._integer_size(base) or base in _FLOATS or known is None or known.base in ("", base):
                return base
            base = known.base
        return base

    def _integer_size(self, basic: str) -> tuple[int, bool] | None:
        """Return the size of an integer type in bytes, and whether it has a sign; None for other types."""
        sized = _SIZED_INTEGER.fullmatch(basic)
        if sized:
            return int(sized[2]) // 8, not sized[1]
        if basic in _LONGS:
            return self.machine.long_bytes, _LONGS[basic]
        if basic in _WORDS:
            return self.machine.pointer_bytes, _WORDS[basic]
        return _INTEGERS.get(basic)

    def _compute_layout(self, base: str) -> TypeLayout | None:
        known = self._types.get(base)
        if known is not None and known.kind == "handle":
            return self._pointer_layout(base)
        if known is not None and known.kind == "struct":
            return self._structure_layout(known)
        basic = self._basic_type(base)
        integer = self._integer_size(basic)
        if integer is not None:
            size, signed = integer
            return self._integer_layout(size, signed=signed)
        if basic in _FLOATS:
            letter, size = _FLOATS[basic]
            return TypeLayout(size, f"{self.machine.byte_order}{letter}", ("",), alignment=size)
        return None

    def _structure_layout(self, known: Type) -> TypeLayout | None:
        fields = [self._field_layout(spelling) for _, spelling in known.fields]
        if not fields:
            return None
        size, offsets = self.machine.structures.get(known.name, (0, ()))
        code, end, alignment = self.machine.byte_order, 0, 1
        members: list[str] = []
        starts: list[int] = []
        for position, field in enumerate(fields):
            if field is None:
                return None
            alignment = max(alignment, field.alignment)
            start = offsets[position] if size else _round_up(end, field.alignment)
            code += f"{start - end}x{field.letters}" if start > end else field.letters
            members.extend(_ADDRESS_STRUCTURES.get(known.name) or member for member in field.members)
            starts.append(start)
            end = start + field.size
        size = size or _round_up(end, alignment)
        code += f"{size - end}x" if size > end else ""
        return TypeLayout(size, code, tuple(members), is_scalar=False, alignment=alignment, offsets=tuple(starts))

    def _field_layout(self, spelling: str) -> TypeLayout | None:
        parsed = split_field(spelling)
        if parsed is None:
            return None
        base, stars, written = parsed
        one = self.layout(base, stars)
        if one is None or not written:
            return one
        length = self._array_length(written)
        if length is None:
            return None
        if one.size == 1:
            return TypeLayout(length, f"{one.code[0]}{length}s", ("text",), is_scalar=False)
        letters = one.letters * length
        return TypeLayout(
            length * one.size,
            one.code[0] + letters,
            one.members * length,
            is_scalar=False,
            alignment=one.alignment,
        )

    def _array_length(self, written: str) -> int | None:
        if written.isdecimal():
            return int(written)
        return self._enumerants[written].value if written in self._enumerants else None


def _round_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
