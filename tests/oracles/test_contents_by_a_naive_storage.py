"""The model's contents of memory compared with a naive storage, over random sequences of commands.

The naive storage is a list of bytes for each buffer, with None for unknown bytes; a sub-buffer is an offset into its
parent's list. It does not model views, spans or orders: each command blocks or is followed by ``clFinish``. The model
must know exactly the bytes that the naive storage knows.
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

from .test_contents import ONE, Desk

if TYPE_CHECKING:
    from clconform.calls.call import Call

    Known = list[int | None]

SIZE = 24
"""Bytes of each buffer."""
ALIGNED = 8
"""Offsets of sub-buffers are multiples of this number."""
COMMANDS = 14
"""Maximum number of commands in a sequence."""
ATTEMPTS = 12
"""Maximum number of regions that are drawn for a command until one is valid."""


@dataclass
class Twin:
    """A buffer and its naive bytes: a part of ``whole`` from ``start`` on; a sub-buffer shares its parent's bytes."""

    name: str
    whole: Known
    start: int = 0
    size: int = SIZE

    def set(self, offset: int, new: Known) -> None:
        """Store bytes at an offset."""
        self.whole[self.start + offset : self.start + offset + len(new)] = new

    def get(self, offset: int, size: int) -> Known:
        """Return the bytes at an offset."""
        return self.whole[self.start + offset : self.start + offset + size]


