"""The interface through which the extra lines of a journal are contributed, each kind by a class of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.calls.line_kinds import ExtraLine
    from clconform.oracles.engine.judgements import Judgement


class LineContributor:
    """Contributes the lines of one kind; by default, all methods do nothing, and there are no lines.

    A contributor observes all items of one process of a run.
    """

    def begin_item(self) -> None:
        """Start a new item."""

    def on_judged_call(self, call: Call, outcome: Outcome, judgement: Judgement, steps: Sequence[Step]) -> None:
        """Handle one judged call; ``steps``: the steps of the example up to and including this call."""

    def on_sequence_evidence(self, item: str, line: ExtraLine) -> Iterable[ExtraLine]:
        """Return the lines to write after calls that give evidence together.

        ``line``: describes these calls, without the item. It may be of any kind.
        """
        del item, line
        return ()

    def end_item(self, item: str) -> Iterable[ExtraLine]:
        """Return the lines to write at the end of an item."""
        del item
        return ()
