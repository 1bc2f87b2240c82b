"""Runs tests on a driver over slow and faulty links, and compares each result with that of an undisturbed run.

``python -m tests.harness.remote.lossy_runs DRIVER [FAULTS]`` makes runs with delays of 0, 1, 5 and 20 ms, then runs in
which a process is killed, and then runs in which each connection stalls, ends or brings changed bytes at a random
place, until 200 or FAULTS faults have occurred. An incomplete run is resumed over a good link. Exits with 1 if a
verdict differs, or if a server leaves files.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clconform.calls import exit_codes

from .run_results import RUN, read_result, verdicts
from .servers import LinkFault, Listening, Proxy, children_of, listening_server, proxy, server_folders, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

FAULTS = 200
DELAYS = (0.0, 0.001, 0.005, 0.02)
KILLED = ("host", "server", "driver")
KILLS = 4
"""The number of runs in which each kind of process is killed."""
STALL_SECONDS = 2.0
MAX_CONNECTIONS = 500
PART = "clCreateSubDevices/*"
OPTIONS = ("--tier", "smoke", "--seed", "1", "-n", "2", "--minimise-seconds", "1", "--requirement", PART)
_SECONDS = 1800.0
_SHOWN = 5


class LossyRuns:
    """Runs on one driver behind a server on this machine; ``is_right``: whether all results were equal so far."""

    def __init__(self, driver: str, server: Listening, folder: Path) -> None:
        self._driver, self._server, self._folder = driver, server, folder
        self._draw = random.Random(1)  # noqa: S311 (not for security)
        self._expected: dict[str, Any] = {}
        self._bytes = 0
        self.is_right = True

    def run_with_delays(self) -> None:
        """Make a run over each slow link; the first result is the expected one."""
        for delay in DELAYS:
            began = time.monotonic()
            out = self._folder / f"delay-{delay}"
            with proxy(self._server.port, [], delay=delay) as between, self._run(between, out) as run:
                run.wait(_SECONDS)
            self._bytes = between.passed
            self._expected = self._expected or read_result(out)
            self._compare(f"delay of {1000 * delay:g} ms, {time.monotonic() - began:.0f} s", out)

    def run_and_kill(self) -> None:
        """Make runs in which the host, a server or a driver is killed, and resume those that are incomplete."""
        for kind in KILLED:
            for number in range(KILLS):
                out = self._folder / f"{kind}-{number}"
                with proxy(self._server.port, []) as between:
                    with self._run(between, out) as run:
                        self._kill(kind, run, out)
                        run.wait(_SECONDS)
                    self._complete(f"{kind} killed", between, out)

    def run_with_faults(self, faults: int) -> None:
        """Make runs over links with faults, and resume those that are incomplete."""
        occurred = number = 0
        while occurred < faults:
            number += 1
            out = self._folder / f"faults-{number}"
            drawn = [self._draw_fault() for _ in range(MAX_CONNECTIONS)]
            with proxy(self._server.port, drawn, stall=STALL_SECONDS) as between:
                with self._run(between, out) as run:
                    code = run.wait(_SECONDS)
                occurred += between.occurred
                if code == exit_codes.NO_SUCH_PLATFORM:
                    print(f"run {number}: the first connection was lost, before any test")  # noqa: T201
                    continue
                drawn.clear()
                self._complete(f"run {number}, {occurred} faults so far, exit code {code}", between, out)

    def _draw_fault(self) -> LinkFault:
        kind = self._draw.choice(("cut", "garble", "stall"))
        return LinkFault(kind, self._draw.randrange(self._bytes // 2))

    @contextlib.contextmanager
    def _run(self, between: Proxy, out: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start a run behind a proxy; ``out``: the folder for the result. ``options``: instead of the usual ones."""
        device = f"tcp:127.0.0.1:{between.port}"
        usual = ["--driver", self._driver, "--device", device, *OPTIONS, "--out", str(out)]
        environment = os.environ | {"CLCONFORM_TOKEN": self._server.token}
        with out.with_suffix(".log").open("ab") as log:
            words = [*RUN, *(options or usual)]
            with subprocess.Popen(words, env=environment, stdout=log, stderr=log, start_new_session=True) as run:
                yield run

    def _kill(self, kind: str, run: subprocess.Popen[bytes], out: Path) -> None:
        """Kill a process at a random time after the first item has ended."""
        journal, until = out / "journal.jsonl", time.monotonic() + _SECONDS
        while not journal.exists() or b'"line":"item"' not in journal.read_bytes():
            if run.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"no item of {out} has ended")
            time.sleep(0.05)
        time.sleep(self._draw.uniform(0, 2))
        if kind == "host":
            run.send_signal(signal.SIGKILL)
            return
        servers = children_of(self._server.process.pid)
        chosen = servers if kind == "server" else [child for server in servers for child in children_of(server)]
        if chosen:
            os.kill(self._draw.choice(chosen), signal.SIGKILL)

    def _complete(self, name: str, between: Proxy, out: Path) -> None:
        """Resume a run unless it is complete, and compare its result."""
        journal = out / "journal.jsonl"
        before = read_result(out) if (out / "result.json").exists() else {}
        if before and not before["run"]["gaps"]:
            self._compare(name, out)
            return
        if before:
            invented = sorted(verdicts(before).deviations - verdicts(self._expected).deviations)
            self.is_right = self.is_right and not invented
            name = f"{name}{f', INVENTED {invented}' if invented else ''}"
        with self._run(between, out, "--resume", str(journal)) as run:
            run.wait(_SECONDS)
        self._compare(f"{name}, resumed", out)

    def _compare(self, name: str, out: Path) -> None:
        """Print whether a result has the expected verdicts."""
        if not (out / "result.json").exists():
            self.is_right = False
            last = out.with_suffix(".log").read_text(encoding="utf-8").strip().splitlines()[-1:]
            print(f"{name}: NO RESULT: {' '.join(last)}", flush=True)  # noqa: T201
            return
        found, expected = verdicts(read_result(out)), verdicts(self._expected)
        statuses = sorted(each for each, status in expected.statuses.items() if found.statuses.get(each) != status)
        ids = sorted(found.deviations ^ expected.deviations)
        is_equal = not statuses and not ids
        self.is_right = self.is_right and is_equal
        differing = f"{len(statuses)} statuses ({', '.join(statuses[:_SHOWN])}), deviations {ids}"
        print(f"{name}: {'equal' if is_equal else f'DIFFERENT: {differing}'}", flush=True)  # noqa: T201


def main(driver: str, faults: int) -> int:
    """Make all runs; return 0 if all results are equal and no files are left."""
    with tempfile.TemporaryDirectory() as name, listening_server(Path(name)) as server:
        runs = LossyRuns(driver, server, Path(name))
        runs.run_with_delays()
        runs.run_and_kill()
        runs.run_with_faults(faults)
        left = not wait_until(lambda: not server_folders(Path(name)))
        if left:
            print("a server has left its folder")  # noqa: T201
        return int(left or not runs.is_right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else FAULTS))
