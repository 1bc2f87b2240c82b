"""Decides what a result means beside a file of known deviations: the one place with this policy, without side effects.

``decide`` takes a whole result, the entries and the day, and returns a ``Gate``: findings, and the exit code that
they add up to. ``answer_to`` says what the entries say to one deviation; an item asks it too, to know whether all that
it met was expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from clconform.reports.driver_versions import numbers_of, within
from clconform.reports.escaping import visible_ascii
from clconform.reports.grouping import SUCCESS
from clconform.reports.known_deviations import patterns_without_records
from clconform.reports.result import Gate, GateFinding, digest_of
from clconform.reports.status import BAD
from clconform.runner.gate import exit_codes

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Sequence

    from clconform.reports.known_deviations import KnownDeviation
    from clconform.reports.result import DeviationResult, GateKind, RecordResult, Result

CODES: dict[GateKind, int] = {
    "new": exit_codes.DEVIATIONS,
    "worse": exit_codes.WORSE,
    "fixed": exit_codes.OUT_OF_DATE,
    "less-severe": exit_codes.OUT_OF_DATE,
    "expired": exit_codes.OUT_OF_DATE,
    "matches-nothing": exit_codes.OUT_OF_DATE,
    "known": exit_codes.AS_EXPECTED,
    "not-seen": exit_codes.AS_EXPECTED,
    "not-tested": exit_codes.AS_EXPECTED,
    "other-version": exit_codes.AS_EXPECTED,
}
"""Kind of finding to the exit code that it asks for."""

ANSWERS: dict[tuple[str, str], GateKind] = {
    ("deviates", "deviates"): "known",
    ("deviates", "crashes"): "worse",
    ("deviates", "hangs"): "worse",
    ("hangs", "deviates"): "less-severe",
    ("hangs", "crashes"): "worse",
    ("hangs", "hangs"): "known",
    ("crashes", "deviates"): "less-severe",
    ("crashes", "crashes"): "known",
    ("crashes", "hangs"): "less-severe",
    ("deviates", "flaky"): "known",
    ("hangs", "flaky"): "known",
    ("crashes", "flaky"): "known",
}
"""What an entry with the first verdict says to a deviation with the second."""

FROM_BEST: tuple[GateKind, ...] = ("known", "less-severe", "worse", "new")


class Deviating(Protocol):
    """A deviation, of a journal or of a result."""

    @property
    def key(self) -> str: ...  # noqa: D102 (the class says it)
    @property
    def records(self) -> list[str]: ...  # noqa: D102
    @property
    def verdict(self) -> str: ...  # noqa: D102
    @property
    def observed(self) -> str: ...  # noqa: D102
    @property
    def symptom(self) -> str: ...  # noqa: D102


class Answer(NamedTuple):
    """What the entries say to one deviation: ``known``, ``less-severe``, ``worse`` or ``new``, and which of them."""

    kind: GateKind
    entries: tuple[KnownDeviation, ...] = ()


def in_force(entries: Iterable[KnownDeviation], today: dt.date, driver_version: str) -> list[KnownDeviation]:
    """Return the entries that have not expired and are about this version of the driver."""
    return [entry for entry in entries if not _expired(entry, today) and _of_this_version(entry, driver_version)]


def _expired(entry: KnownDeviation, today: dt.date) -> bool:
    return entry.until is not None and today > entry.until


def _of_this_version(entry: KnownDeviation, driver_version: str) -> bool:
    return not entry.driver or within(driver_version, entry.driver)


def answer_to(deviation: Deviating, entries: Sequence[KnownDeviation]) -> Answer:
    """Return what ``entries`` say to a deviation.

    One of several records, of which each may be to blame, is expected where what is expected of the records alone
    would explain it: a success, where that is so of each; anything else, where it is so of one. An entry with the
    deviation's id is about the whole of it.
    """
    exact = [entry for entry in entries if entry.deviation]
    by_record = [_best(deviation, record, entries) for record in deviation.records]
    if len(deviation.records) == 1:
        return by_record[0]
    whole = _least([_best(deviation, record, exact) for record in deviation.records])
    if deviation.verdict == "deviates" and deviation.symptom == SUCCESS:
        kind = max((answer.kind for answer in by_record), key=FROM_BEST.index)
        concerned = dict.fromkeys(entry for answer in by_record for entry in answer.entries)
        together = Answer(kind, () if kind == "new" else tuple(concerned))
    else:
        together = _least(by_record)
    return _least([whole, together])


def _best(deviation: Deviating, record: str, entries: Iterable[KnownDeviation]) -> Answer:
    """Return the mildest that the entries say to a deviation of one record, and all entries that say so."""
    said: dict[GateKind, list[KnownDeviation]] = {}
    for entry in entries:
        if (
            entry.speaks_of(record)
            and (not entry.deviation or digest_of(deviation.key).startswith(entry.deviation))
            and (not entry.symptom or entry.symptom in (deviation.symptom, visible_ascii(deviation.symptom)))
            and (not entry.observed or entry.observed in _as_shown(deviation))
        ):
            said.setdefault(ANSWERS[entry.verdict, deviation.verdict], []).append(entry)
    return _least([*(Answer(kind, tuple(found)) for kind, found in said.items()), Answer("new")])


def _as_shown(deviation: Deviating) -> tuple[str, ...]:
    """Return what an entry may say that came back: the text that reports show, or the symptom's code."""
    texts = (deviation.observed, deviation.symptom)
    return (*texts, *map(visible_ascii, texts))


