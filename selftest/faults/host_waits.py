"""Faults of calls that wait: they return too early, or with an incorrect status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Hung, Returned
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()


# calls that would hang: ``Faults.plant`` selects only calls that have returned


@faults.declare("wait-returns-immediately")
def wait_returns_immediately(_simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for events returns although another host thread has not set the user events yet."""
    return Returned(0) if call.function == "clWaitForEvents" and isinstance(outcome, Hung) else outcome


@faults.declare("finish-returns-immediately")
def finish_returns_immediately(_simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFinish returns although commands of the queue still wait for a user event."""
    return Returned(0) if call.function == "clFinish" and isinstance(outcome, Hung) else outcome


# calls that have returned


faults.plant(error="CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST").add(
    "wait-hides-event-errors",
    "Waits for events and blocking commands succeed although an awaited event ended with an error.",
    SimulatedStep.accept,
)
