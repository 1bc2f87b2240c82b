"""Defines the combined contents of all documents before the requirements have ids."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Document, Enumerant, Function, Section, Type
    from clconform.tools.extract.drafts import RequirementDraft
    from clconform.tools.extract.prose_sentences import ProseSentence
    from clconform.tools.extract.text_crosscheck import PrintedConditions


@dataclasses.dataclass(slots=True)
class DocumentContents:
    """The combined contents of all documents before the requirements have ids.

    ``inherited``: a function, the functions whose conditions it inherits, the codes that it replaces, and a section.
    ``referred_parameters``: a function, another function that describes common parameters, and the names of these
    parameters. ``bitfields``: the types whose values are sets of flags. ``informative_sections``: document and section
    of all chapters without requirements. ``tables``: document and caption of numbered tables that are not a source of
    requirements. ``sizes``: location and digest of sentences that resemble a size rule but are not understood.
    ``clause_texts``: maps digests to sentences of error conditions. ``printed``: maps documents to their error
    conditions as printed, for comparison with another form of the document.
    """

    functions: dict[str, Function] = dataclasses.field(default_factory=dict)
    types: dict[str, Type] = dataclasses.field(default_factory=dict)
    enumerants: dict[str, Enumerant] = dataclasses.field(default_factory=dict)
    documents: list[Document] = dataclasses.field(default_factory=list)
    drafts: list[RequirementDraft] = dataclasses.field(default_factory=list)
    sentences: list[ProseSentence] = dataclasses.field(default_factory=list)
    subjects: dict[str, str] = dataclasses.field(default_factory=dict)
    unparsed: list[str] = dataclasses.field(default_factory=list)
    differences: list[str] = dataclasses.field(default_factory=list)
    bitfields: frozenset[str] = frozenset()
    informative_sections: set[tuple[str, Section]] = dataclasses.field(default_factory=set)
    num_conditions: int = 0
    inherited: list[tuple[Function, tuple[str, ...], tuple[str, ...], Section]] = dataclasses.field(
        default_factory=list
    )
    referred_parameters: list[tuple[Function, str, frozenset[str]]] = dataclasses.field(default_factory=list)
    tables: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    clause_texts: dict[str, str] = dataclasses.field(default_factory=dict)
    sizes: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    printed: dict[str, PrintedConditions] = dataclasses.field(default_factory=dict)
