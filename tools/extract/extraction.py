"""Performs the whole extraction: reads the documents of a folder, combines them, assigns ids, and compares sources."""

from __future__ import annotations

import collections
import copy
import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables import loading
from clconform.spec_tables.entries import SentenceCount
from clconform.spec_tables.requirements import (
    Document,
    Effect,
    Enumerant,
    Erratum,
    ErrorCondition,
    Extension,
    Function,
    Limit,
    Query,
    Requirement,
    Type,
    UsageRule,
)
from clconform.spec_tables.rewordings import REWORDINGS_FILE, Rewordings
from clconform.tools.extract.assembly_registry import add_registry
from clconform.tools.extract.dispatch_header import newest_dispatch_order
from clconform.tools.extract.document_files import find_documents
from clconform.tools.extract.document_reader import MAIN_DOCUMENT, read_documents
from clconform.tools.extract.drafts import assign_ids, inherit_conditions
from clconform.tools.extract.id_ledger import LEDGER_FILE, Ledger, LedgerEntry, ledger_folder
from clconform.tools.extract.mappings import without_table_number
from clconform.tools.extract.prose_sentences import (
    UNCLASSIFIED,
    Classification,
    ProseSentence,
    SentenceClassification,
    classify_sentences,
    is_classified,
    refer_usage_rules,
)
from clconform.tools.extract.query_tables import is_known_type
from clconform.tools.extract.revision_match import version_in
from clconform.tools.extract.safe_reading import ExtractError, escape_path, naming_document
from clconform.tools.extract.sentence_text import sentence_digest
from clconform.tools.extract.state_cycles import states_without_transition
from clconform.tools.extract.text_crosscheck import compare_rendering
from clconform.tools.extract.text_rendering import NameParts
from clconform.tools.extract.xml_registry import KEY, read_registry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from clconform.tools.extract.document_contents import DocumentContents


@dataclasses.dataclass(slots=True)
class ExtractionResult:
    """The result of an extraction.

    ``unparsed``: text that a reader recognised but could not read; a valid extraction has none. ``classified``: the
    sentences of the normative chapters with their classes, as in ``SentenceClassification``; context and digest of
    unclassified sentences are also in ``unparsed``. ``clause_texts``: maps digests to sentences of error conditions.
    ``differences``: differences between two sources. ``explained``: maps differences to their reasons, from the stored
    list, which must contain all differences. ``clauses``: number of error conditions in the documents; a condition of
    several functions counts once.
    """

    functions: list[Function]
    types: list[Type]
    enumerants: list[Enumerant]
    requirements: list[Requirement]
    errata: list[Erratum]
    documents: list[Document]
    extensions: list[Extension]
    dispatch: list[str]
    ledger: Ledger
    unparsed: list[str]
    differences: list[str]
    explained: dict[str, str] = dataclasses.field(default_factory=dict)
    clauses: int = 0
    classified: list[tuple[ProseSentence, str]] = dataclasses.field(default_factory=list)
    clause_texts: dict[str, str] = dataclasses.field(default_factory=dict)
    compared: Rewordings = dataclasses.field(default_factory=dict)

    @property
    def texts(self) -> dict[str, str]:
        """Maps digests to the sentences of requirements."""
        return {sentence_digest(sentence.text): sentence.text for sentence, _ in self.classified} | self.clause_texts

    def unclassified(self) -> list[ProseSentence]:
        """Return the sentences of the prose that have no class."""
        return [sentence for sentence, sort in self.classified if sort == UNCLASSIFIED]

    def reworded_conditions(self) -> list[tuple[str, str]]:
        """Return id and sentence of the error conditions whose later wording may have changed the meaning of the id."""
        return [
            (requirement.id, self.clause_texts.get(requirement.digest, ""))
            for requirement in self.requirements
            if isinstance(requirement, ErrorCondition) and requirement.reworded and not requirement.inherited_from
        ]

    def replacement_candidates(self, older: Collection[str]) -> list[tuple[str, list[str], str]]:
        """Return new requirements that may replace lost or reworded requirements of the same family.

        ``older``: the ids in the older tables. Requirements that a person has already compared are omitted. Each new id
        comes with the older candidates and with its sentence.
        """
        here = {requirement.id for requirement in self.requirements} - {name for name, _ in self.reworded_conditions()}
        lost: dict[str, list[str]] = {}
        for name in older:
            if name not in here and "/via/" not in name:
                lost.setdefault(name.rpartition("/")[0], []).append(name)
        found = []
        for requirement in self.requirements:
            family = requirement.id.rpartition("/")[0]
            if (
                not isinstance(requirement, (ErrorCondition, Effect, UsageRule))
                or requirement.id in older
                or family not in lost
            ):
                continue
            entries = self.ledger.get(family, ())
            if not any(requirement.digest in self.compared.get(f"{family}/{entry.number}", {}) for entry in entries):
                found.append((requirement.id, lost[family], self.texts.get(requirement.digest, "")))
        return found

    def count_sentences(self) -> list[SentenceCount]:
        """Return the number of sentences for each chapter and class."""
        titles = {
            (document.key, number): title for document in self.documents for number, title in document.chapters.items()
        }
        counted: collections.Counter[tuple[str, str, str]] = collections.Counter()
        for sentence, sort in self.classified:
            number = ".".join(sentence.section.number.split(".")[:2])
            title = titles.get((sentence.document, number), sentence.section.title)
            counted[sentence.document, f"{number} {title}".strip(), sort] += 1
        return [SentenceCount(*where, count) for where, count in counted.items()]

    def unexplained_differences(self) -> list[str]:
        """Return the differences for which the stored list contains no reason."""
        return [text for text in self.differences if text not in self.explained]

    def count_all(self) -> dict[str, int]:
        """Return the number of requirements of each kind, of definitions, of differences, and of unparsed texts."""
        found = {"functions": len(self.functions), "enumerants": len(self.enumerants), "clauses listed": self.clauses}
        for requirement in self.requirements:
            kind = str(requirement.__struct_config__.tag)
            found[kind] = found.get(kind, 0) + 1
        return {
            **found,
            "differences": len(self.differences),
            "unexplained": len(self.unexplained_differences()),
            "unparsed": len(self.unparsed),
        }


