"""Faults of kernel execution: offsets, work-groups, arguments and rejected enqueues."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Returned
from clconform.calls.values import ElementList
from clconform.oracles.chapters.execution.nd_range import is_empty, read_range
from clconform.oracles.chapters.execution.range_kernel_effects import iterate_work_items
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES, MASK
from clconform.oracles.model.enqueueing_kernels import CHILDREN, ENQUEUEING_KERNELS, WORDS
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.range_kernels import AXES, RANGE_KERNELS, WorkItemOutput
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.chapters.execution.range_kernel_effects import WorkItem
    from clconform.simulator.platform import Simulation

faults = Faults()
LAUNCH = "clEnqueueNDRangeKernel"
ONE_THIRD = pow(3, -1, 1 << 32)
"""The inverse of 3 modulo 2**32; it undoes a multiplication of an element by 3."""
RUNS, DIMENSIONS, IDS, OFFSETS, WITHIN, GROUPS, SIZES, NUMBERS = 0, 1, 2, 5, 18, 21, 24, 27
"""Indices into the values that the kernel ``tell_ids`` writes: two counts, and the first element of each triple."""


@faults.plant
def global_offset_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Global ids start at 0, whatever the global offset."""

    def change(own: list[int], item: WorkItem) -> None:
        for axis in AXES:
            own[IDS + axis], own[OFFSETS + axis] = item.at[axis], 0

    return _change_ids(simulation, call, outcome, change)


@faults.plant
def third_dimension_offset_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Global ids start at 0 in the third dimension, whatever the global offset."""

    def change(own: list[int], item: WorkItem) -> None:
        own[IDS + 2] = item.at[2]

    return _change_ids(simulation, call, outcome, change)


@faults.plant
def last_work_group_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The work-items of the last work-group do not run."""

    def change(own: list[int], item: WorkItem) -> None:
        if item.group_id is not None and item.group_counts == tuple(at + 1 for at in item.group_id):
            own[RUNS] -= 1

    return _change_ids(simulation, call, outcome, change)


@faults.plant
def first_work_item_runs_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The first work-item of a kernel enqueue runs twice."""

    def change(own: list[int], item: WorkItem) -> None:
        own[RUNS] += item.position == 0

    return _change_ids(simulation, call, outcome, change)


@faults.plant
def local_size_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """All work-items belong to one work-group, whatever the local size."""

    def change(own: list[int], item: WorkItem) -> None:
        for axis in AXES:
            own[WITHIN + axis], own[GROUPS + axis] = item.at[axis], 0
            own[SIZES + axis], own[NUMBERS + axis] = item.sizes[axis], 1

    return _change_ids(simulation, call, outcome, change)


@faults.plant
def third_dimension_dropped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel enqueued with three dimensions reports two."""

    def change(own: list[int], _item: WorkItem) -> None:
        own[DIMENSIONS] = min(own[DIMENSIONS], 2)

    return _change_ids(simulation, call, outcome, change)


