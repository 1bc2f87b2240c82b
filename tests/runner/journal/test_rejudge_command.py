"""``clconform rejudge``: its output and exit codes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.reports.packing import packed_name
from clconform.runner.gate import exit_codes
from clconform.runner.journal.every_call import CALLS
from clconform.runner.journal.rejudging import OPENING, call_lines
from clconform.runner.journal.writer import JOURNAL
from clconform.tools.cli import cli

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

MEANT = '[[change]]\nrecords = ["{}"]\nreason = "It is read otherwise now."\n'
ANOTHER = "clGetDeviceInfo/CL_INVALID_VALUE/1"


def rejudge(*words: str) -> Result:
    return CliRunner().invoke(cli, ["rejudge", *words])


@pytest.fixture
def changed(full: Path, tmp_path: Path) -> Path:
    """Return a copy of the run in which one call is evidence for another requirement."""
    shutil.copy(packed_name(full / JOURNAL), tmp_path)
    lines = list(call_lines(full / CALLS))
    place = next(n for n, line in enumerate(lines) if line.example != OPENING and line.verdict.evidence)
    lines[place].verdict.evidence.append((ANOTHER, "CL_INVALID_VALUE"))
    (tmp_path / CALLS).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return tmp_path


def test_a_judge_that_has_not_changed_says_the_same(full: Path) -> None:
    done = rejudge(str(full), str(full / JOURNAL))
    assert done.exit_code == exit_codes.AS_EXPECTED
    assert done.stdout.count(" calls: 0 changed verdicts") == len([full, full / JOURNAL])


def test_a_change_is_shown_by_function_and_record(changed: Path) -> None:
    done = rejudge(str(changed))
    assert done.exit_code == exit_codes.DEVIATIONS
    assert " calls: 1 changed verdicts" in done.stdout
    assert f": evidence of {ANOTHER}\n" in done.stdout
    assert "evidence before: [" in done.stdout
    assert "evidence now: [" in done.stdout


def test_all_of_a_call_is_shown_where_asked(changed: Path) -> None:
    assert '"arguments":' in rejudge("--verbose", str(changed)).stdout
    assert '"arguments":' not in rejudge(str(changed)).stdout


@pytest.mark.parametrize(("pattern", "code"), [("clGetDeviceInfo/*", 0), ("clCreateBuffer/*", exit_codes.DEVIATIONS)])
def test_a_change_that_is_meant_does_not_count(changed: Path, tmp_path: Path, pattern: str, code: int) -> None:
    meant = tmp_path / "meant.toml"
    meant.write_text(MEANT.format(pattern), encoding="utf-8")
    done = rejudge("--intended", str(meant), str(changed))
    assert done.exit_code == code
    assert f"{int(not code)} more as intended" in done.stdout


@pytest.mark.parametrize(
    "text", ["[[change]]\n", "change = 1", "[[change]]\nrecords = []\nreason = ''\nmore = 1\n", "["]
)
def test_a_list_that_makes_no_sense_is_refused(full: Path, tmp_path: Path, text: str) -> None:
    meant = tmp_path / "meant.toml"
    meant.write_text(text, encoding="utf-8")
    done = rejudge("--intended", str(meant), str(full))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert f"{meant}: not a list of intended changes" in done.stderr


def test_a_run_that_did_not_keep_its_calls_is_told_how(full: Path, tmp_path: Path) -> None:
    shutil.copy(packed_name(full / JOURNAL), tmp_path)
    done = rejudge(str(tmp_path))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert "clconform run --journal full" in done.stderr


def test_no_journal_at_all_is_named(tmp_path: Path) -> None:
    done = rejudge(str(tmp_path / "nothing"))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert str(tmp_path / "nothing") in done.stderr
