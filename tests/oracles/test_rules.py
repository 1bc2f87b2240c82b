"""The rules: each belongs to a requirement of the tables and has a description in original wording."""

from __future__ import annotations

import re

import pytest

from clconform.calls.harness_actions import find_function
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.engine.rulebook import load_declared_rules, rulebook_of
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition, Query, UsageRule

from ..copied_words import copies, known_runs, needs_documents  # noqa: TID252 (tests are no part of the installed package)

TABLES = load()
RULES = rulebook_of(TABLES).rules
PREDICATES, PROMISES, ANSWERS = RULES.predicates.entries, RULES.postconditions.entries, RULES.expected_values.entries
TRIGGERS, UNTESTABLE = RULES.coverage_points.entries, RULES.not_testable.entries


def test_a_predicate_belongs_to_an_error_clause_or_a_usage_rule() -> None:
    every = [loading.read_tables(loading.REVISIONS / revision).requirements for revision in loading.list_revisions()]
    wrong = [
        name
        for name in PREDICATES
        if not any(isinstance(records.get(name), (ErrorCondition, UsageRule)) for records in every)
    ]
    assert not wrong


def test_an_answer_belongs_to_a_query() -> None:
    assert not [name for name in ANSWERS if not isinstance(TABLES.requirements.get(name), Query)]


def test_a_promise_belongs_to_a_function_with_a_record_of_its_success() -> None:
    assert not [
        name for name in PROMISES if name not in TABLES.functions or f"{name}/success" not in TABLES.requirements
    ]


def test_a_part_belongs_to_an_error_clause_of_a_later_revision() -> None:
    every = [loading.read_tables(loading.REVISIONS / revision).requirements for revision in loading.list_revisions()]
    found = {name: [records[name] for records in every if name in records] for name in RULES.clause_parts.entries}
    assert len(found) > 100
    assert [name for name, own in found.items() if not any(getattr(each, "part_of", "") for each in own)] == []


def test_what_is_not_literal_is_said_of_a_record() -> None:
    assert not [name for name in RULES.confidence if name not in TABLES.requirements]
    assert set(RULES.confidence.values()) <= {"inferred", "interpretation"}


def test_what_puts_an_effect_to_the_test_names_records_and_a_function_of_the_tables() -> None:
    """A judged requirement is the success of a function, a query, a scheme or an error condition."""
    every = {
        name
        for revision in loading.list_revisions()
        for name in loading.read_tables(loading.REVISIONS / revision).requirements
    }
    for (record, function), known in TRIGGERS.items():
        assert record in every
        assert find_function(function, TABLES.functions)
        assert [parent for parent in known.judged_requirements if parent not in TABLES.requirements] == []
    assert [record for record in UNTESTABLE if record not in every] == []
    assert not set(UNTESTABLE) & {record for record, _ in TRIGGERS}


@pytest.mark.parametrize("rules", [PREDICATES, PROMISES, ANSWERS], ids=["clauses", "promises", "answers"])
def test_every_rule_says_in_a_sentence_what_it_is(rules: dict[str, object]) -> None:
    for name, rule in rules.items():
        words = (getattr(rule, "__doc__", None) or "").strip()
        assert words.endswith("."), name
        assert len(words.split()) >= 3, name


def test_every_error_clause_of_the_chapter_has_a_condition() -> None:
    functions = ("clCreateSubDevices", "clRetainDevice", "clReleaseDevice")
    structured = ("invalid-object", "resources-device", "resources-host")
    for function in (*functions, *(f"{name}EXT" for name in functions)):
        for record in TABLES.error_conditions_of(function):
            assert record.id in PREDICATES or record.condition.kind in structured, record.id


def test_a_second_rule_for_the_same_record_is_refused() -> None:
    for declare, known in (
        (RULES.clause, PREDICATES),
        (RULES.postcondition, PROMISES),
        (RULES.expected_value, ANSWERS),
    ):
        name, words = next(iter(known)), dict(RULES.words)
        with pytest.raises(ValueError, match=re.escape(name)):
            declare(name)(test_a_second_rule_for_the_same_record_is_refused)
        assert RULES.words == words, "a rejected rule leaves the words unchanged"


def test_two_modules_with_a_rule_for_the_same_record_are_refused() -> None:
    with pytest.raises(ValueError, match=re.escape(next(iter(PREDICATES)))):
        load_declared_rules().merge(load_declared_rules())


@needs_documents
def test_no_sentence_of_the_documents_stands_in_what_people_read_of_the_rules() -> None:
    known = known_runs()
    assert known
    ours = {name: text for name, text in RULES.words.items() if text}
    ours |= {entry.id: f"{entry.reading} {entry.reason}" for entry in INTERPRETATIONS.values()}
    assert {name: found for name, text in ours.items() if (found := copies(known, text))} == {}
