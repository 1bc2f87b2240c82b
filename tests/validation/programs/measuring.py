"""Measures programs with and without a recording, and stores the figures with the findings of each program."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.json_documents import encode_document
from clconform.reports.measurement import MeasurementHeader
from clconform.spec_tables import load

from .matching import to_table_finding
from .runs import RECORDING, judge_program, run_listed_program

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.validation.findings import ValidationDocument

    from .listed import StartedProgram

PAIRS = 3
"""The number of pairs of runs, with and without a recording."""
MAX_SECONDS = 60
"""After this time no further pair is started."""


class FindingCount(msgspec.Struct, frozen=True):
    """The number of occurrences of a rule in one program; ``rule``: as in findings/program_findings.toml."""

    party: str
    kind: str
    rule: str
    count: int


class MeasuredProgram(msgspec.Struct, frozen=True):
    """The figures of one program on one driver.

    ``code``, ``recorded_code``: the exit codes without and with a recording, negative for a signal. ``seconds``,
    ``recorded_seconds``: the processor time of the program without and with a recording, each the minimum of the runs.
    ``judging_seconds``: the processor time for judging, without the start of clconform. ``bytes``: of the recordings.
    """

    id: str
    origin: str
    driver: str
    code: int | None
    recorded_code: int | None
    calls: int
    judged: int
    seconds: float
    recorded_seconds: float
    judging_seconds: float
    bytes: int
    findings: list[FindingCount]

    def count(self, party: str, *kinds: str) -> int:
        """Return the number of occurrences of the findings about a party, of these kinds."""
        return sum(each.count for each in self.findings if each.party == party and each.kind in kinds)


class ProgramMeasurements(msgspec.Struct, frozen=True):
    """The figures of several programs; ``header``: the circumstances of the last of them."""

    header: MeasurementHeader
    programs: list[MeasuredProgram]
    format: int = 1


def measure_program(each: StartedProgram, work: Path, driver: str, library: str) -> MeasuredProgram:
    """Run a program without and with a recording, judge the last recording, and return the figures."""
    folder = work / driver / each.id
    plain, recorded = [], []
    start = time.monotonic()
    for _ in range(PAIRS):
        for old in folder.glob(f"{RECORDING}*"):
            old.unlink()
        plain.append(run_listed_program(each, work, driver, library, is_recorded=False))
        recorded.append(run_listed_program(each, work, driver, library, is_recorded=True))
        if time.monotonic() - start > MAX_SECONDS:
            break
    rulebook_of(load())
    busy = time.process_time()
    document = judge_program(folder)
    busy = time.process_time() - busy
    return MeasuredProgram(
        each.id,
        each.program.origin,
        driver,
        plain[-1].code,
        recorded[-1].code,
        sum(one.calls for one in document.validations),
        sum(one.judged for one in document.validations),
        min(run.busy for run in plain),
        min(run.busy for run in recorded),
        round(busy, 3),
        sum(file.stat().st_size for file in folder.glob(f"{RECORDING}*")),
        _count_findings(driver, each.id, document),
    )


def _count_findings(driver: str, program: str, document: ValidationDocument) -> list[FindingCount]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for validation in document.validations:
        for finding in validation.findings:
            found = to_table_finding(driver, program, finding)
            counts[found.party, found.kind, found.clause] += finding.count
    return [FindingCount(*key, count) for key, count in sorted(counts.items())]


def read_measurements(path: Path) -> ProgramMeasurements:
    """Return the stored figures of programs."""
    return msgspec.json.decode(path.read_bytes(), type=ProgramMeasurements)


def store_measurement(path: Path, measured: MeasuredProgram, header: MeasurementHeader) -> None:
    """Add the figures of a program to a file; they replace those of the same program and driver."""
    known = read_measurements(path).programs if path.exists() else []
    kept = [each for each in known if (each.driver, each.id) != (measured.driver, measured.id)]
    listed = sorted([*kept, measured], key=lambda each: (each.id, each.driver))
    path.write_text(encode_document(ProgramMeasurements(header, listed)), encoding="utf-8")
