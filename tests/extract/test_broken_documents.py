"""Broken, foreign and hostile documents: one clear line each, nothing written, nothing waited for."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.runner.gate import exit_codes
from clconform.tools.cli import cli
from clconform.tools.extract import ExtractError, extract
from clconform.tools.extract.reading import LARGEST

from ..copied_words import DOCUMENTS, needs_documents  # noqa: TID252 (tests are no part of the installed package)
from .documents import REGISTRY, bullets, function, page, paragraph, write_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROTOTYPE = "cl_int clUseThing(cl_uint count, cl_context context);"
FINE = page(function("clUseThing", PROTOTYPE, paragraph("It may fail:"), bullets("CL_INVALID_VALUE if count is red.")))
MAIN, XML = "OpenCL_API.html", "cl.xml"


def folder_of(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "documents", FINE)


def main_of(folder: Path) -> Path:
    return next(iter(folder.glob("OpenCL_API*.html")))


def registry_of(folder: Path) -> Path:
    return next(iter(folder.glob("cl*.xml")))


def refusal(folder: Path, tmp_path: Path) -> str:
    """Return the only line that the command prints; AssertionError if it reads the documents or writes anything."""
    tables = tmp_path / "tables"
    shown = CliRunner().invoke(cli, ["extract", "--documents", str(folder), "--out", str(tables)])
    assert shown.exit_code == exit_codes.BAD_USAGE, shown.output
    (line,) = shown.output.splitlines()
    assert not tables.exists()
    return line


def test_the_documents_of_these_tests_are_read(tmp_path: Path) -> None:
    assert extract(folder_of(tmp_path), tmp_path / "nothing").records


@pytest.mark.parametrize("part", [0.5, 0.75, 0.9, 0.99])
@pytest.mark.parametrize("find", [main_of, registry_of])
def test_what_is_cut_off(tmp_path: Path, part: float, find: Callable[[Path], Path]) -> None:
    folder = folder_of(tmp_path)
    content = find(folder).read_bytes()
    find(folder).write_bytes(content[: int(len(content) * part)])
    assert f"{find(folder)}: is cut off" in refusal(folder, tmp_path)


@pytest.mark.parametrize("find", [main_of, registry_of])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (FINE.encode("utf-16"), "UTF-16 byte order mark"),
        (FINE.encode("utf-16-le"), "zero byte"),
        (b"caf\xe9 </html>", "byte 0xe9 at offset 3"),
        (b"\0\1\2", "zero byte"),
    ],
)
def test_what_is_no_text(tmp_path: Path, find: Callable[[Path], Path], content: bytes, said: str) -> None:
    folder = folder_of(tmp_path)
    find(folder).write_bytes(content)
    line = refusal(folder, tmp_path)
    assert str(find(folder)) in line
    assert said in line


def test_a_byte_order_mark_of_utf_8_is_fine(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    main_of(folder).write_bytes(b"\xef\xbb\xbf" + FINE.encode())
    assert extract(folder, tmp_path / "nothing").records


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "OpenCL_API.html",
            "<html><body><h1>Cooking</h1><p>Salt.</p></body></html>",
            "is not the OpenCL API specification",
        ),
        (
            "cl_cooking.html",
            "<html><body><h1>Cooking</h1><p>Salt.</p></body></html>",
            "is no extension's specification",
        ),
        ("cl.xml", "<recipes/>", "is no OpenCL registry"),
        ("cl.xml", '<!DOCTYPE r [<!ENTITY a "aaaa">]><registry>&a;</registry>', "declares a document type"),
        ("notes.txt", "Buy milk.", "not recognised"),
    ],
)
def test_what_is_something_else(tmp_path: Path, name: str, content: str, said: str) -> None:
    folder = folder_of(tmp_path)
    for path in (main_of(folder), registry_of(folder)):
        if path.suffix == f".{name.rpartition('.')[2]}" and not name.startswith("cl_"):
            path.unlink()
    (folder / name).write_text(content)
    line = refusal(folder, tmp_path)
    assert name in line
    assert said in line


def test_files_of_other_kinds_are_left_alone(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "README.md").write_text("Read me.")
    (folder / "paper.pdf").write_bytes(b"%PDF\0")
    (folder / "more").mkdir()
    assert extract(folder, tmp_path / "nothing").records


@pytest.mark.parametrize(("find", "said"), [(main_of, "no OpenCL_API*.html"), (registry_of, "no registry")])
def test_what_is_not_there(tmp_path: Path, find: Callable[[Path], Path], said: str) -> None:
    folder = folder_of(tmp_path)
    find(folder).unlink()
    assert said in refusal(folder, tmp_path)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    assert "no such folder" in refusal(tmp_path / "nowhere", tmp_path)
    (tmp_path / "file").write_text("")
    assert "is no folder" in refusal(tmp_path / "file", tmp_path)


def test_several_revisions_are_told_in_their_order(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    registry_of(folder).unlink()
    for version in ("3.0.10", "3.0.2"):
        (folder / f"cl-{version}.xml").write_text(REGISTRY)
    assert "cl-3.0.2.xml, cl-3.0.10.xml; leave one of them" in refusal(folder, tmp_path)


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    for number, make in enumerate((os.mkfifo, os.mkdir)):
        folder = write_folder(tmp_path / str(number), FINE)
        main_of(folder).unlink()
        make(folder / MAIN)
        assert f"{folder / MAIN}: is a " in refusal(folder, tmp_path)


def test_a_link_to_nothing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "cl_gone.html").symlink_to(tmp_path / "gone")
    assert "cl_gone.html: is a link that leads to no file" in refusal(folder, tmp_path)


def test_what_is_too_large_is_refused_by_its_size(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with main_of(folder).open("r+b") as file:
        file.truncate(LARGEST + 1)
    assert "are not read" in refusal(folder, tmp_path)


def test_the_same_document_twice(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    texts = sorted(folder.glob("*.txt"))
    shutil.copy(texts[0], folder / "again.txt")
    assert "leave one of the two" in refusal(folder, tmp_path)


# with the documents themselves


@needs_documents
def test_a_registry_of_another_revision(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    shutil.copytree(DOCUMENTS, folder)
    registry = registry_of(folder)
    registry.chmod(0o600)
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace("CL_DEVICE_IL_VERSION", "CL_DEVICE_OTHER").replace("CL_MEM_IS", "CL_MEM_WAS"))
    folder.chmod(0o700)
    registry.rename(folder / "cl-9.9.9.xml")
    with pytest.raises(ExtractError, match=r"is revision 3\.0\.\d+, and cl-9\.9\.9\.xml is revision 9\.9\.9"):
        extract(folder)


@needs_documents
def test_tables_do_not_lose_a_document_unseen(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    shutil.copytree(DOCUMENTS, folder)
    folder.chmod(0o700)
    for path in folder.glob("cl_intel_unified_shared_memory*"):
        path.unlink()
    with pytest.raises(ExtractError, match="no file holds cl_intel_unified_shared_memory"):
        extract(folder, allow_missing=False)
