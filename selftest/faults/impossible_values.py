"""Faults of device queries whose values other rules use: only the requirement on the value itself is violated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.devices import Device
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome

faults = Faults()

QUERY, FEATURES = "clGetDeviceInfo", "CL_DEVICE_OPENCL_C_FEATURES"
ZEROS = {
    "root-device-without-compute-units": "CL_DEVICE_MAX_COMPUTE_UNITS",
    "root-device-without-work-item-dimensions": "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS",
    "root-device-without-address-alignment": "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
}
"""Maps names of faults to the queries for which root devices return 0."""


def _return_zero(step: SimulatedStep) -> Outcome | None:
    """Return 0 for a root device."""
    device = step.find("device", Device)
    return step.with_values(VALUE, [0]) if device is not None and device.is_root else None


for _name, _query in ZEROS.items():
    faults.plant(QUERY, query=_query, succeeded=True).add(_name, f"{_query} is 0 for root devices.", _return_zero)


def _pad_names(padding: Callable[[str], str]) -> Callable[[SimulatedStep], Outcome | None]:
    """Return a fault that changes the name of each listed feature."""
    return lambda step: step.with_values(
        VALUE, [padding(each) if isinstance(each, str) else each for each in step.outcome.outputs[VALUE].values]
    )


for _place, _padding in (("before", " {}".format), ("after", "{} ".format)):
    faults.plant(QUERY, query=FEATURES, succeeded=True).add(
        f"space-{_place}-feature-names",
        f"The name of each feature in {FEATURES} has a space {_place} it.",
        _pad_names(_padding),
    )
