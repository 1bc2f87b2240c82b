"""The page of all conditions is the one that the code writes."""

from __future__ import annotations

import re
from pathlib import Path

from clconform.spec_tables import load
from clconform.spec_tables.records import AlignmentRule, SizeRule
from clconform.tools.conditions import page
from clconform.tools.tables import listed_in

PAGE = Path(__file__).resolve().parents[1] / "docs" / "conditions.md"


def test_the_page_of_conditions_is_current() -> None:
    """Written again by ``clconform tables --markdown > docs/conditions.md``."""
    tables = load()
    assert PAGE.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in page(tables, listed_in(tables)))


def test_every_condition_is_a_sentence() -> None:
    """It begins with a capital letter, unless with an identifier, and ends with a full stop."""
    tables = load()
    names = {each.name for function in tables.functions.values() for each in function.parameters}
    names |= {each.subject for each in tables.records.values() if isinstance(each, (AlignmentRule, SizeRule))}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        found = re.match(r"- `[^`]+`: (?!\*open\*)(\w+)(.*)", line)
        if found is None:
            continue
        first, rest = found.groups()
        named = first in names or "_" in first or re.match(r"cl[A-Z]", first)
        assert not first[0].islower() or named, line
        words = re.sub(r" \[[^]]*\]( \*Untestable:\*.*)?$", "", rest)
        assert words.endswith("."), line
