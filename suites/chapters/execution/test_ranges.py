"""Kernels over ranges of one to three dimensions: ids, work-groups, local memory, atomic operations (5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.calls.values import HandleBytes, Items
from clconform.oracles.model.range_kernels import HINTED
from clconform.runner.pytest_plugin.aims import Case, aims, parametrize
from clconform.runner.session.answers import made
from clconform.suites.cases import Cases
from clconform.suites.chapters.execution.kernels import HANDLE
from clconform.suites.chapters.execution.range_kit import Launch, RangeKit
from clconform.suites.chapters.execution.strategies import launches
from clconform.suites.recurring.waiting import kept_waiting
from clconform.suites.steps import at_least, needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

NAME = "execution.ranges"
LAUNCH, TASK = "clEnqueueNDRangeKernel", "clEnqueueTask"
RUN = f"{LAUNCH}/success"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
HOST_BITS, MOST_BITS = 32, 64
MAPPING = "OpenCL:mapping-work-items-onto-an-nd-range"
IDS = (
    "clEnqueueNDRangeKernel/effect/4",
    "clEnqueueNDRangeKernel/effect/16",
    "OpenCL:execution-model/25",
    f"{MAPPING}/3",
    f"{MAPPING}/5",
)
FROM_ZERO, FROM_AN_OFFSET = (
    (*IDS, "clEnqueueNDRangeKernel/effect/3", f"{MAPPING}/4"),
    (*IDS, "clEnqueueNDRangeKernel/effect/17"),
)
GROUPS = (
    "clEnqueueNDRangeKernel/effect/5",
    "clEnqueueNDRangeKernel/effect/6",
    "clEnqueueNDRangeKernel/effect/18",
    "clEnqueueNDRangeKernel/effect/19",
    "clEnqueueNDRangeKernel/effect/20",
    *(f"{MAPPING}/{number}" for number in (9, 10, 11, 12, 13)),
)
REMAINDERS = (
    "clEnqueueNDRangeKernel/effect/12",
    "clEnqueueNDRangeKernel/effect/13",
    "clEnqueueNDRangeKernel/effect/14",
    "clEnqueueNDRangeKernel/effect/15",
    *(f"{MAPPING}/{number}" for number in (6, 7, 8, 10, 12)),
)
CHOSEN = ("clEnqueueNDRangeKernel/effect/1",)
IN_GROUPS = {
    "1 dimension, groups of 1": Launch((5,), (1,)),
    "1 dimension, one group": Launch((6,), (6,)),
    "1 dimension, 4 groups": Launch((24,), (6,)),
    "2 dimensions": Launch((6, 4), (3, 2)),
    "2 dimensions, an offset": Launch((4, 6), (2, 3), (7, 1)),
    "3 dimensions": Launch((4, 3, 2), (2, 1, 2)),
    "3 dimensions, an offset": Launch((2, 6, 2), (1, 3, 1), (0, 9, 1000)),
}
CHOSEN_GROUPS = {
    "1 dimension": Launch((30,)),
    "1 dimension, a prime": Launch((31,)),
    "1 dimension, a larger prime": Launch((1009,)),
    "1 dimension, an offset": Launch((12,), None, (5,)),
    "2 dimensions": Launch((7, 4)),
    "2 dimensions, larger ones": Launch((67, 35)),
    "3 dimensions, an offset": Launch((3, 2, 4), None, (1, 0, 70000)),
}
WITH_REMAINDERS = {
    "1 dimension": Launch((10,), (4,)),
    "1 dimension, less than a group": Launch((3,), (4,)),
    "2 dimensions": Launch((7, 5), (3, 2)),
    "2 dimensions, one even": Launch((6, 5), (3, 2), (2, 9)),
    "3 dimensions": Launch((5, 3, 3), (2, 2, 2)),
}
"""Descriptions of the ranges that are always tested, by their kind of local size."""
PRINTING = {name: IN_GROUPS[name] for name in ("1 dimension, 4 groups", "2 dimensions, an offset")}
cases = Cases(RangeKit)


@cases.family
def given_groups() -> Iterator[Case]:
    """Yield ranges with given local sizes: ids of work-items, and exchange of data within work-groups."""
    for words, launch in IN_GROUPS.items():
        others = (*GROUPS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.case(RUN, f"ids, {words}", _seen, "tell_ids", launch, others=others)
        yield cases.case(RUN, f"local memory, {words}", _seen, "turn_groups", launch)
        yield cases.case(RUN, f"linear ids, {words}", _in_c2, launch, others=others)


@cases.family
def chosen_groups() -> Iterator[Case]:
    """Yield ranges whose local size the implementation chooses: ids, and atomic operations on shared elements."""
    for words, launch in CHOSEN_GROUPS.items():
        others = (*CHOSEN, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.case(RUN, f"ids, chosen groups, {words}", _seen, "tell_ids", launch, others=others)
        yield cases.case(RUN, f"atomic operations, {words}", _seen, "count_items", launch)


@cases.family
def printing() -> Iterator[Case]:
    """Yield ranges of a kernel with printf, which must not affect its stores."""
    for words, launch in PRINTING.items():
        others = (*GROUPS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.case(RUN, f"ids of work-items that print, {words}", _printing, launch, others=others)


@cases.family
def other_groups_than_likely() -> Iterator[Case]:
    """Yield ranges of a kernel with a work-group size hint, with which any local size is valid."""
    for words, launch in {**IN_GROUPS, "chosen groups": Launch((12,)), "the likely groups": Launch((8,), (4,))}.items():
        others = (*GROUPS, *(FROM_AN_OFFSET if launch.offset else FROM_ZERO))
        yield cases.case(RUN, f"ids with a likely size, {words}", _seen, HINTED, launch, others=others)


@cases.family
def groups_with_remainders() -> Iterator[Case]:
    """Yield ranges whose last work-groups are smaller than the others."""
    for words, launch in WITH_REMAINDERS.items():
        yield cases.case(RUN, f"smaller groups at the end, {words}", _with_remainders, launch, others=REMAINDERS)


def _seen(kit: RangeKit, name: str, launch: Launch) -> None:
    kit.see(name, launch, times=2)


def _printing(kit: RangeKit, launch: Launch) -> None:
    needs(at_least(kit.cl, (1, 2)), "requires OpenCL 1.2 (printf)")
    kit.see("print_ids", launch, times=2)


def _in_c2(kit: RangeKit, launch: Launch) -> None:
    kit.see("tell_groups", launch, in_c2=True)


def _with_remainders(kit: RangeKit, launch: Launch) -> None:
    kit.needs_remainders()
    kit.see("tell_groups", launch, in_c2=True)
    kit.see("turn_groups", launch, in_c2=True)


@cases.family
def far_offsets() -> Iterator[Case]:
    """Yield offsets of more than 32 bits, and offsets at the limit of the device's size_t."""
    yield cases.case(RUN, "an offset of 33 bits", _far, 1 << HOST_BITS, others=FROM_AN_OFFSET)
    yield cases.case(RUN, "the largest offset", _far, None, others=FROM_AN_OFFSET)


