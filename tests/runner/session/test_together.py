"""Concurrent queries: each is judged, and a stored group is replayed concurrently and minimised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, Output, Returned, Step, group_steps
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Target
from clconform.runner.deviations.confirmation_steps import ATTEMPTS, confirm_sequence
from clconform.runner.deviations.replay import Replayer, ReplayTarget
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.steps import create_steps, move_to_end
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.journal import Deviation
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

UNITS = load().enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
PARAMETERS = [parameter.name for parameter in load().functions["clGetDeviceInfo"].parameters]
SHORT_BUFFERS = "short-query-buffer-accepted"
OTHER_ANSWER = "concurrent-query-value-off-by-one"
DEATH = "unknown-query-name-crashes"


def units_query(output_buffer: int = 4) -> Call:
    values = (Handle("device1"), UNITS, output_buffer, OutputBuffer(output_buffer), OutputBuffer(1))
    return Call("clGetDeviceInfo", dict(zip(PARAMETERS, values, strict=True)))


def unknown_query() -> Call:
    return Call("clGetDeviceInfo", {**units_query().arguments, "param_name": 1 << 30})


def recorded_deviations(session: Session) -> list[Deviation]:
    assert isinstance(session.observer, Recorder)
    return list(session.observer.deviations.values())


def test_every_call_of_concurrent_group_is_judged(start: Starter) -> None:
    session = start()
    session.begin_example()
    assert isinstance(session.observer, Recorder)
    before, judged = session.call_count, session.observer.calls
    outcomes = session.call_concurrently([units_query(), units_query(3), units_query()])
    assert [outcome.value for outcome in outcomes if isinstance(outcome, Returned)] == [0, -30, 0]
    assert (session.call_count - before, session.observer.calls - judged) == (3, 3)
    assert [step.together for step in session.sequence.steps] == [1, 1, 1]
    session.call_concurrently([units_query(), units_query()])
    assert [step.together for step in session.sequence.steps] == [1, 1, 1, 2, 2]
    assert recorded_deviations(session) == []


def test_group_of_one_call_is_sequential_and_empty_group_is_allowed(start: Starter) -> None:
    session = start()
    session.begin_example()
    assert session.call_concurrently([]) == []
    session.call_concurrently([units_query()])
    assert [step.together for step in session.sequence.steps] == [0]


def test_conflicting_concurrent_calls_are_rejected(start: Starter) -> None:
    session = start()
    session.begin_example()
    with pytest.raises(ValueError, match="clUnloadCompiler"):
        session.call_concurrently([units_query(), Call("clUnloadCompiler", {})])
    assert session.sequence.steps == []


def test_group_with_undefined_call_is_rejected(start: Starter) -> None:
    session = start()
    session.begin_example()
    with pytest.raises(UndefinedCallError):
        session.call_concurrently(
            [units_query(), Call("clGetDeviceInfo", {**units_query().arguments, "param_value": OutputBuffer(1)})]
        )
    assert session.sequence.steps == []


def test_successive_steps_of_one_concurrent_group_are_replayed_together() -> None:
    alone = Step(units_query(), Returned(0))
    pair, other = Step(units_query(), Returned(0), together=1), Step(units_query(), Returned(0), together=2)
    assert [len(group) for group in group_steps([alone, pair, pair, other, alone, alone])] == [1, 2, 1, 1, 1]


def test_step_of_older_journal_is_sequential() -> None:
    older = msgspec.to_builtins(Step(units_query(), Returned(0), together=3))
    assert older.pop("together") == 3
    assert msgspec.convert(older, Step) == Step(units_query(), Returned(0))


def test_deviating_call_is_moved_to_end_of_group(start: Starter) -> None:
    session = start(fault=SHORT_BUFFERS)
    session.begin_example()
    session.call(units_query())
    session.call_concurrently([units_query(3), units_query(), units_query()])
    (deviation,) = recorded_deviations(session)
    assert [step.call for step in deviation.sequence] == [units_query(), units_query(), units_query(), units_query(3)]
    assert [step.together for step in deviation.sequence] == [0, 1, 1, 1]


def test_first_step_that_returns_an_object_lists_its_name() -> None:
    shows = [Returned(0, {"param_value": Output([name])}) for name in ("context1", "context1", "queue1")]
    group = create_steps([(units_query(), outcome) for outcome in shows], {"device1"}, 5)
    assert [step.new_names for step in group] == [["context1"], [], ["queue1"]]
    turned = move_to_end(group, 0, {"device1"})
    assert [(step.outcome, step.new_names) for step in turned] == [
        (shows[1], ["context1"]),
        (shows[2], ["queue1"]),
        (shows[0], []),
    ]
    assert {step.together for step in turned} == {5}


def test_replay_reproduces_deviation_of_concurrent_call(start: Starter) -> None:
    session = start()
    session.begin_example()
    session.call_concurrently([units_query(3), units_query()])
    replayer = Replayer(ReplayTarget(Target.simulated("numa-16", "--fault", SHORT_BUFFERS), load()))
    try:
        replayed = replayer.run(session.sequence.steps)
    finally:
        replayer.close()
    assert [step.together for step in replayed.steps] == [1, 1]
    (key,) = replayed.deviations_by_step[0]
    assert "CL_INVALID_VALUE/1" in key
    assert [step.call for step in replayed.steps_up_to(key)] == [units_query(), units_query(3)]


def test_deviation_that_does_not_need_concurrency_is_minimised_to_one_call(start: Starter) -> None:
    session = start(fault=SHORT_BUFFERS)
    session.begin_example()
    session.call_concurrently([units_query(), units_query(3), units_query(), units_query()])
    (deviation,) = recorded_deviations(session)
    finding, others = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("numa-16", "--fault", SHORT_BUFFERS), load()), seconds=60
    )
    assert (finding.verdict, finding.repeated, others) == ("deviates", ATTEMPTS, [])
    assert [step.together for step in finding.sequence] == [0]


def test_deviation_that_needs_concurrency_is_minimised_to_a_group(start: Starter) -> None:
    session = start(fault=OTHER_ANSWER)
    session.begin_example()
    for _ in range(2):
        session.call(units_query())
    assert recorded_deviations(session) == []
    session.call_concurrently([units_query()] * 4)
    (deviation,) = recorded_deviations(session)
    assert deviation.requirements == ["CL_DEVICE_MAX_COMPUTE_UNITS"]
    finding, _ = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("numa-16", "--fault", OTHER_ANSWER), load()), seconds=60
    )
    assert (finding.verdict, finding.repeated) == ("deviates", ATTEMPTS)
    assert [step.together for step in finding.sequence] == [1, 1]


def test_crash_in_group_is_judged_as_crash_of_first_call(start: Starter) -> None:
    session = start(fault=DEATH)
    session.begin_example()
    with pytest.raises(ExampleOverError, match="SIGSEGV"):
        session.call_concurrently([units_query(), unknown_query(), units_query()])
    (deviation,) = recorded_deviations(session)
    assert deviation.verdict == "crashes"
    assert deviation.allowed[0] == "CL_SUCCESS"
    assert [step.call for step in deviation.sequence] == [units_query(), unknown_query(), units_query()]
    assert [type(step.outcome) for step in session.sequence.steps] == [Died] * 3
    finding, _ = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("numa-16", "--fault", DEATH), load()), seconds=60
    )
    assert (finding.verdict, finding.repeated) == ("crashes", ATTEMPTS)
    assert [(step.call.param_name, step.together) for step in finding.sequence] == [(1 << 30, 0)]
