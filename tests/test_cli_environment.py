"""A shortage of machine resources ends a run with one line, exit code 7 and a valid journal. It is never a deviation.

A closed or full standard output does not end a run: it keeps its exit code and writes all files.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Self

import pytest

from clconform.calls import exit_codes
from clconform.calls.journal import RunEnd
from clconform.reports.journal_reader import journal_bytes
from clconform.reports.writer import REPORTS
from clconform.runner.journal.writer import JournalWriteError, JournalWriter

from . import forked_runs, in_process

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = (
    *("run", "--simulated", "flat-4", "--tier", "tables", "--seed", "7"),
    *("--requirement", "clCreateSubDevices/CL_INVALID_VALUE/*", "partition.create_sub_devices", "--out"),
)
RUN_COMMAND = (sys.executable, "-m", "clconform.tools", *WORDS)
LimitedRun = tuple[subprocess.CompletedProcess[str], Path]
KIB = 1 << 10
FILE_SIZE, OPEN_FILES = resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE


class Shortage(NamedTuple):
    """A limit, further arguments, the expected text on stderr, and whether a journal is expected."""

    limit: tuple[int, int]
    words: tuple[str, ...]
    said: str
    journal: bool


JOURNAL_SHORTAGE = "the journal cannot go on"
SHORTAGES = {
    "few open files": Shortage((OPEN_FILES, 64), (), "only 64 files may be open", journal=False),
    "no place for temporary files": Shortage((FILE_SIZE, 0), (), "no folder for temporary files", journal=False),
    "the journal cannot begin": Shortage((FILE_SIZE, 8 * KIB), (), "journal.jsonl (File too large)", journal=True),
    JOURNAL_SHORTAGE: Shortage((FILE_SIZE, 0), (), "journal.jsonl (File too large)", journal=True),
    "the same, in two processes": Shortage((FILE_SIZE, 0), ("-n", "2"), "journal.jsonl (File too large)", journal=True),
    "the reports cannot be written": Shortage(
        (FILE_SIZE, 0), (), "cannot write the report: File too large", journal=True
    ),
}


def run_limited(folder: Path, limit: tuple[int, int] | None, *words: str) -> subprocess.CompletedProcess[str]:
    return forked_runs.run(folder.parent, *WORDS, str(folder), *words, limit=limit)


@dataclass(frozen=True)
class EndedRun:
    """The result of a run: its exit code, its text on stderr, and its output folder."""

    code: int
    said: str
    out: Path

    @classmethod
    def run_with_output(cls, folder: Path, output: BinaryIO, *, closing: Callable[[], object] = lambda: None) -> Self:
        """Start a run with this standard output, close the output here, call ``closing``, and return the ended run."""
        with output, (folder / "said").open("wb") as said:
            process = forked_runs.ForkedRun(folder, *WORDS, str(folder / "out"), stdout=output, stderr=said)
        try:
            closing()
            code = process.wait(120)
        finally:
            process.kill()
        return cls(code, (folder / "said").read_text(encoding="ascii"), folder / "out")

    def assert_complete(self, said: str) -> None:
        """Assert the exit code and the files of a complete run. Its stderr must be one line with ``said``, or empty."""
        assert self.code == exit_codes.AS_EXPECTED, self.said
        assert said in self.said
        assert len(self.said.splitlines()) == bool(said)
        assert {path.name for path in self.out.iterdir()} == {"journal.jsonl.gz", *REPORTS}


@pytest.fixture(scope="module")
def unlimited_run(tmp_path_factory: pytest.TempPathFactory) -> EndedRun:
    """Return a run without resource limits whose standard output is full."""
    return EndedRun.run_with_output(tmp_path_factory.mktemp("whole"), Path("/dev/full").open("wb"))


@pytest.fixture(scope="module")
def sizes(unlimited_run: EndedRun) -> dict[str, int]:
    """Return the size of an unlimited run's journal, and the position of its first item."""
    assert unlimited_run.code == exit_codes.AS_EXPECTED, unlimited_run.said
    journal = journal_bytes(unlimited_run.out / "journal.jsonl")
    return {"journal.jsonl": len(journal), "opening": journal.index(b'{"line":"first-seen"')}


