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

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import HarnessError, Target, backtrace
from clconform.harness.worker import REPLAYED

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call


def test_worker_dies_with_killed_parent(fake_driver: str) -> None:
    program = (
        "import sys, time; from clconform.harness import Target, Worker;"
        "worker = Worker(Target.driver(sys.argv[1], direct=True)); print(worker.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, fake_driver], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError):
            return
        if "\nState:\tZ" in status:
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


def test_replay_option_makes_the_calls_of_a_file(
    fake_driver: str, create_call: Callable[..., Call], tmp_path: Path
) -> None:
    calls = tmp_path / "calls.json"
    calls.write_bytes(msgspec.json.encode([create_call("clGetPlatformIDs", 1, OutputBuffer(1), None)]))
    start = Target.driver(fake_driver, direct=True).worker_command()
    said = subprocess.run(
        [*start.argv, "--replay", calls], env=start.environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert "clGetPlatformIDs ..." in said
    assert said.rstrip().endswith(REPLAYED)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_crash_is_replayed_under_gdb(fake_driver: str, create_call: Callable[..., Call]) -> None:
    context = create_call("clCreateContext", None, 1, ElementList(()), None, None, OutputBuffer(1))
    crash = create_call("clRetainContext", Handle("context1"))
    text = backtrace.replay_backtrace(Target.driver(fake_driver, direct=True), [context, crash])
    assert "SIGSEGV" in text
    assert "RetainContext" in text
    assert REPLAYED not in text


def test_backtrace_without_gdb_or_driver_is_rejected(fake_driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(HarnessError, match="not installed"):
        backtrace.replay_backtrace(Target.driver(fake_driver, direct=True), [])
    with pytest.raises(HarnessError, match="no driver to debug"):
        backtrace.replay_backtrace(Target.simulated("flat"), [])
