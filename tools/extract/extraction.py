"""The extraction as a whole: from a folder of documents to a folder of tables, and the comparison of two."""

from __future__ import annotations

import collections
import copy
import dataclasses
import hashlib
import re
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables import loading
from clconform.spec_tables.records import (
    Document,
    CommandType,
    Effect,
    Enumerant,
    ErrorClause,
    Erratum,
    Flag,
    Function,
    HostPointerSize,
    ImageFormat,
    Limit,
    OptionalBehaviour,
    PartitionScheme,
    Property,
    Query,
    Record,
    SharingFormat,
    Success,
    Type,
    UsageRule,
)
from clconform.tools.extract.assembly import Gathered, add_registry, gather_extension, gather_html
from clconform.tools.extract.drafts import inherited, number
from clconform.tools.extract.extension_text import corrected
from clconform.tools.extract.headers import dispatch_order
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.ledger import Entry, Ledger
from clconform.tools.extract.note_reader import read_note
from clconform.tools.extract.prose import Classification, Sentence, Sorted, is_sorted, sort_sentences
from clconform.tools.extract.registry import KEY as REGISTRY
from clconform.tools.extract.registry import Registry, read_registry
from clconform.tools.extract.rendering import Names
from clconform.tools.extract.text_reader import read_text
from clconform.tools.extract.witness import compare_rendering
from clconform.tools.extract.wording import digest as digest_of

if TYPE_CHECKING:
    from pathlib import Path
    from collections.abc import Iterable

MAIN = "OpenCL"
_WHOLE = ("cl_ext_device_fission", "Partitioning a Device")
_CHAPTERS = ("3", "4", "5", "6", "7")
_RULE = re.compile(r"\b(?:must|shall|cannot|can not|may not|undefined|implementation[- ]defined)\b", re.IGNORECASE)
_SEVERAL = 5
_PLAIN = re.compile(rb"\s*Name Strings\s*\n[ \t]+cl_\w+")
_DECLARED = re.compile(rb"^(?:cl_\w+|void\*?) +cl[A-Z]\w+\(", re.MULTILINE)
_FILES: dict[str, tuple[type, ...]] = {
    "clauses": (ErrorClause,),
    "outcomes": (Success,),
    "prose": (Effect, UsageRule),
    "queries": (Query,),
    "limits": (Limit,),
    "schemes": (PartitionScheme,),
    "properties": (Property, Flag),
    "facts": (ImageFormat, SharingFormat, CommandType, HostPointerSize),
    "optional": (OptionalBehaviour,),
}


class ExtractError(Exception):
    """The documents cannot be read; the message is one line that says what to do."""


@dataclasses.dataclass(slots=True)
class Extraction:
    """What was read. ``unparsed``: what looked like something and could not be read; it must be empty.

    ``unsorted``: the sentences of the covered prose that the classification lacks, for whoever sorts them; they are
    in ``unparsed`` by context and digest. ``differences``: where two sources disagree;
    ``explained``: the reasons, from the committed list, which has to have all of them. ``clauses``: as the documents
    list them (a clause that two functions share counts once).
    """

    functions: list[Function]
    types: list[Type]
    enumerants: list[Enumerant]
    records: list[Record]
    errata: list[Erratum]
    documents: list[Document]
    dispatch: list[str]
    ledger: Ledger
    unparsed: list[str]
    differences: list[str]
    explained: dict[str, str] = dataclasses.field(default_factory=dict)
    clauses: int = 0
    unsorted: list[Sentence] = dataclasses.field(default_factory=list)

    def unexplained(self) -> list[str]:
        """The differences that the committed list gives no reason for."""
        return [text for text in self.differences if text not in self.explained]

    def counts(self) -> dict[str, int]:
        """How much of each there is."""
        found = {"functions": len(self.functions), "enumerants": len(self.enumerants), "clauses listed": self.clauses}
        for record in self.records:
            kind = str(record.__struct_config__.tag)
            found[kind] = found.get(kind, 0) + 1
        return {
            **found,
            "differences": len(self.differences),
            "unexplained": len(self.unexplained()),
            "unparsed": len(self.unparsed),
        }


