"""Reads a specification in its published HTML form into blocks."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import TYPE_CHECKING

from lxml import etree, html

from clconform.spec_tables.requirements import Section
from clconform.tools.extract.document_blocks import NO_SECTION, DocumentBlock, SourceDocument, TableCell, walk_blocks
from clconform.tools.extract.safe_reading import (
    MAX_CHARACTERS,
    ExtractError,
    check_count,
    escape_path,
    excerpt,
    naming_document,
    read_document,
)
from clconform.tools.extract.sentence_text import single_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEADING = re.compile(r"h([1-6])$")
_NUMBERED = re.compile(r"^(?:(\d+(?:\.\d+)*|Appendix [A-Z])[.:]\s+)?(.*)$")
_LISTS = ("ul", "ol", "dl")
_BLOCKS = ("p", "div", "pre", "table", *_LISTS)
_LONGEST_TITLE = 12
_MARKS = ("em", "i", "var", "code", "tt")
_MARKED = re.compile(r"(?<![\w-])[A-Za-z]\w*(?![\w-])")
_SKIPPED = ("script", "style", "head", "nav")
_END = "</html>"
_END_WINDOW = 2000
_MAX_TAGS = 600_000
_MAX_PARTS = 60_000
_MAX_HEADINGS = 5_000
"""Maximum numbers of tags, parts and headings of a document, several times those of any specification."""
_MAX_SPAN = 50
"""Maximum number of rows or columns that a cell spans; specifications need at most three."""


def read_html(path: Path, key: str) -> SourceDocument:
    """Read a document in HTML.

    Its revision is in its head line or in its ``revnumber``.
    """
    content = read_document(path)
    with naming_document(path):
        root = _parse_html(path, content.text)
        body = root.find("body")
        top = root if body is None else body
        reader = _HtmlReader(marking=top.find(".//em") is not None)
        blocks = list(_move_footnotes(list(reader.blocks(top)), reader.footnotes(top)))
        parts = list(walk_blocks(blocks))
        longest = max((len(text) for part in parts for text in _block_texts(part)), default=0)
        check_count(path, len(parts), _MAX_PARTS, "paragraphs, lists and tables")
        check_count(path, sum(part.kind == "heading" for part in parts), _MAX_HEADINGS, "headings")
        check_count(path, longest, MAX_CHARACTERS, "characters in one paragraph")
        _number_sections(blocks)
        title = next((block.text for block in blocks if block.kind == "heading"), path.stem)
        return SourceDocument(key, title, _find_revision(root, path), content.digest, blocks)


def revision_in(path: Path) -> str:
    """Return the revision of a document without reading all of it."""
    with naming_document(path):
        return _find_revision(_parse_html(path, read_document(path).text), path)


def _block_texts(part: DocumentBlock) -> Iterator[str]:
    yield part.text
    yield from (cell.text for row in part.rows for cell in row)


def _parse_html(path: Path, text: str) -> html.HtmlElement:
    if _END not in text[-_END_WINDOW:].lower():
        raise ExtractError(f"{escape_path(path)}: is cut off, or not HTML: it does not end with {_END}; fetch it again")
    check_count(path, text.count("<"), _MAX_TAGS, "tags")
    parser = html.HTMLParser(encoding="utf-8")
    try:
        root = html.document_fromstring(text.encode(), parser=parser)
    except etree.LxmlError as problem:
        raise ExtractError(f"{escape_path(path)}: is not HTML ({excerpt(str(problem))}); fetch it again") from None
    fatal = next((entry for entry in parser.error_log if entry.level == etree.ErrorLevels.FATAL), None)
    if fatal is not None:
        what = f"line {fatal.line}: {excerpt(fatal.message)}"
        raise ExtractError(
            f"{escape_path(path)}: cannot be read to its end ({what}); compare it with the published one"
        )
    return root


def _find_revision(root: html.HtmlElement, path: Path) -> str:
    for element in root.iter("span"):
        if element.get("id") == "revnumber":
            return single_line(element.text_content()).removeprefix("version").strip(" ,vV")
    text = single_line(root.text_content())[:4000]
    stated = re.search(r"\bRevision: (\d+(?:\.\d+)*)", text)
    if stated:
        return stated[1]
    found = re.search(r"[Vv](?:ersion )?(\d+\.\d+(?:\.\d+)*)", text) or re.search(r"(\d+\.\d+(?:\.\d+)*)", path.stem)
    return found[1] if found else ""


class _HtmlReader:
    """Reads the elements of a page.

    Open blocks are numbered in reading order. ``marking``: the page formats names, so that a word without this format
    is not a name.
    """

    def __init__(self, *, marking: bool = False) -> None:
        self._marking = marking
        self._scopes = itertools.count(1)

    def footnotes(self, top: html.HtmlElement) -> dict[str, DocumentBlock]:
        """Map the anchors of footnotes, which are at the end of the page, to the footnotes."""
        found = {}
        for element in top.iter("div"):
            if "footnote" in (element.get("class") or "").split() and element.get("id"):
                text = re.sub(r"^\d+\W+", "", _text(element))
                marked = _formatted_names(element) if self._marking else None
                found[element.get("id")] = DocumentBlock("footnote", text, element.get("id"), formatted_names=marked)
        return found

    def blocks(self, parent: html.HtmlElement, scope: int = 0) -> Iterator[DocumentBlock]:
        if parent.tag in ("td", "li", "dd", "dt") and not any(child.tag in _BLOCKS for child in parent):
            yield self._paragraph(parent, scope)
            return
        for element in parent:
            if isinstance(element.tag, str) and element.tag not in _SKIPPED:
                yield from self._element(element, scope)

    def _element(self, element: html.HtmlElement, scope: int) -> Iterator[DocumentBlock]:
        heading = _HEADING.match(element.tag)
        if heading:
            yield DocumentBlock("heading", _text(element), element.get("id") or "", int(heading[1]), scope=scope)
        elif element.tag == "p":
            yield self._paragraph(element, scope)
        elif element.tag == "pre":
            yield DocumentBlock("listing", element.text_content().strip(), _listing_anchor(element), scope=scope)
        elif element.tag in _LISTS:
            yield DocumentBlock("list", anchor=element.get("id") or "", items=self._items(element, scope), scope=scope)
        elif element.tag == "table":
            yield from self._table(element, scope)
        else:
            opens = "openblock" in (element.get("class") or "").split()
            yield from self.blocks(element, next(self._scopes) if opens and not scope else scope)

    def _paragraph(self, element: html.HtmlElement, scope: int) -> DocumentBlock:
        marked = _formatted_names(element) if self._marking else None
        links = tuple(link[1:] for link in (a.get("href") or "" for a in element.iter("a")) if link.startswith("#"))
        notes = _footnotes(element)
        return DocumentBlock(
            "paragraph", _text(element), scope=scope, formatted_names=marked, footnotes=notes, links=links
        )

    def _items(self, element: html.HtmlElement, scope: int) -> list[list[DocumentBlock]]:
        if element.tag == "dl":
            items: list[list[DocumentBlock]] = []
            for child in element:
                if child.tag == "dt":
                    items.append([self._paragraph(child, scope)])
                elif child.tag == "dd" and items:
                    items[-1] += self.blocks(child, scope)
            return items
        return [list(self.blocks(child, scope)) for child in element if child.tag == "li"]

    def _table(self, element: html.HtmlElement, scope: int) -> Iterator[DocumentBlock]:
        note = next((cell for cell in element.iter("td") if "content" in (cell.get("class") or "").split()), None)
        if note is not None:
            yield DocumentBlock("note", items=[list(self.blocks(note, scope))], scope=scope)
            return
        caption = element.find("caption")
        header = [_text(cell) for cell in element.iterfind(".//thead//th")]
        rows = [
            [self._cell(cell) for cell in row if cell.tag in ("td", "th")]
            for row in element.iter("tr")
            if row.getparent().tag != "thead"
        ]
        text = "" if caption is None else _text(caption)
        anchor = element.get("id") or ""
        notes = _footnotes(element)
        yield DocumentBlock("table", text, anchor, header=header, rows=rows, scope=scope, footnotes=notes)

    def _cell(self, element: html.HtmlElement) -> TableCell:
        paragraphs = [_text(part) for part in element.iter("p", "pre", "li") if part.find(".//p") is None]
        return TableCell(
            paragraphs or [_text(element)],
            [part.get("id") for part in element.iter("a") if part.get("id")],
            _span(element, "rowspan"),
            _span(element, "colspan"),
            _formatted_names(element) if self._marking else None,
        )


def _span(element: html.HtmlElement, which: str) -> int:
    text = element.get(which) or "1"
    if not re.fullmatch("[0-9]{1,4}", text) or int(text) > _MAX_SPAN:
        raise ValueError(f"{which}={text}")
    return int(text)


def _move_footnotes(blocks: list[DocumentBlock], footnotes: dict[str, DocumentBlock]) -> Iterator[DocumentBlock]:
    """Yield the blocks with each footnote after the block that contains its mark."""
    for block in blocks:
        yield block
        for anchor in dict.fromkeys(anchor for inner in walk_blocks([block]) for anchor in inner.footnotes):
            if anchor in footnotes:
                yield dataclasses.replace(footnotes[anchor], scope=block.scope)


def _footnotes(element: html.HtmlElement) -> tuple[str, ...]:
    marks = [link.get("href") or "" for link in element.iter("a") if "footnote" in (link.get("class") or "").split()]
    return tuple(mark.removeprefix("#") for mark in marks)


def _listing_anchor(element: html.HtmlElement) -> str:
    for parent in itertools.islice(element.iterancestors(), 3):
        if parent.get("id"):
            return str(parent.get("id"))
    return element.get("id") or ""


def _text(element: html.HtmlElement) -> str:
    """Return the words of an element as one line, without the marks of footnotes."""
    parts: list[str] = []
    _collect(element, parts)
    return single_line("".join(parts))


def _formatted_names(element: html.HtmlElement) -> frozenset[str]:
    """Return the words of an element in italics or code type.

    Words with hyphens are terms, not names.
    """
    return frozenset(word for part in element.iter(*_MARKS) for word in _MARKED.findall(_text(part)))


def _collect(element: html.HtmlElement, parts: list[str]) -> None:
    parts.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str) and "footnote" not in (child.get("class") or ""):
            if child.tag == "br":
                parts.append(" ")
            _collect(child, parts)
        parts.append(child.tail or "")


def _number_sections(blocks: list[DocumentBlock]) -> None:
    section = NO_SECTION
    for block in blocks:
        if block.kind == "heading":
            found = _NUMBERED.match(block.text)
            number, title = (found[1] or "", found[2]) if found else ("", block.text)
            section = Section(number, _shorten_title(title), block.anchor)
        _set_section(block, section)


def _shorten_title(title: str) -> str:
    """Return a title of at most twelve words.

    A longer title would be a sentence of the document.
    """
    words = title.split()
    return title if len(words) <= _LONGEST_TITLE else " ".join(words[:_LONGEST_TITLE]) + " …"


def _set_section(block: DocumentBlock, section: Section) -> None:
    block.section = section
    for item in block.items:
        for inner in item:
            _set_section(inner, section)
