"""The second pass: each distinct deviation is repeated in a fresh process, made short, and becomes a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Died, Step
from clconform.calls.journal import Deviation, Finding
from clconform.harness import Deadlines, HarnessError
from clconform.judge.replay import Replayer
from clconform.judge.shrinking import Budget, shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.harness import Target
    from clconform.spec_tables import Tables

ATTEMPTS = 2
LONE_DEADLINES = Deadlines(builds=240.0, others=60.0)
SHRINKING_DEADLINES = Deadlines(builds=120.0, others=5.0)


def find_all(
    deviations: Iterable[Deviation],
    target: Target,
    tables: Tables,
    *,
    device_index: int = 0,
    seconds_each: float = 10.0,
    tell: Callable[[Finding], None] = lambda _finding: None,
) -> list[Finding]:
    """Return one finding for each distinct key, in the order of their first appearance.

    ``seconds_each``: the budget for making one sequence short. ``tell`` is called with each finding as it is made.
    """
    firsts: dict[str, Deviation] = {}
    for deviation in deviations:
        known = firsts.get(deviation.key)
        if known is None or len(deviation.sequence) < len(known.sequence):
            firsts[deviation.key] = deviation
    findings = []
    for deviation in firsts.values():
        finding = find(deviation, target, tables, device_index=device_index, seconds=seconds_each)
        tell(finding)
        findings.append(finding)
    return findings


def find(
    deviation: Deviation, target: Target, tables: Tables, *, device_index: int = 0, seconds: float = 10.0
) -> Finding:
    """Repeat one deviation in fresh processes and make its sequence short; ``flaky`` where it does not repeat."""
    deadlines = LONE_DEADLINES if deviation.verdict == "hangs" else None
    try:
        replayer = Replayer(target, tables, device_index=device_index, deadlines=deadlines)
    except HarnessError as error:
        return Finding(deviation.key, deviation.verdict, 0, 0, deviation.sequence, note=f"not repeated: {error}")
    try:
        runs = [replayer.run(deviation.sequence, fresh=True) for _ in range(ATTEMPTS)]
        showing = [run for run in runs if run.shows(deviation.key)]
        if len(showing) < ATTEMPTS:
            note = next((run.broken for run in runs if run.broken), "")
            return Finding(deviation.key, "flaky", len(showing), ATTEMPTS, deviation.sequence, note=note)
        short = _shortened(showing[0].up_to(deviation.key), deviation, replayer, Budget(seconds, 400))
        confirmed = replayer.run(short, fresh=True)
    finally:
        replayer.close()
    blame = confirmed.blame(deviation.key)
    if blame is None:
        history = "it shows only after the whole of what came before"
        return Finding(
            deviation.key, deviation.verdict, ATTEMPTS, ATTEMPTS, deviation.sequence, history=True, note=history
        )
    return Finding(
        deviation.key,
        deviation.verdict,
        ATTEMPTS,
        ATTEMPTS,
        confirmed.up_to(deviation.key),
        allowed=list(blame.allowed),
        observed=blame.observed,
    )


def _shortened(sequence: list[Step], deviation: Deviation, replayer: Replayer, budget: Budget) -> list[Step]:
    lethal = isinstance(sequence[-1].outcome, Died)

    def fails(candidate: list[Step]) -> list[Step] | None:
        went = replayer.run(candidate, fresh=lethal)
        return went.up_to(deviation.key) if went.shows(deviation.key) else None

    return shrink(sequence, fails, budget)
