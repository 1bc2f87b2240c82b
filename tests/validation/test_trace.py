"""The ``trace`` command: all calls of a recording with their origins, and the reasons of those that are not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.tools.cli import cli

from .cases.case_table import build_case, read_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASE = next(case for case in read_cases() if case.name == "mapped_argument-READING-CONDITION")


def trace(*words: object) -> tuple[int, list[str]]:
    done = CliRunner().invoke(cli, ["trace", *map(str, words)])
    return done.exit_code, done.output.splitlines()


def test_trace_lists_each_call_with_its_place(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]], tmp_path: Path
) -> None:
    del build_program  # requested only so that the test is skipped without a compiler
    path, _ = record_program(build_case(CASE, tmp_path))
    code, lines = trace(path)
    assert code == exit_codes.AS_EXPECTED
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    (launch,) = (line for line in lines if "clEnqueueNDRangeKernel(" in line)
    assert "mapped_argument.c:" in launch
    assert "thread " in launch
    assert "[not judged: " in launch
    assert trace(path, "--grep", "not judged") == (exit_codes.AS_EXPECTED, [launch])


def test_invalid_pattern_and_file_are_bad_usage(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no recording", encoding="utf-8")
    code, lines = trace(tmp_path / "text", "--grep", "(")
    assert (code, lines[0].startswith("clconform: --grep (: ")) == (exit_codes.BAD_USAGE, True)
    code, lines = trace(tmp_path / "text")
    assert code == exit_codes.BAD_USAGE
    assert "text" in lines[0]
