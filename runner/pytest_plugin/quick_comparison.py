"""Compares each item of a quick run with the last run, and reports immediately whether it is fixed or still fails."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    import pytest

    from clconform.runner.journal.last_run import LastRun

FIXED, STILL_FAILING, NEWLY_FAILING, NOT_RUN = "fixed", "still failing", "newly failing", "not run"
"""The labels of items in the output; an item that still conforms is not shown."""
MAX_KEY_CHARACTERS = 160
"""Maximum number of characters of a deviation's key that are shown."""


class QuickComparison:
    """A pytest plugin of the controlling process that compares each item with the last run."""

    def __init__(self, config: pytest.Config, last: LastRun | None) -> None:
        self._config = config
        self._before = {**last.failed, **last.known} if last else {}
        self._compares = last is not None
        self.label_counts: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the change of an item as soon as its calls are judged."""
        item = getattr(report, "clconform_item", "")
        if item and (report.when == "call" or report.outcome != "passed"):
            self._print_change(item, report)

    def _print_change(self, item: str, report: Any) -> None:
        kind = getattr(report, "clconform", "")
        wrong_before = item in self._before
        why = ""
        if kind in ("deviation", "expected"):
            what = STILL_FAILING if wrong_before else NEWLY_FAILING
            why = _first_key(report.clconform_keys)
        elif report.outcome == "passed":
            what = FIXED if wrong_before else ""
        else:
            what = NOT_RUN if wrong_before or report.outcome == "failed" else ""
            why = _failure_reason(report.longrepr)
        if what:
            self.label_counts[what] += 1
            line = f"  {what:<13} {escape_unprintable(item, limit=200)}" + (
                f": {escape_unprintable(why, limit=MAX_KEY_CHARACTERS)}" if why else ""
            )
            reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
            reporter.write_line(line)

    def summary_line(self) -> str:
        """Return a line with the number of items for each label, such as fixed or still failing."""
        told = ", ".join(
            f"{self.label_counts[what]} {what}"
            for what in (FIXED, STILL_FAILING, NEWLY_FAILING, NOT_RUN)
            if self.label_counts[what]
        )
        return f"{told or 'no failures'}{'' if self._compares else ' (there is no last run to compare with)'}"


def _failure_reason(told: object) -> str:
    """Return why an item was skipped or could not be run, from its report.

    A traceback counts as an internal error.
    """
    if isinstance(told, tuple):
        return str(told[2])
    return told if isinstance(told, str) else "internal error"


def _first_key(keys: list[str]) -> str:
    first, *others = keys or [""]
    return first + (f" (and {len(others)} more)" if others else "")
