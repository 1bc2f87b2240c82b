"""The progress of a run: plain lines in a log, one redrawn line on a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._io import TerminalWriter

from clconform.runner.pytest_plugin.counters import RunCounters
from clconform.runner.pytest_plugin.progress import (
    MAX_INTERVAL_SECONDS,
    MAX_NAMED,
    MIN_INTERVAL_SECONDS,
    ProgressPlugin,
    open_terminal,
)

from ... import forked_runs  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

RUN_COMMAND = (
    *("run", "--simulated", "flat-4", "--fault", "partition-count-off-by-one", "--tier", "tables", "--seed", "7"),
    *("--minimise-seconds", "0", "--requirement", "CL_DEVICE_PARTITION_EQUALLY", "partition.create_sub_devices"),
)
CONTROL_SEQUENCE = re.compile(r"\x1b\[\?25[lh]|\x1b\[[0-9;]*m")


def test_progress_text_contains_share_and_rate_and_time_left_and_deviations() -> None:
    tally = RunCounters(began=100.0)
    tally.total, tally.done = 4668, 4
    assert tally.progress_text(104.0) == "0% · 4 of 4,668 items · 0 deviations so far", "too early for a rate"
    tally.done = 12
    assert tally.progress_text(130.0) == "0% · 12 of 4,668 items · 0.4/s · 0 deviations so far", (
        "too early for the time left"
    )
    tally = RunCounters(began=100.0)
    tally.total = 4668
    tally.done = 1167
    tally.count_deviations(["a", "b"], known=False)
    tally.count_deviations(["b", "c"], known=True)
    assert (
        tally.progress_text(130.0) == "25% · 1,167 of 4,668 items · 39/s · 1:30 left · 2 deviations, and 1 known so far"
    )
    assert tally.final_text(130.0) == "1,167 of 4,668 items in 0:30 · 2 deviations, and 1 known"
    tally.done = 4668
    assert tally.final_text(3800.0) == "4,668 items in 1:01:40 · 2 deviations, and 1 known"


def test_progress_rate_is_computed_from_the_later_half_of_the_run() -> None:
    tally = RunCounters(began=0.0)
    tally.total, tally.done = 1000, 900
    assert "90/s · 0:01 left" in tally.progress_text(10.0)
    for second in range(11, 71):
        tally.done += 1
        told = tally.progress_text(float(second))
    assert told == "96% · 960 of 1,000 items · 1.0/s · 0:40 left · 0 deviations so far"
    assert "0.4/s · 1:42 left" in tally.progress_text(101.0), "20 items in the last 51 s"
    assert "4.8/s · 0:08 left" in tally.progress_text(200.0), "no item has ended since 70 s"


def test_progress_with_unknown_total_shows_only_finished_items() -> None:
    tally = RunCounters(began=0.0)
    tally.done = 1
    assert tally.progress_text(1.0) == "1 item · 0 deviations so far"
    tally.count_deviations(["a"], known=False)
    tally.done = 6
    assert tally.progress_text(4.0) == "6 items · 1.5/s · 1 deviation so far"


NAMED = "clconform: deviation: "


class ProgressLog:
    """A progress display that writes to a string, with a clock that the test controls."""

    def __init__(self, items: int) -> None:
        self.now = 0.0
        self.file = io.StringIO()
        writer = TerminalWriter(self.file)
        config: Any = SimpleNamespace(get_terminal_writer=lambda: writer)
        self.writer = writer
        self.progress = ProgressPlugin(config, None, clock=lambda: self.now)
        self.progress.pytest_xdist_node_collection_finished(["item"] * items)

    def end_item(self, seconds: float, *keys: str) -> None:
        """Finish an item after ``seconds``, with deviations that have the keys ``keys``."""
        self.now += seconds
        self.progress.pytest_runtest_logreport(SimpleNamespace(clconform="deviation", clconform_deviations=keys))  # type: ignore[arg-type]
        self.progress.pytest_runtest_logfinish()

    @property
    def lines(self) -> list[str]:
        """Return the written lines about the progress."""
        return [line for line in self.file.getvalue().splitlines() if not line.startswith(NAMED)]

    @property
    def named(self) -> list[str]:
        """Return the deviations that were named."""
        return [line.removeprefix(NAMED) for line in self.file.getvalue().splitlines() if line.startswith(NAMED)]


def test_progress_log_has_a_line_for_each_twentieth_of_the_items() -> None:
    log = ProgressLog(items=100)
    for _ in range(100):
        log.end_item(1.0)
    log.progress.finish_items()
    log.progress.finish_items()
    assert [line.split(" · ")[1] for line in log.lines[:-1]] == [f"{done} of 100 items" for done in range(5, 100, 5)]
    assert log.lines[-1] == "clconform: 100 items in 1:40 · 0 deviations"
    quick = ProgressLog(items=100)
    for _ in range(100):
        quick.end_item(0.1)
    assert len(quick.lines) == 100 * 0.1 // MIN_INTERVAL_SECONDS - 1


def test_first_deviations_are_named_once_each() -> None:
    log = ProgressLog(items=1000)
    log.end_item(0.01, "f | a | x", "f | b | x")
    log.end_item(0.01, "f | b | x", "g\x1b | c | x")
    assert log.named == ["f | a | x", "f | b | x", "g\\x1b | c | x"]
    for number in range(2 * MAX_NAMED):
        log.end_item(0.01, f"h | {number} | x")
    assert len(log.named) == MAX_NAMED
    assert [line for line in log.lines if "only counted" in line] == [
        "clconform: further deviations are only counted until the end"
    ]


def test_progress_log_has_a_line_after_the_maximum_interval() -> None:
    log = ProgressLog(items=1000)
    for _ in range(4):
        log.end_item(MAX_INTERVAL_SECONDS / 2, "key")
    assert [line.split(" · ")[1] for line in log.lines] == ["2 of 1,000 items", "4 of 1,000 items"]
    assert all(line.endswith(" · 1 deviation so far") for line in log.lines)


def test_message_during_progress_starts_a_new_line() -> None:
    log = ProgressLog(items=10)
    log.writer.write("half a line")
    log.progress.show_confirmation("  a deviation: deviates, 3 calls", 1, 2)
    assert log.lines == ["half a line", "  a deviation: deviates, 3 calls"]


def test_live_progress_line_requires_a_terminal() -> None:
    assert open_terminal(io.StringIO()) is None
    assert open_terminal(None) is None
    with open(os.devnull, encoding="utf-8") as null:  # noqa: PTH123
        assert open_terminal(null) is None


@pytest.mark.parametrize("workers", ["0", "2"])
def test_progress_log_of_run_has_complete_lines(tmp_path: Path, workers: str) -> None:
    told = forked_runs.run(tmp_path, *RUN_COMMAND, "-n", workers).stdout
    assert "\r" not in told
    lines = [line for line in told.split("── clconform ──")[0].splitlines()[:-1] if line.strip()]
    assert all(line.startswith(("clconform: ", "  clCreateSubDevices | ")) for line in lines), lines
    count = next(int(found[1]) for line in lines if (found := re.fullmatch(r"clconform: (\d+) items in .*", line)))
    assert f"clconform: {count} items in" in told
    assert sum(line.startswith("clconform: confirming and minimising ") for line in lines) == 1
    assert re.search(r"^[^\n]*\b\d+ failed\b.* in [\d.]+s", told.splitlines()[-1])


def run_on_terminal(command: list[str], folder: Path) -> str:
    """Return the output of a command on a terminal."""
    controller, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(command, cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    written = b""
    while True:
        try:
            more = os.read(controller, 1 << 16)
        except OSError:  # the process has closed the terminal
            break
        if not more:
            break
        written += more
    os.close(controller)
    process.wait(60)
    return written.decode()


def screen_lines(text: str) -> list[str]:
    """Return the lines on the screen of a terminal after it received the text with its control sequences."""
    lines, row = [""], 0
    for part in re.split(r"(\r\n|\n|\r|\x1b\[2K|\x1b\[\d*A)", CONTROL_SEQUENCE.sub("", text)):
        if part in ("\r\n", "\n"):
            row += 1
            lines += [""] if row == len(lines) else []
        elif part == "\x1b[2K":
            lines[row] = ""
        elif part.startswith("\x1b["):
            row -= int(part[2:-1] or 1)
        elif part != "\r":
            lines[row] += part
    return lines


def test_live_progress_line_is_removed_after_the_run(tmp_path: Path) -> None:
    written = run_on_terminal([sys.executable, "-m", "clconform.tools", *RUN_COMMAND], tmp_path)
    drawn = re.findall(r"━[^\n]*?\d+% · [\d,]+ of [\d,]+ items", CONTROL_SEQUENCE.sub("", written))
    assert len(drawn) > 1, "it is drawn more than once"
    every = screen_lines(written)
    shown = [line for line in every if not line.startswith(NAMED)]
    assert len(shown) < len(every), "deviations are named"
    assert shown[0].startswith("clconform: testing ")
    assert re.fullmatch(r"clconform: \d+ items in \d+:\d\d · \d deviations?", shown[1])
    assert re.fullmatch(r"clconform: confirming and minimising \d deviations", shown[2])
    assert not any("━" in line for line in shown)
    assert "\x1b[?25h" in written.rpartition("\x1b[?25l")[2], "the cursor is shown again"
