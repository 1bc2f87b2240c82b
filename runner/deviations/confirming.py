"""Confirms a deviation: repeats its sequence in fresh processes, and minimises the sequence."""

from __future__ import annotations

import functools
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.call import Died, Step
from clconform.calls.journal import Confirmation, Deviation
from clconform.harness import Deadlines, HarnessError
from clconform.oracles.engine.symptoms import WRONG_BYTES
from clconform.runner.deviations.accepted import NOTES as ACCEPTED
from clconform.runner.deviations.accepted import left_by_an_accepted_call, may_be_left, of_that_process
from clconform.runner.deviations.attributing import (
    BARE,
    apart,
    repeated,
    replaced_by,
    who_else,
    without_commands,
    wrong_since,
)
from clconform.runner.deviations.heap import spoilt
from clconform.runner.deviations.minimising import Budget, closed, minimise, needed_by_the_last
from clconform.runner.deviations.replay import Opening, Replayer
from clconform.runner.journal.recorder import as_deviation

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from clconform.harness import Target
    from clconform.runner.deviations.heap import Spoilt
    from clconform.runner.deviations.replay import Replayed
    from clconform.spec_tables import Tables

ENDS = ("crashes", "hangs")
"""Verdicts on calls that do not return."""
ATTEMPTS = 2
ATTEMPTS_AT_A_HANG = 1
"""One repetition is enough, because its deadline is longer than that of the original call."""
ONCE = "repeated once, and not minimised"
NO_FURTHER = "repeated once, and not minimised further"
SEQUENCES_TRIED = 4
"""Maximum number of sequences that are repeated before a deviation is called flaky."""
MOST_LEFT_OUT = 8
"""Maximum number of calls that are left out of a repetition because they are undefined in it."""
MOST_RUNS = 400
"""Maximum number of candidates that are run to minimise one sequence."""
LONE_DEADLINES = Deadlines(builds=240.0, works=60.0, others=10.0)
MINIMISING_DEADLINES = Deadlines(builds=120.0, works=5.0, others=2.0)


@dataclass(frozen=True)
class Followed:
    """The result of confirming a deviation. ``others``: further deviations seen in its repetitions.

    ``spoilt``: heap corruption by an earlier call, to which a crash is attributed. ``error``: an internal error.
    """

    end: Confirmation
    others: list[Deviation] = field(default_factory=list)
    spoilt: Spoilt | None = None
    error: Exception | None = None


def followed(
    candidates: list[Deviation],
    target: Target,
    tables: Tables,
    device_index: int,
    seconds: float | None,
    stopped: Event,
    opening: Opening,
) -> Followed:
    """Confirm a deviation by its sequences; after an internal error, return it unrepeated, with the error."""
    try:
        find_one = functools.partial(
            find,
            target=target,
            tables=tables,
            device_index=device_index,
            seconds=seconds,
            stopped=stopped,
            opening=opening,
        )
        again = functools.partial(Replayer, target, tables, device_index=device_index, stopped=stopped, opening=opening)
        whose = find_one if seconds is None else functools.partial(_whose, find_one=find_one, again=again)
        end, others = _confirm_any(candidates, whose)
        found = None
        if _is_decided(end) and end.verdict == "crashes" and seconds is not None:
            found = spoilt(
                candidates[0], end, target, tables, device_index=device_index, stopped=stopped, opening=opening
            )
        return Followed(end if found is None else found.crash, others, found)
    except Exception as error:  # noqa: BLE001 (only this deviation stays unconfirmed; reported as an internal error)
        note = f"not repeated because of an internal error: {type(error).__name__}: {error}"
        return Followed(_as_it_was(candidates[0], candidates[0].verdict, 0, 0, note=note), error=error)


def _whose(
    deviation: Deviation,
    *,
    find_one: Callable[[Deviation], tuple[Confirmation, list[Deviation]]],
    again: Callable[[], Replayer],
) -> tuple[Confirmation, list[Deviation]]:
    """Confirm one sequence; attribute a crash or a hang to an earlier wrongly accepted call if that causes it."""
    end, others = find_one(deviation)
    if not (_is_decided(end) and end.verdict in ENDS and may_be_left(end.sequence, others)):
        return end, others
    try:
        with closing(again()) as replayer:
            left = left_by_an_accepted_call(end.key, deviation.item, end.sequence, replayer)
    except HarnessError:
        left = None
    if left is None:
        return end, others
    return replace(end, note=left.note, instead=left.deviation.key), [*others, left.deviation]


def _is_decided(end: Confirmation) -> bool:
    """Return whether repetitions have confirmed a deviation and it is not attributed to anything else."""
    return bool(end.repeated) and not end.instead and end.note in ("", NO_FURTHER)


