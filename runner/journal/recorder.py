"""Records the results of each item: observations, deviations, and the requirements that its calls exercise.

The recorder writes the general lines of the journal. Contributors create the extra lines, which are about one subject.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.call import Absent
from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import (
    MAX_DEVIATION_TEST_VALUES,
    QUERY_SEPARATOR,
    Deviation,
    FirstObservation,
    ImplementationNote,
    ItemEnd,
    KilledProcess,
    Selection,
)
from clconform.runner.deviations.minimisation import shorten_sequence
from clconform.runner.journal.contributors import create_contributors
from clconform.runner.session.observer import SessionObserver
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.calls.line_kinds import ExtraLine, JournalLine
    from clconform.oracles.engine.judgements import Expectation, Judgement, ObservedDeviation
    from clconform.runner.journal.full_log import FullLog
    from clconform.runner.journal.writer import JournalWriter


def create_deviation_line(
    item: str,
    key: str,
    deviation: ObservedDeviation,
    steps: list[Step],
    *,
    while_confirming: bool = False,
    test_value: str = "",
) -> Deviation:
    """Return the journal line for a deviation, with the sequence of calls that shows it."""
    return Deviation(
        item=item,
        key=key,
        requirements=list(deviation.requirements),
        verdict=deviation.verdict,
        confidence=deviation.confidence,
        allowed=list(deviation.allowed),
        observed=deviation.observed,
        conditions=dict(deviation.conditions),
        operands={requirement: dict(values) for requirement, values in deviation.operands.items()},
        sequence=list(steps),
        while_confirming=while_confirming,
        undecided=deviation.undecided,
        also_violated=list(deviation.also_violated),
        test_value=test_value,
    )


MAX_TEST_VALUES = 20
"""Maximum number of test values that an item stores for one requirement."""
MAX_FURTHER_STEPS = 20
"""Maximum number of steps of an unshortened sequence in a line for a further test value."""


def deviation_key(function: str, deviation: ObservedDeviation) -> str:
    """Return the key of a deviation, from function, requirements and symptom code.

    Equal deviations have equal keys. ``function``: the function of the deviating call. The deviation may be attributed
    to another function. The id of a deviation is a digest of its key, so the form of keys must never change.
    """
    return build_key(deviation.function or function, deviation.requirements, deviation.symptom.code)


def find_deciding_interpretations(expectation: Expectation) -> set[str]:
    """Return the interpretations that determine the allowed results; none if a literal requirement already does."""
    if not expectation.required_errors and not expectation.optional_errors:
        return set()
    if not all(held.interpretation for held in expectation.required_errors):
        return set()
    return {
        held.interpretation
        for held in (*expectation.required_errors, *expectation.optional_errors)
        if held.interpretation
    }


class Recorder(SessionObserver):
    """Observes a session for one pytest item at a time, and writes the item's lines to the journal, if there is one.

    ``full_log``: the file of all calls, if it is written. ``deviations``: maps keys to the deviations of the item.
    ``deviation_lines``: the lines for these deviations, with one line for each test value. A call that ended the
    driver's process while the session started, before the first item, counts for the first item. ``process``,
    ``machine``: as in ``ItemEnd``.
    """

    def __init__(
        self,
        journal: JournalWriter | None,
        every_call: FullLog | None = None,
        *,
        process: str = "",
        machine: str = "",
    ) -> None:
        self.journal, self._process, self._machine = journal, process, machine
        self.full_log = every_call
        self.keys: set[str] = set()
        self._absent_functions: set[str] = set()
        self._written_notes: set[tuple[str, str]] = set()
        self._contributors = create_contributors()
        self._accepted: dict[str, None] = {}
        self._accepted_before: list[str] = []
        self._reset_item("")

    def _reset_item(self, item: str, *, is_random: bool = False) -> None:
        self.item, self._is_random = item, is_random
        # incrementing a Counter is several times slower
        self.evidence: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.test_values: dict[str, list[str]] = defaultdict(list)
        self.deviations: dict[str, Deviation] = {}
        self.deviation_lines: list[Deviation] = []
        self._deviation_values: dict[str, set[str]] = defaultdict(set)
        self.interpretation_counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.calls = 0
        self._sighted: set[tuple[str, tuple[str, ...], str, str]] = set()
        self._kills: dict[str, KilledProcess] = {}
        for contributor in self._contributors:
            contributor.begin_item()

    def begin_item(self, item: str, *, is_random: bool = False) -> None:
        """Start recording an item; ``is_random``: the calls of the item are random."""
        lost = [] if self.item else [line for line in self.deviations.values() if line.verdict != "deviates"]
        killed = [] if self.item else list(self._kills.values())
        self._reset_item(item, is_random=is_random)
        self.deviations = {line.key: replace(line, item=item) for line in lost}
        self.deviation_lines = list(self.deviations.values())
        self._kills = {line.key: replace(line, item=item) for line in killed}
        self._write_lines(*self.deviations.values(), *self._kills.values())

    def on_process_start(self) -> None:
        """Forget the unexpected successes that occurred in the previous process of the driver."""
        self._accepted, self._accepted_before = {}, []

    def on_example_start(self) -> None:
        """Note the start of an example, and the unexpected successes in earlier examples of the process."""
        self._accepted_before = list(self._accepted)
        if self.full_log is not None:
            self.full_log.begin_example()

    def on_undefined_call(self, expectation: Expectation, test_value: str) -> None:
        """Store an undefined call, which was not made, in the file of all calls."""
        if self.full_log is not None:
            self.full_log.write_undefined_call(self.item, expectation, test_value)

    def on_thread_call(self, expectation: Expectation, step: Step) -> None:
        """Store the start of a call on a host thread in the file of all calls."""
        if self.full_log is not None:
            self.full_log.write_started_call(self.item, expectation, step)

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Count a judged call, and write its new observations and deviations."""
        self.calls += 1
        if self.full_log is not None:
            self.full_log.write_judged_call(self.item, expectation, steps[-1], judgement, test_value)
        call, observed = expectation.call, judgement.observed
        for contributor in self._contributors:
            contributor.on_judged_call(call, outcome, judgement, steps)
        if isinstance(outcome, Absent):
            self._write_missing_function(call.function, outcome)
        allowed = expectation.allowed_codes
        outcomes = tuple(allowed)
        first_seen = []
        for requirement, kind in judgement.evidence:
            self.evidence[requirement][kind] += 1
            if test_value:
                self._add_test_value(requirement, test_value)
            mark = (requirement, outcomes, observed, test_value)
            if mark not in self._sighted:
                self._sighted.add(mark)
                first_seen.append(FirstObservation(self.item, requirement, allowed, observed, test_value, call))
        self._write_lines(*first_seen)
        for interpretation in find_deciding_interpretations(expectation):
            self.interpretation_counts[interpretation][observed] += 1
        for interpretation, read in judgement.interpretations:
            self.interpretation_counts[interpretation][read] += 1
        self._write_notes(judgement, call)
        self._write_deviations(judgement, call, steps, test_value)
        if expectation.is_unexpected_success(observed):
            self._accepted[call.function] = None

    def _deviation_value(self, call: Call, test_value: str) -> str:
        """Return the test value of the deviations of a call; empty for a random item.

        A requirement of a query function applies to all its queries, so the query is a part of the test value.
        """
        if self._is_random:
            return ""
        name = call.arguments.get("param_name")
        query = TableLookups.for_tables(load()).query(call.function, name) if isinstance(name, int) else None
        return QUERY_SEPARATOR.join(filter(None, (query.id if query is not None else "", test_value)))

    def _write_deviations(self, judgement: Judgement, call: Call, steps: list[Step], test_value: str) -> None:
        if not judgement.deviations and not judgement.suspected_deviations:
            return
        value = self._deviation_value(call, test_value)
        for deviation in judgement.deviations:
            self._write_deviation(call.function, deviation, steps, value)
        for deviation in judgement.suspected_deviations:
            self._write_kill(call.function, deviation, steps, value)

    def _write_notes(self, judgement: Judgement, call: Call) -> None:
        for requirement in judgement.implementation_defined:
            self._write_lines(ImplementationNote(self.item, requirement, judgement.observed, call))
        for requirement, observed in judgement.notes:
            self.on_note(requirement, observed, call)

    def _add_test_value(self, requirement: str, test_value: str) -> None:
        tried = self.test_values[requirement]
        if test_value not in tried and len(tried) < MAX_TEST_VALUES:
            tried.append(test_value)

    def on_note(self, requirement: str, observed: str, call: Call) -> None:
        """Write a note unless the journal already contains the same note."""
        if (requirement, observed) not in self._written_notes:
            self._written_notes.add((requirement, observed))
            self._write_lines(ImplementationNote(self.item, requirement, observed, call))

    def on_sequence_evidence(self, evidence: Sequence[tuple[str, str]], line: ExtraLine) -> None:
        """Count the evidence of several calls together, and write the lines that contributors create from ``line``."""
        for requirement, kind in evidence:
            self.evidence[requirement][kind] += 1
        for contributor in self._contributors:
            self._write_lines(*contributor.on_sequence_evidence(self.item, line))

    def _write_missing_function(self, function: str, outcome: Absent) -> None:
        """Write, once per function, that the requirements of a missing function cannot be tested."""
        if function not in self._absent_functions:
            self._absent_functions.add(function)
            reason = f"{function} cannot be called: {outcome.detail}"
            self._write_lines(
                Selection(0, {requirement.id: reason for requirement in load().requirements_of(function)})
            )

    def _write_deviation(self, function: str, deviation: ObservedDeviation, steps: list[Step], test_value: str) -> None:
        """Write a deviation once per item, and again for each further test value and for further requirements."""
        key = deviation_key(function, deviation)
        known, values = self.deviations.get(key), self._deviation_values[key]
        is_new_value = bool(test_value) and test_value not in values and len(values) < MAX_DEVIATION_TEST_VALUES
        if known is not None and set(deviation.also_violated).issubset(known.also_violated):
            if not is_new_value:
                return
            steps = steps if len(steps) <= MAX_FURTHER_STEPS else shorten_sequence(steps)
        if is_new_value:
            values.add(test_value)
        line = replace(
            create_deviation_line(self.item, key, deviation, steps, test_value=test_value if is_new_value else ""),
            is_random=self._is_random,
        )
        if line.verdict != "deviates":
            line = replace(line, accepted_before=self._accepted_before)
        self.deviations[key] = (
            line
            if known is None
            else replace(known, also_violated=list(dict.fromkeys(known.also_violated + line.also_violated)))
        )
        self.keys.add(key)
        self.deviation_lines.append(line)
        self._write_lines(line)

    @property
    def deviation_values(self) -> dict[str, list[str]]:
        """Map the keys of the item's deviations to their test values."""
        return {key: sorted(self._deviation_values[key]) for key in self.deviations}

    def _write_kill(self, function: str, deviation: ObservedDeviation, steps: list[Step], test_value: str) -> None:
        """Write, once per item and key, that the driver's process was killed during a call."""
        key = deviation_key(function, deviation)
        if key not in self._kills:
            line = create_deviation_line(self.item, key, deviation, steps, test_value=test_value)
            fields = {name: getattr(line, name) for name in KilledProcess.__struct_fields__}
            self._kills[key] = KilledProcess(**fields)
            self._write_lines(self._kills[key])

    def end_item(
        self, outcome: str, seconds: float, reason: str = "", covers: Sequence[str] = (), *, skipped: bool = False
    ) -> None:
        """Write the final lines of the item; ``covers``: the requirements that the item targets."""
        missed = list(covers) if skipped else []
        unmet = [] if skipped else [requirement for requirement in covers if requirement not in self.evidence]
        evidence = {requirement: dict(counts) for requirement, counts in self.evidence.items()}
        test_values = {requirement: tried for requirement, tried in self.test_values.items() if tried}
        left_open = {interpretation: dict(counts) for interpretation, counts in self.interpretation_counts.items()}
        for contributor in self._contributors:
            self._write_lines(*contributor.end_item(self.item))
        self._write_lines(
            ItemEnd(
                self.item,
                outcome,
                seconds,
                self.calls,
                evidence,
                test_values,
                reason,
                missed,
                unmet,
                left_open,
                self._process,
                self._machine,
            )
        )

    def _write_lines(self, *lines: JournalLine) -> None:
        if lines and self.journal is not None:
            self.journal.write(*lines)
