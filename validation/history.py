"""Which calls led to a finding: those that made the objects at hand, used them last, or are waited for."""

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
"""Objects that are gone of which it is remembered by which call."""
_RECENT = 64
"""Calls that are remembered although they have made nothing; queries are not among them."""
_LONGEST = 24
_MOST_OF_A_KIND = 6
"""Calls that are told beside those that made the objects of a call: the latest that used them, and that waited."""
_EVERYWHERE = ("platform", "device", "context", "queue")
"""Beginnings of the names of objects that nearly every call works on."""
_ABOUT_ONE = ("clRelease", "clRetain", "clGet", "clSet")
"""Beginnings of the names of functions whose calls are about their first object, whatever it is."""
_CALL = re.compile(r"\bcall (\d+)")


class Known(NamedTuple):
    """A call of the program, and what came of it."""

    begun: UnderWay
    step: Step

    @property
    def names(self) -> set[str]:
        """The objects that it is about: not those that nearly every call works on."""
        names = {each.name for each in handles_of(self.step.call)}
        found = {each for each in names if not each.startswith(_EVERYWHERE)}
        return found or (names if self.step.call.function.startswith(_ABOUT_ONE) else found)


class Enqueued(NamedTuple):
    """A command, and the call that has enqueued it."""

    command: Command
    known: Known


class History:
    """The calls of one recording that may lead to a finding; what is kept does not grow with their number."""

    def __init__(self) -> None:
        self._made_by: dict[str, Known] = {}
        self._gone: dict[str, tuple[Known | None, UnderWay]] = {}
        self._recent: deque[Known] = deque(maxlen=_RECENT)
        self._enqueued: dict[int, Enqueued] = {}

    def add(self, begun: UnderWay, step: Step, model: Model) -> None:
        """Remember a call that has succeeded and is no query, and the command that it has enqueued."""
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
        """Remember the call that has made objects, or has been the first to return them."""
        known = Known(begun, step)
        for name in names:
            self._made_by.setdefault(name, known)

    def go(self, name: str, begun: UnderWay) -> None:
        """Remember by which call an object went, for a program that uses it once more."""
        self._gone[name] = self._made_by.pop(name, None), begun
        if len(self._gone) > _MOST_GONE:
            del self._gone[next(iter(self._gone))]

    def maker(self, name: str) -> Known | None:
        """Return the call that made a living object, if it is known."""
        return self._made_by.get(name)

    def enqueued(self, sequence: int) -> Enqueued | None:
        """Return a command that is not known to be over, by the number with which its call entered the driver."""
        return next((each for each in self._enqueued.values() if each.known.begun.entered.sequence == sequence), None)

    def gone_by(self, name: str) -> UnderWay | None:
        """Return the call by which an object went, if it is known."""
        return self._gone[name][1] if name in self._gone else None

    def led_to(self, begun: UnderWay, step: Step, model: Model, words: str) -> list[Known]:
        """Return the calls that led to one: the objects' makers, what was made of them, and the last that used them.

        ``words``: what is found; the calls that it numbers are among those returned. So are commands that may not be
        complete and work on the same objects, or wait for the user.
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
