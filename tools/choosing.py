"""Selects the tables of a revision: by the option ``--tables``, or as in the run that produced a result."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.spec_tables import TablesError, loading
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.calls.protocol import Reached

AUTO = "auto"
NAMED = "clconform.tables"
"""Key in the click context's ``meta``: whether the command line named the tables."""
MAIN = "OpenCL"
"""The document whose revision is the revision of the tables."""
_NUMBERED = re.compile(r"OpenCL (\d{1,4})\.(\d{1,4})(?!\S)")


def folder_of(given: str) -> Path:
    """Return the folder of a revision of the package, or of extracted tables; CommandError if it has no tables."""
    known = loading.revisions()
    folder = loading.REVISIONS / given if given in known else Path(given).absolute()
    if not (folder / "documents.json").is_file():
        raise CommandError(
            f"--tables {given}: not a revision of the package ({', '.join(known)}) or a folder written by "
            "'clconform extract --out'"
        )
    return folder


def choose(given: str) -> None:
    """Use the tables named by the option; keep the current ones if it is empty. CommandError if there are none."""
    if given == AUTO:
        raise CommandError("--tables auto: depends on the tested driver; give a revision or a folder here")
    if given:
        _choose(folder_of(given))


def choose_named(context: click.Context, _option: click.Parameter, given: str) -> None:
    """Use the tables named by the option of a command that reads results."""
    choose(given)
    context.meta[NAMED] = bool(given)


def _choose(folder: Path) -> None:
    """Use the tables until the command ends; several commands may run in one process."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(functools.partial(loading.choose, loading.chosen()))
    loading.choose(folder)


def choose_for(reached: Reached) -> None:
    """Use the newest revision whose version is not above the tested platform's, or the default."""
    _choose(loading.REVISIONS / newest_for(_version_of(reached), loading.revisions()))


def newest_for(version: tuple[int, int], revisions: Iterable[str]) -> str:
    """Return the newest revision whose version is not above the given one, or the default."""
    return max((name for name in revisions if _minor(name) <= version), key=_ordered, default=loading.DEFAULT)


def choose_as(documents: Mapping[str, str], tables: str) -> None:
    """Use the tables that a result was judged by, unless the command line named others.

    ``documents`` and ``tables``: as in the result. CommandError if the package does not have that revision.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(NAMED):
        return
    revision = documents.get(MAIN, "")
    for name in loading.revisions():
        folder = loading.REVISIONS / name
        if tables == loading.digest_of(loading.documents_of(folder)):
            _choose(folder)
            return
    if revision in loading.revisions():
        _choose(loading.REVISIONS / revision)
    elif revision and _minor(revision) > _minor(loading.DEFAULT):
        raise CommandError(
            f"the result was judged by tables of revision {revision}, which this package lacks; name their folder "
            "with --tables DIR"
        )


def too_new(reached: Reached) -> str:
    """Return a warning if the tested platform's version is above that of the chosen tables; empty if it is not."""
    ours, theirs = revision(), _version_of(reached)
    if theirs <= _minor(ours):
        return ""
    return (
        f"the platform reports OpenCL {theirs[0]}.{theirs[1]} but the tables are of revision {ours}: newer "
        "features are not tested, and changed ones are judged by the older text (--tables auto uses the newest)"
    )


def revision() -> str:
    """Return the revision of the chosen tables; CommandError if they cannot be read."""
    try:
        main = loading.documents_of(loading.chosen()).get(MAIN)
    except TablesError as error:
        raise CommandError(str(error)) from None
    return main.revision if main is not None else ""


def _version_of(reached: Reached) -> tuple[int, int]:
    platform = next(platform for platform in reached.platforms if platform.devices)
    found = _NUMBERED.match(platform.version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _minor(name: str) -> tuple[int, ...]:
    return _ordered(name)[:2]


def _ordered(name: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", name))
