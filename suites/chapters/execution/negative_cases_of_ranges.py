"""Kernel enqueues (section 5.10): invalid ranges and work-groups, and valid ones at the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.suites.chapters.execution.groups import (
    DIMENSIONS,
    LARGEST_TESTED,
    get_largest_group,
    get_largest_sizes,
    get_preferred_multiple,
)
from clconform.suites.chapters.execution.kernels import (
    build_for_c2,
    get_add_alone,
    get_add_scaled,
    get_kernel_for_large_groups,
    get_offset_independent_kernel,
    get_standard_option,
    set_arguments,
)
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import has_version, skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
MAX_DIMENSIONS = 64
"""The maximum number of dimensions of a range in a test."""
AXES = 3


# dimensions


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
)
def invalid_dimensions() -> Iterator[Variation]:
    """Yield zero dimensions, and one more than the device's maximum."""
    yield Variation("work_dim=0", {"work_dim": 0})
    yield Variation("work_dim=most+1", bind_values(_with_dimensions, 1))


@variations.declare("clEnqueueNDRangeKernel/success", "clGetKernelSuggestedLocalWorkSizeKHR/success")
def maximum_dimensions() -> Iterator[Variation]:
    """Yield the device's maximum number of dimensions."""
    yield Variation("work_dim=most", bind_values(_with_dimensions, 0))


def _with_dimensions(kit: Kit, _given: Arguments, extra: int) -> Mapping[str, Value]:
    most = kit.cl.fact(DIMENSIONS) or 0
    skip_unless(0 < most <= MAX_DIMENSIONS, f"the device reports no usable {DIMENSIONS}")
    return {"work_dim": most + extra, "global_work_size": ElementList((4, *[1] * (most + extra - 1)))}


# sizes and offsets


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1",
)
def empty_ranges() -> Iterator[Variation]:
    """Yield NULL as the global size, and a global size of 0 in each of two dimensions."""
    yield Variation("global_work_size=NULL", {"global_work_size": None})
    yield Variation("global_work_size=(0)", {"global_work_size": ElementList((0,))})
    yield Variation("global_work_size=(4, 0)", {"work_dim": 2, "global_work_size": ElementList((4, 0))})
    yield Variation("global_work_size=(0, 4)", {"work_dim": 2, "global_work_size": ElementList((0, 4))})


@variations.declare("clEnqueueNDRangeKernel/success")
def valid_empty_ranges() -> Iterator[Variation]:
    """Yield empty ranges, which are valid since version 2.1, with and without local sizes."""
    for words, given in {
        "global_work_size=NULL": {"global_work_size": None},
        "global_work_size=(0)": {"global_work_size": ElementList((0,))},
        "global_work_size=(0), local_work_size=(4)": {
            "global_work_size": ElementList((0,)),
            "local_work_size": ElementList((4,)),
        },
        "global_work_size=(4, 0)": {"work_dim": 2, "global_work_size": ElementList((4, 0))},
    }.items():
        yield Variation(words, bind_values(_without_work_items, given))


def _without_work_items(kit: Kit, _given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    skip_unless(has_version(kit.cl, (2, 1)), "requires OpenCL 2.1 (enqueues without work-items)")
    return changes


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/2",
)
def sizes_beyond_the_device() -> Iterator[Variation]:
    """Yield a size that exceeds the device's size_t but not the host's."""
    yield Variation(
        "global_work_size=most+1", lambda kit, _given: {"global_work_size": ElementList((get_largest_size(kit) + 1,))}
    )


def get_largest_size(kit: Kit) -> int:
    """Return the largest size_t of the device; skip where it equals the host's."""
    bits = kit.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0
    skip_unless(0 < bits < 8 * kit.pointer_bytes, "the device has the host's size_t")
    return (1 << bits) - 1


@variations.declare(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
)
def offsets_beyond_the_device() -> Iterator[Variation]:
    """Yield offsets that move global ids past the device's size_t.

    Devices before version 1.1 must reject every offset.
    """
    yield Variation("global_work_offset=most", bind_values(_with_offset_near_the_limit, 0, 0))
    yield Variation("global_work_offset+global_work_size=most+1", bind_values(_with_offset_near_the_limit, 0, 15))
    yield Variation("the last global_work_offset=most, of 3", bind_values(_with_offset_near_the_limit, 2, 0))
    yield Variation("global_work_offset before 1.1", _with_offset_before_1_1)


