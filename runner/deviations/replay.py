"""Replays the calls of a stored sequence with a fresh model and reports the deviations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from clconform.calls.call import Call, Outcome, Step, groups
from clconform.calls.values import BusAddresses, Handle, HandleBytes, Inside, Items, Pointers, Value
from clconform.harness import BadCall
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.session import Observer, Session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.judge import Blame, Expectation, Judgement
    from clconform.spec_tables import Tables


class StoppedError(Exception):
    """The run was stopped, so nothing is to be repeated any more."""


@dataclass
class Replayed:
    """One run of a sequence: the executed steps, and the blames at each step, by deviation key.

    ``sequences``: by deviation key, the steps up to and including the first that showed it. ``killed``: the keys among
    these that stand for a process that was killed, which is no deviation yet.
    """

    steps: list[Step] = field(default_factory=list)
    keys: list[dict[str, Blame]] = field(default_factory=list)
    sequences: dict[str, list[Step]] = field(default_factory=dict)
    broken: str = ""
    killed: set[str] = field(default_factory=set)

    def shows(self, key: str) -> bool:
        """Return whether the deviation occurred."""
        return any(key in met for met in self.keys)

    def blame(self, key: str) -> Blame | None:
        """Return the first blame of that key, or None if the deviation did not occur."""
        return next((met[key] for met in self.keys if key in met), None)

    def up_to(self, key: str) -> list[Step]:
        """Return the steps up to and including the first that showed the deviation; all if none did.

        Concurrent calls stay together; only among them the order may differ from that of ``steps``.
        """
        return self.sequences.get(key, self.steps)


class Replayer(Observer):
    """Replays sequences against one target; the observer of its own session."""

    def __init__(
        self,
        target: Target,
        tables: Tables,
        *,
        device_index: int = 0,
        deadlines: Deadlines | None = None,
        keeps_contexts: Literal["never", "always"] = "never",
        stopped: Event | None = None,
    ) -> None:
        """Start a session; HarnessError if the target cannot be tested.

        ``stopped``: once it is set, StoppedError is raised instead of starting a session or a run.
        """
        self._stopped = stopped
        self._go_on()
        self._met: list[dict[str, Blame]] = []
        self._sequences: dict[str, list[Step]] = {}
        self._killed: set[str] = set()
        self._session = Session(
            target, tables, self, device_index=device_index, deadlines=deadlines, keeps_contexts=keeps_contexts
        )

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Record the keys of a call's deviations, and the sequence that showed each."""
        del outcome, boundary
        function = expectation.call.function
        self._killed.update(deviation_key(function, blame) for blame in judgement.suspected)
        met = {deviation_key(function, blame): blame for blame in (*judgement.blames, *judgement.suspected)}
        self._met.append(met)
        for key in met:
            self._sequences.setdefault(key, list(steps))

    def _go_on(self) -> None:
        if self._stopped is not None and self._stopped.is_set():
            raise StoppedError

    def run(self, sequence: Sequence[Step], *, fresh: bool = False) -> Replayed:
        """Replay a sequence, renaming new objects; it ends early if a call is undefined or impossible.

        ``fresh``: in a new process.
        """
        self._go_on()
        session, replayed = self._session, Replayed()
        if fresh:
            session.close()
        session.begin_example()
        self._sequences, self._killed = replayed.sequences, replayed.killed
        names: dict[str, str] = {}
        for group in groups(sequence):
            self._met = []
            calls = [renamed(step.call, names) for step in group]
            try:
                if len(calls) > 1:
                    session.together(calls)
                elif group[0].lane:
                    session.begin(group[0].lane, calls[0])
                else:
                    session.ask(calls[0])
            except ExampleOverError:
                self._take(replayed, len(group))
                return replayed
            except (UndefinedCallError, BadCall, ValueError) as error:
                replayed.broken = str(error)
                break
            self._take(replayed, len(group))
            for step, went in zip(group, session.steps[-len(group) :], strict=True):
                names.update(zip(step.binds, went.binds, strict=False))
        self._sequences = {}  # deviations of the releases are not part of the sequence
        session.finish_example()
        return replayed

    def _take(self, replayed: Replayed, count: int) -> None:
        replayed.steps += self._session.steps[-count:]
        replayed.keys += self._met + [{}] * (count - len(self._met))

    def close(self) -> None:
        """End the session's process."""
        self._session.close()


def renamed(call: Call, names: dict[str, str]) -> Call:
    """Return a call with its handles renamed; those not in the mapping keep their names."""
    return Call(call.function, {name: _renamed(value, names) for name, value in call.arguments.items()})


def _renamed(value: Value, names: dict[str, str]) -> Value:
    if isinstance(value, HandleBytes):
        return HandleBytes(Handle(names.get(value.handle.name, value.handle.name)))
    if isinstance(value, BusAddresses):
        places = (one if isinstance(one, int) else _place_renamed(one, names) for one in (value.surface, value.signal))
        return BusAddresses(*places)
    if isinstance(value, Handle | Inside):
        return _place_renamed(value, names)
    if isinstance(value, Items):
        return Items(tuple(Handle(names.get(v.name, v.name)) if isinstance(v, Handle) else v for v in value.values))
    if isinstance(value, Pointers):
        return Pointers(tuple(None if one is None else _place_renamed(one, names) for one in value.values))
    return value


def _place_renamed(place: Handle | Inside, names: dict[str, str]) -> Handle | Inside:
    """Return a handle, or an address inside its object, with the handle renamed."""
    if isinstance(place, Inside):
        return Inside(Handle(names.get(place.handle.name, place.handle.name)), place.offset)
    return Handle(names.get(place.name, place.name))
