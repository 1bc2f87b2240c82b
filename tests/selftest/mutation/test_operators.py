"""All changes that apply to a piece of source, and no others."""

from __future__ import annotations

import ast

import pytest

from clconform.selftest.mutation.operators import BOUNDARY, JUNCTION, NUMBER, edits


def changes(source: str) -> list[tuple[str, str, str]]:
    return [(edit.operator, edit.before, edit.after) for edit, _ in edits(ast.parse(source))]


@pytest.mark.parametrize(
    ("before", "after"), [("a < b", "a <= b"), ("a <= b", "a < b"), ("a > b", "a >= b"), ("a >= b", "a > b")]
)
def test_a_boundary_is_moved_by_one(before: str, after: str) -> None:
    assert changes(before) == [(BOUNDARY, before, after)]


def test_a_chain_of_comparisons_has_a_boundary_at_each_end() -> None:
    assert changes("a < b <= c") == [(BOUNDARY, "a < b <= c", "a <= b <= c"), (BOUNDARY, "a < b <= c", "a < b < c")]


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
def test_a_number_is_made_one_larger_and_shown_in_what_stands_around_it(before: str, after: str) -> None:
    assert changes(before) == [(NUMBER, before, after)]


def test_and_and_or_stand_in_for_each_other() -> None:
    assert changes("a and b") == [(JUNCTION, "a and b", "a or b")]
    assert changes("a or b") == [(JUNCTION, "a or b", "a and b")]


@pytest.mark.parametrize("source", ["a == b", "a is None", "True", "'1'", "1.5", "not a", "a in b"])
def test_what_has_no_boundary_is_left_alone(source: str) -> None:
    assert changes(source) == []


def test_each_changed_tree_has_one_change_and_the_given_one_has_none() -> None:
    source = "a < 1 and b > 2"
    tree = ast.parse(source)
    assert [ast.unparse(changed) for _, changed in edits(tree)] == [
        "a < 1 or b > 2",
        "a <= 1 and b > 2",
        "a < 1 and b >= 2",
        "a < 2 and b > 2",
        "a < 1 and b > 3",
    ]
    assert ast.unparse(tree) == source


def test_an_edit_knows_its_line() -> None:
    assert [edit.line for edit, _ in edits(ast.parse("a\nb < c"))] == [2]
