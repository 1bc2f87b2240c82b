"""Attributes a crash to an earlier call that has corrupted the heap.

The calls before the crash are repeated in a fresh process with the heap checks of the C library, and their objects are
released. If the allocator aborts the process, the heap is corrupted. A call is a possible cause if the heap stays
intact without it. Calls that only release objects are excluded, because all objects are released at the end anyway.
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.calls.call import Died
from clconform.calls.deviation_keys import build_key
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.journal import Confirmation, Deviation
from clconform.harness import HarnessError
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.symptoms import HEAP_CORRUPTED
from clconform.runner.deviations.minimisation import MinimisingBudget
from clconform.runner.deviations.replay import Replayer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Step
    from clconform.runner.deviations.replay import ReplayTarget

ATTEMPTS = 2
MAX_RUNS = 60
MAX_SECONDS = 40.0
"""Limits after heap corruption was detected: number of shortened sequences with heap checks, and seconds for them."""
ALLOCATOR_MESSAGE = re.compile(
    r"^(?:(?:free|malloc|calloc|realloc|memalign|munmap_chunk|malloc_check_get_size|malloc_consolidate)(?:\(\))?: .+"
    r"|(?:corrupted|double free|break adjusted).+)$",
    re.MULTILINE,
)
"""The messages by which the allocator reports a corrupted heap."""


@dataclass(frozen=True)
class HeapCorruption:
    """Heap corruption that causes a crash.

    ``crash``: the confirmation of the crash. ``deviation`` and ``confirmation``: the new deviation of the corrupting
    call, and its confirmation.
    """

    crash: Confirmation
    deviation: Deviation
    confirmation: Confirmation


def find_heap_corruption(
    deviation: Deviation, crash_confirmation: Confirmation, where: ReplayTarget
) -> HeapCorruption | None:
    """Attribute a confirmed crash to heap corruption by an earlier call; None if this cannot be shown.

    ``crash_confirmation``: the confirmation of the crash; the last call of its sequence crashes.
    """
    if where.target.device is not None:  # its C library may be another one
        return None
    *before, crashing = crash_confirmation.sequence
    try:
        with closing(Replayer(replace(where, target=where.target.with_heap_checks()))) as checked:
            found = _HeapChecker(checked, MinimisingBudget(MAX_SECONDS, MAX_RUNS)).find_corrupting_calls(before)
        if found is None:
            return None
        guilty, said = found
        with closing(Replayer(where)) as plain:
            others = [step for step in before if all(step is not each for each in guilty)]
            if plain.run([*others, crashing], fresh=True).shows(crash_confirmation.key):
                return None  # the crash does not depend on the calls before the last
    except HarnessError:
        return None
    functions = sorted({step.call.function for step in guilty})
    requirements = [f"{function}/success" for function in functions]
    key = build_key(functions[0], requirements, HEAP_CORRUPTED.code)
    last = crashing.call.function
    observed = (
        f"{crash_confirmation.observed or deviation.observed} in {last}, on a heap that was damaged before ({said})"
    )
    tables = where.tables
    words = rulebook_of(tables).texts.words_of
    line = Deviation(
        item=deviation.item,
        key=key,
        requirements=requirements,
        verdict="crashes",
        confidence="inferred",
        allowed=[SUCCESS],
        observed=observed,
        conditions={
            requirement: words(requirement) for requirement in requirements if requirement in tables.requirements
        },
        sequence=crash_confirmation.sequence,
        while_confirming=True,
    )
    note = f"the allocator's checks (MALLOC_CHECK_=3) find the heap corrupted before {last}: {said}"
    confirmation = Confirmation(
        key, "crashes", ATTEMPTS, ATTEMPTS, crash_confirmation.sequence, note=note, observed=observed
    )
    crash = Confirmation(
        crash_confirmation.key,
        "crashes",
        crash_confirmation.repeated,
        crash_confirmation.attempts,
        crash_confirmation.sequence,
        note=note,
        replaced_by=key,
    )
    return HeapCorruption(crash, line, confirmation)


class _HeapChecker:
    """Replays sequences with heap checks, and releases all objects at the end of each sequence."""

    def __init__(self, replayer: Replayer, budget: MinimisingBudget) -> None:
        self._replayer, self._budget = replayer, budget

    def find_corrupting_calls(self, sequence: Sequence[Step]) -> tuple[list[Step], str] | None:
        """Return the calls that corrupt the heap, and the message of the allocator; None if the heap stays intact.

        If one of these calls is left out, the heap stays intact. None also if only creating and releasing objects
        already corrupts the heap, or if the budget is used up.
        """
        kept = list(sequence)
        found = self._run_checked(kept)
        if not found or not all(self._run_checked(kept) for _ in range(1, ATTEMPTS)):
            return None
        for step in reversed([step for step in sequence if _creates_no_objects(step)]):
            if self._budget.is_spent:
                return None
            self._budget.spend_run()
            without = [each for each in kept if each is not step]
            if self._run_checked(without):
                kept = without
        needed = [step for step in kept if _creates_no_objects(step)]
        return (needed, found) if needed and self._run_checked(kept) else None

    def _run_checked(self, sequence: Sequence[Step]) -> str:
        """Replay a sequence; return the message with which the allocator aborts the process, empty without an abort."""
        run = self._replayer.run(sequence, fresh=True)
        return (
            ""
            if run.obstacle
            else _allocator_message(run.death_at_release or (run.steps[-1].outcome if run.steps else None))
        )


def _allocator_message(outcome: object) -> str:
    """Return the message with which the allocator has aborted the process; empty for other outcomes."""
    if not isinstance(outcome, Died) or outcome.how != "abort":
        return ""
    found = ALLOCATOR_MESSAGE.findall(outcome.last_output)
    return str(found[-1]) if found else ""


def _creates_no_objects(step: Step) -> bool:
    """Return whether a step is an OpenCL call that does not create objects."""
    return not step.new_names and step.call.function not in HOST_ACTIONS
