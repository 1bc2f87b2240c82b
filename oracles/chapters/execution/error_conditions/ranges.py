"""Error conditions of ND-ranges: dimensions, sizes, offsets, work-groups (sections 5.9.4 and 5.10)."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.chapters.execution.nd_range import (
    is_array_too_short,
    is_empty,
    optional_if_empty,
    read_range,
    read_sizes,
)
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    may,
    must_by,
    must_if,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import SourceProgram
from clconform.oracles.model.spirv import SUB_GROUP_COUNT, SUB_GROUPS_KERNEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.versions import Version

rules = Rules()

STANDARD = re.compile(r"-cl-std=CL([0-9])\.[0-9]")
UNIFORM = "-cl-uniform-work-group-size"
ZERO_LOCAL_SIZE = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6"
REQUIRED_SIZE, INCLUDE = "reqd_work_group_size", "include"
"""Texts in a source that may affect the required size of a kernel."""
MAX_DIMENSIONS = 3
"""Number of values in the attribute reqd_work_group_size."""


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
)
def is_work_dim_invalid(call: Call, model: Model) -> PredicateResult:
    """work_dim is 0, or greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    if is_array_too_short(call):
        return UNDEFINED
    if call.work_dim == 0:
        return MUST
    return must_if(bool(call.work_dim > executing_device(call, model).number("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS")))


@rules.alternatives_of(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
)
def find_work_dim_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: work_dim is 0 or above the limit."""
    del model
    yield "work_dim is 0" if call.work_dim == 0 else "work_dim is greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1",
)
def is_global_size_empty(call: Call, _model: Model) -> PredicateResult:
    """global_work_size is NULL, or it is 0 in a dimension."""
    return must_if(is_empty(call))


@rules.alternatives_of(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1",
)
def find_empty_global_size(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: global_work_size is NULL, or each dimension in which it is 0."""
    del model
    sizes = read_sizes(call, "global_work_size")
    if sizes is None:
        yield "global_work_size is NULL"
    yield from (f"global_work_size[{at}] is 0" for at, size in enumerate(sizes or ()) if size == 0)


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/2",
)
def is_global_size_too_large(call: Call, model: Model) -> PredicateResult:
    """A value in global_work_size is greater than the largest size_t of the device of command_queue."""
    found = any(size > _max_size_t(call, model) for size in read_sizes(call, "global_work_size") or ())
    return may("range-without-work-items") if found and is_empty(call) else must_if(found)


@rules.clause(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
)
def is_offset_too_large(call: Call, model: Model) -> PredicateResult:
    """global_work_size + global_work_offset in a dimension exceeds the largest size_t of command_queue's device.

    Before version 1.1, the condition is that global_work_offset is not NULL.
    """
    if call.global_work_offset is None:
        return NO
    if require_version(executing_device(call, model)) < (1, 1):
        return MUST
    if is_empty(call):
        return may("range-without-work-items")
    return must_if(any(_find_large_offsets(call, model)))


def _find_large_offsets(call: Call, model: Model) -> Iterator[str]:
    """Yield each dimension in which the global size and offset exceed the largest size_t."""
    known = read_range(call)
    for at, (start, size) in enumerate(zip(known.offset, known.sizes, strict=True)):
        if start + size > _max_size_t(call, model):
            yield f"global_work_size[{at}] + global_work_offset[{at}] exceeds the largest size_t of the device"