@faults.plant
def local_memory_shared_between_groups(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Each work-group sees the values that the last work-group stored in local memory."""

    def change(elements: list[list[int]], items: list[WorkItem]) -> None:
        last = {item.local_id: elements[item.position] for item in items}
        for item in items:
            elements[item.position] = last[item.local_id]

    return _change_elements(simulation, call, outcome, WorkItemOutput.TURNED, change)


@faults.plant
def remainder_group_reports_enqueued_size(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Work-items of a smaller work-group at the end of the range report the enqueued local size."""

    def change(elements: list[list[int]], items: list[WorkItem]) -> None:
        for own, item in zip(elements, items, strict=True):
            own[SIZES_IN_C2 : SIZES_IN_C2 + len(AXES)] = item.local or own[SIZES_IN_C2 : SIZES_IN_C2 + len(AXES)]

    return _change_elements(simulation, call, outcome, WorkItemOutput.GROUPS, change)


SIZES_IN_C2 = 12
"""The index of the work-group size in the values that the kernel ``tell_groups`` writes."""


@faults.plant
def atomic_increment_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """One atomic increment of a counter is lost."""

    def change(elements: list[list[int]], _items: list[WorkItem]) -> None:
        elements[0][0] -= 1

    return _change_elements(simulation, call, outcome, WorkItemOutput.COUNTED, change)


@faults.plant
def kernel_completes_before_last_child(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel completes before the block enqueued by its last work-item has stored its values."""
    if _get_enqueued_kernel(simulation, call, outcome) not in ENQUEUEING_KERNELS:
        return outcome

    def undone(numbers: list[int]) -> list[int]:
        last = len(numbers) // WORDS - 1
        own = [(number - last * CHILDREN - at) * ONE_THIRD for at, number in enumerate(numbers[-CHILDREN:])]
        return [*numbers[:-CHILDREN], *own]

    _change_numbers(simulation, call, undone)
    return outcome


# accepted and rejected calls


@faults.plant
def excess_work_dim_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """work_dim may be greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    many = call.function == LAUNCH and call.work_dim > len(AXES)
    return _accept(simulation, outcome, "CL_INVALID_WORK_DIMENSION") if many else outcome


@faults.plant
def global_offset_overflow_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A global offset is accepted although offset plus global size overflows."""
    return _accept(simulation, outcome, "CL_INVALID_GLOBAL_OFFSET") if call.function == LAUNCH else outcome


@faults.plant
def unset_arguments_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel can be enqueued although only its first argument is set."""
    first = call.function == LAUNCH and 0 in simulation.model.get(Kernel, call.kernel).arguments
    return _accept(simulation, outcome, "CL_INVALID_KERNEL_ARGS") if first else outcome


@faults.plant
def required_group_size_compared_by_product(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A local size is accepted if it has the same number of work-items as the required work-group size."""
    if call.function != LAUNCH or not isinstance(call.local_work_size, ElementList):
        return outcome
    known = simulation.model.get(Kernel, call.kernel).buffer_kernel
    local = call.local_work_size.values[: call.work_dim]
    same = known is not None and any(known.required_group) and _multiply(known.required_group) == _multiply(local)
    return _accept(simulation, outcome, "CL_INVALID_WORK_GROUP_SIZE") if same else outcome


@faults.plant
def empty_range_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An empty range is rejected with CL_INVALID_GLOBAL_WORK_SIZE, as before OpenCL 2.1."""
    if call.function != LAUNCH or not is_empty(call) or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    return Returned(simulation.model.constant_value("CL_INVALID_GLOBAL_WORK_SIZE"), {})


def _multiply(sizes: tuple[object, ...]) -> int:
    found = 1
    for size in sizes:
        found *= size if isinstance(size, int) else 1
    return found


def _accept(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return success if the outcome is the error ``code``; any other outcome is returned unchanged."""
    if not isinstance(outcome, Returned) or outcome.value != simulation.model.constant_value(code):
        return outcome
    return msgspec.structs.replace(outcome, value=0)


# values that kernels write


def _change_ids(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[list[int], WorkItem], None]
) -> Outcome:
    """Change the values that each work-item has written with the kernel ``tell_ids``."""

    def changed(elements: list[list[int]], items: list[WorkItem]) -> None:
        for own, item in zip(elements, items, strict=True):
            change(own, item)

    return _change_elements(simulation, call, outcome, WorkItemOutput.IDS, changed)


def _change_elements(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    told: WorkItemOutput,
    change: Callable[[list[list[int]], list[WorkItem]], None],
) -> Outcome:
    """Change the values that a kernel of this output has just written, as one list of numbers for each work-item."""
    title = _get_enqueued_kernel(simulation, call, outcome)
    known = RANGE_KERNELS.get(title)
    if known is None or known.output is not told:
        return outcome

    def changed(numbers: list[int]) -> list[int]:
        each = known.elements or len(numbers)
        elements = [numbers[at : at + each] for at in range(0, len(numbers), each)]
        change(elements, list(iterate_work_items(read_range(call))))
        return [number for own in elements for number in own]

    _change_numbers(simulation, call, changed)
    return outcome


def _change_numbers(simulation: Simulation, call: Call, changed: Callable[[list[int]], list[int]]) -> None:
    """Change the numbers that a kernel has just written, if the model knows them."""
    try:
        (place,) = simulation.oracle.rulebook.effect_of(call, simulation.model).writes
    except (UnknownFactError, UndefinedBehaviourError):
        return
    content = place.read()
    numbers = [
        int.from_bytes(content.bytes_held[at : at + ELEMENT_BYTES], "little")
        for at in range(0, len(content.bytes_held), ELEMENT_BYTES)
    ]
    held = b"".join((number & MASK).to_bytes(ELEMENT_BYTES, "little") for number in changed(numbers))
    place.write(content._replace(bytes_held=held))


def _get_enqueued_kernel(simulation: Simulation, call: Call, outcome: Outcome) -> str:
    """Return the name of the kernel that a call has enqueued; empty for other calls and for empty ranges."""
    if call.function != LAUNCH or not isinstance(outcome, Returned) or outcome.value != 0 or is_empty(call):
        return ""
    return simulation.model.get(Kernel, call.kernel).function_name


@faults.plant
def group_size_hint_enforced(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel enqueue is rejected if its local size differs from the work-group size hint of the kernel."""
    kernel = simulation.model.find(call.kernel) if call.function == LAUNCH else None
    local = call.arguments.get("local_work_size")
    if not isinstance(kernel, Kernel) or kernel.buffer_kernel is None or not isinstance(local, ElementList):
        return outcome
    code = simulation.model.constant_value("CL_INVALID_WORK_GROUP_SIZE")
    other = any(kernel.buffer_kernel.group_hint) and math.prod(map(int, map(str, local.values))) != math.prod(
        kernel.buffer_kernel.group_hint
    )
    return msgspec.structs.replace(outcome, value=code) if other and isinstance(outcome, Returned) else outcome
