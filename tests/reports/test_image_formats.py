"""The table of image formats: listed, required, tried and failing formats, in the result and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.image_formats import FormatLine, ListedFormats, RequestedFormat
from clconform.reports.html_report import render_report
from clconform.reports.image_formats import collect_formats, format_table
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import ImageFormatResult, ImageFormatUse
from clconform.spec_tables import load

from . import fabricated_journals
from .schemas import validated

if TYPE_CHECKING:
    from clconform.reports.run_result import RequirementResult, RunResult

READ, WRITE, EITHER, BOTH = "READ_ONLY", "WRITE_ONLY", "READ_WRITE", "KERNEL_READ_AND_WRITE"
ITEM = "partition.equally::test_room[0]"


def enum_value(name: str) -> int:
    return load().enumerants[name].value


def enum_pair(order: str, data_type: str) -> tuple[int, int]:
    return enum_value(f"CL_{order}"), enum_value(f"CL_{data_type}")


def create_listed_formats(flags: str, image_type: str, *formats: tuple[str, str]) -> ListedFormats:
    pairs = [enum_pair(*names) for names in formats]
    return ListedFormats(enum_value(f"CL_MEM_{flags}"), enum_value(f"CL_MEM_OBJECT_{image_type}"), pairs)


def create_tried_format(flags: str, image_type: str, format_names: tuple[str, str], *counts: int) -> RequestedFormat:
    return RequestedFormat(
        enum_value(f"CL_MEM_{flags}"), enum_value(f"CL_MEM_OBJECT_{image_type}"), *enum_pair(*format_names), *counts
    )


RGBA8, R8 = ("RGBA", "UNORM_INT8"), ("R", "UNORM_INT8")
LINES = [
    FormatLine(
        "one", [create_listed_formats(READ, "IMAGE2D", RGBA8, R8), create_listed_formats(BOTH, "IMAGE2D", RGBA8)]
    ),
    FormatLine(
        "two", [create_listed_formats(READ, "IMAGE3D", RGBA8)], [create_tried_format(READ, "IMAGE3D", RGBA8, 2, 1, 1)]
    ),
    FormatLine("three", [], [create_tried_format(READ, "IMAGE3D", RGBA8, 1, 1, 0)]),
]


def create_result(*lines: FormatLine) -> RunResult:
    every = fabricated_journals.journal_lines()
    every[3:3] = [msgspec.structs.replace(line, item=ITEM) for line in lines]
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(every), "j"), fabricated_journals.create_tables()
    )


def create_requirements(status: str) -> list[RequirementResult]:
    (first, *_) = create_result().requirements
    ids = ("CL_RGBA/CL_UNORM_INT8/read-or-write", "CL_R/CL_FLOAT/read-and-write")
    return [msgspec.structs.replace(first, id=requirement, status=status) for requirement in ids]


def test_listed_and_requested_formats_of_all_items_are_merged() -> None:
    red, whole = collect_formats(LINES, [], load())
    assert red == ImageFormatResult(
        "CL_R", "CL_UNORM_INT8", [ImageFormatUse("CL_MEM_READ_ONLY", "CL_MEM_OBJECT_IMAGE2D", listed=True)]
    )
    assert (whole.order, whole.data_type) == ("CL_RGBA", "CL_UNORM_INT8")
    assert whole.uses[-1] == ImageFormatUse(
        "CL_MEM_READ_ONLY", "CL_MEM_OBJECT_IMAGE3D", listed=True, requested=3, created=2, deviating=1
    )


def test_format_counts_as_required_only_if_its_requirement_was_tested() -> None:
    for status, required in (
        ("deviates", True),
        ("conforms", True),
        ("not-covered", False),
        ("not-applicable", False),
    ):
        formats = collect_formats(LINES, create_requirements(status), load())
        uses = {(each.order, each.data_type, use.flags) for each in formats for use in each.uses if use.required}
        expected = {("CL_RGBA", "CL_UNORM_INT8", f"CL_MEM_{flags}") for flags in (READ, WRITE)}
        assert uses == (expected | {("CL_R", "CL_FLOAT", f"CL_MEM_{BOTH}")} if required else set())


def test_table_has_row_for_each_format_and_column_for_each_image_type() -> None:
    table = format_table(collect_formats(LINES, create_requirements("deviates"), load()))
    assert table is not None
    assert table.types == ["2d", "3d"]
    assert (table.listed, table.missing, table.deviating) == (2, 2, 1)
    cells = {row.name: row.cells for row in table.rows}
    flat, deep = cells["CL_RGBA CL_UNORM_INT8"]
    assert (flat.listed, flat.missing, flat.requested) == ("rb", True, 0)
    assert (deep.listed, deep.missing, deep.created, deep.requested, deep.deviating) == ("r", False, 2, 3, 1)
    assert cells["CL_R CL_FLOAT"][0].missing
    assert format_table([]) is None


def test_page_and_result_contain_the_image_formats() -> None:
    shown = create_result(*LINES)
    page = render_report(shown, fabricated_journals.create_tables())
    assert 'id="image-formats"' in page
    assert "2 formats" in page
    assert validated(encode_document(shown), "result")
    assert 'id="image-formats"' not in render_report(create_result(), fabricated_journals.create_tables())


def test_unknown_format_numbers_are_shown_in_hexadecimal() -> None:
    odd = FormatLine("one", [ListedFormats(4, enum_value("CL_MEM_OBJECT_IMAGE2D"), [(0x4001, 7)])])
    (found,) = collect_formats([odd], [], load())
    assert (found.order, found.data_type) == ("0x4001", "0x7")


def test_format_names_are_escaped_on_the_page() -> None:
    use = ImageFormatUse("<i>", "<u>", listed=True)
    page = render_report(
        msgspec.structs.replace(create_result(), image_formats=[ImageFormatResult("<b>", "<s>", [use])]),
        fabricated_journals.create_tables(),
    )
    assert "&lt;b&gt; &lt;s&gt;" in page
    assert "<s>" not in page


# the formats that are recorded during a run
