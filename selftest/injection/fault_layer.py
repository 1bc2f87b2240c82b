"""The layer between a session and its driver, which logs calls and applies one fault at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clconform.calls.call import Absent, Call, Died, Hung, Outcome
from clconform.harness import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from clconform.harness import Deadlines, Target
    from clconform.selftest.injection.fault import FaultEffect, LiveObjects

MakeCall: TypeAlias = "Callable[[Call], Outcome]"


class LoggedEvent(NamedTuple):
    """A logged event: a call with its outcome, the start of an example, or objects that no longer exist.

    Only the first has a call.
    """

    call: Call | None
    outcome: Outcome | None = None
    forgotten: tuple[str, ...] = ()


class DriverEndedError(Exception):
    """The driver died or hung in an item in which it also does so without a fault."""


class InjectionLayer:
    """Logs calls in ``log`` if it is a list, and applies ``tampering`` if it is set.

    ``ends``: an item with a fault ends with DriverEndedError if the driver itself dies or hangs. ``on_effect`` is
    called with each call that a fault affects, the driver's outcome and the changed outcome. Both outcomes are
    identical if the fault changes only the call.
    """

    def __init__(self, told: Callable[[Call, Outcome, Outcome], None]) -> None:
        self.on_effect = told
        self.lasting: Collection[str] = ()
        self.log: list[LoggedEvent] | None = None
        self.tampering: FaultEffect | None = None
        self.ends = False

    def make_call(self, call: Call, make: MakeCall) -> Outcome:
        """Make a call, apply the fault to the call and to its outcome, and return the outcome for the session."""
        tampering = self.tampering
        if tampering is None:
            outcome = make(call)
            if self.log is not None:
                self.log.append(LoggedEvent(call, outcome))
            return outcome
        mark = tampering.applied
        sent = tampering.before(call)
        real = make(sent) if isinstance(sent, Call) else sent
        if self.ends and isinstance(sent, Call) and isinstance(real, (Died, Hung)):
            raise DriverEndedError(call.function)
        shown = tampering.after(call, real, make) if isinstance(sent, Call) else sent
        tampering.objects.add_objects(shown)
        if tampering.applied > mark:
            self.on_effect(call, real, shown)
        return shown

    def begin(self) -> None:
        """Handle the start of an example."""
        if self.log is not None:
            self.log.append(LoggedEvent(None))
        if self.tampering is not None:
            self.tampering.objects.begin()
            self.tampering.begin()

    def forget(self, names: Iterable[str]) -> None:
        """Handle the objects that no longer exist."""
        if self.log is not None:
            self.log.append(LoggedEvent(None, forgotten=tuple(names)))
        if self.tampering is not None:
            self.tampering.objects.forget(tuple(names))


class InjectingWorker(Worker):
    """A worker with an injection layer; the outcomes of concurrent calls pass through the layer one by one."""

    def __init__(self, target: Target, layer: InjectionLayer, deadlines: Deadlines | None = None) -> None:
        super().__init__(target, deadlines=deadlines)
        self._layer = layer

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call as ``Worker.call`` does, through the layer."""
        make = super().call
        return self._layer.make_call(call, lambda sent: make(sent, deadline))

    def call_concurrently(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls concurrently, and pass their outcomes through the layer in order."""
        outcomes = super().call_concurrently(calls, deadline)
        return [
            self._layer.make_call(call, lambda _sent, outcome=outcome: outcome)  # type: ignore[misc]
            for call, outcome in zip(calls, outcomes, strict=True)
        ]

    def begin_example(self) -> None:
        """Start an example."""
        super().begin_example()
        self._layer.begin()

    def forget_objects(self, names: Iterable[str]) -> None:
        """Report objects that no longer exist."""
        gone = list(names)
        super().forget_objects(gone)
        self._layer.forget(gone)


def get_events_before_end(log: Sequence[LoggedEvent]) -> list[LoggedEvent]:
    """Return the events of a log before the call in which the driver died or hung; all events if no call did so."""
    ends = (at for at, passed in enumerate(log) if isinstance(passed.outcome, (Died, Hung)))
    return list(log[: next(ends, len(log))])


def find_effects(
    log: Sequence[LoggedEvent], tamperings: Iterable[FaultEffect], seen: LiveObjects
) -> dict[FaultEffect, int]:
    """Map each fault that would take effect in an item to the index of the first affected call in its log.

    ``seen``: the live objects, which all effects share. Calls of a function that the driver does not provide are
    skipped.
    """
    left = _PendingEffects(tamperings)
    found: dict[FaultEffect, int] = {}
    for at, (call, outcome, forgotten) in enumerate(log):
        if call is not None and outcome is not None:
            for tampering in left.get_concerned(call) if not isinstance(outcome, Absent) else ():
                _replay_call(tampering, call, outcome)
                if tampering.applied:
                    found[tampering] = at
                    left.remove(tampering)
            seen.add_objects(outcome)
        elif forgotten:
            seen.forget(forgotten)
        else:
            seen.begin()
            left.begin()
    return found


def _replay_call(tampering: FaultEffect, call: Call, outcome: Outcome) -> None:
    """Pass a logged call and its outcome through an effect, without making the call."""
    if isinstance(tampering.before(call), Call):
        tampering.after(call, outcome, lambda _again: outcome)


class _PendingEffects:
    """Faults that have not taken effect yet, grouped by the functions whose calls they need."""

    def __init__(self, tamperings: Iterable[FaultEffect]) -> None:
        self._own: dict[str, dict[FaultEffect, None]] = {}
        for tampering in tamperings:
            self._own.setdefault(self._get_key(tampering), {})[tampering] = None

    @staticmethod
    def _get_key(tampering: FaultEffect) -> str:
        return "" if tampering.sees_all_calls else tampering.fault.function

    def get_concerned(self, call: Call) -> list[FaultEffect]:
        """Return the effects that need a call."""
        return [*self._own.get(call.function, ()), *self._own.get("", ())]

    def remove(self, tampering: FaultEffect) -> None:
        """Remove an effect."""
        del self._own[self._get_key(tampering)][tampering]

    def begin(self) -> None:
        """Report the start of an example to all effects."""
        for some in self._own.values():
            for tampering in some:
                tampering.begin()
