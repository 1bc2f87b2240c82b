"""Shows the progress of a run instead of pytest's dots: one live line on a terminal, plain lines in a log.

On a terminal the line is redrawn regularly, and hidden while other output is printed. Elsewhere a complete line is
printed after each twentieth of the items, but at most every ``MIN_INTERVAL_SECONDS``. A line is also printed after
``MAX_INTERVAL_SECONDS`` without one, so that the log of a CI job shows that the run continues.
"""

from __future__ import annotations

import io
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from clconform.reports.escaping import escape_unprintable
from clconform.runner.output_descriptor import OutputDescriptor
from clconform.runner.pytest_plugin.counters import RunCounters

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from rich.console import RenderableType

PROGRESS_PLUGIN = "clconform-progress"
PLAIN_LINES = 20
"""Number of progress lines for the items of a run without a terminal."""
MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS = 30.0, 5.0
"""Maximum and minimum seconds between two progress lines without a terminal."""
REDRAWS_PER_SECOND = 4
"""Number of times per second that the live line is redrawn."""
MAX_NAMED, MAX_KEY = 10, 200
"""Maximum number of deviations that are named while items run, and of characters of each."""
BAR_COLUMNS = 20
"""Width of the progress bar in columns."""


class ProgressPlugin:
    """A pytest plugin that shows the progress of the run.

    ``live``: the console for the live line; None to write plain lines with pytest's own writer.
    """

    def __init__(
        self, config: pytest.Config, live: Console | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._config, self._clock = config, clock
        self._live = _LiveLine(live, self._render_line) if live is not None else None
        self.counters = RunCounters(clock())
        self._written_at, self._written_steps = self.counters.began, 0
        self._confirming = (0, 0)
        self._is_over = False
        self._named = 0

    # progress of the items

    def prepare_terminal(self) -> None:
        """Suppress the status messages with which pytest-xdist starts, and hide the live line during other output."""
        distributed = getattr(self._config.pluginmanager.get_plugin("dsession"), "trdist", None)
        if distributed is not None:
            distributed.setstatus = distributed.ensure_show_status = lambda *_values, **_named: None
        if self._live is not None:
            self._live.hide_during_writes(self._config.get_terminal_writer())

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Any, Any]:
        """Count each report for pytest's summary, but print no letter for it."""
        status = yield
        return (status[0], "", "")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Set the total of the progress to the number of collected items."""
        self._set_total(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Set the total of the progress to the number of items of one worker.

        All workers collect the same items.
        """
        self._set_total(len(ids))

    def _set_total(self, items: int) -> None:
        if items and not self.counters.total:
            self.counters.total, self.counters.began = items, self._clock()
            self._written_at = self.counters.began
            self._show_progress()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the deviations of an item, which its report lists, and print the first ones of the run."""
        keys: Iterable[str] = getattr(report, "clconform_deviations", ())
        if not keys:
            return
        added = self.counters.count_deviations(keys, known=getattr(report, "clconform", "") == "expected")
        for key in added[: MAX_NAMED - self._named]:
            self._named += 1
            self._write_message(f"deviation: {escape_unprintable(key, limit=MAX_KEY)}")
            if self._named == MAX_NAMED:
                self._write_message("further deviations are only counted until the end")

    def pytest_runtest_logfinish(self) -> None:
        """Count a finished item, and show the progress."""
        self.counters.done += 1
        self._show_progress()

    def _show_progress(self) -> None:
        if self._live is not None:
            self._live.show()
            return
        now, steps = self._clock(), int(self.counters.finished_share * PLAIN_LINES)
        needed = MIN_INTERVAL_SECONDS if steps > self._written_steps else MAX_INTERVAL_SECONDS
        if self.counters.done < self.counters.total and now - self._written_at >= needed:
            self._written_at, self._written_steps = now, steps
            self._write_message(self.counters.progress_text(now))

    def finish_items(self) -> None:
        """Print the number and duration of the finished items, and stop showing items."""
        if not self._is_over and self.counters.total:
            self._is_over = True
            self.hide_line()
            self._write_message(self.counters.final_text(self._clock()))

    # progress of confirming and minimising

    def show_confirmation(self, line: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` deviations are confirmed; ``line``: the description of the last of them."""
        self._confirming = done, total
        if self._live is not None:
            self._live.show()
        else:
            self._write_line(line)

    def hide_line(self) -> None:
        """Remove the live line from the terminal."""
        if self._live is not None:
            self._live.hide()

    # output

    def _write_message(self, words: str) -> None:
        self._write_line(f"clconform: {words}")

    def _write_line(self, line: str) -> None:
        writer = self._config.get_terminal_writer()
        end_line(writer)
        writer.line(line)
        writer.flush()

    def _render_line(self) -> RenderableType:
        """Return the current live line."""
        done, total = self._confirming
        words = f"confirming {done} of {total} deviations" if total else self.counters.progress_text(self._clock())
        bar = ProgressBar(
            total or self.counters.total or None, done if total else self.counters.done, width=BAR_COLUMNS
        )
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_row(bar, Text(words))
        return line


class _LiveLine:
    """A line on a terminal that is redrawn regularly, and hidden while other output is printed."""

    def __init__(self, console: Console, drawn: Callable[[], RenderableType]) -> None:
        self._console, self._render = console, drawn
        self._live: Live | None = None

    def show(self) -> None:
        """Show the line on the terminal, and redraw it regularly."""
        if self._live is None:
            self._live = Live(
                console=self._console,
                get_renderable=self._render,
                refresh_per_second=REDRAWS_PER_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def hide(self) -> None:
        """Remove the line from the terminal."""
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def hide_during_writes(self, writer: Any) -> None:
        """Hide the line whenever pytest's writer prints."""
        write = writer.write

        def write_without_line(*words: Any, **markup: Any) -> None:
            self.hide()
            write(*words, **markup)

        writer.write = write_without_line


class _TolerantTerminal(OutputDescriptor):
    """A terminal that may be closed during the run.

    Output after that is dropped.
    """

    def close(self) -> None:
        if not self.closed:
            os.close(self.fileno())
        super().close()


def end_line(writer: Any) -> None:
    """End the current line of pytest's writer unless it is empty."""
    if writer.width_of_current_line:
        writer.line()


def start_progress(config: pytest.Config) -> ProgressPlugin | None:
    """Start and return the progress display if pytest is in quiet mode; else return None."""
    if config.option.verbose >= 0 or config.pluginmanager.get_plugin("terminalreporter") is None:
        return None
    progress = ProgressPlugin(config, open_terminal(sys.stdout))
    config.pluginmanager.register(progress, PROGRESS_PLUGIN)
    config.add_cleanup(progress.hide_line)
    progress.prepare_terminal()
    return progress


def open_terminal(stream: Any) -> Console | None:
    """Return a console on the terminal of a stream; None if the stream is not a terminal that can redraw a line.

    The console has its own file descriptor, because pytest redirects that of the stream while an item runs.
    """
    try:
        if not stream.isatty():
            return None
        own = io.TextIOWrapper(
            io.BufferedWriter(_TolerantTerminal(os.dup(stream.fileno()))), stream.encoding, errors="backslashreplace"
        )
    except (AttributeError, OSError, ValueError):  # the stream is not a file, or is closed
        return None
    console = Console(file=own)
    return console if console.is_terminal and not console.is_dumb_terminal else None
