"""Allowed outcomes of each litmus kernel, found by running its steps in every order."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from clconform.calls.atomics import parse_operations
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS, LitmusKernel

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = {
    "store_buffering": ("Sx1 Ly", "Sy1 Lx"),
    "store_buffering_relaxed": ("Sx1 Ly", "Sy1 Lx"),
    "message_passing": ("Sx1 Sy1", "Ly Lx"),
    "coherent_reads": ("Sx1", "Lx Lx"),
    "coherent_writes": ("Sx1 Lx", "Sx2 Lx"),
    "own_stores": ("Sx1 Lx", "Sy1 Ly"),
    "load_buffering": ("Lx Sy1", "Ly Sx1"),
    "two_stores": ("Sx1 Sx2", "Lx Lx"),
    "loads_before_stores": ("Lx Sx1", "Sx2 Lx"),
    "added_at_once": ("Ax1", "Ax1"),
    "store_buffering_with_the_host": ("Sx1 Ly", "Sy1 Lx"),
    "message_to_the_host": ("Sx1 Sy1", "Ly Lx"),
    "message_from_the_host": ("Ly Lx", "Sx1 Sy1"),
    "added_at_once_with_the_host": ("Ax1", "Ax1"),
}
"""The steps of both sides, stated independently: store, load or add, the object, and the number."""
RELAXED_OUTCOMES = {"store_buffering_relaxed": {(0, 0)}}
"""Outcomes that relaxed operations allow in addition to those of all orders of the steps."""


def run_steps(steps: list[tuple[int, str]]) -> tuple[int, ...]:
    """Run steps one after another, and return the values that the first group reads, then those of the second."""
    memory = {"x": 0, "y": 0}
    seen: tuple[list[int], list[int]] = ([], [])
    for group, step in steps:
        kind, place = step[0], step[1]
        if kind in "LA":
            seen[group].append(memory[place])
        if kind in "SA":
            memory[place] = int(step[2:]) + (memory[place] if kind == "A" else 0)
    return tuple(seen[0] + seen[1])


def enumerate_orders(first: list[str], second: list[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield every interleaving of the steps of two groups. The order within a group stays the same."""
    total = len(first) + len(second)
    for places in itertools.combinations(range(total), len(first)):
        left, right = iter(first), iter(second)
        yield [(0, next(left)) if at in places else (1, next(right)) for at in range(total)]


@pytest.mark.parametrize("name", LITMUS_KERNELS)
def test_litmus_outcomes_equal_those_of_all_orders_of_the_steps(name: str) -> None:
    first, second = (each.split() for each in PROGRAMS[name])
    ran = {run_steps(order) for order in enumerate_orders(first, second)}
    assert ran | RELAXED_OUTCOMES.get(name, set()) == set(LITMUS_KERNELS[name].outcomes)


@pytest.mark.parametrize("name", LITMUS_KERNELS)
def test_litmus_kernel_source_contains_the_steps_of_each_group(name: str) -> None:
    known = LITMUS_KERNELS[name]
    scope = "all_svm_devices" if known.has_host_side else "device"
    for side, (steps, group) in enumerate(zip(PROGRAMS[name], known.sides, strict=True)):
        for step, made in zip(steps.split(), group, strict=True):
            kind = {"A": "fetch_add", "S": "store", "L": "load"}[step[0]]
            assert f"atomic_{kind}_explicit(own + {'xy'.index(step[1])}," in made.source(scope)
            assert (step[2:] or "None") == str(made.value)
            assert (made.source(scope) in known.source) == (side == 0 or not known.has_host_side)


KERNELS_WITH_HOST_SIDE = [each for each in LITMUS_KERNELS.values() if each.has_host_side]


@pytest.mark.parametrize("known", KERNELS_WITH_HOST_SIDE, ids=lambda known: known.name)
def test_host_operations_of_litmus_kernel_are_the_steps_of_second_group(known: LitmusKernel) -> None:
    made = parse_operations(known.host_operations)
    kinds = "".join(each.operation[0].upper() + "xy"[each.object_index] for each in made)
    assert kinds == "".join(step[:2] for step in PROGRAMS[known.name][1].split())
    assert [each.order for each in made] == [step.order for step in known.sides[1]]
    for each, step in zip(made, known.sides[1], strict=True):
        assert each.number == (step.value if each.operation == "store" else step.outcome_index)


def test_host_operations_of_litmus_kernels_are_distinct() -> None:
    assert len({each.host_operations for each in KERNELS_WITH_HOST_SIDE}) == len(KERNELS_WITH_HOST_SIDE)
