"""The validation commands: their output, files and exit codes."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from junitparser import JUnitXml

from clconform.calls import exit_codes
from clconform.spec_tables import loading
from tests import forked_runs, in_process
from tests.reports import schemas

from .conftest import POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def run_command(tmp_path: Path, layer: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command, and returns its exit code, output and errors."""
    del layer
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> tuple[int, str, str]:
        call = (
            forked_runs.run if "--" in words else in_process.run_command
        )  # the output of a program cannot be captured in process
        ended = call(tmp_path, *map(str, words))
        return ended.returncode, ended.stdout, ended.stderr

    return run


def test_validate_command_reports_violations_of_a_program(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    program = build_program("mistakes", "MISTAKES", "SHORT")
    code, printed, _ = run_command("validate", "--out", tmp_path / "out", "--", program)
    assert code == exit_codes.DEVIATIONS
    assert "exit code 0" in printed
    assert "program: error  clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1" in printed
    assert "program: undefined  released-object" in printed
    assert "remedy      Unmap mem1 before this call." in printed
    assert "to suppress it" not in printed
    assert "program: advice" not in printed
    assert "4 notes not shown (portability, advice, leaks); --notes shows them" in printed
    assert "violations of the program · 1 deviation of the driver" in printed
    text = (tmp_path / "out" / "validation.json").read_text(encoding="utf-8")
    (found,) = json.loads(schemas.validated(text, "validation"))["validations"]
    assert found["calls"] > 60
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(tmp_path / "out" / "junit.xml"))}
    assert suites["clconform validate: program"].failures >= 18
    assert suites["clconform validate: driver"].failures == 1  # an invalid call that PoCL accepts
    page = (tmp_path / "out" / "validation.html").read_text(encoding="utf-8")
    assert "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1" in page
    assert "Unmap mem1 before this call." in page


