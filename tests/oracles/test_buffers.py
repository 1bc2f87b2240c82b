"""Error conditions of buffers: calls just inside and outside each limit, and the conditions that must or may hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.contents.storage import Storage, StorageView, defined_bytes
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue
from clconform.spec_tables.versions import read_version
from clconform.suites.kit.memory import HALF, SIZE

from .kits import expect_changed_call, open_kit
from .oracle_setup import SIZE_MAX, DevicePlan, OracleSetup, buffer_region, get_condition_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit

HOST = Data(bytes(SIZE))
PATTERN = Data(bytes(256))
CREATE, REGION, FILL, COPY = "clCreateBuffer", "clCreateSubBuffer", "clEnqueueFillBuffer", "clEnqueueCopyBuffer"
READ, READ_RECT, COPY_RECT = "clEnqueueReadBuffer", "clEnqueueReadBufferRect", "clEnqueueCopyBufferRect"
MAP, WRITE, WRITE_RECT = "clEnqueueMapBuffer", "clEnqueueWriteBuffer", "clEnqueueWriteBufferRect"
CREATE_WITH_PROPERTIES = "clCreateBufferWithProperties"
LAST_SLICE = SIZE // 256 - 2
"""The first slice of the last box that fits: two slices of 256 bytes each."""
UNKNOWN_PROPERTY, DEVICE_LIST_PROPERTY = 0x7FFF0001, 0x2051


@dataclass(frozen=True)
class BufferCase:
    """Changes to a valid call, and the error condition that must hold ('' for none). ``also``: those that may."""

    function: str
    changed: dict[str, Value]
    must: str
    also: str = ""
    buffer: tuple[str, ...] = field(default=())
    """Flags of the buffer that the call uses; empty for the usual buffer."""


def box(x: int, y: int, z: int) -> ElementList:
    return ElementList((x, y, z))


SUCCESS = ""
BUFFER_CASES = {
    "size 0": BufferCase(CREATE, {"size": 0}, "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"),
    "size 1": BufferCase(CREATE, {"size": 1}, SUCCESS),
    "the largest size": BufferCase(CREATE, {"size": SIZE_MAX}, "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"),
    "an unknown flag": BufferCase(CREATE, {"flags": 1 << 62}, "clCreateBuffer/CL_INVALID_VALUE/1"),
    "flags that exclude each other": BufferCase(CREATE, {"flags": 1 | 2}, "clCreateBuffer/CL_INVALID_VALUE/1"),
    "a flag of shared memory": BufferCase(CREATE, {"flags": 1 << 10}, SUCCESS, "clCreateBuffer/CL_INVALID_VALUE/1"),
    "USE without a pointer": BufferCase(CREATE, {"flags": 8}, "clCreateBuffer/CL_INVALID_HOST_PTR/1"),
    "a pointer without a flag": BufferCase(CREATE, {"host_ptr": HOST}, "clCreateBuffer/CL_INVALID_HOST_PTR/1"),
    "COPY with a pointer": BufferCase(CREATE, {"flags": 32, "host_ptr": HOST}, SUCCESS),
    "size 0, with a list": BufferCase(
        CREATE_WITH_PROPERTIES, {"size": 0}, "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1"
    ),
    "size 1, with a list": BufferCase(CREATE_WITH_PROPERTIES, {"size": 1}, SUCCESS),
    "the whole": BufferCase(REGION, {"buffer_create_info": buffer_region(0, SIZE)}, SUCCESS),
    "one byte too many": BufferCase(
        REGION, {"buffer_create_info": buffer_region(0, SIZE + 1)}, "clCreateSubBuffer/CL_INVALID_VALUE/5"
    ),
    "behind the end": BufferCase(
        REGION, {"buffer_create_info": buffer_region(SIZE, 1)}, "clCreateSubBuffer/CL_INVALID_VALUE/5"
    ),
    "a region of nothing": BufferCase(
        REGION,
        {"buffer_create_info": buffer_region(0, 0)},
        "clCreateSubBuffer/CL_INVALID_BUFFER_SIZE/1",
        "clCreateSubBuffer/CL_INVALID_VALUE/4",
    ),
    "misaligned": BufferCase(
        REGION,
        {"buffer_create_info": buffer_region(1, 1)},
        "clCreateSubBuffer/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
        "clCreateSubBuffer/CL_INVALID_VALUE/4",
    ),
    "no description": BufferCase(REGION, {"buffer_create_info": None}, "clCreateSubBuffer/CL_INVALID_VALUE/4", "*"),
    "another type": BufferCase(REGION, {"buffer_create_type": 0}, "clCreateSubBuffer/CL_INVALID_VALUE/3"),
    "a region with USE": BufferCase(REGION, {"flags": 8}, "clCreateSubBuffer/CL_INVALID_VALUE/1"),
    "to write, of one to read": BufferCase(
        REGION, {"flags": 2}, "clCreateSubBuffer/CL_INVALID_VALUE/1", buffer=("CL_MEM_READ_ONLY",)
    ),
    "to read, of one to read": BufferCase(REGION, {"flags": 4}, SUCCESS, buffer=("CL_MEM_READ_ONLY",)),
    "for the host to read, of one to write": BufferCase(
        REGION, {"flags": 256}, "clCreateSubBuffer/CL_INVALID_VALUE/2", buffer=("CL_MEM_HOST_WRITE_ONLY",)
    ),
    "for no host, of one to write": BufferCase(REGION, {"flags": 512}, SUCCESS, buffer=("CL_MEM_HOST_WRITE_ONLY",)),
    "read the last byte": BufferCase(READ, {"offset": SIZE - 1, "size": 1}, SUCCESS),
    "read past the end": BufferCase(READ, {"offset": SIZE, "size": 1}, "clEnqueueReadBuffer/CL_INVALID_VALUE/1"),
    "read with a sum that wraps": BufferCase(
        READ, {"offset": SIZE_MAX, "size": 2}, "clEnqueueReadBuffer/CL_INVALID_VALUE/1"
    ),
    "read nowhere": BufferCase(READ, {"ptr": None}, "clEnqueueReadBuffer/CL_INVALID_VALUE/1"),
    "read nothing": BufferCase(READ, {"size": 0}, SUCCESS),
    "read nothing behind the end": BufferCase(
        READ, {"offset": SIZE + 1, "size": 0}, SUCCESS, "clEnqueueReadBuffer/CL_INVALID_VALUE/1"
    ),
    "read what the host writes": BufferCase(
        READ, {}, "clEnqueueReadBuffer/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_WRITE_ONLY",)
    ),
    "read what the host reads": BufferCase(READ, {}, SUCCESS, buffer=("CL_MEM_HOST_READ_ONLY",)),
    "write the last byte": BufferCase(WRITE, {"offset": SIZE - 1, "size": 1}, SUCCESS),
    "write past the end": BufferCase(WRITE, {"offset": SIZE, "size": 1}, "clEnqueueWriteBuffer/CL_INVALID_VALUE/1"),
    "write from nowhere": BufferCase(WRITE, {"ptr": None}, "clEnqueueWriteBuffer/CL_INVALID_VALUE/1"),
    "write what the host reads": BufferCase(
        WRITE, {}, "clEnqueueWriteBuffer/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_READ_ONLY",)
    ),
    "write what the host does not touch": BufferCase(
        WRITE, {}, "clEnqueueWriteBuffer/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_NO_ACCESS",)
    ),
    "write what the host writes": BufferCase(WRITE, {}, SUCCESS, buffer=("CL_MEM_HOST_WRITE_ONLY",)),
    "copy past the source": BufferCase(COPY, {"src_offset": 1}, "clEnqueueCopyBuffer/CL_INVALID_VALUE/1"),
    "copy past the destination": BufferCase(COPY, {"dst_offset": 1}, "clEnqueueCopyBuffer/CL_INVALID_VALUE/1"),
    "copy nothing": BufferCase(COPY, {"size": 0}, SUCCESS, "clEnqueueCopyBuffer/CL_INVALID_VALUE/1"),
    "fill past the end": BufferCase(FILL, {"offset": 4}, "clEnqueueFillBuffer/CL_INVALID_VALUE/1"),
    "fill no byte behind the end": BufferCase(
        FILL, {"offset": SIZE + 4, "size": 0}, SUCCESS, "clEnqueueFillBuffer/CL_INVALID_VALUE/1"
    ),
    "fill no byte at the end": BufferCase(FILL, {"offset": SIZE, "size": 0}, SUCCESS),
    "fill with three bytes": BufferCase(FILL, {"pattern_size": 3, "size": 3}, "clEnqueueFillBuffer/CL_INVALID_VALUE/2"),
    "fill with the largest": BufferCase(FILL, {"pattern": PATTERN, "pattern_size": 128, "size": 128}, SUCCESS),
    "fill with more than the largest": BufferCase(
        FILL, {"pattern": PATTERN, "pattern_size": 256, "size": 256}, "clEnqueueFillBuffer/CL_INVALID_VALUE/2"
    ),
    "fill with nothing": BufferCase(
        FILL,
        {"pattern_size": 0, "size": 4},
        "clEnqueueFillBuffer/CL_INVALID_VALUE/2",
        "clEnqueueFillBuffer/CL_INVALID_VALUE/3",
    ),
    "fill between patterns": BufferCase(FILL, {"offset": 2, "size": 6}, "clEnqueueFillBuffer/CL_INVALID_VALUE/3"),
    "fill from between patterns": BufferCase(FILL, {"offset": 2, "size": 4}, "clEnqueueFillBuffer/CL_INVALID_VALUE/3"),
    "the last box": BufferCase(READ_RECT, {"buffer_origin": box(16, 4, LAST_SLICE)}, SUCCESS),
    "a byte past the last box": BufferCase(
        READ_RECT, {"buffer_origin": box(17, 4, LAST_SLICE)}, "clEnqueueReadBufferRect/CL_INVALID_VALUE/2"
    ),
    "a row past the last box": BufferCase(
        READ_RECT, {"buffer_origin": box(0, 5, LAST_SLICE)}, "clEnqueueReadBufferRect/CL_INVALID_VALUE/2"
    ),
    "a slice past the last box": BufferCase(
        READ_RECT, {"buffer_origin": box(0, 0, LAST_SLICE + 1)}, "clEnqueueReadBufferRect/CL_INVALID_VALUE/2"
    ),
    "read a box that the host writes": BufferCase(
        READ_RECT, {}, "clEnqueueReadBufferRect/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_WRITE_ONLY",)
    ),
    "read a box that the host reads": BufferCase(READ_RECT, {}, SUCCESS, buffer=("CL_MEM_HOST_READ_ONLY",)),
    "write a box that the host reads": BufferCase(
        WRITE_RECT, {}, "clEnqueueWriteBufferRect/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_READ_ONLY",)
    ),
    "write a box that the host writes": BufferCase(WRITE_RECT, {}, SUCCESS, buffer=("CL_MEM_HOST_WRITE_ONLY",)),
    "write the last box": BufferCase(WRITE_RECT, {"buffer_origin": box(16, 4, LAST_SLICE)}, SUCCESS),
    "write a byte past the last box": BufferCase(
        WRITE_RECT, {"buffer_origin": box(17, 4, LAST_SLICE)}, "clEnqueueWriteBufferRect/CL_INVALID_VALUE/2"
    ),
    "write no height": BufferCase(WRITE_RECT, {"region": box(16, 0, 2)}, "clEnqueueWriteBufferRect/CL_INVALID_VALUE/3"),
    "write slices too near, no whole rows": BufferCase(
        WRITE_RECT, {"buffer_slice_pitch": 127}, "clEnqueueWriteBufferRect/CL_INVALID_VALUE/6"
    ),
    "write slices too near, whole rows": BufferCase(
        WRITE_RECT, {"buffer_slice_pitch": 96}, SUCCESS, "clEnqueueWriteBufferRect/CL_INVALID_VALUE/6"
    ),
    "write host slices too near, no whole rows": BufferCase(
        WRITE_RECT, {"host_slice_pitch": 127}, "clEnqueueWriteBufferRect/CL_INVALID_VALUE/7"
    ),
    "write host slices too near, whole rows": BufferCase(
        WRITE_RECT, {"host_slice_pitch": 96}, SUCCESS, "clEnqueueWriteBufferRect/CL_INVALID_VALUE/7"
    ),
    "read host slices too near, no whole rows": BufferCase(
        READ_RECT, {"host_slice_pitch": 127}, "clEnqueueReadBufferRect/CL_INVALID_VALUE/7"
    ),
    "copy the last box": BufferCase(
        COPY_RECT, {"src_origin": box(16, 4, LAST_SLICE), "dst_origin": box(16, 4, LAST_SLICE)}, SUCCESS
    ),
    "copy no depth": BufferCase(COPY_RECT, {"region": box(16, 4, 0)}, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/3"),
    "no height": BufferCase(READ_RECT, {"region": box(16, 0, 2)}, "clEnqueueReadBufferRect/CL_INVALID_VALUE/3"),
    "rows nearer than they are wide": BufferCase(
        READ_RECT,
        {"buffer_row_pitch": 15},
        "clEnqueueReadBufferRect/CL_INVALID_VALUE/4",
        "clEnqueueReadBufferRect/CL_INVALID_VALUE/6",
    ),
    "rows as near as they are wide": BufferCase(READ_RECT, {"buffer_row_pitch": 16}, SUCCESS),
    "host rows too near": BufferCase(
        READ_RECT,
        {"host_row_pitch": 15},
        "clEnqueueReadBufferRect/CL_INVALID_VALUE/5",
        "clEnqueueReadBufferRect/CL_INVALID_VALUE/7",
    ),
    "slices too near, no whole rows": BufferCase(
        READ_RECT, {"buffer_slice_pitch": 127}, "clEnqueueReadBufferRect/CL_INVALID_VALUE/6"
    ),
    "slices too near, whole rows": BufferCase(
        READ_RECT, {"buffer_slice_pitch": 96}, SUCCESS, "clEnqueueReadBufferRect/CL_INVALID_VALUE/6"
    ),
    "slices of tight rows too near, no whole rows": BufferCase(
        READ_RECT,
        {"buffer_row_pitch": 0, "buffer_slice_pitch": 63},
        SUCCESS,
        "clEnqueueReadBufferRect/CL_INVALID_VALUE/6",
    ),
    "slices of tight rows as near as can be": BufferCase(
        READ_RECT, {"buffer_row_pitch": 0, "buffer_slice_pitch": 64}, SUCCESS
    ),
    "copied slices of tight rows too near": BufferCase(
        COPY_RECT, {"src_row_pitch": 0, "src_slice_pitch": 63}, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/6"
    ),
    "slices far, no whole rows": BufferCase(
        READ_RECT, {"buffer_slice_pitch": 129}, SUCCESS, "clEnqueueReadBufferRect/CL_INVALID_VALUE/6"
    ),
    "copied slices too near": BufferCase(
        COPY_RECT, {"src_slice_pitch": 96}, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/6"
    ),
    "copied slices, no whole rows": BufferCase(
        COPY_RECT, {"dst_slice_pitch": 129}, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/7"
    ),
    "map nothing": BufferCase(MAP, {"size": 0}, "clEnqueueMapBuffer/CL_INVALID_VALUE/1"),
    "map past the end": BufferCase(MAP, {"offset": 1}, "clEnqueueMapBuffer/CL_INVALID_VALUE/1", "*"),
    "map for nothing": BufferCase(MAP, {"map_flags": 0}, SUCCESS, "clEnqueueMapBuffer/CL_INVALID_VALUE/1"),
    "map to read and to discard": BufferCase(MAP, {"map_flags": 5}, "clEnqueueMapBuffer/CL_INVALID_VALUE/1"),
    "map to read what the host writes": BufferCase(
        MAP, {}, "clEnqueueMapBuffer/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_WRITE_ONLY",)
    ),
    "map to write what the host reads": BufferCase(
        MAP, {"map_flags": 2}, "clEnqueueMapBuffer/CL_INVALID_OPERATION/1", buffer=("CL_MEM_HOST_READ_ONLY",)
    ),
}


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with open_kit("numa-16") as made:
        yield made


@pytest.fixture(scope="module")
def everything_kit() -> Iterator[Kit]:
    with open_kit("everything") as made:
        yield made


@pytest.mark.parametrize("row", BUFFER_CASES.values(), ids=BUFFER_CASES)
def test_buffer_call_has_the_listed_error_conditions(kit: Kit, row: BufferCase) -> None:
    changed = dict(row.changed)
    if row.buffer:
        changed["buffer"] = kit.buffer(*row.buffer)
    musts, mays = expect_changed_call(kit, row.function, changed)
    assert musts == row.must
    if row.also != "*":
        assert " ".join(each for each in mays.split() if each != UNSPECIFIED_MAP_FAILURE) == row.also


UNSPECIFIED_MAP_FAILURE = "clEnqueueMapBuffer/CL_MAP_FAILURE/1"
"""The error condition that may hold for every map of a buffer that is not in host memory."""


@pytest.mark.parametrize(
    ("function", "version", "must"),
    [(CREATE, "1.2", False), (CREATE, "2.2", False), (CREATE, "3.0", True), (CREATE_WITH_PROPERTIES, "3.0", True)],
)
def test_buffer_above_maximum_size_is_rejected_from_3_0(function: str, version: str, *, must: bool) -> None:
    there = OracleSetup(DevicePlan(), version=version)
    there.roots[0].facts["CL_DEVICE_MAX_MEM_ALLOC_SIZE"] = 1024
    there.model.add(Context("context1", devices=there.roots))
    clause = f"{function}/CL_INVALID_BUFFER_SIZE/1"
    usual: dict[str, Value] = {"context": Handle("context1"), "properties": None, "flags": 0, "host_ptr": None}
    for size, expected_ in ((1024, ("", "")), (1025, (clause, "") if must else ("", clause)), (0, (clause, ""))):
        given = usual | {"size": size, "errcode_ret": OutputBuffer(1)}
        names = [parameter.name for parameter in there.model.tables.functions[function].parameters]
        assert get_condition_ids(there.expect(function, *(given[name] for name in names))) == expected_


WRAPPING_ROW = 1 << 59
"""A row of 32 bytes that begins at byte 2 ** 64, which is 0 as a size_t."""


@pytest.mark.parametrize(
    ("origin", "must"),
    [(box(0, WRAPPING_ROW, 0), False), (box(0, WRAPPING_ROW - 1, 0), True), (box(SIZE_MAX, 0, 0), True)],
    ids=str,
)
@pytest.mark.parametrize("function", [READ_RECT, WRITE_RECT, COPY_RECT])
def test_offset_that_wraps_around_into_the_buffer_may_be_rejected(
    kit: Kit, function: str, origin: ElementList, *, must: bool
) -> None:
    clause = f"{function}/CL_INVALID_VALUE/2"
    sides = ("src", "dst") if function == COPY_RECT else ("buffer",)
    for side in sides:
        changed: dict[str, Value] = {f"{side}_origin": origin, f"{side}_row_pitch": 32, f"{side}_slice_pitch": 0}
        musts, mays = expect_changed_call(kit, function, changed)
        assert (clause in musts, clause in mays) == (must, not must)


def test_accepted_write_at_wrapping_offset_makes_contents_unknown() -> None:
    there = OracleSetup(DevicePlan())
    context = Context("context1", devices=there.roots)
    memory = StorageView(Storage(64), 0, 64)
    memory.storage.write(((0, 64),), defined_bytes(bytes(64)))
    for thing in (
        context,
        HostQueue("queue1", context=context, queue_device=there.roots[0]),
        Buffer("mem1", context=context, size=64, memory=memory),
    ):
        there.model.add(thing)
    pitches = (32, 0, 32, 0)
    arguments = (box(0, WRAPPING_ROW, 0), box(0, 0, 0), box(8, 1, 1), *pitches, Data(b"x" * 8), 0, None, None)
    expectation = there.expect(WRITE_RECT, Handle("queue1"), Handle("mem1"), 1, *arguments)
    assert there.oracle.judge(expectation, Returned(0, {})).deviations == []
    assert not any(memory.storage.read(((0, 64),)).defined)


@pytest.mark.parametrize(
    ("source", "target", "size", "must"),
    [(0, 0, 8, True), (0, 7, 8, True), (0, 8, 8, False), (8, 0, 8, False), (7, 0, 8, True), (0, 0, 0, False)],
)
def test_overlapping_copy_within_buffer_is_rejected(
    kit: Kit, source: int, target: int, size: int, *, must: bool
) -> None:
    changed = {"dst_buffer": kit.first_buffer, "src_offset": source, "dst_offset": target, "size": size}
    musts, _ = expect_changed_call(kit, COPY, changed)
    assert musts == ("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1" if must else "")


@pytest.mark.parametrize(
    ("source", "target", "may"), [(0, 0, True), (0, 8, True), (8, 0, True), (8, 8, False), (8, 16, False)]
)
def test_empty_copy_at_offset_zero_may_be_rejected_as_overlap(kit: Kit, source: int, target: int, *, may: bool) -> None:
    changed = {"dst_buffer": kit.first_buffer, "src_offset": source, "dst_offset": target, "size": 0}
    musts, mays = expect_changed_call(kit, COPY, changed)
    assert musts == ""
    assert ("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1" in mays.split()) == may


def test_copy_between_sub_buffer_and_its_buffer_may_be_rejected(kit: Kit) -> None:
    part = kit.sub_buffer(kit.first_buffer, 0, HALF)
    musts, mays = expect_changed_call(kit, COPY, {"src_buffer": part, "dst_buffer": kit.first_buffer, "size": 8})
    assert (musts, mays) == ("", "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1")


@pytest.mark.parametrize(
    ("origin", "source", "target", "size", "must"),
    [
        (0, 0, 0, 8, True),
        (0, 0, 7, 8, True),
        (0, 0, 8, 8, False),
        (1, 2, 1, 512, True),
        (1, 1, 1, 512, True),
        (1, 2, 1, 8, False),
        (1, 1, 1, 8, False),
        (16, 0, 0, 8, False),
    ],
)
def test_copy_between_overlapping_sub_buffers_is_rejected(
    kit: Kit, origin: int, source: int, target: int, size: int, *, must: bool
) -> None:
    """Origins and offsets are multiples of the device's alignment. The first sub-buffer is half of the buffer."""
    unit = kit.alignment
    changed: dict[str, Value] = {
        "src_buffer": kit.sub_buffer(kit.first_buffer, 0, HALF),
        "dst_buffer": kit.sub_buffer(kit.first_buffer, origin * unit, HALF),
        "src_offset": source * unit if origin else source,
        "dst_offset": target * unit if origin else target,
        "size": size,
    }
    overlap = "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1"
    assert expect_changed_call(kit, COPY, changed) == ((overlap, "") if must else ("", overlap))