def _least(answers: Sequence[Answer]) -> Answer:
    return min(answers, key=lambda answer: FROM_BEST.index(answer.kind))


def decide(result: Result, entries: Sequence[KnownDeviation], today: dt.date, *, file: str = "") -> Gate:
    """Return what ``entries`` say to ``result`` on that day. ``file`` is where they stand.

    Without any entry every deviation that repeats is new.
    """
    version = driver_version_of(result)
    valid = in_force(entries, today, version)
    findings: list[GateFinding] = []
    met: set[KnownDeviation] = set()
    for deviation in result.deviations:
        answer = answer_to(deviation, valid)
        met.update(answer.entries)
        if answer.kind != "new" or deviation.verdict != "flaky":
            findings.append(_of_deviation(deviation, answer, entries))
    unmatched = patterns_without_records(entries, [record.id for record in result.records])
    for entry in entries:
        if entry in unmatched:
            findings.append(_of_entry("matches-nothing", entry, f"no record of the tables is {entry.record}"))
        elif _expired(entry, today):
            findings.append(_of_entry("expired", entry, f"it was accepted until {entry.until}"))
        elif entry not in valid:
            findings.append(_of_entry("other-version", entry, _about_version(entry, version)))
        elif entry not in met:
            findings.append(_unmet(entry, result))
    code = max((finding.code for finding in findings), default=exit_codes.AS_EXPECTED)
    return Gate(file, today.isoformat(), len(entries), code, findings)


def driver_version_of(result: Result) -> str:
    """Return what the device that was tested says about its driver's version."""
    platform = result.platform
    devices = platform.devices if platform else []
    return next((device.driver_version for device in devices if platform and device.handle == platform.device), "")


def _about_version(entry: KnownDeviation, version: str) -> str:
    if numbers_of(version) is None:
        return f"it is for drivers {entry.driver}, and this one tells no version"
    return f"it is for drivers {entry.driver}, not for {visible_ascii(version, limit=80)}"


def _of_deviation(deviation: DeviationResult, answer: Answer, entries: Sequence[KnownDeviation]) -> GateFinding:
    entry = answer.entries[0] if answer.entries else None
    words = {
        "known": f"{deviation.verdict}, as known",
        "worse": f"{deviation.verdict} where only this was expected: {entry.verdict if entry else ''}",
        "less-severe": f"only {deviation.verdict} where this is known: {entry.verdict if entry else ''}",
        "new": f"{deviation.verdict}, and no valid entry expects it",
    }[answer.kind]
    if answer.kind == "new":
        idle = answer_to(deviation, entries)
        words += f"; {idle.entries[0].place} would, but is not valid now" if idle.kind == "known" else ""
    return GateFinding(
        kind=answer.kind,
        code=CODES[answer.kind],
        message=words,
        record=deviation.records[0],
        deviation=deviation.id,
        entry=entry.number if entry else 0,
        line=entry.line if entry else 0,
        reason=entry.reason if entry else "",
    )


def _of_entry(kind: GateKind, entry: KnownDeviation, message: str) -> GateFinding:
    return GateFinding(
        kind=kind,
        code=CODES[kind],
        message=message,
        record=entry.record,
        deviation=entry.deviation,
        entry=entry.number,
        line=entry.line,
        reason=entry.reason,
    )


def _unmet(entry: KnownDeviation, result: Result) -> GateFinding:
    """Say what became of an entry that no deviation has met."""
    records = [record for record in result.records if entry.speaks_of(record.id)]
    if any(record.status in BAD for record in records):
        return _of_entry("not-seen", entry, "put to the test, but what deviated was something else")
    open_ones = [record for record in records if record.status in ("not-run", "inconclusive")]
    conforming = [record for record in records if record.status == "conforms"]
    run = result.run
    if run.cut_short or run.interrupted or run.items < run.planned:
        return _of_entry("not-tested", entry, "the run did not come to its end")
    if open_ones or not conforming:
        return _of_entry("not-tested", entry, _why_open(open_ones or records))
    if entry.flaky:
        return _of_entry("not-seen", entry, "put to the test and conforming this time")
    which = conforming[0].id if len(conforming) == 1 else f"{len(conforming)} records"
    return _of_entry("fixed", entry, f"put to the test and conforming: {which}")


def _why_open(records: Sequence[RecordResult]) -> str:
    first = records[0]
    others = f" (and {len(records) - 1} more)" if len(records) > 1 else ""
    return f"not put to the test: {first.id} is {first.status}{others}" + (f": {first.reason}" if first.reason else "")
