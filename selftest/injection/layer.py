"""The layer between a session and its driver, which logs calls and applies one fault at a time."""

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
    """A logged event: a call with its outcome; without a call, the start of an example, or forgotten objects."""

    call: Call | None
    outcome: Outcome | None = None
    forgotten: tuple[str, ...] = ()


class DriverEndedError(Exception):
    """The driver died or hung in an item in which it also does so without a fault."""


class Layer:
    """Logs calls in ``log`` if it is a list, and applies ``tampering`` if it is set.

    ``ends``: an item with a fault ends with DriverEndedError if the driver dies or hangs on its own. ``told`` is called
    with each call that a fault affects, the driver's outcome and the changed outcome. The two outcomes are identical if
    the outcome is not changed.
    """

    def __init__(self, told: Callable[[Call, Outcome, Outcome], None]) -> None:
        self.told = told
        self.lasting: Collection[str] = ()
        self.log: list[Passed] | None = None
        self.tampering: Tampering | None = None
        self.ends = False

    def through(self, call: Call, make: Ask) -> Outcome:
        """Make a call and apply the fault."""
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
        """Handle the start of an example."""
        if self.log is not None:
            self.log.append(Passed(None))
        if self.tampering is not None:
            self.tampering.seen.begin()
            self.tampering.begin()

    def forget(self, names: Iterable[str]) -> None:
        """Handle objects that no longer exist."""
        if self.log is not None:
            self.log.append(Passed(None, forgotten=tuple(names)))
        if self.tampering is not None:
            self.tampering.seen.forget(tuple(names))


class Between(Worker):
    """A worker with an injection layer; the outcomes of concurrent calls pass through the layer one after the other."""

    def __init__(self, target: Target, layer: Layer, deadlines: Deadlines | None = None) -> None:
        super().__init__(target, deadlines=deadlines)
        self._layer = layer

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call as ``Worker.ask`` does, through the layer."""
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
        """Report objects that no longer exist."""
        gone = list(names)
        super().forget(gone)
        self._layer.forget(gone)


def until_the_end(log: Sequence[Passed]) -> list[Passed]:
    """Return the events of a log before the call in which the driver died or hung; all events if it did not."""
    ends = (at for at, passed in enumerate(log) if isinstance(passed.outcome, (Died, Hung)))
    return list(log[: next(ends, len(log))])


def shows_in(log: Sequence[Passed], tamperings: Iterable[Tampering], seen: Seen) -> dict[Tampering, int]:
    """Map the faults that would take effect in an item, according to its log, to the index of the first affected call.

    All effects share ``seen``. Calls of a function that the driver does not provide are skipped.
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
    """Apply an effect to a logged call."""
    if isinstance(tampering.before(call), Call):
        tampering.after(call, outcome, lambda _again: outcome)


class _Left:
    """Faults that have not taken effect yet, by the function whose calls they need."""

    def __init__(self, tamperings: Iterable[Tampering]) -> None:
        self._own: dict[str, dict[Tampering, None]] = {}
        for tampering in tamperings:
            self._own.setdefault(self._key(tampering), {})[tampering] = None

    @staticmethod
    def _key(tampering: Tampering) -> str:
        return "" if tampering.wide else tampering.fault.function

    def concerned_by(self, call: Call) -> list[Tampering]:
        """Return the effects that need a call."""
        return [*self._own.get(call.function, ()), *self._own.get("", ())]

    def drop(self, tampering: Tampering) -> None:
        """Remove an effect."""
        del self._own[self._key(tampering)][tampering]

    def begin(self) -> None:
        """Report the start of an example to all effects."""
        for some in self._own.values():
            for tampering in some:
                tampering.begin()
