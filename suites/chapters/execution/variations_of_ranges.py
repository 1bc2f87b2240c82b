"""Kernel enqueues (section 5.10): ranges and work-groups that are invalid, and valid ones at the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.suites.chapters.execution.groups import (
    DIMENSIONS,
    LARGEST_ASKED,
    largest_group,
    largest_sizes,
    preferred_multiple,
)
from clconform.suites.chapters.execution.kernels import (
    add_alone,
    add_scaled,
    built_for_c2,
    by_index,
    over_many,
    standard,
    with_arguments,
)
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.steps import at_least, needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()
WIDEST = 64
"""Bits of the host's size_t."""
AXES = 3


# dimensions


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
)
def no_such_dimensions() -> Iterator[Variation]:
    """Yield zero dimensions, and one more than the device's maximum."""
    yield Variation("work_dim=0", {"work_dim": 0})
    yield Variation("work_dim=most+1", bound(_dimensions, 1))


@variations.of("clEnqueueNDRangeKernel/success", "clGetKernelSuggestedLocalWorkSizeKHR/success")
def all_dimensions() -> Iterator[Variation]:
    """Yield the device's maximum number of dimensions."""
    yield Variation("work_dim=most", bound(_dimensions, 0))


def _dimensions(kit: Kit, _given: Arguments, more: int) -> Mapping[str, Value]:
    most = kit.cl.fact(DIMENSIONS) or 0
    needs(0 < most <= WIDEST, f"the device reports no usable {DIMENSIONS}")
    return {"work_dim": most + more, "global_work_size": Items((4, *[1] * (most + more - 1)))}


# sizes and offsets


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1",
)
def no_work_items() -> Iterator[Variation]:
    """Yield NULL, and a size of 0 in each of two dimensions."""
    yield Variation("global_work_size=NULL", {"global_work_size": None})
    yield Variation("global_work_size=(0)", {"global_work_size": Items((0,))})
    yield Variation("global_work_size=(4, 0)", {"work_dim": 2, "global_work_size": Items((4, 0))})
    yield Variation("global_work_size=(0, 4)", {"work_dim": 2, "global_work_size": Items((0, 4))})


@variations.of("clEnqueueNDRangeKernel/success")
def no_work_items_since_2_1() -> Iterator[Variation]:
    """Yield empty ranges, which are valid since version 2.1, with and without local sizes."""
    for words, given in {
        "global_work_size=NULL": {"global_work_size": None},
        "global_work_size=(0)": {"global_work_size": Items((0,))},
        "global_work_size=(0), local_work_size=(4)": {
            "global_work_size": Items((0,)),
            "local_work_size": Items((4,)),
        },
        "global_work_size=(4, 0)": {"work_dim": 2, "global_work_size": Items((4, 0))},
    }.items():
        yield Variation(words, bound(_without_work_items, given))


def _without_work_items(kit: Kit, _given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    needs(at_least(kit.cl, (2, 1)), "requires OpenCL 2.1 (launches without work-items)")
    return changes


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/2",
)
def sizes_beyond_the_device() -> Iterator[Variation]:
    """Yield a size that exceeds the device's size_t but not the host's."""
    yield Variation("global_work_size=most+1", lambda kit, _given: {"global_work_size": Items((most_of(kit) + 1,))})


def most_of(kit: Kit) -> int:
    """Return the largest size_t of the device; skip where it equals the host's."""
    bits = kit.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0
    needs(0 < bits < WIDEST, "the device has the host's size_t")
    return (1 << bits) - 1


@variations.of(
    "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
)
def offsets_beyond_the_device() -> Iterator[Variation]:
    """Yield offsets that move global ids past the device's size_t, and any offset on devices before version 1.1."""
    yield Variation("global_work_offset=most", bound(_offset_from_the_top, 0, 0))
    yield Variation("global_work_offset+global_work_size=most+1", bound(_offset_from_the_top, 0, 15))
    yield Variation("the last global_work_offset=most, of 3", bound(_offset_from_the_top, 2, 0))
    yield Variation("global_work_offset before 1.1", _offset_of_old)


