"""The ``extract`` command: writes tables from the documents, checks them, or compares revisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load, loading
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.errors import CommandError
from clconform.tools.extract import (
    HAND_KEPT,
    ExtractError,
    classification,
    compare_folders,
    compare_revisions,
    compare_tables,
    copy_committed_input,
    extract_documents,
    keep_used_reasons,
    revision_of,
    write_tables,
)
from clconform.tools.extract.revision_changes import read_snapshot, snapshot_of_extraction
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.tools.extract import ExtractionResult, RevisionChanges

MAX_PROBLEMS_SHOWN = 40
"""Maximum number of problems that are printed."""


def extract_tables(documents: str, out: str, *, force: bool, unclassified: str, classified: str) -> int:
    """Write the tables, and print their counts and the changes of ids compared with the tables that they replace.

    Also print unparsed text and unexplained differences; if there are any, write nothing unless ``force`` is set.
    ``unclassified``: the file for the decisions that a person must make. ``classified``: such a file with decisions,
    which are stored first.
    """
    folder = _tables_folder(documents, out)
    if classified:
        _store_decisions(Path(classified), folder)
    known = _starting_folder(folder)
    result = _extract_documents(documents, known, allow_missing=force or known != folder)
    if unclassified:
        _write_unclassified(Path(unclassified), result)
    problems = _list_problems(result)
    if problems and not force:
        _print_problems(problems)
        raise CommandError(
            f"{len(problems)} problems; nothing was written to {folder}. --unclassified FILE lists the open decisions, "
            f"{folder / 'explained.json'} has the reasons for differences; --force writes the tables nevertheless",
            exit_codes.INTERNAL_ERROR,
        )
    changes = _changes(folder, result)
    try:
        copy_committed_input(folder)
        write_tables(result, folder)
        if changes is None:
            keep_used_reasons(result, folder)
    except OSError as error:
        raise CommandError(f"--out {folder}: cannot write ({error.strerror}); choose another folder") from None
    print_text(f"written to {folder}")
    if changes is not None:
        _print_changes(changes, f"the tables that were in {folder}")
    _print_problems(problems)
    return exit_codes.AS_EXPECTED


def check_tables(documents: str, out: str) -> int:
    """Print how the tables in a folder differ from the documents; the exit code is not 0 if there are differences."""
    folder = _tables_folder(documents, out)
    problems = compare_tables(_extract_documents(documents, _starting_folder(folder), allow_missing=False), folder)
    if problems:
        _print_problems(problems)
        raise CommandError(
            f"{len(problems)} differences between {folder} and the documents, or sentences that could not be parsed",
            exit_codes.INTERNAL_ERROR,
        )
    print_text(f"{folder}: the tables match the documents")
    return exit_codes.AS_EXPECTED


def compare_documents(documents: str, against: str) -> int:
    """Print the changes since older documents or tables; the exit code is not 0 if text could not be parsed."""
    old = Path(against)
    if not old.is_dir():
        raise CommandError(f"--against {against}: no such folder; give a folder of older documents or tables")
    try:
        changes, result = compare_folders(old, Path(documents))
    except ExtractError as error:
        raise CommandError(str(error)) from None
    _print_changes(changes, str(old))
    problems = _list_problems(result)
    if problems:
        _print_problems(problems)
        raise CommandError(
            f"{len(problems)} problems in {documents}; their requirements are missing above", exit_codes.INTERNAL_ERROR
        )
    return exit_codes.AS_EXPECTED


def _tables_folder(documents: str, out: str) -> Path:
    """Return the folder of the tables: ``out``, or the folder of the package for the revision of the documents."""
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
            f"{', '.join(loading.list_revisions())}; name a folder for them with --out DIR"
        )
    return folder


def _starting_folder(folder: Path) -> Path:
    """Return the folder with the ids and classes from which an extraction starts: ``folder`` or the default tables."""
    return folder if (folder / HAND_KEPT[0]).exists() else loading.DATA


def _extract_documents(documents: str, known: Path, *, allow_missing: bool) -> ExtractionResult:
    try:
        result = extract_documents(Path(documents), known, allow_missing=allow_missing)
    except ExtractError as error:
        raise CommandError(str(error)) from None
    print_text(", ".join(f"{count} {name}" for name, count in result.count_all().items()))
    return result


def _list_problems(result: ExtractionResult) -> list[str]:
    return [f"unparsed: {text}" for text in result.unparsed] + [
        f"unexplained: {text}" for text in result.unexplained_differences()
    ]


def _print_problems(problems: list[str]) -> None:
    for problem in problems[:MAX_PROBLEMS_SHOWN]:
        print_text(problem, err=True)
    if len(problems) > MAX_PROBLEMS_SHOWN:
        print_text(f"... and {len(problems) - MAX_PROBLEMS_SHOWN} more", err=True)


def _print_changes(changes: RevisionChanges, old: str) -> None:
    for line in changes.to_lines():
        print_text(line)
    print_text(f"against {old}: " + ", ".join(f"{len(names)} {what}" for what, names in changes.by_kind().items()))


def _changes(folder: Path, result: ExtractionResult) -> RevisionChanges | None:
    """Return the changes from the tables in a folder to the new tables; None if the folder contains no tables."""
    if not (folder / "clauses.json").exists():
        return None
    try:
        return compare_revisions(read_snapshot(folder, folder), snapshot_of_extraction(result))
    except ExtractError as error:
        raise CommandError(str(error)) from None


def _conditions_of_other_revisions(names: Collection[str]) -> dict[str, str]:
    """Map ids that the default tables lack to their conditions in the other installed revisions."""
    found: dict[str, str] = {}
    for revision in loading.list_revisions() if names else ():
        rulebook = rulebook_of(loading.read_tables(loading.REVISIONS / revision))
        found.update({name: rulebook.texts.words_of(name) for name in names if rulebook.texts.words_of(name)})
    return found


def _write_unclassified(path: Path, result: ExtractionResult) -> None:
    rulebook = rulebook_of(load())
    reworded = [name for name, _ in result.reworded_conditions()]
    conditions = {name: rulebook.texts.words_of(name) for name in load().requirements}
    try:
        write_given_file(
            path,
            classification.classification_file(
                result, conditions, _conditions_of_other_revisions(set(reworded) - conditions.keys())
            ),
        )
    except OSError as error:
        raise CommandError(f"--unclassified {path}: cannot write ({error.strerror})") from None
    unsorted = len(result.unclassified())
    renewed = len(result.replacement_candidates(conditions.keys()))
    print_text(
        f"{path}: {unsorted} unclassified sentences, {len(reworded)} reworded error conditions, {renewed} new ones "
        "that may replace removed ones, and the excluded sentences"
    )


def _store_decisions(path: Path, folder: Path) -> None:
    try:
        made = list(classification.read_decisions(path))
        copy_committed_input(folder)
        sentences, clauses = classification.store_decisions(made, folder)
    except ExtractError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"--out {folder}: cannot write ({error.strerror}); choose another folder") from None
    print_text(f"{path}: stored {sentences} sentences and {clauses} error conditions in {folder}")
