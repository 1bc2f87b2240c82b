"""Check that the findings, the triage table, the interpretations and the rulebook agree."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.findings.chapters import list_named_deviations
from clconform.findings.page import find_cause
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.engine.rulebook import Rulebook, load_declared_rules, rulebook_of
from clconform.reports.run_result import key_digest
from clconform.spec_tables import load, loading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.findings.chapters import Finding, FindingChapter, WithdrawnFinding
    from clconform.findings.deviations import DeviationTable, TriagedCause, TriagedDeviation
    from clconform.spec_tables import Tables

ID_DIGITS = 8
MIN_REASON_LENGTH = 20
"""In characters; shorter reasons are rejected."""


def find_inconsistencies(
    table: DeviationTable, chapters: Iterable[FindingChapter], withdrawn: Iterable[WithdrawnFinding]
) -> list[str]:
    """Return one line for each inconsistency."""
    every = list(chapters)
    findings = [finding for chapter in every for finding in chapter.findings]
    return [
        *_check_findings(findings),
        *_check_table(table, list_named_deviations(every)),
        *_check_notes(table, every),
        *_check_withdrawn(table, findings, list(withdrawn)),
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
    """Return tables and rules of a revision that has the finding's requirements, preferably of the default one."""
    newer = (name for name in loading.list_revisions() if name != loading.DEFAULT)
    every = (load_revision_rules(name) for name in (loading.DEFAULT, *newer))
    return next(
        (each for each in every if each.tables.requirements.keys() >= set(finding.requirements)),
        load_revision_rules(loading.DEFAULT),
    )


def _check_findings(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        name = ", ".join(finding.ids)
        tables, rulebook = _find_revision_rules(finding)
        unknown = [requirement for requirement in finding.requirements if requirement not in tables.requirements]
        if unknown or not finding.requirements:
            yield f"findings, {name}: requirements that are not in the tables: {unknown}"
            continue
        if not set(finding.programs) <= set(finding.ids):
            yield f"findings, {name}: the C programs are of other deviations: {finding.programs}"
        if finding.confidence == "interpretation":
            if finding.interpretation not in INTERPRETATIONS:
                yield f"findings, {name}: there is no interpretation {finding.interpretation!r}"
            continue
        confidences = {rulebook.basis.confidence_of(requirement) for requirement in finding.requirements}
        if any(rulebook.basis.undocumented_versions(requirement) for requirement in finding.requirements):
            confidences.add("inferred")  # for drivers of versions whose own document lacks the sentence
        if finding.confidence not in confidences:
            yield f"findings, {name}: {finding.confidence!r}, but the rules have {sorted(confidences)}"


def _check_notes(table: DeviationTable, chapters: list[FindingChapter]) -> Iterator[str]:
    """Yield the notes without text to which no cause of the table belongs."""
    for note in (note for chapter in chapters for note in chapter.notes if not note.text):
        try:
            find_cause(note, table)
        except LookupError as error:
            yield f"findings, {error}"


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
        if (cause.kind == "interpretation") != bool(cause.interpretation) or (
            cause.interpretation and cause.interpretation not in INTERPRETATIONS
        ):
            yield f"triage, {name}: only an interpretation names an interpretation: {cause.interpretation!r}"
        for triaged in cause.deviations:
            yield from _check_deviation(triaged, cause, finding_ids)


def _check_deviation(triaged: TriagedDeviation, cause: TriagedCause, finding_ids: set[str]) -> Iterator[str]:
    if triaged.id != (computed := key_digest(triaged.key)[:ID_DIGITS]):
        yield f"triage, {triaged.id}: its key has the id {computed}"
    if triaged.id not in finding_ids:
        yield f"triage, {triaged.id}: the findings do not name it"
    known = [each for each in cause.tables if each in loading.list_revisions()]
    for requirement, revision in itertools.product(triaged.requirements, known):
        tables, rulebook = load_revision_rules(revision)
        if requirement not in tables.requirements:
            yield f"triage, {triaged.id}: no requirement of {revision} has the id {requirement!r}"
        elif (
            rulebook.basis.interpretations_of(requirement)
            and rulebook.basis.confidence_of(requirement) == "interpretation" != cause.kind
        ):
            yield f"triage, {triaged.id}: the rule of {requirement} is an interpretation"


def _check_withdrawn(
    table: DeviationTable, findings: list[Finding], withdrawn: list[WithdrawnFinding]
) -> Iterator[str]:
    families = {driver.id: driver.family for driver in table.driver}
    triaged = {(families.get(driver, driver), each.id) for driver, each, _ in table.rows()}
    shown = {(family, each) for finding in findings for family in finding.families for each in finding.ids}
    for finding in withdrawn:
        if finding.interpretation and finding.interpretation not in INTERPRETATIONS:
            yield f"withdrawn, {', '.join(finding.ids)}: there is no interpretation {finding.interpretation!r}"
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
            if (reading.driver, reading.id) not in triaged and reading.judged == "deviation" and not reading.resolution:
                yield f"blind reading {drawn.seed}, {reading.id}: {reading.driver} has no such row"
            if (reading.driver, reading.id) in triaged and reading.judged == "open" and not reading.resolution:
                yield f"blind reading {drawn.seed}, {reading.id}: it is open, and {reading.driver} has a row"
