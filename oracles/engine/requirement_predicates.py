"""Finds the predicate of each requirement: its own, an inherited one, or that of its recurring condition."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.oracles.engine import clause_splits
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.oracles.engine.older_counterparts import OlderCounterparts
    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.oracles.engine.rules import PredicateBuilder, Rules
    from clconform.spec_tables.requirements import UsageRule


class RequirementPredicates:
    """The predicates of the requirements of one set of tables; those of recurring conditions are built on first use.

    ``declared``: the predicates of individual requirements, by id.
    """

    def __init__(self, rules: Rules, counterparts: OlderCounterparts) -> None:
        """Start with the declared predicates; ``counterparts``: of the tables' requirements."""
        self._rules, self._counterparts, self._tables = rules, counterparts, counterparts.tables
        self.declared: Mapping[str, Predicate] = dict(rules.predicates.entries)
        self._built: dict[str, Predicate | None] = {}

    def with_predicate(self, requirement: str, predicate: Predicate) -> RequirementPredicates:
        """Return a copy with another predicate for one requirement."""
        other = copy.copy(self)
        other.declared = {**self.declared, requirement: predicate}
        return other

    def predicate_of(self, requirement: ErrorCondition | UsageRule) -> Predicate | None:
        """Return the predicate of a requirement: its own, an inherited one, or that of its recurring condition.

        A predicate for an earlier wording of a clause is ignored until a maintainer has confirmed that both wordings
        mean the same.
        """
        if not isinstance(requirement, ErrorCondition):
            return self.declared.get(requirement.id)
        found = None if requirement.reworded else self.declared.get(requirement.id)
        found = found or self._inherited_predicate(requirement)
        if found is None:
            found = (
                self._split_predicate(requirement)
                if self._has_part_of_whole(requirement)
                else self._separate_predicate(requirement)
            )
        twin = self._counterparts.extension_clause(requirement) if found is None else None
        return found if twin is None else self.predicate_of(twin)

    def individual_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate that is declared for a clause, or that of its recurring condition, or None."""
        return self.declared.get(clause.id) or self._recurring_predicate(clause)

    # inherited and recurring conditions

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

    def builder_of(self, clause: ErrorCondition) -> PredicateBuilder | None:
        """Return the builder of the predicate for a recurring condition, or None if the condition is not recurring."""
        return self._rules.builders.entries.get(clause.condition.kind) if clause.condition.parameters else None

    def _recurring_predicate(self, clause: ErrorCondition) -> Predicate | None:
        if clause.id not in self._built:
            build = self.builder_of(clause)
            self._built[clause.id] = build(clause) if build else None
        return self._built[clause.id]

    # parts of older clauses

    def is_remainder(self, clause: ErrorCondition) -> bool:
        """Return whether a clause is a part of an older clause and does not have a separate predicate."""
        exact = clause.condition.kind in clause_splits.EXACT_CONDITIONS and self.builder_of(clause) is not None
        own = clause.id in self.declared or clause.id in self._rules.clause_parts.entries
        return self._counterparts.older_clause(clause.id) is not None and not own and not exact

    def is_narrowed(self, clause: ErrorCondition) -> bool:
        """Return whether a clause is a part of an older clause, and a rule selects the cases for this part."""
        whole = self._counterparts.older_clause(clause.id)
        return clause.id in self._rules.clause_parts.entries and whole is not None and clause.id not in self.declared

    def _has_part_of_whole(self, clause: ErrorCondition) -> bool:
        """Return whether the predicate of a clause is made from that of the older clause of which it is a part."""
        return self.is_remainder(clause) or self.is_narrowed(clause)

    def _separate_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate of a recurring condition, with the interpretations of the older clause, if any.

        If a clause is split into recurring conditions only, no other part allows what the older clause allows by an
        interpretation.
        """
        own = self._recurring_predicate(self._counterparts.with_older_condition(clause))
        older = self._counterparts.older_clause(clause.id)
        whole = self.individual_predicate(older) if older is not None else None
        siblings = clause_splits.find_siblings(clause, self._tables) if own is not None and whole is not None else []
        if own is None or whole is None or any(map(self._has_part_of_whole, siblings)):
            return own
        return clause_splits.with_interpretations(own, whole)

    def _split_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate of a clause that is a part of an older clause; see ``clause_splits``."""
        if clause.id not in self._built:
            whole = self._counterparts.older_clause(clause.id)
            siblings = clause_splits.find_siblings(clause, self._tables)
            known = self.individual_predicate(whole) if whole is not None else None
            narrow = self._rules.clause_parts.entries.get(clause.id)
            if known is None:
                self._built[clause.id] = None
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
                self._built[clause.id] = clause_splits.narrowed_predicate(known, narrow, own)
            else:
                rest = [each for each in siblings if self.is_remainder(each)]
                others = ((each, self.predicate_of(each)) for each in siblings if each not in rest)
                alone = all(each.applicability == clause.applicability for each in rest)
                given = [clause_splits.restrict_to_applicable(each, said) for each, said in others if said is not None]
                self._built[clause.id] = clause_splits.remainder_predicate(known, given, alone=alone)
        return self._built[clause.id]

    def _independent_predicate(self, clause: ErrorCondition) -> Predicate | None:
        """Return the predicate of a part if it does not depend on the older clause, or None."""
        return None if self.is_remainder(clause) else self.individual_predicate(clause)

    # the requirement under which a rule is declared

    def judging_requirement(self, requirement: str) -> str:
        """Return the requirement under which the rule for ``requirement`` is declared.

        It is the older clause for a remaining part, the clause of the extension for a core clause that replaces it, and
        otherwise ``requirement``.
        """
        counterparts = self._counterparts
        clause = self._tables.requirements.get(requirement)
        if not counterparts.is_newer or not isinstance(clause, ErrorCondition):
            has_own_rule = requirement in self._rules.words or requirement not in counterparts.extension_sentences
            return (
                counterparts.rule_name(requirement) if has_own_rule else counterparts.extension_sentences[requirement]
            )
        if self.is_remainder(clause):
            return clause.part_of
        twin = counterparts.extension_clause(clause)
        return requirement if twin is None or requirement in self.declared else self.judging_requirement(twin.id)
