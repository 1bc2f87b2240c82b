"""Reads the documents of a folder one after the other, and combines their contents."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from typing import TYPE_CHECKING

from clconform.tools.extract.assembly import add_html
from clconform.tools.extract.assembly_text import add_extension
from clconform.tools.extract.document_contents import DocumentContents
from clconform.tools.extract.extension_text import correct_misprints
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.note_reader import read_note
from clconform.tools.extract.revision_match import check_main_document, check_same_revision
from clconform.tools.extract.safe_reading import ExtractError, escape_path, excerpt, naming_document
from clconform.tools.extract.text_reader import read_plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.spec_tables.requirements import Document, Erratum, Section
    from clconform.tools.extract.document_blocks import SourceDocument
    from clconform.tools.extract.document_files import DocumentFiles
    from clconform.tools.extract.prose_sentences import ProseSentence
    from clconform.tools.extract.xml_registry import XmlRegistry

MAIN_DOCUMENT = "OpenCL"
"""The key of the main document."""
_INFORMATIVE_TITLES = re.compile(
    r"(?:Introduction|Glossary|(?:Table of )?Contents|Acknowledg\w+|Preface|Overview|Issues|Revision History|Contact|"
    r"Contributors|Notice|Status|Version|Dependencies|Name Strings|Checking for Memory Copy Overlap|"
    r"Changes to OpenCL|Other Miscellaneous Enums|.*\(Informative\))\Z",
    re.IGNORECASE,
)
"""Matches the titles of chapters without requirements; a title with further words is another chapter."""
_CHAPTER_LEVEL = 2
"""The level of chapter headings; the title of the document has a lower level."""


def read_documents(documents: DocumentFiles, registry: XmlRegistry, errata: tuple[Erratum, ...]) -> DocumentContents:
    """Return the combined contents of all documents; ExtractError if a document is not of the expected kind."""
    bitfields = frozenset(name for name, entry in registry.types.items() if entry.kind == "bitfield")
    gathered = DocumentContents(enumerants=dict(registry.enumerants), bitfields=bitfields)
    main = read_html(documents.main, MAIN_DOCUMENT)
    check_main_document(documents.main, main)
    check_same_revision(documents.main, main, documents.registry, registry)
    extensions = [(path, _read_extension(path)) for path in documents.extensions]
    texts = [(path, read_plain_text(path)) for path in documents.texts]
    notes = [(path, *_read_note(path)) for path in documents.notes]
    _check_unique(
        [(path, source.key) for path, source in [*extensions, *texts]] + [(path, note.key) for path, note, _ in notes]
    )
    gathered.informative_sections |= _informative_sections(main)
    with _checking_declarations(documents.main, gathered):
        add_html(main, registry, gathered)
    for path, source in extensions:
        gathered.informative_sections |= _informative_sections(source)
        with _checking_declarations(path, gathered):
            add_html(source, registry, gathered, extension=True)
    for path, source in texts:
        with _checking_declarations(path, gathered):
            add_extension(correct_misprints(source, errata), gathered)
    for _, document, found in notes:
        gathered.documents.append(document)
        gathered.sentences += found
    return gathered


def _read_extension(path: Path) -> SourceDocument:
    source = read_html(path, path.stem)
    if not re.fullmatch(r"cl_\w+", source.title, re.ASCII):
        raise ExtractError(
            f"{escape_path(path)}: is not an extension's specification (its title is "
            f"{excerpt(source.title)!r}, not the "
            "extension's name); move it out of the folder"
        )
    return dataclasses.replace(source, key=source.title)


def _read_note(path: Path) -> tuple[Document, list[ProseSentence]]:
    with naming_document(path):
        return read_note(path)


def _check_unique(keys: list[tuple[Path, str]]) -> None:
    """Raise ExtractError if two files contain the same document, perhaps in different versions."""
    seen: dict[str, Path] = {}
    for path, key in keys:
        other = seen.setdefault(key, path)
        if other != path:
            raise ExtractError(
                f"{escape_path(path)}: contains {key}, as {escape_path(other.name)} does; keep one of the two"
            )


@contextlib.contextmanager
def _checking_declarations(path: Path, gathered: DocumentContents) -> Iterator[None]:
    """Raise ExtractError in this block if a document declares a function that an earlier document also declares."""
    before = dict(gathered.functions)
    with naming_document(path):
        yield
    for name, function in gathered.functions.items():
        if name in before and before[name].document != function.document:
            raise ExtractError(
                f"{escape_path(path)}: declares {name}, as the document {before[name].document} of this "
                f"folder does; keep "
                "one of the two"
            )


def _informative_sections(source: SourceDocument) -> set[tuple[str, Section]]:
    """Return the sections of chapters without requirements, and of the text before the first chapter."""
    found: set[tuple[str, Section]] = set()
    explains = True
    for block in source.blocks:
        if block.kind == "heading" and block.level <= _CHAPTER_LEVEL:
            explains = block.level < _CHAPTER_LEVEL or bool(_INFORMATIVE_TITLES.match(block.section.title))
        if explains:
            found.add((source.key, block.section))
    return found
