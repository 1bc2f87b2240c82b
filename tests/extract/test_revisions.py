"""Two revisions of a document: clauses added, removed, reworded, moved, and put under another gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.tools.extract import compare_folders

from .documents import bullets, function, page, paragraph, write_folder

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
    return compare_folders(*folders, known=tmp_path / "nothing").lines()


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


def test_a_section_renamed(tmp_path: Path) -> None:
    found = changes(tmp_path, document(A), document(A).replace("4.1. Things", "4.2. Many Things"))
    assert "moved: clCreateThing/CL_INVALID_CONTEXT/1" in found
    assert {line.partition(":")[0] for line in found} == {"moved"}


def test_another_gate(tmp_path: Path) -> None:
    old, new = (
        f"CL_INVALID_VALUE if x. This error code is missing before version {version}." for version in ("1.1", "1.2")
    )
    found = changes(tmp_path, document(old), document(new))
    assert found == ["reworded: clCreateThing/CL_INVALID_VALUE/1"]
