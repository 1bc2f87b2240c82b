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
    "host-ptr-never-updated": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "host-ptr-contents-ignored": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "host-ptr-map-elsewhere": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "wait-returns-early-once-in-fifty": (lambda: test_timestamps.cases, "CL_PROFILING_COMMAND_COMPLETE"),
    "wait-for-first-event-only": TIMES,
    "finish-ignores-other-queues": (test_timers.cases, "clGetDeviceAndHostTimer/effect/7"),
    "finish-waits-for-last-command-only": (lambda: test_timestamps.cases, "clFinish/success"),
    "flush-ignored": (lambda: test_timestamps.cases, "clFinish/success"),
    "release-frees-memory-in-use": (lambda: test_order.cases, "clEnqueueReadBuffer/success"),
    "writes-invisible-in-other-queues": (lambda: test_states.cases, "clSetUserEventStatus/effect/1"),
    "completion-not-reported": (lambda: test_states.cases, "CL_EVENT_COMMAND_QUEUE"),
    "blocking-read-returns-early": (lambda: test_visibility.cases, "clEnqueueReadBuffer/success"),
    "second-queue-of-device-rejected": (lambda: test_visibility.cases, "clEnqueueUnmapMemObject/success"),
    "wait-returns-immediately": (lambda: test_visibility.cases, "CL_EVENT_COMMAND_EXECUTION_STATUS"),
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
