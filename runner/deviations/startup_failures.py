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

if TYPE_CHECKING:
    from clconform.harness import Target
    from clconform.spec_tables import Tables


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

    The verdict is ``flaky`` if the driver starts or fails differently, or if its process was killed while memory may
    have been short.
    """
    attempts = HANG_ATTEMPTS if deviation.verdict == "hangs" else ATTEMPTS
    killed = any(isinstance(step.outcome, Died) and step.outcome.how == "killed" for step in deviation.sequence)
    repeated = 0
    for _ in range(attempts):
        watch = MemoryWatch()
        try:
            Worker(target).close()
        except StartError as error:
            again = create_start_deviation(error, tables)
            repeated += again is not None and again.key == deviation.key and (not killed or watch.had_spare_memory())
        except HarnessError:
            continue
    verdict = deviation.verdict if repeated == attempts else "flaky"
    note = "seen when the driver was started"
    return Confirmation(deviation.key, verdict, repeated, attempts, deviation.sequence, note=note)
