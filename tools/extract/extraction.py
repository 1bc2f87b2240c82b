"""The extraction as a whole: every document of a folder is read, joined, numbered and compared."""

from __future__ import annotations

import collections
import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables import loading
from clconform.spec_tables.entries import SentenceCount
from clconform.spec_tables.records import (
    Document,
    Effect,
    Enumerant,
    Erratum,
    ErrorClause,
    Extension,
    Function,
    Limit,
    Query,
    Record,
    Type,
    UsageRule,
)
from clconform.tools.extract.assembly_registry import add_registry
from clconform.tools.extract.drafts import Rewordings, inherited, number
from clconform.tools.extract.gathering import MAIN, gather
from clconform.tools.extract.headers import newest_order
from clconform.tools.extract.ledger import LEDGER, Entry, Ledger, shared_by
from clconform.tools.extract.mappings import unnumbered
from clconform.tools.extract.matching import version_in
from clconform.tools.extract.prose import (
    UNSORTED,
    Classification,
    Sentence,
    Sorting,
    is_sorted,
    referred,
    sort_sentences,
)
from clconform.tools.extract.queries import is_known_type
from clconform.tools.extract.reading import ExtractError, naming, shown
from clconform.tools.extract.registry import KEY, read_registry
from clconform.tools.extract.rendering import Names
from clconform.tools.extract.sources import documents_in
from clconform.tools.extract.states import without_transitions
from clconform.tools.extract.witness import compare_rendering
from clconform.tools.extract.wording import digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from clconform.tools.extract.gathered import Gathered


@dataclasses.dataclass(slots=True)
class Extraction:
    """The result of reading. ``unparsed``: text that a reader recognised but could not read; it must be empty.

    ``classed``: the sentences of the normative chapters with their classes (``prose.Sorting``); unclassified ones are
    in ``unparsed`` as well, by context and digest. ``clause_texts``: the sentences of error conditions, by digest.
    ``differences``: where two sources disagree. ``explained``: the reasons, from the committed list, which must contain
    all differences. ``clauses``: number of error conditions as the documents list them (one that two functions share
    counts once).
    """

    functions: list[Function]
    types: list[Type]
    enumerants: list[Enumerant]
    records: list[Record]
    errata: list[Erratum]
    documents: list[Document]
    extensions: list[Extension]
    dispatch: list[str]
    ledger: Ledger
    unparsed: list[str]
    differences: list[str]
    explained: dict[str, str] = dataclasses.field(default_factory=dict)
    clauses: int = 0
    classed: list[tuple[Sentence, str]] = dataclasses.field(default_factory=list)
    clause_texts: dict[str, str] = dataclasses.field(default_factory=dict)
    compared: Rewordings = dataclasses.field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        """The sentences of requirements, by digest."""
        return {digest(sentence.text): sentence.text for sentence, _ in self.classed} | self.clause_texts

    def unsorted(self) -> list[Sentence]:
        """Return the sentences of the prose that are not classified."""
        return [sentence for sentence, sort in self.classed if sort == UNSORTED]

    def reworded(self) -> list[tuple[str, str]]:
        """Return id and sentence of the error conditions whose wording is not known to keep the meaning of the id."""
        return [
            (record.id, self.clause_texts.get(record.digest, ""))
            for record in self.records
            if isinstance(record, ErrorClause) and record.reworded and not record.same_as
        ]

    def renewed(self, older: Collection[str]) -> list[tuple[str, list[str], str]]:
        """Return the new requirements that may stand for older ones that their family lost or reworded.

        ``older``: ids of the older tables. Requirements that were already compared are excluded. Each new id comes with
        the older candidates and with its sentence.
        """
        here = {record.id for record in self.records} - {name for name, _ in self.reworded()}
        lost: dict[str, list[str]] = {}
        for name in older:
            if name not in here and "/via/" not in name:
                lost.setdefault(name.rpartition("/")[0], []).append(name)
        found = []
        for record in self.records:
            family = record.id.rpartition("/")[0]
            if not isinstance(record, (ErrorClause, Effect, UsageRule)) or record.id in older or family not in lost:
                continue
            entries = self.ledger.get(family, ())
            if not any(record.digest in self.compared.get(f"{family}/{entry.number}", {}) for entry in entries):
                found.append((record.id, lost[family], self.texts.get(record.digest, "")))
        return found

    def sentences(self) -> list[SentenceCount]:
        """Return the number of sentences of each chapter by class."""
        titles = {
            (document.key, number): title for document in self.documents for number, title in document.chapters.items()
        }
        counted: collections.Counter[tuple[str, str, str]] = collections.Counter()
        for sentence, sort in self.classed:
            number = ".".join(sentence.section.number.split(".")[:2])
            title = titles.get((sentence.document, number), sentence.section.title)
            counted[sentence.document, f"{number} {title}".strip(), sort] += 1
        return [SentenceCount(*where, count) for where, count in counted.items()]

    def unexplained(self) -> list[str]:
        """Return the differences for which the committed list gives no reason."""
        return [text for text in self.differences if text not in self.explained]

    def counts(self) -> dict[str, int]:
        """Return the number of items of each kind."""
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


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """Committed input other than the tables: manual (errata, classification, reasons) or learnt (the ledger).

    ``unread``: by digest, the reason why a table or a sentence on sizes is not a requirement. ``rewordings``: by id of
    an error condition, the digests of later wordings with the decisions about them.
    """

    errata: tuple[Erratum, ...]
    classification: Classification
    ledger: Ledger
    explained: dict[str, str]
    unread: dict[str, str]
    dispatch: list[str]
    rewordings: Rewordings


