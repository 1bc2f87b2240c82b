"""Processes of a run serialise slow creations and releases of contexts, and do not wait forever."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Hung
from clconform.calls.values import Handle
from clconform.harness import Deadlines, Target, Worker, cache_dirs, context_lock, slow_calls
from clconform.harness.context_lock import hold_context_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.values import Value


@pytest.fixture(autouse=True)
def _slow_contexts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let calls that create or release contexts count as slow in this process."""
    monkeypatch.setattr(context_lock, "SLOW_CALL_SECONDS", 0.0)
    with hold_context_lock():
        pass
    yield
    context_lock._is_slow.clear()


def _can_start_meanwhile() -> bool:
    """Return whether a call can start while another one holds the lock."""
    began = threading.Event()

    def begin() -> None:
        with hold_context_lock():
            began.set()

    thread = threading.Thread(target=begin)
    with hold_context_lock():
        thread.start()
        meanwhile = began.wait(0.2)
    thread.join()
    assert began.is_set(), "it begins afterwards"
    return meanwhile


def test_slow_context_calls_are_serialised() -> None:
    assert not _can_start_meanwhile()


@pytest.mark.parametrize(("function", "waits"), [("clReleaseContext", True), ("clGetPlatformIDs", False)])
def test_only_context_functions_wait_for_the_context_lock(fake_driver: str, function: str, *, waits: bool) -> None:
    arguments: dict[str, Value] = {"context": None}
    if not waits:
        arguments = {"num_entries": 1, "platforms": None, "num_platforms": None}
    with Worker(Target.driver(fake_driver, direct=True)) as running:
        thread = threading.Thread(target=running.call, args=(Call(function, arguments),))
        with hold_context_lock():
            thread.start()
            thread.join(0.3)
            assert thread.is_alive() == waits
        thread.join()


def test_context_calls_do_not_wait_after_a_fast_call(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as quick:
        quick.setattr(context_lock, "SLOW_CALL_SECONDS", 60.0)
        with hold_context_lock():
            pass
        assert _can_start_meanwhile()
    with hold_context_lock():
        pass
    assert not _can_start_meanwhile(), "this one took long again"


def test_context_lock_is_released_after_exception_in_its_with_block() -> None:
    with pytest.raises(KeyError), hold_context_lock():
        raise KeyError
    assert not _can_start_meanwhile()


def test_wait_for_one_long_holder_of_the_context_lock_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    began, again = threading.Event(), threading.Event()

    def begin_twice() -> None:
        with hold_context_lock():
            began.set()
        monkeypatch.setattr(context_lock, "MAX_WAIT_SECONDS", 60.0)
        with hold_context_lock():
            again.set()

    monkeypatch.setattr(context_lock, "MAX_WAIT_SECONDS", 0.05)
    thread = threading.Thread(target=begin_twice)
    with hold_context_lock():
        thread.start()
        assert began.wait(10)
        assert again.wait(10), "the same turn is not waited for once more"
    thread.join()
    assert not _can_start_meanwhile(), "another turn is"


def test_wait_for_successive_holders_of_the_context_lock_is_not_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 32 processes that take 0.4 s each, a process waits longer than the limit for a single holder."""
    monkeypatch.setattr(context_lock, "MAX_WAIT_SECONDS", 0.5)
    passed = threading.Event()

    def begin() -> None:
        with hold_context_lock():
            passed.set()

    path = cache_dirs.shared_folder() / "contexts"
    thread = threading.Thread(target=begin)
    with path.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        thread.start()
        for number in range(8):  # eight successive holders, without a gap between them
            os.pwrite(held.fileno(), bytes([number]) * 16, 0)
            assert not passed.wait(0.2)
    thread.join()
    assert passed.is_set()


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_release_call_gets_more_time_while_context_lock_is_held(fake_driver: str, seconds: float) -> None:
    """The release may destroy a context, and the driver may serialise the releases of contexts by all processes."""
    taken = threading.Event()

    def hold() -> None:
        with hold_context_lock():
            taken.set()
            time.sleep(seconds)

    thread = threading.Thread(target=hold)
    with Worker(Target.driver(fake_driver, direct=True), deadlines=Deadlines(others=0.2)) as worker:
        thread.start()
        assert taken.wait(10)
        began = time.monotonic()
        assert isinstance(worker.call(Call("clReleaseDevice", {"device": Handle("device1")})), Hung)
        took = time.monotonic() - began
    thread.join()
    assert took >= seconds / 2


def test_release_call_counts_as_hang_if_context_lock_is_held_too_long(
    fake_driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_calls, "MAX_WAIT_SECONDS", 1.0)
    with (
        Worker(Target.driver(fake_driver, direct=True), deadlines=Deadlines(others=0.2)) as worker,
        hold_context_lock(),
    ):
        assert isinstance(worker.call(Call("clReleaseDevice", {"device": Handle("device1")})), Hung)


def test_context_lock_counts_as_held_only_inside_its_context_manager(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cache_dirs, "shared_folder", lambda: tmp_path)
    assert not context_lock.is_context_lock_held()
    with hold_context_lock():
        assert context_lock.is_context_lock_held()
    assert not context_lock.is_context_lock_held()
