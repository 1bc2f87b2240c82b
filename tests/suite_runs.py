"""Runs of the suites under pytest, many in one process, because a short run is mostly startup.

In one process, all runs have the number of random examples of the first run; other numbers need another process.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
SUITE = "suites/chapters/partition"
SETTINGS = ("-q", "-p", "no:cacheprovider", "--assert=plain")
"""Suites contain no assertions to rewrite, and the plugins are already imported."""
PROCESSES = 1 if "PYTEST_XDIST_WORKER" in os.environ else 2
"""Number of concurrent processes; if tests already run in several processes, more would only add startup time."""


@dataclass(frozen=True)
class SuiteRunResult:
    """The result of a run: its exit code and its output."""

    code: int
    output: str


def run_suites(
    options_by_run: dict[str, list[str]], seconds: float = 300, processes: int = PROCESSES, *, here: bool = False
) -> dict[str, SuiteRunResult]:
    """Run the partition suite once for each entry of ``options_by_run``, and return the result of each run by its name.

    Options may begin with the path of another suite. ``seconds``: time limit for all runs together. ``here``:
    simulate platforms without faults in the process of the run, and write only the result instead of all reports,
    which takes half the time; for tests of the values that such a platform returns.
    """
    from . import forked_runs  # below, this file is also a program

    names = list(options_by_run)
    shares = [{name: options_by_run[name] for name in names[start::processes]} for start in range(processes)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    forked_runs.start_server(environment)
    with ThreadPoolExecutor(processes) as pool:
        done = list(pool.map(lambda share: _run_in_process(share, environment, seconds, here=here), shares))
    return {name: run for each in done for name, run in each.items()}


def _run_in_process(
    share: dict[str, list[str]], environment: dict[str, str], seconds: float, *, here: bool
) -> dict[str, SuiteRunResult]:
    from . import forked_runs

    words = (json.dumps(share), *(["here"] if here else []))
    done = forked_runs.run(REPOSITORY, forked_runs.SUITES, *words, environment=environment, seconds=seconds)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return {name: SuiteRunResult(*how) for name, how in json.loads(done.stdout).items()}


def _main() -> None:
    """Run pytest for each entry of the JSON object in the command line, and print exit codes and outputs as JSON."""
    if "here" in sys.argv[2:]:
        _use_in_process_platforms()
    ended = {}
    for name, options in json.loads(sys.argv[1]).items():
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            where = [] if options and not options[0].startswith("-") else [SUITE]
            code = pytest.main([*where, *SETTINGS, *options])
        ended[name] = (int(code), text.getvalue())
    print(json.dumps(ended))  # noqa: T201 (the output of the child)


def _use_in_process_platforms() -> None:
    """Run the simulated platforms of sessions in this process, without reusing contexts, and write only results."""
    from clconform.harness import Deadlines, Target, Worker
    from clconform.reports import writer
    from clconform.runner.session import context_reuse, session_process
    from clconform.simulator.in_process_worker import InProcessWorker

    def started(target: Target, *, deadlines: Deadlines | None = None) -> Worker:
        if target.kind == "simulated" and len(target.arguments) == len(("--topology", "NAME")):
            return InProcessWorker(target.arguments[1], deadlines=deadlines)
        return Worker(target, deadlines=deadlines)

    session_process.Worker = started  # type: ignore[assignment, misc]
    context_reuse.KeptContexts.keep_context = lambda *_: False  # type: ignore[method-assign, assignment]
    for name in ("render_junit", "render_report", "format_summary", "badge_of", "format_csv"):
        assert hasattr(writer, name), name
        setattr(writer, name, lambda *_, **__: "")


if __name__ == "__main__":
    _main()
