"""Limits of work-groups on a device and for a kernel: total work-items, and work-items per dimension."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import OutputBuffer
from clconform.suites.helpers import is_success, skip_unless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit

GROUP_SIZE, ITEM_SIZES, DIMENSIONS = (
    "CL_KERNEL_WORK_GROUP_SIZE",
    "CL_DEVICE_MAX_WORK_ITEM_SIZES",
    "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS",
)
PREFERRED = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
SIZE_BYTES = 8
LARGEST_TESTED = 1 << 16
"""The largest work-group size that is tested, in work-items."""


def get_largest_group(kit: Kit, kernel: Handle) -> int:
    """Return the maximum work-group size of a kernel; skip where the device does not report a valid number."""
    asked = (kernel, kit.cl.device, kit.constant(GROUP_SIZE), SIZE_BYTES, OutputBuffer(SIZE_BYTES), None)
    outcome = kit.cl.clGetKernelWorkGroupInfo(*asked)
    most = outcome.outputs["param_value"].values[0] if is_success(outcome) else 0
    if not isinstance(most, int) or not 0 < most <= LARGEST_TESTED:
        pytest.skip(f"the device reports no usable {GROUP_SIZE}")
    return most


def get_preferred_multiple(kit: Kit, kernel: Handle) -> int:
    """Return the preferred multiple of a kernel's work-group size; 0 where the device does not report it."""
    asked = (kernel, kit.cl.device, kit.constant(PREFERRED), SIZE_BYTES, OutputBuffer(SIZE_BYTES), None)
    outcome = kit.cl.clGetKernelWorkGroupInfo(*asked)
    told = outcome.outputs["param_value"].values[0] if is_success(outcome) else 0
    return told if isinstance(told, int) else 0


def get_largest_sizes(kit: Kit) -> tuple[int, ...]:
    """Return the maximum number of work-items of a work-group in each dimension."""
    sizes = tuple(kit.cl.fact(ITEM_SIZES) or ())
    skip_unless(len(sizes) > 2 and all(sizes), f"the device reports no usable {ITEM_SIZES}")  # noqa: PLR2004 (dimensions)
    return sizes


def fits(kit: Kit, kernel: Handle, local: Sequence[int]) -> bool:
    """Return whether a kernel allows work-groups of these sizes."""
    within = all(size <= most for size, most in zip(local, get_largest_sizes(kit), strict=False))
    return within and math.prod(local) <= get_largest_group(kit, kernel)
