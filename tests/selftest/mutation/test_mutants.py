"""Mutants of actual error conditions: their predicates have other results, and the original stays unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.buffers.error_conditions import creation, ranges, rectangles
from clconform.oracles.common import parameters
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, evaluate, may
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.selftest.mutation.mutants import DROPPED, NEGATED, Mutant, make_mutants
from clconform.selftest.mutation.predicate_sources import get_pieces
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition

from ...oracles.oracle_setup import OracleSetup  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from clconform.oracles.model.state import Model

ZERO = "clEnqueueSVMMap/CL_INVALID_VALUE/2"
NULLS = "clCreateContext/CL_INVALID_VALUE/1"
LISTS = "clWaitForEvents/CL_INVALID_VALUE/1"


def get_mutants(requirement: str) -> list[Mutant]:
    OracleSetup()
    clause = load().requirements[requirement]
    assert isinstance(clause, ErrorCondition)
    return list(make_mutants(clause, rulebook_of(load())))


def get_mutant(requirement: str, change: str) -> Mutant:
    (found,) = [mutant for mutant in get_mutants(requirement) if change in (mutant.change, mutant.operator)]
    return found


def get_replies(mutant: Mutant, **arguments: object) -> tuple[object, object]:
    """Return the results of the original predicate and of the mutant for a call."""
    call = Call(mutant.requirement.partition("/")[0], arguments)  # type: ignore[arg-type]
    model: Model = OracleSetup().model
    return evaluate(mutant.original, call, model), evaluate(mutant.predicate, call, model)


def test_condition_of_mutant_without_predicate_never_holds() -> None:
    assert get_replies(get_mutant(ZERO, DROPPED), size=0, flags=1) == (MUST, NO)
    assert get_replies(get_mutant(ZERO, DROPPED), size=1, flags=1) == (NO, NO)


def test_negated_predicate_swaps_must_and_no_and_keeps_may() -> None:
    negated = get_mutant(ZERO, NEGATED)
    assert get_replies(negated, size=0, flags=1) == (MUST, NO)
    assert get_replies(negated, size=1, flags=1) == (NO, MUST)
    original, mutated = get_replies(negated, size=1, flags=0)
    assert original == mutated
    assert original not in (MUST, NO)


def test_mutant_with_changed_number_compares_with_the_new_number() -> None:
    changed = get_mutant(ZERO, "call.size == 0 -> call.size == 1")
    assert get_replies(changed, size=0, flags=1) == (MUST, NO)
    assert get_replies(changed, size=1, flags=1) == (NO, MUST)


def test_mutant_keeps_decorators_of_original() -> None:
    """A decorator makes every error condition of an enqueue without work-items optional; the mutants keep it."""
    for mutant in get_mutants("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4"):
        if mutant.operator not in (DROPPED, NEGATED):
            told = get_replies(mutant, work_dim=1, global_work_size=None, local_work_size=ElementList((2,)))
            assert told == (may("range-without-work-items"),) * 2


def test_shared_predicate_builder_is_mutated_for_one_requirement() -> None:
    changed = get_mutant(
        "clEnqueueSVMMap/CL_INVALID_EVENT_WAIT_LIST/1", "call.arguments[count] == 0 -> call.arguments[count] == 1"
    )
    assert changed.place == "_build_wait_list"
    assert get_replies(changed, num_events_in_wait_list=0, event_wait_list=None) == (NO, MUST)


def test_undefined_reply_of_original_is_undefined_for_every_mutant() -> None:
    requirement = "clCreateBuffer/CL_INVALID_CONTEXT/1"
    for mutant in get_mutants(requirement):
        assert get_replies(mutant, context=Handle("context9")) == (UNDEFINED, UNDEFINED)


def test_mutated_source_includes_helpers_and_constants_of_predicate() -> None:
    reached = {piece.name for piece in get_pieces(ranges.is_range_or_pointer_invalid)}
    assert {"is_range_out_of_bounds", "may_reject_zero_size", "FIRST_ZERO_SIZE_VERSION"} <= reached
    names = {piece.name for piece in get_pieces(rectangles.do_copied_rectangles_overlap)}
    assert {"do_copied_rectangles_overlap", "rectangles_overlap", "overlaps"} <= names
    assert [piece.name for piece in get_pieces(parameters._build_null_parameter)] == ["_build_null_parameter"]


def test_mutants_of_copy_overlap_include_changes_in_geometry_module() -> None:
    requirement = "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1"
    assert {mutant.module.rpartition(".")[2] for mutant in get_mutants(requirement)} == {"rectangles", "geometry"}


def test_creation_of_mutants_leaves_the_module_unchanged() -> None:
    before = dict(vars(creation))
    get_mutants("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1")
    assert vars(creation) == before


@pytest.mark.parametrize("record", ["clCreateBuffer/CL_OUT_OF_HOST_MEMORY/1"])
def test_condition_without_predicate_has_no_mutants(record: str) -> None:
    assert get_mutants(record) == []
