"""What the controlling process decides before items are collected, and passes on to workers of pytest-xdist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from clconform.reports import JournalError
from clconform.reports.packing import unpack
from clconform.runner.gate import exit_codes
from clconform.runner.journal.resuming import Earlier, earlier_run
from clconform.runner.journal.writer import JOURNAL
from clconform.runner.pytest_plugin.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness import StartError


START_KEY: pytest.StashKey[StartError] = pytest.StashKey()
"""What the command has seen when it started the driver before pytest, if the driver did not start."""


class Plan(NamedTuple):
    """``earlier``: the resumed run, in the controlling process; ``finished``: items that are not run again."""

    budget: Budget | None = None
    finished: frozenset[str] = frozenset()
    earlier: Earlier | None = None

    def handed_on(self) -> dict[str, Any]:
        """Return what a worker needs of it, in serialisable types."""
        return {"budget": tuple(self.budget) if self.budget else None, "finished": sorted(self.finished)}


def plan_of(options: Any) -> Plan:
    """Return the plan of a run from pytest's options; ends the run if there is nothing to resume."""
    budget = Budget.from_now(options.cl_budget) if options.cl_budget else None
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


def plan_in_worker(given: Mapping[str, Any]) -> Plan:
    """Return the plan that the controlling process has passed on."""
    return Plan(Budget(*given["budget"]) if given["budget"] else None, frozenset(given["finished"]))
