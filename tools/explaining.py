"""The ``explain`` command: prints all information about a requirement, or lists those of a function, query or type."""

from __future__ import annotations

import difflib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from clconform.reports import ResultError
from clconform.reports.json_documents import encode
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load, loading
from clconform.tools.errors import CommandError
from clconform.tools.explain.gathering import Known
from clconform.tools.explain.text import as_text, listed
from clconform.tools.results import any_result
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import Result

USUAL = Path("clconform-out") / "result.json"
"""The result that is shown by default, if it exists."""
WIDEST = 110
"""Maximum line length, even on a wider terminal."""


def explain(wanted: str, results: Sequence[str], *, as_json: bool) -> int:
    """Print a requirement's information; CommandError for an unknown name, ResultError for an unreadable result."""
    known = Known(load(), [(given, any_result(given)) for given in results] or _usual(quiet=as_json))
    width = min(Console().width, WIDEST)
    if wanted in known.records:
        told = known.explain(wanted)
        text = encode(told) if as_json else as_text(told, width)
    else:
        found = known.listing(wanted)
        if found is None:
            raise CommandError(_unknown(wanted, known.names()))
        text = encode(found) if as_json else listed(found)
    if isinstance(text, str):
        say(text, nl=False)
    else:
        Console(highlight=False).print(text, soft_wrap=True, end="")
    return exit_codes.AS_EXPECTED


def _usual(*, quiet: bool) -> list[tuple[str, Result]]:
    """Return the result at the default path; if it cannot be read, print a warning and return an empty list."""
    if not USUAL.is_file():
        return []
    try:
        return [(str(USUAL), any_result(str(USUAL)))]
    except ResultError as error:
        if not quiet:
            say(f"clconform: {error}; skipped", err=True)
        return []


def _revisions_with(wanted: str) -> list[str]:
    """Return the revisions of the package whose tables have a requirement or a function of this name."""
    others = [name for name in loading.revisions() if loading.REVISIONS / name != loading.chosen()]
    found = ((name, loading.read(loading.REVISIONS / name)) for name in others)
    return [name for name, tables in found if wanted in tables.records or wanted in tables.functions]


def _unknown(wanted: str, names: Sequence[str]) -> str:
    folded = {name.lower(): name for name in reversed(names)}
    near = [folded[name] for name in difflib.get_close_matches(wanted.lower(), folded, 4, 0.6)]
    elsewhere = _revisions_with(wanted)
    if elsewhere:
        return f"{shlex.quote(wanted)}: not in these tables, but in those of {elsewhere[-1]}: --tables {elsewhere[-1]}"
    hint = f"did you mean {' or '.join(map(shlex.quote, near))}?" if near else "clconform tables lists all requirements"
    return f"{shlex.quote(wanted)}: no requirement or function of that name; {hint}"
