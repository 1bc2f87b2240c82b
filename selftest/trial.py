"""Would it be noticed? Items are run on a platform without a change, then with one, until they deviate as not before.

The change is the subclass's: a mutant in the judge's place, a fault between the session and its driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from clconform.harness import BadCall
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judge import Blame, Expectation, Judgement
    from clconform.runner.session.session import Session


class Runnable(Protocol):
    """An item of the suites, or a case of one."""

    @property
    def act(self) -> Callable[[Session], object]:
        """What it does with a session."""

    @property
    def fresh(self) -> bool:
        """Whether the driver's process is started anew for it."""


def run(item: Runnable, session: Session) -> None:
    """Run an item as one example, which counts up to where it is skipped."""
    if item.fresh:
        session.restart()
    try:
        with session.example():
            item.act(session)
    except pytest.skip.Exception:
        pass


class NoticedError(Exception):
    """The run with the change deviates where the one without does not."""


class Unchanged(NamedTuple):
    """An item run without a change.

    ``keys``: the keys of its deviations. ``whole``: it did not end at a call that cannot be made, as it would with any
    change.
    """

    keys: frozenset[str]
    whole: bool


class Trial(Observer):
    """Items on one platform, without a change and with one; the observer of its own session."""

    def __init__(self, start: Callable[[Observer], Session]) -> None:
        """Start a session that this observes; HarnessError where its target cannot be tested."""
        self._keys: set[str] = set()
        self._known: Collection[str] | None = None
        self.noticed = ""
        """What deviated in the last item with a change and does not without; empty where nothing did."""
        self.session = start(self)

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def without(self, item: Runnable) -> Unchanged:
        """Run an item without a change."""
        self._keys, whole = set(), True
        try:
            run(item, self.session)
        except (UndefinedCallError, BadCall):
            whole = False
        return Unchanged(frozenset(self._keys), whole)

    def noticed_with(self, item: Runnable, known: Collection[str]) -> str:
        """Run an item with the change that is there now; return what deviates in a way that is not ``known``, or "".

        It ends with the first such deviation. Whatever else the item raises is let through; what was ``noticed`` stays.
        """
        self._known, self.noticed = known, ""
        try:
            run(item, self.session)
        except NoticedError:
            pass
        finally:
            self._known = None
        return self.noticed

    def notice(self, words: str) -> None:
        """Keep what has been noticed, the first time, and end the item: NoticedError."""
        self.noticed = self.noticed or words
        raise NoticedError(self.noticed)

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Take note of one judged call; NoticedError where it deviates with the change as it did not without."""
        del outcome, steps, boundary
        call = expectation.call
        for blame in judgement.blames:
            key = self.key_of(call.function, blame)
            if self._known is None:
                self._keys.add(key)
                self.deviated(blame)
            elif key not in self._known and self.shows():
                self.notice(f"{call.function}: {blame.observed}")
            else:
                self.deviated_as_before(call)

    # what a subclass may say otherwise

    def key_of(self, function: str, blame: Blame) -> str:
        """Return the string by which equal deviations are found."""
        return deviation_key(function, blame)

    def shows(self) -> bool:
        """Return whether the change has shown in the item yet, so that a deviation may be its doing."""
        return True

    def deviated(self, blame: Blame) -> None:
        """Take note of a deviation without a change."""

    def deviated_as_before(self, call: Call) -> None:
        """Take note of a deviation with the change that is there without it, too."""
