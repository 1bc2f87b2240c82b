"""Writes ``docs/findings.md`` from the data: ``python -m clconform.findings.page``."""

from __future__ import annotations

import re
import sys
import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from clconform.findings.chapters import CODE_SPAN, PROGRAMS, load_chapters, load_withdrawn
from clconform.findings.deviations import load_deviations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.findings.chapters import Finding, FindingChapter, FindingNote, WithdrawnFinding
    from clconform.findings.deviations import DeviationTable, TriagedCause

WIDTH = 120
FOLDER_LINK = "../findings"
"""The folder of the data, as links of the page name it."""
CODE_INDENT = "    "
HEAD = """
# Findings

This page lists the deviations that the suites have found on real drivers. Each finding was checked a second time
against its requirement and, where the driver is open source, against the source. Generated from `findings/causes` and
`findings/deviations.toml` by `python -m tests.renew`.

To reproduce the findings for a driver (replace `LIB` with the driver's library; `POCL_MAX_PTHREAD_COUNT=8` gives PoCL
eight compute units on any machine):

    POCL_MAX_PTHREAD_COUNT=8 clconform run --driver LIB --seed 1 --out out
    clconform reproduce out ID

The second command writes the C program of a deviation: about 70 lines with only the necessary calls, which do not
depend on clconform. The program exits with code 1 if the deviation shows, or crashes if the finding is a crash. The
column *C program* gives the command for each deviation whose program was compiled with
`cc -std=c11 -Wall -Wextra -Wunused -Wunused-macros file.c -lOpenCL` and showed the deviation when it was run; the
programs of other deviations were not checked. Exemplary programs are kept in
`findings/c_programs`: the column links to them.

Drivers: PoCL 3.0-rc2 (PyPI, `pocl-binary-distribution` 3.0), PoCL 3.1 (Debian 12), Intel's CPU runtime 2026.2 (PyPI,
`intel-opencl-rt`), rusticl on llvmpipe (Mesa 22.3.6, Debian 12) and Oclgrind 21.10 (Debian 12); on one machine with a
GPU, also NVIDIA's driver 580.159 (OpenCL 3.0 CUDA 13.0.98, H100, later H200) and PoCL 5.0 (Ubuntu 24.04); for
[command-buffers](#command-buffers) PoCL of February 2025, built from its source. PoCL 8.0-pre was built from its source
with LLVM 22.1.8, and was also tested with its [remote device](#pocls-remote-device).

*Confidence*, as in the report of a run: **literal** if the specification states the requirement, **inferred** if the
requirement follows from the text in one step, **interpretation** if it depends on one of the interpretations, which is
named in brackets.

In the tables, *allowed* lists the results that the requirement allows (*that error*: the error code in the id of the
requirement), and *observed* is the result of the driver. [deviations.toml](../findings/deviations.toml) contains the
verdict and its reason for every deviation on every driver; [triage.md](triage.md) describes that file. Findings that
turned out not to be deviations are listed under [Withdrawn](#withdrawn).
"""
WITHDRAWN_HEAD = """
## Withdrawn

These entries were listed as findings, but are not deviations: another interpretation of the documents allows the
behaviour of the driver. The rule or the interpretations were changed accordingly, so that a run no longer reports them.
"""
LATER_IDS = "Where the later revision splits an error condition, findings have other IDs:"
FINDING_COLUMNS = ("ID", "driver", "requirement", "allowed", "observed", "confidence", "C program")
WITHDRAWN_COLUMNS = ("withdrawn", "driver", "requirement", "observed", "reason")


def page_lines() -> Iterator[str]:
    """Yield the lines of the page."""
    yield from HEAD.strip("\n").splitlines()
    table = load_deviations()
    for chapter in load_chapters():
        yield from ("", f"## {chapter.title}")
        yield from _chapter_lines(chapter, table)
    yield from ("", *WITHDRAWN_HEAD.strip("\n").splitlines(), "")
    yield from _table_lines(WITHDRAWN_COLUMNS, map(_withdrawn_cells, load_withdrawn()))


