"""Minimisation as a pure function on artificial sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Returned, Step, group_steps
from clconform.calls.values import BusAddresses, ElementList, Handle, OffsetPointer, OutputBuffer, Value
from clconform.runner.deviations.minimisation import MinimisingBudget, minimise, shorten_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE_BUDGET = 10_000


def create_step(function: str, *uses: str, makes: tuple[str, ...] = (), **arguments: Value) -> Step:
    """Return a step whose call uses the objects ``uses`` and creates the objects ``makes``."""
    values: dict[str, Value] = {f"use{number}": Handle(name) for number, name in enumerate(uses)}
    return Step(Call(function, {**values, **arguments}), Returned(0), list(makes))


def function_names(steps: list[Step]) -> list[str]:
    return [one.call.function for one in steps]


def create_runner(
    fails: Callable[[list[Step]], bool],
) -> tuple[Callable[[list[Step]], list[Step] | None], list[list[Step]]]:
    """Return a function that runs a sequence on an artificial driver, and the list of the sequences that it ran."""
    tried: list[list[Step]] = []

    def run(candidate: list[Step]) -> list[Step] | None:
        tried.append(candidate)
        return candidate if fails(candidate) else None

    return run, tried


def test_calls_without_effect_on_the_failure_are_removed() -> None:
    sequence = [create_step("noise"), create_step("cause"), *[create_step("noise")] * 9, create_step("failure")]
    run, _ = create_runner(lambda steps: "cause" in function_names(steps) and function_names(steps)[-1] == "failure")
    assert function_names(minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))) == ["cause", "failure"]


def test_jointly_needed_calls_are_not_removed() -> None:
    sequence = [create_step("noise"), *[create_step("retain")] * 7, create_step("noise"), create_step("retain")]
    run, _ = create_runner(lambda steps: function_names(steps).count("retain") >= 3)
    assert function_names(minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))) == ["retain"] * 3


def test_failing_call_is_last_in_every_tried_sequence() -> None:
    sequence = [create_step("failure"), create_step("noise"), create_step("failure")]
    run, tried = create_runner(lambda steps: function_names(steps)[-1] == "failure")
    assert function_names(minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))) == ["failure"]
    assert all(function_names(candidate)[-1] == "failure" for candidate in tried)


def test_first_tried_sequence_contains_only_last_call_and_calls_that_create_its_objects() -> None:
    made = [
        create_step("make", makes=("context1",)),
        *[create_step("noise", "context1")] * 9,
        create_step("made", "context1", makes=("q",)),
    ]
    sequence = [*made, *[create_step("noise", "q")] * 50, create_step("failure", "q")]
    run, tried = create_runner(lambda steps: function_names(steps)[-1] == "failure")
    assert function_names(minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET)))[-1] == "failure"
    assert function_names(tried[0]) == ["make", "made", "failure"]


def test_second_tried_sequence_adds_calls_that_change_the_used_objects() -> None:
    sequence = [
        create_step("clCreateContext", makes=("context1",)),
        create_step("clCreateProgram", "context1", makes=("program1",)),
        create_step("clCreateProgram", "context1", makes=("program2",)),
        create_step("clCreateHeader", "context1", makes=("header1",)),
        *[create_step("clRetainContext", "context1")] * 9,
        *[create_step("clGetProgramInfo", "program2")] * 9,
        create_step("clCompile", "program2", "header1"),
        *[create_step("clCompile", "program1", "header1")] * 9,
        create_step("clBuild", "program2"),
    ]
    run, tried = create_runner(lambda steps: "clCompile" in function_names(steps))
    found = function_names(minimise(sequence, run, MinimisingBudget(60, 2)))
    assert found == ["clCreateContext", "clCreateProgram", "clCreateHeader", "clCompile", "clBuild"]
    assert function_names(tried[0]) == ["clCreateContext", "clCreateProgram", "clBuild"]


def test_removal_of_creating_call_removes_calls_that_use_the_object() -> None:
    sequence = [
        create_step("make", makes=("thing1",)),
        create_step("use", "thing1", makes=("thing2",)),
        create_step("use", "thing2"),
        create_step("make", makes=("thing3",)),
        create_step("failure", "thing3"),
    ]
    run, tried = create_runner(
        lambda steps: function_names(steps)[-1] == "failure" and steps[-1].call.use0 in created_handles(steps)
    )
    assert function_names(minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))) == ["make", "failure"]
    for candidate in tried:
        known: set[str] = set()
        for one in candidate[:-1]:
            used = {value.name for value in one.call.arguments.values() if isinstance(value, Handle)}
            assert used <= known
            known.update(one.new_names)


def test_queries_of_used_bus_addresses_are_not_removed() -> None:
    place = BusAddresses(OffsetPointer(Handle("bus1"), 8), Handle("bus2"))
    sequence = [
        *(create_step("tell", makes=(f"bus{number}",)) for number in (1, 2, 3)),
        create_step("make", makes=("thing1",), host_ptr=place),
        create_step("failure", "thing1"),
    ]
    run, _ = create_runner(
        lambda steps: function_names(steps)[-1] == "failure" and steps[-1].call.use0 in created_handles(steps)
    )
    short = minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))
    assert [one.new_names for one in short] == [["bus1"], ["bus2"], ["thing1"], []]


def created_handles(steps: list[Step]) -> list[Handle]:
    return [Handle(name) for one in steps for name in one.new_names]


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
            {"items": ElementList((5, 9, 9, 0))},
            lambda call: call.items.values[:1] == (5,) and call.items.values[-1:] == (0,),
            {"items": ElementList((5, 0))},
        ),
        ({"items": ElementList((8, 0))}, lambda call: len(call.items.values) == 2, {"items": ElementList((1, 0))}),
        (
            {"bus": BusAddresses(OffsetPointer(Handle("bus1"), 2048), OffsetPointer(Handle("bus2"), 9))},
            lambda call: isinstance(call.bus.surface, OffsetPointer),
            {"bus": BusAddresses(OffsetPointer(Handle("bus1"), 1), Handle("bus2"))},
        ),
    ],
)
def test_arguments_are_simplified_while_the_failure_remains(
    before: dict[str, Value], needs: Callable[[Call], bool], after: dict[str, Value]
) -> None:
    run, _ = create_runner(lambda steps: needs(steps[-1].call))
    (short,) = minimise([Step(Call("failure", before), Returned(0))], run, MinimisingBudget(60, LARGE_BUDGET))
    assert short.call.arguments == after


def test_memory_size_is_not_reduced_if_a_kernel_follows() -> None:
    making = create_step("clCreateBuffer", size=64, flags=4)
    launch = create_step("clEnqueueNDRangeKernel", work_dim=3)
    run, _ = create_runner(lambda steps: len(steps) == 2)
    launched = minimise([making, launch], run, MinimisingBudget(60, LARGE_BUDGET))
    assert [one.call.arguments for one in launched] == [{"size": 64, "flags": 1}, {"work_dim": 1}]
    released = minimise([making, create_step("clReleaseMemObject")], run, MinimisingBudget(60, LARGE_BUDGET))
    assert released[0].call.arguments == {"size": 1, "flags": 1}


def test_minimal_sequence_is_returned_unchanged() -> None:
    sequence = [create_step("a"), create_step("b"), create_step("failure")]
    run, _ = create_runner(lambda steps: function_names(steps) == ["a", "b", "failure"])
    assert minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET)) == sequence


def test_each_shorter_sequence_is_run_at_most_once() -> None:
    sequence = [*[create_step("noise")] * 6, create_step("cause"), create_step("failure", number=9)]
    run, tried = create_runner(lambda steps: "cause" in function_names(steps))
    minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))
    marks = [tuple((one.call.function, tuple(one.call.arguments.items())) for one in candidate) for candidate in tried]
    assert len(set(marks)) == len(marks)


def test_shortest_sequence_within_the_budget_is_returned() -> None:
    sequence = [*[create_step(f"noise{number}") for number in range(64)], create_step("failure")]
    run, tried = create_runner(lambda steps: function_names(steps)[-2:] == ["noise63", "failure"])
    short = minimise(sequence, run, MinimisingBudget(60, 2))
    assert len(tried) == 2
    assert 1 < len(short) < len(sequence)
    run, tried = create_runner(lambda _steps: True)
    assert minimise(sequence, run, MinimisingBudget(0, LARGE_BUDGET)) == sequence
    assert not tried


def test_sequence_is_cut_after_an_earlier_failure() -> None:
    sequence = [create_step("a"), create_step("b"), create_step("c"), create_step("failure")]
    short = minimise(
        sequence, lambda candidate: candidate[:1] if candidate else None, MinimisingBudget(60, LARGE_BUDGET)
    )
    assert len(short) == 1


def create_group(*steps: Step, number: int = 1) -> list[Step]:
    return [msgspec.structs.replace(one, together=number) for one in steps]


def test_concurrent_calls_are_removed_one_by_one() -> None:
    sequence = [create_step("noise"), *create_group(*[create_step("ask")] * 3, create_step("failure"))]
    run, _ = create_runner(lambda steps: "ask" in function_names([one for one in steps if one.together]))
    short = minimise(sequence, run, MinimisingBudget(60, LARGE_BUDGET))
    assert [(one.call.function, one.together) for one in short] == [("ask", 1)]


def test_concurrent_calls_that_also_fail_in_sequence_become_sequential() -> None:
    run, _ = create_runner(lambda steps: function_names(steps).count("ask") >= 2)
    short = minimise(create_group(*[create_step("ask")] * 4), run, MinimisingBudget(60, LARGE_BUDGET))
    assert [len(group) for group in group_steps(short)] == [1, 1]


def test_calls_that_fail_only_concurrently_stay_concurrent() -> None:
    run, _ = create_runner(lambda steps: any(len(group) > 1 for group in group_steps(steps)))
    first, second = create_group(*[create_step("ask")] * 2), create_group(*[create_step("ask")] * 3, number=2)
    short = minimise([*first, *second], run, MinimisingBudget(60, LARGE_BUDGET))
    assert [len(group) for group in group_steps(short)] == [2]


def test_shortened_sequence_keeps_accepted_calls_that_its_objects_depend_on() -> None:
    rejected = msgspec.structs.replace(create_step("clSetKernelArg", "kernel1"), outcome=Returned(-51))
    failed = msgspec.structs.replace(
        create_step("clCreateKernel", "program1", errcode_ret=None), outcome=Returned(None)
    )
    sequence = [
        create_step("clCreateContext", makes=("context1",)),
        create_step("clCreateProgram", "context1", makes=("program1",)),
        create_step("clCreateProgram", "context1", makes=("program2",)),
        create_step("clBuildProgram", "program1"),
        create_step("clBuildProgram", "program2"),
        failed,
        create_step("clCreateKernel", "program1", makes=("kernel1",)),
        *[rejected] * 9,
        msgspec.structs.replace(create_step("clGetKernelInfo", "kernel1"), together=1),
        create_step("clRetainContext", "context1"),
        create_step("clSetKernelArg", "kernel1"),
    ]
    assert function_names(shorten_sequence(sequence)) == [
        "clCreateContext",
        "clCreateProgram",
        "clBuildProgram",
        "clCreateKernel",
        "clSetKernelArg",
    ]
    threaded = [msgspec.structs.replace(sequence[0], host_thread=1), *sequence[1:]]
    assert shorten_sequence(threaded) == threaded
