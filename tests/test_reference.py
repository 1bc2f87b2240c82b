"""The pages about commands match the output of the command line."""

from __future__ import annotations

from pathlib import Path

from clconform.calls.exit_codes import MEANINGS
from clconform.tools.dev.commands_page import page_lines

ROOT = Path(__file__).resolve().parents[1]


def test_command_reference_is_current() -> None:
    """Check the file that ``clconform dev page commands > docs/commands.md`` writes."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == "".join(f"{line}\n" for line in page_lines())


def test_readme_has_every_exit_code() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [code for code, meaning in MEANINGS.items() if f"| {code} | {meaning} |" not in readme] == []
