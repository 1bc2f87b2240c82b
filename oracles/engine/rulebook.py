"""The rulebook: all rules of the oracle, found in the modules of the package, grouped by function, and immutable."""

from __future__ import annotations

import copy
import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import msgspec

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.engine import clause_splits
from clconform.oracles.engine.registry import find_declarations, find_modules
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import format_sentence, recurring_condition_text
from clconform.oracles.model.errors import NullObjectError, RelatedToNullError, UnknownFactError
from clconform.spec_tables import revision_ids
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.loading import load_default
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Effect, ErrorCondition, UsageRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.oracles.engine.rules import (
        AftermathRule,
        CoveragePoint,
        CrossQueryRule,
        PostconditionRule,
        PredicateBuilder,
        WatchFunction,
    )
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.oracles.model.versions import UndocumentedVersions
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ApplicabilityCondition, OptionalBehaviour, Requirement

RULE_PACKAGES = ("clconform.oracles.common", "clconform.oracles.queries", "clconform.oracles.chapters")
"""Packages that are searched for modules with rules, at any depth."""


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
    detect a lack of resources.
    """

    conditions: tuple[Rule, ...]
    resource_codes: tuple[tuple[str, tuple[ApplicabilityCondition, ...]], ...]


class CoverageCandidate(NamedTuple):
    """A requirement that a call may cover, with its coverage point."""

    requirement: str
    conditions: tuple[ApplicabilityCondition, ...]
    coverage_point: CoveragePoint


class Rulebook:
    """The rules for one set of tables; the rules of a function are collected on first use and cached."""

    def __init__(self, tables: Tables, rules: Rules) -> None:
        """Combine rules and tables, and run the completions, which derive further rules from the tables."""
        for complete in rules.completions.entries.values():
            complete(rules, tables)
        self._tables, self._rules = tables, rules
        self._older = tables if tables.documents == load_default().documents else load_default()
        self._extension_counterparts = {} if self._older is tables else revision_ids.find_extension_sentences(tables)
        self._predicates: dict[str, Predicate] = dict(rules.predicates.entries)
        self._function_rules: dict[str, FunctionRules] = {}
        self._candidates: dict[tuple[str, tuple[str, ...]], tuple[CoverageCandidate, ...]] = {}
        self._recurring_predicates: dict[str, Predicate | None] = {}
        self._watches: dict[str, tuple[WatchFunction, ...]] = {}
        self._words: dict[str, str] = {}
        self._coverage_points: dict[str, list[tuple[str, CoveragePoint]]] = {}
        for (requirement, function), coverage_point in rules.coverage_points.entries.items():
            self._coverage_points.setdefault(function, []).append((requirement, coverage_point))
        known = rules.not_testable.entries
        clauses = (each for each in tables.requirements.values() if isinstance(each, ErrorCondition))
        lent = {each.id: known[each.inherited_from] for each in clauses if each.inherited_from in known}
        twins = {name: known[twin] for name, twin in self._extension_counterparts.items() if twin in known}
        self._untestable = {**lent, **twins, **known}

    def with_predicate(self, requirement: str, predicate: Predicate) -> Rulebook:
        """Return a copy of the rulebook with another predicate for one requirement."""
        other = copy.copy(self)
        other._predicates = {**self._predicates, requirement: predicate}  # noqa: SLF001 (of its own class)
        other._function_rules = {}  # noqa: SLF001
        return other

    # by requirement

    def predicate_of(self, requirement: ErrorCondition | UsageRule) -> Predicate | None:
        """Return the predicate of a requirement: its own, an inherited one, or that of its recurring condition.

        A predicate for an earlier wording of a clause is ignored until a maintainer has confirmed that both wordings
        mean the same.
        """
        if not isinstance(requirement, ErrorCondition):
            return self._predicates.get(requirement.id)
        found = None if requirement.reworded else self._predicates.get(requirement.id)
        found = found or self._inherited_predicate(requirement)
        if found is None:
            split = self._is_remainder(requirement) or self._is_narrowed(requirement)
            found = (
                self._split_predicate(requirement)
                if split
                else self._recurring_predicate(self._with_older_condition(requirement))
            )
        twin = self._extension_clause(requirement) if found is None else None
        return found if twin is None else self.predicate_of(twin)

    def _with_older_condition(self, clause: ErrorCondition) -> ErrorCondition:
        """Return a clause, with the condition of the older tables if its later wording is not recognised."""
        return clause if self._older is self._tables else revision_ids.with_default_condition(clause)

    def _extension_clause(self, clause: ErrorCondition) -> ErrorCondition | None:
        """Return the clause of an extension function that a clause of a core function replaces, or None."""
        return None if self._older is self._tables else revision_ids.extension_condition_of(clause, self._tables)

    def _rule_name(self, name: str) -> str:
        """Return the name under which rules for a function or query are declared: its name, or that in an extension."""
        return name if self._older is self._tables else revision_ids.extension_name_of(name, self._tables) or name

    def _older_clause(self, requirement: str) -> ErrorCondition | None:
        """Return the older clause of which a requirement is a part, or None."""
        clause = self._tables.requirements.get(requirement)
        whole = self._older.requirements.get(clause.part_of) if isinstance(clause, ErrorCondition) else None
        return whole if isinstance(whole, ErrorCondition) else None

    def _is_remainder(self, clause: ErrorCondition) -> bool:
        """Return whether a clause is a part of an older clause and does not have a separate predicate."""
        exact = clause.condition.kind in clause_splits.EXACT_CONDITIONS and self.builder_of(clause) is not None
        own = clause.id in self._predicates or clause.id in self._rules.clause_parts.entries
        return self._older_clause(clause.id) is not None and not own and not exact

    def _is_narrowed(self, clause: ErrorCondition) -> bool:
        """Return whether a clause is a part of an older clause, and a rule selects the cases for this part."""
        whole = self._older_clause(clause.id)
        return clause.id in self._rules.clause_parts.entries and whole is not None and clause.id not in self._predicates

    def _split_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate of a clause that is a part of an older clause; see ``clause_splits``."""
        if clause.id not in self._recurring_predicates:
            whole = self._older_clause(clause.id)
            siblings = clause_splits.find_siblings(clause, self._tables)
            known = self._predicates.get(whole.id) or self._recurring_predicate(whole) if whole is not None else None
            narrow = self._rules.clause_parts.entries.get(clause.id)
            if known is None:
                self._recurring_predicates[clause.id] = None
            elif narrow is not None:
                named = (
                    (each, self._rules.clause_parts.entries.get(each.id) or self._independent_predicate(each))
                    for each in siblings
                )
                own = [
                    clause_splits.restrict_to_applicable(each, said)
                    for each, said in named
                    if each != clause and said is not None
                ]
                self._recurring_predicates[clause.id] = clause_splits.narrowed_predicate(known, narrow, own)
            else:
                rest = [each for each in siblings if self._is_remainder(each)]
                others = ((each, self.predicate_of(each)) for each in siblings if each not in rest)
                alone = all(each.applicability == clause.applicability for each in rest)
                given = [clause_splits.restrict_to_applicable(each, said) for each, said in others if said is not None]
                self._recurring_predicates[clause.id] = clause_splits.remainder_predicate(known, given, alone=alone)
        return self._recurring_predicates[clause.id]

    def _independent_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate of a part if it does not depend on the older clause, or None."""
        return (
            None if self._is_remainder(clause) else self._predicates.get(clause.id) or self._recurring_predicate(clause)
        )

    def _judging_requirement(self, requirement: str) -> str:
        """Return the requirement under which the rule for ``requirement`` is declared.

        It is the older clause for a remaining part, the clause of the extension for a core clause that replaces it, and
        otherwise ``requirement``.
        """
        clause = self._tables.requirements.get(requirement)
        if self._older is self._tables or not isinstance(clause, ErrorCondition):
            told = requirement in self._rules.words or requirement not in self._extension_counterparts
            return self._rule_name(requirement) if told else self._extension_counterparts[requirement]
        if self._is_remainder(clause):
            return clause.part_of
        twin = self._extension_clause(clause)
        return requirement if twin is None or requirement in self._predicates else self._judging_requirement(twin.id)

    def _basis_of_verdict(self, requirement: str) -> str:
        """Return the requirement that determines the confidence: the older clause if the predicate depends on it."""
        clause = self._tables.requirements.get(requirement)
        if isinstance(clause, ErrorCondition) and self._is_narrowed(clause):
            return clause.part_of
        return self._judging_requirement(requirement)

    def predicate(self, requirement: str) -> Predicate:
        """Return the predicate that is declared for an id; KeyError if none is declared."""
        return self._predicates[requirement]

    def inherited_clause_of(self, clause: ErrorCondition) -> ErrorCondition | None:
        """Return the clause of another function that a clause inherits; None without an inheritance rule."""
        lent = self._tables.requirements.get(clause.inherited_from)
        return (
            lent
            if clause.function in self._rules.inheritance_rules.entries and isinstance(lent, ErrorCondition)
            else None
        )

    def _inherited_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate of an inherited clause, applied to an equivalent call of the other function."""
        lent = self.inherited_clause_of(clause)
        inner = self.predicate_of(lent) if lent is not None else None
        if lent is None or inner is None:
            return None
        function, predicate, carrier = lent.function, inner, self._rules.inheritance_rules.entries[clause.function]
        return lambda call, model: carrier(call, model, function, predicate)

    def _recurring_predicate(self, clause: ErrorCondition) -> Predicate | None:
        if clause.id not in self._recurring_predicates:
            build = self.builder_of(clause)
            self._recurring_predicates[clause.id] = build(clause) if build else None
        return self._recurring_predicates[clause.id]

    def builder_of(self, clause: ErrorCondition) -> PredicateBuilder | None:
        """Return the builder of the predicate for a recurring condition, or None if the condition is not recurring."""
        return self._rules.builders.entries.get(clause.condition.kind) if clause.condition.parameters else None

    @property
    def written_predicates(self) -> Mapping[str, Predicate]:
        """The predicates of individual requirements, by id."""
        return self._predicates

    def confidence_of(self, requirement: str) -> str:
        """Return the confidence of a requirement's rule: ``literal``, ``inferred`` or ``interpretation``."""
        return self._rules.confidence.get(self._basis_of_verdict(requirement), "literal")

    def undocumented_versions(self, requirement: str) -> UndocumentedVersions | None:
        """Return the versions whose own documents lack a requirement's sentence, or None."""
        return self._rules.undocumented_versions.entries.get(self._basis_of_verdict(requirement))

    def interpretations_of(self, requirement: str) -> frozenset[str]:
        """Return the interpretations on which a requirement's rule relies; the requirement must not be a clause."""
        return frozenset(entry for known, entry in self._rules.interpretations if known == requirement)

    @property
    def rules(self) -> Rules:
        """All declared rules, and the rules that completions derived from the tables."""
        return self._rules

    @property
    def untestable(self) -> Mapping[str, str]:
        """The requirements that no call can test, each with the reason; inherited clauses have the same reason."""
        return self._untestable

    def words_of(self, requirement: str) -> str:
        """Return the text of a requirement as a sentence, from the tables or else from its rule; may be empty."""
        known = self._words.get(requirement)
        if known is None:
            known = self._words[requirement] = self._describe(requirement)
        return known

    def held_alternative(self, requirement: str, call: Call, model: Model) -> str:
        """Return the alternative of an error condition that holds for a call; empty if the condition has only one.

        Call this method only if the condition holds for the call. Several alternatives that hold are joined by
        semicolons. The result is also empty if the model does not know which alternative holds.
        """
        found = self._tables.requirements.get(requirement)
        if not isinstance(found, ErrorCondition) or found.inherited_from:
            return ""
        judging = self._judging_requirement(requirement)
        own = self._rules.alternatives.entries.get(judging)
        kind = self._rules.recurring_alternatives.entries.get(found.condition.kind)
        try:
            if own is not None:
                return "; ".join(own(call, model))
            if kind is not None and judging not in self._predicates:
                return "; ".join(kind(call, model, found))
        except (NullObjectError, RelatedToNullError, UnknownFactError):
            pass
        return ""

    def has_rule(self, requirement: str) -> bool:
        """Return whether a rule with a text, which may be empty, is declared for a requirement."""
        return self._judging_requirement(requirement) in self._rules.words

    def check_of(self, requirement: str) -> str:
        """Return a rule's text if it differs from the requirement's text in the tables, else an empty string."""
        found = self._tables.requirements.get(requirement)
        if not isinstance(found, (Effect, UsageRule)) or not found.text:
            return ""
        said = format_sentence(self._rules.words.get(self._judging_requirement(requirement), ""))
        return "" if said == self.words_of(requirement) else said

    def _describe(self, requirement: str) -> str:
        found = self._tables.requirements.get(requirement)
        if isinstance(found, (Effect, UsageRule)) and found.text:
            return format_sentence(found.text, {found.function})
        standing = self._judging_requirement(requirement)
        told = found if standing == requirement else self._older.requirements.get(standing)
        told = self._with_older_condition(told) if isinstance(told, ErrorCondition) else told
        words = self._rules.words.get(standing, "") or (recurring_condition_text(told, self._rules) if told else "")
        if words and isinstance(found, ErrorCondition) and standing == found.part_of:
            words = f"One of the reasons for this code holds: {words}"
        if not words and isinstance(found, ErrorCondition) and found.inherited_from:
            return self.words_of(found.inherited_from)
        function = self._tables.functions.get(found.function) if found else None
        return format_sentence(words, {each.name for each in function.parameters} if function else set())

    # by function or query

    def postcondition_rule(self, function: str) -> PostconditionRule | None:
        """Return the postcondition rule of a function, or None if none is declared."""
        return self._rules.postconditions.entries.get(self._rule_name(function))

    def aftermath_of(self, function: str) -> AftermathRule | None:
        """Return the aftermath rule of a function, which updates the model after a failed call, or None."""
        return self._rules.aftermaths.entries.get(self._rule_name(function))

    def code_with_object(self, function: str) -> str:
        """Return the error code with which a function may return an object, or an empty string."""
        return self._rules.objects_with.entries.get(function, "")

    def expected_value(self, request: QueryRequest) -> Matcher | None:
        """Return the value that a query must return, or None if no rule defines it."""
        rule = self._rules.expected_values.entries.get(self._rule_name(request.query.id))
        return rule.rule(request.subject, request) if rule and isinstance(request.subject, rule.object_class) else None

    def cross_query_rule(self, requirement: Effect | OptionalBehaviour) -> CrossQueryRule | None:
        """Return the rule that relates query values for a requirement's topic or optional feature, or None."""
        if isinstance(requirement, Effect):
            return self._rules.cross_query_rules.entries.get(
                revision_ids.find_topic(requirement, self._extension_counterparts.get(requirement.id, ""))
            )
        return self._rules.cross_query_rules.entries.get(requirement.feature)

    def missing_features(self, device: Device, model: Model) -> dict[str, str]:
        """Return the requirements that a device cannot exercise because it lacks a feature, each with the reason."""
        found: dict[str, str] = {}
        for rule in self._rules.missing_features.entries.values():
            found.update(rule(device, model))
        return found

    def watches_of(self, function: str) -> tuple[WatchFunction, ...]:
        """Return the watches that check the outcomes of a function's calls."""
        found = self._watches.get(function)
        if found is None:
            known = self._rules.watches.entries.values()
            found = self._watches[function] = tuple(
                each.check for each in known if not each.functions or function in each.functions
            )
        return found

    def has_effect(self, function: str) -> bool:
        """Return whether calls of a function read or write the contents of memory."""
        return self._rule_name(function) in self._rules.memory_effects.entries

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return the memory effect of a call.

        UnknownFactError if the model does not know the effect; UndefinedBehaviourError if the effect is undefined.
        """
        found = self._rules.memory_effects.entries.get(self._rule_name(call.function))
        return found(call, model) if found is not None else MemoryEffect()

    def rules_of(self, function: str) -> FunctionRules:
        """Return the error clauses of a function, and its usage rules with predicates: a call can violate them."""
        found = self._function_rules.get(function)
        if found is None:
            requirements = self._tables.requirements_of(function)
            clauses = [each for each in requirements if isinstance(each, ErrorCondition)]
            resources = [each for each in clauses if each.condition.kind in ABOUT_RESOURCES]
            found = self._function_rules[function] = FunctionRules(
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
            )
        return found

    def _create_rule(self, requirement: ErrorCondition | UsageRule) -> Rule:
        predicate = self.predicate_of(requirement)
        if isinstance(requirement, UsageRule):
            return Rule(requirement.id, None, (), predicate)
        return Rule(requirement.id, requirement, requirement.applicability, predicate)

    def _find_removed_clauses(self, function: str) -> Iterator[Rule]:
        """Yield the clauses of the older tables that the rulebook's tables lack; their codes are still allowed."""
        if self._older is self._tables:
            return
        for clause in clause_splits.find_removed_clauses(function, self._tables, self._older):
            known = self._predicates.get(clause.id) or self._recurring_predicate(clause)
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
            isinstance(requirement, UsageRule) and requirement.id in self._predicates
        )

    def coverage_candidates(self, function: str, names: tuple[str, ...]) -> tuple[CoverageCandidate, ...]:
        """Return the requirements that a call of a function may cover; ``names``: the names of its query, if any."""
        found = self._candidates.get((function, names))
        if found is None:
            found = self._candidates[function, names] = tuple(self._find_candidates(function, names))
        return found

    def _find_candidates(self, function: str, names: tuple[str, ...]) -> Iterator[CoverageCandidate]:
        requirements = self._tables.requirements
        for requirement, known in self._coverage_points.get(function, ()):
            if requirement in requirements and _can_cover(known, names):
                parents = revision_ids.resolve_ids(known.judged_requirements, self._tables)
                same = parents == known.judged_requirements
                whole = known if same else dataclasses.replace(known, judged_requirements=parents)
                yield CoverageCandidate(requirement, requirements[requirement].applicability, whole)
        yield from self._find_inherited_candidates(function)

    def _find_inherited_candidates(self, function: str) -> Iterator[CoverageCandidate]:
        """Yield the requirements of a core function that the coverage points of its former extension function cover."""
        twin = self._rule_name(function)
        for requirement, same in self._extension_counterparts.items() if twin != function else ():
            known = self._rules.coverage_points.entries.get((same, twin))
            if known is not None:
                renamed = (each.replace(f"{twin}/", f"{function}/", 1) for each in known.judged_requirements)
                parents = revision_ids.resolve_ids(renamed, self._tables)
                yield CoverageCandidate(
                    requirement,
                    self._tables.requirements[requirement].applicability,
                    dataclasses.replace(known, judged_requirements=parents),
                )


def _can_cover(point: CoveragePoint, names: tuple[str, ...]) -> bool:
    return not isinstance(point.holds, QueryCoverage) or any(name in point.holds.names for name in names)


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
