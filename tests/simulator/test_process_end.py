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


def has_ended(pid: int) -> bool:
    """Return whether a process has ended. A zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def ends_within(pid: int, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if has_ended(pid):
            return True
        time.sleep(0.02)
    return False


def test_simulator_process_ends_after_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        try:
            assert not has_ended(pid)
            parent.send_signal(signal.SIGKILL)
            assert ends_within(pid)
        finally:
            parent.kill()
            if not has_ended(pid):
                os.kill(pid, signal.SIGKILL)


def test_simulator_process_ends_after_its_session_is_closed() -> None:
    worker = Worker(Target.simulated("flat-4"))
    assert not has_ended(worker.pid)
    worker.close()
    assert has_ended(worker.pid)
