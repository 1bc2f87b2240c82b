"""Independence of the extraction from chapter numbers, the headings above a sentence, and open blocks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition, Effect, Section
from clconform.tools.extract import extract_documents
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.prose_sentences import (
    EXCLUDED_CLASSES,
    REQUIREMENT_CLASSES,
    ProseSentence,
    SentenceClass,
    classify_sentences,
)
from clconform.tools.extract.scopes import split_scopes
from clconform.tools.extract.sentence_text import sentence_digest
from clconform.tools.extract.table_facts import extract_facts

from .documents import TAIL, bullets, function_block, html_page, html_table, paragraph, write_folder

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The thing must be red."
SORTED = SentenceClass("effect", topic="red")
OPEN = ' class="openblock"'


def create_sentence(context: str, function: str = "") -> ProseSentence:
    gates = (ApplicabilityCondition("extension", name="cl_khr_things"),) if function else ()
    return ProseSentence(context, TEXT, Section("4.1", "Things"), "T", function, gates)


@pytest.mark.parametrize("moved", [create_sentence("Other Things"), create_sentence("clUse", "clUse")])
def test_moved_sentence_keeps_its_requirement(moved: ProseSentence) -> None:
    sorting = classify_sentences([moved], {"Things": {sentence_digest(TEXT): SORTED}}, {})
    assert sorting.unclassified() == []
    (draft,) = sorting.drafts
    assert draft.family == "T:things"
    assert isinstance(draft.requirement, Effect)
    assert (draft.requirement.function, draft.requirement.applicability) == ("", ())


def test_sentence_with_two_classes_is_classified_by_its_section() -> None:
    known = {"One": {sentence_digest(TEXT): SORTED}, "Two": {sentence_digest(TEXT): SentenceClass("informative")}}
    assert classify_sentences([create_sentence("Three")], known, {}).unclassified() == [create_sentence("Three")]
    sorting = classify_sentences([create_sentence("Two")], known, {})
    assert (sorting.drafts, sorting.classified) == ([], [(create_sentence("Two"), "informative")])


def test_sentence_in_another_section_is_classified_only_if_known_section_lacks_it() -> None:
    known = {"Things": {sentence_digest(TEXT): SORTED}}
    home, other = create_sentence("Things"), create_sentence("Other Things")
    sorting = classify_sentences([other, home], known, {})
    assert (len(sorting.drafts), sorting.unclassified()) == (1, [other])
    sorting = classify_sentences([other], known, {})
    assert (len(sorting.drafts), sorting.unclassified()) == (1, [])


@pytest.mark.parametrize("sort", [*REQUIREMENT_CLASSES, *EXCLUDED_CLASSES])
def test_sentence_of_every_class_is_classified(sort: str) -> None:
    sorting = classify_sentences(
        [create_sentence("Things")], {"Things": {sentence_digest(TEXT): SentenceClass(sort, topic="t")}}, {}
    )
    assert sorting.classified == [(create_sentence("Things"), sort)]
    assert len(sorting.drafts) == (sort in REQUIREMENT_CLASSES)


def test_sentence_of_unknown_class_is_unclassified() -> None:
    known = {"Things": {sentence_digest(TEXT): SentenceClass("efect", topic="t")}}
    sorting = classify_sentences([create_sentence("Things")], known, {})
    assert (sorting.drafts, sorting.unclassified()) == ([], [create_sentence("Things")])


@pytest.mark.parametrize(
    ("number", "title", "sorts"),
    [
        ("2", "Rules", 1),
        ("1", "Scope", 1),
        ("5", "Glossary", 0),
        ("5", "GLOSSARY", 0),
        ("Appendix B", "Issues", 0),
        ("Appendix B", "Issues of Colour", 1),
        ("7", "Weather (Informative)", 0),
        ("7", "Weather (Informative) and Wind", 1),
        ("7", "Weather (Normative)", 1),
        ("3", "Version", 0),
        ("3", "Version Queries", 1),
        ("3", "Status of Things", 1),
        ("3", "Dependencies Between Commands", 1),
        ("8", "Acknowledgments", 0),
        ("8", "Not an Introduction", 1),
    ],
)
def test_chapter_is_identified_by_title_not_by_number(tmp_path: Path, number: str, title: str, sorts: int) -> None:
    chapter = f'{TAIL[:6]}<h2 id="c">{number}. {title}</h2><h3 id="d">{number}.1. Colours</h3>{paragraph(TEXT)}'
    result = extract_documents(write_folder(tmp_path / "documents", html_page(chapter)), tmp_path)
    assert len([one for one in result.unclassified() if one.text == TEXT]) == sorts


@pytest.mark.parametrize(
    ("titles", "rows"),
    [
        (("num_channels", "channel_order", "channel_data_type"), [("4", "CL_RGBA", "CL_FLOAT")]),
        (("Image Type", "Size of buffer that host_ptr points to"), [("CL_MEM_OBJECT_IMAGE2D", "image_row_pitch")]),
        (("Access Qualifier", "Memory Flags"), [("read_only", "CL_MEM_READ_ONLY")]),
        (("cl_thing_kind", "Kind of thing"), [("CL_THING_RED", "A red one.")]),
        (("Events Created By", "Event Command Type"), [("clUse", "CL_COMMAND_USE")]),
        (("Foreign format", "CL Image Format (both)"), [("OTHER_RGBA", "CL_RGBA, CL_FLOAT")]),
    ],
)
def test_table_is_read_with_its_columns_in_any_order(
    tmp_path: Path, titles: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    found = []
    for step in (1, -1):
        path = tmp_path / f"{step}.html"
        html = html_table("Formats of OpenCL", titles[::step], *(row[::step] for row in rows))
        path.write_text(html_page(function_block("clUse", "cl_int clUse(cl_uint a);", html)), encoding="utf-8")
        scopes = split_scopes(read_html(path, "T").blocks, "T")
        functions = {one.name: one for scope in scopes for one in scope.functions}
        tables = [block for scope in scopes for block in scope.blocks if block.kind == "table"]
        found.append([draft.requirement for block in tables for draft in extract_facts(block, "T", functions)])
    assert found[0]
    assert found[0] == found[1]


def test_conditions_are_equal_with_and_without_open_blocks(tmp_path: Path) -> None:
    parts = (
        function_block(
            name,
            f"cl_int {name}(cl_context context, cl_uint count);",
            bullets("context is a context.", "count is a count."),
            paragraph(f"{name} returns CL_SUCCESS if it worked. Otherwise, it returns one of the following errors:"),
            bullets("CL_INVALID_CONTEXT if context is not a valid context.", f"CL_INVALID_VALUE if {name} is odd."),
        )
        for name in ("clUse", "clDrop")
    )
    whole = html_page(*parts)
    found = []
    for index, html in enumerate((whole, whole.replace(OPEN, ""))):
        result = extract_documents(write_folder(tmp_path / str(index), html), tmp_path)
        found.append([r for r in result.requirements if r.function in ("clUse", "clDrop")])
    assert OPEN in whole
    assert len(found[0]) == 6
    assert found[0] == found[1]


def test_only_chapter_titles_mark_sentences_as_explanatory(tmp_path: Path) -> None:
    chapter = f'<h2 id="c">5. Rules</h2><h3 id="d">5.1. Issues</h3>{paragraph(TEXT)}'
    more = f'<h2 id="e">6. Issues</h2><h3 id="f">6.1. Rules</h3>{paragraph("The rule must be blue.")}'
    result = extract_documents(write_folder(tmp_path / "documents", html_page(TAIL[:6], chapter, more)), tmp_path)
    assert [(one.context, one.text) for one in result.unclassified() if one.document == "OpenCL"] == [("Issues", TEXT)]


def test_sentence_above_first_chapter_needs_no_class(tmp_path: Path) -> None:
    html = html_page().replace('<div class="sect1"><h2', f'{paragraph(TEXT)}<div class="sect1"><h2', 1)
    assert TEXT in html
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path)
    assert [one for one in result.unclassified() if one.text == TEXT] == []


def test_classified_sentence_in_explanatory_chapter_is_a_requirement(tmp_path: Path) -> None:
    chapter = f'{TAIL[:6]}<h2 id="c">5. Glossary</h2>{paragraph(TEXT)}'
    known = {"Glossary": {sentence_digest(TEXT): {"classification": "effect", "topic": "red"}}}
    (tmp_path / "classification.json").write_text(json.dumps(known))
    result = extract_documents(write_folder(tmp_path / "documents", html_page(chapter)), tmp_path)
    assert [requirement.id for requirement in result.requirements if isinstance(requirement, Effect)] == [
        "OpenCL:glossary/1"
    ]
    assert [one for one in result.unclassified() if one.text == TEXT] == []
