"""Records the results of an item: the requirements that its calls exercise, observations and deviations."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.call import Absent
from clconform.calls.deviation_keys import key_of
from clconform.calls.journal import (
    Deviation,
    FirstSeen,
    FormatLine,
    ItemEnd,
    Killed,
    Note,
    PartitionLine,
    Selection,
    TraceLine,
)
from clconform.runner.journal.formats import Formats
from clconform.runner.journal.partitions import Partitions
from clconform.runner.session.observer import Observer
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.calls.traces import Trace
    from clconform.oracles.chapters.linked.judging import Reading
    from clconform.oracles.engine.judgements import Blame, Expectation, Judgement
    from clconform.runner.journal.every_call import EveryCall
    from clconform.runner.journal.writer import JournalWriter


def as_deviation(item: str, key: str, blame: Blame, steps: list[Step], *, while_confirming: bool = False) -> Deviation:
    """Return the journal line for a deviation, with the calls that lead to it."""
    return Deviation(
        item=item,
        key=key,
        records=list(blame.records),
        verdict=blame.verdict,
        confidence=blame.confidence,
        allowed=list(blame.allowed),
        observed=blame.observed,
        conditions=dict(blame.conditions),
        operands={record: dict(values) for record, values in blame.operands.items()},
        sequence=list(steps),
        while_confirming=while_confirming,
        undecided=blame.undecided,
        also=list(blame.also),
    )


SEEN_AT_MOST = 20
"""Maximum number of test values that an item stores for each requirement."""


def deviation_key(function: str, blame: Blame) -> str:
    """Return the key that identifies equal deviations, from function, requirements and symptom code.

    ``function``: of the call in which the deviation is seen; the deviation may be attributed to another function. The
    id of a deviation is a digest of its key, so the form of keys must never change.
    """
    return key_of(blame.function or function, blame.records, blame.symptom.code)


def deciding_interpretations(expectation: Expectation) -> set[str]:
    """Return the interpretations that determine the allowed results; none if a requirement does so literally."""
    if not expectation.musts and not expectation.mays:
        return set()
    if not all(held.interpretation for held in expectation.musts):
        return set()
    return {held.interpretation for held in (*expectation.musts, *expectation.mays) if held.interpretation}


class Recorder(Observer):
    """Observes a session for one pytest item at a time, and writes the item's lines to the journal, if there is one.

    ``every_call``: also stores all calls. A call that ended the driver's process before the first item, during the
    opening of the session, counts for the first item.
    """

    def __init__(self, journal: JournalWriter | None, every_call: EveryCall | None = None) -> None:
        self.journal = journal
        self.every_call = every_call
        self.keys: set[str] = set()
        self._absent: set[str] = set()
        self._advised: set[tuple[str, str]] = set()
        self._formats = Formats()
        self._accepted: dict[str, None] = {}
        self._accepted_before: list[str] = []
        self._reset("")

    def _reset(self, item: str, *, drawn: bool = False) -> None:
        self.item, self._drawn = item, drawn
        # incrementing a Counter is several times slower
        self.evidence: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.boundaries: dict[str, list[str]] = defaultdict(list)
        self.deviations: dict[str, Deviation] = {}
        self.left_open: dict[str, Counter[str]] = defaultdict(Counter)
        self.calls = 0
        self._sighted: set[tuple[str, tuple[str, ...], str, str]] = set()
        self._kills: dict[str, Killed] = {}
        self._trace_kept = False
        self._partitions = Partitions()
        self._formats.begin()

    def begin(self, item: str, *, drawn: bool = False) -> None:
        """Start recording an item; ``drawn``: its calls are random."""
        lost = [] if self.item else [line for line in self.deviations.values() if line.verdict != "deviates"]
        killed = [] if self.item else list(self._kills.values())
        self._reset(item, drawn=drawn)
        self.deviations = {line.key: replace(line, item=item) for line in lost}
        self._kills = {line.key: replace(line, item=item) for line in killed}
        self._write(*self.deviations.values(), *self._kills.values())

    def started(self) -> None:
        """Forget the calls that an earlier process of the driver has wrongly accepted."""
        self._accepted, self._accepted_before = {}, []

    def began(self) -> None:
        """Count an example."""
        self._accepted_before = list(self._accepted)
        if self.every_call is not None:
            self.every_call.began()

    def refused(self, expectation: Expectation, boundary: str) -> None:
        """Store a call that was not made."""
        if self.every_call is not None:
            self.every_call.refused(self.item, expectation, boundary)

    def begun(self, expectation: Expectation, step: Step) -> None:
        """Store the start of a call on a host thread."""
        if self.every_call is not None:
            self.every_call.begun(self.item, expectation, step)

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Count one call, and write its new observations and deviations."""
        self.calls += 1
        if self.every_call is not None:
            self.every_call.judged(self.item, expectation, steps[-1], judgement, boundary)
        call, observed = expectation.call, judgement.observed
        self._partitions.saw(call, outcome, observed, steps)
        self._formats.saw(call, outcome, wrong=bool(judgement.blames))
        if isinstance(outcome, Absent):
            self._missing(call.function, outcome)
        allowed = expectation.allowed
        outcomes = tuple(allowed)
        first_seen = []
        for record, kind in judgement.evidence:
            self.evidence[record][kind] += 1
            if boundary:
                self._tried(record, boundary)
            mark = (record, outcomes, observed, boundary)
            if mark not in self._sighted:
                self._sighted.add(mark)
                first_seen.append(FirstSeen(self.item, record, allowed, observed, boundary, call))
        self._write(*first_seen)
        for interpretation in deciding_interpretations(expectation):
            self.left_open[interpretation][observed] += 1
        for interpretation, read in judgement.readings:
            self.left_open[interpretation][read] += 1
        self._keep_notes(judgement, call)
        self._keep_blames(judgement, call.function, steps)
        if expectation.is_wrongly_accepted(observed):
            self._accepted[call.function] = None

    def _keep_blames(self, judgement: Judgement, function: str, steps: list[Step]) -> None:
        for blame in judgement.blames:
            self._deviated(function, blame, steps)
        for blame in judgement.suspected:
            self._killed(function, blame, steps)

    def _keep_notes(self, judgement: Judgement, call: Call) -> None:
        for record in judgement.implementation_defined:
            self._write(Note(self.item, record, judgement.observed, call))
        for record, observed in judgement.notes:
            self.noted(record, observed, call)

    def _tried(self, record: str, boundary: str) -> None:
        tried = self.boundaries[record]
        if boundary not in tried and len(tried) < SEEN_AT_MOST:
            tried.append(boundary)

    def noted(self, record: str, observed: str, call: Call) -> None:
        """Write a note unless the same note was already written."""
        if (record, observed) not in self._advised:
            self._advised.add((record, observed))
            self._write(Note(self.item, record, observed, call))

    def told(self, trace: Trace, reading: Reading, evidence: list[tuple[str, str]], blamed: list[int]) -> None:
        """Count a trace's evidence on the driver; store the item's first trace, and traces with violations."""
        for record, kind in evidence:
            self.evidence[record][kind] += 1
        if reading.violations or not self._trace_kept:
            self._trace_kept = True
            self._write(TraceLine(self.item, trace, reading.violations, blamed))

    def _missing(self, function: str, outcome: Absent) -> None:
        """Write once per function that its requirements cannot be tested."""
        if function not in self._absent:
            self._absent.add(function)
            reason = f"{function} cannot be called: {outcome.detail}"
            self._write(Selection(0, {record.id: reason for record in load().records_of(function)}))

    def _deviated(self, function: str, blame: Blame, steps: list[Step]) -> None:
        """Write a deviation once per item, and again if it violates further requirements."""
        key = deviation_key(function, blame)
        known = self.deviations.get(key)
        if known is not None and set(blame.also).issubset(known.also):
            return
        line = replace(as_deviation(self.item, key, blame, steps), drawn=self._drawn)
        if line.verdict != "deviates":
            line = replace(line, accepted_before=self._accepted_before)
        self.deviations[key] = (
            line if known is None else replace(known, also=list(dict.fromkeys(known.also + line.also)))
        )
        self.keys.add(key)
        self._write(line)

    def _killed(self, function: str, blame: Blame, steps: list[Step]) -> None:
        """Write once per item and key that the driver's process was killed in a call."""
        key = deviation_key(function, blame)
        if key not in self._kills:
            line = as_deviation(self.item, key, blame, steps)
            fields = {name: getattr(line, name) for name in Killed.__struct_fields__}
            self._kills[key] = Killed(**fields)
            self._write(self._kills[key])

    def end(
        self, outcome: str, seconds: float, reason: str = "", aims: Sequence[str] = (), *, skipped: bool = False
    ) -> None:
        """Write the final lines of the item; ``aims``: the requirements that it targets."""
        missed = list(aims) if skipped else []
        unmet = [] if skipped else [record for record in aims if record not in self.evidence]
        evidence = {record: dict(counts) for record, counts in self.evidence.items()}
        boundaries = {record: tried for record, tried in self.boundaries.items() if tried}
        left_open = {interpretation: dict(counts) for interpretation, counts in self.left_open.items()}
        splits = self._partitions.all()
        if splits:
            self._write(PartitionLine(self.item, splits))
        formats = self._formats.line(self.item)
        if formats is not None:
            self._write(formats)
        self._write(
            ItemEnd(self.item, outcome, seconds, self.calls, evidence, boundaries, reason, missed, unmet, left_open)
        )

    def _write(
        self,
        *lines: FirstSeen | Deviation | Killed | ItemEnd | Selection | Note | TraceLine | PartitionLine | FormatLine,
    ) -> None:
        if lines and self.journal is not None:
            self.journal.write(*lines)
