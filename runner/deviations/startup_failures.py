"""Creates and confirms deviations of drivers that crash or hang while a worker process starts.

There is no session yet and no test is running, so the deviation is attributed to the call in flight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Died, Step
from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import Confirmation, Deviation
from clconform.harness import HarnessError, StartError, Worker
from clconform.harness.oom_watch import MemoryWatch
from clconform.oracles.engine.judge import describe_process_end
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.runner.deviations.confirmation_steps import ATTEMPTS, HANG_ATTEMPTS
from clconform.runner.deviations.unproved_repetitions import KILLED

if TYPE_CHECKING:
    from clconform.harness import Target
    from clconform.spec_tables import Tables

REPEATED = "repeated"
KILLED_FROM_OUTSIDE = "not reached again: the process was killed from outside"
KILLED_ONCE = "the process was killed, for an unknown reason, and not again"


def create_start_deviation(error: StartError, tables: Tables, item: str = "") -> Deviation | None:
    """Return the deviation of a failed start; None if no call was in flight.

    ``item``: the item for which the worker was started, if any.
    """
    call, outcome = error.call, error.outcome
    if call is None:
        return None
    requirement = f"{call.function}/success"
    verdict, observed, symptom = describe_process_end(outcome)
    words = rulebook_of(tables).texts.words_of(requirement) if requirement in tables.requirements else ""
    return Deviation(
        item=item,
        key=build_key(call.function, [requirement], symptom.code),
        requirements=[requirement],
        verdict=verdict,
        confidence="literal",
        allowed=[SUCCESS],
        observed=observed,
        conditions={requirement: words},
        sequence=[Step(call, outcome)],
    )


def confirm_start(deviation: Deviation, target: Target, tables: Tables) -> Confirmation:
    """Start the driver again, as often as other deviations are repeated, and return the confirmation.

    The verdict is ``flaky`` if the driver starts or fails differently, and ``unconfirmed`` if the repetitions prove
    nothing: the process ends before the call, or it was killed while memory may have been short.
    """
    attempts = HANG_ATTEMPTS if deviation.verdict == "hangs" else ATTEMPTS
    ends = [_start_again(deviation, target, tables) for _ in range(attempts)]
    repeated, obstacles = ends.count(REPEATED), [end for end in ends if end != REPEATED]
    verdict = "unconfirmed" if all(obstacles) else "flaky"
    note = next(filter(None, obstacles), "") or "seen when the driver was started"
    return Confirmation(
        deviation.key,
        deviation.verdict if repeated == attempts else verdict,
        repeated,
        attempts,
        deviation.sequence,
        note=note,
    )


def _start_again(deviation: Deviation, target: Target, tables: Tables) -> str:
    """Start the driver again; return REPEATED, or why this is inconclusive, or empty if it starts or fails differently.

    A killed process is inconclusive if memory may have been short, or if it was not killed before. A start that
    succeeds is inconclusive after a kill.
    """
    was_killed = any(isinstance(step.outcome, Died) and step.outcome.how == KILLED for step in deviation.sequence)
    watch = MemoryWatch()
    try:
        Worker(target).close()
    except StartError as error:
        again = create_start_deviation(error, tables)
        is_killed = isinstance(error.outcome, Died) and error.outcome.how == KILLED
        if is_killed and not (was_killed and watch.had_spare_memory()):
            return KILLED_FROM_OUTSIDE
        if again is not None and again.key == deviation.key:
            return REPEATED
    except HarnessError as error:
        return f"not reached again: {error}"
    return KILLED_ONCE if was_killed else ""
