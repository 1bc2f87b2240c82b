"""Coined nouns do not occur in texts for users: help, documents, messages, and reports.

``docs/terms.md`` has the standard terms.
"""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from rich.console import Console

from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.junit_report import render_junit
from clconform.reports.markdown_summary import format_summary
from clconform.reports.result_builder import assemble_result
from clconform.reports.terminal_summary import print_summary
from clconform.tools.cli import cli
from tests.reports import fabricated_journals

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "calls",
    "harness",
    "oracles",
    "reports",
    "runner",
    "selftest",
    "simulator",
    "spec_tables",
    "suites",
    "tools",
)
DOCUMENTS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))
REPLACEMENTS = {
    r"rooms?|roomy": "output buffer, its size or capacity",
    r"doors?": "entry point",
    r"desks?|households?|neighbours?": "kit",
    r"bench|benches": "benchmark",
    r"echo(?:es|ed)?": "expected answer",
    r"stor(?:y|ies)|tellers?": "trace, recorder",
    r"situations?": "trigger",
    r"sightings?": "first seen",
    r"second pass|made short|shr(?:ink|inks|inking|ank|unk)": "confirm and minimise",
    r"expectations? file|file of expectations|(?:un)?expected deviations?|--expectations": "known deviations",
    r"points? of the register": "interpretation",
    r"how sure": "confidence",
}
"""Coined nouns as patterns, and the terms of the field that replace them."""
COINED_PATTERN = re.compile(rf"(?<![\w/.-])(?:{'|'.join(REPLACEMENTS)})(?![\w-]|\.\w)", re.IGNORECASE)
ALLOWED_WORDS = {
    "docs/formats.md": ("sighting", "story", "stories", "room", "rooms"),
}
"""Documents that quote names of format 1."""


def find_coined(text: str) -> list[str]:
    """Return the coined nouns of a text, each with its context."""
    return [text[max(0, found.start() - 40) : found.end() + 20] for found in COINED_PATTERN.finditer(text)]


def printable_strings(path: Path) -> Iterator[str]:
    """Yield the strings of a module that may be printed, excluding docstrings, names and codes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    silent = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def test_coined_nouns_are_found() -> None:
    assert find_coined("The room is too small") == ["The room is too small"]
    assert find_coined("a Second Pass over two stories") != []
    assert find_coined("restoring the history of a benchmark; indoors, storyless") == []


@pytest.mark.parametrize("command", ["", *sorted(cli.commands)])
def test_help_has_no_coined_nouns(command: str) -> None:
    said = CliRunner().invoke(cli, [*filter(None, [command]), "--help"])
    assert said.exit_code == 0
    assert find_coined(said.output) == []


@pytest.mark.parametrize(
    "document",
    ["README.md", "ARCHITECTURE.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))],
)
def test_documents_have_no_coined_nouns(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for word in ALLOWED_WORDS.get(document, ()):
        text = text.replace(f"`{word}`", "").replace(f'"{word}"', "")
    assert find_coined(text) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_messages_have_no_coined_nouns(package: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}": some
        for path in sorted((ROOT / package).rglob("*.py"))
        if (some := [each for text in printable_strings(path) for each in find_coined(text)])
    }
    assert found == {}


def test_reports_have_no_coined_nouns() -> None:
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j")
    tables = fabricated_journals.create_tables()
    result = fabricated_journals.add_gate(assemble_result(journal, tables), "new")
    terminal = Console(file=io.StringIO(), width=200)
    print_summary(result, tables, terminal)
    assert isinstance(terminal.file, io.StringIO)
    for report in (
        render_report(result, tables),
        render_junit(result, tables),
        format_summary(result, tables),
        terminal.file.getvalue(),
    ):
        assert find_coined(re.sub(r"\S+::\S+", "", report)) == []
