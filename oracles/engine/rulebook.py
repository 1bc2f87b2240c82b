"""The rulebook: all rules of the oracle, found in the modules of the package, grouped by function, and immutable."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.engine.condition_rules import ConditionRules
from clconform.oracles.engine.coverage_candidates import CoverageCandidates
from clconform.oracles.engine.older_counterparts import OlderCounterparts
from clconform.oracles.engine.registry import find_declarations, find_modules
from clconform.oracles.engine.requirement_predicates import RequirementPredicates
from clconform.oracles.engine.rule_basis import RuleBasis
from clconform.oracles.engine.rule_texts import RuleTexts
from clconform.oracles.engine.rules import Rules
from clconform.spec_tables import revision_ids
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Effect, ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.oracles.engine.rules import (
        AftermathRule,
        CrossQueryRule,
        ObjectWithError,
        PostconditionRule,
        WatchFunction,
    )
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import OptionalBehaviour

RULE_PACKAGES = ("clconform.oracles.common", "clconform.oracles.queries", "clconform.oracles.chapters")
"""Packages that are searched for modules with rules, at any depth."""


class Rulebook:
    """The rules for one set of tables.

    ``rules``: all declared rules, and the rules that completions derived from the tables. ``predicates``: the predicate
    of each requirement; ``conditions``: the conditions that calls of a function can violate; ``coverage``: the
    requirements that a call may cover; ``texts``: the texts of requirements; ``basis``: the confidence of rules, and
    the interpretations on which they rely. ``untestable``: the requirements that no call can test, each with the
    reason; inherited clauses have the same reason. The methods return the other rules of a function or query.
    """

    def __init__(self, tables: Tables, rules: Rules) -> None:
        """Combine rules and tables, and run the completions, which derive further rules from the tables."""
        for complete in rules.completions.entries.values():
            complete(rules, tables)
        self.rules = rules
        self._counterparts = counterparts = OlderCounterparts(tables)
        self._rule_name = counterparts.rule_name
        self._watches: dict[str, tuple[WatchFunction, ...]] = {}
        self.coverage = CoverageCandidates(rules, counterparts)
        self._use_predicates(RequirementPredicates(rules, counterparts))
        known = rules.not_testable.entries
        clauses = (each for each in tables.requirements.values() if isinstance(each, ErrorCondition))
        lent = {each.id: known[each.inherited_from] for each in clauses if each.inherited_from in known}
        twins = {name: known[twin] for name, twin in counterparts.extension_sentences.items() if twin in known}
        self.untestable: Mapping[str, str] = {**lent, **twins, **known}

    def _use_predicates(self, predicates: RequirementPredicates) -> None:
        self.predicates = predicates
        self.conditions = ConditionRules(self.rules, self._counterparts, predicates)
        self.texts = RuleTexts(self.rules, self._counterparts, predicates)
        self.basis = RuleBasis(self.rules, self._counterparts, predicates)

    def with_predicate(self, requirement: str, predicate: Predicate) -> Rulebook:
        """Return a copy of the rulebook with another predicate for one requirement."""
        other = copy.copy(self)
        other._use_predicates(self.predicates.with_predicate(requirement, predicate))  # noqa: SLF001 (its own class)
        return other

    def postcondition_rule(self, function: str) -> PostconditionRule | None:
        """Return the postcondition rule of a function, or None if none is declared."""
        return self.rules.postconditions.entries.get(self._rule_name(function))

    def aftermath_of(self, function: str) -> AftermathRule | None:
        """Return the aftermath rule of a function, which updates the model after a failed call, or None."""
        return self.rules.aftermaths.entries.get(self._rule_name(function))

    def object_with_error(self, function: str) -> ObjectWithError | None:
        """Return the rule for the error with which a function returns an object, or None."""
        return self.rules.objects_with.entries.get(function)

    def expected_value(self, request: QueryRequest) -> Matcher | None:
        """Return the value that a query must return, or None if no rule defines it."""
        rule = self.rules.expected_values.entries.get(self._rule_name(request.query.id))
        return rule.rule(request.subject, request) if rule and isinstance(request.subject, rule.object_class) else None

    def cross_query_rule(self, requirement: Effect | OptionalBehaviour) -> CrossQueryRule | None:
        """Return the rule that relates query values for a requirement's topic or optional feature, or None."""
        if isinstance(requirement, Effect):
            return self.rules.cross_query_rules.entries.get(
                revision_ids.find_topic(requirement, self._counterparts.extension_sentences.get(requirement.id, ""))
            )
        return self.rules.cross_query_rules.entries.get(requirement.feature)

    def missing_features(self, device: Device, model: Model) -> dict[str, str]:
        """Return the requirements that a device cannot exercise because it lacks a feature, each with the reason."""
        found: dict[str, str] = {}
        for rule in self.rules.missing_features.entries.values():
            found.update(rule(device, model))
        return found

    def watches_of(self, function: str) -> tuple[WatchFunction, ...]:
        """Return the watches that check the outcomes of a function's calls."""
        found = self._watches.get(function)
        if found is None:
            known = self.rules.watches.entries.values()
            found = self._watches[function] = tuple(
                each.check for each in known if not each.functions or function in each.functions
            )
        return found

    def has_effect(self, function: str) -> bool:
        """Return whether calls of a function read or write the contents of memory."""
        return self._rule_name(function) in self.rules.memory_effects.entries

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return the memory effect of a call.

        UnknownFactError if the model does not know the effect; UndefinedBehaviourError if the effect is undefined.
        """
        found = self.rules.memory_effects.entries.get(self._rule_name(call.function))
        return found(call, model) if found is not None else MemoryEffect()


def find_rule_modules() -> Iterator[str]:
    """Yield the names of all modules that may contain rules."""
    for package in RULE_PACKAGES:
        yield from find_modules(package)


def load_declared_rules() -> Rules:
    """Return the combined rules of all modules; ValueError if two modules declare a rule for the same key."""
    whole = Rules()
    for package in RULE_PACKAGES:
        for own in find_declarations(package, "rules", Rules):
            whole.merge(own)
    return whole


def rulebook_of(tables: Tables) -> Rulebook:
    """Return the rulebook of a set of tables; it is created once."""
    return _rulebook_of(TableLookups.for_tables(tables))


@functools.cache
def _rulebook_of(lookups: TableLookups) -> Rulebook:
    return Rulebook(lookups.tables, load_declared_rules())
