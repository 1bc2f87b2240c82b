"""The layer between a session and its driver: it notes what passes, and has one fault at a time change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clconform.calls.call import Call, Outcome
from clconform.harness import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from clconform.harness import Deadlines, Target
    from clconform.selftest.injection.faults import Seen, Tampering

Ask: TypeAlias = "Callable[[Call], Outcome]"


class Passed(NamedTuple):
    """What has passed: a call with its outcome, or without a call the beginning of an example or what was forgotten."""

    call: Call | None
    outcome: Outcome | None = None
    forgotten: tuple[str, ...] = ()


class Layer:
    """What stands between: ``log`` is kept while it is a list; ``tampering`` changes what passes while it is one.

    ``told``: is told of each call that a fault shows in: the call, the driver's outcome and the changed one. Where
    nothing of the outcome is changed, the two are the same.
    """

    def __init__(self, told: Callable[[Call, Outcome, Outcome], None]) -> None:
        self.told = told
        self.lasting: Collection[str] = ()
        self.log: list[Passed] | None = None
        self.tampering: Tampering | None = None

    def through(self, call: Call, make: Ask) -> Outcome:
        """Make a call, with what the fault does to it."""
        tampering = self.tampering
        if tampering is None:
            outcome = make(call)
            if self.log is not None:
                self.log.append(Passed(call, outcome))
            return outcome
        mark = tampering.applied
        sent = tampering.before(call)
        real = make(sent) if isinstance(sent, Call) else sent
        shown = tampering.after(call, real, make) if isinstance(sent, Call) else sent
        tampering.seen.see(shown)
        if tampering.applied > mark:
            self.told(call, real, shown)
        return shown

    def begin(self) -> None:
        """Take note of the beginning of an example."""
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
    """A worker behind a layer. Calls made at the same time pass one after the other."""

    def __init__(self, target: Target, layer: Layer, deadlines: Deadlines | None = None) -> None:
        super().__init__(target, deadlines=deadlines)
        self._layer = layer

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call, as ``Worker.ask`` does, through the layer."""
        make = super().ask
        return self._layer.through(call, lambda sent: make(sent, deadline))

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls at the same time, and let their outcomes through the layer in their order."""
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
        """Tell that these objects are gone."""
        gone = list(names)
        super().forget(gone)
        self._layer.forget(gone)


def shows_in(log: Sequence[Passed], tamperings: Iterable[Tampering], seen: Seen) -> dict[Tampering, int]:
    """Return the faults that would show in an item by what has passed in it, each with the place of the first call.

    ``seen`` is what the tamperings share.
    """
    left = _Left(tamperings)
    found: dict[Tampering, int] = {}
    for at, (call, outcome, forgotten) in enumerate(log):
        if call is not None and outcome is not None:
            for tampering in left.concerned_by(call):
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
    """Let a call pass that was made before."""
    if isinstance(tampering.before(call), Call):
        tampering.after(call, outcome, lambda _again: outcome)


class _Left:
    """Faults that have shown in no call yet, by the functions that they have to know of."""

    def __init__(self, tamperings: Iterable[Tampering]) -> None:
        self._own: dict[str, dict[Tampering, None]] = {}
        for tampering in tamperings:
            self._own.setdefault(self._key(tampering), {})[tampering] = None

    @staticmethod
    def _key(tampering: Tampering) -> str:
        return "" if tampering.wide else tampering.fault.function

    def concerned_by(self, call: Call) -> list[Tampering]:
        """Return those that have to know of a call."""
        return [*self._own.get(call.function, ()), *self._own.get("", ())]

    def drop(self, tampering: Tampering) -> None:
        """Leave one out from now on."""
        del self._own[self._key(tampering)][tampering]

    def begin(self) -> None:
        """Tell all of them that an example begins."""
        for some in self._own.values():
            for tampering in some:
                tampering.begin()
