"""Converts error conditions, successes and rows of tables from the readers into draft requirements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import (
    Condition,
    ErrorCondition,
    Function,
    PartitionScheme,
    Property,
    Query,
    Section,
    Success,
)
from clconform.tools.extract.alignments import unit_in
from clconform.tools.extract.condition_patterns import parse_condition
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.prose_sentences import ProseSentence, pair_with_lists
from clconform.tools.extract.prototypes import counterpart_parameter_names, with_described_names
from clconform.tools.extract.query_tables import NameRow, find_list_end, listed_values, parse_return_type
from clconform.tools.extract.sentence_text import find_own_parameters, find_symbols, sentence_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.spec_tables.requirements import Requirement
    from clconform.tools.extract.document_contents import DocumentContents
    from clconform.tools.extract.error_conditions import FoundCondition, ScopeErrors

_OWN_CODE = re.compile(r"^(?:CL_\w+)\W+")


def find_success_text(function: Function, errors: ScopeErrors) -> str:
    """Return the text about a successful call of a function, or the common text for all functions of its scope."""
    own = errors.success.get(function.name)
    return own or next(iter(errors.success.values()), "")


def add_success(
    function: Function,
    text: str,
    document: str,
    section: Section,
    into: DocumentContents,
    marked: frozenset[str] | None = None,
) -> None:
    """Add the success requirement of a function.

    ``marked``: the words that are formatted as names; None if the document does not format names.
    """
    names = tuple(parameter.name for parameter in function.parameters)
    requirement = Success(
        id="",
        document=document,
        section=section,
        digest=sentence_digest(text or function.name),
        applicability=function.applicability,
        symbols=find_symbols(text),
        parameters=find_own_parameters(text, names, marked),
        function=function.name,
    )
    into.drafts.append(RequirementDraft(f"{function.name}/success", requirement, numbered=False))


def add_conditions(
    clauses: list[FoundCondition], document: str, functions: dict[str, Function], into: DocumentContents
) -> None:
    """Add every error condition, once for each function that it concerns."""
    for clause in clauses:
        into.clause_texts[sentence_digest(clause.text)] = clause.text
        for name in clause.functions:
            function = functions[name]
            own = counterpart_parameter_names(function, [functions[other] for other in clause.functions])
            words = clause.text if clause.code == "NULL" else _OWN_CODE.sub("", clause.text)
            condition = _condition(clause, with_described_names(function, own, clause.text), into.bitfields)
            names = _parameters(clause, words, function, own, condition)
            requirement = ErrorCondition(
                id="",
                document=document,
                section=clause.section,
                digest=sentence_digest(clause.text),
                applicability=(
                    *function.applicability,
                    *(gate for gate in clause.applicability if gate not in function.applicability),
                ),
                symbols=find_symbols(words),
                parameters=tuple(dict.fromkeys(own.get(each, each) for each in names)),
                function=name,
                code=clause.code,
                condition=msgspec.structs.replace(
                    condition, parameters=tuple(own.get(each, each) for each in condition.parameters)
                ),
            )
            part_of = sentence_digest(clause.part_of) if clause.part_of else ""
            into.drafts.append(RequirementDraft(f"{name}/{clause.code}", requirement, part_of=part_of))


def _condition(clause: FoundCondition, function: Function, bitfields: frozenset[str]) -> Condition:
    return parse_condition(
        clause.code, re.sub(r"<(\w+)>", r"\1", clause.text), function, clause.formatted_names, bitfields
    )


def _parameters(
    clause: FoundCondition, words: str, function: Function, own: Mapping[str, str], condition: Condition
) -> tuple[str, ...]:
    """Return the parameters that the text ``words`` mentions, including unformatted parameters of ``condition``.

    ``own``: maps parameter names of counterparts to the function's own names.
    """
    names = (*(parameter.name for parameter in function.parameters), *own)
    marked = (
        clause.formatted_names
        if clause.formatted_names is None
        else clause.formatted_names | frozenset(condition.parameters)
    )
    return find_own_parameters(words, names, marked)


def add_rows(rows: list[NameRow], document: str, into: DocumentContents) -> None:
    """Add a requirement for every name in the rows of tables."""
    for row in rows:
        text = " ".join((row.name, row.type, *row.description))
        facts = {
            "id": "",
            "document": document,
            "section": row.section,
            "digest": sentence_digest(text),
            "applicability": row.applicability,
            "symbols": tuple(name for name in find_symbols(" ".join(row.description)) if name != row.name),
            "function": row.function,
            "name": row.name,
        }
        into.drafts.append(_row_draft(row, facts, into))


def _row_draft(row: NameRow, facts: dict[str, object], into: DocumentContents) -> RequirementDraft:
    requirement: Requirement
    if row.kind == "query":
        element, shape = parse_return_type(row.type, row.description)
        query = {
            "type": element,
            "shape": shape,
            "unit": unit_in(row.description),
            "deprecated_by": row.deprecated_by,
        }
        requirement = msgspec.convert({**facts, **query}, Query)
        taken = {draft.family for draft in into.drafts if isinstance(draft.requirement, Query)}
        family = f"{row.name}@{row.function}" if row.name in taken else row.name
    elif row.kind == "partition":
        choices = tuple(name for name in listed_values(row.description) if name != row.name)
        scheme = {"value_type": row.type, "list_end": find_list_end(row.description), "choices": choices}
        requirement = msgspec.convert({**facts, **scheme}, PartitionScheme)
        family = row.name
    else:
        requirement = msgspec.convert({**facts, "value_type": row.type}, Property)
        family = f"{row.name}@{row.function}"
    into.subjects.setdefault(row.name, row.function)
    return RequirementDraft(family, requirement, numbered=False)


def sentences_of_row(row: NameRow, document: str) -> list[ProseSentence]:
    """Return the sentences in the description of a row that are about the row's name."""
    return [
        ProseSentence(row.name, sentence, row.section, document, row.function, row.applicability, listed=listed)
        for sentence, listed in pair_with_lists(row.description)
        if _is_about_row(sentence, row)
    ]


def _is_about_row(sentence: str, row: NameRow) -> bool:
    """Return whether a sentence in a row's description is about the row's name.

    Such a sentence mentions the name, or does not mention any name of the same table row.
    """
    named = [name for name in find_symbols(sentence) if name in row.row_names]
    return row.name in named or not named
