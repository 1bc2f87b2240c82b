"""Reads ``findings/causes``: the findings on drivers, in the chapters of ``docs/findings.md``.

A finding is a row of a table: one or more deviations of one kind, with the drivers that show them. A note explains the
cause of deviations. All texts are Markdown; a line break inside a paragraph counts as a space.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from clconform.findings.deviations import DeviationId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER = Path(__file__).with_name("causes")
WITHDRAWN_FILE = "withdrawn.toml"
PROGRAMS = Path(__file__).with_name("c_programs")
TITLE = "A chapter of the findings on drivers (findings/causes)"
WITHDRAWN_TITLE = "Withdrawn findings (findings/causes/withdrawn.toml)"
DEVIATION_ID = re.compile(r"\b[0-9a-f]{8}\b")
CODE_SPAN = re.compile(r"`([^`]+)`")

Confidence = Literal["literal", "inferred", "interpretation"]


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Deviations of one kind.

    ``ids``: deviation ids. ``programs``: those of ``ids`` whose C program was compiled and, unless the introduction
    states otherwise, shows the deviation.
    ``drivers``: names that begin with the family of the driver, such as ``PoCL 3.1``. ``requirements``: requirement
    ids; ``further_requirements``: those that the list omits, such as ``eight more``. ``allowed``, ``observed``: the
    results that the requirements allow, and the result of the drivers. ``interpretation``: the interpretation on which
    the finding depends, if the confidence is ``interpretation``. ``driver_note``, ``confidence_note``: differences
    between the drivers.
    """

    ids: tuple[DeviationId, ...]
    drivers: tuple[str, ...]
    requirements: tuple[str, ...]
    allowed: str
    observed: str
    confidence: Confidence
    programs: tuple[DeviationId, ...] = ()
    further_requirements: str = ""
    driver_note: str = ""
    confidence_note: str = ""
    interpretation: str = ""

    @property
    def families(self) -> tuple[str, ...]:
        """Return the families of the drivers, each once."""
        return get_families(self.drivers)


class FindingNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cause of some deviations.

    ``ids``: deviation ids. ``drivers``: names of drivers or families. ``text`` is empty if the reason in
    ``deviations.toml`` is the whole text; ``drivers`` are then ids of that file.
    """

    ids: tuple[DeviationId, ...]
    drivers: tuple[str, ...] = ()
    text: str = ""


class FindingChapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chapter of the findings.

    Its parts, in the order of the page: ``introduction``, the table of ``findings``, ``comment``, a heading
    ``notes_title``, ``notes_introduction``, the list of ``notes``, ``conclusion``, and ``later_ids``: deviation id to
    the ids that replace it where a later revision of the document splits the error condition.
    """

    title: str
    introduction: str = ""
    findings: tuple[Finding, ...] = ()
    comment: str = ""
    notes_title: str = ""
    notes_introduction: str = ""
    notes: tuple[FindingNote, ...] = ()
    conclusion: str = ""
    later_ids: dict[DeviationId, tuple[DeviationId, ...]] = {}

    @property
    def texts(self) -> Iterator[str]:
        """Yield all texts of the chapter."""
        yield from (self.introduction, self.comment, self.notes_introduction, self.conclusion)
        yield from (text for finding in self.findings for text in (finding.allowed, finding.observed))
        yield from (finding.driver_note for finding in self.findings)
        yield from (note.text for note in self.notes)


class WithdrawnFinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Deviations that were listed as a finding. ``subject``: the title of the finding if it has no id.

    ``reason``: why another interpretation of the documents allows them. ``interpretation``: its name, if it has one.
    """

    ids: tuple[DeviationId, ...]
    drivers: tuple[str, ...]
    requirements: tuple[str, ...]
    observed: str
    reason: str
    interpretation: str = ""
    subject: str = ""

    @property
    def families(self) -> tuple[str, ...]:
        """Return the families of the drivers, each once."""
        return get_families(self.drivers)


class WithdrawnFindings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The findings that turned out not to be deviations."""

    withdrawn: tuple[WithdrawnFinding, ...]


def get_families(drivers: Iterable[str]) -> tuple[str, ...]:
    """Return the first words of the names of drivers, each once."""
    return tuple(dict.fromkeys(name.split()[0] for name in drivers))


def load_chapters(folder: Path = FOLDER) -> list[FindingChapter]:
    """Read the chapters, in the order of their file names. Raises msgspec.ValidationError for an invalid file."""
    paths = [path for path in sorted(folder.glob("*.toml")) if path.name != WITHDRAWN_FILE]
    return [msgspec.toml.decode(path.read_bytes(), type=FindingChapter) for path in paths]


def load_withdrawn(path: Path = FOLDER / WITHDRAWN_FILE) -> tuple[WithdrawnFinding, ...]:
    """Read the withdrawn findings. Raises msgspec.ValidationError for an invalid file."""
    return msgspec.toml.decode(path.read_bytes(), type=WithdrawnFindings).withdrawn


def list_named_deviations(chapters: Iterable[FindingChapter]) -> set[str]:
    """Return the deviation ids that chapters name, in their lists or texts."""
    found: set[str] = set()
    for chapter in chapters:
        found.update(*(finding.ids for finding in chapter.findings), *(note.ids for note in chapter.notes))
        found.update(chapter.later_ids, *chapter.later_ids.values())
        found.update(*(DEVIATION_ID.findall(text) for text in chapter.texts))
    return found


def list_named_requirements(chapters: Iterable[FindingChapter]) -> set[str]:
    """Return the requirement ids that chapters name, in their lists, or in their texts in backquotes."""
    found: set[str] = set()
    for chapter in chapters:
        found.update(*(finding.requirements for finding in chapter.findings))
        found.update(*(CODE_SPAN.findall(text) for text in chapter.texts))
    return found
