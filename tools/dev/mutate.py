"""The ``mutate`` command: tests mutants of the oracle's predicates, and reports those that no run detects."""

from __future__ import annotations

import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.harness import Target
from clconform.oracles.chapters.sharing.coverage_points import interface_of
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.json_documents import ResultError, encode_document, read_document
from clconform.reports.measurement import MeasurementMonitor
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.mutation.mutant_results import (
    FORMAT,
    STATUSES,
    SURVIVED,
    MutantResult,
    MutationReport,
    count_results,
    evaluate_all,
    find_refuted,
    make_report,
)
from clconform.selftest.mutation.mutants import Mutant, make_mutants
from clconform.selftest.mutation.mutation_trials import MutantFinding, MutantTrial
from clconform.selftest.mutation.run_comparison import compare_runs
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.spec_tables.requirements import ErrorCondition
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.spec_tables import Tables

CORE, FISSION = "OpenCL", "cl_ext_device_fission"
BUS_MEMORY, UNIFIED_MEMORY = "cl_amd_bus_addressable_memory", "cl_intel_unified_shared_memory"
SECTIONS = ("4.4", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", FISSION, BUS_MEMORY, UNIFIED_MEMORY)
"""The sections and documents that are mutated by default.

They are about contexts, queues, buffers with the overlaps of Appendix D, images, pipes, memory objects, shared virtual
memory, and the documents other than the main document.
"""
TOPOLOGIES = {
    CORE: (
        "everything",
        "strict",
        "hints",
        "two-alignments",
        "two-devices",
        "seven",
        "embedded",
        "fission-1.1",
        "oldest",
        "images-of-some",
        "images-1.0",
        "images-1.2",
        "images-2.0",
        "full-2.2",
    ),
    FISSION: ("everything", "fission-1.1"),
    BUS_MEMORY: ("bus-of-one-context",),
    UNIFIED_MEMORY: ("unified-apart", "unified-strict", "unified-none"),
}
"""Maps documents to a minimal set of topologies that covers both sides of every boundary in their error conditions."""


def run_mutation(
    sections: Sequence[str],
    requirements: Sequence[str],
    simulated: Sequence[str],
    driver: str,
    out: str,
    against: str,
) -> int:
    """Test all mutants of the selected error conditions; return the exit code."""
    monitor = MeasurementMonitor(sys.argv[1:])
    before = read_earlier(against) if against else None
    tables = load()
    chosen = select_conditions(sections, requirements, tables)
    rulebook = rulebook_of(tables)
    findings = {mutant: MutantFinding() for clause in chosen for mutant in make_mutants(clause, rulebook)}
    if not findings:
        raise CommandError("no error condition with a predicate matches these options; see: clconform tables")
    prepare_environment()
    items = collect_table_items(SUITES)
    print_text(f"clconform: {len(findings)} mutants of {len(chosen)} error conditions")
    for document in dict.fromkeys(clause.document for clause in chosen):
        own = {clause.id for clause in chosen if clause.document == document}
        mine = {mutant: finding for mutant, finding in findings.items() if mutant.requirement in own}
        targets = {name: Target.simulated(name) for name in simulated or (() if driver else TOPOLOGIES[document])}
        if driver:
            targets[driver] = Target.driver(driver)
        print_text(f"clconform: {document} on {', '.join(targets)}")
        for name, target in targets.items():
            run_on_platform(name, target, tables, items, mine)
    verdicts = evaluate_all(findings)
    report = make_report(verdicts, monitor.create_header())
    code = print_verdicts(verdicts)
    if out:
        write_report(out, report)
    return code if before is None else print_changes(before, report, [clause.id for clause in chosen])


def select_conditions(sections: Sequence[str], requirements: Sequence[str], tables: Tables) -> list[ErrorCondition]:
    """Return the error conditions of ``sections`` that match ``requirements``.

    Without sections, select from all sections if ``requirements`` has patterns, else from the default sections.
    """
    places = sections or (() if requirements else SECTIONS)
    return [clause for clause in conditions_in(places, tables) if _matches_any(clause.id, requirements)]


def conditions_in(sections: Sequence[str], tables: Tables) -> Iterator[ErrorCondition]:
    """Yield the error conditions of these sections, their subsections and documents; all if ``sections`` is empty.

    Conditions of documents without topologies are excluded, and so are conditions about objects that cannot be created
    on this machine.
    """
    for requirement in tables.requirements.values():
        if (
            isinstance(requirement, ErrorCondition)
            and requirement.document in TOPOLOGIES
            and not interface_of(requirement, tables)
        ):
            place = requirement.section.number if requirement.document == CORE else requirement.document
            if not sections or any(place == section or place.startswith(f"{section}.") for section in sections):
                yield requirement


def _matches_any(requirement: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(requirement, pattern) for pattern in patterns)


def run_on_platform(
    name: str, target: Target, tables: Tables, items: list[SuiteItem], findings: dict[Mutant, MutantFinding]
) -> None:
    """Test the mutants that survived so far on one platform; show a progress line if stderr is a terminal."""
    watched = sys.stderr.isatty()
    trial = MutantTrial(target, tables, findings)
    try:
        trial.run(items, lambda words: print_text(f"\r\x1b[K{name}: {words}", nl=False, err=True) if watched else None)
    finally:
        trial.close()
        if watched:
            print_text("\r\x1b[K", nl=False, err=True)


def print_verdicts(verdicts: list[MutantResult]) -> int:
    """Print the table, the surviving mutants and the incorrect explanations; return the exit code."""
    counts = count_results(verdicts)
    rows = [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]
    print_text(f"{'operator':<10}{'mutants':>9}" + "".join(f"{status:>12}" for status in STATUSES))
    for operator, count in rows:
        print_text(f"{operator:<10}{count.total():>9}" + "".join(f"{count[status]:>12}" for status in STATUSES))
    survivors = [verdict for verdict in verdicts if verdict.status == SURVIVED]
    for words, requirements in _group_by_text(survivors).items():
        print_text(f"survived: {words}\n    {', '.join(requirements)}")
    wrong = find_refuted(verdicts)
    for words, requirements in _group_by_text(wrong).items():
        print_text(f"explained, but detected: {words}\n    {', '.join(requirements)}")
    return exit_codes.DEVIATIONS if survivors or wrong else exit_codes.AS_EXPECTED


def print_changes(before: MutationReport, now: MutationReport, requirements: Sequence[str]) -> int:
    """Print the changes of each requirement since an earlier run; return the exit code.

    Only predicates whose removal or negation is no longer detected count as failures.
    """
    changes = compare_runs(before, now, requirements)
    for change in changes:
        print_text(change.format_counts())
        for operator, status in change.lost.items():
            print_text(f"    {operator}: was killed, now: {status}")
    return exit_codes.DEVIATIONS if any(change.lost for change in changes) else exit_codes.AS_EXPECTED


def _group_by_text(verdicts: Sequence[MutantResult]) -> dict[str, list[str]]:
    """Map a text about each mutant, with its result, to the requirements of the mutants with this text.

    Requirements with the same condition share the text.
    """
    groups: dict[str, list[str]] = {}
    for verdict in verdicts:
        mutant = verdict.mutant
        words = f"{mutant.name} ({mutant.module}:{mutant.line}): {verdict.reason}"
        groups.setdefault(words, []).append(mutant.requirement)
    return groups


def read_earlier(file: str) -> MutationReport:
    """Return the results of an earlier run from a file; CommandError if the file cannot be read."""
    try:
        return read_document(Path(file), MutationReport, FORMAT, "file of mutants", "clconform dev mutate --json")
    except ResultError as error:
        raise CommandError(f"--against {error}") from None


def write_report(out: str, report: MutationReport) -> None:
    """Write the results to a file; CommandError if that fails."""
    try:
        write_given_file(Path(out), encode_document(report))
    except OSError as error:
        raise CommandError(f"--json {out}: cannot write ({error.strerror})") from None
