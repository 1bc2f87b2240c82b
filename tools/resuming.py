"""What a run that is resumed takes over from its journal: the suites, the options, and the driver's name.

A journal may come from somebody else. It can name a driver, which is what a run is for, but no Python file: only suites
of this installation are run without being named on the command line.
"""

from __future__ import annotations

from os.path import realpath  # unlike pathlib's resolve, it does not fail on a circle of links
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.reports import read_journal
from clconform.reports.given_files import in_folder
from clconform.reports.packing import SUFFIX
from clconform.runner.journal.names import files_by_name
from clconform.runner.journal.writer import JOURNAL
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clconform.calls.journal import RunHeader

KEPT = ("tier", "seed", "examples", "robustness", "shard", "deadline_scale")
"""Options whose values are fields of the same name in a journal's first line."""
SUITES = Path(__file__).resolve().parents[1] / "suites"


class Before(NamedTuple):
    """The run to resume. ``options``: by their names in ``clconform run``; ``passed_on``: arguments for pytest."""

    folder: Path
    header: RunHeader
    options: dict[str, Any]
    passed_on: tuple[str, ...]


def run_before(resume: str, said: Collection[str], out: str) -> Before:
    """Return what the journal at ``resume`` (a file or its folder) says about its run.

    ``said``: options given on the command line, which the journal does not decide. JournalError if it cannot be read;
    CommandError if it lies elsewhere than the folder ``out``, or names a suite that is none of this installation.
    """
    path = in_folder(Path(resume), JOURNAL)
    path = path.with_suffix("") if path.suffix == SUFFIX else path
    header = read_journal(path).run
    if path.name != JOURNAL or ("out" in said and realpath(out) != realpath(path.parent)):
        raise CommandError(f"--resume {resume}: a run is resumed in its own folder, in {JOURNAL}; remove --out")
    options: dict[str, Any] = {
        "records": tuple(header.records),
        **{name: getattr(header, name) for name in KEPT},
    }
    if "paths" not in said:
        options["paths"] = _suites(header.paths, resume)
    # in one word each: a value that begins with a dash is no option of its own
    words = ((f"-k{header.keyword}",) if header.keyword else ()) + ((f"-m{header.markers}",) if header.markers else ())
    return Before(
        path.parent, header, {name: value for name, value in options.items() if name not in said}, tuple(words)
    )


def _suites(paths: Sequence[str], resume: str) -> tuple[str, ...]:
    """Return suites of a journal's first line in a form that does not depend on the current folder."""
    named = files_by_name(SUITES)
    return tuple(path if path.partition("::")[0] in named else _below_ours(path, resume) for path in paths)


def _below_ours(path: str, resume: str) -> str:
    name, separator, rest = path.partition("::")
    try:
        whole = (SUITES.parent / name).resolve(strict=True)
        ours = whole.is_relative_to(SUITES)
    except (OSError, ValueError, RuntimeError):  # no such file, a zero byte, a circle of links
        ours = False
    if not ours:
        raise CommandError(
            f"--resume {resume}: the journal names {path}, which is no suite of this installation, and what only a "
            "journal names is not run; if you trust it, name it behind the options of this command"
        )
    return f"{whole}{separator}{rest}"
