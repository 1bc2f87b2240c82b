"""The commands that read a run's results: report, reproduce and register."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from clconform.oracles.engine.register import REGISTER
from clconform.reports import (
    Result,
    ResultError,
    c_program,
    load_result,
    print_matrix,
    print_summary,
    read_journal,
    register_as_text,
    write_matrix,
    write_reports,
)
from clconform.reports.assembling import assemble
from clconform.reports.campaign import load_campaign
from clconform.reports.given_files import in_folder
from clconform.reports.packing import SUFFIX
from clconform.reports.writing import MATRIX, MATRIX_JSON, RESULT, write_anew
from clconform.runner.gate import exit_codes
from clconform.runner.gate.known import Known
from clconform.runner.journal.writer import JOURNAL
from clconform.spec_tables import load
from clconform.tools.choosing import choose_as
from clconform.tools.errors import CommandError
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import DeviationResult
    from clconform.reports.campaign import Campaign

MATRICES = "clconform-matrix"
"""The default folder for a comparison of several results."""


def report(given: Sequence[str], out: str, *, known: str, faults: str) -> int:
    """Write the reports of a journal (or the one in a folder) and print its summary; for several, write a matrix."""
    if len(given) == 1:
        return _one(given[0], out, known, faults)
    for option, file in (("--known", known), ("--faults", faults)):
        if file:
            raise CommandError(f"{option} {file}: applies to one platform; give one JOURNAL")
    return _side_by_side(given, out or MATRICES)


def _side_by_side(given: Sequence[str], out: str) -> int:
    matrix = write_matrix([any_result(each) for each in given], Path(out), load())
    print_matrix(matrix, Console())
    say(f"clconform: {Path(out) / MATRIX}, {MATRIX_JSON} and one page per platform")
    return exit_codes.AS_EXPECTED


def _one(journal: str, out: str, known: str, faults: str) -> int:
    entries = Known.read(known)
    path = in_folder(Path(journal), JOURNAL)
    folder = Path(out) if out else path.parent
    result = assembled(path)
    result = entries.told_in(whole(result, path)) if known else result
    write_reports(result, folder, load(), _faults_of(result, faults) if faults else None)
    print_summary(result, load(), Console(), result_path=shlex.quote(str(folder / RESULT)))
    if result.run.cut_short:
        done = f"{result.run.items} items finished, {len(result.run.unfinished)} started but not finished"
        say(f"clconform: the run is incomplete: {done}; requirements that it did not reach are shown as not run")
    say(f"clconform: {folder / 'report.html'} (also junit.xml and {RESULT})")
    return exit_codes.AS_EXPECTED


def _faults_of(result: Result, file: str) -> Campaign:
    """Return the campaign in a file; CommandError if it tested another driver than this result."""
    campaign = load_campaign(Path(file))
    if campaign.target != result.run.target:
        theirs, ours = (" ".join(target) or "no driver" for target in (campaign.target, result.run.target))
        raise CommandError(f"--faults {file}: it tested {theirs}, but the journal tested {ours}")
    return campaign


def reproduce(result: str, wanted: str, out: str) -> int:
    """Write the C program of a deviation and print how to build and run it."""
    read, path = result_at(result)
    deviation = find(read, wanted)
    text = c_program(deviation, read, load())
    file = Path(out) if out else path.parent / f"{deviation.id}.c"
    try:
        if out:
            file.write_text(text, encoding="utf-8")
        else:
            write_anew(file, text)
    except OSError as error:
        raise CommandError(f"{file}: cannot write ({error.strerror}); choose another file with --out") from None
    program = f"./{file.stem}" if file.parent == Path() else str(file.with_suffix(""))
    say(f"written to {file}; build and run it with:")
    threads = " -pthread" if any(step.lane for step in deviation.sequence) else ""
    say(f"  cc {shlex.quote(str(file))} -o {shlex.quote(program)} -lOpenCL{threads}")
    say(f"  {_environment(read)}{shlex.quote(program)}")
    say("exit status 1: reproduced; 0: not reproduced; 2: could not be run")
    return exit_codes.AS_EXPECTED


def register(results: tuple[str, ...]) -> int:
    """Print the interpretations, with the behaviour of the drivers of these results."""
    say(register_as_text(REGISTER.values(), [result_at(given)[0] for given in results]), nl=False)
    return exit_codes.AS_EXPECTED


def _environment(result: Result) -> str:
    """Return the environment settings, as a command prefix, that make the loader load the tested driver."""
    platform = result.platform
    if platform is None or platform.access != "loader" or not platform.libraries:
        return ""
    library = shlex.quote(platform.libraries[0])
    return f"OCL_ICD_VENDORS={library} OCL_ICD_FILENAMES={library} "


def result_at(given: str) -> tuple[Result, Path]:
    """Return the result at a path or in a folder, and its path; ResultError if there is none."""
    path = in_folder(Path(given), RESULT)
    result = load_result(path)
    choose_as(result.run.documents, result.run.tables)
    return result, path


def assembled(path: Path) -> Result:
    """Return the result of a journal, by the tables of its run."""
    journal = read_journal(path)
    choose_as(journal.run.documents, journal.run.tables)
    return assemble(journal, load())


def any_result(given: str) -> Result:
    """Return the result at a path: a result.json, a journal, or a folder that contains one of the two."""
    path = in_folder(Path(given), RESULT)
    if path != Path(given) and not path.exists():
        path = path.with_name(JOURNAL)
    return assembled(path) if path.suffix in (".jsonl", SUFFIX) else load_result(path)


def whole(result: Result, path: Path) -> Result:
    """Return a result that may be checked against known deviations; CommandError for a shard."""
    if result.run.shard:
        raise CommandError(f"{path}: this is shard {result.run.shard} of a run; merge all shards with: clconform merge")
    return result


def find(result: Result, wanted: str) -> DeviationResult:
    """Return the deviation with an id (or a prefix), key or requirement; ResultError unless there is exactly one."""
    for deviation in result.deviations:
        if wanted in (deviation.id, deviation.key):
            return deviation
    about = [deviation for deviation in result.deviations if wanted in deviation.records]
    if len(about) == 1:
        return about[0]
    if about:
        listed = "; ".join(f"{deviation.id} ({deviation.observed})" for deviation in about)
        raise ResultError(f"{wanted} has {len(about)} deviations; give one id: {listed}")
    return result.deviation(wanted)
