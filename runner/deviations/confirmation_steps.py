"""Confirms a deviation: repeats its sequence in fresh processes, and minimises the sequence."""

from __future__ import annotations

import functools
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.call import Died, Step
from clconform.calls.journal import NOT_MINIMISED_FURTHER, Confirmation, Deviation
from clconform.harness import Deadlines, HarnessError
from clconform.oracles.engine.symptoms import UNEXPECTED_BYTES
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.runner.deviations.crash_attribution import (
    FIRST_UNEXPECTED_NOTE,
    WITHOUT_COMMANDS_NOTE,
    FirstUnexpectedBytes,
    describe_other_writers,
    find_crash_without_commands,
    find_first_unexpected,
    find_isolated_crash,
    repeat_unchanged,
    replace_by_crash,
)
from clconform.runner.deviations.heap_check import find_heap_corruption
from clconform.runner.deviations.minimisation import (
    MinimisingBudget,
    calls_needed_by_last,
    minimise,
    remove_incomplete_calls,
)
from clconform.runner.deviations.prior_acceptance import NOTES as ACCEPTED
from clconform.runner.deviations.prior_acceptance import (
    describe_accepted_before,
    find_accepted_cause,
    may_follow_acceptance,
)
from clconform.runner.deviations.replay import Replayer
from clconform.runner.deviations.unproved_repetitions import find_obstacle
from clconform.runner.journal.recorder import create_deviation_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.deviations.heap_check import HeapCorruption
    from clconform.runner.deviations.replay import ReplayResult, ReplayTarget

END_VERDICTS = ("crashes", "hangs")
"""The verdicts on calls that do not return."""
ATTEMPTS = 2
HANG_ATTEMPTS = 1
"""Number of repetitions of a hang: one is enough, because its deadline is longer than that of the original call."""
REPEATED_ONCE = "repeated once, and not minimised"
INTERNAL_ERROR_NOTE = "not repeated because of an internal error"
MAX_SEQUENCES = 4
"""Maximum number of sequences that are repeated before a deviation counts as flaky."""
MAX_LEFT_OUT = 8
"""Maximum number of undefined calls that a repetition leaves out."""
MAX_RUNS = 400
"""Maximum number of shortened sequences that are replayed to minimise one sequence."""
HANG_DEADLINES = Deadlines(builds=240.0, slow_calls=60.0, others=10.0)
MINIMISING_DEADLINES = Deadlines(builds=120.0, slow_calls=5.0, others=2.0)


@dataclass(frozen=True)
class ConfirmationOutcome:
    """The result of confirming a deviation.

    ``others``: further deviations that the repetitions have shown. ``heap_corruption``: the heap corruption by an
    earlier call, if the crash is attributed to that call. ``error``: the internal error, if one occurred.
    """

    confirmation: Confirmation
    others: list[Deviation] = field(default_factory=list)
    heap_corruption: HeapCorruption | None = None
    error: Exception | None = None


def confirm_deviation(candidates: list[Deviation], where: ReplayTarget, seconds: float | None) -> ConfirmationOutcome:
    """Confirm a deviation, by repeating sequences that show it.

    ``candidates``: the deviation, once for each of these sequences. After an internal error, the result contains the
    error, and the deviation counts as not repeated. ``seconds``: as for ``confirm_sequence``.
    """
    try:
        find_one = functools.partial(confirm_sequence, where=where, seconds=seconds)
        whose = (
            find_one
            if seconds is None
            else functools.partial(_confirm_with_attribution, find_one=find_one, where=where)
        )
        end, others = _confirm_first(candidates, whose)
        found = None
        if _is_confirmed(end) and end.verdict == "crashes" and seconds is not None:
            found = find_heap_corruption(candidates[0], end, where)
        return ConfirmationOutcome(end if found is None else found.crash, others, found)
    except Exception as error:  # noqa: BLE001 (only this deviation stays unconfirmed; reported as an internal error)
        note = f"{INTERNAL_ERROR_NOTE}: {type(error).__name__}: {error}"
        return ConfirmationOutcome(_create_unchanged(candidates[0], "unconfirmed", 0, 0, note), error=error)


