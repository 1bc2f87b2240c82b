"""Reads ``docs/triage-programs.toml``: the verdict on each finding in a real program, with its reason."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.validation.findings import Finding, Site

TABLE = Path(__file__).resolve().parents[3] / "docs" / "triage-programs.toml"


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    def found(self) -> Found:
        """The finding as in a row."""
        clause, _, place = self.finding.rpartition(" at ")
        return Found(self.driver, self.program, self.party, self.kind, clause, place)


class Blind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The second verdicts on findings drawn by a seed."""

    seed: int
    date: str
    readings: list[Reading]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table."""

    row: list[Row] = []
    blind: list[Blind] = []


class Found(NamedTuple):
    """A finding as in a row; ``clause``: requirements, or the function and the text of the rule."""

    driver: str
    program: str
    party: str
    kind: str
    clause: str
    place: str

    def __str__(self) -> str:
        return f"{self.clause} at {self.place}"


def load_table(path: Path = TABLE) -> Table:
    """Read the table; msgspec.ValidationError names an invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=Table)


def found_in(driver: str, program: str, finding: Finding) -> Found:
    """Return a finding without the parts that differ between runs and machines."""
    blamed = [each if each.startswith("cl") else f"{finding.function} {each}" for each in finding.records]
    clause = " + ".join(blamed) or f"{finding.function}: {without_numbers(finding.words)}"
    return Found(driver, program, finding.party, finding.kind, clause, place_of(finding.site))


def place_of(site: Site) -> str:
    """Return a place without folders: ``FILE:LINE``, or the offset in the file of the code."""
    if site.source:
        return Path(site.source).name
    return f"{Path(site.module).name}+{site.offset:#x}" if site.module else "unknown"


def without_numbers(words: str) -> str:
    """Return a text without the numbers of objects and calls, and without the place of an earlier call."""
    return "".join(letter for letter in words.partition(" (by ")[0] if not letter.isdigit())


def row_of(found: Found, rows: Iterable[Row]) -> Row | None:
    """Return the first row that matches a finding."""
    return next((row for row in rows if _is_about(row, found)), None)


def _is_about(row: Row, found: Found) -> bool:
    return (
        (row.party, row.kind) == (found.party, found.kind)
        and found.driver in row.drivers
        and str(found) in row.findings
        and any(fnmatchcase(found.program, each) for each in row.programs)
    )
