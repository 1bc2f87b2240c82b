"""Kills runs by SIGKILL at random moments and resumes each. ``test_cli_resume`` starts it with the number of runs.

A moment is some milliseconds after a line of the journal, so that it does not depend on the machine's load. Every third
journal also loses the end of its last line, as after a power failure. Modules are imported once; each run is a fork in
its own process group with its workers. Prints the outcome of each run.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clconform.calls import exit_codes
from clconform.calls.journal import Resumed
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports import load_result, read_journal, result_of, write_reports
from clconform.reports.compression import packed_path
from clconform.reports.journal_reader import journal_bytes
from clconform.spec_tables import load
from clconform.tools.cli import cli

if TYPE_CHECKING:
    from clconform.reports import RunResult

PATHS = ("partition.create_sub_devices", "partition.random_partitions")
SETTINGS = (
    *("--simulated", "flat-4", "--fault", "partition-count-error-is-invalid-device", "--seed", "5", "--examples", "2"),
    *("--requirement", "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1", "--minimise-seconds", "0.2"),
)
IMPORTED = ("pytest", "clconform.tools.run", "clconform.runner.pytest_plugin.run")
"""Modules that each run would import otherwise."""
PROCESSES = 2
"""Number of runs that are killed concurrently."""
MAX_SECONDS = 100
"""A run is killed after this time."""


def start(folder: Path, *words: str) -> int:
    """Fork a run and return its process id."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        cli.main(["run", *words])
    except SystemExit as exit_:
        os._exit(int(exit_.code or 0))
    os._exit(99)


def wait_for_exit(pid: int) -> int:
    """Wait for a run and return its exit code. Kill a run that takes too long."""
    until = time.monotonic() + MAX_SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def wait_for_lines(journal: Path, number: int, pid: int) -> int:
    """Wait until a journal has ``number`` lines, or the run ``pid`` has ended, and return the number of lines."""
    until = time.monotonic() + MAX_SECONDS
    while time.monotonic() < until:
        lines = journal.read_bytes().count(b"\n") if journal.exists() else 0
        over = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        if lines >= number or over:
            return lines
        time.sleep(0.002)
    raise SystemExit(f"{journal}: no line {number} was ever written")


def comparable_verdicts(result: RunResult) -> list[Any]:
    """Return the values of a result that must be equal for an uninterrupted and for a resumed run."""
    statuses = sorted((requirement.id, requirement.status, requirement.reason) for requirement in result.requirements)
    return [statuses, sorted((deviation.id, deviation.verdict) for deviation in result.deviations)]


def run_uninterrupted(folder: Path) -> tuple[list[Any], int]:
    """Make a run without killing it. Return its verdicts and the number of lines in its journal."""
    folder.mkdir()
    code = wait_for_exit(start(folder, *SETTINGS, "--out", str(folder), *PATHS))
    if code != exit_codes.DEVIATIONS:
        raise SystemExit(f"the unbroken run ended with {code}: {(folder / 'log').read_text(encoding='utf-8')}")
    lines = journal_bytes(folder / "journal.jsonl").count(b"\n")
    return comparable_verdicts(load_result(folder / "result.json")), lines


def kill_and_resume(folder: Path, line: int, delay: float, lost_bytes: int, expected: list[Any]) -> dict[str, Any]:
    """Kill a run after a line of its journal, render the journal, and resume the run.

    ``lost_bytes``: the number of bytes that the journal loses at its end. The first line always stays.
    """
    folder.mkdir()
    path = folder / "journal.jsonl"
    pid = start(folder, *SETTINGS, "--out", str(folder), *PATHS)
    wait_for_lines(path, line, pid)
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)  # the workers of the run die with the run
    was_running = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    content = journal_bytes(path)  # compressed, if the run has ended
    first = content.index(b"\n") + 1
    packed_path(path).unlink(missing_ok=True)
    path.write_bytes(content[: max(first, len(content) - lost_bytes)])
    journal = read_journal(path)
    told = {
        "line": line,
        "was running": was_running,
        "torn": journal.whole < path.stat().st_size,
        "items": len(journal.items),
        "unfinished": len(journal.unfinished),
        "findings": len(journal.confirmations),
        "rendered": _renders(path, folder / "rendered"),
        "code": wait_for_exit(start(folder, "--resume", str(path))),
    }
    if told["code"] == exit_codes.DEVIATIONS:
        told["equal"] = comparable_verdicts(load_result(folder / "result.json")) == expected
        told["once"] = _items_end_once(path)
    return told


def _renders(path: Path, out: Path) -> bool:
    """Return whether a journal renders reports with every requirement."""
    result = result_of(path)
    write_reports(result, out, load())
    return len(result.requirements) == len(load().requirements)


def _items_end_once(path: Path) -> bool:
    lines = [json.loads(line) for line in journal_bytes(path).splitlines()]
    ends = [line["item"] for line in lines if line["line"] == "item"]
    tag = Resumed.__struct_config__.tag
    return len(ends) == len(set(ends)) and sum(line["line"] == tag for line in lines) == 1


def run_share(folder: Path, number: int, seed: int, lines: int, expected: list[Any]) -> None:
    """Kill this number of runs in sequence, at moments drawn from the seed. Write the outcomes to a file."""
    drawn = random.Random(seed)  # noqa: S311 (no secret)
    told = []
    for index in range(number):
        line, delay, torn = drawn.randint(1, lines), drawn.uniform(0, 0.05), 0 if index % 3 else drawn.randint(1, 60)
        told.append(kill_and_resume(folder / f"{seed}-{index}", line, delay, torn, expected))
    (folder / f"{seed}.json").write_text(json.dumps(told), encoding="utf-8")


def main() -> None:
    """Kill the number of runs that the command line gives, below the folder that it names."""
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    rulebook_of(load())
    for module in IMPORTED:
        importlib.import_module(module)
    expected, lines = run_uninterrupted(folder / "unbroken")
    children = []
    for seed in range(PROCESSES):
        children.append(os.fork())
        if not children[-1]:
            run_share(folder, (number + seed) // PROCESSES, seed, lines, expected)
            os._exit(0)
    if any(os.waitpid(child, 0)[1] for child in children):
        raise SystemExit("a run was not there to be killed, or left no journal")
    told = [json.loads((folder / f"{seed}.json").read_text(encoding="utf-8")) for seed in range(PROCESSES)]
    print(json.dumps([run for each in told for run in each]))  # noqa: T201 (the output of the child)


if __name__ == "__main__":
    main()
