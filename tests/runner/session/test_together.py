"""Concurrent queries: each is judged, and a stored group is replayed concurrently and minimised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, Output, Returned, Step, groups
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Target
from clconform.runner.deviations.confirming import ATTEMPTS, find
from clconform.runner.deviations.replay import Replayer
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.steps import steps_of, with_last
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.journal import Deviation
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

UNITS = load().enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
PARAMETERS = [parameter.name for parameter in load().functions["clGetDeviceInfo"].parameters]
SHORT_BUFFERS = "short-buffers-are-accepted"
OTHER_ANSWER = "other-threads-get-another-answer"
DEATH = "dies-on-unknown-names"


def units(output_buffer: int = 4) -> Call:
    values = (Handle("device1"), UNITS, output_buffer, OutputBuffer(output_buffer), OutputBuffer(1))
    return Call("clGetDeviceInfo", dict(zip(PARAMETERS, values, strict=True)))


def unknown() -> Call:
    return Call("clGetDeviceInfo", {**units().arguments, "param_name": 1 << 30})


def deviations(session: Session) -> list[Deviation]:
    assert isinstance(session.observer, Recorder)
    return list(session.observer.deviations.values())


def test_every_call_of_a_group_is_judged_and_kept(start: Starter) -> None:
    session = start()
    session.begin_example()
    assert isinstance(session.observer, Recorder)
    before, judged = session.calls, session.observer.calls
    outcomes = session.together([units(), units(3), units()])
    assert [outcome.value for outcome in outcomes if isinstance(outcome, Returned)] == [0, -30, 0]
    assert (session.calls - before, session.observer.calls - judged) == (3, 3)
    assert [step.together for step in session.steps] == [1, 1, 1]
    session.together([units(), units()])
    assert [step.together for step in session.steps] == [1, 1, 1, 2, 2]
    assert deviations(session) == []


def test_one_call_is_made_alone_and_none_makes_no_call(start: Starter) -> None:
    session = start()
    session.begin_example()
    assert session.together([]) == []
    session.together([units()])
    assert [step.together for step in session.steps] == [0]


def test_what_may_change_other_calls_is_not_made_at_the_same_time(start: Starter) -> None:
    session = start()
    session.begin_example()
    with pytest.raises(ValueError, match="clUnloadCompiler"):
        session.together([units(), Call("clUnloadCompiler", {})])
    assert session.steps == []


def test_one_undefined_call_keeps_all_from_being_made(start: Starter) -> None:
    session = start()
    session.begin_example()
    with pytest.raises(UndefinedCallError):
        session.together([units(), Call("clGetDeviceInfo", {**units().arguments, "param_value": OutputBuffer(1)})])
    assert session.steps == []


def test_a_sequence_is_made_again_in_its_groups() -> None:
    alone = Step(units(), Returned(0))
    pair, other = Step(units(), Returned(0), together=1), Step(units(), Returned(0), together=2)
    assert [len(group) for group in groups([alone, pair, pair, other, alone, alone])] == [1, 2, 1, 1, 1]


def test_a_step_of_an_older_journal_was_made_alone() -> None:
    older = msgspec.to_builtins(Step(units(), Returned(0), together=3))
    assert older.pop("together") == 3
    assert msgspec.convert(older, Step) == Step(units(), Returned(0))


def test_the_call_to_blame_stands_last_wherever_it_was_in_its_group(start: Starter) -> None:
    session = start(fault=SHORT_BUFFERS)
    session.begin_example()
    session.ask(units())
    session.together([units(3), units(), units()])
    (deviation,) = deviations(session)
    assert [step.call for step in deviation.sequence] == [units(), units(), units(), units(3)]
    assert [step.together for step in deviation.sequence] == [0, 1, 1, 1]


def test_objects_are_bound_by_the_step_that_shows_them_first_in_each_order() -> None:
    shows = [Returned(0, {"param_value": Output([name])}) for name in ("context1", "context1", "queue1")]
    group = steps_of([(units(), outcome) for outcome in shows], {"device1"}, 5)
    assert [step.binds for step in group] == [["context1"], [], ["queue1"]]
    turned = with_last(group, 0, {"device1"})
    assert [(step.outcome, step.binds) for step in turned] == [
        (shows[1], ["context1"]),
        (shows[2], ["queue1"]),
        (shows[0], []),
    ]
    assert {step.together for step in turned} == {5}


def test_a_deviation_of_one_of_a_group_is_found_again_with_the_group(start: Starter) -> None:
    session = start()
    session.begin_example()
    session.together([units(3), units()])
    replayer = Replayer(Target.simulated("numa-16", "--fault", SHORT_BUFFERS), load())
    try:
        replayed = replayer.run(session.steps)
    finally:
        replayer.close()
    assert [step.together for step in replayed.steps] == [1, 1]
    (key,) = replayed.keys[0]
    assert "CL_INVALID_VALUE/1" in key
    assert [step.call for step in replayed.up_to(key)] == [units(), units(3)]


def test_a_deviation_that_needs_no_threads_is_reduced_to_a_call_made_alone(start: Starter) -> None:
    session = start(fault=SHORT_BUFFERS)
    session.begin_example()
    session.together([units(), units(3), units(), units()])
    (deviation,) = deviations(session)
    finding, others = find(deviation, Target.simulated("numa-16", "--fault", SHORT_BUFFERS), load(), seconds=60)
    assert (finding.verdict, finding.repeated, others) == ("deviates", ATTEMPTS, [])
    assert [step.together for step in finding.sequence] == [0]


def test_another_answer_for_the_second_thread_is_found_and_stays_a_group(start: Starter) -> None:
    session = start(fault=OTHER_ANSWER)
    session.begin_example()
    for _ in range(2):
        session.ask(units())
    assert deviations(session) == []
    session.together([units()] * 4)
    (deviation,) = deviations(session)
    assert deviation.records == ["CL_DEVICE_MAX_COMPUTE_UNITS"]
    finding, _ = find(deviation, Target.simulated("numa-16", "--fault", OTHER_ANSWER), load(), seconds=60)
    assert (finding.verdict, finding.repeated) == ("deviates", ATTEMPTS)
    assert [step.together for step in finding.sequence] == [1, 1]


def test_a_driver_that_goes_takes_all_with_it_and_the_first_is_judged(start: Starter) -> None:
    session = start(fault=DEATH)
    session.begin_example()
    with pytest.raises(ExampleOverError, match="SIGSEGV"):
        session.together([units(), unknown(), units()])
    (deviation,) = deviations(session)
    assert deviation.verdict == "crashes"
    assert deviation.allowed[0] == "CL_SUCCESS"
    assert [step.call for step in deviation.sequence] == [units(), unknown(), units()]
    assert [type(step.outcome) for step in session.steps] == [Died] * 3
    finding, _ = find(deviation, Target.simulated("numa-16", "--fault", DEATH), load(), seconds=60)
    assert (finding.verdict, finding.repeated) == ("crashes", ATTEMPTS)
    assert [(step.call.param_name, step.together) for step in finding.sequence] == [(1 << 30, 0)]
