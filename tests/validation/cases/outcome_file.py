"""Writes the measured outcomes of the cases to a file: a JSON document with one line for each program and driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.committed_files import encode_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .case_table import MeasuredRow

FORMAT = "clconform-case-outcomes-1"


def write_rows(path: Path, rows: Iterable[MeasuredRow]) -> None:
    """Write the outcomes to a file."""
    lines = ",\n".join(f"  {encode_line(_row_values(row))}" for row in rows)
    path.write_text(f'{{"format": "{FORMAT}", "rows": [\n{lines}\n]}}\n')


def _row_values(row: MeasuredRow) -> dict[str, object]:
    outcome = msgspec.to_builtins(row.outcome)
    return {"program": row.program, "driver": row.driver, **outcome, "is_expected": row.is_expected}
