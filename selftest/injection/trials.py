"""Trials: an item is run once without faults, then with one fault at a time, until it deviates as it did not before."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.deviation_keys import without_numbers
from clconform.harness import BadCall
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Observer, Session
from clconform.selftest.injection.faults import Seen
from clconform.selftest.injection.layer import Between, Layer, shows_in
from clconform.selftest.injection.openness import open_by
from clconform.selftest.injection.operators import OPERATORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.harness import Target, Worker
    from clconform.oracles.engine.judge import Expectation, Judgement
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.injection.faults import Fault, Tampering
    from clconform.spec_tables import Tables

LEFT_BEHIND = 64
"""Items that a fault has cut short until the driver's process is started anew: what they made is never released."""
LOST = ("crashes", "hangs")


class NoticedError(Exception):
    """The run with the fault deviates where the one without does not."""


class Recording(msgspec.Struct, frozen=True):
    """One item without faults.

    ``keys``: what deviates already. ``lost``: the driver's process goes with it, or it ends in no way to be repeated.
    ``shows``: the fault, by its place in the list, to the number of calls before the first one in which it would show.
    """

    keys: frozenset[str]
    lost: bool
    seconds: float
    shows: dict[int, int]


class Tried(msgspec.Struct, frozen=True):
    """One item with a fault.

    ``noticed``: what deviates now. ``applied``: in how many calls the fault showed. ``left_open``: reasons why what
    changed is as right, with in how many of these calls. ``masked``: how many of them deviate in the same way as the
    item does without the fault.
    """

    noticed: str
    applied: int
    left_open: dict[str, int]
    masked: int = 0


class Trial(Observer):
    """Trials on one platform; the observer of its own session."""

    def __init__(self, target: Target, tables: Tables, faults: Sequence[Fault], *, device_index: int = 0) -> None:
        """Start a session; HarnessError where the target cannot be tested."""
        self._tables, self._faults = tables, faults
        self._by_function: dict[str, list[int]] = {}
        for index, fault in enumerate(faults):
            self._by_function.setdefault(fault.function, []).append(index)
        self._keys: set[str] = set()
        self._known: frozenset[str] | None = None
        self._lost = False
        self._noticed = ""
        self._applied = self._masked = 0
        self._left_open: Counter[str] = Counter()
        self._changed: Call | None = None
        self._left_behind = 0
        self._layer = Layer(self._told)
        self._session = _Layered(target, tables, self, self._layer, device_index)
        self._layer.lasting = tuple(self._session.base.names)

    def close(self) -> None:
        """End the session's process."""
        self._session.close()

    # items without a fault

    def record(self, item: Item) -> Recording:
        """Run an item without faults, and find those that would show in it."""
        self._keys, self._lost, self._layer.log = set(), False, []
        before = time.perf_counter()
        try:
            self._run(item)
        except pytest.skip.Exception:
            pass
        except (UndefinedCallError, BadCall):
            self._lost = True
        finally:
            log, self._layer.log = self._layer.log, None
        seconds = time.perf_counter() - before
        called = {passed.call.function for passed in log if passed.call is not None}
        seen = Seen(self._layer.lasting)
        there = {self._tampering(index, seen): index for name in called for index in self._by_function.get(name, ())}
        shows = {there[tampering]: at for tampering, at in shows_in(log, there, seen).items()}
        return Recording(frozenset(self._keys), self._lost, seconds, shows)

    def _tampering(self, index: int, seen: Seen) -> Tampering:
        fault = self._faults[index]
        return OPERATORS[fault.operator].made(fault, self._tables, seen)

    def _run(self, item: Item) -> None:
        if item.fresh:
            self._session.restart()
        with self._session.example():
            item.act(self._session)

    # items with a fault

    def attempt(self, index: int, item: Item, known: frozenset[str]) -> Tried:
        """Run an item with a fault, until a call deviates in a way that is not ``known`` of it."""
        tampering = self._tampering(index, Seen(self._layer.lasting))
        self._noticed, self._applied, self._left_open, self._masked = "", 0, Counter(), 0
        self._known, self._layer.tampering = known, tampering
        try:
            self._run(item)
        except (pytest.skip.Exception, NoticedError, UndefinedCallError, BadCall):
            pass
        finally:
            self._known, self._layer.tampering = None, None
        self._clear_up()
        return Tried(self._noticed, self._applied, dict(self._left_open), self._masked)

    def _clear_up(self) -> None:
        """Start the driver's process anew now and then: a fault leaves objects that the model knows nothing of."""
        self._left_behind += 1
        if self._left_behind >= LEFT_BEHIND:
            self._left_behind = 0
            self._session.restart()

    def _told(self, call: Call, real: Outcome, shown: Outcome) -> None:
        self._applied += 1
        self._changed = call
        reason = open_by(call, real, shown, self._session.oracle)
        if reason:
            self._left_open[reason] += 1

    # what the session tells

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Take note of one judged call; NoticedError where it deviates with the fault as it did not without."""
        del outcome, steps, boundary
        function = expectation.call.function
        for blame in judgement.blames:
            key = without_numbers(deviation_key(function, blame))
            if self._known is None:
                self._keys.add(key)
                self._lost |= blame.verdict in LOST
            elif self._applied and key not in self._known:
                self._noticed = self._noticed or f"{function}: {blame.observed}"
                raise NoticedError(self._noticed)
            elif expectation.call is self._changed:
                self._masked += 1
                self._changed = None


class _Layered(Session):
    """A session whose workers stand behind a layer. A made-up crash or hang leaves the worker as it is."""

    def __init__(self, target: Target, tables: Tables, trial: Trial, layer: Layer, device_index: int) -> None:
        self._layer = layer
        super().__init__(target, tables, trial, device_index=device_index, robustness=target.kind == "simulated")

    def _started(self) -> Worker:
        return Between(self.target, self._layer, self._deadlines)
