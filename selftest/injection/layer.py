"""The layer between a session and its driver: it logs calls, and lets one fault at a time change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clconform.calls.call import Absent, Call, Died, Hung, Outcome
from clconform.harness import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from clconform.harness import Deadlines, Target
    from clconform.selftest.injection.faults import Seen, Tampering

Ask: TypeAlias = "Callable[[Call], Outcome]"


class Passed(NamedTuple):
    """A logged event: a call with its outcome, or without a call the beginning of an example or forgotten objects."""

    call: Call | None
    outcome: Outcome | None = None
    forgotten: tuple[str, ...] = ()


class DriverEndedError(Exception):
    """The driver has died or hung by itself, in an item in which it does so without a fault."""


class Layer:
    """The layer: ``log`` is written if it is a list; ``tampering`` changes calls if set.

    ``ends``: an item with a fault ends with DriverEndedError if the driver dies or hangs by itself. ``told``:
    called for each call that a fault affects: the call, the driver's outcome and the changed one. If the outcome is not
    changed, the two are the same.
    """

    def __init__(self, told: Callable[[Call, Outcome, Outcome], None]) -> None:
        self.told = told
        self.lasting: Collection[str] = ()
        self.log: list[Passed] | None = None
        self.tampering: Tampering | None = None
        self.ends = False

    def through(self, call: Call, make: Ask) -> Outcome:
        """Make a call, with the effect of the fault."""
        tampering = self.tampering
        if tampering is None:
            outcome = make(call)
            if self.log is not None:
                self.log.append(Passed(call, outcome))
            return outcome
        mark = tampering.applied
        sent = tampering.before(call)
        real = make(sent) if isinstance(sent, Call) else sent
        if self.ends and isinstance(sent, Call) and isinstance(real, (Died, Hung)):
            raise DriverEndedError(call.function)
        shown = tampering.after(call, real, make) if isinstance(sent, Call) else sent
        tampering.seen.see(shown)
        if tampering.applied > mark:
            self.told(call, real, shown)
        return shown

    def begin(self) -> None:
        """Handle the beginning of an example."""
        if self.log is not None:
            self.log.append(Passed(None))
        if self.tampering is not None:
            self.tampering.seen.begin()
            self.tampering.begin()

    def forget(self, names: Iterable[str]) -> None:
        """Take note of objects that are gone."""
        if self.log is not None:
            self.log.append(Passed(None, forgotten=tuple(names)))
        if self.tampering is not None:
            self.tampering.seen.forget(tuple(names))


class Between(Worker):
    """A worker behind a layer. Concurrent calls pass through one after the other."""

    def __init__(self, target: Target, layer: Layer, deadlines: Deadlines | None = None) -> None:
        super().__init__(target, deadlines=deadlines)
        self._layer = layer

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call, as ``Worker.ask`` does, through the layer."""
        make = super().ask
        return self._layer.through(call, lambda sent: make(sent, deadline))

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls concurrently, and pass their outcomes through the layer in order."""
        outcomes = super().ask_together(calls, deadline)
        return [
            self._layer.through(call, lambda _sent, outcome=outcome: outcome)  # type: ignore[misc]
            for call, outcome in zip(calls, outcomes, strict=True)
        ]

    def begin(self) -> None:
        """Start an example."""
        super().begin()
        self._layer.begin()

    def forget(self, names: Iterable[str]) -> None:
        """Report that these objects no longer exist."""
        gone = list(names)
        super().forget(gone)
        self._layer.forget(gone)


def until_the_end(log: Sequence[Passed]) -> list[Passed]:
    """Return the part of a log before the call in which the driver died or hung, if there is one."""
    ends = (at for at, passed in enumerate(log) if isinstance(passed.outcome, (Died, Hung)))
    return list(log[: next(ends, len(log))])


def shows_in(log: Sequence[Passed], tamperings: Iterable[Tampering], seen: Seen) -> dict[Tampering, int]:
    """Return the faults that would take effect in an item according to its log, each with the index of the first call.

    ``seen`` is shared by the tamperings. A function that the driver does not have is called by none of them.
    """
    left = _Left(tamperings)
    found: dict[Tampering, int] = {}
    for at, (call, outcome, forgotten) in enumerate(log):
        if call is not None and outcome is not None:
            for tampering in left.concerned_by(call) if not isinstance(outcome, Absent) else ():
                _pass(tampering, call, outcome)
                if tampering.applied:
                    found[tampering] = at
                    left.drop(tampering)
            seen.see(outcome)
        elif forgotten:
            seen.forget(forgotten)
        else:
            seen.begin()
            left.begin()
    return found


def _pass(tampering: Tampering, call: Call, outcome: Outcome) -> None:
    """Replay a logged call."""
    if isinstance(tampering.before(call), Call):
        tampering.after(call, outcome, lambda _again: outcome)


class _Left:
    """Faults that have not taken effect yet, by the functions that they must see."""

    def __init__(self, tamperings: Iterable[Tampering]) -> None:
        self._own: dict[str, dict[Tampering, None]] = {}
        for tampering in tamperings:
            self._own.setdefault(self._key(tampering), {})[tampering] = None

    @staticmethod
    def _key(tampering: Tampering) -> str:
        return "" if tampering.wide else tampering.fault.function

    def concerned_by(self, call: Call) -> list[Tampering]:
        """Return those that must see a call."""
        return [*self._own.get(call.function, ()), *self._own.get("", ())]

    def drop(self, tampering: Tampering) -> None:
        """Remove one."""
        del self._own[self._key(tampering)][tampering]

    def begin(self) -> None:
        """Report the beginning of an example to all of them."""
        for some in self._own.values():
            for tampering in some:
                tampering.begin()
