"""Finds out whether a crash or a hang was caused by an earlier call that the driver had to refuse but accepted.

The calls are repeated without those: where all of them then return, it is the acceptance that is to blame, which is a
deviation of its own, and not the call that does not return. The same holds where that call uses an object made by such
a call: no document says what works with an object that must not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.deviation_keys import function_in, symptom_in
from clconform.oracles.engine.judgements import SUCCESS
from clconform.runner.deviations.minimising import is_closed, needed_by_the_last
from clconform.runner.journal.recorder import as_deviation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from clconform.calls.call import Step
    from clconform.calls.journal import Deviation
    from clconform.runner.deviations.replay import Replayer

ACCEPTED = "all calls return if one is left out that the driver had to refuse but accepted"
MADE = "the call that does not return uses an object made by a call that the driver had to refuse but accepted"
NOTES = (ACCEPTED, MADE)
EARLIER = "not met in new processes; the one in which it was met had earlier accepted calls that it had to refuse: {}"
ATTEMPTS = 2
"""How often all calls must return without those that were accepted."""
MOST_TRIED = 8
"""How many calls that were accepted are left out one by one."""


class Left(NamedTuple):
    """The deviation of an accepted call that is to blame for a crash or a hang, and why, one of ``NOTES``."""

    deviation: Deviation
    note: str


def may_be_left(sequence: Sequence[Step], others: Iterable[Deviation]) -> bool:
    """Return whether a crash or a hang may be what an accepted call has left, by what else its repetitions showed."""
    accepted = {function_in(other.key) for other in others if _is_accepted(other.key, other.allowed)}
    return any(step.call.function in accepted for step in sequence[:-1])


def of_that_process(deviation: Deviation) -> str:
    """Return, in words, what the process had accepted in which a crash or a hang was met that did not repeat."""
    return EARLIER.format(", ".join(sorted(deviation.accepted_before))) if deviation.accepted_before else ""


def left_by_an_accepted_call(key: str, item: str, sequence: Sequence[Step], replayer: Replayer) -> Left | None:
    """Return the deviation of a call that had to be refused, if the crash or the hang with that ``key`` is its doing.

    Without that call all others return, or the one that does not has an object that it has made. ``sequence`` ends with
    the crash or the hang.
    """
    run = replayer.run(sequence, fresh=True)
    if run.ended_by is None or run.ended_by[0] != key:
        return None
    accepted = {
        index: shown
        for index, met in enumerate(run.keys[:-1])
        for shown, blame in met.items()
        if _is_accepted(shown, blame.allowed)
    }
    apart = {index: shown for index, shown in accepted.items() if is_closed(_without(run.steps, {index}), run.steps)}
    if apart and _all_return(run.steps, apart.keys(), replayer):
        alone = [index for index in list(apart)[-MOST_TRIED:] if _all_return(run.steps, {index}, replayer)]
        found, note = apart[(alone or list(apart))[-1]], ACCEPTED
    else:
        needed = needed_by_the_last(run.steps)
        found, note = next((accepted[index] for index in reversed(accepted) if run.steps[index] in needed), ""), MADE
    blame = run.blame(found) if found else None
    if blame is None:
        return None
    return Left(as_deviation(item, found, blame, run.up_to(found), while_confirming=True), note)


def _is_accepted(key: str, allowed: Collection[str]) -> bool:
    """Return whether a deviation is the success of a call that had to fail."""
    return symptom_in(key) == SUCCESS and SUCCESS not in allowed


def _all_return(steps: Sequence[Step], left_out: AbstractSet[int], replayer: Replayer) -> bool:
    """Return whether all calls return if some are left out, on which no other depends."""
    kept = _without(steps, left_out)
    for _ in range(ATTEMPTS):
        run = replayer.run(kept, fresh=True)
        if run.broken or run.ended_by is not None or len(run.steps) < len(kept):
            return False
    return True


def _without(steps: Sequence[Step], left_out: AbstractSet[int]) -> list[Step]:
    return [step for index, step in enumerate(steps) if index not in left_out]