def _far(kit: RangeKit, offset: int | None) -> None:
    bits = kit.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0
    needs(HOST_BITS < bits <= MOST_BITS or (offset is None and bits == HOST_BITS), "the device has smaller addresses")
    kit.see("tell_ids", Launch((4,), (2,), ((1 << bits) - 1 - 4 if offset is None else offset,)))


# ranges without work-items, tasks


@cases.family
def nothing_to_do() -> Iterator[Case]:
    """Yield enqueues without work-items, which complete without effect; before version 2.1, they are rejected."""
    empty: dict[str, dict[str, Value]] = {
        "global_work_size=NULL": {"global_work_size": None},
        "global_work_size=(0)": {"global_work_size": Items((0,))},
        "global_work_size=(2, 0)": {"work_dim": 2, "global_work_size": Items((2, 0))},
    }
    for words, sizes in empty.items():
        yield cases.case(RUN, f"{words} ends", _ends, sizes, others=("clEnqueueNDRangeKernel/effect/2",))
        yield cases.case(RUN, f"{words} waits", _waits, sizes, others=("clEnqueueNDRangeKernel/effect/2",))


def _ends(kit: RangeKit, sizes: dict[str, Value]) -> None:
    """Enqueue a kernel without work-items, and check that the command completes and does not change the buffer."""
    needs(at_least(kit.cl, (2, 1)), "requires OpenCL 2.1 (launches without work-items)")
    launch = Launch((4,))
    size = kit.room_for("tell_ids", launch)
    buffer = kit.filled(size)
    kernel = kit.kernel_over("tell_ids")
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(buffer))
    events = made(kit.call(LAUNCH, kernel=kernel, **sizes), "event")
    needs(events, "the driver gives no event")
    kit.finish()
    kit.cl.query("clGetEventInfo", events[0], STATUS)
    kit.read(buffer, 0, size)


