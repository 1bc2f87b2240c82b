"""The documentation site: every page is in a table of contents, and links in included files lead to pages.

``sphinx-build -W -n docs site`` checks the links between pages.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).resolve().parents[1] / "docs"
SECTIONS = ["Tutorial", "How-to guides", "Reference", "Explanation"]


def tables_of_contents() -> list[str]:
    """Return the contents of the ``toctree`` directives on the first page."""
    tokens = MarkdownIt().parse((DOCS / "index.md").read_text(encoding="utf-8"))
    return [token.content for token in tokens if token.info == "{toctree}"]


@pytest.fixture(scope="module")
def configuration() -> ModuleType:
    """Return the module ``docs/conf.py``."""
    spec = importlib.util.spec_from_file_location("conf", DOCS / "conf.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_one_table_of_contents() -> None:
    lines = [line for text in tables_of_contents() for line in text.splitlines() if line and line[0] != ":"]
    pages = Counter(re.sub(r".*<(.+)>", r"\1", line) for line in lines)
    assert pages == Counter(["self", *(path.stem for path in DOCS.glob("*.md") if path.stem != "index")])


def test_tables_of_contents_have_the_sections_of_the_site_as_captions() -> None:
    assert [re.findall(r":caption: (.+)", text) for text in tables_of_contents()] == [[each] for each in SECTIONS]


@pytest.mark.parametrize(
    ("link", "moved"),
    [
        ("[terms](docs/terms.md#results)", "[terms](terms.md#results)"),
        ("![report](docs/report.png)", "![report](report.png)"),
        ("[design](ARCHITECTURE.md#decisions)", "[design](architecture.md#decisions)"),
        ("[licence](LICENSE)", "[licence](../LICENSE)"),
        ("[below](#coverage), [a site](https://example.org/docs/)",) * 2,
    ],
)
def test_link_of_included_file_is_relative_to_the_folder_of_the_pages(
    configuration: ModuleType, link: str, moved: str
) -> None:
    content = [link]
    configuration._read_included(None, "README.md", "index", content)
    assert content == [moved]


def test_link_to_file_outside_the_folder_leads_to_the_page_that_includes_it(configuration: ModuleType) -> None:
    assert configuration.link_to_pages("[d](../ARCHITECTURE.md), [r](../README.md#coverage), [c](../LICENSE)") == (
        "[d](architecture.md), [r](index.md#coverage), [c](../LICENSE)"
    )
