"""The ``mutate`` command: tries mutants of the oracle's predicates and reports those that no run detects."""

from __future__ import annotations

import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.harness import Target
from clconform.oracles.chapters.sharing.triggers import interface_of
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.given_files import GivenFileError, json_of, read_bytes
from clconform.runner.gate import exit_codes
from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.mutation.comparing import compared
from clconform.selftest.mutation.mutants import Mutant, mutants_of
from clconform.selftest.mutation.trials import Finding, MutantTrial
from clconform.selftest.mutation.verdicts import (
    STATUSES,
    SURVIVED,
    Verdict,
    Written,
    as_written,
    counted,
    untrue,
    verdicts_of,
)
from clconform.spec_tables import load
from clconform.spec_tables.records import ErrorClause
from clconform.tools.errors import CommandError
from clconform.tools.resuming import SUITES
from clconform.tools.running import prepare_environment
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.pytest_plugin.items import Item
    from clconform.spec_tables import Tables

CORE, FISSION = "OpenCL", "cl_ext_device_fission"
BUS, UNIFIED = "cl_amd_bus_addressable_memory", "cl_intel_unified_shared_memory"
SECTIONS = ("4.4", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", FISSION, BUS, UNIFIED)
"""The default sections and documents.

Contexts, queues, buffers with the overlaps of Appendix D, images, pipes, memory objects, shared virtual memory, and the
documents other than the main one.
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
    BUS: ("bus-of-one-context",),
    UNIFIED: ("unified-apart", "unified-strict", "unified-none"),
}
"""The smallest sets, by document, that cover both sides of the boundaries of all these error conditions."""


def mutate(
    sections: Sequence[str],
    records: Sequence[str],
    simulated: Sequence[str],
    driver: str,
    out: str,
    against: str,
) -> int:
    """Try all mutants of the selected error conditions; return the exit code."""
    before = read(against) if against else None
    tables = load()
    chosen = chosen_of(sections, records, tables)
    rulebook = rulebook_of(tables)
    findings = {mutant: Finding() for clause in chosen for mutant in mutants_of(clause, rulebook)}
    if not findings:
        raise CommandError("no error condition with a predicate matches these options; see: clconform tables")
    prepare_environment()
    items = collect(SUITES)
    say(f"clconform: {len(findings)} mutants of {len(chosen)} error conditions")
    for document in dict.fromkeys(clause.document for clause in chosen):
        own = {clause.id for clause in chosen if clause.document == document}
        mine = {mutant: finding for mutant, finding in findings.items() if mutant.record in own}
        targets = {name: Target.simulated(name) for name in simulated or (() if driver else TOPOLOGIES[document])}
        if driver:
            targets[driver] = Target.driver(driver)
        say(f"clconform: {document} on {', '.join(targets)}")
        for name, target in targets.items():
            try_on(name, target, tables, items, mine)
    verdicts = verdicts_of(findings)
    code = told(verdicts, out)
    return code if before is None else told_against(before, as_written(verdicts), [clause.id for clause in chosen])


def chosen_of(sections: Sequence[str], records: Sequence[str], tables: Tables) -> list[ErrorClause]:
    """Return the matching error conditions of the given sections; without any, of all sections if ``records`` is given.

    Without both, the default sections are used.
    """
    places = sections or (() if records else SECTIONS)
    return [clause for clause in clauses_of(places, tables) if _wanted(clause.id, records)]


def clauses_of(sections: Sequence[str], tables: Tables) -> Iterator[ErrorClause]:
    """Yield the error conditions of these sections and their subsections, or of these documents; all if none is given.

    Conditions about objects that cannot be created here, and documents without topologies, are excluded.
    """
    for record in tables.records.values():
        if isinstance(record, ErrorClause) and record.document in TOPOLOGIES and not interface_of(record, tables):
            place = record.section.number if record.document == CORE else record.document
            if not sections or any(place == section or place.startswith(f"{section}.") for section in sections):
                yield record


def _wanted(record: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(record, pattern) for pattern in patterns)


def try_on(name: str, target: Target, tables: Tables, items: list[Item], findings: dict[Mutant, Finding]) -> None:
    """Try the surviving mutants on one platform; show a progress line if stderr is a terminal."""
    watched = sys.stderr.isatty()
    trial = MutantTrial(target, tables, findings)
    try:
        trial.run(items, lambda words: say(f"\r\x1b[K{name}: {words}", nl=False, err=True) if watched else None)
    finally:
        trial.close()
        if watched:
            say("\r\x1b[K", nl=False, err=True)


def told(verdicts: list[Verdict], out: str) -> int:
    """Print the table, the survivors and the incorrect explanations, write JSON if requested; return the exit code."""
    counts = counted(verdicts)
    rows = [*counts.items(), ("all", sum(counts.values(), Counter[str]()))]
    say(f"{'operator':<10}{'mutants':>9}" + "".join(f"{status:>12}" for status in STATUSES))
    for operator, count in rows:
        say(f"{operator:<10}{count.total():>9}" + "".join(f"{count[status]:>12}" for status in STATUSES))
    survivors = [verdict for verdict in verdicts if verdict.status == SURVIVED]
    for words, records in _grouped(survivors).items():
        say(f"survived: {words}\n    {', '.join(records)}")
    for words, records in _grouped([verdict for verdict in verdicts if verdict.worded]).items():
        say(f"explained differently: {words}\n    {', '.join(records)}")
    wrong = untrue(verdicts)
    for words, records in _grouped(wrong).items():
        say(f"explained, but detected: {words}\n    {', '.join(records)}")
    if out:
        _write(out, as_written(verdicts))
    return exit_codes.DEVIATIONS if survivors or wrong else exit_codes.AS_EXPECTED


def told_against(before: Written, now: Written, records: Sequence[str]) -> int:
    """Print the changes of each requirement since an earlier run; return the exit code.

    Only predicates whose removal or negation is no longer detected count as failures.
    """
    changes = compared(before, now, records)
    for change in changes:
        say(change.words())
        for operator, status in change.lost.items():
            say(f"    {operator}: was killed, now: {status}")
    return exit_codes.DEVIATIONS if any(change.lost for change in changes) else exit_codes.AS_EXPECTED


def _grouped(verdicts: Sequence[Verdict]) -> dict[str, list[str]]:
    """Return the requirements of the verdicts, grouped by the text that requirements of one kind share."""
    groups: dict[str, list[str]] = {}
    for verdict in verdicts:
        mutant = verdict.mutant
        worded = f" (as: {verdict.worded})" if verdict.worded else ""
        words = f"{mutant.name} ({mutant.module}:{mutant.line}): {verdict.why}{worded}"
        groups.setdefault(words, []).append(mutant.record)
    return groups


def read(file: str) -> Written:
    """Return the file of an earlier run; CommandError if it cannot be read."""
    try:
        return json_of(read_bytes(Path(file)), Written)
    except GivenFileError as error:
        raise CommandError(f"--against {file}: not an output of clconform mutate --json: {error}") from None


def _write(out: str, written: Written) -> None:
    try:
        Path(out).write_bytes(msgspec.json.format(msgspec.json.encode(written), indent=1) + b"\n")
    except OSError as error:
        raise CommandError(f"--json {out}: cannot write ({error.strerror})") from None
