"""The check of C programs: a program shows its deviation by a line, or by a crash at any time if the driver crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, Returned, Step
from clconform.calls.values import Handle
from clconform.findings.review import c_programs
from clconform.findings.review.c_programs import ATTEMPTS, ProgramCheck, check_programs, format_check, format_counts

from ..reports.bad_driver import build_command  # noqa: TID252 (tests are no part of the installed package)
from ..reports.test_c_program import create_result, needs_compiler  # noqa: TID252

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.call import Outcome
    from clconform.reports.run_result import RunResult


def create_release(outcome: Outcome, library: Path) -> RunResult:
    """Return a result with one deviation of the faulty driver ``library``, in its clReleaseDevice."""
    result = create_result()
    assert result.platform is not None
    platform = msgspec.structs.replace(result.platform, access="direct", libraries=[str(library)], name="Bad Driver")
    step = Step(Call("clReleaseDevice", {"device": Handle("device1")}), outcome)
    deviation = msgspec.structs.replace(result.deviations[1], sequence=[step], allowed=["CL_SUCCESS"])
    return msgspec.structs.replace(result, platform=platform, deviations=[deviation])


@needs_compiler
@pytest.mark.parametrize(
    ("how", "outcome", "kind"),
    [
        ("refuse", Returned(-33), "always"),
        ("refuse_and_abort_at_exit", Returned(-33), "always"),
        ("abort_at_exit", Returned(-33), "never"),
        ("", Returned(-33), "never"),
        ("crash", Died("signal", "SIGSEGV"), "always"),
        ("thread_crash", Died("signal", "SIGSEGV"), "always"),
        ("abort_at_exit", Died("abort", "SIGABRT"), "always"),
        ("", Died("signal", "SIGSEGV"), "never"),
    ],
)
def test_program_of_a_driver_shows_what_it_does(
    how: str, outcome: Outcome, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(c_programs, "ATTEMPTS", 1)
    monkeypatch.setenv("BAD_DRIVER", how)
    library = tmp_path / "bad.so"
    c_programs.subprocess.run(build_command(library), check=True)
    (check,) = check_programs(create_release(outcome, library), tmp_path)
    assert check.kind == kind, check.reason


def test_summary_lists_programs_that_do_not_always_show_their_deviation() -> None:
    deviation = create_result().deviations[1]
    checks = [
        ProgramCheck(deviation, ATTEMPTS),
        ProgramCheck(deviation, 1, "status 0: no deviation"),
        ProgramCheck(deviation, 0, "status 2: it cannot be run"),
        ProgramCheck(deviation, 0, "unwritable: a reason"),
    ]
    lines = [line for check in checks for line in format_check(check)]
    assert [line.split(": ")[1] for line in lines] == [f"{shown} of {ATTEMPTS}" for shown in (1, 0, 0)]
    assert format_counts(checks) == "4 programs: 1 always, 1 sometimes, 1 never, 1 unwritable"