@dataclass
class Region:
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
class Bench:
    """Executes commands on the model and on the naive bytes; ``done`` counts the executed commands by function."""

    draw: st.DataObject
    desk: Desk = field(default_factory=Desk)
    twins: list[Twin] = field(default_factory=list)
    maps: list[tuple[Twin, int, int, str, bool]] = field(default_factory=list)
    serial: int = 1
    done: dict[str, int] = field(default_factory=dict)

    def number(self, low: int, high: int) -> int:
        """Draw a number, both ends included."""
        return self.draw.draw(st.integers(low, high))

    def some(self, size: int) -> bytes:
        """Draw this many bytes."""
        return self.draw.draw(st.binary(min_size=size, max_size=size))

    def twin(self) -> Twin:
        """Draw a buffer."""
        return self.draw.draw(st.sampled_from(self.twins))

    def range(self, twin: Twin, step: int = 1) -> tuple[int, int]:
        """Return an offset and a size of at least one step inside a buffer."""
        offset = self.number(0, twin.size // step - 1)
        return offset * step, self.number(1, twin.size // step - offset) * step

    def name(self, kind: str) -> str:
        """Return a new name of this kind."""
        self.serial += 1
        return f"{kind}{self.serial}"

    def allowed(self, call: Call) -> bool:
        """Return whether a call is defined and may succeed."""
        expectation = self.desk.world.oracle.expect(call)
        return not expectation.undefined and SUCCESS in expectation.allowed_codes

    def try_to(self, function: str, answer: int | str = 0, seen: bytes | None = None, **arguments: Value) -> bool:
        """Judge a command as successful, and count it, if it is defined and may succeed."""
        if not self.allowed(self.desk.call(function, **arguments)):
            return False
        assert not self.desk.do(function, seen, answer, **arguments).deviations
        self.done[function] = self.done.get(function, 0) + 1
        return True

    # steps of a sequence

    def create(self) -> None:
        """Create a buffer, with known or unknown contents."""
        known = self.draw.draw(st.booleans())
        content = self.some(SIZE)
        name = self.name("mem")
        host: Value = Data(content) if known else None
        self.desk.buffer(*(("CL_MEM_COPY_HOST_PTR",) if known else ()), host=host, name=name, size=SIZE)
        self.twins.append(Twin(name, list(content) if known else [None] * SIZE))

    def create_sub_buffer(self) -> None:
        """Create a sub-buffer of a whole buffer."""
        parent = self.draw.draw(st.sampled_from([each for each in self.twins if each.start + each.size == SIZE]))
        if parent.start or parent.size < SIZE:
            return
        offset, size = self.range(parent, ALIGNED)
        world, name = self.desk.world, self.name("mem")
        world.roots[0].facts["CL_DEVICE_MEM_BASE_ADDR_ALIGN"] = 8 * ALIGNED
        region = Data(struct.pack("<QQ", offset, size))
        call = world.call(
            "clCreateSubBuffer", Handle(parent.name), 0, world.value("CL_BUFFER_CREATE_TYPE_REGION"), region, None
        )
        if self.allowed(call):
            self.desk.judge("clCreateSubBuffer", name, *call.arguments.values())
            self.done["clCreateSubBuffer"] = self.done.get("clCreateSubBuffer", 0) + 1
            self.twins.append(Twin(name, parent.whole, parent.start + offset, size))

    def write(self) -> None:
        """Write random bytes."""
        twin = self.twin()
        offset, size = self.range(twin)
        content, blocking = self.some(size), self.number(0, 1)
        given: dict[str, Value] = {"buffer": Handle(twin.name), "offset": offset, "size": size}
        if self.try_to("clEnqueueWriteBuffer", **given, ptr=Data(content), blocking_write=blocking):
            twin.set(offset, list(content))
            self.finish()

    def fill(self) -> None:
        """Repeat a pattern."""
        twin = self.twin()
        step = self.draw.draw(st.sampled_from((1, 2, 4)))
        offset, size = self.range(twin, step)
        pattern = self.some(step)
        given: dict[str, Value] = {"pattern": Data(pattern), "pattern_size": step, "offset": offset, "size": size}
        if self.try_to("clEnqueueFillBuffer", buffer=Handle(twin.name), **given):
            twin.set(offset, list(pattern * (size // step)))
            self.finish()

    def copy(self) -> None:
        """Copy between disjoint ranges."""
        for _ in range(ATTEMPTS):
            source, target = self.twin(), self.twin()
            size = self.number(1, min(source.size, target.size))
            there, here = self.number(0, source.size - size), self.number(0, target.size - size)
            given: dict[str, Value] = {"src_buffer": Handle(source.name), "dst_buffer": Handle(target.name)}
            given |= {"src_offset": there, "dst_offset": here, "size": size}
            if self._shares(source, there, target, here, size):
                continue  # an overlapping copy that is not an error leaves unspecified bytes
            if self.try_to("clEnqueueCopyBuffer", **given):
                target.set(here, source.get(there, size))
                self.finish()
                return

    @staticmethod
    def _shares(source: Twin, there: int, target: Twin, here: int, size: int) -> bool:
        first, second = source.start + there, target.start + here
        return source.whole is target.whole and first < second + size and second < first + size

    def rectangle(self, width: int, height: int, depth: int) -> Region:
        """Draw the origin and the pitches of a rectangle."""
        row = width + self.number(0, 2)
        slice_ = row * (height + self.number(0, 1))
        return Region((self.number(0, 2), self.number(0, 1), self.number(0, 1)), (width, height, depth), row, slice_)

    def rectangles(self) -> tuple[Region, Region]:
        """Draw the two sides of a transfer."""
        size = (self.number(1, 4), self.number(1, 3), self.number(1, 2))
        return self.rectangle(*size), self.rectangle(*size)

    @staticmethod
    def said(side: str, region: Region) -> dict[str, Value]:
        """Return the arguments for one side of a transfer of rectangles."""
        return {
            f"{side}_origin": ElementList(region.origin),
            f"{side}_row_pitch": region.row,
            f"{side}_slice_pitch": region.slice,
        }

    def write_rectangle(self) -> None:
        """Write a rectangle."""
        for _ in range(ATTEMPTS):
            twin = self.twin()
            here, there = self.rectangles()
            if max(here.positions()) >= twin.size:
                continue
            content = self.some(max(there.positions()) + 1)
            given = {**self.said("buffer", here), **self.said("host", there), "region": ElementList(here.size)}
            if self.try_to("clEnqueueWriteBufferRect", **given, buffer=Handle(twin.name), ptr=Data(content)):
                for to, at in zip(here.positions(), there.positions(), strict=True):
                    twin.set(to, [content[at]])
                return

    def copy_rectangle(self) -> None:
        """Copy a rectangle from one whole buffer to another."""
        for _ in range(ATTEMPTS):
            source, target = self.twin(), self.twin()
            there, here = self.rectangles()
            if max(there.positions()) >= source.size or max(here.positions()) >= target.size:
                continue
            given = {**self.said("src", there), **self.said("dst", here), "region": ElementList(here.size)}
            given |= {"src_buffer": Handle(source.name), "dst_buffer": Handle(target.name)}
            if source.whole is target.whole:
                continue  # an overlapping copy that is not an error leaves unspecified bytes
            if self.try_to("clEnqueueCopyBufferRect", **given):
                for to, at in zip(here.positions(), there.positions(), strict=True):
                    target.set(to, source.get(at, 1))
                self.finish()
                return

    def migrate(self) -> None:
        """Migrate a buffer, sometimes without its contents."""
        twin = self.twin()
        discards = self.number(0, 3) == 0
        flags = self.desk.world.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED") if discards else 0
        given: dict[str, Value] = {
            "num_mem_objects": 1,
            "mem_objects": ElementList((Handle(twin.name),)),
            "flags": flags,
        }
        if self.try_to("clEnqueueMigrateMemObjects", **given):
            if discards:
                twin.set(0, [None] * twin.size)
            self.finish()

    def map(self) -> None:
        """Map a region; sometimes write to it, sometimes unmap it."""
        twin = self.twin()
        offset, size = self.range(twin)
        flag = self.draw.draw(st.sampled_from(("CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")))
        given: dict[str, Value] = {"map_flags": self.desk.world.value(flag), "offset": offset, "size": size}
        pointer = self.name("pointer")
        if self.try_to("clEnqueueMapBuffer", pointer, **given, buffer=Handle(twin.name)):
            self.maps.append((twin, offset, size, pointer, flag != "CL_MAP_READ"))
            if flag == "CL_MAP_WRITE_INVALIDATE_REGION":
                twin.set(offset, [None] * size)
            for then in self.draw.draw(st.sampled_from(((), (Bench.write_through_a_map,), ENDED))):
                then(self)

    def write_through_a_map(self) -> None:
        """Write to a mapped region, if one is writable, on the host."""
        writable = [each for each in self.maps if each[4]]
        if not writable:
            return
        twin, offset, size, pointer, _ = self.draw.draw(st.sampled_from(writable))
        part = self.number(1, size)
        content = self.some(part)
        call_of_the_host: dict[str, Value] = {"pointer": Handle(pointer), "size": part, "content": Data(content)}
        if not self.desk.refused(WRITE, **call_of_the_host):
            self.desk.step(WRITE, None, **call_of_the_host)
            self.done[WRITE] = self.done.get(WRITE, 0) + 1
            twin.set(offset, list(content))

    def unmap(self) -> None:
        """Unmap a region."""
        if self.maps:
            held = self.maps[self.number(0, len(self.maps) - 1)]
            given: dict[str, Value] = {"memobj": Handle(held[0].name), "mapped_ptr": Handle(held[3])}
            if self.try_to("clEnqueueUnmapMemObject", **given):
                self.maps.remove(held)
                self.finish()

    def finish(self) -> None:
        """Wait for all commands."""
        self.desk.judge("clFinish", 0, ONE)

    # comparison

    def compare(self) -> None:
        """Compare each buffer with the expected bytes of a read and the model's storage; compare mapped regions."""
        for twin in self.twins:
            naive = twin.get(0, twin.size)
            given: dict[str, Value] = {"offset": 0, "size": twin.size, "ptr": OutputBuffer(twin.size)}
            call = self.desk.call("clEnqueueReadBuffer", buffer=Handle(twin.name), **given)
            expectation = self.desk.world.oracle.expect(call)
            if not expectation.undefined:
                promise = postcondition_of(expectation.context)
                assert promise is not None
                want = promise.outputs["ptr"]
                assert isinstance(want, ExpectedBytes)
                agree(want.content, want.defined, naive, f"read of {twin.name}")
            kept = self.desk.world.model.get(Buffer, Handle(twin.name)).memory
            assert isinstance(kept, StorageView)
            content = kept.storage.read(kept.spans(0, kept.size))
            agree(content.bytes_held, content.defined, naive, twin.name)
        for twin, offset, size, pointer, _ in self.maps:
            call_of_the_host: dict[str, Value] = {
                "pointer": Handle(pointer),
                "size": size,
                "content": OutputBuffer(size),
            }
            if not self.desk.refused(READ, **call_of_the_host):
                answered = bytes(byte or 0 for byte in twin.get(offset, size))
                assert not self.desk.step(READ, None, answered, **call_of_the_host).deviations


ENDED = (Bench.write_through_a_map, Bench.unmap)


def agree(held: bytes, defined: bytes, naive: Known, where: str) -> None:
    """Fail if the model knows other bytes than the naive storage, or fewer."""
    for at, (byte, known, naively) in enumerate(zip(held, defined, naive, strict=True)):
        assert bool(known) == (naively is not None), f"byte {at}, {where}: known {bool(known)}, naively {naively}"
        assert not known or byte == naively, f"byte {at}, {where}: {byte}, naively {naively}"


STEPS = {
    "create": Bench.create,
    "create_sub_buffer": Bench.create_sub_buffer,
    "write": Bench.write,
    "fill": Bench.fill,
    "copy": Bench.copy,
    "write_rectangle": Bench.write_rectangle,
    "copy_rectangle": Bench.copy_rectangle,
    "migrate": Bench.migrate,
    "map": Bench.map,
    "write_through_a_map": Bench.write_through_a_map,
    "unmap": Bench.unmap,
}


def sequence(data: st.DataObject) -> Bench:
    """Execute a random sequence of commands on both, with a comparison after each command."""
    bench = Bench(data)
    bench.create()
    bench.create()
    for name in data.draw(st.lists(st.sampled_from(sorted(STEPS)), max_size=COMMANDS)):
        STEPS[name](bench)
        bench.compare()
    for function in bench.done:
        event(function)
    return bench


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_model_knows_exactly_the_bytes_that_a_naive_storage_has(data: st.DataObject) -> None:
    sequence(data)


def test_each_kind_of_command_takes_place_in_some_sequence() -> None:
    """The drawn commands are mostly valid, so the comparison covers each kind of command."""
    done: set[str] = set()

    @settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def count(data: st.DataObject) -> None:
        done.update(sequence(data).done)

    count()
    commands = ("WriteBuffer", "FillBuffer", "CopyBuffer", "WriteBufferRect", "CopyBufferRect", "MigrateMemObjects")
    made = {f"clEnqueue{each}" for each in (*commands, "MapBuffer", "UnmapMemObject")}
    assert done >= {*made, "clCreateSubBuffer", WRITE}


@pytest.mark.parametrize(
    ("held", "defined", "naive"),
    [(b"a", b"\1", [None]), (b"a", b"\0", [97]), (b"a", b"\1", [98])],
    ids=["claims too much", "knows too little", "wrong"],
)
def test_the_comparison_can_fail(held: bytes, defined: bytes, naive: Known) -> None:
    with pytest.raises(AssertionError):
        agree(held, defined, naive, "here")
