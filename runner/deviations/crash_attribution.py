"""Attributes a crash to a call or to commands, if commands may have been running when the driver's process ended.

The sequence is repeated in fresh processes, in three stages. First, without its commands: if the process still ends,
commands are not the cause. Second, with every queue finished after each call: if the process ends, the cause is the
last call, or the command that this call has enqueued, or, if the process also ends without this call, the clFinish.
Third, unchanged, several times, with a pause before the last call in which the commands can run: if the process
survives each pause and ends in the last call, the crash is attributed to the last call. In all other cases the crash is
attributed to the running commands together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.deviation_keys import parse_function, parse_symptom
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.journal import Confirmation
from clconform.harness import HarnessError
from clconform.oracles.engine.crashes import FINISH
from clconform.oracles.engine.symptoms import UNEXPECTED_BYTES
from clconform.runner.deviations.minimisation import remove_incomplete_calls
from clconform.runner.deviations.unproved_repetitions import find_obstacle
from clconform.runner.journal.recorder import create_deviation_line, deviation_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Step
    from clconform.calls.journal import Deviation
    from clconform.oracles.engine.judgements import ObservedDeviation
    from clconform.runner.deviations.replay import Replayer, ReplayResult

UNCHANGED_ATTEMPTS = 4
"""Number of repetitions of the unchanged sequence if finishing the queues does not reproduce the crash."""
MIN_CRASHES = 2
"""Number of repetitions of the unchanged sequence that must crash; with fewer crashes, the deviation is flaky."""
REST_SECONDS = 0.5
"""Time in seconds for the commands to run before the last call."""
COMMANDS_NOTE = "the process ends while these commands may be running; no repetition shows that one call alone ends it"
BETWEEN_CALLS_NOTE = "the process ends between two calls, after these; no repetition shows that another call ends it"
LAST_CALL_NOTE = "the commands that may be running do not end the process: it always ends in this call"
WITHOUT_COMMANDS_NOTE = "the last call ends the process even without any command"
NEEDED_COMMANDS_NOTE = "the sequence also needs {}, which may be the cause instead"
FIRST_UNEXPECTED_NOTE = "if contents are read after each call, another function is the cause"
OTHER_WRITERS_NOTE = "{} ran between the last write and the read, and may be the cause instead"
READ_PREFIXES = ("clEnqueueReadBuffer", "clEnqueueReadImage")
"""Prefixes of the names of functions that read contents and never change them."""
FINISHED_QUEUES_NOTE = "with every queue finished after each call, another call ends the process"


@dataclass(frozen=True)
class IsolatedCrash:
    """A crash that repeats if every queue is finished after each call.

    ``key``: the key of its deviation. ``run``: the first run with the crash.
    """

    key: str
    deviation: ObservedDeviation
    run: ReplayResult


def find_isolated_crash(sequence: Sequence[Step], replayer: Replayer, attempts: int) -> IsolatedCrash | None:
    """Return the crash that occurs in all of ``attempts`` runs if every queue is finished after each call.

    None if a run does not crash, if the runs crash differently, or if the crash cannot be attributed to one call.
    """
    found: IsolatedCrash | None = None
    for _ in range(attempts):
        run = replayer.run(sequence, fresh=True, apart=True)
        crash = run.crash
        if crash is None or crash[0] in run.killed_keys or not _has_single_cause(crash[1], run):
            return None
        if found is not None and found.key != crash[0]:
            return None
        found = found or IsolatedCrash(*crash, run)
    return found and (_find_crash_of_added_finish(found, replayer) or found)


def _find_crash_of_added_finish(crash: IsolatedCrash, replayer: Replayer) -> IsolatedCrash | None:
    """Return the crash by a clFinish that finished the queues, if it also occurs without the attributed calls."""
    steps, added = crash.run.steps, crash.run.extra_steps
    causes = _find_functions(crash.deviation)
    if FINISH in causes or len(steps) - 1 not in added or all(steps[at].call.function != FINISH for at in added):
        return None
    others = [step for step in steps if step.call.function not in causes]
    run = replayer.run(remove_incomplete_calls(others, steps), fresh=True, apart=True)
    if run.crash is None or run.crash[0] in run.killed_keys or _find_functions(run.crash[1]) != {FINISH}:
        return None
    return IsolatedCrash(*run.crash, run)


def _has_single_cause(deviation: ObservedDeviation, run: ReplayResult) -> bool:
    """Return whether the crash at the end of a run has a single cause.

    In the run, every queue was finished after each call. If the process ends in a harness action, the cause is the call
    before the action.
    """
    return not deviation.undecided or (
        run.steps[-1].call.function in HOST_ACTIONS and len(_find_functions(deviation)) == 1
    )


def _find_functions(deviation: ObservedDeviation) -> set[str]:
    """Return the functions of the requirements of a deviation."""
    return {requirement.split("/")[0] for requirement in deviation.requirements}


def find_crash_without_commands(deviation: Deviation, replayer: Replayer, attempts: int) -> IsolatedCrash | None:
    """Return the crash that occurs in the last call of every run without the commands of the sequence.

    None if some run does not crash there, if the deviation is already attributed to the last call, or if the sequence
    contains no commands.
    """
    *before, last = deviation.sequence
    if parse_function(deviation.key) == last.call.function:
        return None
    kept = [step for step in before if not step.call.function.startswith("clEnqueue")]
    if len(kept) == len(before):
        return None
    crash = find_isolated_crash(remove_incomplete_calls([*kept, last], deviation.sequence), replayer, attempts)
    return crash if crash is not None and parse_function(crash.key) == last.call.function else None


def describe_other_writers(deviation: Deviation, sequence: Sequence[Step], *, minimised: bool) -> str:
    """Return a note on further commands that may have caused unexpected contents: those after the last writer.

    The last writer is the last command to which the deviation attributes the contents. ``sequence``: calls that show
    the contents. ``minimised``: the deviation needs all calls of ``sequence``. The note is empty if there are no such
    commands, and for deviations with other symptoms.
    """
    if deviation.symptom != UNEXPECTED_BYTES.code:
        return ""
    writer = deviation.requirements[0].split("/")[0]
    last = max((index for index, step in enumerate(sequence[:-1]) if step.call.function == writer), default=-1)
    between = dict.fromkeys(step.call.function for step in sequence[last + 1 : -1])
    others = [
        each
        for each in between
        if each.startswith("clEnqueue") and each != writer and not each.startswith(READ_PREFIXES)
    ]
    words = NEEDED_COMMANDS_NOTE if minimised else OTHER_WRITERS_NOTE
    return words.format(" and ".join(others)) if others else ""


@dataclass(frozen=True)
class FirstUnexpectedBytes:
    """The first unexpected bytes if all contents are read after each call: the deviation with its ``key``.

    ``sequence``: the calls up to it, with these reads.
    """

    key: str
    deviation: ObservedDeviation
    sequence: list[Step]


def find_first_unexpected(sequence: Sequence[Step], replayer: Replayer) -> FirstUnexpectedBytes | None:
    """Return the first unexpected bytes if all contents are read after each call of a sequence.

    None if the contents are then as expected, or if only the calls of the sequence itself show the deviation.
    """
    try:
        run = replayer.run(sequence, fresh=True, look=True)
    except HarnessError:
        return None
    for place, met in enumerate(run.deviations_by_step):
        found = next((pair for pair in met.items() if parse_symptom(pair[0]) == UNEXPECTED_BYTES.code), None)
        if found is not None:
            return FirstUnexpectedBytes(*found, run.steps[: place + 1]) if place in run.extra_steps else None
    return None


def replace_by_crash(
    other: IsolatedCrash, deviation: Deviation, attempts: int, note: str = FINISHED_QUEUES_NOTE
) -> tuple[Confirmation, list[Deviation]]:
    """Return the confirmation of a deviation that is attributed to the crash ``other``, and the crash's deviation."""
    line = create_deviation_line(
        deviation.item, other.key, other.deviation, other.run.steps_up_to(other.key), while_confirming=True
    )
    end = Confirmation(
        deviation.key, "crashes", attempts, attempts, deviation.sequence, note=note, replaced_by=other.key
    )
    return end, [replace(line, undecided=False)]


