"""A violation of a requirement, and the order of violations.

A violation is an altered outcome that the judge attributes to the requirement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.outcome_mutation.altered_outcomes import ALTERATION_KINDS, AlterationKind
from clconform.selftest.outcome_mutation.probes import AlteredOutcome

if TYPE_CHECKING:
    from clconform.oracles.engine.rulebook import Rulebook

GENERAL_KINDS: frozenset[AlterationKind] = frozenset(("nothing", "refused", "never"))
"""Kinds of alterations that violate every requirement of a call; a more specific violation is preferred."""


class RequirementViolation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A violation of a requirement: the altered outcome of one call, on a platform, in an item.

    ``answer``: the name of the outcome. ``wrong``, ``kind``: the name and the kind of the alteration. ``named``: the
    number of requirements that the judge names. ``instead``: a requirement that the judge names in place of this one;
    empty if the judge names this one. ``query`` and ``of``: if they are not empty, each result of this query on this
    object is altered, from the start of the session on; ``answer`` is then the outcome for which the judge names the
    requirement.
    """

    platform: str
    item: str
    answer: str
    wrong: str
    kind: AlterationKind
    named: int
    instead: str = ""
    query: str = ""
    of: str = ""

    @property
    def altered(self) -> AlteredOutcome:
        """The outcome to alter, and its alteration."""
        return AlteredOutcome(self.answer, self.wrong, self.query, self.of)


def is_general(requirement: str, violation: RequirementViolation) -> bool:
    """Return whether a violation may belong to another requirement of the same call."""
    exact = requirement.endswith("/success") and violation.named == 1 and violation.kind == "refused"
    return violation.kind in GENERAL_KINDS and not exact


def get_rank(requirement: str, violation: RequirementViolation) -> tuple[bool, bool, int, int]:
    """Return the sort key of a requirement's violations; the best violation comes first."""
    return (
        bool(violation.instead),
        is_general(requirement, violation),
        violation.named,
        list(ALTERATION_KINDS).index(violation.kind),
    )


def get_parents(rulebook: Rulebook) -> dict[str, frozenset[str]]:
    """Map each requirement with coverage points to its parents: the requirements by which the calls are judged.

    These are the calls of the coverage points. The set of parents may be empty.
    """
    known: dict[str, frozenset[str]] = {}
    for (requirement, _), coverage_point in rulebook.rules.coverage_points.entries.items():
        known[requirement] = known.get(requirement, frozenset()).union(coverage_point.judged_requirements)
    return known