@pytest.fixture(scope="module")
def half_limited_run(sizes: dict[str, int], tmp_path_factory: pytest.TempPathFactory) -> LimitedRun:
    """Return a run with space for half of its journal after the header, and its folder."""
    folder = tmp_path_factory.mktemp("halfway") / "out"
    return run_limited(folder, (FILE_SIZE, (sizes["opening"] + sizes["journal.jsonl"]) // 2)), folder


@pytest.mark.parametrize("name", SHORTAGES)
def test_run_without_resources_prints_one_line_and_keeps_a_valid_journal(
    name: str, sizes: dict[str, int], half_limited_run: LimitedRun, tmp_path: Path
) -> None:
    (kind, value), words, said, has_journal = SHORTAGES[name]
    if not value and has_journal:  # this limit is known only after a complete run
        last = sizes["journal.jsonl"]
        value = last + KIB if "reports" in name else (sizes["opening"] + last) // 2
    done, out = half_limited_run
    if name != JOURNAL_SHORTAGE:
        done, out = run_limited(tmp_path / "out", (kind, value), *words), tmp_path / "out"
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) <= 2
    journal = out / "journal.jsonl"
    assert journal.exists() == has_journal
    if has_journal:
        content = journal.read_bytes()
        assert content.endswith(b"\n")
        kinds = [json.loads(line)["line"] for line in content.splitlines()]
        assert kinds[0] == "run"
        if not words:  # with several processes, one may still have space for a short line
            assert (kinds[-1] == "end") == ("reports" in name)
    assert not list(out.glob("*.unfinished"))


def test_run_that_ran_out_of_disk_space_can_be_resumed(half_limited_run: LimitedRun, tmp_path: Path) -> None:
    done, out = half_limited_run
    assert done.returncode == exit_codes.NO_RESOURCES
    shutil.copytree(out, tmp_path / "out")
    again = in_process.run_command(tmp_path, "run", "--resume", str(tmp_path / "out"))
    assert again.returncode == exit_codes.AS_EXPECTED, again.stderr
    told = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["run"]
    assert (told["gaps"], told["items"]) == ([], told["planned"])


def test_run_with_full_standard_output_completes(unlimited_run: EndedRun) -> None:
    unlimited_run.assert_complete("standard output cannot be written (No space left on device)")


def test_run_completes_after_the_reader_of_its_output_closes(tmp_path: Path) -> None:
    """The reader closes after one line, as ``head -n 1`` does."""
    read, written = os.pipe()
    with os.fdopen(read, "rb") as lines:
        seen: list[bytes] = []

        def close_after_one_line() -> None:
            seen.append(lines.readline())
            lines.close()

        EndedRun.run_with_output(tmp_path, os.fdopen(written, "wb"), closing=close_after_one_line).assert_complete("")
    assert seen[0].startswith(b"clconform: testing ")


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ('"$@" >&-', "standard output cannot be written"),
        ('"$@" >&- 2>&- <&-', ""),
        ('PYTHONIOENCODING=ascii "$@"', ""),
        ('LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 "$@"', ""),
    ],
)
def test_run_with_closed_or_ascii_output_completes(shell: str, said: str, tmp_path: Path) -> None:
    command = ["bash", "-c", shell, "bash", *RUN_COMMAND, str(tmp_path / "out")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    EndedRun(done.returncode, done.stderr.decode("ascii"), tmp_path / "out").assert_complete(said)


def test_exit_code_is_kept_if_the_reader_of_the_output_has_ended(tmp_path: Path) -> None:
    """A broken pipe must not replace the command's exit code."""
    command = f"{sys.executable} -m clconform.tools report /nowhere | true; exit ${{PIPESTATUS[0]}}"
    shell = ("bash", "-c", command)
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert done.returncode == exit_codes.BAD_USAGE


def test_journal_writer_writes_nothing_after_a_failed_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second line fails halfway: it is removed, and the third line is not attempted."""
    writer = JournalWriter(tmp_path / "journal.jsonl", keep=0)
    writer.write(RunEnd("a", 1.0))
    good = writer.path.read_bytes()
    whole, calls = os.write, []

    def write(descriptor: int, content: bytes) -> int:
        calls.append(content)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return whole(descriptor, content[:10])

    monkeypatch.setattr(os, "write", write)
    for _ in range(2):
        with pytest.raises(JournalWriteError, match=r"No space left on device.*--resume"):
            writer.write(RunEnd("b", 2.0))
    assert len(calls) == 2
    writer.close()
    assert writer.path.read_bytes() == good
