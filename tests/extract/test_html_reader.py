"""The HTML reader: sections, notes, soft breaks, footnotes, nested lists, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.tools.extract.html_reader import read_html

from .documents import bullets, function_block, html_page, html_table, note, paragraph

if TYPE_CHECKING:
    from pathlib import Path


def read_blocks(tmp_path: Path, html: str) -> list:
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    return read_html(path, "T").blocks


def test_revision_is_read_from_document(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(html_page(), encoding="utf-8")
    source = read_html(path, "T")
    assert source.revision == "9.8.7"
    assert source.title == "The OpenCL Test Document"


def test_section_has_printed_number_title_and_anchor(tmp_path: Path) -> None:
    blocks = read_blocks(tmp_path, html_page(paragraph("Here.")))
    section = next(block for block in blocks if block.text == "Here.").section
    assert (section.number, section.title, section.anchor) == ("4.1", "Things", "things")


def test_soft_breaks_do_not_split_names(tmp_path: Path) -> None:
    blocks = read_blocks(
        tmp_path, html_page(paragraph("A <code>CL_DEVICE_<wbr>TYPE_<wbr>ALL</wbr></wbr></code> and CL\u200b_X."))
    )
    assert "A CL_DEVICE_TYPE_ALL and CL_X." in [block.text for block in blocks]


def test_footnote_marks_are_removed(tmp_path: Path) -> None:
    html = html_page(paragraph('It holds.<sup class="footnote">[<a href="#f1">11</a>]</sup> Always.'))
    assert "It holds. Always." in [block.text for block in read_blocks(tmp_path, html)]


def test_nested_list_is_part_of_the_item_that_contains_it(tmp_path: Path) -> None:
    blocks = read_blocks(tmp_path, html_page(bullets("CL_INVALID_VALUE if:|" + bullets("one,", "or two."))))
    outer = [block for block in blocks if block.kind == "list"]
    assert len(outer) == 1
    assert " ".join(block.full_text() for block in outer[0].items[0]) == "CL_INVALID_VALUE if: one, or two."


def test_note_without_paragraph_is_read(tmp_path: Path) -> None:
    blocks = read_blocks(tmp_path, html_page(note('<a href="#x">clX</a> is missing before version 1.2.')))
    assert [block.full_text() for block in blocks if block.kind == "note"] == ["clX is missing before version 1.2."]


def test_paragraphs_of_a_table_cell_stay_separate(tmp_path: Path) -> None:
    blocks = read_blocks(
        tmp_path, html_page(html_table("Table 1. List", ("A", "B"), ("CL_A|missing before version 1.1.", "b")))
    )
    block = next(block for block in blocks if block.kind == "table")
    assert block.header == ["A", "B"]
    assert block.rows[0][0].paragraphs == ["CL_A", "missing before version 1.1."]


def test_paragraphs_of_an_open_block_have_a_scope_of_their_own(tmp_path: Path) -> None:
    blocks = read_blocks(
        tmp_path, html_page(paragraph("Before."), function_block("clX", "void clX(void);"), paragraph("After."))
    )
    scopes = {block.text: block.scope for block in blocks if block.kind == "paragraph"}
    assert scopes["Before."] == scopes["After."] == 0
    assert scopes["To make a thing, call the function:"] > 0


def test_definition_list_is_read_as_a_list_of_terms_with_texts(tmp_path: Path) -> None:
    html = html_page("<dl><dt>CL_A</dt><dd><p>Is a.</p></dd><dt>CL_B</dt><dd><p>Is b.</p></dd></dl>")
    block = next(block for block in read_blocks(tmp_path, html) if block.kind == "list")
    assert [" ".join(inner.full_text() for inner in item) for item in block.items] == ["CL_A Is a.", "CL_B Is b."]


FOOTNOTES = """<div id="footnotes"><div class="footnote" id="f1"><a href="#r1">1</a>. Only at <em>noon</em>.</div>
<div class="footnote" id="f2"><a href="#r2">2</a>. Only at night.</div></div>"""


def footnote_mark(number: int) -> str:
    return f'<sup class="footnote">[<a class="footnote" href="#f{number}">{number}</a>]</sup>'


def test_footnote_follows_the_block_with_its_mark(tmp_path: Path) -> None:
    rows = html_table("Table 1. Things", ("Name",), (f"CL_A {footnote_mark(2)}",))
    html = html_page(bullets(f"It <em>holds</em>{footnote_mark(1)}."), rows).replace("</body>", f"{FOOTNOTES}</body>")
    blocks = read_blocks(tmp_path, html)
    kinds = [(block.kind, block.text) for block in blocks if block.kind != "heading"]
    assert [kind for kind, _ in kinds] == ["list", "footnote", "table", "footnote"]
    assert [text for kind, text in kinds if kind == "footnote"] == ["Only at noon.", "Only at night."]
    footnote = next(block for block in blocks if block.kind == "footnote")
    assert (footnote.formatted_names, footnote.section.number) == (frozenset({"noon"}), "4.1")
