"""Collects findings, one for each rule and place, with the calls that made the objects at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import handles_of
from clconform.validation.findings import Finding
from clconform.validation.sites import Sites

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Step
    from clconform.validation.under_way import UnderWay

_LONGEST_HISTORY = 24
_MOST_GONE = 4096
"""Objects that are gone of which it is remembered by which call."""


class Collector:
    """The findings of one recording."""

    def __init__(self) -> None:
        self.sites = Sites()
        self._findings: dict[tuple[object, ...], Finding] = {}
        self._made_by: dict[str, tuple[UnderWay, Step]] = {}
        self._gone: dict[str, tuple[tuple[UnderWay, Step] | None, UnderWay]] = {}

    def findings(self) -> list[Finding]:
        """Return what was found, in the order of the calls."""
        return sorted(self._findings.values(), key=lambda finding: finding.number)

    def find(self, begun: UnderWay, step: Step, party: str, kind: str, records: Iterable[str], words: str) -> Finding:
        """Add a finding, or one more occurrence of it; return it."""
        site, blamed = self.sites.of(begun.entered.site, begun.script), list(records)
        key = (party, kind, step.call.function, tuple(blamed) or _without_numbers(words), site)
        known = self._findings.get(key)
        if known is not None:
            known.count += 1
            return known
        steps = [*self._history(step.call), step]
        made = Finding(party, kind, step.call.function, blamed, words, site, begun.number, begun.entered.thread, steps)
        self._findings[key] = made
        return made

    def remember(self, begun: UnderWay, step: Step, names: Iterable[str]) -> None:
        """Remember the call that has made objects, or has been the first to return them."""
        for name in names:
            if name not in self._made_by:
                self._made_by[name] = begun, step

    def go(self, name: str, begun: UnderWay) -> None:
        """Remember by which call an object went, for a program that uses it once more."""
        self._gone[name] = self._made_by.pop(name, None), begun
        if len(self._gone) > _MOST_GONE:
            del self._gone[next(iter(self._gone))]

    def maker(self, name: str) -> tuple[UnderWay, Step] | None:
        """Return the call that made a living object, if it is known."""
        return self._made_by.get(name)

    def released_by(self, name: str) -> str:
        """Return in words by which call an object went; an empty string where that is not known."""
        if name not in self._gone:
            return ""
        by = self._gone[name][1]
        return f"by {by.entered.function}, call {by.number}, {self.sites.of(by.entered.site, by.script)}"

    def _history(self, call: Call) -> list[Step]:
        """Return the calls that made the objects of a call, and the objects of those, in their order."""
        found: dict[int, Step] = {}
        open_ = [handle.name for handle in handles_of(call)]
        while open_ and len(found) < _LONGEST_HISTORY:
            name = open_.pop()
            made = self._made_by.get(name) or (self._gone[name][0] if name in self._gone else None)
            if made is not None and made[0].number not in found:
                found[made[0].number] = made[1]
                open_ += [handle.name for handle in handles_of(made[1].call)]
        return [found[number] for number in sorted(found)]


def _without_numbers(words: str) -> str:
    """Return a reason without the numbers of objects and calls, by which equal ones differ."""
    return "".join(letter for letter in words if not letter.isdigit())
