"""A call with a handle of another object type has no effect on the model, even if the simulated platform accepts it."""

from __future__ import annotations

from clconform.calls.call import Call, Returned
from clconform.calls.values import Handle, HostCallback
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load


def test_event_callback_call_with_platform_handle_registers_no_callback() -> None:
    simulation = Simulation(load(), "everything", TOPOLOGIES["everything"])
    asked = {"event": Handle("platform1"), "command_exec_callback_type": 0, "pfn_notify": HostCallback("complete")}
    outcome = simulation.make_call(Call("clSetEventCallback", {**asked, "user_data": None}))
    assert isinstance(outcome, Returned)
    assert outcome.callbacks == []
    assert simulation.model.callback_registrations == []
