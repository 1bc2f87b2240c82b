"""Configuration of the documentation site, which ``sphinx-build -W -n docs site`` builds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = html_title = "clconform"
extensions = ["myst_parser"]
exclude_patterns = ["ci", "findings"]
myst_heading_anchors = 4
html_theme = "furo"
html_copy_source = False
smartquotes = False

PAGES = {"../README.md": "index.md", "../ARCHITECTURE.md": "architecture.md"}
"""Maps files outside this folder to the pages that include them."""


def link_to_pages(text: str) -> str:
    """Return the text of a page with links to the pages of the site in place of the files that they include."""
    for file, page in PAGES.items():
        text = text.replace(f"]({file}", f"]({page}")
    return text


def move_links(text: str) -> str:
    """Return the text of a file in the repository's root with links relative to this folder."""
    return re.sub(r"\]\((?!#|\w+:)(docs/)?", lambda found: "](" if found[1] else "](../", text)


def _read_page(_app: Sphinx, _page: str, content: list[str]) -> None:
    content[0] = link_to_pages(content[0])


def _read_included(_app: Sphinx, _file: object, _page: str, content: list[str]) -> None:
    content[0] = link_to_pages(move_links(content[0]))


def setup(app: Sphinx) -> None:
    """Register the functions that change the text of a page while it is read."""
    app.connect("source-read", _read_page)
    app.connect("include-read", _read_included)
