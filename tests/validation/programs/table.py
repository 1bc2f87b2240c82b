"""Reads ``docs/triage-programs.toml``: the verdict on each finding in a real program, with its reason."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.validation.findings import CallSite, ValidationFinding

TABLE_FILE = Path(__file__).resolve().parents[3] / "docs" / "triage-programs.toml"


class TriageRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A verdict on findings. ``programs``: patterns; ``findings``: rules (or functions and messages) with places.

    ``verdict``: whether the findings are correct; ``reason``: why, by the specification and the program.
    """

    drivers: list[str]
    programs: list[str]
    party: str
    kind: str
    verdict: Literal["true", "false", "open"]
    reason: str
    findings: list[str]


class BlindVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A second verdict on a finding, without knowledge of the table: ``judged`` only by its calls.

    ``finding``: as in a row, so that it can be identified when more programs are judged.
    """

    number: int
    driver: str
    program: str
    party: str
    kind: str
    finding: str
    judged: Literal["true", "false", "open"]
    why: str

    @property
    def table_finding(self) -> TableFinding:
        """Return the finding as in a row of the table."""
        clause, _, place = self.finding.rpartition(" at ")
        return TableFinding(self.driver, self.program, self.party, self.kind, clause, place)


class BlindSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Second verdicts on findings that were drawn with a seed."""

    seed: int
    date: str
    readings: list[BlindVerdict]


class TriageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The triage table: verdicts on findings, and blind verdicts on samples of them."""

    row: list[TriageRow] = []
    blind: list[BlindSample] = []


class TableFinding(NamedTuple):
    """A finding as in a row; ``clause``: requirements, or the function and the text of the rule."""

    driver: str
    program: str
    party: str
    kind: str
    clause: str
    place: str

    def __str__(self) -> str:
        return f"{self.clause} at {self.place}"


def load_table(path: Path = TABLE_FILE) -> TriageTable:
    """Read the table of findings; msgspec.ValidationError names an invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=TriageTable)


def to_table_finding(driver: str, program: str, finding: ValidationFinding) -> TableFinding:
    """Return a finding in the form of the table, without the parts that differ between runs and machines."""
    blamed = [each if each.startswith("cl") else f"{finding.function} {each}" for each in finding.requirements]
    clause = " + ".join(blamed) or f"{finding.function}: {remove_numbers(finding.reason)}"
    return TableFinding(driver, program, finding.party, finding.kind, clause, format_place(finding.site))


def format_place(site: CallSite) -> str:
    """Return a place without folders: ``FILE_VARIABLE:LINE``, or the offset in the file of the code."""
    if site.source:
        return Path(site.source).name
    return f"{Path(site.module).name}+{site.offset:#x}" if site.module else "unknown"


def remove_numbers(words: str) -> str:
    """Return a message without the numbers of objects and calls, and without the place of an earlier call."""
    return "".join(letter for letter in words.partition(" (by ")[0] if not letter.isdigit())


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
