"""Replays the calls of a stored sequence with a new model, and returns the deviations."""

from __future__ import annotations

import functools
import shutil
import time
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Literal

from clconform.calls.call import Call, Died, Hung, Outcome, Step, group_steps
from clconform.calls.harness_actions import ALLOCATE
from clconform.calls.number_references import place_present_numbers
from clconform.calls.values import (
    BusAddresses,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    OffsetPointer,
    Pointers,
    Value,
)
from clconform.harness import BadCall, cache_dirs
from clconform.oracles.engine.crashes import find_queues_to_finish
from clconform.runner.deviations.memory_probes import create_reads
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.judgements import Expectation, Judgement, ObservedDeviation
    from clconform.runner.session.device_discovery import SessionBase
    from clconform.spec_tables import Tables


PAUSE_SECONDS = 0.1
"""Pause after each call in a run with ``apart``, for work of the driver's threads."""
MAX_TOTAL_PAUSE_SECONDS = 5.0
"""Maximum total duration in seconds of the pauses after calls in one run."""


class RunStoppedError(Exception):
    """Repetitions must end because the run was stopped."""


@dataclass
class KnownBase:
    """The query results that sessions with one target and device share.

    ``base``: None before the first session.
    """

    base: SessionBase | None = None


@dataclass(frozen=True)
class ReplayTarget:
    """The device on which sequences are replayed.

    ``device_index``: the index of the root device under test. ``stopped``: once it is set, no further session or run
    starts. ``known_base``: query results of earlier sessions; each session replaces them with its own.
    """

    target: Target
    tables: Tables
    device_index: int = 0
    stopped: Event = field(default_factory=Event)
    known_base: KnownBase = field(default_factory=KnownBase)

    def check_stopped(self) -> None:
        """Raise RunStoppedError if the run was stopped."""
        if self.stopped.is_set():
            raise RunStoppedError


@dataclass
class ReplayResult:
    """One run of a sequence.

    ``sequence``: the repeated steps. ``steps``: the executed steps. ``deviations_by_step``: for each step, its
    deviations by their keys. ``sequences``: maps the key of a deviation to the steps up to and including the first that
    shows it. ``killed_keys``: the keys of killed processes, which are not deviations yet. ``obstacle``: why a call
    could not be made; ``obstacle_index``: the index of that call in the sequence. ``extra_steps``: the indices of steps
    that are not from the sequence.
    ``death_at_release``: how the process ended when the remaining objects were released, or None.
    """

    steps: list[Step] = field(default_factory=list)
    deviations_by_step: list[dict[str, ObservedDeviation]] = field(default_factory=list)
    sequences: dict[str, list[Step]] = field(default_factory=dict)
    obstacle: str = ""
    obstacle_index: int = 0
    extra_steps: list[int] = field(default_factory=list)
    death_at_release: Died | None = None
    killed_keys: set[str] = field(default_factory=set)
    sequence: Sequence[Step] = ()

    @property
    def crash(self) -> tuple[str, ObservedDeviation] | None:
        """The key and the deviation of the crash that ended the run, or None if it did not end with a crash."""
        if not self.steps or not isinstance(self.steps[-1].outcome, Died):
            return None
        return next(
            (pair for met in reversed(self.deviations_by_step) for pair in met.items() if pair[1].verdict == "crashes"),
            None,
        )

    @property
    def final_deviation(self) -> tuple[str, ObservedDeviation] | None:
        """The key and the deviation of the crash or hang that ended the run, or None if neither ended it."""
        if not self.steps or not isinstance(self.steps[-1].outcome, Hung):
            return self.crash
        return next((pair for pair in self.deviations_by_step[-1].items() if pair[1].verdict == "hangs"), None)

    def shows(self, key: str) -> bool:
        """Return whether the deviation with this key occurred."""
        return any(key in met for met in self.deviations_by_step)

    def keys_before(self, key: str) -> set[str]:
        """Return the keys of the deviations in the steps before the first step that shows this deviation."""
        found: set[str] = set()
        for met in self.deviations_by_step:
            if key in met:
                break
            found |= met.keys()
        return found

    def first_deviation(self, key: str) -> ObservedDeviation | None:
        """Return the first deviation with this key, or None if it did not occur."""
        return next((met[key] for met in self.deviations_by_step if key in met), None)

    def steps_up_to(self, key: str) -> list[Step]:
        """Return the steps up to and including the first that shows the deviation ``key``; all steps if none does.

        A group of concurrent calls stays complete, but its calls may be in another order than in ``steps``.
        """
        return self.sequences.get(key, self.steps)


