"""Finds out whose crash it was, where commands might still be running when a driver's process ended.

The calls are repeated in fresh processes, first without any command: what ends the process then is no command. Then
they are repeated with nothing running beside them: after each one every queue is finished. Where the process ends
there, it is the doing of that call, or of the command that it has enqueued. Where it does not, the same calls are
repeated several times; before the last one the commands get time to run. A process that survives this each time, and
ends each time in that call, is ended by the call. Else the commands are to blame, all together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.deviation_keys import function_in, symptom_in
from clconform.calls.host import HOST_STEPS
from clconform.calls.journal import Confirmation
from clconform.calls.values import Handle
from clconform.harness import HarnessError
from clconform.oracles.engine.symptoms import WRONG_BYTES
from clconform.runner.deviations.minimising import closed
from clconform.runner.journal.recorder import as_deviation, deviation_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Step
    from clconform.calls.journal import Deviation
    from clconform.oracles.engine.judgements import Blame
    from clconform.runner.deviations.replay import Replayed, Replayer

SEVERAL = 4
"""How often the same calls are repeated where finishing the queues shows nothing."""
ENOUGH = 2
"""How many of these repetitions must crash, so that the crash is not called flaky."""
SECONDS_OF_REST = 0.5
"""How long the commands may run before the last call."""
TOGETHER = "the process ends while these commands may be running; no repetition shows that one call alone ends it"
BEFORE = "the process ends between two calls, after these; no repetition shows that another call ends it"
ITSELF = "the commands that may be running do not end the process: it always ends in this call"
BARE = "without any command, too, the last call ends the process"
BETWEEN_THEM = "it takes {} as well to show this, which may be to blame instead"
SINCE = "read after each call, contents are wrong since {}, which may be to blame instead"
CAME_BETWEEN = "{} came between the last write and the read, and may be to blame instead"
READS = ("clEnqueueReadBuffer", "clEnqueueReadImage")
"""How the functions begin that change no object's contents, whatever they are asked to read."""
MAKES_A_QUEUE = "clCreateCommandQueue"
"""How the functions begin that make a queue on the host."""
FINISHED = "with every queue finished after each call, it is another call that ends the process"


@dataclass(frozen=True)
class Apart:
    """A crash that repeats where nothing runs beside a call: its key and blame, and the first run that shows it."""

    key: str
    blame: Blame
    run: Replayed


def apart(sequence: Sequence[Step], replayer: Replayer, attempts: int) -> Apart | None:
    """Return the crash that each of so many runs shows in which nothing runs beside a call.

    None if they differ, do not crash, or crash where nobody in particular can be blamed for it.
    """
    found: Apart | None = None
    for _ in range(attempts):
        run = replayer.run(sequence, fresh=True, apart=True)
        crash = run.crash
        if crash is None or crash[0] in run.killed or not _is_decided(crash[1], run):
            return None
        if found is not None and found.key != crash[0]:
            return None
        found = found or Apart(*crash, run)
    return found


def _is_decided(blame: Blame, run: Replayed) -> bool:
    """Return whether a crash in such a run has one culprit; seen by a step of ours it is what was called before."""
    culprits = {record.split("/")[0] for record in blame.records}
    return not blame.undecided or (run.steps[-1].call.function in HOST_STEPS and len(culprits) == 1)


def without_commands(deviation: Deviation, replayer: Replayer, attempts: int) -> Apart | None:
    """Return the crash that each run without any command ends in, if that is in the same call; else None.

    None, too, for a deviation that is blamed on that call already.
    """
    *before, last = deviation.sequence
    if function_in(deviation.key) == last.call.function:
        return None
    kept = [step for step in before if not step.call.function.startswith("clEnqueue")]
    if len(kept) == len(before):
        return None
    crash = apart(closed([*kept, last], deviation.sequence), replayer, attempts)
    return crash if crash is not None and function_in(crash.key) == last.call.function else None


