"""Summarises the findings in many programs: numbers per driver, and findings without a row in the table."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.operand_words import all_operands
from clconform.reports.wording import Names
from clconform.spec_tables import load
from clconform.validation.findings import ADVICE, DRIVER, ENDED, PROGRAM, SERIOUS
from clconform.validation.judging import NEVER_FREED, NEVER_RELEASED, NEVER_SET
from clconform.validation.telling import numbered

from .table import found_in, row_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.validation.findings import Document, Finding

    from .runs import Run
    from .table import Found, Table
LEFT = (NEVER_RELEASED, NEVER_FREED, NEVER_SET)
"""Prefixes of messages about objects that are never released or set."""


class Unread(NamedTuple):
    """A finding without a row, with the first driver and program that show it; ``count``: number of programs."""

    found: Found
    finding: Finding
    also: list[str]

    def lines(self, *, with_calls: bool) -> Iterator[str]:
        """Yield its description without a verdict."""
        found = self.found
        yield f"{found.party}: {found.kind} {found.clause}"
        yield f"  at {found.place}, {found.program} on {found.driver}; also {len(self.also)}: {' '.join(self.also[:6])}"
        yield f"  {self.finding.words[:200]}; {self.finding.observed}, allowed {self.finding.allowed}"
        if with_calls:
            names = Names(load())
            where = all_operands(self.finding, load(), names)
            if where:
                yield f"  where {where}"
            for line in numbered(self.finding, load(), names):
                yield f"    {line}"


class Sum:
    """Numbers of many programs."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._unread: dict[Found, Unread] = {}
        self._every: dict[Found, Finding] = {}

    @property
    def without_row(self) -> list[Unread]:
        """Return the findings without a row."""
        return list(self._unread.values())

    def add(self, driver: str, run: Run, document: Document) -> None:
        """Add the findings in one program."""
        counts = self._counts[driver]
        counts["programs"] += 1
        counts["ended early"] += run.code is None or run.code < 0
        for each in document.validations:
            counts["calls"] += each.calls
            counts["judged"] += each.judged
            for finding in each.findings:
                if run.code is None and _of_our_limit(finding):
                    counts["of our limit of time"] += 1
                else:
                    self._add(driver, run.id, finding)

    def _add(self, driver: str, program: str, finding: Finding) -> None:
        found, counts = found_in(driver, program, finding), self._counts[driver]
        row = row_of(found, self._table.row)
        self._every.setdefault(found, finding)
        if finding.kind in SERIOUS:
            party = finding.party if finding.party in (PROGRAM, DRIVER) else "others"
            counts[f"{party}, serious"] += 1
            counts[f"of these {row.verdict}" if row else "of these not in the table"] += 1
        else:
            counts["notes"] += 1
        if row is None:
            same = found._replace(driver="", program="")
            unread = self._unread.setdefault(same, Unread(found, finding, []))
            unread.also.append(f"{driver}:{program}")

    def rows(self) -> Iterator[str]:
        """Yield rows in TOML for the findings that have none; a reader adds verdict and reason."""
        groups: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for found in self._every:
            if row_of(found, self._table.row) is None:
                groups[found.program, found.party, found.kind][str(found)].add(found.driver)
        for (program, party, kind), findings in groups.items():
            by_drivers: dict[tuple[str, ...], list[str]] = defaultdict(list)
            for text, drivers in findings.items():
                by_drivers[tuple(sorted(drivers))].append(text)
            for drivers, texts in by_drivers.items():
                yield "[[row]]"
                yield f"drivers = {_listed(drivers)}"
                yield f"programs = {_listed([program])}"
                yield f"party = {_quoted(party)}"
                yield f"kind = {_quoted(kind)}"
                yield 'verdict = ""'
                yield 'reason = ""'
                yield from ("findings = [", *(f"    {_quoted(text)}," for text in sorted(texts)), "]", "")

    def drawn(self, seed: int, number: int) -> list[tuple[Found, Finding]]:
        """Return ``number`` serious findings drawn at random by a seed."""
        rng = random.Random(seed)  # noqa: S311 (no secret)
        pool = sorted((each for each in self._every.items() if each[1].kind in SERIOUS), key=lambda each: each[0])
        return rng.sample(pool, min(number, len(pool)))

    def numbers(self) -> Iterator[str]:
        """Yield a line for each driver."""
        for driver, counts in self._counts.items():
            yield f"{driver}: " + ", ".join(f"{count} {what}" for what, count in counts.items())


def _of_our_limit(finding: Finding) -> bool:
    """Return whether a finding is only a consequence of killing the program: remaining objects, or its last call."""
    return finding.kind == ENDED or (finding.kind == ADVICE and finding.words.startswith(LEFT))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
