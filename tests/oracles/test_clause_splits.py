"""Parts of split conditions: each interpretation of an older condition is an interpretation of one of its parts."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.oracles.engine.clause_splits import with_interpretations
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, PredicateResult, may
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.model.state import Model
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

NEWER_REVISIONS = [name for name in loading.list_revisions() if name != loading.DEFAULT]


class InterpretationSearch:
    """Collects the interpretations that a predicate names, in its code and in all functions and data that it uses."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._seen: set[int] = set()

    def search(self, value: object) -> None:
        """Search a function of the oracle, a predicate result, or a collection of them."""
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, PredicateResult):
            self.found |= {value.interpretation} - {""}
        elif isinstance(value, types.FunctionType) and value.__module__.startswith("clconform.oracles."):
            self._search_code(value.__code__, value.__globals__)
            for cell in value.__closure__ or ():
                self.search(cell.cell_contents)
        elif isinstance(value, list | tuple | set | frozenset):
            for each in value:
                self.search(each)
        elif isinstance(value, dict):
            self.search(list(value.values()))

    def _search_code(self, code: types.CodeType, names: dict[str, object]) -> None:
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._search_code(constant, names)
            elif isinstance(constant, str) and constant in INTERPRETATIONS:
                self.found.add(constant)
        for name in code.co_names:
            self.search(names.get(name))


def interpretations_of(tables: Tables, clause: ErrorCondition) -> set[str]:
    """Return the interpretations that the predicate of a clause names; none without a predicate."""
    search = InterpretationSearch()
    search.search(rulebook_of(tables).predicates.predicate_of(clause))
    return search.found


@pytest.mark.parametrize("revision", NEWER_REVISIONS)
def test_each_interpretation_of_a_split_condition_is_one_of_a_part(revision: str) -> None:
    tables, older = loading.read_tables(loading.REVISIONS / revision), load()
    parts: dict[str, list[ErrorCondition]] = {}
    for clause in tables.requirements.values():
        if isinstance(clause, ErrorCondition) and clause.part_of:
            parts.setdefault(clause.part_of, []).append(clause)
    lost = {}
    for name, clauses in parts.items():
        whole = older.requirements[name]
        assert isinstance(whole, ErrorCondition)
        lost[name] = interpretations_of(older, whole).difference(
            *(interpretations_of(tables, each) for each in clauses)
        )
    assert len(parts) > 100
    assert {name: names for name, names in lost.items() if names} == {}


def test_search_finds_interpretations_of_helper_functions() -> None:
    """Test the search itself: a predicate that calls other functions, and one with a constant result."""
    named = {
        "clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1": "copy-of-1d-image-buffer",
        "clCreateSampler/CL_INVALID_VALUE/1": "repeat-without-normalized-coords",
        "clCreateSubBuffer/CL_INVALID_VALUE/4": "invalid-sub-buffer-region",
    }
    for requirement, interpretation in named.items():
        clause = load().requirements[requirement]
        assert isinstance(clause, ErrorCondition)
        assert interpretation in interpretations_of(load(), clause)


@pytest.mark.parametrize(
    ("own", "whole", "result"),
    [
        (NO, may("x"), may("x")),
        (NO, MUST, NO),
        (NO, NO, NO),
        (MUST, may("x"), MUST),
        (UNKNOWN, may("x"), UNKNOWN),
    ],
)
def test_part_allows_what_the_older_condition_allows(
    own: PredicateResult, whole: PredicateResult, result: PredicateResult
) -> None:
    part = with_interpretations(lambda _call, _model: own, lambda _call, _model: whole)
    assert part(Call("clFlush", {}), Model(load())) == result
