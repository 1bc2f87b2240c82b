"""The rulebook: discovery of rules, uniqueness, and replaced predicates."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.oracles import chapters
from clconform.oracles.engine.predicate_result import Decision
from clconform.oracles.engine.registry import Registry
from clconform.oracles.engine.rulebook import load_declared_rules, rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.call import Call
    from clconform.oracles.engine.predicate_result import PredicateResult
    from clconform.oracles.model.state import Model

TAKEN = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
MODULE = '''
from clconform.oracles.engine.rules import Rules

rules = Rules()


@rules.clause("{}")
def never(call, model):
    """It never holds."""
    return False
'''


@pytest.fixture
def another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the path for error conditions of an extra chapter, after the shared rulebook was created."""
    rulebook_of(load())
    folder = tmp_path / "another"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.setattr(chapters, "__path__", [*chapters.__path__, str(tmp_path)])
    yield folder / "clauses.py"
    for name in [name for name in sys.modules if name.startswith(f"{chapters.__name__}.another")]:
        del sys.modules[name]


def test_a_module_that_is_new_needs_no_list(another: Path) -> None:
    another.write_text(MODULE.format("clAnother/CL_INVALID_VALUE/1"), encoding="utf-8")
    assert "clAnother/CL_INVALID_VALUE/1" in load_declared_rules().predicates.entries
    assert "clAnother/CL_INVALID_VALUE/1" not in rulebook_of(load()).written_predicates


def test_a_record_has_one_predicate(another: Path) -> None:
    another.write_text(MODULE.format(TAKEN), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{TAKEN} has two predicates"):
        load_declared_rules()


def test_a_key_is_taken_once_and_all_are_told() -> None:
    known: Registry[str, int] = Registry("numbers")
    known.add("one", 1)
    with pytest.raises(ValueError, match="one has two numbers: 1 and 2"):
        known.add("one", 2)
    other: Registry[str, int] = Registry("numbers")
    other.add("one", 3)
    with pytest.raises(ValueError, match="one has two numbers: 1 and 3"):
        known.merge(other)


def always(_call: Call, _model: Model) -> PredicateResult:
    return Decision.MUST


def test_a_changed_predicate_stands_in_a_rulebook_of_its_own() -> None:
    own = rulebook_of(load())
    before = own.predicate(TAKEN)
    changed = own.with_predicate(TAKEN, always)
    assert changed.predicate(TAKEN) is always
    assert own.predicate(TAKEN) is before
    (rule,) = (each for each in changed.rules_of("clCreateBuffer").conditions if each.requirement == TAKEN)
    assert rule.predicate is always
    (rule,) = (each for each in own.rules_of("clCreateBuffer").conditions if each.requirement == TAKEN)
    assert rule.predicate is before


def clause(record: str) -> ErrorCondition:
    found = load().requirements[record]
    assert isinstance(found, ErrorCondition)
    assert not found.reworded
    return found


def test_what_was_written_for_another_wording_does_not_count() -> None:
    own = rulebook_of(load())
    known = clause(TAKEN)
    assert own.predicate_of(known) is own.predicate(TAKEN)
    assert own.predicate_of(msgspec.structs.replace(known, reworded=True)) is None


def test_the_recurring_condition_of_a_new_wording_counts() -> None:
    record = "clCreateBuffer/CL_INVALID_CONTEXT/1"
    known = clause(record)
    own = rulebook_of(load())
    assert own.builder_of(known) is not None
    structured = own.predicate_of(msgspec.structs.replace(known, reworded=True))
    assert structured is not None
    changed = own.with_predicate(record, always)
    assert changed.predicate_of(known) is always
    assert changed.predicate_of(msgspec.structs.replace(known, reworded=True)) is structured


def test_usage_rules_have_what_was_written_for_them() -> None:
    own = rulebook_of(load())
    rule = next(record for record in load().requirements.values() if isinstance(record, UsageRule))
    assert own.with_predicate(rule.id, always).predicate_of(rule) is always
