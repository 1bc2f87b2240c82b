"""Trials on a simulated platform: faults that are found, survive, are equivalent, or never take effect."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Absent, Died, Output, Returned
from clconform.calls.deviation_keys import without_numbers
from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target, Worker
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session.answers import made
from clconform.selftest.injection.campaign import Bench, Candidate, Plan, carry_out, targeting
from clconform.selftest.injection.faults import Fault
from clconform.selftest.injection.openness import REFUSED, SLOWER
from clconform.selftest.injection.trials import FaultTrial, Tried
from clconform.selftest.injection.verdicts import Course, settle
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


def buffers_of(*sizes: int, context: bool = True) -> Item:
    """Return an item that creates buffers of these sizes."""

    def act(cl: Session) -> None:
        (there,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
        for size in sizes:
            cl.clCreateBuffer(there if context else None, 0, size, None, OutputBuffer(1))

    return Item(f"buffers of {sizes}", ("clCreateBuffer/success",), act)


def too_short(cl: Session) -> None:
    name = cl.tables.enumerants["CL_DEVICE_NAME"].value
    cl.clGetDeviceInfo(cl.device, name, 1, OutputBuffer(1), OutputBuffer(1))


FOUND_IN: tuple[tuple[Fault, Item, str], ...] = (
    (Fault("another-error", BUFFER, "", NO_SIZE), buffers_of(0), "clCreateBuffer: CL_INVALID_HOST_PTR"),
    (Fault("success-for-error", BUFFER, "", NO_CONTEXT), buffers_of(1, context=False), "NULL with CL_SUCCESS"),
    (Fault("error-for-success", BUFFER, "", NO_CONTEXT), buffers_of(1), NO_CONTEXT),
    (Fault("past-the-end", BUFFER, "errcode_ret"), buffers_of(1), "errcode_ret overrun"),
    (Fault("wrong-handle", BUFFER, "result"), buffers_of(1, 2), "the handle of a living object again"),
    (Fault("crash", BUFFER, "", "", 2), buffers_of(1, 2), "signal SIGSEGV"),
    (Fault("hang", BUFFER, "", "", 1), buffers_of(1), "no answer within 5 s"),
)
HANGS = Fault("hang", BUFFER, "", "", 1)
KEPT = Fault("not-released", "clReleaseMemObject")
SLOW = Fault("slow", BUFFER)
WRITTEN = Fault("written-on-error", "clGetDeviceInfo", "param_value")
ELSEWHERE = Fault("crash", "clCreateSampler", "", "", 1)
FAULTS = (*(fault for fault, *_ in FOUND_IN), KEPT, SLOW, WRITTEN, ELSEWHERE)


@pytest.fixture(scope="module")
def trial() -> Iterator[FaultTrial]:
    trial = FaultTrial(Target.simulated("flat-4"), load(), FAULTS)
    yield trial
    trial.close()


def tried(trial: FaultTrial, fault: Fault, item: Item) -> tuple[bool, Tried]:
    """Return whether a fault affects an item, and the result of the item with the fault."""
    index, recording = FAULTS.index(fault), trial.record(item)
    return index in recording.shows, trial.attempt(index, item, recording.keys)


def status_of(result: Tried) -> str:
    course = Course(result.noticed, result.applied, Counter(result.left_open), result.masked, 1)
    return settle(course)[0]


@pytest.mark.parametrize(("fault", "item", "notices"), FOUND_IN)
def test_a_fault_is_found_where_an_item_deviates(trial: FaultTrial, fault: Fault, item: Item, notices: str) -> None:
    shows, result = tried(trial, fault, item)
    assert shows
    assert result.applied == 1
    assert notices in result.noticed
    assert status_of(result) == "found"


def test_what_deviates_without_the_fault_does_not_count(trial: FaultTrial) -> None:
    known = frozenset(["clCreateBuffer | clCreateBuffer/success | no answer"])
    result = trial.attempt(FAULTS.index(HANGS), buffers_of(1), known)
    assert (result.noticed, result.masked) == ("", 1)
    assert "1 of them deviate in the same way" in settle(Course("", 1, Counter(), result.masked, 1))[1]


@pytest.mark.parametrize(
    ("key", "masked"),
    [
        ("clGetDeviceInfo | CL_DEVICE_GLOBAL_MEM_SIZE | 6939701248", "clGetDeviceInfo | CL_DEVICE_GLOBAL_MEM_SIZE | #"),
        ("clFill | clFill/CL_INVALID_VALUE/2 | CL_SUCCESS", "clFill | clFill/CL_INVALID_VALUE/2 | CL_SUCCESS"),
        ("clRead | clRead/success | byte 60 is 0x39", "clRead | clRead/success | byte # is #"),
    ],
)
def test_a_deviation_is_known_by_whatever_number(key: str, masked: str) -> None:
    """A driver may report the currently free memory as a size, so the number changes without a fault."""
    assert without_numbers(key) == masked


def test_a_fault_that_nobody_can_see_survives(trial: FaultTrial) -> None:
    """The item makes no query that shows the remaining reference."""
    shows, result = tried(trial, KEPT, buffers_of(1))
    assert shows
    assert status_of(result) == "survived"


@pytest.mark.parametrize(
    ("fault", "item", "reason"),
    [
        (SLOW, buffers_of(1), SLOWER),
        (WRITTEN, Item("a room that is too short", ("clGetDeviceInfo/success",), too_short), REFUSED),
    ],
)
def test_what_is_as_right_as_before_is_equivalent(trial: FaultTrial, fault: Fault, item: Item, reason: str) -> None:
    _, result = tried(trial, fault, item)
    assert result.left_open == {reason: 1}
    assert status_of(result) == "equivalent"


def test_a_fault_shows_in_no_item_that_does_not_reach_its_function(trial: FaultTrial) -> None:
    shows, result = tried(trial, ELSEWHERE, buffers_of(1))
    assert not shows
    assert status_of(result) == "not-applied"


def test_an_item_in_which_the_driver_dies_counts_until_then(trial: FaultTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second buffer kills the driver: faults in the first call are found, and later ones are not tried."""
    make = Worker.ask

    def killed_by_the_second(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        ends = call.function == BUFFER and call.arguments["size"] == FATAL
        return Died("signal", "SIGSEGV") if ends else make(worker, call, deadline)

    monkeypatch.setattr(Worker, "ask", killed_by_the_second)
    item = buffers_of(1, FATAL)
    recording = trial.record(item)
    first, second = (Fault("past-the-end", BUFFER, "errcode_ret"), Fault("crash", BUFFER, "", "", 2))
    shown = [FAULTS.index(fault) in recording.shows for fault in (first, second)]
    assert (recording.dies, recording.lost, shown) == (True, False, [True, False])
    found = trial.attempt(FAULTS.index(first), item, recording.keys, dies=True)
    assert "errcode_ret overrun" in found.noticed
    ended = trial.attempt(FAULTS.index(KEPT), item, frozenset(), dies=True)
    assert ended.noticed == ""


def test_a_function_that_the_driver_does_not_have_shows_no_fault(
    trial: FaultTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver does not provide the function, so no call of it can even crash."""
    make = Worker.ask

    def without_buffers(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        return Absent("no-entry", "") if call.function == BUFFER else make(worker, call, deadline)

    assert FAULTS.index(HANGS) in trial.record(buffers_of(1)).shows
    monkeypatch.setattr(Worker, "ask", without_buffers)
    assert not trial.record(buffers_of(1)).shows


ROOM = 3
"""The number of contexts that a process of a small device supports."""


def test_a_fault_is_tried_again_where_earlier_ones_have_used_up_the_device(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Contexts of calls that fail because of a fault are never released."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "test_contexts.py").write_text(SKIPPING)
    make = Worker.ask
    there: Counter[Worker] = Counter()

    def with_little_room(worker: Worker, call: Call, deadline: float | None = None) -> Outcome:
        if call.function == "clCreateContext" and there[worker] == ROOM:
            return Returned(None, {"errcode_ret": Output([OUT_OF_RESOURCES], 4)})
        there[worker] += {"clCreateContext": 1, "clReleaseContext": -1}.get(call.function, 0)
        return make(worker, call, deadline)

    monkeypatch.setattr(Worker, "ask", with_little_room)
    bench = Bench(Plan(tmp_path, Target.simulated("flat-4"), (HANGS,)))
    recorded = bench.record(0)
    assert recorded.shows
    courses = [bench.try_in(0, [Candidate(0, recorded.keys)]) for _ in range(3 * ROOM)]
    bench.trial.close()
    assert all("no answer within 5 s" in course.noticed for course in courses)
    assert max(there.values()) == ROOM


SKIPPING = """
import pytest
from clconform.calls.values import Items, OutputBuffer
from clconform.suites.steps import one

NAME = "contexts.with_a_buffer"


@pytest.mark.aims("clCreateBuffer/success")
@pytest.mark.parametrize("size", [1])
def test_contexts(cl, size):
    context = one(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
    cl.clCreateBuffer(context, 0, size, None, OutputBuffer(1))
"""
SUITE = """
import pytest
from clconform.calls.deviation_keys import without_numbers
from clconform.calls.values import Items, OutputBuffer

NAME = "contexts.two"


@pytest.mark.aims("clCreateContext/success")
@pytest.mark.parametrize("count", [1, 0])
def test_contexts(cl, count):
    cl.clCreateContext(None, count, Items((cl.device,)), None, None, OutputBuffer(1))
"""


def test_a_campaign_ends_the_same_whatever_the_number_of_processes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "test_contexts.py").write_text(SUITE)
    faults = (
        Fault("another-error", "clCreateContext", "", "CL_INVALID_VALUE"),
        Fault("hang", "clCreateContext", "", "", 1),
        Fault("hang", "clCreateContext", "", "", 2),
        Fault("not-released", "clReleaseContext"),
        Fault("slow", "clCreateContext"),
    )
    plan = Plan(suites, Target.simulated("flat-4"), faults)
    results = carry_out(plan, 1)
    assert [result.status for result in results] == ["found", "found", "not-applied", "survived", "equivalent"]
    assert [result.reached for result in results] == [1, 2, 0, 1, 2]
    assert carry_out(plan, 2) == results


def test_items_are_kept_that_target_a_function_with_a_fault() -> None:
    making, asking = (Item(name, (f"{name}/success",), buffers_of(1).act) for name in ("clCreateBuffer", "clFinish"))
    assert targeting([making, asking], {"clCreateBuffer", "clFlush"}) == [making]
