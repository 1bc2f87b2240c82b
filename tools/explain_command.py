"""The ``explain`` command: prints all information about a requirement, or lists those of a function, query or type."""

from __future__ import annotations

import difflib
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from clconform.calls import exit_codes
from clconform.reports import ResultError
from clconform.reports.call_formatting import ValueNames
from clconform.reports.consequences import CONSEQUENCE_TITLES
from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import encode_document
from clconform.reports.terminal_summary import format_deviation
from clconform.spec_tables import load, loading
from clconform.tools.errors import CommandError
from clconform.tools.explain.explainer import RequirementExplainer
from clconform.tools.explain.explanation_text import format_explanation, format_listing
from clconform.tools.output_text import print_text
from clconform.tools.result_commands import load_any_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import RunResult

DEFAULT_RESULT = Path("clconform-out") / "result.json"
"""The result that is shown by default, if it exists."""
DEVIATION_ID = re.compile("[0-9a-f]{8,64}")
MAX_WIDTH = 110
"""Maximum line length; it also applies to wider terminals."""


def print_explanation(name: str, results: Sequence[str], *, as_json: bool) -> int:
    """Print a requirement, or a list of requirements if ``name`` is not an id.

    CommandError for an unknown name; ResultError for an unreadable result.
    """
    read = [(given, load_any_result(given)) for given in results] or _default_results(quiet=as_json)
    if DEVIATION_ID.fullmatch(name):
        return _print_deviation(name, [result for _, result in read], as_json=as_json)
    known = RequirementExplainer(load(), read)
    width = min(Console().width, MAX_WIDTH)
    if name in known.records:
        told = known.explain(name)
        text = encode_document(told) if as_json else format_explanation(told, width)
    else:
        found = known.list_requirements(name)
        if found is None:
            raise CommandError(_unknown_name_message(name, known.names()))
        text = encode_document(found) if as_json else format_listing(found)
    if isinstance(text, str):
        print_text(text, nl=False)
    else:
        Console(highlight=False).print(text, soft_wrap=True, end="")
    return exit_codes.AS_EXPECTED


def _print_deviation(name: str, results: Sequence[RunResult], *, as_json: bool) -> int:
    """Print a deviation of the last result that has it; ResultError if none has."""
    if not results:
        raise CommandError(f"{name} is a deviation's id; name its result with --results PATH")
    having = [result for result in results if any(each.id == name for each in result.deviations)]
    deviation = (having or results)[-1].find_deviation(name)
    if as_json:
        print_text(encode_document(deviation), nl=False)
        return exit_codes.AS_EXPECTED
    tables, console = load(), Console(highlight=False)
    console.print(f"{CONSEQUENCE_TITLES[deviation.consequence]}.")
    console.print(format_deviation(deviation, tables, ValueNames(tables)), soft_wrap=True)
    for requirement in deviation.requirements:
        console.print(f"The requirement: clconform explain {escape_unprintable(requirement)}", soft_wrap=True)
    console.print(f"A bug report: clconform issue {deviation.id}")
    return exit_codes.AS_EXPECTED


def _default_results(*, quiet: bool) -> list[tuple[str, RunResult]]:
    """Return the result at the default path; if it is unreadable, print a warning and return an empty list."""
    if not DEFAULT_RESULT.is_file():
        return []
    try:
        return [(str(DEFAULT_RESULT), load_any_result(str(DEFAULT_RESULT)))]
    except ResultError as error:
        if not quiet:
            print_text(f"clconform: {error}; skipped", err=True)
        return []


def _revisions_with(wanted: str) -> list[str]:
    """Return the other installed revisions whose tables contain a requirement or a function of this name."""
    others = [name for name in loading.list_revisions() if loading.REVISIONS / name != loading.selected_folder()]
    found = ((name, loading.read_tables(loading.REVISIONS / name)) for name in others)
    return [name for name, tables in found if wanted in tables.requirements or wanted in tables.functions]


def _unknown_name_message(wanted: str, names: Sequence[str]) -> str:
    folded = {name.lower(): name for name in reversed(names)}
    near = [folded[name] for name in difflib.get_close_matches(wanted.lower(), folded, 4, 0.6)]
    elsewhere = _revisions_with(wanted)
    if elsewhere:
        return f"{shlex.quote(wanted)}: not in these tables, but in those of {elsewhere[-1]}: --tables {elsewhere[-1]}"
    hint = f"did you mean {' or '.join(map(shlex.quote, near))}?" if near else "clconform tables lists all requirements"
    return f"{shlex.quote(wanted)}: no requirement or function of that name; {hint}"
