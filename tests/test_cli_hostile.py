"""A platform with hostile texts: they are escaped in every file that a run writes, and on a terminal.

Its names hold script tags, quotes, Markdown syntax, terminal commands, NULs, broken UTF-8, formulas and a text of one
megabyte. Its query results deviate because such texts must not contain control characters. Therefore, the texts also
occur in deviations.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import junitparser
import pytest

from clconform.calls import exit_codes
from clconform.reports.markdown import MAX_PAGE
from clconform.reports.result_consistency import load_result
from clconform.reports.writer import (
    BADGE,
    HTML,
    JUNIT,
    MATRIX,
    REPORTS,
    REQUIREMENTS_CSV,
    RESULT,
    SUMMARY,
    write_matrix,
)
from clconform.spec_tables import load

from . import forked_runs
from .reports import schemas
from .reports.browser import needs_chromium, start_chromium
from .reports.junit_schema import find_violations
from .reports.rendered_markdown import parse_markdown

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = ("CL_PLATFORM_NAME", "CL_PLATFORM_VENDOR", "CL_PLATFORM_VERSION", "CL_PLATFORM_EXTENSIONS")
PRINTABLE = frozenset(map(chr, range(0x20, 0x7F))) | {"\n"}
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder of a run on that platform, and its output."""
    folder = tmp_path_factory.mktemp("hostile")
    asked = [f"--requirement={requirement}" for requirement in QUERIES]
    done = forked_runs.run(
        folder,
        *("run", "--simulated", "hostile", "--tier", "tables", "--seed", "7", "--minimise-seconds", "0"),
        *("--out", str(folder), *asked, "suites/queries"),
        environment={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "100"},
    )
    assert done.returncode == exit_codes.DEVIATIONS, done.stderr
    return folder, done.stdout


def test_run_with_hostile_texts_writes_every_report_and_a_valid_result(hostile_run: tuple[Path, str]) -> None:
    folder, _ = hostile_run
    assert {path.name for path in folder.iterdir()} == {"journal.jsonl.gz", *REPORTS}
    result = json.loads(schemas.validated((folder / RESULT).read_text(encoding="ascii"), "result"))
    assert len(result["deviations"]) >= 3
    assert len(result["platform"]["vendor"]) > MEGABYTE
    assert "\x00" in result["platform"]["vendor"]


@pytest.mark.parametrize("name", [RESULT, JUNIT, BADGE, REQUIREMENTS_CSV])
def test_files_for_programs_contain_only_printable_ascii(name: str, hostile_run: tuple[Path, str]) -> None:
    content = (hostile_run[0] / name).read_bytes()
    odd = set(content.decode("latin-1")) - PRINTABLE - {"\r", "\t"}
    assert not odd
    if name != REQUIREMENTS_CSV:
        assert b"\r" not in content
    if name != RESULT:
        assert len(content) < 4 * MEGABYTE


def test_junit_file_with_hostile_texts_is_valid(hostile_run: tuple[Path, str]) -> None:
    text = (hostile_run[0] / JUNIT).read_text(encoding="ascii")
    assert find_violations(ET.fromstring(text)) == []  # noqa: S314 (our own output)
    (suite,) = junitparser.JUnitXml.fromstring(text.encode())
    assert "</script><script>alert(1)</script>" in suite.name
    assert {case.name for case in suite if any(isinstance(each, junitparser.Failure) for each in case.result)} >= {
        "CL_PLATFORM_NAME",
        "CL_PLATFORM_VERSION",
    }


def test_driver_texts_are_not_markup_in_the_markdown_summary(hostile_run: tuple[Path, str]) -> None:
    text = (hostile_run[0] / SUMMARY).read_text(encoding="utf-8")
    page = parse_markdown(text)
    assert page.html == page.links == []
    assert all(character.isprintable() or character == "\n" for character in text)
    assert len(text.encode()) < MAX_PAGE
    assert "</script><script>alert(1)</script>" in page.text
    assert {len(row) for row in page.rows} == {2, 8}


def test_badge_and_csv_with_hostile_texts_are_valid(hostile_run: tuple[Path, str]) -> None:
    badge = json.loads((hostile_run[0] / BADGE).read_text(encoding="ascii"))
    assert set(badge) == {"schemaVersion", "label", "message", "color"}
    with (hostile_run[0] / REQUIREMENTS_CSV).open(encoding="ascii", newline="") as file:
        cells = [cell for row in csv.DictReader(file) for cell in row.values()]
    assert len(cells) > len(QUERIES)
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in cells)


@needs_chromium
def test_html_pages_do_not_execute_scripts_in_driver_texts(hostile_run: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = hostile_run
    shutil.copy(folder / HTML, tmp_path / HTML)
    result = load_result(folder / RESULT)
    write_matrix([result, result], tmp_path, load())
    with start_chromium(tmp_path / "profile") as browser:
        for name in (HTML, MATRIX):
            browser.open(tmp_path / name)
            browser.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
            browser.evaluate("document.querySelectorAll('main button').forEach(e => e.click())")
            browser.wait_until("document.getElementById('list').hidden === false")
            shown = browser.evaluate("document.body.textContent")
            assert "<script>alert(1)</script>" in shown, name
            assert "\\x1b[31mRed" in shown, name
            assert not set(shown) & set("\x00\x07\x1b\x9b\u202e\u2028"), name
            assert browser.evaluate("document.scripts.length") == 2, name
            assert browser.evaluate("document.querySelectorAll('img, iframe, [onmouseover], [onerror]').length") == 0, (
                name
            )
            assert browser.console == [], name
            assert browser.requests == [(tmp_path / name).as_uri()], name
            assert (tmp_path / name).stat().st_size < 2 * MEGABYTE, name


def test_terminal_output_escapes_control_sequences_of_driver_texts(hostile_run: tuple[Path, str]) -> None:
    _, printed = hostile_run
    assert "\\x1b]0;owned\\x07" in printed
    for command in ("\x1b]0;", "\x07", "\x1b[31mRed", "\x9b", "\u202e", "\u2028", "\x00"):
        assert command not in printed
    assert len(printed) < MEGABYTE
