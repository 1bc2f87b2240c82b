"""Combines a journal and the tables into a ``Result``: statuses, counts by chapter and kind, deviations."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, cast

import msgspec

from clconform.calls.deviation_keys import function_in
from clconform.calls.journal import BUDGET_SPENT, FAILED
from clconform.reports.completeness import gaps_of
from clconform.reports.error_codes import error_codes_of
from clconform.reports.fact_words import in_words, topic_in_words
from clconform.reports.grouping import unexplained
from clconform.reports.image_formats import formats_of
from clconform.reports.partitions import splits_of
from clconform.reports.reading import Journal, read_journal
from clconform.reports.result import (
    Bad,
    DeviationResult,
    DeviceTested,
    Group,
    LeftOpen,
    NoteResult,
    PlatformTested,
    RecordResult,
    Result,
    Run,
    Status,
    Summary,
    digest_of,
)
from clconform.reports.status import ASKED, BAD, STATUSES, UNMET, Blame, Blamed, settle, status_of
from clconform.reports.timelines import traces_of
from clconform.reports.wording import counted, natural
from clconform.spec_tables import load
from clconform.spec_tables.records import Flag, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.reports.facts import Facts
    from clconform.spec_tables.records import Record

ONE_OF_THE_ANSWERS = "a possible query result: judged with the queries that return it, not separately"
CUT_SHORT = "the run ended early, before a call tested it"
STOPPED = "the run was stopped before a call tested it"
DIGITS = 8
"""Hex digits of a deviation's id."""


def result_of(journal: Path, tables: Facts | None = None) -> Result:
    """Return the result of the journal at that path; JournalError or TablesError if one cannot be read."""
    return assemble(read_journal(journal), tables or load())


def assemble(journal: Journal, tables: Facts) -> Result:
    """Return the result of ``journal``, with an entry for every requirement of ``tables``."""
    every = _deviations(journal)
    deviations = unexplained(every)
    records = _records(journal, tables.records, every, deviations)
    run = _run(journal, tables.records)
    return Result(
        platform=_platform(journal),
        run=run,
        summary=_summary(journal, run, records, tables, deviations),
        records=records,
        deviations=deviations,
        notes=[NoteResult(note.record, note.observed, note.call) for note in journal.notes],
        capabilities=journal.capabilities,
        traces=traces_of(journal.traces),
        partitions=splits_of(journal.partitions),
        image_formats=formats_of(journal.formats, records, tables),
        left_open=_left_open(journal),
    )


def listed(journal: Journal) -> list[DeviationResult]:
    """Return the deviations that a result lists, without deviations of several requirements that others explain."""
    return unexplained(_deviations(journal))


def chapter_of(record: Record) -> str:
    """Return the chapter in which a requirement is counted: ``4.3`` of the main document, or the extension's name."""
    number = re.match(r"\w+(\.\w+)?(?=\.|$)", record.section.number)
    if number and not record.document.startswith("cl_"):
        return number[0]
    extensions = [gate.name for gate in record.gates if gate.subject == "extension"]
    return record.document if record.document.startswith("cl_") or not extensions else extensions[0]


def _left_open(journal: Journal) -> list[LeftOpen]:
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for item in journal.items.values():
        for interpretation, counts in item.left_open.items():
            seen[interpretation].update(counts)
    entries = journal.platform.interpretations if journal.platform else []
    return [
        LeftOpen(entry.id, entry.where, entry.reading, entry.reason, dict(seen[entry.id].most_common()))
        for entry in entries
    ]


def _platform(journal: Journal) -> PlatformTested | None:
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
    )


def _run(journal: Journal, records: Mapping[str, Record]) -> Run:
    header, end = journal.run, journal.end
    mentioned = {record for item in journal.items.values() for record in item.evidence}
    mentioned.update(record for deviation in journal.deviations for record in deviation.records)
    mentioned.update(first_seen.record for first_seen in journal.first_seen)
    run = Run(
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
        unknown_records=sorted(mentioned - records.keys()),
        revision=header.revision,
        shard=header.shard,
        budget_spent=_budget_spent(journal),
        reached=journal.platform is not None,
        unreached=journal.unreached,
        failed=sum(item.outcome == FAILED for item in journal.items.values()),
        killed=_killed(journal),
    )
    return msgspec.structs.replace(run, gaps=gaps_of(run))


def _killed(journal: Journal) -> int:
    """Return the number of items in which SIGKILL ended the driver's process without a confirmed crash."""
    crashes = {line.key for line in journal.deviations}
    return len({line.item for line in journal.killed if line.key not in crashes})


