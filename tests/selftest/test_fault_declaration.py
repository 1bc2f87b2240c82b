"""The declaration of a planted fault selects the calls that the fault affects."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Hung, Outcome, Output, Returned
from clconform.selftest.faults.registry import ERROR, VALUE, Faults, SimulatedStep
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import find_platform
from clconform.spec_tables import load

CHANGED = Returned(77)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    plan = find_platform("flat-4")
    assert plan is not None
    return Simulation(load(), "flat-4", plan)


def change_outcome(
    simulation: Simulation, call: Call, outcome: Outcome, *functions: str, **conditions: str | bool
) -> Outcome:
    """Return the outcome with a fault that these conditions restrict; the fault returns ``CHANGED``."""
    faults = Faults()
    faults.plant(*functions, **conditions).add("a-fault", "A fault.", lambda _step: CHANGED)  # type: ignore[arg-type]
    return faults.entries["a-fault"](simulation, call, outcome)


def make_query(simulation: Simulation, name: str) -> Call:
    return Call("clGetDeviceInfo", {"param_name": simulation.model.constant_value(name)})


def test_fault_affects_only_the_named_functions(simulation: Simulation) -> None:
    call = Call("clFinish", {})
    assert change_outcome(simulation, call, Returned(0), "clFlush", "clFinish") is CHANGED
    assert change_outcome(simulation, call, Returned(0), "clFlush") == Returned(0)
    assert change_outcome(simulation, call, Returned(0)) is CHANGED


def test_fault_keeps_the_outcome_of_a_call_that_has_not_returned(simulation: Simulation) -> None:
    assert change_outcome(simulation, Call("clFinish", {}), Hung(1.0), "clFinish") == Hung(1.0)


def test_fault_affects_only_the_named_query_with_an_output_buffer(simulation: Simulation) -> None:
    call, shown = make_query(simulation, "CL_DEVICE_NAME"), Returned(0, {VALUE: Output(["a"])})
    assert change_outcome(simulation, call, shown, query="CL_DEVICE_NAME") is CHANGED
    assert change_outcome(simulation, call, shown, query="CL_DEVICE_VERSION") is shown
    assert change_outcome(simulation, call, Returned(0), query="CL_DEVICE_NAME") == Returned(0)


def test_fault_affects_only_calls_with_the_required_output(simulation: Simulation) -> None:
    call, shown = Call("clEnqueueReadBuffer", {}), Returned(0, {"ptr": Output([])})
    assert change_outcome(simulation, call, shown, output="ptr") is CHANGED
    assert change_outcome(simulation, call, Returned(0), output="ptr") == Returned(0)


@pytest.mark.parametrize("created", [False, True])
def test_fault_affects_only_calls_with_the_error_code(simulation: Simulation, *, created: bool) -> None:
    code = simulation.model.constant_value("CL_INVALID_VALUE")
    failed = Returned(None, {ERROR: Output([code])}) if created else Returned(code)
    assert change_outcome(simulation, Call("clFinish", {}), failed, error="CL_INVALID_VALUE") is CHANGED
    assert change_outcome(simulation, Call("clFinish", {}), failed, error="CL_INVALID_CONTEXT") is failed


@pytest.mark.parametrize(("value", "succeeded"), [(0, True), ("queue1", True), (-30, False), (None, False)])
def test_fault_affects_only_calls_that_succeeded_or_failed(
    simulation: Simulation, value: int | str | None, *, succeeded: bool
) -> None:
    call, outcome = Call("clFinish", {}), Returned(value)
    assert change_outcome(simulation, call, outcome, succeeded=succeeded) is CHANGED
    assert change_outcome(simulation, call, outcome, succeeded=not succeeded) is outcome


def test_function_that_returns_none_keeps_the_outcome(simulation: Simulation) -> None:
    faults = Faults()

    @faults.plant()
    def unchanged_outcome(_step: SimulatedStep) -> None:
        """Nothing changes."""

    outcome = Returned(0)
    assert faults.entries["unchanged-outcome"](simulation, Call("clFinish", {}), outcome) is outcome
    assert faults.entries["unchanged-outcome"].__doc__ == "Nothing changes."
