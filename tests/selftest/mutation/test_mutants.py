"""Mutants of actual error conditions: their replies differ from the original, which stays unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Handle, Items
from clconform.oracles.chapters.buffers.clauses import creation, ranges, rectangles
from clconform.oracles.engine.answers import Answer, May, settle
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.recurring import parameters
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, Mutant, mutants_of
from clconform.selftest.mutation.sources import pieces_of
from clconform.spec_tables import load
from clconform.spec_tables.records import ErrorClause

from ...oracles.worlds import World  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from clconform.oracles.model.world import Model

ZERO = "clEnqueueSVMMap/CL_INVALID_VALUE/2"
NULLS = "clCreateContext/CL_INVALID_VALUE/1"
LISTS = "clWaitForEvents/CL_INVALID_VALUE/1"


def mutants(record: str) -> list[Mutant]:
    World()
    clause = load().records[record]
    assert isinstance(clause, ErrorClause)
    return list(mutants_of(clause, rulebook_of(load())))


def one(record: str, change: str) -> Mutant:
    (found,) = [mutant for mutant in mutants(record) if change in (mutant.change, mutant.operator)]
    return found


def said(mutant: Mutant, **arguments: object) -> tuple[object, object]:
    """Return the replies of the original and of the mutant for a call."""
    call = Call(mutant.record.partition("/")[0], arguments)  # type: ignore[arg-type]
    model: Model = World().model
    return settle(mutant.original, call, model), settle(mutant.predicate, call, model)


def test_a_dropped_clause_never_holds() -> None:
    assert said(one(ZERO, DROPPED), size=0, flags=1) == (Answer.MUST, Answer.NO)
    assert said(one(ZERO, DROPPED), size=1, flags=1) == (Answer.NO, Answer.NO)


def test_a_negated_clause_holds_where_it_does_not_and_a_may_stays() -> None:
    negated = one(ZERO, NEGATED)
    assert said(negated, size=0, flags=1) == (Answer.MUST, Answer.NO)
    assert said(negated, size=1, flags=1) == (Answer.NO, Answer.MUST)
    original, mutated = said(negated, size=1, flags=0)
    assert original == mutated
    assert original not in (Answer.MUST, Answer.NO)


def test_a_number_of_a_predicate_is_changed() -> None:
    changed = one(ZERO, "call.size == 0 -> call.size == 1")
    assert said(changed, size=0, flags=1) == (Answer.MUST, Answer.NO)
    assert said(changed, size=1, flags=1) == (Answer.NO, Answer.MUST)


def test_a_mutant_is_decorated_as_its_original() -> None:
    """For an empty range, every error condition of a kernel enqueue is unspecified, whatever its predicate."""
    for mutant in mutants("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4"):
        if mutant.operator not in (DROPPED, NEGATED):
            told = said(mutant, work_dim=1, global_work_size=None, local_work_size=Items((2,)))
            assert told == (May("range-without-work-items"),) * 2


def test_what_builds_a_recurring_predicate_is_changed_for_one_record() -> None:
    changed = one(
        "clEnqueueSVMMap/CL_INVALID_EVENT_WAIT_LIST/1", "call.arguments[count] == 0 -> call.arguments[count] == 1"
    )
    assert changed.place == "_wait_list"
    assert said(changed, num_events_in_wait_list=0, event_wait_list=None) == (Answer.NO, Answer.MUST)


def test_what_the_original_calls_undefined_stays_undefined() -> None:
    record = "clCreateBuffer/CL_INVALID_CONTEXT/1"
    for mutant in mutants(record):
        assert said(mutant, context=Handle("context9")) == (Answer.UNDEFINED, Answer.UNDEFINED)


def test_helpers_and_numbers_of_the_module_belong_to_a_predicate() -> None:
    reached = {piece.name for piece in pieces_of(ranges.range_out_of_bounds_or_no_pointer)}
    assert {"out_of_bounds", "may_refuse_no_bytes", "ZERO_SIZE_ALLOWED"} <= reached
    names = {piece.name for piece in pieces_of(rectangles.copied_rectangles_overlap)}
    assert {"copied_rectangles_overlap", "overlap_by_the_appendix", "shared_bytes"} <= names
    assert [piece.name for piece in pieces_of(parameters._null_parameter)] == ["_null_parameter"]


def test_the_rule_of_the_appendix_is_changed_in_the_module_that_it_stands_in() -> None:
    record = "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1"
    assert {mutant.module.rpartition(".")[2] for mutant in mutants(record)} == {"rectangles", "geometry"}


def test_mutants_of_a_clause_leave_its_module_as_it_was() -> None:
    before = dict(vars(creation))
    mutants("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1")
    assert vars(creation) == before


@pytest.mark.parametrize("record", ["clCreateBuffer/CL_OUT_OF_HOST_MEMORY/1"])
def test_a_clause_without_a_predicate_has_no_mutants(record: str) -> None:
    assert mutants(record) == []
