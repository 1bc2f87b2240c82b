"""Parameter names in a document with markup, texts about success, and conditions without an error code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import ErrorCondition
from clconform.tools.extract.document_contents import DocumentContents
from clconform.tools.extract.draft_creation import add_conditions
from clconform.tools.extract.error_conditions import ScopeErrors, read_errors
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.scopes import split_scopes

from .documents import bullets, function_block, html_page, paragraph

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.tools.extract.scopes import FunctionScope

CODES = frozenset({"CL_INVALID_VALUE"})
CODE = "cl_int clUseThing(cl_context context, cl_uint count, cl_event event);"
FAILS = paragraph("It returns one of these errors:")


def read_page_errors(tmp_path: Path, *body: str) -> tuple[FunctionScope, ScopeErrors]:
    path = tmp_path / "page.html"
    path.write_text(html_page(function_block("clUseThing", CODE, *body)), encoding="utf-8")
    scope = next(scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions)
    return scope, read_errors(scope, CODES)


def read_conditions(tmp_path: Path, *body: str) -> list[ErrorCondition]:
    scope, errors = read_page_errors(tmp_path, *body)
    into = DocumentContents()
    add_conditions(errors.conditions, "T", {function.name: function for function in scope.functions}, into)
    return [draft.requirement for draft in into.drafts if isinstance(draft.requirement, ErrorCondition)]


def test_only_parameter_names_in_markup_are_parameters(tmp_path: Path) -> None:
    text = "CL_INVALID_VALUE if the event has a bad <em>count</em> in an <code>event-list</code>."
    assert [clause.parameters for clause in read_conditions(tmp_path, FAILS, bullets(text))] == [("count",)]


def test_parameter_name_in_recurring_condition_needs_no_markup(tmp_path: Path) -> None:
    items = ("CL_INVALID_VALUE if context is NULL.", "CL_INVALID_VALUE if <em>count</em> is odd.")
    found = read_conditions(tmp_path, FAILS, bullets(*items))
    assert [(clause.condition.kind, clause.parameters) for clause in found] == [
        ("null-parameter", ("context",)),
        ("other", ("count",)),
    ]


def test_words_are_parameters_in_a_document_without_markup(tmp_path: Path) -> None:
    found = read_conditions(tmp_path, FAILS, bullets("CL_INVALID_VALUE if the event has a bad count."))
    assert [clause.parameters for clause in found] == [("event", "count")]


def test_success_text_is_the_sentence_with_cl_success_if_there_is_one(tmp_path: Path) -> None:
    done = "clUseThing was successfully started when the count falls."
    for says in ("clUseThing will return CL_SUCCESS when done.", "clUseThing returns a thing, set to CL_SUCCESS."):
        _, errors = read_page_errors(
            tmp_path, paragraph(done), paragraph(says), FAILS, bullets("CL_INVALID_VALUE if b.")
        )
        assert errors.success == {"clUseThing": says}
    _, errors = read_page_errors(tmp_path, paragraph(done), FAILS, bullets("CL_INVALID_VALUE if b."))
    assert errors.success == {"clUseThing": done}


def test_first_symbol_of_condition_without_error_code_is_not_taken_as_its_code(tmp_path: Path) -> None:
    found = read_conditions(
        tmp_path, paragraph("clUseThing will fail if"), bullets("CL_THING_RED is set, with CL_LAST.")
    )
    assert [(clause.code, clause.symbols) for clause in found] == [("NULL", ("CL_THING_RED", "CL_LAST"))]
