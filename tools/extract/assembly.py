"""Joins the results of the readers for a specification in HTML: requirements, tables and prose."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import Document, Gate, ImageFormat, OptionalBehaviour, Query, SizeRule
from clconform.tools.extract.alignments import alignments_of
from clconform.tools.extract.choices import choices_in
from clconform.tools.extract.clauses import Clause, errors_of
from clconform.tools.extract.comparing import compare_defined, note_mentions
from clconform.tools.extract.drafting import add_clauses, add_rows, add_success, row_sentences, success_text
from clconform.tools.extract.facts import facts_of, ragged
from clconform.tools.extract.limits import exempts_custom_devices, limits_of
from clconform.tools.extract.prose import Sentence, sentences_of
from clconform.tools.extract.queries import Row, Rows, rows_of, sharing_in
from clconform.tools.extract.scopes import Scope, referred_in, scopes_of
from clconform.tools.extract.sizes import sizes_of
from clconform.tools.extract.states import Names, cycles_of
from clconform.tools.extract.witness import squeezed
from clconform.tools.extract.wording import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.spec_tables.records import Function, Record
    from clconform.tools.extract.blocks import Block, Source
    from clconform.tools.extract.clauses import Errors
    from clconform.tools.extract.gathered import Gathered
    from clconform.tools.extract.registry import Registry

_FULL = re.compile(r"For full profile devices\b")
_OF_PLATFORMS = re.compile(r"\boptional for platforms\b")
"""Matches, before a table, a feature that is optional for platforms, not for devices."""
_WHOLE_PROFILE = (Gate("profile", name="FULL_PROFILE"),)
_NUMBERED = re.compile(r"Table \d+\.")
_OF_A_CHAPTER = re.compile(r"\w+(\.\w+)?")


def gather_html(source: Source, registry: Registry, into: Gathered, *, extension: bool = False) -> None:
    """Add a specification in HTML: functions, error conditions, successes, tables and prose.

    ``extension``: it specifies an extension, whose name is the document's key and an applicability condition of all
    that it defines.
    """
    into.documents.append(Document(source.key, source.title, source.revision, source.digest, _chapters(source)))
    scopes = scopes_of(source.blocks, source.key)
    _settle(scopes)
    gate = (Gate("extension", name=source.key),) if extension else ()
    for scope in scopes:
        scope.functions = [
            msgspec.structs.replace(function, gates=(*gate, *function.gates)) for function in scope.functions
        ]
    into.functions.update({function.name: function for scope in scopes for function in scope.functions})
    functions = into.functions
    described: list[Row] = []
    embedded: list[Row] = []
    into.differences += compare_defined(source, into.enumerants)
    note_mentions(source, into.enumerants)
    clauses: list[Clause] = []
    sharing = sharing_in(scopes)
    for scope in scopes:
        errors = errors_of(scope, registry.codes)
        clauses += errors.clauses
        rows = rows_of(scope, functions, sharing)
        rows.rows = [dataclasses.replace(row, gates=(*gate, *row.gates)) for row in rows.rows]
        into.unparsed += [f"{source.key} {scope.section.number}: no row: {text[:60]}" for text in rows.unread]
        _add_errors(scope, errors, source.key, into)
        _add_successes(scope, errors, source.key, into)
        add_rows(rows.rows, source.key, into)
        described += [row for row in rows.rows if not row.again]
        embedded += rows.embedded
        _add_facts(scope, rows.taken, source.key, gate, into)
        shared = (*gate, *_of_section(scope, scopes))
        for sentence in _sentences(scope, errors, rows, source.key, functions):
            into.sentences.append(dataclasses.replace(sentence, gates=sentence.gates or shared))

    told = Names(functions, registry.types, into.enumerants, source.key)
    for cycle in (cycles_of(scope, told) for scope in scopes):
        into.drafts += cycle.drafts
        into.unparsed += cycle.unread
    queries = [row for row in described if row.kind == "query"]
    _add_limits(queries, embedded, exempts_custom_devices(source.blocks, queries), source.key, into)
    listed = {draft.family for draft in into.drafts}
    more = choices_in(described, source.key, registry.types, into.enumerants)
    into.drafts += [draft for draft in more if draft.family not in listed]
    units = {d.record.name: d.record.unit for d in into.drafts if isinstance(d.record, Query)}
    _add_sizes(scopes, source.key, registry, units, into)
    _add_alignments(clauses, source.key, units, into)


def _add_errors(scope: Scope, errors: Errors, document: str, into: Gathered) -> None:
    """Add the error conditions of a scope; note conditions that were not understood or hold for other functions too."""
    into.clauses += sum(clause.code != "NULL" for clause in errors.clauses)
    into.unparsed += [
        f"{document} {scope.section.number}: the list below a condition of {scope.functions[0].name} is neither one of "
        f"alternatives nor a part of the condition ({digest(text)})"
        for text in errors.unclear
    ]
    add_clauses(errors.clauses, document, into.functions, into)
    into.referred += referred_in(scope)
    if errors.inherits:
        into.inherited.append((scope.functions[0], errors.inherits, errors.replaces, scope.section))
    if errors.clauses:
        last = scope.functions[-1].name
        printed = into.printed.setdefault(document, {}).setdefault(last, [])
        for clause in errors.clauses:
            item = (clause.code, squeezed(clause.part_of or clause.text))
            if not clause.part_of or printed[-1:] != [item]:
                printed.append(item)


def _sentences(
    scope: Scope, errors: Errors, rows: Rows, document: str, functions: Mapping[str, Function]
) -> Iterator[Sentence]:
    """Yield the sentences of a scope: its prose, rows of its tables, and items of error lists without a code."""
    taken = [*errors.taken, *rows.taken]
    yield from sentences_of(scope, taken, set(errors.success.values()), document, functions)
    for row in rows.rows:
        if not row.again:
            yield from row_sentences(row, document)
    for text in errors.unread:
        function, names = scope.functions[0], scope.parameter_names()
        yield Sentence(function.name, text, scope.section, document, function.name, function.gates, names)


def _of_section(scope: Scope, scopes: list[Scope]) -> tuple[Gate, ...]:
    """Return the extensions that all functions below a section need, or nothing if there is only one function."""
    if scope.functions or not scope.section.number:
        return ()
    inside = [
        function.gates
        for other in scopes
        for function in other.functions
        if f"{other.section.number}.".startswith(f"{scope.section.number}.")
    ]
    extensions = [{gate for gate in gates if gate.subject == "extension"} for gates in inside]
    return tuple(sorted(set.intersection(*extensions), key=lambda gate: gate.name)) if len(extensions) > 1 else ()


def _add_successes(scope: Scope, errors: Errors, document: str, into: Gathered) -> None:
    """Add the success requirement of each function of a scope."""
    for function in scope.functions:
        text = success_text(function, errors)
        add_success(function, text, document, scope.section, into, errors.marks.get(text))


def _add_facts(scope: Scope, taken: list[Block], document: str, gate: tuple[Gate, ...], into: Gathered) -> None:
    """Add the facts of the other tables; note an unread table if it has a number or headings."""
    introduction = ""
    for block in scope.blocks:
        introduction = block.text if block.kind == "paragraph" else introduction
        if block.kind != "table" or any(block is other for other in taken):
            continue
        drafts = facts_of(block, document, into.functions)
        shared = (*gate, *(_WHOLE_PROFILE if _FULL.match(introduction) else ()))
        for draft in drafts:
            if isinstance(draft.record, OptionalBehaviour) and _OF_PLATFORMS.search(introduction):
                own = tuple(msgspec.structs.replace(each, subject="platform-version") for each in draft.record.gates)
                draft.record = msgspec.structs.replace(draft.record, gates=own)
            before = (*shared, *_provided(draft.record, into))
            gates = (*(own for own in before if own not in draft.record.gates), *draft.record.gates)
            draft.record = msgspec.structs.replace(draft.record, gates=gates)
        into.drafts += drafts
        if drafts:
            into.unparsed += [
                f"{document} {block.section.number}: a row that lacks a cell: {digest(row)}" for row in ragged(block)
            ]
        elif _NUMBERED.match(block.text) or any(block.header):
            into.tables.append((document, block.text or f"{block.section.title}: {', '.join(sorted(block.header))}"))


def _provided(record: Record, into: Gathered) -> tuple[Gate, ...]:
    """Return the extension that provides an image format's channel order; without it no device has the format."""
    order = into.enumerants.get(record.order) if isinstance(record, ImageFormat) else None
    return tuple(gate for gate in order.gates if gate.subject == "extension") if order else ()


