"""Replays the calls of a stored sequence with a fresh model, and returns the deviations."""

from __future__ import annotations

import functools
import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from clconform.calls.call import Call, Died, Hung, Outcome, Step, groups
from clconform.calls.host import ALLOCATE
from clconform.calls.values import BusAddresses, DispatchConfigs, Handle, HandleBytes, Inside, Items, Pointers, Value
from clconform.harness import BadCall, scratch
from clconform.oracles.engine.crashes import queues_to_finish
from clconform.runner.deviations.looking import reads_of_all
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.observer import Observer
from clconform.runner.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.judgements import Blame, Expectation, Judgement
    from clconform.runner.session.opening import Base
    from clconform.spec_tables import Tables


SECONDS_BETWEEN = 0.1
"""Pause after each call in a run with ``apart``, for work of the driver's threads."""
MOST_SECONDS_BETWEEN = 5.0
"""Maximum total duration of these pauses in one run."""


class StoppedError(Exception):
    """The run was stopped, so repetitions must end."""


@dataclass
class Opening:
    """The query results of the first of several sessions with one target and device; None before that session."""

    base: Base | None = None


@dataclass
class Replayed:
    """One run of a sequence: the executed ``steps``, and the deviations at each step by key (``keys``).

    ``sequences``: by key, the steps up to and including the first that shows the deviation. ``killed``: the keys of
    killed processes, which are not deviations yet. ``broken``: why a call could not be made; ``broken_at``: its index
    in the sequence. ``extra``: the indices of steps that are not from the sequence. ``left``: how the process ended
    during the final releases, if it did.
    """

    steps: list[Step] = field(default_factory=list)
    keys: list[dict[str, Blame]] = field(default_factory=list)
    sequences: dict[str, list[Step]] = field(default_factory=dict)
    broken: str = ""
    broken_at: int = 0
    extra: list[int] = field(default_factory=list)
    left: Died | None = None
    killed: set[str] = field(default_factory=set)

    @property
    def crash(self) -> tuple[str, Blame] | None:
        """The key and the deviation of the crash that ended the run, or None if it did not end with a crash."""
        if not self.steps or not isinstance(self.steps[-1].outcome, Died):
            return None
        return next((pair for met in reversed(self.keys) for pair in met.items() if pair[1].verdict == "crashes"), None)

    @property
    def ended_by(self) -> tuple[str, Blame] | None:
        """The key and the deviation of the crash or hang that ended the run, or None if neither ended it."""
        if not self.steps or not isinstance(self.steps[-1].outcome, Hung):
            return self.crash
        return next((pair for pair in self.keys[-1].items() if pair[1].verdict == "hangs"), None)

    def shows(self, key: str) -> bool:
        """Return whether the deviation occurred."""
        return any(key in met for met in self.keys)

    def before(self, key: str) -> set[str]:
        """Return the keys of the deviations before the first step that shows this one."""
        found: set[str] = set()
        for met in self.keys:
            if key in met:
                break
            found |= met.keys()
        return found

    def blame(self, key: str) -> Blame | None:
        """Return the first deviation with this key, or None if it did not occur."""
        return next((met[key] for met in self.keys if key in met), None)

    def up_to(self, key: str) -> list[Step]:
        """Return the steps up to and including the first that shows the deviation; all steps if none does.

        Concurrent calls stay together, and only their order may differ from that of ``steps``.
        """
        return self.sequences.get(key, self.steps)


