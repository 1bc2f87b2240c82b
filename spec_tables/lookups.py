"""Indexed lookups in the tables: queries by value, sizes, error codes."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.loading import load_default
from clconform.spec_tables.requirements import Effect, Flag, Limit, OptionalBehaviour, Property, Query

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.spec_tables.entries import Parameter
    from clconform.spec_tables.loading import Tables

DEFAULT_POINTER_BYTES = 8
"""The size of a pointer on a machine that is not known; recordings and older journals do not state it."""
_MACHINE_SIZES = {
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "float": 4,
    "double": 8,
    "char": 1,
}
"""Sizes in bytes of types that have the same size on all machines."""
WORD_TYPES = ("size_t", "intptr_t", "uintptr_t")
"""Types of the width of a pointer."""
_FIELD = re.compile(r"(?P<base>[\w ]*\w)\s*(?P<stars>\**)\s*(?:\[(?P<length>\w+)\])?")


def _is_property_list(parameter: Parameter) -> bool:
    return parameter.pointers == 1 and parameter.direction == "in" and "propert" in parameter.base


class TableLookups:
    """The indexes of one set of tables, with the sizes of types on one machine; ``for_tables`` caches the instances.

    ``pointer_bytes``: the size of a pointer and of size_t on the machine on which the driver runs.
    """

    _instances: dict[tuple[int, int], TableLookups] = {}  # noqa: RUF012 (one for each set of tables, and each size)

    def __init__(self, tables: Tables, pointer_bytes: int = DEFAULT_POINTER_BYTES) -> None:
        self.tables = tables
        self.pointer_bytes = pointer_bytes
        self._queries: dict[tuple[str, int], tuple[Query, ...]] = {}
        self._functions: dict[int, set[str]] = {}
        for requirement in tables.requirements.values():
            if isinstance(requirement, Query) and requirement.name in tables.enumerants:
                value = tables.enumerants[requirement.name].value
                key = (requirement.function, value)
                self._queries[key] = (*self._queries.get(key, ()), requirement)
                self._functions.setdefault(value, set()).add(requirement.function)
        self._about: dict[str, list[Limit | Effect | OptionalBehaviour]] = {}
        self._flags: dict[str, list[Flag]] = {}
        self._properties: dict[str, dict[int, Property]] = {}
        self._index_facts()
        self._flags_by_name = {kind: {flag.name: flag for flag in flags} for kind, flags in self._flags.items()}
        self._sizes: dict[str, int] = {}
        self._lists = {
            (function.name, parameter.name)
            for function in tables.functions.values()
            for parameter in function.parameters
            if parameter.pointers
        }
        self._property_lists = {
            function.name: tuple((each.name, each.base) for each in function.parameters if _is_property_list(each))
            for function in tables.functions.values()
        }
        codes = [e for e in tables.enumerants.values() if e.value <= 0 and e.group == "ErrorCodes"]
        self._errors: dict[int, str] = {}
        for code in codes:
            self._errors.setdefault(code.value, code.name)

    def _index_facts(self) -> None:
        for requirement in self.tables.requirements.values():
            if isinstance(requirement, Limit):
                self._about.setdefault(requirement.name, []).append(requirement)
            elif isinstance(requirement, Effect):
                self._about.setdefault(requirement.id.split("/")[0], []).append(requirement)
            elif isinstance(requirement, OptionalBehaviour):
                self._about.setdefault(requirement.subject, []).append(requirement)
            elif isinstance(requirement, Flag):
                self._flags.setdefault(requirement.type, []).append(requirement)

    @functools.cached_property
    def values(self) -> Mapping[str, int]:
        """The values of named constants; missing ones are taken from the default tables."""
        every = {**load_default().enumerants, **self.tables.enumerants}
        return {name: known.value for name, known in every.items()}

    def property_lists(self, function: str) -> tuple[tuple[str, str], ...]:
        """Return the parameters of a function that are property lists, with the type of their elements."""
        return self._property_lists.get(function, ())

    @classmethod
    def for_tables(cls, tables: Tables, pointer_bytes: int = DEFAULT_POINTER_BYTES) -> TableLookups:
        """Return the indexes of these tables, with the sizes of types on a machine with pointers of this size."""
        key = (id(tables), pointer_bytes)
        found = cls._instances.get(key)
        if found is None or found.tables is not tables:
            found = cls._instances[key] = cls(tables, pointer_bytes)
        return found

    def queries(self, function: str, param_name: int) -> tuple[Query, ...]:
        """Return all queries of a function with this value: several if core and extension names share it."""
        return self._queries.get((function, param_name & 0xFFFFFFFF), ())

    def query(self, function: str, param_name: int) -> Query | None:
        """Return the first query of a function with this value, or None."""
        found = self.queries(function, param_name)
        return found[0] if found else None

    def is_list(self, function: str, parameter: str) -> bool:
        """Return whether a parameter of a function is a pointer to elements."""
        return (function, parameter) in self._lists

    def functions_of(self, param_name: int) -> frozenset[str]:
        """Return the functions that have a query with this value."""
        return frozenset(self._functions.get(param_name & 0xFFFFFFFF, ()))

    def requirements_about(self, name: str) -> list[Limit | Effect | OptionalBehaviour]:
        """Return the limits, effects and optional behaviours of a query."""
        return self._about.get(name, [])

    def flags_of(self, type_name: str) -> list[Flag]:
        """Return the flags of a type."""
        return self._flags.get(type_name, [])

    def flags_by_name(self, type_name: str) -> Mapping[str, Flag]:
        """Map names to the flags of a type."""
        return self._flags_by_name.get(type_name, {})

    def properties_of(self, function: str) -> Mapping[int, Property]:
        """Map the values of property names to the properties of a function."""
        found = self._properties.get(function)
        if found is None:
            listed = [
                requirement
                for requirement in self.tables.requirements_of(function)
                if isinstance(requirement, Property)
            ]
            found = self._properties[function] = {self.values[requirement.name]: requirement for requirement in listed}
        return found

    def count_members(self, type_name: str) -> int:
        """Return the number of values in an element of a type: one, or one for each field of a structure."""
        known = self.tables.types.get(type_name)
        return len(known.fields) if known is not None and known.kind == "struct" else 1

    def is_number(self, type_name: str) -> bool:
        """Return whether a type is a plain number: not a handle, an address, or a property, which may be either."""
        known = self.tables.types.get(type_name.replace("const ", "").strip())
        if "*" in type_name or "propert" in type_name or type_name in ("intptr_t", "uintptr_t"):
            return known is not None and known.kind == "bitfield"
        return known is None or known.kind not in ("handle", "struct")

    def size_of(self, type_name: str) -> int:
        """Return a type's size in bytes on the driver's machine; 0 if unknown."""
        found = self._sizes.get(type_name)
        if found is None:
            found = self._sizes[type_name] = self._size_of(type_name)
        return found

    def _size_of(self, type_name: str) -> int:
        base = type_name.replace("const ", "").strip()
        if base.endswith("*") or base in WORD_TYPES:
            return self.pointer_bytes
        if base in _MACHINE_SIZES:
            return _MACHINE_SIZES[base]
        known = self.tables.types.get(base)
        if known is None:
            return 0
        if known.kind == "handle":
            return self.pointer_bytes
        if known.kind == "struct":
            return self._size_of_fields([spelling for _, spelling in known.fields])
        return self.pointer_bytes if known.base in WORD_TYPES else _MACHINE_SIZES.get(known.base, 0)

    def _size_of_fields(self, spellings: list[str]) -> int:
        """Return the size of a structure as C lays it out: each field at a multiple of its own size."""
        end, widest = 0, 1
        for spelling in spellings:
            field = _FIELD.fullmatch(spelling)
            width = self.size_of(field["base"] + field["stars"]) if field else 0
            if not field or not width:
                return 0
            end = -(-end // width) * width + width * self._length(field["length"])
            widest = max(widest, width)
        return -(-end // widest) * widest

    def _length(self, written: str | None) -> int:
        if written is None:
            return 1
        known = self.tables.enumerants.get(written)
        return known.value if known is not None else int(written) if written.isdecimal() else 0

    def error_name(self, value: int) -> str:
        """Return an error code's name, or the number if no table has it."""
        return self._errors.get(value, str(value))
