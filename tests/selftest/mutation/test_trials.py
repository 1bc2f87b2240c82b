"""Trials on a simulated platform: the mutants that items distinguish, and the runs that fail with them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session.answers import made
from clconform.runner.session.errors import UndefinedCallError
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, mutants_of
from clconform.selftest.mutation.trials import Finding, MutantTrial
from clconform.spec_tables import load
from clconform.spec_tables.records import ErrorClause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.answers import Predicate
    from clconform.runner.session.session import Session

SIZE = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
NOTHING = "call.size == 0 -> call.size == 1"


def buffers_of(*sizes: int) -> Item:
    """Return an item that creates buffers of these sizes."""

    def act(cl: Session) -> None:
        (context,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
        for size in sizes:
            cl.clCreateBuffer(context, 0, size, None, OutputBuffer(1))

    return Item(f"buffers of {sizes}", (SIZE,), act)


@pytest.fixture(scope="module")
def trial() -> Iterator[MutantTrial]:
    trial = MutantTrial(Target.simulated("flat-4"), load(), {})
    yield trial
    trial.close()


def tried(trial: MutantTrial, *items: Item) -> dict[str, Finding]:
    """Return the findings about each mutant of the size condition after these items, by change."""
    clause = load().records[SIZE]
    assert isinstance(clause, ErrorClause)
    findings = {mutant: Finding() for mutant in mutants_of(clause, rulebook_of(load()))}
    trial.findings = findings
    trial.run(items)
    return {mutant.change or mutant.operator: finding for mutant, finding in findings.items()}


def test_a_run_that_breaks_a_clause_fails_where_the_judge_has_dropped_it(trial: MutantTrial) -> None:
    found = tried(trial, buffers_of(0))
    assert found[DROPPED].noticed == "buffers of (0,): clCreateBuffer: CL_INVALID_BUFFER_SIZE"
    assert found[DROPPED].turns == {("must", "no")}


def test_a_run_of_right_calls_fails_where_the_judge_has_negated_the_clause(trial: MutantTrial) -> None:
    found = tried(trial, buffers_of(64))
    assert found[NEGATED].noticed == "buffers of (64,): clCreateBuffer: CL_SUCCESS"
    assert not found[DROPPED].noticed
    assert not found[DROPPED].turns


def test_a_boundary_is_noticed_by_the_call_at_it_only(trial: MutantTrial) -> None:
    assert not tried(trial, buffers_of(2, 64))[NOTHING].turns
    assert tried(trial, buffers_of(2, 1))[NOTHING].noticed == "buffers of (2, 1): clCreateBuffer: CL_SUCCESS"


def test_an_item_is_left_out_once_nothing_is_alive_that_it_aims_at(trial: MutantTrial) -> None:
    tried(trial, buffers_of(64))
    for finding in trial.findings.values():
        finding.noticed = "long ago"
    trial.run([Item("never run", (SIZE,), lambda _cl: pytest.fail("it was run"))])


def test_a_mutant_that_raises_is_noticed(trial: MutantTrial) -> None:
    found = tried(trial, buffers_of(64))
    change = next(change for change in found if "used or isinstance(host, SvmAllocation)" in change)
    assert "AttributeError" in found[change].noticed


def test_a_mutant_that_lets_no_call_be_made_is_noticed_also_where_the_item_goes_on(trial: MutantTrial) -> None:
    clause = load().records["clRetainContext/CL_INVALID_CONTEXT/1"]
    assert isinstance(clause, ErrorClause)
    (mutant,) = (
        each for each in mutants_of(clause, rulebook_of(load())) if each.change.endswith("thing.references <= 1")
    )

    def act(cl: Session) -> None:
        (context,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
        with suppress(UndefinedCallError):
            cl.clRetainContext(context)

    trial.findings = {mutant: Finding()}
    trial.run([Item("retained", (mutant.record,), act)])
    assert trial.findings[mutant].noticed == "retained: clRetainContext is not called"


def test_a_mutant_that_gives_no_reply_is_in_error(trial: MutantTrial) -> None:
    clause = load().records[SIZE]
    assert isinstance(clause, ErrorClause)
    mutant = replace(next(mutants_of(clause, rulebook_of(load()))), predicate=cast("Predicate", lambda *_: None))
    trial.findings = {mutant: Finding()}
    trial.run([buffers_of(64)])
    assert trial.findings[mutant].turns == {("no", "error")}


def test_items_that_aim_at_other_functions_are_not_run(trial: MutantTrial) -> None:
    item = buffers_of(0)
    assert not tried(trial, Item(item.name, ("clRetainContext/success",), item.act))[DROPPED].turns


def test_an_item_that_is_skipped_counts_up_to_there(trial: MutantTrial) -> None:
    item = buffers_of(0)

    def act(cl: Session) -> None:
        item.act(cl)
        pytest.skip("too small")

    assert tried(trial, Item("skipped", (SIZE,), act))[DROPPED].noticed


def test_a_clause_that_does_not_apply_is_told_apart() -> None:
    clause = load().records["clCreateSubBuffer/CL_INVALID_VALUE/4"]
    assert isinstance(clause, ErrorClause)
    findings = {mutant: Finding() for mutant in mutants_of(clause, rulebook_of(load()))}
    trial = MutantTrial(Target.simulated("oldest"), load(), findings)
    trial.close()
    trial.run([buffers_of(0)])
    assert not any(finding.applied for finding in findings.values())


def test_a_rulebook_with_another_predicate_leaves_the_one_it_was_made_from_alone() -> None:
    clause = load().records[SIZE]
    assert isinstance(clause, ErrorClause)
    rulebook = rulebook_of(load())
    before = rulebook.predicate_of(clause)
    other = rulebook.with_predicate(SIZE, lambda _call, _model: False)
    assert other.predicate_of(clause) is not before
    assert rulebook.predicate_of(clause) is before
