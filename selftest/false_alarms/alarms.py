"""Run table-driven items on a simulated platform that returns any allowed outcome, and collect false alarms.

Every deviation is an error of this project: in the rule that judged the call, or in the simulated platform.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.harness import BadCall, Target
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.selftest.trial import run_item

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.spec_tables import Tables


@dataclass(frozen=True)
class FalseAlarm:
    """A deviation of a conforming platform: its key, the first item in which it occurs, and the calls up to it."""

    key: str
    item: str
    observed: str
    allowed: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass
class PlatformSummary:
    """The results of one platform with one seed.

    ``items``: the number of items run. ``calls``: the number of calls made. ``incomplete_items``: the number of items
    that could not continue after an allowed outcome. ``alarms``: maps keys to false alarms.
    """

    items: int = 0
    calls: int = 0
    incomplete_items: int = 0
    alarms: dict[str, FalseAlarm] = field(default_factory=dict)


class _AlarmObserver(SessionObserver):
    """Collects the false alarms of a session."""

    def __init__(self) -> None:
        self.tried = PlatformSummary()
        self.item = "the start of the session"

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Collect the deviations of one call; of deviations with the same key, only the first is stored."""
        del outcome, test_value
        self.tried.calls += 1
        for deviation in judgement.deviations:
            key = deviation_key(expectation.call.function, deviation)
            alarm = FalseAlarm(key, self.item, deviation.observed, deviation.allowed, tuple(steps))
            self.tried.alarms.setdefault(key, alarm)


def find_alarms(
    topology: str, seed: int, items: Iterable[SuiteItem], tables: Tables, end: float = float("inf")
) -> PlatformSummary:
    """Run items on a simulated platform that returns random allowed outcomes; return the false alarms.

    ``seed`` determines the outcomes and the random order of the items. ``end``: the time on the monotonic clock, in
    seconds, after which no further item starts; the first item always runs. If this project's code raises an exception,
    the exception also counts as a false alarm.
    """
    watching = _AlarmObserver()
    session = Session(Target.simulated(topology, "--result-seed", str(seed)), tables, watching)
    try:
        drawn = list(items)
        random.Random(f"{topology} {seed}").shuffle(drawn)  # noqa: S311 (not for security)
        for item in drawn:
            if watching.tried.items and time.monotonic() >= end:
                break
            watching.item = item.name
            watching.tried.items += 1
            try:
                run_item(item, session)
            except (UndefinedCallError, BadCall):
                watching.tried.incomplete_items += 1
            except Exception as error:  # noqa: BLE001 (any exception is an error of this project)
                key = f"{type(error).__name__}: {error}"
                alarm = FalseAlarm(key, item.name, key, (), tuple(session.sequence.steps))
                watching.tried.alarms.setdefault(key, alarm)
    finally:
        session.close()
    return watching.tried
