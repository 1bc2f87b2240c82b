"""Describes requirements in plain words, from the tables or else from their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.wording import format_sentence, recurring_condition_text
from clconform.oracles.model.errors import NullObjectError, RelatedToNullError, UnknownFactError
from clconform.spec_tables.requirements import Effect, ErrorCondition, UsageRule

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.older_counterparts import OlderCounterparts
    from clconform.oracles.engine.requirement_predicates import RequirementPredicates
    from clconform.oracles.engine.rules import Rules
    from clconform.oracles.model.state import Model


class RuleTexts:
    """The texts of requirements and of their alternatives; each text is composed on first use and cached."""

    def __init__(self, rules: Rules, counterparts: OlderCounterparts, predicates: RequirementPredicates) -> None:
        self._rules, self._counterparts, self._predicates = rules, counterparts, predicates
        self._tables = counterparts.tables
        self._words: dict[str, str] = {}

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
        judging = self._predicates.judging_requirement(requirement)
        own = self._rules.alternatives.entries.get(judging)
        kind = self._rules.recurring_alternatives.entries.get(found.condition.kind)
        try:
            if own is not None:
                return "; ".join(own(call, model))
            if kind is not None and judging not in self._predicates.declared:
                return "; ".join(kind(call, model, found))
        except (NullObjectError, RelatedToNullError, UnknownFactError):
            pass
        return ""

    def has_rule(self, requirement: str) -> bool:
        """Return whether a rule with a text, which may be empty, is declared for a requirement."""
        return self._predicates.judging_requirement(requirement) in self._rules.words

    def check_of(self, requirement: str) -> str:
        """Return a rule's text if it differs from the requirement's text in the tables, else an empty string."""
        found = self._tables.requirements.get(requirement)
        if not isinstance(found, (Effect, UsageRule)) or not found.text:
            return ""
        said = format_sentence(self._rules.words.get(self._predicates.judging_requirement(requirement), ""))
        return "" if said == self.words_of(requirement) else said

    def _describe(self, requirement: str) -> str:
        found = self._tables.requirements.get(requirement)
        if isinstance(found, (Effect, UsageRule)) and found.text:
            return format_sentence(found.text, {found.function})
        standing = self._predicates.judging_requirement(requirement)
        described = found if standing == requirement else self._counterparts.older.requirements.get(standing)
        described = (
            self._counterparts.with_older_condition(described) if isinstance(described, ErrorCondition) else described
        )
        words = self._rules.words.get(standing, "") or (
            recurring_condition_text(described, self._rules) if described else ""
        )
        if words and isinstance(found, ErrorCondition) and standing == found.part_of:
            words = f"One of the reasons for this code holds: {words}"
        if not words and isinstance(found, ErrorCondition) and found.inherited_from:
            return self.words_of(found.inherited_from)
        function = self._tables.functions.get(found.function) if found else None
        return format_sentence(words, {each.name for each in function.parameters} if function else set())
