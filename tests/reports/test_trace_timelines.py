"""The timelines show accesses with their calls, and separate violations of the runtime from those of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Call, Returned, Step
from clconform.calls.journal import ItemEnd, Resumed, TraceLine
from clconform.calls.traces import (
    HOST,
    ServedAccess,
    Trace,
    TraceAccess,
    TraceContext,
    TraceMemoryObject,
    TraceViolation,
)
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import load_result
from clconform.reports.trace_timelines import MAX_TRACES_SHOWN, collect_traces, draw_timelines

from . import fabricated

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.traces import Mode
    from clconform.calls.values import Value
    from clconform.reports.run_result import RunResult

EVIL = "<script>alert(1)</script>\x1b[31m\u202e"
BUFFER, AREA, QUEUE = Handle("mem1"), Handle("void1"), Handle("queue1")


def step(function: str, result: str | int | None = 0, **arguments: Value) -> Step:
    return Step(Call(function, arguments), Returned(result))


CREATE = step("clCreateBuffer", BUFFER.name, context=Handle("context1"), flags=8, size=64, host_ptr=AREA)
ALLOCATE = step("host_allocate", AREA.name, size=64, alignment=64)
PUT = step("host_write", None, pointer=AREA, size=64, content=Data(b"x"))
MAP = step("clEnqueueMapBuffer", AREA.name, command_queue=QUEUE, buffer=BUFFER)
UNMAP = step("clEnqueueUnmapMemObject", command_queue=QUEUE, memobj=BUFFER, mapped_ptr=AREA)
READ = step("clEnqueueReadBuffer", command_queue=QUEUE, buffer=BUFFER, ptr=AREA)
SEEN = step("clEnqueueReadBuffer", command_queue=QUEUE, buffer=BUFFER, ptr=OutputBuffer(64))
ARGUMENT = step("clSetKernelArg", kernel=Handle("kernel1"), arg_index=0, arg_value=HandleBytes(BUFFER))
RUN = step("clEnqueueNDRangeKernel", command_queue=QUEUE, kernel=Handle("kernel1"), global_work_size=ElementList((1,)))
FINISH = step("clFinish", command_queue=QUEUE)
HELD_BACK = Step(RUN.call, Absent("undefined", "the memory is mapped"))


def served(where: str, mode: Mode, *steps: Step) -> ServedAccess:
    return ServedAccess(TraceAccess("m", where, mode), list(steps))


def line(*faults: TraceViolation, title: str = "a pair", blamed: tuple[int, ...] = (), item: str = "x.y") -> TraceLine:
    """Return the line of a trace that contains something of each kind."""
    told = [
        served(HOST, "construct"),
        served(HOST, "write", ALLOCATE, PUT),
        served("A", "read_write", CREATE, ARGUMENT, RUN, SEEN, FINISH),
        served(HOST, "read", MAP, PUT),
        served("A", "read", READ, HELD_BACK, UNMAP),
    ]
    trace = Trace(title, [TraceContext("A", "context1")], [TraceMemoryObject("m", 64)], [], told)
    return TraceLine(item, trace, list(faults), list(blamed))


def result_with(*lines: TraceLine) -> RunResult:
    journal = fabricated.lines()
    journal[2:2] = lines
    return assemble_result(parse_journal(fabricated.content(journal), "j"), fabricated.tables())


def page_with(*lines: TraceLine) -> str:
    return render_report(result_with(*lines), fabricated.tables())


def moves_of(trace_line: TraceLine) -> list[list[tuple[str, str]]]:
    (trace,) = collect_traces([trace_line])
    return [[(move.context, move.what) for move in access.actions] for access in trace.accesses]


def test_calls_stand_in_their_lanes_and_what_does_nothing_to_the_object_is_left_out() -> None:
    assert moves_of(line()) == [
        [],
        [(HOST, "allocate"), (HOST, "use")],
        [("A", "allocate in host memory"), ("A", "use")],
        [("A", "map"), (HOST, "use")],
        [("A", "read"), ("A", "use"), ("A", "unmap")],
    ]


def test_a_call_that_was_not_sent_says_so() -> None:
    (trace,) = collect_traces([line()])
    assert [move.sent for move in trace.accesses[4].actions] == [True, False, True]


def test_the_runtimes_faults_and_the_drivers_stand_apart() -> None:
    faulty = line(
        TraceViolation("r", "a read too many", 4, 0), TraceViolation("r", "never handed back", 4), blamed=(2,)
    )
    (trace,) = collect_traces([faulty])
    assert trace.violations == ["a read too many", "never handed back"]
    assert trace.num_driver_deviations == 1
    assert [access.blamed for access in trace.accesses] == [False, False, True, False, False]
    page = page_with(faulty)
    assert "the driver deviates in 1 access<" in page
    assert "the runtime violated its rules 2 times" in page
    assert '<g class="copied fault"><title>read in A: a read too many</title>' in page
    good = page_with(line())
    assert "the driver conforms" in good
    assert "the runtime conforms to its rules" in good


def test_a_page_without_traces_has_no_such_section() -> None:
    assert 'id="linked"' not in render_report(
        assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), fabricated.tables()),
        fabricated.tables(),
    )
    assert 'id="linked"' in page_with(line())


def test_what_is_wrong_comes_first_and_the_page_stays_small() -> None:
    lines = [line(title=f"number {number}") for number in range(100)] + [line(blamed=(1,), title="wrong")]
    traces = collect_traces(lines)
    assert traces[0].title == "wrong"
    drawn = draw_timelines(traces)
    assert len(drawn) == MAX_TRACES_SHOWN
    assert f"{101 - MAX_TRACES_SHOWN} more are in result.json" in page_with(*lines)


def test_arrows_lead_from_where_the_bytes_are() -> None:
    (drawn,) = draw_timelines(collect_traces([line()]))
    host, device = (y for _, y in drawn.contexts)
    arrows = {mark.words: (mark.kind, mark.y, mark.to) for band in drawn.bands for mark in band.marks}
    assert arrows["map in A"] == ("switched", device, host)
    assert arrows["unmap in A"] == ("switched", host, device)
    assert arrows["read in A"] == ("copied", device, host)
    assert arrows["allocate in host memory in A"] == ("linked", device, host)
    assert drawn.bands[0].y is None
    assert [band.y for band in drawn.bands[1:]] == [host, device, host, device]
    assert all(left.x + left.width == right.x for left, right in zip(drawn.bands, drawn.bands[1:], strict=False))


def test_hostile_names_are_harmless() -> None:
    page = page_with(line(TraceViolation("r", EVIL, 4, 0), title=EVIL, item=EVIL))
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_trace_is_kept_by_journal_and_result(tmp_path: Path) -> None:
    told = line(TraceViolation("r", "w", 1, None))
    assert msgspec.json.decode(msgspec.json.encode(told), type=TraceLine) == told
    path = tmp_path / "result.json"
    path.write_text(encode_document(result_with(told)), encoding="utf-8")
    assert load_result(path).traces == collect_traces([told])


def test_an_item_that_was_run_again_has_its_last_trace() -> None:
    journal = fabricated.lines()
    end = ItemEnd("x.y", "passed", 1.0, 1, {})
    journal[2:2] = [line(title="cut short"), Resumed("later"), line(title="whole"), end]
    traces = parse_journal(fabricated.content(journal), "j").traces
    assert [each.trace.title for each in traces] == ["whole"]
