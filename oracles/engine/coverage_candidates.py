"""Finds the requirements that a call may cover, with their coverage points."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.rules import QueryCoverage
from clconform.spec_tables import revision_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.older_counterparts import OlderCounterparts
    from clconform.oracles.engine.rules import CoveragePoint, Rules
    from clconform.spec_tables.requirements import ApplicabilityCondition


class CoverageCandidate(NamedTuple):
    """A requirement that a call may cover, with its coverage point."""

    requirement: str
    conditions: tuple[ApplicabilityCondition, ...]
    coverage_point: CoveragePoint


class CoverageCandidates:
    """The requirements that calls may cover, by function and query; they are collected on first use and cached."""

    def __init__(self, rules: Rules, counterparts: OlderCounterparts) -> None:
        self._rules, self._counterparts, self._tables = rules, counterparts, counterparts.tables
        self._candidates: dict[tuple[str, tuple[str, ...]], tuple[CoverageCandidate, ...]] = {}
        self._points: dict[str, list[tuple[str, CoveragePoint]]] = {}
        for (requirement, function), coverage_point in rules.coverage_points.entries.items():
            self._points.setdefault(function, []).append((requirement, coverage_point))

    def candidates_of(self, function: str, names: tuple[str, ...]) -> tuple[CoverageCandidate, ...]:
        """Return the requirements that a call of a function may cover; ``names``: the names of its query, if any."""
        found = self._candidates.get((function, names))
        if found is None:
            found = self._candidates[function, names] = tuple(self._find_candidates(function, names))
        return found

    def _find_candidates(self, function: str, names: tuple[str, ...]) -> Iterator[CoverageCandidate]:
        requirements = self._tables.requirements
        for requirement, known in self._points.get(function, ()):
            if requirement in requirements and _can_cover(known, names):
                parents = revision_ids.resolve_ids(known.judged_requirements, self._tables)
                same = parents == known.judged_requirements
                whole = known if same else dataclasses.replace(known, judged_requirements=parents)
                yield CoverageCandidate(requirement, requirements[requirement].applicability, whole)
        yield from self._find_inherited_candidates(function)

    def _find_inherited_candidates(self, function: str) -> Iterator[CoverageCandidate]:
        """Yield the requirements of a core function that the coverage points of its former extension function cover."""
        twin = self._counterparts.rule_name(function)
        for requirement, same in self._counterparts.extension_sentences.items() if twin != function else ():
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
