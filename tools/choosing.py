"""Which revision's tables a command works with: the option ``--tables``, and the revision that a result was made by."""

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
"""The key by which a command knows that its tables were named."""
MAIN = "OpenCL"
"""The document whose revision is that of the tables."""
_NUMBERED = re.compile(r"OpenCL (\d{1,4})\.(\d{1,4})(?!\S)")


def folder_of(given: str) -> Path:
    """Return the folder of a revision, or of tables that somebody has extracted; CommandError if it has none."""
    known = loading.revisions()
    folder = loading.REVISIONS / given if given in known else Path(given).absolute()
    if not (folder / "documents.json").is_file():
        raise CommandError(
            f"--tables {given}: no revision of the package ({', '.join(known)}), and no folder that "
            "'clconform extract --out' has written"
        )
    return folder


def choose(given: str) -> None:
    """Work with the tables that the option names; with those in use if it is empty. CommandError if there are none."""
    if given == AUTO:
        raise CommandError("--tables auto: depends on the driver that is tested; give a revision or a folder here")
    if given:
        _choose(folder_of(given))


def choose_named(context: click.Context, _option: click.Parameter, given: str) -> None:
    """Choose the tables that the option of a command names which reads results."""
    choose(given)
    context.meta[NAMED] = bool(given)


def _choose(folder: Path) -> None:
    """Choose the tables until the command ends; several commands may run in one process."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(functools.partial(loading.choose, loading.chosen()))
    loading.choose(folder)


def choose_for(reached: Reached) -> None:
    """Work with the newest revision of no later version than the tested platform's; with the default below all."""
    _choose(loading.REVISIONS / newest_for(_version_of(reached), loading.revisions()))


def newest_for(version: tuple[int, int], revisions: Iterable[str]) -> str:
    """Return the newest revision that is of no later version, or the default."""
    return max((name for name in revisions if _minor(name) <= version), key=_ordered, default=loading.DEFAULT)


def choose_as(documents: Mapping[str, str], tables: str) -> None:
    """Work with the tables that a result was made with, unless the command has named others.

    ``documents`` and ``tables``: as the result has them. CommandError if the package does not have that revision.
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
            f"the result was made with tables of revision {revision}, which this package lacks; name their folder "
            "with --tables DIR"
        )


def too_new(reached: Reached) -> str:
    """Return that the tested platform is of a newer version than the chosen tables, in a sentence, or nothing."""
    ours, theirs = revision(), _version_of(reached)
    if theirs <= _minor(ours):
        return ""
    return (
        f"the platform reports OpenCL {theirs[0]}.{theirs[1]}, and the tables are of revision {ours}: what is newer is "
        "not tested, and what has changed is judged as it was (--tables auto takes the newest)"
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
