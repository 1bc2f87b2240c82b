"""Workers forked by a template: children of this process with their own arguments, environment, folder and output."""

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

from clconform.harness import Target, Worker, template
from clconform.harness.targets import Start

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = """
import os, sys, time
from clconform.harness.template import serve_starts
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
KIND = (COMMAND, "MALLOC_CHECK_" in os.environ)


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    """End the template after each test."""
    yield
    template._end(template._templates.get(KIND))


def forked(argument: str, **variables: str) -> tuple[template.Child | None, Path]:
    """Fork a worker with this argument and these variables; return it and the file of its output."""
    with tempfile.NamedTemporaryFile(delete=False) as output:
        program = Start([*COMMAND, argument], {**os.environ, **variables}, COMMAND)
        return template.forked(program, output.fileno()), Path(output.name)


def told(argument: str, **variables: str) -> tuple[int, str]:
    """Return the exit code of a worker and its output."""
    child, output = forked(argument, **variables)
    assert child is not None
    assert child.wait(60) == child.returncode == child.poll()
    said = output.read_text(encoding="utf-8")
    output.unlink()
    return child.returncode, said


def test_a_worker_has_its_own_arguments_environment_folder_and_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told("0", OWN="first")[1].startswith(f"['0'] first {Path.cwd()} {os.getpid()} True ")
    monkeypatch.chdir(tmp_path)
    code, said = told("7")
    assert code == 7
    assert said.startswith(f"['7'] None {tmp_path} {os.getpid()} True ")


def test_a_failure_ends_the_worker_alone() -> None:
    code, said = told("raise")
    assert code == 1
    assert "ValueError: a bug of ours" in said
    assert told("3")[0] == 3


def test_a_template_is_kept_until_a_variable_changes_that_only_a_start_can_change() -> None:
    first, other, new = (told("0", **variables)[1].split()[-1] for variables in ({}, {"OWN": "1"}, {"LD_OWN": "1"}))
    assert first == other != new


def test_a_worker_can_be_waited_for_and_ended() -> None:
    child, output = forked("sleep")
    assert child is not None
    output.unlink()
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.01)
    assert child.poll() is None
    child.terminate()
    assert child.wait() == -signal.SIGTERM
    child.terminate()


def test_a_template_that_has_ended_is_replaced() -> None:
    place = int(told("0")[1].split()[-1])
    os.kill(place, signal.SIGKILL)
    template._templates[KIND]._process.wait()
    child, output = forked("0")
    assert child is None
    output.unlink()
    assert int(told("0")[1].split()[-1]) != place


def test_an_interrupted_start_is_not_answered_later(monkeypatch: pytest.MonkeyPatch) -> None:
    place = told("0")[1].split()[-1]
    with monkeypatch.context() as patch:
        patch.setattr(template, "_Forked", interrupted)
        with pytest.raises(KeyboardInterrupt):
            forked("5")
    code, said = told("0")
    assert code == 0
    assert said.split()[-1] != place


def interrupted(pid: int) -> None:
    os.waitpid(pid, 0)
    raise KeyboardInterrupt


def test_where_a_sandbox_forbids_it_no_template_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template._Template, "refused", False)
    refusing = (*COMMAND[:-1], "from clconform.harness import template; template._clone = lambda *_: -1\n" + PROGRAM)
    program = Start([*refusing, "0"], dict(os.environ), refusing)
    assert template.forked(program, 2) is None
    assert template._Template.refused
    child, output = forked("0")
    assert child is None
    output.unlink()
    assert KIND not in template._templates


def test_another_thread_uses_a_template_and_starts_none() -> None:
    """Workers of a template end with the thread that has started the template."""
    with ThreadPoolExecutor(1) as pool:
        child, output = pool.submit(forked, "0").result()
        assert child is None
        output.unlink()
        place = told("0")[1].split()[-1]
        assert pool.submit(told, "0").result()[1].split()[-1] == place


@pytest.mark.parametrize("kind", ["simulated", "driver"])
def test_workers_are_forked_and_those_under_checks_by_a_template_under_checks(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template._Template, "refused", False)  # a fork may have failed in another test
    plain, name = (
        (Target.simulated("flat-4"), "clconform simulated platform flat-4")
        if kind == "simulated"
        else (Target.embedded(), "Portable Computing Language")
    )
    for target in (plain, plain.with_heap_checks(), plain):
        with Worker(target) as worker:
            command = Path(f"/proc/{worker.pid}/cmdline").read_bytes().split(b"\0")
            assert b"--starts" in command
            began_with = Path(f"/proc/{worker.pid}/environ").read_bytes()
            assert (b"MALLOC_CHECK_=3" in began_with) == target.checked
            loaded = Path(f"/proc/{worker.pid}/maps").read_text(encoding="utf-8")
            assert ("libc_malloc_debug" in loaded) == target.checked
            assert worker.greeting.platforms[0].name == name
            if kind == "driver":
                above = Path(f"/proc/{worker._process.pid}/maps").read_text(encoding="utf-8")
                assert "libpocl" not in above, "the driver is loaded in its own process only"
