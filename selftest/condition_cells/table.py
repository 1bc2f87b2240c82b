"""The tables of near misses and of carried-over conditions, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from clconform.reports.measurement import MeasurementHeader
from clconform.selftest.committed_files import decode_document, encode_line

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE_PATH = Path(__file__).parent / "table.json"
FORMAT = "clconform-condition-cells-1"
TableName: TypeAlias = Literal["near misses", "carried conditions"]
NEAR: TableName = "near misses"
CARRIED: TableName = "carried conditions"
TABLES = (NEAR, CARRIED)
MAX_CALLS = 4
"""The maximum number of calls that a cell names."""


class CellKey(NamedTuple):
    """The key of a cell: its table, the error condition, and the subject: an operand or a carrier.

    For valid calls with derived objects, ``condition`` is the function's success requirement, and the subject names the
    parameter and the carrier.
    """

    table: TableName
    condition: str
    subject: str


class ConditionCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """The effect of a planted fault about the calls of one cell.

    ``platform``, ``item``: a simulated platform and an item in which the fault is planted. ``requirements``: those of
    the deviation at one of the calls; empty if there is none. ``calls``: the test values of the calls with a deviation,
    or their shapes; ``number``: how many there are. ``unnoticed``: the calls without a deviation. ``reason``: why no
    item notices the fault, with the section.
    """

    platform: str = ""
    item: str = ""
    requirements: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    number: int = 0
    unnoticed: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_noticed(self) -> bool:
        """Return whether a deviation names a call of the cell."""
        return bool(self.requirements)


class ConditionCells(msgspec.Struct, frozen=True):
    """The content of the file: for each table, the cells by condition and subject."""

    format: str = FORMAT
    header: MeasurementHeader | None = None
    tables: dict[TableName, dict[str, dict[str, ConditionCell]]] = {}

    @property
    def cells(self) -> dict[CellKey, ConditionCell]:
        """Return all cells by their keys."""
        return {
            CellKey(table, condition, subject): cell
            for table, conditions in self.tables.items()
            for condition, subjects in conditions.items()
            for subject, cell in subjects.items()
        }


def decode_cells(content: bytes) -> ConditionCells:
    """Return the cells in a file's content; msgspec.DecodeError (a ValueError) if it does not have this format."""
    return decode_document(content, ConditionCells, FORMAT)


def load_committed_cells() -> ConditionCells:
    """Return the committed cells."""
    return decode_cells(TABLE_PATH.read_bytes())


def encode_cells(cells: Mapping[CellKey, ConditionCell], header: MeasurementHeader | None) -> bytes:
    """Return a file's content: one line for each cell, in the order of the conditions' names."""
    tables = []
    for table in TABLES:
        conditions: dict[str, list[str]] = {}
        for key, cell in sorted(cells.items()):
            if key.table == table:
                conditions.setdefault(key.condition, []).append(f"   {encode_line(key.subject)}: {encode_line(cell)}")
        lines = [f"  {encode_line(name)}: {{\n" + ",\n".join(each) + "\n  }" for name, each in conditions.items()]
        tables.append(f" {encode_line(table)}: {{\n" + ",\n".join(lines) + "\n }")
    head = encode_line({"format": FORMAT, "header": header}).removesuffix("}")
    body = ",\n".join(tables)
    return f'{head}, "tables": {{\n{body}\n}}}}\n'.encode()
