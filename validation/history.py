"""Selects the calls that led to a finding: they created its objects, used them last, or are waited for."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import handles_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Step
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model
    from clconform.validation.under_way import UnderWay

_MOST_GONE = 4096
"""Maximum number of released objects whose releasing call is remembered."""
_RECENT = 64
"""Number of calls remembered that created no objects, without queries."""
_LONGEST = 24
_MOST_OF_A_KIND = 6
"""Number of calls listed besides those that created a call's objects: the latest uses, and pending commands."""
_EVERYWHERE = ("platform", "device", "context", "queue")
"""Beginnings of the names of objects that nearly every call uses."""
_ABOUT_ONE = ("clRelease", "clRetain", "clGet", "clSet")
"""Beginnings of the names of functions whose calls are about their first object, whatever it is."""
_CALL = re.compile(r"\bcall (\d+)")


class Known(NamedTuple):
    """A call of the program with its outcome."""

    begun: UnderWay
    step: Step

    @property
    def names(self) -> set[str]:
        """The objects that it is about, without those that nearly every call uses."""
        names = {each.name for each in handles_of(self.step.call)}
        found = {each for each in names if not each.startswith(_EVERYWHERE)}
        return found or (names if self.step.call.function.startswith(_ABOUT_ONE) else found)


class Enqueued(NamedTuple):
    """A command, and the call that enqueued it."""

    command: Command
    known: Known


class History:
    """The calls of one recording that may lead to a finding; the memory use does not grow with their number."""

    def __init__(self) -> None:
        self._made_by: dict[str, Known] = {}
        self._gone: dict[str, tuple[Known | None, UnderWay]] = {}
        self._recent: deque[Known] = deque(maxlen=_RECENT)
        self._enqueued: dict[int, Enqueued] = {}

    def add(self, begun: UnderWay, step: Step, model: Model) -> None:
        """Store a successful call, unless it is a query, and the command that it enqueued."""
        if step.call.function.startswith("clGet"):
            return
        known = Known(begun, step)
        self._recent.append(known)
        pending = model.order.pending
        if pending and id(pending[-1]) not in self._enqueued and pending[-1].function == step.call.function:
            self._enqueued[id(pending[-1])] = Enqueued(pending[-1], known)
            if len(self._enqueued) > 2 * len(pending) + _RECENT:
                kept = {id(each) for each in pending}
                self._enqueued = {key: each for key, each in self._enqueued.items() if key in kept}

    def made(self, begun: UnderWay, step: Step, names: Iterable[str]) -> None:
        """Store the call that created objects, or was the first to return them."""
        known = Known(begun, step)
        for name in names:
            self._made_by.setdefault(name, known)

    def go(self, name: str, begun: UnderWay) -> None:
        """Store the call that released an object, for a program that uses it again."""
        self._gone[name] = self._made_by.pop(name, None), begun
        if len(self._gone) > _MOST_GONE:
            del self._gone[next(iter(self._gone))]

    def maker(self, name: str) -> Known | None:
        """Return the call that created a living object, if it is known."""
        return self._made_by.get(name)

    def enqueued(self, sequence: int) -> Enqueued | None:
        """Return a command that is not known to be complete, by the sequence number of its call."""
        return next((each for each in self._enqueued.values() if each.known.begun.entered.sequence == sequence), None)

    def gone_by(self, name: str) -> UnderWay | None:
        """Return the call that released an object, if it is known."""
        return self._gone[name][1] if name in self._gone else None

    def led_to(self, begun: UnderWay, step: Step, model: Model, words: str) -> list[Known]:
        """Return the calls that led to one: those that created its objects and derived objects, and the last uses.

        ``words``: the text of the finding; the calls whose numbers it contains are included. Commands that may be
        incomplete are included if they use the same objects, or wait for the user.
        """
        names = Known(begun, step).names
        found: dict[int, Known] = {}
        self._take(found, self._unfinished(names, model, {int(number) for number in _CALL.findall(words)}))
        self._take(found, (each for each in self._recent if names & each.names))
        self._take(found, (each for each in self._made_by.values() if names & each.names))
        open_ = [each.name for each in handles_of(step.call)]
        open_ += [each.name for known in found.values() for each in handles_of(known.step.call)]
        while open_ and len(found) < _LONGEST:
            made = self._maker_of(open_.pop())
            if made is not None and made.begun.number not in found:
                found[made.begun.number] = made
                open_ += [handle.name for handle in handles_of(made.step.call)]
        return [found[number] for number in sorted(found) if number < begun.number]

    def _maker_of(self, name: str) -> Known | None:
        return self._made_by.get(name) or (self._gone[name][0] if name in self._gone else None)

    def _unfinished(self, names: set[str], model: Model, numbers: set[int]) -> Iterator[Known]:
        pending = {id(each) for each in model.order.pending}
        for key, (command, known) in self._enqueued.items():
            is_waiting = key in pending and not command.over
            if known.begun.number in numbers or (is_waiting and (command.waits_without_end or names & known.names)):
                yield known

    @staticmethod
    def _take(found: dict[int, Known], calls: Iterable[Known]) -> None:
        latest: deque[Known] = deque(maxlen=_MOST_OF_A_KIND)
        for each in calls:
            if each.begun.number not in found:
                latest.append(each)
        found.update({each.begun.number: each for each in latest})
