"""The plan of a run, which the controlling process makes before collection and passes to pytest-xdist workers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from clconform.reports import JournalError
from clconform.reports.packing import unpack
from clconform.runner.gate import exit_codes
from clconform.runner.journal.last_run import LastRun, last_run
from clconform.runner.journal.resuming import Earlier, earlier_run
from clconform.runner.journal.writer import JOURNAL
from clconform.runner.pytest_plugin.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness import StartError


START_KEY: pytest.StashKey[StartError] = pytest.StashKey()
"""The error of starting the driver in the command before pytest, if the start failed."""


class Plan(NamedTuple):
    """The plan of a run. ``finished``: ids of items that are not run again; ``only``: ids to choose from, None for all.

    Only in the controlling process: ``earlier``: the resumed run; ``last``: the run to compare with.
    """

    budget: Budget | None = None
    finished: frozenset[str] = frozenset()
    earlier: Earlier | None = None
    only: frozenset[str] | None = None
    last: LastRun | None = None

    def handed_on(self) -> dict[str, Any]:
        """Return the parts that a worker needs, in serialisable types."""
        return {
            "budget": tuple(self.budget) if self.budget else None,
            "finished": sorted(self.finished),
            "only": None if self.only is None else sorted(self.only),
        }


def plan_of(options: Any) -> Plan:
    """Return the plan of a run by pytest's options; end the run if there is nothing to resume."""
    budget = Budget.from_now(options.cl_budget) if options.cl_budget else None
    if options.cl_last:
        return _plan_of_failed(options, budget)
    if not options.cl_resume:
        return Plan(budget)
    if not options.cl_out:
        pytest.exit("clconform: --cl-resume needs --cl-out, the folder of the run", returncode=exit_codes.BAD_USAGE)
    try:
        earlier = earlier_run(Path(options.cl_out) / JOURNAL)
        unpack(earlier.path)
    except JournalError as error:
        pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
    except OSError as error:
        message = f"clconform: cannot unpack the journal in {options.cl_out} ({error.strerror})"
        pytest.exit(message, returncode=exit_codes.NO_RESOURCES)
    return Plan(budget, earlier.finished, earlier)


def _plan_of_failed(options: Any, budget: Budget | None) -> Plan:
    """Return the plan of a run that compares with an earlier one: its failed items, unless requirements are selected.

    Items with only known deviations are left out if the run has a file of known deviations again.
    """
    try:
        last = last_run(Path(options.cl_last))
    except JournalError as error:
        pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
    failed = frozenset(last.wrong if options.cl_known else (*last.wrong, *last.known))
    return Plan(budget, only=None if options.cl_record else failed, last=last)


def plan_in_worker(given: Mapping[str, Any]) -> Plan:
    """Return the plan that the controlling process has passed to this worker."""
    budget = Budget(*given["budget"]) if given["budget"] else None
    only = None if given["only"] is None else frozenset(given["only"])
    return Plan(budget, frozenset(given["finished"]), only=only)
