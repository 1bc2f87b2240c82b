"""The rulebook: discovery of rules, uniqueness, and replaced predicates."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.oracles import chapters
from clconform.oracles.engine.predicate_result import MUST, PredicateResult
from clconform.oracles.engine.registry import Registry
from clconform.oracles.engine.rulebook import load_declared_rules, rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

EXISTING_ID = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
MODULE_SOURCE = '''
from clconform.oracles.engine.rules import Rules

rules = Rules()


@rules.clause("{}")
def never(call, model):
    """It never holds."""
    return False
'''


@pytest.fixture
def extra_module_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the path for error conditions of an extra chapter, after the shared rulebook was created."""
    rulebook_of(load())
    folder = tmp_path / "another"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.setattr(chapters, "__path__", [*chapters.__path__, str(tmp_path)])
    yield folder / "clauses.py"
    for name in [name for name in sys.modules if name.startswith(f"{chapters.__name__}.another")]:
        del sys.modules[name]


def test_rule_module_of_extra_chapter_is_found_without_registration(extra_module_path: Path) -> None:
    extra_module_path.write_text(MODULE_SOURCE.format("clAnother/CL_INVALID_VALUE/1"), encoding="utf-8")
    assert "clAnother/CL_INVALID_VALUE/1" in load_declared_rules().predicates.entries
    assert "clAnother/CL_INVALID_VALUE/1" not in rulebook_of(load()).predicates.declared


def test_second_predicate_for_a_condition_is_rejected(extra_module_path: Path) -> None:
    extra_module_path.write_text(MODULE_SOURCE.format(EXISTING_ID), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{EXISTING_ID} has two predicates"):
        load_declared_rules()


def test_duplicate_key_in_a_rule_registry_is_rejected() -> None:
    known: Registry[str, int] = Registry("numbers")
    known.add("one", 1)
    with pytest.raises(ValueError, match="one has two numbers: 1 and 2"):
        known.add("one", 2)
    other: Registry[str, int] = Registry("numbers")
    other.add("one", 3)
    with pytest.raises(ValueError, match="one has two numbers: 1 and 3"):
        known.merge(other)


def return_must(_call: Call, _model: Model) -> PredicateResult:
    return MUST


def test_replaced_predicate_leaves_original_rulebook_unchanged() -> None:
    own = rulebook_of(load())
    before = own.predicates.declared[EXISTING_ID]
    changed = own.with_predicate(EXISTING_ID, return_must)
    assert changed.predicates.declared[EXISTING_ID] is return_must
    assert own.predicates.declared[EXISTING_ID] is before
    (rule,) = (
        each for each in changed.conditions.rules_of("clCreateBuffer").conditions if each.requirement == EXISTING_ID
    )
    assert rule.predicate is return_must
    (rule,) = (each for each in own.conditions.rules_of("clCreateBuffer").conditions if each.requirement == EXISTING_ID)
    assert rule.predicate is before


def get_condition(requirement: str) -> ErrorCondition:
    found = load().requirements[requirement]
    assert isinstance(found, ErrorCondition)
    assert not found.reworded
    return found


def test_predicate_is_not_used_for_a_reworded_condition() -> None:
    own = rulebook_of(load())
    known = get_condition(EXISTING_ID)
    assert own.predicates.predicate_of(known) is own.predicates.declared[EXISTING_ID]
    assert own.predicates.predicate_of(msgspec.structs.replace(known, reworded=True)) is None


def test_reworded_recurring_condition_has_the_predicate_of_its_kind() -> None:
    requirement = "clCreateBuffer/CL_INVALID_CONTEXT/1"
    known = get_condition(requirement)
    own = rulebook_of(load())
    assert own.predicates.builder_of(known) is not None
    structured = own.predicates.predicate_of(msgspec.structs.replace(known, reworded=True))
    assert structured is not None
    changed = own.with_predicate(requirement, return_must)
    assert changed.predicates.predicate_of(known) is return_must
    assert changed.predicates.predicate_of(msgspec.structs.replace(known, reworded=True)) is structured


def test_predicate_of_usage_rule_can_be_replaced() -> None:
    own = rulebook_of(load())
    rule = next(requirement for requirement in load().requirements.values() if isinstance(requirement, UsageRule))
    assert own.with_predicate(rule.id, return_must).predicates.predicate_of(rule) is return_must
