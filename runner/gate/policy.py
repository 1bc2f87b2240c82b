"""Decides the verdict on a result by its known deviations; the policy is only here, without side effects.

``decide`` takes a whole result, the entries and the date, and returns a ``Gate``: findings and the resulting exit code.
``answer_to`` checks one deviation against the entries; items also use it to check whether all their deviations are
known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from clconform.calls.deviation_keys import function_in, key_of
from clconform.reports.completeness import gaps_of, is_whole
from clconform.reports.driver_versions import numbers_of, version_tested, within
from clconform.reports.escaping import visible_ascii
from clconform.reports.grouping import SUCCESS
from clconform.reports.id_patterns import Ids
from clconform.reports.known_deviations import Entries
from clconform.reports.result import Gate, GateFinding, digest_of
from clconform.reports.status import BAD
from clconform.runner.gate import exit_codes
from clconform.runner.pytest_plugin.tiers import SMOKE

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Sequence

    from clconform.reports.known_deviations import KnownDeviation
    from clconform.reports.result import DeviationResult, GateKind, RecordResult, Result

CODES: dict[GateKind, int] = {
    "new": exit_codes.DEVIATIONS,
    "elsewhere": exit_codes.DEVIATIONS,
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
"""Maps each kind of finding to its exit code."""

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
"""Maps an entry's verdict and a deviation's verdict to the kind of finding."""

IN_A_SMOKE_TEST = (
    "tested and conforming in a smoke test, which makes fewer calls; a run of another tier shows if it is fixed"
)
"""Message for an entry without a deviation in a smoke test, which makes too few calls to call anything fixed."""
FROM_BEST: tuple[GateKind, ...] = ("known", "less-severe", "elsewhere", "worse", "new")
MOST_TESTS = 3
"""Maximum number of tests that a finding names."""


class Deviating(Protocol):
    """A deviation of a journal or of a result."""

    @property
    def key(self) -> str: ...  # noqa: D102 (documented by the class)
    @property
    def records(self) -> list[str]: ...  # noqa: D102
    @property
    def verdict(self) -> str: ...  # noqa: D102
    @property
    def observed(self) -> str: ...  # noqa: D102
    @property
    def symptom(self) -> str: ...  # noqa: D102
    @property
    def tests(self) -> list[str]: ...  # noqa: D102


class Answer(NamedTuple):
    """The kind of finding on one deviation, one of ``FROM_BEST``, and the entries that lead to it."""

    kind: GateKind
    entries: tuple[KnownDeviation, ...] = ()


def in_force(entries: Iterable[KnownDeviation], today: dt.date, driver_version: str) -> list[KnownDeviation]:
    """Return the entries that have not expired and apply to this driver version."""
    return [entry for entry in entries if not _expired(entry, today) and _of_this_version(entry, driver_version)]


def _expired(entry: KnownDeviation, today: dt.date) -> bool:
    return entry.until is not None and today > entry.until


def _of_this_version(entry: KnownDeviation, driver_version: str) -> bool:
    return not entry.driver or within(driver_version, entry.driver)


def answer_to(deviation: Deviating, entries: Entries) -> Answer:
    """Return the finding of ``entries`` on a deviation.

    A deviation of several requirements, any of which may be violated, is known if entries for the single requirements
    explain it: an unexpected success needs entries for all of them, other deviations need one. An entry with an id
    matches the deviation of its requirement alone, or the whole deviation if the id is that of the deviation.
    """
    by_record = [_best(deviation, entries.about(each), _id_alone(deviation, each)) for each in deviation.records]
    if len(deviation.records) == 1:
        return by_record[0]
    exact = ([entry for entry in entries.about(record) if entry.deviation] for record in deviation.records)
    whole = _least([_best(deviation, of_record, digest_of(deviation.key)) for of_record in exact])
    if deviation.verdict == "deviates" and deviation.symptom == SUCCESS:
        kind = max((answer.kind for answer in by_record), key=FROM_BEST.index)
        concerned = dict.fromkeys(entry for answer in by_record for entry in answer.entries)
        together = Answer(kind, () if kind == "new" else tuple(concerned))
    else:
        together = _least(by_record)
    return _least([whole, together])


def _id_alone(deviation: Deviating, record: str) -> str:
    """Return the full id that the deviation would have if it violated only this requirement."""
    return digest_of(key_of(function_in(deviation.key), [record], deviation.symptom))


def _best(deviation: Deviating, entries: Iterable[KnownDeviation], id_: str) -> Answer:
    """Return the mildest finding on a deviation by the entries for one requirement, and all entries with that finding.

    ``id_``: the full id; an entry that names an id must name a prefix of it.
    """
    said: dict[GateKind, list[KnownDeviation]] = {}
    for entry in entries:
        if (
            (not entry.deviation or id_.startswith(entry.deviation))
            and (not entry.symptom or entry.symptom in (deviation.symptom, visible_ascii(deviation.symptom)))
            and (not entry.observed or entry.observed in _as_shown(deviation))
        ):
            said.setdefault(ANSWERS[entry.verdict, deviation.verdict], []).append(entry)
    if _in_other_tests(deviation, said.get("known", ())):
        said["elsewhere"] = said.pop("known")
    return _least([*(Answer(kind, tuple(found)) for kind, found in said.items()), Answer("new")])


def _in_other_tests(deviation: Deviating, entries: Iterable[KnownDeviation]) -> list[str]:
    """Return the tests with the deviation that the accepting entries do not name.

    Empty if an entry does not name tests, because it accepts the deviation in all tests, or if the deviation is flaky.
    """
    named = [entry.tests for entry in entries]
    if deviation.verdict == "flaky" or not all(named):
        return []
    return sorted(set(deviation.tests).difference(*named)) if named else []


def _as_shown(deviation: Deviating) -> tuple[str, ...]:
    """Return the texts with which an entry's ``observed`` is compared: the text in reports and the symptom code."""
    texts = (deviation.observed, deviation.symptom)
    return (*texts, *map(visible_ascii, texts))