def test_validate_command_judges_an_earlier_recording(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    program = build_program("mistakes", "MISTAKES", "SHORT")
    assert run_command("record", "-o", "calls.clrec", "--", program)[0] == 0
    code, printed, _ = run_command("validate", "--json", "calls.clrec")
    assert code == exit_codes.DEVIATIONS
    assert run_command("validate", "--party", "program", "calls.clrec")[0] == exit_codes.PROGRAM_VIOLATIONS
    (found,) = json.loads(printed)["validations"]
    of_the_program = [finding for finding in found["findings"] if finding["party"] == "program"]
    assert len(of_the_program) >= 25
    assert run_command("validate", "--party", "driver", "calls.clrec")[0] == exit_codes.DEVIATIONS
    (tmp_path / "known.toml").write_text('[[suppress]]\nreason = "known"\nfunction = "cl*"\nparty = "program"\n')
    code, printed, _ = run_command("validate", "--suppress", "known.toml", "--json", "calls.clrec")
    assert code == exit_codes.DEVIATIONS
    (left,) = json.loads(printed)["validations"]
    assert left["suppressed"] == len(of_the_program)
    assert {finding["party"] for finding in left["findings"]} == {"driver"}
    code, printed, _ = run_command("validate", "--suppress", "known.toml", "calls.clrec")
    assert f"suppressed by --suppress: {left['suppressed']} findings" in printed
    (tmp_path / "known.toml").write_text('[[suppress]]\nreason = "known"\nsite = "*/mistakes-MISTAKES-SHORT*"\n')
    _, printed, _ = run_command("validate", "--suppress", "known.toml", "--json", "calls.clrec")
    assert (
        json.loads(printed)["validations"][0]["findings"] == []
    )  # all findings are suppressed by the path of the program
    code, _, said = run_command("record", "-o", "calls.clrec", "--", program)
    assert (code, said.count("\n")) == (exit_codes.BAD_USAGE, 1)
    assert "calls.clrec exists" in said
    code, printed, _ = run_command("validate", "--json", "calls.clrec", "calls.clrec")
    assert [each["calls"] for each in json.loads(printed)["validations"]] == [found["calls"]] * 2
    code, _, said = run_command("validate", "calls.clrec", "--json")
    assert (code, said.count("\n")) == (exit_codes.BAD_USAGE, 1)
    assert "--json is not a recording; options must come before recordings" in said


def test_validate_command_judges_by_the_named_revision(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    program = build_program("mistakes", "MISTAKES", "SHORT")
    assert run_command("record", "-o", "calls.clrec", "--", program)[0] == 0
    older, newer = (loading.read_tables(loading.REVISIONS / revision) for revision in ("3.0.17", "3.1.1"))
    violated = {}
    for revision in ("3.0.17", "3.1.1"):
        code, printed, _ = run_command("validate", "--tables", revision, "--json", "calls.clrec")
        assert code == exit_codes.DEVIATIONS
        (found,) = json.loads(printed)["validations"]
        violated[revision] = {each for finding in found["findings"] for each in finding["requirements"]}
    assert violated["3.0.17"] <= older.requirements.keys()
    assert violated["3.1.1"] <= newer.requirements.keys()
    assert violated["3.1.1"] - older.requirements.keys()
    code, _, said = run_command("validate", "--tables", "9.9", "calls.clrec")
    assert code == exit_codes.BAD_USAGE
    assert "--tables 9.9: not a revision of the package (3.0.17, 3.1.1)" in said


def test_valid_program_has_no_finding(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    code, printed, _ = run_command("validate", "--notes", "--", build_program("mistakes", "SHORT"))
    assert code == exit_codes.AS_EXPECTED
    assert "0 violations of the program · 0 deviations of the driver · 0 notes" in printed


@pytest.mark.parametrize(
    ("end", "own_code", "said"),
    [
        ("kill -SEGV $$", 128 + signal.SIGSEGV, "ended by SIGSEGV"),
        ("exit 77", 77, "exit code 77"),
    ],
)
def test_program_that_fails_has_an_exit_code_of_its_own(
    end: str,
    own_code: int,
    said: str,
    build_program: Callable[..., Path],
    run_command: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
) -> None:
    words = ("--", "sh", "-c", f"{build_program('mistakes', 'SHORT')}; {end}")
    code, printed, _ = run_command("validate", "--out", tmp_path / "out", *words)
    assert (code, said in printed) == (exit_codes.PROGRAM_FAILED, True)
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(tmp_path / "out" / "junit.xml"))}
    assert suites["clconform validate: recording"].failures == 1
    assert run_command("validate", "--exit-code", "program", *words)[0] == own_code


@pytest.mark.parametrize(
    ("end", "own_code", "said"),
    [("kill -KILL $$", 128 + signal.SIGKILL, "ended by SIGKILL"), ("exit 1", 1, "exit code 1")],
)
def test_program_that_fails_before_its_first_call_has_failed(
    end: str, own_code: int, said: str, run_command: Callable[..., tuple[int, str, str]]
) -> None:
    code, _, errors = run_command("validate", "--", "sh", "-c", end)
    assert (code, said in errors) == (exit_codes.PROGRAM_FAILED, True)
    assert run_command("validate", "--exit-code", "program", "--", "sh", "-c", end)[0] == own_code


def test_violations_precede_the_end_of_a_program(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    words = ("--", "sh", "-c", f"{build_program('mistakes', 'MISTAKES', 'SHORT')}; exit 1")
    for more, code in (
        ((), exit_codes.DEVIATIONS),
        (("--exit-code", "program"), exit_codes.DEVIATIONS),
        (("--party", "program"), exit_codes.PROGRAM_VIOLATIONS),
    ):
        assert run_command("validate", *more, *words)[0] == code


@pytest.mark.parametrize(
    ("end", "own_code", "said"),
    [("exit 3", 3, "exit code 3"), ("kill -KILL $$", 128 + signal.SIGKILL, "ended by SIGKILL")],
)
def test_record_command_returns_the_code_of_a_program(
    end: str,
    own_code: int,
    said: str,
    build_program: Callable[..., Path],
    run_command: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
) -> None:
    code, _, errors = run_command("record", "-o", "none.clrec", "--", "sh", "-c", end)
    assert (code, errors.startswith(f"clconform: sh: {said}; no OpenCL call was recorded: ")) == (own_code, True)
    assert not (tmp_path / "none.clrec").exists()
    program = build_program("damaged")
    code, printed, _ = run_command("record", "-o", "calls.clrec", "--", "sh", "-c", f"{program}; {end}")
    assert (code, printed) == (own_code, f"clconform: sh: {said}; its calls are in calls.clrec\n")
    assert run_command("validate", "calls.clrec")[0] == exit_codes.PROGRAM_VIOLATIONS


@pytest.mark.parametrize("kilobytes", [4, 100, 400])
def test_full_disk_is_reported_and_does_not_end_the_program(
    kilobytes: int, build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """A limit of the size of files stands for the disk: without the layer's check of it, SIGXFSZ ends the program."""
    words = ("--", "bash", "-c", f"ulimit -f {kilobytes}; {build_program('windows')} t; echo ended with $?")
    code, printed, errors = run_command("record", "-o", "calls.clrec", *words)
    assert (code, "ended with 0\n" in printed) == (0, True)
    of_the_layer, of_the_command = errors.splitlines()
    assert of_the_layer.endswith(": File too large")
    assert of_the_command.startswith("clconform: bash: its recording is incomplete: ")
    code, printed, _ = run_command("validate", "calls.clrec")
    assert code == exit_codes.INCOMPLETE
    assert " calls of an incomplete recording: the layer could not write " in printed
    assert ("judged the first 0 calls" in printed) == (kilobytes < 128)
    code, _, errors = run_command("validate", *words)
    assert (code, errors.splitlines()[1:]) == (exit_codes.INCOMPLETE, [of_the_command])
    assert (tmp_path / "calls.clrec").stat().st_size <= kilobytes * 1024


@pytest.mark.parametrize("words", [("record", "-o", "calls.clrec"), ("validate",)])
def test_missing_compiler_is_reported_in_one_line(
    words: tuple[str, ...],
    run_command: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    code, printed, said = run_command(*words, "--", sys.executable, "-c", "pass")
    assert (code, printed, said.count("\n")) == (exit_codes.BAD_USAGE, "", 1)
    assert "must be built by a C compiler, but none of cc, gcc, clang is installed" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["validate", "--", "/no/such/program"], exit_codes.BAD_USAGE, "cannot start /no/such/program"),
        (["validate", "--", "true"], exit_codes.NO_SUCH_PLATFORM, "no OpenCL call was recorded"),
        (["validate", "--suppress", "none.toml", "--", "true"], exit_codes.BAD_USAGE, "--suppress none.toml"),
        (["record", "-o", "none/calls.clrec", "--", "true"], exit_codes.BAD_USAGE, "none is not a writable folder"),
    ],
)
def test_command_that_cannot_run_its_program_is_rejected_in_one_line(
    words: list[str], code: int, said: str, run_command: Callable[..., tuple[int, str, str]]
) -> None:
    found, _, errors = run_command(*words)
    assert found == code
    assert said in errors
    assert errors.count("\n") == 1