def _chapter_lines(chapter: FindingChapter, table: DeviationTable) -> Iterator[str]:
    yield from _text_lines(chapter.introduction)
    if chapter.findings:
        yield from ("", *_table_lines(FINDING_COLUMNS, map(_finding_cells, chapter.findings)))
    yield from _text_lines(chapter.comment)
    if chapter.notes_title:
        yield from ("", f"### {chapter.notes_title}")
    yield from _text_lines(chapter.notes_introduction)
    if chapter.notes:
        yield ""
    for note in chapter.notes:
        yield from _wrap(f"- {format_note(note, table)}", hanging="  ")
    yield from _text_lines(chapter.conclusion)
    if chapter.later_ids:
        listed = (f"{older} is {' and '.join(later)}" for older, later in chapter.later_ids.items())
        yield from ("", *_wrap(f"{LATER_IDS} {'; '.join(listed)}."))


def format_note(note: FindingNote, table: DeviationTable) -> str:
    """Return a note as Markdown; a note without text has the reason of the triaged deviations."""
    drivers = f" ({format_drivers(note.drivers)})" if note.drivers else ""
    return f"**{', '.join(note.ids)}**{drivers}. {note.text or _format_reason(find_cause(note, table))}"


def find_cause(note: FindingNote, table: DeviationTable) -> TriagedCause:
    """Return the cause of a note without text; LookupError unless all its deviations have this cause on its drivers."""
    for cause in table.cause:
        ids = {triaged.id for triaged in cause.deviations}
        if ids.issuperset(note.ids) and set(cause.drivers).issuperset(note.drivers[:1]):
            return cause
    raise LookupError(f"{', '.join(note.ids)}: no [[cause]] of deviations.toml has these deviations on {note.drivers}")


def _format_reason(cause: TriagedCause) -> str:
    return cause.reason + (f" (interpretation: *{cause.interpretation}*)" if cause.interpretation else "")


def _finding_cells(finding: Finding) -> Iterator[str]:
    further = f" and {finding.further_requirements}" if finding.further_requirements else ""
    confidence = finding.confidence + (f" ({finding.interpretation})" if finding.interpretation else "")
    yield ", ".join(finding.ids)
    yield "; ".join(filter(None, (format_drivers(finding.drivers), finding.driver_note)))
    yield _format_requirements(finding.requirements) + further
    yield from (_join_lines(finding.allowed), _join_lines(finding.observed))
    yield "; ".join(filter(None, (confidence, finding.confidence_note)))
    yield ", ".join(map(format_program, finding.programs))


def _withdrawn_cells(finding: WithdrawnFinding) -> Iterator[str]:
    interpretation = f" (interpretation: *{finding.interpretation}*)" if finding.interpretation else ""
    yield finding.subject or ", ".join(finding.ids)
    yield from (format_drivers(finding.drivers), _format_requirements(finding.requirements))
    yield from (_join_lines(finding.observed), _join_lines(finding.reason) + interpretation)


def format_program(deviation: str) -> str:
    """Return a link to the kept C program of a deviation, or the command that writes it."""
    if (PROGRAMS / f"{deviation}.c").exists():
        return f"[{deviation}.c]({FOLDER_LINK}/c_programs/{deviation}.c)"
    return f"`clconform reproduce out {deviation}`"


def format_drivers(names: Sequence[str]) -> str:
    """Return names of drivers as a list; later versions of a family appear without its name: ``PoCL 3.0, 3.1``."""
    groups = [(family, list(own)) for family, own in groupby(names, key=lambda name: name.split()[0])]
    return ", ".join(
        ", ".join([own[0], *(each.removeprefix(f"{family} ") for each in own[1:])]) for family, own in groups
    )


def _format_requirements(requirements: Iterable[str]) -> str:
    return ", ".join(f"`{requirement}`" for requirement in requirements)


def _table_lines(titles: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    for cells in (titles, ["---"] * len(titles)):
        yield f"| {' | '.join(cells)} |".replace(" --- ", "---")
    for row in rows:
        yield f"| {' | '.join(row)} |".replace("|  |", "| |")


def _text_lines(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, wrapped, each after an empty line; blocks of code and lists are kept."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if block.startswith(CODE_INDENT):
            yield from ("", *block.splitlines())
        elif block.startswith("- "):
            yield ""
            for item in re.split(r"\n(?=- )", block):
                yield from _wrap(_join_lines(item), hanging="  ")
        elif block.startswith("#"):
            yield from ("", block)
        elif block:
            yield from ("", *_wrap(_join_lines(block)))


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _wrap(text: str, hanging: str = "") -> list[str]:
    """Return the lines of a paragraph; code in backquotes stays on one line."""
    whole = CODE_SPAN.sub(lambda found: found[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(whole, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in page_lines())
