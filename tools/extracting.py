"""The ``extract`` command: writes tables from the documents, checks them, or compares revisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load, loading
from clconform.tools.errors import CommandError
from clconform.tools.extract import (
    HAND_KEPT,
    ExtractError,
    adopt,
    check,
    compare_folders,
    compare_revisions,
    extract,
    keep_reasons,
    revision_of,
    sorting,
    write,
)
from clconform.tools.extract.revisions import of_extraction, snapshot
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.tools.extract import Changes, Extraction

SHOWN = 40
"""Maximum number of problems printed."""


def extract_tables(documents: str, out: str, *, force: bool, unsorted: str, decided: str) -> int:
    """Write the tables; print their counts and the changes of ids since the tables that they replace.

    Print parse errors and unexplained differences; if there are any, write nothing unless ``force`` is set.
    ``unsorted``: the file for the items that a person has to decide. ``decided``: such a file with decisions, which are
    stored first.
    """
    folder = _folder(documents, out)
    if decided:
        _store(Path(decided), folder)
    known = _known(folder)
    result = _read(documents, known, allow_missing=force or known != folder)
    if unsorted:
        _write_unsorted(Path(unsorted), result)
    problems = _problems(result)
    if problems and not force:
        _show(problems)
        raise CommandError(
            f"{len(problems)} problems; nothing was written to {folder}. --unsorted FILE lists the open decisions, "
            f"{folder / 'explained.json'} has the reasons for differences; --force writes the tables nevertheless",
            exit_codes.OUR_FAILURE,
        )
    changes = _changes(folder, result)
    try:
        adopt(folder)
        write(result, folder)
        if changes is None:
            keep_reasons(result, folder)
    except OSError as error:
        raise CommandError(f"--out {folder}: cannot write ({error.strerror}); choose another folder") from None
    say(f"written to {folder}")
    if changes is not None:
        _tell(changes, f"the tables that were in {folder}")
    _show(problems)
    return exit_codes.AS_EXPECTED


def check_tables(documents: str, out: str) -> int:
    """Compare the tables in a folder with the documents; the exit code is not 0 if anything differs."""
    folder = _folder(documents, out)
    problems = check(_read(documents, _known(folder), allow_missing=False), folder)
    if problems:
        _show(problems)
        raise CommandError(
            f"{len(problems)} differences between {folder} and the documents, or sentences that could not be parsed",
            exit_codes.OUR_FAILURE,
        )
    say(f"{folder}: the tables match the documents")
    return exit_codes.AS_EXPECTED


def compare(documents: str, against: str) -> int:
    """Print the changes since older documents or tables; the exit code is not 0 if there are parse errors."""
    old = Path(against)
    if not old.is_dir():
        raise CommandError(f"--against {against}: no such folder; give a folder of older documents or tables")
    try:
        changes, result = compare_folders(old, Path(documents))
    except ExtractError as error:
        raise CommandError(str(error)) from None
    _tell(changes, str(old))
    problems = _problems(result)
    if problems:
        _show(problems)
        raise CommandError(
            f"{len(problems)} problems in {documents}; their requirements are missing above", exit_codes.OUR_FAILURE
        )
    return exit_codes.AS_EXPECTED


def _folder(documents: str, out: str) -> Path:
    """Return the folder of the tables: the given one, or the package's folder for the documents' revision."""
    if out:
        return Path(out)
    try:
        revision = revision_of(Path(documents))
    except ExtractError as error:
        raise CommandError(str(error)) from None
    folder = loading.REVISIONS / revision
    if not revision or not folder.is_dir():
        raise CommandError(
            f"--documents {documents}: revision {revision or 'unknown'}, but the package has tables of "
            f"{', '.join(loading.revisions())}; name a folder for them with --out DIR"
        )
    return folder


def _known(folder: Path) -> Path:
    """Return the folder whose ids and classifications are the start: the given one if it has any, else the default."""
    return folder if (folder / HAND_KEPT[0]).exists() else loading.DATA


def _read(documents: str, known: Path, *, allow_missing: bool) -> Extraction:
    try:
        result = extract(Path(documents), known, allow_missing=allow_missing)
    except ExtractError as error:
        raise CommandError(str(error)) from None
    say(", ".join(f"{count} {name}" for name, count in result.counts().items()))
    return result


def _problems(result: Extraction) -> list[str]:
    return [f"unparsed: {text}" for text in result.unparsed] + [f"unexplained: {text}" for text in result.unexplained()]


def _show(problems: list[str]) -> None:
    for problem in problems[:SHOWN]:
        say(problem, err=True)
    if len(problems) > SHOWN:
        say(f"... and {len(problems) - SHOWN} more", err=True)


def _tell(changes: Changes, old: str) -> None:
    for line in changes.lines():
        say(line)
    say(f"against {old}: " + ", ".join(f"{len(names)} {what}" for what, names in changes.by_kind().items()))


def _changes(folder: Path, result: Extraction) -> Changes | None:
    """Return the changes of the new tables against those in a folder; None if it has none yet."""
    if not (folder / "clauses.json").exists():
        return None
    try:
        return compare_revisions(snapshot(folder, folder), of_extraction(result))
    except ExtractError as error:
        raise CommandError(str(error)) from None


def _of_others(names: Collection[str]) -> dict[str, str]:
    """Return the conditions of ids that the default tables lack, from the other revisions of the package."""
    found: dict[str, str] = {}
    for revision in loading.revisions() if names else ():
        rulebook = rulebook_of(loading.read(loading.REVISIONS / revision))
        found.update({name: rulebook.words_of(name) for name in names if rulebook.words_of(name)})
    return found


def _write_unsorted(path: Path, result: Extraction) -> None:
    rulebook = rulebook_of(load())
    reworded = [name for name, _ in result.reworded()]
    conditions = {name: rulebook.words_of(name) for name in load().records}
    try:
        path.write_text(sorting.to_sort(result, conditions, _of_others(set(reworded) - conditions.keys())), "utf-8")
    except OSError as error:
        raise CommandError(f"--unsorted {path}: cannot write ({error.strerror})") from None
    unsorted = len(result.unsorted())
    renewed = len(result.renewed(conditions.keys()))
    say(
        f"{path}: {unsorted} unclassified sentences, {len(reworded)} reworded error conditions, {renewed} new ones "
        "that may replace removed ones, and the excluded sentences"
    )


def _store(path: Path, folder: Path) -> None:
    try:
        made = list(sorting.decisions(path))
        adopt(folder)
        sentences, clauses = sorting.store(made, folder)
    except ExtractError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"--out {folder}: cannot write ({error.strerror}); choose another folder") from None
    say(f"{path}: stored {sentences} sentences and {clauses} error conditions in {folder}")
