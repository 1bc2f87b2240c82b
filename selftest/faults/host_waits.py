"""Faults of calls that wait: they return too early, or with an incorrect status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Hung, Returned
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def wait_returns_immediately(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for events returns although another host thread has not set the user events yet."""
    del simulation
    return Returned(0) if call.function == "clWaitForEvents" and isinstance(outcome, Hung) else outcome


@faults.plant
def finish_returns_immediately(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFinish returns although commands of the queue still wait for a user event."""
    del simulation
    return Returned(0) if call.function == "clFinish" and isinstance(outcome, Hung) else outcome


@faults.plant
def wait_hides_event_errors(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Waits for events and blocking commands succeed although an awaited event ended with an error."""
    del call
    failed = simulation.tables.enumerants["CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"].value
    if isinstance(outcome, Returned) and outcome.value == failed:
        return msgspec.structs.replace(outcome, value=0)
    return outcome