class Replayer(Observer):
    """Replays sequences on one target, as the observer of its own session."""

    def __init__(
        self,
        target: Target,
        tables: Tables,
        *,
        device_index: int = 0,
        deadlines: Deadlines | None = None,
        keeps_contexts: Literal["never", "always"] = "never",
        stopped: Event | None = None,
        opening: Opening | None = None,
    ) -> None:
        """Start a session; HarnessError if the target cannot be tested.

        A new process of the driver starts with an empty compiler cache by default, because a cache from another
        process, perhaps a killed one, is not part of the repeated calls. ``stopped``: once it is set, StoppedError is
        raised instead of starting a session or a run. ``opening``: query results of earlier sessions, updated by this
        one.
        """
        self._stopped = stopped
        self._go_on()
        self._met: list[dict[str, Blame]] = []
        self._sequences: dict[str, list[Step]] = {}
        self._killed: set[str] = set()
        self._used = False
        opening = opening or Opening()
        self._caches = scratch.fresh()
        try:
            self._session = Session(
                target.with_caches(self._caches),
                tables,
                self,
                device_index=device_index,
                deadlines=deadlines,
                keeps_contexts=keeps_contexts,
                base=opening.base,
            )
        except BaseException:
            self._remove_caches()
            raise
        opening.base = self._session.base

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Record the keys of a call's deviations, and the sequence that shows each of them."""
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

    def run(
        self,
        sequence: Sequence[Step],
        *,
        fresh: bool = False,
        compiled: bool = False,
        apart: bool = False,
        look: bool = False,
        rest: float = 0.0,
    ) -> Replayed:
        """Replay a sequence with new objects renamed; end early at a call that is undefined or impossible.

        ``fresh``: use a new process. ``compiled``: keep the compiler cache of the last process. ``apart``: let each
        call run alone: after each call, finish all queues whose commands can complete, and pause briefly. ``look``:
        after each call except the last, finish all queues and read all contents. ``rest``: before the last call, flush
        all queues and wait for this many seconds.
        """
        self._go_on()
        session, replayed = self._session, Replayed()
        if fresh and self._used:
            session.close()
            if not compiled:
                self._remove_caches()  # the next process creates the folder again
        self._used = True
        session.begin_example()
        self._sequences, self._killed = replayed.sequences, replayed.killed
        names: dict[str, str] = {}
        for group in groups(sequence):
            self._met = []
            calls = [renamed(step.call, names) for step in group]
            if rest and group[-1] is sequence[-1] and not self._rested(replayed, rest):
                return replayed
            try:
                self._make(calls, group[0].lane)
            except ExampleOverError:
                self._take(replayed, len(group))
                return replayed
            except (UndefinedCallError, BadCall, ValueError) as error:
                replayed.broken, replayed.broken_at = str(error), len(replayed.steps) - len(replayed.extra)
                break
            self._take(replayed, len(group))
            for step, went in zip(group, session.steps[-len(group) :], strict=True):
                names.update(zip(step.binds, went.binds, strict=False))
            look_now = look and group[-1] is not sequence[-1]
            if not self._went_on(replayed, len(sequence), apart=apart, look=look_now):
                return replayed
        self._sequences = {}  # deviations of the releases are not part of the sequence
        session.finish_example()
        if session.steps and isinstance(session.steps[-1].outcome, Died):
            replayed.left = session.steps[-1].outcome
        return replayed

    def _make(self, calls: Sequence[Call], lane: int) -> None:
        """Make several calls concurrently, or one call, on a host thread unless ``lane`` is 0; errors as for these."""
        if len(calls) > 1:
            self._session.together(calls)
        elif lane:
            self._session.begin(lane, calls[0])
        else:
            self._session.ask(calls[0])

    def _set_apart(self, replayed: Replayed, seconds: float) -> bool:
        """Let all running commands complete; return whether the process has survived.

        If it has not, the crash is attributed to the last call of the sequence, not to the inserted calls.
        """
        oracle = self._session.oracle
        before = oracle.before
        survived = self._each_queue(replayed, "clFinish")
        if survived and not self._session.lanes_in_use:
            time.sleep(seconds)
            oracle.before = before
            survived = not self._session.driver_has_died or self._also(
                replayed, Call(ALLOCATE, {"size": 1, "alignment": 1})
            )
        oracle.before = before
        return survived

    def _went_on(self, replayed: Replayed, calls: int, *, apart: bool, look: bool) -> bool:
        """Perform the actions after a call of a sequence with ``calls`` calls; return whether the process survived."""
        if apart and not self._set_apart(replayed, min(SECONDS_BETWEEN, MOST_SECONDS_BETWEEN / calls)):
            return False
        return not look or self._looked(replayed)

    def _looked(self, replayed: Replayed) -> bool:
        """Finish all queues whose commands can complete, and read all contents; return whether the process survived."""
        if self._session.lanes_in_use:
            return True
        return self._each_queue(replayed, "clFinish") and all(
            self._also(replayed, call) for call in reads_of_all(self._session.model)
        )

    def _rested(self, replayed: Replayed, seconds: float) -> bool:
        """Flush all queues and wait; return whether the process survived."""
        if not self._each_queue(replayed, "clFlush"):
            return False
        time.sleep(seconds)
        return not self._session.driver_has_died or self._also(replayed, Call(ALLOCATE, {"size": 1, "alignment": 1}))

    def _each_queue(self, replayed: Replayed, function: str) -> bool:
        """Call a function for each queue whose commands may run and can complete; return whether the process lives."""
        queues = queues_to_finish(self._session.model)
        return all(self._also(replayed, Call(function, {"command_queue": queue})) for queue in queues)

    def _also(self, replayed: Replayed, call: Call) -> bool:
        """Make an additional call if it is defined now; return whether the process survived."""
        self._met, survived = [], True
        try:
            self._session.ask(call)
        except ExampleOverError:
            survived = False
        except (UndefinedCallError, BadCall, ValueError):
            return True
        self._take(replayed, 1)
        replayed.extra.append(len(replayed.steps) - 1)
        return survived

    def _take(self, replayed: Replayed, count: int) -> None:
        replayed.steps += self._session.steps[-count:]
        replayed.keys += self._met + [{}] * (count - len(self._met))

    def close(self) -> None:
        """End the session's process."""
        self._session.close()
        self._remove_caches()

    def _remove_caches(self) -> None:
        shutil.rmtree(self._caches, ignore_errors=True)


def renamed(call: Call, names: dict[str, str]) -> Call:
    """Return a call with its handles renamed; handles that are not in the mapping keep their names."""
    return Call(call.function, {name: _renamed(value, names) for name, value in call.arguments.items()})


def _renamed(value: Value, names: dict[str, str]) -> Value:
    if isinstance(value, HandleBytes):
        return HandleBytes(Handle(names.get(value.handle.name, value.handle.name)))
    if isinstance(value, BusAddresses):
        places = (one if isinstance(one, int) else _place_renamed(one, names) for one in (value.surface, value.signal))
        return BusAddresses(*places)
    if isinstance(value, DispatchConfigs):
        renaming = functools.partial(_renamed, names=names)
        return DispatchConfigs(tuple(None if one is None else one.renamed(renaming) for one in value.values))
    if isinstance(value, Handle | Inside):
        return _place_renamed(value, names)
    if isinstance(value, Items):
        return Items(tuple(Handle(names.get(v.name, v.name)) if isinstance(v, Handle) else v for v in value.values))
    if isinstance(value, Pointers):
        return Pointers(tuple(None if one is None else _place_renamed(one, names) for one in value.values))
    return value


def _place_renamed(place: Handle | Inside, names: dict[str, str]) -> Handle | Inside:
    """Return a handle or an address inside its object with the handle renamed."""
    if isinstance(place, Inside):
        return Inside(Handle(names.get(place.handle.name, place.handle.name)), place.offset)
    return Handle(names.get(place.name, place.name))
