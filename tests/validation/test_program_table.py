"""The table of findings in real programs: its form, and its references to requirements and programs."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase

from clconform.findings.program_findings import load_program_findings
from clconform.spec_tables import load
from clconform.validation import findings as kinds

from .programs.listed import read_programs

TABLE = load_program_findings()
DRIVERS = {"pocl-3.1", "rusticl-22.3.6", "intel-2026.2", "oclgrind-21.10"}
KINDS = {
    kinds.ERROR,
    kinds.UNDEFINED,
    kinds.DEVIATION,
    kinds.ADVICE,
    kinds.FAILED,
    kinds.PROBE,
    kinds.PROCESS_ENDED,
    kinds.PORTABILITY,
}
FINDING_FORM = re.compile(r"(?P<clause>.+) at (?P<place>\S+:\d+|\S+\+0x[0-9a-f]+|unknown)")
RECORD = re.compile(r"cl\w+/\S+")


def test_each_row_of_the_triage_table_is_complete_and_valid() -> None:
    assert len(TABLE.row) > 20
    programs = [program.id for program in read_programs()]
    for row in TABLE.row:
        assert set(row.drivers) <= DRIVERS
        assert row.drivers
        assert row.party in kinds.PARTIES
        assert row.kind in KINDS
        assert re.fullmatch(r"[A-Z`].*\.", row.reason), row.reason
        for pattern in row.programs:
            assert any(
                pattern == each or pattern.startswith(f"{each}/") or fnmatchcase(each, pattern) for each in programs
            )
        for each in row.findings:
            assert FINDING_FORM.fullmatch(each), each


def test_triage_table_names_existing_requirements() -> None:
    records = load().requirements
    for row in TABLE.row:
        for each in row.findings:
            clause = each.rpartition(" at ")[0]
            for record in clause.split(" + "):
                if RECORD.fullmatch(record):
                    assert record in records, record


def test_each_finding_has_at_most_one_row_in_the_triage_table() -> None:
    counts = Counter(
        (driver, program, row.party, row.kind, each)
        for row in TABLE.row
        for driver in row.drivers
        for program in row.programs
        for each in row.findings
    )
    assert [each for each, count in counts.items() if count > 1] == []


def test_triage_table_has_no_findings_with_verdict_false() -> None:
    assert [row.reason for row in TABLE.row if row.verdict == "false"] == []


def test_at_least_fifty_findings_have_blind_verdicts() -> None:
    (reading, *_) = TABLE.blind
    assert len(reading.readings) >= 50
    assert [one.number for one in reading.readings] == list(range(1, len(reading.readings) + 1))
    assert all(one.reason.endswith(".") for one in reading.readings)