def _add_sizes(scopes: list[Scope], document: str, registry: Registry, units: dict[str, str], into: Gathered) -> None:
    """Add the size rules; in addition to a minimum, 0 is allowed if another rule defines its meaning."""
    for scope in scopes:
        sizes = sizes_of(scope, document, into.functions, registry.types, units)
        into.drafts += sizes.drafts
        into.sizes += [(f"{document} {scope.section.number}", key) for key in dict.fromkeys(sizes.unread)]
    defaults = _defaults(into)
    for draft in into.drafts:
        rule = draft.record
        if isinstance(rule, SizeRule) and rule.relation == "at-least" and (rule.function, rule.subject) in defaults:
            draft.record = msgspec.structs.replace(rule, allows_zero=True)


def _defaults(into: Gathered) -> frozenset[tuple[str, str]]:
    """Return the functions and parameters for which a size rule defines the meaning of 0."""
    sized = [draft.record for draft in into.drafts if isinstance(draft.record, SizeRule)]
    return frozenset((rule.function, rule.subject) for rule in sized if "zero-given" in rule.when)


def _add_alignments(clauses: list[Clause], document: str, units: dict[str, str], into: Gathered) -> None:
    """Add the alignment rules; if a size rule defines the meaning of 0, 0 is allowed."""
    defaults = _defaults(into)
    for clause in clauses:
        into.drafts += alignments_of(clause, into.functions, document, units, defaults)


def _add_limits(
    queries: list[Row],
    embedded: list[Row],
    custom_exempt: bool,  # noqa: FBT001 (all arguments are positional here)
    document: str,
    into: Gathered,
) -> None:
    special = {row.name for row in embedded}
    for rows, small in ((queries, False), (embedded, True)):
        for row in rows:
            into.drafts += limits_of(
                row, document, embedded=small, by_profile=row.name in special, custom_exempt=custom_exempt
            )


def _chapters(source: Source) -> dict[str, str]:
    """Return the titles by number, sorted by title: sorted by number, they would reproduce the table of contents."""
    headings = (block.section for block in source.blocks if block.kind == "heading")
    chapters = {each.number: each.title for each in headings if _OF_A_CHAPTER.fullmatch(each.number)}
    return dict(sorted(chapters.items(), key=lambda chapter: chapter[1]))


def _settle(scopes: list[Scope]) -> None:
    """Keep a function that several scopes declare only in the last of them, where it is described."""
    seen: set[str] = set()
    for scope in reversed(scopes):
        scope.functions = [function for function in scope.functions if function.name not in seen]
        seen |= {function.name for function in scope.functions}
