"""The memory layout of the tables' types: sizes, ``struct`` codes and ranges of numbers."""

from __future__ import annotations

import ctypes
import re
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.harness.errors import BadCall
from clconform.harness.names import BUS_ADDRESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.spec_tables.requirements import Enumerant, Type

_CODES: dict[int, tuple[str, str]] = {1: ("b", "B"), 2: ("h", "H"), 4: ("i", "I"), 8: ("q", "Q")}
_POINTER_BYTES = ctypes.sizeof(ctypes.c_void_p)
_LONG_BYTES = ctypes.sizeof(ctypes.c_long)
# machine type: (bytes, signed)
_INTEGERS: dict[str, tuple[int, bool]] = {
    **{f"int{bits}{end}": (bits // 8, True) for bits in (8, 16, 32, 64) for end in ("", "_t")},
    **{f"uint{bits}{end}": (bits // 8, False) for bits in (8, 16, 32, 64) for end in ("", "_t")},
    "char": (1, True),
    "signed char": (1, True),
    "unsigned char": (1, False),
    "half": (2, False),
    "short": (2, True),
    "unsigned short": (2, False),
    "int": (4, True),
    "unsigned int": (4, False),
    "unsigned": (4, False),
    "long": (_LONG_BYTES, True),
    "unsigned long": (_LONG_BYTES, False),
    "size_t": (_POINTER_BYTES, False),
    "uintptr_t": (_POINTER_BYTES, False),
    "intptr_t": (_POINTER_BYTES, True),
    "ssize_t": (_POINTER_BYTES, True),
    "ptrdiff_t": (_POINTER_BYTES, True),
}
_FLOATS = {"float": ("f", ctypes.c_float), "double": ("d", ctypes.c_double)}
_FIELD = re.compile(r"(?:const\s+)?(?:struct\s+)?(?P<base>[\w ]*\w)\s*(?P<stars>\**)\s*(?:\[\s*(?P<length>\w+)\s*\])?")
_MAX_TYPEDEFS = 16
_ADDRESS_STRUCTURES = {"cl_bus_address_amd": BUS_ADDRESS}
"""Maps structures whose fields are all addresses to the kind of address."""


class TypeLayout(NamedTuple):
    """The layout of one element in memory.

    ``code``: its ``struct`` format in native alignment. ``members``: the kind of each unpacked value: a handle type or
    kind of address, ``"text"`` for a character array, or empty for a number. ``signed``: whether the element is a
    signed integer. ``ctypes_class``: the class for passing the element by value; None for structures.
    """

    size: int
    code: str
    members: tuple[str, ...]
    signed: bool
    ctypes_class: Any

    def unpack(self, content: bytes) -> list[Any]:
        """Decode all complete elements; a structure yields its fields in order."""
        count = len(content) // self.size
        if len(self.members) == 1:
            return list(struct.unpack(f"{count}{self.code}", content[: count * self.size]))
        return [value for one in struct.iter_unpack(self.code, content[: count * self.size]) for value in one]

    def to_c_integer(self, value: int) -> int:
        """Return the number converted to this type as in C; BadCall if it has more bits than the type."""
        bits = 8 * self.size
        if 0 <= value < 1 << (bits - 1):
            return value
        if not -(1 << (bits - 1)) <= value < (1 << bits):
            raise BadCall(f"{value} does not fit into {bits} bits")
        value &= (1 << bits) - 1
        return value - (1 << bits) if self.signed and value >> (bits - 1) else value


POINTER = TypeLayout(_POINTER_BYTES, "P", ("",), signed=False, ctypes_class=ctypes.c_void_p)
_CTYPES: dict[tuple[int, bool], Any] = {
    (size, signed): getattr(ctypes, f"c_{'' if signed else 'u'}int{8 * size}")
    for size in _CODES
    for signed in (True, False)
}


class TypeLayouts:
    """The layouts of all types of the tables, computed on first use."""

    def __init__(self, types: Mapping[str, Type], enumerants: Mapping[str, Enumerant]) -> None:
        self._types = types
        self._enumerants = enumerants
        self._cache: dict[str, TypeLayout | None] = {}

    def layout(self, base: str, pointers: int = 0) -> TypeLayout | None:
        """Return the layout of ``base`` with ``pointers`` stars; None for ``void``, opaque and unknown types."""
        if pointers:
            return POINTER
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

    def _basic_type(self, base: str) -> str:
        """Resolve typedefs to a basic C type; return an unknown name unchanged."""
        for _ in range(_MAX_TYPEDEFS):
            known = self._types.get(base)
            if base in _INTEGERS or base in _FLOATS or known is None or known.base in ("", base):
                return base
            base = known.base
        return base

    def _compute_layout(self, base: str) -> TypeLayout | None:
        known = self._types.get(base)
        if known is not None and known.kind == "handle":
            return TypeLayout(_POINTER_BYTES, "P", (base,), signed=False, ctypes_class=ctypes.c_void_p)
        if known is not None and known.kind == "struct":
            return self._structure_layout(known)
        machine = self._basic_type(base)
        if machine in _INTEGERS:
            size, signed = _INTEGERS[machine]
            return TypeLayout(size, _CODES[size][not signed], ("",), signed, _CTYPES[size, signed])
        if machine in _FLOATS:
            code, passed = _FLOATS[machine]
            return TypeLayout(ctypes.sizeof(passed), code, ("",), signed=False, ctypes_class=passed)
        return None

    def _structure_layout(self, known: Type) -> TypeLayout | None:
        codes = ""
        members: list[str] = []
        for _, spelling in known.fields:
            field = self._field_layout(spelling)
            if field is None:
                return None
            codes += field.code
            members.extend(_ADDRESS_STRUCTURES.get(known.name) or member for member in field.members)
        if not members:
            return None
        widest = max((code for code in codes if code.isalpha() and code != "s"), key=struct.calcsize, default="B")
        code = f"{codes}0{widest}"  # pads the end as C does
        return TypeLayout(struct.calcsize(code), code, tuple(members), signed=False, ctypes_class=None)

    def _field_layout(self, spelling: str) -> TypeLayout | None:
        parsed = _FIELD.fullmatch(spelling.strip())
        if parsed is None:
            return None
        one = self.layout(parsed["base"], len(parsed["stars"]))
        if one is None or parsed["length"] is None:
            return one
        length = self._array_length(parsed["length"])
        if length is None:
            return None
        if one.size == 1:
            return TypeLayout(length, f"{length}s", ("text",), signed=False, ctypes_class=None)
        return TypeLayout(length * one.size, one.code * length, one.members * length, signed=False, ctypes_class=None)

    def _array_length(self, written: str) -> int | None:
        if written.isdecimal():
            return int(written)
        return self._enumerants[written].value if written in self._enumerants else None