@pytest.mark.parametrize(("origin", "must"), [((0, 0, 0), True), ((15, 0, 0), True), ((16, 0, 0), False)])
def test_copy_is_rejected_if_rectangles_overlap_by_all_interpretations(
    kit: Kit, origin: tuple[int, int, int], *, must: bool
) -> None:
    first, second = (kit.sub_buffer(kit.first_buffer, 0, SIZE) for _ in range(2))
    overlap = "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1"
    changed: dict[str, Value] = {"src_buffer": first, "dst_buffer": second, "dst_origin": ElementList(origin)}
    assert expect_changed_call(kit, COPY_RECT, changed) == ((overlap, "") if must else ("", overlap))


@pytest.mark.parametrize(
    ("origin", "must"),
    [((0, 0, 0), True), ((15, 0, 0), True), ((16, 0, 0), False), ((17, 0, 0), True), ((0, 4, 0), False)],
)
def test_copy_of_overlapping_rectangles_within_buffer_is_rejected(
    kit: Kit, origin: tuple[int, int, int], *, must: bool
) -> None:
    musts, _ = expect_changed_call(kit, COPY_RECT, {"dst_buffer": kit.first_buffer, "dst_origin": ElementList(origin)})
    assert musts == ("clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1" if must else "")


@pytest.mark.parametrize(
    ("row", "slices", "must", "may"),
    [(64, 512, True, False), (64, 256, False, True), (32, 512, False, True), (32, 256, False, False)],
)
def test_rectangle_copy_within_buffer_with_different_pitches_is_rejected(
    kit: Kit, row: int, slices: int, *, must: bool, may: bool
) -> None:
    changed: dict[str, Value] = {"dst_buffer": kit.first_buffer, "dst_origin": box(0, 0, 2), "region": box(16, 4, 1)}
    musts, mays = expect_changed_call(kit, COPY_RECT, {**changed, "dst_row_pitch": row, "dst_slice_pitch": slices})
    differ = "clEnqueueCopyBufferRect/CL_INVALID_VALUE/8"
    assert (differ in musts.split(), differ in mays.split()) == (must, may)


