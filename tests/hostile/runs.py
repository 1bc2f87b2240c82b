"""Runs ``clconform run`` on a driver, and then searches for processes and files that the run left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import forked_runs  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PR_SET_CHILD_SUBREAPER = 36
_GRACE_SECONDS = 1.0
"""Seconds that a killed process may take to end."""
_INTERRUPTED_SECONDS = 10.0


@dataclass(frozen=True)
class RunOutcome:
    """The end of a run.

    ``code``: its exit code; None if it exceeded its time limit and was killed. ``output``: its output on stdout and
    stderr. ``processes``: maps the ids of processes that it left, which have been killed, to their command lines.
    ``files``: files that it left in its temporary folder. ``out``: the folder of its reports.
    """

    code: int | None
    output: str
    seconds: float
    processes: dict[int, str]
    files: list[str]
    out: Path


def run_command(folder: Path, words: Sequence[str], environment: Mapping[str, str], seconds: float) -> RunOutcome:
    """Run ``clconform run`` in an empty folder with arguments and environment variables, for at most ``seconds``."""
    temporary, out = folder / "tmp", folder / "out"
    temporary.mkdir()
    given = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "HOSTILE"))}
    given |= {"TMPDIR": str(temporary), "COLUMNS": "200", "HOSTILE_OUT": str(out), **environment}
    forked_runs.start_server(
        given
    )  # start the fork server now, so that its template process does not count as left behind
    with adopt_descendants() as before, (folder / "printed").open("wb") as log:
        began = time.monotonic()
        process = forked_runs.ForkedRun(
            folder, "run", "--out", str(out), *words, stdout=log, stderr=log, environment=given
        )
        code = _wait_for_exit(process, seconds)
        took = time.monotonic() - began
        processes = kill_remaining(before)
    printed = (folder / "printed").read_text(encoding="utf-8", errors="backslashreplace")
    files = sorted(str(path.relative_to(temporary)) for path in temporary.rglob("*"))
    return RunOutcome(code, printed, took, processes, files, out)


def _wait_for_exit(process: forked_runs.ForkedRun, seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(
            signal.SIGINT
        )  # let the run clean up, so that only processes and files left by the hang remain
        with suppress(subprocess.TimeoutExpired):
            process.wait(_INTERRUPTED_SECONDS)
        process.kill()
        return None


@contextmanager
def adopt_descendants() -> Iterator[set[int]]:
    """Make this process the subreaper of all its descendants, and yield the ids of its current ones."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield set(_descendants())
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def kill_remaining(before: set[int]) -> dict[int, str]:
    """Kill all descendants except those in ``before``; return those that did not end within ``_GRACE_SECONDS``."""
    until = time.monotonic() + _GRACE_SECONDS
    while (left := _running_descendants(before)) and time.monotonic() < until:
        time.sleep(0.05)
    while found := _running_descendants(before):
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return left


def _running_descendants(before: set[int]) -> dict[int, str]:
    """Return the command lines of the running descendants that are not in ``before``, and reap the ended ones."""
    found = {}
    for pid, state in _descendants().items():
        if pid in before:
            continue
        if state in "ZX":
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            continue
        with suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def _descendants() -> dict[int, str]:
    """Map the process ids of this process's descendants to the letters of their states."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                words = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                parents[int(entry.name)] = (int(words[1]), words[0])
    found: dict[int, str] = {}
    level = {os.getpid()}
    while level:
        level = {pid for pid, (parent, _) in parents.items() if parent in level and pid not in found}
        found |= {pid: parents[pid][1] for pid in level}
    return found
