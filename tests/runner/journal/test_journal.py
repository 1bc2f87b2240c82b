"""The journal writer: lines of any number of processes are complete, and survive the death of their writer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import ItemEnd
from clconform.calls.line_kinds import JournalLine
from clconform.runner.journal.writer import JournalWriter

if TYPE_CHECKING:
    from pathlib import Path

WRITER = """
import sys
from pathlib import Path
from clconform.calls.journal import ItemEnd
from clconform.runner.journal.writer import JournalWriter
writer = JournalWriter(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(200):
    writer.write(ItemEnd(f"{sys.argv[2]}/{number}", "passed", 0.0, 0, {}, {}, "x" * (number * 97 % 9000)))
print("written", flush=True)
sys.stdin.readline()
"""


def start_writer(path: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def write_line_to(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def read_line_from(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def read_lines(path: Path) -> list[JournalLine]:
    decode = msgspec.json.Decoder(JournalLine).decode
    return [decode(line) for line in path.read_bytes().splitlines()]


def test_several_processes_append_complete_journal_lines(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    processes = [start_writer(path, name) for name in ("a", "b", "c")]
    assert [read_line_from(process) for process in processes] == ["ready"] * 3
    for process in processes:
        write_line_to(process)
    assert [read_line_from(process) for process in processes] == ["written"] * 3
    for process in processes:
        process.communicate("go\n", timeout=20)
    written = [line.item for line in read_lines(path) if isinstance(line, ItemEnd)]
    assert len(written) == 600
    for name in ("a", "b", "c"):
        assert [item for item in written if item.startswith(name)] == [f"{name}/{number}" for number in range(200)]


def test_written_journal_lines_survive_kill_of_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with start_writer(path, "a") as process:
        assert read_line_from(process) == "ready"
        write_line_to(process)
        assert read_line_from(process) == "written"
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
    assert len(read_lines(path)) == 200


def test_existing_journal_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    for name in ("one", "two"):
        writer = JournalWriter(path)
        writer.write(ItemEnd(name, "passed", 0.0, 0, {}))
        writer.close()
    assert [line.item for line in read_lines(path) if isinstance(line, ItemEnd)] == ["one", "two"]


def test_journal_in_missing_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        JournalWriter(tmp_path / "no such folder" / "journal.jsonl")
