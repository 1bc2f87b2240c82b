"""Attributes a crash or a hang to an earlier call that the driver had to reject but accepted.

The sequence is repeated without such calls. If all other calls then return, the acceptance causes the crash or the
hang: it is a deviation itself, and the crash or hang is attributed to it. The same applies if the call that does not
return uses an object created by such a call, because the specification does not define the use of an invalid object.
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

ACCEPTED = "all calls return without one that the driver should have rejected but accepted"
MADE = "the call that does not return uses an object of a call that the driver should have rejected but accepted"
NOTES = (ACCEPTED, MADE)
EARLIER = "not seen in new processes; the original process had accepted calls that it should have rejected: {}"
ATTEMPTS = 2
"""Number of repetitions without the accepted calls in which all other calls must return."""
MOST_TRIED = 8
"""Maximum number of accepted calls that are left out one at a time."""


class Left(NamedTuple):
    """The deviation of an accepted call to which a crash or a hang is attributed; ``note``: why, one of ``NOTES``."""

    deviation: Deviation
    note: str


def may_be_left(sequence: Sequence[Step], others: Iterable[Deviation]) -> bool:
    """Return whether an accepted call may have caused a crash or a hang, by the other deviations in repetitions."""
    accepted = {function_in(other.key) for other in others if _is_accepted(other.key, other.allowed)}
    return any(step.call.function in accepted for step in sequence[:-1])


def of_that_process(deviation: Deviation) -> str:
    """Return a note on calls that the process had accepted before a crash or a hang that did not repeat; or empty."""
    return EARLIER.format(", ".join(sorted(deviation.accepted_before))) if deviation.accepted_before else ""


def left_by_an_accepted_call(key: str, item: str, sequence: Sequence[Step], replayer: Replayer) -> Left | None:
    """Return the deviation of a wrongly accepted call that causes the crash or hang with this ``key``; else None.

    Either all other calls return without it, or the call that does not return uses an object that it has created.
    ``sequence`` ends with the crash or the hang.
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
    """Return whether a deviation is the success of a call that should have failed."""
    return symptom_in(key) == SUCCESS and SUCCESS not in allowed


def _all_return(steps: Sequence[Step], left_out: AbstractSet[int], replayer: Replayer) -> bool:
    """Return whether all other calls return if the calls in ``left_out``, on which none depends, are left out."""
    kept = _without(steps, left_out)
    for _ in range(ATTEMPTS):
        run = replayer.run(kept, fresh=True)
        if run.broken or run.ended_by is not None or len(run.steps) < len(kept):
            return False
    return True


def _without(steps: Sequence[Step], left_out: AbstractSet[int]) -> list[Step]:
    return [step for index, step in enumerate(steps) if index not in left_out]