@pytest.mark.parametrize(
    ("properties", "must", "undefined"),
    [
        (None, "", False),
        (ElementList((0,)), "", False),
        (ElementList((0, UNKNOWN_PROPERTY)), "", False),
        (ElementList((UNKNOWN_PROPERTY, 0, 0)), "clCreateBufferWithProperties/CL_INVALID_PROPERTY/1", False),
        (ElementList((UNKNOWN_PROPERTY, 0)), "", True),
        (ElementList(()), "", True),
        (
            ElementList((DEVICE_LIST_PROPERTY, Handle("device1"), 0, UNKNOWN_PROPERTY, 0, 0)),
            "clCreateBufferWithProperties/CL_INVALID_PROPERTY/1 clCreateBufferWithProperties/CL_INVALID_PROPERTY/3",
            False,
        ),
        (ElementList((DEVICE_LIST_PROPERTY, Handle("device1"), 0)), "", True),
        (ElementList((DEVICE_LIST_PROPERTY, Handle("device1"))), "", True),
    ],
)
def test_buffer_properties_after_the_terminator_are_ignored(
    everything_kit: Kit, properties: ElementList | None, must: str, *, undefined: bool
) -> None:
    expectation = everything_kit.cl.oracle.expect(
        Call(CREATE_WITH_PROPERTIES, everything_kit.valid_arguments(CREATE_WITH_PROPERTIES, properties=properties))
    )
    assert bool(expectation.undefined) == undefined
    assert undefined or get_condition_ids(expectation)[0] == must