class Replayer(SessionObserver):
    """Replays sequences on one target, as the observer of its own session."""

    def __init__(
        self,
        where: ReplayTarget,
        *,
        deadlines: Deadlines | None = None,
        keeps_contexts: Literal["never", "always"] = "never",
    ) -> None:
        """Start a session; HarnessError if the target cannot be tested, RunStoppedError if the run was stopped.

        By default, a new process of the driver starts with an empty compiler cache: the cache of another process,
        perhaps a killed one, is not part of the repeated calls.
        """
        self._where = where
        where.check_stopped()
        self._deviations: list[dict[str, ObservedDeviation]] = []
        self._sequences: dict[str, list[Step]] = {}
        self._killed: set[str] = set()
        self._is_used = False
        self._caches = cache_dirs.create_folder()
        try:
            self._session = Session(
                where.target.with_caches(self._caches),
                where.tables,
                self,
                device_index=where.device_index,
                deadlines=deadlines,
                keeps_contexts=keeps_contexts,
                base=where.known_base.base,
            )
        except BaseException:
            self._remove_caches()
            raise
        where.known_base.base = self._session.base

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Record the keys of the deviations of a call, and the sequence that shows each of them."""
        del outcome, test_value
        function = expectation.call.function
        self._killed.update(deviation_key(function, deviation) for deviation in judgement.suspected_deviations)
        met = {
            deviation_key(function, deviation): deviation
            for deviation in (*judgement.deviations, *judgement.suspected_deviations)
        }
        self._deviations.append(met)
        for key in met:
            self._sequences.setdefault(key, list(steps))

    def run(
        self,
        sequence: Sequence[Step],
        *,
        fresh: bool = False,
        compiled: bool = False,
        apart: bool = False,
        look: bool = False,
        rest: float = 0.0,
    ) -> ReplayResult:
        """Replay a sequence with the new objects in place of the stored handles.

        Numbers that earlier calls returned are replaced as well. The replay ends early at a call that is undefined or
        impossible, or that needs a number which no call has returned. ``fresh``: use a new process. ``compiled``:
        keep the compiler cache of the last process. ``apart``: after each call, finish all queues whose commands can
        complete, and pause briefly, so that each call runs alone. ``look``: after each call except the last, finish all
        queues and read all contents. ``rest``: before the last call, flush all queues and wait for this many seconds.
        """
        self._where.check_stopped()
        session, replayed = self._session, ReplayResult(sequence=sequence)
        if fresh and self._is_used:
            session.process.end()
            if not compiled:
                self._remove_caches()  # the next process creates the folder again
        self._is_used = True
        session.begin_example()
        self._sequences, self._killed = replayed.sequences, replayed.killed_keys
        names: dict[str, str] = {}
        outcomes: dict[int, Outcome] = {}
        for group in group_steps(sequence):
            self._deviations = []
            calls = [rename_handles(step.call, names) for step in group]
            if rest and group[-1] is sequence[-1] and not self._flush_and_wait(replayed, rest):
                return replayed
            try:
                calls = [place_present_numbers(call, outcomes) for call in calls]
                returned = self._make_calls(calls, group[0].host_thread)
            except ExampleOverError:
                self._store_steps(replayed, len(group))
                return replayed
            except (UndefinedCallError, BadCall, ValueError) as error:
                replayed.obstacle, replayed.obstacle_index = str(error), len(replayed.steps) - len(replayed.extra_steps)
                break
            self._store_steps(replayed, len(group))
            for step, went in zip(group, session.sequence.steps[-len(group) :], strict=True):
                names.update(zip(step.new_names, went.new_names, strict=False))
            outcomes.update((step.id, outcome) for step, outcome in zip(group, returned, strict=False) if step.id)
            look_now = look and group[-1] is not sequence[-1]
            if not self._run_extra_actions(replayed, len(sequence), apart=apart, look=look_now):
                return replayed
        self._sequences = {}  # deviations of the releases are not part of the sequence
        session.finish_example()
        if session.sequence.steps and isinstance(session.sequence.steps[-1].outcome, Died):
            replayed.death_at_release = session.sequence.steps[-1].outcome
        return replayed

    def _make_calls(self, calls: Sequence[Call], thread: int) -> list[Outcome]:
        """Make one call, or several calls concurrently, and return the outcomes of the calls that have returned.

        A single call runs on the host thread with the number ``thread``; 0: on the main thread. Errors as for the
        methods of the session.
        """
        if len(calls) > 1:
            return self._session.call_concurrently(calls)
        if thread:
            self._session.host_thread(thread).call(calls[0])
            return []
        return [self._session.call(calls[0])]

    def _complete_commands(self, replayed: ReplayResult, seconds: float) -> bool:
        """Let all running commands complete; return whether the process has survived.

        If the process ends, the crash is attributed to the last call of the sequence, not to the inserted calls.
        """
        oracle = self._session.oracle
        before = oracle.preceding
        survived = self._call_for_queues(replayed, "clFinish")
        if survived and not self._session.thread_calls:
            time.sleep(seconds)
            oracle.preceding = before
            survived = not self._session.process.has_died or self._make_extra_call(
                replayed, Call(ALLOCATE, {"size": 1, "alignment": 1})
            )
        oracle.preceding = before
        return survived

    def _run_extra_actions(self, replayed: ReplayResult, calls: int, *, apart: bool, look: bool) -> bool:
        """Perform the actions of ``apart`` and ``look`` (as for ``run``) after a call.

        Return whether the process survived. ``calls``: number of calls in the sequence, among which the total pause is
        divided.
        """
        if apart and not self._complete_commands(replayed, min(PAUSE_SECONDS, MAX_TOTAL_PAUSE_SECONDS / calls)):
            return False
        return not look or self._read_contents(replayed)

    def _read_contents(self, replayed: ReplayResult) -> bool:
        """Finish all queues whose commands can complete, and read all contents; return whether the process survived."""
        if self._session.thread_calls:
            return True
        return self._call_for_queues(replayed, "clFinish") and all(
            self._make_extra_call(replayed, call) for call in create_reads(self._session.model)
        )

    def _flush_and_wait(self, replayed: ReplayResult, seconds: float) -> bool:
        """Flush all queues and wait; return whether the process survived."""
        if not self._call_for_queues(replayed, "clFlush"):
            return False
        time.sleep(seconds)
        return not self._session.process.has_died or self._make_extra_call(
            replayed, Call(ALLOCATE, {"size": 1, "alignment": 1})
        )

    def _call_for_queues(self, replayed: ReplayResult, function: str) -> bool:
        """Call ``function`` for each queue whose commands may be running and can complete.

        Return whether the process survived all calls.
        """
        queues = find_queues_to_finish(self._session.model)
        return all(self._make_extra_call(replayed, Call(function, {"command_queue": queue})) for queue in queues)

    def _make_extra_call(self, replayed: ReplayResult, call: Call) -> bool:
        """Make a call that is not part of the sequence, unless the call is undefined now.

        Return whether the process survived.
        """
        self._deviations, survived = [], True
        try:
            self._session.call(call)
        except ExampleOverError:
            survived = False
        except (UndefinedCallError, BadCall, ValueError):
            return True
        self._store_steps(replayed, 1)
        replayed.extra_steps.append(len(replayed.steps) - 1)
        return survived

    def _store_steps(self, replayed: ReplayResult, count: int) -> None:
        replayed.steps += self._session.sequence.steps[-count:]
        replayed.deviations_by_step += self._deviations + [{}] * (count - len(self._deviations))

    def close(self) -> None:
        """End the session's process."""
        self._session.close()
        self._remove_caches()

    def _remove_caches(self) -> None:
        shutil.rmtree(self._caches, ignore_errors=True)


