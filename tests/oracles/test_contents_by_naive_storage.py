"""The model's contents of memory compared with a naive storage, over random sequences of commands.

The naive storage is a list of bytes for each buffer, with None for unknown bytes; a sub-buffer is an offset into its
parent's list. It does not model shared storage, spans or orders: each command blocks or is followed by ``clFinish``.
The model must know exactly the bytes that the naive storage knows.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from clconform.calls.harness_actions import READ, WRITE
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Value
from clconform.oracles.contents.storage import StorageView
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.model.memory_objects import Buffer

from .test_contents import FIRST_QUEUE, ContentsChecker

if TYPE_CHECKING:
    from clconform.calls.call import Call

    Known = list[int | None]

BUFFER_SIZE = 24
"""Bytes of each buffer."""
SUB_BUFFER_ALIGNMENT = 8
"""Offsets of sub-buffers are multiples of this number."""
MAX_COMMANDS = 14
"""Maximum number of commands in a sequence."""
ATTEMPTS = 12
"""Maximum number of regions that are drawn for a command until one is valid."""


@dataclass
class NaiveBuffer:
    """A buffer and its naive bytes: ``base_bytes`` from ``start`` on; a sub-buffer shares its parent's bytes."""

    name: str
    base_bytes: Known
    start: int = 0
    size: int = BUFFER_SIZE

    def set(self, offset: int, new: Known) -> None:
        """Store bytes at an offset."""
        self.base_bytes[self.start + offset : self.start + offset + len(new)] = new

    def get(self, offset: int, size: int) -> Known:
        """Return the bytes at an offset."""
        return self.base_bytes[self.start + offset : self.start + offset + size]


@dataclass
class RectangleRegion:
    """A rectangle with an origin, a size (bytes, rows, slices) and pitches."""

    origin: tuple[int, int, int]
    size: tuple[int, int, int]
    row: int
    slice: int

    def positions(self) -> list[int]:
        """Return the position of each byte, in copy order."""
        x0, y0, z0 = self.origin
        width, height, depth = self.size
        return [
            (z0 + z) * self.slice + (y0 + y) * self.row + x0 + x
            for z in range(depth)
            for y in range(height)
            for x in range(width)
        ]


