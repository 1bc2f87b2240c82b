"""Two revisions of a document: conditions that are added, removed, reworded, moved, or restricted differently."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ErrorCondition
from clconform.tools.extract import compare_folders, extract_documents, write_tables

from .documents import bullets, function, page, paragraph, table, write_folder

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPE = """cl_thing clCreateThing(cl_context context, const cl_uint* sizes,
    void (CL_CALLBACK* pfn_notify)(cl_thing thing, void* user_data), cl_int* errcode_ret);"""
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"
A = "CL_INVALID_CONTEXT if context is not a valid context."
B = "CL_INVALID_VALUE if sizes is NULL."
B_AGAIN = "CL_INVALID_VALUE if sizes happens to be NULL."
C = "CL_INVALID_VALUE if the moon is full."


def document(*clauses: str) -> str:
    return page(function("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(*clauses)))


def changes(tmp_path: Path, old: str, new: str) -> list[str]:
    folders = write_folder(tmp_path / "old", old), write_folder(tmp_path / "new", new)
    return compare_folders(*folders, known=tmp_path / "nothing")[0].to_lines()


def test_nothing_changes(tmp_path: Path) -> None:
    assert changes(tmp_path, document(A, B), document(A, B)) == []


def test_a_clause_added(tmp_path: Path) -> None:
    assert changes(tmp_path, document(A, B), document(A, C, B)) == ["added: clCreateThing/CL_INVALID_VALUE/2"]


def test_a_clause_removed(tmp_path: Path) -> None:
    assert changes(tmp_path, document(A, C, B), document(A, B)) == ["removed: clCreateThing/CL_INVALID_VALUE/1"]


def test_a_clause_reworded(tmp_path: Path) -> None:
    assert changes(tmp_path, document(A, B), document(A, B_AGAIN)) == ["reworded: clCreateThing/CL_INVALID_VALUE/1"]


def test_a_clause_moved_within_its_list(tmp_path: Path) -> None:
    assert changes(tmp_path, document(A, B, C), document(C, A, B)) == []


def test_a_clause_in_parts_is_offered_for_a_decision(tmp_path: Path) -> None:
    whole = f"{B.removesuffix('.')} or the moon is full."
    known, ids = tmp_path / "known", ["clCreateThing/CL_INVALID_VALUE/1"]
    write_tables(extract_documents(write_folder(tmp_path / "old", document(A, whole)), tmp_path / "nothing"), known)
    folder = write_folder(tmp_path / "new", document(A, B, C))
    result = extract_documents(folder, known)
    assert [name for name, _ in result.reworded_conditions()] == ids
    assert [(name, lost) for name, lost, _ in result.replacement_candidates(ids)] == [
        ("clCreateThing/CL_INVALID_VALUE/2", ids)
    ]
    digests = [
        record.digest for record in result.requirements if record.id.startswith("clCreateThing/CL_INVALID_VALUE/")
    ]
    (known / "rewordings.json").write_text(json.dumps({ids[0]: {key: {"verdict": "part"} for key in digests}}))
    again = extract_documents(folder, known)
    parts = [r for r in again.requirements if isinstance(r, ErrorCondition) and r.part_of]
    assert [(part.id, part.part_of, part.reworded) for part in parts] == [
        (f"clCreateThing/CL_INVALID_VALUE/{number}", ids[0], False) for number in (2, 3)
    ]
    assert again.replacement_candidates(ids) == []


def test_a_clause_that_means_the_same_elsewhere_keeps_its_id(tmp_path: Path) -> None:
    known, name = tmp_path / "known", "clCreateThing/CL_INVALID_VALUE/1"
    write_tables(extract_documents(write_folder(tmp_path / "old", document(B, A)), tmp_path / "nothing"), known)
    folder = write_folder(tmp_path / "new", document(A, "CL_INVALID_VALUE if context is odd and sizes is NULL."))
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


def test_a_section_renamed(tmp_path: Path) -> None:
    found = changes(tmp_path, document(A), document(A).replace("4.1. Things", "4.2. Many Things"))
    assert "moved: clCreateThing/CL_INVALID_CONTEXT/1" in found
    assert {line.partition(":")[0] for line in found} == {"moved"}


def test_another_gate(tmp_path: Path) -> None:
    old, new = (
        f"CL_INVALID_VALUE if x. This error code is missing before version {version}." for version in ("1.1", "1.2")
    )
    found = changes(tmp_path, document(old), document(new))
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


def whole(*order: int) -> str:
    """Return a document with conditions, a query table (its columns in any order) and a table of flags."""
    columns = order or (0, 1, 2)
    rows = [tuple(row[index] for index in columns) for row in ROWS]
    return page(
        function("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(A, B)),
        function(
            "clGetThingInfo",
            QUERY,
            table("Table 7. Names for clGetThingInfo", tuple(HEADER[index] for index in columns), *rows),
            paragraph("clGetThingInfo returns CL_SUCCESS if it worked. Otherwise, one of these errors:"),
            bullets("CL_INVALID_VALUE if param_name is unknown."),
        ),
        table("Table 8. Flags", ("Memory Flags", "Description"), *FLAGS),
    )


def test_the_whole_document_is_read(tmp_path: Path) -> None:
    ids = {
        record.id for record in extract_documents(write_folder(tmp_path, whole()), tmp_path / "nothing").requirements
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
def test_what_only_looks_otherwise_is_no_change(tmp_path: Path, pattern: str, instead: str) -> None:
    again = re.sub(pattern, instead, whole())
    assert again != whole()
    assert changes(tmp_path, whole(), again) == []


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1), (2, 0, 1)])
def test_columns_in_another_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    assert changes(tmp_path, whole(), whole(*order)) == []


def test_two_functions_change_places(tmp_path: Path) -> None:
    blocks = [function("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(A, B)),
              function("clGetThingInfo", QUERY, bullets("CL_INVALID_VALUE if param_name is unknown."))]  # fmt: skip
    assert changes(tmp_path, page(*blocks), page(*reversed(blocks))) == []


def test_a_function_more(tmp_path: Path) -> None:
    one = function("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(A, B))
    code = "cl_int clPaintThing(cl_thing thing);"
    more = function("clPaintThing", code, bullets("CL_INVALID_VALUE if thing is dry."))
    assert changes(tmp_path, page(one), page(more, one)) == [
        "added: clPaintThing",
        "added: clPaintThing/CL_INVALID_VALUE/1",
        "added: clPaintThing/success",
    ]


def test_a_clause_goes_on_in_a_list_of_its_own(tmp_path: Path) -> None:
    found = changes(tmp_path, document(A, B), document(A, B + "|" + bullets("or if it rains.")))
    assert found == ["reworded: clCreateThing/CL_INVALID_VALUE/1"]


def test_a_flag_and_its_exclusions_are_gone(tmp_path: Path) -> None:
    row = re.search(r"<tr><td><p>CL_THING_BLUE.*?</tr>", whole())
    assert row is not None
    assert "removed: cl_mem_flags:CL_THING_BLUE" in changes(tmp_path, whole(), whole().replace(row[0], ""))
