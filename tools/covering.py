"""The ``coverage`` command: joins results and lists covered requirements, and reasons for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.reasons import sort_of, sorts_of_reasons
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.coverage import Shown, as_line, coverage_as_text, decided, within
from clconform.reports.newer_records import newer_records_as_text
from clconform.runner.gate import exit_codes
from clconform.runner.journal.applicability import untestable_in
from clconform.selftest.violations.shown import KINDS, NOTHING, committed, kinds_of, why_not
from clconform.spec_tables import load
from clconform.spec_tables.loading import default
from clconform.tools.errors import CommandError
from clconform.tools.results import result_at
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.reports.coverage import Decided
    from clconform.reports.result import Result


def coverage(given: Sequence[str], sections: Sequence[str], without: Sequence[str], *, left: bool, ids: bool) -> int:
    """Print the page about all requirements, or those of some sections that are not covered."""
    results = _joined(given)
    records = decisions(results)
    if not left and not ids:
        sorts = {sort.name: (sort.means, sort.reasons) for sort in sorts_of_reasons()}
        say(coverage_as_text(records, results, sorts, shown(record.id for record in records)), nl=False)
        return exit_codes.AS_EXPECTED
    for record in records:
        wanted = not sections or within(record, sections)
        if record.outcome == "left" and wanted and not within(record, without):
            say(record.id if ids else f"- {as_line(record)}")
    return exit_codes.AS_EXPECTED


def shown(records: Iterable[str]) -> Shown | None:
    """Return which requirements have detected violations, by the committed file; None for other tables."""
    if load() is not default():
        return None
    written, tables = committed(), load()
    rulebook = rulebook_of(tables)
    found = kinds_of(written.records, records, rulebook)
    none = ("not", NOTHING)
    why = {name: why_not(tables.records[name], rulebook) for name, kind in found.items() if kind in none}
    why |= {name: KINDS[kind] for name, kind in found.items() if kind == "not searched"}
    return Shown(KINDS, found, why)


def newer(given: Sequence[str]) -> int:
    """Print the page about the requirements that the default tables lack."""
    results = _joined(given)
    if load() is default():
        raise CommandError(f"{given[0]}: it was judged by the default tables, so there are no new requirements")
    words = rulebook_of(load()).words_of
    say(newer_records_as_text(decisions(results), results, load(), default(), words), nl=False)
    return exit_codes.AS_EXPECTED


def _joined(given: Sequence[str]) -> list[Result]:
    """Return the results; CommandError if they were judged by different tables."""
    results = [result_at(each)[0] for each in given]
    for path, result in zip(given, results, strict=True):
        if result.run.tables != results[0].run.tables:
            raise CommandError(
                f"{path}: it was judged by other tables than {given[0]}; join results of the same tables"
            )
    return results


def decisions(results: Sequence[Result]) -> list[Decided]:
    """Return the outcome of each requirement over the results, by the tables in use and the closed list of reasons."""
    tables = load()
    return decided(results, untestable_in(tables, rulebook_of(tables)), sort_of())
