"""Decides the verdict on a result by its known deviations. This module contains the whole policy, without side effects.

``decide_gate`` takes a result, the entries and the date, and returns a ``GateResult``: findings and the exit code that
follows from them. ``match_entries`` checks one deviation against the entries. At the end of each item, the run also
uses ``match_entries`` to check whether all deviations of the item are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls import exit_codes
from clconform.calls.deviation_keys import build_key, parse_function
from clconform.reports.deviation_causes import SUCCESS
from clconform.reports.deviation_values import find_unnamed_values, list_values
from clconform.reports.driver_versions import is_in_range, tested_driver_version
from clconform.reports.escaping import escape_non_ascii
from clconform.reports.id_patterns import IdIndex
from clconform.reports.known_deviations import KnownDeviationIndex, observed_verdict
from clconform.reports.result_verdict import KINDS, code_of_finding, verdict_of
from clconform.reports.run_gaps import is_complete
from clconform.reports.run_result import GateFinding, GateResult, key_digest
from clconform.reports.status_policy import DEVIATING_STATUSES, UNPROVED_STATUSES
from clconform.runner.pytest_plugin.tiers import SMOKE
from clconform.spec_tables.versions import version_numbers

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Sequence

    from clconform.reports.known_deviations import DeviationObservation, KnownDeviation
    from clconform.reports.run_result import DeviationResult, GateKind, RequirementResult, RunResult

CODES: dict[GateKind, int] = {kind: code_of_finding(kind) for kind in KINDS}
"""Maps each kind of finding to its exit code."""

KINDS_BY_VERDICTS: dict[tuple[str, str], GateKind] = {
    ("deviates", "deviates"): "known",
    ("deviates", "crashes"): "worse",
    ("deviates", "hangs"): "worse",
    ("hangs", "deviates"): "less-severe",
    ("hangs", "crashes"): "worse",
    ("hangs", "hangs"): "known",
    ("crashes", "deviates"): "less-severe",
    ("crashes", "crashes"): "known",
    ("crashes", "hangs"): "less-severe",
    ("deviates", "unconfirmed"): "known",
    ("hangs", "unconfirmed"): "known",
    ("crashes", "unconfirmed"): "known",
    ("deviates", "flaky"): "known",
    ("hangs", "flaky"): "known",
    ("crashes", "flaky"): "known",
}
"""Maps the verdict of an entry and the verdict of a deviation to the kind of finding."""

SMOKE_TEST_MESSAGE = (
    "tested and conforming in a smoke test, which makes fewer calls; a run of another tier shows if it is fixed"
)
"""Message for an entry without a deviation in a smoke test, whose few calls do not show that the deviation is fixed."""
KINDS_BY_SEVERITY: tuple[GateKind, ...] = ("known", "less-severe", "elsewhere", "worse", "new")
MAX_TESTS = 3
"""Maximum number of tests that one finding lists."""


class EntryMatch(NamedTuple):
    """The kind of finding on one deviation, one of ``KINDS_BY_SEVERITY``, and the entries from which it follows."""

    kind: GateKind
    entries: tuple[KnownDeviation, ...] = ()


def select_in_force(entries: Iterable[KnownDeviation], today: dt.date, driver_version: str) -> list[KnownDeviation]:
    """Return the entries that have not expired and apply to this driver version."""
    return [entry for entry in entries if not _is_expired(entry, today) and _applies_to_version(entry, driver_version)]


def _is_expired(entry: KnownDeviation, today: dt.date) -> bool:
    return entry.until is not None and today > entry.until


def _applies_to_version(entry: KnownDeviation, driver_version: str) -> bool:
    return not entry.driver or is_in_range(driver_version, entry.driver)


def match_entries(deviation: DeviationObservation, entries: KnownDeviationIndex) -> EntryMatch:
    """Return the kind of finding that follows from ``entries`` for a deviation.

    A deviation of several requirements means that at least one of them is violated. It is known if entries for the
    single requirements explain it: an unexpected success needs entries for all requirements, any other deviation needs
    one entry. An entry with a deviation's id matches in two cases: the id is that of the deviation, or it is the id
    that the deviation would have with only the entry's requirement.
    """
    by_record = [
        _mildest_match(deviation, entries.entries_for(each, _single_requirement_id(deviation, each)))
        for each in deviation.requirements
    ]
    if len(deviation.requirements) == 1:
        return by_record[0]
    exact = (
        [entry for entry in entries.entries_for(requirement, key_digest(deviation.key)) if entry.deviation]
        for requirement in deviation.requirements
    )
    whole = _mildest([_mildest_match(deviation, of_record) for of_record in exact])
    if deviation.verdict == "deviates" and deviation.symptom == SUCCESS:
        kind = max((answer.kind for answer in by_record), key=KINDS_BY_SEVERITY.index)
        concerned = dict.fromkeys(entry for answer in by_record for entry in answer.entries)
        together = EntryMatch(kind, () if kind == "new" else tuple(concerned))
    else:
        together = _mildest(by_record)
    return _mildest([whole, together])


def _single_requirement_id(deviation: DeviationObservation, requirement: str) -> str:
    """Return the full id that the deviation would have if only this requirement were violated."""
    return key_digest(build_key(parse_function(deviation.key), [requirement], deviation.symptom))


def _mildest_match(deviation: DeviationObservation, entries: Iterable[KnownDeviation]) -> EntryMatch:
    """Return the mildest kind of finding that an entry gives for a deviation, with all entries that give this kind.

    ``entries``: the entries for one requirement and this deviation.
    """
    said: dict[GateKind, list[KnownDeviation]] = {}
    for entry in entries:
        if (
            entry.accepts_symptom(deviation)
            and (not entry.observed or entry.observed in _comparable_texts(deviation))
            and not _was_worse(deviation, entry)
        ):
            said.setdefault(KINDS_BY_VERDICTS[entry.verdict, deviation.verdict], []).append(entry)
    known = said.pop("known", [])
    if known and not _unnamed_places(deviation, known):
        return EntryMatch("known", tuple(known))
    placed = [*known, *said.pop("less-severe", [])]
    if placed:
        said["elsewhere" if _unnamed_places(deviation, placed) else "less-severe"] = placed
    return _mildest([*(EntryMatch(kind, tuple(found)) for kind, found in said.items()), EntryMatch("new")])


def _was_worse(deviation: DeviationObservation, entry: KnownDeviation) -> bool:
    """Return whether a deviation that did not repeat was more severe than an entry when it was observed."""
    return (
        deviation.verdict in UNPROVED_STATUSES
        and KINDS_BY_VERDICTS[entry.verdict, observed_verdict(deviation)] == "worse"
    )


def _unnamed_places(deviation: DeviationObservation, entries: Iterable[KnownDeviation]) -> str:
    """Return, as text, the tests and test values of a deviation that no accepting entry names."""
    entries = list(entries)
    tests, values = _unnamed_tests(deviation, entries), _unnamed_values(deviation, entries)
    return "; ".join(
        f"{title}: {listed}"
        for title, listed in (("in other tests", _list_tests(tests)), ("at other test values", list_values(values)))
        if listed
    )


def _unnamed_values(deviation: DeviationObservation, entries: Iterable[KnownDeviation]) -> list[str]:
    """Return the test values of a deviation that no accepting entry names, as for ``_unnamed_tests``."""
    named = [entry.test_values for entry in entries]
    if deviation.verdict in UNPROVED_STATUSES or not named or not all(named):
        return []
    every = frozenset(value for values in named for value in values)
    return find_unnamed_values(deviation.test_values, every, several=len(deviation.requirements) > 1)


def _unnamed_tests(deviation: DeviationObservation, entries: Iterable[KnownDeviation]) -> list[str]:
    """Return the tests with the deviation that no accepting entry names.

    Empty if one of the entries names no tests, because such an entry accepts the deviation in all tests. Empty also if
    the deviation did not repeat.
    """
    named = [entry.tests for entry in entries]
    if deviation.verdict in UNPROVED_STATUSES or not all(named):
        return []
    return sorted(set(deviation.tests).difference(*named)) if named else []


def _comparable_texts(deviation: DeviationObservation) -> tuple[str, ...]:
    """Return the texts that an entry's ``observed`` may equal: the observed text and the symptom code, also escaped."""
    texts = (deviation.observed, deviation.symptom)
    return (*texts, *map(escape_non_ascii, texts))


