"""Trials: run an item without faults, then with one fault at a time, until it has a new deviation."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.deviation_keys import mask_numbers
from clconform.harness import BadCall
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Session
from clconform.selftest.injection.baseline import FunctionCalls, summarize_calls
from clconform.selftest.injection.equivalence import find_equivalence
from clconform.selftest.injection.fault import LiveObjects
from clconform.selftest.injection.fault_layer import (
    DriverEndedError,
    InjectingWorker,
    InjectionLayer,
    find_effects,
    get_events_before_end,
)
from clconform.selftest.injection.operators.every_operator import get_every_operator
from clconform.selftest.trial import ItemTrial

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clconform.calls.call import Call, Outcome
    from clconform.harness import Target
    from clconform.oracles.engine.judgements import ObservedDeviation
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.selftest.injection.fault import Fault, FaultEffect
    from clconform.spec_tables import Tables

MAX_LEFTOVER_ITEMS = 64
"""The number of items with a fault after which the driver process is restarted.

Such items may end before they release their objects.
"""
PROCESS_END_VERDICTS = ("crashes", "hangs")


class ItemRecording(msgspec.Struct, frozen=True):
    """One item without faults.

    ``keys``: the keys of its deviations. ``lost``: its end is not reproducible. ``dies``: the driver process dies in
    the item; faults that would take effect later are not tried. ``effects``: maps the index of each fault that would
    affect the item to the number of calls before the first affected one. ``calls``: the properties of its calls.
    """

    keys: frozenset[str]
    lost: bool
    effects: dict[int, int]
    dies: bool = False
    calls: dict[str, FunctionCalls] = {}


class FaultTrialResult(msgspec.Struct, frozen=True):
    """One item with a fault.

    ``noticed``: the new deviation. ``applied``: the number of affected calls. ``equivalent``: maps reasons to the
    numbers of affected calls that conform for this reason. ``masked``: the number of affected calls that have the same
    deviation without the fault.
    """

    noticed: str
    applied: int
    equivalent: dict[str, int]
    masked: int = 0


class FaultTrial(ItemTrial):
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
        self._layer = InjectionLayer(self._on_effect)
        super().__init__(
            lambda trial: Session(
                target,
                tables,
                trial,
                device_index=device_index,
                robustness=target.kind == "simulated",
                # an injected crash or hang does not affect the worker
                start=lambda target, deadlines: InjectingWorker(target, self._layer, deadlines),
            )
        )
        self._layer.lasting = tuple(self.session.base.names)

    # items without a fault

    def record(self, item: SuiteItem) -> ItemRecording:
        """Run an item without faults, and determine the faults that would affect it."""
        self._dies, self._layer.log = False, []
        try:
            unchanged = self.run_unchanged(item)
        finally:
            log, self._layer.log = get_events_before_end(self._layer.log), None
        called = {passed.call.function for passed in log if passed.call is not None}
        seen = LiveObjects(self._layer.lasting)
        there = {self._make_effect(index, seen): index for name in called for index in self._by_function.get(name, ())}
        shows = {there[tampering]: at for tampering, at in find_effects(log, there, seen).items()}
        return ItemRecording(
            unchanged.keys, not unchanged.complete, shows, self._dies, summarize_calls(log, self._tables)
        )

    def _make_effect(self, index: int, seen: LiveObjects) -> FaultEffect:
        fault = self._faults[index]
        return get_every_operator()[fault.operator].effect(fault, self._tables, seen)

    # items with a fault

    def attempt(self, index: int, item: SuiteItem, known: Collection[str], *, dies: bool = False) -> FaultTrialResult:
        """Run an item with a fault, until a call has a deviation that is not ``known``.

        ``dies``: the driver also dies in this item without the fault; the item then ends when the driver dies.
        """
        tampering = self._make_effect(index, LiveObjects(self._layer.lasting))
        self._applied, self._left_open, self._masked = 0, Counter(), 0
        self._layer.tampering, self._layer.ends = tampering, dies
        try:
            with suppress(UndefinedCallError, BadCall, DriverEndedError):
                self.run_changed(item, known)
        finally:
            self._layer.tampering, self._layer.ends = None, False
        self._restart_when_due()
        return FaultTrialResult(self.noticed, self._applied, dict(self._left_open), self._masked)

    def _restart_when_due(self) -> None:
        """Restart the driver process after ``MAX_LEFTOVER_ITEMS`` items with a fault.

        The faults may have left objects that the model does not know.
        """
        self._left_behind += 1
        if self._left_behind >= MAX_LEFTOVER_ITEMS:
            self.restart_process()

    @property
    def has_leftovers(self) -> bool:
        """Return whether faults before the last one may have left objects in the driver process."""
        return self._left_behind > 1

    def restart_process(self) -> None:
        """Start a new driver process for the next item."""
        self._left_behind = 0
        self.session.process.end()

    def _on_effect(self, call: Call, real: Outcome, shown: Outcome) -> None:
        self._applied += 1
        self._changed = call
        reason = find_equivalence(call, real, shown, self.session.oracle)
        if reason:
            self._left_open[reason] += 1

    # observation of the session

    def key_of(self, function: str, deviation: ObservedDeviation) -> str:
        """Return a key that is the same for deviations that differ only in the numbers of their texts."""
        return mask_numbers(super().key_of(function, deviation))

    def has_taken_effect(self) -> bool:
        """Return whether the fault has already affected a call of the item."""
        return self._applied > 0

    def on_deviation(self, deviation: ObservedDeviation) -> None:
        """Record whether the driver process dies, in a run without a fault."""
        self._dies |= deviation.verdict in PROCESS_END_VERDICTS

    def on_known_deviation(self, call: Call) -> None:
        """Count the call to which the fault was applied last, if its deviation also occurs without the fault."""
        if call is self._changed:
            self._masked += 1
            self._changed = None
