"""Documents that are truncated, missing, foreign, hostile or mismatched: one line each, without output."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.runner.gate import exit_codes
from clconform.spec_tables import loading
from clconform.tools.cli import cli
from clconform.tools.extract import ExtractError, extract_documents, write_tables
from clconform.tools.extract.safe_reading import MAX_BYTES

from ..copied_words import DOCUMENTS, needs_documents  # noqa: TID252 (tests are no part of the installed package)
from .documents import EXTENSION, REGISTRY, TAIL, bullets, function, page, paragraph, table, write_folder

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN, OWN, TEXT = "OpenCL_API-9.8.7.html", "cl-9.8.7.xml", "002_extension.txt"
PROTOTYPE = "cl_thing clCreateThing(cl_context context, const cl_uint* sizes, cl_int* errcode_ret);"
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"
HTML = page(function("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets("CL_INVALID_VALUE if sizes is NULL.")))
NOTE = """Linked allocations

A SYCL object has one allocation command for each colour. Two of them are linked if both are green.

USE_HOST_PTR is taken where there is host unified memory.
"""
OF_AN_EXTENSION = page(function("clPaint", "cl_int clPaint(cl_uint colour);")).replace(
    "The OpenCL Test Document", "cl_khr_paint"
)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Return a folder with one valid document of each kind."""
    folder = write_folder(tmp_path / "documents", HTML)
    (folder / "001_note.txt").write_text(NOTE, encoding="utf-8")
    (folder / "cl_khr_paint.html").write_text(OF_AN_EXTENSION, encoding="utf-8")
    return folder


def refused(folder: Path, *said: str, **how: bool) -> str:
    """Return the error message of an extraction; it must contain the expected words."""
    with pytest.raises(ExtractError) as caught:
        extract_documents(folder, folder / "nothing", **how)
    line = str(caught.value)
    assert line.isprintable(), line
    assert all(word in line for word in said), line
    assert "Error" not in line, line
    return line


