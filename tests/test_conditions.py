"""The page of all conditions is the one that the code writes."""

from __future__ import annotations

from pathlib import Path

from clconform.spec_tables import load
from clconform.tools.conditions import page
from clconform.tools.tables import listed_in

PAGE = Path(__file__).resolve().parents[1] / "docs" / "conditions.md"


def test_the_page_of_conditions_is_current() -> None:
    """Written again by ``clconform tables --markdown > docs/conditions.md``."""
    tables = load()
    assert PAGE.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in page(tables, listed_in(tables)))
