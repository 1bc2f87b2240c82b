"""``python -m pytest -p tests.durations`` prints the processor time of each test file.

On a busy machine, wall-clock times are unreliable. This plugin counts the time of the test process and of its ended
children, and adds up the processes of pytest-xdist.
"""

from __future__ import annotations

import resource
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

PROPERTY, MAX_FILES = "processor seconds", 40


def _processor_seconds() -> tuple[float, float]:
    """Return the seconds of this process and of its ended children, in user and system mode."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


class DurationPlugin:
    """Adds the seconds of each test phase to its report, and sums them. ``by_file``: own and children's seconds."""

    def __init__(self) -> None:
        self.by_file: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._before = _processor_seconds()

    def pytest_collection_finish(self) -> None:
        """Start to measure processor time, after the tests are collected."""
        self._before = _processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Add the time since the previous phase to the report of a phase."""
        report = yield
        before, self._before = self._before, _processor_seconds()
        spent = [round(after - earlier, 4) for earlier, after in zip(before, self._before, strict=True)]
        report.user_properties.append((PROPERTY, spent))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the time of a phase to the sum of its file."""
        for name, spent in report.user_properties:
            if name == PROPERTY and isinstance(spent, list):
                file = self.by_file[report.nodeid.partition("::")[0]]
                file[:] = [sum(pair) for pair in zip(file, spent, strict=True)]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the files with the longest times."""
        terminalreporter.section("processor seconds: own, children's, file")
        for file, (own, children) in sorted(self.by_file.items(), key=lambda each: -sum(each[1]))[:MAX_FILES]:
            terminalreporter.write_line(f"{own:8.1f} {children:8.1f}  {file}")
        own, children = (sum(times) for times in zip(*self.by_file.values(), strict=True)) if self.by_file else (0, 0)
        terminalreporter.write_line(f"{own:8.1f} {children:8.1f}  all {len(self.by_file)} files")


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin."""
    config.pluginmanager.register(DurationPlugin(), "clconform-durations")
