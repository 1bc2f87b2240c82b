"""Trials on a simulated platform: faults that are found, survive, are equivalent, or never take effect."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Absent, Died, Output, Returned
from clconform.calls.deviation_keys import mask_numbers
from clconform.calls.values import ElementList, OutputBuffer
from clconform.harness import Target, Worker
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session.outcome_values import returned_handles
from clconform.selftest.injection.equivalence import REFUSED, SLOWER
from clconform.selftest.injection.fault import Fault
from clconform.selftest.injection.fault_results import FaultCourse, evaluate
from clconform.selftest.injection.injection_campaign import (
    CampaignPlan,
    CampaignWorker,
    CandidateItem,
    run_campaign,
    select_targeting_items,
)
from clconform.selftest.injection.injection_trials import FaultTrial, FaultTrialResult
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.call import Call, Outcome
    from clconform.runner.session.session import Session

BUFFER = "clCreateBuffer"
FATAL = 12345
OUT_OF_RESOURCES = -5
NO_SIZE, NO_CONTEXT = "CL_INVALID_BUFFER_SIZE", "CL_INVALID_CONTEXT"


def create_buffers(*sizes: int, context: bool = True) -> SuiteItem:
    """Return an item that creates buffers of the given sizes; ``context``: in a context instead of NULL."""

    def act(cl: Session) -> None:
        (there,) = returned_handles(cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1)))
        for size in sizes:
            cl.clCreateBuffer(there if context else None, 0, size, None, OutputBuffer(1))

    return SuiteItem(f"buffers of {sizes}", ("clCreateBuffer/success",), act)


def query_with_short_buffer(cl: Session) -> None:
    name = cl.tables.enumerants["CL_DEVICE_NAME"].value
    cl.clGetDeviceInfo(cl.device, name, 1, OutputBuffer(1), OutputBuffer(1))


FOUND_FAULTS: tuple[tuple[Fault, SuiteItem, str], ...] = (
    (Fault("another-error", BUFFER, "", NO_SIZE), create_buffers(0), "clCreateBuffer: CL_INVALID_HOST_PTR"),
    (Fault("success-for-error", BUFFER, "", NO_CONTEXT), create_buffers(1, context=False), "NULL with CL_SUCCESS"),
    (Fault("error-for-success", BUFFER, "", NO_CONTEXT), create_buffers(1), NO_CONTEXT),
    (Fault("past-the-end", BUFFER, "errcode_ret"), create_buffers(1), "errcode_ret overrun"),
    (Fault("wrong-handle", BUFFER, "result"), create_buffers(1, 2), "the handle of a living object again"),
    (Fault("crash", BUFFER, "", "", 2), create_buffers(1, 2), "signal SIGSEGV"),
    (Fault("hang", BUFFER, "", "", 1), create_buffers(1), "no answer within 5 s"),
)
HANGS = Fault("hang", BUFFER, "", "", 1)
NOT_RELEASED = Fault("not-released", "clReleaseMemObject")
SLOW = Fault("slow", BUFFER)
WRITTEN = Fault("written-on-error", "clGetDeviceInfo", "param_value")
ELSEWHERE = Fault("crash", "clCreateSampler", "", "", 1)
FAULTS = (*(fault for fault, *_ in FOUND_FAULTS), NOT_RELEASED, SLOW, WRITTEN, ELSEWHERE)


@pytest.fixture(scope="module")
def fault_trial() -> Iterator[FaultTrial]:
    trial = FaultTrial(Target.simulated("flat-4"), load(), FAULTS)
    yield trial
    trial.close()


def try_fault(fault_trial: FaultTrial, fault: Fault, item: SuiteItem) -> tuple[bool, FaultTrialResult]:
    """Return whether a fault affects an item, and the result of the item with the fault."""
    index, recording = FAULTS.index(fault), fault_trial.record(item)
    return index in recording.effects, fault_trial.attempt(index, item, recording.keys)


def get_status(result: FaultTrialResult) -> str:
    course = FaultCourse(result.noticed, result.applied, Counter(result.equivalent), result.masked, 1)
    return evaluate(course)[0]


@pytest.mark.parametrize(("fault", "item", "notices"), FOUND_FAULTS)
def test_fault_is_found_by_a_deviating_item(
    fault_trial: FaultTrial, fault: Fault, item: SuiteItem, notices: str
) -> None:
    shows, result = try_fault(fault_trial, fault, item)
    assert shows
    assert result.applied == 1
    assert notices in result.noticed
    assert get_status(result) == "found"


def test_deviation_that_also_occurs_without_the_fault_does_not_count(fault_trial: FaultTrial) -> None:
    known = frozenset(["clCreateBuffer | clCreateBuffer/success | no answer"])
    result = fault_trial.attempt(FAULTS.index(HANGS), create_buffers(1), known)
    assert (result.noticed, result.masked) == ("", 1)
    assert "1 of them deviate in the same way" in evaluate(FaultCourse("", 1, Counter(), result.masked, 1))[1]


@pytest.mark.parametrize(
    ("key", "masked"),
    [
        ("clGetDeviceInfo | CL_DEVICE_GLOBAL_MEM_SIZE | 6939701248", "clGetDeviceInfo | CL_DEVICE_GLOBAL_MEM_SIZE | #"),
        ("clFill | clFill/CL_INVALID_VALUE/2 | CL_SUCCESS", "clFill | clFill/CL_INVALID_VALUE/2 | CL_SUCCESS"),
        ("clRead | clRead/success | byte 60 is 0x39", "clRead | clRead/success | byte # is #"),
    ],
)
def test_mask_numbers_replaces_numbers_in_the_symptom_of_a_key(key: str, masked: str) -> None:
    """A driver may report the currently free memory as a size, so the number changes without a fault."""
    assert mask_numbers(key) == masked


def test_unobservable_fault_survives(fault_trial: FaultTrial) -> None:
    """The item makes no query that shows the remaining reference."""
    shows, result = try_fault(fault_trial, NOT_RELEASED, create_buffers(1))
    assert shows
    assert get_status(result) == "survived"


@pytest.mark.parametrize(
    ("fault", "item", "reason"),
    [
        (SLOW, create_buffers(1), SLOWER),
        (
            WRITTEN,
            SuiteItem("a room that is too short", ("clGetDeviceInfo/success",), query_with_short_buffer),
            REFUSED,
        ),
    ],
)
def test_fault_whose_changed_outcome_conforms_is_equivalent(
    fault_trial: FaultTrial, fault: Fault, item: SuiteItem, reason: str
) -> None:
    _, result = try_fault(fault_trial, fault, item)
    assert result.equivalent == {reason: 1}
    assert get_status(result) == "equivalent"


def test_fault_of_another_function_is_not_applied(fault_trial: FaultTrial) -> None:
    shows, result = try_fault(fault_trial, ELSEWHERE, create_buffers(1))
    assert not shows
    assert get_status(result) == "not-applied"


def test_faults_are_tried_only_in_calls_before_the_end_of_the_driver(
    fault_trial: FaultTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second buffer creation ends the driver. Only faults in earlier calls are tried and found."""
    make = Worker.call

    def end_at_second_buffer(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        ends = call.function == BUFFER and call.arguments["size"] == FATAL
        return Died("signal", "SIGSEGV") if ends else make(worker, call, deadline)

    monkeypatch.setattr(Worker, "call", end_at_second_buffer)
    item = create_buffers(1, FATAL)
    recording = fault_trial.record(item)
    first, second = (Fault("past-the-end", BUFFER, "errcode_ret"), Fault("crash", BUFFER, "", "", 2))
    shown = [FAULTS.index(fault) in recording.effects for fault in (first, second)]
    assert (recording.dies, recording.lost, shown) == (True, False, [True, False])
    found = fault_trial.attempt(FAULTS.index(first), item, recording.keys, dies=True)
    assert "errcode_ret overrun" in found.noticed
    ended = fault_trial.attempt(FAULTS.index(NOT_RELEASED), item, frozenset(), dies=True)
    assert ended.noticed == ""


def test_fault_of_missing_function_does_not_take_effect(
    fault_trial: FaultTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of a function that the driver does not provide cannot crash or hang either."""
    make = Worker.call

    def call_without_buffers(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        return Absent("no-entry", "") if call.function == BUFFER else make(worker, call, deadline)

    assert FAULTS.index(HANGS) in fault_trial.record(create_buffers(1)).effects
    monkeypatch.setattr(Worker, "call", call_without_buffers)
    assert not fault_trial.record(create_buffers(1)).effects


MAX_CONTEXTS = 3
"""The number of contexts that one process can have on the device of the next test."""


def test_fault_is_retried_if_earlier_faults_exhausted_the_device(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each fault leaves a context behind, so that later faults find the device exhausted."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "test_contexts.py").write_text(LEAKING_SUITE)
    make = Worker.call
    there: Counter[Worker] = Counter()

    def call_with_few_contexts(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        if call.function == "clCreateContext" and there[worker] == MAX_CONTEXTS:
            return Returned(None, {"errcode_ret": Output([OUT_OF_RESOURCES], 4)})
        there[worker] += {"clCreateContext": 1, "clReleaseContext": -1}.get(call.function, 0)
        return make(worker, call, deadline)

    monkeypatch.setattr(Worker, "call", call_with_few_contexts)
    bench = CampaignWorker(CampaignPlan(tmp_path, Target.simulated("flat-4"), (HANGS,)))
    recorded = bench.record(0)
    assert recorded.effects
    courses = [bench.try_in(0, [CandidateItem(0, recorded.keys)]) for _ in range(3 * MAX_CONTEXTS)]
    bench.trial.close()
    assert all("no answer within 5 s" in course.noticed for course in courses)
    assert max(there.values()) == MAX_CONTEXTS


LEAKING_SUITE = """
import pytest
from clconform.calls.values import ElementList, OutputBuffer
from clconform.suites.helpers import require_handle

NAME = "contexts.with_a_buffer"


@pytest.mark.covers("clCreateBuffer/success")
@pytest.mark.parametrize("size", [1])
def test_contexts(cl, size):
    context = require_handle(cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1)))
    cl.clCreateBuffer(context, 0, size, None, OutputBuffer(1))
