"""Puts together what the readers found in all documents: one set of tables, with what could not be read."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import (
    Condition,
    Document,
    Enumerant,
    ErrorClause,
    Function,
    Gate,
    PartitionScheme,
    Property,
    Query,
    Section,
    Success,
    Type,
)
from clconform.tools.extract.alignments import alignments_of, unit_of
from clconform.tools.extract.clauses import Clause, Errors, errors_of
from clconform.tools.extract.comparing import compare_defined, compare_prototypes, note_mentions
from clconform.tools.extract.conditions import condition_of
from clconform.tools.extract.drafts import Draft
from clconform.tools.extract.extension_text import read_extension
from clconform.tools.extract.facts import facts_of
from clconform.tools.extract.limits import limits_of
from clconform.tools.extract.prose import Sentence, sentences_of, with_lists
from clconform.tools.extract.queries import Row, choices_of, element_of, list_end_of, rows_of
from clconform.tools.extract.scopes import Scope, scopes_of
from clconform.tools.extract.witness import Clauses, squeezed
from clconform.tools.extract.wording import digest, parameters_in, symbols_in

if TYPE_CHECKING:
    from clconform.spec_tables.records import Record
    from clconform.tools.extract.blocks import Block, Source
    from clconform.tools.extract.registry import Registry

_NUMBERED = re.compile(r"Table \d+\.")
_ITS_OWN = re.compile(r"^(?:CL_\w+)\W+")


@dataclasses.dataclass(slots=True)
class Gathered:
    """What all documents together say, before ids are given.

    ``inherited``: a function, those whose clauses hold for it too, and the codes that are replaced.
    ``tables``: document and caption of numbered tables that are no source of records.
    ``printed``: by document, the clauses as they stand there, for the comparison with another form of the document.
    """

    functions: dict[str, Function] = dataclasses.field(default_factory=dict)
    types: dict[str, Type] = dataclasses.field(default_factory=dict)
    enumerants: dict[str, Enumerant] = dataclasses.field(default_factory=dict)
    documents: list[Document] = dataclasses.field(default_factory=list)
    drafts: list[Draft] = dataclasses.field(default_factory=list)
    sentences: list[Sentence] = dataclasses.field(default_factory=list)
    subjects: dict[str, str] = dataclasses.field(default_factory=dict)
    unparsed: list[str] = dataclasses.field(default_factory=list)
    differences: list[str] = dataclasses.field(default_factory=list)
    clauses: int = 0
    inherited: list[tuple[Function, tuple[str, ...], tuple[str, ...], Section]] = dataclasses.field(
        default_factory=list
    )
    tables: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    printed: dict[str, Clauses] = dataclasses.field(default_factory=dict)


def gather_html(source: Source, registry: Registry, into: Gathered, *, extension: bool = False) -> None:
    """Add a specification in HTML: functions, clauses, successes, tables and prose.

    ``extension``: it is that of an extension, whose name is the document's key and gates all that it defines.
    """
    into.documents.append(Document(source.key, source.title, source.revision, source.digest))
    scopes = scopes_of(source.blocks, source.key)
    _settle(scopes)
    gate = (Gate("extension", name=source.key),) if extension else ()
    for scope in scopes:
        scope.functions = [
            msgspec.structs.replace(function, gates=(*gate, *function.gates)) for function in scope.functions
        ]
    into.functions.update({function.name: function for scope in scopes for function in scope.functions})
    functions = into.functions
    queries: list[Row] = []
    embedded: list[Row] = []
    into.differences += compare_defined(source, into.enumerants)
    note_mentions(source, into.enumerants)
    clauses: list[Clause] = []
    for scope in scopes:
        errors = errors_of(scope, registry.codes)
        clauses += errors.clauses
        rows = rows_of(scope, functions)
        rows.rows = [dataclasses.replace(row, gates=(*gate, *row.gates)) for row in rows.rows]
        into.clauses += sum(clause.code != "NULL" for clause in errors.clauses)
        into.unparsed += [f"{source.key} {scope.section.number}: no row: {text[:60]}" for text in rows.unread]
        _add_clauses(errors.clauses, source.key, functions, into)
        if errors.inherits:
            into.inherited.append((scope.functions[0], errors.inherits, errors.replaces, scope.section))
        if errors.clauses:
            last = scope.functions[-1].name
            printed = into.printed.setdefault(source.key, {}).setdefault(last, [])
            printed += [(clause.code, squeezed(clause.text)) for clause in errors.clauses]
        for function in scope.functions:
            _add_success(function, _success_text(function, errors), source.key, scope.section, into)
        _add_rows(rows.rows, source.key, into)
        queries += [row for row in rows.rows if row.kind == "query"]
        embedded += rows.embedded
        taken = [*errors.taken, *rows.taken, *_add_facts(scope, rows.taken, source.key, into)]
        into.sentences += sentences_of(scope, taken, set(errors.success.values()), source.key)
        into.sentences += [sentence for row in rows.rows for sentence in _row_sentences(row, source.key)]
        for text in errors.unread:
            function = scope.functions[0]
            names = scope.parameter_names()
            into.sentences.append(
                Sentence(
                    function.name, text, scope.section, source.key, function.name, function.gates, names, pressing=True
                )
            )

    _add_limits(queries, embedded, source.key, into)
    units = {d.record.name: d.record.unit for d in into.drafts if isinstance(d.record, Query)}
    for clause in clauses:
        into.drafts += alignments_of(clause, functions, source.key, units)


def _add_facts(scope: Scope, taken: list[Block], document: str, into: Gathered) -> list[Block]:
    """Add what the other tables say; a table with a number of its own that nobody reads is noted."""
    read = []
    for block in scope.blocks:
        if block.kind != "table" or any(block is other for other in taken):
            continue
        drafts = facts_of(block, document, into.functions)
        into.drafts += drafts
        if drafts:
            read.append(block)
        elif _NUMBERED.match(block.text):
            into.tables.append((document, block.text))
    return read


def _add_limits(queries: list[Row], embedded: list[Row], document: str, into: Gathered) -> None:
    special = {row.name for row in embedded}
    for rows, small in ((queries, False), (embedded, True)):
        for row in rows:
            into.drafts += limits_of(row, document, embedded=small, by_profile=row.name in special)


def _settle(scopes: list[Scope]) -> None:
    """Return a function declared in several places belongs to the last of them, where it is described."""
    seen: set[str] = set()
    for scope in reversed(scopes):
        scope.functions = [function for function in scope.functions if function.name not in seen]
        seen |= {function.name for function in scope.functions}


def gather_extension(source: Source, into: Gathered) -> None:
    """Add an extension's plain text."""
    into.documents.append(Document(source.key, source.title, source.revision, source.digest))
    found = read_extension(source)
    functions = {function.name: function for function in found.functions}
    into.functions.update(functions)
    into.types.update({entry.name: entry for entry in found.types})
    into.differences += found.disagreements
    into.unparsed += found.unread
    gate = (Gate("extension", name=source.key),)
    for name, value in found.tokens.items():
        known = into.enumerants.get(name)
        if known is not None and known.value != value:
            into.differences.append(f"{name}: {source.key} has {value}, {known.documents[0]} has {known.value}")
        if known is None:
            into.differences.append(f"{name}: in {source.key} only")
        group = known.group if known else _group(found.introduced[name], into.functions) or source.key
        documents = (source.key, *(known.documents if known else ()))
        into.enumerants[name] = Enumerant(name, value, group, documents, gate)
    into.clauses += len(found.clauses)
    _add_clauses(found.clauses, source.key, into.functions, into)
    for function in found.functions:
        text = found.success.get(function.name, "")
        _add_success(function, text, source.key, function.section, into)
    _add_rows(found.rows, source.key, into)
    for table in found.tables:
        drafts = facts_of(table, source.key, into.functions)
        for draft in drafts:
            draft.record = msgspec.structs.replace(draft.record, gates=gate)
        into.drafts += drafts
        into.unparsed += [] if drafts else [f"{source.key}: a table that nobody reads: {table.text}"]
    lists = with_lists([text for _, text, _ in found.prose])
    for (context, _, section), (text, listed) in zip(found.prose, lists, strict=True):
        own = functions.get(context)
        names = tuple(p.name for p in own.parameters) if own else ()
        about = context if own else ""
        into.sentences.append(Sentence(context, text, section, source.key, about, gate, names, listed=listed))


