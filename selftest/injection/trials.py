"""Trials: run an item without faults, then with one fault at a time, until it has a new deviation."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.deviation_keys import without_numbers
from clconform.harness import BadCall
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Session
from clconform.selftest.injection.faults import Seen
from clconform.selftest.injection.layer import Between, DriverEndedError, Layer, shows_in, until_the_end
from clconform.selftest.injection.made import Made, made_in
from clconform.selftest.injection.openness import open_by
from clconform.selftest.injection.operators.every_operator import every_operator
from clconform.selftest.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clconform.calls.call import Call, Outcome
    from clconform.harness import Target, Worker
    from clconform.oracles.engine.judgements import Blame
    from clconform.runner.pytest_plugin.items import Item
    from clconform.runner.session.observer import Observer
    from clconform.selftest.injection.faults import Fault, Tampering
    from clconform.spec_tables import Tables

LEFT_BEHIND = 64
"""The number of items ended early by a fault before the driver process is restarted, because their objects leak."""
LOST = ("crashes", "hangs")


class Recording(msgspec.Struct, frozen=True):
    """One item without faults.

    ``keys``: its deviations. ``lost``: its end is not reproducible. ``dies``: the driver process dies in it; faults
    that would take effect later are not tried. ``shows``: maps the index of each fault that would affect the item to
    the number of calls before the first affected one. ``made``: the properties of its calls.
    """

    keys: frozenset[str]
    lost: bool
    shows: dict[int, int]
    dies: bool = False
    made: dict[str, Made] = {}


class Tried(msgspec.Struct, frozen=True):
    """One item with a fault.

    ``noticed``: the new deviation. ``applied``: the number of affected calls. ``left_open``: the number of conforming
    calls by reason. ``masked``: the number of affected calls with the same deviation as without the fault.
    """

    noticed: str
    applied: int
    left_open: dict[str, int]
    masked: int = 0


class FaultTrial(Trial):
    """Trials of faults on one platform."""

    def __init__(self, target: Target, tables: Tables, faults: Sequence[Fault], *, device_index: int = 0) -> None:
        """Start a session; HarnessError if the target cannot be tested."""
        self._tables, self._faults = tables, faults
        self._by_function: dict[str, list[int]] = {}
        for index, fault in enumerate(faults):
            self._by_function.setdefault(fault.function, []).append(index)
        self._dies = False
        self._applied = self._masked = 0
        self._left_open: Counter[str] = Counter()
        self._changed: Call | None = None
        self._left_behind = 0
        self._layer = Layer(self._told)
        super().__init__(lambda trial: _Layered(target, tables, trial, self._layer, device_index))
        self._layer.lasting = tuple(self.session.base.names)

    # items without a fault

    def record(self, item: Item) -> Recording:
        """Run an item without faults, and determine the faults that would affect it."""
        self._dies, self._layer.log = False, []
        try:
            unchanged = self.without(item)
        finally:
            log, self._layer.log = until_the_end(self._layer.log), None
        called = {passed.call.function for passed in log if passed.call is not None}
        seen = Seen(self._layer.lasting)
        there = {self._tampering(index, seen): index for name in called for index in self._by_function.get(name, ())}
        shows = {there[tampering]: at for tampering, at in shows_in(log, there, seen).items()}
        return Recording(unchanged.keys, not unchanged.whole, shows, self._dies, made_in(log, self._tables))

    def _tampering(self, index: int, seen: Seen) -> Tampering:
        fault = self._faults[index]
        return every_operator()[fault.operator].made(fault, self._tables, seen)

    # items with a fault

    def attempt(self, index: int, item: Item, known: Collection[str], *, dies: bool = False) -> Tried:
        """Run an item with a fault, until a call has a deviation that is not ``known``.

        ``dies``: the driver also dies in it without the fault; the item then ends with the driver.
        """
        tampering = self._tampering(index, Seen(self._layer.lasting))
        self._applied, self._left_open, self._masked = 0, Counter(), 0
        self._layer.tampering, self._layer.ends = tampering, dies
        try:
            with suppress(UndefinedCallError, BadCall, DriverEndedError):
                self.noticed_with(item, known)
        finally:
            self._layer.tampering, self._layer.ends = None, False
        self._clear_up()
        return Tried(self.noticed, self._applied, dict(self._left_open), self._masked)

    def _clear_up(self) -> None:
        """Restart the driver process now and then, because a fault leaves objects that the model does not know."""
        self._left_behind += 1
        if self._left_behind >= LEFT_BEHIND:
            self.renew()

    @property
    def worn(self) -> bool:
        """Return whether faults before the last one may have left objects in the driver process."""
        return self._left_behind > 1

    def renew(self) -> None:
        """Start a new driver process for the next item."""
        self._left_behind = 0
        self.session.restart()

    def _told(self, call: Call, real: Outcome, shown: Outcome) -> None:
        self._applied += 1
        self._changed = call
        reason = open_by(call, real, shown, self.session.oracle)
        if reason:
            self._left_open[reason] += 1

    # observation of the session

    def key_of(self, function: str, blame: Blame) -> str:
        """Return the key that identifies equal deviations, ignoring numbers."""
        return without_numbers(super().key_of(function, blame))

    def shows(self) -> bool:
        """Return whether the fault has already affected a call of the item."""
        return self._applied > 0

    def deviated(self, blame: Blame) -> None:
        """Handle a driver that dies without a fault."""
        self._dies |= blame.verdict in LOST

    def deviated_as_before(self, call: Call) -> None:
        """Count a call that the fault affects and that has the same deviation without it."""
        if call is self._changed:
            self._masked += 1
            self._changed = None


class _Layered(Session):
    """A session whose workers have an injection layer; an injected crash or hang does not affect the worker."""

    def __init__(self, target: Target, tables: Tables, observer: Observer, layer: Layer, device_index: int) -> None:
        self._layer = layer
        super().__init__(target, tables, observer, device_index=device_index, robustness=target.kind == "simulated")

    def _started(self) -> Worker:
        return Between(self.target, self._layer, self._deadlines)
