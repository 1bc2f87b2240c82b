"""A state machine without an applicable rule ends without a failure."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace
from typing import TYPE_CHECKING

import hypothesis
import pytest
from hypothesis.errors import InvalidDefinition
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from clconform.calls.values import Handle
from clconform.runner.session.examples import load_profile
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.test_trees import SubDeviceTree
from clconform.suites.chapters.usm.usm_machine import UsmMachine
from clconform.suites.data.state_machine import ContentsMachine
from clconform.suites.state_machine_base import StateMachine, run_machine

from ..runner.conftest import start  # noqa: F401, TID252 (a fixture)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

    from ..runner.conftest import Starter  # noqa: TID252


@pytest.fixture(autouse=True)
def limit_examples() -> Iterator[None]:
    """Limit state machines to few examples in this module."""
    before = hypothesis.settings.default
    load_profile("default", 4)
    yield
    assert before is not None
    hypothesis.settings.register_profile("before", before)
    hypothesis.settings.load_profile("before")


def kill_driver_after(session: Session, calls: int) -> None:
    """Kill the driver process at every call whose number is a multiple of ``calls``."""
    whole, made = session.call, [0]

    def ask(call: object) -> object:
        made[0] += 1
        if made[0] % calls == 0:
            os.kill(session.process.worker.pid, signal.SIGKILL)
        return whole(call)  # type: ignore[arg-type]

    session.call = ask  # type: ignore[method-assign, assignment]


def test_state_machine_tries_a_rejected_unmap_once() -> None:
    """A machine that retries until the region is unmapped would never end."""
    maps = [SimpleNamespace(unmap_call=("clEnqueueSVMUnmap", (name,))) for name in ("first", "refused", "last")]
    asked = []

    def enqueue(_function: str, *, svm_ptr: str, **_others: object) -> None:
        asked.append(svm_ptr)
        if svm_ptr != "refused":
            maps[:] = [each for each in maps if each.unmap_call[1] != (svm_ptr,)]

    machine = ContentsMachine.__new__(ContentsMachine)
    machine.cl = SimpleNamespace(model=SimpleNamespace(mapped_regions=maps, objects_of_class=lambda _kind: []))  # type: ignore[assignment]
    machine.kit = SimpleNamespace(cl=machine.cl, enqueue=enqueue, finish=lambda _queue: None)  # type: ignore[assignment]
    machine.queues = [Handle("queue1")]
    machine.read_all_contents()
    assert asked == ["first", "refused", "last"]


def test_state_machine_without_applicable_rule_ends() -> None:
    def of(base: type[RuleBasedStateMachine]) -> type[RuleBasedStateMachine]:
        class Once(base):  # type: ignore[misc, valid-type]
            steps = 0

            @rule()
            @precondition(lambda self: self.steps == 0)
            def step(self) -> None:
                self.steps += 1

        return Once

    with pytest.raises(InvalidDefinition):
        run_state_machine_as_test(of(RuleBasedStateMachine))
    run_machine(of(StateMachine), 1)  # type: ignore[arg-type]


def test_usm_state_machine_ends_after_the_driver_process_ends(start: Starter) -> None:  # noqa: F811
    session = start("unified-shared")
    kill_driver_after(session, 12)
    run_machine(lambda: UsmMachine(session, lambda kit: [kit.queue]), 3)


def test_sub_device_state_machine_ends_after_the_driver_process_ends(start: Starter) -> None:  # noqa: F811
    session = start("numa-16")
    kill_driver_after(session, 7)
    run_machine(lambda: SubDeviceTree(session, CORE_ENTRY), 3)
