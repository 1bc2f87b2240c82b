"""Alternatives: the text that names which part of an error condition holds for a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList
from clconform.harness import Target
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.operands import find_operands
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.runner.journal.recorder import Recorder
from clconform.selftest.trial import run_item
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition
from clconform.suites.errors.negative_tests import single_violation_cases

from ..sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)
from .kits import open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Operand, Value
    from clconform.oracles.engine.judgements import Expectation
    from clconform.suites.kit.kit import Kit

RULEBOOK = rulebook_of(load())
FOR_SEVERAL = ("misaligned-sub-buffer", "not-null-parameter", "null-parameter", "zero-parameter")
"""Kinds of conditions that have alternatives only if they name several parameters."""
CONDITIONS = {
    name: each
    for revision in loading.list_revisions()
    for name, each in loading.read_tables(loading.REVISIONS / revision).requirements.items()
    if isinstance(each, ErrorCondition)
}
"""The error conditions of every revision."""


def has_alternatives(condition: ErrorCondition) -> bool:
    """Return whether a function names the alternatives of a condition: its own, or that of its kind."""
    rules = RULEBOOK.rules
    by_kind = condition.condition.kind in rules.recurring_alternatives.entries
    own = condition.id in RULEBOOK.predicates.declared
    several = condition.condition.kind not in FOR_SEVERAL or len(condition.condition.parameters) > 1
    return condition.id in rules.alternatives.entries or (
        by_kind and several and not own and not condition.inherited_from
    )


@pytest.mark.parametrize("requirement", RULEBOOK.rules.alternatives.entries)
def test_alternatives_are_declared_only_for_conditions_with_a_predicate(requirement: str) -> None:
    assert requirement in CONDITIONS
    assert requirement in RULEBOOK.predicates.declared


@pytest.mark.parametrize("kind", RULEBOOK.rules.recurring_alternatives.entries)
def test_recurring_alternatives_are_declared_only_for_known_condition_kinds(kind: str) -> None:
    assert kind in RULEBOOK.rules.builders.entries


class HeldText(NamedTuple):
    """A condition that must hold for a call, and the text of the alternatives that hold."""

    requirement: str
    text: str
    call: Call


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[HeldText]:
    """Record each condition with alternatives that must hold, for every call whose outcome an oracle expects."""
    found: list[HeldText] = []
    expect = Oracle.expect

    def record(oracle: Oracle, call: Call, *, on_host_thread: bool = False) -> Expectation:
        expectation = expect(oracle, call, on_host_thread=on_host_thread)
        if not expectation.undefined:
            for each in expectation.required_errors:
                if has_alternatives(each.clause):
                    text = oracle.rulebook.texts.held_alternative(each.clause.id, expectation.call, oracle.model)
                    found.append(HeldText(each.clause.id, text, expectation.call))
        return expectation

    monkeypatch.setattr(Oracle, "expect", record)
    return found


def test_every_condition_that_holds_names_the_alternative_that_holds(held: list[HeldText]) -> None:
    session = InProcessSession(Target.simulated("everything"), load(), Recorder(None))
    for case in single_violation_cases(load()):
        if has_alternatives(CONDITIONS[case.requirement]):
            run_item(case, session)
    session.close()
    assert [each for each in held if not each.text] == []
    assert len({each.requirement for each in held}) > 350


@pytest.fixture
def kit() -> Iterator[Kit]:
    with open_kit("everything") as opened:
        yield opened


def find_held(kit: Kit, requirement: str, **changed: Value) -> tuple[str, dict[str, Operand]]:
    """Return the alternatives of a condition that hold for a changed valid call, and their operands."""
    function = requirement.split("/", maxsplit=1)[0]
    expectation = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed)))
    assert requirement in {each.clause.id for each in expectation.required_errors}
    text = kit.cl.oracle.rulebook.texts.held_alternative(requirement, expectation.call, kit.cl.oracle.model)
    return text, find_operands(expectation.call, kit.cl.oracle.model, text)


def test_alternative_of_invalid_map_names_size_or_range_or_flags(kit: Kit) -> None:
    requirement = "clEnqueueMapBuffer/CL_INVALID_VALUE/1"
    arguments = kit.valid_arguments("clEnqueueMapBuffer")
    size = kit.cl.oracle.model.get(MemoryObject, arguments["buffer"]).size
    assert find_held(kit, requirement, size=0) == ("size is 0", {"size": 0})
    assert find_held(kit, requirement, buffer=arguments["buffer"], offset=1, size=size) == (
        "offset + size exceeds the size of buffer",
        {"offset + size": size + 1, "size of buffer": size},
    )
    text, operands = find_held(kit, requirement, map_flags=1 << 20, size=0)
    assert text == "size is 0; map_flags contains an undefined bit"
    assert operands == {"size": 0, "map_flags": 1 << 20}


def test_alternative_of_invalid_buffer_size_names_zero_or_exceeded_limit(kit: Kit) -> None:
    requirement = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
    assert find_held(kit, requirement, size=0) == ("size is 0", {"size": 0})
    text, operands = find_held(kit, requirement, size=1 << 60, flags=0, host_ptr=None)
    assert text == "size exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device"
    assert set(operands) == {"size", "CL_DEVICE_MAX_MEM_ALLOC_SIZE"}
    assert operands["size"] == 1 << 60


def test_alternative_of_invalid_image_region_names_the_coordinate(kit: Kit) -> None:
    requirement = "clEnqueueReadImage/CL_INVALID_VALUE/3"
    assert find_held(kit, requirement, region=ElementList((1, 0, 1))) == ("region[1] is 0", {"region[1]": 0})
    text, operands = find_held(kit, requirement, origin=ElementList((0, 0, 3)), region=ElementList((1, 1, 1)))
    assert text == "origin[2] is not 0 and image does not use this coordinate"
    assert operands["origin[2]"] == 3


def test_alternative_of_invalid_property_list_names_the_unknown_or_repeated_property(kit: Kit) -> None:
    requirement = "clCreateContext/CL_INVALID_PROPERTY/1"
    sync = kit.cl.oracle.model.constant_value("CL_CONTEXT_INTEROP_USER_SYNC")
    unknown, twice = ElementList((0x7FFF0001, 1, 0)), ElementList((sync, 0, sync, 0, 0))
    assert find_held(kit, requirement, properties=unknown) == (
        "properties contains an unsupported property name",
        {"properties": unknown},
    )
    assert find_held(kit, requirement, properties=twice) == (
        "properties contains the same name more than once",
        {"properties": twice},
    )
