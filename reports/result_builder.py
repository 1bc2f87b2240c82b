"""Combines a journal and the tables into a ``RunResult``: statuses, counts by chapter and kind, deviations."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import msgspec

from clconform.calls.deviation_keys import parse_function
from clconform.calls.journal import (
    BUDGET_SPENT,
    ERROR,
    MAX_DEVIATION_TEST_VALUES,
    NOT_MINIMISED_FURTHER,
    first_lines,
    sequence_order,
)
from clconform.reports.call_formatting import natural_sort_key
from clconform.reports.consequences import with_consequences
from clconform.reports.deviation_causes import drop_explained
from clconform.reports.error_codes import ErrorCodeCounts, count_error_codes
from clconform.reports.journal_reader import JournalContents, read_journal
from clconform.reports.lacking_resources import describe_failing_contexts, describe_lack, group_by_function
from clconform.reports.report_sections import collect_sections
from clconform.reports.requirement_text import requirement_text
from clconform.reports.result_consistency import find_contradictions
from clconform.reports.result_verdict import with_headline
from clconform.reports.run_gaps import find_gaps
from clconform.reports.run_result import (
    ID_DIGITS,
    DeviationResult,
    DeviceTested,
    InterpretationResult,
    NoteResult,
    PlatformTested,
    RequirementResult,
    ResultSummaryCounts,
    RunFacts,
    RunResult,
    StatusGroup,
    item_digest,
    key_digest,
)
from clconform.reports.status_policy import (
    COVERED_STATUSES,
    DEVIATING_STATUSES,
    SITUATION_NOT_OBSERVED,
    STATUSES,
    UNPROVED_STATUSES,
    WEAK_EVIDENCE,
    ConfirmedDeviation,
    DeviatingStatus,
    DeviationShare,
    Status,
    evaluate_deviations,
    requirement_status,
)
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Flag, Query

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Requirement

QUERY_RESULT_REASON = "a possible query result: judged with the queries that return it, not separately"
CUT_SHORT = "the run ended early, before a call tested it"
STOPPED = "the run was stopped before a call tested it"
MAX_CONTRADICTIONS = 5
"""Maximum number of contradictions that a result lists."""


def result_of(journal: Path, tables: ReportTables | None = None) -> RunResult:
    """Return the result of the journal at this path; JournalError or TablesError if a file cannot be read."""
    return assemble_result(read_journal(journal), tables or load())


def assemble_result(journal: JournalContents, tables: ReportTables) -> RunResult:
    """Return the result of ``journal``, with an entry for every requirement of ``tables``."""
    every = _all_deviations(journal)
    deviations = with_consequences(drop_explained(every), tables)
    requirements = _requirement_results(journal, tables.requirements, every, deviations)
    run = _run_facts(journal, requirements, deviations)
    result = RunResult(
        platform=_platform_tested(journal),
        run=run,
        summary=_summary(journal, requirements, tables, deviations),
        requirements=requirements,
        deviations=deviations,
        notes=[NoteResult(note.requirement, note.observed, note.call) for note in journal.notes],
        capabilities=journal.capabilities,
        interpretations=_interpretation_results(journal),
        item_digests=sorted(item_digest(item) for item, end in journal.items.items() if end.calls),
        **collect_sections(journal, requirements, tables),
    )
    return with_headline(_with_contradictions(result, journal))


def _with_contradictions(result: RunResult, journal: JournalContents) -> RunResult:
    """Return the result, whose run is incomplete if its journal contradicts itself."""
    found = list(islice(chain(find_contradictions(result), _unobserved(journal)), MAX_CONTRADICTIONS))
    if not found:
        return result
    run = msgspec.structs.replace(result.run, contradictions=found)
    return msgspec.structs.replace(result, run=msgspec.structs.replace(run, gaps=find_gaps(run)))


def _unobserved(journal: JournalContents) -> Iterator[str]:
    """Yield a text for each deviation that was repeated, although the journal does not contain its observation."""
    observed = {deviation.key for deviation in journal.deviations}
    for key, confirmation in journal.confirmations.items():
        if key not in observed and not confirmation.known:
            yield f"the deviation {key_digest(key)[:ID_DIGITS]} {confirmation.verdict}, and no item has observed it"


def listed_deviations(journal: JournalContents) -> list[DeviationResult]:
    """Return the deviations that a result lists: all except those that ``drop_explained`` drops."""
    return drop_explained(_all_deviations(journal))


def chapter_of(requirement: Requirement) -> str:
    """Return the chapter in which a requirement is counted: ``4.3`` of the main document, or an extension's name."""
    number = re.match(r"\w+(\.\w+)?(?=\.|$)", requirement.section.number)
    if number and not requirement.document.startswith("cl_"):
        return number[0]
    extensions = [gate.name for gate in requirement.applicability if gate.subject == "extension"]
    return requirement.document if requirement.document.startswith("cl_") or not extensions else extensions[0]


