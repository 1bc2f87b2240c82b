"""What items of the suites blame on a simulated platform with a fault, or on one without."""

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

from ...sessions import SessionHere  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from clconform.calls.call import Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session


@functools.cache
def _opened(topology: str) -> Session:
    """Return a session that knows what a platform without a fault says of itself.

    To ask for all that again would be most of what a test does that runs a few items.
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
    """Run the items that apply on a simulated platform with a fault, or with none; return what was recorded.

    ``until``: the records after whose blame no further item is run; by default all items are. ``seen_in``: what counts
    as blame, if not the deviations alone.
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
    """Run items as above; return the records that deviate."""
    return blamed(recorded_with(topology, fault, cases, until=until))


def blamed(recorder: Recorder) -> set[str]:
    """Return the records that deviate."""
    return {record for deviation in recorder.deviations.values() for record in deviation.records}


def violated(recorder: Recorder) -> set[str]:
    """Return the records that deviate, and those that share the verdict of a deviation."""
    return blamed(recorder) | {record for record, kinds in recorder.evidence.items() if kinds["deviates"]}


class _Told(BaseException):
    """What was waited for has been told."""


class _UntilTold(Recorder):
    """Ends the examples of an item as soon as its deviations tell something. ``words``: what they tell, as in a run."""

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
    """Let random items draw so many examples, with the settings of a run, and leave those of the tests as they were."""
    usual = hypothesis.settings()
    load_profile("tables", number)
    try:
        yield
    finally:
        hypothesis.settings.register_profile("tests", usual)
        hypothesis.settings.load_profile("tests")


def told_by(topology: str, fault: str, examples: int, act: Callable[[Session], object], awaited: str = "") -> str:
    """Let a random item draw examples on a platform with a fault, or with none; return what it tells of deviations.

    ``awaited``: the words after which it ends; by default it draws all of its examples.
    """
    recorder = _UntilTold(awaited or "\0")
    with _session_with(topology, fault, recorder) as session, few_examples(examples), contextlib.suppress(_Told):
        act(session)
    return recorder.words


def told_of(topology: str, fault: str, cases: Iterable[Case | Item], awaited: str = "") -> str:
    """Run items on a platform with a fault, or with none, up to the awaited words; return what deviations tell."""

    def act(session: Session) -> None:
        for case in cases:
            if not session.applies(case.records[0] if isinstance(case, Item) else case.record):
                run(case, session)

    return told_by(topology, fault, 1, act, awaited)