def read_known(folder: Path) -> Known:
    """Read it; a missing file counts as empty."""
    shared = shared_by(folder)
    return Known(
        tuple(read_kept(folder / "errata.json", list[Erratum], [])),
        read_kept(shared / "classification.json", Classification, {}),
        read_kept(shared / LEDGER, dict[str, list[Entry]], {}),
        read_kept(folder / "explained.json", dict[str, str], {}),
        read_kept(folder / "unread.json", dict[str, str], {}),
        read_kept(folder / "dispatch.json", list[str], []),
        read_kept(shared / "rewordings.json", Rewordings, {}),
    )


def extract(
    documents: Path, known: Path = loading.DATA, ledger: Ledger | None = None, *, allow_missing: bool = True
) -> Extraction:
    """Read every document in a folder.

    ``known``: the folder of tables with ids, errata and the classification of sentences. ``ledger``: the numbers to
    start from, if other than those of that folder. ``allow_missing``: the folder may lack documents that those tables
    have; rewriting the tables would lose the requirements of such a document.
    """
    found = documents_in(documents)
    committed = read_known(known)
    numbers = copy.deepcopy(committed.ledger if ledger is None else ledger)
    registry = read_registry(found.registry)
    gathered = gather(found, registry, committed.errata)
    with naming(found.registry):
        version = version_in(found.registry.stem)
        add_registry(Document(KEY, "OpenCL API registry", version, registry.digest), registry, gathered)
    if not allow_missing:
        _refuse_missing(documents, known, gathered)
    names = Names([*registry.enumerants, *registry.types, *registry.extensions])
    for path in found.renderings:
        with naming(path):
            gathered.differences += compare_rendering(path, names, registry.codes, gathered.printed)
    sorting = _prose(gathered, committed)
    records = number([*gathered.drafts, *sorting.drafts], numbers, committed.rewordings)
    for function, others, replaced, section in gathered.inherited:
        records += inherited(records, function, others, replaced, section)
    return Extraction(
        functions=list(gathered.functions.values()),
        types=[*registry.types.values(), *gathered.types.values()],
        enumerants=list(gathered.enumerants.values()),
        records=records,
        errata=list(committed.errata),
        documents=gathered.documents,
        extensions=[registry.revisions[name] for name in sorted(registry.revisions)],
        dispatch=newest_order(committed.dispatch),
        ledger=numbers,
        unparsed=_unparsed(gathered, records, sorting.unsorted(), committed, registry.types | gathered.types),
        differences=gathered.differences,
        explained=committed.explained,
        clauses=gathered.clauses,
        classed=sorting.classed,
        clause_texts=gathered.clause_texts,
        compared=committed.rewordings,
    )


def _refuse_missing(folder: Path, known: Path, gathered: Gathered) -> None:
    """Raise ExtractError for a folder that lacks a document of the tables."""
    here = {document.key for document in gathered.documents}
    missing = [each.key for each in read_kept(known / "documents.json", list[Document], []) if each.key not in here]
    if missing:
        raise ExtractError(
            f"{shown(folder)}: no file contains {' or '.join(missing)}, so the tables in {shown(known)} would lose "
            "the requirements of the missing document; put it back, or write to another folder with --out"
        )


def _prose(gathered: Gathered, committed: Known) -> Sorting:
    """Classify the sentences that need it; a sentence that is a limit does not need a separate requirement."""
    subjects = {**{name: name for name in gathered.functions}, **gathered.subjects}
    limits = {draft.record.digest for draft in gathered.drafts if isinstance(draft.record, Limit)}
    covered = [
        sentence
        for sentence in gathered.sentences
        if is_sorted(sentence, committed.classification)
        or ((sentence.document, sentence.section) not in gathered.explaining and digest(sentence.text) not in limits)
    ]
    sorting = sort_sentences(covered, committed.classification, subjects)
    drafts = tuple(sorting.drafts)
    sorting.drafts += [draft for found in gathered.referred for draft in referred(drafts, *found)]
    return sorting


def _unparsed(
    gathered: Gathered, records: list[Record], unsorted: list[Sentence], committed: Known, types: Mapping[str, Type]
) -> list[str]:
    codes = {name for name, entry in gathered.enumerants.items() if entry.value < 0} | {"NULL"}
    queries = [record for record in records if isinstance(record, Query)]
    return [
        *gathered.unparsed,
        *(
            f"{document}: unread table: {caption[:60]} ({_key(caption)})"
            for document, caption in gathered.tables
            if _key(caption) not in committed.unread
        ),
        *(
            f"{where}: a size with an unknown circumstance ({key})"
            for where, key in gathered.sizes
            if key not in committed.unread
        ),
        *(
            f"{record.id}: {record.code} is not an error code in the registry"
            for record in records
            if isinstance(record, ErrorClause) and record.code not in codes
        ),
        *(f"{query.id}: unknown type {query.type!r}" for query in queries if not is_known_type(query.type, types)),
        *(
            f"{name}: nothing leads to this state"
            for name in without_transitions(types.values(), gathered.enumerants, records, MAIN)
        ),
        *(f"{twice}: two records with this id" for twice in _twice(record.id for record in records)),
        *(
            f"{sentence.document} {sentence.section.number}: a sentence under {sentence.context} "
            f"({digest(sentence.text)}) that is not classified"
            for sentence in unsorted
        ),
    ]


def _key(caption: str) -> str:
    """Return the key of a table in the list of those without requirements; it does not depend on the table's number."""
    return digest(unnumbered(caption))


def _twice(ids: Iterable[str]) -> list[str]:
    return [name for name, count in collections.Counter(ids).items() if count > 1]


def read_kept(path: Path, kind: Any, default: Any) -> Any:
    """Return the content of a committed file, or the default if there is none; ExtractError if it is damaged."""
    if not path.exists():
        return default
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as problem:
        raise ExtractError(f"{path}: {problem}; put it back from version control") from problem
