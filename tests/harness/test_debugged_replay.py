"""Calls are repeated under gdb, and the transcript contains their outcomes and the backtraces."""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import HarnessError, Target
from clconform.harness.debugged_replay import REPLAYED, replay_backtrace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.call import Call


needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")


@needs_gdb
def test_crash_is_replayed_under_gdb(fake_driver: str, create_call: Callable[..., Call]) -> None:
    context = create_call("clCreateContext", None, 1, ElementList(()), None, None, OutputBuffer(1))
    crash = create_call("clRetainContext", Handle("context1"))
    text = replay_backtrace(Target.driver(fake_driver, direct=True), [context, crash])
    assert "SIGSEGV" in text
    assert "RetainContext" in text
    assert "printed by the driver" in text
    assert REPLAYED not in text


@needs_gdb
def test_replay_lists_calls_with_outcomes_up_to_the_end(fake_driver: str, create_call: Callable[..., Call]) -> None:
    """A call that is rejected does not end the replay."""
    units = create_call("clGetDeviceInfo", Handle("device1"), 0x1002, 4, OutputBuffer(4), None)
    rejected = create_call("clRetainContext", Handle("context9"))
    text = replay_backtrace(Target.driver(fake_driver, direct=True), [units, rejected, units])
    assert text.count("clGetDeviceInfo ...\n  Returned(") == 2
    assert "no live object 'context9'" in text
    assert REPLAYED in text


@needs_gdb
def test_hanging_calls_are_ended_with_an_error(
    fake_driver: str, create_call: Callable[..., Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    monkeypatch.setenv("FAKE_CHILD", str(child))
    hang = create_call("clReleaseDevice", Handle("device1"))
    with pytest.raises(HarnessError, match="the sequence may hang"):
        replay_backtrace(Target.driver(fake_driver, direct=True), [hang], seconds=5)
    os.kill(int(child.read_text(encoding="ascii")), signal.SIGKILL)  # a command adopts and ends it (harness/orphans.py)


def test_replay_without_gdb_or_driver_is_rejected(fake_driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(HarnessError, match="not installed"):
        replay_backtrace(Target.driver(fake_driver, direct=True), [])
    with pytest.raises(HarnessError, match="no driver to debug"):
        replay_backtrace(Target.simulated("flat"), [])
