"""Faults of kernel execution: offsets, work-groups, arguments and rejected enqueues."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from clconform.calls.call import Outcome, Returned
from clconform.calls.values import ElementList
from clconform.oracles.chapters.execution.nd_range import is_empty, read_range
from clconform.oracles.chapters.execution.range_kernel_effects import iterate_work_items
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES, MASK
from clconform.oracles.model.enqueueing_kernels import CHILDREN, ENQUEUEING_KERNELS, WORDS
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.range_kernels import AXES, RANGE_KERNELS, WorkItemOutput
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.chapters.execution.range_kernel_effects import WorkItem

    _ItemChange = Callable[[list[int], WorkItem], None]
    _Change = Callable[[list[list[int]], list[WorkItem]], None]

faults = Faults()
LAUNCH = "clEnqueueNDRangeKernel"
ONE_THIRD = pow(3, -1, 1 << 32)
"""The inverse of 3 modulo 2**32; it undoes a multiplication of an element by 3."""
RUNS, DIMENSIONS, IDS, OFFSETS, WITHIN, GROUPS, SIZES, NUMBERS = 0, 1, 2, 5, 18, 21, 24, 27
"""Indices into the values that the kernel ``tell_ids`` writes: two counts, and the first element of each triple."""


def _plant_elements(output: WorkItemOutput) -> Callable[[_Change], _Change]:
    """Return a decorator that declares a fault: it changes the values that a kernel of this output has just written.

    The function receives one list of numbers for each work-item, and the work-items.
    """

    def declare(change: _Change) -> _Change:
        @faults.plant(LAUNCH, succeeded=True)
        @functools.wraps(change)
        def fault(step: SimulatedStep) -> None:
            known = RANGE_KERNELS.get(_get_enqueued_kernel(step))
            if known is None or known.output is not output:
                return

            def changed(numbers: list[int]) -> list[int]:
                each = known.elements or len(numbers)
                elements = [numbers[at : at + each] for at in range(0, len(numbers), each)]
                change(elements, list(iterate_work_items(read_range(step.call))))
                return [number for own in elements for number in own]

            _change_numbers(step, changed)

        return change

    return declare


def _plant_ids(change: _ItemChange) -> _ItemChange:
    """Declare a fault: it changes the values that each work-item has written with the kernel ``tell_ids``."""

    @_plant_elements(WorkItemOutput.IDS)
    @functools.wraps(change)
    def fault(elements: list[list[int]], items: list[WorkItem]) -> None:
        for own, item in zip(elements, items, strict=True):
            change(own, item)

    return change


@_plant_ids
def global_offset_ignored(own: list[int], item: WorkItem) -> None:
    """Global ids start at 0, whatever the global offset."""
    for axis in AXES:
        own[IDS + axis], own[OFFSETS + axis] = item.at[axis], 0


@_plant_ids
def third_dimension_offset_ignored(own: list[int], item: WorkItem) -> None:
    """Global ids start at 0 in the third dimension, whatever the global offset."""
    own[IDS + 2] = item.at[2]


@_plant_ids
def last_work_group_skipped(own: list[int], item: WorkItem) -> None:
    """The work-items of the last work-group do not run."""
    if item.group_id is not None and item.group_counts == tuple(at + 1 for at in item.group_id):
        own[RUNS] -= 1


@_plant_ids
def first_work_item_runs_twice(own: list[int], item: WorkItem) -> None:
    """The first work-item of a kernel enqueue runs twice."""
    own[RUNS] += item.position == 0


@_plant_ids
def local_size_ignored(own: list[int], item: WorkItem) -> None:
    """All work-items belong to one work-group, whatever the local size."""
    for axis in AXES:
        own[WITHIN + axis], own[GROUPS + axis] = item.at[axis], 0
        own[SIZES + axis], own[NUMBERS + axis] = item.sizes[axis], 1


@_plant_ids
def third_dimension_dropped(own: list[int], _item: WorkItem) -> None:
    """A kernel enqueued with three dimensions reports two."""
    own[DIMENSIONS] = min(own[DIMENSIONS], 2)


@_plant_elements(WorkItemOutput.TURNED)
def local_memory_shared_between_groups(elements: list[list[int]], items: list[WorkItem]) -> None:
    """Each work-group sees the values that the last work-group stored in local memory."""
    last = {item.local_id: elements[item.position] for item in items}
    for item in items:
        elements[item.position] = last[item.local_id]


@_plant_elements(WorkItemOutput.GROUPS)
def remainder_group_reports_enqueued_size(elements: list[list[int]], items: list[WorkItem]) -> None:
    """Work-items of a smaller work-group at the end of the range report the enqueued local size."""
    for own, item in zip(elements, items, strict=True):
        own[SIZES_IN_C2 : SIZES_IN_C2 + len(AXES)] = item.local or own[SIZES_IN_C2 : SIZES_IN_C2 + len(AXES)]


SIZES_IN_C2 = 12
"""The index of the work-group size in the values that the kernel ``tell_groups`` writes."""


@_plant_elements(WorkItemOutput.COUNTED)
def atomic_increment_lost(elements: list[list[int]], _items: list[WorkItem]) -> None:
    """One atomic increment of a counter is lost."""
    elements[0][0] -= 1


@faults.plant(LAUNCH, succeeded=True)
def kernel_completes_before_last_child(step: SimulatedStep) -> None:
    """A kernel completes before the block enqueued by its last work-item has stored its values."""

    def undone(numbers: list[int]) -> list[int]:
        last = len(numbers) // WORDS - 1
        own = [(number - last * CHILDREN - at) * ONE_THIRD for at, number in enumerate(numbers[-CHILDREN:])]
        return [*numbers[:-CHILDREN], *own]

    if _get_enqueued_kernel(step) in ENQUEUEING_KERNELS:
        _change_numbers(step, undone)


# accepted and rejected calls


@faults.plant(LAUNCH, error="CL_INVALID_WORK_DIMENSION")
def excess_work_dim_accepted(step: SimulatedStep) -> Outcome | None:
    """work_dim may be greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    return step.accept() if step.call.work_dim > len(AXES) else None