def _confirm_any(
    candidates: list[Deviation], find_one: Callable[[Deviation], tuple[Confirmation, list[Deviation]]]
) -> tuple[Confirmation, list[Deviation]]:
    """Repeat the sequences with a deviation, shortest first, until one reproduces it.

    A sequence that needs a wrongly accepted call is not final, because another sequence may not need one.
    """
    best: Confirmation | None = None
    others: list[Deviation] = []
    for candidate in candidates:
        confirmation, more = find_one(candidate)
        others += more
        settled = confirmation.verdict != "flaky" and confirmation.note not in ACCEPTED
        if best is None or settled or confirmation.repeated > best.repeated:
            best = confirmation
        if settled:
            break
    if best is None:
        raise ValueError("a deviation without a sequence of calls")
    return best, others


def find(
    deviation: Deviation,
    target: Target,
    tables: Tables,
    *,
    device_index: int = 0,
    seconds: float | None = 10.0,
    stopped: Event | None = None,
    opening: Opening | None = None,
) -> tuple[Confirmation, list[Deviation]]:
    """Repeat one deviation in fresh processes and minimise its sequence; ``flaky`` if it is not reproduced.

    Also return other deviations seen in the repetitions. StoppedError once ``stopped`` is set. ``seconds``: the time
    for minimising; 0 repeats the deviation once, if possible with only the calls that its last call needs; None does
    the same and stores no sequence. ``opening``: query results of earlier sessions with this target.
    """
    hangs = deviation.verdict == "hangs"
    attempts, deadlines = (ATTEMPTS_AT_A_HANG, LONE_DEADLINES) if hangs else (ATTEMPTS, None)
    attempts = attempts if seconds else 1
    again = functools.partial(
        Replayer,
        target,
        tables,
        device_index=device_index,
        stopped=stopped,
        keeps_contexts="always",
        opening=opening or Opening(),
    )
    try:
        replayer = again(deadlines=deadlines)
    except HarnessError as error:
        note = f"not reproduced: {error}"
        return _as_it_was(deviation, deviation.verdict, 0, 0, note=note), []
    try:
        shown = _repeated(deviation, replayer, attempts)
        if isinstance(shown, tuple):
            return _with_what_was_accepted(deviation, *shown)
        if seconds is None:
            once = Confirmation(deviation.key, deviation.verdict, attempts, attempts, [], note=ONCE)
            return once, shown.others
        if seconds == 0:
            whose = _whose_bytes(deviation, shown.run, replayer, minimised=False)
            note = f"{NO_FURTHER}; {whose}" if whose else NO_FURTHER
            return _confirmed(deviation, shown.run, attempts, note), shown.others
        minimiser = replayer
        if hangs:
            minimiser = again(deadlines=MINIMISING_DEADLINES)
        run = functools.partial(minimiser.run, apart=shown.apart)
        try:
            short = _minimised(shown.run, deviation, run, Budget(seconds, MOST_RUNS))
            confirmed = replayer.run(short, fresh=True, apart=shown.apart)  # for a hang: with the long deadline
            note = _whose_bytes(deviation, confirmed, replayer, minimised=True)
        finally:
            if minimiser is not replayer:
                minimiser.close()
    except HarnessError as error:
        return _as_it_was(deviation, deviation.verdict, 0, 0, note=f"not reproduced: {error}"), []
    finally:
        replayer.close()
    others = shown.others
    if not confirmed.shows(deviation.key):
        if deviation.verdict == "deviates" and not replayer.run(deviation.sequence, fresh=True).shows(deviation.key):
            return _as_it_was(deviation, "flaky", 1, attempts, note=""), others
        history = "reproduced only after the full history of calls"
        return _as_it_was(deviation, deviation.verdict, attempts, attempts, full_history=True, note=history), others
    return _confirmed(deviation, confirmed, attempts, note), others


def _whose_bytes(deviation: Deviation, run: Replayed, replayer: Replayer, *, minimised: bool) -> str:
    """Return a note on other calls that may have caused unexpected contents; empty if none, or for other symptoms."""
    if deviation.symptom != WRONG_BYTES.code or not run.shows(deviation.key):
        return ""
    sequence = run.up_to(deviation.key)
    since = wrong_since(deviation, sequence, replayer)
    return who_else(deviation, sequence, minimised=minimised) if since is None else since


def _confirmed(deviation: Deviation, run: Replayed, attempts: int, note: str = "") -> Confirmation:
    """Return the confirmation of a deviation that all ``attempts`` runs have shown, with the sequence of ``run``."""
    blame = run.blame(deviation.key)
    if blame is None:
        raise ValueError(f"the run does not show {deviation.key}")
    return Confirmation(
        deviation.key,
        deviation.verdict,
        attempts,
        attempts,
        run.up_to(deviation.key),
        note=note,
        allowed=list(blame.allowed),
        observed=blame.observed,
        operands=blame.operands,
    )


