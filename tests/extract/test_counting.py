"""The independent count of conditions: reading of sources, rules of counting, and detection of differences."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from ..copied_words import DOCUMENTS, needs_documents  # noqa: TID252 (tests are no part of the installed package)
from .counting import (
    ListCounts,
    ListItem,
    active_lines,
    count_conditions,
    error_lists,
    find_differences,
    read_error_codes,
)
from .documents import REGISTRY, bullets, function_block, html_page, paragraph, write_folder

SOURCES = os.environ.get("CLCONFORM_SOURCES", "")
V, C = "CL_INVALID_VALUE", "CL_INVALID_CONTEXT"
CODES = frozenset({V, C})
INCLUDE = "include::{{generated}}/api/protos/{}.txt[]"
SOURCE = f"""
{INCLUDE.format("clUseThing")}

* _context_ is a context.
* _count_ is a count.

It may fail:

* {{{V}}} if _count_ is red.
* {{{C}_anchor}}
** if _context_ is red, or
** if _context_ is
   blue.
"""
USE = "cl_int clUseThing(cl_context context, cl_uint count);"
RETURNS = paragraph("clUseThing returns CL_SUCCESS if it worked. Otherwise, it returns one of the following errors:")
SPLIT = bullets(f"{V} if count is red.", f"{C}|" + bullets("if context is red, or", "if context is blue."))


def create_items(*lines: str) -> list[ListItem]:
    """Return list items from lines. The number of stars at the start of a line is its depth."""
    return [ListItem(len(line) - len(line.lstrip("*")), line.lstrip("* ")) for line in lines]


def write_sources(tmp_path: Path, source: str) -> Path:
    folder = tmp_path / "sources"
    (folder / "xml").mkdir(parents=True)
    (folder / "api").mkdir()
    (folder / "xml" / "cl.xml").write_text(REGISTRY, encoding="utf-8")
    (folder / "api" / "things.asciidoc").write_text(source, encoding="utf-8")
    return folder


def write_documents(tmp_path: Path, *parts: str) -> Path:
    return write_folder(tmp_path / "documents", html_page(function_block("clUseThing", USE, RETURNS, *parts)))


def test_error_codes_are_the_negative_values(tmp_path: Path) -> None:
    codes = read_error_codes(write_sources(tmp_path, ""))
    assert codes > CODES
    assert "CL_SUCCESS" not in codes


@pytest.mark.parametrize(
    ("lines", "counted"),
    [
        ((f"* {{{V}}} if a.", f"* {{{V}}} if b."), {V: 2}),
        ((f"* {{{V}}} if a.", f"* {{{C}_anchor}} if b."), {V: 1, C: 1}),
        ((f"* {{{V}}}", "** if a", "** if b"), {V: 2}),
        ((f"* {{{V}}}:", "** if a"), {V: 1}),
        ((f"* {{{V}}}",), {V: 1}),
        ((f"* {{{V}}} if any of the following conditions hold:", "** a", "** b"), {V: 2}),
        ((f"* {{{V}}} if one of the following cases applies:", "** a", "** b"), {V: 2}),
        ((f"* {{{V}}} if none of the following hold:", "** a", "** b"), {V: 1}),
        ((f"* {{{V}}} if it is one of", "** a", "** b"), {V: 1}),
        ((f"* {{{V}}}", "** if a:", "*** b", "*** c", "** if d"), {V: 2}),
        ((f"* {{{V}}}", "** if any of the following conditions hold:", "*** b", "*** c", "** if d"), {V: 3}),
        ((f"* {{{V}}} if it is one of", "** any of the following conditions hold:", "*** b", "*** c"), {V: 1}),
        ((f"* {{{V}}}", "** if a", f"* {{{C}}} if b"), {V: 1, C: 1}),
        (("* {CL_OTHER} if a", "** b", f"* {{{V}}} if c"), {V: 1}),
        (("* _count_ is a count.", "** b"), {}),
    ],
)
def test_conditions_of_a_list_are_counted_by_code(lines: tuple[str, ...], counted: dict[str, int]) -> None:
    assert count_conditions(create_items(*lines), CODES) == Counter(counted)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("ifdef::cl_khr_here[]", True),
        ("ifdef::cl_khr_gone[]", False),
        ("ifndef::cl_khr_here[]", False),
        ("ifndef::cl_khr_gone[]", True),
        ("ifdef::cl_khr_here,cl_khr_gone[]", True),
        ("ifdef::cl_khr_here+cl_khr_gone[]", False),
        ("ifndef::cl_khr_here,cl_khr_gone[]", False),
        ("ifndef::cl_khr_here+cl_khr_gone[]", True),
    ],
)
def test_preprocessor_conditions_select_source_lines(tmp_path: Path, line: str, *, kept: bool) -> None:
    path = tmp_path / "a.asciidoc"
    path.write_text(f"one\n{line}\ntwo\nifdef::cl_khr_gone[]\nthree\nendif::cl_khr_gone[]\nendif::x[]\nfour\n")
    expected = ["one", "two", "four"] if kept else ["one", "four"]
    assert list(active_lines(path, '<h2 id="cl_khr_here">')) == expected


def test_error_list_of_source_has_its_function_and_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.asciidoc"
    path.write_text(SOURCE)
    assert list(error_lists(path, "", CODES)) == [ListCounts(("clUseThing",), Counter({V: 1, C: 2}))]


def test_error_list_belongs_to_all_prototypes_since_the_previous_list(tmp_path: Path) -> None:
    path = tmp_path / "a.asciidoc"
    one, two, three = (INCLUDE.format(f"cl{name}Thing") for name in ("One", "Two", "Three"))
    path.write_text(
        f"{one}\n{two}\n\n* {{{V}}} if a.\n// a comment\n  and more.\n\nText.\n\n{three}\n\n* {{{C}}} if b.\n"
    )
    assert list(error_lists(path, "", CODES)) == [
        ListCounts(("clOneThing", "clTwoThing"), Counter({V: 1})),
        ListCounts(("clThreeThing",), Counter({C: 1})),
    ]


def test_sources_and_tables_with_equal_counts_have_no_differences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = list(find_differences(write_sources(tmp_path, SOURCE), write_documents(tmp_path, SPLIT)))
    assert found == []
    assert capsys.readouterr().out == "3 conditions in 1 lists\n"


@pytest.mark.parametrize(
    ("source", "parts", "expected"),
    [
        (
            SOURCE.replace("* {CL_INVALID_VALUE} if _count_ is red.", ""),
            (SPLIT,),
            [f"clUseThing: {V}: 0 in the sources, 1 in the tables"],
        ),
        (SOURCE, (bullets(f"{V} if count is red."),), [f"clUseThing: {C}: 2 in the sources, 0 in the tables"]),
        (
            SOURCE,
            (SPLIT.replace("if context is red, or", "if context is red, or if"), bullets(f"{V} if count is blue.")),
            [f"clUseThing: {V}: 1 in the sources, 2 in the tables"],
        ),
        ("", (bullets(f"{V} if count is red."),), ["clUseThing: not found in the sources"]),
    ],
)
def test_difference_names_function_code_and_both_counts(
    tmp_path: Path, source: str, parts: tuple[str, ...], expected: list[str]
) -> None:
    assert list(find_differences(write_sources(tmp_path, source), write_documents(tmp_path, *parts))) == expected


@needs_documents
@pytest.mark.skipif(
    not SOURCES, reason="no sources here; name a checkout of the documents' revision in CLCONFORM_SOURCES"
)
def test_tables_have_as_many_conditions_as_the_sources() -> None:
    assert list(find_differences(Path(SOURCES), DOCUMENTS)) == []
