"""Minimisation as a pure function on artificial sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Returned, Step, groups
from clconform.calls.values import BusAddresses, Handle, Inside, Items, OutputBuffer, Value
from clconform.runner.deviations.minimising import Budget, minimise

if TYPE_CHECKING:
    from collections.abc import Callable

PLENTY = 10_000


def step(function: str, *uses: str, makes: tuple[str, ...] = (), **arguments: Value) -> Step:
    """Return a call that uses some objects and creates others."""
    values: dict[str, Value] = {f"use{number}": Handle(name) for number, name in enumerate(uses)}
    return Step(Call(function, {**values, **arguments}), Returned(0), list(makes))


def functions(steps: list[Step]) -> list[str]:
    return [one.call.function for one in steps]


def judge(fails: Callable[[list[Step]], bool]) -> tuple[Callable[[list[Step]], list[Step] | None], list[list[Step]]]:
    """Return a runner for an artificial driver, and the list of its candidates."""
    tried: list[list[Step]] = []

    def run(candidate: list[Step]) -> list[Step] | None:
        tried.append(candidate)
        return candidate if fails(candidate) else None

    return run, tried


def test_calls_that_the_failure_does_not_need_are_left_out() -> None:
    sequence = [step("noise"), step("cause"), *[step("noise")] * 9, step("failure")]
    run, _ = judge(lambda steps: "cause" in functions(steps) and functions(steps)[-1] == "failure")
    assert functions(minimise(sequence, run, Budget(60, PLENTY))) == ["cause", "failure"]


def test_calls_that_are_only_needed_together_stay_together() -> None:
    sequence = [step("noise"), *[step("retain")] * 7, step("noise"), step("retain")]
    run, _ = judge(lambda steps: functions(steps).count("retain") >= 3)
    assert functions(minimise(sequence, run, Budget(60, PLENTY))) == ["retain"] * 3


def test_the_call_to_blame_always_stays_last() -> None:
    sequence = [step("failure"), step("noise"), step("failure")]
    run, tried = judge(lambda steps: functions(steps)[-1] == "failure")
    assert functions(minimise(sequence, run, Budget(60, PLENTY))) == ["failure"]
    assert all(functions(candidate)[-1] == "failure" for candidate in tried)


def test_the_call_alone_with_what_made_its_objects_is_tried_first() -> None:
    made = [step("make", makes=("context1",)), *[step("noise", "context1")] * 9, step("made", "context1", makes=("q",))]
    sequence = [*made, *[step("noise", "q")] * 50, step("failure", "q")]
    run, tried = judge(lambda steps: functions(steps)[-1] == "failure")
    assert functions(minimise(sequence, run, Budget(60, PLENTY)))[-1] == "failure"
    assert functions(tried[0]) == ["make", "made", "failure"]


def test_then_the_call_with_what_was_done_to_its_objects() -> None:
    sequence = [
        step("clCreateContext", makes=("context1",)),
        step("clCreateProgram", "context1", makes=("program1",)),
        step("clCreateProgram", "context1", makes=("program2",)),
        step("clCreateHeader", "context1", makes=("header1",)),
        *[step("clRetainContext", "context1")] * 9,
        *[step("clGetProgramInfo", "program2")] * 9,
        step("clCompile", "program2", "header1"),
        *[step("clCompile", "program1", "header1")] * 9,
        step("clBuild", "program2"),
    ]
    run, tried = judge(lambda steps: "clCompile" in functions(steps))
    found = functions(minimise(sequence, run, Budget(60, 2)))
    assert found == ["clCreateContext", "clCreateProgram", "clCreateHeader", "clCompile", "clBuild"]
    assert functions(tried[0]) == ["clCreateContext", "clCreateProgram", "clBuild"]


def test_a_call_goes_with_the_one_that_made_what_it_uses() -> None:
    sequence = [
        step("make", makes=("thing1",)),
        step("use", "thing1", makes=("thing2",)),
        step("use", "thing2"),
        step("make", makes=("thing3",)),
        step("failure", "thing3"),
    ]
    run, tried = judge(lambda steps: functions(steps)[-1] == "failure" and steps[-1].call.use0 in made(steps))
    assert functions(minimise(sequence, run, Budget(60, PLENTY))) == ["make", "failure"]
    for candidate in tried:
        known: set[str] = set()
        for one in candidate[:-1]:
            used = {value.name for value in one.call.arguments.values() if isinstance(value, Handle)}
            assert used <= known
            known.update(one.binds)


def test_a_call_goes_with_the_one_that_told_its_address_on_the_bus() -> None:
    place = BusAddresses(Inside(Handle("bus1"), 8), Handle("bus2"))
    sequence = [
        *(step("tell", makes=(f"bus{number}",)) for number in (1, 2, 3)),
        step("make", makes=("thing1",), host_ptr=place),
        step("failure", "thing1"),
    ]
    run, _ = judge(lambda steps: functions(steps)[-1] == "failure" and steps[-1].call.use0 in made(steps))
    short = minimise(sequence, run, Budget(60, PLENTY))
    assert [one.binds for one in short] == [["bus1"], ["bus2"], ["thing1"], []]


def made(steps: list[Step]) -> list[Handle]:
    return [Handle(name) for one in steps for name in one.binds]


@pytest.mark.parametrize(
    ("before", "needs", "after"),
    [
        ({"number": 100}, lambda call: call.number >= 7, {"number": 7}),
        ({"number": -9}, lambda call: call.number < 0, {"number": -1}),
        (
            {"output_buffer": OutputBuffer(64)},
            lambda call: call.output_buffer is not None and call.output_buffer.count >= 3,
            {"output_buffer": OutputBuffer(3)},
        ),
        ({"output_buffer": OutputBuffer(64)}, lambda _call: True, {"output_buffer": None}),
        (
            {"items": Items((5, 9, 9, 0))},
            lambda call: call.items.values[:1] == (5,) and call.items.values[-1:] == (0,),
            {"items": Items((5, 0))},
        ),
        ({"items": Items((8, 0))}, lambda call: len(call.items.values) == 2, {"items": Items((1, 0))}),
        (
            {"bus": BusAddresses(Inside(Handle("bus1"), 2048), Inside(Handle("bus2"), 9))},
            lambda call: isinstance(call.bus.surface, Inside),
            {"bus": BusAddresses(Inside(Handle("bus1"), 1), Handle("bus2"))},
        ),
    ],
)
def test_arguments_become_simpler_as_far_as_the_failure_lasts(
    before: dict[str, Value], needs: Callable[[Call], bool], after: dict[str, Value]
) -> None:
    run, _ = judge(lambda steps: needs(steps[-1].call))
    (short,) = minimise([Step(Call("failure", before), Returned(0))], run, Budget(60, PLENTY))
    assert short.call.arguments == after


def test_memory_that_a_kernel_may_use_keeps_its_size() -> None:
    making = step("clCreateBuffer", size=64, flags=4)
    launch = step("clEnqueueNDRangeKernel", work_dim=3)
    run, _ = judge(lambda steps: len(steps) == 2)
    launched = minimise([making, launch], run, Budget(60, PLENTY))
    assert [one.call.arguments for one in launched] == [{"size": 64, "flags": 1}, {"work_dim": 1}]
    released = minimise([making, step("clReleaseMemObject")], run, Budget(60, PLENTY))
    assert released[0].call.arguments == {"size": 1, "flags": 1}


def test_where_nothing_shorter_fails_the_sequence_stays_as_it_is() -> None:
    sequence = [step("a"), step("b"), step("failure")]
    run, _ = judge(lambda steps: functions(steps) == ["a", "b", "failure"])
    assert minimise(sequence, run, Budget(60, PLENTY)) == sequence


def test_no_candidate_is_run_twice() -> None:
    sequence = [*[step("noise")] * 6, step("cause"), step("failure", number=9)]
    run, tried = judge(lambda steps: "cause" in functions(steps))
    minimise(sequence, run, Budget(60, PLENTY))
    marks = [tuple((one.call.function, tuple(one.call.arguments.items())) for one in candidate) for candidate in tried]
    assert len(set(marks)) == len(marks)


def test_the_budget_of_runs_is_kept_and_the_best_so_far_is_returned() -> None:
    sequence = [*[step(f"noise{number}") for number in range(64)], step("failure")]
    run, tried = judge(lambda steps: functions(steps)[-2:] == ["noise63", "failure"])
    short = minimise(sequence, run, Budget(60, 2))
    assert len(tried) == 2
    assert 1 < len(short) < len(sequence)
    run, tried = judge(lambda _steps: True)
    assert minimise(sequence, run, Budget(0, PLENTY)) == sequence
    assert not tried


def test_a_run_that_fails_earlier_makes_the_sequence_shorter_at_once() -> None:
    sequence = [step("a"), step("b"), step("c"), step("failure")]
    short = minimise(sequence, lambda candidate: candidate[:1] if candidate else None, Budget(60, PLENTY))
    assert len(short) == 1


def at_once(*steps: Step, number: int = 1) -> list[Step]:
    return [msgspec.structs.replace(one, together=number) for one in steps]


def test_calls_made_at_the_same_time_are_left_out_one_by_one() -> None:
    sequence = [step("noise"), *at_once(*[step("ask")] * 3, step("failure"))]
    run, _ = judge(lambda steps: "ask" in functions([one for one in steps if one.together]))
    short = minimise(sequence, run, Budget(60, PLENTY))
    assert [(one.call.function, one.together) for one in short] == [("ask", 1)]


def test_calls_that_fail_one_after_another_too_are_made_so() -> None:
    run, _ = judge(lambda steps: functions(steps).count("ask") >= 2)
    short = minimise(at_once(*[step("ask")] * 4), run, Budget(60, PLENTY))
    assert [len(group) for group in groups(short)] == [1, 1]


def test_calls_that_fail_only_at_the_same_time_stay_a_group() -> None:
    run, _ = judge(lambda steps: any(len(group) > 1 for group in groups(steps)))
    first, second = at_once(*[step("ask")] * 2), at_once(*[step("ask")] * 3, number=2)
    short = minimise([*first, *second], run, Budget(60, PLENTY))
    assert [len(group) for group in groups(short)] == [2]
