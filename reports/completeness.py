"""Says what a run lacks: whether it came to its end, with a result of every item that was selected.

Exit codes, the badge and every report take this from here, so that none of them shows a run as good of which a part is
missing. A budget that the user has set is no such reason: what it left out is shown, and proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.reports.result import Run


def gaps_of(run: Run) -> list[str]:
    """Return what the run lacks, each in words; empty for a complete run."""
    missing = lost_items(run)
    stopped = run.cut_short or run.interrupted
    gaps = (
        (run.cut_short, "it did not come to its end"),
        (not run.reached, "the driver did not start"),
        (run.interrupted, f"it was stopped after {run.items} of {_counted(max(run.planned, run.items), 'item')}"),
        (missing and not stopped, f"{missing} of {_counted(run.planned, 'item')} did not end"),
        (run.failed, f"{_counted(run.failed, 'item')} failed for a reason of our own"),
        (run.killed, f"{_counted(run.killed, 'item')} lost the driver's process to SIGKILL, for an unknown reason"),
    )
    return [words for holds, words in gaps if holds]


def is_whole(run: Run) -> bool:
    """Return whether a run lacks nothing, and no budget has left items out."""
    return not gaps_of(run) and run.items >= run.planned


def lost_items(run: Run) -> int:
    """Return how many selected items have no end although they were, or should have been, begun."""
    if run.budget_spent and not run.unreached:  # a journal that does not say how many the budget left out
        return 0
    return max(0, run.planned - run.items - run.unreached)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
