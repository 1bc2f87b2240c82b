"""Contents of memory in the model: views of the same bytes, the order of commands, and undefined accesses."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.harness_actions import ALLOCATE, READ, WRITE
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Value
from clconform.oracles.contents.storage import MAX_KEPT_BYTES

from .worlds import Plan, World

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import Judgement

BUFFER, AREA = Handle("mem1"), Handle("pointer1")
ONE, TWO = Handle("queue1"), Handle("queue2")
SIZE = 64
CONTENT = bytes(range(1, SIZE + 1))
USUAL: dict[str, Value] = {
    "num_events_in_wait_list": 0,
    "event_wait_list": None,
    "event": None,
    "errcode_ret": None,
    "blocking_read": 1,
    "blocking_write": 1,
    "blocking_map": 1,
    "command_queue": ONE,
    "buffer": BUFFER,
}


class Desk:
    """A context with two queues, host memory and buffers; each call is judged with a given result."""

    def __init__(self, *, in_order: bool = True) -> None:
        self.world = World(Plan())
        self.judge("clCreateContext", "context1", None, 1, ElementList((self.world.device,)), None, None, None)
        flags = 0 if in_order else self.world.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
        for queue, properties in ((ONE, flags), (TWO, 0)):
            self.judge("clCreateCommandQueue", queue.name, Handle("context1"), self.world.device, properties, None)
        self.step(ALLOCATE, "pointer1", size=SIZE, alignment=64)
        self.step(WRITE, None, pointer=AREA, size=SIZE, content=Data(CONTENT))

    def buffer(self, *flags: str, host: Value = None, name: str = "mem1", size: int = SIZE) -> None:
        """Create a buffer."""
        bits = sum(map(self.world.value, ("CL_MEM_READ_WRITE", *flags)))
        self.judge("clCreateBuffer", name, Handle("context1"), bits, size, host, None)

    def judge(self, function: str, answer: int | str | None, *arguments: Any) -> Judgement:
        """Judge a call that returned this result."""
        return self._judge(self.world.call(function, *arguments), answer, {})

    def step(self, function: str, answer: str | None, seen: bytes | None = None, **arguments: Value) -> Judgement:
        """Judge a harness action; ``seen``: the bytes that it read."""
        return self._judge(Call(function, arguments), answer, {} if seen is None else {"content": seen})

    def call(self, function: str, **arguments: Value) -> Call:
        """Return a command with default arguments where none are given."""
        given = {**USUAL, **arguments}
        names = [parameter.name for parameter in self.world.model.tables.functions[function].parameters]
        return Call(function, {name: given[name] for name in names})

    def do(self, function: str, seen: bytes | None = None, answer: int | str = 0, **arguments: Value) -> Judgement:
        """Judge a command that succeeded; ``seen``: the bytes that it left in its output buffer."""
        return self._judge(self.call(function, **arguments), answer, {} if seen is None else {"ptr": seen})

    def event(self, function: str, name: str, **arguments: Value) -> None:
        """Judge a command that returned an event."""
        call = self.call(function, event=OutputBuffer(1), **arguments)
        self._judged(call, Returned(0, {"event": Output([name], 8)}))

    def _judge(self, call: Call, answer: int | str | None, seen: dict[str, bytes]) -> Judgement:
        outputs = {name: Output([], len(content), content) for name, content in seen.items()}
        return self._judged(call, Returned(answer, outputs))

    def _judged(self, call: Call, outcome: Returned) -> Judgement:
        expectation = self.world.oracle.expect(call)
        assert not expectation.undefined, expectation.undefined
        return self.world.oracle.judge(expectation, outcome)

    def refused(self, function: str, **arguments: Value) -> str:
        """Return the reason why a command or harness action is undefined, or an empty string."""
        host = function in (READ, WRITE)
        return self.world.oracle.expect(
            Call(function, arguments) if host else self.call(function, **arguments)
        ).undefined


def blames(judgement: Judgement) -> list[tuple[str, str]]:
    return [(*blame.requirements, blame.observed) for blame in judgement.deviations]  # type: ignore[misc]


def part(offset: int, size: int, ptr: Value = None) -> dict[str, Value]:
    return {"offset": offset, "size": size, "ptr": ptr if ptr is not None else OutputBuffer(size)}


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.buffer("CL_MEM_COPY_HOST_PTR", host=AREA)
    return made


def test_a_buffer_holds_what_it_was_copied_from(desk: Desk) -> None:
    assert not desk.do("clEnqueueReadBuffer", CONTENT, **part(0, SIZE)).deviations
    desk.step(WRITE, None, pointer=AREA, size=2, content=Data(b"xy"))
    assert not desk.do("clEnqueueReadBuffer", CONTENT[:4], **part(0, 4)).deviations


@pytest.mark.parametrize(
    ("seen", "observed"),
    [
        (CONTENT[:7] + b"\0" + CONTENT[8:], "byte 7 is 0x00; 1 of 64 bytes are wrong"),
        (b"\0" + CONTENT[1:63], "byte 0 is 0x00; 2 of 64 bytes are wrong"),
        (b"", "byte 0 is 0xa5; 64 of 64 bytes are wrong"),
    ],
)
def test_wrong_bytes_of_a_plain_write_are_the_reading_functions(desk: Desk, seen: bytes, observed: str) -> None:
    (blame,) = desk.do("clEnqueueReadBuffer", seen, **part(0, SIZE)).deviations
    assert (blame.requirements, blame.observed) == (("clEnqueueReadBuffer/success",), observed)


def test_wrong_bytes_of_another_command_are_that_ones(desk: Desk) -> None:
    desk.do("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=8, size=4)
    assert not desk.do("clEnqueueReadBuffer", CONTENT[:8] + b"ababm"[:4] + CONTENT[12:], **part(0, SIZE)).deviations
    (blame,) = desk.do("clEnqueueReadBuffer", CONTENT, **part(0, SIZE)).deviations
    assert blame.requirements == ("clEnqueueFillBuffer/success",)


@pytest.mark.parametrize(("code", "open_then"), [("CL_OUT_OF_RESOURCES", True), ("CL_INVALID_VALUE", False)])
def test_a_fill_for_which_resources_are_lacking_may_have_been_made_in_part(
    desk: Desk, code: str, *, open_then: bool
) -> None:
    size = 4 if open_then else 3
    fill = {"pattern": Data(b"ab"), "pattern_size": 2, "offset": 8, "size": size}
    assert not desk.do("clEnqueueFillBuffer", answer=desk.world.value(code), **fill).deviations
    read = desk.do("clEnqueueReadBuffer", CONTENT[:8] + b"ab" + CONTENT[10:], **part(0, SIZE))
    assert bool(read.deviations) is not open_then


def test_what_nobody_has_written_may_be_anything() -> None:
    desk = Desk()
    desk.buffer()
    desk.do("clEnqueueWriteBuffer", **part(2, 2, Data(b"xy")))
    assert not desk.do("clEnqueueReadBuffer", b"\7\7xy\7\7", **part(0, 6)).deviations
    assert desk.do("clEnqueueReadBuffer", b"\7\7xx\7\7", **part(0, 6)).deviations


def test_large_memory_is_filled_and_copied_without_as_much_of_our_own() -> None:
    desk, size = Desk(), 16 * MAX_KEPT_BYTES
    desk.buffer(size=size)
    desk.buffer(name="mem2", size=size)
    tracemalloc.start()
    desk.do("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=0, size=size)
    copy = {"src_buffer": BUFFER, "dst_buffer": Handle("mem2"), "src_offset": 0, "dst_offset": 0}
    desk.do("clEnqueueCopyBuffer", size=size, **copy)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < size


def test_right_bytes_speak_for_those_who_put_them_there(desk: Desk) -> None:
    desk.do("clEnqueueFillBuffer", pattern=Data(b"a"), pattern_size=1, offset=0, size=1)
    evidence = desk.do("clEnqueueReadBuffer", b"a", **part(0, 1)).evidence
    assert {"clEnqueueFillBuffer/success", "clEnqueueReadBuffer/success"} <= {record for record, _ in evidence}


def test_a_region_shows_its_buffers_bytes_and_the_buffer_shows_the_regions(desk: Desk) -> None:
    region = Data((16).to_bytes(8, "little") + (8).to_bytes(8, "little"))
    kind = desk.world.value("CL_BUFFER_CREATE_TYPE_REGION")
    desk.judge("clCreateSubBuffer", "mem2", BUFFER, 0, kind, region, None)
    desk.do("clEnqueueWriteBuffer", buffer=Handle("mem2"), **part(1, 2, Data(b"xy")))
    assert not desk.do("clEnqueueReadBuffer", CONTENT[16:17] + b"xy" + CONTENT[19:20], **part(16, 4)).deviations
    desk.do("clEnqueueWriteBuffer", **part(23, 2, Data(b"zz")))
    assert not desk.do("clEnqueueReadBuffer", b"z", buffer=Handle("mem2"), **part(7, 1)).deviations


def test_a_read_that_does_not_wait_is_known_when_it_is_over(desk: Desk) -> None:
    desk.do("clEnqueueReadBuffer", blocking_read=0, **part(0, 8, OffsetPointer(AREA, 4)))
    look: dict[str, Value] = {"pointer": AREA, "size": 16, "content": OutputBuffer(16)}
    assert "may not be complete" in desk.refused(READ, **look)
    assert not desk.refused(READ, pointer=OffsetPointer(AREA, 12), size=2, content=OutputBuffer(2))
    desk.judge("clFinish", 0, ONE)
    expected = CONTENT[:4] + CONTENT[:8] + CONTENT[12:16]
    assert not desk.step(READ, None, expected, **look).deviations
    (blame,) = desk.step(READ, None, expected[:-5] + b"\0" + expected[-4:], **look).deviations
    assert blame.requirements == ("clEnqueueReadBuffer/success",)


def test_host_memory_ends_where_it_ends(desk: Desk) -> None:
    assert "past the end" in desk.refused("clEnqueueReadBuffer", **part(0, 8, OffsetPointer(AREA, 57)))
    assert not desk.refused("clEnqueueReadBuffer", **part(0, 8, OffsetPointer(AREA, 56)))
    assert "shorter" in desk.refused("clEnqueueReadBuffer", **part(0, 8, OutputBuffer(7)))
    assert "past the end" in desk.refused(WRITE, pointer=OffsetPointer(AREA, 63), size=2, content=Data(b"xy"))
    assert "no memory" in desk.refused(READ, pointer=Handle("pointer9"), size=1, content=OutputBuffer(1))


def _map(desk: Desk, *flags: str, offset: int = 0, size: int = SIZE, **others: Value) -> dict[str, Value]:
    return {"map_flags": sum(map(desk.world.value, flags)), "offset": offset, "size": size, **others}


def test_a_map_gives_the_host_what_its_flags_say(desk: Desk) -> None:
    desk.do("clEnqueueMapBuffer", answer="pointer2", **_map(desk, "CL_MAP_READ", offset=8, size=8))
    mapped, look = Handle("pointer2"), {"size": 8, "content": OutputBuffer(8)}
    assert not desk.step(READ, None, CONTENT[8:16], pointer=mapped, **look).deviations
    (blame,) = desk.step(READ, None, CONTENT[:8], pointer=mapped, **look).deviations
    assert blame.requirements == ("clEnqueueMapBuffer/success",)
    assert "not mapped for this access" in desk.refused(WRITE, pointer=mapped, size=1, content=Data(b"x"))
    assert "past the end" in desk.refused(READ, pointer=mapped, size=9, content=OutputBuffer(9))
    assert "is mapped" in desk.refused("clEnqueueWriteBuffer", **part(32, 1, Data(b"x")))
    assert not desk.refused("clEnqueueReadBuffer", **part(0, SIZE))
    desk.do("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=mapped)
    assert "no memory" in desk.refused(READ, pointer=mapped, **look)


def test_an_unmap_answers_for_what_was_written_through_the_map(desk: Desk) -> None:
    desk.do("clEnqueueMapBuffer", answer="pointer2", **_map(desk, "CL_MAP_WRITE"))
    assert "is mapped" in desk.refused("clEnqueueReadBuffer", **part(0, 1))
    desk.step(WRITE, None, pointer=Handle("pointer2"), size=1, content=Data(b"x"))
    desk.do("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    assert not desk.do("clEnqueueReadBuffer", b"x" + CONTENT[1:], **part(0, SIZE)).deviations
    (blame,) = desk.do("clEnqueueReadBuffer", CONTENT, **part(0, SIZE)).deviations
    assert blame.requirements == ("clEnqueueUnmapMemObject/success",)


def test_a_map_that_discards_leaves_nothing_to_compare(desk: Desk) -> None:
    desk.do("clEnqueueMapBuffer", answer="pointer2", **_map(desk, "CL_MAP_WRITE_INVALIDATE_REGION", size=8))
    assert "not mapped for this access" in desk.refused(
        READ, pointer=Handle("pointer2"), size=1, content=OutputBuffer(1)
    )
    desk.step(WRITE, None, pointer=Handle("pointer2"), size=1, content=Data(b"x"))
    desk.do("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    assert not desk.do("clEnqueueReadBuffer", b"x" + bytes(7) + CONTENT[8:], **part(0, SIZE)).deviations
    assert desk.do("clEnqueueReadBuffer", b"x" + bytes(8) + CONTENT[9:], **part(0, SIZE)).deviations


def test_a_map_that_does_not_wait_is_the_hosts_when_it_is_over(desk: Desk) -> None:
    desk.do("clEnqueueMapBuffer", answer="pointer2", blocking_map=0, **_map(desk, "CL_MAP_READ"))
    look: dict[str, Value] = {"pointer": Handle("pointer2"), "size": 1, "content": OutputBuffer(1)}
    assert "may not be mapped yet" in desk.refused(READ, **look)
    desk.judge("clFinish", 0, ONE)
    assert not desk.refused(READ, **look)


def test_a_map_that_may_not_be_over_is_unmapped_only_behind_it(desk: Desk) -> None:
    desk.do("clEnqueueMapBuffer", answer="pointer2", blocking_map=0, **_map(desk, "CL_MAP_READ"))
    unmap: dict[str, Value] = {"memobj": BUFFER, "mapped_ptr": Handle("pointer2")}
    assert not desk.refused("clEnqueueUnmapMemObject", **unmap)
    assert "before it is mapped" in desk.refused("clEnqueueUnmapMemObject", command_queue=TWO, **unmap)
    desk.judge("clFinish", 0, ONE)
    assert not desk.refused("clEnqueueUnmapMemObject", command_queue=TWO, **unmap)


@pytest.mark.parametrize(
    ("waits", "code", "blamed"),
    [(True, -1, False), (True, -14, False), (True, -30, True), (False, -1, True), (False, -14, True)],
)
def test_after_an_abnormal_end_a_queue_may_fail_with_its_error(
    desk: Desk,
    waits: bool,  # noqa: FBT001 (a row of a table)
    code: int,
    blamed: bool,  # noqa: FBT001
) -> None:
    fill: dict[str, Value] = {"pattern": Data(b"ab"), "pattern_size": 2, "offset": 8, "size": 4}
    desk.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    waiting: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    desk.do("clEnqueueFillBuffer", **fill, **(waiting if waits else {}))
    desk.judge("clSetUserEventStatus", 0, Handle("event1"), -1)
    assert bool(desk.do("clEnqueueFillBuffer", answer=code, **fill).deviations) == blamed


def test_a_call_that_waits_for_what_has_failed_has_an_error_of_its_own(desk: Desk) -> None:
    desk.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    desk.judge("clSetUserEventStatus", 0, Handle("event1"), -1)
    read = {**part(0, SIZE), "num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    assert desk.do("clEnqueueReadBuffer", answer=-1, **read).deviations
    assert desk.do("clEnqueueReadBuffer", answer=-1, **read).deviations, "also after the end of the first one"
    assert not desk.do("clEnqueueReadBuffer", answer=-1, **part(0, SIZE)).deviations


def test_host_memory_that_a_buffer_lies_in_is_the_hosts_while_it_is_mapped() -> None:
    desk = Desk()
    desk.buffer("CL_MEM_USE_HOST_PTR", host=AREA)
    look: dict[str, Value] = {"pointer": AREA, "size": SIZE, "content": OutputBuffer(SIZE)}
    assert "not mapped for this access" in desk.refused(READ, **look)
    desk.do("clEnqueueWriteBuffer", **part(0, 2, Data(b"xy")))
    desk.do("clEnqueueMapBuffer", answer="pointer1", **_map(desk, "CL_MAP_READ"))
    assert not desk.step(READ, None, b"xy" + CONTENT[2:], **look).deviations
    assert desk.step(READ, None, CONTENT, **look).deviations


def test_a_map_without_a_flag_need_not_show_the_latest_bytes(desk: Desk) -> None:
    desk.do("clEnqueueMapBuffer", answer="pointer2", map_flags=0, offset=0, size=SIZE)
    look: dict[str, Value] = {"pointer": Handle("pointer2"), "size": SIZE, "content": OutputBuffer(SIZE)}
    assert not desk.step(READ, None, bytes(SIZE), **look).deviations
    desk.do("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    assert desk.do("clEnqueueReadBuffer", bytes(SIZE), **part(0, SIZE)).deviations
    assert not desk.do("clEnqueueReadBuffer", CONTENT, **part(0, SIZE)).deviations


def test_what_is_written_from_a_map_without_a_flag_is_unknown(desk: Desk) -> None:
    desk.buffer(name="mem2")
    desk.do("clEnqueueMapBuffer", answer="pointer2", map_flags=0, offset=0, size=SIZE)
    other: dict[str, Value] = {"buffer": Handle("mem2")}
    desk.do("clEnqueueWriteBuffer", **part(0, SIZE, Handle("pointer2")), **other)
    assert not desk.do("clEnqueueReadBuffer", bytes(SIZE), **part(0, SIZE), **other).deviations


def test_a_map_without_a_flag_of_the_hosts_own_memory_shows_the_latest_bytes() -> None:
    desk = Desk()
    desk.buffer("CL_MEM_USE_HOST_PTR", host=AREA)
    desk.do("clEnqueueMapBuffer", answer="pointer1", map_flags=0, offset=0, size=SIZE)
    look: dict[str, Value] = {"pointer": AREA, "size": SIZE, "content": OutputBuffer(SIZE)}
    assert desk.step(READ, None, bytes(SIZE), **look).deviations


@pytest.mark.parametrize(("returned", "known"), [("pointer1", True), ("pointer2", False)])
def test_a_write_by_host_ptr_is_sure_to_arrive_only_where_a_map_has_returned_it(
    returned: str,
    known: bool,  # noqa: FBT001 (a table)
) -> None:
    desk = Desk()
    desk.buffer("CL_MEM_USE_HOST_PTR", host=AREA)
    desk.do("clEnqueueMapBuffer", answer=returned, **_map(desk, "CL_MAP_WRITE"))
    desk.step(WRITE, None, pointer=AREA, size=1, content=Data(b"x"))
    desk.do("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle(returned))
    assert bool(desk.do("clEnqueueReadBuffer", CONTENT, **part(0, SIZE)).deviations) == known
    assert not desk.do("clEnqueueReadBuffer", b"x" + CONTENT[1:], **part(0, SIZE)).deviations
    assert desk.do("clEnqueueReadBuffer", b"xy" + CONTENT[2:], **part(0, SIZE)).deviations


LOWER, UPPER = Handle("mem2"), Handle("mem3")


def test_a_copy_onto_its_own_source_leaves_nothing_to_compare(desk: Desk) -> None:
    for name, origin in ((LOWER.name, 0), (UPPER.name, 8)):
        region = Data(origin.to_bytes(8, "little") + (16).to_bytes(8, "little"))
        desk.judge("clCreateSubBuffer", name, BUFFER, 0, desk.world.value("CL_BUFFER_CREATE_TYPE_REGION"), region, None)
    sides: dict[str, Value] = {"src_buffer": LOWER, "dst_buffer": UPPER, "src_offset": 6, "dst_offset": 0}
    desk.do("clEnqueueCopyBuffer", size=6, **sides)
    before, after = CONTENT[:8], CONTENT[14:]
    forwards, backwards = before + CONTENT[6:8] * 3 + after, before + CONTENT[6:12] + after
    for seen in (forwards, backwards):
        assert not desk.do("clEnqueueReadBuffer", seen, **part(0, SIZE)).deviations
    assert desk.do("clEnqueueReadBuffer", b"x" + backwards[1:], **part(0, SIZE)).deviations


def test_a_copy_beside_its_own_source_is_compared(desk: Desk) -> None:
    sides: dict[str, Value] = {"src_buffer": BUFFER, "dst_buffer": BUFFER, "src_offset": 0, "dst_offset": 16}
    desk.do("clEnqueueCopyBuffer", size=16, **sides)
    assert desk.do("clEnqueueReadBuffer", CONTENT, **part(0, SIZE)).deviations
    assert not desk.do("clEnqueueReadBuffer", CONTENT[:16] * 2 + CONTENT[32:], **part(0, SIZE)).deviations


def test_what_a_command_does_that_had_to_fail_is_unknown(desk: Desk) -> None:
    sides: dict[str, Value] = {"src_buffer": BUFFER, "dst_buffer": BUFFER, "src_offset": 0, "dst_offset": 8}
    (blame,) = desk.do("clEnqueueCopyBuffer", size=16, **sides).deviations
    assert blame.requirements == ("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",)
    assert not desk.do("clEnqueueReadBuffer", CONTENT[:8] * 3 + CONTENT[24:], **part(0, SIZE)).deviations


def test_what_a_command_past_the_end_does_is_unknown(desk: Desk) -> None:
    desk.buffer(name="mem2")
    written: dict[str, Value] = {"offset": SIZE - 1, "size": 2, "ptr": Data(b"xy")}
    (blame,) = desk.do("clEnqueueWriteBuffer", **written).deviations
    assert blame.requirements == ("clEnqueueWriteBuffer/CL_INVALID_VALUE/1",)
    assert not desk.do("clEnqueueReadBuffer", CONTENT[:-1] + b"x", **part(0, SIZE)).deviations


@pytest.mark.parametrize(("in_order", "defined"), [(True, True), (False, False)])
def test_commands_of_one_queue_follow_each_other_only_in_order(in_order: bool, defined: bool) -> None:  # noqa: FBT001
    desk = Desk(in_order=in_order)
    desk.buffer()
    desk.do("clEnqueueWriteBuffer", blocking_write=0, **part(0, 8, Data(bytes(8))))
    assert bool(desk.refused("clEnqueueReadBuffer", **part(7, 1))) is not defined
    assert not desk.refused("clEnqueueReadBuffer", **part(8, 8))


@pytest.mark.parametrize("link", ["clEnqueueBarrierWithWaitList", "clEnqueueMarkerWithWaitList"])
def test_a_barrier_orders_what_comes_after_it_and_a_marker_does_not(link: str) -> None:
    desk = Desk(in_order=False)
    desk.buffer()
    desk.do("clEnqueueWriteBuffer", blocking_write=0, **part(0, 8, Data(bytes(8))))
    desk.event(link, "event1")
    assert bool(desk.refused("clEnqueueReadBuffer", **part(0, 8))) is (link == "clEnqueueMarkerWithWaitList")
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    assert not desk.refused("clEnqueueReadBuffer", **part(0, 8), **after)


def test_another_queue_waits_for_an_event_and_a_flush(desk: Desk) -> None:
    desk.event("clEnqueueWriteBuffer", "event1", blocking_write=0, **part(0, 1, Data(b"x")))
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    elsewhere: dict[str, Value] = {"command_queue": TWO, **part(32, 1)}
    assert "at the same time" in desk.refused("clEnqueueReadBuffer", **elsewhere)
    assert "not flushed" in desk.refused("clEnqueueReadBuffer", **elsewhere, **after)
    desk.judge("clFlush", 0, ONE)
    assert not desk.refused("clEnqueueReadBuffer", **elsewhere, **after)
    assert "at the same time" in desk.refused("clEnqueueReadBuffer", **elsewhere)
    desk.judge("clWaitForEvents", 0, 1, ElementList((Handle("event1"),)))
    assert not desk.refused("clEnqueueReadBuffer", **elsewhere)


def test_nobody_waits_for_an_event_that_is_never_set(desk: Desk) -> None:
    desk.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    assert "not set" in desk.refused("clEnqueueReadBuffer", **part(0, 1), **after)
    desk.do("clEnqueueWriteBuffer", blocking_write=0, **part(0, 1, Data(b"x")), **after)
    finish = desk.world.call("clFinish", ONE)
    assert "not set" in desk.world.oracle.expect(finish).undefined
    assert "not set" in desk.refused("clEnqueueReadBuffer", **part(0, 1))
    desk.judge("clSetUserEventStatus", 0, Handle("event1"), 0)
    assert not desk.world.oracle.expect(finish).undefined
    assert not desk.do("clEnqueueReadBuffer", b"x", **part(0, 1)).deviations


def test_what_an_error_of_the_users_ends_leaves_nothing_to_compare(desk: Desk) -> None:
    desk.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    desk.do("clEnqueueWriteBuffer", blocking_write=0, **part(0, 1, Data(b"x")), **after)
    desk.judge("clSetUserEventStatus", 0, Handle("event1"), -1)
    assert not desk.do("clEnqueueReadBuffer", bytes(SIZE), **part(0, SIZE)).deviations


def test_guard_bytes_are_on_the_last_command_that_used_the_area(desk: Desk) -> None:
    desk.do("clEnqueueReadBuffer", **part(0, 8, AREA))
    call = Call(READ, {"pointer": AREA, "size": 8, "content": OutputBuffer(8)})
    outcome = Returned(None, {"content": Output([], 8, CONTENT[:8])}, ["pointer"])
    judgement = desk.world.oracle.judge(desk.world.oracle.expect(call), outcome)
    assert blames(judgement) == [("clEnqueueReadBuffer/success", "pointer overrun")]


@pytest.mark.parametrize(("answer", "blamed"), [("pointer1", False), ("pointer2", True)])
def test_a_map_of_a_buffer_on_host_memory_leads_there(answer: str, *, blamed: bool) -> None:
    desk = Desk()
    desk.buffer("CL_MEM_USE_HOST_PTR", host=AREA)
    judgement = desk.do("clEnqueueMapBuffer", answer=answer, **_map(desk, "CL_MAP_READ"))
    record = "clEnqueueMapBuffer/effect/12"
    assert [blame.requirements for blame in judgement.deviations] == ([(record,)] if blamed else [])
    assert (record, "deviates" if blamed else "conforms") in judgement.evidence


def test_a_map_of_a_buffer_of_its_own_leads_anywhere_new() -> None:
    desk = Desk()
    desk.buffer()
    judgement = desk.do("clEnqueueMapBuffer", answer="pointer2", **_map(desk, "CL_MAP_READ"))
    assert not judgement.deviations


def test_a_buffer_is_read_into_its_own_host_ptr_only_byte_by_byte_and_while_nothing_maps_it() -> None:
    desk = Desk()
    desk.buffer("CL_MEM_USE_HOST_PTR", host=AREA)
    assert not desk.refused("clEnqueueReadBuffer", offset=0, size=SIZE, ptr=AREA)
    assert not desk.refused("clEnqueueReadBuffer", offset=8, size=8, ptr=OffsetPointer(AREA, 8))
    assert "not mapped for this access" in desk.refused("clEnqueueReadBuffer", offset=8, size=8, ptr=AREA)
    assert "not mapped for this access" in desk.refused("clEnqueueWriteBuffer", offset=0, size=SIZE, ptr=AREA)
    desk.do("clEnqueueWriteBuffer", **part(0, 2, Data(b"xy")))
    desk.do("clEnqueueReadBuffer", offset=0, size=SIZE, ptr=AREA)
    assert not desk.do("clEnqueueReadBuffer", b"xy" + CONTENT[2:], **part(0, SIZE)).deviations
    desk.do("clEnqueueMapBuffer", answer="pointer1", **_map(desk, "CL_MAP_READ"))
    assert "mapped" in desk.refused("clEnqueueReadBuffer", offset=0, size=SIZE, ptr=AREA)
