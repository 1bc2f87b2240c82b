"""Each fault of programs that needs several calls is found by the state machine."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died
from clconform.calls.values import Handle
from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.examples import EXAMPLES, item_seed
from clconform.selftest.planted import program_states
from clconform.selftest.planted.every_fault import every_fault
from clconform.simulator.here import Here
from clconform.spec_tables import load
from clconform.suites.chapters.programs import test_states as suite

from ...sessions import SessionHere  # noqa: TID252 (tests are not part of the installed package)
from .blaming import few_examples, told_by

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.runner.session.session import Session

EXPECTED = {
    "builds-for-one-device-count-for-all": ("two devices", "CL_PROGRAM_BUILD_STATUS"),
    "released-kernels-still-stop-builds": ("one device", "clBuildProgram/success"),
    "devices-in-a-list-are-built-for-in-the-first-place-only": ("two devices", "CL_PROGRAM_BUILD_STATUS"),
}
"""For each fault, the configuration of the state machine that finds it, and the requirement that deviates."""


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == program_states.__name__}
    assert planted == set(EXPECTED)


def states(way: str, cl: Session) -> None:
    suite.test_states(cl, item_seed(1, f"{suite.NAME}::test_states[{way}]"), way)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str) -> None:
    way, record = EXPECTED[fault]
    act = functools.partial(states, way)
    assert f"{record}: " in told_by("everything", fault, EXAMPLES["default"], act, f"{record}: ")


@pytest.mark.parametrize("way", suite.WAYS)
def test_no_fault_is_found_where_there_is_none(way: str) -> None:
    assert not told_by("everything", "", 2 * suite.SHARE, functools.partial(states, way))


class _Dies(Here):
    """A platform whose process ends at a build info query for the first device."""

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        if call.function != "clGetProgramBuildInfo" or call.arguments["device"] != Handle("device1"):
            return super().ask(call, deadline)
        self.close()
        return Died("signal", "SIGSEGV")


class _SessionThatDies(SessionHere):
    def _started(self) -> Here:
        return _Dies("everything")


def test_nothing_is_asked_of_the_second_device_after_the_end_of_the_process() -> None:
    recorder = Recorder(None)
    session = _SessionThatDies(Target.simulated("everything"), load(), recorder)
    with few_examples(20 * suite.SHARE):
        states("two devices", session)
    session.close()
    assert [each.verdict for each in recorder.deviations.values()] == ["crashes"]
