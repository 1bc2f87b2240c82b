"""The interface through which a session reports each judged call, for example to a recorder or a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.calls.line_kinds import ExtraLine
    from clconform.oracles.engine.judgements import Expectation, Judgement


class SessionObserver:
    """An observer of a session; by default, all methods do nothing."""

    def on_process_start(self) -> None:
        """Handle the start of a driver process."""

    def on_example_start(self) -> None:
        """Handle the start of an example, in which only platforms and root devices exist."""

    def on_undefined_call(self, expectation: Expectation, test_value: str) -> None:
        """Handle a call that was not made because its behaviour is undefined."""

    def on_thread_call(self, expectation: Expectation, step: Step) -> None:
        """Handle the start of a call on a host thread; ``step``: the start.

        The call is judged after it has returned.
        """

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Handle one judged call; ``steps``: the steps of the example up to and including this call.

        If the driver dies in concurrent calls, the first of these calls is judged, at its own position.
        """

    def on_sequence_evidence(self, evidence: Sequence[tuple[str, str]], line: ExtraLine) -> None:
        """Handle the evidence that several calls give together, in addition to that of each call.

        ``evidence``: pairs of a requirement and a kind of evidence. ``line``: describes the calls, without the item.
        """

    def on_note(self, requirement: str, observed: str, call: Call) -> None:
        """Handle an observation that is not a deviation."""
