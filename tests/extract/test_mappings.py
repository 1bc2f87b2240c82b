"""Small mapping tables, cells that span rows, and values that descriptions list by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Enumerant, Flag, Section, Type
from clconform.tools.extract.document_blocks import TableCell, expand_spans
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.query_tables import NameRow
from clconform.tools.extract.table_facts import extract_facts
from clconform.tools.extract.value_sets import extract_values

from .documents import html_page, html_table

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.spec_tables.requirements import Requirement


def read_table(tmp_path: Path, html: str) -> list[Requirement]:
    path = tmp_path / "page.html"
    path.write_text(html_page(html), encoding="utf-8")
    block = next(block for block in read_html(path, "T").blocks if block.kind == "table")
    return [draft.requirement for draft in extract_facts(block, "T", {})]


def test_table_of_access_qualifiers_is_read(tmp_path: Path) -> None:
    caption = "Table 9. From flags given to clGetFormats to OpenCL formats"
    found = read_table(tmp_path, html_table(caption, ("Access Qualifier", "Memory Flags"), ("read_only", "CL_A, CL_B")))
    assert [(r.function, r.qualifier, r.name) for r in found] == [  # type: ignore[union-attr]
        ("clGetFormats", "read_only", "CL_A"),
        ("clGetFormats", "read_only", "CL_B"),
    ]


def test_table_of_handle_transference_is_read(tmp_path: Path) -> None:
    rows = (("CL_HANDLE_A|provided by the cl_khr_a extension.", "Reference"), ("CL_HANDLE_B", "Copy"))
    found = read_table(tmp_path, html_table("Table 9. Handles", ("Handle Type", "Transference"), *rows))
    assert [(r.name, r.transference, len(r.applicability)) for r in found] == [  # type: ignore[union-attr]
        ("CL_HANDLE_A", "reference", 1),
        ("CL_HANDLE_B", "copy", 0),
    ]


def test_table_of_allocation_access_is_read(tmp_path: Path) -> None:
    html = """<table><caption>Table 9. Access</caption><thead><tr><th>Name</th><th>Initial Location</th>
    <th colspan="2">Accessible By</th><th colspan="2">Migratable To</th></tr></thead><tbody>
    <tr><td rowspan="2">Near</td><td rowspan="2">Host</td><td>Host</td><td>Yes</td><td>Host</td><td>N/A</td></tr>
    <tr><td>Device</td><td>Yes (perhaps slowly)</td><td>Device</td><td>No</td></tr></tbody></table>"""
    found = read_table(tmp_path, html)
    assert [(r.allocation, r.accessor, r.accessible, r.migratable) for r in found] == [  # type: ignore[union-attr]
        ("near", "host", "yes", "n/a"),
        ("near", "device", "yes", "no"),
    ]


def test_table_cells_that_span_rows_or_columns_are_repeated() -> None:
    rows = [
        [TableCell(["a"], rowspan=3), TableCell(["b"], colspan=2)],
        [TableCell(["c"]), TableCell(["d"], rowspan=2)],
        [TableCell(["e"])],
    ]
    assert [[cell.text for cell in row] for row in expand_spans(rows)] == [
        ["a", "b", "b"],
        ["a", "c", "d"],
        ["a", "e", "d"],
    ]


def read_values(*description: str, kind: str = "property", type_name: str = "cl_paint") -> dict[str, Flag]:
    types = {"cl_paint": Type("cl_paint", "bitfield"), "cl_bare": Type("cl_bare", "bitfield"),
             "cl_bool": Type("cl_bool", "scalar")}  # fmt: skip
    known = {name: Enumerant(name, 1, group) for name, group in (
        ("CL_RED", "cl_paint"), ("CL_BLUE", "cl_paint"), ("CL_LOUD", "elsewhere"), ("CL_TRUE", "cl_bool"))}  # fmt: skip
    row = NameRow(kind, "CL_COLOUR", "clPaint", type_name, description, Section("", ""), ())
    return {
        d.requirement.name: d.requirement
        for d in extract_values([row], "T", types, known)
        if isinstance(d.requirement, Flag)
    }


def test_values_listed_in_prose_are_read_with_their_exclusions() -> None:
    found = read_values(
        "One of these:",
        "CL_RED - stop CL_BLUE - go on.",
        "provided by the cl_khr_paint extension.",
        "CL_RED and CL_BLUE are mutually exclusive.",
        "See also CL_LOUD.",
    )
    assert {name: flag.excludes for name, flag in found.items()} == {"CL_RED": ("CL_BLUE",), "CL_BLUE": ("CL_RED",)}
    assert {flag.function for flag in found.values()} == {"clPaint"}
    assert [gate.name for gate in found["CL_RED"].applicability] == ["cl_khr_paint"]


def test_value_without_group_is_found_only_at_the_start_of_a_paragraph() -> None:
    assert set(read_values("CL_LOUD: very.", "Not CL_RED.", type_name="cl_bare")) == {"CL_LOUD"}


def test_listed_booleans_are_not_read_as_values() -> None:
    assert read_values("CL_TRUE - it is.", type_name="cl_bool") == {}
