"""Reads the documents of a folder one after the other, and joins their contents."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.tools.extract.assembly import gather_html
from clconform.tools.extract.assembly_text import gather_extension
from clconform.tools.extract.extension_text import corrected
from clconform.tools.extract.gathered import Gathered
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.matching import refuse_foreign, refuse_other_revision
from clconform.tools.extract.note_reader import read_note
from clconform.tools.extract.reading import ExtractError, excerpt, naming, shown
from clconform.tools.extract.text_reader import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.spec_tables.records import Document, Erratum, Section
    from clconform.tools.extract.blocks import Source
    from clconform.tools.extract.prose import Sentence
    from clconform.tools.extract.registry import Registry
    from clconform.tools.extract.sources import Documents

MAIN = "OpenCL"
"""The key of the main document."""
_EXPLAINS = re.compile(
    r"(?:Introduction|Glossary|(?:Table of )?Contents|Acknowledg\w+|Preface|Overview|Issues|Revision History|Contact|"
    r"Contributors|Notice|Status|Version|Dependencies|Name Strings|Checking for Memory Copy Overlap|"
    r"Changes to OpenCL|Other Miscellaneous Enums|.*\(Informative\))\Z",
    re.IGNORECASE,
)
"""Titles of chapters without requirements, whatever their number; with further words it is another chapter."""
_TOP = 2
"""The level of the headings of chapters; the title of a document is above it."""


def gather(documents: Documents, registry: Registry, errata: tuple[Erratum, ...]) -> Gathered:
    """Read every document and join their contents; ExtractError if one is not of the expected kind."""
    bitfields = frozenset(name for name, entry in registry.types.items() if entry.kind == "bitfield")
    gathered = Gathered(enumerants=dict(registry.enumerants), bitfields=bitfields)
    main = read_html(documents.main, MAIN)
    refuse_foreign(documents.main, main)
    refuse_other_revision(documents.main, main, documents.registry, registry)
    extensions = [(path, _read_extension(path)) for path in documents.extensions]
    texts = [(path, read_text(path)) for path in documents.texts]
    notes = [(path, *_read_note(path)) for path in documents.notes]
    _refuse_twice(
        [(path, source.key) for path, source in [*extensions, *texts]] + [(path, note.key) for path, note, _ in notes]
    )
    gathered.explaining |= _explaining(main)
    with _adding(documents.main, gathered):
        gather_html(main, registry, gathered)
    for path, source in extensions:
        gathered.explaining |= _explaining(source)
        with _adding(path, gathered):
            gather_html(source, registry, gathered, extension=True)
    for path, source in texts:
        with _adding(path, gathered):
            gather_extension(corrected(source, errata), gathered)
    for _, document, found in notes:
        gathered.documents.append(document)
        gathered.sentences += found
    return gathered


def _read_extension(path: Path) -> Source:
    source = read_html(path, path.stem)
    if not re.fullmatch(r"cl_\w+", source.title, re.ASCII):
        raise ExtractError(
            f"{shown(path)}: is not an extension's specification (its title is {excerpt(source.title)!r}, not the "
            "extension's name); move it out of the folder"
        )
    return dataclasses.replace(source, key=source.title)


def _read_note(path: Path) -> tuple[Document, list[Sentence]]:
    with naming(path):
        return read_note(path)


def _refuse_twice(keys: list[tuple[Path, str]]) -> None:
    """Raise ExtractError if two files contain the same document, changed or not."""
    seen: dict[str, Path] = {}
    for path, key in keys:
        other = seen.setdefault(key, path)
        if other != path:
            raise ExtractError(f"{shown(path)}: contains {key}, as {shown(other.name)} does; keep one of the two")


@contextlib.contextmanager
def _adding(path: Path, gathered: Gathered) -> Iterator[None]:
    """Raise ExtractError for a function that an earlier document declares as well."""
    before = dict(gathered.functions)
    with naming(path):
        yield
    for name, function in gathered.functions.items():
        if name in before and before[name].document != function.document:
            raise ExtractError(
                f"{shown(path)}: declares {name}, as the document {before[name].document} of this folder does; keep "
                "one of the two"
            )


def _explaining(source: Source) -> set[tuple[str, Section]]:
    """Return the sections of the chapters without requirements, and the text above the first chapter."""
    found: set[tuple[str, Section]] = set()
    explains = True
    for block in source.blocks:
        if block.kind == "heading" and block.level <= _TOP:
            explains = block.level < _TOP or bool(_EXPLAINS.match(block.section.title))
        if explains:
            found.add((source.key, block.section))
    return found
