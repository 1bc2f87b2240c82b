"""Reads ``docs/triage-programs.toml``: whether each finding in a real program is right, and why."""

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
    """Findings that were read. ``programs``: patterns; ``findings``: clauses, or functions and words, and places.

    ``verdict``: whether what is said is right; ``reason``: why, by the documents and by what the program does.
    """

    drivers: list[str]
    programs: list[str]
    party: str
    kind: str
    verdict: Literal["true", "false", "open"]
    reason: str
    findings: list[str]


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding that was read again without the verdict that the table has: ``judged`` from its calls alone.

    ``finding``: as a row has it, so that it is known which one it was when more programs are judged.
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
        """The finding."""
        clause, _, place = self.finding.rpartition(" at ")
        return Found(self.driver, self.program, self.party, self.kind, clause, place)


class Blind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The findings that a seed drew."""

    seed: int
    date: str
    readings: list[Reading]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table."""

    row: list[Row] = []
    blind: list[Blind] = []


class Found(NamedTuple):
    """A finding by what a row says of it; ``clause``: records, or the function and the words of the rule."""

    driver: str
    program: str
    party: str
    kind: str
    clause: str
    place: str

    def __str__(self) -> str:
        return f"{self.clause} at {self.place}"


def load_table(path: Path = TABLE) -> Table:
    """Read the table; msgspec.ValidationError names the field that is wrong."""
    return msgspec.toml.decode(path.read_bytes(), type=Table)


def found_in(driver: str, program: str, finding: Finding) -> Found:
    """Return a finding without what differs from run to run and from machine to machine."""
    blamed = [each if each.startswith("cl") else f"{finding.function} {each}" for each in finding.records]
    clause = " + ".join(blamed) or f"{finding.function}: {without_numbers(finding.words)}"
    return Found(driver, program, finding.party, finding.kind, clause, place_of(finding.site))


def place_of(site: Site) -> str:
    """Return a place without folders: ``FILE:LINE``, or the offset in the file of the code."""
    if site.source:
        return Path(site.source).name
    return f"{Path(site.module).name}+{site.offset:#x}" if site.module else "unknown"


def without_numbers(words: str) -> str:
    """Return words without the numbers of objects and calls, and without the place of an earlier call."""
    return "".join(letter for letter in words.partition(" (by ")[0] if not letter.isdigit())


def row_of(found: Found, rows: Iterable[Row]) -> Row | None:
    """Return the first row that is about a finding."""
    return next((row for row in rows if _is_about(row, found)), None)


def _is_about(row: Row, found: Found) -> bool:
    return (
        (row.party, row.kind) == (found.party, found.kind)
        and found.driver in row.drivers
        and str(found) in row.findings
        and any(fnmatchcase(found.program, each) for each in row.programs)
    )
