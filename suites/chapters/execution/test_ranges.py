"""Kernels over ranges of one to three dimensions: ids, work-groups, local memory, atomic operations (5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.calls.values import ElementList, HandleBytes
from clconform.oracles.model.range_kernels import HINTED_IDS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, covers
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.execution.range_kit import KernelRange, RangeKit
from clconform.suites.chapters.execution.strategies import range_lists
from clconform.suites.common.waiting import check_waiting_command
from clconform.suites.helpers import has_version, skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

NAME = "execution.ranges"
LAUNCH, TASK = "clEnqueueNDRangeKernel", "clEnqueueTask"
RUN = "clEnqueueNDRangeKernel/success"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
HOST_BITS, MAX_BITS = 32, 64
MAPPING = "OpenCL:mapping-work-items-onto-an-nd-range"
IDS = (
    "clEnqueueNDRangeKernel/effect/4",
    "clEnqueueNDRangeKernel/effect/16",
    "OpenCL:execution-model/25",
    "OpenCL:mapping-work-items-onto-an-nd-range/3",
    "OpenCL:mapping-work-items-onto-an-nd-range/5",
)
FROM_ZERO, FROM_AN_OFFSET = (
    (*IDS, "clEnqueueNDRangeKernel/effect/3", "OpenCL:mapping-work-items-onto-an-nd-range/4"),
    (*IDS, "clEnqueueNDRangeKernel/effect/17"),
)
GROUP_EFFECTS = (
    "clEnqueueNDRangeKernel/effect/5",
    "clEnqueueNDRangeKernel/effect/6",
    "clEnqueueNDRangeKernel/effect/18",
    "clEnqueueNDRangeKernel/effect/19",
    "clEnqueueNDRangeKernel/effect/20",
    *(f"{MAPPING}/{number}" for number in (9, 10, 11, 12, 13)),
)
REMAINDER_EFFECTS = (
    "clEnqueueNDRangeKernel/effect/12",
    "clEnqueueNDRangeKernel/effect/13",
    "clEnqueueNDRangeKernel/effect/14",
    "clEnqueueNDRangeKernel/effect/15",
    *(f"{MAPPING}/{number}" for number in (6, 7, 8, 10, 12)),
)
CHOSEN_GROUP_EFFECTS = ("clEnqueueNDRangeKernel/effect/1",)
IN_GROUPS = {
    "1 dimension, groups of 1": KernelRange((5,), (1,)),
    "1 dimension, one group": KernelRange((6,), (6,)),
    "1 dimension, 4 groups": KernelRange((24,), (6,)),
    "2 dimensions": KernelRange((6, 4), (3, 2)),
    "2 dimensions, an offset": KernelRange((4, 6), (2, 3), (7, 1)),
    "3 dimensions": KernelRange((4, 3, 2), (2, 1, 2)),
    "3 dimensions, an offset": KernelRange((2, 6, 2), (1, 3, 1), (0, 9, 1000)),
}
CHOSEN_GROUPS = {
    "1 dimension": KernelRange((30,)),
    "1 dimension, a prime": KernelRange((31,)),
    "1 dimension, a larger prime": KernelRange((1009,)),
    "1 dimension, an offset": KernelRange((12,), None, (5,)),
    "2 dimensions": KernelRange((7, 4)),
    "2 dimensions, larger ones": KernelRange((67, 35)),
    "3 dimensions, an offset": KernelRange((3, 2, 4), None, (1, 0, 70000)),
}
WITH_REMAINDERS = {
    "1 dimension": KernelRange((10,), (4,)),
    "1 dimension, less than a group": KernelRange((3,), (4,)),
    "2 dimensions": KernelRange((7, 5), (3, 2)),
    "2 dimensions, one even": KernelRange((6, 5), (3, 2), (2, 9)),
    "3 dimensions": KernelRange((5, 3, 3), (2, 2, 2)),
}
"""Maps descriptions to the ranges that every run tests: with a given local size, with one that the driver chooses, and
with a local size that does not divide the range.
"""
PRINTING = {name: IN_GROUPS[name] for name in ("1 dimension, 4 groups", "2 dimensions, an offset")}
cases = CaseRegistry(RangeKit)
test_kernels_cover_their_range = TableTest(cases)


@cases.declare_family
def given_group_sizes() -> Iterator[TableCase]:
    """Yield ranges with explicit local sizes: ids of work-items, and data exchange within work-groups."""
    for words, launch in IN_GROUPS.items():
        others = (*GROUP_EFFECTS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.create_case(RUN, f"ids, {words}", _run, "tell_ids", launch, others=others)
        yield cases.create_case(RUN, f"local memory, {words}", _run, "turn_groups", launch)
        yield cases.create_case(RUN, f"linear ids, {words}", _run_in_c2, launch, others=others)


@cases.declare_family
def chosen_group_sizes() -> Iterator[TableCase]:
    """Yield ranges without a local size, which the implementation chooses: ids, and atomics on shared elements."""
    for words, launch in CHOSEN_GROUPS.items():
        others = (*CHOSEN_GROUP_EFFECTS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.create_case(RUN, f"ids, chosen groups, {words}", _run, "tell_ids", launch, others=others)
        yield cases.create_case(RUN, f"atomic operations, {words}", _run, "count_items", launch)


@cases.declare_family
def printing_kernels() -> Iterator[TableCase]:
    """Yield ranges of a kernel that calls printf. The calls of printf must not affect the stores of the kernel."""
    for words, launch in PRINTING.items():
        others = (*GROUP_EFFECTS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.create_case(RUN, f"ids of work-items that print, {words}", _run_printing, launch, others=others)


@cases.declare_family
def group_size_hints() -> Iterator[TableCase]:
    """Yield ranges of a kernel with a work-group size hint; any local size is valid for this kernel."""
    for words, launch in {
        **IN_GROUPS,
        "chosen groups": KernelRange((12,)),
        "the likely groups": KernelRange((8,), (4,)),
    }.items():
        others = (*GROUP_EFFECTS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.create_case(RUN, f"ids with a likely size, {words}", _run, HINTED_IDS, launch, others=others)


@cases.declare_family
def non_uniform_groups() -> Iterator[TableCase]:
    """Yield ranges whose last work-group in a dimension is smaller than the other work-groups."""
    for words, launch in WITH_REMAINDERS.items():
        yield cases.create_case(
            RUN, f"smaller groups at the end, {words}", _run_with_remainders, launch, others=REMAINDER_EFFECTS
        )


def _run(kit: RangeKit, name: str, launch: KernelRange) -> None:
    kit.run_and_read(name, launch, repeats=2)


def _run_printing(kit: RangeKit, launch: KernelRange) -> None:
    skip_unless(has_version(kit.cl, (1, 2)), "requires OpenCL 1.2 (printf)")
    kit.run_and_read("print_ids", launch, repeats=2)


def _run_in_c2(kit: RangeKit, launch: KernelRange) -> None:
    kit.run_and_read("tell_groups", launch, in_c2=True)


def _run_with_remainders(kit: RangeKit, launch: KernelRange) -> None:
    kit.needs_non_uniform_groups()
    kit.run_and_read("tell_groups", launch, in_c2=True)
    kit.run_and_read("turn_groups", launch, in_c2=True)


@cases.declare_family
def far_offsets() -> Iterator[TableCase]:
    """Yield offsets of more than 32 bits, and offsets at the limit of the device's size_t."""
    yield cases.create_case(RUN, "an offset of 33 bits", _run_with_offset, 1 << HOST_BITS, others=FROM_AN_OFFSET)
    yield cases.create_case(RUN, "the largest offset", _run_with_offset, None, others=FROM_AN_OFFSET)