def _budget_spent(journal: Journal) -> bool:
    return BUDGET_SPENT in journal.not_run.values()


def _deviations(journal: Journal) -> list[DeviationResult]:
    by_key: dict[str, list[Deviation]] = defaultdict(list)
    for line in journal.deviations:
        by_key[line.key].append(line)
    ids = _short_ids(by_key)
    found = [
        _deviation(ids[key], seen, confirmation)
        for key, seen in by_key.items()
        if (confirmation := journal.confirmations.get(key)) is None or confirmation.instead not in by_key
    ]
    return sorted(found, key=lambda deviation: (BAD.index(deviation.verdict), deviation.function, deviation.key))


def _deviation(short: str, seen: Sequence[Deviation], confirmation: Confirmation | None) -> DeviationResult:
    first = min(seen, key=lambda line: len(line.sequence))
    sequence = confirmation.sequence if confirmation and confirmation.sequence else first.sequence
    verdict = confirmation.verdict if confirmation else min((line.verdict for line in seen), key=BAD.index)
    return DeviationResult(
        id=short,
        key=first.key,
        function=function_in(first.key),
        records=first.records,
        verdict=cast("Bad", verdict),
        confidence=first.confidence,
        allowed=confirmation.allowed if confirmation and confirmation.allowed else first.allowed,
        observed=confirmation.observed if confirmation and confirmation.observed else first.observed,
        conditions=first.conditions,
        sequence=sequence,
        minimised=bool(confirmation and confirmation.sequence),
        repeated=confirmation.repeated if confirmation else 0,
        attempts=confirmation.attempts if confirmation else 0,
        full_history=confirmation.full_history if confirmation else False,
        item=seen[0].item,
        items=len({line.item for line in seen}),
        seen=len(seen),
        note=confirmation.note if confirmation else "not yet repeated in a new worker process",
        operands=confirmation.operands if confirmation and confirmation.sequence else first.operands,
        also=list(dict.fromkeys(record for line in seen for record in line.also)),
        tests=sorted({test for line in seen for test in line.tests}),
    )


def _short_ids(keys: Iterable[str]) -> dict[str, str]:
    """Return an id for each key: the first digits of its digest, or all of them if two keys share these."""
    digests = {key: digest_of(key) for key in keys}
    alike = Counter(digest[:DIGITS] for digest in digests.values())
    return {key: digest[:DIGITS] if alike[digest[:DIGITS]] == 1 else digest for key, digest in digests.items()}


def _records(
    journal: Journal,
    records: Mapping[str, Record],
    every: Sequence[DeviationResult],
    deviations: Sequence[DeviationResult],
) -> list[RecordResult]:
    """Return the results of all requirements, with the ids of the deviations that others do not explain."""
    blames = settle(Blamed(tuple(deviation.records), deviation.verdict, tuple(deviation.also)) for deviation in every)
    gathered = _Gathered(journal, deviations)
    blamed = {record for deviation in journal.deviations for record in (*deviation.records, *deviation.also)}
    return [
        _record(record, journal, gathered, blames.get(record.id, []), blamed_before=record.id in blamed)
        for record in records.values()
    ]


class _Gathered:
    """The contents of a journal, by requirement."""

    def __init__(self, journal: Journal, deviations: Sequence[DeviationResult]) -> None:
        self.evidence: dict[str, Counter[str]] = defaultdict(Counter)
        self.boundaries: dict[str, dict[str, None]] = defaultdict(dict)
        self.observed: dict[str, dict[str, None]] = defaultdict(dict)
        self.deviations: dict[str, list[str]] = defaultdict(list)
        self.skipped: dict[str, str] = {}
        self.unmet: set[str] = set()
        for item in journal.items.values():
            for record in item.missed:
                self.skipped.setdefault(record, item.reason)
            self.unmet.update(item.unmet)
            for record, counts in item.evidence.items():
                self.evidence[record].update(counts)
            for record, boundaries in item.boundaries.items():
                self.boundaries[record].update(dict.fromkeys(boundaries))
        for first_seen in journal.first_seen:
            self.observed[first_seen.record][first_seen.observed] = None
            if first_seen.boundary:
                self.boundaries[first_seen.record][first_seen.boundary] = None
        for deviation in deviations:
            for record in (*deviation.records, *deviation.also):
                self.deviations[record].append(deviation.id)

    def untried(self, record: Record) -> str:
        """Return why no call has tested a requirement, or an empty string if no item targets it.

        UNMET: the items finished, but the described situation did not occur. REFUSED: the query was not made because
        its objects could not be created.
        """
        skipped = self.skipped.get(record.id, "")
        if record.id in self.unmet and not (skipped and isinstance(record, Query)):
            return UNMET
        if isinstance(record, Flag) and record.type in _types_of_answers():
            return skipped or ONE_OF_THE_ANSWERS
        return skipped


