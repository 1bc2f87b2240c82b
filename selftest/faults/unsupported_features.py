"""A fault of devices that lack a feature: calls that need the feature fail with an unexpected error code."""

from __future__ import annotations

from clconform.calls.call import Outcome, Output
from clconform.selftest.faults.registry import ERROR, Faults, SimulatedStep

faults = Faults()

MISSING_FEATURE_ERRORS = ("CL_INVALID_OPERATION", "CL_COMPILER_NOT_AVAILABLE", "CL_LINKER_NOT_AVAILABLE")
OTHER = "CL_INVALID_PROPERTY"


@faults.plant()
def missing_feature_error_code(step: SimulatedStep) -> Outcome | None:
    """A call that needs a missing feature returns CL_INVALID_PROPERTY instead of the specified error."""
    if not any(step.has_error(name) for name in MISSING_FEATURE_ERRORS):
        return None
    if ERROR in step.outcome.outputs:
        return step.outcome.with_outputs(errcode_ret=Output([step.constant(OTHER)], 4))
    function = step.model.tables.functions.get(step.call.function)
    return step.fail(OTHER) if function is not None and function.error_by == "return" else None
