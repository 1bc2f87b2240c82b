"""Judges a group of calls that were made concurrently, and creates their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Died, Hung
from clconform.oracles.engine.linearization import judge_concurrent_calls
from clconform.runner.session.errors import convert_internal_errors
from clconform.runner.session.steps import create_steps, move_to_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Outcome, Step
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.session.call_sequence import CallSequence


class JudgedConcurrentCall(NamedTuple):
    """A judged call of a group; ``steps``: the steps of the example, of which this call is the last."""

    expectation: Expectation
    outcome: Outcome
    judgement: Judgement
    steps: list[Step]


class ConcurrentCalls:
    """A group of calls that were made concurrently on several host threads, with their outcomes.

    ``steps``: the steps of the group, in the order of the calls.
    """

    def __init__(
        self, expectations: Sequence[Expectation], outcomes: Sequence[Outcome], sequence: CallSequence
    ) -> None:
        """Create the steps of the group; ``sequence``: the calls before the group."""
        self._expectations, self._outcomes = expectations, outcomes
        self._before, self._known = list(sequence.steps), set(sequence.known_names)
        number = max((step.together for step in self._before), default=0) + 1 if len(outcomes) > 1 else 0
        pairs = ((expectation.call, outcome) for expectation, outcome in zip(expectations, outcomes, strict=True))
        self.steps = create_steps(pairs, self._known, number)

    def judge(self, oracle: Oracle) -> list[JudgedConcurrentCall]:
        """Return the judged calls; only the first call that ended the process, if one did.

        Calls that returned conform if their results match some sequential order.
        """
        for expectation, outcome in zip(self._expectations, self._outcomes, strict=True):
            if isinstance(outcome, (Died, Hung)):
                with convert_internal_errors(expectation.call):
                    judgement = oracle.judge(expectation, outcome, validated=True)
                return [JudgedConcurrentCall(expectation, outcome, judgement, self._before + self.steps)]
        if not self._expectations:
            return []
        calls = [expectation.call for expectation in self._expectations]
        with convert_internal_errors(calls[0]):
            judged = judge_concurrent_calls(oracle, calls, self._outcomes)
        return [
            JudgedConcurrentCall(
                expectation,
                self._outcomes[index],
                judgement,
                self._before + move_to_end(self.steps, index, self._known),
            )
            for index, (expectation, judgement) in enumerate(judged)
        ]
