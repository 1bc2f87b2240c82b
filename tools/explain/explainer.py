"""Gathers the information about a requirement.

The sources are read once for all requirements.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, cast

import msgspec

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.call_formatting import driver_label
from clconform.reports.requirement_text import requirement_text
from clconform.spec_tables.conditions import KINDS
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import (
    AlignmentRule,
    Callback,
    Effect,
    ErrorCondition,
    Limit,
    OptionalBehaviour,
    Query,
    SizeRule,
)
from clconform.tools.explain.applicability_text import condition_text as gate_in_words
from clconform.tools.explain.explanation import (
    DeviationSummary,
    RequirementExplanation,
    RequirementListing,
    RequirementSummary,
    ResultSummary,
    StructuredCondition,
)
from clconform.tools.explain.interpretations import applied_interpretation
from clconform.tools.explain.judging_rules import JudgingRules, RuleIndex
from clconform.tools.explain.source_index import ROOT, NameIndex
from clconform.tools.explain.tests import RequirementTests, TestIndex
from clconform.tools.tables import id_of, kind_of, list_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.reports import RunResult
    from clconform.reports.run_result import RequirementResult
    from clconform.spec_tables import Tables
    from clconform.tools.tables import Listed

ONE_SENTENCE_KINDS = (ErrorCondition, AlignmentRule, SizeRule)
"""Kinds of requirements that may share one sentence: a rule, and the error condition that checks the rule."""
UNSTRUCTURED_KINDS = ("other", "left-open")
NOT_IN_TABLES = "the result is from other tables, which do not have this requirement"
CALLBACK_REASON = "an application callback: judged with the requirements of the function that takes it"


class RequirementExplainer:
    """Gathers the information about the requirements of one set of tables.

    The suites are collected when the first requirement is explained; ValueError if a suite cannot be imported.
    """

    def __init__(self, tables: Tables, results: Sequence[tuple[str, RunResult]] = ()) -> None:
        self.tables = tables
        self.records: dict[str, Listed] = {id_of(each): each for each in list_entries(tables)}
        """Every requirement and callback, by its id."""
        self._rulebook = rulebook_of(tables)
        self._results = [(path, result, {each.id: each for each in result.requirements}) for path, result in results]

    @functools.cached_property
    def _test_index(self) -> TestIndex:
        return TestIndex(self.tables)

    @functools.cached_property
    def _rule_index(self) -> RuleIndex:
        return RuleIndex(self.tables, self._rulebook)

    @functools.cached_property
    def _test_names(self) -> NameIndex | None:
        folder = ROOT / "tests"
        return NameIndex(folder.rglob("*.py")) if folder.is_dir() else None

    def text_of(self, requirement: Listed) -> str:
        """Return the text of a requirement in the project's words; empty if it has no text."""
        if isinstance(requirement, Callback):
            parameters = ", ".join(" ".join(filter(None, (each.type, each.name))) for each in requirement.parameters)
            return f"An application callback: {requirement.returns} ({parameters})."
        return requirement_text(requirement, self._rulebook.texts.words_of(requirement.id))

    def summarize(self, requirement: Listed) -> RequirementSummary:
        """Return a requirement with its kind and its text."""
        return RequirementSummary(id_of(requirement), kind_of(requirement), self.text_of(requirement))

    def explain(self, requirement_id: str) -> RequirementExplanation:
        """Return the information about the requirement with this id; KeyError if there is none."""
        requirement = self.records[requirement_id]
        results = self._results
        if isinstance(requirement, Callback):
            judging, tried, confidence = (
                JudgingRules("no-rule", CALLBACK_REASON, [], {}),
                RequirementTests(None, [], []),
                "literal",
            )
            results = []
        else:
            judging, tried = self._rule_index.rules_of(requirement), self._test_index.tests_of(requirement)
            confidence = self._rulebook.basis.confidence_of(requirement.id)
        gap = self._rulebook.basis.undocumented_versions(requirement_id) if judging.judged == "by-rules" else None
        interpretations = {**({gap.interpretation: None} if gap else {}), **judging.interpretations}
        return RequirementExplanation(
            id=requirement_id,
            kind=kind_of(requirement),
            document=requirement.document,
            section=requirement.section.number,
            title=requirement.section.title,
            function=requirement.function,
            condition=self.text_of(requirement),
            applicability=[gate_in_words(gate) for gate in requirement.applicability],
            structured_condition=_structured_condition(requirement)
            if isinstance(requirement, ErrorCondition)
            else None,
            requirement=cast("dict[str, Any]", msgspec.to_builtins(requirement)),
            related=[self.summarize(each) for each in self._related_requirements(requirement)],
            judged=judging.judged,
            reason=judging.reason,
            confidence=confidence,
            rules=judging.rules,
            valid_call=tried.valid_call,
            test_values=tried.test_values,
            items=tried.items,
            interpretations=[
                applied_interpretation(interpretation, used) for interpretation, used in interpretations.items()
            ],
            tests=None if self._test_names is None else self._test_names.locations_of(requirement_id),
            results=[_summarize_result(path, result, of.get(requirement_id)) for path, result, of in results],
        )

    def _related_requirements(self, requirement: Listed) -> list[Listed]:
        """Return related requirements: about the same query, from the same sentence, or inherited from each other."""
        found: dict[str, Listed] = {}
        if isinstance(requirement, Query):
            found.update(
                {each.id: each for each in TableLookups.for_tables(self.tables).requirements_about(requirement.name)}
            )
        elif isinstance(requirement, (Limit, Effect, OptionalBehaviour)):
            name = {Limit: "name", OptionalBehaviour: "subject"}.get(type(requirement), "")
            query = self.records.get(getattr(requirement, name) if name else requirement.id.partition("/")[0])
            found.update({id_of(query): query} if isinstance(query, Query) else {})
        elif isinstance(requirement, ErrorCondition) and requirement.inherited_from in self.records:
            found[requirement.inherited_from] = self.records[requirement.inherited_from]
        if isinstance(requirement, ONE_SENTENCE_KINDS):
            others = (
                each
                for each in self.tables.requirements_of(requirement.function)
                if isinstance(each, ONE_SENTENCE_KINDS)
            )
            found.update({each.id: each for each in others if each.digest == requirement.digest})
        found.pop(id_of(requirement), None)
        return list(found.values())

    # searching by other names than ids

    def list_requirements(self, name: str) -> RequirementListing | None:
        """Return the requirements of a function, a query, a type or the beginning of an id; None if there are none."""
        found = [requirement for requirement in self.records.values() if name in _searchable_names(requirement)]
        return RequirementListing(name, [self.summarize(requirement) for requirement in found]) if found else None

    def names(self) -> list[str]:
        """Return all ids and all other names by which requirements can be listed."""
        return list(
            dict.fromkeys(name for requirement in self.records.values() for name in _searchable_names(requirement))
        )