def _interpretation_results(journal: JournalContents) -> list[InterpretationResult]:
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for item in journal.items.values():
        for interpretation, counts in item.interpretations.items():
            seen[interpretation].update(counts)
    entries = journal.platform.interpretations if journal.platform else []
    return [
        InterpretationResult(entry.id, entry.where, entry.text, entry.reason, dict(seen[entry.id].most_common()))
        for entry in entries
    ]


def _platform_tested(journal: JournalContents) -> PlatformTested | None:
    line = journal.platform
    if line is None:
        return None
    seen = line.platform
    return PlatformTested(
        handle=seen.handle,
        name=seen.name,
        vendor=seen.vendor,
        version=seen.version,
        profile=seen.profile,
        extensions=seen.extensions,
        device=line.device,
        devices=[msgspec.convert(device, DeviceTested, from_attributes=True) for device in seen.devices],
        access=line.access,
        loader=line.loader,
        libraries=line.libraries,
        missing=line.missing,
        pointer_bytes=line.pointer_bytes,
    )


def _run_facts(
    journal: JournalContents, requirements: Sequence[RequirementResult], deviations: Sequence[DeviationResult]
) -> RunFacts:
    header, end = journal.run, journal.end
    mentioned = {requirement for item in journal.items.values() for requirement in item.evidence}
    mentioned.update(requirement for deviation in journal.deviations for requirement in deviation.requirements)
    mentioned.update(first_seen.requirement for first_seen in journal.first_seen)
    statuses: dict[str, str] = {requirement.id: requirement.status for requirement in requirements}
    outcomes, processes = group_by_function(journal), len({item.process for item in journal.items.values()})
    run = RunFacts(
        clconform=header.version,
        seed=header.seed,
        tier=header.tier,
        started=header.started,
        finished=end.finished if end else "",
        seconds=end.seconds if end else sum(item.seconds for item in journal.items.values()),
        target=header.target,
        documents=header.documents,
        tables=header.tables,
        cut_short=journal.cut_short,
        interrupted=end.interrupted if end else False,
        planned=journal.planned,
        items=len(journal.items),
        unfinished=journal.unfinished,
        calls=sum(item.calls for item in journal.items.values()),
        unknown_requirements=sorted(mentioned - statuses.keys()),
        revision=header.revision,
        shard=header.shard,
        budget_spent=_budget_spent(journal),
        driver_started=journal.platform is not None,
        not_started=journal.unreached,
        failed=sum(item.outcome == ERROR for item in journal.items.values()),
        killed=_count_killed(journal),
        device_lost=end.device_lost if end else "",
        internal_error=end.internal_error if end else False,
        unconfirmed=_count_unconfirmed(deviations),
        covered=sum(status in COVERED_STATUSES for status in statuses.values()),
        lacking_resources=describe_lack(outcomes, statuses),
        failing_contexts=describe_failing_contexts(outcomes, statuses, processes),
        unreadable_versions=journal.platform.unreadable_versions if journal.platform else [],
        throttled=end.throttled if end else "",
    )
    return msgspec.structs.replace(run, gaps=find_gaps(run))


