"""The table of image formats: listed, required, tried and failing formats, in the result and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Output, Returned
from clconform.calls.journal import FormatLine, ListedFormats, RequestedFormat
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.reports.html_report import render_report
from clconform.reports.image_formats import collect_formats, format_table
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import ImageFormatResult, ImageFormatUse
from clconform.runner.journal.image_formats import FormatTracker
from clconform.spec_tables import load

from . import fabricated
from .schemas import valid

if TYPE_CHECKING:
    from clconform.reports.run_result import RequirementResult, RunResult

READ, WRITE, EITHER, BOTH = "READ_ONLY", "WRITE_ONLY", "READ_WRITE", "KERNEL_READ_AND_WRITE"
ITEM = "partition.equally::test_room[0]"


def value(name: str) -> int:
    return load().enumerants[name].value


def pair(order: str, data_type: str) -> tuple[int, int]:
    return value(f"CL_{order}"), value(f"CL_{data_type}")


def listed(flags: str, image_type: str, *formats: tuple[str, str]) -> ListedFormats:
    pairs = [pair(*names) for names in formats]
    return ListedFormats(value(f"CL_MEM_{flags}"), value(f"CL_MEM_OBJECT_{image_type}"), pairs)


def tried(flags: str, image_type: str, names: tuple[str, str], *counts: int) -> RequestedFormat:
    return RequestedFormat(value(f"CL_MEM_{flags}"), value(f"CL_MEM_OBJECT_{image_type}"), *pair(*names), *counts)


RGBA8, R8 = ("RGBA", "UNORM_INT8"), ("R", "UNORM_INT8")
LINES = [
    FormatLine("one", [listed(READ, "IMAGE2D", RGBA8, R8), listed(BOTH, "IMAGE2D", RGBA8)]),
    FormatLine("two", [listed(READ, "IMAGE3D", RGBA8)], [tried(READ, "IMAGE3D", RGBA8, 2, 1, 1)]),
    FormatLine("three", [], [tried(READ, "IMAGE3D", RGBA8, 1, 1, 0)]),
]


def result(*lines: FormatLine) -> RunResult:
    every = fabricated.lines()
    every[3:3] = [msgspec.structs.replace(line, item=ITEM) for line in lines]
    return assemble_result(parse_journal(fabricated.content(every), "j"), fabricated.tables())


def records(status: str) -> list[RequirementResult]:
    (first, *_) = result().records
    ids = ("CL_RGBA/CL_UNORM_INT8/read-or-write", "CL_R/CL_FLOAT/read-and-write")
    return [msgspec.structs.replace(first, id=record, status=status) for record in ids]


def test_lists_and_images_of_all_items_are_counted_together() -> None:
    red, whole = collect_formats(LINES, [], load())
    assert red == ImageFormatResult(
        "CL_R", "CL_UNORM_INT8", [ImageFormatUse("CL_MEM_READ_ONLY", "CL_MEM_OBJECT_IMAGE2D", offered=True)]
    )
    assert (whole.order, whole.data_type) == ("CL_RGBA", "CL_UNORM_INT8")
    assert whole.uses[-1] == ImageFormatUse(
        "CL_MEM_READ_ONLY", "CL_MEM_OBJECT_IMAGE3D", offered=True, tried=3, made=2, wrong=1
    )


def test_what_was_required_is_told_by_the_status_of_its_record() -> None:
    for status, required in (
        ("deviates", True),
        ("conforms", True),
        ("not-provoked", False),
        ("not-applicable", False),
    ):
        formats = collect_formats(LINES, records(status), load())
        uses = {(each.order, each.data_type, use.flags) for each in formats for use in each.uses if use.required}
        expected = {("CL_RGBA", "CL_UNORM_INT8", f"CL_MEM_{flags}") for flags in (READ, WRITE)}
        assert uses == (expected | {("CL_R", "CL_FLOAT", f"CL_MEM_{BOTH}")} if required else set())


def test_the_table_has_a_row_for_each_format_and_a_column_for_each_type() -> None:
    table = format_table(collect_formats(LINES, records("deviates"), load()))
    assert table is not None
    assert table.types == ["2d", "3d"]
    assert (table.listed, table.missing, table.deviating) == (2, 2, 1)
    cells = {row.name: row.cells for row in table.rows}
    flat, deep = cells["CL_RGBA CL_UNORM_INT8"]
    assert (flat.listed, flat.missing, flat.requested) == ("rb", True, 0)
    assert (deep.listed, deep.missing, deep.created, deep.requested, deep.deviating) == ("r", False, 2, 3, 1)
    assert cells["CL_R CL_FLOAT"][0].missing
    assert format_table([]) is None


def test_page_and_result_show_the_formats() -> None:
    shown = result(*LINES)
    page = render_report(shown, fabricated.tables())
    assert 'id="image-formats"' in page
    assert "2 formats" in page
    assert valid(encode_document(shown), "result")
    assert 'id="image-formats"' not in render_report(result(), fabricated.tables())


def test_a_number_without_a_name_is_shown_as_it_is() -> None:
    odd = FormatLine("one", [ListedFormats(4, value("CL_MEM_OBJECT_IMAGE2D"), [(0x4001, 7)])])
    (found,) = collect_formats([odd], [], load())
    assert (found.order, found.data_type) == ("0x4001", "0x7")


def test_names_on_the_page_are_escaped() -> None:
    use = ImageFormatUse("<i>", "<u>", offered=True)
    page = render_report(
        msgspec.structs.replace(result(), image_formats=[ImageFormatResult("<b>", "<s>", [use])]), fabricated.tables()
    )
    assert "&lt;b&gt; &lt;s&gt;" in page
    assert "<s>" not in page


# formats that a run keeps


def asked(entries: int, *formats: tuple[int, int]) -> tuple[Call, Returned]:
    arguments = {"context": Handle("context1"), "flags": 4, "image_type": 0x10F1, "num_entries": entries}
    buffer = {"image_formats": OutputBuffer(entries), "num_image_formats": None}
    values: list[int | float | str | None] = [each for one in formats for each in one]
    return Call("clGetSupportedImageFormats", {**arguments, **buffer}), Returned(0, {"image_formats": Output(values)})


def test_a_list_is_kept_once_and_its_longest_form() -> None:
    kept = FormatTracker()
    for formats in ([(1, 2)], [(1, 2), (3, 4)], [(1, 2)]):
        kept.record_call(*asked(len(formats), *formats), is_deviation=False)
    line = kept.create_line("one")
    assert line is not None
    assert line.listed == [ListedFormats(4, 0x10F1, [(1, 2), (3, 4)])]
    kept.begin_item()
    kept.record_call(*asked(1, (1, 2)), is_deviation=False)
    assert kept.create_line("two") is None


def test_images_are_counted_by_access_type_and_format() -> None:
    kept = FormatTracker()
    described = ElementList((0x10F4, 4, 0, 0, 0, 0, 0, 0, 0, None))
    for function, arguments in (
        ("clCreateImage", {"image_desc": described}),
        ("clCreateImage2D", {}),
        ("clCreateImage", {"image_desc": None}),
    ):
        for outcome in (Returned("mem1", {}), Returned(None, {})):
            call = Call(function, {"flags": 1 << 5, "image_format": ElementList((1, 2)), **arguments})
            kept.record_call(call, outcome, is_deviation=outcome.value is None)
    line = kept.create_line("one")
    assert line is not None
    assert line.tried == [RequestedFormat(1, 0x10F4, 1, 2, 2, 1, 1), RequestedFormat(1, 0x10F1, 1, 2, 2, 1, 1)]
