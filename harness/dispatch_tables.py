"""The dispatch tables of a driver's objects, as ICD loaders use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.harness.machine_memory import ProcessMemory


class DispatchTables:
    """The dispatch tables in a driver's process. Each is read once, when an entry of it is first needed.

    A driver may change its tables: ``current_function`` reads an entry again.

    ``names``: the functions of a table, in order. A table is identified by its address.
    """

    def __init__(self, names: Iterable[str], memory: ProcessMemory) -> None:
        self._positions = {name: position for position, name in enumerate(names)}
        self._memory = memory
        self._contents: dict[int, list[int | None]] = {}

    def position(self, name: str) -> int | None:
        """Return the position of a function in each table; None if tables have no entry for it."""
        return self._positions.get(name)

    def entry(self, table: int, name: str) -> int | None:
        """Return a function's entry in a table, 0 if it is empty; None if tables have none, or it cannot be read."""
        position = self._positions.get(name)
        if position is None:
            return None
        content = self._contents.get(table)
        if content is None:
            content = self._contents[table] = self._memory.read_pointers(table, len(self._positions))
        return content[position]

    def function(self, table: int, name: str) -> int:
        """Return a function's entry in a table if it is in executable memory; 0 otherwise."""
        return self._require_code(self.entry(table, name))

    def current_function(self, table: int, name: str) -> int:
        """Return a function's present entry in a table if it is in executable memory; 0 otherwise."""
        position = self._positions.get(name)
        return 0 if position is None else self._require_code(self._memory.read_table_entry(table, position))

    def _require_code(self, entry: int | None) -> int:
        return entry if entry and self._memory.is_code(entry) else 0