def extract(documents: Path, known: Path = loading.DATA) -> Extraction:
    """Read every document in a folder. ``known``: the tables that give ids, errata and the sorting of sentences."""
    if not documents.is_dir():
        raise ExtractError(f"{documents}: no such folder; give the folder that holds the specification documents")
    errata = tuple(_read(known / "errata.json", list[Erratum], []))
    classification = _read(known / "classification.json", Classification, {})
    ledger: Ledger = copy.deepcopy(_read(known / "ledger.json", dict[str, list[Entry]], {}))
    registry, registry_document = _registry(documents)
    gathered = Gathered(enumerants=dict(registry.enumerants))
    for path in _html(documents):
        gather_html(read_html(path, MAIN), registry, gathered)
    for path in _extensions(documents):
        source = read_html(path, path.stem)
        key = source.title if re.fullmatch(r"cl_\w+", source.title) else path.stem
        gather_html(dataclasses.replace(source, key=key), registry, gathered, extension=True)
    for path in _texts(documents):
        gather_extension(corrected(read_text(path), errata), gathered)
    add_registry(registry_document, registry, gathered)
    subjects = {**{name: name for name in gathered.functions}, **gathered.subjects}
    limits = {draft.record.digest for draft in gathered.drafts if isinstance(draft.record, Limit)}
    for path in _notes(documents):
        document, found = read_note(path)
        gathered.documents.append(document)
        gathered.sentences += [dataclasses.replace(sentence, pressing=True) for sentence in found]
    covered = [
        sentence
        for sentence in gathered.sentences
        if (_covered(sentence) or is_sorted(sentence, classification))
        and (digest_of(sentence.text) not in limits or sentence.section.title in _WHOLE)
    ]
    informative = _read(known / "tables.json", dict[str, str], {})
    gathered.unparsed += [
        f"{document}: a table that nobody reads: {caption[:60]} ({digest_of(caption)})"
        for document, caption in gathered.tables
        if digest_of(caption) not in informative
    ]
    names = Names([*registry.enumerants, *registry.types, *registry.extensions])
    for path in _renderings(documents):
        gathered.differences += compare_rendering(path, names, registry.codes, gathered.printed)
    drafts, unsorted = sort_sentences(covered, classification, subjects)
    records = number([*gathered.drafts, *drafts], ledger)
    for function, others, replaced, section in gathered.inherited:
        records += inherited(records, function, others, replaced, section)
    known_codes = {name for name, entry in gathered.enumerants.items() if entry.value < 0} | {"NULL"}
    unparsed = gathered.unparsed + [
        f"{record.id}: {record.code} is no error code that the registry knows"
        for record in records
        if isinstance(record, ErrorClause) and record.code not in known_codes
    ]
    unparsed += [f"{twice}: two records with this id" for twice in _twice(record.id for record in records)]
    unparsed += [
        f"{sentence.document} {sentence.section.number}: a sentence under {sentence.context} that is not sorted"
        for sentence in unsorted
    ]
    return Extraction(
        functions=list(gathered.functions.values()),
        types=[*registry.types.values(), *gathered.types.values()],
        enumerants=list(gathered.enumerants.values()),
        records=records,
        errata=list(errata),
        documents=gathered.documents,
        dispatch=list(dispatch_order()) or _read(known / "dispatch.json", list[str], []),
        ledger=ledger,
        unparsed=unparsed,
        differences=gathered.differences,
        explained=_read(known / "explained.json", dict[str, str], {}),
        clauses=gathered.clauses,
        unsorted=unsorted,
    )


def _twice(ids: Iterable[str]) -> list[str]:
    return [name for name, count in collections.Counter(ids).items() if count > 1]


def write(result: Extraction, out: Path) -> None:
    """Write the tables, one row a line, in the documents' order; hand-kept files (errata, sorting) stay as they are."""
    out.mkdir(parents=True, exist_ok=True)
    for name, content in render(result).items():
        path = out / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def check(result: Extraction, committed: Path = loading.DATA) -> list[str]:
    """What differs between an extraction and the committed tables, and what could not be read; empty if all is well."""
    differences = []
    for name, content in render(result).items():
        try:
            old = (committed / name).read_bytes()
        except OSError:
            differences.append(f"{name}: missing in {committed}")
            continue
        if old != content:
            differences += _explain(name, old, content)
    differences += [f"unparsed: {text}" for text in result.unparsed]
    differences += [f"unexplained: {text}" for text in result.unexplained()]
    gone = {text for text in result.explained if not text.startswith("C headers: ")} - set(result.differences)
    return differences + [f"explained.json: explains what is not there: {text}" for text in sorted(gone)]


