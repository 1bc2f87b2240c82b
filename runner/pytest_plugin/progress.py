"""Shows the progress of a run instead of pytest's dots: one live line on a terminal, plain lines in a log.

On a terminal the line is redrawn, and hidden while other output is printed. Elsewhere a complete line is printed for
each twentieth of the items, at intervals of at least ``LEAST_SECONDS``, and in any case after ``SECONDS``, so that the
log of a CI job shows that the run continues.
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

from clconform.runner.pytest_plugin.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from rich.console import RenderableType

NAME = "clconform-progress"
STEPS = 20
"""Number of progress lines for the items of a run without a terminal."""
SECONDS, LEAST_SECONDS = 30.0, 5.0
"""Maximum and minimum seconds between two such lines."""
REDRAWN = 4
"""Redraws of the live line per second."""
BAR = 20
"""Width of the bar in columns."""


class Progress:
    """A pytest plugin that shows the progress of the run.

    ``live``: the console for the live line; None to write plain lines with pytest's own writer.
    """

    def __init__(
        self, config: pytest.Config, live: Console | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._config, self._clock = config, clock
        self._live = _LiveLine(live, self._drawn) if live is not None else None
        self.tally = Tally(clock())
        self._told_at, self._told_steps = self.tally.began, 0
        self._confirming = (0, 0)
        self._over = False

    # the items

    def begin(self) -> None:
        """Suppress the status messages of pytest-xdist at its start, and hide the live line during other output."""
        distributed = getattr(self._config.pluginmanager.get_plugin("dsession"), "trdist", None)
        if distributed is not None:
            distributed.setstatus = distributed.ensure_show_status = lambda *_values, **_named: None
        if self._live is not None:
            self._live.give_way_to(self._config.get_terminal_writer())

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Any, Any]:
        """Count each report for pytest's summary, but print no letter for it."""
        status = yield
        return (status[0], "", "")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Set the number of items."""
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Set the number of items that a worker of pytest-xdist has collected, which is the same for all workers."""
        self._begin(len(ids))

    def _begin(self, items: int) -> None:
        if items and not self.tally.total:
            self.tally.total, self.tally.began = items, self._clock()
            self._told_at = self.tally.began
            self._show()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the deviations of an item."""
        keys: Iterable[str] = getattr(report, "clconform_keys", ())
        if keys:
            self.tally.met(keys, known=getattr(report, "clconform", "") == "expected")

    def pytest_runtest_logfinish(self) -> None:
        """Count a finished item."""
        self.tally.done += 1
        self._show()

    def _show(self) -> None:
        if self._live is not None:
            self._live.show()
            return
        now, steps = self._clock(), int(self.tally.part * STEPS)
        needed = LEAST_SECONDS if steps > self._told_steps else SECONDS
        if self.tally.done < self.tally.total and now - self._told_at >= needed:
            self._told_at, self._told_steps = now, steps
            self._write(self.tally.so_far(now))

    def end_items(self) -> None:
        """Print the number of finished items and their time; items are not shown after that."""
        if not self._over and self.tally.total:
            self._over = True
            self.stop()
            self._write(self.tally.at_the_end(self._clock()))

    # confirming and minimising

    def confirmed(self, said: str, done: int, total: int) -> None:
        """Show that one more deviation was confirmed; ``said``: a line of text about it."""
        self._confirming = done, total
        if self._live is not None:
            self._live.show()
        else:
            self._write_line(said)

    def stop(self) -> None:
        """Remove the live line from the terminal."""
        if self._live is not None:
            self._live.hide()

    # output

    def _write(self, words: str) -> None:
        self._write_line(f"clconform: {words}")

    def _write_line(self, line: str) -> None:
        writer = self._config.get_terminal_writer()
        end_line(writer)
        writer.line(line)
        writer.flush()

    def _drawn(self) -> RenderableType:
        """Return the current live line."""
        done, total = self._confirming
        words = f"confirming {done} of {total} deviations" if total else self.tally.so_far(self._clock())
        bar = ProgressBar(total or self.tally.total or None, done if total else self.tally.done, width=BAR)
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_row(bar, Text(words))
        return line


class _LiveLine:
    """A line on a terminal that is redrawn regularly, and hidden while other output is printed."""

    def __init__(self, console: Console, drawn: Callable[[], RenderableType]) -> None:
        self._console, self._drawn = console, drawn
        self._live: Live | None = None

    def show(self) -> None:
        """Start to draw the line."""
        if self._live is None:
            self._live = Live(
                console=self._console,
                get_renderable=self._drawn,
                refresh_per_second=REDRAWN,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def hide(self) -> None:
        """Remove the line."""
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def give_way_to(self, writer: Any) -> None:
        """Hide the line whenever pytest's writer prints."""
        write = writer.write

        def beside(*words: Any, **markup: Any) -> None:
            self.hide()
            write(*words, **markup)

        writer.write = beside


class _Quiet(io.RawIOBase):
    """A terminal that may disappear: output that it no longer accepts is dropped."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, content: Any, /) -> int:
        try:
            return os.write(self._descriptor, content)
        except OSError:
            return len(content)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def end_line(writer: Any) -> None:
    """End the current line of pytest's writer unless it is empty."""
    if writer.width_of_current_line:
        writer.line()


def begin_progress(config: pytest.Config) -> Progress | None:
    """Start and return the progress display, or None unless pytest is in quiet mode."""
    if config.option.verbose >= 0 or config.pluginmanager.get_plugin("terminalreporter") is None:
        return None
    progress = Progress(config, terminal_of(sys.stdout))
    config.pluginmanager.register(progress, NAME)
    config.add_cleanup(progress.stop)
    progress.begin()
    return progress


def terminal_of(stream: Any) -> Console | None:
    """Return a console on the terminal of a stream; None if it is not a terminal, or cannot redraw a line.

    The console has a separate descriptor, because pytest redirects the other one while an item runs.
    """
    try:
        if not stream.isatty():
            return None
        own = io.TextIOWrapper(
            io.BufferedWriter(_Quiet(os.dup(stream.fileno()))), stream.encoding, errors="backslashreplace"
        )
    except (AttributeError, OSError, ValueError):  # the stream is not a file, or is closed
        return None
    console = Console(file=own)
    return console if console.is_terminal and not console.is_dumb_terminal else None
