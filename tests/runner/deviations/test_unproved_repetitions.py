"""Repetitions are inconclusive if they do not reach the deviating call, or if the device is lost there.

On revision 9a89dfee a deviation was flaky after such a repetition, and deviating after no repetition.
"""

from __future__ import annotations

import pytest

from clconform.calls.call import Absent, Begun, Call, Died, Hung, Outcome, Output, Returned, Step
from clconform.runner.deviations.replay import ReplayResult
from clconform.runner.deviations.unproved_repetitions import find_obstacle

CREATE, RETAIN, QUERY = (Call(f"cl{name}", {}) for name in ("CreateContext", "RetainContext", "GetContextInfo"))
CREATED = Returned("context1", {"errcode_ret": Output([0], 4)})
NO_CONTEXT = Returned(None, {"errcode_ret": Output([-5], 4)})
SEQUENCE = [Step(CREATE, CREATED), Step(RETAIN, Returned(0)), Step(QUERY, Returned(-30))]


def run_of(*outcomes: Outcome) -> ReplayResult:
    """Return the result of a repetition of SEQUENCE with these outcomes."""
    steps = [Step(step.call, outcome) for step, outcome in zip(SEQUENCE, outcomes, strict=False)]
    return ReplayResult(steps, [{} for _ in steps], sequence=SEQUENCE)


@pytest.mark.parametrize(
    "last", [Returned(0), Returned(-34), Died("signal", "SIGSEGV"), Hung(5.0)], ids=lambda last: type(last).__name__
)
def test_repetition_that_reaches_the_call_proves_that_the_deviation_is_flaky(last: Outcome) -> None:
    assert find_obstacle(SEQUENCE, run_of(CREATED, Returned(0), last)) == ""


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ((NO_CONTEXT,), "clCreateContext had the result CL_OUT_OF_RESOURCES instead of success"),
        ((CREATED, Returned(-2), Returned(0)), "clRetainContext had the result CL_DEVICE_NOT_AVAILABLE"),
        ((CREATED, Died("signal", "SIGSEGV")), "clRetainContext had the result a crash instead of success"),
        ((CREATED, Hung(5.0)), "clRetainContext had the result a hang instead of success"),
        ((CREATED, Absent("no-entry", "gone"), Returned(0)), "a missing function instead of success"),
        ((CREATED, Returned(0)), "the repetition ended before the call"),
        ((CREATED, Returned(0), Died("killed", "SIGKILL")), "was killed from outside in clGetContextInfo"),
        ((CREATED, Returned(0), Returned(-6)), "clGetContextInfo had the result CL_OUT_OF_HOST_MEMORY"),
        ((CREATED, Returned(0), Returned(-2)), "clGetContextInfo had the result CL_DEVICE_NOT_AVAILABLE"),
    ],
)
def test_repetition_with_other_results_before_the_call_proves_nothing(
    outcomes: tuple[Outcome, ...], reason: str
) -> None:
    assert reason in find_obstacle(SEQUENCE, run_of(*outcomes))


def test_repetition_without_an_undefined_call_proves_nothing() -> None:
    run = run_of(CREATED)
    run.obstacle, run.obstacle_index = "undefined", 1
    assert find_obstacle(SEQUENCE, run) == "clRetainContext could not be repeated: undefined"


def test_earlier_result_is_the_reason_why_a_later_call_is_undefined() -> None:
    run = run_of(NO_CONTEXT)
    run.obstacle, run.obstacle_index = "undefined", 1
    reason = "not reached again: clCreateContext had the result CL_OUT_OF_RESOURCES instead of success"
    assert find_obstacle(SEQUENCE, run) == reason


def test_inserted_calls_and_calls_on_host_threads_are_not_compared_by_their_results() -> None:
    sequence = [Step(CREATE, CREATED), Step(QUERY, Begun(1), host_thread=1), Step(QUERY, Returned(-30))]
    steps = [sequence[0], Step(RETAIN, Returned(-5)), Step(QUERY, Begun(7), host_thread=1), Step(QUERY, Returned(0))]
    assert find_obstacle(sequence, ReplayResult(steps, [{} for _ in steps], extra_steps=[1])) == ""