def _searchable_names(requirement: Listed) -> Iterator[str]:
    """Yield the names that find a requirement: its id, the id's prefixes, and its function, query or type."""
    whole = id_of(requirement)
    yield whole
    if requirement.function:
        yield requirement.function
    for end in re.finditer("[/:@]", whole):
        yield whole[: end.start()]
    name = getattr(requirement, "name", "")
    if name and not isinstance(requirement, Callback):
        yield name


def _structured_condition(clause: ErrorCondition) -> StructuredCondition | None:
    """Return the structured condition of an error condition; None if the condition is not a recurring one."""
    kind = clause.condition.kind
    if kind in UNSTRUCTURED_KINDS and not clause.condition.parameters:
        return None
    return StructuredCondition(
        kind, KINDS.get(kind, ""), list(clause.condition.parameters), list(clause.condition.values)
    )


def _summarize_result(path: str, result: RunResult, of: RequirementResult | None) -> ResultSummary:
    platform = result.platform
    label, way = "no platform", ""
    if platform is not None:
        versions = dict.fromkeys(device.driver_version for device in platform.devices)
        label, way = driver_label(platform.name, ", ".join(versions)), platform.access
    if of is None:
        return ResultSummary(path, label, way, result.run.started, "", NOT_IN_TABLES)
    known = {deviation.id: deviation for deviation in result.deviations}
    deviations = [
        DeviationSummary(each.id, each.verdict, each.allowed, each.observed)
        for each in map(known.get, of.deviations)
        if each
    ]
    return ResultSummary(
        path,
        label,
        way,
        result.run.started,
        of.status,
        of.reason,
        of.calls,
        of.test_values,
        of.observed,
        deviations,
    )
