"""What the machine lacks is neither our bug nor the driver's fault: one line, exit code 7, and a good journal.

Standard output that takes no more ends nothing: the run has its own exit code and all of its files.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.journal import RunEnd
from clconform.reports.reading import journal_bytes
from clconform.reports.writing import REPORTS
from clconform.runner.gate import exit_codes
from clconform.runner.journal.writer import JournalWriteError, JournalWriter

from . import forked, in_process

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (
    *("run", "--simulated", "flat-4", "--tier", "tables", "--seed", "7"),
    *("--record", "clCreateSubDevices/CL_INVALID_VALUE/*", "partition.create_sub_devices", "--out"),
)
RUN = (sys.executable, "-m", "clconform.tools", *WORDS)
KIB = 1 << 10
FILE_SIZE, OPEN_FILES = resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE


class Short(NamedTuple):
    """A limit, further words of the command, what the line on stderr says, and whether a journal is expected."""

    limit: tuple[int, int]
    words: tuple[str, ...]
    said: str
    journal: bool


SHORT = {
    "few open files": Short((OPEN_FILES, 64), (), "only 64 files may be open", journal=False),
    "no place for temporary files": Short((FILE_SIZE, 0), (), "no folder for temporary files", journal=False),
    "the journal cannot begin": Short((FILE_SIZE, 8 * KIB), (), "journal.jsonl (File too large)", journal=True),
    "the journal cannot go on": Short((FILE_SIZE, 0), (), "journal.jsonl (File too large)", journal=True),
    "the same, in two processes": Short((FILE_SIZE, 0), ("-n", "2"), "journal.jsonl (File too large)", journal=True),
    "the reports cannot be written": Short((FILE_SIZE, 0), (), "cannot write the report: File too large", journal=True),
}


def run(folder: Path, limit: tuple[int, int] | None, *words: str) -> subprocess.CompletedProcess[str]:
    return forked.run(folder.parent, *WORDS, str(folder), *words, limit=limit)


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Return how large the files of an unlimited run are, and where in its journal the first item begins."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    done = run(folder, None)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stderr
    journal = journal_bytes(folder / "journal.jsonl")
    return {"journal.jsonl": len(journal), "opening": journal.index(b'{"line":"first-seen"')}


@pytest.mark.parametrize("name", SHORT)
def test_one_line_a_code_and_a_good_journal(name: str, sizes: dict[str, int], tmp_path: Path) -> None:
    (kind, value), words, said, has_journal = SHORT[name]
    if not value and has_journal:  # a limit that only a whole run tells
        last = sizes["journal.jsonl"]
        value = last + KIB if "reports" in name else (sizes["opening"] + last) // 2
    done = run(tmp_path / "out", (kind, value), *words)
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) <= 2
    journal = tmp_path / "out" / "journal.jsonl"
    assert journal.exists() == has_journal
    if has_journal:
        content = journal.read_bytes()
        assert content.endswith(b"\n")
        kinds = [json.loads(line)["line"] for line in content.splitlines()]
        assert kinds[0] == "run"
        if not words:  # of several processes, one may still have space for a short line
            assert (kinds[-1] == "end") == ("reports" in name)
    assert not list((tmp_path / "out").glob("*.unfinished"))


def test_a_run_out_of_space_is_resumed(sizes: dict[str, int], tmp_path: Path) -> None:
    half = (sizes["opening"] + sizes["journal.jsonl"]) // 2
    assert run(tmp_path / "out", (FILE_SIZE, half)).returncode == exit_codes.NO_RESOURCES
    again = in_process.call(tmp_path, "run", "--resume", str(tmp_path / "out"))
    assert again.returncode == exit_codes.AS_EXPECTED, again.stderr
    told = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["run"]
    assert (told["gaps"], told["items"]) == ([], told["planned"])


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ('"$@" >&-', "standard output cannot be written"),
        ('"$@" >/dev/full', "standard output cannot be written (No space left on device)"),
        ('"$@" >&- 2>&- <&-', ""),
        ('"$@" | head -n 1; exit ${PIPESTATUS[0]}', ""),
        ('PYTHONIOENCODING=ascii "$@"', ""),
        ('LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 "$@"', ""),
    ],
)
def test_output_that_takes_no_more_ends_nothing(shell: str, said: str, tmp_path: Path) -> None:
    command = ["bash", "-c", shell, "bash", *RUN, str(tmp_path / "out")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stderr
    assert said in done.stderr.decode("ascii")
    assert len(done.stderr.splitlines()) == bool(said)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"journal.jsonl.gz", *REPORTS}


def test_a_verdict_survives_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    """The code of a command is its own, not that of a broken pipe."""
    command = f"{sys.executable} -m clconform.tools report /nowhere | true; exit ${{PIPESTATUS[0]}}"
    shell = ("bash", "-c", command)
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert done.returncode == exit_codes.BAD_USAGE


def test_a_writer_that_has_failed_writes_no_later_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second line fails after half of it: it is taken back, and the third one is not even tried."""
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
