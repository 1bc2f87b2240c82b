"""Finds out whether a crash is what an earlier call has left that the driver had to refuse, and has accepted.

The calls are repeated without those: where the process then survives, it is the acceptance that is to blame, which is a
deviation of its own, and not the call that ends the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.deviation_keys import function_in, symptom_in
from clconform.oracles.engine.judgements import SUCCESS
from clconform.runner.deviations.minimising import is_closed
from clconform.runner.journal.recorder import as_deviation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from clconform.calls.call import Step
    from clconform.calls.journal import Deviation
    from clconform.runner.deviations.replay import Replayer

ATTEMPTS = 2
"""How often the process must survive without the calls that were accepted."""
MOST_TRIED = 8
"""How many calls that were accepted are left out one by one."""


def may_be_left(sequence: Sequence[Step], others: Iterable[Deviation]) -> bool:
    """Return whether a crash may be what an accepted call has left, by what else its repetitions have shown."""
    accepted = {function_in(other.key) for other in others if _is_accepted(other.key, other.allowed)}
    return any(step.call.function in accepted for step in sequence[:-1])


def left_by_an_accepted_call(key: str, item: str, sequence: Sequence[Step], replayer: Replayer) -> Deviation | None:
    """Return the deviation of a call without which the process survives, if the driver had to refuse that call.

    None if there is none, or if the crash with that ``key`` needs something that the call has made. ``sequence`` ends
    with the crash.
    """
    run = replayer.run(sequence, fresh=True)
    if run.crash is None or run.crash[0] != key:
        return None
    accepted = {
        index: shown
        for index, met in enumerate(run.keys[:-1])
        for shown, blame in met.items()
        if _is_accepted(shown, blame.allowed) and is_closed(_without(run.steps, {index}), run.steps)
    }
    if not accepted or not _survives(run.steps, accepted.keys(), replayer):
        return None
    alone = [index for index in list(accepted)[-MOST_TRIED:] if _survives(run.steps, {index}, replayer)]
    found = accepted[(alone or list(accepted))[-1]]
    blame = run.blame(found)
    return None if blame is None else as_deviation(item, found, blame, run.up_to(found), while_confirming=True)


def _is_accepted(key: str, allowed: Collection[str]) -> bool:
    """Return whether a deviation is the success of a call that had to fail."""
    return symptom_in(key) == SUCCESS and SUCCESS not in allowed


def _survives(steps: Sequence[Step], left_out: AbstractSet[int], replayer: Replayer) -> bool:
    """Return whether the process survives these steps without some, on which no other depends."""
    kept = _without(steps, left_out)
    for _ in range(ATTEMPTS):
        run = replayer.run(kept, fresh=True)
        if run.broken or run.crash is not None or len(run.steps) < len(kept):
            return False
    return True


def _without(steps: Sequence[Step], left_out: AbstractSet[int]) -> list[Step]:
    return [step for index, step in enumerate(steps) if index not in left_out]
