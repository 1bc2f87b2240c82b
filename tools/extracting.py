"""The command that reads the documents into tables, checks the tables against them, or compares two revisions."""

from __future__ import annotations

from pathlib import Path

import click

from clconform.runner.gate import exit_codes
from clconform.spec_tables import loading
from clconform.tools.errors import CommandError
from clconform.tools.extract import ExtractError, check, compare_folders, extract, write

SHOWN = 40
"""Maximum number of differences that are printed."""


def extract_tables(documents: str, out: str, *, check_only: bool) -> int:
    """Write the tables and print their counts; with ``check_only`` compare them with the existing ones.

    The exit code is not 0 if something could not be parsed or, for a check, differs.
    """
    folder = Path(out) if out else loading.DATA
    try:
        result = extract(Path(documents))
    except ExtractError as error:
        raise CommandError(str(error)) from None
    click.echo(", ".join(f"{count} {name}" for name, count in result.counts().items()))
    problems = [f"unparsed: {text}" for text in result.unparsed]
    if check_only:
        problems = check(result, folder)
    else:
        try:
            write(result, folder)
        except OSError as error:
            raise CommandError(f"--out {folder}: cannot write ({error.strerror}); choose another folder") from None
        click.echo(f"written to {folder}")
    for problem in problems[:SHOWN]:
        click.echo(problem, err=True)
    if problems:
        what = (
            "sentences differ from the tables or could not be parsed"
            if check_only
            else "sentences could not be parsed and are missing from the tables"
        )
        more = f", showing the first {SHOWN}" if len(problems) > SHOWN else ""
        raise CommandError(f"{len(problems)} {what}{more}", exit_codes.OUR_FAILURE)
    if check_only:
        click.echo(f"{folder}: the tables match the documents")
    return exit_codes.AS_EXPECTED


def compare(documents: str, against: str) -> int:
    """Print what changed since older documents or tables, and the number of changes of each kind."""
    old = Path(against)
    if not old.is_dir():
        raise CommandError(f"--against {against}: no such folder; give a folder of older documents or tables")
    try:
        changes = compare_folders(old, Path(documents))
    except ExtractError as error:
        raise CommandError(str(error)) from None
    for line in changes.lines():
        click.echo(line)
    click.echo(f"against {old}: " + ", ".join(f"{len(names)} {what}" for what, names in changes.by_kind().items()))
    return exit_codes.AS_EXPECTED
