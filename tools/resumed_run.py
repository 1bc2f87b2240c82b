"""Reads the suites, the options and the driver of a run to resume from its journal.

A journal may come from an untrusted source. It may name a driver, which the run tests, but not a Python file: suites
from outside this installation run only if the command line names them.
"""

from __future__ import annotations

from os.path import realpath  # unlike pathlib's resolve, it does not fail on a circle of links
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.reports import read_journal
from clconform.reports.compression import SUFFIX
from clconform.reports.untrusted_files import file_in_folder
from clconform.runner.journal.suite_names import SUITES, files_by_name
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clconform.calls.journal import RunHeader

RESUMED_OPTIONS = ("tier", "seed", "examples", "robustness", "shard", "deadline_scale", "program_binaries")
"""Options whose values are fields of the same name in the first line of a journal."""


class ResumedRun(NamedTuple):
    """The run to resume.

    ``options``: maps names of the options of ``clconform run`` to values. ``passed_on``: arguments for pytest.
    """

    folder: Path
    header: RunHeader
    options: dict[str, Any]
    passed_on: tuple[str, ...]


def read_resumed_run(resume: str, command_line_options: Collection[str], out: str) -> ResumedRun:
    """Return the run that the journal at ``resume`` (a file or its folder) describes.

    ``command_line_options``: the names of options on the command line, which take precedence over the journal.
    JournalError if the journal cannot be read. CommandError if the journal is outside the folder ``out``, or names a
    suite outside this installation.
    """
    path = file_in_folder(Path(resume), JOURNAL_FILE)
    path = path.with_suffix("") if path.suffix == SUFFIX else path
    header = read_journal(path).run
    if path.name != JOURNAL_FILE or ("out" in command_line_options and realpath(out) != realpath(path.parent)):
        raise CommandError(f"--resume {resume}: a run is resumed in its own folder, in {JOURNAL_FILE}; remove --out")
    options: dict[str, Any] = {
        "requirements": tuple(header.requirements),
        **{name: getattr(header, name) for name in RESUMED_OPTIONS},
    }
    if "paths" not in command_line_options:
        options["paths"] = _resolve_suites(header.paths, resume)
    # one word each, so that a value with a leading dash is not parsed as an option
    words = ((f"-k{header.keyword}",) if header.keyword else ()) + ((f"-m{header.markers}",) if header.markers else ())
    return ResumedRun(
        path.parent,
        header,
        {name: value for name, value in options.items() if name not in command_line_options},
        tuple(words),
    )


def _resolve_suites(paths: Sequence[str], resume: str) -> tuple[str, ...]:
    """Return the suites that a journal's first line names, in a form that does not depend on the current folder."""
    named = files_by_name(SUITES)
    return tuple(path if path.partition("::")[0] in named else _resolve_own_suite(path, resume) for path in paths)


def _resolve_own_suite(path: str, resume: str) -> str:
    name, separator, rest = path.partition("::")
    try:
        whole = (SUITES.parent / name).resolve(strict=True)
        ours = whole.is_relative_to(SUITES)
    except (OSError, ValueError, RuntimeError):  # missing file, NUL byte or circular link
        ours = False
    if not ours:
        raise CommandError(
            f"--resume {resume}: the journal names {path}, which is not a suite of this installation; a suite that "
            "only a journal names is not run; if you trust it, pass it after the options of this command"
        )
    return f"{whole}{separator}{rest}"