@dataclass
class StorageComparison:
    """Executes commands on the model and on the naive bytes.

    ``executed_counts``: maps functions to the numbers of their executed commands.
    """

    draw: st.DataObject
    checker: ContentsChecker = field(default_factory=ContentsChecker)
    buffers: list[NaiveBuffer] = field(default_factory=list)
    maps: list[tuple[NaiveBuffer, int, int, str, bool]] = field(default_factory=list)
    serial: int = 1
    executed_counts: dict[str, int] = field(default_factory=dict)

    def draw_number(self, low: int, high: int) -> int:
        """Draw a number, both ends included."""
        return self.draw.draw(st.integers(low, high))

    def draw_bytes(self, size: int) -> bytes:
        """Draw this many bytes."""
        return self.draw.draw(st.binary(min_size=size, max_size=size))

    def draw_buffer(self) -> NaiveBuffer:
        """Draw one of the buffers of the sequence."""
        return self.draw.draw(st.sampled_from(self.buffers))

    def draw_range(self, naive_buffer: NaiveBuffer, step: int = 1) -> tuple[int, int]:
        """Draw an offset and a size inside a buffer, both multiples of ``step``."""
        offset = self.draw_number(0, naive_buffer.size // step - 1)
        return offset * step, self.draw_number(1, naive_buffer.size // step - offset) * step

    def create_name(self, kind: str) -> str:
        """Return a new name of this kind."""
        self.serial += 1
        return f"{kind}{self.serial}"

    def is_allowed(self, call: Call) -> bool:
        """Return whether a call is defined and may succeed."""
        expectation = self.checker.world.oracle.expect(call)
        return not expectation.undefined and SUCCESS in expectation.allowed_codes

    def try_command(self, function: str, answer: int | str = 0, seen: bytes | None = None, **arguments: Value) -> bool:
        """Judge a command as successful, and count it, if it is defined and may succeed."""
        if not self.is_allowed(self.checker.build_call(function, **arguments)):
            return False
        assert not self.checker.judge_command(function, seen, answer, **arguments).deviations
        self.executed_counts[function] = self.executed_counts.get(function, 0) + 1
        return True

    # steps of a sequence

    def create_buffer(self) -> None:
        """Create a buffer, with known or unknown contents."""
        known = self.draw.draw(st.booleans())
        content = self.draw_bytes(BUFFER_SIZE)
        name = self.create_name("mem")
        host: Value = Data(content) if known else None
        self.checker.create_buffer(
            *(("CL_MEM_COPY_HOST_PTR",) if known else ()), host=host, name=name, size=BUFFER_SIZE
        )
        self.buffers.append(NaiveBuffer(name, list(content) if known else [None] * BUFFER_SIZE))

    def create_sub_buffer(self) -> None:
        """Create a sub-buffer of a whole buffer."""
        parent = self.draw.draw(
            st.sampled_from([each for each in self.buffers if each.start + each.size == BUFFER_SIZE])
        )
        if parent.start or parent.size < BUFFER_SIZE:
            return
        offset, size = self.draw_range(parent, SUB_BUFFER_ALIGNMENT)
        world, name = self.checker.world, self.create_name("mem")
        world.roots[0].facts["CL_DEVICE_MEM_BASE_ADDR_ALIGN"] = 8 * SUB_BUFFER_ALIGNMENT
        region = Data(struct.pack("<QQ", offset, size))
        call = world.call(
            "clCreateSubBuffer", Handle(parent.name), 0, world.value("CL_BUFFER_CREATE_TYPE_REGION"), region, None
        )
        if self.is_allowed(call):
            self.checker.judge("clCreateSubBuffer", name, *call.arguments.values())
            self.executed_counts["clCreateSubBuffer"] = self.executed_counts.get("clCreateSubBuffer", 0) + 1
            self.buffers.append(NaiveBuffer(name, parent.base_bytes, parent.start + offset, size))

    def write(self) -> None:
        """Write random bytes to a random range of a buffer, on the model and on the naive bytes."""
        naive_buffer = self.draw_buffer()
        offset, size = self.draw_range(naive_buffer)
        content, blocking = self.draw_bytes(size), self.draw_number(0, 1)
        given: dict[str, Value] = {"buffer": Handle(naive_buffer.name), "offset": offset, "size": size}
        if self.try_command("clEnqueueWriteBuffer", **given, ptr=Data(content), blocking_write=blocking):
            naive_buffer.set(offset, list(content))
            self.finish()

    def fill(self) -> None:
        """Fill a random range of a buffer with a pattern, on the model and on the naive bytes."""
        naive_buffer = self.draw_buffer()
        step = self.draw.draw(st.sampled_from((1, 2, 4)))
        offset, size = self.draw_range(naive_buffer, step)
        pattern = self.draw_bytes(step)
        given: dict[str, Value] = {"pattern": Data(pattern), "pattern_size": step, "offset": offset, "size": size}
        if self.try_command("clEnqueueFillBuffer", buffer=Handle(naive_buffer.name), **given):
            naive_buffer.set(offset, list(pattern * (size // step)))
            self.finish()

    def copy(self) -> None:
        """Copy between disjoint ranges of buffers, on the model and on the naive bytes."""
        for _ in range(ATTEMPTS):
            source, target = self.draw_buffer(), self.draw_buffer()
            size = self.draw_number(1, min(source.size, target.size))
            there, here = self.draw_number(0, source.size - size), self.draw_number(0, target.size - size)
            given: dict[str, Value] = {"src_buffer": Handle(source.name), "dst_buffer": Handle(target.name)}
            given |= {"src_offset": there, "dst_offset": here, "size": size}
            if self._shares(source, there, target, here, size):
                continue  # an overlapping copy that is not an error leaves unspecified bytes
            if self.try_command("clEnqueueCopyBuffer", **given):
                target.set(here, source.get(there, size))
                self.finish()
                return

    @staticmethod
    def _shares(source: NaiveBuffer, there: int, target: NaiveBuffer, here: int, size: int) -> bool:
        first, second = source.start + there, target.start + here
        return source.base_bytes is target.base_bytes and first < second + size and second < first + size

    def draw_rectangle(self, width: int, height: int, depth: int) -> RectangleRegion:
        """Draw the origin and the pitches of a rectangle with this width, height and depth."""
        row = width + self.draw_number(0, 2)
        slice_ = row * (height + self.draw_number(0, 1))
        return RectangleRegion(
            (self.draw_number(0, 2), self.draw_number(0, 1), self.draw_number(0, 1)),
            (width, height, depth),
            row,
            slice_,
        )

    def draw_rectangles(self) -> tuple[RectangleRegion, RectangleRegion]:
        """Draw two rectangles of the same size, for the source and the destination of a transfer."""
        size = (self.draw_number(1, 4), self.draw_number(1, 3), self.draw_number(1, 2))
        return self.draw_rectangle(*size), self.draw_rectangle(*size)

    @staticmethod
    def build_rectangle_arguments(side: str, region: RectangleRegion) -> dict[str, Value]:
        """Return the arguments for one side of a transfer of rectangles."""
        return {
            f"{side}_origin": ElementList(region.origin),
            f"{side}_row_pitch": region.row,
            f"{side}_slice_pitch": region.slice,
        }

    def write_rectangle(self) -> None:
        """Write random bytes to a rectangle of a buffer, on the model and on the naive bytes."""
        for _ in range(ATTEMPTS):
            naive_buffer = self.draw_buffer()
            here, there = self.draw_rectangles()
            if max(here.positions()) >= naive_buffer.size:
                continue
            content = self.draw_bytes(max(there.positions()) + 1)
            given = {
                **self.build_rectangle_arguments("buffer", here),
                **self.build_rectangle_arguments("host", there),
                "region": ElementList(here.size),
            }
            if self.try_command(
                "clEnqueueWriteBufferRect", **given, buffer=Handle(naive_buffer.name), ptr=Data(content)
            ):
                for to, at in zip(here.positions(), there.positions(), strict=True):
                    naive_buffer.set(to, [content[at]])
                return

    def copy_rectangle(self) -> None:
        """Copy a rectangle from one whole buffer to another."""
        for _ in range(ATTEMPTS):
            source, target = self.draw_buffer(), self.draw_buffer()
            there, here = self.draw_rectangles()
            if max(there.positions()) >= source.size or max(here.positions()) >= target.size:
                continue
            given = {
                **self.build_rectangle_arguments("src", there),
                **self.build_rectangle_arguments("dst", here),
                "region": ElementList(here.size),
            }
            given |= {"src_buffer": Handle(source.name), "dst_buffer": Handle(target.name)}
            if source.base_bytes is target.base_bytes:
                continue  # an overlapping copy that is not an error leaves unspecified bytes
            if self.try_command("clEnqueueCopyBufferRect", **given):
                for to, at in zip(here.positions(), there.positions(), strict=True):
                    target.set(to, source.get(at, 1))
                self.finish()
                return

    def migrate(self) -> None:
        """Migrate a buffer to the device. Sometimes its contents become unknown."""
        naive_buffer = self.draw_buffer()
        discards = self.draw_number(0, 3) == 0
        flags = self.checker.world.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED") if discards else 0
        given: dict[str, Value] = {
            "num_mem_objects": 1,
            "mem_objects": ElementList((Handle(naive_buffer.name),)),
            "flags": flags,
        }
        if self.try_command("clEnqueueMigrateMemObjects", **given):
            if discards:
                naive_buffer.set(0, [None] * naive_buffer.size)
            self.finish()

    def map(self) -> None:
        """Map a random region of a buffer. Sometimes write to the mapped region, sometimes unmap it."""
        naive_buffer = self.draw_buffer()
        offset, size = self.draw_range(naive_buffer)
        flag = self.draw.draw(st.sampled_from(("CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")))
        given: dict[str, Value] = {"map_flags": self.checker.world.value(flag), "offset": offset, "size": size}
        pointer = self.create_name("pointer")
        if self.try_command("clEnqueueMapBuffer", pointer, **given, buffer=Handle(naive_buffer.name)):
            self.maps.append((naive_buffer, offset, size, pointer, flag != "CL_MAP_READ"))
            if flag == "CL_MAP_WRITE_INVALIDATE_REGION":
                naive_buffer.set(offset, [None] * size)
            for then in self.draw.draw(st.sampled_from(((), (StorageComparison.write_through_map,), WRITE_AND_UNMAP))):
                then(self)

    def write_through_map(self) -> None:
        """Write random bytes on the host to a region that is mapped for writing, if there is one."""
        writable = [each for each in self.maps if each[4]]
        if not writable:
            return
        naive_buffer, offset, size, pointer, _ = self.draw.draw(st.sampled_from(writable))
        part = self.draw_number(1, size)
        content = self.draw_bytes(part)
        call_of_the_host: dict[str, Value] = {"pointer": Handle(pointer), "size": part, "content": Data(content)}
        if not self.checker.get_undefined_reason(WRITE, **call_of_the_host):
            self.checker.judge_action(WRITE, None, **call_of_the_host)
            self.executed_counts[WRITE] = self.executed_counts.get(WRITE, 0) + 1
            naive_buffer.set(offset, list(content))

    def unmap(self) -> None:
        """Unmap one of the mapped regions."""
        if self.maps:
            held = self.maps[self.draw_number(0, len(self.maps) - 1)]
            given: dict[str, Value] = {"memobj": Handle(held[0].name), "mapped_ptr": Handle(held[3])}
            if self.try_command("clEnqueueUnmapMemObject", **given):
                self.maps.remove(held)
                self.finish()

    def finish(self) -> None:
        """Wait for all commands of the queue by ``clFinish``."""
        self.checker.judge("clFinish", 0, FIRST_QUEUE)

    # comparison

    def compare(self) -> None:
        """Compare the naive bytes of each buffer and of mapped regions with the bytes that the model knows."""
        for naive_buffer in self.buffers:
            naive = naive_buffer.get(0, naive_buffer.size)
            given: dict[str, Value] = {"offset": 0, "size": naive_buffer.size, "ptr": OutputBuffer(naive_buffer.size)}
            call = self.checker.build_call("clEnqueueReadBuffer", buffer=Handle(naive_buffer.name), **given)
            expectation = self.checker.world.oracle.expect(call)
            if not expectation.undefined:
                promise = postcondition_of(expectation.context)
                assert promise is not None
                want = promise.outputs["ptr"]
                assert isinstance(want, ExpectedBytes)
                compare_bytes(want.content, want.defined, naive, f"read of {naive_buffer.name}")
            kept = self.checker.world.model.get(Buffer, Handle(naive_buffer.name)).memory
            assert isinstance(kept, StorageView)
            content = kept.storage.read(kept.spans(0, kept.size))
            compare_bytes(content.bytes_held, content.defined, naive, naive_buffer.name)
        for naive_buffer, offset, size, pointer, _ in self.maps:
            call_of_the_host: dict[str, Value] = {
                "pointer": Handle(pointer),
                "size": size,
                "content": OutputBuffer(size),
            }
            if not self.checker.get_undefined_reason(READ, **call_of_the_host):
                answered = bytes(byte or 0 for byte in naive_buffer.get(offset, size))
                assert not self.checker.judge_action(READ, None, answered, **call_of_the_host).deviations


WRITE_AND_UNMAP = (StorageComparison.write_through_map, StorageComparison.unmap)


def compare_bytes(held: bytes, defined: bytes, naive: Known, where: str) -> None:
    """Fail if the model knows other bytes than the naive storage, or fewer."""
    for at, (byte, known, naively) in enumerate(zip(held, defined, naive, strict=True)):
        assert bool(known) == (naively is not None), f"byte {at}, {where}: known {bool(known)}, naively {naively}"
        assert not known or byte == naively, f"byte {at}, {where}: {byte}, naively {naively}"


STEPS = {
    "create": StorageComparison.create_buffer,
    "create_sub_buffer": StorageComparison.create_sub_buffer,
    "write": StorageComparison.write,
    "fill": StorageComparison.fill,
    "copy": StorageComparison.copy,
    "write_rectangle": StorageComparison.write_rectangle,
    "copy_rectangle": StorageComparison.copy_rectangle,
    "migrate": StorageComparison.migrate,
    "map": StorageComparison.map,
    "write_through_a_map": StorageComparison.write_through_map,
    "unmap": StorageComparison.unmap,
}


def run_sequence(data: st.DataObject) -> StorageComparison:
    """Execute random commands on the model and the naive bytes, and compare both after each command."""
    bench = StorageComparison(data)
    bench.create_buffer()
    bench.create_buffer()
    for name in data.draw(st.lists(st.sampled_from(sorted(STEPS)), max_size=MAX_COMMANDS)):
        STEPS[name](bench)
        bench.compare()
    for function in bench.executed_counts:
        event(function)
    return bench


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_model_knows_the_same_bytes_as_naive_storage(data: st.DataObject) -> None:
    run_sequence(data)


def test_each_kind_of_command_occurs_in_some_random_sequence() -> None:
    """The drawn commands are mostly valid, so the comparison covers each kind of command."""
    done: set[str] = set()

    @settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def count(data: st.DataObject) -> None:
        done.update(run_sequence(data).executed_counts)

    count()
    commands = ("WriteBuffer", "FillBuffer", "CopyBuffer", "WriteBufferRect", "CopyBufferRect", "MigrateMemObjects")
    made = {f"clEnqueue{each}" for each in (*commands, "MapBuffer", "UnmapMemObject")}
    assert done >= {*made, "clCreateSubBuffer", WRITE}


@pytest.mark.parametrize(
    ("held", "defined", "naive"),
    [(b"a", b"\1", [None]), (b"a", b"\0", [97]), (b"a", b"\1", [98])],
    ids=["claims too much", "knows too little", "wrong"],
)
def test_comparison_with_naive_storage_detects_differences(held: bytes, defined: bytes, naive: Known) -> None:
    with pytest.raises(AssertionError):
        compare_bytes(held, defined, naive, "here")
