"""The ``page`` command: prints a page of the documentation that is generated from the code or the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.spec_tables import load, loading
from clconform.tools.dev import classification_page, commands_page, requirements_page, revision_page
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterator


def print_page(name: str) -> int:
    """Print the page with this name, about the selected tables."""
    for line in page_lines(name):
        print_text(line)
    return exit_codes.AS_EXPECTED


def page_lines(name: str) -> Iterator[str]:
    """Return the lines of the page with this name; ValueError if it does not exist."""
    match name:
        case "commands":
            return commands_page.page_lines()
        case "conditions":
            return requirements_page.page_lines(load())
        case "sentences":
            return classification_page.page_lines(loading.read_sentence_counts())
        case "revision":
            return revision_page.page_lines(load(), loading.selected_folder())
    raise ValueError(f"unknown page {name!r}")