def _mildest(answers: Sequence[EntryMatch]) -> EntryMatch:
    return min(answers, key=lambda answer: KINDS_BY_SEVERITY.index(answer.kind))


def decide_gate(result: RunResult, entries: Sequence[KnownDeviation], today: dt.date, *, file: str = "") -> GateResult:
    """Return the verdict on ``result`` on the date ``today``, by ``entries`` from ``file``.

    Without entries, every deviation that repeats is new, and every other deviation is flaky or unconfirmed. A run that
    is incomplete, or has unconfirmed deviations, never conforms: its exit code is INCOMPLETE unless a finding has a
    code with higher precedence.
    """
    version = tested_driver_version(result)
    every, valid = KnownDeviationIndex(entries), KnownDeviationIndex(select_in_force(entries, today, version))
    in_time = {id(entry) for entry in valid.every}
    findings: list[GateFinding] = []
    met: set[int] = set()
    for deviation in result.deviations:
        answer = match_entries(deviation, valid)
        met.update(map(id, answer.entries))
        if answer.kind != "new" or deviation.verdict != "unconfirmed":
            findings.append(_deviation_finding(deviation, answer, every))
    requirements = {requirement.id: requirement for requirement in result.requirements}
    ids = IdIndex(requirements)
    for entry in entries:
        about = ids.find_matching(entry.requirement)
        if not about:
            findings.append(_entry_finding("matches-nothing", entry, _describe_no_match(entry, result)))
        elif _is_expired(entry, today):
            findings.append(_entry_finding("expired", entry, f"accepted until {entry.until}"))
        elif id(entry) not in in_time:
            findings.append(_entry_finding("other-version", entry, _describe_version(entry, version)))
        elif id(entry) not in met:
            findings.append(_unmatched_finding(entry, [requirements[each] for each in about], result))
    gate = GateResult(file, today.isoformat(), len(entries), exit_codes.AS_EXPECTED, findings)
    verdict = verdict_of(msgspec.structs.replace(result, gate=gate))
    return msgspec.structs.replace(gate, exit_code=verdict.exit_code, incomplete=list(verdict.losses))


