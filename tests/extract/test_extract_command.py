"""The commands ``extract`` and ``tables``: revisions are compared, and requirements are filtered and counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from clconform.calls import exit_codes
from clconform.tools.cli import cli

from .documents import bullets, function_block, html_page, paragraph, write_folder

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPE = """cl_thing clCreateThing(cl_context context, const cl_uint* sizes,
    void (CL_CALLBACK* pfn_notify)(cl_thing thing, void* user_data), cl_int* errcode_ret);"""
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"
A = "CL_INVALID_CONTEXT if context is not a valid context."
B = "CL_INVALID_VALUE if the moon is full."
C = "CL_INVALID_VALUE if sizes is NULL."


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def assert_refused(result: Result, *expected: str) -> None:
    assert result.exit_code == exit_codes.BAD_USAGE, result.output
    (line,) = result.stderr.splitlines()
    assert all(word in line for word in expected), line


def write_documents(folder: Path, *clauses: str) -> str:
    text = html_page(function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(*clauses)))
    return str(write_folder(folder, text))


def read_requirements(*words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(invoke("tables", "--json", *words).output)
    return found


def test_extract_compares_with_older_documents(tmp_path: Path) -> None:
    old, new = (
        write_documents(tmp_path / "old", A, B),
        write_documents(tmp_path / "new", A, B.replace("full", "new"), C),
    )
    shown = invoke("dev", "extract", "--documents", new, "--against", old)
    assert shown.stdout.splitlines() == [
        "added: clCreateThing/CL_INVALID_VALUE/2",
        "reworded: clCreateThing/CL_INVALID_VALUE/1",
        f"against {old}: 1 added, 0 removed, 0 retired, 1 reworded, 0 moved, 0 changed applicability",
    ]


def test_extract_comparison_also_reports_unparsed_text(tmp_path: Path) -> None:
    old, new = write_documents(tmp_path / "old", A, B), write_documents(tmp_path / "new", A, B)
    shown = invoke("dev", "extract", "--documents", new, "--against", old)
    assert shown.exit_code == exit_codes.INTERNAL_ERROR
    assert "clCutDeviceEXT" in shown.stderr
    assert shown.stderr.splitlines()[-1].endswith("their requirements are missing above")


def test_extract_compares_with_older_tables(tmp_path: Path) -> None:
    old, new = write_documents(tmp_path / "old", A, B), write_documents(tmp_path / "new", B)
    written = str(tmp_path / "tables")
    invoke("dev", "extract", "--documents", old, "--out", written, "--force")
    assert invoke("dev", "extract", "--documents", old, "--against", written).output.startswith(
        f"against {written}: 0 added"
    )
    shown = invoke("dev", "extract", "--documents", new, "--against", written)
    assert shown.output.splitlines()[0] == "removed: clCreateThing/CL_INVALID_CONTEXT/1"


def test_extract_compares_with_tables_that_have_unknown_fields(tmp_path: Path) -> None:
    old = write_documents(tmp_path / "old", A, B)
    written = tmp_path / "tables"
    invoke("dev", "extract", "--documents", old, "--out", str(written), "--force")
    rows = json.loads((written / "clauses.json").read_text())
    (written / "clauses.json").write_text(json.dumps([{**row, "kind": "clause", "colour": "red"} for row in rows]))
    (written / "optional.json").unlink()
    assert "0 added, 0 removed" in invoke("dev", "extract", "--documents", old, "--against", str(written)).output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--against", "/nowhere"), ("/nowhere", "older")),
        (("--against", "/nowhere", "--check"), ("--against", "--check")),
        (("--against", "/nowhere", "--out", "/nowhere"), ("--against", "--out")),
    ],
)
def test_against_option_with_missing_folder_or_other_mode_is_refused(
    tmp_path: Path, words: tuple[str, ...], said: tuple[str, ...]
) -> None:
    assert_refused(invoke("dev", "extract", "--documents", write_documents(tmp_path, A), *words), *said)


def test_comparison_with_unknown_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = invoke(
        "dev", "extract", "--documents", write_documents(tmp_path / "new", A), "--against", str(tmp_path / "empty")
    )
    assert_refused(found, str(tmp_path / "empty"))


def test_extract_reports_corrupt_tables(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "clauses.json").write_text("[{")
    found = invoke(
        "dev", "extract", "--documents", write_documents(tmp_path / "new", A), "--against", str(tmp_path / "old")
    )
    assert_refused(found, "clauses.json", "--out")


def test_version_filter_selects_requirements() -> None:
    ids = {version: {r["id"] for r in read_requirements("--version", version)} for version in ("1.0", "1.2", "3.0")}
    assert "clCreateSubDevices/success" not in ids["1.0"]
    assert "clCreateSubDevices/success" in ids["1.2"] & ids["3.0"]
    assert "clCreateBuffer/success" in ids["1.0"]


def test_extension_filter_selects_requirements() -> None:
    found = {r["id"] for r in read_requirements("--extension", "cl_khr_semaphore")}
    assert "clCreateSemaphoreWithPropertiesKHR/success" in found
    assert "clCreateBuffer/success" not in found
    fission = read_requirements("--extension", "cl_ext_device_fission")
    assert {r["document"] for r in fission} >= {"cl_ext_device_fission"}


def test_tables_command_combines_its_filters() -> None:
    words = ("--kind", "error-clause", "--document", "OpenCL", "--function", "clCreateBuffer", "--version", "3.0")
    found = read_requirements(*words, "*/CL_INVALID_VALUE/*")
    assert found
    assert {(r["kind"], r["document"], r["function"], r["code"]) for r in found} == {
        ("error-clause", "OpenCL", "clCreateBuffer", "CL_INVALID_VALUE")
    }


def test_count_option_prints_only_numbers() -> None:
    counted = json.loads(invoke("tables", "--count", "--json").output)
    assert counted["requirements"] == counted["of"] == sum(counted["kinds"].values()) == len(read_requirements())
    lines = invoke("tables", "--count", "--kind", "query").output.splitlines()
    assert lines[0].split() == [str(counted["kinds"]["query"]), "query"]
    assert lines[-1] == f"{counted['kinds']['query']} of {counted['of']} requirements"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--version", "new"), ("new", "1.2")),
        (("--extension", "cl_khr_nothing"), ("cl_khr_nothing", "known:")),
        (("--document", "Nothing"), ("Nothing", "OpenCL")),
        (("--function", "clNone"), ("clNone", "known:")),
        (("--version", "1.0", "clCreateSubDevices/*"), ("clCreateSubDevices/*",)),
    ],
)
def test_tables_command_refuses_a_filter_without_match(words: tuple[str, ...], said: tuple[str, ...]) -> None:
    assert_refused(invoke("tables", *words), *said)


def test_extract_writes_nothing_if_sentences_are_unclassified(tmp_path: Path) -> None:
    shown = invoke(
        "dev", "extract", "--documents", write_documents(tmp_path / "documents", A), "--out", str(tmp_path / "tables")
    )
    assert shown.exit_code == exit_codes.INTERNAL_ERROR
    assert "nothing was written" in shown.stderr.splitlines()[-1]
    assert not (tmp_path / "tables").exists()


def test_extract_with_force_reports_added_and_removed_ids(tmp_path: Path) -> None:
    tables = str(tmp_path / "tables")
    for clauses, said in (((A, B), "written to"), ((B,), "0 added, 1 removed")):
        folder = write_documents(tmp_path / str(len(clauses)), *clauses)
        shown = invoke("dev", "extract", "--documents", folder, "--out", tables, "--force")
        assert shown.exit_code == exit_codes.AS_EXPECTED, shown.output
        assert said in shown.stdout.splitlines()[-1]


def read_rows(path: Path) -> list[list[str]]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def test_classified_file_stores_the_classes_of_unclassified_sentences(tmp_path: Path) -> None:
    folder, tables, page = write_documents(tmp_path / "documents", A), str(tmp_path / "tables"), tmp_path / "sort.tsv"
    again = ("dev", "extract", "--documents", folder, "--out", tables, "--force", "--unclassified", str(page))
    invoke(*again)
    rows = read_rows(page)
    assert {row[0] for row in rows} <= {"unsorted", "silent"}
    wanted = next(row for row in rows if row[0] == "unsorted")
    page.write_text("\t".join(("usage", "red-things", "Things are red.", *wanted[3:])) + "\n")
    shown = invoke(*again, "--classified", str(page))
    assert f"stored 1 sentences and 0 error conditions in {tables}" in shown.stdout
    assert wanted[4] not in {row[4] for row in read_rows(page)}
    assert '"topic":"red-things","text":"Things are red."' in (tmp_path / "tables" / "prose.json").read_text()


def test_decision_keeps_or_replaces_id_of_reworded_condition(tmp_path: Path) -> None:
    tables, page = tmp_path / "tables", tmp_path / "sort.tsv"
    for number, clause in enumerate((B, B.replace("the moon is", "a moon happens to be"))):
        folder = write_documents(tmp_path / str(number), clause)
        invoke("dev", "extract", "--documents", folder, "--out", str(tables), "--force", "--unclassified", str(page))
    (row,) = (row for row in read_rows(page) if row[0] == "reworded")
    assert row[3] == "clCreateThing/CL_INVALID_VALUE/1"
    assert '"reworded":true' in (tables / "clauses.json").read_text()
    page.write_text("\t".join(("same", *row[1:])) + "\n")
    invoke("dev", "extract", "--documents", folder, "--out", str(tables), "--force", "--classified", str(page))
    assert '"reworded":true' not in (tables / "clauses.json").read_text()
    page.write_text("\t".join(("different", *row[1:])) + "\n")
    invoke("dev", "extract", "--documents", folder, "--out", str(tables), "--force", "--classified", str(page))
    assert "clCreateThing/CL_INVALID_VALUE/1" not in (tables / "clauses.json").read_text()
    assert "clCreateThing/CL_INVALID_VALUE/2" in (tables / "clauses.json").read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("red\t\t\tThings\t0123456789abcdef\t\tx", "unknown class 'red'"),
        ("effect\t\tIt is.\tThings\t0123456789abcdef\t\tx", "needs a topic"),
        ("effect\tred\t\tThings\t0123456789abcdef\t\tx", "needs a text"),
        ("definition\tred\t\tThings\t0123456789abcdef\t\tx", "takes no topic"),
        ("definition\t\tIt is.\tThings\t0123456789abcdef\t\tx", "takes no text"),
        ("definition\tThings", "not a line of 7 columns"),
        ('definition\t\t\tThings\t0123456789abcdef\t\t"x\ndefinition\tThings', "quotation mark"),
        ("definition\t\t\tThings\tabc\t\tx", "digest"),
    ],
)
def test_invalid_line_of_classified_file_is_refused(tmp_path: Path, line: str, said: str) -> None:
    page, tables = tmp_path / "sort.tsv", tmp_path / "tables"
    page.write_text(line + "\n")
    folder = write_documents(tmp_path / "documents", A)
    shown = invoke("dev", "extract", "--documents", folder, "--out", str(tables), "--classified", str(page))
    assert_refused(shown, f"--classified {page}, line 1", said)
    assert not tables.exists()
