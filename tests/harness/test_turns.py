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
from clconform.harness import Deadlines, Target, Worker, held_up, scratch, turns
from clconform.harness.turns import turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.values import Value


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let calls that create or release contexts count as slow in this process."""
    monkeypatch.setattr(turns, "LONG_SECONDS", 0.0)
    with turn():
        pass
    yield
    turns._takes_long.clear()


def _meanwhile() -> bool:
    """Return whether a call can start while another one holds the lock."""
    began = threading.Event()

    def begin() -> None:
        with turn():
            began.set()

    thread = threading.Thread(target=begin)
    with turn():
        thread.start()
        meanwhile = began.wait(0.2)
    thread.join()
    assert began.is_set(), "it begins afterwards"
    return meanwhile


def test_one_after_the_other() -> None:
    assert not _meanwhile()


@pytest.mark.parametrize(("function", "waits"), [("clReleaseContext", True), ("clGetPlatformIDs", False)])
def test_only_what_makes_or_releases_contexts_waits(fake: str, function: str, *, waits: bool) -> None:
    arguments: dict[str, Value] = {"context": None}
    if not waits:
        arguments = {"num_entries": 1, "platforms": None, "num_platforms": None}
    with Worker(Target.driver(fake, direct=True)) as running:
        thread = threading.Thread(target=running.ask, args=(Call(function, arguments),))
        with turn():
            thread.start()
            thread.join(0.3)
            assert thread.is_alive() == waits
        thread.join()


def test_nobody_waits_after_a_call_that_took_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as quick:
        quick.setattr(turns, "LONG_SECONDS", 60.0)
        with turn():
            pass
        assert _meanwhile()
    with turn():
        pass
    assert not _meanwhile(), "this one took long again"


def test_a_turn_ends_with_an_exception() -> None:
    with pytest.raises(KeyError), turn():
        raise KeyError
    assert not _meanwhile()


def test_who_has_waited_for_long_waits_for_this_turn_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    began, again = threading.Event(), threading.Event()

    def begin_twice() -> None:
        with turn():
            began.set()
        monkeypatch.setattr(turns, "LONGEST_WAIT", 60.0)
        with turn():
            again.set()

    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.05)
    thread = threading.Thread(target=begin_twice)
    with turn():
        thread.start()
        assert began.wait(10)
        assert again.wait(10), "the same turn is not waited for once more"
    thread.join()
    assert not _meanwhile(), "another turn is"


def test_turns_of_others_that_end_are_waited_for_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 32 processes that take 0.4 s each, a process waits longer than the limit for a single holder."""
    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.5)
    passed = threading.Event()

    def begin() -> None:
        with turn():
            passed.set()

    path = scratch.common() / "contexts"
    thread = threading.Thread(target=begin)
    with path.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        thread.start()
        for number in range(8):  # one holder after another, without a gap
            os.pwrite(held.fileno(), bytes([number]) * 16, 0)
            assert not passed.wait(0.2)
    thread.join()
    assert passed.is_set()


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_a_release_is_waited_for_while_others_have_their_turn(fake: str, seconds: float) -> None:
    """The object may hold the last reference to a context, and the driver serialises the releases of contexts."""
    taken = threading.Event()

    def hold() -> None:
        with turn():
            taken.set()
            time.sleep(seconds)

    thread = threading.Thread(target=hold)
    with Worker(Target.driver(fake, direct=True), deadlines=Deadlines(others=0.2)) as worker:
        thread.start()
        assert taken.wait(10)
        began = time.monotonic()
        assert worker.ask(Call("clReleaseDevice", {"device": Handle("device1")})) == Hung(0.2)
        took = time.monotonic() - began
    thread.join()
    assert took >= seconds / 2


def test_a_release_is_not_waited_for_without_end(fake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_up, "LONGEST_SECONDS", 1.0)
    with Worker(Target.driver(fake, direct=True), deadlines=Deadlines(others=0.2)) as worker, turn():
        assert worker.ask(Call("clReleaseDevice", {"device": Handle("device1")})) == Hung(0.2)


def test_nobody_has_a_turn_before_the_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(scratch, "common", lambda: tmp_path)
    assert not turns.taken()
    with turn():
        assert turns.taken()
    assert not turns.taken()
