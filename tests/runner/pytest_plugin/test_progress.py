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

from clconform.runner.pytest_plugin.progress import LEAST_SECONDS, SECONDS, Progress, terminal_of
from clconform.runner.pytest_plugin.tally import Tally

from ... import forked  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (
    *("run", "--simulated", "flat-4", "--fault", "remainder-makes-one-more", "--tier", "tables", "--seed", "7"),
    *("--minimise-seconds", "0", "--record", "CL_DEVICE_PARTITION_EQUALLY", "partition.create_sub_devices"),
)
DRAWN = re.compile(r"\x1b\[\?25[lh]|\x1b\[[0-9;]*m")


def test_a_run_is_told_by_its_part_rate_time_left_and_deviations() -> None:
    tally = Tally(began=100.0)
    tally.total, tally.done = 4668, 4
    assert tally.so_far(104.0) == "0% · 4 of 4,668 items · 0 deviations", "too early for a rate"
    tally.done = 12
    assert tally.so_far(130.0) == "0% · 12 of 4,668 items · 0.4/s · 0 deviations", "too early for the time left"
    tally = Tally(began=100.0)
    tally.total = 4668
    tally.done = 1167
    tally.met(["a", "b"], known=False)
    tally.met(["b", "c"], known=True)
    assert tally.so_far(130.0) == "25% · 1,167 of 4,668 items · 39/s · 1:30 left · 2 deviations, and 1 known"
    assert tally.at_the_end(130.0) == "1,167 of 4,668 items in 0:30 · 2 deviations, and 1 known"
    tally.done = 4668
    assert tally.at_the_end(3800.0) == "4,668 items in 1:01:40 · 2 deviations, and 1 known"


def test_the_rate_and_the_time_left_are_those_of_the_later_half() -> None:
    tally = Tally(began=0.0)
    tally.total, tally.done = 1000, 900
    assert "90/s · 0:01 left" in tally.so_far(10.0)
    for second in range(11, 71):
        tally.done += 1
        told = tally.so_far(float(second))
    assert told == "96% · 960 of 1,000 items · 1.0/s · 0:40 left · 0 deviations"
    assert "0.4/s · 1:42 left" in tally.so_far(101.0), "20 items in the last 51 s"
    assert "4.8/s · 0:08 left" in tally.so_far(200.0), "no item has ended since 70 s"


def test_of_an_unknown_number_of_items_no_part_is_told() -> None:
    tally = Tally(began=0.0)
    tally.done = 1
    assert tally.so_far(1.0) == "1 item · 0 deviations"
    tally.met(["a"], known=False)
    tally.done = 6
    assert tally.so_far(4.0) == "6 items · 1.5/s · 1 deviation"


class Log:
    """A progress display that writes to a string, with a clock that the test controls."""

    def __init__(self, items: int) -> None:
        self.now = 0.0
        self.file = io.StringIO()
        writer = TerminalWriter(self.file)
        config: Any = SimpleNamespace(get_terminal_writer=lambda: writer)
        self.writer = writer
        self.progress = Progress(config, None, clock=lambda: self.now)
        self.progress.pytest_xdist_node_collection_finished(["item"] * items)

    def end_item(self, seconds: float, *keys: str) -> None:
        """Finish an item after some seconds, with deviations with these keys."""
        self.now += seconds
        self.progress.pytest_runtest_logreport(SimpleNamespace(clconform="deviation", clconform_keys=keys))  # type: ignore[arg-type]
        self.progress.pytest_runtest_logfinish()

    @property
    def lines(self) -> list[str]:
        """Return the written lines."""
        return self.file.getvalue().splitlines()


def test_a_log_has_a_line_for_each_twentieth_and_none_of_them_too_soon() -> None:
    log = Log(items=100)
    for _ in range(100):
        log.end_item(1.0)
    log.progress.end_items()
    log.progress.end_items()
    assert [line.split(" · ")[1] for line in log.lines[:-1]] == [f"{done} of 100 items" for done in range(5, 100, 5)]
    assert log.lines[-1] == "clconform: 100 items in 1:40 · 0 deviations"
    quick = Log(items=100)
    for _ in range(100):
        quick.end_item(0.1)
    assert len(quick.lines) == 100 * 0.1 // LEAST_SECONDS - 1


def test_a_log_has_a_line_after_some_time_in_any_case() -> None:
    log = Log(items=1000)
    for _ in range(4):
        log.end_item(SECONDS / 2, "key")
    assert [line.split(" · ")[1] for line in log.lines] == ["2 of 1,000 items", "4 of 1,000 items"]
    assert all(line.endswith(" · 1 deviation") for line in log.lines)


def test_what_stands_in_a_line_of_its_own_begins_one() -> None:
    log = Log(items=10)
    log.writer.write("half a line")
    log.progress.confirmed("  a deviation: deviates, 3 calls", 1, 2)
    assert log.lines == ["half a line", "  a deviation: deviates, 3 calls"]


def test_where_there_is_no_terminal_nothing_is_drawn() -> None:
    assert terminal_of(io.StringIO()) is None
    assert terminal_of(None) is None
    with open(os.devnull, encoding="utf-8") as null:  # noqa: PTH123
        assert terminal_of(null) is None


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_log_of_a_run_has_complete_lines_only(tmp_path: Path, workers: str) -> None:
    told = forked.run(tmp_path, *WORDS, "-n", workers).stdout
    assert "\r" not in told
    lines = [line for line in told.split("── clconform ──")[0].splitlines()[:-1] if line.strip()]
    assert all(line.startswith(("clconform: ", "  clCreateSubDevices | ")) for line in lines), lines
    count = next(int(found[1]) for line in lines if (found := re.fullmatch(r"clconform: (\d+) items in .*", line)))
    assert f"clconform: {count} items in" in told
    assert sum(line.startswith("clconform: confirming and minimising ") for line in lines) == 1
    assert re.search(r"^[^\n]*\b\d+ failed\b.* in [\d.]+s", told.splitlines()[-1])


def on_a_terminal(command: list[str], folder: Path) -> str:
    """Return the output of a command on a terminal."""
    controller, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(command, cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    written = b""
    while True:
        try:
            more = os.read(controller, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not more:
            break
        written += more
    os.close(controller)
    process.wait(60)
    return written.decode()


def screen(text: str) -> list[str]:
    """Return the lines that a terminal shows at the end, after lines are overwritten or removed."""
    lines, row = [""], 0
    for part in re.split(r"(\r\n|\n|\r|\x1b\[2K|\x1b\[\d*A)", DRAWN.sub("", text)):
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


def test_a_terminal_shows_one_live_line_and_nothing_of_it_at_the_end(tmp_path: Path) -> None:
    written = on_a_terminal([sys.executable, "-m", "clconform.tools", *WORDS], tmp_path)
    drawn = re.findall(r"━[^\n]*?\d+% · [\d,]+ of [\d,]+ items", DRAWN.sub("", written))
    assert len(drawn) > 1, "it is drawn more than once"
    shown = screen(written)
    assert shown[0].startswith("clconform: testing ")
    assert re.fullmatch(r"clconform: \d+ items in \d+:\d\d · \d deviations?", shown[1])
    assert re.fullmatch(r"clconform: confirming and minimising \d deviations", shown[2])
    assert not any("━" in line for line in shown)
    assert "\x1b[?25h" in written.rpartition("\x1b[?25l")[2], "the cursor is shown again"