def _count_killed(journal: JournalContents) -> int:
    """Return the number of items in which SIGKILL ended the driver's process and no crash was confirmed."""
    crashes = {line.key for line in journal.deviations}
    return len({line.item for line in journal.killed if line.key not in crashes})


def _budget_spent(journal: JournalContents) -> bool:
    return BUDGET_SPENT in journal.not_run.values()


def _all_deviations(journal: JournalContents) -> list[DeviationResult]:
    by_key: dict[str, list[Deviation]] = defaultdict(list)
    for line in journal.deviations:
        by_key[line.key].append(line)
    ids = _short_ids(by_key)
    found = [
        _deviation(ids[key], seen, journal)
        for key, seen in by_key.items()
        if not _is_replaced(key, by_key.keys(), journal.confirmations)
    ]
    return sorted(
        found, key=lambda deviation: (DEVIATING_STATUSES.index(deviation.verdict), deviation.function, deviation.key)
    )


def _is_replaced(key: str, observed: Collection[str], confirmations: Mapping[str, Confirmation]) -> bool:
    """Return whether another listed deviation replaces the deviation with this key, directly or through others.

    Deviations that replace each other in a circle are all listed: each crash has shown another one when it was
    repeated. A deviation that did not repeat does not replace one that repeats.
    """
    chain = [key]
    while (end := confirmations.get(chain[-1])) is not None and end.replaced_by in observed:
        if end.replaced_by in chain:
            return end.replaced_by != key
        chain.append(end.replaced_by)
    if len(chain) == 1:
        return False
    is_proved = confirmations[key].verdict not in UNPROVED_STATUSES
    return not (is_proved and end is not None and end.verdict in UNPROVED_STATUSES)


def _deviation(short: str, seen: Sequence[Deviation], journal: JournalContents) -> DeviationResult:
    confirmation = journal.confirmations.get(seen[0].key)
    items = {line.item for line in seen}
    first = min(first_lines(seen), key=sequence_order)
    sequence = confirmation.sequence if confirmation and confirmation.sequence else first.sequence
    verdict = (
        confirmation.verdict if confirmation else min((line.verdict for line in seen), key=DEVIATING_STATUSES.index)
    )
    return DeviationResult(
        id=short,
        key=first.key,
        function=parse_function(first.key),
        requirements=first.requirements,
        verdict=cast("DeviatingStatus", verdict),
        confidence=first.confidence,
        allowed=confirmation.allowed if confirmation and confirmation.allowed else first.allowed,
        observed=confirmation.observed if confirmation and confirmation.observed else first.observed,
        conditions=confirmation.conditions if confirmation and confirmation.conditions else first.conditions,
        sequence=sequence,
        minimised=bool(
            confirmation and confirmation.sequence and not confirmation.note.startswith(NOT_MINIMISED_FURTHER)
        ),
        repeated=confirmation.repeated if confirmation else 0,
        attempts=confirmation.attempts if confirmation else 0,
        full_history=confirmation.full_history if confirmation else False,
        item=seen[0].item,
        items=len(items),
        seen=len(seen),
        note=confirmation.note if confirmation else "not yet repeated in a new worker process",
        operands=confirmation.operands if confirmation and confirmation.sequence else first.operands,
        also_violated=list(dict.fromkeys(requirement for line in seen for requirement in line.also_violated)),
        tests=sorted({test for line in seen for test in line.tests}),
        test_values=sorted({value for line in seen for value in line.test_values})[:MAX_DEVIATION_TEST_VALUES],
        machines=sorted({journal.items[item].machine for item in items if item in journal.items} - {""}),
    )


def _short_ids(keys: Iterable[str]) -> dict[str, str]:
    """Return an id for each key: the first digits of its digest, or the whole digest if two keys share these digits."""
    digests = {key: key_digest(key) for key in keys}
    alike = Counter(digest[:ID_DIGITS] for digest in digests.values())
    return {key: digest[:ID_DIGITS] if alike[digest[:ID_DIGITS]] == 1 else digest for key, digest in digests.items()}


