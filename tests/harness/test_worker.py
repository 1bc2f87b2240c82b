"""The worker program: it ends with its parent, and replays a file of calls, also under gdb."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness import HarnessError, Target, backtrace
from clconform.harness.worker import REPLAYED

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call


def test_a_worker_dies_with_a_killed_parent(fake: str) -> None:
    program = (
        "import sys, time; from clconform.harness import Target, Worker;"
        "worker = Worker(Target.driver(sys.argv[1], direct=True)); print(worker.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, fake], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


def test_a_file_of_calls_is_replayed(fake: str, made: Callable[..., Call], tmp_path: Path) -> None:
    calls = tmp_path / "calls.json"
    calls.write_bytes(msgspec.json.encode([made("clGetPlatformIDs", 1, OutputBuffer(1), None)]))
    start = Target.driver(fake, direct=True).start()
    said = subprocess.run(
        [*start.argv, "--replay", calls], env=start.environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert "clGetPlatformIDs ..." in said
    assert said.rstrip().endswith(REPLAYED)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_a_crash_is_replayed_under_gdb(fake: str, made: Callable[..., Call]) -> None:
    context = made("clCreateContext", None, 1, Items(()), None, None, OutputBuffer(1))
    crash = made("clRetainContext", Handle("context1"))
    text = backtrace.of_replay(Target.driver(fake, direct=True), [context, crash])
    assert "SIGSEGV" in text
    assert "RetainContext" in text
    assert REPLAYED not in text


def test_without_gdb_there_is_one_line(fake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(HarnessError, match="not installed"):
        backtrace.of_replay(Target.driver(fake, direct=True), [])
    with pytest.raises(HarnessError, match="no driver to debug"):
        backtrace.of_replay(Target.simulated("flat"), [])
