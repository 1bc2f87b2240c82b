"""The sequences to send: the calls of suite items, which are run once for this, or the calls of a stored run."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from clconform.calls.call import Begun, Step
from clconform.harness import BadCall
from clconform.runner.journal.rejudging import OPENING_EXAMPLE, read_call_lines
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.runner.session.steps import create_step
from clconform.selftest.trial import run_item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from clconform.calls.journal import CallLine
    from clconform.harness import Target
    from clconform.selftest.trial import Runnable
    from clconform.spec_tables import Tables

MAX_STEPS = 400
"""The maximum number of steps of a sequence."""


def collect_from_items(
    items: Sequence[Runnable],
    target: Target,
    tables: Tables,
    progress: Callable[[int], None] = lambda _number: None,
    *,
    device_index: int = 0,
) -> list[list[Step]]:
    """Run items once and return their sequences. A sequence ends before a call that cannot be made.

    HarnessError if the target cannot be tested.
    """
    session = Session(target, tables, SessionObserver(), device_index=device_index)
    found = []
    try:
        for number, item in enumerate(items, 1):
            progress(number)
            try:
                run_item(item, session)
            except (UndefinedCallError, BadCall):
                session.process.end()
            if 0 < len(session.sequence.steps) <= MAX_STEPS:
                found.append(list(session.sequence.steps))
            session.sequence.steps = []
    finally:
        session.close()
    return found


def sample_from_journal(calls: Path, most: int, seed: int, known: Iterable[str]) -> list[list[Step]]:
    """Return up to ``most`` randomly chosen sequences of a stored run; JournalError if it cannot be read.

    ``known``: the names of platforms and root devices.
    """
    drawn = random.Random(seed)  # noqa: S311 (not for security)
    names = tuple(known)
    kept: list[list[CallLine]] = []
    for number, lines in enumerate(_read_examples(calls)):
        if len(kept) < most:
            kept.append(lines)
        elif (place := drawn.randrange(number + 1)) < most:
            kept[place] = lines
    return [_make_steps(lines, names) for lines in kept]


def _read_examples(calls: Path) -> Iterator[list[CallLine]]:
    """Yield the calls of each example that is short enough, without the sessions' openings."""
    open_: dict[str, list[CallLine]] = {}
    for line in read_call_lines(calls):
        lines = open_.setdefault(line.process, [])
        if lines and lines[0].example != line.example:
            yield from _filter_short(lines)
            lines.clear()
        if line.outcome is not None:
            lines.append(line)
    for lines in open_.values():
        yield from _filter_short(lines)


def _filter_short(lines: list[CallLine]) -> Iterator[list[CallLine]]:
    if lines and lines[0].example != OPENING_EXAMPLE and len(lines) <= MAX_STEPS:
        yield list(lines)


def _make_steps(lines: Sequence[CallLine], names: Sequence[str]) -> list[Step]:
    seen = set(names)
    steps = []
    for line in lines:
        outcome = line.outcome
        if outcome is None or isinstance(outcome, Begun):
            order = {"host_thread": line.host_thread, "entered": line.entered}
            steps.append(Step(line.call, outcome or Begun(), **order))  # type: ignore[arg-type]
            continue
        step = create_step(line.call, outcome, seen)
        seen.update(step.new_names)
        steps.append(Step(step.call, step.outcome, step.new_names, line.together, line.host_thread))
    return steps
