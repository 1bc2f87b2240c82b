"""Error conditions of ND-ranges: dimensions, sizes, offsets, work-groups (sections 5.9.4 and 5.10)."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.clauses.launches import device_of
from clconform.oracles.chapters.execution.ranges import ends_too_early, is_empty, numbers, of_work_items, range_of
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import SourceProgram
from clconform.oracles.model.spirv import IN_SUB_GROUPS, SUB_GROUPS

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.versions import Version
    from clconform.oracles.model.world import Model

rules = Rules()

STANDARD = re.compile(r"-cl-std=CL([0-9])\.[0-9]")
UNIFORM = "-cl-uniform-work-group-size"
NO_WORK_ITEM = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6"
AXES = 3
"""Number of dimensions in the attribute for a required work-group size."""


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
)
def no_such_dimensions(call: Call, model: Model) -> Reply:
    """work_dim is 0, or greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    if ends_too_early(call):
        return Answer.UNDEFINED
    if call.work_dim == 0:
        return Answer.MUST
    return bool(call.work_dim > device_of(call, model).number("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"))


@rules.part(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/2",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/2",
)
def too_many_dimensions(call: Call, model: Model) -> Reply:
    """work_dim is greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    return bool(call.work_dim > device_of(call, model).number("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"))


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1",
)
def no_work_items(call: Call, _model: Model) -> Reply:
    """global_work_size is NULL, or it is 0 in a dimension."""
    return is_empty(call)


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/2",
)
def size_beyond_the_device(call: Call, model: Model) -> Reply:
    """A value in global_work_size is greater than the largest size_t of the device of command_queue."""
    found = any(size > _largest(call, model) for size in numbers(call, "global_work_size") or ())
    return May("range-without-work-items") if found and is_empty(call) else found


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
)
def offset_beyond_the_device(call: Call, model: Model) -> Reply:
    """global_work_size + global_work_offset in a dimension exceeds the largest size_t of command_queue's device.

    Before version 1.1, the condition is that global_work_offset is not NULL.
    """
    if call.global_work_offset is None:
        return Answer.NO
    if version_of(device_of(call, model)) < (1, 1):
        return Answer.MUST
    if is_empty(call):
        return May("range-without-work-items")
    known = range_of(call)
    return any(start + size > _largest(call, model) for start, size in zip(known.offset, known.sizes, strict=True))


def _largest(call: Call, model: Model) -> int:
    """Return the largest size_t of the device; UnknownError if it reports an invalid address width."""
    return (1 << device_of(call, model).address_bits) - 1


# work-groups


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1")
@of_work_items
def not_the_required_size(call: Call, model: Model) -> Reply:
    """local_work_size is not NULL and differs from the reqd_work_group_size in the source of kernel."""
    group = _required(call, model)
    local = numbers(call, "local_work_size")
    if not any(group):
        return Answer.NO
    if local is None:
        return May("required-size-without-a-local-size")
    return (*local, 1, 1)[: max(AXES, len(local))] != group


@rules.clause("clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/1")
def not_one_work_item(call: Call, model: Model) -> Reply:
    """reqd_work_group_size in the source of kernel requires another size than (1, 1, 1)."""
    group = _required(call, model)
    return any(group) and group != (1, 1, 1)


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2", "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2")
@of_work_items
def not_the_required_sub_groups(call: Call, model: Model) -> Reply:
    """The work-group has fewer work-items than the number of sub-groups that kernel requires.

    It applies only to kernels of IL modules, because OpenCL C has no attribute for the number of sub-groups. The error
    is optional for work-groups that are large enough, as their number of sub-groups is implementation-defined.
    """
    kernel, local = model.get(Kernel, call.kernel), range_of(call).local
    if isinstance(kernel.program, SourceProgram) or local is None:
        return Answer.NO
    if kernel.ours != IN_SUB_GROUPS or math.prod(local) >= SUB_GROUPS:
        raise UnknownError("the required number of sub-groups")
    return Must("sub-groups-of-a-module")


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3")
@of_work_items
def too_large_for_the_kernel(call: Call, model: Model) -> Reply:
    """The product of the values in local_work_size is greater than CL_KERNEL_WORK_GROUP_SIZE."""
    local = numbers(call, "local_work_size")
    if local is None:
        return Answer.NO
    kernel, device = model.get(Kernel, call.kernel), device_of(call, model)
    most = kernel.facts.get(f"CL_KERNEL_WORK_GROUP_SIZE@{device.name}")
    if not isinstance(most, int):
        raise UnknownError("CL_KERNEL_WORK_GROUP_SIZE")
    return math.prod(local) > most


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
@of_work_items
def not_divided_evenly(call: Call, model: Model) -> Reply:
    """global_work_size is not a multiple of local_work_size in a dimension, and the work-groups must be uniform.

    They must be uniform on a device before 2.0, on a device of 3.0 without CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
    and for a program from source that was built without -cl-std=CL2.0 or later, or with -cl-uniform-work-group-size.
    """
    known = range_of(call)
    if known.local is None or known.uniform:
        return Answer.NO
    if 0 in known.local:
        return UNKNOWN if _refused_without_work_items(call, model) else Answer.UNDEFINED
    return needs_uniform_groups(model.get(Kernel, call.kernel), device_of(call, model))


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1")
@of_work_items
def too_large_in_a_dimension(call: Call, model: Model) -> Reply:
    """A value in local_work_size is greater than the corresponding value of CL_DEVICE_MAX_WORK_ITEM_SIZES."""
    local = numbers(call, "local_work_size")
    if local is None:
        return Answer.NO
    most = device_of(call, model).facts.get("CL_DEVICE_MAX_WORK_ITEM_SIZES")
    if not isinstance(most, tuple) or len(most) < len(local):
        raise UnknownError("CL_DEVICE_MAX_WORK_ITEM_SIZES")
    return any(isinstance(bound, int) and size > bound for size, bound in zip(local, most, strict=False))


def needs_uniform_groups(kernel: Kernel, device: Device) -> bool:
    """Return whether all work-groups must have the same size; UnknownError if that is not known."""
    if version_of(device) < (2, 0):
        return True
    if version_of(device) >= (3, 0) and device.fact("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT") == 0:
        return True
    program = kernel.program
    build = program.builds.get(device.name) if program is not None else None
    if build is None or build.options is None or not isinstance(program, SourceProgram):
        raise UnknownError("the build")
    named = STANDARD.findall(build.options)
    return UNIFORM in build.options.split() or not named or int(named[-1]) < 2  # noqa: PLR2004 (OpenCL C 2.0)


def _required(call: Call, model: Model) -> tuple[int, int, int]:
    """Return the work-group size that a kernel's source requires, zeros if it does not require any."""
    kernel = model.get(Kernel, call.kernel)
    if kernel.parameters is None:
        raise UnknownError("the required size")
    return kernel.known.group if kernel.known is not None else (0, 0, 0)


def version_of(device: Device) -> Version:
    """Return the version of a device; UnknownError if the device does not report it."""
    if not device.tells_version:
        raise UnknownError("CL_DEVICE_VERSION")
    return device.version


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6")
def groups_of_no_work_item(call: Call, model: Model) -> Reply:
    """A value in local_work_size is 0; before version 3.1 the error is optional."""
    local = numbers(call, "local_work_size")
    if local is None or 0 not in local:
        return Answer.NO
    return Answer.MUST if _refused_without_work_items(call, model) else UNKNOWN


def _refused_without_work_items(call: Call, model: Model) -> bool:
    """Return whether the revision has an error condition for work-groups without work-items."""
    return NO_WORK_ITEM in model.tables.records and device_of(call, model).version >= (3, 1)