"""
CONTEXT_SUITE = """
import pytest
from clconform.calls.deviation_keys import mask_numbers
from clconform.calls.values import ElementList, OutputBuffer

NAME = "contexts.two"


@pytest.mark.covers("clCreateContext/success")
@pytest.mark.parametrize("count", [1, 0])
def test_contexts(cl, count):
    cl.clCreateContext(None, count, ElementList((cl.device,)), None, None, OutputBuffer(1))
"""


def test_campaign_result_is_independent_of_process_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "test_contexts.py").write_text(CONTEXT_SUITE)
    faults = (
        Fault("another-error", "clCreateContext", "", "CL_INVALID_VALUE"),
        Fault("hang", "clCreateContext", "", "", 1),
        Fault("hang", "clCreateContext", "", "", 2),
        Fault("not-released", "clReleaseContext"),
        Fault("slow", "clCreateContext"),
    )
    plan = CampaignPlan(suites, Target.simulated("flat-4"), faults)
    results = run_campaign(plan, 1)
    assert [result.status for result in results] == ["found", "found", "not-applied", "survived", "equivalent"]
    assert [result.affected_items for result in results] == [1, 2, 0, 1, 2]
    assert run_campaign(plan, 2) == results


def test_items_that_target_a_function_with_faults_are_selected() -> None:
    making, asking = (
        SuiteItem(name, (f"{name}/success",), create_buffers(1).action) for name in ("clCreateBuffer", "clFinish")
    )
    assert select_targeting_items([making, asking], {"clCreateBuffer", "clFlush"}) == [making]
