"""Limits of work-groups on a device and for a kernel: total work-items, and work-items per dimension."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.suites.steps import needs, succeeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit

MOST, EACH, DIMENSIONS = (
    "CL_KERNEL_WORK_GROUP_SIZE",
    "CL_DEVICE_MAX_WORK_ITEM_SIZES",
    "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS",
)
PREFERRED = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
SIZE_BYTES = 8
LARGEST_ASKED = 1 << 16
"""The largest work-group whose limit is tested, in work-items."""


def largest_group(kit: Kit, kernel: Handle) -> int:
    """Return the maximum work-group size of a kernel; skip where the device does not report a usable value."""
    asked = (kernel, kit.cl.device, kit.value(MOST), SIZE_BYTES, OutputBuffer(SIZE_BYTES), None)
    outcome = kit.cl.clGetKernelWorkGroupInfo(*asked)
    most = outcome.outputs["param_value"].values[0] if succeeded(outcome) else 0
    needs(isinstance(most, int) and 0 < most <= LARGEST_ASKED, f"the device reports no usable {MOST}")
    return int(most or 0)


def preferred_multiple(kit: Kit, kernel: Handle) -> int:
    """Return the preferred multiple of a kernel's work-group size; 0 where the device does not report it."""
    asked = (kernel, kit.cl.device, kit.value(PREFERRED), SIZE_BYTES, OutputBuffer(SIZE_BYTES), None)
    outcome = kit.cl.clGetKernelWorkGroupInfo(*asked)
    told = outcome.outputs["param_value"].values[0] if succeeded(outcome) else 0
    return told if isinstance(told, int) else 0


def largest_sizes(kit: Kit) -> tuple[int, ...]:
    """Return the maximum number of work-items of a work-group in each dimension."""
    sizes = tuple(kit.cl.fact(EACH) or ())
    needs(len(sizes) > 2 and all(sizes), f"the device reports no usable {EACH}")  # noqa: PLR2004 (dimensions)
    return sizes


def fits(kit: Kit, kernel: Handle, local: Sequence[int]) -> bool:
    """Return whether a kernel allows work-groups of these sizes."""
    within = all(size <= most for size, most in zip(local, largest_sizes(kit), strict=False))
    return within and math.prod(local) <= largest_group(kit, kernel)