@dataclasses.dataclass(frozen=True, slots=True)
class CommittedInput:
    """The stored input of an extraction other than the tables, part of which people write.

    People write the errata, the classification, the reasons and the decisions; the ledger comes from earlier
    extractions. ``explained``: maps differences to their reasons. ``unread``: maps digests to the reason why a table or
    a sentence about sizes is not a requirement. ``rewordings``: maps ids of error conditions, and then digests of later
    wordings, to decisions.
    """

    errata: tuple[Erratum, ...]
    classification: Classification
    ledger: Ledger
    explained: dict[str, str]
    unread: dict[str, str]
    dispatch: list[str]
    rewordings: Rewordings


def read_committed_input(folder: Path) -> CommittedInput:
    """Read the stored input in a folder.

    A missing file counts as empty.
    """
    shared = ledger_folder(folder)
    return CommittedInput(
        tuple(read_committed_file(folder / "errata.json", list[Erratum], [])),
        read_committed_file(shared / "classification.json", Classification, {}),
        read_committed_file(shared / LEDGER_FILE, dict[str, list[LedgerEntry]], {}),
        read_committed_file(folder / "explained.json", dict[str, str], {}),
        read_committed_file(folder / "unread.json", dict[str, str], {}),
        read_committed_file(folder / "dispatch.json", list[str], []),
        read_committed_file(shared / REWORDINGS_FILE, Rewordings, {}),
    )


def extract_documents(
    documents: Path, known: Path = loading.DATA, ledger: Ledger | None = None, *, allow_missing: bool = True
) -> ExtractionResult:
    """Extract the requirements and definitions from all documents in a folder.

    ``known``: the folder of tables with ids, errata and the classification of sentences. ``ledger``: the numbers from
    which to start; by default, those in the folder ``known``. ``allow_missing``: the folder may lack documents that the
    tables contain. Without it, new tables cannot lose the requirements of such a document.
    """
    found = find_documents(documents)
    committed = read_committed_input(known)
    numbers = copy.deepcopy(committed.ledger if ledger is None else ledger)
    registry = read_registry(found.registry)
    gathered = read_documents(found, registry, committed.errata)
    with naming_document(found.registry):
        version = version_in(found.registry.stem)
        add_registry(Document(KEY, "OpenCL API registry", version, registry.digest), registry, gathered)
    if not allow_missing:
        _check_missing(documents, known, gathered)
    names = NameParts([*registry.enumerants, *registry.types, *registry.extensions])
    for path in found.renderings:
        with naming_document(path):
            gathered.differences += compare_rendering(path, names, registry.codes, gathered.printed)
    sorting = _classify_prose(gathered, committed)
    requirements = assign_ids([*gathered.drafts, *sorting.drafts], numbers, committed.rewordings)
    for function, others, replaced, section in gathered.inherited:
        requirements += inherit_conditions(requirements, function, others, replaced, section)
    return ExtractionResult(
        functions=list(gathered.functions.values()),
        types=[*registry.types.values(), *gathered.types.values()],
        enumerants=list(gathered.enumerants.values()),
        requirements=requirements,
        errata=list(committed.errata),
        documents=gathered.documents,
        extensions=[registry.revisions[name] for name in sorted(registry.revisions)],
        dispatch=newest_dispatch_order(committed.dispatch),
        ledger=numbers,
        unparsed=_list_unparsed(
            gathered, requirements, sorting.unclassified(), committed, registry.types | gathered.types
        ),
        differences=gathered.differences,
        explained=committed.explained,
        clauses=gathered.num_conditions,
        classified=sorting.classified,
        clause_texts=gathered.clause_texts,
        compared=committed.rewordings,
    )