@dataclass(frozen=True)
class _Shown:
    """A repeated deviation, with one of the runs that show it.

    ``apart``: every queue was finished after each call. ``others``: further deviations seen in the runs.
    """

    run: Replayed
    others: list[Deviation]
    apart: bool = False


def _repeated(deviation: Deviation, replayer: Replayer, attempts: int) -> _Shown | tuple[Confirmation, list[Deviation]]:
    """Repeat a deviation; return a run that shows it.

    If not all runs show it, or if it is attributed to another deviation, return its confirmation instead.
    """
    bare = without_commands(deviation, replayer, attempts) if deviation.verdict == "crashes" else None
    if bare is not None:
        return replaced_by(bare, deviation, attempts, BARE)
    runs = [] if deviation.undecided else _runs(deviation, replayer, attempts)
    showing = [run for run in runs if run.shows(deviation.key)]
    others = [other for run in runs for other in _others(deviation, run)]
    if runs and len(showing) == len(runs):
        return _Shown(showing[0], others)
    if deviation.verdict == "crashes":
        crash = apart(deviation.sequence, replayer, attempts)
        if crash is not None:
            same = crash.key == deviation.key
            return _Shown(crash.run, others, apart=True) if same else replaced_by(crash, deviation, attempts)
        if deviation.undecided:
            return repeated(deviation, replayer)
    note = next((run.broken for run in runs if run.broken), "")
    return _as_it_was(deviation, "flaky", len(showing), attempts, note=note), others


def _with_what_was_accepted(
    deviation: Deviation, end: Confirmation, others: list[Deviation]
) -> tuple[Confirmation, list[Deviation]]:
    """Return a confirmation; if the deviation never repeated, add a note on calls that its process had accepted."""
    never = end.verdict == "flaky" and not end.repeated
    return replace(end, note=end.note or of_that_process(deviation)) if never else end, others


def _runs(deviation: Deviation, replayer: Replayer, attempts: int) -> list[Replayed]:
    """Repeat a deviation in new processes, with only the calls that its last call needs if these reproduce it.

    A deviation other than a crash or a hang is repeated once, because its minimised sequence is repeated later anyway.
    """
    runs: list[Replayed] = []
    sequence, needed = deviation.sequence, needed_by_the_last(deviation.sequence)
    if len(needed) < len(sequence):
        run = replayer.run(needed, fresh=True)
        if run.shows(deviation.key):
            runs, sequence = [run], needed
    once = deviation.verdict == "deviates"
    while len(runs) < attempts and not (once and runs and runs[0].shows(deviation.key)):
        runs.append(_as_far_as_defined(sequence, replayer))
    return runs


def _as_far_as_defined(sequence: list[Step], replayer: Replayer) -> Replayed:
    """Replay a sequence without the calls before the last that are undefined in this process.

    For example, memory for a program's binaries has their former size, and in another process they may be larger.
    """
    run = replayer.run(sequence, fresh=True)
    for _ in range(MOST_LEFT_OUT):
        if not run.broken or run.broken_at >= len(sequence) - 1:
            break
        sequence = closed([*sequence[: run.broken_at], *sequence[run.broken_at + 1 :]], sequence)
        run = replayer.run(sequence, fresh=True)
    return run


def _as_it_was(
    deviation: Deviation, verdict: str, repeated: int, attempts: int, *, full_history: bool = False, note: str
) -> Confirmation:
    """Return a confirmation with the original sequence and operands of a deviation."""
    sequence, operands = deviation.sequence, deviation.operands
    return Confirmation(deviation.key, verdict, repeated, attempts, sequence, full_history, note, operands=operands)


def _others(deviation: Deviation, run: Replayed) -> list[Deviation]:
    """Return the deviations that a repetition has shown other than the expected one."""
    found = []
    for blames in run.keys:
        for key, blame in blames.items():
            if key != deviation.key and key not in run.killed and not blame.undecided:
                found.append(as_deviation(deviation.item, key, blame, run.up_to(key), while_confirming=True))
    return found


def _minimised(shown: Replayed, deviation: Deviation, run: Callable[..., Replayed], budget: Budget) -> list[Step]:
    """Return a short sequence that shows the deviation; ``run`` replays a candidate.

    A candidate with a new deviation in an earlier call is rejected, because the last call may be a consequence of it.
    """
    sequence, known = shown.up_to(deviation.key), shown.before(deviation.key)
    lethal = isinstance(sequence[-1].outcome, Died)

    def fails(candidate: list[Step]) -> list[Step] | None:
        went = run(candidate, fresh=lethal, compiled=True)
        alike = went.shows(deviation.key) and went.before(deviation.key) <= known
        return went.up_to(deviation.key) if alike else None

    return minimise(sequence, fails, budget)
