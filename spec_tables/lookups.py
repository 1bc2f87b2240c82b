"""Ways to look things up in the tables that need an index of their own: queries by value, sizes, error codes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from clconform.spec_tables.records import Query

if TYPE_CHECKING:
    from clconform.spec_tables.loading import Tables

_MACHINE = {
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
    "size_t": ctypes.sizeof(ctypes.c_size_t),
    "intptr_t": ctypes.sizeof(ctypes.c_void_p),
    "uintptr_t": ctypes.sizeof(ctypes.c_void_p),
    "char": 1,
}


class Lookups:
    """The indexes of one set of tables; ``of`` returns the same ones for the same tables."""

    _made: dict[int, Lookups] = {}  # noqa: RUF012 (one for each set of tables, which is loaded once)

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._queries: dict[tuple[str, int], Query] = {}
        for record in tables.records.values():
            if isinstance(record, Query) and record.name in tables.enumerants:
                self._queries.setdefault((record.function, tables.enumerants[record.name].value), record)
        codes = [e for e in tables.enumerants.values() if e.value <= 0 and e.group == "ErrorCodes"]
        self._errors: dict[int, str] = {}
        for code in codes:
            self._errors.setdefault(code.value, code.name)

    @classmethod
    def of(cls, tables: Tables) -> Lookups:
        """Return the indexes of these tables."""
        found = cls._made.get(id(tables))
        if found is None or found._tables is not tables:  # noqa: SLF001 (its own)
            found = cls._made[id(tables)] = cls(tables)
        return found

    def query(self, function: str, param_name: int) -> Query | None:
        """Return the query that a function answers for this value, or None."""
        return self._queries.get((function, param_name & 0xFFFFFFFF))

    def size_of(self, type_name: str) -> int:
        """Return a type's size in bytes on this machine; 0 where the tables cannot tell."""
        base = type_name.replace("const ", "").strip()
        if base.endswith("*"):
            return ctypes.sizeof(ctypes.c_void_p)
        if base in _MACHINE:
            return _MACHINE[base]
        known = self._tables.types.get(base)
        if known is None:
            return 0
        if known.kind == "handle":
            return ctypes.sizeof(ctypes.c_void_p)
        return _MACHINE.get(known.base, 0)

    def error_name(self, value: int) -> str:
        """Return an error code's name, or the number where no table has it."""
        return self._errors.get(value, str(value))