def who_else(deviation: Deviation, sequence: Sequence[Step], *, minimised: bool) -> str:
    """Return which commands may have changed wrong bytes beside the one that has written them last, in words.

    ``sequence``: calls that show them; ``minimised``: it takes all of these. Empty where there is no other command, and
    for other deviations.
    """
    if deviation.symptom != WRONG_BYTES.code:
        return ""
    writer = deviation.records[0].split("/")[0]
    last = max((index for index, step in enumerate(sequence[:-1]) if step.call.function == writer), default=-1)
    between = dict.fromkeys(step.call.function for step in sequence[last + 1 : -1])
    others = [
        each for each in between if each.startswith("clEnqueue") and each != writer and not each.startswith(READS)
    ]
    words = BETWEEN_THEM if minimised else CAME_BETWEEN
    return words.format(" and ".join(others)) if others else ""


def wrong_since(deviation: Deviation, sequence: Sequence[Step], replayer: Replayer) -> str | None:
    """Return since which call contents are wrong that a deviation is about, in words; empty: since the one named.

    None if that does not come out: contents are right when they are read after each call, or the deviation is gone.
    """
    try:
        run = replayer.run(sequence, fresh=True, look=True)
    except HarnessError:
        return None
    for place, met in enumerate(run.keys):
        blame = next((blame for key, blame in met.items() if symptom_in(key) == WRONG_BYTES.code), None)
        if blame is None:
            continue
        same = list(blame.records) == list(deviation.records)
        if place not in run.extra or not (same or run.shows(deviation.key)):
            return None
        before, writer = _spoils(run, place), deviation.records[0].partition("/")[0]
        is_named = same and (before == writer or not writer.startswith("cl"))
        return "" if is_named else SINCE.format(before)
    return None


def _spoils(run: Replayed, place: int) -> str:
    """Return the function of the call after which contents were wrong that a read at a place has shown.

    What has been wrong from the beginning shows once there is a queue to read it by.
    """
    made = next(run.steps[index] for index in range(place, -1, -1) if index not in run.extra)
    if made.call.function.startswith(MAKES_A_QUEUE):
        named = {value.name for value in run.steps[place].call.arguments.values() if isinstance(value, Handle)}
        made = next((step for step in run.steps[:place] if named.intersection(step.binds)), made)
    return made.call.function


def replaced_by(
    other: Apart, deviation: Deviation, attempts: int, note: str = FINISHED
) -> tuple[Confirmation, list[Deviation]]:
    """Return the end of a deviation that turned out to be another one, and that one."""
    line = as_deviation(deviation.item, other.key, other.blame, other.run.up_to(other.key), while_confirming=True)
    end = Confirmation(deviation.key, "crashes", attempts, attempts, deviation.sequence, note=note, instead=other.key)
    return end, [replace(line, undecided=False)]


def repeated(deviation: Deviation, replayer: Replayer) -> tuple[Confirmation, list[Deviation]]:
    """Repeat the same calls several times: the last call is to blame, or what was running, all of it together.

    Also returns the deviation that it turned out to be, if it is another one.
    """
    runs = [replayer.run(deviation.sequence, fresh=True, rest=SECONDS_OF_REST) for _ in range(SEVERAL)]
    crashes = [
        (run, run.crash[1])
        for run in runs
        if run.crash is not None and symptom_in(run.crash[0]) == deviation.symptom and run.crash[0] not in run.killed
    ]
    function = deviation.sequence[-1].call.function
    alone = [blame.alone for run, blame in crashes if len(run.steps) - len(run.extra) == len(deviation.sequence)]
    own = alone[0] if len(alone) == SEVERAL and all(alone) else None
    if own is not None:
        line = as_deviation(
            deviation.item, deviation_key(function, own), own, crashes[0][0].steps, while_confirming=True
        )
        is_itself = line.key == deviation.key
        end = Confirmation(
            deviation.key,
            "crashes",
            SEVERAL,
            SEVERAL,
            line.sequence,
            note=ITSELF,
            operands=line.operands,
            instead="" if is_itself else line.key,
        )
        return end, [] if is_itself else [replace(line, undecided=True)]
    verdict, note = ("crashes", TOGETHER) if len(crashes) >= ENOUGH else ("flaky", "")
    commands = [step for step in deviation.sequence if step.call.function.startswith("clEnqueue")]
    if note and function in HOST_STEPS and len(commands) <= 1:
        note = BEFORE
    end = Confirmation(deviation.key, verdict, len(crashes), SEVERAL, deviation.sequence, note=note)
    return end, []
