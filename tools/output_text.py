"""Prints the output of commands, with names and paths from other sources made safe.

A path may contain control characters, and a result may come from an untrusted source. Neither may control the terminal.
"""

from __future__ import annotations

import sys

import click

from clconform.reports.escaping import escape_unprintable


def print_text(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text of one or more lines.

    Unprintable characters except line ends become escapes.
    """
    click.echo(escape_unprintable(text, limit=sys.maxsize, lines=True), nl=nl, err=err)
