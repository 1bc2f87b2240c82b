"""Converts error conditions, successes and rows of tables from the readers into draft requirements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.records import (
    Condition,
    ErrorClause,
    Function,
    PartitionScheme,
    Property,
    Query,
    Section,
    Success,
)
from clconform.tools.extract.alignments import unit_of
from clconform.tools.extract.conditions import condition_of
from clconform.tools.extract.drafts import Draft
from clconform.tools.extract.prose import Sentence, with_lists
from clconform.tools.extract.prototypes import as_described, names_of_twins
from clconform.tools.extract.queries import Row, choices_of, element_of, list_end_of
from clconform.tools.extract.wording import digest, own_parameters, symbols_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.spec_tables.records import Record
    from clconform.tools.extract.clauses import Clause, Errors
    from clconform.tools.extract.gathered import Gathered

_ITS_OWN = re.compile(r"^(?:CL_\w+)\W+")


def success_text(function: Function, errors: Errors) -> str:
    """Return the document's text about a successful call, or the common text of the functions of a scope."""
    own = errors.success.get(function.name)
    return own or next(iter(errors.success.values()), "")


def add_success(
    function: Function,
    text: str,
    document: str,
    section: Section,
    into: Gathered,
    marked: frozenset[str] | None = None,
) -> None:
    """Add the success requirement. ``marked``: the words formatted as names; None if there is no such format."""
    names = tuple(parameter.name for parameter in function.parameters)
    record = Success(
        id="",
        document=document,
        section=section,
        digest=digest(text or function.name),
        gates=function.gates,
        symbols=symbols_in(text),
        parameters=own_parameters(text, names, marked),
        function=function.name,
    )
    into.drafts.append(Draft(f"{function.name}/success", record, numbered=False))


def add_clauses(clauses: list[Clause], document: str, functions: dict[str, Function], into: Gathered) -> None:
    """Add every error condition once for each function that it concerns."""
    for clause in clauses:
        into.clause_texts[digest(clause.text)] = clause.text
        for name in clause.functions:
            function = functions[name]
            own = names_of_twins(function, [functions[other] for other in clause.functions])
            words = clause.text if clause.code == "NULL" else _ITS_OWN.sub("", clause.text)
            condition = _condition(clause, as_described(function, own, clause.text), into.bitfields)
            names = _parameters(clause, words, function, own, condition)
            record = ErrorClause(
                id="",
                document=document,
                section=clause.section,
                digest=digest(clause.text),
                gates=(*function.gates, *(gate for gate in clause.gates if gate not in function.gates)),
                symbols=symbols_in(words),
                parameters=tuple(dict.fromkeys(own.get(each, each) for each in names)),
                function=name,
                code=clause.code,
                condition=msgspec.structs.replace(
                    condition, parameters=tuple(own.get(each, each) for each in condition.parameters)
                ),
            )
            part_of = digest(clause.part_of) if clause.part_of else ""
            into.drafts.append(Draft(f"{name}/{clause.code}", record, part_of=part_of))


def _condition(clause: Clause, function: Function, bitfields: frozenset[str]) -> Condition:
    return condition_of(clause.code, re.sub(r"<(\w+)>", r"\1", clause.text), function, clause.marked, bitfields)


def _parameters(
    clause: Clause, words: str, function: Function, own: Mapping[str, str], condition: Condition
) -> tuple[str, ...]:
    """Return the parameters that a text names, including unformatted ones that fill its condition."""
    names = (*(parameter.name for parameter in function.parameters), *own)
    marked = clause.marked if clause.marked is None else clause.marked | frozenset(condition.parameters)
    return own_parameters(words, names, marked)


def add_rows(rows: list[Row], document: str, into: Gathered) -> None:
    """Add a requirement for every name in the rows of a table."""
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
        element, shape = element_of(row.type, row.description)
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


def row_sentences(row: Row, document: str) -> list[Sentence]:
    """Return the sentences of a row's description that are about its name."""
    return [
        Sentence(row.name, sentence, row.section, document, row.function, row.gates, listed=listed)
        for sentence, listed in with_lists(row.description)
        if _is_about(sentence, row)
    ]


def _is_about(sentence: str, row: Row) -> bool:
    """Return whether a sentence is about this name of a row: it names it, or none of the row's names."""
    named = [name for name in symbols_in(sentence) if name in row.beside]
    return row.name in named or not named
