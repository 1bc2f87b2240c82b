"""Coined nouns do not occur in texts for users: help, documents, messages, and reports.

``docs/terms.md`` has the standard terms.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
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
from tests.every_command import commands_by_path
from tests.reports import fabricated_journals

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "calls",
    "findings",
    "harness",
    "oracles",
    "recording",
    "reports",
    "runner",
    "selftest",
    "simulator",
    "spec_tables",
    "suites",
    "tools",
    "validation",
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


def test_search_for_coined_nouns_finds_them_with_context() -> None:
    assert find_coined("The room is too small") == ["The room is too small"]
    assert find_coined("a Second Pass over two stories") != []
    assert find_coined("restoring the history of a benchmark; indoors, storyless") == []


@pytest.mark.parametrize("command", sorted(commands_by_path()))
def test_help_has_no_coined_nouns(command: str) -> None:
    said = CliRunner().invoke(cli, [*command.split(), "--help"])
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


PLAIN_PATTERNS = {
    r"told|tells?|telling": "report, return, write",
    r"says?|said|saying": "state, report, specify",
    r"asks?|asked|asking": "query, request",
    r"nobody|in vain": "negate the verb; expected but not observed",
    r"blam(?:e|es|ed|ing)|mistakes?|surprises?": "deviation, error; attributed to",
    r"spoil(?:s|t|ed)?": "corrupted",
    r"lanes?": "host thread",
    r"put to the test|provok\w+": "covered, exercised",
    r"beside|at once": "in addition to; immediately, concurrently",
}
"""Patterns of words in docstrings, comments and names, each with the plain words to write instead."""
PLAIN = re.compile(
    rf"(?<![\w/.:-])(?:{'|'.join(PLAIN_PATTERNS)})(?![\w-]|\.\w|::)"
    r"|(?-i:(?:^|[.;:] )What )",
    re.IGNORECASE,
)
"""These words, and a sentence that begins with a clause: "What …"."""
ALLOWED_PLACES: set[tuple[str, str]] = set()
"""File and text that contain such a word all the same."""


def iterate_own_texts(path: Path) -> Iterator[str]:
    """Yield the docstrings, the comments and the names of functions and classes of a module, without quoted code."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                yield re.sub(r"``[^`]*``", "", str(statement.value.value))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield re.sub(r"`+[^`]*`+", "", token.string)


def find_unplain(text: str) -> list[str]:
    """Return the words of a text or a name that have a plain replacement, each with its context."""
    words = text.replace("_", " ") if text.isidentifier() else text
    return [words[max(0, found.start() - 40) : found.end() + 20] for found in PLAIN.finditer(words)]


def test_search_for_unplain_words_finds_them_with_context() -> None:
    assert find_unplain("the driver says that") != []
    assert find_unplain("_told_by") != []
    assert find_unplain("Whatever is left; What remains") != []
    assert find_unplain("somewhat taskless, an essay of planes; ``told``".replace("``told``", "")) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_comments_and_names_are_plain(package: str) -> None:
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        file = str(path.relative_to(ROOT))
        allowed = [text for name, text in ALLOWED_PLACES if name == file]
        for text in iterate_own_texts(path):
            if not any(text == each or (each in text and not text.isidentifier()) for each in allowed):
                found.update({f"{file}: {each}": text for each in find_unplain(text)})
    assert sorted(found) == []


def test_class_names_are_unique() -> None:
    """One name stands for one thing in the whole project."""
    places: dict[str, list[str]] = {}
    for folder in (*PACKAGES, "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
