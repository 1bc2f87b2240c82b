"""Contents of memory in the model: buffers that share bytes, the order of commands, and undefined accesses."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.harness_actions import ALLOCATE, READ, WRITE
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Value
from clconform.oracles.contents.storage import MAX_KEPT_BYTES, MAX_ORIGINS, Storage, defined_bytes

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import Judgement

BUFFER, HOST_AREA = Handle("mem1"), Handle("pointer1")
FIRST_QUEUE, SECOND_QUEUE = Handle("queue1"), Handle("queue2")
SIZE = 64
CONTENT = bytes(range(1, SIZE + 1))
DEFAULT_ARGUMENTS: dict[str, Value] = {
    "num_events_in_wait_list": 0,
    "event_wait_list": None,
    "event": None,
    "errcode_ret": None,
    "blocking_read": 1,
    "blocking_write": 1,
    "blocking_map": 1,
    "command_queue": FIRST_QUEUE,
    "buffer": BUFFER,
}


class ContentsChecker:
    """A context with two queues, host memory and buffers. Each call is judged with a given result."""

    def __init__(self, *, in_order: bool = True) -> None:
        self.world = OracleSetup(DevicePlan())
        self.judge("clCreateContext", "context1", None, 1, ElementList((self.world.device,)), None, None, None)
        flags = 0 if in_order else self.world.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
        for queue, properties in ((FIRST_QUEUE, flags), (SECOND_QUEUE, 0)):
            self.judge("clCreateCommandQueue", queue.name, Handle("context1"), self.world.device, properties, None)
        self.judge_action(ALLOCATE, "pointer1", size=SIZE, alignment=64)
        self.judge_action(WRITE, None, pointer=HOST_AREA, size=SIZE, content=Data(CONTENT))

    def create_buffer(self, *flags: str, host: Value = None, name: str = "mem1", size: int = SIZE) -> None:
        """Judge a successful call that creates a buffer."""
        bits = sum(map(self.world.value, ("CL_MEM_READ_WRITE", *flags)))
        self.judge("clCreateBuffer", name, Handle("context1"), bits, size, host, None)

    def judge(self, function: str, answer: int | str | None, *arguments: Any) -> Judgement:
        """Judge a call that returned this result."""
        return self._judge_outputs(self.world.call(function, *arguments), answer, {})

    def judge_action(
        self, function: str, answer: str | None, seen: bytes | None = None, **arguments: Value
    ) -> Judgement:
        """Judge a harness action. ``seen``: the bytes that it read."""
        return self._judge_outputs(Call(function, arguments), answer, {} if seen is None else {"content": seen})

    def build_call(self, function: str, **arguments: Value) -> Call:
        """Return a call of a command function. Arguments that are not given have default values."""
        given = {**DEFAULT_ARGUMENTS, **arguments}
        names = [parameter.name for parameter in self.world.model.tables.functions[function].parameters]
        return Call(function, {name: given[name] for name in names})

    def judge_command(
        self, function: str, seen: bytes | None = None, answer: int | str = 0, **arguments: Value
    ) -> Judgement:
        """Judge a command that succeeded. ``seen``: the bytes that it left in its output buffer."""
        return self._judge_outputs(
            self.build_call(function, **arguments), answer, {} if seen is None else {"ptr": seen}
        )

    def enqueue_with_event(self, function: str, name: str, **arguments: Value) -> None:
        """Judge a command that returned an event."""
        call = self.build_call(function, event=OutputBuffer(1), **arguments)
        self._judge_outcome(call, Returned(0, {"event": Output([name], 8)}))

    def _judge_outputs(self, call: Call, answer: int | str | None, seen: dict[str, bytes]) -> Judgement:
        outputs = {name: Output([], len(content), content) for name, content in seen.items()}
        return self._judge_outcome(call, Returned(answer, outputs))

    def _judge_outcome(self, call: Call, outcome: Returned) -> Judgement:
        expectation = self.world.oracle.expect(call)
        assert not expectation.undefined, expectation.undefined
        return self.world.oracle.judge(expectation, outcome)

    def get_undefined_reason(self, function: str, **arguments: Value) -> str:
        """Return the reason why a command or harness action is undefined, or an empty string."""
        host = function in (READ, WRITE)
        return self.world.oracle.expect(
            Call(function, arguments) if host else self.build_call(function, **arguments)
        ).undefined


def list_deviations(judgement: Judgement) -> list[tuple[str, str]]:
    return [(*deviation.requirements, deviation.observed) for deviation in judgement.deviations]  # type: ignore[misc]


def build_range(offset: int, size: int, ptr: Value = None) -> dict[str, Value]:
    return {"offset": offset, "size": size, "ptr": ptr if ptr is not None else OutputBuffer(size)}


@pytest.fixture
def checker() -> ContentsChecker:
    made = ContentsChecker()
    made.create_buffer("CL_MEM_COPY_HOST_PTR", host=HOST_AREA)
    return made


def test_buffer_holds_copied_host_bytes(checker: ContentsChecker) -> None:
    assert not checker.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations
    checker.judge_action(WRITE, None, pointer=HOST_AREA, size=2, content=Data(b"xy"))
    assert not checker.judge_command("clEnqueueReadBuffer", CONTENT[:4], **build_range(0, 4)).deviations


@pytest.mark.parametrize(
    ("seen", "observed"),
    [
        (CONTENT[:7] + b"\0" + CONTENT[8:], "byte 7 is 0x00; 1 of 64 bytes are wrong"),
        (b"\0" + CONTENT[1:63], "byte 0 is 0x00; 2 of 64 bytes are wrong"),
        (b"", "byte 0 is 0xa5; 64 of 64 bytes are wrong"),
    ],
)
def test_unexpected_bytes_of_an_unwritten_buffer_are_attributed_to_read_or_creation(
    checker: ContentsChecker, seen: bytes, observed: str
) -> None:
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", seen, **build_range(0, SIZE)).deviations
    requirements = ("clEnqueueReadBuffer/success", "clCreateBuffer/success")[: 2 if seen else 1]
    assert (deviation.requirements, deviation.observed) == (requirements, observed)


def test_unexpected_bytes_are_attributed_to_reader_or_writer(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=8, size=4)
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", "clEnqueueFillBuffer/success")
    assert not checker.judge_command(
        "clEnqueueReadBuffer", CONTENT[:8] + b"ababm"[:4] + CONTENT[12:], **build_range(0, SIZE)
    ).deviations
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success",)  # the bytes were as expected before


def test_commands_after_the_first_unexpected_reading_are_not_the_cause(checker: ContentsChecker) -> None:
    wrong = CONTENT[:20] + b"\xee" + CONTENT[21:]
    created = ("clEnqueueReadBuffer/success", "clCreateBuffer/success")
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", wrong, **build_range(0, SIZE)).deviations
    assert deviation.requirements == created
    checker.judge_command("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=8, size=4)
    filled = wrong[:8] + b"abab" + wrong[12:]
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", filled, **build_range(0, SIZE)).deviations
    assert deviation.requirements == created
    mapped = {"map_flags": 3, "offset": 0, "size": SIZE}
    checker.judge_command("clEnqueueMapBuffer", answer="pointer2", **mapped)
    judged = checker.judge_action(READ, None, filled, pointer=Handle("pointer2"), size=SIZE, content=OutputBuffer(SIZE))
    (deviation,) = judged.deviations
    assert deviation.requirements == ("clEnqueueMapBuffer/success", "clCreateBuffer/success")
    checker.judge_command("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", filled, **build_range(0, SIZE)).deviations
    assert deviation.requirements == created


def test_command_after_an_unexpected_reading_is_a_candidate_for_other_values(checker: ContentsChecker) -> None:
    wrong = CONTENT[:9] + b"\xee" + CONTENT[10:]
    checker.judge_command("clEnqueueReadBuffer", wrong, **build_range(0, SIZE))
    checker.judge_command("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=8, size=4)
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", wrong, **build_range(0, SIZE)).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", "clEnqueueFillBuffer/success")


def test_earlier_unexpected_reading_counts_until_the_byte_is_checked_or_written() -> None:
    storage = Storage(SIZE)
    whole = ((0, SIZE),)
    storage.write(whole, defined_bytes(CONTENT))
    storage.record_use("first", whole)
    storage.record_unexpected(3, CONTENT[3], 0xEE)
    storage.record_use("second")
    found = storage.find_origins(3, 0xEE)
    assert ([each.requirement for each in found.covering], found.later) == (["first"], [])
    assert found.was_unexpected
    assert storage.find_origins(3, 0xEF).later == ["second"]
    assert storage.find_origins(4, 0xEE).later == ["second"]
    storage.write(((3, 1),), defined_bytes(b"\x77"))
    assert not storage.find_origins(3, 0xEE).was_unexpected
    storage.write(whole, defined_bytes(CONTENT))
    storage.record_check(whole)
    assert not storage.find_origins(3, 0xEE).was_unexpected


def test_unrecorded_read_is_no_check_of_the_bytes(checker: ContentsChecker) -> None:
    call = checker.build_call("clEnqueueReadBuffer", **build_range(0, SIZE))
    checker._judge_outcome(call, Returned(0, {"ptr": Output(unrecorded=True)}))
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", bytes(SIZE), **build_range(0, SIZE)).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", "clCreateBuffer/success")


def test_many_checks_leave_the_writer_among_the_candidates(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=40, size=4)
    for offset in range(MAX_ORIGINS + 1):
        seen = CONTENT[offset : offset + 1]
        assert not checker.judge_command("clEnqueueReadBuffer", seen, **build_range(offset, 1)).deviations
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", CONTENT[40:], **build_range(40, 24)).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", "clEnqueueFillBuffer/success")


def test_commands_beyond_the_limit_are_dropped_with_the_checks_before_them() -> None:
    storage = Storage(SIZE)
    for offset in range(MAX_ORIGINS + 2):
        storage.record_use(f"writer of {offset}", ((offset, 1),))
        storage.record_check(((offset, 1),))
    assert [each.requirement for each in storage.origins[::2]] == [
        f"writer of {offset}" for offset in range(2, MAX_ORIGINS + 2)
    ]
    assert all(each.is_check for each in storage.origins[1::2])


@pytest.mark.parametrize(("code", "open_then"), [("CL_OUT_OF_RESOURCES", True), ("CL_INVALID_VALUE", False)])
def test_fill_that_failed_for_lack_of_resources_makes_bytes_unknown(
    checker: ContentsChecker, code: str, *, open_then: bool
) -> None:
    size = 4 if open_then else 3
    fill = {"pattern": Data(b"ab"), "pattern_size": 2, "offset": 8, "size": size}
    assert not checker.judge_command("clEnqueueFillBuffer", answer=checker.world.value(code), **fill).deviations
    read = checker.judge_command("clEnqueueReadBuffer", CONTENT[:8] + b"ab" + CONTENT[10:], **build_range(0, SIZE))
    assert bool(read.deviations) is not open_then


def test_bytes_that_were_never_written_may_have_any_value() -> None:
    desk = ContentsChecker()
    desk.create_buffer()
    desk.judge_command("clEnqueueWriteBuffer", **build_range(2, 2, Data(b"xy")))
    assert not desk.judge_command("clEnqueueReadBuffer", b"\7\7xy\7\7", **build_range(0, 6)).deviations
    assert desk.judge_command("clEnqueueReadBuffer", b"\7\7xx\7\7", **build_range(0, 6)).deviations


def test_large_fill_and_copy_need_little_host_memory() -> None:
    desk, size = ContentsChecker(), 16 * MAX_KEPT_BYTES
    desk.create_buffer(size=size)
    desk.create_buffer(name="mem2", size=size)
    tracemalloc.start()
    desk.judge_command("clEnqueueFillBuffer", pattern=Data(b"ab"), pattern_size=2, offset=0, size=size)
    copy = {"src_buffer": BUFFER, "dst_buffer": Handle("mem2"), "src_offset": 0, "dst_offset": 0}
    desk.judge_command("clEnqueueCopyBuffer", size=size, **copy)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < size


def test_expected_bytes_are_evidence_for_the_command_that_wrote_them(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueFillBuffer", pattern=Data(b"a"), pattern_size=1, offset=0, size=1)
    evidence = checker.judge_command("clEnqueueReadBuffer", b"a", **build_range(0, 1)).evidence
    assert {"clEnqueueFillBuffer/success", "clEnqueueReadBuffer/success"} <= {
        requirement for requirement, _ in evidence
    }


def test_sub_buffer_and_parent_share_bytes(checker: ContentsChecker) -> None:
    region = Data((16).to_bytes(8, "little") + (8).to_bytes(8, "little"))
    kind = checker.world.value("CL_BUFFER_CREATE_TYPE_REGION")
    checker.judge("clCreateSubBuffer", "mem2", BUFFER, 0, kind, region, None)
    checker.judge_command("clEnqueueWriteBuffer", buffer=Handle("mem2"), **build_range(1, 2, Data(b"xy")))
    assert not checker.judge_command(
        "clEnqueueReadBuffer", CONTENT[16:17] + b"xy" + CONTENT[19:20], **build_range(16, 4)
    ).deviations
    checker.judge_command("clEnqueueWriteBuffer", **build_range(23, 2, Data(b"zz")))
    assert not checker.judge_command("clEnqueueReadBuffer", b"z", buffer=Handle("mem2"), **build_range(7, 1)).deviations


def test_bytes_of_non_blocking_read_are_known_after_finish(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueReadBuffer", blocking_read=0, **build_range(0, 8, OffsetPointer(HOST_AREA, 4)))
    look: dict[str, Value] = {"pointer": HOST_AREA, "size": 16, "content": OutputBuffer(16)}
    assert "may not be complete" in checker.get_undefined_reason(READ, **look)
    assert not checker.get_undefined_reason(READ, pointer=OffsetPointer(HOST_AREA, 12), size=2, content=OutputBuffer(2))
    checker.judge("clFinish", 0, FIRST_QUEUE)
    expected = CONTENT[:4] + CONTENT[:8] + CONTENT[12:16]
    assert not checker.judge_action(READ, None, expected, **look).deviations
    (deviation,) = checker.judge_action(READ, None, expected[:-5] + b"\0" + expected[-4:], **look).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", "clCreateBuffer/success")


def test_access_past_the_end_of_host_memory_is_undefined(checker: ContentsChecker) -> None:
    assert "past the end" in checker.get_undefined_reason(
        "clEnqueueReadBuffer", **build_range(0, 8, OffsetPointer(HOST_AREA, 57))
    )
    assert not checker.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 8, OffsetPointer(HOST_AREA, 56)))
    assert "shorter" in checker.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 8, OutputBuffer(7)))
    assert "past the end" in checker.get_undefined_reason(
        WRITE, pointer=OffsetPointer(HOST_AREA, 63), size=2, content=Data(b"xy")
    )
    assert "no memory" in checker.get_undefined_reason(
        READ, pointer=Handle("pointer9"), size=1, content=OutputBuffer(1)
    )


def _map_arguments(
    checker: ContentsChecker, *flags: str, offset: int = 0, size: int = SIZE, **others: Value
) -> dict[str, Value]:
    return {"map_flags": sum(map(checker.world.value, flags)), "offset": offset, "size": size, **others}


def test_mapped_region_may_be_accessed_only_as_its_flags_allow(checker: ContentsChecker) -> None:
    checker.judge_command(
        "clEnqueueMapBuffer", answer="pointer2", **_map_arguments(checker, "CL_MAP_READ", offset=8, size=8)
    )
    mapped, look = Handle("pointer2"), {"size": 8, "content": OutputBuffer(8)}
    assert not checker.judge_action(READ, None, CONTENT[8:16], pointer=mapped, **look).deviations
    (deviation,) = checker.judge_action(READ, None, CONTENT[:8], pointer=mapped, **look).deviations
    assert deviation.requirements == ("clEnqueueMapBuffer/success",)
    assert "not mapped for this access" in checker.get_undefined_reason(
        WRITE, pointer=mapped, size=1, content=Data(b"x")
    )
    assert "past the end" in checker.get_undefined_reason(READ, pointer=mapped, size=9, content=OutputBuffer(9))
    assert "is mapped" in checker.get_undefined_reason("clEnqueueWriteBuffer", **build_range(32, 1, Data(b"x")))
    assert not checker.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, SIZE))
    checker.judge_command("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=mapped)
    assert "no memory" in checker.get_undefined_reason(READ, pointer=mapped, **look)


def test_mapped_writes_are_attributed_to_unmap(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueMapBuffer", answer="pointer2", **_map_arguments(checker, "CL_MAP_WRITE"))
    assert "is mapped" in checker.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 1))
    checker.judge_action(WRITE, None, pointer=Handle("pointer2"), size=1, content=Data(b"x"))
    checker.judge_command("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success", "clEnqueueUnmapMemObject/success")
    assert not checker.judge_command("clEnqueueReadBuffer", b"x" + CONTENT[1:], **build_range(0, SIZE)).deviations


def test_invalidating_map_makes_bytes_unknown(checker: ContentsChecker) -> None:
    checker.judge_command(
        "clEnqueueMapBuffer", answer="pointer2", **_map_arguments(checker, "CL_MAP_WRITE_INVALIDATE_REGION", size=8)
    )
    assert "not mapped for this access" in checker.get_undefined_reason(
        READ, pointer=Handle("pointer2"), size=1, content=OutputBuffer(1)
    )
    checker.judge_action(WRITE, None, pointer=Handle("pointer2"), size=1, content=Data(b"x"))
    checker.judge_command("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    assert not checker.judge_command(
        "clEnqueueReadBuffer", b"x" + bytes(7) + CONTENT[8:], **build_range(0, SIZE)
    ).deviations
    assert checker.judge_command(
        "clEnqueueReadBuffer", b"x" + bytes(8) + CONTENT[9:], **build_range(0, SIZE)
    ).deviations


def test_non_blocking_map_is_accessible_after_finish(checker: ContentsChecker) -> None:
    checker.judge_command(
        "clEnqueueMapBuffer", answer="pointer2", blocking_map=0, **_map_arguments(checker, "CL_MAP_READ")
    )
    look: dict[str, Value] = {"pointer": Handle("pointer2"), "size": 1, "content": OutputBuffer(1)}
    assert "may not be mapped yet" in checker.get_undefined_reason(READ, **look)
    checker.judge("clFinish", 0, FIRST_QUEUE)
    assert not checker.get_undefined_reason(READ, **look)


def test_unmap_that_may_precede_its_map_is_undefined(checker: ContentsChecker) -> None:
    checker.judge_command(
        "clEnqueueMapBuffer", answer="pointer2", blocking_map=0, **_map_arguments(checker, "CL_MAP_READ")
    )
    unmap: dict[str, Value] = {"memobj": BUFFER, "mapped_ptr": Handle("pointer2")}
    assert not checker.get_undefined_reason("clEnqueueUnmapMemObject", **unmap)
    assert "before it is mapped" in checker.get_undefined_reason(
        "clEnqueueUnmapMemObject", command_queue=SECOND_QUEUE, **unmap
    )
    checker.judge("clFinish", 0, FIRST_QUEUE)
    assert not checker.get_undefined_reason("clEnqueueUnmapMemObject", command_queue=SECOND_QUEUE, **unmap)


@pytest.mark.parametrize(
    ("waits", "code", "blamed"),
    [(True, -1, False), (True, -14, False), (True, -30, True), (False, -1, True), (False, -14, True)],
)
def test_finish_may_return_the_error_of_a_failed_command(
    checker: ContentsChecker,
    waits: bool,  # noqa: FBT001 (a row of a table)
    code: int,
    blamed: bool,  # noqa: FBT001
) -> None:
    fill: dict[str, Value] = {"pattern": Data(b"ab"), "pattern_size": 2, "offset": 8, "size": 4}
    checker.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    waiting: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    checker.judge_command("clEnqueueFillBuffer", **fill, **(waiting if waits else {}))
    checker.judge("clSetUserEventStatus", 0, Handle("event1"), -1)
    assert bool(checker.judge_command("clEnqueueFillBuffer", answer=code, **fill).deviations) == blamed


def test_blocking_read_after_failed_event_returns_wait_list_error(checker: ContentsChecker) -> None:
    checker.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    checker.judge("clSetUserEventStatus", 0, Handle("event1"), -1)
    read = {**build_range(0, SIZE), "num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    assert checker.judge_command("clEnqueueReadBuffer", answer=-1, **read).deviations
    assert checker.judge_command("clEnqueueReadBuffer", answer=-1, **read).deviations, (
        "also after the end of the first one"
    )
    assert not checker.judge_command("clEnqueueReadBuffer", answer=-1, **build_range(0, SIZE)).deviations


def test_use_host_ptr_memory_is_accessible_while_mapped() -> None:
    desk = ContentsChecker()
    desk.create_buffer("CL_MEM_USE_HOST_PTR", host=HOST_AREA)
    look: dict[str, Value] = {"pointer": HOST_AREA, "size": SIZE, "content": OutputBuffer(SIZE)}
    assert "not mapped for this access" in desk.get_undefined_reason(READ, **look)
    desk.judge_command("clEnqueueWriteBuffer", **build_range(0, 2, Data(b"xy")))
    desk.judge_command("clEnqueueMapBuffer", answer="pointer1", **_map_arguments(desk, "CL_MAP_READ"))
    assert not desk.judge_action(READ, None, b"xy" + CONTENT[2:], **look).deviations
    assert desk.judge_action(READ, None, CONTENT, **look).deviations


def test_map_without_flags_may_return_stale_bytes(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueMapBuffer", answer="pointer2", map_flags=0, offset=0, size=SIZE)
    look: dict[str, Value] = {"pointer": Handle("pointer2"), "size": SIZE, "content": OutputBuffer(SIZE)}
    assert not checker.judge_action(READ, None, bytes(SIZE), **look).deviations
    checker.judge_command("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle("pointer2"))
    assert checker.judge_command("clEnqueueReadBuffer", bytes(SIZE), **build_range(0, SIZE)).deviations
    assert not checker.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations


def test_bytes_copied_from_map_without_flags_are_unknown(checker: ContentsChecker) -> None:
    checker.create_buffer(name="mem2")
    checker.judge_command("clEnqueueMapBuffer", answer="pointer2", map_flags=0, offset=0, size=SIZE)
    other: dict[str, Value] = {"buffer": Handle("mem2")}
    checker.judge_command("clEnqueueWriteBuffer", **build_range(0, SIZE, Handle("pointer2")), **other)
    assert not checker.judge_command("clEnqueueReadBuffer", bytes(SIZE), **build_range(0, SIZE), **other).deviations


def test_map_without_flags_of_use_host_ptr_buffer_returns_latest_bytes() -> None:
    desk = ContentsChecker()
    desk.create_buffer("CL_MEM_USE_HOST_PTR", host=HOST_AREA)
    desk.judge_command("clEnqueueMapBuffer", answer="pointer1", map_flags=0, offset=0, size=SIZE)
    look: dict[str, Value] = {"pointer": HOST_AREA, "size": SIZE, "content": OutputBuffer(SIZE)}
    assert desk.judge_action(READ, None, bytes(SIZE), **look).deviations


@pytest.mark.parametrize(("returned", "known"), [("pointer1", True), ("pointer2", False)])
def test_host_write_through_host_ptr_determines_contents_if_the_map_returned_host_ptr(
    returned: str,
    known: bool,  # noqa: FBT001 (a table)
) -> None:
    desk = ContentsChecker()
    desk.create_buffer("CL_MEM_USE_HOST_PTR", host=HOST_AREA)
    desk.judge_command("clEnqueueMapBuffer", answer=returned, **_map_arguments(desk, "CL_MAP_WRITE"))
    desk.judge_action(WRITE, None, pointer=HOST_AREA, size=1, content=Data(b"x"))
    desk.judge_command("clEnqueueUnmapMemObject", memobj=BUFFER, mapped_ptr=Handle(returned))
    assert bool(desk.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations) == known
    assert not desk.judge_command("clEnqueueReadBuffer", b"x" + CONTENT[1:], **build_range(0, SIZE)).deviations
    assert desk.judge_command("clEnqueueReadBuffer", b"xy" + CONTENT[2:], **build_range(0, SIZE)).deviations


LOWER_SUB_BUFFER, UPPER_SUB_BUFFER = Handle("mem2"), Handle("mem3")


def test_overlapping_copy_makes_bytes_unknown(checker: ContentsChecker) -> None:
    for name, origin in ((LOWER_SUB_BUFFER.name, 0), (UPPER_SUB_BUFFER.name, 8)):
        region = Data(origin.to_bytes(8, "little") + (16).to_bytes(8, "little"))
        checker.judge(
            "clCreateSubBuffer", name, BUFFER, 0, checker.world.value("CL_BUFFER_CREATE_TYPE_REGION"), region, None
        )
    sides: dict[str, Value] = {
        "src_buffer": LOWER_SUB_BUFFER,
        "dst_buffer": UPPER_SUB_BUFFER,
        "src_offset": 6,
        "dst_offset": 0,
    }
    checker.judge_command("clEnqueueCopyBuffer", size=6, **sides)
    before, after = CONTENT[:8], CONTENT[14:]
    forwards, backwards = before + CONTENT[6:8] * 3 + after, before + CONTENT[6:12] + after
    for seen in (forwards, backwards):
        assert not checker.judge_command("clEnqueueReadBuffer", seen, **build_range(0, SIZE)).deviations
    assert checker.judge_command("clEnqueueReadBuffer", b"x" + backwards[1:], **build_range(0, SIZE)).deviations


def test_bytes_of_disjoint_copy_within_buffer_are_known(checker: ContentsChecker) -> None:
    sides: dict[str, Value] = {"src_buffer": BUFFER, "dst_buffer": BUFFER, "src_offset": 0, "dst_offset": 16}
    checker.judge_command("clEnqueueCopyBuffer", size=16, **sides)
    assert checker.judge_command("clEnqueueReadBuffer", CONTENT, **build_range(0, SIZE)).deviations
    assert not checker.judge_command(
        "clEnqueueReadBuffer", CONTENT[:16] * 2 + CONTENT[32:], **build_range(0, SIZE)
    ).deviations


def test_effect_of_accepted_invalid_copy_is_unknown(checker: ContentsChecker) -> None:
    sides: dict[str, Value] = {"src_buffer": BUFFER, "dst_buffer": BUFFER, "src_offset": 0, "dst_offset": 8}
    (deviation,) = checker.judge_command("clEnqueueCopyBuffer", size=16, **sides).deviations
    assert deviation.requirements == ("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",)
    assert not checker.judge_command(
        "clEnqueueReadBuffer", CONTENT[:8] * 3 + CONTENT[24:], **build_range(0, SIZE)
    ).deviations


def test_effect_of_accepted_write_past_end_is_unknown(checker: ContentsChecker) -> None:
    checker.create_buffer(name="mem2")
    written: dict[str, Value] = {"offset": SIZE - 1, "size": 2, "ptr": Data(b"xy")}
    (deviation,) = checker.judge_command("clEnqueueWriteBuffer", **written).deviations
    assert deviation.requirements == ("clEnqueueWriteBuffer/CL_INVALID_VALUE/1",)
    assert not checker.judge_command("clEnqueueReadBuffer", CONTENT[:-1] + b"x", **build_range(0, SIZE)).deviations


@pytest.mark.parametrize(("in_order", "defined"), [(True, True), (False, False)])
def test_read_after_write_on_out_of_order_queue_is_undefined(in_order: bool, defined: bool) -> None:  # noqa: FBT001
    desk = ContentsChecker(in_order=in_order)
    desk.create_buffer()
    desk.judge_command("clEnqueueWriteBuffer", blocking_write=0, **build_range(0, 8, Data(bytes(8))))
    assert bool(desk.get_undefined_reason("clEnqueueReadBuffer", **build_range(7, 1))) is not defined
    assert not desk.get_undefined_reason("clEnqueueReadBuffer", **build_range(8, 8))


@pytest.mark.parametrize("link", ["clEnqueueBarrierWithWaitList", "clEnqueueMarkerWithWaitList"])
def test_barrier_orders_later_commands_but_marker_does_not(link: str) -> None:
    desk = ContentsChecker(in_order=False)
    desk.create_buffer()
    desk.judge_command("clEnqueueWriteBuffer", blocking_write=0, **build_range(0, 8, Data(bytes(8))))
    desk.enqueue_with_event(link, "event1")
    assert bool(desk.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 8))) is (
        link == "clEnqueueMarkerWithWaitList"
    )
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    assert not desk.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 8), **after)


def test_access_on_second_queue_without_event_or_flush_is_undefined(checker: ContentsChecker) -> None:
    checker.enqueue_with_event("clEnqueueWriteBuffer", "event1", blocking_write=0, **build_range(0, 1, Data(b"x")))
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    elsewhere: dict[str, Value] = {"command_queue": SECOND_QUEUE, **build_range(32, 1)}
    assert "at the same time" in checker.get_undefined_reason("clEnqueueReadBuffer", **elsewhere)
    assert "not flushed" in checker.get_undefined_reason("clEnqueueReadBuffer", **elsewhere, **after)
    checker.judge("clFlush", 0, FIRST_QUEUE)
    assert not checker.get_undefined_reason("clEnqueueReadBuffer", **elsewhere, **after)
    assert "at the same time" in checker.get_undefined_reason("clEnqueueReadBuffer", **elsewhere)
    checker.judge("clWaitForEvents", 0, 1, ElementList((Handle("event1"),)))
    assert not checker.get_undefined_reason("clEnqueueReadBuffer", **elsewhere)


def test_wait_for_unset_user_event_is_undefined(checker: ContentsChecker) -> None:
    checker.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    assert "not set" in checker.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 1), **after)
    checker.judge_command("clEnqueueWriteBuffer", blocking_write=0, **build_range(0, 1, Data(b"x")), **after)
    finish = checker.world.call("clFinish", FIRST_QUEUE)
    assert "not set" in checker.world.oracle.expect(finish).undefined
    assert "not set" in checker.get_undefined_reason("clEnqueueReadBuffer", **build_range(0, 1))
    checker.judge("clSetUserEventStatus", 0, Handle("event1"), 0)
    assert not checker.world.oracle.expect(finish).undefined
    assert not checker.judge_command("clEnqueueReadBuffer", b"x", **build_range(0, 1)).deviations


def test_failed_user_event_makes_bytes_unknown(checker: ContentsChecker) -> None:
    checker.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    after: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    checker.judge_command("clEnqueueWriteBuffer", blocking_write=0, **build_range(0, 1, Data(b"x")), **after)
    checker.judge("clSetUserEventStatus", 0, Handle("event1"), -1)
    assert not checker.judge_command("clEnqueueReadBuffer", bytes(SIZE), **build_range(0, SIZE)).deviations


def test_overwritten_guard_bytes_are_attributed_to_last_command(checker: ContentsChecker) -> None:
    checker.judge_command("clEnqueueReadBuffer", **build_range(0, 8, HOST_AREA))
    call = Call(READ, {"pointer": HOST_AREA, "size": 8, "content": OutputBuffer(8)})
    outcome = Returned(None, {"content": Output([], 8, CONTENT[:8])}, ["pointer"])
    judgement = checker.world.oracle.judge(checker.world.oracle.expect(call), outcome)
    assert list_deviations(judgement) == [("clEnqueueReadBuffer/success", "pointer overrun")]


@pytest.mark.parametrize(("answer", "blamed"), [("pointer1", False), ("pointer2", True)])
def test_map_of_use_host_ptr_buffer_returns_host_ptr(answer: str, *, blamed: bool) -> None:
    desk = ContentsChecker()
    desk.create_buffer("CL_MEM_USE_HOST_PTR", host=HOST_AREA)
    judgement = desk.judge_command("clEnqueueMapBuffer", answer=answer, **_map_arguments(desk, "CL_MAP_READ"))
    requirement = "clEnqueueMapBuffer/effect/12"
    assert [deviation.requirements for deviation in judgement.deviations] == ([(requirement,)] if blamed else [])
    assert (requirement, "deviates" if blamed else "conforms") in judgement.evidence


def test_map_of_ordinary_buffer_returns_any_new_pointer() -> None:
    desk = ContentsChecker()
    desk.create_buffer()
    judgement = desk.judge_command("clEnqueueMapBuffer", answer="pointer2", **_map_arguments(desk, "CL_MAP_READ"))
    assert not judgement.deviations


def test_read_into_own_host_ptr_at_another_offset_is_undefined() -> None:
    desk = ContentsChecker()
    desk.create_buffer("CL_MEM_USE_HOST_PTR", host=HOST_AREA)
    assert not desk.get_undefined_reason("clEnqueueReadBuffer", offset=0, size=SIZE, ptr=HOST_AREA)
    assert not desk.get_undefined_reason("clEnqueueReadBuffer", offset=8, size=8, ptr=OffsetPointer(HOST_AREA, 8))
    assert "not mapped for this access" in desk.get_undefined_reason(
        "clEnqueueReadBuffer", offset=8, size=8, ptr=HOST_AREA
    )
    assert "not mapped for this access" in desk.get_undefined_reason(
        "clEnqueueWriteBuffer", offset=0, size=SIZE, ptr=HOST_AREA
    )
    desk.judge_command("clEnqueueWriteBuffer", **build_range(0, 2, Data(b"xy")))
    desk.judge_command("clEnqueueReadBuffer", offset=0, size=SIZE, ptr=HOST_AREA)
    assert not desk.judge_command("clEnqueueReadBuffer", b"xy" + CONTENT[2:], **build_range(0, SIZE)).deviations
    desk.judge_command("clEnqueueMapBuffer", answer="pointer1", **_map_arguments(desk, "CL_MAP_READ"))
    assert "mapped" in desk.get_undefined_reason("clEnqueueReadBuffer", offset=0, size=SIZE, ptr=HOST_AREA)
