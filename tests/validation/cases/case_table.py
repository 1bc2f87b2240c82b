"""Reads the tables of expected findings, and compares the findings of ``clconform validate`` with them."""

from __future__ import annotations

import contextlib
import io
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls import exit_codes
from clconform.recording.program_launch import ProgramEnd, RecordingOptions
from clconform.reports.json_documents import read_document
from clconform.tools.live import LiveOptions, judge_running_program
from clconform.tools.validate import ValidateOptions, find_exit_code, validate_calls
from clconform.validation.findings import FORMAT, PROCESS_ENDED, UNCLEAR, UNDEFINED, Validation, ValidationDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
CASES = HERE / "cases.toml"
LACKING = "exit code 77"
"""How a program ends if the driver lacks a feature that the program needs."""


class CaseFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding: the party, the kind, the function of the call, the rule, and the number of occurrences.

    ``rule``: the ids of the requirements, joined by `` + ``; if there are none, the id of the rule. ``consequences``:
    the number of later calls that failed because of the first; it is not compared.
    """

    party: str
    kind: str
    call: str
    rule: str
    count: int = 1
    consequences: int = 0

    def matches(self, found: CaseFinding) -> bool:
        """Return whether a finding is the one that this entry of a table describes."""
        return msgspec.structs.replace(found, consequences=self.consequences) == self

    def __str__(self) -> str:
        return f"{self.party}: {self.kind} {self.call}, {self.rule}, {self.count} times"


class CaseOutcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of ``clconform validate`` for one program on one driver: the findings, and the exit code.

    ``lacks``: the feature that the driver lacks; the program then ends without the calls that need it. ``note``: why
    the outcome differs from that of other drivers. ``may_end``: the driver may also end the process by a signal.
    """

    findings: list[CaseFinding] = []
    exit: int = 0
    lacks: str = ""
    note: str = ""
    may_end: bool = False

    def matches(self, found: CaseOutcome) -> bool:
        """Return whether an outcome is the one that this entry of a table describes.

        After undefined behaviour, the process may end in any later call.
        """
        if self.lacks or found.lacks:
            return bool(self.lacks) and bool(found.lacks)
        may_end = self.may_end or any(each.kind == UNDEFINED for each in self.findings)
        left = [each for each in found.findings if not (may_end and each.kind == PROCESS_ENDED)]
        for each in self.findings:
            if may_end and each.kind == PROCESS_ENDED:
                continue
            met = next((other for other in left if each.matches(other)), None)
            if met is None:
                return False
            left.remove(met)
        return not left and found.exit in ((self.exit, exit_codes.PROGRAM_FAILED) if self.may_end else (self.exit,))

    def describe(self) -> str:
        """Return the outcome as one line."""
        if self.lacks:
            return "the driver lacks what the program needs"
        return "; ".join([*map(str, self.findings), f"exit code {self.exit}"])


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program with its expected outcome.

    ``subject``: the kind of mistake of which the program has one, or none in a legal twin. ``defined``: macros.
    ``arguments``: those of the program. ``seconds``: the time after which the program is ended; 0: never. ``on``: maps
    the names of drivers to the outcome there, where it is another one.
    """

    program: str
    subject: str
    findings: list[CaseFinding] = []
    exit: int = 0
    defined: list[str] = []
    arguments: list[str] = []
    may_end: bool = False
    seconds: int = 0
    on: dict[str, CaseOutcome] = {}

    @property
    def name(self) -> str:
        """The program with its macros."""
        return "-".join((self.program, *self.defined))

    @property
    def is_silent(self) -> bool:
        """Return whether no party has a finding."""
        return not self.exit and all(each.party == UNCLEAR for each in self.findings)

    def outcome_on(self, driver: str) -> CaseOutcome:
        """Return the expected outcome on a driver."""
        return self.on.get(driver, CaseOutcome(self.findings, self.exit, may_end=self.may_end))


class _CaseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    case: list[Case]


class MeasuredRow(NamedTuple):
    """A line of the written table: a program on a driver, its outcome, and whether it is the expected one."""

    program: str
    driver: str
    outcome: CaseOutcome
    is_expected: bool


def read_cases(path: Path = CASES) -> list[Case]:
    """Return the cases of a table."""
    return msgspec.toml.decode(path.read_text(), type=_CaseTable).case


def build_case(case: Case, folder: Path, sources: Path = HERE) -> Path:
    """Return the program of a case, built into a folder from the sources in another one."""
    program = folder / case.name
    words = ["cc", "-g", "-w", *(f"-D{each}" for each in case.defined), str(sources / f"{case.program}.c")]
    subprocess.run([*words, "-o", str(program), "-lOpenCL", "-lpthread"], check=True)
    return program


def find_outcome(
    case: Case, folder: Path, sources: Path = HERE, *, live: bool = False, stops: str | None = None
) -> CaseOutcome:
    """Return the outcome of a case in the present environment; ``live``, ``stops``: see ``judge_live``."""
    limit = ["timeout", str(case.seconds)] if case.seconds else []
    words = [*limit, str(build_case(case, folder, sources)), *case.arguments]
    if not live:
        return validate_program(words, folder / f"{case.name}.out")
    found, ended = judge_live(folder, words, stops)
    return _read_outcome(found, str(ended), find_exit_code(found, ended))


def validate_program(words: Sequence[str], out: Path) -> CaseOutcome:
    """Return the outcome of ``clconform validate`` for a program; ``out``: the folder for its report."""
    with contextlib.redirect_stdout(io.StringIO()):
        code = validate_calls(words, ValidateOptions(out=str(out)))
    document = read_document(out / "validation.json", ValidationDocument, FORMAT, "report")
    return _read_outcome(document.validations, document.validations[0].program_end, code)


def judge_live(folder: Path, words: Sequence[str], stops: str | None = None) -> tuple[list[Validation], ProgramEnd]:
    """Judge a program while it runs; ``stops``: a value of ``--break``, but no finding stops the program."""
    options = LiveOptions([], ("nobody",), RecordingOptions(), stops, notes=False, aside=False, my_code=())
    return judge_running_program(folder, words, options)


def list_findings(validation: Validation) -> list[CaseFinding]:
    """Return the findings of a process, as the table lists them."""
    return [
        CaseFinding(
            each.party,
            each.kind,
            each.function,
            " + ".join(each.requirements) or each.rule,
            each.count,
            each.consequences,
        )
        for each in validation.findings
    ]


def _read_outcome(found: Sequence[Validation], ended: str, code: int) -> CaseOutcome:
    """Return the outcome of a program; ``ended``: how it ended. ``code``: the exit code of the command."""
    if ended == LACKING:
        return CaseOutcome(lacks="what the program needs")
    return CaseOutcome([finding for each in found for finding in list_findings(each)], code)
