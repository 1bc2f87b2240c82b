"""Collects the conditions that calls of a function can violate, with their predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import msgspec

from clconform.oracles.engine import clause_splits
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.older_counterparts import OlderCounterparts
    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.oracles.engine.requirement_predicates import RequirementPredicates
    from clconform.oracles.engine.rules import Rules
    from clconform.spec_tables.requirements import ApplicabilityCondition, Requirement


class Rule(NamedTuple):
    """A condition that a call can violate: an error clause, or a usage rule if ``clause`` is None.

    ``conditions``: the applicability conditions of the clause; a usage rule has none. ``predicate``: decides whether
    the condition holds for a call; None if no predicate is declared.
    """

    requirement: str
    clause: ErrorCondition | None
    conditions: tuple[ApplicabilityCondition, ...]
    predicate: Predicate | None


class FunctionRules(NamedTuple):
    """The rules of one function, in the documents' order.

    ``resource_codes``: the codes for lack of resources, each with its applicability conditions. Only the driver can
    detect a lack of resources. ``changed``: the clauses that read differently in some revision of their extension.
    ``function_conditions``: the applicability conditions of a function of an extension; empty for other functions.
    """

    conditions: tuple[Rule, ...]
    resource_codes: tuple[tuple[str, tuple[ApplicabilityCondition, ...]], ...]
    changed: tuple[ErrorCondition, ...]
    function_conditions: tuple[ApplicabilityCondition, ...]


class ConditionRules:
    """The conditions that calls can violate, by function; they are collected on first use and cached."""

    def __init__(self, rules: Rules, counterparts: OlderCounterparts, predicates: RequirementPredicates) -> None:
        self._rules, self._counterparts, self._predicates = rules, counterparts, predicates
        self._tables = counterparts.tables
        self._by_function: dict[str, FunctionRules] = {}

    def rules_of(self, function: str) -> FunctionRules:
        """Return the error clauses of a function, and its usage rules with predicates: a call can violate them."""
        found = self._by_function.get(function)
        if found is None:
            found = self._by_function[function] = self._collect_rules(function)
        return found

    def _collect_rules(self, function: str) -> FunctionRules:
        requirements = self._tables.requirements_of(function)
        clauses = [each for each in requirements if isinstance(each, ErrorCondition)]
        resources = [each for each in clauses if each.condition.kind in ABOUT_RESOURCES]
        return FunctionRules(
            (
                *(
                    self._create_rule(each)
                    for each in requirements
                    if self._can_be_violated(each) and each not in resources
                ),
                *self._find_removed_clauses(function),
                *self._find_general_rules(function),
            ),
            tuple((each.code, each.applicability) for each in resources),
            tuple(each for each in clauses if any(condition.changes for condition in each.applicability)),
            self._find_extension_conditions(function),
        )

    def _find_extension_conditions(self, function: str) -> tuple[ApplicabilityCondition, ...]:
        known = self._tables.functions.get(function)
        conditions = known.applicability if known is not None else ()
        return conditions if any(condition.subject == "extension" for condition in conditions) else ()

    def _create_rule(self, requirement: ErrorCondition | UsageRule) -> Rule:
        predicate = self._predicates.predicate_of(requirement)
        if isinstance(requirement, UsageRule):
            return Rule(requirement.id, None, (), predicate)
        return Rule(requirement.id, requirement, requirement.applicability, predicate)

    def _find_removed_clauses(self, function: str) -> Iterator[Rule]:
        """Yield the clauses of the older tables that the rulebook's tables lack; their codes are still allowed."""
        if not self._counterparts.is_newer:
            return
        for clause in clause_splits.find_removed_clauses(function, self._tables, self._counterparts.older):
            known = self._predicates.individual_predicate(clause)
            if known is not None and clause.condition.kind not in ABOUT_RESOURCES:
                yield Rule(clause.id, clause, clause.applicability, clause_splits.weaken_to_may(known))

    def _find_general_rules(self, function: str) -> Iterator[Rule]:
        """Yield the general rules that apply to a function, each as an error clause with its own id."""
        known = self._tables.functions.get(function)
        for requirement, rule in self._rules.general.entries.items():
            clause = self._tables.requirements.get(rule.code_source)
            if known is not None and isinstance(clause, ErrorCondition) and rule.applies(known):
                own = msgspec.structs.replace(clause, id=requirement, function=function)
                yield Rule(requirement, own, (), rule.predicate)

    def _can_be_violated(self, requirement: Requirement) -> TypeGuard[ErrorCondition | UsageRule]:
        return isinstance(requirement, ErrorCondition) or (
            isinstance(requirement, UsageRule) and requirement.id in self._predicates.declared
        )
