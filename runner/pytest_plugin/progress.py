"""What a run shows while it goes on, instead of pytest's dots: one live line on a terminal, plain lines in a log.

On a terminal the line is drawn anew, and gives way to whatever else is printed. Everywhere else there is a complete
line for each twentieth of the items, though none sooner than ``LEAST_SECONDS`` after the one before; or when
``SECONDS`` have passed, so that a log of CI shows that the run goes on.
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
"""How many lines the items of a run have, where there is no terminal."""
SECONDS, LEAST_SECONDS = 30.0, 5.0
"""After how many seconds there is such a line in any case, and before how many there is none."""
REDRAWN = 4
"""How many times in a second the live line is drawn."""
BAR = 20
"""How many columns the bar has."""


class Progress:
    """A plugin of pytest that shows how far the run is.

    ``live``: where the live line is drawn; None: nowhere, and plain lines are written with pytest's own writer.
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
        """Let pytest-xdist say nothing of its own while it starts, and everything else be printed beside the line."""
        distributed = getattr(self._config.pluginmanager.get_plugin("dsession"), "trdist", None)
        if distributed is not None:
            distributed.setstatus = distributed.ensure_show_status = lambda *_values, **_named: None
        if self._live is not None:
            self._live.give_way_to(self._config.get_terminal_writer())

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Any, Any]:
        """Let each report count for pytest's summary without a letter of its own."""
        status = yield
        return (status[0], "", "")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note how many items there are."""
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Note how many items a worker of pytest-xdist has found, which are the same for all."""
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
        """Count an item that has ended."""
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
        """Say how many items have ended, in which time; nothing else is shown of items after that."""
        if not self._over and self.tally.total:
            self._over = True
            self.stop()
            self._write(self.tally.at_the_end(self._clock()))

    # confirming and minimising

    def confirmed(self, said: str, done: int, total: int) -> None:
        """Show that one more deviation was repeated; ``said``: in a line."""
        self._confirming = done, total
        if self._live is not None:
            self._live.show()
        else:
            self._write_line(said)

    def stop(self) -> None:
        """Take the live line off the terminal."""
        if self._live is not None:
            self._live.hide()

    # what is shown

    def _write(self, words: str) -> None:
        self._write_line(f"clconform: {words}")

    def _write_line(self, line: str) -> None:
        writer = self._config.get_terminal_writer()
        end_line(writer)
        writer.line(line)
        writer.flush()

    def _drawn(self) -> RenderableType:
        """Return the live line of this moment."""
        done, total = self._confirming
        words = f"confirming {done} of {total} deviations" if total else self.tally.so_far(self._clock())
        bar = ProgressBar(total or self.tally.total or None, done if total else self.tally.done, width=BAR)
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_row(bar, Text(words))
        return line


class _LiveLine:
    """A line on a terminal that is drawn again and again, and that disappears while anything else is printed."""

    def __init__(self, console: Console, drawn: Callable[[], RenderableType]) -> None:
        self._console, self._drawn = console, drawn
        self._live: Live | None = None

    def show(self) -> None:
        """Draw the line from now on."""
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
        """Remove the line whenever something is written with pytest's writer."""
        write = writer.write

        def beside(*words: Any, **markup: Any) -> None:
            self.hide()
            write(*words, **markup)

        writer.write = beside


class _Quiet(io.RawIOBase):
    """A terminal that may go away: what it does not take any more is dropped."""

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
    """Begin a new line with pytest's writer, unless it is at the beginning of one."""
    if writer.width_of_current_line:
        writer.line()


def begin_progress(config: pytest.Config) -> Progress | None:
    """Show the progress of a run, unless pytest was asked to say more than it says in quiet mode."""
    if config.option.verbose >= 0 or config.pluginmanager.get_plugin("terminalreporter") is None:
        return None
    progress = Progress(config, terminal_of(sys.stdout))
    config.pluginmanager.register(progress, NAME)
    config.add_cleanup(progress.stop)
    progress.begin()
    return progress


def terminal_of(stream: Any) -> Console | None:
    """Return a console on the terminal behind a stream; None where there is none, or none that can redraw a line.

    It has a descriptor of its own, since pytest puts a file in the place of the other one while an item runs.
    """
    try:
        if not stream.isatty():
            return None
        own = io.TextIOWrapper(
            io.BufferedWriter(_Quiet(os.dup(stream.fileno()))), stream.encoding, errors="backslashreplace"
        )
    except (AttributeError, OSError, ValueError):  # no file behind it, or closed
        return None
    console = Console(file=own)
    return console if console.is_terminal and not console.is_dumb_terminal else None
