"""A fault of devices that lack a feature: calls that need the feature fail with an unexpected error code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

MISSING_FEATURE_ERRORS = ("CL_INVALID_OPERATION", "CL_COMPILER_NOT_AVAILABLE", "CL_LINKER_NOT_AVAILABLE")
OTHER = "CL_INVALID_PROPERTY"


@faults.plant
def missing_feature_error_code(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call that needs a missing feature returns CL_INVALID_PROPERTY instead of the specified error."""
    lacking = {simulation.model.constant_value(name) for name in MISSING_FEATURE_ERRORS}
    if not isinstance(outcome, Returned):
        return outcome
    other = simulation.model.constant_value(OTHER)
    told = outcome.outputs.get("errcode_ret")
    if told is not None and told.values[:1] and told.values[0] in lacking:
        return outcome.with_outputs(errcode_ret=Output([other], 4))
    function = simulation.model.tables.functions.get(call.function)
    by_value = function is not None and function.error_by == "return"
    return Returned(other, outcome.outputs) if by_value and outcome.value in lacking else outcome
