"""The results of a search so far, and the requirements that are still open."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.outcome_mutation.violation import RequirementViolation, get_rank, is_general

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_ITEMS, MAX_ITEMS_FOR_GENERAL = 8, 2
"""The maximum numbers of items tried for a requirement: without a violation, and with only a general violation."""


class ItemSearch(msgspec.Struct, frozen=True):
    """One item: the requirements that its calls tested, and the best violation found for each requirement tried.

    ``errors``: exceptions in this project's code while an altered outcome was judged.
    """

    tested: frozenset[str]
    tried: dict[str, RequirementViolation | None]
    errors: tuple[str, ...] = ()

    @property
    def exact(self) -> list[str]:
        """Return the requirements for which a better violation need not be searched."""
        return [
            requirement
            for requirement, found in self.tried.items()
            if found is not None and (found.instead or not is_general(requirement, found))
        ]


class Ledger:
    """The results of a search so far: for each tested requirement the best violation, or None.

    ``errors``: exceptions in this project's code.
    """

    def __init__(self, found: Mapping[str, RequirementViolation | None] | None = None) -> None:
        self.found: dict[str, RequirementViolation | None] = dict(found or {})
        self.errors: list[str] = []
        self._tries: Counter[str] = Counter()

    def add(self, searched: ItemSearch) -> None:
        """Add the results of one item."""
        for requirement in searched.tested:
            self.found.setdefault(requirement, None)
        for requirement, violation in searched.tried.items():
            self._tries[requirement] += 1
            before = self.found.get(requirement)
            if violation is not None and (
                before is None or get_rank(requirement, violation) < get_rank(requirement, before)
            ):
                self.found[requirement] = violation
        self.errors += searched.errors

    def start_platform(self) -> None:
        """Start another platform, on which requirements without a violation are tried again."""
        self._tries.clear()

    @property
    def unfound(self) -> frozenset[str]:
        """Return the tested requirements without a violation."""
        return frozenset(requirement for requirement, best in self.found.items() if best is None)

    @property
    def settled(self) -> frozenset[str]:
        """Return the requirements that need not be searched any more."""
        return frozenset(requirement for requirement, best in self.found.items() if self._is_settled(requirement, best))

    def _is_settled(self, requirement: str, best: RequirementViolation | None) -> bool:
        if best is None:
            return self._tries[requirement] >= MAX_ITEMS
        return (
            bool(best.instead) or not is_general(requirement, best) or self._tries[requirement] >= MAX_ITEMS_FOR_GENERAL
        )