def _confirm_with_attribution(
    deviation: Deviation,
    *,
    find_one: Callable[[Deviation], tuple[Confirmation, list[Deviation]]],
    where: ReplayTarget,
) -> tuple[Confirmation, list[Deviation]]:
    """Confirm one sequence; attribute a crash or a hang to an earlier unexpected success if that is the cause."""
    end, others = find_one(deviation)
    if not (_is_confirmed(end) and end.verdict in END_VERDICTS and may_follow_acceptance(end.sequence, others)):
        return end, others
    try:
        with closing(Replayer(where)) as replayer:
            left = find_accepted_cause(end.key, deviation.item, end.sequence, replayer)
    except HarnessError:
        left = None
    if left is None:
        return end, others
    return replace(end, note=left.note, replaced_by=left.deviation.key), [*others, left.deviation]


def _is_confirmed(confirmation: Confirmation) -> bool:
    """Return whether repetitions have confirmed a deviation, and it is not attributed to another deviation."""
    return (
        bool(confirmation.repeated)
        and not confirmation.replaced_by
        and confirmation.note in ("", NOT_MINIMISED_FURTHER)
    )


def _confirm_first(
    candidates: list[Deviation], find_one: Callable[[Deviation], tuple[Confirmation, list[Deviation]]]
) -> tuple[Confirmation, list[Deviation]]:
    """Repeat the sequences that show a deviation, shortest first, until one reproduces it.

    A sequence whose crash or hang is attributed to an unexpected success is not final, because another sequence may
    crash or hang without that call.
    """
    best: Confirmation | None = None
    others: list[Deviation] = []
    for candidate in candidates:
        confirmation, more = find_one(candidate)
        others += more
        settled = confirmation.verdict not in UNPROVED_STATUSES and confirmation.note not in ACCEPTED
        if best is None or settled or confirmation.repeated > best.repeated:
            best = confirmation
        if settled:
            break
    if best is None:
        raise ValueError("a deviation without a sequence of calls")
    return best, others


def confirm_sequence(
    deviation: Deviation, where: ReplayTarget, *, seconds: float | None = 10.0
) -> tuple[Confirmation, list[Deviation]]:
    """Repeat a deviation in fresh processes and minimise its sequence; also return other deviations that occurred.

    The verdict is ``flaky`` if the deviation does not repeat, and ``unconfirmed`` if the repetitions are inconclusive:
    the driver does not start, or earlier calls have other results. RunStoppedError if the run was stopped. ``seconds``:
    the time for minimising. 0: repeat the deviation once, if possible with only the calls that its last call needs.
    None: as 0, and store no sequence.
    """
    hangs = deviation.verdict == "hangs"
    attempts, deadlines = (HANG_ATTEMPTS, HANG_DEADLINES) if hangs else (ATTEMPTS, None)
    attempts = attempts if seconds else 1
    again = functools.partial(Replayer, where, keeps_contexts="always")
    try:
        replayer = again(deadlines=deadlines)
    except HarnessError as error:
        return _create_unchanged(deviation, "unconfirmed", 0, 0, f"not repeated: {error}"), []
    shown: _RepeatedDeviation | tuple[Confirmation, list[Deviation]] | None = None
    try:
        shown = _repeat_deviation(deviation, replayer, attempts)
        if isinstance(shown, tuple):
            return _add_accepted_note(deviation, *shown)
        if seconds is None:
            once = Confirmation(deviation.key, deviation.verdict, attempts, attempts, [], note=REPEATED_ONCE)
            return once, shown.others
        if seconds == 0:
            whose = _describe_byte_sources(deviation, shown.run, minimised=False)
            note = f"{NOT_MINIMISED_FURTHER}; {whose}" if whose else NOT_MINIMISED_FURTHER
            return _create_confirmation(deviation, shown.run, attempts, note), shown.others
        minimiser = replayer
        if hangs:
            minimiser = again(deadlines=MINIMISING_DEADLINES)
        run = functools.partial(minimiser.run, apart=shown.is_isolated)
        try:
            short = _minimise_sequence(shown.run, deviation, run, MinimisingBudget(seconds, MAX_RUNS))
            confirmed = replayer.run(short, fresh=True, apart=shown.is_isolated)  # for a hang: with the long deadline
            note = _describe_byte_sources(deviation, confirmed, minimised=True)
        finally:
            if minimiser is not replayer:
                minimiser.close()
        if not confirmed.shows(deviation.key):
            return _repeat_whole(deviation, replayer, attempts), shown.others
        return _create_confirmation(deviation, confirmed, attempts, note), shown.others
    except HarnessError as error:
        if isinstance(shown, _RepeatedDeviation):
            return _create_confirmation(deviation, shown.run, attempts, f"not minimised: {error}"), shown.others
        return _create_unchanged(deviation, "unconfirmed", 0, 0, f"not repeated: {error}"), []
    finally:
        replayer.close()


