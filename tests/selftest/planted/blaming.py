"""What items of the suites blame on a simulated platform with a fault, or on one without."""

from __future__ import annotations

import copy
import functools
from collections import Counter
from typing import TYPE_CHECKING

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.selftest.trial import run
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.aims import Case


@functools.cache
def _opened(topology: str) -> Session:
    """Return a session that knows what a platform without a fault says of itself; its process has ended.

    To ask for all that again would be most of what a test does that runs a few items.
    """
    session = Session(Target.simulated(topology), load(), Recorder(None))
    session.close()
    return session


def recorded_with(
    topology: str,
    fault: str,
    cases: Iterable[Case],
    journal: JournalWriter | None = None,
    *,
    until: Collection[str] = (),
    seen_in: Callable[[Recorder], set[str]] | None = None,
) -> Recorder:
    """Run the items that apply on a simulated platform with a fault, or with none; return what was recorded.

    ``until``: the records after whose blame no further item is run; by default all items are. ``seen_in``: what counts
    as blame, if not the deviations alone.
    """
    recorder = Recorder(journal)
    session = copy.copy(_opened(topology))
    session._silence = Counter()
    session.target = Target.simulated(topology, *(("--fault", fault) if fault else ()))
    session.observer = recorder
    try:
        for case in cases:
            if not session.applies(case.record):
                run(case, session)
            if until and (seen_in or blamed)(recorder).issuperset(until):
                break
    finally:
        session.close()
    return recorder


def blamed_with(topology: str, fault: str, cases: Iterable[Case], *, until: Collection[str] = ()) -> set[str]:
    """Run items as above; return the records that deviate."""
    return blamed(recorded_with(topology, fault, cases, until=until))


def blamed(recorder: Recorder) -> set[str]:
    """Return the records that deviate."""
    return {record for deviation in recorder.deviations.values() for record in deviation.records}


def violated(recorder: Recorder) -> set[str]:
    """Return the records that deviate, and those that share the verdict of a deviation."""
    return blamed(recorder) | {record for record, kinds in recorder.evidence.items() if kinds["deviates"]}
