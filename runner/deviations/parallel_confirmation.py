"""Confirms all deviations of a run in parallel."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.journal import first_lines, sequence_order
from clconform.runner.deviations.confirmation_pools import MAX_THREADS, open_pools
from clconform.runner.deviations.confirmation_steps import MAX_SEQUENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.runner.deviations.confirmation_pools import ConfirmationPools, ConfirmationSettings
    from clconform.runner.deviations.confirmation_steps import ConfirmationOutcome
    from clconform.runner.deviations.early_confirmation import EarlyConfirmation

MAX_OTHERS = 50
"""Maximum number of deviations to confirm that only repetitions have shown and to which no crash is attributed."""


def count_rounds(deviations: int, processes: int) -> int:
    """Return the number of consecutive rounds in which ``processes`` processes confirm ``deviations`` deviations.

    Hangs are not taken into account.
    """
    return max(1, -(-deviations // (processes if processes > 1 else MAX_THREADS)))


@dataclass(frozen=True)
class Confirmers:
    """The threads and processes that confirm deviations.

    ``early``: the early confirmations of the run, if any; they have the same settings.
    """

    settings: ConfirmationSettings
    early: EarlyConfirmation | None = None

    def open_pools(self) -> AbstractContextManager[ConfirmationPools]:
        """Open the pools of threads and processes, which are those of the early confirmations if there are any."""
        return open_pools(self.settings) if self.early is None else self.early.lend_pools()


@dataclass(frozen=True)
class ConfirmationCallbacks:
    """The functions that are called while deviations are confirmed.

    ``report`` is called with each confirmation. It is also called with each new deviation that only a repetition has
    shown, before the confirmation of that deviation: for example, a use after free may crash one process and return
    unexpected values in another. ``fail`` is called with the key of a deviation and an internal error, and the
    deviation stays unconfirmed; without ``fail``, the error is raised. ``find_known`` returns the confirmation of a
    deviation that need not be repeated, else None.
    """

    report: Callable[[Deviation | Confirmation], None] = lambda _line: None
    fail: Callable[[str, Exception], None] | None = None
    find_known: Callable[[Deviation], Confirmation | None] = lambda _line: None


def confirm_all(
    deviations: Iterable[Deviation],
    confirmers: Confirmers,
    *,
    seconds: float | None = 10.0,
    callbacks: ConfirmationCallbacks | None = None,
) -> list[Confirmation]:
    """Confirm deviations; return one confirmation for each distinct key, in the order of first appearance.

    ``seconds``: the seconds for minimising one sequence, similar to those of the early confirmations. 0: repeat each
    deviation once, if possible with only the calls that its last call needs. None: repeat one sequence for each key
    once, and store no sequence.
    """
    callbacks = callbacks or ConfirmationCallbacks()
    by_key: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        by_key.setdefault(deviation.key, []).append(deviation)
    with confirmers.open_pools() as pools:
        findings = _ParallelConfirmations(by_key, pools, seconds, callbacks, confirmers.early)
        for seen in sorted(by_key.values(), key=lambda seen: seen[0].verdict != "crashes"):  # crashes take longest
            findings.process_key(seen)
        while findings.running:
            for ended in findings.next_outcomes():
                if ended.error is not None and callbacks.fail is None:
                    raise ended.error
                if ended.error is not None and callbacks.fail is not None:
                    callbacks.fail(ended.confirmation.key, ended.error)
                findings.add_outcome(ended)
    return [findings.confirmations[key] for key in findings.keys]


class _ParallelConfirmations:
    """The state of the confirmations.

    ``confirmations``: the finished confirmations. ``keys``: all keys in the order of their appearance. ``running``:
    maps the future of each running confirmation to its deviations.
    """

    def __init__(
        self,
        keys: Iterable[str],
        pools: ConfirmationPools,
        seconds: float | None,
        callbacks: ConfirmationCallbacks,
        early: EarlyConfirmation | None,
    ) -> None:
        self._pools, self._seconds, self._callbacks, self._early = pools, seconds, callbacks, early
        self.keys = dict.fromkeys(keys)
        self.confirmations: dict[str, Confirmation] = {}
        self.running: dict[Future[ConfirmationOutcome], list[Deviation]] = {}
        self._others = 0

    def process_key(self, seen: list[Deviation]) -> None:
        """Start to confirm the deviations of one key; if all are known, add the known confirmation instead."""
        self.keys[seen[0].key] = None
        known = [self._callbacks.find_known(line) for line in seen]
        if known[0] is not None and all(known):
            self._add_confirmation(known[0])
        else:
            self._start_confirmation([line for line, end in zip(seen, known, strict=True) if end is None])

    def next_outcomes(self) -> Iterator[ConfirmationOutcome]:
        """Wait for running confirmations and yield the finished ones; restart those whose process was killed."""
        for future in wait(self.running, return_when=FIRST_COMPLETED).done:
            seen = self.running.pop(future)
            try:
                ended = future.result()
            except BrokenProcessPool:
                self._pools.drop_processes()
                self._start_confirmation(seen, again=True)
            else:
                if self._early is not None and not self._early.is_sufficient(future, ended):
                    self._start_confirmation(seen, again=True)
                else:
                    yield ended

    def add_outcome(self, ended: ConfirmationOutcome) -> None:
        """Add the confirmation of one key, and start to confirm other deviations that its repetitions have shown."""
        for other in ended.others:
            counts = other.key != ended.confirmation.replaced_by
            if other.key not in self.keys and (not counts or self._others < MAX_OTHERS):
                self._others += counts
                self._callbacks.report(other)
                self.process_key([other])
        if ended.heap_corruption is not None and ended.heap_corruption.deviation.key not in self.keys:
            self.keys[ended.heap_corruption.deviation.key] = None
            self._callbacks.report(ended.heap_corruption.deviation)
            self._add_confirmation(ended.heap_corruption.confirmation)
        self._add_confirmation(ended.confirmation)

    def _start_confirmation(self, seen: list[Deviation], *, again: bool = False) -> None:
        tried = 1 if self._seconds is None else MAX_SEQUENCES
        first = set(map(id, first_lines(seen)))
        candidates = sorted(seen, key=lambda each: (id(each) not in first, sequence_order(each)))[:tried]
        begun = None if self._early is None or again else self._early.future_of(candidates[0])
        self.running[begun or self._pools.submit_deviation(candidates, self._seconds)] = seen

    def _add_confirmation(self, end: Confirmation) -> None:
        self.confirmations[end.key] = end
        self._callbacks.report(end)
