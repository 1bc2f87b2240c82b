"""Collects findings, one for each rule and call site, with the calls that led to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.validation.findings import Finding
from clconform.validation.history import History
from clconform.validation.sites import Sites

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Step
    from clconform.oracles.model.world import Model
    from clconform.validation.under_way import UnderWay


class Collector:
    """The findings of one recording."""

    def __init__(self) -> None:
        self.sites = Sites()
        self.history = History()
        self._findings: dict[tuple[object, ...], Finding] = {}

    def findings(self) -> list[Finding]:
        """Return the findings in the order of the calls."""
        return sorted(self._findings.values(), key=lambda finding: finding.number)

    def find(
        self, begun: UnderWay, step: Step, model: Model, party: str, kind: str, records: Iterable[str], words: str
    ) -> Finding:
        """Add a finding, or another occurrence of it; return it."""
        site, blamed = self.sites.of(begun.entered.site, begun.script), list(records)
        key = (party, kind, step.call.function, tuple(blamed) or _without_numbers(words), site)
        known = self._findings.get(key)
        if known is not None:
            known.count += 1
            return known
        led = self.history.led_to(begun, step, model, words)
        made = Finding(
            party,
            kind,
            step.call.function,
            blamed,
            words,
            site,
            begun.number,
            begun.entered.thread,
            [*(each.step for each in led), step],
            [*(each.begun.number for each in led), begun.number],
        )
        self._findings[key] = made
        return made

    def released_by(self, name: str) -> str:
        """Return a text with the call that released an object; empty if it is unknown."""
        by = self.history.gone_by(name)
        return f"by {by.entered.function}, call {by.number}, {self.sites.of(by.entered.site, by.script)}" if by else ""


def _without_numbers(words: str) -> str:
    """Return a reason without the numbers of objects and calls, which differ between equal reasons."""
    return "".join(letter for letter in words if not letter.isdigit())
