"""States on what the rule of a requirement is based: the literal document, an inference, or an interpretation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from clconform.oracles.engine.older_counterparts import OlderCounterparts
    from clconform.oracles.engine.requirement_predicates import RequirementPredicates
    from clconform.oracles.engine.rules import Rules
    from clconform.spec_tables.versions import UndocumentedVersions


class RuleBasis:
    """The confidence of rules, the interpretations on which they rely, and the gaps in the documents of versions."""

    def __init__(self, rules: Rules, counterparts: OlderCounterparts, predicates: RequirementPredicates) -> None:
        self._rules, self._tables, self._predicates = rules, counterparts.tables, predicates

    def confidence_of(self, requirement: str) -> str:
        """Return the confidence of a requirement's rule: ``literal``, ``inferred`` or ``interpretation``."""
        return self._rules.confidence.get(self._basis_of_verdict(requirement), "literal")

    def undocumented_versions(self, requirement: str) -> UndocumentedVersions | None:
        """Return the versions whose own documents lack a requirement's sentence, or None."""
        return self._rules.undocumented_versions.entries.get(self._basis_of_verdict(requirement))

    def interpretations_of(self, requirement: str) -> frozenset[str]:
        """Return the interpretations on which a requirement's rule relies; the requirement must not be a clause."""
        return frozenset(entry for known, entry in self._rules.interpretations if known == requirement)

    def _basis_of_verdict(self, requirement: str) -> str:
        """Return the requirement that determines the confidence: the older clause if the predicate depends on it."""
        clause = self._tables.requirements.get(requirement)
        if isinstance(clause, ErrorCondition) and self._predicates.is_narrowed(clause):
            return clause.part_of
        return self._predicates.judging_requirement(requirement)
