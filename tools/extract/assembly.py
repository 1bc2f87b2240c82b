"""Combines what the readers find in a specification in HTML: requirements, tables and prose."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import (
    ApplicabilityCondition,
    Document,
    OptionalBehaviour,
    Query,
    RequiredImageFormat,
    SizeRule,
)
from clconform.tools.extract.alignments import extract_alignments
from clconform.tools.extract.assembly_registry import complete_applicability
from clconform.tools.extract.draft_creation import (
    add_conditions,
    add_rows,
    add_success,
    find_success_text,
    sentences_of_row,
)
from clconform.tools.extract.error_conditions import FoundCondition, read_errors
from clconform.tools.extract.limits import extract_limits, has_custom_device_exemption
from clconform.tools.extract.prose_sentences import ProseSentence, extract_sentences
from clconform.tools.extract.query_tables import NameRow, ScopeRows, find_shared_tables, read_rows
from clconform.tools.extract.scopes import FunctionScope, find_referred_parameters, split_scopes
from clconform.tools.extract.sentence_text import sentence_digest
from clconform.tools.extract.size_rules import extract_sizes
from clconform.tools.extract.source_differences import add_mentions, compare_values
from clconform.tools.extract.state_cycles import KnownNames, extract_cycles
from clconform.tools.extract.table_facts import extract_facts, ragged_rows
from clconform.tools.extract.text_crosscheck import without_blanks
from clconform.tools.extract.value_sets import extract_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.spec_tables.requirements import Function, Requirement
    from clconform.tools.extract.document_blocks import DocumentBlock, SourceDocument
    from clconform.tools.extract.document_contents import DocumentContents
    from clconform.tools.extract.error_conditions import ScopeErrors
    from clconform.tools.extract.xml_registry import XmlRegistry

_FULL_PROFILE_TEXT = re.compile(r"For full profile devices\b")
_PLATFORM_OPTION = re.compile(r"\boptional for platforms\b")
"""Matches the text before a table of features that are optional for platforms instead of devices."""
_FULL_PROFILE_CONDITION = (ApplicabilityCondition("profile", name="FULL_PROFILE"),)
_NUMBERED_TABLE = re.compile(r"Table \d+\.")
_CHAPTER_NUMBER = re.compile(r"\w+(\.\w+)?")


def add_html(source: SourceDocument, registry: XmlRegistry, into: DocumentContents, *, extension: bool = False) -> None:
    """Add a specification in HTML: functions, error conditions, successes, tables and prose.

    ``extension``: the document specifies an extension. Its key is the name of the extension, which becomes an
    applicability condition of all definitions.
    """
    into.documents.append(Document(source.key, source.title, source.revision, source.digest, _chapter_titles(source)))
    scopes = split_scopes(source.blocks, source.key)
    _keep_last_declaration(scopes)
    gate = (ApplicabilityCondition("extension", name=source.key),) if extension else ()
    for scope in scopes:
        scope.functions = [
            complete_applicability(
                msgspec.structs.replace(function, applicability=(*gate, *function.applicability)), registry
            )
            for function in scope.functions
        ]
    into.functions.update({function.name: function for scope in scopes for function in scope.functions})
    functions = into.functions
    described: list[NameRow] = []
    embedded: list[NameRow] = []
    into.differences += compare_values(source, into.enumerants)
    add_mentions(source, into.enumerants)
    clauses: list[FoundCondition] = []
    sharing = find_shared_tables(scopes)
    for scope in scopes:
        errors = read_errors(scope, registry.codes)
        clauses += errors.conditions
        rows = read_rows(scope, functions, sharing)
        rows.rows = [dataclasses.replace(row, applicability=(*gate, *row.applicability)) for row in rows.rows]
        into.unparsed += [f"{source.key} {scope.section.number}: no row: {text[:60]}" for text in rows.unread]
        _add_errors(scope, errors, source.key, into)
        _add_successes(scope, errors, source.key, into)
        add_rows(rows.rows, source.key, into)
        described += [row for row in rows.rows if not row.is_shared]
        embedded += rows.embedded
        _add_facts(scope, rows.read_blocks, source.key, gate, into)
        shared = (*gate, *_section_extensions(scope, scopes))
        for sentence in _sentences(scope, errors, rows, source.key, functions):
            into.sentences.append(dataclasses.replace(sentence, applicability=sentence.applicability or shared))

    told = KnownNames(functions, registry.types, into.enumerants, source.key)
    for cycle in (extract_cycles(scope, told) for scope in scopes):
        into.drafts += cycle.drafts
        into.unparsed += cycle.unread
    queries = [row for row in described if row.kind == "query"]
    _add_limits(queries, embedded, has_custom_device_exemption(source.blocks, queries), source.key, into)
    listed = {draft.family for draft in into.drafts}
    more = extract_values(described, source.key, registry.types, into.enumerants)
    into.drafts += [draft for draft in more if draft.family not in listed]
    units = {d.requirement.name: d.requirement.unit for d in into.drafts if isinstance(d.requirement, Query)}
    _add_sizes(scopes, source.key, registry, units, into)
    _add_alignments(clauses, source.key, units, into)


def _add_errors(scope: FunctionScope, errors: ScopeErrors, document: str, into: DocumentContents) -> None:
    """Add the error conditions of a scope; store its unclear lists and the functions whose conditions it inherits."""
    into.num_conditions += sum(clause.code != "NULL" for clause in errors.conditions)
    into.unparsed += [
        f"{document} {scope.section.number}: the list below a condition of {scope.functions[0].name} is neither one of "
        f"alternatives nor a part of the condition ({sentence_digest(text)})"
        for text in errors.unclear
    ]
    add_conditions(errors.conditions, document, into.functions, into)
    into.referred_parameters += find_referred_parameters(scope)
    if errors.inherits:
        into.inherited.append((scope.functions[0], errors.inherits, errors.replaces, scope.section))
    if errors.conditions:
        last = scope.functions[-1].name
        printed = into.printed.setdefault(document, {}).setdefault(last, [])
        for clause in errors.conditions:
            item = (clause.code, without_blanks(clause.part_of or clause.text))
            if not clause.part_of or printed[-1:] != [item]:
                printed.append(item)


def _sentences(
    scope: FunctionScope, errors: ScopeErrors, rows: ScopeRows, document: str, functions: Mapping[str, Function]
) -> Iterator[ProseSentence]:
    """Yield the sentences of a scope.

    They are in its prose, in the rows of its tables, and in list items about errors without a code.
    """
    taken = [*errors.read_blocks, *rows.read_blocks]
    yield from extract_sentences(scope, taken, set(errors.success.values()), document, functions)
    for row in rows.rows:
        if not row.is_shared:
            yield from sentences_of_row(row, document)
    for text in errors.unread:
        function, names = scope.functions[0], scope.parameter_names()
        yield ProseSentence(function.name, text, scope.section, document, function.name, function.applicability, names)


def _section_extensions(scope: FunctionScope, scopes: list[FunctionScope]) -> tuple[ApplicabilityCondition, ...]:
    """Return the extensions that all functions below a section need; empty if there is only one function."""
    if scope.functions or not scope.section.number:
        return ()
    inside = [
        function.applicability
        for other in scopes
        for function in other.functions
        if f"{other.section.number}.".startswith(f"{scope.section.number}.")
    ]
    extensions = [{gate for gate in applicability if gate.subject == "extension"} for applicability in inside]
    return tuple(sorted(set.intersection(*extensions), key=lambda gate: gate.name)) if len(extensions) > 1 else ()


def _add_successes(scope: FunctionScope, errors: ScopeErrors, document: str, into: DocumentContents) -> None:
    """Add the success requirement of each function of a scope."""
    for function in scope.functions:
        text = find_success_text(function, errors)
        add_success(function, text, document, scope.section, into, errors.formatted_names.get(text))


def _add_facts(
    scope: FunctionScope,
    taken: list[DocumentBlock],
    document: str,
    gate: tuple[ApplicabilityCondition, ...],
    into: DocumentContents,
) -> None:
    """Add the requirements in the tables that are not in ``taken``.

    A table without requirements is listed as unparsed if it has a number or headings.
    """
    introduction = ""
    for block in scope.blocks:
        introduction = block.text if block.kind == "paragraph" else introduction
        if block.kind != "table" or any(block is other for other in taken):
            continue
        drafts = extract_facts(block, document, into.functions)
        shared = (*gate, *(_FULL_PROFILE_CONDITION if _FULL_PROFILE_TEXT.match(introduction) else ()))
        for draft in drafts:
            if isinstance(draft.requirement, OptionalBehaviour) and _PLATFORM_OPTION.search(introduction):
                own = tuple(
                    msgspec.structs.replace(each, subject="platform-version")
                    for each in draft.requirement.applicability
                )
                draft.requirement = msgspec.structs.replace(draft.requirement, applicability=own)
            before = (*shared, *_format_conditions(draft.requirement, into))
            applicability = (
                *(own for own in before if own not in draft.requirement.applicability),
                *draft.requirement.applicability,
            )
            draft.requirement = msgspec.structs.replace(draft.requirement, applicability=applicability)
        into.drafts += drafts
        if drafts:
            into.unparsed += [
                f"{document} {block.section.number}: a row that lacks a cell: {sentence_digest(row)}"
                for row in ragged_rows(block)
            ]
        elif _NUMBERED_TABLE.match(block.text) or any(block.header):
            into.tables.append((document, block.text or f"{block.section.title}: {', '.join(sorted(block.header))}"))


def _format_conditions(requirement: Requirement, into: DocumentContents) -> tuple[ApplicabilityCondition, ...]:
    """Return the extension that provides the channel order of an image format; without it, no device has the format."""
    order = into.enumerants.get(requirement.order) if isinstance(requirement, RequiredImageFormat) else None
    return tuple(gate for gate in order.applicability if gate.subject == "extension") if order else ()


def _add_sizes(
    scopes: list[FunctionScope], document: str, registry: XmlRegistry, units: dict[str, str], into: DocumentContents
) -> None:
    """Add the size rules.

    A minimum also allows 0 if another rule defines the meaning of 0.
    """
    for scope in scopes:
        sizes = extract_sizes(scope, document, into.functions, registry.types, units)
        into.drafts += sizes.drafts
        into.sizes += [(f"{document} {scope.section.number}", key) for key in dict.fromkeys(sizes.unread)]
    defaults = _zero_defaults(into)
    for draft in into.drafts:
        rule = draft.requirement
        if isinstance(rule, SizeRule) and rule.relation == "at-least" and (rule.function, rule.subject) in defaults:
            draft.requirement = msgspec.structs.replace(rule, allows_zero=True)


def _zero_defaults(into: DocumentContents) -> frozenset[tuple[str, str]]:
    """Return the functions and parameters for which a size rule defines the meaning of 0."""
    sized = [draft.requirement for draft in into.drafts if isinstance(draft.requirement, SizeRule)]
    return frozenset((rule.function, rule.subject) for rule in sized if "zero-given" in rule.when)


def _add_alignments(
    clauses: list[FoundCondition], document: str, units: dict[str, str], into: DocumentContents
) -> None:
    """Add the alignment rules.

    They also allow 0 if a size rule defines the meaning of 0.
    """
    defaults = _zero_defaults(into)
    for clause in clauses:
        into.drafts += extract_alignments(clause, into.functions, document, units, defaults)


def _add_limits(
    queries: list[NameRow],
    embedded: list[NameRow],
    custom_exempt: bool,  # noqa: FBT001 (all arguments are positional here)
    document: str,
    into: DocumentContents,
) -> None:
    special = {row.name for row in embedded}
    for rows, small in ((queries, False), (embedded, True)):
        for row in rows:
            into.drafts += extract_limits(
                row, document, embedded=small, by_profile=row.name in special, custom_exempt=custom_exempt
            )


def _chapter_titles(source: SourceDocument) -> dict[str, str]:
    """Map the numbers of chapters to their titles, sorted by title.

    Numeric order would reproduce the table of contents.
    """
    headings = (block.section for block in source.blocks if block.kind == "heading")
    chapters = {each.number: each.title for each in headings if _CHAPTER_NUMBER.fullmatch(each.number)}
    return dict(sorted(chapters.items(), key=lambda chapter: chapter[1]))


def _keep_last_declaration(scopes: list[FunctionScope]) -> None:
    """If several scopes declare the same function, keep the function only in the last scope, which describes it."""
    seen: set[str] = set()
    for scope in reversed(scopes):
        scope.functions = [function for function in scope.functions if function.name not in seen]
        seen |= {function.name for function in scope.functions}
