"""The pages of all requirements and of all sentences match the output of the code."""

from __future__ import annotations

import re
from pathlib import Path

from clconform.spec_tables import load
from clconform.spec_tables.loading import read_sentence_counts
from clconform.spec_tables.requirements import AlignmentRule, Effect, SizeRule, UsageRule
from clconform.tools.dev import classification_page
from clconform.tools.dev.requirements_page import page_lines
from clconform.tools.extract.prose_sentences import EXCLUDED_CLASSES, REQUIREMENT_CLASSES, SILENT

SENTENCES = Path(__file__).resolve().parents[1] / "docs" / "sentences.md"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "conditions.md"


def test_requirements_page_is_current() -> None:
    """Check the file that ``clconform dev page conditions > docs/conditions.md`` writes."""
    assert PAGE.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in page_lines(load()))


def test_sentences_page_is_current() -> None:
    """Check the file that ``clconform dev page sentences > docs/sentences.md`` writes."""
    written = "".join(f"{line}\n" for line in classification_page.page_lines(read_sentence_counts()))
    assert SENTENCES.read_text(encoding="utf-8") == written


def test_every_sentence_is_classified() -> None:
    counts = read_sentence_counts()
    assert {each.classification for each in counts} <= {*REQUIREMENT_CLASSES, *EXCLUDED_CLASSES, SILENT}
    requirements = [
        requirement for requirement in load().requirements.values() if isinstance(requirement, (Effect, UsageRule))
    ]
    assert len(requirements) >= sum(each.count for each in counts if each.classification in REQUIREMENT_CLASSES)


def test_every_requirement_text_is_a_sentence() -> None:
    """It starts with a capital letter, unless with an identifier, and ends with a full stop."""
    tables = load()
    names = {each.name for function in tables.functions.values() for each in function.parameters}
    names |= {each.subject for each in tables.requirements.values() if isinstance(each, (AlignmentRule, SizeRule))}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        found = re.match(r"- `[^`]+`: (?!\*open\*)(\w+)(.*)", line)
        if found is None:
            continue
        first, rest = found.groups()
        named = first in names or "_" in first or re.match(r"cl[A-Z]", first)
        assert not first[0].islower() or named, line
        words = re.sub(r" \[[^]]*\]( \*Untestable:\*.*)?$", "", rest)
        assert words.endswith("."), line
