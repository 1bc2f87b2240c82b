"""Truncated, missing, foreign, hostile or mismatched documents: the command prints one line and writes no files."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.spec_tables import loading
from clconform.tools.cli import cli
from clconform.tools.extract import ExtractError, extract_documents, write_tables
from clconform.tools.extract.safe_reading import MAX_BYTES

from ..copied_words import DOCUMENTS, needs_documents  # noqa: TID252 (tests are no part of the installed package)
from .documents import (
    EXTENSION,
    REGISTRY,
    TAIL,
    bullets,
    function_block,
    html_page,
    html_table,
    paragraph,
    write_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN_FILE, REGISTRY_FILE, EXTENSION_FILE = "OpenCL_API-9.8.7.html", "cl-9.8.7.xml", "002_extension.txt"
PROTOTYPE = "cl_thing clCreateThing(cl_context context, const cl_uint* sizes, cl_int* errcode_ret);"
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"
HTML = html_page(
    function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets("CL_INVALID_VALUE if sizes is NULL."))
)
NOTE = """Linked allocations

A SYCL object has one allocation command for each colour. Two of them are linked if both are green.

USE_HOST_PTR is taken where there is host unified memory.
"""
EXTENSION_HTML = html_page(function_block("clPaint", "cl_int clPaint(cl_uint colour);")).replace(
    "The OpenCL Test Document", "cl_khr_paint"
)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Return a folder with one valid document of each kind."""
    folder = write_folder(tmp_path / "documents", HTML)
    (folder / "001_note.txt").write_text(NOTE, encoding="utf-8")
    (folder / "cl_khr_paint.html").write_text(EXTENSION_HTML, encoding="utf-8")
    return folder


def extract_error(folder: Path, *expected: str, **options: bool) -> str:
    """Return the error message of an extraction; it must contain the expected words."""
    with pytest.raises(ExtractError) as caught:
        extract_documents(folder, folder / "nothing", **options)
    line = str(caught.value)
    assert line.isprintable(), line
    assert all(word in line for word in expected), line
    assert "Error" not in line, line
    return line


def replace_text(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_valid_documents_are_extracted(documents: Path) -> None:
    keys = [document.key for document in extract_documents(documents, documents / "nothing").documents]
    assert keys == ["OpenCL", "cl_khr_paint", "cl_ext_device_fission", "linked-allocations", "registry"]


def test_extract_command_refuses_truncated_document_and_writes_nothing(documents: Path, tmp_path: Path) -> None:
    (documents / MAIN_FILE).write_text(HTML.removesuffix(TAIL), encoding="utf-8")
    before = {path: path.read_bytes() for path in documents.iterdir()}
    given = ["dev", "extract", "--documents", str(documents), "--out", str(tmp_path / "tables")]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == exit_codes.BAD_USAGE
    (line,) = result.stderr.splitlines()
    assert MAIN_FILE in line
    assert "is cut off" in line
    assert not (tmp_path / "tables").exists()
    assert {path: path.read_bytes() for path in documents.iterdir()} == before


@pytest.mark.parametrize("percent", [50, 75, 90, 99])
@pytest.mark.parametrize("name", [MAIN_FILE, REGISTRY_FILE, "cl_khr_paint.html"])
def test_truncated_document_is_refused(documents: Path, name: str, percent: int) -> None:
    content = (documents / name).read_bytes()
    (documents / name).write_bytes(content[: len(content) * percent // 100])
    extract_error(documents, name, "is cut off", "fetch it again")


def test_comment_after_the_html_end_tag_is_ignored(documents: Path) -> None:
    replace_text(documents / MAIN_FILE, "</body></html>", "</BODY></HTML>\n<!-- kept by somebody -->\n")
    assert extract_documents(documents, documents / "nothing").functions


@pytest.mark.parametrize(
    ("name", "said"), [(MAIN_FILE, "OpenCL_API*.html"), (REGISTRY_FILE, "registry (cl.xml or cl-VERSION.xml)")]
)
def test_missing_required_document_is_refused(documents: Path, name: str, said: str) -> None:
    (documents / name).unlink()
    extract_error(documents, str(documents), said, "published on")


def test_file_instead_of_folder_is_refused(documents: Path) -> None:
    with pytest.raises(ExtractError, match=f"{MAIN_FILE}: is not a folder; give the folder"):
        extract_documents(documents / MAIN_FILE)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (EXTENSION_FILE, "cl_ext_device_fission"),
        ("001_note.txt", "linked-allocations"),
        ("cl_khr_paint.html", "cl_khr_paint"),
    ],
)
def test_missing_document_whose_requirements_are_in_tables_is_refused(
    documents: Path, tmp_path: Path, name: str, key: str
) -> None:
    tables = tmp_path / "tables"
    write_tables(extract_documents(documents, tables), tables)
    assert extract_documents(documents, tables, allow_missing=False).documents
    (documents / name).unlink()
    assert key not in {document.key for document in extract_documents(documents, tables).documents}
    assert extract_documents(documents, tmp_path / "nothing", allow_missing=False).documents
    with pytest.raises(ExtractError, match=key) as caught:
        extract_documents(documents, tables, allow_missing=False)
    assert str(tables) in str(caught.value)
    assert "--out" in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "begins with a UTF-16 byte order mark"),
        ("utf-32", "begins with a UTF-32 byte order mark"),
        ("utf-16-le", "a zero byte, as in UTF-16"),
        ("cp1252", "byte 0xe9 at offset"),
    ],
)
@pytest.mark.parametrize("name", [MAIN_FILE, REGISTRY_FILE, EXTENSION_FILE, "001_note.txt", "cl_khr_paint.html"])
def test_document_not_in_utf8_is_refused(documents: Path, name: str, encoding: str, said: str) -> None:
    text = (documents / name).read_text(encoding="utf-8").replace("e", "é", 1)
    (documents / name).write_text(text, encoding=encoding)
    extract_error(documents, name, "is not UTF-8 text", said)