def _requirement_results(
    journal: JournalContents,
    requirements: Mapping[str, Requirement],
    every: Sequence[DeviationResult],
    deviations: Sequence[DeviationResult],
) -> list[RequirementResult]:
    """Return the results of all requirements.

    Each result lists the ids of all deviations that name the requirement.
    """
    blames = evaluate_deviations(
        ConfirmedDeviation(tuple(deviation.requirements), deviation.verdict, tuple(deviation.also_violated))
        for deviation in every
    )
    gathered = _JournalIndex(journal, deviations)
    blamed = {
        requirement
        for deviation in journal.deviations
        for requirement in (*deviation.requirements, *deviation.also_violated)
    }
    return [
        _requirement_result(
            requirement,
            journal,
            gathered,
            blames.get(requirement.id, []),
            has_journalled_deviation=requirement.id in blamed,
        )
        for requirement in requirements.values()
    ]


class _JournalIndex:
    """The contents of a journal, indexed by requirement."""

    def __init__(self, journal: JournalContents, deviations: Sequence[DeviationResult]) -> None:
        self.evidence: dict[str, Counter[str]] = defaultdict(Counter)
        self.boundaries: dict[str, dict[str, None]] = defaultdict(dict)
        self.observed: dict[str, dict[str, None]] = defaultdict(dict)
        self.machines: dict[str, set[str]] = defaultdict(set)
        self.deviations: dict[str, list[str]] = defaultdict(list)
        self.skipped: dict[str, str] = {}
        self.unmet: set[str] = set()
        for item in journal.items.values():
            for requirement in item.skipped_targets:
                self.skipped.setdefault(requirement, item.reason)
            self.unmet.update(item.not_covered)
            for requirement, counts in item.evidence.items():
                self.evidence[requirement].update(counts)
                if item.machine:
                    self.machines[requirement].add(item.machine)
            for requirement, test_values in item.test_values.items():
                self.boundaries[requirement].update(dict.fromkeys(test_values))
        for first_seen in journal.first_seen:
            self.observed[first_seen.requirement][first_seen.observed] = None
            if first_seen.test_value:
                self.boundaries[first_seen.requirement][first_seen.test_value] = None
        for deviation in deviations:
            for requirement in (*deviation.requirements, *deviation.also_violated):
                self.deviations[requirement].append(deviation.id)

    def untested_reason(self, requirement: Requirement) -> str:
        """Return why no call has tested a requirement, or an empty string if no item targets it.

        UNMET: the items finished, but the situation that the requirement describes did not occur. REFUSED: the query
        was not made, because its objects could not be created.
        """
        skipped = self.skipped.get(requirement.id, "")
        if requirement.id in self.unmet and not (skipped and isinstance(requirement, Query)):
            return SITUATION_NOT_OBSERVED
        if isinstance(requirement, Flag) and requirement.type in _query_result_types():
            return skipped or QUERY_RESULT_REASON
        return skipped


@functools.cache
def _query_result_types() -> frozenset[str]:
    return frozenset(requirement.type for requirement in load().requirements.values() if isinstance(requirement, Query))


def _requirement_result(
    requirement: Requirement,
    journal: JournalContents,
    gathered: _JournalIndex,
    deviations: list[DeviationShare],
    *,
    has_journalled_deviation: bool,
) -> RequirementResult:
    evidence = gathered.evidence.get(requirement.id, Counter())
    platform = journal.platform
    verdict = requirement_status(
        evidence,
        deviations,
        has_journalled_deviation=has_journalled_deviation,
        not_applicable=platform.not_applicable.get(requirement.id, "") if platform else "",
        untestable=platform.untestable.get(requirement.id, "") if platform else "",
        not_run=journal.not_run.get(requirement.id, "") or _unreached_reason(journal),
        untested_reason=gathered.untested_reason(requirement),
    )
    return RequirementResult(
        id=requirement.id,
        kind=_kind_name(requirement),
        document=requirement.document,
        section=requirement.section.number or requirement.section.title,
        status=cast("Status", verdict.status),
        calls=sum(count for kind, count in evidence.items() if kind not in WEAK_EVIDENCE),
        chapter=chapter_of(requirement),
        title=requirement.section.title,
        anchor=requirement.section.anchor,
        function=requirement.function,
        condition=requirement_text(requirement, platform.conditions.get(requirement.id, "") if platform else ""),
        reason=verdict.reason,
        evidence=dict(sorted(evidence.items())),
        test_values=list(gathered.boundaries.get(requirement.id, ())),
        observed=list(gathered.observed.get(requirement.id, ())),
        deviations=gathered.deviations.get(requirement.id, []),
        machines=sorted(gathered.machines.get(requirement.id, ())),
    )


