"""Parses Markdown with markdown-it, like a renderer: links, raw HTML, headings and table cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token


@dataclass
class MarkdownPage:
    """The contents of a rendered page. ``text``: all visible text; ``rows``: the cells of its tables."""

    html: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    text: str = ""


def parse_markdown(text: str) -> MarkdownPage:
    """Return the contents of a rendered page; raw HTML is enabled, so that it is detected."""
    page = MarkdownPage()
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    place = ""
    for token in tokens:
        if token.type == "tr_open":
            page.rows.append([])
        if token.type.endswith("_open"):
            place = token.type
        if token.type == "html_block":
            page.html.append(token.content)
        if token.type in ("inline", "fence", "code_block"):
            said = _add_inline(token.children or [], page) or token.content
            page.text += said + "\n"
            if place in ("td_open", "th_open"):
                page.rows[-1].append(said)
            if place == "heading_open":
                page.headings.append(said)
    return page


def _add_inline(children: Sequence[Token], page: MarkdownPage) -> str:
    words = []
    for child in children:
        if child.type == "html_inline":
            page.html.append(child.content)
        elif child.type in ("link_open", "image"):
            page.links.append(str(child.attrs.get("href", child.attrs.get("src", ""))))
        words.append(child.content if child.type in ("text", "code_inline", "text_special") else "")
    return "".join(words)
