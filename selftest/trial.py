"""Runs items on a platform without a change, then with one, until there is a new deviation.

Subclasses define the change: a mutant as judge, or a fault between the session and its driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from clconform.harness import BadCall
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import OtherRevisionError, UndefinedCallError
from clconform.runner.session.observer import SessionObserver

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement, ObservedDeviation
    from clconform.runner.session.session import Session


class Runnable(Protocol):
    """An item of the suites, or a case of an item."""

    @property
    def action(self) -> Callable[[Session], object]:
        """The function that makes the item's calls in a session."""

    @property
    def needs_new_process(self) -> bool:
        """Return whether the item runs in a new driver process."""


def run_item(item: Runnable, session: Session) -> None:
    """Run an item as one example; one that skips itself, or calls an inapplicable function, ends without an error."""
    if item.needs_new_process:
        session.process.end()
    try:
        with session.example():
            item.action(session)
    except (pytest.skip.Exception, OtherRevisionError):
        pass


class NewDeviationError(Exception):
    """The run with the change has a new deviation."""


class UnchangedRun(NamedTuple):
    """An item run without a change.

    ``keys``: the keys of its deviations. ``complete``: the item did not end at a call that cannot be made.
    """

    keys: frozenset[str]
    complete: bool


class ItemTrial(SessionObserver):
    """Runs items on one platform, first without a change and then with one. It observes its own session."""

    def __init__(self, start: Callable[[SessionObserver], Session]) -> None:
        """Start a session that this object observes; HarnessError if the session's target cannot be tested."""
        self._keys: set[str] = set()
        self._known: Collection[str] | None = None
        self.noticed = ""
        """The new deviation in the last item with a change; empty if there is none."""
        self.session = start(self)

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def run_unchanged(self, item: Runnable) -> UnchangedRun:
        """Run an item without a change."""
        self._keys, whole = set(), True
        try:
            run_item(item, self.session)
        except (UndefinedCallError, BadCall):
            whole = False
        return UnchangedRun(frozenset(self._keys), whole)

    def run_changed(self, item: Runnable, known: Collection[str]) -> str:
        """Run an item with the current change; return the first deviation that is not ``known``, or an empty string.

        The item ends with that deviation. Other exceptions of the item propagate, and do not change ``noticed``.
        """
        self._known, self.noticed = known, ""
        try:
            run_item(item, self.session)
        except NewDeviationError:
            pass
        finally:
            self._known = None
        return self.noticed

    def record_deviation(self, words: str) -> None:
        """Record the first new deviation, and end the item with NewDeviationError."""
        self.noticed = self.noticed or words
        raise NewDeviationError(self.noticed)

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Handle one judged call; NewDeviationError if it has a new deviation."""
        del outcome, steps, test_value
        call = expectation.call
        for deviation in judgement.deviations:
            key = self.key_of(call.function, deviation)
            if self._known is None:
                self._keys.add(key)
                self.on_deviation(deviation)
            elif key not in self._known and self.has_taken_effect():
                self.record_deviation(f"{call.function}: {deviation.observed}")
            else:
                self.on_known_deviation(call)

    # methods for subclasses to override

    def key_of(self, function: str, deviation: ObservedDeviation) -> str:
        """Return the key that identifies equal deviations."""
        return deviation_key(function, deviation)

    def has_taken_effect(self) -> bool:
        """Return whether the change has already taken effect in the item, so that it may have caused a deviation."""
        return True

    def on_deviation(self, deviation: ObservedDeviation) -> None:
        """Handle a deviation in a run without the change."""

    def on_known_deviation(self, call: Call) -> None:
        """Handle a deviation that the run with the change must ignore.

        The same deviation occurs in the run without the change, or the change has not taken effect yet.
        """
