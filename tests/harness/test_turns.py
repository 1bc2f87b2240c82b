"""Processes of a run wait for each other before they make or release a context that takes long, and not forever."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.harness import Target, Worker, turns
from clconform.harness.turns import turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let contexts take long, as this process has just seen."""
    monkeypatch.setattr(turns, "LONG_SECONDS", 0.0)
    turns._waits_no_more.clear()
    with turn():
        pass
    yield
    turns._waits_no_more.clear()
    turns._takes_long.clear()


def _meanwhile() -> bool:
    """Return whether a call may begin while another one is under way."""
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


def test_who_has_waited_for_long_waits_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.05)
    began = time.monotonic()
    assert _meanwhile()
    monkeypatch.setattr(turns, "LONGEST_WAIT", 60.0)
    assert _meanwhile()
    assert time.monotonic() - began < 30