def _run_with_offset(kit: RangeKit, offset: int | None) -> None:
    bits = min(kit.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0, 8 * kit.pointer_bytes)
    skip_unless(
        HOST_BITS < bits <= MAX_BITS or (offset is None and bits == HOST_BITS),
        "the device or the host has smaller addresses",
    )
    kit.run_and_read("tell_ids", KernelRange((4,), (2,), ((1 << bits) - 1 - 4 if offset is None else offset,)))


# ranges without work-items, tasks


@cases.declare_family
def empty_ranges() -> Iterator[TableCase]:
    """Yield enqueues without work-items.

    They complete without effect; before version 2.1, they are rejected.
    """
    empty: dict[str, dict[str, Value]] = {
        "global_work_size=NULL": {"global_work_size": None},
        "global_work_size=(0)": {"global_work_size": ElementList((0,))},
        "global_work_size=(2, 0)": {"work_dim": 2, "global_work_size": ElementList((2, 0))},
    }
    for words, sizes in empty.items():
        yield cases.create_case(
            RUN, f"{words} ends", _check_completion, sizes, others=("clEnqueueNDRangeKernel/effect/2",)
        )
        yield cases.create_case(
            RUN, f"{words} waits", _check_waiting, sizes, others=("clEnqueueNDRangeKernel/effect/2",)
        )


