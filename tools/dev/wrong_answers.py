"""The ``wrong-answers`` command: makes answers and effects wrong by class, and reports those that no test notices."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.reports.measurement import MeasurementMonitor
from clconform.reports.untrusted_files import GivenFileError, read_bytes
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.wrong_answers.answer_classes import ANSWER_CLASSES
from clconform.selftest.wrong_answers.measuring import TableMeasurement
from clconform.selftest.wrong_answers.reasons import find_reason
from clconform.selftest.wrong_answers.table import (
    WrongAnswerTable,
    decode_table,
    encode_table,
    load_committed_table,
)
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.selftest.wrong_answers.answer_classes import AnswerClass
    from clconform.selftest.wrong_answers.table import WrongAnswerCell


def measure_wrong_answers(patterns: Sequence[str], out: str, repeat: int | None, seed: int) -> int:
    """Measure the cells of the matching subjects, and add them to the table; return the exit code.

    ``out``: the file of the table, written after each subject; an existing one is extended. ``repeat``: instead of
    measuring, repeat this number of noticed cells of the committed table, drawn by ``seed``.
    """
    prepare_environment()
    measurement = TableMeasurement(load(), collect_table_items(SUITES))
    try:
        if repeat is not None:
            return _repeat_cells(measurement, repeat, seed)
        return _measure(measurement, patterns, out)
    finally:
        measurement.close()


def _measure(measurement: TableMeasurement, patterns: Sequence[str], out: str) -> int:
    subjects = dict(_read_earlier(out).subjects)
    monitor = MeasurementMonitor(sys.argv[1:])
    unexplained = 0
    wanted = measurement.list_subjects(patterns)
    if not wanted:
        raise CommandError(f"--subject {patterns[0]}: no query and no output of a function matches")
    for subject in wanted:
        cells = measurement.measure(subject)
        subjects.pop(subject, None)
        if not cells:
            continue
        subjects[subject] = cells
        unexplained += _print_unnoticed(subject, cells)
        if out:
            try:
                write_given_file(Path(out), encode_table(subjects, monitor.create_header()))
            except OSError as error:
                raise CommandError(f"--json {out}: cannot write ({error.strerror})") from None
    counts = Counter(
        "noticed" if cell.noticed else "unnoticed" if cell.unnoticed else "without a wrong answer"
        for subject in wanted
        for cell in subjects.get(subject, {}).values()
    )
    print_text(", ".join(f"{words}: {number}" for words, number in counts.most_common()))
    print_text(f"{unexplained} unnoticed wrong answers without a reason")
    return exit_codes.DEVIATIONS if unexplained else exit_codes.AS_EXPECTED


def _print_unnoticed(subject: str, cells: Mapping[AnswerClass, WrongAnswerCell]) -> int:
    """Print the wrong answers that no test notices; return the number of those without a reason."""
    missing = 0
    for wrong in ANSWER_CLASSES:
        cell = cells.get(wrong)
        kinds: dict[str, list[str]] = {}
        for kind in cell.unnoticed if cell is not None else ():
            reason = find_reason(subject, wrong, kind)
            missing += reason is None
            kinds.setdefault(reason.text if reason is not None else "no reason", []).append(kind)
        for words, those in kinds.items():
            print_text(f"not noticed: {subject}, {wrong}, {those[0]} and {len(those) - 1} others: {words}")
    return missing


def _repeat_cells(measurement: TableMeasurement, number: int, seed: int) -> int:
    table = load_committed_table()
    noticed = [(subject, wrong) for subject, cells in table.subjects.items() for wrong in cells if cells[wrong].noticed]
    drawn = random.Random(seed).sample(noticed, min(number, len(noticed)))  # noqa: S311 (a sample)
    missed = [each for each in drawn if not measurement.repeat(*each, table.subjects[each[0]][each[1]])]
    for subject, wrong in missed:
        print_text(f"no longer noticed: {subject}, {wrong}")
    print_text(f"{len(drawn) - len(missed)} of {len(drawn)} wrong answers are noticed")
    return exit_codes.DEVIATIONS if missed else exit_codes.AS_EXPECTED


def _read_earlier(out: str) -> WrongAnswerTable:
    if not out or not Path(out).is_file():
        return WrongAnswerTable()
    try:
        return decode_table(read_bytes(Path(out)))
    except (GivenFileError, ValueError) as error:
        raise CommandError(f"--json {out}: not an output of clconform dev wrong-answers --json: {error}") from None
