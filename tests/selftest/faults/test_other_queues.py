"""Items find each command that does not wait for the commands of other queues in its wait list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.model.events import Event
from clconform.selftest.faults.events import COMPLETE, INFO, STATUS, waits_for_other_queue, with_number
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.selftest.faults.lazy_device import LazyDevice, get_device
from clconform.selftest.faults.registry import Faults, SimulatedStep
from clconform.selftest.trial import run_item
from clconform.suites.chapters.events.test_other_queues import (
    EFFECTS_WITHOUT_LIST,
    FENCES_WITH_LIST,
    OTHER_QUEUE,
    WAIT,
    cases,
)
from clconform.suites.kit.commands import command_functions

from .attribution import run_and_get_deviating
from .in_this_process import find_missed, open_session

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

    from .in_this_process import Change

BARRIER = "clEnqueueBarrierWithWaitList/effect/7"
FOUND = {
    "marker-ignores-events-of-other-queues": {OTHER_QUEUE, "clEnqueueMarkerWithWaitList/effect/6"},
    "barrier-ignores-events-of-other-queues": {OTHER_QUEUE, "clEnqueueBarrierWithWaitList/effect/6"},
    "kernel-ignores-events-of-other-queues": {OTHER_QUEUE},
    "image-fill-ignores-events-of-other-queues": {OTHER_QUEUE},
    "barriers-and-waits-ignore-other-queues": {BARRIER, f"{WAIT}/effect/1"},
    "copies-ignore-other-queues": {OTHER_QUEUE},
    "marker-wait-is-no-wait": {"clEnqueueMarkerWithWaitList/effect/5", "clEnqueueMarker/effect/2"},
}
"""The requirements that each fault must violate."""


@pytest.mark.parametrize("fault", FOUND)
def test_fault_of_waits_for_other_queues_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_missed(monkeypatch, get_every_fault()[fault], cases(), FOUND[fault]) == set()


def complete_early(function: str) -> Change:
    """Return a fault: a command of a function is complete before the commands of other queues that it waits for."""
    faults = Faults()

    @faults.plant(INFO, query=STATUS, succeeded=True)
    def complete(step: SimulatedStep) -> Outcome | None:
        """Return CL_COMPLETE for the command."""
        event = step.find("event", Event)
        mine = event is not None and event.command is not None and event.command.function == function
        return with_number(step, COMPLETE) if mine and event is not None and waits_for_other_queue(event) else None

    return faults.entries["complete"]


@pytest.mark.parametrize("function", sorted({*command_functions(), *FENCES_WITH_LIST} - {*EFFECTS_WITHOUT_LIST, WAIT}))
def test_each_command_that_completes_early_is_found(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = [each for each in cases() if each.requirement == f"{function}/success"]
    assert mine
    for each in mine:
        assert find_missed(monkeypatch, complete_early(function), [each], {STATUS}) == set()


def test_device_that_only_defers_commands_conforms(monkeypatch: pytest.MonkeyPatch) -> None:
    late: Change = lambda simulation, call, outcome: get_device(simulation, LazyDevice).process(call, outcome)  # noqa: E731
    session, recorder = open_session(monkeypatch, late)
    for case in cases():
        run_item(case, session)
    assert not recorder.deviations


@pytest.mark.parametrize("topology", ["everything", "two-devices", "everything-1.2"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", cases()) == set()
