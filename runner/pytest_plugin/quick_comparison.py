"""Compares each item of a quick run with the last run, and reports immediately whether it is fixed or still fails."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clconform.reports.deviation_values import find_new_values, list_values
from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from clconform.runner.journal.last_run import LastRun

FIXED, STILL_FAILING, ALSO_FAILING, NEWLY_FAILING, NOT_RUN = LABELS = (
    "fixed",
    "still failing",
    "also failing",
    "newly failing",
    "not run",
)
"""The labels of items in the output; an item that still conforms is not shown.

An item is *also failing* if it failed in the last run, and now has a deviation or a test value of a deviation that the
last run does not have."""
MAX_KEY_CHARACTERS = 240
"""Maximum number of characters of a deviation's key and test values that are shown."""


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
            added = _added_deviations(report.clconform_deviations, self._before.get(item, {}))
            what = NEWLY_FAILING if not wrong_before else ALSO_FAILING if added else STILL_FAILING
            why = _deviations_text(added or report.clconform_deviations)
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
        told = ", ".join(f"{self.label_counts[what]} {what}" for what in LABELS if self.label_counts[what])
        return f"{told or 'no failures'}{'' if self._compares else ' (there is no last run to compare with)'}"


def _failure_reason(told: object) -> str:
    """Return why an item was skipped or could not be run, from its report.

    A traceback counts as an internal error.
    """
    if isinstance(told, tuple):
        return str(told[2])
    return told if isinstance(told, str) else "internal error"


def _added_deviations(
    now: Mapping[str, Sequence[str]], before: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Return the deviations, and the test values of deviations, that an item has only now.

    Both arguments map keys to test values. An item that did not end in the last run has an empty mapping ``before``,
    and a deviation without test values there has unknown ones: neither is compared.
    """
    if not before:
        return {}
    new_values = {key: find_new_values(values, before[key]) for key, values in now.items() if key in before}
    return {key: values for key, values in now.items() if key not in before} | {
        key: values for key, values in new_values.items() if values
    }


def _deviations_text(deviations: Mapping[str, Sequence[str]]) -> str:
    """Return the first of some deviations with its first test values, and the number of the others."""
    first, *others = [*deviations] or [""]
    values = deviations.get(first, ())
    return first + (f" at {list_values(values)}" if values else "") + (f" (and {len(others)} more)" if others else "")
