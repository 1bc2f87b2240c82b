"""Prints what a command says; names and paths that come from outside are made fit to show, whatever they hold.

A path may hold control characters, a result may come from somebody else: neither may command the terminal.
"""

from __future__ import annotations

import sys

import click

from clconform.reports.escaping import visible


def say(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text of one line or more; what cannot be printed in it, but for ends of lines, is shown as an escape."""
    click.echo(visible(text, limit=sys.maxsize, lines=True), nl=nl, err=err)
