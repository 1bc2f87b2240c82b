"""Platforms with another revision of command-buffers: only what reads alike is judged, and faults in it are found.

Without the history of the extension, no requirement of command-buffers applies to these platforms.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session.errors import OtherRevisionError, UndefinedCallError
from clconform.selftest.false_alarms.alarms import find_alarms
from clconform.spec_tables import load
from clconform.suites.chapters.command_buffers.test_handles import cases as handles
from clconform.suites.chapters.command_buffers.test_instances import cases as instances
from clconform.suites.chapters.command_buffers.test_updates import cases as updates
from clconform.suites.kit.kit import Kit

from ..suite_items import collect_suite_items  # noqa: TID252 (tests are not part of the installed package)
from .attribution import get_messages, open_session, record_run, run_and_get_deviating
from .calls import get_invalid_cases

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

INVALID_CASES = [case for case in get_invalid_cases() if "Command" in case.requirement]
CASES = [*instances(), *updates(), *handles(), *INVALID_CASES]
QUERIES = "clGetCommandBufferInfoKHR/success"
STATE = "CL_COMMAND_BUFFER_STATE_KHR"
INCOMPATIBLE = "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1"
FOUND = {
    ("commands-0.9.0", "incompatible-queue-accepted"): (INCOMPATIBLE,) * 2,
    ("commands-0.9.6", "finalized-stays-recording"): (STATE, "OpenCL:command-buffer-lifecycle/1"),
    ("commands-0.9.6", "incompatible-queue-accepted"): (INCOMPATIBLE,) * 2,
    ("commands-0.9.6", "recording-after-finalize-accepted"): ("clCommandFillBufferKHR/CL_INVALID_OPERATION/1",) * 2,
    ("commands-0.9.6", "last-recorded-command-skipped"): ("clCommandCopyBufferKHR/success",) * 2,
    ("commands-0.9.6", "updates-not-applied"): ("clUpdateMutableCommandsKHR/success",) * 2,
}
"""For topology and fault: the requirement that deviates, and the target of the items that find it."""


@pytest.mark.parametrize(("topology", "fault"), FOUND)
def test_fault_is_found_on_a_platform_with_another_revision(topology: str, fault: str) -> None:
    blamed, aimed = FOUND[topology, fault]
    items = [case for case in CASES if aimed in (case.requirement, *case.further_requirements)]
    assert blamed in run_and_get_deviating(topology, fault, items, until=[blamed])


@pytest.mark.parametrize(
    ("fault", "blamed"),
    [
        ("finalized-stays-recording", STATE),
        ("query-size-off-by-one", "CL_COMMAND_BUFFER_QUEUES_KHR"),
        ("short-query-buffer-accepted", "clGetCommandBufferInfoKHR/CL_INVALID_VALUE/1"),
    ],
)
def test_fault_of_queries_is_found_on_a_platform_with_another_revision(fault: str, blamed: str) -> None:
    items = [item for item in collect_suite_items(SUITES / "queries") if QUERIES in item.requirements]
    assert items
    assert blamed in get_messages("commands-0.9.0", fault, items, blamed)


@pytest.mark.parametrize("topology", ["commands-0.9.0", "commands-0.9.6"])
def test_platform_with_another_revision_is_not_accused(topology: str) -> None:
    assert not record_run(topology, "", CASES).deviations


@pytest.mark.parametrize("topology", ["commands-0.9.0", "commands-0.9.6"])
@pytest.mark.parametrize("seed", [1, 2])
def test_allowed_outcomes_of_another_revision_raise_no_alarm(topology: str, seed: int) -> None:
    items = [SuiteItem(case.id, (case.requirement,), case.action) for case in CASES[seed::4]]
    tried = find_alarms(topology, seed, items, load())
    assert tried.items > tried.incomplete_items
    assert not list(tried.alarms.values())


def test_function_with_other_parameters_is_not_called() -> None:
    with open_session("commands-0.9.0", "", Recorder(None)) as session, session.example():
        kit = Kit(session)
        buffer = kit.command_buffer()
        calls = session.call_count
        with pytest.raises(OtherRevisionError, match="changed at revision 0"):
            session.clCommandBarrierWithWaitListKHR(buffer, None, None, 0, None, None, None)
        assert session.call_count == calls


@pytest.mark.parametrize(
    ("topology", "use"),
    [("commands-0.9.0", pytest.raises(UndefinedCallError)), ("commands-0.9.6", contextlib.nullcontext())],
)
def test_command_buffer_of_a_released_queue_is_used_only_if_it_keeps_references(
    topology: str, use: AbstractContextManager[object]
) -> None:
    with open_session(topology, "", Recorder(None)) as session, session.example():
        kit = Kit(session)
        queue = kit.command_buffer_queue()
        buffer = kit.finalized_command_buffer(None, queue)
        session.clReleaseCommandQueue(queue)
        with use:
            session.clEnqueueCommandBufferKHR(0, None, buffer, 0, None, None)
