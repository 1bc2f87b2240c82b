"""Counts the calls that ended the driver's process, so that suites skip such calls and later hangs end earlier."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.call import Died, Hung
from clconform.runner.session.call_timeouts import call_deadline

if TYPE_CHECKING:
    from clconform.harness import Deadlines
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.state import Model

HANG_WEIGHT = 2
"""Weight of the hangs after which no more calls are made for a requirement: one hang for the requirement alone, or two
for several requirements together."""


class ProcessEnds:
    """The statistics of a session on the calls that hung or crashed, each of which ended the driver's process.

    ``known_to_hang``: error conditions with known hangs; their calls get a short deadline. ``has_full_deadlines``:
    deadlines do not become shorter after hangs; False in a run, because a run repeats its deviations.
    ``max_per_requirement``: number of processes that calls for one requirement may end before suites stop making such
    calls; ``single_process_requirements``: requirements for which one process is enough, because their deviation is
    known. ``unproved_end``: the last call that hung or crashed without a deviation, as text, or empty.
    """

    def __init__(self) -> None:
        self.known_to_hang: frozenset[str] = frozenset()
        self.has_full_deadlines = True
        self.max_per_requirement: float = math.inf
        self.single_process_requirements: frozenset[str] = frozenset()
        self.unproved_end = ""
        self._hang_weights: Counter[str] = Counter()
        self._ended_processes: Counter[str] = Counter()
        self._hung_with: set[str] = set()
        self._times_hung: Counter[str] = Counter()
        self._long_hangs = 0

    def count(self, expectation: Expectation, outcome: Died | Hung, judgement: Judgement) -> None:
        """Count a call that hung or crashed."""
        for deviation in judgement.deviations:
            if deviation.verdict == "hangs":
                for requirement in deviation.requirements:
                    self._hang_weights[requirement] += HANG_WEIGHT // len(deviation.requirements) or 1
            elif deviation.verdict == "crashes":
                self._ended_processes.update(deviation.requirements)
        function = expectation.call.function
        if isinstance(outcome, Hung):
            self._hung_with.update(held.clause.code for held in expectation.required_errors)
            self._times_hung[function] += not expectation.required_errors
            self._long_hangs += bool(outcome.extra_seconds)
        if not judgement.deviations and not judgement.suspected_deviations:
            self.unproved_end = f"{function}: {judgement.observed}"

    def count_unexpected_enqueue(self, judgement: Judgement) -> None:
        """Count an accepted command that had to be rejected, because the session ends the process after the example."""
        self._ended_processes.update(
            requirement for deviation in judgement.deviations for requirement in deviation.requirements
        )

    def has_hung(self, requirement: str) -> bool:
        """Return whether calls for a requirement have hung: once for it alone, or twice for it and others together.

        Further calls for the requirement would take time without new information.
        """
        return self._hang_weights[requirement] >= HANG_WEIGHT

    def should_skip(self, requirement: str) -> bool:
        """Return whether suites should skip calls for a requirement: its calls hung or ended many processes before."""
        return self.has_hung(requirement) or self._ended_processes[requirement] >= (
            1 if requirement in self.single_process_requirements else self.max_per_requirement
        )

    def deadline_of(self, expectation: Expectation, deadlines: Deadlines, model: Model) -> float:
        """Return the deadline of a call in seconds, which is shorter if the call is expected to hang."""
        return call_deadline(
            expectation,
            deadlines,
            model,
            known_to_hang=self.known_to_hang,
            hung_with=self._hung_with,
            times_hung={} if self.has_full_deadlines else self._times_hung,
            long_hangs=0 if self.has_full_deadlines else self._long_hangs,
        )