@pytest.mark.parametrize(
    "record",
    [
        "clCreateBuffer/CL_INVALID_DEVICE/2",
        "clCreateBuffer/CL_INVALID_DEVICE/3",
        "clCreateBuffer/CL_INVALID_DEVICE/4",
    ],
)
def test_create_buffer_without_properties_has_no_device_list_errors(everything_kit: Kit, record: str) -> None:
    assert record not in " ".join(expect_changed_call(everything_kit, CREATE, {})).split()


@pytest.mark.parametrize(
    ("flag", "open_"),
    [("CL_MEM_READ_WRITE", True), ("CL_MEM_COPY_HOST_PTR", True), ("CL_MEM_ALLOC_HOST_PTR", False)],
)
def test_map_of_alloc_host_ptr_buffer_must_not_fail(kit: Kit, flag: str, *, open_: bool) -> None:
    assert expect_changed_call(kit, MAP, {"buffer": kit.buffer(flag)}) == ("", UNSPECIFIED_MAP_FAILURE if open_ else "")


def test_creation_of_sub_buffer_of_sub_buffer_is_rejected(kit: Kit) -> None:
    musts, _ = expect_changed_call(kit, REGION, {"buffer": kit.sub_buffer(kit.first_buffer, 0, HALF)})
    assert musts == "clCreateSubBuffer/CL_INVALID_MEM_OBJECT/1"


