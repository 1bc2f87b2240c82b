"""Finds the parts of the oracle that judge a requirement, or the reason why no part does."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.call_postcondition import is_command, postcondition_of
from clconform.oracles.engine.rules import QueryCoverage
from clconform.oracles.queries.answering import query_postcondition
from clconform.oracles.queries.constraints import expect_by_tables
from clconform.oracles.queries.limits import expect_within
from clconform.runner.journal.requirement_scope import NO_RESOURCE_EXHAUSTION, UNDEFINED_BEHAVIOUR
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.requirements import (
    Effect,
    ErrorCondition,
    Flag,
    Limit,
    OptionalBehaviour,
    PartitionScheme,
    Query,
    Success,
    UsageRule,
)
from clconform.tools.explain.explanation import OracleRule
from clconform.tools.explain.interpretations import NO_PREDICATE_ID, interpretations_of, reachable_strings
from clconform.tools.explain.source_index import ROOT, NameIndex, location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.engine.rules import CoveragePoint
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Requirement
    from clconform.tools.explain.explanation import JudgedBy, RuleRole, SourceLocation

    Ruling = Callable[..., object]

NO_EVIDENCE = "no rule: no call is evidence for or against it, so it is shown as not covered"
NO_RULE_REASON = (
    "no rule evaluates its condition, so its code is always allowed: a call that returns it never deviates, and "
    "the requirement is shown as not covered"
)
NO_POSTCONDITION = (
    "no rule has its postconditions, so only errors that no condition allows are evidence against it, and nothing "
    "is evidence for it"
)
QUERY_RESULT_REASON = "a possible query result: judged with the queries that return it, not separately"


class JudgingRules(NamedTuple):
    """The rules that judge a requirement.

    ``interpretations``: maps the interpretations on which the rules depend to the place that names them.
    """

    judged: JudgedBy
    reason: str
    rules: list[OracleRule]
    interpretations: Mapping[str, SourceLocation | None]


class RuleIndex:
    """Finds the rules for the requirements of one set of tables."""

    def __init__(self, tables: Tables, rulebook: Rulebook) -> None:
        self._tables, self._book = tables, rulebook
        queries = [requirement for requirement in tables.requirements.values() if isinstance(requirement, Query)]
        self._queries = {query.name for query in queries}
        self._answers = {query.type for query in queries}
        self._triggers: dict[str, list[tuple[str, CoveragePoint]]] = {}
        for (requirement, function), coverage_point in rulebook.rules.coverage_points.entries.items():
            self._triggers.setdefault(requirement, []).append((function, coverage_point))

    def rules_of(self, requirement: Requirement) -> JudgingRules:
        """Return the rules that judge a requirement, or the reason why no rule does."""
        found = list(self._rules_of(requirement))
        rules = [rule for rule, _ in found]
        interpretations = interpretations_of(ruling for _, ruling in found if ruling is not None)
        reason = self._untestable_reason(requirement)
        if isinstance(requirement, ErrorCondition) and not rules and not reason:
            return JudgingRules("no-rule", NO_RULE_REASON, [], {NO_PREDICATE_ID: None})
        if not rules or all(rule.role == "coverage-point" for rule in rules):
            rules += [OracleRule("named-in", place) for place in self._naming_places(requirement)]
        if reason:
            return JudgingRules("untestable", reason, rules, interpretations)
        if rules:
            return JudgingRules("by-rules", "", rules, interpretations)
        if isinstance(requirement, Flag) and requirement.type in self._answers:
            return JudgingRules("no-rule", QUERY_RESULT_REASON, [], {})
        return JudgingRules("no-rule", NO_POSTCONDITION if isinstance(requirement, Success) else NO_EVIDENCE, [], {})

    def _untestable_reason(self, requirement: Requirement) -> str:
        if isinstance(requirement, ErrorCondition) and requirement.condition.kind in ABOUT_RESOURCES:
            return NO_RESOURCE_EXHAUSTION
        return (
            UNDEFINED_BEHAVIOUR if isinstance(requirement, UsageRule) else self._book.untestable.get(requirement.id, "")
        )

    def _rules_of(self, requirement: Requirement) -> Iterator[tuple[OracleRule, Ruling | None]]:
        """Yield the rules for a requirement, each with the function whose source may name interpretations."""
        if isinstance(requirement, (ErrorCondition, UsageRule)):
            yield from self._predicate_rules(requirement)
        elif isinstance(requirement, (Success, PartitionScheme)):
            yield from self._postcondition_rules(requirement.function)
        elif isinstance(requirement, Query):
            yield from self._query_rules(requirement)
        elif isinstance(requirement, Limit):
            yield _make_rule("limit", expect_within), None
        elif isinstance(requirement, (Effect, OptionalBehaviour)):
            yield from self._cross_query_rules(requirement)
        for function, coverage_point in self._triggers.get(requirement.id, ()):
            test = (
                coverage_point.holds.holds if isinstance(coverage_point.holds, QueryCoverage) else coverage_point.holds
            )
            checked = self._book.texts.check_of(requirement.id)
            yield (
                OracleRule(
                    "coverage-point", location_of(test), checked, function, list(coverage_point.judged_requirements)
                ),
                None,
            )

    def _predicate_rules(self, requirement: ErrorCondition | UsageRule) -> Iterator[tuple[OracleRule, Ruling]]:
        written = self._book.predicates.declared.get(requirement.id)
        if written is not None:
            yield _make_rule("predicate", written), written
        elif isinstance(requirement, ErrorCondition):
            builder = self._book.predicates.builder_of(requirement)
            if builder is not None:
                yield _make_rule("builder", builder), builder

    def _postcondition_rules(self, function: str) -> Iterator[tuple[OracleRule, Ruling | None]]:
        own = self._book.postcondition_rule(function)
        if own is not None:
            yield _make_rule("postcondition", own, function), own
        known = self._tables.functions.get(function)
        if known is not None and own is None and known.queries:
            yield _make_rule("postcondition", query_postcondition, function), None
        elif known is not None and is_command(known):
            words = "" if own is not None else "only the command's event and its order; no effect of its own"
            yield OracleRule("postcondition", location_of(postcondition_of), words, function), None
        effect = self._book.rules.memory_effects.entries.get(function)
        if effect is not None:
            yield _make_rule("effect-on-memory", effect, function), effect
        left = self._book.aftermath_of(function)
        if left is not None:
            yield _make_rule("postcondition", left, function), left

    def _query_rules(self, query: Query) -> Iterator[tuple[OracleRule, Ruling | None]]:
        rule = self._book.rules.expected_values.entries.get(query.id)
        if rule is not None:
            yield _make_rule("expected-value", rule.rule, query.function), rule.rule
        yield _make_rule("expected-value", query_postcondition, query.function), None
        yield _make_rule("expected-value", expect_by_tables, query.function), None

    def _cross_query_rules(self, requirement: Effect | OptionalBehaviour) -> Iterator[tuple[OracleRule, Ruling]]:
        name = requirement.id.partition("/")[0] if isinstance(requirement, Effect) else requirement.subject
        rule = self._book.cross_query_rule(requirement)
        if rule is not None and name in self._queries:
            yield _make_rule("cross-query-rule", rule), rule

    def _naming_places(self, requirement: Requirement) -> list[SourceLocation]:
        """Return the places in the oracle that name the id of a requirement, or an unambiguous part of this id.

        The postcondition of a function may name its requirements without the function, as in ``size/2``.
        """
        found = _oracle_names().locations_of(requirement.id) if {"/", ":", "@"}.intersection(requirement.id) else []
        promiser = self._book.postcondition_rule(requirement.function) if requirement.function else None
        if promiser is None or found:
            return found
        rest = requirement.id.removeprefix(f"{requirement.function}/")
        below = reachable_strings(promiser.__module__, promiser.__qualname__)
        return [place for text, place in below if text == rest and "/" in rest]


def _make_rule(role: RuleRole, function: Ruling, of: str = "") -> OracleRule:
    return OracleRule(role, location_of(function), " ".join((inspect.getdoc(function) or "").split()), of)


@functools.cache
def _oracle_names() -> NameIndex:
    """Return an index of the ids in the source of the oracle, except for lists of interpretations."""
    return NameIndex(path for path in (ROOT / "oracles").rglob("*.py") if path.name != "interpretations.py")
