"""Tables of queries, schemes and properties: names, types, applicability, and rows that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.tools.extract.document_blocks import TableCell
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.query_tables import (
    ScopeRows,
    find_list_end,
    is_known_type,
    listed_values,
    names_with_conditions,
    parse_return_type,
    read_rows,
)
from clconform.tools.extract.scopes import split_scopes

from .documents import function_block, html_page, html_table

if TYPE_CHECKING:
    from pathlib import Path

CODE = """cl_int clGetThingInfo(cl_thing thing, cl_thing_info param_name, size_t param_value_size, void* param_value,
size_t* param_value_size_ret);"""
HEADER = ("Thing Info", "Return Type", "Description")
CAPTION = "Table 3. List of supported param_names by clGetThingInfo"


def read_page_rows(tmp_path: Path, html: str) -> ScopeRows:
    path = tmp_path / "page.html"
    path.write_text(html_page(function_block("clGetThingInfo", CODE, html)), encoding="utf-8")
    scopes = split_scopes(read_html(path, "T").blocks, "T")
    functions = {function.name: function for scope in scopes for function in scope.functions}
    return next(read_rows(scope, functions) for scope in scopes if scope.functions)


def test_rows_of_query_table_belong_to_the_function_in_the_caption(tmp_path: Path) -> None:
    found = read_page_rows(tmp_path, html_table(CAPTION, HEADER, ("CL_THING_SIZE", "size_t", "The size.|At least 1.")))
    (row,) = found.rows
    assert (row.kind, row.name, row.function, row.type) == ("query", "CL_THING_SIZE", "clGetThingInfo", "size_t")
    assert row.description == ("The size.", "At least 1.")


def test_query_table_without_function_in_caption_uses_its_scope(tmp_path: Path) -> None:
    found = read_page_rows(
        tmp_path, html_table("Table 3. Thing queries", HEADER, ("CL_THING_SIZE", "size_t", "The size."))
    )
    assert found.rows[0].function == "clGetThingInfo"


def test_row_without_type_or_name_is_reported_as_unread(tmp_path: Path) -> None:
    found = read_page_rows(
        tmp_path, html_table(CAPTION, HEADER, ("CL_THING_SIZE", "", "The size."), ("something", "size_t", "?"))
    )
    assert len(found.unread) == 2


def test_table_without_queries_is_ignored(tmp_path: Path) -> None:
    found = read_page_rows(tmp_path, html_table("Table 4. Colours", ("Colour", "Description"), ("CL_RED", "red")))
    assert (found.rows, found.unread, found.read_blocks) == ([], [], [])


def test_note_in_a_cell_restricts_the_name_above() -> None:
    cell = TableCell(
        ["CL_NEW", "missing before version 3.0.", "or", "CL_NEW_KHR", "provided by the cl_khr_new extension."]
    )
    assert names_with_conditions(cell, "device-version") == {
        "CL_NEW": ((ApplicabilityCondition("device-version", since="3.0"),), ""),
        "CL_NEW_KHR": ((ApplicabilityCondition("extension", name="cl_khr_new"),), ""),
    }


def test_note_in_a_cell_restricts_only_the_name_that_it_contains() -> None:
    cell = TableCell(["CL_WIDTH_A CL_WIDTH_B CL_WIDTH_C", "CL_WIDTH_C is missing before version 1.1."])
    names = names_with_conditions(cell, "device-version")
    assert list(names) == ["CL_WIDTH_A", "CL_WIDTH_B", "CL_WIDTH_C"]
    assert [len(gates) for gates, _ in names.values()] == [0, 0, 1]


def test_equivalent_extension_name_in_a_cell_is_a_name_of_its_own() -> None:
    cell = TableCell(["CL_A", "The equivalent CL_A_KHR may be used if the cl_khr_a extension is supported."])
    assert names_with_conditions(cell, "platform-version")["CL_A_KHR"] == (
        (ApplicabilityCondition("extension", name="cl_khr_a"),),
        "",
    )


def test_deprecation_note_in_a_cell_is_read_as_a_version() -> None:
    cell = TableCell(["CL_OLD", "missing before version 1.1 and deprecated by version 2.0."])
    assert names_with_conditions(cell, "platform-version") == {
        "CL_OLD": ((ApplicabilityCondition("platform-version", since="1.1"),), "2.0")
    }


@pytest.mark.parametrize(
    ("printed", "element"),
    [
        ("cl_uint", ("cl_uint", "scalar")),
        ("char[]", ("char", "string")),
        ("size_t[3]", ("size_t", "array")),
        ("cl_uchar[CL_UUID_SIZE_KHR]", ("cl_uchar", "array")),
        ("unsigned char*[]", ("unsigned char*", "array")),
    ],
)
def test_result_type_of_query_is_parsed_to_type_and_shape(printed: str, element: tuple[str, str]) -> None:
    assert parse_return_type(printed) == element


@pytest.mark.parametrize(
    ("description", "shape"),
    [
        ("Returns the device's IL of what was made.", "string"),
        ("Returns the thing IL for things.", "array"),
        ("Return the binary.", "array"),
        ("Returns the IL as a string.", "string"),
        ("A list of ILs.", "string"),
    ],
)
def test_char_array_that_holds_a_binary_is_not_a_string(description: str, shape: str) -> None:
    assert parse_return_type("char[]", (description,)) == ("char", shape)


def test_extension_in_a_note_replaces_the_required_version() -> None:
    also = "Also supported if the cl_khr_a extension is supported."
    gates = (ApplicabilityCondition("platform-version", since="2.0", instead="cl_khr_a"),)
    for paragraphs in (["missing before version 2.0.", also], ["missing before version 2.0. " + also]):
        assert names_with_conditions(TableCell(["CL_ONE", *paragraphs]), "platform-version")["CL_ONE"] == (gates, "")
    assert names_with_conditions(TableCell(["CL_ONE", also]), "platform-version")["CL_ONE"] == ((), "")


def test_listed_values_and_terminator_are_read() -> None:
    description = (
        "Ends with CL_PROPERTIES_LIST_END_EXT, counts with CL_COUNTS_LIST_END.",
        "CL_ONE - one.",
        "CL_TWO - two.",
    )
    assert listed_values(description) == ("CL_ONE", "CL_TWO")
    assert find_list_end(description) == "CL_COUNTS_LIST_END"


@pytest.mark.parametrize(
    ("printed", "plain", "khr"),
    [
        ("cl_colours or cl_colours_khr", "cl_colours", "cl_colours_khr"),
        ("cl_colours_khr or cl_colours", "cl_colours", "cl_colours_khr"),
        ("cl_colours[] or cl_colours_khr[]", "cl_colours[]", "cl_colours_khr[]"),
        ("cl_uint or cl_colours", "cl_uint or cl_colours", "cl_uint or cl_colours"),
        ("cl_a_khr or cl_b_khr or cl_c", "cl_c", "cl_a_khr or cl_b_khr or cl_c"),
        ("cl_uint or size_t", "cl_uint or size_t", "cl_uint or size_t"),
        ("cl_uint", "cl_uint", "cl_uint"),
        ("cl_colours_khr", "cl_colours_khr", "cl_colours_khr"),
    ],
)
def test_type_with_the_suffix_of_the_query_is_chosen(tmp_path: Path, printed: str, plain: str, khr: str) -> None:
    rows = (("CL_THING_COLOUR", printed, "Red."), ("CL_THING_COLOUR_KHR", printed, "Red."))
    assert [row.type for row in read_page_rows(tmp_path, html_table(CAPTION, HEADER, *rows)).rows] == [plain, khr]


@pytest.mark.parametrize(
    ("element", "known"),
    [
        ("cl_uint", True),
        ("cl_thing", True),
        ("cl_thing*", True),
        ("const char*", True),
        ("unsigned char*", True),
        ("void*", True),
        ("size_t", True),
        ("GLenum", True),
        ("ID3D10Buffer*", True),
        ("cl_novelty", False),
        ("cl_uint or cl_thing", False),
        ("int", False),
        ("GLENUM_OF_OURS", False),
        ("", False),
    ],
)
def test_query_type_is_known_if_its_values_can_be_decoded(element: str, *, known: bool) -> None:
    assert is_known_type(element, {"cl_uint", "cl_thing"}) is known
