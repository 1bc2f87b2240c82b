"""Check that the findings, the triage table, the interpretations and the rulebook agree."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.engine.rulebook import Rulebook, load_declared_rules, rulebook_of
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.spec_tables import Tables
    from tests.findings import Finding

    from .table import DeviationTable, TriagedCause, TriagedDeviation

MIN_REASON_LENGTH = 20
"""In characters; shorter reasons are rejected."""


def find_inconsistencies(
    table: DeviationTable, findings: Iterable[Finding], withdrawn: Iterable[Finding], finding_ids: set[str]
) -> list[str]:
    """Return one line for each inconsistency. ``finding_ids``: the ids that the findings name, except as withdrawn."""
    found, taken_back = list(findings), list(withdrawn)
    return [
        *_check_findings(found),
        *_check_table(table, finding_ids),
        *_check_withdrawn(table, found, taken_back),
        *_check_blind_readings(table),
    ]


class RevisionRules(NamedTuple):
    """The tables of a revision with the rules for them."""

    tables: Tables
    rulebook: Rulebook


@functools.cache
def load_revision_rules(revision: str) -> RevisionRules:
    """Return the tables of an installed revision of the specification with their rules."""
    if revision == loading.DEFAULT:
        return RevisionRules(load(), rulebook_of(load()))
    tables = loading.read_tables(loading.REVISIONS / revision)
    return RevisionRules(tables, Rulebook(tables, load_declared_rules()))


def _find_revision_rules(finding: Finding) -> RevisionRules:
    """Return tables and rules of a revision that has the finding's requirement, preferably of the default one."""
    newer = (name for name in loading.list_revisions() if name != loading.DEFAULT)
    first = finding.records[0] if finding.records else ""
    every = (load_revision_rules(name) for name in (loading.DEFAULT, *newer))
    return next((each for each in every if first in each.tables.requirements), load_revision_rules(loading.DEFAULT))


def _check_findings(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        tables, rulebook = _find_revision_rules(finding)
        known = tables.requirements
        name, requirements = (
            ", ".join(finding.ids),
            [requirement for requirement in finding.records if requirement in known],
        )
        if not finding.records or finding.records[0] not in known:
            yield f"findings, {name}: its first record is not in the tables: {finding.records[:1]}"
            continue
        if finding.confidence == "interpretation":
            if finding.entry not in INTERPRETATIONS:
                yield f"findings, {name}: there is no interpretation {finding.entry!r}; name one in brackets"
            continue
        given = {rulebook.confidence_of(requirement) for requirement in requirements}
        if any(rulebook.undocumented_versions(requirement) for requirement in requirements):
            given.add("inferred")  # for drivers of versions whose own document lacks the sentence
        if finding.confidence.partition(";")[0] not in given:
            yield f"findings, {name}: says {finding.confidence!r}, the rules of its records say {sorted(given)}"


def _check_table(table: DeviationTable, finding_ids: set[str]) -> Iterator[str]:
    drivers = {driver.id for driver in table.driver}
    named = Counter((driver, triaged.id, each) for driver, triaged, cause in table.rows() for each in cause.tables)
    for (driver, each, tables), count in named.items():
        if count > 1:
            yield f"triage, {each}: {count} rows for {driver} by {tables}"
    for cause in table.cause:
        name = ", ".join(triaged.id for triaged in cause.deviations) or "a cause without deviations"
        for driver in (each for each in cause.drivers if each not in drivers):
            yield f"triage, {name}: no [[driver]] has the id {driver!r}"
        if len(cause.reason) < MIN_REASON_LENGTH or not cause.reason.endswith("."):
            yield f"triage, {name}: the reason is not a sentence: {cause.reason!r}"
        for tables in (each for each in cause.tables if each not in loading.list_revisions()):
            yield f"triage, {name}: the package has no tables of {tables!r}"
        if (cause.kind == "interpretation") != bool(cause.entry) or (
            cause.entry and cause.entry not in INTERPRETATIONS
        ):
            yield f"triage, {name}: only an interpretation names an interpretation: {cause.entry!r}"
        for triaged in cause.deviations:
            yield from _check_deviation(triaged, cause, finding_ids)


def _check_deviation(triaged: TriagedDeviation, cause: TriagedCause, finding_ids: set[str]) -> Iterator[str]:
    if triaged.id != triaged.computed_id:
        yield f"triage, {triaged.id}: its key makes the id {triaged.computed_id}"
    if triaged.id not in finding_ids:
        yield f"triage, {triaged.id}: docs/findings.md does not name it"
    known = [each for each in cause.tables if each in loading.list_revisions()]
    for requirement, revision in itertools.product(triaged.records, known):
        tables, rulebook = load_revision_rules(revision)
        if requirement not in tables.requirements:
            yield f"triage, {triaged.id}: no record has the id {requirement!r}, by {revision}"
        elif (
            rulebook.interpretations_of(requirement)
            and rulebook.confidence_of(requirement) == "interpretation" != cause.kind
        ):
            yield f"triage, {triaged.id}: the rule of {requirement} is an interpretation"


def _check_withdrawn(table: DeviationTable, findings: list[Finding], withdrawn: list[Finding]) -> Iterator[str]:
    families = {driver.id: driver.family for driver in table.driver}
    triaged = {(families.get(driver, driver), each.id) for driver, each, _ in table.rows()}
    shown = {(family, each) for finding in findings for family in finding.families for each in finding.ids}
    for finding in withdrawn:
        for family in finding.families:
            for each in finding.ids:
                if (family, each) in shown:
                    yield f"findings, {each}: withdrawn for {family}, and listed as found"
                if (family, each) in triaged:
                    yield f"triage, {each}: withdrawn for {family}"


def _check_blind_readings(table: DeviationTable) -> Iterator[str]:
    triaged = {(driver, each.id) for driver, each, _ in table.rows()}
    for drawn in table.blind:
        for reading in drawn.readings:
            if (reading.driver, reading.id) not in triaged and reading.judged == "deviation":
                yield f"blind reading {drawn.seed}, {reading.id}: {reading.driver} has no such row"
            if (reading.driver, reading.id) in triaged and reading.judged == "open" and not reading.settled:
                yield f"blind reading {drawn.seed}, {reading.id}: it is open, and {reading.driver} has a row"
