"""Run the suites' table-driven items on a simulated platform that returns any allowed outcome; collect false alarms.

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
from clconform.runner.session.observer import Observer
from clconform.runner.session.session import Session
from clconform.selftest.trial import run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.items import Item
    from clconform.spec_tables import Tables


@dataclass(frozen=True)
class Alarm:
    """A deviation of a conforming platform: its key, the first item that shows it, and the calls up to it."""

    key: str
    item: str
    observed: str
    allowed: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass
class Tried:
    """The results of one platform with one seed.

    ``items``, ``calls``: the numbers of those made. ``unreached``: the number of items that could not continue after an
    allowed outcome. ``alarms``: the false alarms by key.
    """

    items: int = 0
    calls: int = 0
    unreached: int = 0
    alarms: dict[str, Alarm] = field(default_factory=dict)


class _Watching(Observer):
    """Collects the false alarms of a session."""

    def __init__(self) -> None:
        self.tried = Tried()
        self.item = "the start of the session"

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Collect the deviations of one call, the first of each key."""
        del outcome, boundary
        self.tried.calls += 1
        for blame in judgement.blames:
            key = deviation_key(expectation.call.function, blame)
            alarm = Alarm(key, self.item, blame.observed, blame.allowed, tuple(steps))
            self.tried.alarms.setdefault(key, alarm)


def alarms_on(topology: str, seed: int, items: Iterable[Item], tables: Tables, end: float = float("inf")) -> Tried:
    """Run items in a random order on a simulated platform that chooses among allowed outcomes by the same seed.

    ``end``: the time on the monotonic clock, in seconds, after which no further item starts; the first item always
    runs. An exception in this project's code also counts as a false alarm.
    """
    watching = _Watching()
    session = Session(Target.simulated(topology, "--choices", str(seed)), tables, watching)
    try:
        drawn = list(items)
        random.Random(f"{topology} {seed}").shuffle(drawn)  # noqa: S311 (not for security)
        for item in drawn:
            if watching.tried.items and time.monotonic() >= end:
                break
            watching.item = item.name
            watching.tried.items += 1
            try:
                run(item, session)
            except (UndefinedCallError, BadCall):
                watching.tried.unreached += 1
            except Exception as error:  # noqa: BLE001 (any exception is an error of this project)
                key = f"{type(error).__name__}: {error}"
                alarm = Alarm(key, item.name, key, (), tuple(session.steps))
                watching.tried.alarms.setdefault(key, alarm)
    finally:
        session.close()
    return watching.tried
