"""``clconform dev rejudge``: its output and exit codes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.reports.compression import packed_path
from clconform.runner.journal.full_log import CALLS_FILE
from clconform.runner.journal.rejudging import OPENING_EXAMPLE, read_call_lines
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.tools.cli import cli

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

INTENDED_CHANGE = '[[change]]\nrequirements = ["{}"]\nreason = "It is read otherwise now."\n'
OTHER_CLAUSE = "clGetDeviceInfo/CL_INVALID_VALUE/1"


def rejudge(*words: str) -> Result:
    return CliRunner().invoke(cli, ["dev", "rejudge", *words])


@pytest.fixture
def changed_journal(full_journal: Path, tmp_path: Path) -> Path:
    """Return the folder of a copy of the run in which one call has evidence for an additional requirement."""
    shutil.copy(packed_path(full_journal / JOURNAL_FILE), tmp_path)
    lines = list(read_call_lines(full_journal / CALLS_FILE))
    place = next(n for n, line in enumerate(lines) if line.example != OPENING_EXAMPLE and line.verdict.evidence)
    lines[place].verdict.evidence.append((OTHER_CLAUSE, "CL_INVALID_VALUE"))
    (tmp_path / CALLS_FILE).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return tmp_path


def test_rejudge_of_unchanged_run_reports_0_changed_verdicts(full_journal: Path) -> None:
    done = rejudge(str(full_journal), str(full_journal / JOURNAL_FILE))
    assert done.exit_code == exit_codes.AS_EXPECTED
    assert done.stdout.count(" calls: 0 changed verdicts") == len([full_journal, full_journal / JOURNAL_FILE])


def test_changed_verdict_is_listed_with_requirement_and_evidence(changed_journal: Path) -> None:
    done = rejudge(str(changed_journal))
    assert done.exit_code == exit_codes.DEVIATIONS
    assert " calls: 1 changed verdicts" in done.stdout
    assert f": evidence of {OTHER_CLAUSE}\n" in done.stdout
    assert "evidence before: [" in done.stdout
    assert "evidence now: [" in done.stdout


def test_verbose_option_shows_arguments_of_changed_calls(changed_journal: Path) -> None:
    assert '"arguments":' in rejudge("--verbose", str(changed_journal)).stdout
    assert '"arguments":' not in rejudge(str(changed_journal)).stdout


@pytest.mark.parametrize(("pattern", "code"), [("clGetDeviceInfo/*", 0), ("clCreateBuffer/*", exit_codes.DEVIATIONS)])
def test_intended_change_is_not_counted_as_changed_verdict(
    changed_journal: Path, tmp_path: Path, pattern: str, code: int
) -> None:
    meant = tmp_path / "meant.toml"
    meant.write_text(INTENDED_CHANGE.format(pattern), encoding="utf-8")
    done = rejudge("--intended", str(meant), str(changed_journal))
    assert done.exit_code == code
    assert f"{int(not code)} more as intended" in done.stdout


@pytest.mark.parametrize(
    "text", ["[[change]]\n", "change = 1", "[[change]]\nrequirements = []\nreason = ''\nmore = 1\n", "["]
)
def test_invalid_list_of_intended_changes_is_rejected(full_journal: Path, tmp_path: Path, text: str) -> None:
    meant = tmp_path / "meant.toml"
    meant.write_text(text, encoding="utf-8")
    done = rejudge("--intended", str(meant), str(full_journal))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert f"{meant}: not a list of intended changes" in done.stderr


def test_rejudge_of_run_without_calls_names_the_journal_option(full_journal: Path, tmp_path: Path) -> None:
    shutil.copy(packed_path(full_journal / JOURNAL_FILE), tmp_path)
    done = rejudge(str(tmp_path))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert "clconform run --journal full" in done.stderr


def test_rejudge_of_missing_journal_is_bad_usage(tmp_path: Path) -> None:
    done = rejudge(str(tmp_path / "nothing"))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert str(tmp_path / "nothing") in done.stderr
