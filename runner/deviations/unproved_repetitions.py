"""Finds inconclusive repetitions: they have not reached the deviating call in the same way.

A repetition without the deviation shows that the deviation is flaky only if all earlier calls returned as before, and
the last call had an outcome of its own. If a device was lost, calls fail that have nothing to do with the deviation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Died, Hung, Returned
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.runner.session.outcome_values import error_code
from clconform.spec_tables.conditions import NO_DEVICE_CODES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Step
    from clconform.runner.deviations.replay import ReplayResult

KILLED = "killed"


def find_obstacle(sequence: Sequence[Step], run: ReplayResult) -> str:
    """Return why a run without the deviation of a sequence is inconclusive; empty if it shows that it does not repeat.

    ``sequence``: the calls that were repeated, without those that were left out.
    """
    made = [step for index, step in enumerate(run.steps) if index not in run.extra_steps]
    for before, now in zip(sequence[:-1], made, strict=False):
        if before.call.function == now.call.function and end_of_step(before) != end_of_step(now):
            end, once = end_of_step(now), end_of_step(before)
            return f"not reached again: {now.call.function} had the result {end} instead of {once}"
    if run.obstacle:
        return f"{sequence[run.obstacle_index].call.function} could not be repeated: {run.obstacle}"
    if len(made) < len(sequence):
        return "not reached again: the repetition ended before the call"
    last, end = made[-1], end_of_step(made[-1])
    if isinstance(last.outcome, Died) and last.outcome.how == KILLED:
        return f"the process was killed from outside in {last.call.function}"
    if end in NO_DEVICE_CODES and end != end_of_step(sequence[-1]):
        return f"not reached again: {last.call.function} had the result {end}"
    return ""


def end_of_step(step: Step) -> str:
    """Return how a call ended, as text: its error code, or how the process ended.

    Successful calls, and harness actions that returned, have the same text.
    """
    match step.outcome:
        case Died():
            return "a crash"
        case Hung():
            return "a hang"
        case Absent():
            return "a missing function"
        case Returned():
            harmless = step.call.function in HOST_ACTIONS
            return "success" if harmless else error_code(step.outcome) or "success"
    return "a begun call"
