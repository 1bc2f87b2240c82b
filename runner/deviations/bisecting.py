"""Finds the first build of a driver that behaves differently in a stored sequence, with few replays.

``first_change`` is a binary search between the oldest and the newest testable build, independent of drivers.
``answer_of`` tests one build. A build that cannot be tested is skipped, as by git bisect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from clconform.calls.call import Hung
from clconform.harness import HarnessError
from clconform.runner.deviations.replay import Replayer
from clconform.runner.session.errors import ExampleOverError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Step
    from clconform.harness import Deadlines, Target
    from clconform.runner.deviations.replay import Replayed
    from clconform.spec_tables import Tables

ATTEMPTS = 2
"""Number of replays per build; if they differ, the build counts as untestable."""


@dataclass(frozen=True)
class Answer:
    """The result of the sequence on one build.

    ``keys``: of its deviations. ``why``: why the build cannot be tested. ``steps``: the calls of the first replay.
    """

    verdict: Literal["good", "bad", "untestable"]
    keys: frozenset[str] = frozenset()
    why: str = ""
    steps: tuple[Step, ...] = ()

    def same_as(self, other: Answer) -> bool:
        """Return whether both builds conform, or both have the same deviations."""
        return (self.verdict, self.keys) == (other.verdict, other.keys)


@dataclass(frozen=True)
class Found:
    """The result of a search: ``before`` is the last build that behaves as the oldest, ``after`` the next tested one.

    Both are None if fewer than two builds can be tested. ``agree``: the oldest and the newest build behave alike.
    ``answers``: the results of the tested builds, by number.
    """

    answers: dict[int, Answer]
    before: int | None = None
    after: int | None = None
    agree: bool = False

    @property
    def suspects(self) -> range:
        """The builds that may contain the change: more than one if builds in between cannot be tested."""
        return range(0) if self.before is None or self.after is None else range(self.before + 1, self.after + 1)


def first_change(count: int, probe: Callable[[int], Answer]) -> Found:
    """Search ``count`` builds, oldest first, for the first one that behaves differently from the oldest."""
    answers: dict[int, Answer] = {}

    def tested(number: int) -> bool:
        if number not in answers:
            answers[number] = probe(number)
        return answers[number].verdict != "untestable"

    low = next((number for number in range(count) if tested(number)), None)
    high = next((number for number in reversed(range(count)) if tested(number)), None)
    if low is None or high is None or low == high:
        return Found(answers)
    if answers[low].same_as(answers[high]):
        return Found(answers, low, high, agree=True)
    while True:
        middle = (low + high) // 2
        between = [number for number in range(low + 1, high) if number not in answers]
        if not between:
            return Found(answers, low, high)
        number = min(between, key=lambda each: abs(each - middle))
        if tested(number):
            low, high = (number, high) if answers[number].same_as(answers[low]) else (low, number)


def answer_of(
    target: Target,
    tables: Tables,
    sequence: Sequence[Step],
    *,
    device_index: int = 0,
    deadlines: Deadlines | None = None,
) -> Answer:
    """Replay a sequence on one build in two processes, in one if it hangs, and return the result."""
    try:
        replayer = Replayer(target, tables, device_index=device_index, deadlines=deadlines)
    except (HarnessError, ExampleOverError) as error:
        return Answer("untestable", why=str(error))
    answers: list[Answer] = []
    try:
        for _ in range(ATTEMPTS):
            replayed = replayer.run(sequence, fresh=bool(answers))
            answers.append(_answer(replayed, len(sequence)))
            if answers[-1].verdict == "untestable" or isinstance(replayed.steps[-1].outcome, Hung):
                return answers[-1]
    except HarnessError as error:
        return Answer("untestable", why=str(error))
    finally:
        replayer.close()
    if not answers[0].same_as(answers[1]):
        return Answer("untestable", why="its results differ from one replay to the next")
    return answers[0]


def _answer(replayed: Replayed, wanted: int) -> Answer:
    keys = frozenset(key for met in replayed.keys for key in met)
    if keys:
        return Answer("bad", keys, steps=tuple(replayed.steps))
    if replayed.broken:
        return Answer("untestable", why=replayed.broken)
    if len(replayed.steps) < wanted:
        return Answer("untestable", why="the driver's process ended early, without a deviation")
    return Answer("good", steps=tuple(replayed.steps))