def mend(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_sound_documents_are_read(documents: Path) -> None:
    keys = [document.key for document in extract_documents(documents, documents / "nothing").documents]
    assert keys == ["OpenCL", "cl_khr_paint", "cl_ext_device_fission", "linked-allocations", "registry"]


def test_the_command_prints_one_line_and_writes_nothing(documents: Path, tmp_path: Path) -> None:
    (documents / MAIN).write_text(HTML.removesuffix(TAIL), encoding="utf-8")
    before = {path: path.read_bytes() for path in documents.iterdir()}
    given = ["extract", "--documents", str(documents), "--out", str(tmp_path / "tables")]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == exit_codes.BAD_USAGE
    (line,) = result.stderr.splitlines()
    assert MAIN in line
    assert "is cut off" in line
    assert not (tmp_path / "tables").exists()
    assert {path: path.read_bytes() for path in documents.iterdir()} == before


@pytest.mark.parametrize("percent", [50, 75, 90, 99])
@pytest.mark.parametrize("name", [MAIN, OWN, "cl_khr_paint.html"])
def test_a_document_that_is_cut_off(documents: Path, name: str, percent: int) -> None:
    content = (documents / name).read_bytes()
    (documents / name).write_bytes(content[: len(content) * percent // 100])
    refused(documents, name, "is cut off", "fetch it again")


def test_what_comes_after_the_end_does_not_matter(documents: Path) -> None:
    mend(documents / MAIN, "</body></html>", "</BODY></HTML>\n<!-- kept by somebody -->\n")
    assert extract_documents(documents, documents / "nothing").functions


@pytest.mark.parametrize(("name", "said"), [(MAIN, "OpenCL_API*.html"), (OWN, "registry (cl.xml or cl-VERSION.xml)")])
def test_a_document_that_must_be_there(documents: Path, name: str, said: str) -> None:
    (documents / name).unlink()
    refused(documents, str(documents), said, "published on")


def test_a_file_instead_of_a_folder(documents: Path) -> None:
    with pytest.raises(ExtractError, match=f"{MAIN}: is not a folder; give the folder"):
        extract_documents(documents / MAIN)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (TEXT, "cl_ext_device_fission"),
        ("001_note.txt", "linked-allocations"),
        ("cl_khr_paint.html", "cl_khr_paint"),
    ],
)
def test_tables_would_lose_the_records_of_a_missing_document(
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
@pytest.mark.parametrize("name", [MAIN, OWN, TEXT, "001_note.txt", "cl_khr_paint.html"])
def test_a_document_that_is_not_in_utf8(documents: Path, name: str, encoding: str, said: str) -> None:
    text = (documents / name).read_text(encoding="utf-8").replace("e", "é", 1)
    (documents / name).write_text(text, encoding=encoding)
    refused(documents, name, "is not UTF-8 text", said)


def test_a_byte_order_mark_of_utf8_does_no_harm(documents: Path) -> None:
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
        (MAIN, HTML.replace("OpenCL", "Weather"), "is not the OpenCL API specification (its title is 'The Weather"),
        (MAIN, "<html><body><p>Sun.</p></body></html>", "is not the OpenCL API specification (its title is ''"),
        (MAIN, "<!-- --></html>", "is not HTML"),
        (MAIN, "", "is empty"),
        (OWN, " \n", "is empty"),
        (OWN, "<weather/>", "not an OpenCL registry (its root is 'weather')"),
        (OWN, REGISTRY.replace("<name>cl", "<name>gl"), "not an OpenCL registry (it has no functions of OpenCL)"),
        (OWN, REGISTRY.replace('name="CL_LAST"', 'name="("'), "a name that C cannot have, '('"),
        (OWN, "Sun and rain.", "not XML"),
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
def test_a_foreign_file_of_a_known_name(documents: Path, name: str, content: str, said: str) -> None:
    (documents / name).write_text(content, encoding="utf-8")
    refused(documents, name, said)


@pytest.mark.parametrize("name", [MAIN, OWN, "picture.txt", "cl_khr_paint.html"])
def test_binary_files(documents: Path, name: str) -> None:
    (documents / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    refused(documents, name, "is not UTF-8 text")


def test_other_names_are_left_alone(documents: Path) -> None:
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


def of_many(folder: Path, in_html: list[str], in_registry: list[str], extension: str = "") -> Path:
    """Write a document and a registry of many functions; the file names carry no versions."""
    folder.mkdir()
    html = page(*(function(name, f"cl_int {name}(cl_uint colour);") for name in in_html))
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


def test_a_registry_of_the_same_revision(tmp_path: Path) -> None:
    assert extract_documents(of_many(tmp_path / "same", MANY, MANY), tmp_path).functions
    assert extract_documents(of_many(tmp_path / "nearly", MANY[2:], MANY[:-1]), tmp_path).functions


@pytest.mark.parametrize(("html", "registry", "said"), [(MANY, MANY[4:], "clUseA"), (MANY[4:], MANY, "clUseA")])
def test_a_registry_of_another_revision(tmp_path: Path, html: list[str], registry: list[str], said: str) -> None:
    line = refused(of_many(tmp_path / "both", html, registry), "OpenCL_API.html: is revision 9.8.7", "cl.xml", said)
    assert "up to OpenCL 9.8" in line
    assert "and 2 more" in line


def test_another_specification(tmp_path: Path) -> None:
    folder = of_many(tmp_path / "both", [], MANY)
    refused(folder, "OpenCL_API.html", "has none of the functions in cl.xml")


def test_a_registry_of_another_revision_by_its_name(documents: Path) -> None:
    (documents / OWN).rename(documents / "cl-9.8.6.xml")
    refused(documents, f"{MAIN}: is revision 9.8.7, and cl-9.8.6.xml is revision 9.8.6")


def test_more_than_one_document_of_a_kind(documents: Path) -> None:
    for version in ("9.8.10", "9.8.2"):
        shutil.copy(documents / MAIN, documents / f"OpenCL_API-{version}.html")
    refused(documents, "OpenCL_API-9.8.2.html, OpenCL_API-9.8.7.html, OpenCL_API-9.8.10.html; keep one of them")
    for path in documents.glob("OpenCL_API-9.8.[12]*"):
        path.unlink()
    shutil.copy(documents / OWN, documents / "cl.xml")
    refused(documents, "more than one registry", "cl.xml, cl-9.8.7.xml; keep one of them")


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the whole path can be too long for a socket
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(before)


@pytest.mark.parametrize("name", [MAIN, OWN, TEXT, "cl_khr_paint.html"])
@pytest.mark.parametrize(
    ("make", "said"), [(a_pipe, "named pipe"), (a_folder, "folder"), (a_device, "device"), (a_socket, "socket")]
)
def test_what_is_no_file_is_not_opened(documents: Path, name: str, make: Callable[[Path], None], said: str) -> None:
    (documents / name).unlink()
    make(documents / name)
    refused(documents, name, f"is a {said}, not a file")


@pytest.mark.parametrize("name", [MAIN, OWN, TEXT, "cl_khr_paint.html"])
def test_a_huge_file_is_refused_by_its_size(documents: Path, name: str) -> None:
    os.truncate(documents / name, 50 * MAX_BYTES)
    refused(documents, name, "has 450 MiB", "the limit is 9 MiB")


def test_documents_that_are_huge_together(documents: Path) -> None:
    for index in range(3):
        path = documents / f"cl_khr_{index}.html"
        path.touch()
        os.truncate(path, MAX_BYTES // 2 - index)
    refused(documents, str(documents), "MiB together", "cl_khr_0.html alone 4.5 MiB")


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("<i>" * 600_000, r"6000\d\d tags"),
        ("<p>Red.</p>" * 60_000, r"6000\d paragraphs"),
        ("<h3>Red</h3>" * 5_000, r"500\d headings"),
        (paragraph("red " * 5_001), "20003 characters"),
        (table("Table 1. Red", ("A", "B"), ("red", "red " * 5_001)), "20003 characters"),
        ("<div>" * 300, "cannot be read to its end"),
        ('<table><tr><td colspan="999999999">red</td></tr></table>', "colspan=999999999"),
        ('<table><tr><td rowspan="red">red</td></tr></table>', "rowspan=red"),
    ],
)
def test_a_document_of_an_odd_shape(documents: Path, added: str, said: str) -> None:
    mend(documents / MAIN, TAIL, added + TAIL)
    with pytest.raises(ExtractError, match=f"{MAIN}: .*{said}") as caught:
        extract_documents(documents, documents / "nothing")
    assert str(caught.value).isprintable()


def test_a_document_twice(documents: Path) -> None:
    shutil.copy(documents / TEXT, documents / "005.txt")
    refused(documents, "005.txt: is the same as 002_extension.txt")
    (documents / "005.txt").write_text(EXTENSION + "\n")
    refused(documents, "005.txt: contains cl_ext_device_fission, as 002_extension.txt does")


def test_a_function_in_two_documents(documents: Path) -> None:
    text = EXTENSION.replace("cl_ext_device_fission", "cl_ext_device_fusion")
    (documents / "005.txt").write_text(text, encoding="utf-8")
    refused(documents, "005.txt: declares clCutDeviceEXT, as the document cl_ext_device_fission")


def test_a_function_that_nobody_declares(documents: Path) -> None:
    mend(documents / TEXT, "be returned by clCutDeviceEXT", "be returned by clPasteDeviceEXT")
    refused(documents, f"{TEXT}: refers to 'clPasteDeviceEXT'")


@pytest.mark.parametrize("target", ["nowhere", MAIN])
def test_links_that_lead_nowhere(documents: Path, target: str) -> None:
    (documents / MAIN).unlink()
    (documents / MAIN).symlink_to(target)
    refused(documents, MAIN, "is a broken link")


def test_a_link_to_a_document_is_followed(documents: Path, tmp_path: Path) -> None:
    (documents / MAIN).rename(tmp_path / "elsewhere")
    (documents / MAIN).symlink_to(tmp_path / "elsewhere")
    assert extract_documents(documents, documents / "nothing").functions


def test_a_file_that_cannot_be_opened(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", denied)
    refused(documents, "cannot be read (Permission denied)")


@pytest.mark.parametrize("name", [b"a\nb.txt", b"a\xff.txt", b"cl-\x1b[31m.xml"])
def test_names_that_cannot_be_printed(documents: Path, name: bytes) -> None:
    if name.endswith(b"xml"):
        (documents / OWN).unlink()
    (documents / os.fsdecode(name)).write_text("Red.")
    refused(documents, "the name contains characters that cannot be printed")


def test_a_folder_whose_name_cannot_be_printed(tmp_path: Path) -> None:
    refused(tmp_path / "a\nb\udcff", r"a\nb\udcff: no such folder")


LAUGHS = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "declared",
    [
        f'<!DOCTYPE registry [<!ENTITY a "ha">{LAUGHS}]>',
        '<!DOCTYPE registry [<!ENTITY i SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_entities_of_a_registry(documents: Path, declared: str) -> None:
    mend(documents / OWN, "<registry>", f"{declared}<registry><comment>&i;</comment>")
    refused(documents, OWN, "declares a document type")


def test_an_undeclared_entity(documents: Path) -> None:
    mend(documents / OWN, "<registry>", "<registry>&red;")
    refused(documents, OWN, "Entity 'red' not defined")


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
def test_values_beyond_64_bits_are_told(documents: Path, old: str, new: str, name: str) -> None:
    mend(documents / OWN, old, new)
    unparsed = extract_documents(documents, documents / "nothing").unparsed
    assert f"{OWN}: {name} has a value that is not an integer" in unparsed


def test_types_that_mean_each_other(documents: Path) -> None:
    mend(documents / OWN, "<type>cl_ulong</type> <name>cl_bitfield", "<type>cl_bitfield</type> <name>cl_bitfield")
    types = {entry.name: entry.kind for entry in extract_documents(documents, documents / "nothing").types}
    assert types["cl_bitfield"] == "opaque"


def test_tokens_beyond_64_bits_are_told(documents: Path) -> None:
    mend(documents / TEXT, "0x4050", "(1 << 99999999999)")
    unparsed = extract_documents(documents, documents / "nothing").unparsed
    assert any("CL_CUT_IN_HALF_EXT" in text for text in unparsed)


@pytest.mark.parametrize("below", ["", "below"])
def test_an_output_that_is_a_file(documents: Path, tmp_path: Path, below: str) -> None:
    (tmp_path / "out").write_text("red")
    given = ["extract", "--documents", str(documents), "--out", str(tmp_path / "out" / below), "--force"]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == exit_codes.BAD_USAGE
    (line,) = result.stderr.splitlines()
    assert "cannot write" in line
    assert (tmp_path / "out").read_text() == "red"


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """Return a folder of links to the real documents; a test replaces some of them."""
    folder = tmp_path / "real"
    folder.mkdir()
    for path in DOCUMENTS.iterdir():
        (folder / path.name).symlink_to(path)
    return folder


def only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


@needs_documents
@pytest.mark.parametrize("percent", [50, 99])
@pytest.mark.parametrize("pattern", ["OpenCL_API*.html", "cl*.xml", "cl_*.html"])
def test_a_real_document_that_is_cut_off(real: Path, pattern: str, percent: int) -> None:
    path = only(real, pattern)
    content = path.read_bytes()
    replace(path, content[: len(content) * percent // 100])
    refused(real, path.name, "is cut off")


@needs_documents
def test_a_real_document_that_is_missing(real: Path) -> None:
    only(real, "cl_*.html").unlink()
    with pytest.raises(ExtractError, match="no file contains cl_intel_unified_shared_memory, so the tables in"):
        extract_documents(real, loading.DATA, allow_missing=False)


@needs_documents
def test_a_real_registry_of_an_older_revision(real: Path) -> None:
    path = only(real, "cl*.xml")
    replace(path, re.sub(rb'<enum [^>]*name="CL_DEVICE_SVM_\w+"[^>]*>', b"", path.read_bytes()))
    path.rename(real / "cl.xml")
    refused(real, "is revision", "cl.xml is of another one", "only the document has CL_DEVICE_SVM_ATOMICS")


@needs_documents
def test_a_real_registry_of_a_newer_revision(real: Path) -> None:
    path = only(real, "cl*.xml")
    head, end, tail = path.read_bytes().rpartition(b"</feature>")
    added = b"".join(b'<command name="clUse%d"/>' % index for index in range(4))
    replace(path, b"".join((head, b"<require>", added, b"</require>", end, tail)))
    path.rename(real / "cl.xml")
    refused(real, "is revision", "cl.xml is of another one", "only the registry clUse0, clUse1 and 2 more")


@needs_documents
def test_a_real_document_ten_times_as_large(real: Path) -> None:
    path = only(real, "OpenCL_API*.html")
    content = path.read_bytes()
    middle = len(content) // 2
    replace(path, content[:middle] + content * 9 + content[middle:])
    refused(real, path.name, "the limit is")
