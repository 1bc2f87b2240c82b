"""A smoke test in two processes follows deviations up while its items run, and finds what one process finds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from clconform.runner.gate import exit_codes

WORDS = ("run", "--simulated", "flat-4", "--fault", "remainder-makes-one-more", "--tier", "smoke", "--seed", "7")


def started(folder: Path, processes: str, *words: str) -> subprocess.Popen[str]:
    temporary = folder / f"temporary-{processes}"
    temporary.mkdir()
    signals = "--default-signal=INT,TERM,HUP"  # a background shell has some of them ignored
    given = (*WORDS, "-n", processes, "--out", f"out-{processes}", *words)
    command = ["env", signals, sys.executable, "-m", "clconform.tools", *given]
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def found(folder: Path, processes: str) -> list[Any]:
    done = started(folder, processes, "--record", "clCreateSubDevices/*", "--record", "CL_DEVICE_PARTITION_EQUALLY")
    said, _ = done.communicate(timeout=300)
    assert done.returncode == exit_codes.DEVIATIONS, said
    assert list((folder / f"temporary-{processes}").iterdir()) == []
    told = json.loads((folder / f"out-{processes}" / "result.json").read_text(encoding="utf-8"))["deviations"]
    assert told
    names = ("id", "key", "verdict", "repeated", "attempts", "note", "observed", "sequence")
    return [{name: each[name] for name in names} for each in sorted(told, key=lambda each: str(each["id"]))]


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    several, one = found(tmp_path, "2"), found(tmp_path, "0")
    assert several == one
    assert {(each["repeated"], each["attempts"]) for each in one} == {(1, 1)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_smoke_test_that_is_stopped_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    run = started(tmp_path, "2")
    journal, until = tmp_path / "out-2" / "journal.jsonl", time.monotonic() + 120
    while not (journal.exists() and b'{"line":"deviation"' in journal.read_bytes()) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(1)  # it is being followed up
    run.send_signal(number)
    said, _ = run.communicate(timeout=60)
    assert run.returncode == 128 + number, said
    assert "Traceback" not in said
    assert list((tmp_path / "temporary-2").iterdir()) == []
    told = json.loads((tmp_path / "out-2" / "result.json").read_text(encoding="utf-8"))
    assert told["run"]["interrupted"]
    place = str(tmp_path).encode()
    assert not any(place in environment for environment in environments())


def environments() -> list[bytes]:
    """Return the environment of each process that may be read."""
    read = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            read.append(path.read_bytes())
    return read
