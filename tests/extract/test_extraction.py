"""The extraction end to end: written, loaded, checked; what changes between two revisions; what is not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.loading import read
from clconform.spec_tables.records import ErrorClause
from clconform.tools.extract import ExtractError, check, extract, write
from clconform.tools.extract.wording import digest

from .documents import bullets, function, page, paragraph, table, write_folder

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPE = """cl_thing clCreateThing(cl_context context, const cl_uint* sizes,
    void (CL_CALLBACK* pfn_notify)(cl_thing thing, void* user_data), cl_int* errcode_ret);"""
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"


def document(*clauses: str) -> str:
    return page(function("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(*clauses)))


OLD = document("CL_INVALID_CONTEXT if context is not a valid context.", "CL_INVALID_VALUE if sizes is NULL.")
NEW = document("CL_INVALID_VALUE if a size in sizes is 0.", "CL_INVALID_VALUE if sizes is NULL.")


def test_written_tables_can_be_loaded(tmp_path: Path) -> None:
    result = extract(write_folder(tmp_path / "documents", OLD), tmp_path / "tables")
    write(result, tmp_path / "tables")
    (tmp_path / "tables" / "errata.json").write_text("[]")
    tables = read(tmp_path / "tables")
    assert [clause.id for clause in tables.clauses_of("clCreateThing")] == [
        "clCreateThing/CL_INVALID_CONTEXT/1",
        "clCreateThing/CL_INVALID_VALUE/1",
    ]
    assert "clCreateThing/success" in tables.records
    assert tables.documents["OpenCL"].revision == "9.8.7"


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    documents = write_folder(tmp_path / "documents", OLD)
    write(extract(documents, tmp_path / "tables"), tmp_path / "tables")
    again = extract(documents, tmp_path / "tables")
    assert [line for line in check(again, tmp_path / "tables") if not line.startswith("un")] == []


def test_ids_survive_a_new_revision(tmp_path: Path) -> None:
    write(extract(write_folder(tmp_path / "old", OLD), tmp_path / "tables"), tmp_path / "tables")
    result = extract(write_folder(tmp_path / "new", NEW), tmp_path / "tables")
    numbers = {record.digest: record.id for record in result.records if isinstance(record, ErrorClause)}
    before = {record.digest: record.id for record in read_records(tmp_path / "old", tmp_path)}
    shared = numbers.keys() & before.keys()
    assert shared
    assert all(numbers[digest] == before[digest] for digest in shared)
    assert "clCreateThing/CL_INVALID_VALUE/2" in numbers.values()


def read_records(documents: Path, tmp_path: Path) -> list[ErrorClause]:
    result = extract(documents, tmp_path / "tables")
    return [record for record in result.records if isinstance(record, ErrorClause)]


def test_check_explains_what_differs(tmp_path: Path) -> None:
    write(extract(write_folder(tmp_path / "old", OLD), tmp_path / "tables"), tmp_path / "tables")
    differences = check(extract(write_folder(tmp_path / "new", NEW), tmp_path / "tables"), tmp_path / "tables")
    assert "clauses.json: clCreateThing/CL_INVALID_CONTEXT/1: in the committed tables only" in differences
    assert "clauses.json: clCreateThing/CL_INVALID_VALUE/2: in the documents only" in differences


def test_an_item_that_is_no_clause_fails_the_check(tmp_path: Path) -> None:
    html = document("CL_INVALID_CONTEXT if context is not a valid context.", "Or something else.")
    result = extract(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert any("clCreateThing" in text for text in result.unparsed)


def test_a_prototype_that_differs_from_the_registry_is_told(tmp_path: Path) -> None:
    html = OLD.replace("const cl_uint* sizes", "cl_uint* lengths")
    result = extract(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert "clCreateThing: parameter lengths, in the registry sizes" in result.differences


@pytest.mark.parametrize("missing", ["OpenCL_API-9.8.7.html", "cl-9.8.7.xml"])
def test_a_missing_document_is_one_line(tmp_path: Path, missing: str) -> None:
    documents = write_folder(tmp_path / "documents", OLD)
    (documents / missing).unlink()
    with pytest.raises(ExtractError, match="registry") as caught:
        extract(documents, tmp_path / "tables")
    assert "\n" not in str(caught.value)


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ExtractError, match="no such folder"):
        extract(tmp_path / "nowhere")


def test_a_code_that_the_registry_lacks_fails_the_check(tmp_path: Path) -> None:
    html = document("CL_INVALID_NOVELTY if sizes is NULL.")
    result = extract(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert any("CL_INVALID_NOVELTY is not an error code" in text for text in result.unparsed)


def test_a_table_that_nobody_reads_fails_the_check(tmp_path: Path) -> None:
    strange = table("Table 3. Weather", ("Colour", "Meaning"), ("grey", "rain")) + table(
        "", ("Wind", "Use"), ("a", "b")
    )
    result = extract(write_folder(tmp_path / "documents", page(strange)), tmp_path / "tables")
    (captioned, bare) = (text for text in result.unparsed if "unread table" in text)
    assert "Weather" in captioned
    assert "Use, Wind" in bare


def test_a_table_with_a_reason_is_left_alone_whatever_its_number(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "unread.json").write_text(f'{{"{digest("Weather")}": "it changes"}}')
    html = page(table("Table 31. Weather", ("Colour", "Meaning"), ("grey", "rain")))
    result = extract(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert [text for text in result.unparsed if "unread table" in text] == []


def test_a_row_that_lacks_a_cell_fails_the_check(tmp_path: Path) -> None:
    html = page(table("Table 3. Flags", ("Memory Flags", "Description"), ("CL_THING_RED", "red"), ("CL_THING_SIZE",)))
    result = extract(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert len([text for text in result.unparsed if "lacks a cell" in text]) == 1
    assert "cl_mem_flags:CL_THING_RED" in {record.id for record in result.records}
