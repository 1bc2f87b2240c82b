"""Joins the definitions of an extension's plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import Document, Enumerant, Function, Gate
from clconform.tools.extract.alignments import alignments_of
from clconform.tools.extract.drafting import add_clauses, add_rows, add_success
from clconform.tools.extract.extension_text import read_extension
from clconform.tools.extract.facts import facts_of
from clconform.tools.extract.prose import Sentence, with_lists

if TYPE_CHECKING:
    from clconform.tools.extract.blocks import Source
    from clconform.tools.extract.gathered import Gathered


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
    add_clauses(found.clauses, source.key, into.functions, into)
    for clause in found.clauses:
        into.drafts += alignments_of(clause, into.functions, source.key, {})
    for function in found.functions:
        text = found.success.get(function.name, "")
        add_success(function, text, source.key, function.section, into)
    add_rows(found.rows, source.key, into)
    for table in found.tables:
        drafts = facts_of(table, source.key, into.functions)
        for draft in drafts:
            draft.record = msgspec.structs.replace(draft.record, gates=gate)
        into.drafts += drafts
        into.unparsed += [] if drafts else [f"{source.key}: unread table: {table.text}"]
    lists = with_lists([text for _, text, _ in found.prose])
    for (context, _, section), (text, listed) in zip(found.prose, lists, strict=True):
        own = functions.get(context)
        names = tuple(p.name for p in own.parameters) if own else ()
        about = context if own else ""
        into.sentences.append(Sentence(context, text, section, source.key, about, gate, names, listed=listed))


def _group(introduction: str, functions: dict[str, Function]) -> str:
    """Return the type of the values in a list, from the sentence above it; empty if it does not name a parameter."""
    if "command types" in introduction:
        return "cl_command_type"
    named = re.search(r"<(\w+)> parameter of (cl\w+)", introduction)
    function = functions.get(named[2]) if named else None
    parameters = function.parameters if function else ()
    return next((parameter.base for parameter in parameters if named and parameter.name == named[1]), "")