def _repeat_whole(deviation: Deviation, replayer: Replayer, attempts: int) -> Confirmation:
    """Return the confirmation of a deviation that has repeated, while its minimised sequence does not show it.

    A deviation other than a crash or a hang is repeated once more with all its calls.
    """
    run = replayer.run(deviation.sequence, fresh=True) if deviation.verdict == "deviates" else None
    if run is not None and not run.shows(deviation.key):
        obstacle = find_obstacle(deviation.sequence, run)
        return _create_unchanged(deviation, _unproved_verdict([obstacle]), 1, attempts, obstacle)
    history = "reproduced only after the full history of calls"
    unchanged = _create_unchanged(deviation, deviation.verdict, attempts, attempts, history)
    return replace(unchanged, full_history=True)


def _find_byte_cause(deviation: Deviation, run: ReplayResult, replayer: Replayer) -> FirstUnexpectedBytes | None:
    """Return the cause of unexpected contents that reads after each call show; None if it is the deviation's own.

    Also None for other symptoms, and if these reads show several possible causes.
    """
    if deviation.symptom != UNEXPECTED_BYTES.code:
        return None
    found = find_first_unexpected(run.steps_up_to(deviation.key), replayer)
    if found is None or len(found.deviation.requirements) > 1:
        return None
    return None if list(found.deviation.requirements) == list(deviation.requirements) else found


def _replace_by_cause(
    deviation: Deviation, cause: FirstUnexpectedBytes, attempts: int
) -> tuple[Confirmation, Deviation]:
    """Return the confirmation of a deviation that is attributed to its cause, and the deviation of the cause."""
    line = create_deviation_line(deviation.item, cause.key, cause.deviation, cause.sequence, while_confirming=True)
    note = FIRST_UNEXPECTED_NOTE
    end = Confirmation(
        deviation.key, deviation.verdict, attempts, attempts, deviation.sequence, note=note, replaced_by=cause.key
    )
    return end, line


def _describe_byte_sources(deviation: Deviation, run: ReplayResult, *, minimised: bool) -> str:
    """Return a note on other calls that may have caused unexpected contents.

    The note is empty if there are no such calls, and for deviations with other symptoms.
    """
    if deviation.symptom != UNEXPECTED_BYTES.code or not run.shows(deviation.key):
        return ""
    return describe_other_writers(deviation, run.steps_up_to(deviation.key), minimised=minimised)


def _create_confirmation(deviation: Deviation, run: ReplayResult, attempts: int, note: str = "") -> Confirmation:
    """Return the confirmation of a deviation that all ``attempts`` runs have shown.

    Its sequence is from ``run``.
    """
    blame = run.first_deviation(deviation.key)
    if blame is None:
        raise ValueError(f"the run does not show {deviation.key}")
    return Confirmation(
        deviation.key,
        deviation.verdict,
        attempts,
        attempts,
        run.steps_up_to(deviation.key),
        note=note,
        allowed=list(blame.allowed),
        observed=blame.observed,
        operands=blame.operands,
        conditions=blame.conditions,
    )


@dataclass(frozen=True)
class _RepeatedDeviation:
    """A deviation that has repeated, with a run that shows it.

    ``is_isolated``: in the run, every queue was finished after each call. ``others``: further deviations that the runs
    have shown.
    """

    run: ReplayResult
    others: list[Deviation]
    is_isolated: bool = False


def _repeat_deviation(
    deviation: Deviation, replayer: Replayer, attempts: int
) -> _RepeatedDeviation | tuple[Confirmation, list[Deviation]]:
    """Repeat a deviation, and return a run that shows it.

    If some run does not show the deviation, or if the deviation is attributed to another deviation, return the
    confirmation and other deviations instead.
    """
    bare = find_crash_without_commands(deviation, replayer, attempts) if deviation.verdict == "crashes" else None
    if bare is not None:
        return replace_by_crash(bare, deviation, attempts, WITHOUT_COMMANDS_NOTE)
    runs = [] if deviation.undecided else _run_repetitions(deviation, replayer, attempts)
    showing = [run for run in runs if run.shows(deviation.key)]
    others = [other for run in runs for other in _other_deviations(deviation, run)]
    if runs and len(showing) == len(runs):
        cause = _find_byte_cause(deviation, showing[0], replayer)
        if cause is None:
            return _RepeatedDeviation(showing[0], others)
        end, line = _replace_by_cause(deviation, cause, attempts)
        return end, [*others, line]
    if deviation.verdict == "crashes":
        crash = find_isolated_crash(deviation.sequence, replayer, attempts)
        if crash is not None:
            same = crash.key == deviation.key
            return (
                _RepeatedDeviation(crash.run, others, is_isolated=True)
                if same
                else replace_by_crash(crash, deviation, attempts)
            )
        if deviation.undecided:
            return repeat_unchanged(deviation, replayer)
    obstacles = [find_obstacle(run.sequence, run) for run in runs if not run.shows(deviation.key)]
    note = next(filter(None, obstacles), "")
    return _create_unchanged(deviation, _unproved_verdict(obstacles), len(showing), attempts, note), others


