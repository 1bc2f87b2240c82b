"""Compares the findings of ``clconform validate`` with the errors that Oclgrind reports: one row for each program.

``python -m tests.validation.oclgrind_comparison PROGRAM...`` runs the programs and those of the case table with
``oclgrind --check-api``, and under ``clconform validate`` on Oclgrind's driver. It writes the rows to a file, and a
table of them to a page of the documents. It exits with 1 if an error has no finding.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.reports.measurement import MeasurementHeader, MeasurementMonitor
from clconform.selftest.committed_files import decode_document, encode_line

from .cases.case_table import CaseFinding, build_case, read_cases, validate_program
from .cases.installed_drivers import DRIVERS, use_driver

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
ROWS, PAGE = ROOT / "measurements" / "oclgrind.json", ROOT / "docs" / "validate.md"
FORMAT = "clconform-oclgrind-comparison-1"
BEGIN, END = "<!-- comparison with oclgrind -->", "<!-- end of the comparison -->"
OCLGRIND = shutil.which("oclgrind") or "oclgrind"
SECONDS = 60
"""The time limit of a program, some of which never end on Oclgrind."""
_API_ERROR = re.compile(r"Oclgrind - OpenCL runtime error detected\n\tFunction: (\w+)\n\tError: +(\w+)\n(?:\t(.*)\n)?")
_MAPPED_ERROR = re.compile(r"^(Invalid (?:read|write) (?:from|to) (?:buffer )?mapped .*)$", re.MULTILINE)
_MAPPED_RULE = "OpenCL:accessing-mapped-regions-of-a-memory-object/usage/"
_FAILURES = ("unjudged-failure", "insufficient-resources")
"""Rules of findings about a call that has failed with any error."""
_LAUNCHES = ("clEnqueueNDRangeKernel", "clEnqueueTask")


class OclgrindError(msgspec.Struct, frozen=True):
    """An error that Oclgrind reports: the function, the error code or the text, and the number of occurrences."""

    call: str
    error: str
    count: int = 1


class ComparedProgram(msgspec.Struct, frozen=True):
    """A program with the errors of Oclgrind and the findings of ``clconform``.

    ``lacking``: the errors without a finding. ``relation``: ``same`` if each finding is about an error, ``more`` if
    there are other findings, ``less`` if an error has no finding.
    """

    program: str
    oclgrind: list[OclgrindError]
    clconform: list[CaseFinding]
    lacking: list[OclgrindError]
    relation: str


class ComparedPrograms(msgspec.Struct, frozen=True):
    """The rows of the file; ``header``: the circumstances of the comparison."""

    format: str
    header: MeasurementHeader
    oclgrind: str
    rows: list[ComparedProgram]


def read_errors(text: str) -> list[OclgrindError]:
    """Return the errors in the output of Oclgrind, except for the kernels' own memory errors."""
    found = Counter((match[1], match[2]) for match in _API_ERROR.finditer(text))
    found.update((_LAUNCHES[0], match[1]) for match in _MAPPED_ERROR.finditer(text))
    return [OclgrindError(call, error, count) for (call, error), count in found.items()]


def compare_program(name: str, errors: list[OclgrindError], findings: list[CaseFinding]) -> ComparedProgram:
    """Return the row of a program.

    A call that failed because of an earlier call with a finding has no finding of its own, but is counted there.
    """
    left = sum(each.consequences for each in findings)
    lacking, about = [], set[CaseFinding]()
    for error in errors:
        named = [each for each in findings if _is_about(each, error)]
        about.update(named)
        if not named:
            left -= error.count
            if left < 0:
                lacking.append(error)
    relation = "less" if lacking else "more" if set(findings) - about else "same"
    return ComparedProgram(name, errors, findings, lacking, relation)


def _is_about(finding: CaseFinding, error: OclgrindError) -> bool:
    if finding.call != error.call:
        return False
    if error.error.startswith("CL_"):
        return f"/{error.error}/" in finding.rule or finding.kind == "undefined" or finding.rule in _FAILURES
    return finding.rule.startswith(_MAPPED_RULE)


