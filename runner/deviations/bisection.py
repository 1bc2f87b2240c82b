"""Finds the first build of a driver that behaves differently when a stored sequence of calls is replayed.

``find_first_change`` is a binary search between the oldest and the newest testable build. The search does not depend on
drivers, and needs few replays. ``run_on_build`` tests one build. A build that cannot be tested is skipped, as in git
bisect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from clconform.calls.call import Hung
from clconform.harness import HarnessError
from clconform.runner.deviations.replay import Replayer, ReplayTarget
from clconform.runner.session.errors import ExampleOverError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Step
    from clconform.harness import Deadlines, Target
    from clconform.runner.deviations.replay import ReplayResult
    from clconform.spec_tables import Tables

ATTEMPTS = 2
"""Number of replays per build; if their results differ, the build counts as untestable."""


@dataclass(frozen=True)
class BuildResult:
    """The result of replaying the sequence on one build.

    ``deviation_keys``: the keys of the deviations. ``reason``: why the build cannot be tested. ``steps``: the calls of
    the first replay.
    """

    verdict: Literal["good", "bad", "untestable"]
    deviation_keys: frozenset[str] = frozenset()
    reason: str = ""
    steps: tuple[Step, ...] = ()

    def is_same_as(self, other: BuildResult) -> bool:
        """Return whether both builds conform, or both have the same deviations."""
        return (self.verdict, self.deviation_keys) == (other.verdict, other.deviation_keys)


@dataclass(frozen=True)
class BisectionResult:
    """The result of a binary search over builds, which are numbered from the oldest.

    ``results``: maps the number of each tested build to its result. ``before``: the number of the last build that
    behaves like the oldest testable build. ``after``: the number of the next testable build. Both are None if fewer
    than two builds can be tested. ``is_unchanged``: the oldest and the newest testable build behave alike.
    """

    results: dict[int, BuildResult]
    before: int | None = None
    after: int | None = None
    is_unchanged: bool = False

    @property
    def suspects(self) -> range:
        """The numbers of the builds that may contain the change; several if builds before ``after`` are untestable."""
        return range(0) if self.before is None or self.after is None else range(self.before + 1, self.after + 1)


def find_first_change(count: int, probe: Callable[[int], BuildResult]) -> BisectionResult:
    """Search ``count`` builds, oldest first, for the first build that differs from the oldest testable build."""
    answers: dict[int, BuildResult] = {}

    def tested(number: int) -> bool:
        if number not in answers:
            answers[number] = probe(number)
        return answers[number].verdict != "untestable"

    low = next((number for number in range(count) if tested(number)), None)
    high = next((number for number in reversed(range(count)) if tested(number)), None)
    if low is None or high is None or low == high:
        return BisectionResult(answers)
    if answers[low].is_same_as(answers[high]):
        return BisectionResult(answers, low, high, is_unchanged=True)
    while True:
        middle = (low + high) // 2
        between = [number for number in range(low + 1, high) if number not in answers]
        if not between:
            return BisectionResult(answers, low, high)
        number = min(between, key=lambda each: abs(each - middle))
        if tested(number):
            low, high = (number, high) if answers[number].is_same_as(answers[low]) else (low, number)


def run_on_build(
    target: Target,
    tables: Tables,
    sequence: Sequence[Step],
    *,
    device_index: int = 0,
    deadlines: Deadlines | None = None,
) -> BuildResult:
    """Replay a sequence on one build and return the result.

    A replay without a hang is repeated in a second process.
    """
    try:
        replayer = Replayer(ReplayTarget(target, tables, device_index), deadlines=deadlines)
    except (HarnessError, ExampleOverError) as error:
        return BuildResult("untestable", reason=str(error))
    answers: list[BuildResult] = []
    try:
        for _ in range(ATTEMPTS):
            replayed = replayer.run(sequence, fresh=bool(answers))
            answers.append(_build_result(replayed, len(sequence)))
            if answers[-1].verdict == "untestable" or isinstance(replayed.steps[-1].outcome, Hung):
                return answers[-1]
    except HarnessError as error:
        return BuildResult("untestable", reason=str(error))
    finally:
        replayer.close()
    if not answers[0].is_same_as(answers[1]):
        return BuildResult("untestable", reason="its results differ from one replay to the next")
    return answers[0]


def _build_result(replayed: ReplayResult, step_count: int) -> BuildResult:
    keys = frozenset(key for met in replayed.deviations_by_step for key in met)
    if keys:
        return BuildResult("bad", keys, steps=tuple(replayed.steps))
    if replayed.obstacle:
        return BuildResult("untestable", reason=replayed.obstacle)
    if len(replayed.steps) < step_count:
        return BuildResult("untestable", reason="the driver's process ended early, without a deviation")
    return BuildResult("good", steps=tuple(replayed.steps))
