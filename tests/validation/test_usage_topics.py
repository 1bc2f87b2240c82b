"""The decisions on usage rules: each topic of all tables has one, and the modules that check them exist."""

from __future__ import annotations

import importlib

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.loading import REVISIONS, read_tables
from clconform.spec_tables.requirements import UsageRule
from clconform.validation.usage_topics import format_topics, read_topics, rules_by_topic


@pytest.mark.parametrize("revision", ["3.0.17", "3.1.1"])
def test_each_topic_is_decided(revision: str) -> None:
    tables = read_tables(REVISIONS / revision)
    used = {each.topic for each in tables.requirements.values() if isinstance(each, UsageRule)}
    assert used <= read_topics().keys()


def test_each_decision_has_a_check_or_a_reason() -> None:
    for topic in read_topics().values():
        assert topic.checked or topic.note.endswith("."), topic.name
        if topic.checked:
            importlib.import_module(f"clconform.{topic.checked}")


def test_topics_with_a_predicate_count_as_checked() -> None:
    predicates = rulebook_of(load()).predicates
    for name, rules in rules_by_topic().items():
        if any(predicates.predicate_of(each) is not None for each in rules):
            assert read_topics()[name].checked, name


def test_page_lists_each_topic() -> None:
    page = format_topics()
    assert all(f"| {name} |" in page for name in rules_by_topic())
