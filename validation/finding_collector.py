"""Collects findings, one for each rule and call site, with the calls that led to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.validation.call_history import CallHistory
from clconform.validation.call_sites import CallSiteResolver
from clconform.validation.findings import DRIVER, LOADER, SERIOUS_KINDS, ValidationFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from clconform.calls.call import Step
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model
    from clconform.validation.pending_call import PendingCall
    from clconform.validation.remedies import RemedyWriter

_DRIVERS = (DRIVER, LOADER)
"""The parties whose violations no change of the program remedies."""


class FindingCollector:
    """The findings of one recording.

    ``my_code``: patterns of the code in which calls have their places. ``is_remote``: as for ``CallSiteResolver``.
    """

    def __init__(self, remedies: RemedyWriter, my_code: Sequence[str] = (), *, is_remote: bool = False) -> None:
        self.sites = CallSiteResolver(my_code, is_remote=is_remote)
        self.history = CallHistory()
        self._findings: dict[tuple[object, ...], ValidationFinding] = {}
        self._remedies = remedies
        self._new: list[ValidationFinding] = []

    def collect_trial(self, judge: Callable[[], None]) -> list[ValidationFinding]:
        """Return the new findings that a function adds, without keeping them."""
        kept, new = self._findings, self._new
        self._findings, self._new = {}, []
        try:
            judge()
            return [finding for key, finding in self._findings.items() if key not in kept]
        finally:
            self._findings, self._new = kept, new

    def take_new(self) -> list[ValidationFinding]:
        """Return the findings that were added after the previous call of this function."""
        new, self._new = self._new, []
        return new

    def findings(self) -> list[ValidationFinding]:
        """Return the findings in the order of the calls."""
        return sorted(self._findings.values(), key=lambda finding: finding.call_number)

    def remove(self, findings: list[ValidationFinding]) -> None:
        """Remove findings."""
        removed = {id(finding) for finding in findings}
        self._findings = {key: each for key, each in self._findings.items() if id(each) not in removed}

    def has_serious(self) -> bool:
        """Return whether there is a finding that counts against a party."""
        return any(finding.kind in SERIOUS_KINDS for finding in self._findings.values())

    def add_finding(
        self,
        begun: PendingCall,
        step: Step,
        model: Model,
        party: str,
        kind: str,
        records: Iterable[str],
        words: str,
        rule: str = "",
        values: Mapping[str, str] | None = None,
    ) -> ValidationFinding:
        """Add a finding, or count another occurrence of an equal finding; return the finding.

        ``rule``: the id of a rule in ``rules.toml``; the default is the first of the requirements ``records``.
        ``values``: values of the finding for its remedy.
        """
        site, blamed = self.sites.site_of(begun), list(records)
        named = rule or blamed[0]
        key = (party, kind, step.call.function, named, tuple(blamed), str(site))
        known = self._findings.get(key)
        if known is not None:
            known.count += 1
            return known
        led = self.history.calls_before(begun, step, model, words)
        made = ValidationFinding(
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
            rule=named,
            remedy=self._remedies.write_remedy(named, step.call, model, values or {}) if party not in _DRIVERS else "",
        )
        stack = self.sites.stack_of(begun)
        made.stack = stack if len(stack) > 1 else []
        self._findings[key] = made
        self._new.append(made)
        return made

    def describe_places(self, name: str) -> str:
        """Return a text with the calls that created and released an object; empty if both are unknown."""
        made, gone = self.history.first_call(name), self.history.releasing_call(name)
        parts = [
            f"{verb} by {begun.entered.function}, call {begun.number}, {self.sites.site_of(begun)}"
            for verb, begun in (("created", made.begun if made else None), ("released", gone))
            if begun is not None
        ]
        return "; ".join(parts)

    def describe_command(self, command: Command) -> str:
        """Return a text with the call that enqueued a command; empty if the call is unknown."""
        known = self.history.enqueuing_call(command)
        if known is None:
            return ""
        begun = known.begun
        return f"{begun.entered.function}, call {begun.number}, {self.sites.site_of(begun)}"