def test_utf8_byte_order_mark_is_accepted(documents: Path) -> None:
    before = extract_documents(documents, documents / "nothing")
    for path in documents.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    after = extract_documents(documents, documents / "nothing")
    assert (after.requirements, after.functions, after.unparsed) == (
        before.requirements,
        before.functions,
        before.unparsed,
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            MAIN_FILE,
            HTML.replace("OpenCL", "Weather"),
            "is not the OpenCL API specification (its title is 'The Weather",
        ),
        (MAIN_FILE, "<html><body><p>Sun.</p></body></html>", "is not the OpenCL API specification (its title is ''"),
        (MAIN_FILE, "<!-- --></html>", "is not HTML"),
        (MAIN_FILE, "", "is empty"),
        (REGISTRY_FILE, " \n", "is empty"),
        (REGISTRY_FILE, "<weather/>", "not an OpenCL registry (its root is 'weather')"),
        (
            REGISTRY_FILE,
            REGISTRY.replace("<name>cl", "<name>gl"),
            "not an OpenCL registry (it has no functions of OpenCL)",
        ),
        (REGISTRY_FILE, REGISTRY.replace('name="CL_LAST"', 'name="("'), "a name that C cannot have, '('"),
        (REGISTRY_FILE, "Sun and rain.", "not XML"),
        (
            "cl_khr_weather.html",
            f"{HTML}\n",
            "is not an extension's specification (its title is 'The OpenCL Test Document'",
        ),
        ("weather.txt", "Sun\n\nRain will fall.\n", "not recognised"),
        ("README.txt", "These are documents about SYCL.", "not recognised"),
        ("weather.txt", EXTENSION.replace("device_fission", "a cl_b"), "not a single extension"),
        ("weather.txt", "", "is empty"),
    ],
)
def test_file_with_document_name_but_other_content_is_refused(
    documents: Path, name: str, content: str, said: str
) -> None:
    (documents / name).write_text(content, encoding="utf-8")
    extract_error(documents, name, said)


