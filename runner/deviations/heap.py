"""Finds out whether a crash is the doing of an earlier call, which has spoilt the heap.

The calls before the crash are repeated in a fresh process under the checks of the C library's allocator, and what they
have made is released. Where that ends the process, a block of memory was found damaged. Whoever has damaged it is among
the calls without which none is: a call that only releases what is released anyway is not among them.
"""

from __future__ import annotations

import functools
import re
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.call import Died
from clconform.calls.deviation_keys import key_of
from clconform.calls.host import HOST_STEPS
from clconform.calls.journal import Confirmation, Deviation
from clconform.harness import HarnessError
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.symptoms import HEAP_SPOILT
from clconform.runner.deviations.minimising import Budget
from clconform.runner.deviations.replay import Replayer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from clconform.calls.call import Step
    from clconform.harness import Target
    from clconform.runner.deviations.replay import Opening
    from clconform.spec_tables import Tables

ATTEMPTS = 2
MOST_RUNS = 60
MOST_SECONDS = 40.0
"""How many candidates are run under the checks, and for how long, once the heap was found damaged before a crash."""
FOUND = re.compile(
    r"^(?:(?:free|malloc|calloc|realloc|memalign|munmap_chunk|malloc_check_get_size|malloc_consolidate)(?:\(\))?: .+"
    r"|(?:corrupted|double free|break adjusted).+)$",
    re.MULTILINE,
)
"""What the allocator says where it finds the heap damaged."""


@dataclass(frozen=True)
class Spoilt:
    """The heap was spoilt before the crash: what the crash turned out to be, and how both end."""

    crash: Confirmation
    deviation: Deviation
    confirmation: Confirmation


def spoilt(
    deviation: Deviation,
    end: Confirmation,
    target: Target,
    tables: Tables,
    *,
    device_index: int,
    stopped: Event | None = None,
    opening: Opening | None = None,
) -> Spoilt | None:
    """Return what a confirmed crash is if an earlier call has spoilt the heap, or None if that cannot be shown.

    ``end``: the crash's own confirmation, whose last call crashes.
    """
    *before, crashing = end.sequence
    again = functools.partial(Replayer, tables=tables, device_index=device_index, stopped=stopped, opening=opening)
    try:
        with closing(again(target.with_heap_checks())) as checked:
            found = _Checked(checked, Budget(MOST_SECONDS, MOST_RUNS)).guilty(before)
        if found is None:
            return None
        guilty, said = found
        with closing(again(target)) as plain:
            others = [step for step in before if all(step is not each for each in guilty)]
            if plain.run([*others, crashing], fresh=True).shows(end.key):
                return None  # the crash has nothing to do with it
    except HarnessError:
        return None
    functions = sorted({step.call.function for step in guilty})
    records = [f"{function}/success" for function in functions]
    key = key_of(functions[0], records, HEAP_SPOILT.code)
    last = crashing.call.function
    observed = f"{end.observed or deviation.observed} in {last}, on a heap that was damaged before ({said})"
    words = rulebook_of(tables).words_of
    line = Deviation(
        item=deviation.item,
        key=key,
        records=records,
        verdict="crashes",
        confidence="inferred",
        allowed=[SUCCESS],
        observed=observed,
        conditions={record: words(record) for record in records if record in tables.records},
        sequence=end.sequence,
        while_confirming=True,
    )
    note = f"under the allocator's checks (MALLOC_CHECK_=3) the heap is found damaged before {last}: {said}"
    confirmation = Confirmation(key, "crashes", ATTEMPTS, ATTEMPTS, end.sequence, note=note, observed=observed)
    crash = Confirmation(end.key, "crashes", end.repeated, end.attempts, end.sequence, note=note, instead=key)
    return Spoilt(crash, line, confirmation)


class _Checked:
    """Runs sequences under the allocator's checks; at the end of each, all objects are released."""

    def __init__(self, replayer: Replayer, budget: Budget) -> None:
        self._replayer, self._budget = replayer, budget

    def guilty(self, sequence: Sequence[Step]) -> tuple[list[Step], str] | None:
        """Return the calls without which the heap is sound, and what the allocator says; None if it is sound anyway.

        None, too, if making and releasing objects is enough, or if there is no time to find out.
        """
        kept = list(sequence)
        found = self._found(kept)
        if not found or not all(self._found(kept) for _ in range(1, ATTEMPTS)):
            return None
        for step in reversed([step for step in sequence if _only_acts(step)]):
            if self._budget.spent:
                return None
            self._budget.spend()
            without = [each for each in kept if each is not step]
            if self._found(without):
                kept = without
        needed = [step for step in kept if _only_acts(step)]
        return (needed, found) if needed and self._found(kept) else None

    def _found(self, sequence: Sequence[Step]) -> str:
        """Return what the allocator says when it ends the process, or nothing if it does not."""
        run = self._replayer.run(sequence, fresh=True)
        return "" if run.broken else _said(run.left or (run.steps[-1].outcome if run.steps else None))


def _said(outcome: object) -> str:
    """Return what the allocator said when it ended the process, or nothing if that is not how it ended."""
    if not isinstance(outcome, Died) or outcome.how != "abort":
        return ""
    found = FOUND.findall(outcome.said)
    return str(found[-1]) if found else ""


def _only_acts(step: Step) -> bool:
    """Return whether a step of a sequence is a call of OpenCL that makes no object."""
    return not step.binds and step.call.function not in HOST_STEPS
