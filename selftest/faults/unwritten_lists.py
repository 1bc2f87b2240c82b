"""Faults of calls that request a list together with its number: the number is returned, and the list is not written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome

faults = Faults()

LISTS = {
    "clGetPlatformIDs": ("platforms", "num_platforms"),
    "clGetDeviceIDs": ("devices", "num_devices"),
    "clGetSupportedImageFormats": ("image_formats", "num_image_formats"),
    "clCreateKernelsInProgram": ("kernels", "num_kernels_ret"),
}
"""For each function, the outputs for the list and for its number."""


def _leave_unwritten(listed: str, number: str) -> Callable[[SimulatedStep], Outcome | None]:
    """Return a fault that leaves a list unwritten if the call also returns its number."""

    def change(step: SimulatedStep) -> Outcome | None:
        outputs = step.outcome.outputs
        if listed not in outputs or number not in outputs:
            return None
        return step.with_values(listed, [UNTOUCHED] * len(outputs[listed].values))

    return change


for _function, (_listed, _number) in LISTS.items():
    faults.plant(_function, succeeded=True).add(
        f"{_listed.replace('_', '-')}-not-written-with-their-number",
        f"{_function} does not write {_listed} if the call also requests {_number}.",
        _leave_unwritten(_listed, _number),
    )