@pytest.mark.parametrize("name", [MAIN_FILE, REGISTRY_FILE, "picture.txt", "cl_khr_paint.html"])
def test_binary_file_with_document_name_is_refused(documents: Path, name: str) -> None:
    (documents / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    extract_error(documents, name, "is not UTF-8 text")


def test_files_without_document_names_are_ignored(documents: Path) -> None:
    (documents / "README").write_text("Sun and rain.")
    (documents / ".weather.txt").write_text("Sun and rain.")
    (documents / "picture.pdf").write_bytes(b"\0")
    (documents / "gl.xml").write_text("<weather/>")
    (documents / "index.html").write_text("")
    (documents / "below").mkdir()
    (documents / "a\nb.md").write_text("")
    assert (
        extract_documents(documents, documents / "nothing").unparsed
        == extract_documents(documents, documents / "nothing").unparsed
    )


MANY = [f"clUse{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]


def write_many_functions(folder: Path, in_html: list[str], in_registry: list[str], extension: str = "") -> Path:
    """Write a document and a registry of many functions. The file names carry no versions."""
    folder.mkdir()
    html = html_page(*(function_block(name, f"cl_int {name}(cl_uint colour);") for name in in_html))
    (folder / "OpenCL_API.html").write_text(html, encoding="utf-8")
    commands = "".join(
        f"<command><proto><type>cl_int</type> <name>{name}</name></proto>"
        "<param><type>cl_uint</type> <name>colour</name></param></command>"
        for name in in_registry
    )
    required = "".join(f'<command name="{name}"/>' for name in in_registry)
    latest = f'<feature api="opencl" name="CL_VERSION_9_8" number="9.8"><require>{required}</require></feature>'
    text = REGISTRY.replace("cl_khr_things", extension) if extension else re.sub(r"<extension .*>\n", "", REGISTRY)
    text = text.replace("</commands>", f"{commands}</commands>{latest}")
    (folder / "cl.xml").write_text(text, encoding="utf-8")
    return folder


def test_registry_of_same_revision_is_accepted(tmp_path: Path) -> None:
    assert extract_documents(write_many_functions(tmp_path / "same", MANY, MANY), tmp_path).functions
    assert extract_documents(write_many_functions(tmp_path / "nearly", MANY[2:], MANY[:-1]), tmp_path).functions


@pytest.mark.parametrize(("html", "registry", "said"), [(MANY, MANY[4:], "clUseA"), (MANY[4:], MANY, "clUseA")])
def test_registry_of_other_revision_is_refused(tmp_path: Path, html: list[str], registry: list[str], said: str) -> None:
    line = extract_error(
        write_many_functions(tmp_path / "both", html, registry), "OpenCL_API.html: is revision 9.8.7", "cl.xml", said
    )
    assert "up to OpenCL 9.8" in line
    assert "and 2 more" in line


def test_document_without_functions_of_the_registry_is_refused(tmp_path: Path) -> None:
    folder = write_many_functions(tmp_path / "both", [], MANY)
    extract_error(folder, "OpenCL_API.html", "has none of the functions in cl.xml")


def test_registry_file_name_of_other_revision_is_refused(documents: Path) -> None:
    (documents / REGISTRY_FILE).rename(documents / "cl-9.8.6.xml")
    extract_error(documents, f"{MAIN_FILE}: is revision 9.8.7, and cl-9.8.6.xml is revision 9.8.6")


def test_two_files_of_one_kind_of_document_are_refused(documents: Path) -> None:
    for version in ("9.8.10", "9.8.2"):
        shutil.copy(documents / MAIN_FILE, documents / f"OpenCL_API-{version}.html")
    extract_error(documents, "OpenCL_API-9.8.2.html, OpenCL_API-9.8.7.html, OpenCL_API-9.8.10.html; keep one of them")
    for path in documents.glob("OpenCL_API-9.8.[12]*"):
        path.unlink()
    shutil.copy(documents / REGISTRY_FILE, documents / "cl.xml")
    extract_error(documents, "more than one registry", "cl.xml, cl-9.8.7.xml; keep one of them")


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


def make_device_link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the whole path can be too long for a socket
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(before)


@pytest.mark.parametrize("name", [MAIN_FILE, REGISTRY_FILE, EXTENSION_FILE, "cl_khr_paint.html"])
@pytest.mark.parametrize(
    ("make", "said"),
    [(make_pipe, "named pipe"), (make_folder, "folder"), (make_device_link, "device"), (make_socket, "socket")],
)
def test_special_file_with_document_name_is_refused(
    documents: Path, name: str, make: Callable[[Path], None], said: str
) -> None:
    (documents / name).unlink()
    make(documents / name)
    extract_error(documents, name, f"is a {said}, not a file")


@pytest.mark.parametrize("name", [MAIN_FILE, REGISTRY_FILE, EXTENSION_FILE, "cl_khr_paint.html"])
def test_huge_file_is_refused_by_size(documents: Path, name: str) -> None:
    os.truncate(documents / name, 50 * MAX_BYTES)
    extract_error(documents, name, "has 450 MiB", "the limit is 9 MiB")


def test_documents_of_huge_total_size_are_refused(documents: Path) -> None:
    for index in range(3):
        path = documents / f"cl_khr_{index}.html"
        path.touch()
        os.truncate(path, MAX_BYTES // 2 - index)
    extract_error(documents, str(documents), "MiB together", "cl_khr_0.html alone 4.5 MiB")


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("<i>" * 600_000, r"6000\d\d tags"),
        ("<p>Red.</p>" * 60_000, r"6000\d paragraphs"),
        ("<h3>Red</h3>" * 5_000, r"500\d headings"),
        (paragraph("red " * 5_001), "20003 characters"),
        (html_table("Table 1. Red", ("A", "B"), ("red", "red " * 5_001)), "20003 characters"),
        ("<div>" * 300, "cannot be read to its end"),
        ('<table><tr><td colspan="999999999">red</td></tr></table>', "colspan=999999999"),
        ('<table><tr><td rowspan="red">red</td></tr></table>', "rowspan=red"),
    ],
)
def test_document_with_too_many_or_too_long_elements_is_refused(documents: Path, added: str, said: str) -> None:
    replace_text(documents / MAIN_FILE, TAIL, added + TAIL)
    with pytest.raises(ExtractError, match=f"{MAIN_FILE}: .*{said}") as caught:
        extract_documents(documents, documents / "nothing")
    assert str(caught.value).isprintable()


def test_duplicate_document_is_refused(documents: Path) -> None:
    shutil.copy(documents / EXTENSION_FILE, documents / "005.txt")
    extract_error(documents, "005.txt: is the same as 002_extension.txt")
    (documents / "005.txt").write_text(EXTENSION + "\n")
    extract_error(documents, "005.txt: contains cl_ext_device_fission, as 002_extension.txt does")


def test_function_in_two_documents_is_refused(documents: Path) -> None:
    text = EXTENSION.replace("cl_ext_device_fission", "cl_ext_device_fusion")
    (documents / "005.txt").write_text(text, encoding="utf-8")
    extract_error(documents, "005.txt: declares clCutDeviceEXT, as the document cl_ext_device_fission")


def test_reference_to_undeclared_function_is_refused(documents: Path) -> None:
    replace_text(documents / EXTENSION_FILE, "be returned by clCutDeviceEXT", "be returned by clPasteDeviceEXT")
    extract_error(documents, f"{EXTENSION_FILE}: refers to 'clPasteDeviceEXT'")


@pytest.mark.parametrize("target", ["nowhere", MAIN_FILE])
def test_symbolic_link_without_target_is_refused(documents: Path, target: str) -> None:
    (documents / MAIN_FILE).unlink()
    (documents / MAIN_FILE).symlink_to(target)
    extract_error(documents, MAIN_FILE, "is a broken link")


def test_symbolic_link_to_document_is_followed(documents: Path, tmp_path: Path) -> None:
    (documents / MAIN_FILE).rename(tmp_path / "elsewhere")
    (documents / MAIN_FILE).symlink_to(tmp_path / "elsewhere")
    assert extract_documents(documents, documents / "nothing").functions


def test_unreadable_file_is_refused(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", denied)
    extract_error(documents, "cannot be read (Permission denied)")


@pytest.mark.parametrize("name", [b"a\nb.txt", b"a\xff.txt", b"cl-\x1b[31m.xml"])
def test_unprintable_file_name_is_refused(documents: Path, name: bytes) -> None:
    if name.endswith(b"xml"):
        (documents / REGISTRY_FILE).unlink()
    (documents / os.fsdecode(name)).write_text("Red.")
    extract_error(documents, "the name contains characters that cannot be printed")


def test_unprintable_folder_name_is_refused(tmp_path: Path) -> None:
    extract_error(tmp_path / "a\nb\udcff", r"a\nb\udcff: no such folder")


NESTED_ENTITIES = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "declared",
    [
        f'<!DOCTYPE registry [<!ENTITY a "ha">{NESTED_ENTITIES}]>',
        '<!DOCTYPE registry [<!ENTITY i SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_registry_with_entities_is_refused(documents: Path, declared: str) -> None:
    replace_text(documents / REGISTRY_FILE, "<registry>", f"{declared}<registry><comment>&i;</comment>")
    extract_error(documents, REGISTRY_FILE, "declares a document type")


def test_registry_with_undeclared_entity_is_refused(documents: Path) -> None:
    replace_text(documents / REGISTRY_FILE, "<registry>", "<registry>&red;")
    extract_error(documents, REGISTRY_FILE, "Entity 'red' not defined")


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('bitpos="3"', 'bitpos="99999999999"', "CL_THING_RED"),
        ('bitpos="3"', 'bitpos="red"', "CL_THING_RED"),
        ('value="0x1000"', 'value="1 &lt;&lt; 99999999999"', "CL_THING_SIZE"),
        ('value="0x1000"', f'value="{"9" * 5000}"', "CL_THING_SIZE"),
        ('value="64"', 'value="1 &lt;&lt; 64"', "CL_LABEL_SIZE"),
        ('value="64"', 'value="064"', "CL_LABEL_SIZE"),
    ],
)
def test_registry_value_beyond_64_bits_is_reported_as_unread(documents: Path, old: str, new: str, name: str) -> None:
    replace_text(documents / REGISTRY_FILE, old, new)
    unparsed = extract_documents(documents, documents / "nothing").unparsed
    assert f"{REGISTRY_FILE}: {name} has a value that is not an integer" in unparsed


def test_type_defined_by_itself_is_opaque(documents: Path) -> None:
    replace_text(
        documents / REGISTRY_FILE,
        "<type>cl_ulong</type> <name>cl_bitfield",
        "<type>cl_bitfield</type> <name>cl_bitfield",
    )
    types = {entry.name: entry.kind for entry in extract_documents(documents, documents / "nothing").types}
    assert types["cl_bitfield"] == "opaque"


def test_extension_token_beyond_64_bits_is_reported_as_unread(documents: Path) -> None:
    replace_text(documents / EXTENSION_FILE, "0x4050", "(1 << 99999999999)")
    unparsed = extract_documents(documents, documents / "nothing").unparsed
    assert any("CL_CUT_IN_HALF_EXT" in text for text in unparsed)


@pytest.mark.parametrize("below", ["", "below"])
def test_extract_command_refuses_output_path_that_is_a_file(documents: Path, tmp_path: Path, below: str) -> None:
    (tmp_path / "out").write_text("red")
    given = ["dev", "extract", "--documents", str(documents), "--out", str(tmp_path / "out" / below), "--force"]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == exit_codes.BAD_USAGE
    (line,) = result.stderr.splitlines()
    assert "cannot write" in line
    assert (tmp_path / "out").read_text() == "red"


@pytest.fixture
def real_documents(tmp_path: Path) -> Path:
    """Return a folder of links to the real documents. A test replaces some of them."""
    folder = tmp_path / "real"
    folder.mkdir()
    for path in DOCUMENTS.iterdir():
        (folder / path.name).symlink_to(path)
    return folder


def single_match(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def replace_file(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


@needs_documents
@pytest.mark.parametrize("percent", [50, 99])
@pytest.mark.parametrize("pattern", ["OpenCL_API*.html", "cl*.xml", "cl_*.html"])
def test_truncated_real_document_is_refused(real_documents: Path, pattern: str, percent: int) -> None:
    path = single_match(real_documents, pattern)
    content = path.read_bytes()
    replace_file(path, content[: len(content) * percent // 100])
    extract_error(real_documents, path.name, "is cut off")


@needs_documents
def test_missing_real_document_is_refused(real_documents: Path) -> None:
    single_match(real_documents, "cl_*.html").unlink()
    with pytest.raises(ExtractError, match="no file contains cl_intel_unified_shared_memory, so the tables in"):
        extract_documents(real_documents, loading.DATA, allow_missing=False)


@needs_documents
def test_older_real_registry_is_refused(real_documents: Path) -> None:
    path = single_match(real_documents, "cl*.xml")
    replace_file(path, re.sub(rb'<enum [^>]*name="CL_DEVICE_SVM_\w+"[^>]*>', b"", path.read_bytes()))
    path.rename(real_documents / "cl.xml")
    extract_error(
        real_documents, "is revision", "cl.xml is of another one", "only the document has CL_DEVICE_SVM_ATOMICS"
    )


@needs_documents
def test_newer_real_registry_is_refused(real_documents: Path) -> None:
    path = single_match(real_documents, "cl*.xml")
    head, end, tail = path.read_bytes().rpartition(b"</feature>")
    added = b"".join(b'<command name="clUse%d"/>' % index for index in range(4))
    replace_file(path, b"".join((head, b"<require>", added, b"</require>", end, tail)))
    path.rename(real_documents / "cl.xml")
    extract_error(
        real_documents, "is revision", "cl.xml is of another one", "only the registry clUse0, clUse1 and 2 more"
    )


@needs_documents
def test_oversized_real_document_is_refused(real_documents: Path) -> None:
    path = single_match(real_documents, "OpenCL_API*.html")
    content = path.read_bytes()
    middle = len(content) // 2
    replace_file(path, content[:middle] + content * 9 + content[middle:])
    extract_error(real_documents, path.name, "the limit is")
