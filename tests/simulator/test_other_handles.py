"""A call with a handle of another object type has no effects, whether or not the platform rejects it."""

from __future__ import annotations

from clconform.calls.call import Call, Returned
from clconform.calls.values import Handle, HostCallback
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load


def test_callback_of_invalid_event_is_not_expected() -> None:
    simulation = Simulation(load(), "everything", TOPOLOGIES["everything"])
    asked = {"event": Handle("platform1"), "command_exec_callback_type": 0, "pfn_notify": HostCallback("complete")}
    outcome = simulation.make_call(Call("clSetEventCallback", {**asked, "user_data": None}))
    assert isinstance(outcome, Returned)
    assert outcome.callbacks == []
    assert simulation.model.callback_registrations == []
