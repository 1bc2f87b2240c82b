"""Summarises the findings in many programs: numbers per driver, and findings without a row in the table."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.call_formatting import ValueNames
from clconform.reports.operand_text import all_operands
from clconform.spec_tables import load
from clconform.validation.finding_text import number_calls
from clconform.validation.findings import DRIVER, PROCESS_ENDED, PROGRAM, SERIOUS_KINDS

from .matching import find_row, to_table_finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.findings.program_findings import ProgramFindingTable
    from clconform.validation.findings import ValidationDocument, ValidationFinding

    from .matching import TableFinding
    from .runs import ProgramRun

LEFTOVER_RULES = ("leaked-object", "leaked-memory", "user-event-not-set")
"""The rules about objects that are never released or set."""


class UnlistedFinding(NamedTuple):
    """A finding without a row in the table; ``other_places``: the drivers and programs in which it also occurs."""

    found: TableFinding
    finding: ValidationFinding
    other_places: list[str]

    def describe(self, *, with_calls: bool) -> Iterator[str]:
        """Yield the lines of a description of the finding, without a verdict."""
        found = self.found
        yield f"{found.party}: {found.kind} {found.clause}"
        others = f"{len(self.other_places)}: {' '.join(self.other_places[:6])}"
        yield f"  at {found.place}, {found.program} on {found.driver}; also {others}"
        yield f"  {self.finding.reason[:200]}; {self.finding.observed}, allowed {self.finding.allowed}"
        if with_calls:
            names = ValueNames(load())
            where = all_operands(self.finding, load(), names)
            if where:
                yield f"  where {where}"
            for line in number_calls(self.finding, load(), names):
                yield f"    {line}"


class ProgramSummary:
    """Numbers of the findings in many programs, and the findings without a row in the table."""

    def __init__(self, table: ProgramFindingTable) -> None:
        self._table = table
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._unread: dict[TableFinding, UnlistedFinding] = {}
        self._every: dict[TableFinding, ValidationFinding] = {}

    @property
    def unlisted_findings(self) -> list[UnlistedFinding]:
        """Return the findings without a row in the table."""
        return list(self._unread.values())

    def add_program(self, driver: str, run: ProgramRun, document: ValidationDocument) -> None:
        """Add the findings in one program on one driver."""
        counts = self._counts[driver]
        counts["programs"] += 1
        counts["ended early"] += run.code is None or run.code < 0
        for each in document.validations:
            counts["calls"] += each.calls
            counts["judged"] += each.judged
            for finding in each.findings:
                if run.code is None and _is_from_timeout(finding):
                    counts["of our limit of time"] += 1
                else:
                    self._add_finding(driver, run.id, finding)

    def _add_finding(self, driver: str, program: str, finding: ValidationFinding) -> None:
        found, counts = to_table_finding(driver, program, finding), self._counts[driver]
        row = find_row(found, self._table.row)
        self._every.setdefault(found, finding)
        if finding.kind in SERIOUS_KINDS:
            party = finding.party if finding.party in (PROGRAM, DRIVER) else "others"
            counts[f"{party}, serious"] += 1
            counts[f"of these {row.verdict}" if row else "of these not in the table"] += 1
        else:
            counts["notes"] += 1
        if row is None:
            same = found._replace(driver="", program="")
            unread = self._unread.setdefault(same, UnlistedFinding(found, finding, []))
            unread.other_places.append(f"{driver}:{program}")

    def new_rows(self) -> Iterator[str]:
        """Yield rows in TOML for the findings that have none; a reader adds verdict and reason."""
        groups: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for found in self._every:
            if find_row(found, self._table.row) is None:
                groups[found.program, found.party, found.kind][str(found)].add(found.driver)
        for (program, party, kind), findings in groups.items():
            by_drivers: dict[tuple[str, ...], list[str]] = defaultdict(list)
            for text, drivers in findings.items():
                by_drivers[tuple(sorted(drivers))].append(text)
            for drivers, texts in by_drivers.items():
                yield "[[row]]"
                yield f"drivers = {_format_list(drivers)}"
                yield f"programs = {_format_list([program])}"
                yield f"party = {_quote(party)}"
                yield f"kind = {_quote(kind)}"
                yield 'verdict = ""'
                yield 'reason = ""'
                yield from ("findings = [", *(f"    {_quote(text)}," for text in sorted(texts)), "]", "")

    def draw_findings(self, seed: int, number: int) -> list[tuple[TableFinding, ValidationFinding]]:
        """Return ``number`` serious findings drawn at random by a seed."""
        rng = random.Random(seed)  # noqa: S311 (no secret)
        pool = sorted((each for each in self._every.items() if each[1].kind in SERIOUS_KINDS), key=lambda each: each[0])
        return rng.sample(pool, min(number, len(pool)))

    def driver_lines(self) -> Iterator[str]:
        """Yield a line with the numbers of each driver."""
        for driver, counts in self._counts.items():
            yield f"{driver}: " + ", ".join(f"{count} {what}" for what, count in counts.items())


def _is_from_timeout(finding: ValidationFinding) -> bool:
    """Return whether a finding is only a consequence of killing the program: remaining objects, or its last call."""
    return finding.kind == PROCESS_ENDED or finding.rule in LEFTOVER_RULES


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _format_list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quote, texts))}]"
