"""Determines the gaps of a run: whether the run finished, with a result for every selected item.

Exit codes, the badge and all reports use these gaps, so that none of them presents an incomplete run as successful. A
budget of the user is not a gap: the reports show which items it excluded, and these items are not evidence. A run that
covers no requirement has a gap in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.run_verdict import ROWS

if TYPE_CHECKING:
    from clconform.reports.run_result import RunFacts

NOTHING_COVERED = ROWS["nothing-covered"].text


def find_gaps(run: RunFacts) -> list[str]:
    """Return the gaps of a run as texts; empty for a complete run."""
    missing = count_lost_items(run)
    stopped = run.cut_short or run.interrupted
    gaps = (
        (run.device_lost, f"the device was lost: {run.device_lost}"),
        (run.cut_short, "it did not finish"),
        (not run.driver_started, "the driver did not start"),
        (run.interrupted, f"it was stopped after {run.items} of {_count_text(max(run.planned, run.items), 'item')}"),
        (
            missing and not stopped and not run.device_lost,
            f"{missing} of {_count_text(run.planned, 'item')} did not finish",
        ),
        (run.failed, f"{_count_text(run.failed, 'item')} failed by an internal error"),
        (run.killed, f"{_count_text(run.killed, 'item')} lost the driver's process to SIGKILL, for an unknown reason"),
        (run.unconfirmed, f"{_count_text(run.unconfirmed, 'deviation')} could not be confirmed"),
        (run.internal_error and not run.failed, "an internal error occurred"),
        (run.items and not run.planned, "the number of selected items is unknown"),
        (run.contradictions, f"the journal contradicts itself: {run.contradictions[0] if run.contradictions else ''}"),
        (run.failing_contexts, run.failing_contexts),
        (run.lacking_resources, run.lacking_resources),
        (
            run.unreadable_versions,
            f"{' and '.join(run.unreadable_versions)} cannot be read, so it is unknown which requirements apply",
        ),
    )
    found = [words for holds, words in gaps if holds]
    is_empty = run.covered == 0 and run.planned and not run.shard
    return found or ([NOTHING_COVERED] if is_empty else [])


def is_complete(run: RunFacts) -> bool:
    """Return whether a run has no gaps and its budget excluded no items."""
    return not find_gaps(run) and run.items >= run.planned


def count_lost_items(run: RunFacts) -> int:
    """Return the number of selected items that did not end, although they were started or should have been."""
    if run.budget_spent and not run.not_started:  # older journals do not state how many items the budget excluded
        return len(run.unfinished)
    return max(len(run.unfinished), run.planned - run.items - run.not_started)


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
