"""The plan of a run.

The controlling process creates it before collection and passes it to pytest-xdist workers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from clconform.calls import exit_codes
from clconform.reports import JournalError
from clconform.reports.compression import restore_plain
from clconform.runner.journal.last_run import LastRun, read_last_run
from clconform.runner.journal.resuming import EarlierRun, read_earlier_run
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.runner.pytest_plugin.time_budget import RunBudget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness import StartError


START_ERROR_KEY: pytest.StashKey[StartError] = pytest.StashKey()
"""The error if the command could not start the driver before pytest."""


class RunPlan(NamedTuple):
    """The plan of a run.

    ``finished``: ids of items that are not run again. ``selected``: ids of the items that may run, None for all.
    ``earlier``: the run to resume. ``last_run``: the run to compare with. Only the controlling process knows
    ``earlier`` and ``last_run``.
    """

    budget: RunBudget | None = None
    finished: frozenset[str] = frozenset()
    earlier: EarlierRun | None = None
    selected: frozenset[str] | None = None
    last_run: LastRun | None = None

    def to_worker_input(self) -> dict[str, Any]:
        """Return the fields that a worker needs, in serialisable types."""
        return {
            "budget": tuple(self.budget) if self.budget else None,
            "finished": sorted(self.finished),
            "only": None if self.selected is None else sorted(self.selected),
        }


def create_plan(options: Any) -> RunPlan:
    """Return the plan of a run by pytest's options; end pytest if there is no run to resume or to compare with."""
    budget = RunBudget.from_now(options.cl_budget) if options.cl_budget else None
    if options.cl_last:
        return _create_comparison_plan(options, budget)
    if not options.cl_resume:
        return RunPlan(budget)
    if not options.cl_out:
        pytest.exit("clconform: --cl-resume needs --cl-out, the folder of the run", returncode=exit_codes.BAD_USAGE)
    try:
        earlier = read_earlier_run(Path(options.cl_out) / JOURNAL_FILE)
        restore_plain(earlier.path)
    except JournalError as error:
        pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
    except OSError as error:
        message = f"clconform: cannot unpack the journal in {options.cl_out} ({error.strerror})"
        pytest.exit(message, returncode=exit_codes.NO_RESOURCES)
    return RunPlan(budget, earlier.finished, earlier)


def _create_comparison_plan(options: Any, budget: RunBudget | None) -> RunPlan:
    """Return the plan of a run that compares with an earlier run and repeats its failed items.

    If requirements are selected, items do not depend on the earlier run. Items with only known deviations are omitted
    if this run also has a file of known deviations.
    """
    try:
        last = read_last_run(Path(options.cl_last))
    except JournalError as error:
        pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
    failed = frozenset(last.failed if options.cl_known else (*last.failed, *last.known))
    return RunPlan(budget, selected=None if options.cl_requirement else failed, last_run=last)


def read_worker_plan(given: Mapping[str, Any]) -> RunPlan:
    """Return the plan that the controlling process has passed to this worker."""
    budget = RunBudget(*given["budget"]) if given["budget"] else None
    only = None if given["only"] is None else frozenset(given["only"])
    return RunPlan(budget, frozenset(given["finished"]), selected=only)