@functools.cache
def _types_of_answers() -> frozenset[str]:
    return frozenset(record.type for record in load().records.values() if isinstance(record, Query))


def _record(
    record: Record, journal: Journal, gathered: _Gathered, blames: list[Blame], *, blamed_before: bool
) -> RecordResult:
    evidence = gathered.evidence.get(record.id, Counter())
    platform = journal.platform
    verdict = status_of(
        evidence,
        blames,
        blamed_before=blamed_before,
        gate=platform.not_applicable.get(record.id, "") if platform else "",
        untestable=platform.untestable.get(record.id, "") if platform else "",
        not_run=journal.not_run.get(record.id, "") or _unreached(journal),
        untried=gathered.untried(record),
    )
    return RecordResult(
        id=record.id,
        kind=_kind(record),
        document=record.document,
        section=record.section.number or record.section.title,
        status=cast("Status", verdict.status),
        calls=sum(count for kind, count in evidence.items() if kind not in ("weak", "refused")),
        chapter=chapter_of(record),
        title=record.section.title,
        anchor=record.section.anchor,
        function=record.function,
        condition=in_words(record, platform.conditions.get(record.id, "") if platform else "")
        or topic_in_words(record),
        reason=verdict.reason,
        evidence=dict(sorted(evidence.items())),
        boundaries=list(gathered.boundaries.get(record.id, ())),
        observed=list(gathered.observed.get(record.id, ())),
        deviations=gathered.deviations.get(record.id, []),
    )


def _unreached(journal: Journal) -> str:
    """Return why a requirement without evidence may not have been reached; empty for a complete run."""
    if journal.cut_short:
        return CUT_SHORT
    interrupted = journal.end is not None and journal.end.interrupted
    missing = len(journal.items) < journal.planned and not _budget_spent(journal)
    return STOPPED if interrupted or missing else ""


def _kind(record: Record) -> str:
    return str(cast("Any", record).__struct_config__.tag)


def _summary(
    journal: Journal, run: Run, records: Sequence[RecordResult], tables: Facts, deviations: Sequence[DeviationResult]
) -> Summary:
    titles: dict[str, str] = {}
    for record in tables.records.values():
        if not record.document.startswith("cl_"):
            titles.setdefault(record.section.number, record.section.title)
    for key, document in tables.documents.items():
        titles.update(document.chapters | {key: document.title})
    return Summary(
        verdict=_verdict(journal, run, records, deviations),
        records=len(records),
        statuses=_count(records),
        chapters=_groups(((record.chapter, record) for record in records), titles),
        kinds=_groups(((record.kind, record) for record in records), {}),
        deviations=len(deviations),
        error_codes=error_codes_of(journal, tables.records),
    )


def _groups(named: Iterable[tuple[str, RecordResult]], titles: Mapping[str, str]) -> list[Group]:
    members: dict[str, list[RecordResult]] = defaultdict(list)
    for name, record in named:
        members[name].append(record)
    return [
        Group(name=name, title=titles.get(name, ""), records=len(members[name]), statuses=_count(members[name]))
        for name in sorted(members, key=natural)
    ]


def _count(records: Iterable[RecordResult]) -> dict[str, int]:
    counts = Counter(record.status for record in records)
    return {status: counts[status] for status in cast("Sequence[Status]", STATUSES)}


def _verdict(journal: Journal, run: Run, records: Sequence[RecordResult], deviations: Sequence[DeviationResult]) -> str:
    asked = sum(record.status in ASKED for record in records)
    applicable = sum(record.status not in {"not-applicable", "untestable"} for record in records)
    told = counted(deviation.verdict for deviation in deviations) or ("No deviation" if asked else "Nothing was tested")
    line = f"{told} · {asked} of {applicable} applicable requirements tested"
    if _budget_spent(journal):
        line += f" · the time budget ran out after {len(journal.items)} of {journal.planned} items"
    if run.gaps:
        line += f" · the run is incomplete: {'; '.join(run.gaps)}"
    return line
