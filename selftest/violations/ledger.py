"""What a search has found so far, and of which records more is to be looked for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.violations.violation import Violation, is_general, rank

if TYPE_CHECKING:
    from collections.abc import Mapping

TRIED, TRIED_FOR_A_BETTER = 8, 2
"""In how many items at most outcomes are altered for a record, and for one that only a general violation shows."""


class Searched(msgspec.Struct, frozen=True):
    """One item: the records that its calls tested, and those for which outcomes were altered, with the best found.

    ``errors``: exceptions of ours while an altered outcome was judged.
    """

    tested: frozenset[str]
    tried: dict[str, Violation | None]
    errors: tuple[str, ...] = ()

    @property
    def exact(self) -> list[str]:
        """The records for which nothing better need be looked for."""
        return [
            record
            for record, found in self.tried.items()
            if found is not None and (found.instead or not is_general(record, found))
        ]


class Ledger:
    """What a search has found so far: for each record that a call tested the best violation, or None.

    ``errors``: exceptions of ours.
    """

    def __init__(self, found: Mapping[str, Violation | None] | None = None) -> None:
        self.found: dict[str, Violation | None] = dict(found or {})
        self.errors: list[str] = []
        self._tries: Counter[str] = Counter()

    def add(self, searched: Searched) -> None:
        """Add one item."""
        for record in searched.tested:
            self.found.setdefault(record, None)
        for record, violation in searched.tried.items():
            self._tries[record] += 1
            before = self.found.get(record)
            if violation is not None and (before is None or rank(record, violation) < rank(record, before)):
                self.found[record] = violation
        self.errors += searched.errors

    def begin_platform(self) -> None:
        """Begin another platform, where records without a violation are tried again."""
        self._tries.clear()

    @property
    def unfound(self) -> frozenset[str]:
        """The records that were tested, and of which nothing is found."""
        return frozenset(record for record, best in self.found.items() if best is None)

    @property
    def settled(self) -> frozenset[str]:
        """The records for which no more outcomes need be altered."""
        return frozenset(record for record, best in self.found.items() if self._is_settled(record, best))

    def _is_settled(self, record: str, best: Violation | None) -> bool:
        if best is None:
            return self._tries[record] >= TRIED
        return bool(best.instead) or not is_general(record, best) or self._tries[record] >= TRIED_FOR_A_BETTER
