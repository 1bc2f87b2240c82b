"""Gathers the information about a requirement; the sources are read once for all requirements."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, cast

import msgspec

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.fact_words import in_words, topic_in_words
from clconform.reports.wording import driver_label
from clconform.spec_tables.conditions import KINDS
from clconform.spec_tables.lookups import Lookups
from clconform.spec_tables.records import (
    AlignmentRule,
    Callback,
    Effect,
    ErrorClause,
    Limit,
    OptionalBehaviour,
    Query,
    SizeRule,
)
from clconform.tools.explain.explanation import Brief, Condition, Deviated, Explanation, Listing, Said
from clconform.tools.explain.gates import in_words as gate_in_words
from clconform.tools.explain.judging import Judges, Judging
from clconform.tools.explain.resting import entry_of
from clconform.tools.explain.sources import ROOT, Naming
from clconform.tools.explain.trying import Tried, Trying
from clconform.tools.tables import id_of, kind_of, listed_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.reports import Result
    from clconform.reports.result import RecordResult
    from clconform.spec_tables import Tables
    from clconform.tools.tables import Listed

ABOUT_ONE_SENTENCE = (ErrorClause, AlignmentRule, SizeRule)
"""Kinds of requirements that one sentence may state together: a rule, and the error condition that checks it."""
NO_CONDITION = ("other", "left-open")
OTHER_TABLES = "the result is from other tables, which do not have this requirement"
OF_CALLBACKS = "an application callback: judged with the requirements of the function that takes it"


class Known:
    """The information about the requirements of one set of tables.

    ``results``: each result with its file. The suites are collected when the first requirement is explained; ValueError
    if one cannot be imported.
    """

    def __init__(self, tables: Tables, results: Sequence[tuple[str, Result]] = ()) -> None:
        self.tables = tables
        self.records: dict[str, Listed] = {id_of(each): each for each in listed_in(tables)}
        """Every requirement and callback, by its id."""
        self._rulebook = rulebook_of(tables)
        self._results = [(path, result, {each.id: each for each in result.records}) for path, result in results]

    @functools.cached_property
    def _trying(self) -> Trying:
        return Trying(self.tables)

    @functools.cached_property
    def _judges(self) -> Judges:
        return Judges(self.tables, self._rulebook)

    @functools.cached_property
    def _tests(self) -> Naming | None:
        folder = ROOT / "tests"
        return Naming(folder.rglob("*.py")) if folder.is_dir() else None

    def words_of(self, record: Listed) -> str:
        """Return a requirement's text in our words; empty if it has no description."""
        if isinstance(record, Callback):
            parameters = ", ".join(" ".join(filter(None, (each.type, each.name))) for each in record.parameters)
            return f"An application callback: {record.returns} ({parameters})."
        return in_words(record, self._rulebook.words_of(record.id)) or topic_in_words(record)

    def brief(self, record: Listed) -> Brief:
        """Return a requirement in one line."""
        return Brief(id_of(record), kind_of(record), self.words_of(record))

    def explain(self, wanted: str) -> Explanation:
        """Return the information about the requirement with an id; KeyError if there is none."""
        record = self.records[wanted]
        results = self._results
        if isinstance(record, Callback):
            judging, tried, confidence = Judging("no-rule", OF_CALLBACKS, [], {}), Tried(None, [], []), "literal"
            results = []
        else:
            judging, tried = self._judges.of(record), self._trying.at(record)
            confidence = self._rulebook.confidence_of(record.id)
        gap = self._rulebook.unstated_in(wanted) if judging.judged == "by-rules" else None
        interpretations = {**({gap.interpretation: None} if gap else {}), **judging.interpretations}
        return Explanation(
            id=wanted,
            kind=kind_of(record),
            document=record.document,
            section=record.section.number,
            title=record.section.title,
            function=record.function,
            condition=self.words_of(record),
            applies=[gate_in_words(gate) for gate in record.gates],
            structured_condition=_condition(record) if isinstance(record, ErrorClause) else None,
            record=cast("dict[str, Any]", msgspec.to_builtins(record)),
            related=[self.brief(each) for each in self._related(record)],
            judged=judging.judged,
            reason=judging.reason,
            confidence=confidence,
            rules=judging.rules,
            valid_call=tried.valid_call,
            boundaries=tried.boundaries,
            items=tried.items,
            interpretations=[entry_of(interpretation, used) for interpretation, used in interpretations.items()],
            tests=None if self._tests is None else self._tests.of(wanted),
            results=[_said(path, result, of.get(wanted)) for path, result, of in results],
        )

    def _related(self, record: Listed) -> list[Listed]:
        """Return the related requirements: about the same query, from the same sentence, or the inherited one."""
        found: dict[str, Listed] = {}
        if isinstance(record, Query):
            found.update({each.id: each for each in Lookups.of(self.tables).about(record.name)})
        elif isinstance(record, (Limit, Effect, OptionalBehaviour)):
            name = {Limit: "name", OptionalBehaviour: "subject"}.get(type(record), "")
            query = self.records.get(getattr(record, name) if name else record.id.partition("/")[0])
            found.update({id_of(query): query} if isinstance(query, Query) else {})
        elif isinstance(record, ErrorClause) and record.same_as in self.records:
            found[record.same_as] = self.records[record.same_as]
        if isinstance(record, ABOUT_ONE_SENTENCE):
            others = (each for each in self.tables.records_of(record.function) if isinstance(each, ABOUT_ONE_SENTENCE))
            found.update({each.id: each for each in others if each.digest == record.digest})
        found.pop(id_of(record), None)
        return list(found.values())

    # names other than ids

    def listing(self, name: str) -> Listing | None:
        """Return the requirements of a function, a query, a type, or an incomplete id; None if there are none.

        If the name is itself an id, requirements with longer ids are not listed.
        """
        found = [record for record in self.records.values() if name in _names_of(record)]
        return Listing(name, [self.brief(record) for record in found]) if found else None

    def names(self) -> list[str]:
        """Return all ids, and all other names that requirements can be listed by."""
        return list(dict.fromkeys(name for record in self.records.values() for name in _names_of(record)))


def _names_of(record: Listed) -> Iterator[str]:
    """Yield a requirement's id, the id's prefixes, and the names that it is about."""
    whole = id_of(record)
    yield whole
    if record.function:
        yield record.function
    for end in re.finditer("[/:@]", whole):
        yield whole[: end.start()]
    name = getattr(record, "name", "")
    if name and not isinstance(record, Callback):
        yield name


def _condition(clause: ErrorClause) -> Condition | None:
    """Return the structured condition of an error condition; None if it is not of a recurring kind."""
    kind = clause.condition.kind
    if kind in NO_CONDITION and not clause.condition.parameters:
        return None
    return Condition(kind, KINDS.get(kind, ""), list(clause.condition.parameters), list(clause.condition.values))


def _said(path: str, result: Result, of: RecordResult | None) -> Said:
    platform = result.platform
    label, way = "no platform", ""
    if platform is not None:
        versions = dict.fromkeys(device.driver_version for device in platform.devices)
        label, way = driver_label(platform.name, ", ".join(versions)), platform.access
    if of is None:
        return Said(path, label, way, result.run.started, "", OTHER_TABLES)
    known = {deviation.id: deviation for deviation in result.deviations}
    deviations = [
        Deviated(each.id, each.verdict, each.allowed, each.observed) for each in map(known.get, of.deviations) if each
    ]
    return Said(
        path,
        label,
        way,
        result.run.started,
        of.status,
        of.reason,
        of.calls,
        of.boundaries,
        of.observed,
        deviations,
    )
