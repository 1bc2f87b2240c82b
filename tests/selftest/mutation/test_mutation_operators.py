"""The mutation operators make every applicable change to a piece of source code, one at a time."""

from __future__ import annotations

import ast

import pytest

from clconform.selftest.mutation.mutation_operators import BOUNDARY, JUNCTION, NUMBER, make_edits


def get_changes(source: str) -> list[tuple[str, str, str]]:
    return [(edit.operator, edit.before, edit.after) for edit, _ in make_edits(ast.parse(source))]


@pytest.mark.parametrize(
    ("before", "after"), [("a < b", "a <= b"), ("a <= b", "a < b"), ("a > b", "a >= b"), ("a >= b", "a > b")]
)
def test_comparison_is_changed_between_strict_and_non_strict(before: str, after: str) -> None:
    assert get_changes(before) == [(BOUNDARY, before, after)]


def test_chained_comparison_has_two_changes() -> None:
    assert get_changes("a < b <= c") == [(BOUNDARY, "a < b <= c", "a <= b <= c"), (BOUNDARY, "a < b <= c", "a < b < c")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("size == 0", "size == 1"),
        ("values[0]", "values[1]"),
        ("values[-1]", "values[-2]"),
        ("values[2:]", "values[3:]"),
        ("SIZES = (64,)", "SIZES = (65,)"),
    ],
)
def test_number_is_incremented_and_shown_in_context(before: str, after: str) -> None:
    assert get_changes(before) == [(NUMBER, before, after)]


def test_boolean_operators_are_swapped() -> None:
    assert get_changes("a and b") == [(JUNCTION, "a and b", "a or b")]
    assert get_changes("a or b") == [(JUNCTION, "a or b", "a and b")]


@pytest.mark.parametrize("source", ["a == b", "a is None", "True", "'1'", "1.5", "not a", "a in b"])
def test_expressions_without_applicable_operator_have_no_changes(source: str) -> None:
    assert get_changes(source) == []


def test_each_edited_tree_has_one_change_and_the_original_is_unchanged() -> None:
    source = "a < 1 and b > 2"
    tree = ast.parse(source)
    assert [ast.unparse(changed) for _, changed in make_edits(tree)] == [
        "a < 1 or b > 2",
        "a <= 1 and b > 2",
        "a < 1 and b >= 2",
        "a < 2 and b > 2",
        "a < 1 and b > 3",
    ]
    assert ast.unparse(tree) == source


def test_edit_has_line_number_of_its_change() -> None:
    assert [edit.line for edit, _ in make_edits(ast.parse("a\nb < c"))] == [2]