def _least(answers: Sequence[Answer]) -> Answer:
    return min(answers, key=lambda answer: FROM_BEST.index(answer.kind))


def decide(result: Result, entries: Sequence[KnownDeviation], today: dt.date, *, file: str = "") -> Gate:
    """Return the verdict of ``entries``, read from ``file``, on ``result`` on that date.

    Without entries, every deviation that repeats is new. An incomplete run never conforms: its exit code is INCOMPLETE
    unless a finding has a code with higher precedence.
    """
    version = version_tested(result)
    every, valid = Entries(entries), Entries(in_force(entries, today, version))
    in_time = {id(entry) for entry in valid.every}
    findings: list[GateFinding] = []
    met: set[int] = set()
    for deviation in result.deviations:
        answer = answer_to(deviation, valid)
        met.update(map(id, answer.entries))
        if answer.kind != "new" or deviation.verdict != "flaky":
            findings.append(_of_deviation(deviation, answer, every))
    records = {record.id: record for record in result.records}
    ids = Ids(records)
    for entry in entries:
        about = ids.matching(entry.record)
        if not about:
            findings.append(_of_entry("matches-nothing", entry, _about_nothing(entry, result)))
        elif _expired(entry, today):
            findings.append(_of_entry("expired", entry, f"accepted until {entry.until}"))
        elif id(entry) not in in_time:
            findings.append(_of_entry("other-version", entry, _about_version(entry, version)))
        elif id(entry) not in met:
            findings.append(_unmet(entry, [records[each] for each in about], result))
    gaps = gaps_of(result.run)
    code = exit_codes.deciding([*(finding.code for finding in findings), *((exit_codes.INCOMPLETE,) if gaps else ())])
    return Gate(file, today.isoformat(), len(entries), code, findings, gaps)


def _about_nothing(entry: KnownDeviation, result: Result) -> str:
    revision = result.run.documents.get("OpenCL", "")
    return f"no requirement matches {entry.record}" + (f" in the tables of OpenCL {revision}" if revision else "")


def _about_version(entry: KnownDeviation, version: str) -> str:
    if numbers_of(version) is None:
        return f"applies to drivers {entry.driver}; this driver reports no version"
    return f"applies to drivers {entry.driver}, not to {visible_ascii(version, limit=80)}"


def _of_deviation(deviation: DeviationResult, answer: Answer, entries: Entries) -> GateFinding:
    entry = answer.entries[0] if answer.entries else None
    others = _some(_in_other_tests(deviation, answer.entries)) if answer.kind == "elsewhere" else ""
    words = {
        "known": f"{deviation.verdict}, as known",
        "elsewhere": f"{deviation.verdict} in other tests than known: {others}",
        "worse": f"{deviation.verdict}; the known deviation is only: {entry.verdict if entry else ''}",
        "less-severe": f"only {deviation.verdict}; the known deviation is: {entry.verdict if entry else ''}",
        "new": f"{deviation.verdict}, no valid entry matches",
    }[answer.kind]
    if answer.kind == "new":
        idle = answer_to(deviation, entries)
        words += f"; {idle.entries[0].place} would match, but is not valid now" if idle.kind == "known" else ""
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


def _some(tests: Sequence[str]) -> str:
    more = len(tests) - MOST_TESTS
    return ", ".join(tests[:MOST_TESTS]) + (f" and {more} more" if more > 0 else "")


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


def _unmet(entry: KnownDeviation, records: Sequence[RecordResult], result: Result) -> GateFinding:
    """Return the finding for an entry that does not match any deviation. ``records``: the requirements it matches."""
    if any(record.status in BAD for record in records):
        return _of_entry("not-seen", entry, "tested, but with a different deviation")
    open_ones = [record for record in records if record.status in ("not-run", "inconclusive")]
    conforming = [record for record in records if record.status == "conforms"]
    run = result.run
    if not is_whole(run):
        return _of_entry("not-tested", entry, "the run is incomplete")
    if open_ones or not conforming:
        return _of_entry("not-tested", entry, _why_open(open_ones or records))
    if entry.flaky:
        return _of_entry("not-seen", entry, "tested and conforming this time")
    if run.tier == SMOKE:
        return _of_entry("not-seen", entry, IN_A_SMOKE_TEST)
    which = conforming[0].id if len(conforming) == 1 else f"{len(conforming)} requirements"
    return _of_entry("fixed", entry, f"tested and conforming: {which}")


def _why_open(records: Sequence[RecordResult]) -> str:
    first = records[0]
    others = f" (and {len(records) - 1} more)" if len(records) > 1 else ""
    return f"not tested: {first.id} is {first.status}{others}" + (f": {first.reason}" if first.reason else "")
