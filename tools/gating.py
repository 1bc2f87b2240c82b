"""The commands about known deviations: check a result against a file, write a new file, or add to one."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from clconform.reports.known_deviations import entries_of, known_deviations_of
from clconform.reports.terminal import print_gate
from clconform.runner.gate import exit_codes
from clconform.runner.gate.known import Known
from clconform.tools.errors import CommandError
from clconform.tools.results import result_at, whole
from clconform.tools.saying import say


def gate(result: str, known: str) -> int:
    """Check a result against a file of known deviations, print the outcome and return its exit code."""
    entries = Known.read(known)
    read, path = result_at(result)
    found = entries.gate(whole(read, path))
    print_gate(found, Console())
    return found.exit_code


def write_known_deviations(result: str, out: str) -> int:
    """Print or write a file that lists every deviation of a result as known; never overwrite an existing file."""
    read, _ = result_at(result)
    text = known_deviations_of(read)
    if not out:
        say(text, nl=False)
        return exit_codes.AS_EXPECTED
    try:
        with Path(out).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CommandError(f"--out {out}: the file exists and may contain reasons; choose another file") from None
    except OSError as error:
        raise CommandError(f"--out {out}: cannot write ({error.strerror}); choose another file") from None
    say(f"clconform: {len(read.deviations)} known deviations written to {out}; add a reason to each")
    return exit_codes.AS_EXPECTED


def add_known_deviations(result: str, file: str) -> int:
    """Append entries to a file for the deviations that it does not accept; existing entries do not change."""
    read, _ = result_at(result)
    more = Known.read(file).not_accepted(read)
    if not more:
        say(f"clconform: {file} accepts every deviation of {result}; nothing added")
        return exit_codes.AS_EXPECTED
    path = Path(file)
    try:
        before = path.read_text(encoding="utf-8")
        with path.open("a", encoding="utf-8") as known:
            known.write(("" if before.endswith("\n") or not before else "\n") + entries_of(read, more))
    except OSError as error:
        raise CommandError(f"--add-to {file}: cannot write ({error.strerror}); nothing added") from None
    say(f"clconform: {len(more)} known deviations added to {file}; add a reason to each")
    return exit_codes.AS_EXPECTED
