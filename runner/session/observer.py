"""What a session tells of each judged call, for whoever records, replays or watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement


class Observer:
    """An observer of every judged call, such as a recorder or a replay. By default, each method does nothing."""

    def started(self) -> None:
        """Handle the start of a new process of the driver."""

    def began(self) -> None:
        """Handle the start of an example, with only platforms and root devices known."""

    def refused(self, expectation: Expectation, boundary: str) -> None:
        """Handle a call that was not made because its behaviour is undefined."""

    def begun(self, expectation: Expectation, step: Step) -> None:
        """Handle a call that was begun on a lane; it is judged when it ends, and ``step`` stands for its begin."""

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Handle one call; ``steps`` is the example so far, this call last.

        If the driver died in concurrent calls, the first of them is judged, at its own position.
        """

    def noted(self, record: str, observed: str, call: Call) -> None:
        """Handle an observation that is not a deviation."""
