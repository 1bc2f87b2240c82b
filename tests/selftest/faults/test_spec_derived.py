"""Each fault derived from the specification alone is found by table-driven items, independent of any seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.selftest.faults import spec_derived
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.selftest.trial import run_item
from clconform.suites.chapters.events import test_order, test_states, test_timestamps
from clconform.suites.chapters.memory_model import test_visibility
from clconform.suites.chapters.notifications import test_event_callbacks
from clconform.suites.chapters.platforms import test_timers

from .blaming import get_violated
from .in_this_process import open_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.runner.pytest_plugin.covers import TableCase

TIMES: tuple[Callable[[], Iterable[TableCase]], str] = (lambda: test_timestamps.cases, "OpenCL:execution-model/17")
FOUND: dict[str, tuple[Callable[[], Iterable[TableCase]], str]] = {
    "events-call-one-callback-only": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "callbacks-of-failed-commands-tell-of-success": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "callbacks-for-the-start-are-lost": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "children-end-before-their-parents": (lambda: test_timestamps.cases, "CL_PROFILING_COMMAND_COMPLETE"),
    "all-commands-run-at-the-same-time": TIMES,
    "times-are-of-another-clock": (test_timers.cases, "clGetDeviceAndHostTimer/effect/7"),
    "flushes-submit-the-first-command-only": (lambda: test_timestamps.cases, "clFinish/success"),
    "blocking-calls-submit-what-they-need-only": (lambda: test_timestamps.cases, "clFinish/success"),
    "waits-in-queues-hold-nothing-up": (lambda: test_order.cases, "clEnqueueReadBuffer/success"),
    "errors-reach-the-next-command-only": (lambda: test_states.cases, "clSetUserEventStatus/effect/1"),
    "markers-belong-to-no-queue": (lambda: test_states.cases, "CL_EVENT_COMMAND_QUEUE"),
    "writes-to-regions-come-late": (lambda: test_visibility.cases, "clEnqueueReadBuffer/success"),
    "unmapped-bytes-stay-in-their-queue": (lambda: test_visibility.cases, "clEnqueueUnmapMemObject/success"),
    "kernels-work-on-released-memory": (lambda: test_visibility.cases, "CL_EVENT_COMMAND_EXECUTION_STATUS"),
}
"""For each fault, the items that find it, and a requirement that they find violated."""


def test_every_fault_has_a_row() -> None:
    assert FOUND.keys() == spec_derived.faults.entries.keys()


@pytest.mark.parametrize("fault", FOUND)
def test_fault_is_found_in_the_table(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases, record = FOUND[fault]
    session, recorder = open_session(monkeypatch, get_every_fault()[fault])
    for case in cases():
        run_item(case, session)
        if record in get_violated(recorder):
            return
    pytest.fail(f"{fault} violates other records, or none: {get_violated(recorder)}")