faults.plant(LAUNCH, error="CL_INVALID_GLOBAL_OFFSET").add(
    "global-offset-overflow-accepted",
    "A global offset is accepted although offset plus global size overflows.",
    SimulatedStep.accept,
)


@faults.plant(LAUNCH, error="CL_INVALID_KERNEL_ARGS")
def unset_arguments_accepted(step: SimulatedStep) -> Outcome | None:
    """A kernel can be enqueued although only its first argument is set."""
    kernel = step.find("kernel", Kernel)
    return step.accept() if kernel is not None and 0 in kernel.arguments else None


@faults.plant(LAUNCH, error="CL_INVALID_WORK_GROUP_SIZE")
def required_group_size_compared_by_product(step: SimulatedStep) -> Outcome | None:
    """A local size is accepted if it has the same number of work-items as the required work-group size."""
    kernel, local = step.find("kernel", Kernel), step.argument("local_work_size", ElementList)
    required = kernel.buffer_kernel.required_group if kernel is not None and kernel.buffer_kernel is not None else ()
    same = local is not None and _multiply(required) == _multiply(local.values[: step.call.work_dim])
    return step.accept() if any(required) and same else None


@faults.plant(LAUNCH, succeeded=True)
def empty_range_rejected(step: SimulatedStep) -> Outcome | None:
    """An empty range is rejected with CL_INVALID_GLOBAL_WORK_SIZE, as before OpenCL 2.1."""
    return Returned(step.constant("CL_INVALID_GLOBAL_WORK_SIZE")) if is_empty(step.call) else None


@faults.plant(LAUNCH)
def group_size_hint_enforced(step: SimulatedStep) -> Outcome | None:
    """A kernel enqueue is rejected if its local size differs from the work-group size hint of the kernel."""
    kernel, local = step.find("kernel", Kernel), step.argument("local_work_size", ElementList)
    hint = kernel.buffer_kernel.group_hint if kernel is not None and kernel.buffer_kernel is not None else ()
    other = any(hint) and local is not None and math.prod(map(int, map(str, local.values))) != math.prod(hint)
    return step.fail("CL_INVALID_WORK_GROUP_SIZE") if other else None


def _multiply(sizes: tuple[object, ...]) -> int:
    return math.prod(size for size in sizes if isinstance(size, int))


def _change_numbers(step: SimulatedStep, changed: Callable[[list[int]], list[int]]) -> None:
    """Change the numbers that a kernel has just written, if the model knows them."""
    for place in step.writes:
        content = place.read()
        numbers = [
            int.from_bytes(content.bytes_held[at : at + ELEMENT_BYTES], "little")
            for at in range(0, len(content.bytes_held), ELEMENT_BYTES)
        ]
        held = b"".join((number & MASK).to_bytes(ELEMENT_BYTES, "little") for number in changed(numbers))
        place.write(content._replace(bytes_held=held))


def _get_enqueued_kernel(step: SimulatedStep) -> str:
    """Return the name of the kernel that a call has enqueued; empty for an empty range."""
    kernel = step.find("kernel", Kernel)
    return kernel.function_name if kernel is not None and not is_empty(step.call) else ""


@faults.plant(LAUNCH, succeeded=True)
def null_local_size_refused_for_required_size(step: SimulatedStep) -> Outcome | None:
    """A kernel with a required work-group size is refused if local_work_size is NULL."""
    kernel = step.find("kernel", Kernel)
    if kernel is None or kernel.buffer_kernel is None or step.call.local_work_size is not None:
        return None
    return step.fail("CL_INVALID_WORK_GROUP_SIZE") if any(kernel.buffer_kernel.required_group) else None
