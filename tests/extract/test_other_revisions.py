"""What must not matter: the numbers of chapters, under which heading a sentence stands, open blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.records import Effect, Gate, Section
from clconform.tools.extract import extract
from clconform.tools.extract.facts import facts_of
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.prose import Sentence, Sorted, sort_sentences
from clconform.tools.extract.scopes import scopes_of
from clconform.tools.extract.wording import digest

from .documents import TAIL, bullets, function, page, paragraph, table, write_folder

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "The thing must be red."
SORTED = Sorted("effect", topic="red")
OPEN = ' class="openblock"'


def sentence(context: str, function: str = "") -> Sentence:
    gates = (Gate("extension", name="cl_khr_things"),) if function else ()
    return Sentence(context, TEXT, Section("4.1", "Things"), "T", function, gates)


@pytest.mark.parametrize("moved", [sentence("Other Things"), sentence("clUse", "clUse")])
def test_a_sentence_that_moved_keeps_its_record(moved: Sentence) -> None:
    sorting = sort_sentences([moved], {"Things": {digest(TEXT): SORTED}}, {})
    assert sorting.unsorted() == []
    (draft,) = sorting.drafts
    assert draft.family == "T:things"
    assert isinstance(draft.record, Effect)
    assert (draft.record.function, draft.record.gates) == ("", ())


def test_a_sentence_that_means_different_things_is_sorted_where_it_stands() -> None:
    known = {"One": {digest(TEXT): SORTED}, "Two": {digest(TEXT): Sorted("informative")}}
    assert sort_sentences([sentence("Three")], known, {}).unsorted() == [sentence("Three")]
    sorting = sort_sentences([sentence("Two")], known, {})
    assert (sorting.drafts, sorting.classed) == ([], [(sentence("Two"), "informative")])


@pytest.mark.parametrize(("number", "title", "sorts"), [(2, "Rules", 1), (1, "Scope", 1), (5, "Glossary", 0)])
def test_what_a_chapter_is_called_counts_and_not_its_number(
    tmp_path: Path, number: int, title: str, sorts: int
) -> None:
    chapter = f'{TAIL[:6]}<h2 id="c">{number}. {title}</h2><h3 id="d">{number}.1. Colours</h3>{paragraph(TEXT)}'
    result = extract(write_folder(tmp_path / "documents", page(chapter)), tmp_path)
    assert len([one for one in result.unsorted() if one.text == TEXT]) == sorts


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
def test_columns_may_come_in_any_order(tmp_path: Path, titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    found = []
    for step in (1, -1):
        path = tmp_path / f"{step}.html"
        html = table("Formats of OpenCL", titles[::step], *(row[::step] for row in rows))
        path.write_text(page(function("clUse", "cl_int clUse(cl_uint a);", html)), encoding="utf-8")
        scopes = scopes_of(read_html(path, "T").blocks, "T")
        functions = {one.name: one for scope in scopes for one in scope.functions}
        tables = [block for scope in scopes for block in scope.blocks if block.kind == "table"]
        found.append([draft.record for block in tables for draft in facts_of(block, "T", functions)])
    assert found[0]
    assert found[0] == found[1]


def test_clauses_do_not_hang_on_open_blocks(tmp_path: Path) -> None:
    parts = (
        function(
            name,
            f"cl_int {name}(cl_context context, cl_uint count);",
            bullets("context is a context.", "count is a count."),
            paragraph(f"{name} returns CL_SUCCESS if it worked. Otherwise, it returns one of the following errors:"),
            bullets("CL_INVALID_CONTEXT if context is not a valid context.", f"CL_INVALID_VALUE if {name} is odd."),
        )
        for name in ("clUse", "clDrop")
    )
    whole = page(*parts)
    found = []
    for index, html in enumerate((whole, whole.replace(OPEN, ""))):
        result = extract(write_folder(tmp_path / str(index), html), tmp_path)
        found.append([r for r in result.records if r.function in ("clUse", "clDrop")])
    assert OPEN in whole
    assert len(found[0]) == 6
    assert found[0] == found[1]
