"""Workers forked by a template process: children of this process with own arguments, environment, folder and output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target, Worker, fork_server
from clconform.harness.targets import WorkerCommand

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = """
import os, sys, time
from clconform.harness.fork_server import serve_starts
TEMPLATE = os.getpid()
def start(arguments):
    leads = os.getsid(0) == os.getpid()
    print(arguments, os.environ.get("OWN"), os.getcwd(), os.getppid(), leads, TEMPLATE, flush=True)
    if arguments[0] == "sleep":
        time.sleep(100)
    if arguments[0] == "raise":
        raise ValueError("a bug of ours")
    raise SystemExit(int(arguments[0]))
serve_starts(int(sys.argv[-1]), start)
"""
COMMAND = (sys.executable, "-P", "-c", PROGRAM)
TEMPLATE_KEY = (COMMAND, "MALLOC_CHECK_" in os.environ)


@pytest.fixture(autouse=True)
def _end_template() -> Iterator[None]:
    """End the template process after each test."""
    yield
    fork_server._end_template(fork_server._templates.get(TEMPLATE_KEY))


def fork_worker(argument: str, **variables: str) -> tuple[fork_server.ChildProcess | None, Path]:
    """Fork a worker with an argument and variables; return it (None if not forked) and its output file."""
    with tempfile.NamedTemporaryFile(delete=False) as output:
        program = WorkerCommand([*COMMAND, argument], {**os.environ, **variables}, COMMAND)
        return fork_server.fork_worker(program, output.fileno()), Path(output.name)


def run_forked(argument: str, **variables: str) -> tuple[int, str]:
    """Fork a worker with an argument and environment variables, and return its exit code and output."""
    child, output = fork_worker(argument, **variables)
    assert child is not None
    assert child.wait(60) == child.returncode == child.poll()
    said = output.read_text(encoding="utf-8")
    output.unlink()
    return child.returncode, said


def test_forked_worker_has_own_arguments_environment_and_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_forked("0", OWN="first")[1].startswith(f"['0'] first {Path.cwd()} {os.getpid()} True ")
    monkeypatch.chdir(tmp_path)
    code, said = run_forked("7")
    assert code == 7
    assert said.startswith(f"['7'] None {tmp_path} {os.getpid()} True ")


def test_exception_in_forked_worker_does_not_end_template() -> None:
    code, said = run_forked("raise")
    assert code == 1
    assert "ValueError: a bug of ours" in said
    assert run_forked("3")[0] == 3


def test_template_is_replaced_if_a_variable_for_process_startup_changes() -> None:
    first, other, new = (
        run_forked("0", **variables)[1].split()[-1] for variables in ({}, {"OWN": "1"}, {"LD_OWN": "1"})
    )
    assert first == other != new


def test_forked_worker_can_be_awaited_and_terminated() -> None:
    child, output = fork_worker("sleep")
    assert child is not None
    output.unlink()
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.01)
    assert child.poll() is None
    child.terminate()
    assert child.wait() == -signal.SIGTERM
    child.terminate()


def test_ended_template_is_replaced() -> None:
    place = int(run_forked("0")[1].split()[-1])
    os.kill(place, signal.SIGKILL)
    fork_server._templates[TEMPLATE_KEY]._process.wait()
    child, output = fork_worker("0")
    assert child is None
    output.unlink()
    assert int(run_forked("0")[1].split()[-1]) != place


def test_interrupted_fork_ends_template(monkeypatch: pytest.MonkeyPatch) -> None:
    place = run_forked("0")[1].split()[-1]
    with monkeypatch.context() as patch:
        patch.setattr(fork_server, "_ForkedWorker", interrupt_fork)
        with pytest.raises(KeyboardInterrupt):
            fork_worker("5")
    code, said = run_forked("0")
    assert code == 0
    assert said.split()[-1] != place


def interrupt_fork(pid: int) -> None:
    os.waitpid(pid, 0)
    raise KeyboardInterrupt


def test_template_is_not_restarted_if_forking_is_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server._Template, "is_forbidden", False)
    refusing = (
        *COMMAND[:-1],
        "from clconform.harness import fork_server; fork_server._clone = lambda *_: -1\n" + PROGRAM,
    )
    program = WorkerCommand([*refusing, "0"], dict(os.environ), refusing)
    assert fork_server.fork_worker(program, 2) is None
    assert fork_server._Template.is_forbidden
    child, output = fork_worker("0")
    assert child is None
    output.unlink()
    assert TEMPLATE_KEY not in fork_server._templates


def test_template_is_started_only_by_the_main_thread() -> None:
    """Forked workers end when the thread that started their template process ends."""
    with ThreadPoolExecutor(1) as pool:
        child, output = pool.submit(fork_worker, "0").result()
        assert child is None
        output.unlink()
        place = run_forked("0")[1].split()[-1]
        assert pool.submit(run_forked, "0").result()[1].split()[-1] == place


def test_simulators_with_heap_checks_use_a_separate_template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server._Template, "is_forbidden", False)  # a fork may have failed in another test
    plain = Target.simulated("flat-4")
    for target in (plain, plain.with_heap_checks(), plain):
        with Worker(target) as worker:
            assert b"--starts" in Path(f"/proc/{worker.pid}/cmdline").read_bytes().split(b"\0")
            assert has_heap_checks(worker) == target.has_heap_checks
            assert worker.greeting.platforms[0].name == "clconform simulated platform flat-4"


def test_driver_with_heap_checks_has_own_process_without_template() -> None:
    plain = Target.embedded()
    for target in (plain, plain.with_heap_checks()):
        with Worker(target) as worker:
            program = plain.worker_command().argv[0]
            assert Path(f"/proc/{worker.pid}/exe").readlink() == Path(program).resolve()
            assert has_heap_checks(worker) == target.has_heap_checks
            assert worker.greeting.platforms[0].name == "Portable Computing Language"
            supervisor = Path(f"/proc/{worker._process._process.pid}/maps").read_text(encoding="utf-8")
            assert "libpocl" not in supervisor, "the driver is loaded in its own process only"


def has_heap_checks(worker: Worker) -> bool:
    """Return whether the C library of a worker's process checks the heap."""
    began_with = Path(f"/proc/{worker.pid}/environ").read_bytes()
    loaded = Path(f"/proc/{worker.pid}/maps").read_text(encoding="utf-8")
    assert (b"MALLOC_CHECK_=3" in began_with) == ("libc_malloc_debug" in loaded)
    return "libc_malloc_debug" in loaded
