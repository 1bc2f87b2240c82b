"""Queries asked at the same time: each is judged, a stored group is made together again, and a C program says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Step
from clconform.calls.values import Handle, Room
from clconform.harness import Target
from clconform.judge.errors import ExampleOverError
from clconform.judge.replay import Replayer, groups
from clconform.spec_tables import load

if TYPE_CHECKING:
    from .conftest import Starter

UNITS = load().enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
PARAMETERS = [parameter.name for parameter in load().functions["clGetDeviceInfo"].parameters]


def units(room: int = 4) -> Call:
    values = (Handle("device1"), UNITS, room, Room(room), Room(1))
    return Call("clGetDeviceInfo", dict(zip(PARAMETERS, values, strict=True)))


def test_every_call_of_a_group_is_judged_and_kept(start: Starter) -> None:
    session = start()
    session.begin_example()
    before = session.calls
    outcomes = session.together([units(), units(3), units()])
    assert session.calls - before == len(outcomes)
    assert [step.together for step in session.steps] == [1, 1, 1]
    session.together([units(), units()])
    assert [step.together for step in session.steps] == [1, 1, 1, 2, 2]


def test_what_may_change_other_calls_is_not_made_at_the_same_time(start: Starter) -> None:
    session = start()
    with pytest.raises(ValueError, match="clRetainDevice"):
        session.together([Call("clRetainDevice", {"device": Handle("device1")})])


def test_a_sequence_is_made_again_in_its_groups() -> None:
    alone = Step(units(), None)  # type: ignore[arg-type]
    pair = Step(units(), None, together=1)  # type: ignore[arg-type]
    other = Step(units(), None, together=2)  # type: ignore[arg-type]
    assert [len(group) for group in groups([alone, pair, pair, other, alone, alone])] == [1, 2, 1, 1, 1]


def test_a_deviation_of_one_of_a_group_is_found_again_with_the_group(start: Starter) -> None:
    session = start()
    session.begin_example()
    session.together([units(), units(3)])
    replayer = Replayer(Target.simulated("numa-16", "--fault", "little-room-is-enough-for-answers"), load())
    try:
        replayed = replayer.run(session.steps)
    finally:
        replayer.close()
    assert [step.together for step in replayed.steps] == [1, 1]
    (key,) = replayed.keys[1]
    assert "CL_INVALID_VALUE/1" in key
    assert len(replayed.up_to(key)) == len(replayed.steps)


def test_a_driver_that_goes_ends_the_example(start: Starter) -> None:
    session = start(fault="dies-on-unknown-names")
    with pytest.raises(ExampleOverError):
        session.together([units(), Call("clGetDeviceInfo", {**units().arguments, "param_name": 1 << 30})])
