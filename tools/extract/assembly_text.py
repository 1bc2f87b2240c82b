"""Adds the definitions in the plain text of an extension."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import ApplicabilityCondition, Document, Enumerant, Function
from clconform.tools.extract.alignments import extract_alignments
from clconform.tools.extract.draft_creation import add_conditions, add_rows, add_success
from clconform.tools.extract.extension_text import parse_extension
from clconform.tools.extract.prose_sentences import ProseSentence, pair_with_lists
from clconform.tools.extract.table_facts import extract_facts

if TYPE_CHECKING:
    from clconform.tools.extract.document_blocks import SourceDocument
    from clconform.tools.extract.document_contents import DocumentContents


def add_extension(source: SourceDocument, into: DocumentContents) -> None:
    """Add the definitions in the plain text of an extension."""
    into.documents.append(Document(source.key, source.title, source.revision, source.digest))
    found = parse_extension(source)
    functions = {function.name: function for function in found.functions}
    into.functions.update(functions)
    into.types.update({entry.name: entry for entry in found.types})
    into.differences += found.disagreements
    into.unparsed += found.unread
    gate = (ApplicabilityCondition("extension", name=source.key),)
    for name, value in found.tokens.items():
        known = into.enumerants.get(name)
        if known is not None and known.value != value:
            into.differences.append(f"{name}: {source.key} has {value}, {known.documents[0]} has {known.value}")
        if known is None:
            into.differences.append(f"{name}: in {source.key} only")
        group = known.group if known else _enumerant_group(found.introduced[name], into.functions) or source.key
        documents = (source.key, *(known.documents if known else ()))
        into.enumerants[name] = Enumerant(name, value, group, documents, gate)
    into.num_conditions += len(found.clauses)
    add_conditions(found.clauses, source.key, into.functions, into)
    for clause in found.clauses:
        into.drafts += extract_alignments(clause, into.functions, source.key, {})
    for function in found.functions:
        text = found.success.get(function.name, "")
        add_success(function, text, source.key, function.section, into)
    add_rows(found.rows, source.key, into)
    for table in found.tables:
        drafts = extract_facts(table, source.key, into.functions)
        for draft in drafts:
            draft.requirement = msgspec.structs.replace(draft.requirement, applicability=gate)
        into.drafts += drafts
        into.unparsed += [] if drafts else [f"{source.key}: unread table: {table.text}"]
    lists = pair_with_lists([text for _, text, _ in found.prose])
    for (context, _, section), (text, listed) in zip(found.prose, lists, strict=True):
        own = functions.get(context)
        names = tuple(p.name for p in own.parameters) if own else ()
        about = context if own else ""
        into.sentences.append(ProseSentence(context, text, section, source.key, about, gate, names, listed=listed))


def _enumerant_group(introduction: str, functions: dict[str, Function]) -> str:
    """Return the type of the values in a list, from the sentence above the list.

    The type is empty if the sentence does not mention a parameter.
    """
    if "command types" in introduction:
        return "cl_command_type"
    named = re.search(r"<(\w+)> parameter of (cl\w+)", introduction)
    function = functions.get(named[2]) if named else None
    parameters = function.parameters if function else ()
    return next((parameter.base for parameter in parameters if named and parameter.name == named[1]), "")
