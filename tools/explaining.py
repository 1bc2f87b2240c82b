"""Prints all that is known about one record, or the records of a function's or a query's name."""

from __future__ import annotations

import difflib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from clconform.reports import ResultError
from clconform.reports.json_documents import encode
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.explain.gathering import Known
from clconform.tools.explain.text import as_text, listed
from clconform.tools.results import any_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import Result

USUAL = Path("clconform-out") / "result.json"
"""The result that is shown where none is named and this one is there."""
WIDEST = 110
"""Characters of a line, however wide the terminal is."""


def explain(wanted: str, results: Sequence[str], *, as_json: bool) -> int:
    """Print what is known about a record; CommandError where nothing is called that, ResultError for no result."""
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
        click.echo(text, nl=False)
    else:
        Console(highlight=False).print(text, soft_wrap=True, end="")
    return exit_codes.AS_EXPECTED


def _usual(*, quiet: bool) -> list[tuple[str, Result]]:
    """Return the result that lies where a run leaves it; none, with a word about it, where it cannot be read."""
    if not USUAL.is_file():
        return []
    try:
        return [(str(USUAL), any_result(str(USUAL)))]
    except ResultError as error:
        if not quiet:
            click.echo(f"clconform: {error}; it is passed over", err=True)
        return []


def _unknown(wanted: str, names: Sequence[str]) -> str:
    folded = {name.lower(): name for name in reversed(names)}
    near = [folded[name] for name in difflib.get_close_matches(wanted.lower(), folded, 4, 0.6)]
    hint = f"did you mean {' or '.join(map(shlex.quote, near))}?" if near else "clconform tables lists all records"
    return f"{shlex.quote(wanted)}: there is no record or function of that name; {hint}"
