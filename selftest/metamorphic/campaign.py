"""A campaign: send sequences unaltered, then with every alteration, and explain each change."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clconform.selftest.metamorphic.alterations import Alteration
from clconform.selftest.metamorphic.explaining import Explainer, Side
from clconform.selftest.metamorphic.rewriting import untouched
from clconform.selftest.metamorphic.sending import Sender
from clconform.selftest.metamorphic.uses import Uses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Step
    from clconform.harness import Target
    from clconform.selftest.metamorphic.claims import Claims
    from clconform.selftest.metamorphic.explaining import Change
    from clconform.selftest.metamorphic.rewriting import Rewritten
    from clconform.selftest.metamorphic.sending import Sent
    from clconform.spec_tables import Tables


class Unexplained(NamedTuple):
    """A change without an explanation, which is reproducible in new processes.

    ``number``: that of the sequence. ``before``, ``after``: the judgements of the call.
    """

    number: int
    change: Change
    before: str
    after: str


@dataclass
class Result:
    """The result of one alteration.

    ``sequences``, ``calls``: the numbers of those sent and compared. ``cut``: the number of sequences that ended early,
    because a call is undefined with the altered claims. ``explained``: the number of changes by reason. ``flaky``: the
    number of changes that were not reproducible.
    """

    alteration: Alteration
    sequences: int = 0
    calls: int = 0
    cut: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    flaky: int = 0
    unexplained: list[Unexplained] = field(default_factory=list)


class Campaign:
    """Sequences on one target, with their judgements without an alteration."""

    def __init__(self, target: Target, tables: Tables, claims: Claims, device: str, pool: Sequence[list[Step]]) -> None:
        """Initialise; ``device``: the root device under test, ``pool``: the sequences."""
        self._target, self._tables, self._claims, self._device = target, tables, claims, device
        self._pool, self._uses, self._explainer = pool, Uses(tables), Explainer(tables)
        self._before: dict[int, Sent] = {}
        self._numbers: list[int] = []

    def start(self) -> None:
        """Send every sequence unaltered, and drop those that hang; HarnessError if the target cannot be tested."""
        sender = self._sender(None)
        try:
            for number, sequence in enumerate(self._pool):
                self._before[number] = sender.send(untouched(sequence))
        finally:
            sender.close()
        self._numbers = [number for number, sent in self._before.items() if not sent.hung]

    def chosen(self, alteration: Alteration, most: int, seed: int) -> list[int]:
        """Return the numbers of up to ``most`` randomly chosen sequences.

        Up to half of them use the altered capability, and up to a quarter have deviations without the alteration.
        """
        drawn = random.Random(f"{seed} {alteration.name}")  # noqa: S311 (not for security)
        numbers = list(self._numbers)
        drawn.shuffle(numbers)
        rewritten = alteration.rewriting
        if rewritten is not None:
            return [
                number for number in numbers if any(step.touched for step in rewritten.rewritten(self._pool[number]))
            ][:most]
        about = [number for number in numbers if self._is_about(number, alteration.detail)][: most // 2]
        deviating = [number for number in numbers if self._deviates(number)][: most // 4]
        first = dict.fromkeys([*about, *deviating])
        return sorted(list(dict.fromkeys([*first, *numbers]))[:most])

    def _deviates(self, number: int) -> bool:
        return any(judged.blames for judged in self._before[number].steps.values())

    def _is_about(self, number: int, name: str) -> bool:
        return any(
            name in (gate.name, gate.instead)
            for step in self._pool[number]
            for _, ways in self._uses.of(step.call)
            for gates in ways
            for gate in gates
        )

    def carry_out(self, alteration: Alteration, most: int, seed: int) -> Result:
        """Send sequences with an alteration and return the changes; HarnessError if the target cannot be tested."""
        result = Result(alteration)
        numbers = self.chosen(alteration, most, seed)
        before = self._before
        if alteration.before not in (None, self._claims):
            before = self._sent(self._plain(alteration), numbers)
        after = self._sent(alteration, numbers)
        suspects: dict[str, int] = {}
        for number in numbers:
            sent = after[number]
            result.sequences += 1
            result.calls += len(sent.steps)
            result.cut += bool(sent.end) and not before[number].end
            for change in self._changes(alteration, before[number], sent):
                if change.reason:
                    result.explained[change.reason] += 1
                else:
                    suspects.setdefault(f"{change.how} {change.key}", number)
        for name, number in suspects.items():
            found = self._again(alteration, numbers, number, name)
            if found is None:
                result.flaky += 1
            else:
                result.unexplained.append(found)
        return result

    def _sent(self, alteration: Alteration, numbers: Sequence[int]) -> dict[int, Sent]:
        """Send sequences with an alteration in new processes; return them by number."""
        senders = [self._sender(alteration) for _ in range(alteration.processes)]
        turns = enumerate(numbers[::-1] if alteration.reversed else numbers)
        try:
            return {
                number: senders[turn % len(senders)].send(self._steps(alteration, number)) for turn, number in turns
            }
        finally:
            for sender in senders:
                sender.close()

    def _plain(self, alteration: Alteration) -> Alteration:
        """Return the alteration with which another one is compared."""
        return Alteration("", "", alteration.before or self._claims)

    def _again(self, alteration: Alteration, numbers: Sequence[int], number: int, name: str) -> Unexplained | None:
        """Send one sequence in new processes, unaltered and altered; return the change if it occurs again.

        If the alteration affects the order or the processes, all sequences are sent.
        """
        some = numbers if alteration.reversed or alteration.processes > 1 else [number]
        before, after = self._sent(self._plain(alteration), some)[number], self._sent(alteration, some)[number]
        for change in self._changes(alteration, before, after):
            if not change.reason and f"{change.how} {change.key}" == name:
                return Unexplained(number, change, _words(before, change.at), _words(after, change.at))
        return None

    def _changes(self, alteration: Alteration, before: Sent, after: Sent) -> Iterator[Change]:
        claims = alteration.before or self._claims
        return self._explainer.changes(Side(claims, before), Side(alteration.claims, after))

    def _steps(self, alteration: Alteration, number: int) -> list[Rewritten]:
        sequence = self._pool[number]
        return untouched(sequence) if alteration.rewriting is None else alteration.rewriting.rewritten(sequence)

    def _sender(self, alteration: Alteration | None) -> Sender:
        if alteration is None:
            return Sender(self._target, self._tables, claims=self._claims, device=self._device)
        altered = self._claims.differing(alteration.claims)
        return Sender(self._target, self._tables, device=self._device, altered=altered, claims=alteration.claims)


def _words(sent: Sent, at: int) -> str:
    """Return the judgement of a step as text."""
    judged = sent.steps.get(at)
    if judged is None:
        return "not made"
    told = [
        f"{' + '.join(b.records)}: allowed {', '.join(b.allowed)}, observed {b.observed}"
        for b in judged.blames.values()
    ]
    return f"{judged.observed}; {'; '.join(told) or 'no deviation'}"