def _waits(kit: RangeKit, sizes: dict[str, Value]) -> None:
    """Make an enqueue without work-items wait for a user event."""
    needs(at_least(kit.cl, (2, 1)), "requires OpenCL 2.1 (launches without work-items)")
    kept_waiting(kit.cl, LAUNCH, **sizes)


@cases.of("clEnqueueTask/success", "ids", "clEnqueueTask/effect/5", "clEnqueueTask/effect/6")
def a_task(kit: RangeKit) -> None:
    """Run a kernel as a task, which is equivalent to one work-item."""
    launch = Launch((1,), (1,))
    size = kit.room_for("tell_ids", launch)
    buffer = kit.filled(size)
    kernel = kit.kernel_over("tell_ids")
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(buffer))
    kit.call(TASK, kernel=kernel, event=None)
    kit.read(buffer, 0, size)


# several kernel enqueues


@cases.of(RUN, "one kernel, its argument changed in between")
def one_kernel_with_changed_arguments(kit: RangeKit) -> None:
    """Enqueue one kernel several times, with another buffer and range each time, without waiting in between."""
    _in_a_row(kit, [kit.queue] * 3)


@cases.of(RUN, "one program on two queues")
def two_queues(kit: RangeKit) -> None:
    """Enqueue kernels of one program on two queues, each on its own buffer."""
    other = kit.new_queue()
    _in_a_row(kit, [kit.queue, other, kit.queue, other])


def _in_a_row(kit: RangeKit, queues: list[Handle]) -> None:
    names = ("tell_ids", "count_items")
    chosen = [(names[at % 2 * (len(set(queues)) > 1)], Launch((5 + at, 2), None, (at, 3))) for at in range(len(queues))]
    buffers = [kit.filled(kit.room_for(*each), seed=at) for at, each in enumerate(chosen)]
    for (name, launch), buffer, queue in zip(chosen, buffers, queues, strict=True):
        kit.launch(name, launch, buffer, queue=queue)
    for each, buffer, queue in zip(chosen, buffers, queues, strict=True):
        kit.read(buffer, 0, kit.room_for(*each), queue)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    if "case" in metafunc.fixturenames:
        parametrize(metafunc, cases)


def test_ranges(cl: Session, case: Case) -> None:
    case.act(cl)


@aims(RUN, *IDS, *GROUPS)
@given(data=st.data())
def test_any_ranges(cl: Session, data: st.DataObject) -> None:
    kit = RangeKit(cl)
    name = data.draw(st.sampled_from(("tell_ids", "turn_groups", "count_items")), label="kernel")
    for launch in data.draw(launches(), label="launches"):
        kit.see(name, launch)


@aims(RUN, *REMAINDERS)
@given(data=st.data())
def test_any_ranges_in_smaller_groups(cl: Session, data: st.DataObject) -> None:
    kit = RangeKit(cl)
    kit.needs_remainders()
    name = data.draw(st.sampled_from(("tell_groups", "turn_groups")), label="kernel")
    for launch in data.draw(launches(even=False), label="launches"):
        kit.see(name, launch, in_c2=True)
