"""Wording of conditions: the conjunction between parameters matches the predicate's result for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Handle
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.wording import join_names
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition
from clconform.suites.kit.valid_calls import all_valid_calls

from .kits import expect_changed_call, open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit

TABLES = load()
RULEBOOK = rulebook_of(TABLES)
VALUES_BY_KIND: dict[str, tuple[object, object]] = {
    "null-parameter": (None, Handle("something1")),
    "all-null": (None, Handle("something1")),
    "not-null-parameter": (Handle("something1"), None),
    "zero-parameter": (0, 1),
}
"""Maps kinds of conditions to a value for which they hold and a value for which they do not hold."""
CLAUSES = {clause.id: clause for clause in TABLES.requirements.values() if isinstance(clause, ErrorCondition)}


def list_conditions_of_several(*kinds: str) -> list[str]:
    """Return the conditions of these kinds with several parameters and neither a written nor an inherited rule."""
    chosen = [clause for clause in CLAUSES.values() if _get_kind(clause) in kinds and len(_get_names(clause)) > 1]
    return [
        clause.id for clause in chosen if clause.id not in RULEBOOK.predicates.declared and not clause.inherited_from
    ]


def _get_kind(clause: ErrorCondition) -> str:
    return clause.condition.kind


def _get_names(clause: ErrorCondition) -> tuple[str, ...]:
    return clause.condition.parameters


def holds(clause: ErrorCondition, values: dict[str, Any]) -> bool:
    """Return whether a condition holds for a call with these arguments, for any model."""
    predicate = RULEBOOK.predicates.predicate_of(clause)
    assert predicate is not None
    return predicate(Call(clause.function, values), cast("Any", None)).is_must


@pytest.mark.parametrize(
    ("names", "words"),
    [((), ""), (("a",), "a"), (("a", "b"), "a or b"), (("a", "b", "c"), "a, b or c"), (tuple("abcd"), "a, b, c or d")],
)
def test_parameter_names_are_joined_with_commas_and_conjunction(names: tuple[str, ...], words: str) -> None:
    assert join_names(names, "or") == words


@pytest.mark.parametrize("record", list_conditions_of_several(*VALUES_BY_KIND))
def test_wording_joins_parameters_by_or_if_each_alone_violates_the_condition(record: str) -> None:
    clause = CLAUSES[record]
    names, words = _get_names(clause), RULEBOOK.texts.words_of(record)
    held, other = VALUES_BY_KIND[_get_kind(clause)]
    alone = [holds(clause, {name: held if name == one else other for name in names}) for one in names]
    assert holds(clause, dict.fromkeys(names, held))
    assert not holds(clause, dict.fromkeys(names, other))
    assert words.startswith(join_names(names, "or" if all(alone) else "and")), words
    assert all(alone) or not any(alone)


@pytest.mark.parametrize("record", list_conditions_of_several("zero-or-null-parameter", "count-pointer-disagree"))
def test_wording_of_count_and_list_names_both_parameters(record: str) -> None:
    """The wording names both parameters, and the predicate matches it for all combinations."""
    clause = CLAUSES[record]
    count, listed = _get_names(clause)
    there = Handle("something1")
    for number, value in ((0, there), (1, None), (1, there), (0, None)):
        said = {
            "zero-or-null-parameter": number == 0 or value is None,
            "count-pointer-disagree": (number == 0 and value is not None) or (number != 0 and value is None),
        }[_get_kind(clause)]
        assert holds(clause, {count: number, listed: value}) == said
    words = {
        "zero-or-null-parameter": f"{count} is 0 or {listed} is NULL.",
        "count-pointer-disagree": f"{count} is 0 and {listed} is not NULL, or {count} is not 0 and {listed} is NULL.",
    }
    assert RULEBOOK.texts.words_of(record) == words[_get_kind(clause)]


@pytest.mark.parametrize("record", list_conditions_of_several("array-and-count-disagree"))
def test_wording_of_output_buffers_matches_the_predicate(record: str) -> None:
    clause = CLAUSES[record]
    count, listed, number = _get_names(clause)
    there = Handle("something1")
    for entries, output_buffer, told in (
        (0, there, there),
        (1, there, None),
        (0, None, there),
        (1, None, None),
        (0, None, None),
    ):
        said = (entries == 0 and output_buffer is not None) or (output_buffer is None and told is None)
        call = Call(clause.function, {count: entries, listed: output_buffer, number: told})
        predicate = RULEBOOK.predicates.predicate_of(clause)
        assert predicate is not None
        assert predicate(call, cast("Any", type("Model", (), {"tables": TABLES}))).is_must == said
    assert RULEBOOK.texts.words_of(record) == (
        f"{count} is 0 and {listed} is not NULL, or {listed} and {number} are both NULL."
    )


@pytest.mark.parametrize("record", list_conditions_of_several("user-data-without-callback"))
def test_wording_of_user_data_without_callback_matches_the_predicate(record: str) -> None:
    clause = CLAUSES[record]
    callback, data = _get_names(clause)
    there = Handle("something1")
    for notify, given in ((None, there), (there, there), (None, None), (there, None)):
        assert holds(clause, {callback: notify, data: given}) == (given is not None and notify is None)
    assert RULEBOOK.texts.words_of(record) == f"{callback} is NULL and {data} is not NULL."


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with open_kit("everything") as made:
        yield made


@pytest.mark.parametrize(
    "record",
    [each for each in list_conditions_of_several("invalid-object") if CLAUSES[each].function in all_valid_calls()],
)
def test_each_null_object_alone_violates_the_invalid_object_condition(kit: Kit, record: str) -> None:
    clause = CLAUSES[record]
    assert RULEBOOK.texts.words_of(record).startswith(join_names(_get_names(clause), "or"))
    for name in _get_names(clause):
        assert record in expect_changed_call(kit, clause.function, {name: None})[0].split()


@pytest.mark.parametrize(
    "record",
    [each for each in list_conditions_of_several("context-mismatch") if CLAUSES[each].function in all_valid_calls()],
)
def test_each_object_of_another_context_alone_violates_the_condition(kit: Kit, record: str) -> None:
    clause = CLAUSES[record]
    meant = [f"the events in {name}" if name == "event_wait_list" else name for name in _get_names(clause)]
    assert RULEBOOK.texts.words_of(record) == f"{join_names(meant, 'and')} do not all belong to the same context."
    given = kit.valid_arguments(clause.function)
    objects = [name for name in _get_names(clause) if isinstance(given[name], Handle)]
    if len(objects) > 1:
        for name in objects:
            foreign = {name: kit.foreign.get_similar(given[name])}
            assert record in expect_changed_call(kit, clause.function, foreign)[0].split(), name


def test_every_condition_kind_with_several_parameters_has_a_test() -> None:
    tried = {
        *VALUES_BY_KIND,
        "zero-or-null-parameter",
        "count-pointer-disagree",
        "array-and-count-disagree",
        "user-data-without-callback",
        "invalid-object",
        "context-mismatch",
    }
    others = {
        _get_kind(clause)
        for clause in CLAUSES.values()
        if len(_get_names(clause)) > 1 and _get_kind(clause) not in tried
    }
    joining = {
        kind
        for kind in others
        if any(word in RULEBOOK.rules.kind_words.get(kind, "") for word in ("{any}", "{all}", "{objects}"))
    }
    assert not joining
