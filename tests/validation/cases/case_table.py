"""Builds the programs of the table, records them on a driver, and returns their findings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.recording.file_format import RecordingFile
from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import ProgramEnd, RecordingOptions, run_program
from clconform.spec_tables import load
from clconform.tools.live import LiveOptions, judge_running_program
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.validation.findings import Validation

HERE = Path(__file__).parent
SKIPPED = "exit code 77"
"""How a program ends if the driver lacks what it needs."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program with the findings that are right.

    ``defined``: macros. ``findings``: lines of ``describe``. ``elsewhere``: maps words in a driver's file name to the
    findings on that driver, if it deviates, or never ends a wait.
    """

    program: str
    findings: list[str]
    defined: list[str] = []
    elsewhere: dict[str, list[str]] = {}

    @property
    def name(self) -> str:
        """The program with its macros."""
        return "-".join((self.program, *self.defined))

    def findings_on(self, driver: str) -> list[str]:
        """Return the findings on a driver's library."""
        return sorted(next((found for word, found in self.elsewhere.items() if word in driver), self.findings))


class _CaseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    case: list[Case]


def read_cases() -> list[Case]:
    """Return the cases of the table."""
    return msgspec.toml.decode((HERE / "cases.toml").read_text(), type=_CaseTable).case


def build_case(case: Case, folder: Path) -> Path:
    """Return the program of a case, built into a folder."""
    program = folder / case.name
    words = ["cc", "-g", "-w", *(f"-D{each}" for each in case.defined), str(HERE / f"{case.program}.c")]
    subprocess.run([*words, "-o", str(program), "-lOpenCL", "-lpthread"], check=True)
    return program


def describe(validation: Validation) -> list[str]:
    """Return the findings as lines: party, kind, requirements or function, and the number of times."""
    return sorted(
        f"{each.party}: {each.kind} {' + '.join(each.requirements) or each.function} x{each.count}"
        for each in validation.findings
    )


def find_case(case: Case, folder: Path) -> list[str] | None:
    """Return the findings of a case in the present environment; None if the driver lacks what the program needs."""
    path = folder / f"{case.name}.clrec"
    ended = run_program([str(build_case(case, folder))], build_layer(load()), path)
    if str(ended) == SKIPPED:
        return None
    tables = load()
    return describe(validate_recording(RecordingFile(path, tables), tables, case.name))


def judge_live(folder: Path, *words: object, stops: str | None = None) -> tuple[list[Validation], ProgramEnd]:
    """Judge a program while it runs; ``stops``: a value of ``--break``, but there is no finding that stops it."""
    options = LiveOptions([], ("nobody",), RecordingOptions(), stops, notes=False, aside=False)
    return judge_running_program(folder, [str(word) for word in words], options)


def find_case_live(case: Case, folder: Path, stops: str | None = None) -> list[str] | None:
    """Return the findings of a case that is judged while it runs; None as for ``find_case``.

    ``stops``: as for ``judge_live``.
    """
    (found,), ended = judge_live(folder, build_case(case, folder), stops=stops)
    return None if str(ended) == SKIPPED else describe(found)


def compare_cases(
    driver: str, find: Callable[[Case, Path], list[str] | None], folder: Path, cases: Sequence[Case]
) -> int:
    """Print the cases whose findings on a driver are others, and return their number; ``find``: judges a case."""
    os.environ |= {"OCL_ICD_VENDORS": driver, "OCL_ICD_FILENAMES": driver}  # for ocl-icd, and for Khronos' loader
    wrong = 0
    for case in cases:
        found = find(case, folder)
        if found is None:
            sys.stdout.write(f"{case.name}: skipped, as the driver lacks what it needs\n")
        elif found != case.findings_on(driver):
            wrong += 1
            sys.stdout.write(f"{case.name}: {found}, not {case.findings_on(driver)}\n")
    sys.stdout.write(f"{len(cases)} cases, {wrong} with other findings\n")
    return wrong
