"""Runs items on a platform without a change, then with one, until there is a new deviation.

The change is up to the subclass: a mutant as judge, or a fault between the session and its driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from clconform.harness import BadCall
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Blame, Expectation, Judgement
    from clconform.runner.session.session import Session


class Runnable(Protocol):
    """An item of the suites, or a case of one."""

    @property
    def act(self) -> Callable[[Session], object]:
        """Run it with a session."""

    @property
    def fresh(self) -> bool:
        """Whether it runs in a new driver process."""


def run(item: Runnable, session: Session) -> None:
    """Run an item as one example, which counts up to a skip."""
    if item.fresh:
        session.restart()
    try:
        with session.example():
            item.act(session)
    except pytest.skip.Exception:
        pass


class NoticedError(Exception):
    """The run with the change has a new deviation."""


class Unchanged(NamedTuple):
    """An item run without a change.

    ``keys``: the keys of its deviations. ``whole``: it did not end at a call that cannot be made.
    """

    keys: frozenset[str]
    whole: bool


class Trial(Observer):
    """Items on one platform, without a change and with one; the observer of its own session."""

    def __init__(self, start: Callable[[Observer], Session]) -> None:
        """Start a session that this observes; HarnessError if its target cannot be tested."""
        self._keys: set[str] = set()
        self._known: Collection[str] | None = None
        self.noticed = ""
        """The new deviation in the last item with a change; empty if there is none."""
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
        """Run an item with the current change; return the first deviation that is not ``known``, or "".

        It ends with that deviation. Other exceptions of the item propagate; ``noticed`` is kept.
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
        """Keep the first new deviation, and end the item with NoticedError."""
        self.noticed = self.noticed or words
        raise NoticedError(self.noticed)

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Handle one judged call; NoticedError if it has a new deviation."""
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

    # what a subclass may override

    def key_of(self, function: str, blame: Blame) -> str:
        """Return the key that identifies equal deviations."""
        return deviation_key(function, blame)

    def shows(self) -> bool:
        """Return whether the change has taken effect in the item yet, so that a deviation may be due to it."""
        return True

    def deviated(self, blame: Blame) -> None:
        """Handle a deviation without a change."""

    def deviated_as_before(self, call: Call) -> None:
        """Handle a deviation with the change that also occurs without it."""
