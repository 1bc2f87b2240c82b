"""A wait returns too early on a host thread: the run reports the deviation, and its C program reproduces it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.reports import load_result
from clconform.reports.writer import RESULT

from .. import in_process  # noqa: TID252 (tests are no part of the installed package)
from . import building
from .cases import HOST_THREADS, QUICK_SECONDS
from .runs import run_command

if TYPE_CHECKING:
    from pathlib import Path

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread")
TIMEOUT_SECONDS = 60

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")


@pytest.mark.parametrize(
    ("how", "record"),
    [("wait_returns_at_once", "clWaitForEvents/effect/1"), ("finish_returns_at_once", "clFinish/effect/1")],
)
def test_c_program_reproduces_wait_that_returns_too_early(how: str, record: str, library: Path, tmp_path: Path) -> None:
    words = [f"--driver={library}", "--direct", "--tier=tables", "--seed=1", "--minimise-seconds=5", *HOST_THREADS]
    ended = run_command(tmp_path, [*words, f"--requirement={record}"], {"HOSTILE": how}, QUICK_SECONDS)
    assert ended.code == exit_codes.DEVIATIONS, ended.output
    (found,) = load_result(ended.out / RESULT).deviations
    assert (found.requirements, found.verdict) == ([record], "deviates")
    assert "returned too early" in found.key

    source, program = tmp_path / "program.c", tmp_path / "program"
    written = in_process.run_command(tmp_path, "reproduce", f"--out={source}", str(ended.out / RESULT), found.id)
    assert written.returncode == exit_codes.AS_EXPECTED, written.stderr
    subprocess.run([building.COMPILER or "cc", *STRICT, str(source), "-o", str(program), "-ldl"], check=True)

    shown = _run_program(program, library, how)
    assert shown.returncode == 1, shown.stdout
    assert f"DEVIATION: {record}" in shown.stdout
    conforming = _run_program(program, library, "")
    assert conforming.returncode == 0, conforming.stdout
    assert "DEVIATION" not in conforming.stdout


def _run_program(program: Path, library: Path, how: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOSTILE": how}
    words = [str(program), str(library)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
