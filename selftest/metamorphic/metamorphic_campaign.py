"""A campaign: send sequences unaltered, then with every alteration, and explain each change."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clconform.selftest.metamorphic.alterations import Alteration
from clconform.selftest.metamorphic.explanation_rules import ChangeExplainer, ComparedRun
from clconform.selftest.metamorphic.sequence_rewriting import copy_sequence
from clconform.selftest.metamorphic.sequence_sender import SequenceSender
from clconform.selftest.metamorphic.used_capabilities import CapabilityIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Step
    from clconform.harness import Target
    from clconform.selftest.metamorphic.claims import Claims
    from clconform.selftest.metamorphic.explanation_rules import DeviationChange
    from clconform.selftest.metamorphic.sequence_rewriting import RewrittenStep
    from clconform.selftest.metamorphic.sequence_sender import SentSequence
    from clconform.spec_tables import Tables


class UnexplainedChange(NamedTuple):
    """A change without an explanation that also occurs in new processes.

    ``number``: the number of the sequence. ``before``, ``after``: the judgements of the call.
    """

    number: int
    change: DeviationChange
    before: str
    after: str


@dataclass
class AlterationResult:
    """The result of one alteration.

    ``sequences``: the number of sequences sent. ``calls``: the number of calls compared. ``cut``: the number of
    sequences that ended early, because a call is undefined with the altered claims. ``explained``: the number of
    changes by reason. ``flaky``: the number of changes that were not reproducible.
    """

    alteration: Alteration
    sequences: int = 0
    calls: int = 0
    cut: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    flaky: int = 0
    unexplained: list[UnexplainedChange] = field(default_factory=list)


class MetamorphicCampaign:
    """Sequences on one target, with their judgements without an alteration."""

    def __init__(self, target: Target, tables: Tables, claims: Claims, device: str, pool: Sequence[list[Step]]) -> None:
        """Initialise; ``device``: the root device under test, ``pool``: the sequences."""
        self._target, self._tables, self._claims, self._device = target, tables, claims, device
        self._pool, self._uses, self._explainer = pool, CapabilityIndex(tables), ChangeExplainer(tables)
        self._before: dict[int, SentSequence] = {}
        self._numbers: list[int] = []

    def start(self) -> None:
        """Send every sequence unaltered, and drop sequences that hang; HarnessError if the target cannot be tested."""
        sender = self._make_sender(None)
        try:
            for number, sequence in enumerate(self._pool):
                self._before[number] = sender.send(copy_sequence(sequence))
        finally:
            sender.close()
        self._numbers = [number for number, sent in self._before.items() if not sent.hung]

    def choose_sequences(self, alteration: Alteration, most: int, seed: int) -> list[int]:
        """Return the numbers of up to ``most`` randomly chosen sequences.

        Up to half of the sequences use the altered capability, and up to a quarter have deviations without the
        alteration.
        """
        drawn = random.Random(f"{seed} {alteration.name}")  # noqa: S311 (not for security)
        numbers = list(self._numbers)
        drawn.shuffle(numbers)
        rewritten = alteration.rewriting
        if rewritten is not None:
            return [
                number for number in numbers if any(step.touched for step in rewritten.rewrite(self._pool[number]))
            ][:most]
        about = [number for number in numbers if self._uses_capability(number, alteration.detail)][: most // 2]
        deviating = [number for number in numbers if self._has_deviation(number)][: most // 4]
        first = dict.fromkeys([*about, *deviating])
        return sorted(list(dict.fromkeys([*first, *numbers]))[:most])

    def _has_deviation(self, number: int) -> bool:
        return any(judged.deviations for judged in self._before[number].steps.values())

    def _uses_capability(self, number: int, name: str) -> bool:
        return any(
            name in (gate.name, gate.instead)
            for step in self._pool[number]
            for _, ways in self._uses.find_uses(step.call)
            for gates in ways
            for gate in gates
        )

    def run_alteration(self, alteration: Alteration, most: int, seed: int) -> AlterationResult:
        """Send sequences with an alteration and return the changes; HarnessError if the target cannot be tested."""
        result = AlterationResult(alteration)
        numbers = self.choose_sequences(alteration, most, seed)
        before = self._before
        if alteration.before not in (None, self._claims):
            before = self._send_all(self._get_baseline(alteration), numbers)
        after = self._send_all(alteration, numbers)
        suspects: dict[str, int] = {}
        for number in numbers:
            sent = after[number]
            result.sequences += 1
            result.calls += len(sent.steps)
            result.cut += bool(sent.end) and not before[number].end
            for change in self._find_changes(alteration, before[number], sent):
                if change.reason:
                    result.explained[change.reason] += 1
                else:
                    suspects.setdefault(f"{change.how} {change.key}", number)
        for name, number in suspects.items():
            found = self._repeat_change(alteration, numbers, number, name)
            if found is None:
                result.flaky += 1
            else:
                result.unexplained.append(found)
        return result

    def _send_all(self, alteration: Alteration, numbers: Sequence[int]) -> dict[int, SentSequence]:
        """Send sequences with an alteration in new processes; map the number of each sequence to the result."""
        senders = [self._make_sender(alteration) for _ in range(alteration.processes)]
        turns = enumerate(numbers[::-1] if alteration.reversed else numbers)
        try:
            return {
                number: senders[turn % len(senders)].send(self._get_steps(alteration, number)) for turn, number in turns
            }
        finally:
            for sender in senders:
                sender.close()

    def _get_baseline(self, alteration: Alteration) -> Alteration:
        """Return the alteration with which another one is compared."""
        return Alteration("", "", alteration.before or self._claims)

    def _repeat_change(
        self, alteration: Alteration, numbers: Sequence[int], number: int, name: str
    ) -> UnexplainedChange | None:
        """Send one sequence in new processes, unaltered and altered; return the change if it occurs again.

        If the alteration affects the order or the processes, all sequences are sent.
        """
        some = numbers if alteration.reversed or alteration.processes > 1 else [number]
        before, after = (
            self._send_all(self._get_baseline(alteration), some)[number],
            self._send_all(alteration, some)[number],
        )
        for change in self._find_changes(alteration, before, after):
            if not change.reason and f"{change.how} {change.key}" == name:
                return UnexplainedChange(
                    number, change, _format_judgement(before, change.at), _format_judgement(after, change.at)
                )
        return None

    def _find_changes(
        self, alteration: Alteration, before: SentSequence, after: SentSequence
    ) -> Iterator[DeviationChange]:
        claims = alteration.before or self._claims
        return self._explainer.find_changes(ComparedRun(claims, before), ComparedRun(alteration.claims, after))

    def _get_steps(self, alteration: Alteration, number: int) -> list[RewrittenStep]:
        sequence = self._pool[number]
        return copy_sequence(sequence) if alteration.rewriting is None else alteration.rewriting.rewrite(sequence)

    def _make_sender(self, alteration: Alteration | None) -> SequenceSender:
        if alteration is None:
            return SequenceSender(self._target, self._tables, claims=self._claims, device=self._device)
        altered = self._claims.get_differences(alteration.claims)
        return SequenceSender(
            self._target, self._tables, device=self._device, altered=altered, claims=alteration.claims
        )


def _format_judgement(sent: SentSequence, at: int) -> str:
    """Return the judgement of a step as text."""
    judged = sent.steps.get(at)
    if judged is None:
        return "not made"
    told = [
        f"{' + '.join(b.requirements)}: allowed {', '.join(b.allowed)}, observed {b.observed}"
        for b in judged.deviations.values()
    ]
    return f"{judged.observed}; {'; '.join(told) or 'no deviation'}"
