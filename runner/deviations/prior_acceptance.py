"""Attributes a crash or a hang to an earlier call that the driver had to reject but accepted.

The sequence is repeated without such calls. If all other calls then return, the acceptance causes the crash or the
hang. The acceptance is a deviation itself, and the crash or the hang is attributed to it. The crash or the hang is also
attributed to the acceptance if the call that does not return uses an object that the accepted call has created, because
the specification does not define the use of an invalid object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.deviation_keys import parse_function, parse_symptom
from clconform.oracles.engine.judgements import SUCCESS
from clconform.runner.deviations.minimisation import calls_needed_by_last, is_closed
from clconform.runner.journal.recorder import create_deviation_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from clconform.calls.call import Step
    from clconform.calls.journal import Deviation
    from clconform.runner.deviations.replay import Replayer

RETURNS_WITHOUT_ACCEPTED = "all calls return without one that the driver should have rejected but accepted"
USES_ACCEPTED_OBJECT = (
    "the call that does not return uses an object of a call that the driver should have rejected but accepted"
)
NOTES = (RETURNS_WITHOUT_ACCEPTED, USES_ACCEPTED_OBJECT)
ACCEPTED_EARLIER = "not seen in new processes; the original process had accepted calls that it should have rejected: {}"
ATTEMPTS = 2
"""Number of repetitions without the accepted calls in which all other calls must return."""
MAX_LEFT_OUT = 8
"""Maximum number of accepted calls that are left out one at a time."""


class AcceptedCall(NamedTuple):
    """The deviation of an accepted call to which a crash or a hang is attributed.

    ``note``: the reason for the attribution, one of ``NOTES``.
    """

    deviation: Deviation
    note: str


def may_follow_acceptance(sequence: Sequence[Step], others: Iterable[Deviation]) -> bool:
    """Return whether a call before the crash or the hang had an unexpected success, according to ``others``.

    ``sequence``: the calls up to the crash or the hang. ``others``: the other deviations that repetitions have shown.
    """
    accepted = {parse_function(other.key) for other in others if _is_unexpected_success(other.key, other.allowed)}
    return any(step.call.function in accepted for step in sequence[:-1])


def describe_accepted_before(deviation: Deviation) -> str:
    """Return a note on the invalid calls that the process accepted before; empty if there are none."""
    return ACCEPTED_EARLIER.format(", ".join(sorted(deviation.accepted_before))) if deviation.accepted_before else ""


def find_accepted_cause(key: str, item: str, sequence: Sequence[Step], replayer: Replayer) -> AcceptedCall | None:
    """Return the accepted call that causes the crash or the hang with this ``key``; None if there is none.

    An accepted call is the cause in two cases. Either all other calls return without the accepted call, or the call
    that does not return uses an object that the accepted call has created. ``sequence`` ends with the crash or the
    hang.
    """
    run = replayer.run(sequence, fresh=True)
    if run.final_deviation is None or run.final_deviation[0] != key:
        return None
    accepted = {
        index: shown
        for index, met in enumerate(run.deviations_by_step[:-1])
        for shown, deviation in met.items()
        if _is_unexpected_success(shown, deviation.allowed)
    }
    apart = {
        index: shown for index, shown in accepted.items() if is_closed(_without_steps(run.steps, {index}), run.steps)
    }
    if apart and _do_all_return(run.steps, apart.keys(), replayer):
        alone = [index for index in list(apart)[-MAX_LEFT_OUT:] if _do_all_return(run.steps, {index}, replayer)]
        found, note = apart[(alone or list(apart))[-1]], RETURNS_WITHOUT_ACCEPTED
    else:
        needed = calls_needed_by_last(run.steps)
        found, note = (
            next((accepted[index] for index in reversed(accepted) if run.steps[index] in needed), ""),
            USES_ACCEPTED_OBJECT,
        )
    deviation = run.first_deviation(found) if found else None
    if deviation is None:
        return None
    return AcceptedCall(
        create_deviation_line(item, found, deviation, run.steps_up_to(found), while_confirming=True), note
    )


def _is_unexpected_success(key: str, allowed: Collection[str]) -> bool:
    """Return whether a deviation is the success of a call that should have failed."""
    return parse_symptom(key) == SUCCESS and SUCCESS not in allowed


def _do_all_return(steps: Sequence[Step], left_out: AbstractSet[int], replayer: Replayer) -> bool:
    """Return whether all calls return in a replay without the calls in ``left_out``.

    The remaining calls do not depend on the calls in ``left_out``.
    """
    kept = _without_steps(steps, left_out)
    for _ in range(ATTEMPTS):
        run = replayer.run(kept, fresh=True)
        if run.obstacle or run.final_deviation is not None or len(run.steps) < len(kept):
            return False
    return True


def _without_steps(steps: Sequence[Step], left_out: AbstractSet[int]) -> list[Step]:
    return [step for index, step in enumerate(steps) if index not in left_out]
