"""The chapters of findings: ids, C programs, and the page that is generated from them."""

from __future__ import annotations

import shutil
import statistics
import subprocess
from pathlib import Path

import msgspec
import pytest

from clconform.findings import chapters, page
from clconform.findings.chapters import Finding, FindingChapter, FindingNote, load_chapters, load_withdrawn
from clconform.findings.deviations import DeviationTable, TriagedCause, TriagedDeviation

from ..reports.test_c_helpers import find_unused  # noqa: TID252 (tests are no part of the installed package)

CHAPTERS = load_chapters()
FINDINGS = [finding for chapter in CHAPTERS for finding in chapter.findings]
PROGRAMS = sorted(chapters.PROGRAMS.glob("*.c"))
HANDWRITTEN = "Written by hand"
MAX_LINES, MAX_MEDIAN_LINES = 120, 80
"""Maximum number of lines of a kept program, and maximum median of all kept programs."""
COMPILER = shutil.which("cc")
HEADER = Path("/usr/include/CL/cl.h")
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wunused", "-Wunused-macros", "-Werror", "-fsyntax-only")


def test_deviation_ids_in_the_findings_are_unique() -> None:
    ids = [one for finding in FINDINGS for one in finding.ids]
    assert len(FINDINGS) > 100
    assert all(finding.ids for finding in FINDINGS)
    assert sorted(ids) == sorted(set(ids))


def test_each_withdrawn_finding_has_ids_or_a_subject() -> None:
    assert [bool(finding.ids) != bool(finding.subject) for finding in load_withdrawn()].count(False) == 0


# C programs


def test_every_kept_c_program_belongs_to_a_finding() -> None:
    named = {program for finding in FINDINGS for program in finding.programs}
    assert {path.stem for path in PROGRAMS} <= named
    assert all(set(finding.programs) <= set(finding.ids) for finding in FINDINGS)


@pytest.mark.skipif(COMPILER is None or not HEADER.exists(), reason="no C compiler, or no OpenCL headers")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_kept_c_program_compiles_without_warnings(path: Path) -> None:
    done = subprocess.run([str(COMPILER), *STRICT, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_kept_c_program_contains_only_used_helpers(path: Path) -> None:
    program = path.read_text(encoding="ascii")
    assert HANDWRITTEN in program or find_unused(program) == []


def test_length_of_kept_c_programs_is_limited() -> None:
    lengths = [len(path.read_text(encoding="ascii").splitlines()) for path in PROGRAMS]
    assert statistics.median(lengths) <= MAX_MEDIAN_LINES
    assert max(lengths) <= MAX_LINES


# The page


FINDING = Finding(("9b02d5a0", "7427e4fd"), ("PoCL 3.0", "PoCL 3.1", "Intel"), ("a/1", "b/1"), "x", "y", "literal")
CHAPTER = FindingChapter("Queues", introduction="One\ntwo.\n\n    code  block", findings=(FINDING,))


def test_page_links_kept_programs_and_names_the_command_for_others() -> None:
    kept = PROGRAMS[0].stem
    assert page.format_program(kept) == f"[{kept}.c](../findings/c_programs/{kept}.c)"
    assert page.format_program("00000000") == "`clconform reproduce out 00000000`"


def test_page_abbreviates_versions_of_one_family() -> None:
    assert page.format_drivers(FINDING.drivers) == "PoCL 3.0, 3.1, Intel"
    assert FINDING.families == ("PoCL", "Intel")


def test_note_without_text_has_the_reason_of_its_cause() -> None:
    row = TriagedDeviation("9b02d5a0", "deviates", "f | a/1 | CL_SUCCESS")
    cause = TriagedCause(["pocl-3.1"], "interpretation", "It is so.", [row], "an-interpretation")
    table = DeviationTable([], [cause])
    note = FindingNote(("9b02d5a0",), ("pocl-3.1",))
    assert page.format_note(note, table) == "**9b02d5a0** (pocl-3.1). It is so. (interpretation: *an-interpretation*)"
    assert page.format_note(msgspec.structs.replace(note, text="Other."), table).endswith("(pocl-3.1). Other.")
    with pytest.raises(LookupError, match="9b02d5a0"):
        page.format_note(msgspec.structs.replace(note, drivers=("pocl-3.0",)), table)


def test_named_ids_and_requirements_come_from_lists_and_texts() -> None:
    told = msgspec.structs.replace(CHAPTER, conclusion="As 6c443d0a with `c/1`.", later_ids={"01234567": ("89abcdef",)})
    assert chapters.list_named_deviations([told]) == {*FINDING.ids, "6c443d0a", "01234567", "89abcdef"}
    assert chapters.list_named_requirements([told]) == {"a/1", "b/1", "c/1"}


def test_page_keeps_code_blocks_and_joins_other_lines() -> None:
    lines = list(page._chapter_lines(CHAPTER, DeviationTable([], [])))
    assert lines[:4] == ["", "One two.", "", "    code  block"]
    assert lines[-1].startswith("| 9b02d5a0, 7427e4fd | PoCL 3.0, 3.1, Intel | `a/1`, `b/1` | x | y | literal |")


def test_page_has_every_chapter_and_every_finding() -> None:
    text = "\n".join(page.page_lines())
    assert all(f"\n## {chapter.title}\n" in text for chapter in CHAPTERS)
    assert all(one in text for one in chapters.list_named_deviations(CHAPTERS))
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= page.WIDTH