def render(result: Extraction) -> dict[str, bytes]:
    """The generated files and their contents."""
    files: dict[str, bytes] = {
        f"{name}.json": _lines(record for record in result.records if isinstance(record, kinds))
        for name, kinds in _FILES.items()
    }
    files["functions.json"] = _lines(result.functions)
    files["types.json"] = _lines(sorted(result.types, key=lambda entry: entry.name))
    files["enumerants.json"] = _lines(result.enumerants)
    files["documents.json"] = _lines(result.documents)
    files["dispatch.json"] = _lines(result.dispatch)
    rows = [f"{_encode(family)}:{_encode(entries)}" for family, entries in sorted(result.ledger.items())]
    files["ledger.json"] = ("{\n" + ",\n".join(rows) + "\n}\n").encode()
    return files


def _lines(rows: Iterable[Any]) -> bytes:
    return ("[\n" + ",\n".join(_encode(row) for row in rows) + "\n]\n").encode()


def _encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _explain(name: str, old: bytes, new: bytes) -> list[str]:
    """The lines that only one side has, by their ids."""
    before, after = (set(content.decode().rstrip("]\n").split("\n")) for content in (old, new))
    ours = {_id_of(line) for line in before - after}
    theirs = {_id_of(line) for line in after - before}
    found = [f"{name}: {key}: changed" for key in sorted(ours & theirs)]
    found += [f"{name}: {key}: in the committed tables only" for key in sorted(ours - theirs)]
    found += [f"{name}: {key}: in the documents only" for key in sorted(theirs - ours)]
    return found or [f"{name}: the order differs"]


def _id_of(line: str) -> str:
    named = re.search(r'"(?:id|name|key)":"([^"]+)"', line) or re.match(r'"([^"]+)"', line)
    return named[1] if named else line[:60]


def _read(path: Path, kind: Any, default: Any) -> Any:
    if not path.exists():
        return default
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as problem:
        raise ExtractError(f"{path}: {problem}; put it back from version control") from problem


def _registry(documents: Path) -> tuple[Registry, Document]:
    found = sorted(documents.glob("cl*.xml"))
    if not found:
        raise ExtractError(f"{documents}: no registry (cl.xml or cl-VERSION.xml); it is in KhronosGroup/OpenCL-Docs")
    path = found[-1]
    version = re.search(r"(\d+(?:\.\d+)+)", path.stem)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return read_registry(path), Document(REGISTRY, "OpenCL API registry", version[1] if version else "", digest)


def _html(documents: Path) -> list[Path]:
    found = sorted(documents.glob("OpenCL_API*.html"))
    if not found:
        raise ExtractError(f"{documents}: no OpenCL_API*.html; it is published on registry.khronos.org/OpenCL")
    return found[-1:]


def _extensions(documents: Path) -> list[Path]:
    return sorted(documents.glob("cl_*.html"))


def _texts(documents: Path) -> list[Path]:
    """Plain-text extensions: those that begin with the heading which all of them have, and the name indented."""
    return [path for path in sorted(documents.glob("*.txt")) if _PLAIN.match(path.read_bytes())]


def _renderings(documents: Path) -> list[Path]:
    """Text renderings of specifications in HTML: whatever text declares many functions and is no plain extension."""
    return [
        path
        for path in sorted(documents.glob("*.txt"))
        if not _PLAIN.match(path.read_bytes()) and len(_DECLARED.findall(path.read_bytes())) > _SEVERAL
    ]


def _notes(documents: Path) -> list[Path]:
    """Design notes: texts that declare hardly any function."""
    return [
        path
        for path in sorted(documents.glob("*.txt"))
        if not _PLAIN.match(path.read_bytes()) and len(_DECLARED.findall(path.read_bytes())) <= _SEVERAL
    ]


def _covered(sentence: Sentence) -> bool:
    """Which prose has to be sorted: all of the partitioning chapter, and whatever sounds like a rule elsewhere.

    In the main document that is chapters 3 to 7, in an extension all of it.
    """
    if sentence.document in _WHOLE or sentence.pressing or sentence.section.title in _WHOLE:
        return True
    if re.fullmatch(r"CL_DEVICE_(?:PARTITION_\w+|PARENT_DEVICE|REFERENCE_COUNT|MAX_COMPUTE_UNITS)", sentence.context):
        return True
    chapter = sentence.section.number.partition(".")[0]
    return bool(_RULE.search(sentence.text)) and (sentence.document != MAIN or chapter in _CHAPTERS)


__all__ = ["ExtractError", "Extraction", "Sorted", "check", "extract", "render", "write"]
