"""Faults of kernel execution: offsets, work-groups, arguments and rejected enqueues."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Returned
from clconform.calls.values import Items
from clconform.oracles.chapters.execution.range_kernels import items_of
from clconform.oracles.chapters.execution.ranges import is_empty, range_of
from clconform.oracles.model.enqueueing_kernels import CHILDREN, ENQUEUEING_KERNELS, WORDS
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.known_kernels import ELEMENT_BYTES, MASK
from clconform.oracles.model.range_kernels import AXES, RANGE_KERNELS, Told
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.chapters.execution.range_kernels import Item
    from clconform.simulator.platform import Simulation

faults = Faults()
LAUNCH = "clEnqueueNDRangeKernel"
ONE_THIRD = pow(3, -1, 1 << 32)
"""The inverse of 3 modulo 2**32; it undoes a multiplication of an element by 3."""
RUNS, DIMENSIONS, IDS, OFFSETS, WITHIN, GROUPS, SIZES, NUMBERS = 0, 1, 2, 5, 18, 21, 24, 27
"""Indices into the values that ``tell_ids`` writes: run count, dimension count, and the first of each triple."""


@faults.plant
def the_global_offset_is_dropped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Global ids start at 0, whatever the global offset."""

    def change(own: list[int], item: Item) -> None:
        for axis in AXES:
            own[IDS + axis], own[OFFSETS + axis] = item.at[axis], 0

    return _telling(simulation, call, outcome, change)


@faults.plant
def the_offset_of_the_last_dimension_is_dropped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Global ids start at 0 in the third dimension, whatever the global offset."""

    def change(own: list[int], item: Item) -> None:
        own[IDS + 2] = item.at[2]

    return _telling(simulation, call, outcome, change)


@faults.plant
def the_last_work_group_is_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The work-items of the last work-group do not run."""

    def change(own: list[int], item: Item) -> None:
        if item.group is not None and item.groups == tuple(at + 1 for at in item.group):
            own[RUNS] -= 1

    return _telling(simulation, call, outcome, change)


@faults.plant
def the_first_work_item_runs_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The first work-item of a kernel enqueue runs twice."""

    def change(own: list[int], item: Item) -> None:
        own[RUNS] += item.position == 0

    return _telling(simulation, call, outcome, change)


@faults.plant
def the_local_size_is_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """All work-items belong to one work-group, whatever the local size."""

    def change(own: list[int], item: Item) -> None:
        for axis in AXES:
            own[WITHIN + axis], own[GROUPS + axis] = item.at[axis], 0
            own[SIZES + axis], own[NUMBERS + axis] = item.sizes[axis], 1

    return _telling(simulation, call, outcome, change)


@faults.plant
def dimensions_of_one_are_forgotten(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel enqueued with three dimensions reports two."""

    def change(own: list[int], _item: Item) -> None:
        own[DIMENSIONS] = min(own[DIMENSIONS], 2)

    return _telling(simulation, call, outcome, change)


