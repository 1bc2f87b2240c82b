"""Processes that drivers stop, or leave behind without a reaper: they are recognised, continued and ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clconform.harness import fork_server
from clconform.harness.children import continue_process, has_lost_main_thread, is_stopped

SLEEP = shutil.which("sleep") or "/bin/sleep"
LEAVING = """
import os, signal, subprocess, sys, time
from clconform.harness.orphans import end_orphans
before = subprocess.Popen(["sleep", "100"])
with end_orphans():
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
                if sys.argv[2] == "stopped":
                    os.kill(os.getpid(), signal.SIGSTOP)
                time.sleep(100)
            os._exit(0)
    time.sleep(0.5)
print(before.poll(), flush=True)
before.kill()
before.wait()
"""
ENDING_MAIN_THREAD = """
import ctypes, threading, time
threading.Thread(target=lambda: time.sleep(100)).start()
print("ready", flush=True)
ctypes.CDLL(None).syscall(60, 0)
"""


def running_with(mark: str) -> list[int]:
    """Return the ids of the processes with a mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(("count", "how"), [(1, "running"), (33, "running"), (3, "stopped")])
def test_orphans_of_a_command_end_with_it_and_other_children_stay(count: int, how: str) -> None:
    mark = f"ORPHANS_OF={os.getpid()}-{count}-{how}"
    name, _, value = mark.partition("=")
    ended = subprocess.run(
        [sys.executable, "-c", LEAVING, str(count), how],
        env={**os.environ, name: value},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=100,
    )
    assert ended.stdout == "None\n"
    assert running_with(mark) == []


def test_stopped_process_is_recognised_and_continued() -> None:
    with subprocess.Popen([SLEEP, "100"]) as process:
        assert not is_stopped(process.pid)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        assert is_stopped(process.pid)
        continue_process(process.pid)
        os.waitid(os.P_PID, process.pid, os.WCONTINUED)
        assert not is_stopped(process.pid)
        process.kill()
    assert not is_stopped(process.pid)
    continue_process(process.pid)


@pytest.mark.skipif(fork_server.platform.machine() != "x86_64", reason="the number of a system call")
def test_process_without_main_thread_is_recognised_and_a_zombie_is_not() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDING_MAIN_THREAD], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        until = time.monotonic() + 20
        while not has_lost_main_thread(process.pid) and time.monotonic() < until:
            time.sleep(0.01)
        assert has_lost_main_thread(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not has_lost_main_thread(process.pid)
    assert not has_lost_main_thread(os.getpid())
