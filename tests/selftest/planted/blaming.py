"""Runs items of the suites on a simulated platform with or without a fault, and returns the deviations."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections import Counter
from typing import TYPE_CHECKING

import hypothesis

from clconform.harness import Target
from clconform.runner.gate.ending import describe
from clconform.runner.journal.recorder import Recorder
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session.examples import load_profile
from clconform.selftest.trial import run
from clconform.spec_tables import load

from ...sessions import SessionHere  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from clconform.calls.call import Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session


@functools.cache
def _opened(topology: str) -> Session:
    """Return a session that knows the query values of a platform without a fault.

    Repeating these queries would take most of the time of a test that runs only a few items.
    """
    session = SessionHere(Target.simulated(topology), load(), Recorder(None))
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
    """Run the applicable items on a simulated platform, with a fault unless ``fault`` is empty; return the recorder.

    ``until``: stop after an item if all these requirements deviate; by default all items run. ``seen_in``: the function
    that returns the requirements to compare with ``until``; by default ``blamed``.
    """
    recorder = Recorder(journal)
    with _session_with(topology, fault, recorder) as session:
        for case in cases:
            if not session.applies(case.record):
                run(case, session)
            if until and (seen_in or blamed)(recorder).issuperset(until):
                break
    return recorder


@contextlib.contextmanager
def _session_with(topology: str, fault: str, recorder: Recorder) -> Iterator[Session]:
    session = copy.copy(_opened(topology))
    session._silence = Counter()
    session.target = Target.simulated(topology, *(("--fault", fault) if fault else ()))
    session.observer = recorder
    try:
        yield session
    finally:
        session.close()


def blamed_with(topology: str, fault: str, cases: Iterable[Case], *, until: Collection[str] = ()) -> set[str]:
    """Run items as ``recorded_with`` does; return the requirements that deviate."""
    return blamed(recorded_with(topology, fault, cases, until=until))


def blamed(recorder: Recorder) -> set[str]:
    """Return the requirements that deviate."""
    return {record for deviation in recorder.deviations.values() for record in deviation.records}


def violated(recorder: Recorder) -> set[str]:
    """Return the requirements that deviate, and those that share the verdict of a deviation."""
    return blamed(recorder) | {record for record, kinds in recorder.evidence.items() if kinds["deviates"]}


class _Told(BaseException):
    """The awaited message was reported."""


class _UntilTold(Recorder):
    """Ends the examples of an item when an awaited message is reported. ``words``: the messages of all deviations."""

    def __init__(self, awaited: str) -> None:
        super().__init__(None)
        self.words, self._awaited, self._counted = "", awaited, 0

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Record a judged call."""
        super().judged(expectation, outcome, judgement, steps, boundary)
        if len(self.deviations) > self._counted:
            self._counted = len(self.deviations)
            over = self._awaited in self.words
            self.words = "".join(f"\n{describe(each)}" for each in self.deviations.values())
            if self._awaited in self.words and not over:
                raise _Told


@contextlib.contextmanager
def few_examples(number: int) -> Iterator[None]:
    """Run random items with this number of examples and the settings of a run; restore the settings of the tests."""
    usual = hypothesis.settings()
    load_profile("tables", number)
    try:
        yield
    finally:
        hypothesis.settings.register_profile("tests", usual)
        hypothesis.settings.load_profile("tests")


def told_by(topology: str, fault: str, examples: int, act: Callable[[Session], object], awaited: str = "") -> str:
    """Run a random item on a platform with or without a fault; return the messages of its deviations.

    ``awaited``: the text after which it ends; by default all examples run.
    """
    recorder = _UntilTold(awaited or "\0")
    with _session_with(topology, fault, recorder) as session, few_examples(examples), contextlib.suppress(_Told):
        act(session)
    return recorder.words


def told_of(topology: str, fault: str, cases: Iterable[Case | Item], awaited: str = "") -> str:
    """Run items on a platform with or without a fault up to the awaited text; return the messages of deviations."""

    def act(session: Session) -> None:
        for case in cases:
            if not session.applies(case.records[0] if isinstance(case, Item) else case.record):
                run(case, session)

    return told_by(topology, fault, 1, act, awaited)
