"""The timelines of traces show accesses with their calls, and separate violations of the runtime from deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Call, Returned, Step
from clconform.calls.journal import ItemEnd, Resumed
from clconform.calls.linked_allocations import (
    HOST,
    ServedAccess,
    Trace,
    TraceAccess,
    TraceContext,
    TraceLine,
    TraceMemoryObject,
    TraceViolation,
)
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.linked_allocations.timelines import MAX_TRACES_SHOWN, draw_timelines
from clconform.reports.linked_allocations.trace_results import collect_traces
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_consistency import load_result

from . import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.linked_allocations import Mode
    from clconform.calls.values import Value
    from clconform.reports.run_result import RunResult

EVIL = "<script>alert(1)</script>\x1b[31m\u202e"
BUFFER, AREA, QUEUE = Handle("mem1"), Handle("void1"), Handle("queue1")


def create_step(function: str, result: str | int | None = 0, **arguments: Value) -> Step:
    return Step(Call(function, arguments), Returned(result))


CREATE = create_step("clCreateBuffer", BUFFER.name, context=Handle("context1"), flags=8, size=64, host_ptr=AREA)
ALLOCATE = create_step("host_allocate", AREA.name, size=64, alignment=64)
PUT = create_step("host_write", None, pointer=AREA, size=64, content=Data(b"x"))
MAP = create_step("clEnqueueMapBuffer", AREA.name, command_queue=QUEUE, buffer=BUFFER)
UNMAP = create_step("clEnqueueUnmapMemObject", command_queue=QUEUE, memobj=BUFFER, mapped_ptr=AREA)
READ = create_step("clEnqueueReadBuffer", command_queue=QUEUE, buffer=BUFFER, ptr=AREA)
READ_BYTES = create_step("clEnqueueReadBuffer", command_queue=QUEUE, buffer=BUFFER, ptr=OutputBuffer(64))
ARGUMENT = create_step("clSetKernelArg", kernel=Handle("kernel1"), arg_index=0, arg_value=HandleBytes(BUFFER))
RUN = create_step(
    "clEnqueueNDRangeKernel", command_queue=QUEUE, kernel=Handle("kernel1"), global_work_size=ElementList((1,))
)
FINISH = create_step("clFinish", command_queue=QUEUE)
BLOCKED = Step(RUN.call, Absent("undefined", "the memory is mapped"))


def create_access(where: str, mode: Mode, *steps: Step) -> ServedAccess:
    return ServedAccess(TraceAccess("m", where, mode), list(steps))


def create_trace(
    *violations: TraceViolation, title: str = "a pair", attributed: tuple[int, ...] = (), item: str = "x.y"
) -> TraceLine:
    """Return the journal line of a trace with accesses, calls and violations of each kind."""
    told = [
        create_access(HOST, "construct"),
        create_access(HOST, "write", ALLOCATE, PUT),
        create_access("A", "read_write", CREATE, ARGUMENT, RUN, READ_BYTES, FINISH),
        create_access(HOST, "read", MAP, PUT),
        create_access("A", "read", READ, BLOCKED, UNMAP),
    ]
    trace = Trace(title, [TraceContext("A", "context1")], [TraceMemoryObject("m", 64)], [], told)
    return TraceLine(item, trace, list(violations), list(attributed))


def create_result(*lines: TraceLine) -> RunResult:
    journal = fabricated_journals.journal_lines()
    journal[2:2] = lines
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(journal), "j"), fabricated_journals.create_tables()
    )


def create_page(*lines: TraceLine) -> str:
    return render_report(create_result(*lines), fabricated_journals.create_tables())


def moves_of(trace_line: TraceLine) -> list[list[tuple[str, str]]]:
    (trace,) = collect_traces([trace_line])
    return [[(move.context, move.action) for move in access.actions] for access in trace.accesses]


def test_timeline_shows_calls_of_each_access_and_omits_irrelevant_calls() -> None:
    assert moves_of(create_trace()) == [
        [],
        [(HOST, "allocate"), (HOST, "use")],
        [("A", "allocate in host memory"), ("A", "use")],
        [("A", "map"), (HOST, "use")],
        [("A", "read"), ("A", "use"), ("A", "unmap")],
    ]


def test_undefined_call_is_marked_as_unsent_in_timeline() -> None:
    (trace,) = collect_traces([create_trace()])
    assert [move.was_sent for move in trace.accesses[4].actions] == [True, False, True]


def test_violations_of_runtime_and_deviations_of_driver_are_separate() -> None:
    faulty = create_trace(
        TraceViolation("r", "a read too many", 4, 0), TraceViolation("r", "never handed back", 4), attributed=(2,)
    )
    (trace,) = collect_traces([faulty])
    assert trace.violations == ["a read too many", "never handed back"]
    assert trace.num_driver_deviations == 1
    assert [access.driver_deviates for access in trace.accesses] == [False, False, True, False, False]
    page = create_page(faulty)
    assert "the driver deviates in 1 access<" in page
    assert "the runtime violated its rules 2 times" in page
    assert '<g class="copied fault"><title>read in A: a read too many</title>' in page
    good = create_page(create_trace())
    assert "the driver conforms" in good
    assert "the runtime conforms to its rules" in good


def test_page_without_traces_omits_timelines() -> None:
    assert 'id="linked"' not in render_report(
        assemble_result(
            parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
            fabricated_journals.create_tables(),
        ),
        fabricated_journals.create_tables(),
    )
    assert 'id="linked"' in create_page(create_trace())


def test_timelines_of_deviating_traces_come_first_and_are_limited_in_number() -> None:
    lines = [create_trace(title=f"number {number}") for number in range(100)] + [
        create_trace(attributed=(1,), title="wrong")
    ]
    traces = collect_traces(lines)
    assert traces[0].title == "wrong"
    drawn = draw_timelines(traces)
    assert len(drawn) == MAX_TRACES_SHOWN
    assert f"{101 - MAX_TRACES_SHOWN} more are in result.json" in create_page(*lines)


def test_arrows_of_timeline_start_at_the_location_of_the_bytes() -> None:
    (drawn,) = draw_timelines(collect_traces([create_trace()]))
    host, device = (y for _, y in drawn.contexts)
    arrows = {mark.title: (mark.kind, mark.y, mark.to) for band in drawn.bands for mark in band.marks}
    assert arrows["map in A"] == ("switched", device, host)
    assert arrows["unmap in A"] == ("switched", host, device)
    assert arrows["read in A"] == ("copied", device, host)
    assert arrows["allocate in host memory in A"] == ("linked", device, host)
    assert drawn.bands[0].y is None
    assert [band.y for band in drawn.bands[1:]] == [host, device, host, device]
    assert all(left.x + left.width == right.x for left, right in zip(drawn.bands, drawn.bands[1:], strict=False))


def test_hostile_names_are_escaped_in_timelines() -> None:
    page = create_page(create_trace(TraceViolation("r", EVIL, 4, 0), title=EVIL, item=EVIL))
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_journal_and_result_contain_the_trace(tmp_path: Path) -> None:
    told = create_trace(TraceViolation("r", "w", 1, None))
    assert msgspec.json.decode(msgspec.json.encode(told), type=TraceLine) == told
    path = tmp_path / "result.json"
    path.write_text(encode_document(create_result(told)), encoding="utf-8")
    assert load_result(path).traces == collect_traces([told])


def test_repeated_item_keeps_only_the_trace_of_its_last_run() -> None:
    journal = fabricated_journals.journal_lines()
    end = ItemEnd("x.y", "passed", 1.0, 1, {})
    journal[2:2] = [create_trace(title="cut short"), Resumed("later"), create_trace(title="whole"), end]
    traces = parse_journal(fabricated_journals.encode_journal(journal), "j").find_lines(TraceLine)
    assert [each.trace.title for each in traces] == ["whole"]
