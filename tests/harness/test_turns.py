"""Processes of a run wait for each other before they make or release a context that takes long, and not forever."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from clconform.harness import turns
from clconform.harness.turns import turn

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let contexts take long, as this process has just seen."""
    monkeypatch.setattr(turns, "LONG_SECONDS", 0.0)
    turns._waits_no_more.clear()
    with turn("clCreateContext"):
        pass
    yield
    turns._waits_no_more.clear()
    turns._takes_long.clear()


def _meanwhile(function: str, other: str) -> bool:
    """Return whether a call of ``other`` may begin while one of ``function`` is under way."""
    began = threading.Event()

    def begin() -> None:
        with turn(other):
            began.set()

    thread = threading.Thread(target=begin)
    with turn(function):
        thread.start()
        meanwhile = began.wait(0.2)
    thread.join()
    assert began.is_set(), "it begins afterwards"
    return meanwhile


@pytest.mark.parametrize(
    ("function", "other", "expected"),
    [
        ("clCreateContext", "clCreateContext", False),
        ("clCreateContextFromType", "clReleaseContext", False),
        ("clCreateContext", "clCreateBuffer", True),
        ("clCreateBuffer", "clCreateContext", True),
        ("clCreateBuffer", "clCreateBuffer", True),
    ],
)
def test_only_what_makes_or_releases_contexts_waits(function: str, other: str, *, expected: bool) -> None:
    assert _meanwhile(function, other) == expected


def test_nobody_waits_after_a_call_that_took_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as quick:
        quick.setattr(turns, "LONG_SECONDS", 60.0)
        with turn("clReleaseContext"):
            pass
        assert _meanwhile("clCreateContext", "clCreateContext")
    with turn("clCreateContext"):
        pass
    assert not _meanwhile("clCreateContext", "clCreateContext"), "this one took long again"


def test_a_turn_ends_with_an_exception() -> None:
    with pytest.raises(KeyError), turn("clCreateContext"):
        raise KeyError
    assert not _meanwhile("clCreateContext", "clCreateContext")


def test_who_has_waited_for_long_waits_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.05)
    began = time.monotonic()
    assert _meanwhile("clCreateContext", "clCreateContext")
    monkeypatch.setattr(turns, "LONGEST_WAIT", 60.0)
    assert _meanwhile("clCreateContext", "clReleaseContext")
    assert time.monotonic() - began < 30
