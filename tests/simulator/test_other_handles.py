"""A call with a handle of another object type has no effects, whether or not the platform rejects it."""

from __future__ import annotations

from clconform.calls.call import Call, Returned
from clconform.calls.values import Callback, Handle
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load


def test_a_callback_for_an_event_that_is_none_is_never_owed() -> None:
    simulation = Simulation(load(), "everything", TOPOLOGIES["everything"])
    asked = {"event": Handle("platform1"), "command_exec_callback_type": 0, "pfn_notify": Callback("complete")}
    outcome = simulation.answer(Call("clSetEventCallback", {**asked, "user_data": None}))
    assert isinstance(outcome, Returned)
    assert outcome.called_back == []
    assert simulation.model.registered == []