@faults.plant
def local_memory_is_shared_between_groups(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Each work-group sees the values that the last work-group stored in local memory."""

    def change(elements: list[list[int]], items: list[Item]) -> None:
        last = {item.within: elements[item.position] for item in items}
        for item in items:
            elements[item.position] = last[item.within]

    return _rewritten(simulation, call, outcome, Told.TURNED, change)


@faults.plant
def smaller_groups_are_as_large_as_the_others(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Work-items of a smaller work-group at the end of the range report the enqueued local size."""

    def change(elements: list[list[int]], items: list[Item]) -> None:
        for own, item in zip(elements, items, strict=True):
            own[SIZES_IN_C2 : SIZES_IN_C2 + len(AXES)] = item.local or own[SIZES_IN_C2 : SIZES_IN_C2 + len(AXES)]

    return _rewritten(simulation, call, outcome, Told.GROUPS, change)


SIZES_IN_C2 = 12
"""The index of the work-group size in the values that ``tell_groups`` writes."""


@faults.plant
def an_atomic_operation_is_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """One atomic increment of a counter is lost."""

    def change(elements: list[list[int]], _items: list[Item]) -> None:
        elements[0][0] -= 1

    return _rewritten(simulation, call, outcome, Told.COUNTED, change)


@faults.plant
def a_kernel_is_complete_before_its_last_child(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel completes before the block enqueued by its last work-item has stored its values."""
    if _launched(simulation, call, outcome) not in ENQUEUEING_KERNELS:
        return outcome

    def undone(numbers: list[int]) -> list[int]:
        last = len(numbers) // WORDS - 1
        own = [(number - last * CHILDREN - at) * ONE_THIRD for at, number in enumerate(numbers[-CHILDREN:])]
        return [*numbers[:-CHILDREN], *own]

    _change(simulation, call, undone)
    return outcome


# accepted and rejected calls


@faults.plant
def one_dimension_too_many_is_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """work_dim may be greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    many = call.function == LAUNCH and call.work_dim > len(AXES)
    return _accepted(simulation, outcome, "CL_INVALID_WORK_DIMENSION") if many else outcome


@faults.plant
def offsets_may_leave_the_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A global offset is accepted although offset plus global size overflows."""
    return _accepted(simulation, outcome, "CL_INVALID_GLOBAL_OFFSET") if call.function == LAUNCH else outcome


@faults.plant
def unset_arguments_are_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel can be enqueued although only its first argument is set."""
    first = call.function == LAUNCH and 0 in simulation.model.get(Kernel, call.kernel).arguments
    return _accepted(simulation, outcome, "CL_INVALID_KERNEL_ARGS") if first else outcome


@faults.plant
def required_sizes_are_compared_by_their_product(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A local size is accepted if it has the same number of work-items as the required work-group size."""
    if call.function != LAUNCH or not isinstance(call.local_work_size, Items):
        return outcome
    known = simulation.model.get(Kernel, call.kernel).known
    local = call.local_work_size.values[: call.work_dim]
    same = known is not None and any(known.group) and _product(known.group) == _product(local)
    return _accepted(simulation, outcome, "CL_INVALID_WORK_GROUP_SIZE") if same else outcome


@faults.plant
def empty_ranges_are_refused(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An empty range is rejected with CL_INVALID_GLOBAL_WORK_SIZE, as before OpenCL 2.1."""
    if call.function != LAUNCH or not is_empty(call) or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    return Returned(simulation.model.value("CL_INVALID_GLOBAL_WORK_SIZE"), {})


def _product(sizes: tuple[object, ...]) -> int:
    found = 1
    for size in sizes:
        found *= size if isinstance(size, int) else 1
    return found


def _accepted(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return success if the outcome is the error ``code``; any other outcome is returned unchanged."""
    if not isinstance(outcome, Returned) or outcome.value != simulation.model.value(code):
        return outcome
    return msgspec.structs.replace(outcome, value=0)


# values that kernels write


def _telling(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[list[int], Item], None]
) -> Outcome:
    """Change the values that each work-item has written with ``tell_ids``."""

    def changed(elements: list[list[int]], items: list[Item]) -> None:
        for own, item in zip(elements, items, strict=True):
            change(own, item)

    return _rewritten(simulation, call, outcome, Told.IDS, changed)


def _rewritten(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    told: Told,
    change: Callable[[list[list[int]], list[Item]], None],
) -> Outcome:
    """Change the values that a kernel has just written, as one list of numbers for each work-item."""
    title = _launched(simulation, call, outcome)
    known = RANGE_KERNELS.get(title)
    if known is None or known.told is not told:
        return outcome

    def changed(numbers: list[int]) -> list[int]:
        each = known.elements or len(numbers)
        elements = [numbers[at : at + each] for at in range(0, len(numbers), each)]
        change(elements, list(items_of(range_of(call))))
        return [number for own in elements for number in own]

    _change(simulation, call, changed)
    return outcome


def _change(simulation: Simulation, call: Call, changed: Callable[[list[int]], list[int]]) -> None:
    """Change the numbers that a kernel has just written, if the model knows them."""
    try:
        (place,) = simulation.oracle.rulebook.effect_of(call, simulation.model).writes
    except (UnknownError, ForbiddenError):
        return
    content = place.read()
    numbers = [
        int.from_bytes(content.held[at : at + ELEMENT_BYTES], "little")
        for at in range(0, len(content.held), ELEMENT_BYTES)
    ]
    held = b"".join((number & MASK).to_bytes(ELEMENT_BYTES, "little") for number in changed(numbers))
    place.write(content._replace(held=held))


def _launched(simulation: Simulation, call: Call, outcome: Outcome) -> str:
    """Return the name of the kernel that a call has enqueued; empty for other calls and for empty ranges."""
    if call.function != LAUNCH or not isinstance(outcome, Returned) or outcome.value != 0 or is_empty(call):
        return ""
    return simulation.model.get(Kernel, call.kernel).title


@faults.plant
def likely_sizes_are_required(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel enqueue is rejected if its local size differs from the work-group size hint of the kernel."""
    kernel = simulation.model.known(call.kernel) if call.function == LAUNCH else None
    local = call.arguments.get("local_work_size")
    if not isinstance(kernel, Kernel) or kernel.known is None or not isinstance(local, Items):
        return outcome
    code = simulation.model.value("CL_INVALID_WORK_GROUP_SIZE")
    other = any(kernel.known.likely) and math.prod(map(int, map(str, local.values))) != math.prod(kernel.known.likely)
    return msgspec.structs.replace(outcome, value=code) if other and isinstance(outcome, Returned) else outcome