def _offset_from_the_top(kit: Kit, _given: Arguments, axis: int, below: int) -> Mapping[str, Value]:
    needs(at_least(kit.cl, (1, 1)), "requires OpenCL 1.1 (global_work_offset)")
    bits = kit.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0
    needs(0 < bits <= WIDEST, "the device reports no usable CL_DEVICE_ADDRESS_BITS")
    offset, sizes = [0] * AXES, [1] * AXES
    offset[axis], sizes[axis] = (1 << bits) - 1 - below, 16
    given = {"global_work_offset": Items(tuple(offset)), "global_work_size": Items(tuple(sizes))}
    return {"kernel": by_index(kit), "work_dim": AXES, **given}


def _offset_of_old(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(not at_least(kit.cl, (1, 1)), "OpenCL 1.1 or later allows global_work_offset")
    return {"global_work_offset": Items((0,))}


@variations.of("clEnqueueNDRangeKernel/success", "clGetKernelSuggestedLocalWorkSizeKHR/success")
def offsets() -> Iterator[Variation]:
    """Yield an offset, which is valid since version 1.1."""
    yield Variation("global_work_offset=(5)", _a_small_offset)


@variations.of("clGetKernelSuggestedLocalWorkSizeKHR/success")
def offsets_that_just_fit() -> Iterator[Variation]:
    """Yield an offset that makes the last global id fit exactly, for the query only."""
    yield Variation("global_work_offset+global_work_size=most", bound(_offset_from_the_top, 0, 16))


def _a_small_offset(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(at_least(kit.cl, (1, 1)), "requires OpenCL 1.1 (global_work_offset)")
    return {"global_work_offset": Items((5,))}


# work-groups


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1")
def not_the_required_size() -> Iterator[Variation]:
    """Yield local sizes that differ from the kernel's required sizes, (4, 1, 1) or (1, 1, 1)."""
    yield Variation("(2) required (4, 1, 1)", bound(_of_a_required_size, (2,)))
    yield Variation("(8) required (4, 1, 1)", bound(_of_a_required_size, (8,)))
    yield Variation("(4, 2) required (4, 1, 1)", bound(_of_a_required_size, (4, 2)))
    yield Variation("(2, 2) required (4, 1, 1)", bound(_of_a_required_size, (2, 2)))
    yield Variation("(1, 4) required (4, 1, 1)", bound(_of_a_required_size, (1, 4)))
    yield Variation("(2) required (1, 1, 1)", bound(_alone, (2,)))
    yield Variation("(1, 2) required (1, 1, 1)", bound(_alone, (1, 2)))
    yield Variation("(1, 1, 2) required (1, 1, 1)", bound(_alone, (1, 1, 2)))


@variations.of("clEnqueueNDRangeKernel/success")
def the_required_size() -> Iterator[Variation]:
    """Yield the required local size, in one dimension and in three."""
    yield Variation("(4) required (4, 1, 1)", bound(_of_a_required_size, (4,)))
    yield Variation("(4, 1, 1) required (4, 1, 1)", bound(_of_a_required_size, (4, 1, 1)))
    yield Variation("(1) required (1, 1, 1)", bound(_alone, (1,)))
    yield Variation("(1, 1, 1) required (1, 1, 1)", bound(_alone, (1, 1, 1)))


@variations.of("clEnqueueNDRangeKernel/success")
def beside_the_likely_size() -> Iterator[Variation]:
    """Yield the hinted local size (4, 1, 1) and other sizes, all of which are valid."""
    yield Variation("no local size, likely (4, 1, 1)", _hinted)
    for local in ((4,), (1,), (2,), (8,), (2, 2), (1, 1, 1)):
        yield Variation(f"{local} likely (4, 1, 1)", bound(_of_a_likely_size, local))


def _hinted(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"kernel": with_arguments(kit, kit.kernel("add_hinted"), kit.first_buffer)}


def _of_a_likely_size(kit: Kit, _given: Arguments, local: tuple[int, ...]) -> Mapping[str, Value]:
    return _in_groups(kit, with_arguments(kit, kit.kernel("add_hinted"), kit.first_buffer), local)


def _alone(kit: Kit, _given: Arguments, local: tuple[int, ...]) -> Mapping[str, Value]:
    return _in_groups(kit, add_alone(kit), local)


def _of_a_required_size(kit: Kit, _given: Arguments, local: tuple[int, ...]) -> Mapping[str, Value]:
    """Return the arguments of a kernel with a required local size, after a query of its largest work-group."""
    return _in_groups(kit, add_scaled(kit), local, (16, 8, 1))


def _in_groups(
    kit: Kit, kernel: Handle, local: tuple[int, ...], sizes: tuple[int, ...] = (16, 8, 2)
) -> Mapping[str, Value]:
    """Return the arguments of a kernel with this local size, after a query of its largest work-group."""
    largest_group(kit, kernel)
    return {
        "kernel": kernel,
        "work_dim": len(local),
        "global_work_size": Items(sizes[: len(local)]),
        "local_work_size": Items(local),
    }


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3")
def too_large_for_the_kernel() -> Iterator[Variation]:
    """Yield work-groups with more work-items than the kernel allows: in two dimensions, and in one."""
    yield Variation("local_work_size=(most, 2)", bound(_of_two, 2))
    yield Variation("local_work_size=(most+1)", bound(_in_one, 1))


@variations.of("clEnqueueNDRangeKernel/success")
def as_large_as_the_kernel_allows() -> Iterator[Variation]:
    """Yield a work-group with the maximum number of work-items for the kernel, and smaller ones."""
    yield Variation("local_work_size=(most)", bound(_in_one, 0))
    yield Variation("local_work_size=(most, 1)", bound(_of_two, 1))
    yield Variation("local_work_size=(1)", {"local_work_size": Items((1,))})


def _of_two(kit: Kit, _given: Arguments, second: int) -> Mapping[str, Value]:
    kernel, sizes = over_many(kit), largest_sizes(kit)
    most = largest_group(kit, kernel)
    first = min(most, sizes[0])
    needs(second <= sizes[1] and (second == 1 or first == most), "the device allows no such group by its dimensions")
    local = Items((first, second))
    return {"kernel": kernel, "work_dim": 2, "global_work_size": local, "local_work_size": local}


def _in_one(kit: Kit, _given: Arguments, more: int) -> Mapping[str, Value]:
    kernel = over_many(kit)
    most = largest_group(kit, kernel)
    size = Items(((most if more else min(most, largest_sizes(kit)[0])) + more,))
    return {"kernel": kernel, "global_work_size": size, "local_work_size": size}


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6")
def of_no_work_item() -> Iterator[Variation]:
    """Yield work-groups without work-items: in one dimension, and in the last of three."""
    yield Variation("local_work_size=(0)", {"local_work_size": Items((0,))})
    sizes: dict[str, Value] = {"work_dim": AXES, "global_work_size": Items((2, 2, 2))}
    yield Variation("local_work_size=(1, 1, 0)", {**sizes, "local_work_size": Items((1, 1, 0))})


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1")
def too_large_in_a_dimension() -> Iterator[Variation]:
    """Yield work-groups that exceed the device's limit for one dimension by one work-item."""
    for axis in range(AXES):
        yield Variation(f"local_work_size[{axis}]=most+1", bound(_along, axis, 1))


@variations.of("clEnqueueNDRangeKernel/success")
def as_large_as_the_dimension_allows() -> Iterator[Variation]:
    """Yield work-groups at the device's limit for the second and the third dimension."""
    for axis in (1, 2):
        yield Variation(f"local_work_size[{axis}]=most", bound(_along, axis, 0))


def _along(kit: Kit, _given: Arguments, axis: int, more: int) -> Mapping[str, Value]:
    kernel, most = over_many(kit), largest_sizes(kit)[axis]
    size = most + more if more else min(most, largest_group(kit, kernel))
    needs(size <= LARGEST_ASKED, "the device allows very large work-groups")
    local = Items(tuple(size if each == axis else 1 for each in range(AXES)))
    return {"kernel": kernel, "work_dim": AXES, "global_work_size": local, "local_work_size": local}


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
def not_divided_evenly() -> Iterator[Variation]:
    """Yield global sizes that are not a multiple of the local size, for kernels that need uniform work-groups."""
    for words, sizes, local in (
        ("16 by 3", (16,), (3,)),
        ("2 by 4", (2,), (4,)),
        ("(8, 5) by (2, 2)", (8, 5), (2, 2)),
        ("(2, 2, 3) by (1, 1, 2)", (2, 2, 3), (1, 1, 2)),
    ):
        changes: dict[str, Value] = {
            "work_dim": len(sizes),
            "global_work_size": Items(sizes),
            "local_work_size": Items(local),
        }
        yield Variation(words, bound(_unevenly, changes))
    thirds: dict[str, Value] = {"global_work_size": Items((16,)), "local_work_size": Items((3,))}
    yield Variation("16 by 3, -cl-uniform-work-group-size", bound(_by_c2, thirds, "-cl-uniform-work-group-size"))
    yield Variation("16 by 3, OpenCL C 2.0 or later", bound(_by_c2, thirds, ""))
    yield Variation("16 by 3, from a binary", bound(_by_a_binary, thirds))


def _unevenly(kit: Kit, given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return these changes, after a query of the kernel's largest work-group."""
    kernel = given["kernel"]
    if isinstance(kernel, Handle):
        largest_group(kit, kernel)
    return changes


@variations.of("clEnqueueNDRangeKernel/success")
def divided_evenly() -> Iterator[Variation]:
    """Yield global sizes that are a multiple of the local size."""
    yield Variation("16 by 4", {"local_work_size": Items((4,))})
    yield Variation(
        "(6, 4) by (3, 2)",
        {"work_dim": 2, "global_work_size": Items((6, 4)), "local_work_size": Items((3, 2))},
    )


@variations.of("clEnqueueNDRangeKernel/success")
def no_preferred_multiple() -> Iterator[Variation]:
    """Yield work-groups of one work-item, and of one more than the preferred multiple."""
    yield Variation("local_work_size=(1), no preferred multiple", bound(_beside_the_multiple, 0))
    yield Variation("local_work_size=(preferred multiple+1)", bound(_beside_the_multiple, 1))


def _beside_the_multiple(kit: Kit, _given: Arguments, times: int) -> Mapping[str, Value]:
    kernel = over_many(kit)
    told, most = preferred_multiple(kit, kernel), min(largest_group(kit, kernel), largest_sizes(kit)[0])
    needs(1 < told < most, "the device prefers no multiple for the kernel")
    local = Items((times * told + 1,))
    return {"kernel": kernel, "global_work_size": local, "local_work_size": local}


def _by_c2(kit: Kit, _given: Arguments, changes: Mapping[str, Value], options: str) -> Mapping[str, Value]:
    """Return a kernel in OpenCL C 2.0 or later, with options that may forbid non-uniform work-groups."""
    kernel = built_for_c2(kit, options)
    largest_group(kit, kernel)
    if not options:
        without = kit.cl.fact("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT") == 0
        needs(without, "the device supports non-uniform work-groups")
    return {"kernel": kernel, **changes}


def _by_a_binary(kit: Kit, _given: Arguments, changes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return a kernel from a binary that was built with OpenCL C 2.0 or later."""
    needs(at_least(kit.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
    program = kit.program_of_binary(kit.binary_of(kit.built("add_index", options=standard(kit))))
    needs(kit.builds(program, None), "the driver does not build its own binary")
    kernel = with_arguments(kit, kit.kernel("add_index", program), kit.first_buffer)
    largest_group(kit, kernel)
    return {"kernel": kernel, **changes}
