"""Two revisions of a document: conditions that are added, removed, reworded, moved, or restricted differently."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ErrorCondition
from clconform.tools.extract import compare_folders, extract_documents, write_tables

from .documents import bullets, function_block, html_page, html_table, paragraph, write_folder

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPE = """cl_thing clCreateThing(cl_context context, const cl_uint* sizes,
    void (CL_CALLBACK* pfn_notify)(cl_thing thing, void* user_data), cl_int* errcode_ret);"""
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"
A = "CL_INVALID_CONTEXT if context is not a valid context."
B = "CL_INVALID_VALUE if sizes is NULL."
REWORDED_B = "CL_INVALID_VALUE if sizes happens to be NULL."
C = "CL_INVALID_VALUE if the moon is full."


def create_document(*clauses: str) -> str:
    return html_page(function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(*clauses)))


def find_changes(tmp_path: Path, old: str, new: str) -> list[str]:
    folders = write_folder(tmp_path / "old", old), write_folder(tmp_path / "new", new)
    return compare_folders(*folders, known=tmp_path / "nothing")[0].to_lines()


def test_equal_documents_have_no_changes(tmp_path: Path) -> None:
    assert find_changes(tmp_path, create_document(A, B), create_document(A, B)) == []


def test_added_condition_is_reported(tmp_path: Path) -> None:
    assert find_changes(tmp_path, create_document(A, B), create_document(A, C, B)) == [
        "added: clCreateThing/CL_INVALID_VALUE/2"
    ]


def test_removed_condition_is_reported(tmp_path: Path) -> None:
    assert find_changes(tmp_path, create_document(A, C, B), create_document(A, B)) == [
        "removed: clCreateThing/CL_INVALID_VALUE/1"
    ]


def test_reworded_condition_is_reported(tmp_path: Path) -> None:
    assert find_changes(tmp_path, create_document(A, B), create_document(A, REWORDED_B)) == [
        "reworded: clCreateThing/CL_INVALID_VALUE/1"
    ]


def test_reordered_error_list_is_not_a_change(tmp_path: Path) -> None:
    assert find_changes(tmp_path, create_document(A, B, C), create_document(C, A, B)) == []


def test_split_condition_is_listed_with_candidates_until_a_person_decides(tmp_path: Path) -> None:
    whole = f"{B.removesuffix('.')} or the moon is full."
    known, ids = tmp_path / "known", ["clCreateThing/CL_INVALID_VALUE/1"]
    write_tables(
        extract_documents(write_folder(tmp_path / "old", create_document(A, whole)), tmp_path / "nothing"), known
    )
    folder = write_folder(tmp_path / "new", create_document(A, B, C))
    result = extract_documents(folder, known)
    assert [name for name, _ in result.reworded_conditions()] == ids
    assert [(name, lost) for name, lost, _ in result.replacement_candidates(ids)] == [
        ("clCreateThing/CL_INVALID_VALUE/2", ids)
    ]
    digests = [
        requirement.digest
        for requirement in result.requirements
        if requirement.id.startswith("clCreateThing/CL_INVALID_VALUE/")
    ]
    (known / "rewordings.json").write_text(json.dumps({ids[0]: {key: {"verdict": "part"} for key in digests}}))
    again = extract_documents(folder, known)
    parts = [r for r in again.requirements if isinstance(r, ErrorCondition) and r.part_of]
    assert [(part.id, part.part_of, part.reworded) for part in parts] == [
        (f"clCreateThing/CL_INVALID_VALUE/{number}", ids[0], False) for number in (2, 3)
    ]
    assert again.replacement_candidates(ids) == []


def test_moved_and_reworded_condition_keeps_its_id_after_a_decision(tmp_path: Path) -> None:
    known, name = tmp_path / "known", "clCreateThing/CL_INVALID_VALUE/1"
    write_tables(extract_documents(write_folder(tmp_path / "old", create_document(B, A)), tmp_path / "nothing"), known)
    folder = write_folder(tmp_path / "new", create_document(A, "CL_INVALID_VALUE if context is odd and sizes is NULL."))
    (new,) = (
        r for r in extract_documents(folder, known).requirements if r.id.startswith("clCreateThing/CL_INVALID_VALUE/")
    )
    assert new.id != name
    (known / "rewordings.json").write_text(json.dumps({name: {new.digest: {"verdict": "same"}}}))
    (again,) = (
        r for r in extract_documents(folder, known).requirements if r.id.startswith("clCreateThing/CL_INVALID_VALUE/")
    )
    assert again.id == name
    assert isinstance(again, ErrorCondition)
    assert not again.reworded


def test_renamed_section_is_reported_as_a_move_of_its_requirements(tmp_path: Path) -> None:
    found = find_changes(tmp_path, create_document(A), create_document(A).replace("4.1. Things", "4.2. Many Things"))
    assert "moved: clCreateThing/CL_INVALID_CONTEXT/1" in found
    assert {line.partition(":")[0] for line in found} == {"moved"}


def test_changed_applicability_is_reported(tmp_path: Path) -> None:
    old, new = (
        f"CL_INVALID_VALUE if x. This error code is missing before version {version}." for version in ("1.1", "1.2")
    )
    found = find_changes(tmp_path, create_document(old), create_document(new))
    assert found == [
        "reworded: clCreateThing/CL_INVALID_VALUE/1",
        "changed applicability: clCreateThing/CL_INVALID_VALUE/1",
    ]


QUERY = """cl_int clGetThingInfo(cl_thing thing, cl_thing_info param_name, size_t param_value_size, void* param_value,
    size_t* param_value_size_ret);"""
HEADER = ("Thing Info", "Return Type", "Description")
ROWS = (
    ("CL_THING_SIZE", "cl_uint", "How large it is."),
    ("CL_THING_SIZE_KHR|provided by the cl_khr_things extension.", "cl_uint[]", "How large it must be."),
)
FLAGS = (("CL_THING_RED", "Red and CL_THING_BLUE are one."), ("CL_THING_BLUE", "CL_THING_RED and CL_THING_BLUE are mutually exclusive."))  # noqa: E501  # fmt: skip


def create_whole_document(*order: int) -> str:
    """Return a document with conditions, a query table (with its columns in this order) and a table of flags."""
    columns = order or (0, 1, 2)
    rows = [tuple(row[index] for index in columns) for row in ROWS]
    return html_page(
        function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(A, B)),
        function_block(
            "clGetThingInfo",
            QUERY,
            html_table("Table 7. Names for clGetThingInfo", tuple(HEADER[index] for index in columns), *rows),
            paragraph("clGetThingInfo returns CL_SUCCESS if it worked. Otherwise, one of these errors:"),
            bullets("CL_INVALID_VALUE if param_name is unknown."),
        ),
        html_table("Table 8. Flags", ("Memory Flags", "Description"), *FLAGS),
    )


def test_document_with_all_kinds_of_content_yields_the_expected_ids(tmp_path: Path) -> None:
    ids = {
        requirement.id
        for requirement in extract_documents(
            write_folder(tmp_path, create_whole_document()), tmp_path / "nothing"
        ).requirements
    }
    assert {"CL_THING_SIZE", "CL_THING_SIZE_KHR", "cl_mem_flags:CL_THING_RED", "clCreateThing/CL_INVALID_VALUE/1",
            "clGetThingInfo/CL_INVALID_VALUE/1"} <= ids  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        (r"4\.1\. ", "4.7. "),
        (r"\b4\. The", "5. The"),
        (r'id="(\w+)"', r'id="other_\1"'),
        (r"Table (\d)\.", r"Table 2\1."),
        (r"Names for ", "All the names of "),
        (r"<(/?)h3", r"<\1h4"),
        (r"(<p>|<li>|<td>)", r"\n  \1\n  "),
        (r"CL_INVALID_", "CL_INVALID_<wbr>\u200b"),
        (r"(CL_\w+)( if)", r"<a href='#x'><code>\1</code></a>\2"),
    ],
)
def test_changed_numbers_anchors_or_markup_are_not_a_change(tmp_path: Path, pattern: str, instead: str) -> None:
    again = re.sub(pattern, instead, create_whole_document())
    assert again != create_whole_document()
    assert find_changes(tmp_path, create_whole_document(), again) == []


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1), (2, 0, 1)])
def test_changed_column_order_is_not_a_change(tmp_path: Path, order: tuple[int, ...]) -> None:
    assert find_changes(tmp_path, create_whole_document(), create_whole_document(*order)) == []


def test_changed_function_order_is_not_a_change(tmp_path: Path) -> None:
    blocks = [function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(A, B)),
              function_block("clGetThingInfo", QUERY, bullets("CL_INVALID_VALUE if param_name is x."))]  # fmt: skip
    assert find_changes(tmp_path, html_page(*blocks), html_page(*reversed(blocks))) == []


def test_added_function_is_reported(tmp_path: Path) -> None:
    one = function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(A, B))
    code = "cl_int clPaintThing(cl_thing thing);"
    more = function_block("clPaintThing", code, bullets("CL_INVALID_VALUE if thing is dry."))
    assert find_changes(tmp_path, html_page(one), html_page(more, one)) == [
        "added: clPaintThing",
        "added: clPaintThing/CL_INVALID_VALUE/1",
        "added: clPaintThing/success",
    ]


def test_condition_with_an_added_list_is_reworded(tmp_path: Path) -> None:
    found = find_changes(tmp_path, create_document(A, B), create_document(A, B + "|" + bullets("or if it rains.")))
    assert found == ["reworded: clCreateThing/CL_INVALID_VALUE/1"]


def test_removed_flag_and_exclusions_are_reported(tmp_path: Path) -> None:
    row = re.search(r"<tr><td><p>CL_THING_BLUE.*?</tr>", create_whole_document())
    assert row is not None
    assert "removed: cl_mem_flags:CL_THING_BLUE" in find_changes(
        tmp_path, create_whole_document(), create_whole_document().replace(row[0], "")
    )