def _with_offset_near_the_limit(kit: Kit, _given: Arguments, axis: int, below: int) -> Mapping[str, Value]:
    skip_unless(has_version(kit.cl, (1, 1)), "requires OpenCL 1.1 (global_work_offset)")
    bits = kit.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0
    skip_unless(0 < bits <= 8 * kit.pointer_bytes, "the device reports no usable CL_DEVICE_ADDRESS_BITS")
    offset, sizes = [0] * AXES, [1] * AXES
    offset[axis], sizes[axis] = (1 << bits) - 1 - below, 16
    given = {"global_work_offset": ElementList(tuple(offset)), "global_work_size": ElementList(tuple(sizes))}
    return {"kernel": get_offset_independent_kernel(kit), "work_dim": AXES, **given}


def _with_offset_before_1_1(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(not has_version(kit.cl, (1, 1)), "OpenCL 1.1 or later allows global_work_offset")
    return {"global_work_offset": ElementList((0,))}


@variations.declare("clEnqueueNDRangeKernel/success", "clGetKernelSuggestedLocalWorkSizeKHR/success")
def valid_offsets() -> Iterator[Variation]:
    """Yield an offset, which is valid since version 1.1."""
    yield Variation("global_work_offset=(5)", _with_small_offset)


@variations.declare("clGetKernelSuggestedLocalWorkSizeKHR/success")
def offsets_at_the_limit() -> Iterator[Variation]:
    """Yield an offset with which the last global id still fits, for clGetKernelSuggestedLocalWorkSizeKHR only."""
    yield Variation("global_work_offset+global_work_size=most", bind_values(_with_offset_near_the_limit, 0, 16))


def _with_small_offset(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(has_version(kit.cl, (1, 1)), "requires OpenCL 1.1 (global_work_offset)")
    return {"global_work_offset": ElementList((5,))}


# work-groups


@variations.declare("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1")
def groups_unlike_the_required_size() -> Iterator[Variation]:
    """Yield local sizes that differ from the required local size, (4, 1, 1) or (1, 1, 1)."""
    yield Variation("(2) required (4, 1, 1)", bind_values(_with_required_size, (2,)))
    yield Variation("(8) required (4, 1, 1)", bind_values(_with_required_size, (8,)))
    yield Variation("(4, 2) required (4, 1, 1)", bind_values(_with_required_size, (4, 2)))
    yield Variation("(2, 2) required (4, 1, 1)", bind_values(_with_required_size, (2, 2)))
    yield Variation("(1, 4) required (4, 1, 1)", bind_values(_with_required_size, (1, 4)))
    yield Variation("(2) required (1, 1, 1)", bind_values(_with_required_size_of_one, (2,)))
    yield Variation("(1, 2) required (1, 1, 1)", bind_values(_with_required_size_of_one, (1, 2)))
    yield Variation("(1, 1, 2) required (1, 1, 1)", bind_values(_with_required_size_of_one, (1, 1, 2)))


@variations.declare("clEnqueueNDRangeKernel/success")
def groups_of_the_required_size() -> Iterator[Variation]:
    """Yield the required local size, in one dimension and in three, and NULL, which leaves it to the driver."""
    yield Variation("(4) required (4, 1, 1)", bind_values(_with_required_size, (4,)))
    yield Variation("(4, 1, 1) required (4, 1, 1)", bind_values(_with_required_size, (4, 1, 1)))
    yield Variation("NULL required (4, 1, 1)", _with_null_for_required_size)
    yield Variation("(1) required (1, 1, 1)", bind_values(_with_required_size_of_one, (1,)))
    yield Variation("(1, 1, 1) required (1, 1, 1)", bind_values(_with_required_size_of_one, (1, 1, 1)))


@variations.declare("clEnqueueNDRangeKernel/success")
def groups_unlike_the_hint() -> Iterator[Variation]:
    """Yield the hinted local size (4, 1, 1) and other sizes, all of which are valid."""
    yield Variation("no local size, likely (4, 1, 1)", _with_hint)
    for local in ((4,), (1,), (2,), (8,), (2, 2), (1, 1, 1)):
        yield Variation(f"{local} likely (4, 1, 1)", bind_values(_with_hint_and_local_size, local))


def _with_hint(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"kernel": set_arguments(kit, kit.kernel("add_hinted"), kit.first_buffer)}


def _with_hint_and_local_size(kit: Kit, _given: Arguments, local: tuple[int, ...]) -> Mapping[str, Value]:
    return _with_local_size(kit, set_arguments(kit, kit.kernel("add_hinted"), kit.first_buffer), local)


def _with_required_size_of_one(kit: Kit, _given: Arguments, local: tuple[int, ...]) -> Mapping[str, Value]:
    return _with_local_size(kit, get_add_alone(kit), local)


def _with_required_size(kit: Kit, _given: Arguments, local: tuple[int, ...]) -> Mapping[str, Value]:
    """Return the arguments of an enqueue of a kernel with a required local size, after a query of its limits."""
    return _with_local_size(kit, get_add_scaled(kit), local, (16, 8, 1))


def _with_null_for_required_size(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return the arguments of an enqueue of that kernel without a local size; the required size divides the range."""
    return {**_with_required_size(kit, _given, (4,)), "local_work_size": None}


def _with_local_size(
    kit: Kit, kernel: Handle, local: tuple[int, ...], sizes: tuple[int, ...] = (16, 8, 2)
) -> Mapping[str, Value]:
    """Return the arguments of an enqueue with this local size, after a query of the kernel's largest work-group."""
    get_largest_group(kit, kernel)
    return {
        "kernel": kernel,
        "work_dim": len(local),
        "global_work_size": ElementList(sizes[: len(local)]),
        "local_work_size": ElementList(local),
    }


@variations.declare("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3")
def groups_above_the_kernel_limit() -> Iterator[Variation]:
    """Yield work-groups with more work-items than the kernel allows: in two dimensions, and in one dimension."""
    yield Variation("local_work_size=(most, 2)", bind_values(_with_two_dimensions, 2))
    yield Variation("local_work_size=(most+1)", bind_values(_with_one_dimension, 1))


@variations.declare("clEnqueueNDRangeKernel/success")
def groups_at_the_kernel_limit() -> Iterator[Variation]:
    """Yield work-groups with the maximum number of work-items for the kernel, and smaller work-groups."""
    yield Variation("local_work_size=(most)", bind_values(_with_one_dimension, 0))
    yield Variation("local_work_size=(most, 1)", bind_values(_with_two_dimensions, 1))
    yield Variation("local_work_size=(1)", {"local_work_size": ElementList((1,))})


def _with_two_dimensions(kit: Kit, _given: Arguments, second: int) -> Mapping[str, Value]:
    kernel, sizes = get_kernel_for_large_groups(kit), get_largest_sizes(kit)
    most = get_largest_group(kit, kernel)
    first = min(most, sizes[0])
    skip_unless(
        second <= sizes[1] and (second == 1 or first == most), "the device allows no such group by its dimensions"
    )
    local = ElementList((first, second))
    return {"kernel": kernel, "work_dim": 2, "global_work_size": local, "local_work_size": local}


def _with_one_dimension(kit: Kit, _given: Arguments, more: int) -> Mapping[str, Value]:
    kernel = get_kernel_for_large_groups(kit)
    most = get_largest_group(kit, kernel)
    size = ElementList(((most if more else min(most, get_largest_sizes(kit)[0])) + more,))
    return {"kernel": kernel, "global_work_size": size, "local_work_size": size}


@variations.declare("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6")
def empty_groups() -> Iterator[Variation]:
    """Yield local sizes of 0: in one dimension, and in the last of three dimensions."""
    yield Variation("local_work_size=(0)", {"local_work_size": ElementList((0,))})
    sizes: dict[str, Value] = {"work_dim": AXES, "global_work_size": ElementList((2, 2, 2))}
    yield Variation("local_work_size=(1, 1, 0)", {**sizes, "local_work_size": ElementList((1, 1, 0))})


@variations.declare("clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1")
def groups_above_the_dimension_limit() -> Iterator[Variation]:
    """Yield work-groups that exceed the device's limit for one dimension by one work-item."""
    for axis in range(AXES):
        yield Variation(f"local_work_size[{axis}]=most+1", bind_values(_with_group_along_axis, axis, 1))


@variations.declare("clEnqueueNDRangeKernel/success")
def groups_at_the_dimension_limit() -> Iterator[Variation]:
    """Yield work-groups at the device's limit for the second and the third dimension."""
    for axis in (1, 2):
        yield Variation(f"local_work_size[{axis}]=most", bind_values(_with_group_along_axis, axis, 0))


def _with_group_along_axis(kit: Kit, _given: Arguments, axis: int, more: int) -> Mapping[str, Value]:
    kernel, most = get_kernel_for_large_groups(kit), get_largest_sizes(kit)[axis]
    size = most + more if more else min(most, get_largest_group(kit, kernel))
    skip_unless(size <= LARGEST_TESTED, "the device allows very large work-groups")
    local = ElementList(tuple(size if each == axis else 1 for each in range(AXES)))
    return {"kernel": kernel, "work_dim": AXES, "global_work_size": local, "local_work_size": local}


@variations.declare("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
def unevenly_divided_ranges() -> Iterator[Variation]:
    """Yield global sizes that are not a multiple of the local size, for kernels that need uniform work-groups."""
    for words, sizes, local in (
        ("16 by 3", (16,), (3,)),
        ("2 by 4", (2,), (4,)),
        ("(8, 5) by (2, 2)", (8, 5), (2, 2)),
        ("(2, 2, 3) by (1, 1, 2)", (2, 2, 3), (1, 1, 2)),
    ):
        changes: dict[str, Value] = {
            "work_dim": len(sizes),
            "global_work_size": ElementList(sizes),
            "local_work_size": ElementList(local),
        }
        yield Variation(words, bind_values(_with_uneven_sizes, changes))
    thirds: dict[str, Value] = {"global_work_size": ElementList((16,)), "local_work_size": ElementList((3,))}
    yield Variation(
        "16 by 3, -cl-uniform-work-group-size", bind_values(_with_c2_kernel, thirds, "-cl-uniform-work-group-size")
    )
    yield Variation("16 by 3, OpenCL C 2.0 or later", bind_values(_with_c2_kernel, thirds, ""))
    yield Variation("16 by 3, from a binary", bind_values(_with_binary_kernel, thirds))


def _with_uneven_sizes(kit: Kit, given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return ``changes``, after a query of the kernel's largest work-group."""
    kernel = given["kernel"]
    if isinstance(kernel, Handle):
        get_largest_group(kit, kernel)
    return changes


@variations.declare("clEnqueueNDRangeKernel/success")
def evenly_divided_ranges() -> Iterator[Variation]:
    """Yield global sizes that are a multiple of the local size."""
    yield Variation("16 by 4", {"local_work_size": ElementList((4,))})
    yield Variation(
        "(6, 4) by (3, 2)",
        {"work_dim": 2, "global_work_size": ElementList((6, 4)), "local_work_size": ElementList((3, 2))},
    )


@variations.declare("clEnqueueNDRangeKernel/success")
def groups_off_the_preferred_multiple() -> Iterator[Variation]:
    """Yield work-groups of one work-item, and of one work-item more than the preferred multiple."""
    yield Variation("local_work_size=(1), no preferred multiple", bind_values(_with_size_off_the_multiple, 0))
    yield Variation("local_work_size=(preferred multiple+1)", bind_values(_with_size_off_the_multiple, 1))


def _with_size_off_the_multiple(kit: Kit, _given: Arguments, multiplier: int) -> Mapping[str, Value]:
    kernel = get_kernel_for_large_groups(kit)
    told, most = get_preferred_multiple(kit, kernel), min(get_largest_group(kit, kernel), get_largest_sizes(kit)[0])
    skip_unless(1 < told < most, "the device prefers no multiple for the kernel")
    local = ElementList((multiplier * told + 1,))
    return {"kernel": kernel, "global_work_size": local, "local_work_size": local}


def _with_c2_kernel(kit: Kit, _given: Arguments, changes: Mapping[str, Value], options: str) -> Mapping[str, Value]:
    """Return the arguments of an enqueue of a kernel in OpenCL C 2.0 or later; ``options``: its build options."""
    kernel = build_for_c2(kit, options)
    get_largest_group(kit, kernel)
    if not options:
        without = kit.cl.fact("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT") == 0
        skip_unless(without, "the device supports non-uniform work-groups")
    return {"kernel": kernel, **changes}


def _with_binary_kernel(kit: Kit, _given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the arguments of an enqueue of a kernel from a binary that was built with OpenCL C 2.0 or later."""
    skip_unless(has_version(kit.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
    program = kit.program_from_bytes(kit.get_binary(kit.built_program("add_index", options=get_standard_option(kit))))
    skip_unless(kit.try_build(program, None), "the driver does not build its own binary")
    kernel = set_arguments(kit, kit.kernel("add_index", program), kit.first_buffer)
    get_largest_group(kit, kernel)
    return {"kernel": kernel, **changes}