def repeat_unchanged(deviation: Deviation, replayer: Replayer) -> tuple[Confirmation, list[Deviation]]:
    """Repeat the unchanged sequence, and attribute the crash to the last call or to all running commands together.

    Return the confirmation, and a list of deviations. If the crash is attributed to another deviation, the list
    contains this other deviation; else it is empty.
    """
    runs = [replayer.run(deviation.sequence, fresh=True, rest=REST_SECONDS) for _ in range(UNCHANGED_ATTEMPTS)]
    crashes = [
        (run, run.crash[1])
        for run in runs
        if run.crash is not None
        and parse_symptom(run.crash[0]) == deviation.symptom
        and run.crash[0] not in run.killed_keys
    ]
    function = deviation.sequence[-1].call.function
    alone = [
        blame.call_deviation
        for run, blame in crashes
        if len(run.steps) - len(run.extra_steps) == len(deviation.sequence)
    ]
    own = alone[0] if len(alone) == UNCHANGED_ATTEMPTS and all(alone) else None
    if own is not None:
        line = create_deviation_line(
            deviation.item, deviation_key(function, own), own, crashes[0][0].steps, while_confirming=True
        )
        is_itself = line.key == deviation.key
        end = Confirmation(
            deviation.key,
            "crashes",
            UNCHANGED_ATTEMPTS,
            UNCHANGED_ATTEMPTS,
            line.sequence,
            note=LAST_CALL_NOTE,
            operands=line.operands,
            conditions=line.conditions,
            replaced_by="" if is_itself else line.key,
        )
        return end, [] if is_itself else [replace(line, undecided=True)]
    verdict, note = "crashes", COMMANDS_NOTE
    if len(crashes) < MIN_CRASHES:
        obstacles = [
            find_obstacle(deviation.sequence, run)
            for run in runs
            if run.crash is None or run.crash[0] in run.killed_keys
        ]
        verdict, note = ("unconfirmed", obstacles[0]) if obstacles and all(obstacles) else ("flaky", "")
    commands = [step for step in deviation.sequence if step.call.function.startswith("clEnqueue")]
    if verdict == "crashes" and function in HOST_ACTIONS and len(commands) <= 1:
        note = BETWEEN_CALLS_NOTE
    end = Confirmation(deviation.key, verdict, len(crashes), UNCHANGED_ATTEMPTS, deviation.sequence, note=note)
    return end, []