def test_second_map_of_range_mapped_for_writing_is_rejected(kit: Kit) -> None:
    buffer = kit.buffer()
    kit.map(buffer, "CL_MAP_WRITE", size=HALF)
    writing = {"buffer": buffer, "map_flags": kit.constant("CL_MAP_WRITE"), "size": 8}
    assert (
        expect_changed_call(kit, MAP, writing | {"offset": HALF - 1})[0] == "clEnqueueMapBuffer/CL_INVALID_OPERATION/2"
    )
    assert expect_changed_call(kit, MAP, writing | {"offset": HALF})[0] == ""
    assert (
        "clEnqueueMapBuffer/CL_INVALID_OPERATION/2" in expect_changed_call(kit, MAP, {"buffer": buffer, "size": 8})[1]
    )


@pytest.mark.parametrize(("size", "may"), [(0, True), (HALF, False)])
def test_range_of_accepted_invalid_map_may_count_as_mapped(size: int, *, may: bool) -> None:
    with open_kit("everything") as kit:
        buffer, other = kit.buffer(), kit.buffer()
        writing = {"map_flags": kit.constant("CL_MAP_WRITE"), "size": size, "event": None}
        asked = kit.cl.oracle.expect(Call(MAP, kit.valid_arguments(MAP, buffer=buffer, **writing)))
        assert bool(asked.required_errors) == may
        kit.cl.oracle.judge(asked, Returned("pointer99", {"errcode_ret": Output([0], 4)}))
        twice = "clEnqueueMapBuffer/CL_INVALID_OPERATION/2"
        again = writing | {"offset": HALF, "size": 8}
        assert (twice in expect_changed_call(kit, MAP, again | {"buffer": buffer})[1]) == may
        assert twice not in expect_changed_call(kit, MAP, again | {"buffer": other})[1]


