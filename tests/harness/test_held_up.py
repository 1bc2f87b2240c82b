"""A call that is blocked in the kernel gets more time than its deadline, within a limit; a hanging call does not."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Hung, Returned
from clconform.calls.protocol import Ended
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, Target, Worker, held_up

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE = Handle("device1")
SLEEPING, WAITING, DYING = (
    f"4711 (a ) D name) {state} 1 4711 4711 0 -1 {flags} 218 0 0 0 1 2 0 0 20 0 1 0 9 9 9\n"
    for state, flags in (("S", 0x400040), ("D", 0x400040), ("R", 0x40004C))
)
"""Contents of ``/proc/PID/task/TID/stat`` for three threads with a name that looks like other fields."""


def test_who_is_held_up_is_told_by_state_and_flags() -> None:
    assert not held_up.shows_held_up(SLEEPING)
    assert held_up.shows_held_up(WAITING)
    assert held_up.shows_held_up(DYING)


@pytest.mark.parametrize("odd", ["", "4711", "4711 (x) R 1 2", "4711 (x) R 1 4711 4711 0 -1 many"])
def test_what_cannot_be_read_holds_nobody_up(odd: str) -> None:
    assert not held_up.shows_held_up(odd)


def test_neither_this_process_nor_none_is_held_up() -> None:
    assert not held_up.held_up(os.getpid())
    assert not held_up.held_up(0)


@pytest.fixture
def ask(fake: str, made: Callable[..., Call], monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Returned | object]:
    """Return a function that makes a call blocked in the kernel for some seconds, with a deadline of 0.5 s."""

    def asked(seconds: int) -> Returned | object:
        monkeypatch.setenv("FAKE_SECONDS", str(seconds))
        with Worker(Target.driver(fake, direct=True), deadlines=Deadlines(others=0.5)) as worker:
            return worker.ask(made("clGetDeviceInfo", DEVICE, 0x100C, 4, OutputBuffer(4), None))

    return asked


def test_a_call_that_the_kernel_holds_up_is_waited_for(ask: Callable[[int], object]) -> None:
    assert isinstance(ask(2), Returned)


def test_so_is_one_on_a_host_thread(fake: str, made: Callable[..., Call], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SECONDS", "2")
    with Worker(Target.driver(fake, direct=True), deadlines=Deadlines(others=0.5)) as worker:
        worker.begin_on(1, made("clGetDeviceInfo", DEVICE, 0x100C, 4, OutputBuffer(4), None))
        answer = worker.finish_on(1, 0.5)
    assert isinstance(answer, Ended)
    assert isinstance(answer.outcome, Returned)


def test_it_is_not_waited_for_without_end(ask: Callable[[int], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_up, "LONGEST_SECONDS", 1.0)
    began = time.monotonic()
    assert ask(60) == Hung(0.5)
    assert time.monotonic() - began < 30
