"""All processes of a killed session end with the session, even if it is killed while it starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

START_PROGRAM = (
    "from clconform.harness import Target, Worker; print('starting', flush=True); "
    "worker = Worker(Target.simulated('flat-4')); print('started', flush=True); input()"
)


PATIENCE_SECONDS = 100
"""Maximum wait for the end of all processes: a started process ends only after its imports, slow under load."""


def _processes_with_mark(mark: str) -> dict[int, str]:
    """Map the ids of the processes whose environment contains a mark to their states and command lines."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    state = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found[int(entry.name)] = f"{' '.join(state.split()[:2])} {command}"
            except OSError:
                continue
    return found


def _remaining_processes(mark: str) -> dict[int, str]:
    """Return ``_processes_with_mark``; search twice, because a process has no environment during ``exec``."""
    found = _processes_with_mark(mark)
    if not found:
        time.sleep(0.1)
        found = _processes_with_mark(mark)
    return found


@pytest.mark.parametrize("milliseconds", [0, 20, 60, 120, 200, 300, -1], ids=lambda value: f"after-{value}")
def test_processes_of_killed_session_end(milliseconds: int) -> None:
    """In some cases, the driver's process is still starting and has not yet requested the death signal."""
    mark = f"SESSION_TO_KILL={os.getpid()}-{milliseconds}-{time.monotonic_ns()}"
    name, _, value = mark.partition("=")
    with subprocess.Popen(
        [sys.executable, "-c", START_PROGRAM],
        env={**os.environ, name: value},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as session:
        assert session.stdout is not None
        session.stdout.readline()
        if milliseconds < 0:
            session.stdout.readline()
        time.sleep(max(0, milliseconds) / 1000)
        session.send_signal(signal.SIGKILL)
    until = time.monotonic() + PATIENCE_SECONDS
    left = _remaining_processes(mark)
    while left and time.monotonic() < until:
        time.sleep(0.05)
        left = _remaining_processes(mark)
    assert left == {}