def _check_completion(kit: RangeKit, sizes: dict[str, Value]) -> None:
    """Enqueue a kernel without work-items, and check that the command completes and does not change the buffer."""
    skip_unless(has_version(kit.cl, (2, 1)), "requires OpenCL 2.1 (enqueues without work-items)")
    launch = KernelRange((4,))
    size = kit.result_bytes("tell_ids", launch)
    buffer = kit.create_filled_buffer(size)
    kernel = kit.get_range_kernel("tell_ids")
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    events = returned_handles(kit.call(LAUNCH, kernel=kernel, **sizes), "event")
    skip_unless(events, "the driver gives no event")
    kit.finish()
    kit.cl.query("clGetEventInfo", events[0], STATUS)
    kit.read(buffer, 0, size)


def _check_waiting(kit: RangeKit, sizes: dict[str, Value]) -> None:
    """Enqueue a kernel without work-items, and check that the command waits for a user event."""
    skip_unless(has_version(kit.cl, (2, 1)), "requires OpenCL 2.1 (enqueues without work-items)")
    check_waiting_command(kit.cl, LAUNCH, **sizes)


@cases.declare("clEnqueueTask/success", "ids", "clEnqueueTask/effect/5", "clEnqueueTask/effect/6")
def run_task(kit: RangeKit) -> None:
    """Run a kernel as a task, which is equivalent to a range of one work-item."""
    launch = KernelRange((1,), (1,))
    size = kit.result_bytes("tell_ids", launch)
    buffer = kit.create_filled_buffer(size)
    kernel = kit.get_range_kernel("tell_ids")
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    kit.call(TASK, kernel=kernel, event=None)
    kit.read(buffer, 0, size)


# several kernel enqueues


@cases.declare(RUN, "one kernel, its argument changed in between")
def enqueue_with_changed_arguments(kit: RangeKit) -> None:
    """Enqueue one kernel several times without waiting, each time with another buffer and range."""
    _enqueue_in_a_row(kit, [kit.queue] * 3)


@cases.declare(RUN, "one program on two queues")
def enqueue_on_two_queues(kit: RangeKit) -> None:
    """Enqueue kernels of one program on two queues, each on its own buffer."""
    other = kit.new_queue()
    _enqueue_in_a_row(kit, [kit.queue, other, kit.queue, other])


def _enqueue_in_a_row(kit: RangeKit, queues: list[Handle]) -> None:
    names = ("tell_ids", "count_items")
    chosen = [
        (names[at % 2 * (len(set(queues)) > 1)], KernelRange((5 + at, 2), None, (at, 3))) for at in range(len(queues))
    ]
    buffers = [kit.create_filled_buffer(kit.result_bytes(*each), seed=at) for at, each in enumerate(chosen)]
    for (name, launch), buffer, queue in zip(chosen, buffers, queues, strict=True):
        kit.enqueue_kernel(name, launch, buffer, queue=queue)
    for each, buffer, queue in zip(chosen, buffers, queues, strict=True):
        kit.read(buffer, 0, kit.result_bytes(*each), queue)


@covers(RUN, *IDS, *GROUP_EFFECTS)
@given(data=st.data())
def test_random_range_is_covered(cl: Session, data: st.DataObject) -> None:
    kit = RangeKit(cl)
    name = data.draw(st.sampled_from(("tell_ids", "turn_groups", "count_items")), label="kernel")
    for launch in data.draw(range_lists(), label="launches"):
        kit.run_and_read(name, launch)


@covers(RUN, *REMAINDER_EFFECTS)
@given(data=st.data())
def test_random_non_uniform_range_is_covered(cl: Session, data: st.DataObject) -> None:
    kit = RangeKit(cl)
    kit.needs_non_uniform_groups()
    name = data.draw(st.sampled_from(("tell_groups", "turn_groups")), label="kernel")
    for launch in data.draw(range_lists(even=False), label="launches"):
        kit.run_and_read(name, launch, in_c2=True)