def _describe_no_match(entry: KnownDeviation, result: RunResult) -> str:
    revision = result.run.documents.get("OpenCL", "")
    return f"no requirement matches {entry.requirement}" + (f" in the tables of OpenCL {revision}" if revision else "")


def _describe_version(entry: KnownDeviation, version: str) -> str:
    if version_numbers(version) is None:
        return f"applies to drivers {entry.driver}; this driver reports no version"
    return f"applies to drivers {entry.driver}, not to {escape_non_ascii(version, limit=80)}"


def _deviation_finding(deviation: DeviationResult, answer: EntryMatch, entries: KnownDeviationIndex) -> GateFinding:
    entry = answer.entries[0] if answer.entries else None
    kind: GateKind = "flaky" if answer.kind == "new" and deviation.verdict == "flaky" else answer.kind
    others = _unnamed_places(deviation, answer.entries) if answer.kind == "elsewhere" else ""
    words = {
        "known": f"{deviation.verdict}, as known",
        "elsewhere": f"{deviation.verdict}, not only as known" + (f": {others}" if others else ""),
        "worse": f"{deviation.verdict}; the known deviation is only: {entry.verdict if entry else ''}",
        "less-severe": f"only {deviation.verdict}; the known deviation is: {entry.verdict if entry else ''}",
        "new": f"{deviation.verdict}, no valid entry matches",
        "flaky": "did not repeat, no valid entry matches",
    }[kind]
    if answer.kind == "new":
        idle = match_entries(deviation, entries)
        words += f"; {idle.entries[0].position} would match, but is not valid now" if idle.kind == "known" else ""
        pattern = _find_pattern_of_other_symptoms(deviation, entries)
        words += f"; {pattern.position} is a pattern, and does not name this symptom" if pattern else ""
    return GateFinding(
        kind=kind,
        code=CODES[kind],
        message=words,
        requirement=deviation.requirements[0],
        deviation=deviation.id,
        entry=entry.number if entry else 0,
        line=entry.line if entry else 0,
        reason=entry.reason if entry else "",
    )


def _find_pattern_of_other_symptoms(deviation: DeviationResult, entries: KnownDeviationIndex) -> KnownDeviation | None:
    """Return the first entry with a pattern that would match a deviation if the entry named its symptom.

    Entries with the id of a deviation accept every symptom.
    """
    about = (entry for requirement in deviation.requirements for entry in entries.entries_for(requirement))
    return next((entry for entry in about if not entry.symptom and not entry.accepts_symptom(deviation)), None)


def _list_tests(tests: Sequence[str]) -> str:
    more = len(tests) - MAX_TESTS
    return ", ".join(tests[:MAX_TESTS]) + (f" and {more} more" if more > 0 else "")


def _entry_finding(kind: GateKind, entry: KnownDeviation, message: str) -> GateFinding:
    return GateFinding(
        kind=kind,
        code=CODES[kind],
        message=message,
        requirement=entry.requirement,
        deviation=entry.deviation,
        entry=entry.number,
        line=entry.line,
        reason=entry.reason,
    )


def _unmatched_finding(
    entry: KnownDeviation, requirements: Sequence[RequirementResult], result: RunResult
) -> GateFinding:
    """Return the finding for an entry that does not match any deviation.

    ``requirements``: the requirements that the entry matches.
    """
    if any(requirement.status in DEVIATING_STATUSES for requirement in requirements):
        return _entry_finding("not-seen", entry, "tested, but with a different deviation")
    open_ones = [requirement for requirement in requirements if requirement.status in ("not-run", "inconclusive")]
    conforming = [requirement for requirement in requirements if requirement.status == "conforms"]
    run = result.run
    if not is_complete(run):
        return _entry_finding("not-tested", entry, "the run is incomplete")
    if open_ones or not conforming:
        return _entry_finding("not-tested", entry, _describe_untested(open_ones or requirements))
    if entry.flaky:
        return _entry_finding("not-seen", entry, "tested and conforming this time")
    if run.tier == SMOKE:
        return _entry_finding("not-seen", entry, SMOKE_TEST_MESSAGE)
    which = conforming[0].id if len(conforming) == 1 else f"{len(conforming)} requirements"
    return _entry_finding("fixed", entry, f"tested and conforming: {which}")


def _describe_untested(requirements: Sequence[RequirementResult]) -> str:
    first = requirements[0]
    others = f" (and {len(requirements) - 1} more)" if len(requirements) > 1 else ""
    return f"not tested: {first.id} is {first.status}{others}" + (f": {first.reason}" if first.reason else "")
