"""A fault of every function: invalid calls fail with an error code that means something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.selftest.faults.registry import ERROR, Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()

OTHER_CODE = "CL_BUILD_PROGRAM_FAILURE"
"""An error code that is an error of few functions."""


@faults.plant(succeeded=False)
def other_error_codes(step: SimulatedStep) -> Outcome | None:
    """Every function that fails reports a failed build."""
    if isinstance(step.outcome.value, int) and step.outcome.value < 0:
        return step.fail(OTHER_CODE)
    output = step.outcome.outputs.get(ERROR)
    has_failed = output is not None and any(isinstance(code, int) and code < 0 for code in output.values)
    return step.fail_creation(OTHER_CODE) if has_failed else None
