"""The simulated platform's process ends with its parent or its session."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from clconform.harness import Target, Worker

PARENT = """
import sys, time
from clconform.harness import Target, Worker
worker = Worker(Target.simulated("flat-4"))
print(worker.pid, flush=True)
time.sleep(600)
"""


def is_over(pid: int) -> bool:
    """Return whether a process has ended; a zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def ends(pid: int, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_over(pid):
            return True
        time.sleep(0.02)
    return False


def test_it_dies_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        try:
            assert not is_over(pid)
            parent.send_signal(signal.SIGKILL)
            assert ends(pid)
        finally:
            parent.kill()
            if not is_over(pid):
                os.kill(pid, signal.SIGKILL)


def test_it_ends_when_the_session_closes_its_pipe() -> None:
    worker = Worker(Target.simulated("flat-4"))
    assert not is_over(worker.pid)
    worker.close()
    assert is_over(worker.pid)
