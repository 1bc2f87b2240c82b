"""The commands that read the result of a run: report, reproduce, issue and interpretations."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from clconform.calls import exit_codes
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.reports import (
    ResultError,
    RunResult,
    format_interpretations,
    load_result,
    print_matrix,
    print_summary,
    read_journal,
    write_matrix,
    write_reports,
)
from clconform.reports.bug_report import format_bug_report
from clconform.reports.c_program import c_program, link_options
from clconform.reports.compression import SUFFIX
from clconform.reports.fault_campaign import load_campaign
from clconform.reports.loader_settings import loader_settings
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_consistency import require_no_contradictions
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.reports.untrusted_files import file_in_folder
from clconform.reports.writer import MATRIX, MATRIX_JSON, RESULT, replace_file
from clconform.runner.gate.known_entries import KnownDeviations
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.revision_option import select_as_in_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import DeviationResult
    from clconform.reports.bug_report import Project
    from clconform.reports.fault_campaign import FaultCampaign

MATRIX_FOLDER = "clconform-matrix"
"""The default folder for the comparison of several results."""


def write_report(given: Sequence[str], out: str, *, known: str, faults: str, verbose: bool) -> int:
    """Write the reports of one journal and print its summary, or write a matrix of several results.

    ``given``: journals or results, or folders that contain them. ``verbose``: print all deviations with their calls.
    """
    if len(given) == 1:
        return _write_one_report(given[0], out, known, faults, verbose=verbose)
    for option, file in (("--known", known), ("--faults", faults)):
        if file:
            raise CommandError(f"{option} {file}: applies to one platform; give one JOURNAL")
    return _write_matrix(given, out or MATRIX_FOLDER)


def _write_matrix(given: Sequence[str], out: str) -> int:
    matrix = write_matrix([load_any_result(each) for each in given], Path(out), load())
    print_matrix(matrix, Console())
    print_text(f"clconform: {Path(out) / MATRIX}, {MATRIX_JSON} and one page per platform")
    return exit_codes.AS_EXPECTED


def _write_one_report(journal: str, out: str, known: str, faults: str, *, verbose: bool) -> int:
    entries = KnownDeviations.read(known)
    path = file_in_folder(Path(journal), JOURNAL_FILE)
    folder = Path(out) if out else path.parent
    result = assemble_journal(path)
    result = entries.add_verdict(require_unsharded(result, path)) if known else result
    write_reports(result, folder, load(), _load_faults(result, faults) if faults else None)
    print_summary(result, load(), Console(), result_path=shlex.quote(str(folder / RESULT)), verbose=verbose)
    if result.run.cut_short:
        done = f"{result.run.items} items finished, {len(result.run.unfinished)} started but not finished"
        print_text(f"clconform: the run is incomplete: {done}; requirements that it did not reach are shown as not run")
    print_text(f"clconform: {folder / 'report.html'} (also junit.xml and {RESULT})")
    return exit_codes.AS_EXPECTED


def _load_faults(result: RunResult, file: str) -> FaultCampaign:
    """Return the campaign in a file; CommandError if its driver is not the driver of the result."""
    campaign = load_campaign(Path(file))
    if campaign.target != result.run.target:
        theirs, ours = (" ".join(target) or "no driver" for target in (campaign.target, result.run.target))
        raise CommandError(f"--faults {file}: it tested {theirs}, but the journal tested {ours}")
    return campaign


def write_program(result: str, wanted: str, out: str) -> int:
    """Write the C program of a deviation, and print the commands that build and run it."""
    read, path = load_result_at(result)
    deviation = find_deviation(read, wanted)
    text = c_program(deviation, read, load())
    file = Path(out) if out else path.parent / f"{deviation.id}.c"
    try:
        if out:
            write_given_file(file, text)
        else:
            replace_file(file, text)
    except OSError as error:
        raise CommandError(f"{file}: cannot write ({error.strerror}); choose another file with --out") from None
    program = f"./{file.stem}" if file.parent == Path() else str(file.with_suffix(""))
    print_text(f"written to {file}; build and run it with:")
    print_text(f"  cc {shlex.quote(str(file))} -o {shlex.quote(program)} {link_options(deviation)}")
    print_text(f"  {_environment_prefix(read)}{shlex.quote(program)}")
    print_text("exit status 1: reproduced; 0: not reproduced; 2: could not be run")
    return exit_codes.AS_EXPECTED


def print_bug_report(result: str, wanted: str, project: Project) -> int:
    """Print the bug report of a deviation; CommandError if it did not repeat, so that it need not be the driver's."""
    read, _ = load_result_at(result)
    deviation = find_deviation(read, wanted)
    if deviation.verdict in UNPROVED_STATUSES:
        raise CommandError(
            f"{deviation.id} is {deviation.verdict}, and not attributed to the driver; try to repeat it with: "
            f"clconform replay {shlex.quote(result)} {deviation.id}"
        )
    text = format_bug_report(deviation, read, load(), project=project, environment=_environment_prefix(read))
    print_text(text, nl=False)
    return exit_codes.AS_EXPECTED


def print_interpretations(results: tuple[str, ...]) -> int:
    """Print the interpretations, with the behaviour of the driver of each result."""
    print_text(
        format_interpretations(INTERPRETATIONS.values(), [load_result_at(given)[0] for given in results]), nl=False
    )
    return exit_codes.AS_EXPECTED


def _environment_prefix(result: RunResult) -> str:
    """Return the environment settings with which the loader loads the tested driver, as the prefix of a command."""
    settings = loader_settings(result.platform)
    return "".join(f"{name}={shlex.quote(value)} " for name, value in settings.items())


def load_result_at(given: str) -> tuple[RunResult, Path]:
    """Return the result at a path or in a folder, and the path of its file; ResultError if there is none."""
    path = file_in_folder(Path(given), RESULT)
    result = load_result(path)
    select_as_in_result(result.run.documents, result.run.tables)
    return result, path


def assemble_journal(path: Path) -> RunResult:
    """Return the result of a journal, created with the tables of its run; ResultError if it contradicts itself."""
    journal = read_journal(path)
    select_as_in_result(journal.run.documents, journal.run.tables)
    result = assemble_result(journal, load())
    require_no_contradictions(result.run.contradictions, path)
    return result


def load_any_result(given: str) -> RunResult:
    """Return the result at a path: a result.json, a journal, or a folder that contains one of them."""
    path = file_in_folder(Path(given), RESULT)
    if path != Path(given) and not path.exists():
        path = path.with_name(JOURNAL_FILE)
    return assemble_journal(path) if path.suffix in (".jsonl", SUFFIX) else load_result(path)


def require_unsharded(result: RunResult, path: Path) -> RunResult:
    """Return ``result`` unchanged; CommandError if it is the result of a shard, which the gate cannot check."""
    if result.run.shard:
        raise CommandError(f"{path}: this is shard {result.run.shard} of a run; merge all shards with: clconform merge")
    return result


def find_deviation(result: RunResult, wanted: str) -> DeviationResult:
    """Return the deviation that ``wanted`` names: by id, beginning of an id, key or requirement.

    ResultError unless there is exactly one.
    """
    for deviation in result.deviations:
        if wanted in (deviation.id, deviation.key):
            return deviation
    about = [deviation for deviation in result.deviations if wanted in deviation.requirements]
    if len(about) == 1:
        return about[0]
    if about:
        listed = "; ".join(f"{deviation.id} ({deviation.observed})" for deviation in about)
        raise ResultError(f"{wanted} has {len(about)} deviations; give one id: {listed}")
    return result.find_deviation(wanted)
