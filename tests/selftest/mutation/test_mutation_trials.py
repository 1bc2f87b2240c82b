"""Trials on a simulated platform: the mutants that items detect, and the mutants that are not applied."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from clconform.calls.values import ElementList, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine.predicate_result import NO
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, make_mutants
from clconform.selftest.mutation.mutation_trials import MutantFinding, MutantTrial
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.runner.session.session import Session

SIZE = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
SIZE_CHANGE = "call.size == 0 -> call.size == 1"


def create_buffers(*sizes: int) -> SuiteItem:
    """Return an item that creates buffers of the given sizes."""

    def act(cl: Session) -> None:
        (context,) = returned_handles(
            cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1))
        )
        for size in sizes:
            cl.clCreateBuffer(context, 0, size, None, OutputBuffer(1))

    return SuiteItem(f"buffers of {sizes}", (SIZE,), act)


@pytest.fixture(scope="module")
def mutant_trial() -> Iterator[MutantTrial]:
    trial = MutantTrial(Target.simulated("flat-4"), load(), {})
    yield trial
    trial.close()


def run_items(mutant_trial: MutantTrial, *items: SuiteItem) -> dict[str, MutantFinding]:
    """Run the items; map each mutant of the buffer size condition, named by its change, to the finding about it."""
    clause = load().requirements[SIZE]
    assert isinstance(clause, ErrorCondition)
    findings = {mutant: MutantFinding() for mutant in make_mutants(clause, rulebook_of(load()))}
    mutant_trial.findings = findings
    mutant_trial.run(items)
    return {mutant.change or mutant.operator: finding for mutant, finding in findings.items()}


def test_mutant_without_predicate_is_detected_by_an_invalid_call(mutant_trial: MutantTrial) -> None:
    found = run_items(mutant_trial, create_buffers(0))
    assert found[DROPPED].noticed == "buffers of (0,): clCreateBuffer: CL_INVALID_BUFFER_SIZE"
    assert found[DROPPED].reply_pairs == {("must", "no")}


def test_mutant_with_negated_predicate_is_detected_by_a_valid_call(mutant_trial: MutantTrial) -> None:
    found = run_items(mutant_trial, create_buffers(64))
    assert found[NEGATED].noticed == "buffers of (64,): clCreateBuffer: CL_SUCCESS"
    assert not found[DROPPED].noticed
    assert not found[DROPPED].reply_pairs


def test_mutant_with_shifted_limit_is_detected_only_at_the_limit(mutant_trial: MutantTrial) -> None:
    assert not run_items(mutant_trial, create_buffers(2, 64))[SIZE_CHANGE].reply_pairs
    assert (
        run_items(mutant_trial, create_buffers(2, 1))[SIZE_CHANGE].noticed
        == "buffers of (2, 1): clCreateBuffer: CL_SUCCESS"
    )


def test_item_is_skipped_if_all_mutants_of_its_targets_are_killed(mutant_trial: MutantTrial) -> None:
    run_items(mutant_trial, create_buffers(64))
    for finding in mutant_trial.findings.values():
        finding.noticed = "long ago"
    mutant_trial.run([SuiteItem("never run", (SIZE,), lambda _cl: pytest.fail("it was run"))])


def test_mutant_that_raises_an_exception_is_detected(mutant_trial: MutantTrial) -> None:
    found = run_items(mutant_trial, create_buffers(64))
    change = next(change for change in found if "used or isinstance(host, SvmAllocation)" in change)
    assert "AttributeError" in found[change].noticed


def test_mutant_that_makes_a_valid_call_undefined_is_detected(mutant_trial: MutantTrial) -> None:
    clause = load().requirements["clRetainContext/CL_INVALID_CONTEXT/1"]
    assert isinstance(clause, ErrorCondition)
    (mutant,) = (
        each for each in make_mutants(clause, rulebook_of(load())) if each.change.endswith("thing.references <= 1")
    )

    def act(cl: Session) -> None:
        (context,) = returned_handles(
            cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1))
        )
        with suppress(UndefinedCallError):
            cl.clRetainContext(context)

    mutant_trial.findings = {mutant: MutantFinding()}
    mutant_trial.run([SuiteItem("retained", (mutant.requirement,), act)])
    assert mutant_trial.findings[mutant].noticed == "retained: clRetainContext is not called"


def test_invalid_reply_of_mutant_is_recorded_as_error(mutant_trial: MutantTrial) -> None:
    clause = load().requirements[SIZE]
    assert isinstance(clause, ErrorCondition)
    mutant = replace(next(make_mutants(clause, rulebook_of(load()))), predicate=cast("Predicate", lambda *_: None))
    mutant_trial.findings = {mutant: MutantFinding()}
    mutant_trial.run([create_buffers(64)])
    assert mutant_trial.findings[mutant].reply_pairs == {("no", "error")}


def test_items_with_targets_of_other_functions_are_not_run(mutant_trial: MutantTrial) -> None:
    item = create_buffers(0)
    assert not run_items(mutant_trial, SuiteItem(item.name, ("clRetainContext/success",), item.action))[
        DROPPED
    ].reply_pairs


def test_calls_before_the_skip_of_an_item_detect_mutants(mutant_trial: MutantTrial) -> None:
    item = create_buffers(0)

    def act(cl: Session) -> None:
        item.action(cl)
        pytest.skip("too small")

    assert run_items(mutant_trial, SuiteItem("skipped", (SIZE,), act))[DROPPED].noticed


def test_mutants_of_inapplicable_condition_are_not_applied() -> None:
    clause = load().requirements["clCreateSubBuffer/CL_INVALID_VALUE/4"]
    assert isinstance(clause, ErrorCondition)
    findings = {mutant: MutantFinding() for mutant in make_mutants(clause, rulebook_of(load()))}
    trial = MutantTrial(Target.simulated("oldest"), load(), findings)
    trial.close()
    trial.run([create_buffers(0)])
    assert not any(finding.applied for finding in findings.values())


def test_rulebook_with_changed_predicate_leaves_the_original_unchanged() -> None:
    clause = load().requirements[SIZE]
    assert isinstance(clause, ErrorCondition)
    rulebook = rulebook_of(load())
    before = rulebook.predicates.predicate_of(clause)
    other = rulebook.with_predicate(SIZE, lambda _call, _model: NO)
    assert other.predicates.predicate_of(clause) is not before
    assert rulebook.predicates.predicate_of(clause) is before
