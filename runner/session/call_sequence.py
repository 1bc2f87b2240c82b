"""Stores the sequence of calls of the running example, and what the calls have shown about the example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.number_references import mark_numbers, take_references
from clconform.oracles.engine.accepted_calls import is_use_undefined
from clconform.oracles.engine.judgements import SUCCESS
from clconform.runner.session.errors import SelfLimitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Returned, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.state import Model
    from clconform.runner.session.session_process import SessionProcess

MAX_STEPS = 50_000
"""Maximum number of steps of one example, which stops endless loops; real examples have at most a few thousand."""


class CallSequence:
    """The calls that the running example has made so far.

    ``steps``: the calls with their outcomes. ``known_names``: the names of the objects that exist so far.
    ``test_value``: the name of the test value for the next calls. ``has_diverged``: the driver has deviated, has
    rejected a valid call, or has accepted a call so that no document defines the use of its result.
    ``may_be_corrupted``: the driver has accepted a command that it had to reject, which may have corrupted the memory
    of its process.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Start without calls; ``names``: the names of the objects that exist at the start of the example."""
        self.steps: list[Step] = []
        self.known_names = set(names)
        self.test_value = ""
        self.has_diverged = False
        self.may_be_corrupted = False

    def mark_numbers(self, outcome: Returned, outputs: Iterable[str], later_steps: int) -> Returned:
        """Return an outcome in which the numbers of these outputs remember its step.

        ``later_steps``: the number of steps after this step.
        """
        return mark_numbers(outcome, outputs, len(self.steps) - later_steps, self.steps)

    def take_references(self, call: Call) -> Call:
        """Return a call with plain numbers, and with references to the outcomes that contain them.

        The steps of these outcomes get an id: their number in the sequence, from 1.
        """
        call = take_references(call, self.steps)
        for reference in call.references:
            step = self.steps[reference.step - 1]
            if not step.id:
                self.steps[reference.step - 1] = msgspec.structs.replace(step, id=reference.step)
        return call

    def append(self, steps: list[Step]) -> None:
        """Append steps; SelfLimitError if the example has made too many calls."""
        self.steps += steps
        for step in steps:
            self.known_names.update(step.new_names)
        if len(self.steps) > MAX_STEPS:
            last = ", ".join(step.call.function for step in self.steps[-3:])
            self.steps = []
            raise SelfLimitError(f"one example has made more than {MAX_STEPS:,} calls; the last ones: {last}")

    def note_judgement(self, expectation: Expectation, judgement: Judgement) -> None:
        """Note whether the driver has deviated, rejected a valid call, or accepted a call whose result is unusable.

        A test may then be unable to continue.
        """
        refused = not expectation.required_errors and judgement.observed != SUCCESS
        self.has_diverged |= (
            bool(judgement.deviations)
            or is_use_undefined(expectation, judgement.observed)
            or (refused and not expectation.call.function.startswith("host_"))
        )

    def forget_released(self, model: Model, process: SessionProcess) -> None:
        """Forget the objects that the model no longer contains, also in the worker."""
        gone = model.released
        if gone:
            process.worker.forget_objects(gone)
            self.known_names.difference_update(gone)
            gone.clear()
