"""Tracks queries with too small an output buffer: if the same query succeeds later, the first was a probe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.validation.findings import ERROR

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.validation.findings import ValidationFinding

OUTPUTS = ("param_value", "param_value_size", "param_value_size_ret")
"""The parameters in which two calls of the same query may differ."""
_MAX_ENTRIES = 1024


class RepeatedQueries:
    """The failed queries of one program whose value the program has not received."""

    def __init__(self) -> None:
        self._failed: dict[str, tuple[ValidationFinding, str]] = {}

    def note_failure(self, call: Call, finding: ValidationFinding, party: str) -> None:
        """Note a failed query; ``party``: the party that violates a rule if the query does not succeed later."""
        self._failed.setdefault(_key(call), (finding, party))
        if len(self._failed) > _MAX_ENTRIES:
            del self._failed[next(iter(self._failed))]

    def note_success(self, call: Call) -> None:
        """Note a successful query."""
        if self._failed and call.arguments.get("param_value") is not None:
            self._failed.pop(_key(call), None)

    def undecided_findings(self) -> list[ValidationFinding]:
        """Return the findings about queries that have not succeeded yet."""
        return [finding for finding, _ in self._failed.values()]

    def finish(self) -> None:
        """Count the queries that have not succeeded later against their party; for a process that exits normally."""
        for finding, party in self._failed.values():
            _count_against(finding, party)
        self._failed.clear()


def _count_against(finding: ValidationFinding, party: str) -> None:
    finding.party, finding.kind = party, ERROR


def _key(call: Call) -> str:
    return f"{call.function} {[value for name, value in call.arguments.items() if name not in OUTPUTS]}"
