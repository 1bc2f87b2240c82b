"""Results of kernel enqueues that the oracle expects, compared with plain loops written from the document."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import HandleBytes, OutputBuffer
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.model.memory_objects import Buffer
from clconform.suites.chapters.execution.range_kit import KernelRange, RangeKit

from .kits import open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.contents.storage import Content
    from clconform.runner.session.session import Session

IntTriple = tuple[int, int, int]
RANGES = {
    "one work-item": KernelRange((1,), (1,)),
    "one dimension": KernelRange((6,), (3,)),
    "two dimensions, an offset": KernelRange((4, 6), (2, 3), (7, 1)),
    "three dimensions, a far offset": KernelRange((2, 2, 4), (1, 2, 2), (0, 70000, 5)),
    "chosen groups": KernelRange((3, 2), None, (2, 0)),
    "smaller groups at the end": KernelRange((5, 3), (2, 2)),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_kit("everything") as made:
        yield made.cl


@pytest.fixture
def kit(session: Session) -> Iterator[RangeKit]:
    with session.example():
        yield RangeKit(session)


def run_kernel(kit: RangeKit, name: str, launch: KernelRange, *, in_c2: bool = False) -> Content:
    """Run a kernel on a buffer of increasing numbers, and return the expected contents."""
    size = kit.result_bytes(name, launch)
    buffer = kit.buffer(size=size)
    thing = kit.cl.model.get(Buffer, buffer)
    assert thing.memory is not None
    thing.memory.storage.write(((0, size),), defined_bytes(b"".join(struct.pack("<I", at) for at in range(size // 4))))
    kit.enqueue_kernel(name, launch, buffer, in_c2=in_c2)
    kit.finish()
    return thing.memory.storage.read(((0, size),))


def decode_numbers(content: Content) -> list[int | None]:
    """Return the 32-bit numbers in the contents of a buffer, with None for each unknown number."""
    found = struct.unpack(f"<{len(content.bytes_held) // 4}I", content.bytes_held)
    return [number if content.defined[4 * at] else None for at, number in enumerate(found)]


def pad_to_three(sizes: tuple[int, ...] | None, beyond: int) -> IntTriple:
    x, y, z = (*(sizes or ()), *[beyond] * 3)[:3]
    return x, y, z


def iterate_work_items(launch: KernelRange) -> Iterator[tuple[int, IntTriple]]:
    """Yield the index and the position in the range of each work-item."""
    width, height, depth = pad_to_three(launch.sizes, 1)
    for z in range(depth):
        for y in range(height):
            for x in range(width):
                yield (z * height + y) * width + x, (x, y, z)


def compute_group(launch: KernelRange, at: IntTriple) -> list[list[int | None]]:
    """Return the local ids, group ids, group sizes and group counts, by dimension."""
    if launch.local is None:
        return [[None] * 3] * 4
    local, sizes = pad_to_three(launch.local, 1), pad_to_three(launch.sizes, 1)
    within, group, size, count = [], [], [], []
    for axis in range(3):
        first = at[axis] - at[axis] % local[axis]
        within.append(at[axis] - first)
        group.append(first // local[axis])
        size.append(min(local[axis], sizes[axis] - first))
        count.append(-(-sizes[axis] // local[axis]))
    return [within, group, size, count]  # type: ignore[list-item]


def flatten(parts: list[list[int | None]]) -> list[int | None]:
    return [number for part in parts for number in part]


@pytest.mark.parametrize("words", [words for words in RANGES if "smaller" not in words])
def test_work_item_ids_match_plain_loops(kit: RangeKit, words: str) -> None:
    launch = RANGES[words]
    found = decode_numbers(run_kernel(kit, "tell_ids", launch))
    offset, sizes = pad_to_three(launch.offset, 0), pad_to_three(launch.sizes, 1)
    for index, at in iterate_work_items(launch):
        ids = [place + start for place, start in zip(at, offset, strict=True)]
        low = [[each % (1 << 32) for each in some] for some in (ids, offset, sizes)]
        high = [[each >> 32 for each in some] for some in (ids, offset)]
        expected = [30 * index + 1, len(launch.sizes), *flatten([*low, *high]), 0x7F]  # type: ignore[list-item]
        assert found[30 * index : 30 * (index + 1)] == [*expected, *flatten(compute_group(launch, at))]


@pytest.mark.parametrize("words", RANGES)
def test_work_group_ids_match_plain_loops(kit: RangeKit, words: str) -> None:
    launch = RANGES[words]
    found = decode_numbers(run_kernel(kit, "tell_groups", launch, in_c2=True))
    given: list[int | None] = [None] * 3 if launch.local is None else list(pad_to_three(launch.local, 1))
    for index, at in iterate_work_items(launch):
        parts = compute_group(launch, at)
        linear: int | None = None
        if launch.local is not None:
            (x, y, z), _, (width, height, _), _ = parts
            linear = (z * height + y) * width + x  # type: ignore[operator]
        assert found[18 * index : 18 * (index + 1)] == [18 * index + 1, index, linear, *given, *flatten(parts)]


@pytest.mark.parametrize("words", RANGES)
def test_values_exchanged_in_a_group_match_plain_loops(kit: RangeKit, words: str) -> None:
    launch = RANGES[words]
    uneven = "smaller" in words
    found = decode_numbers(run_kernel(kit, "turn_groups", launch, in_c2=uneven))
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, at in iterate_work_items(launch):
        if launch.local is not None:
            local = pad_to_three(launch.local, 1)
            groups.setdefault(tuple(place // size for place, size in zip(at, local, strict=True)), []).append(index)
    expected: dict[int, int] = {
        index: 3 * other + position
        for members in groups.values()
        for position, (index, other) in enumerate(zip(members, reversed(members), strict=True))
    }
    assert found[: launch.work_items] == [expected.get(index) for index, _ in iterate_work_items(launch)]


def test_atomic_results_match_plain_sums(kit: RangeKit) -> None:
    launch = RANGES["chosen groups"]
    total = sum((index + 1) * 2654435761 for index in range(6))
    assert decode_numbers(run_kernel(kit, "count_items", launch)) == [6, 5, (2 + total) % (1 << 32)]


def test_each_written_element_is_attributed_to_its_requirement(kit: RangeKit) -> None:
    requirements = run_kernel(kit, "tell_ids", RANGES["two dimensions, an offset"]).writers
    wanted = {
        0: "clEnqueueNDRangeKernel/effect/4",
        1: "clEnqueueNDRangeKernel/success",
        2: "clEnqueueNDRangeKernel/effect/17",
        17: "clEnqueueNDRangeKernel/effect/6",
        18: "clEnqueueNDRangeKernel/effect/20",
        30 + 18: "clEnqueueNDRangeKernel/effect/19",
        21: "clEnqueueNDRangeKernel/effect/6",
        24: "clEnqueueNDRangeKernel/effect/5",
        27: "clEnqueueNDRangeKernel/effect/5",
    }
    assert {at: requirements[4 * at] for at in wanted} == wanted
    assert run_kernel(kit, "tell_ids", RANGES["one dimension"]).writers[8] == "clEnqueueNDRangeKernel/effect/3"
    assert run_kernel(kit, "tell_ids", RANGES["chosen groups"]).writers[68] == "clEnqueueNDRangeKernel/effect/1"


def test_elements_of_smaller_groups_are_attributed_to_requirements(kit: RangeKit) -> None:
    requirements = run_kernel(kit, "tell_groups", RANGES["smaller groups at the end"], in_c2=True).writers
    wanted = {
        1: "clEnqueueNDRangeKernel/effect/16",
        2: "clEnqueueNDRangeKernel/effect/18",
        9: "clEnqueueNDRangeKernel/effect/15",
        12: "clEnqueueNDRangeKernel/effect/13",
        18 * 4 + 12: "clEnqueueNDRangeKernel/effect/14",
        15: "clEnqueueNDRangeKernel/effect/12",
    }
    assert {at: requirements[4 * at] for at in wanted} == wanted


def test_task_writes_the_values_of_one_work_item(kit: RangeKit) -> None:
    launch = KernelRange((1,), (1,))
    size = kit.result_bytes("tell_ids", launch)
    buffer, kernel = kit.create_filled_buffer(size), kit.get_range_kernel("tell_ids")
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    kit.cl.clEnqueueTask(kit.queue, kernel, 0, None, OutputBuffer(1))
    kit.finish()
    thing = kit.cl.model.get(Buffer, buffer)
    assert thing.memory is not None
    assert thing.memory.storage.read(((8, 4),)).writers[0] == "clEnqueueTask/effect/6"


@pytest.mark.parametrize(
    ("room", "local", "undefined"), [(0, 8, False), (-4, 8, True), (0, 4, True)], ids=["fits", "buffer", "local"]
)
def test_kernel_enqueue_with_too_small_memory_is_undefined(
    kit: RangeKit, room: int, local: int, *, undefined: bool
) -> None:
    launch = KernelRange((4,), (2,))
    kernel = kit.get_range_kernel("turn_groups")
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(kit.create_filled_buffer(16 + room)))
    kit.cl.clSetKernelArg(kernel, 1, local, None)
    call = Call(
        "clEnqueueNDRangeKernel", kit.valid_arguments("clEnqueueNDRangeKernel", kernel=kernel, **launch.arguments)
    )
    assert bool(kit.cl.oracle.expect(call).undefined) == undefined
