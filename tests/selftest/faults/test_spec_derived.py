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

from .attribution import get_violated
from .in_this_process import open_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.runner.pytest_plugin.covers import TableCase

TIMES: tuple[Callable[[], Iterable[TableCase]], str] = (test_timestamps.cases, "OpenCL:execution-model/17")
FOUND: dict[str, tuple[Callable[[], Iterable[TableCase]], str]] = {
    "one-callback-per-event": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "failed-command-callback-gets-complete": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "submitted-running-callbacks-lost": (test_event_callbacks.cases, "clSetEventCallback/success"),
    "complete-timestamp-before-end": (test_timestamps.cases, "CL_PROFILING_COMMAND_COMPLETE"),
    "timestamps-ignore-wait-list": TIMES,
    "timestamps-use-other-clock": (test_timers.cases, "clGetDeviceAndHostTimer/effect/7"),
    "flush-submits-first-command-only": (test_timestamps.cases, "clFinish/success"),
    "blocking-call-does-not-flush": (test_timestamps.cases, "clFinish/success"),
    "queue-wait-does-not-block": (test_order.cases, "clEnqueueWaitForEvents/effect/2"),
    "error-propagates-only-once": (test_states.cases, "clSetUserEventStatus/effect/1"),
    "marker-event-without-queue": (test_states.cases, "CL_EVENT_COMMAND_QUEUE"),
    "sub-buffer-write-invisible-in-parent": (test_visibility.cases, "clEnqueueWriteBuffer/success"),
    "unmapped-writes-visible-in-one-queue": (test_visibility.cases, "clEnqueueUnmapMemObject/success"),
    "pending-kernel-memory-freed": (test_visibility.cases, "CL_EVENT_COMMAND_EXECUTION_STATUS"),
}
"""For each fault, the items that find it, and a requirement that they find violated."""


def test_every_spec_derived_fault_has_an_expected_result() -> None:
    assert FOUND.keys() == spec_derived.faults.entries.keys()


@pytest.mark.parametrize("fault", FOUND)
def test_spec_derived_fault_is_found_by_table_driven_items(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases, requirement = FOUND[fault]
    session, recorder = open_session(monkeypatch, get_every_fault()[fault])
    for case in cases():
        run_item(case, session)
        if requirement in get_violated(recorder):
            return
    pytest.fail(f"{fault} violates other records, or none: {get_violated(recorder)}")