@pytest.mark.parametrize(("version", "undefined"), [("1.1", True), ("1.2", False)])
def test_second_map_of_range_mapped_for_writing_is_undefined_before_1_2(
    kit: Kit, version: str, *, undefined: bool
) -> None:
    buffer = kit.buffer()
    kit.map(buffer, "CL_MAP_WRITE", size=HALF)
    oracle = kit.cl.oracle
    for device in oracle.model.root_devices():
        device.version = read_version(version)
    arguments = kit.valid_arguments(MAP, buffer=buffer, map_flags=kit.constant("CL_MAP_WRITE"), size=8)
    assert bool(oracle.expect(Call(MAP, arguments)).undefined) == undefined


def test_sub_buffer_misaligned_for_device_of_queue_is_rejected() -> None:
    with open_kit("two-alignments") as kit:
        kit.context = kit.new_context(*kit.cl.devices)
        coarse, fine = (device.number("CL_DEVICE_MEM_BASE_ADDR_ALIGN") // 8 for device in kit.cl.model.root_devices())
        assert fine < coarse < 2 * SIZE
        whole = kit.buffer(size=4 * SIZE)
        for origin, must in ((fine, "clEnqueueReadBuffer/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"), (coarse, "")):
            assert expect_changed_call(kit, READ, {"buffer": kit.sub_buffer(whole, origin, SIZE)})[0] == must


@pytest.mark.parametrize(
    ("function", "changed", "also"),
    [
        (READ, {"buffer": None}, ""),
        (READ, {"buffer": None, "ptr": None}, "clEnqueueReadBuffer/CL_INVALID_VALUE/1"),
        (FILL, {"buffer": None}, ""),
        (READ_RECT, {"buffer": None}, ""),
        (COPY, {"src_buffer": None}, ""),
        (COPY, {"src_buffer": None, "dst_offset": 1}, "clEnqueueCopyBuffer/CL_INVALID_VALUE/1"),
        (COPY_RECT, {"dst_buffer": None}, ""),
        (
            COPY_RECT,
            {"dst_buffer": None, "src_origin": box(0, 0, LAST_SLICE + 1)},
            "clEnqueueCopyBufferRect/CL_INVALID_VALUE/2",
        ),
        (MAP, {"buffer": None}, ""),
        (MAP, {"buffer": None, "map_flags": 1 << 40}, "clEnqueueMapBuffer/CL_INVALID_VALUE/1"),
        (REGION, {"buffer": None}, ""),
    ],
)
def test_call_with_null_buffer_has_no_size_or_flag_errors(
    kit: Kit, function: str, changed: dict[str, Value], also: str
) -> None:
    """The conditions of other arguments may still hold."""
    assert expect_changed_call(kit, function, changed) == (f"{function}/CL_INVALID_MEM_OBJECT/1 {also}".strip(), "")


def test_storage_of_a_petabyte_becomes_unknown_without_allocation() -> None:
    """A list of this many bytes does not fit into memory."""
    large = Storage(1 << 50)
    large.forget()
    large.forget(((0, 1 << 50),))
    assert large.read(((1 << 49, 4),)).defined == bytes(4)
