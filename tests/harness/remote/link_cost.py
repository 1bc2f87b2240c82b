"""Measures how much longer a run takes over a link with a latency of 1 ms than without a link.

``python -m tests.harness.remote.link_cost DRIVER [REQUIREMENTS]`` makes a run of the tables tier three times, with two
workers: on this machine; behind a server, over a link without latency; and over a link with a latency of 1 ms there
and back. It prints the time of each run, the number of messages, and the latency that an echo over the link measures.
The additional time is a multiple of the number of calls times 1 ms, divided by the number of workers. Exits with 1 if
that multiple exceeds 1.3.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from .run_results import RUN, read_result
from .servers import listening_server, proxy

LATENCY = 0.001
"""Seconds there and back."""
WORKERS = 2
ALLOWED = 1.3
ECHOES = 1000
TRIES = 3
OPTIONS = ("--tier", "tables", "--seed", "1", "-n", str(WORKERS), "--minimise-seconds", "0")


class MeasuredRun(NamedTuple):
    """One run: its time in seconds, and the numbers of its calls and items."""

    seconds: float
    calls: int
    items: int


def find_delay() -> float:
    """Return the delay with which an echo takes ``LATENCY``, since sleeping and passing on take time as well."""
    delay = LATENCY / 2
    for _ in range(TRIES):
        delay = max(0.0, delay - (measure_latency(delay) - LATENCY) / 2)
    return delay


def measure_latency(delay: float) -> float:
    """Return the median time in seconds that a small message takes over a link, there and back."""
    listener = socket.create_server(("127.0.0.1", 0))

    def echo() -> None:
        connection, _ = listener.accept()
        while data := connection.recv(1 << 16):
            connection.sendall(data)

    threading.Thread(target=echo, daemon=True).start()
    seconds = []
    with (
        proxy(listener.getsockname()[1], [], delay=delay) as between,
        socket.create_connection(("127.0.0.1", between.port)) as end,
    ):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(ECHOES):
            began = time.perf_counter()
            end.sendall(b"x")
            end.recv(1)
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def run_suites(driver: str, requirements: str, out: Path, *options: str, token: str = "") -> MeasuredRun:
    """Make one run, and return its time."""
    words = [*RUN, *options, "--driver", driver, *OPTIONS, "--requirement", requirements, "--out", str(out)]
    began = time.monotonic()
    with (out.parent / f"{out.name}.log").open("wb") as printed:
        subprocess.run(words, env=os.environ | {"CLCONFORM_TOKEN": token}, stdout=printed, stderr=printed, check=False)
    seconds = time.monotonic() - began
    run = read_result(out)["run"]
    return MeasuredRun(seconds, run["calls"], run["items"])


def main() -> int:
    """Measure and print; return the exit code."""
    driver, requirements = sys.argv[1], (sys.argv[2:] or ["*"])[0]
    with tempfile.TemporaryDirectory(prefix="clconform-link-") as folder:
        own = Path(folder)
        local = run_suites(driver, requirements, own / "local")
        print(f"on this machine: {local.seconds:.1f} s, {local.calls} calls, {local.items} items", flush=True)  # noqa: T201
        for delay in (0.0, find_delay()):
            latency = measure_latency(delay)
            with listening_server(own) as server, proxy(server.port, [], delay=delay) as between:
                address = f"tcp:127.0.0.1:{between.port}"
                run = run_suites(driver, requirements, own / f"delay-{delay}", "--device", address, token=server.token)
                messages = between.messages
            ratio = (run.seconds - local.seconds) / (local.calls * LATENCY / WORKERS)
            print(  # noqa: T201
                f"latency of {latency * 1000:.2f} ms: {run.seconds:.1f} s, {run.calls} calls, {run.items} items, "
                f"{messages} messages; additional time / (calls * 1 ms / {WORKERS}): {ratio:.2f}",
                flush=True,
            )
    return int(ratio > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
