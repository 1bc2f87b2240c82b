"""The state machine finds each fault of programs that takes effect only after several calls."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died
from clconform.calls.values import Handle
from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.examples import EXAMPLES_BY_TIER, item_seed
from clconform.runner.session.session import Session
from clconform.selftest.faults import program_states
from clconform.simulator.in_process_worker import InProcessWorker
from clconform.spec_tables import load
from clconform.suites.chapters.programs import test_program_machine as suite

from .attribution import get_random_messages, limit_examples

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome

EXPECTED = {
    "build-status-shared-by-devices": ("two devices", "CL_PROGRAM_BUILD_STATUS"),
    "released-kernels-block-builds": ("one device", "clBuildProgram/success"),
    "only-first-listed-device-built": ("two devices", "CL_PROGRAM_BUILD_STATUS"),
}
"""For each fault, the configuration of the state machine that finds it, and the requirement that deviates."""


def test_every_program_state_fault_has_an_expected_result() -> None:
    planted = set(program_states.faults.entries)
    assert planted == set(EXPECTED)


def run_states(way: str, cl: Session) -> None:
    suite.test_program_machine_reports_consistent_states(
        cl, item_seed(1, f"{suite.NAME}::test_program_machine_reports_consistent_states[{way}]"), way
    )


@pytest.mark.parametrize("fault", EXPECTED)
def test_program_state_fault_causes_the_expected_deviation(fault: str) -> None:
    way, requirement = EXPECTED[fault]
    act = functools.partial(run_states, way)
    assert f"{requirement}: " in get_random_messages(
        "everything", fault, EXAMPLES_BY_TIER["default"], act, f"{requirement}: "
    )


@pytest.mark.parametrize("way", suite.DEVICE_SELECTIONS)
def test_conforming_platform_has_no_deviation(way: str) -> None:
    assert not get_random_messages("everything", "", 2 * suite.SHARE, functools.partial(run_states, way))


class _CrashingPlatform(InProcessWorker):
    """A platform whose process ends at a build info query for the first device."""

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        if call.function != "clGetProgramBuildInfo" or call.arguments["device"] != Handle("device1"):
            return super().call(call, deadline)
        self.close()
        return Died("signal", "SIGSEGV")


def test_no_query_of_second_device_follows_a_crash() -> None:
    recorder = Recorder(None)
    target = Target.simulated("everything")
    session = Session(target, load(), recorder, start=lambda _target, _deadlines: _CrashingPlatform("everything"))
    with limit_examples(20 * suite.SHARE):
        run_states("two devices", session)
    session.close()
    assert [each.verdict for each in recorder.deviations.values()] == ["crashes"]