def _group(introduction: str, functions: dict[str, Function]) -> str:
    """Return the type of the values in a list, from the sentence above it; empty where that names no parameter."""
    if "command types" in introduction:
        return "cl_command_type"
    named = re.search(r"<(\w+)> parameter of (cl\w+)", introduction)
    function = functions.get(named[2]) if named else None
    parameters = function.parameters if function else ()
    return next((parameter.base for parameter in parameters if named and parameter.name == named[1]), "")


def add_registry(source: Document, registry: Registry, into: Gathered) -> None:
    """Add what only the registry knows, and compare what both know."""
    into.documents.append(source)
    for name, function in registry.functions.items():
        known = into.functions.get(name)
        if known is None:
            into.functions[name] = function
            _add_success(function, "", source.key, function.section, into)
        else:
            into.differences += compare_prototypes(known, function)
    into.differences += [
        f"{name}: a function of {function.document} that the registry lacks"
        for name, function in into.functions.items()
        if name not in registry.functions
    ]
    into.unparsed += registry.unread
    _settle_creations(registry, into)


def _settle_creations(registry: Registry, into: Gathered) -> None:
    """Only handles are made: of several outputs the first that is one, once their types are known."""
    for name, function in into.functions.items():
        kind = registry.types[function.creates].kind if function.creates in registry.types else ""
        if function.creates and kind != "handle":
            outs = [parameter.base for parameter in function.parameters if parameter.direction == "out"]
            handles = [base for base in outs if base in registry.types and registry.types[base].kind == "handle"]
            into.functions[name] = msgspec.structs.replace(function, creates=next(iter(handles), ""))


