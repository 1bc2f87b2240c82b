"""Checks the C programs of a result: compiles each, runs it on the driver of the result, and reads what it shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.call import Died, Hung
from clconform.reports.c_program import CProgramError, c_program
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from clconform.reports import DeviationResult, RunResult

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wunused", "-Wunused-macros", "-Werror")
ATTEMPTS = 3
"""Number of runs of each program."""
MAX_SECONDS = 120.0
"""Maximum duration of one run in seconds, in addition to the deadline of a call that hangs."""
MAX_REASON = 200
CACHE_VARIABLES = ("POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR")
"""The variables that override ``XDG_CACHE_HOME``."""
DEVIATION = "DEVIATION:"
"""The beginning of the line with which a program reports its deviation."""


@dataclass(frozen=True)
class ProgramCheck:
    """The check of one program.

    ``deviation``: its deviation. ``shown``: number of runs that showed it, out of ``ATTEMPTS``. ``reason``: why the
    program could not be written or compiled, or how the last run ended that did not show the deviation; else empty.
    """

    deviation: DeviationResult
    shown: int = 0
    reason: str = ""

    @property
    def kind(self) -> str:
        """Return the kind of this check in the summary."""
        if self.shown:
            return "always" if self.shown == ATTEMPTS else "sometimes"
        return "unwritable" if self.reason.startswith("unwritable") else "never"


def check_programs(result: RunResult, folder: Path) -> Iterator[ProgramCheck]:
    """Write, compile and run the program of each deviation in ``folder``; flaky deviations are left out.

    LookupError if there is no C compiler.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise LookupError("there is no C compiler (cc)")
    for deviation in result.deviations:
        if deviation.verdict == "flaky":
            continue
        try:
            source = c_program(deviation, result, load())
        except CProgramError as error:
            yield ProgramCheck(deviation, reason=f"unwritable: {error}")
            continue
        yield _check_program(deviation, source, folder / deviation.id, compiler, _environment(result))


def _environment(result: RunResult) -> dict[str, str]:
    """Return this environment, with the settings by which the loader loads the driver of the result."""
    kept = {name: value for name, value in os.environ.items() if name not in CACHE_VARIABLES}
    platform = result.platform
    if platform is None or platform.access != "loader" or not platform.libraries:
        return kept
    return {**kept, "OCL_ICD_VENDORS": platform.libraries[0], "OCL_ICD_FILENAMES": platform.libraries[0]}


def _check_program(
    deviation: DeviationResult, source: str, program: Path, compiler: str, environment: dict[str, str]
) -> ProgramCheck:
    file = program.with_suffix(".c")
    file.write_text(source, encoding="ascii")
    words = [compiler, *STRICT, str(file), "-o", str(program), "-lOpenCL", "-ldl", "-pthread"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if built.returncode:
        return ProgramCheck(deviation, reason=f"not compiled: {built.stderr[:MAX_REASON]}")
    last = deviation.sequence[-1].outcome
    seconds = MAX_SECONDS + (last.deadline if isinstance(last, Hung) else 0.0)
    reasons = [_run_program(program, deviation, environment, seconds) for _ in range(ATTEMPTS)]
    failed = [reason for reason in reasons if reason]
    return ProgramCheck(deviation, ATTEMPTS - len(failed), failed[-1] if failed else "")


def _run_program(program: Path, deviation: DeviationResult, environment: dict[str, str], seconds: float) -> str:
    """Run a program; return how it ended if it did not show the deviation, else an empty text.

    The driver's compiler cache is empty, because a process that crashed may have left damaged files in it. A crash
    shows itself when a signal ends the program, also after its last call: in a thread of the driver, or when the driver
    is unloaded.
    """
    with tempfile.TemporaryDirectory(dir=program.parent) as caches:
        try:
            done = subprocess.run(
                [str(program)],
                capture_output=True,
                text=True,
                errors="replace",
                env={**environment, "XDG_CACHE_HOME": caches},
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "did not end"
    has_crashed = isinstance(deviation.sequence[-1].outcome, Died) and done.returncode < 0
    if has_crashed or DEVIATION in done.stdout:
        return ""
    last = (done.stdout.strip().splitlines() or ["(nothing printed)"])[-1]
    return f"status {done.returncode}: {last[:MAX_REASON]}"


def format_check(check: ProgramCheck) -> Iterator[str]:
    """Yield a line for a program that does not always show its deviation; none for any other program."""
    if check.shown < ATTEMPTS:
        yield f"{check.deviation.id} {check.deviation.verdict}: {check.shown} of {ATTEMPTS}: {check.reason}"


def format_counts(checks: Iterable[ProgramCheck]) -> str:
    """Return the number of programs of each kind as a line."""
    counts = Counter(check.kind for check in checks)
    kinds = ("always", "sometimes", "never", "unwritable")
    return f"{counts.total()} programs: {', '.join(f'{counts[kind]} {kind}' for kind in kinds)}"