def _check_missing(folder: Path, known: Path, gathered: DocumentContents) -> None:
    """Raise ExtractError if the folder lacks a document that the tables contain."""
    here = {document.key for document in gathered.documents}
    missing = [
        each.key for each in read_committed_file(known / "documents.json", list[Document], []) if each.key not in here
    ]
    if missing:
        raise ExtractError(
            f"{escape_path(folder)}: no file contains {' or '.join(missing)}, so the tables in "
            f"{escape_path(known)} would lose "
            "the requirements of the missing document; put it back, or write to another folder with --out"
        )


def _classify_prose(gathered: DocumentContents, committed: CommittedInput) -> SentenceClassification:
    """Classify the sentences of the prose.

    A sentence that states a limit does not need a class.
    """
    subjects = {**{name: name for name in gathered.functions}, **gathered.subjects}
    limits = {draft.requirement.digest for draft in gathered.drafts if isinstance(draft.requirement, Limit)}
    covered = [
        sentence
        for sentence in gathered.sentences
        if is_classified(sentence, committed.classification)
        or (
            (sentence.document, sentence.section) not in gathered.informative_sections
            and sentence_digest(sentence.text) not in limits
        )
    ]
    sorting = classify_sentences(covered, committed.classification, subjects)
    drafts = tuple(sorting.drafts)
    sorting.drafts += [draft for found in gathered.referred_parameters for draft in refer_usage_rules(drafts, *found)]
    return sorting


def _list_unparsed(
    gathered: DocumentContents,
    requirements: list[Requirement],
    unsorted: list[ProseSentence],
    committed: CommittedInput,
    types: Mapping[str, Type],
) -> list[str]:
    codes = {name for name, entry in gathered.enumerants.items() if entry.value < 0} | {"NULL"}
    queries = [requirement for requirement in requirements if isinstance(requirement, Query)]
    return [
        *gathered.unparsed,
        *(
            f"{document}: unread table: {caption[:60]} ({_table_key(caption)})"
            for document, caption in gathered.tables
            if _table_key(caption) not in committed.unread
        ),
        *(
            f"{where}: a size with an unknown circumstance ({key})"
            for where, key in gathered.sizes
            if key not in committed.unread
        ),
        *(
            f"{requirement.id}: {requirement.code} is not an error code in the registry"
            for requirement in requirements
            if isinstance(requirement, ErrorCondition) and requirement.code not in codes
        ),
        *(f"{query.id}: unknown type {query.type!r}" for query in queries if not is_known_type(query.type, types)),
        *(
            f"{name}: nothing leads to this state"
            for name in states_without_transition(types.values(), gathered.enumerants, requirements, MAIN_DOCUMENT)
        ),
        *(
            f"{twice}: two records with this id"
            for twice in _duplicates(requirement.id for requirement in requirements)
        ),
        *(
            f"{sentence.document} {sentence.section.number}: a sentence under {sentence.context} "
            f"({sentence_digest(sentence.text)}) that is not classified"
            for sentence in unsorted
        ),
    ]


def _table_key(caption: str) -> str:
    """Return the digest of a table's caption without the number of the table.

    The stored list of tables without requirements contains the same digests.
    """
    return sentence_digest(without_table_number(caption))


def _duplicates(ids: Iterable[str]) -> list[str]:
    return [name for name, count in collections.Counter(ids).items() if count > 1]


def read_committed_file(path: Path, kind: Any, default: Any) -> Any:
    """Return the content of a stored file, or ``default`` if the file does not exist; ExtractError if it is damaged."""
    if not path.exists():
        return default
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as problem:
        raise ExtractError(f"{path}: {problem}; put it back from version control") from problem
