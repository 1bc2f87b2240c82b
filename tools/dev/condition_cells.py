"""The ``condition-cells`` command: plants a fault in the calls of each cell, and reports those that no test notices."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.reports.measurement import MeasurementMonitor
from clconform.reports.untrusted_files import GivenFileError, read_bytes
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.condition_cells.measuring import CellMeasurement
from clconform.selftest.condition_cells.table import (
    TABLES,
    ConditionCells,
    decode_cells,
    encode_cells,
    load_committed_cells,
)
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.selftest.condition_cells.table import CellKey, ConditionCell


def measure_condition_cells(patterns: Sequence[str], out: str, repeat: int | None, seed: int) -> int:
    """Measure the cells of the matching error conditions, and add them to the tables; return the exit code.

    ``out``: the file of the tables; an existing one is extended. ``repeat``: instead of measuring, repeat this number
    of noticed cells of the committed tables, drawn by ``seed``.
    """
    prepare_environment()
    measurement = CellMeasurement(load(), collect_table_items(SUITES))
    try:
        if repeat is not None:
            return _repeat_cells(measurement, repeat, seed)
        return _measure(measurement, patterns, out)
    finally:
        measurement.close()


def _measure(measurement: CellMeasurement, patterns: Sequence[str], out: str) -> int:
    wanted = measurement.list_conditions(patterns)
    if not wanted:
        raise CommandError(f"--condition {patterns[0]}: no error condition matches")
    monitor = MeasurementMonitor(sys.argv[1:])
    earlier = _read_earlier(out).cells
    cells = measurement.measure(wanted)
    if out:
        functions = {each.function for each in wanted}
        measured = {each.id for each in wanted} | {f"{function}/success" for function in functions}
        kept = {key: cell for key, cell in earlier.items() if key.condition not in measured}
        try:
            write_given_file(Path(out), encode_cells({**kept, **cells}, monitor.create_header()))
        except OSError as error:
            raise CommandError(f"--json {out}: cannot write ({error.strerror})") from None
    return _print_cells(cells)


def _print_cells(cells: Mapping[CellKey, ConditionCell]) -> int:
    """Print the cells without a noticed fault and without a reason, and the numbers; return the exit code."""
    missing = [key for key, cell in cells.items() if not cell.is_noticed and not cell.reason]
    for table, condition, subject in missing:
        print_text(f"not noticed: {table}, {condition}, {subject}: no reason")
    for table in TABLES:
        own = [cell for key, cell in cells.items() if key.table == table]
        noticed = sum(cell.is_noticed for cell in own)
        print_text(f"{table}: {len(own)} cells, {noticed} noticed, {len(own) - noticed} not noticed")
    print_text(f"{len(missing)} cells that are not noticed have no reason")
    return exit_codes.DEVIATIONS if missing else exit_codes.AS_EXPECTED


def _repeat_cells(measurement: CellMeasurement, number: int, seed: int) -> int:
    noticed = [(key, cell) for key, cell in load_committed_cells().cells.items() if cell.is_noticed]
    drawn = random.Random(seed).sample(noticed, min(number, len(noticed)))  # noqa: S311 (a sample)
    missed = [key for key, cell in drawn if not measurement.repeat(key, cell)]
    for key in missed:
        print_text(f"no longer noticed: {', '.join(key)}")
    print_text(f"{len(drawn) - len(missed)} of {len(drawn)} faults are noticed")
    return exit_codes.DEVIATIONS if missed else exit_codes.AS_EXPECTED


def _read_earlier(out: str) -> ConditionCells:
    if not out or not Path(out).is_file():
        return ConditionCells()
    try:
        return decode_cells(read_bytes(Path(out)))
    except (GivenFileError, ValueError) as error:
        raise CommandError(f"--json {out}: not an output of clconform dev condition-cells --json: {error}") from None