def _unproved_verdict(obstacles: list[str]) -> str:
    """Return the verdict on a deviation that did not repeat; ``obstacles``: one for each run, as ``find_obstacle``."""
    return "unconfirmed" if all(obstacles) else "flaky"


def _add_accepted_note(
    deviation: Deviation, end: Confirmation, others: list[Deviation]
) -> tuple[Confirmation, list[Deviation]]:
    """Return ``end`` and ``others``; ``end`` gets a note on accepted calls if the deviation never repeated.

    The note lists the calls that the original process had accepted although it should have rejected them.
    """
    never = end.verdict in UNPROVED_STATUSES and not end.repeated
    return replace(end, note=end.note or describe_accepted_before(deviation)) if never else end, others


def _run_repetitions(deviation: Deviation, replayer: Replayer, attempts: int) -> list[ReplayResult]:
    """Repeat a deviation in new processes, if possible with only the calls that its last call needs.

    A deviation other than a crash or a hang is repeated once, because its minimised sequence is repeated later anyway.
    """
    runs: list[ReplayResult] = []
    sequence, needed = deviation.sequence, calls_needed_by_last(deviation.sequence)
    if len(needed) < len(sequence):
        run = replayer.run(needed, fresh=True)
        if run.shows(deviation.key):
            runs, sequence = [run], needed
    once = deviation.verdict == "deviates"
    while len(runs) < attempts and not (once and runs and runs[0].shows(deviation.key)):
        runs.append(_run_defined_calls(sequence, replayer))
    return runs


def _run_defined_calls(sequence: list[Step], replayer: Replayer) -> ReplayResult:
    """Replay a sequence without the calls that are undefined in the new process.

    The last call is never left out. For example, a random test may have chosen an offset below a size that is smaller
    in another process.
    """
    run = replayer.run(sequence, fresh=True)
    for _ in range(MAX_LEFT_OUT):
        if not run.obstacle or run.obstacle_index >= len(sequence) - 1:
            break
        sequence = remove_incomplete_calls(
            [*sequence[: run.obstacle_index], *sequence[run.obstacle_index + 1 :]], sequence
        )
        run = replayer.run(sequence, fresh=True)
    return run


def _create_unchanged(deviation: Deviation, verdict: str, repeated: int, attempts: int, note: str = "") -> Confirmation:
    """Return a confirmation with the original sequence and operands of a deviation."""
    return Confirmation(
        deviation.key,
        verdict,
        repeated,
        attempts,
        deviation.sequence,
        note=note,
        operands=deviation.operands,
        conditions=deviation.conditions,
    )


def _other_deviations(deviation: Deviation, run: ReplayResult) -> list[Deviation]:
    """Return the deviations, other than ``deviation``, that a repetition has shown."""
    found = []
    for deviations in run.deviations_by_step:
        for key, blame in deviations.items():
            if key != deviation.key and key not in run.killed_keys and not blame.undecided:
                found.append(
                    create_deviation_line(deviation.item, key, blame, run.steps_up_to(key), while_confirming=True)
                )
    return found


def _minimise_sequence(
    shown: ReplayResult, deviation: Deviation, run: Callable[..., ReplayResult], budget: MinimisingBudget
) -> list[Step]:
    """Return a short sequence that shows the deviation; ``run`` replays a shortened sequence.

    A shortened sequence is rejected if an earlier call has a new deviation, because the deviation of the last call may
    be a consequence.
    """
    sequence, known = shown.steps_up_to(deviation.key), shown.keys_before(deviation.key)
    lethal = isinstance(sequence[-1].outcome, Died)

    def fails(candidate: list[Step]) -> list[Step] | None:
        went = run(candidate, fresh=lethal, compiled=True)
        alike = went.shows(deviation.key) and went.keys_before(deviation.key) <= known
        return went.steps_up_to(deviation.key) if alike else None

    return minimise(sequence, fails, budget)
