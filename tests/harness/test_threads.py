"""Concurrent actions on host threads: results are in order, and no action runs if a thread cannot be started."""

from __future__ import annotations

import errno
import threading
import time
from typing import TYPE_CHECKING

import pytest

from clconform.harness import BadCall
from clconform.harness.host_shortages import find_shortage
from clconform.harness.names import ObjectNames
from clconform.harness.threads import LaneInCallback, Order, at_once

if TYPE_CHECKING:
    from collections.abc import Callable


def test_each_concurrent_action_has_own_thread_and_result() -> None:
    def slow_first(index: int) -> Callable[[], tuple[int, int]]:
        return lambda: (time.sleep(0.02 * (4 - index)), (index, threading.get_ident()))[1]  # type: ignore[func-returns-value]

    results = at_once([slow_first(index) for index in range(5)])
    assert [index for index, _ in results] == [0, 1, 2, 3, 4]
    assert len({thread for _, thread in results}) == 5
    assert at_once([]) == []


def test_error_of_an_action_is_raised_after_all_actions_end() -> None:
    done: list[int] = []

    def fail() -> None:
        raise LookupError("mine")

    def finish() -> None:
        time.sleep(0.05)
        done.append(1)

    with pytest.raises(LookupError, match="mine"):
        at_once([finish, fail, finish])
    assert done == [1, 1]


def test_actions_are_not_run_if_one_thread_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    started, ran = [0], []
    start = threading.Thread.start

    def start_only_two(self: threading.Thread) -> None:
        started[0] += 1
        if started[0] > 2:
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", start_only_two)
    with pytest.raises(OSError, match="cannot start 4 host threads: can't start new thread") as raised:
        at_once([lambda: ran.append(1)] * 4)
    assert raised.value.errno == errno.EAGAIN
    assert find_shortage(raised.value)
    assert ran == []


def test_object_has_one_name_across_threads() -> None:
    names = ObjectNames()
    met = at_once([lambda: [names.name_of("cl_context", address) for address in range(1, 500)]] * 8)
    assert met == [met[0]] * 8
    assert len(set(met[0])) == 499
    assert names.address_of(met[0][-1]) == 499


class _CountingCall:
    """A prepared call that counts its executions."""

    def __init__(self) -> None:
        self.made = 0

    def make(self) -> tuple[int, float]:
        self.made += 1
        return self.made, 0.5


def test_call_in_callback_is_made_only_by_the_next_invocation() -> None:
    host_thread, prepared = LaneInCallback(Order()), _CountingCall()
    host_thread.make()
    assert not host_thread.busy
    assert host_thread.begin(prepared) == 0  # type: ignore[arg-type]
    assert host_thread.busy
    assert host_thread.end(0) is None
    host_thread.make()
    host_thread.make()
    assert (host_thread.entered, host_thread.returned, prepared.made) == (1, 2, 1)
    assert host_thread.end(0) == (prepared, 1, 0.5)
    assert not host_thread.busy
    with pytest.raises(BadCall):
        host_thread.end(0)