def _unreached_reason(journal: JournalContents) -> str:
    """Return why the run may have ended before it tested a requirement; empty for a complete run."""
    if journal.cut_short:
        return CUT_SHORT
    interrupted = journal.end is not None and journal.end.interrupted
    missing = len(journal.items) < journal.planned and not _budget_spent(journal)
    return STOPPED if interrupted or missing else ""


def _kind_name(requirement: Requirement) -> str:
    return str(cast("Any", requirement).__struct_config__.tag)


def _summary(
    journal: JournalContents,
    requirements: Sequence[RequirementResult],
    tables: ReportTables,
    deviations: Sequence[DeviationResult],
) -> ResultSummaryCounts:
    titles: dict[str, str] = {}
    for requirement in tables.requirements.values():
        if not requirement.document.startswith("cl_"):
            titles.setdefault(requirement.section.number, requirement.section.title)
    for key, document in tables.documents.items():
        titles.update(document.chapters | {key: document.title})
    return _count_lists(requirements, deviations, titles, count_error_codes(journal, tables.requirements))


def _count_lists(
    requirements: Sequence[RequirementResult],
    deviations: Sequence[DeviationResult],
    titles: Mapping[str, str],
    error_codes: ErrorCodeCounts | None,
) -> ResultSummaryCounts:
    """Return the summary of these lists without a verdict; ``titles``: maps chapters to their titles."""
    return ResultSummaryCounts(
        verdict="",  # the verdict on the complete result replaces it
        requirements=len(requirements),
        statuses=_count_statuses(requirements),
        chapters=_count_groups(((requirement.chapter, requirement) for requirement in requirements), titles),
        kinds=_count_groups(((requirement.kind, requirement) for requirement in requirements), {}),
        deviations=len(deviations),
        error_codes=error_codes,
    )


def recount(result: RunResult) -> RunResult:
    """Return a result whose lists were changed, with counts and a headline that match its lists."""
    titles = {group.name: group.title for group in result.summary.chapters}
    summary = _count_lists(result.requirements, result.deviations, titles, result.summary.error_codes)
    run = msgspec.structs.replace(result.run, unconfirmed=_count_unconfirmed(result.deviations))
    run = msgspec.structs.replace(run, gaps=find_gaps(run))
    return with_headline(msgspec.structs.replace(result, summary=summary, run=run))


def _count_unconfirmed(deviations: Iterable[DeviationResult]) -> int:
    return sum(deviation.verdict == "unconfirmed" for deviation in deviations)


def _count_groups(named: Iterable[tuple[str, RequirementResult]], titles: Mapping[str, str]) -> list[StatusGroup]:
    members: dict[str, list[RequirementResult]] = defaultdict(list)
    for name, requirement in named:
        members[name].append(requirement)
    return [
        StatusGroup(
            name=name,
            title=titles.get(name, ""),
            requirements=len(members[name]),
            statuses=_count_statuses(members[name]),
        )
        for name in sorted(members, key=natural_sort_key)
    ]


def _count_statuses(requirements: Iterable[RequirementResult]) -> dict[str, int]:
    counts = Counter(requirement.status for requirement in requirements)
    return {status: counts[status] for status in STATUSES}