@rules.alternatives_of(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
)
def find_offset_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each dimension that exceeds the largest size_t; before version 1.1, that an offset is passed."""
    if require_version(executing_device(call, model)) < (1, 1):
        yield "global_work_offset is not NULL and the device has a version before 1.1"
    else:
        yield from _find_large_offsets(call, model)


def _max_size_t(call: Call, model: Model) -> int:
    """Return the largest size_t of the device; raise UnknownFactError if its address width is not valid."""
    return (1 << executing_device(call, model).address_bits) - 1


# work-groups


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1")
@optional_if_empty
def is_not_required_size(call: Call, model: Model) -> PredicateResult:
    """local_work_size is not NULL and differs from the reqd_work_group_size in the source of kernel.

    If local_work_size is NULL, the error is optional on devices before version 3.0, and if global_work_size is not a
    multiple of the reqd_work_group_size.
    """
    group = _required_group_size(call, model)
    local = read_sizes(call, "local_work_size")
    if not any(group):
        return NO
    if local is None:
        fits = all(size % of == 0 for size, of in zip((*read_range(call).sizes, 1, 1), group, strict=False))
        current = require_version(executing_device(call, model)) >= (3, 0)
        return NO if fits and current else may("required-size-with-null-local-size")
    return must_if((*local, 1, 1)[: max(MAX_DIMENSIONS, len(local))] != group)


@rules.clause("clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/1")
def requires_several_work_items(call: Call, model: Model) -> PredicateResult:
    """The source of kernel has a reqd_work_group_size other than (1, 1, 1)."""
    group = _required_group_size(call, model)
    return must_if(any(group) and group != (1, 1, 1))


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2", "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2")
@optional_if_empty
def lacks_required_sub_groups(call: Call, model: Model) -> PredicateResult:
    """The work-group has fewer work-items than the number of sub-groups that kernel requires.

    The condition applies only to kernels of IL modules, because OpenCL C has no attribute for the number of sub-groups.
    The error is optional for larger work-groups, because the division into sub-groups is implementation-defined.
    """
    kernel, local = model.get(Kernel, call.kernel), read_range(call).local
    if isinstance(kernel.program, SourceProgram) or local is None:
        return NO
    if kernel.suite_kernel_name != SUB_GROUPS_KERNEL or math.prod(local) >= SUB_GROUP_COUNT:
        raise UnknownFactError("the required number of sub-groups")
    return must_by("required-sub-groups-of-il")


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3")
@optional_if_empty
def is_group_too_large(call: Call, model: Model) -> PredicateResult:
    """The product of the values in local_work_size is greater than CL_KERNEL_WORK_GROUP_SIZE.

    The limit is the result of the query CL_KERNEL_WORK_GROUP_SIZE for kernel and the device of command_queue.
    """
    local = read_sizes(call, "local_work_size")
    if local is None:
        return NO
    kernel, device = model.get(Kernel, call.kernel), executing_device(call, model)
    most = kernel.facts.get(f"CL_KERNEL_WORK_GROUP_SIZE@{device.name}")
    if not isinstance(most, int):
        raise UnknownFactError("CL_KERNEL_WORK_GROUP_SIZE")
    return must_if(math.prod(local) > most)


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
@optional_if_empty
def is_range_not_uniform(call: Call, model: Model) -> PredicateResult:
    """global_work_size is not a multiple of local_work_size in a dimension, and work-groups must be uniform.

    Work-groups must be uniform on a device of a version before 2.0, and on a device of version 3.0 without
    CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT. They must also be uniform for a program from source that was built without
    -cl-std=CL2.0 or later, or with -cl-uniform-work-group-size.
    """
    known = read_range(call)
    if known.local is None or known.uniform:
        return NO
    if 0 in known.local:
        return UNKNOWN if _forbids_zero_local_size(call, model) else UNDEFINED
    return must_if(needs_uniform_groups(model.get(Kernel, call.kernel), executing_device(call, model)))


@rules.alternatives_of("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
def find_non_uniform_dimensions(call: Call, model: Model) -> Iterator[str]:
    """Yield each dimension that is not a multiple of the work-group, and why work-groups must be uniform."""
    known = read_range(call)
    for at, (size, local) in enumerate(zip(known.sizes, known.local or (), strict=True)):
        if size % local:
            yield f"global_work_size[{at}] is not a multiple of local_work_size[{at}]"
    yield _find_uniformity_reason(model.get(Kernel, call.kernel), executing_device(call, model))


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1")
@optional_if_empty
def is_group_dimension_too_large(call: Call, model: Model) -> PredicateResult:
    """A value in local_work_size is greater than the corresponding value of CL_DEVICE_MAX_WORK_ITEM_SIZES."""
    local = read_sizes(call, "local_work_size")
    if local is None:
        return NO
    most = executing_device(call, model).facts.get("CL_DEVICE_MAX_WORK_ITEM_SIZES")
    if not isinstance(most, tuple) or len(most) < len(local):
        raise UnknownFactError("CL_DEVICE_MAX_WORK_ITEM_SIZES")
    return must_if(any(isinstance(bound, int) and size > bound for size, bound in zip(local, most, strict=False)))


def needs_uniform_groups(kernel: Kernel, device: Device) -> bool:
    """Return whether all work-groups must have the same size; raise UnknownFactError if that is not known."""
    return bool(_find_uniformity_reason(kernel, device))


def _find_uniformity_reason(kernel: Kernel, device: Device) -> str:
    """Return the reason why all work-groups must have the same size; empty if they may differ."""
    if require_version(device) < (2, 0):
        return "the device has a version before 2.0"
    if require_version(device) >= (3, 0) and device.fact("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT") == 0:
        return "the device lacks CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT"
    program = kernel.program
    build = program.builds.get(device.name) if program is not None else None
    if build is None or build.options is None or not isinstance(program, SourceProgram):
        raise UnknownFactError("the build")
    if UNIFORM in build.options.split():
        return f"the program was built with {UNIFORM}"
    named = STANDARD.findall(build.options)
    old = not named or int(named[-1]) < 2  # noqa: PLR2004 (OpenCL C 2.0)
    return "the program was built without -cl-std=CL2.0 or later" if old else ""


def _required_group_size(call: Call, model: Model) -> tuple[int, int, int]:
    """Return the reqd_work_group_size in a kernel's source, zeros if the source does not have one."""
    kernel = model.get(Kernel, call.kernel)
    if kernel.parameters is None:
        return _declared_group_size(kernel, executing_device(call, model))
    return kernel.buffer_kernel.required_group if kernel.buffer_kernel is not None else (0, 0, 0)


def _declared_group_size(kernel: Kernel, device: Device) -> tuple[int, int, int]:
    """Return the reqd_work_group_size that a driver reports for a kernel.

    UnknownFactError if it is not known, or if the source of the kernel's program may contradict the driver.
    """
    group = kernel.declaration.required_groups.get(device.name, ()) if kernel.declaration is not None else ()
    source = kernel.program.source if isinstance(kernel.program, SourceProgram) else INCLUDE
    if len(group) != MAX_DIMENSIONS or INCLUDE in source or any(group) != (REQUIRED_SIZE in source):
        raise UnknownFactError("the required size")
    return group[0], group[1], group[2]


def require_version(device: Device) -> Version:
    """Return the version of a device; raise UnknownFactError if the device does not report one."""
    if not device.reports_version:
        raise UnknownFactError("CL_DEVICE_VERSION")
    return device.version


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6")
def has_zero_local_size(call: Call, model: Model) -> PredicateResult:
    """A value in local_work_size is 0; before version 3.1 the error is optional."""
    local = read_sizes(call, "local_work_size")
    if local is None or 0 not in local:
        return NO
    return MUST if _forbids_zero_local_size(call, model) else UNKNOWN


def _forbids_zero_local_size(call: Call, model: Model) -> bool:
    """Return whether the tables have an error condition for a local size of 0 that applies to the device."""
    return ZERO_LOCAL_SIZE in model.tables.requirements and executing_device(call, model).version >= (3, 1)
