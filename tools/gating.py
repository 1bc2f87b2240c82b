"""The commands about known deviations: a result beside a file of them, and a first file from a result."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from clconform.reports.known_deviations import known_deviations_of
from clconform.reports.terminal import print_gate
from clconform.runner.gate import exit_codes
from clconform.runner.gate.known import Known
from clconform.tools.errors import CommandError
from clconform.tools.results import result_at, whole


def gate(result: str, known: str) -> int:
    """Print what a file of known deviations says to a result; return its exit code."""
    entries = Known.read(known)
    read, path = result_at(result)
    found = entries.gate(whole(read, path))
    print_gate(found, Console())
    return found.exit_code


def write_known_deviations(result: str, out: str) -> int:
    """Print a file in which every deviation of a result is expected, or write it; an existing file stays as it is."""
    read, _ = result_at(result)
    text = known_deviations_of(read)
    if not out:
        click.echo(text, nl=False)
        return exit_codes.AS_EXPECTED
    try:
        with Path(out).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CommandError(
            f"--out {out}: the file is there already, with reasons in it perhaps; choose another"
        ) from None
    except OSError as error:
        raise CommandError(f"--out {out}: cannot be written ({error.strerror}); choose another file") from None
    click.echo(f"clconform: {len(read.deviations)} deviations are expected by {out}; give each its reason")
    return exit_codes.AS_EXPECTED