def rename_handles(call: Call, names: dict[str, str]) -> Call:
    """Return a call with its handles renamed.

    Handles that ``names`` does not contain keep their names.
    """
    renamed = {name: _rename_in_value(value, names) for name, value in call.arguments.items()}
    return Call(call.function, renamed, call.references)


def _rename_in_value(value: Value, names: dict[str, str]) -> Value:
    if isinstance(value, HandleBytes):
        return HandleBytes(Handle(names.get(value.handle.name, value.handle.name)))
    if isinstance(value, BusAddresses):
        places = (
            one if isinstance(one, int) else _rename_in_place(one, names) for one in (value.surface, value.signal)
        )
        return BusAddresses(*places)
    if isinstance(value, DispatchConfigs):
        renaming = functools.partial(_rename_in_value, names=names)
        return DispatchConfigs(tuple(None if one is None else one.map_values(renaming) for one in value.values))
    if isinstance(value, Handle | OffsetPointer):
        return _rename_in_place(value, names)
    if isinstance(value, ElementList):
        return ElementList(
            tuple(Handle(names.get(v.name, v.name)) if isinstance(v, Handle) else v for v in value.values)
        )
    if isinstance(value, Pointers):
        return Pointers(tuple(None if one is None else _rename_in_place(one, names) for one in value.values))
    return value


def _rename_in_place(place: Handle | OffsetPointer, names: dict[str, str]) -> Handle | OffsetPointer:
    """Return a handle, or an address inside an object, with the handle renamed."""
    if isinstance(place, OffsetPointer):
        return OffsetPointer(Handle(names.get(place.handle.name, place.handle.name)), place.offset)
    return Handle(names.get(place.name, place.name))
