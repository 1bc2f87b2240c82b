"""Mutants that no call can kill, each with the reason; reviewed by hand, and each held to be needed by a test."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.mutation.mutants import Mutant


@dataclass(frozen=True)
class Explanation:
    """Why the mutants of a name survive on the records of a pattern."""

    records: str
    name: str
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        """Tell whether this is about a mutant."""
        return self.name == mutant.name and fnmatchcase(mutant.record, self.records)


EXPLAINED: tuple[Explanation, ...] = ()


def explained(mutant: Mutant) -> str:
    """Return why a mutant cannot be killed, or an empty string where nobody has said so."""
    return next((each.reason for each in EXPLAINED if each.fits(mutant)), "")
