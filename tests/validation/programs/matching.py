"""Matches findings in real programs with the rows of ``findings/program_findings.toml``."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.findings.program_findings import BlindVerdict, TriageRow
    from clconform.validation.findings import CallSite, ValidationFinding


class TableFinding(NamedTuple):
    """A finding as in a row; ``clause``: requirements, or the function and the id of the rule."""

    driver: str
    program: str
    party: str
    kind: str
    clause: str
    place: str

    def __str__(self) -> str:
        return f"{self.clause} at {self.place}"


def to_table_finding(driver: str, program: str, finding: ValidationFinding) -> TableFinding:
    """Return a finding in the form of the table, without the parts that differ between runs and machines."""
    blamed = [each if each.startswith("cl") else f"{finding.function} {each}" for each in finding.requirements]
    clause = " + ".join(blamed) or f"{finding.function} {finding.rule}"
    return TableFinding(driver, program, finding.party, finding.kind, clause, format_place(finding.site))


def get_judged_finding(verdict: BlindVerdict) -> TableFinding:
    """Return the finding of a blind verdict as in a row of the table."""
    clause, _, place = verdict.finding.rpartition(" at ")
    return TableFinding(verdict.driver, verdict.program, verdict.party, verdict.kind, clause, place)


def format_place(site: CallSite) -> str:
    """Return a place without folders: ``FILE_VARIABLE:LINE``, or the offset in the file of the code."""
    if site.source:
        return Path(site.source).name
    return f"{Path(site.module).name}+{site.offset:#x}" if site.module else "unknown"


def find_row(found: TableFinding, rows: Iterable[TriageRow]) -> TriageRow | None:
    """Return the first row that matches a finding."""
    return next((row for row in rows if _matches(row, found)), None)


def _matches(row: TriageRow, found: TableFinding) -> bool:
    return (
        (row.party, row.kind) == (found.party, found.kind)
        and found.driver in row.drivers
        and str(found) in row.findings
        and any(fnmatchcase(found.program, each) for each in row.programs)
    )