def run_program(words: Sequence[str], out: Path) -> ComparedProgram | None:
    """Return the row of a program; None if Oclgrind lacks a feature that the program needs."""
    try:
        done = subprocess.run([OCLGRIND, "--check-api", *words], capture_output=True, timeout=SECONDS, check=False)
        text = done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as ended:
        text = (ended.stderr or b"").decode(errors="replace")
    driver = next(each for each in DRIVERS if each.name == "oclgrind")
    with use_driver(driver):
        found = validate_program(["timeout", str(SECONDS), *words], out)
    return None if found.lacks else compare_program(Path(words[0]).name, read_errors(text), found.findings)


def format_table(compared: ComparedPrograms) -> Iterator[str]:
    """Yield the lines of a Markdown table with the programs for which either side reports something."""
    yield "| program | Oclgrind | clconform | clconform reports |"
    yield "|---|---|---|---|"
    for row in compared.rows:
        if row.oclgrind or row.clconform:
            errors = _join(f"{each.call}: {each.error}" for each in row.oclgrind)
            findings = _join(f"{each.party}: {each.kind}, {each.call}" for each in row.clconform)
            yield f"| {row.program} | {errors} | {findings} | {row.relation} |"
    counts = Counter(row.relation for row in compared.rows)
    silent = sum(not row.oclgrind and not row.clconform for row in compared.rows)
    yield ""
    yield compared.header.format_text() + "."
    yield ""
    yield (
        f"{compared.oclgrind}. {len(compared.rows)} programs, for {silent} of which neither reports anything: "
        + ", ".join(f"{counts[each]} {each}" for each in ("same", "more", "less"))
        + "."
    )


def _join(texts: Iterable[str]) -> str:
    return "<br>".join(dict.fromkeys(texts)).replace("_", "\\_") or "nothing"


def renew_page(text: str, compared: ComparedPrograms) -> str:
    """Return a page with the table."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join((before + BEGIN, *format_table(compared), END + after))


def read_rows() -> ComparedPrograms:
    """Return the rows of the committed file."""
    return decode_document(ROWS.read_bytes(), ComparedPrograms, FORMAT)


def write_rows(compared: ComparedPrograms) -> None:
    """Write the rows to the file, one on each line."""
    lines = ",\n".join(f"  {encode_line(row)}" for row in compared.rows)
    head = msgspec.json.format(msgspec.json.encode(compared.header), indent=1).decode()
    begin = f'{{"format": "{FORMAT}",\n"header": {head},\n"oclgrind": "{compared.oclgrind}"'
    ROWS.write_text(f'{begin}, "rows": [\n{lines}\n]}}\n')


def _compare(programs: Sequence[str]) -> ComparedPrograms:
    version = subprocess.run([OCLGRIND, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")
    monitor, rows = MeasurementMonitor(()), []
    with tempfile.TemporaryDirectory() as work:
        words = [[program] for program in programs]
        words += [[str(build_case(case, Path(work))), *case.arguments] for case in read_cases()]
        for each in words:
            row = run_program(each, Path(work) / "out")
            if row is not None:
                rows.append(row)
                sys.stdout.write(f"{row.program}: {row.relation}\n")
                sys.stdout.flush()
    command = "python -m tests.validation.oclgrind_comparison PROGRAM..."
    header = msgspec.structs.replace(monitor.create_header(), command=command)
    return ComparedPrograms(FORMAT, header, next(line for line in version if line), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.validation.oclgrind_comparison", description=__doc__)
    parser.add_argument("programs", nargs="*", help="built program, in addition to those of the case table")
    made = _compare(parser.parse_args().programs)
    write_rows(made)
    PAGE.write_text(renew_page(PAGE.read_text(), made))
    sys.exit(any(row.lacking for row in made.rows))
