"""Runs items on a platform without a change, then with one, until there is a new deviation.

Subclasses define the change: a mutant as judge, or a fault between the session and its driver.
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
    """An item of the suites, or a case of an item."""

    @property
    def act(self) -> Callable[[Session], object]:
        """Run the item with a session."""

    @property
    def fresh(self) -> bool:
        """Return whether the item runs in a new driver process."""


def run(item: Runnable, session: Session) -> None:
    """Run an item as one example; a skip ends it without an error."""
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

    ``keys``: the keys of its deviations. ``whole``: the item did not end at a call that cannot be made.
    """

    keys: frozenset[str]
    whole: bool


class Trial(Observer):
    """Runs items on one platform, without a change and with one; the observer of its own session."""

    def __init__(self, start: Callable[[Observer], Session]) -> None:
        """Start a session with this as its observer; HarnessError if its target cannot be tested."""
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

        The item ends with that deviation. Other exceptions of the item propagate, and ``noticed`` is kept.
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
        """Record the first new deviation, and end the item with NoticedError."""
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

    # methods for subclasses to override

    def key_of(self, function: str, blame: Blame) -> str:
        """Return the key that identifies equal deviations."""
        return deviation_key(function, blame)

    def shows(self) -> bool:
        """Return whether the change has already taken effect in the item, so that it may have caused a deviation."""
        return True

    def deviated(self, blame: Blame) -> None:
        """Handle a deviation without a change."""

    def deviated_as_before(self, call: Call) -> None:
        """Handle a deviation with the change that also occurs without it."""
