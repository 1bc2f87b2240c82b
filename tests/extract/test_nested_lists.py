"""Lists nested in the items of an error list: they become separate conditions, or parts of the condition above."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition, ErrorCondition
from clconform.tools.extract import extract_documents
from clconform.tools.extract.assembly import add_html
from clconform.tools.extract.document_contents import DocumentContents
from clconform.tools.extract.error_conditions import ScopeErrors, read_errors
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.id_ledger import LedgerEntry
from clconform.tools.extract.scopes import split_scopes
from clconform.tools.extract.sentence_text import sentence_digest
from clconform.tools.extract.xml_registry import read_registry

from .documents import REGISTRY, bullets, function_block, html_page, paragraph, write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.tools.extract import ExtractionResult
    from clconform.tools.extract.id_ledger import Ledger

CODES = frozenset({"CL_INVALID_VALUE", "CL_INVALID_CONTEXT", "CL_OUT_OF_HOST_MEMORY"})
CODE = "cl_int clUseThing(cl_context context, cl_uint count, const cl_uint* sizes);"
RETURNS = paragraph(
    "clUseThing returns CL_SUCCESS if all went well. Otherwise, it returns one of the following errors:"
)
V = "CL_INVALID_VALUE"
ANY = f"{V} if any of the following conditions hold:"
FAMILY = f"clUseThing/{V}"
RED_CONDITION, BLUE_CONDITION = "count is red", "count is blue"


def create_document(*items: str) -> str:
    return html_page(function_block("clUseThing", CODE, RETURNS, bullets(*items)))


def read_page_errors(tmp_path: Path, html: str) -> ScopeErrors:
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    scope = next(scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions)
    return read_errors(scope, CODES)


def read_texts(tmp_path: Path, *items: str) -> list[str]:
    found = read_page_errors(tmp_path, create_document(*items))
    assert found.unclear == []
    return [clause.text for clause in found.conditions]


def extract_document(tmp_path: Path, html: str, ledger: Ledger | None = None) -> ExtractionResult:
    return extract_documents(write_folder(tmp_path / "documents", html), tmp_path / "tables", ledger)


def conditions_of(result: ExtractionResult) -> list[ErrorCondition]:
    return [
        requirement
        for requirement in result.requirements
        if isinstance(requirement, ErrorCondition) and requirement.function == "clUseThing"
    ]


# lists that are split


@pytest.mark.parametrize("code", [V, f"{V}:", f"{V} -"])
def test_list_below_a_bare_error_code_has_separate_conditions(tmp_path: Path, code: str) -> None:
    assert read_texts(tmp_path, f"{code}|" + bullets(f"if {RED_CONDITION}, or", f"if {BLUE_CONDITION}.")) == [
        f"{code} if {RED_CONDITION}",
        f"{code} if {BLUE_CONDITION}",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "if any of the following conditions hold:",
        "if one of the following conditions is met:",
        "is returned under any of the following circumstances:",
        "in any of the following cases:",
        "if context is red, and any of the following conditions are not met:",
        "if context is not NULL and any of the following conditions hold:",
    ],
)
def test_each_listed_alternative_begins_with_the_words_above_the_list(tmp_path: Path, words: str) -> None:
    found = read_texts(
        tmp_path, f"{V} {words}|" + bullets(f"{RED_CONDITION}, or", f"{BLUE_CONDITION}."), "CL_INVALID_CONTEXT if d."
    )
    assert found == [f"{V} {words} {RED_CONDITION}", f"{V} {words} {BLUE_CONDITION}", "CL_INVALID_CONTEXT if d."]


def test_each_part_of_a_split_condition_stores_the_whole_text(tmp_path: Path) -> None:
    html = create_document(
        f"{ANY}|" + bullets(f"{RED_CONDITION}, or", f"{BLUE_CONDITION}."),
        f"{V}|" + bullets(f"if {RED_CONDITION}."),
        f"{V} if {BLUE_CONDITION}.",
    )
    own = f"{ANY} {RED_CONDITION}, or {BLUE_CONDITION}."
    assert [clause.part_of for clause in read_page_errors(tmp_path, html).conditions] == [own, own, "", ""]


def test_list_with_three_levels_of_alternatives_is_split(tmp_path: Path) -> None:
    inner = bullets(
        "any of the following cases:|" + bullets("a,", "b; or"),
        "all of the following hold:|" + bullets("c", "d, and"),
        "e.",
    )
    found = read_texts(tmp_path, f"{ANY}|{inner}")
    assert found == [
        f"{ANY} any of the following cases: a",
        f"{ANY} any of the following cases: b",
        f"{ANY} all of the following hold: c d",
        f"{ANY} e",
    ]


def test_list_of_alternatives_below_a_bare_error_code_is_split(tmp_path: Path) -> None:
    inner = bullets("if any of the following conditions hold:|" + bullets("a, or", "b, or"), "if c.")
    words = f"{V} if any of the following conditions hold:"
    assert read_texts(tmp_path, f"{V}|{inner}") == [f"{words} a", f"{words} b", f"{V} if c"]


# lists that stay together


@pytest.mark.parametrize(
    "words",
    [
        "if none of the following conditions hold:",
        "if all of the following conditions hold:",
        "unless all of the following conditions hold:",
        "if context was created with one of",
    ],
)
def test_list_that_completes_its_condition_is_not_split(tmp_path: Path, words: str) -> None:
    found = read_texts(tmp_path, f"{V} {words}|" + bullets("CL_THING_RED, or", "CL_THING_SIZE."))
    assert found == [f"{V} {words} CL_THING_RED, or CL_THING_SIZE."]


def test_list_of_alternatives_inside_an_unsplit_list_is_not_split(tmp_path: Path) -> None:
    inner = bullets("any of the following cases:|" + bullets("a", "b"), "c.")
    assert read_texts(tmp_path, f"{V} if all of the following hold:|{inner}") == [
        f"{V} if all of the following hold: any of the following cases: a b c."
    ]


@pytest.mark.parametrize(
    "words",
    [
        "if one of these:",
        "if any of the following colours shines:",
        "if:",
        "unless any of the following conditions hold:",
        "if context is red except when one of the following conditions holds:",
        "if context does not meet any of the following conditions:",
        "if context is not in one of the following cases:",
        "if all but one of the following conditions hold:",
    ],
)
def test_list_below_unclear_words_is_not_split_and_is_reported(tmp_path: Path, words: str) -> None:
    found = read_page_errors(
        tmp_path, create_document(f"{V} {words}|" + bullets(f"{RED_CONDITION}, or", f"{BLUE_CONDITION}."))
    )
    assert [clause.text for clause in found.conditions] == [f"{V} {words} {RED_CONDITION}, or {BLUE_CONDITION}."]
    assert found.unclear == [f"{V} {words}"]


def test_list_followed_by_a_paragraph_is_not_split_and_is_reported(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path, create_document(f"{ANY}|" + bullets("a", "b") + "<p>They hold on Mondays only.</p>")
    )
    assert [clause.text for clause in found.conditions] == [f"{ANY} a b They hold on Mondays only."]
    assert len(found.unclear) == 1


def test_list_below_unclear_words_is_reported_at_any_level(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path, create_document(f"{ANY}|" + bullets("such as these:|" + bullets("a", "b"), "c."))
    )
    assert [clause.text for clause in found.conditions] == [f"{ANY} such as these: a b", f"{ANY} c"]
    assert found.unclear == [f"{ANY} such as these:"]


def test_list_below_unclear_words_fails_the_check(tmp_path: Path) -> None:
    told = [
        [text for text in extract_document(tmp_path / str(index), html).unparsed if "list below" in text]
        for index, html in enumerate(
            (create_document(f"{V} if:|" + bullets("a", "b")), create_document(f"{ANY}|" + bullets("a", "b")))
        )
    ]
    assert told[1] == []
    (line,) = told[0]
    assert "clUseThing" in line
    assert sentence_digest(f"{V} if:") in line


# parts


def test_final_punctuation_does_not_change_the_digest_of_a_sentence() -> None:
    assert {sentence_digest(f"{V} if {RED_CONDITION}{end}") for end in ("", ".", ",", ";", ":")} == {
        sentence_digest(f"{V} if {RED_CONDITION}")
    }
    assert sentence_digest(f"{V} if {RED_CONDITION}") != sentence_digest(f"{V} if {BLUE_CONDITION}")
    assert sentence_digest(f"{V} if {RED_CONDITION} or {BLUE_CONDITION}") != sentence_digest(
        f"{V} if {RED_CONDITION} {BLUE_CONDITION}"
    )


@pytest.mark.parametrize("end", ["", ".", ",", ";", ", or", "; or", " and", ", and", " or."])
def test_final_conjunction_is_removed_from_a_list_item(tmp_path: Path, end: str) -> None:
    parts = read_texts(tmp_path, f"{V}|" + bullets(f"if {RED_CONDITION}{end}", f"if {BLUE_CONDITION}."))
    assert [sentence_digest(text) for text in parts] == [
        sentence_digest(f"{V} if {RED_CONDITION}."),
        sentence_digest(f"{V} if {BLUE_CONDITION}"),
    ]


def test_final_word_that_only_ends_like_a_conjunction_is_not_removed(tmp_path: Path) -> None:
    assert read_texts(tmp_path, f"{V}|" + bullets("if it is the colour", "if it is no band")) == [
        f"{V} if it is the colour",
        f"{V} if it is no band",
    ]


def test_condition_with_one_item_list_has_same_digest_as_without_list(tmp_path: Path) -> None:
    (part,) = read_texts(tmp_path, f"{V}:|" + bullets(f"if {RED_CONDITION}."))
    assert sentence_digest(part) == sentence_digest(f"{V} if {RED_CONDITION}.")


def test_part_includes_the_names_in_markup_above_its_list(tmp_path: Path) -> None:
    above = f"{V} if <em>context</em> is red and any of the following conditions hold:"
    found = read_page_errors(
        tmp_path, create_document(f"{above}|" + bullets("the count of <em>sizes</em> is odd", "<em>count</em> is odd"))
    )
    assert [clause.formatted_names for clause in found.conditions] == [
        frozenset({"context", "sizes"}),
        frozenset({"context", "count"}),
    ]


def test_each_part_of_a_list_has_its_own_applicability(tmp_path: Path) -> None:
    late = "count is red. This error code is missing before version 1.2."
    above = f"{V} if the cl_khr_things extension is supported and any of the following conditions hold:"
    html = create_document(
        f"{V}|" + bullets(f"if {late}", f"if {BLUE_CONDITION}."), f"{above}|" + bullets(RED_CONDITION, BLUE_CONDITION)
    )
    since, with_things = (
        ApplicabilityCondition("platform-version", since="1.2"),
        ApplicabilityCondition("extension", name="cl_khr_things"),
    )
    gates = [clause.applicability for clause in read_page_errors(tmp_path, html).conditions]
    assert gates == [(since,), (), (with_things,), (with_things,)]


def test_part_of_a_list_may_have_a_recurring_condition(tmp_path: Path) -> None:
    items = ("if sizes is NULL, or", "if count is 0, or", "if sizes is NULL or the moon is full.")
    clauses = conditions_of(extract_document(tmp_path, create_document(f"{V}|" + bullets(*items))))
    assert [(clause.condition.kind, clause.condition.parameters) for clause in clauses] == [
        ("null-parameter", ("sizes",)),
        ("zero-parameter", ("count",)),
        ("other", ()),
    ]


def test_list_of_failures_without_error_code_is_split(tmp_path: Path) -> None:
    fails = paragraph("clThingAlloc returns an address if it worked. clThingAlloc will fail if")
    items = bullets(
        "any of the following conditions hold:|" + bullets("size is red, or", "size is blue."),
        "size is one of these:|" + bullets("1", "2"),
        "context is wrong.",
    )
    html = html_page(
        function_block("clThingAlloc", "void* clThingAlloc(cl_context context, size_t size);", fails, items)
    )
    found = read_page_errors(tmp_path, html)
    assert [(clause.code, clause.text) for clause in found.conditions] == [
        ("NULL", "any of the following conditions hold: size is red"),
        ("NULL", "any of the following conditions hold: size is blue"),
        ("NULL", "size is one of these: 1 2"),
        ("NULL", "context is wrong."),
    ]
    assert found.unclear == ["size is one of these:"]


# numbers


def test_number_of_a_split_condition_is_retired(tmp_path: Path) -> None:
    own = f"{ANY} {RED_CONDITION}, or {BLUE_CONDITION}."
    ledger: Ledger = {
        FAMILY: [LedgerEntry(1, [sentence_digest(f"{V} if a")], []), LedgerEntry(2, [sentence_digest(own)], ["count"])]
    }
    result = extract_document(
        tmp_path,
        create_document(f"{V} if a.", f"{ANY}|" + bullets(f"{RED_CONDITION}, or", f"{BLUE_CONDITION}.")),
        ledger,
    )
    assert [clause.id for clause in conditions_of(result)] == [f"{FAMILY}/1", f"{FAMILY}/3", f"{FAMILY}/4"]
    assert [entry.number for entry in result.ledger[FAMILY] if entry.retired] == [2]
    assert not any(clause.reworded for clause in conditions_of(result))
    again = extract_document(
        tmp_path,
        create_document(f"{V} if a.", f"{ANY}|" + bullets(f"{RED_CONDITION}, or", f"{BLUE_CONDITION}.")),
        result.ledger,
    )
    assert [clause.id for clause in conditions_of(again)] == [f"{FAMILY}/1", f"{FAMILY}/3", f"{FAMILY}/4"]


def test_condition_moved_into_a_one_item_list_keeps_its_number(tmp_path: Path) -> None:
    before = extract_document(tmp_path, create_document(f"{V} if {RED_CONDITION}.", f"{V} if {BLUE_CONDITION}."))
    after = extract_document(
        tmp_path, create_document(f"{V}|" + bullets(f"if {RED_CONDITION}."), f"{V} if {BLUE_CONDITION}."), before.ledger
    )
    assert [(clause.id, clause.digest) for clause in conditions_of(after)] == [
        (clause.id, clause.digest) for clause in conditions_of(before)
    ]
    assert not any(entry.retired for entry in after.ledger[FAMILY])


def test_separate_condition_that_becomes_a_part_keeps_its_number(tmp_path: Path) -> None:
    before = extract_document(tmp_path, create_document(f"{V} if {RED_CONDITION}."))
    after = extract_document(
        tmp_path, create_document(f"{V}|" + bullets(f"if {BLUE_CONDITION}, or", f"if {RED_CONDITION}.")), before.ledger
    )
    assert [clause.id for clause in conditions_of(after)] == [f"{FAMILY}/2", f"{FAMILY}/1"]


# counts and comparisons


def test_split_condition_counts_as_its_parts_and_is_printed_whole(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        create_document(f"{ANY}|" + bullets("a, or", "b."), f"{V} if c.", f"{V} if c."), encoding="utf-8"
    )
    (tmp_path / "cl.xml").write_text(REGISTRY, encoding="utf-8")
    gathered = DocumentContents()
    add_html(read_html(tmp_path / "page.html", "T"), read_registry(tmp_path / "cl.xml"), gathered)
    assert gathered.num_conditions == 4
    printed = gathered.printed["T"]["clUseThing"]
    assert [words for _, words in printed] == [f"{ANY}a,orb".replace(" ", ""), f"{V}ifc", f"{V}ifc"]
