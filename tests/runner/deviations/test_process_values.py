"""Sizes and limits that differ between processes are taken from each process, not from the first one.

Stored calls with the sizes of the first process would fail in other processes, so that lasting deviations would count
as flaky.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.number_references import MissingNumberError, restore_numbers
from clconform.harness import Target
from clconform.runner.deviations.confirmation_steps import confirm_sequence
from clconform.runner.deviations.replay import Replayer, ReplayTarget
from clconform.runner.journal.recorder import Recorder
from clconform.selftest.faults import process_values
from clconform.selftest.trial import run_item
from clconform.spec_tables import load
from clconform.suites.errors.negative_tests import single_violation_cases
from clconform.suites.queries import test_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.journal import Deviation
    from clconform.runner.pytest_plugin.covers import TableCase

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

FOUND = {
    "build-log-without-terminator": ("CL_PROGRAM_BUILD_LOG", "no terminator"),
    "attributes-without-terminator": ("CL_KERNEL_ATTRIBUTES", "no terminator"),
    "terminator-inside-source": ("CL_PROGRAM_SOURCE", "a terminator inside"),
    "larger-work-groups-accepted": ("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3", "CL_SUCCESS"),
}
"""The requirement that each fault violates, and the symptom."""
REPETITIONS = 3


def find_cases(requirement: str) -> Iterator[TableCase]:
    """Yield the items of queries and of invalid calls that target a requirement."""
    for case in (*test_queries.cases(load(), [requirement]), *single_violation_cases(load())):
        if requirement in (case.requirement, *case.further_requirements):
            yield case


def get_deviation(start: Starter, fault: str) -> Deviation:
    """Return the deviation that a fault causes in the first item that shows it."""
    requirement, symptom = FOUND[fault]
    session = start("everything", fault=fault)
    recorder = session.observer
    assert isinstance(recorder, Recorder)
    for case in find_cases(requirement):
        run_item(case, session)
        for deviation in recorder.deviations.values():
            if deviation.requirements == [requirement] and deviation.symptom == symptom:
                return deviation
    raise AssertionError(f"{fault} does not cause {symptom}")


def test_each_fault_has_an_expected_result() -> None:
    assert set(process_values.faults.entries) == set(FOUND)


@pytest.mark.parametrize("fault", FOUND)
def test_deviation_of_values_that_differ_between_processes_repeats(fault: str, start: Starter) -> None:
    deviation = get_deviation(start, fault)
    where = ReplayTarget(Target.simulated("everything", "--fault", fault), load())
    confirmation, _ = confirm_sequence(deviation, where, seconds=5)
    assert (confirmation.verdict, confirmation.repeated) == ("deviates", confirmation.attempts)
    if confirmation.full_history:
        return
    for _ in range(REPETITIONS):
        replayer = Replayer(where)
        assert replayer.run(confirmation.sequence).shows(deviation.key)
        replayer.close()


def test_call_that_needs_the_number_of_a_missing_call_ends_the_replay(start: Starter) -> None:
    deviation = get_deviation(start, "attributes-without-terminator")
    last = deviation.sequence[-1]
    assert last.call.references
    replayer = Replayer(ReplayTarget(start("everything").target, load()))
    replayed = replayer.run([last])
    replayer.close()
    assert replayed.steps == []
    assert "no earlier call has returned the number" in replayed.obstacle
    assert issubclass(MissingNumberError, ValueError)


def test_stored_calls_contain_the_numbers_of_the_first_process(start: Starter) -> None:
    """Judging a journal again uses these numbers, so it does not depend on references."""
    last = get_deviation(start, "attributes-without-terminator").sequence[-1]
    assert type(last.call.param_value_size) is int
    assert restore_numbers(last.call).param_value_size == last.call.param_value_size
