"""The commands about known deviations: check a result against a file, write a new file, or add to a file."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from clconform.calls import exit_codes
from clconform.reports.known_deviations import format_entries, format_known_deviations
from clconform.reports.terminal_summary import print_gate
from clconform.runner.gate.known_entries import KnownDeviations
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.result_commands import load_result_at, require_unsharded


def check_result(result: str, known: str) -> int:
    """Check a result against a file of known deviations, print the findings, and return the exit code."""
    entries = KnownDeviations.read(known)
    read, path = load_result_at(result)
    found = entries.decide_verdict(require_unsharded(read, path))
    print_gate(found, Console())
    return found.exit_code


def write_known_deviations(result: str, out: str) -> int:
    """Print or write a file that accepts every deviation of a result; never overwrite an existing file."""
    read, _ = load_result_at(result)
    text = format_known_deviations(read)
    if not out:
        print_text(text, nl=False)
        return exit_codes.AS_EXPECTED
    try:
        with Path(out).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CommandError(f"--out {out}: the file exists and may contain reasons; choose another file") from None
    except OSError as error:
        raise CommandError(f"--out {out}: cannot write ({error.strerror}); choose another file") from None
    print_text(f"clconform: {len(read.deviations)} known deviations written to {out}; add a reason to each")
    return exit_codes.AS_EXPECTED


def add_known_deviations(result: str, file: str) -> int:
    """Append entries for the deviations that a file does not accept.

    Existing entries stay unchanged.
    """
    read, _ = load_result_at(result)
    more = KnownDeviations.read(file).find_unaccepted(read)
    if not more:
        print_text(f"clconform: {file} accepts every deviation of {result}; nothing added")
        return exit_codes.AS_EXPECTED
    path = Path(file)
    try:
        before = path.read_text(encoding="utf-8")
        with path.open("a", encoding="utf-8") as known:
            known.write(("" if before.endswith("\n") or not before else "\n") + format_entries(read, more))
    except OSError as error:
        raise CommandError(f"--add-to {file}: cannot write ({error.strerror}); nothing added") from None
    print_text(f"clconform: {len(more)} known deviations added to {file}; add a reason to each")
    return exit_codes.AS_EXPECTED