def _success_text(function: Function, errors: Errors) -> str:
    own = errors.success.get(function.name)
    return own or next(iter(errors.success.values()), "")


def _add_success(function: Function, text: str, document: str, section: Section, into: Gathered) -> None:
    names = tuple(parameter.name for parameter in function.parameters)
    record = Success(
        id="",
        document=document,
        section=section,
        digest=digest(text or function.name),
        gates=function.gates,
        symbols=symbols_in(text),
        parameters=parameters_in(text, names),
        function=function.name,
    )
    into.drafts.append(Draft(f"{function.name}/success", record, numbered=False))


def _add_clauses(clauses: list[Clause], document: str, functions: dict[str, Function], into: Gathered) -> None:
    for clause in clauses:
        for name in clause.functions:
            function = functions[name]
            names = tuple(parameter.name for parameter in function.parameters)
            words = _ITS_OWN.sub("", clause.text)
            record = ErrorClause(
                id="",
                document=document,
                section=clause.section,
                digest=digest(clause.text),
                gates=(*function.gates, *(gate for gate in clause.gates if gate not in function.gates)),
                symbols=symbols_in(words),
                parameters=parameters_in(words, names),
                function=name,
                code=clause.code,
                condition=_condition(clause, function),
            )
            into.drafts.append(Draft(f"{name}/{clause.code}", record))


def _condition(clause: Clause, function: Function) -> Condition:
    return condition_of(clause.code, re.sub(r"<(\w+)>", r"\1", clause.text), function)


def _add_rows(rows: list[Row], document: str, into: Gathered) -> None:
    for row in rows:
        text = " ".join((row.name, row.type, *row.description))
        facts = {
            "id": "",
            "document": document,
            "section": row.section,
            "digest": digest(text),
            "gates": row.gates,
            "symbols": tuple(name for name in symbols_in(" ".join(row.description)) if name != row.name),
            "function": row.function,
            "name": row.name,
        }
        into.drafts.append(_row_draft(row, facts, into))


def _row_draft(row: Row, facts: dict[str, object], into: Gathered) -> Draft:
    record: Record
    if row.kind == "query":
        element, shape = element_of(row.type)
        query = {
            "type": element,
            "shape": shape,
            "unit": unit_of(row.description),
            "deprecated_by": row.deprecated_by,
        }
        record = msgspec.convert({**facts, **query}, Query)
        taken = {draft.family for draft in into.drafts if isinstance(draft.record, Query)}
        family = f"{row.name}@{row.function}" if row.name in taken else row.name
    elif row.kind == "partition":
        choices = tuple(name for name in choices_of(row.description) if name != row.name)
        scheme = {"value_type": row.type, "list_end": list_end_of(row.description), "choices": choices}
        record = msgspec.convert({**facts, **scheme}, PartitionScheme)
        family = row.name
    else:
        record = msgspec.convert({**facts, "value_type": row.type}, Property)
        family = f"{row.name}@{row.function}"
    into.subjects.setdefault(row.name, row.function)
    return Draft(family, record, numbered=False)


def _row_sentences(row: Row, document: str) -> list[Sentence]:
    return [
        Sentence(row.name, sentence, row.section, document, row.function, row.gates, listed=listed)
        for sentence, listed in with_lists(row.description)
        if _is_about(sentence, row)
    ]


def _is_about(sentence: str, row: Row) -> bool:
    """Tell whether a sentence is about this name of a row with several: not if it names others of them only."""
    named = [name for name in symbols_in(sentence) if name in row.beside]
    return row.name in named or not named
