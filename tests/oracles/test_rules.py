"""The rules: each belongs to a requirement of the tables and has a description in original wording."""

from __future__ import annotations

import re

import pytest

from clconform.calls.harness_actions import find_function
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.engine.rulebook import load_declared_rules, rulebook_of
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition, Query, UsageRule

from ..copied_words import find_copies, known_runs_of_words, needs_documents  # noqa: TID252 (tests are no part of the installed package)

TABLES = load()
RULES = rulebook_of(TABLES).rules
PREDICATES, POSTCONDITIONS, EXPECTED_VALUES = (
    RULES.predicates.entries,
    RULES.postconditions.entries,
    RULES.expected_values.entries,
)
COVERAGE_POINTS, UNTESTABLE = RULES.coverage_points.entries, RULES.not_testable.entries


def test_predicates_name_error_conditions_or_usage_rules_of_the_tables() -> None:
    every = [loading.read_tables(loading.REVISIONS / revision).requirements for revision in loading.list_revisions()]
    wrong = [
        name
        for name in PREDICATES
        if not any(isinstance(requirements.get(name), (ErrorCondition, UsageRule)) for requirements in every)
    ]
    assert not wrong


def test_rules_for_expected_values_name_queries_of_the_tables() -> None:
    assert not [name for name in EXPECTED_VALUES if not isinstance(TABLES.requirements.get(name), Query)]


def test_postconditions_name_functions_with_a_success_requirement() -> None:
    assert not [
        name for name in POSTCONDITIONS if name not in TABLES.functions or f"{name}/success" not in TABLES.requirements
    ]


def test_clause_parts_name_split_conditions_of_a_revision() -> None:
    every = [loading.read_tables(loading.REVISIONS / revision).requirements for revision in loading.list_revisions()]
    found = {
        name: [requirements[name] for requirements in every if name in requirements]
        for name in RULES.clause_parts.entries
    }
    assert len(found) > 100
    assert [name for name, own in found.items() if not any(getattr(each, "part_of", "") for each in own)] == []


def test_confidence_levels_name_requirements_of_the_tables() -> None:
    assert not [name for name in RULES.confidence if name not in TABLES.requirements]
    assert set(RULES.confidence.values()) <= {"inferred", "interpretation"}


def test_coverage_points_name_known_requirements() -> None:
    """A judged requirement is the success of a function, a query, a scheme or an error condition."""
    every = {
        name
        for revision in loading.list_revisions()
        for name in loading.read_tables(loading.REVISIONS / revision).requirements
    }
    for (requirement, function), known in COVERAGE_POINTS.items():
        assert requirement in every
        assert find_function(function, TABLES.functions)
        assert [parent for parent in known.judged_requirements if parent not in TABLES.requirements] == []
    assert [requirement for requirement in UNTESTABLE if requirement not in every] == []
    assert not set(UNTESTABLE) & {requirement for requirement, _ in COVERAGE_POINTS}


@pytest.mark.parametrize("rules", [PREDICATES, POSTCONDITIONS, EXPECTED_VALUES], ids=["clauses", "promises", "answers"])
def test_every_rule_has_a_sentence_as_docstring(rules: dict[str, object]) -> None:
    for name, rule in rules.items():
        words = (getattr(rule, "__doc__", None) or "").strip()
        assert words.endswith("."), name
        assert len(words.split()) >= 3, name


def test_partition_error_conditions_have_predicates() -> None:
    functions = ("clCreateSubDevices", "clRetainDevice", "clReleaseDevice")
    structured = ("invalid-object", "resources-device", "resources-host")
    for function in (*functions, *(f"{name}EXT" for name in functions)):
        for requirement in TABLES.error_conditions_of(function):
            assert requirement.id in PREDICATES or requirement.condition.kind in structured, requirement.id


def test_second_rule_for_a_requirement_is_rejected() -> None:
    for declare, known in (
        (RULES.clause, PREDICATES),
        (RULES.postcondition, POSTCONDITIONS),
        (RULES.expected_value, EXPECTED_VALUES),
    ):
        name, words = next(iter(known)), dict(RULES.words)
        with pytest.raises(ValueError, match=re.escape(name)):
            declare(name)(test_second_rule_for_a_requirement_is_rejected)
        assert RULES.words == words, "a rejected rule leaves the words unchanged"


def test_merging_rules_with_the_same_predicate_is_rejected() -> None:
    with pytest.raises(ValueError, match=re.escape(next(iter(PREDICATES)))):
        load_declared_rules().merge(load_declared_rules())


@needs_documents
def test_rule_wording_copies_no_document_sentence() -> None:
    known = known_runs_of_words()
    assert known
    ours = {name: text for name, text in RULES.words.items() if text}
    ours |= {entry.id: f"{entry.text} {entry.reason}" for entry in INTERPRETATIONS.values()}
    assert {name: found for name, text in ours.items() if (found := find_copies(known, text))} == {}
