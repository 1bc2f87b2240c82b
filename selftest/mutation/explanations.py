"""Mutants that no call can kill, each with the reason: ``equivalent_mutants.toml``.

A run reports the mutants of this list that it kills.
"""

from __future__ import annotations

import functools
import tomllib
from fnmatch import fnmatchcase
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from clconform.selftest.mutation.mutants import Mutant

VIA, RECORDING_PATTERN = "/via/", "clCommand*KHR/via/*"
"""Parts of the ids of inherited conditions.

The first one precedes the source condition's id, the second one selects conditions of recording functions. A recording
function inherits the conditions of the function that enqueues the same command.
"""


class MutantExplanation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reason why mutants of one kind survive for some requirements.

    ``operator``: the kind of change. ``requirements``: patterns of requirement ids. ``places``: for each change, the
    function or constant that is changed and the number of the change among those of the same kind in it, from 1, as in
    ``is_invalid_object/2``; empty if the operator removes or negates the predicate.
    """

    reason: str
    operator: str
    requirements: tuple[str, ...]
    places: tuple[str, ...] = ()

    def covers(self, mutant: Mutant) -> bool:
        """Return whether the explanation applies to a mutant.

        The condition of a recording function is also covered by the explanation of the condition that it inherits.
        """
        if mutant.operator != self.operator or (mutant.number and f"{mutant.place}/{mutant.number}" not in self.places):
            return False
        names = [mutant.requirement]
        if fnmatchcase(mutant.requirement, RECORDING_PATTERN):
            names.append(mutant.requirement.partition(VIA)[2])
        return any(fnmatchcase(name, pattern) for pattern in self.requirements for name in names)


class _ExplanationFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    explanation: tuple[MutantExplanation, ...]


@functools.cache
def read_explanations() -> tuple[MutantExplanation, ...]:
    """Return all explanations, in the order of the file."""
    text = (
        resources.files("clconform.selftest.mutation").joinpath("equivalent_mutants.toml").read_text(encoding="utf-8")
    )
    return msgspec.convert(tomllib.loads(text), _ExplanationFile).explanation


def find_reasons(mutant: Mutant) -> list[str]:
    """Return the reasons that explain a mutant: at most one, unless explanations overlap."""
    return [each.reason for each in read_explanations() if each.covers(mutant)]
