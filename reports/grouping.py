"""Deviations of several clauses at once: what the same clauses show alone explains them, and is told instead."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.journal import Deviation
    from clconform.reports.result import DeviationResult

SUCCESS = "CL_SUCCESS"

_D = TypeVar("_D", "Deviation", "DeviationResult")


def unexplained(deviations: Iterable[_D]) -> list[_D]:
    """Return the deviations without those of several records that the same records explain, each by itself.

    A success against several clauses is explained where each of them alone meets a deviation; another outcome, where
    one of them alone meets the same.
    """
    every = list(deviations)
    alone: dict[str, list[_D]] = defaultdict(list)
    for deviation in every:
        if len(deviation.records) == 1:
            alone[deviation.records[0]].append(deviation)
    return [deviation for deviation in every if len(deviation.records) == 1 or not _explained(deviation, alone)]


def _explained(group: _D, alone: dict[str, list[_D]]) -> bool:
    if group.verdict == "deviates" and group.observed == SUCCESS:
        return all(alone.get(record) for record in group.records)
    return any(
        single.verdict == group.verdict and (group.verdict != "deviates" or single.observed == group.observed)
        for record in group.records
        for single in alone.get(record, ())
    )
