"""Selects the tables of a revision: by the option ``--tables``, or those by which a result was judged."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.spec_tables import TablesError, loading
from clconform.spec_tables.versions import Version, parse_version, version_numbers
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.calls.protocol import TargetReached

AUTO = "auto"
TABLES_NAMED = "clconform.tables"
"""Key in ``meta`` of the click context: whether the command line selected the tables."""
MAIN_DOCUMENT = "OpenCL"
"""The document whose revision is the revision of the tables."""


def tables_folder(given: str) -> Path:
    """Return the folder of an installed revision, or of extracted tables; CommandError if it lacks tables."""
    known = loading.list_revisions()
    folder = loading.REVISIONS / given if given in known else Path(given).absolute()
    if not (folder / "documents.json").is_file():
        raise CommandError(
            f"--tables {given}: not a revision of the package ({', '.join(known)}) or a folder written by "
            "'clconform dev extract --out'"
        )
    return folder


def select_tables(given: str) -> None:
    """Select the tables that the option names; keep the current tables if it is empty.

    CommandError if the tables do not exist.
    """
    if given == AUTO:
        raise CommandError("--tables auto: depends on the tested driver; give a revision or a folder here")
    if given:
        _select_folder(tables_folder(given))
        _check_tables(given)


def _check_tables(given: str) -> None:
    """Load the selected tables; CommandError if a file of a folder outside the package is missing or invalid."""
    try:
        loading.load()
    except TablesError as error:
        if given in loading.list_revisions():
            raise
        raise CommandError(f"--tables {given}: {error}") from None


def select_named_tables(context: click.Context, _option: click.Parameter, given: str) -> None:
    """Select the tables of the revision that the option names.

    This is the callback of the option for commands that read results.
    """
    select_tables(given)
    context.meta[TABLES_NAMED] = bool(given)


def _select_folder(folder: Path) -> None:
    """Select tables until the command ends, because several commands may run in one process."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(functools.partial(loading.select_folder, loading.selected_folder()))
    loading.select_folder(folder)


def select_for_platform(reached: TargetReached) -> None:
    """Select the newest revision that is not above the version of the tested platform, or the default."""
    _select_folder(loading.REVISIONS / newest_revision_for(_platform_version(reached), loading.list_revisions()))


def newest_revision_for(version: tuple[int, int], revisions: Iterable[str]) -> str:
    """Return the newest revision that is not above ``version``, or the default if all are above it."""
    return max(
        (name for name in revisions if _major_minor(name) <= version),
        key=_document_numbers,
        default=loading.DEFAULT,
    )


def select_as_in_result(documents: Mapping[str, str], tables: str) -> None:
    """Select the tables by which a result was judged, unless the command line selected others.

    ``documents`` and ``tables``: the fields of the result. CommandError if the package does not contain this revision.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(TABLES_NAMED):
        return
    revision = documents.get(MAIN_DOCUMENT, "")
    for name in loading.list_revisions():
        folder = loading.REVISIONS / name
        if tables == loading.compute_digest(loading.read_documents(folder)):
            _select_folder(folder)
            return
    if revision in loading.list_revisions():
        _select_folder(loading.REVISIONS / revision)
    elif revision and _major_minor(revision) > _major_minor(loading.DEFAULT):
        raise CommandError(
            f"the result was judged by tables of revision {revision}, which this package lacks; name their folder "
            "with --tables DIR"
        )


def newer_platform_warning(reached: TargetReached) -> str:
    """Return a warning if the version of the tested platform is above the selected revision; else empty."""
    ours, theirs = current_revision(), _platform_version(reached)
    if theirs <= _major_minor(ours):
        return ""
    return (
        f"the platform reports OpenCL {theirs[0]}.{theirs[1]} but the tables are of revision {ours}: newer "
        "features are not tested, and changed ones are judged by the older text (--tables auto uses the newest)"
    )


def current_revision() -> str:
    """Return the revision of the selected tables; CommandError if the tables cannot be read."""
    try:
        main = loading.read_documents(loading.selected_folder()).get(MAIN_DOCUMENT)
    except TablesError as error:
        raise CommandError(str(error)) from None
    return main.revision if main is not None else ""


def _platform_version(reached: TargetReached) -> Version:
    platform = next(platform for platform in reached.platforms if platform.devices)
    return parse_version(platform.version) or Version(0, 0)


def _major_minor(name: str) -> tuple[int, ...]:
    return tuple(_document_numbers(name))[:2]


def _document_numbers(name: str) -> list[int]:
    return version_numbers(name) or []
