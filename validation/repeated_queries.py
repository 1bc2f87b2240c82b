"""Tracks queries with too small an output buffer: if the same query succeeds later, the first was a probe."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.validation.findings import ERROR, ValidationFinding

if TYPE_CHECKING:
    from clconform.calls.call import Call

OUTPUTS = ("param_value", "param_value_size", "param_value_size_ret")
"""The parameters in which two calls of the same query may differ."""
_MAX_ENTRIES = 1024


class _FailedQuery(msgspec.Struct):
    """A failed query with its finding, the party that it may count against, and the number of such calls."""

    finding: ValidationFinding
    party: str
    count: int = 0


class RepeatedQueries:
    """The failed queries of one program whose value the program has not received."""

    def __init__(self) -> None:
        self._failed: dict[str, dict[int, _FailedQuery]] = {}

    def note_failure(self, call: Call, finding: ValidationFinding, party: str) -> None:
        """Note a failed query; ``party``: the party that violates a rule if the query does not succeed later."""
        known = self._failed.setdefault(_key(call), {})
        known.setdefault(id(finding), _FailedQuery(finding, party)).count += 1
        if len(self._failed) > _MAX_ENTRIES:
            del self._failed[next(iter(self._failed))]

    def note_success(self, call: Call) -> None:
        """Note a successful query."""
        if self._failed and call.arguments.get("param_value") is not None:
            self._failed.pop(_key(call), None)

    def undecided_findings(self) -> list[ValidationFinding]:
        """Return the findings about queries that have not succeeded yet."""
        return [each.finding for entries in self._failed.values() for each in entries.values()]

    def finish(self) -> None:
        """Count the queries that have not succeeded later against their party; for a process that exits normally.

        A finding about several queries, of which others have succeeded later, counts only these.
        """
        counts: Counter[int] = Counter()
        for each in (each for entries in self._failed.values() for each in entries.values()):
            finding = each.finding
            counts[id(finding)] += each.count
            finding.party, finding.kind, finding.count = each.party, ERROR, counts[id(finding)]
        self._failed.clear()


def _key(call: Call) -> str:
    return f"{call.function} {[value for name, value in call.arguments.items() if name not in OUTPUTS]}"
