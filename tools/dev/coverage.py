"""The ``coverage`` command: combines results, and lists the covered requirements and the reasons for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.oracles.engine.reasons import categories_by_reason, load_reason_categories
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.coverage_page import (
    DetectedViolations,
    decide_coverage,
    format_coverage,
    format_uncovered,
    is_within,
)
from clconform.reports.revision_page import format_new_requirements
from clconform.runner.journal.requirement_scope import find_untestable
from clconform.selftest.outcome_mutation.results import (
    KINDS,
    NOTHING,
    explain_missing,
    get_kinds,
    load_committed_results,
)
from clconform.spec_tables import load
from clconform.spec_tables.loading import load_default
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.result_commands import load_result_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.reports.coverage_page import RequirementCoverage
    from clconform.reports.run_result import RunResult


def print_coverage(
    result_paths: Sequence[str], sections: Sequence[str], without: Sequence[str], *, not_covered: bool, ids: bool
) -> int:
    """Print the coverage page of all requirements.

    With ``not_covered`` or ``ids``, print only the uncovered requirements in ``sections`` and not in ``without``.
    """
    results = _load_results(result_paths)
    requirements = decide_requirements(results)
    if not not_covered and not ids:
        sorts = {sort.name: (sort.description, sort.reasons) for sort in load_reason_categories()}
        print_text(
            format_coverage(
                requirements, results, sorts, detected_violations(requirement.id for requirement in requirements)
            ),
            nl=False,
        )
        return exit_codes.AS_EXPECTED
    for requirement in requirements:
        wanted = not sections or is_within(requirement, sections)
        if requirement.outcome == "left" and wanted and not is_within(requirement, without):
            print_text(requirement.id if ids else f"- {format_uncovered(requirement)}")
    return exit_codes.AS_EXPECTED


def detected_violations(requirements: Iterable[str]) -> DetectedViolations | None:
    """Return the requirements whose violation was detected, according to the file in the package.

    None if the file is about other tables.
    """
    if load() is not load_default():
        return None
    written, tables = load_committed_results(), load()
    rulebook = rulebook_of(tables)
    found = get_kinds(written.requirements, requirements, rulebook)
    none = ("not", NOTHING)
    why = {name: explain_missing(tables.requirements[name], rulebook) for name, kind in found.items() if kind in none}
    why |= {name: KINDS[kind] for name, kind in found.items() if kind == "not searched"}
    return DetectedViolations(KINDS, found, why)


def print_new_requirements(given: Sequence[str]) -> int:
    """Print the page about requirements that the default tables do not contain."""
    results = _load_results(given)
    if load() is load_default():
        raise CommandError(f"{given[0]}: it was judged by the default tables, so there are no new requirements")
    words = rulebook_of(load()).texts.words_of
    print_text(format_new_requirements(decide_requirements(results), results, load(), load_default(), words), nl=False)
    return exit_codes.AS_EXPECTED


def _load_results(given: Sequence[str]) -> list[RunResult]:
    """Return the results; CommandError if they were judged by different tables."""
    results = [load_result_at(each)[0] for each in given]
    for path, result in zip(given, results, strict=True):
        if result.run.tables != results[0].run.tables:
            raise CommandError(
                f"{path}: it was judged by other tables than {given[0]}; join results of the same tables"
            )
    return results


def decide_requirements(results: Sequence[RunResult]) -> list[RequirementCoverage]:
    """Return the outcome of each requirement in the results, by the tables in use and the closed list of reasons."""
    tables = load()
    return decide_coverage(results, find_untestable(tables, rulebook_of(tables)), categories_by_reason())
