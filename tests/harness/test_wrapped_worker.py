"""Workers below a wrapper, such as a debugging tool, which may fork the worker or keep its process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Target, Worker
from clconform.harness.targets import WRAPPER
from clconform.harness.worker_build import VARIABLE

from ..sanitized_worker import (  # noqa: TID252 (tests are not part of the installed package)
    ADDRESS,
    THREAD,
    VARIABLES,
    build_sanitized_worker,
    find_worker,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call

FORKING = """sh -c '"$@"; exit $?' sh"""
"""A wrapper that is the parent of the worker."""
WRAPPERS = {
    "fork": FORKING,
    "valgrind": "valgrind -q --trace-children=yes",
    "strace": "strace -f -qq -o /dev/null -e trace=none",
    "gdb": "gdb -q -batch -ex 'set follow-fork-mode child' -ex run --args",
}
START_SECONDS = 60.0
QUERY = (Handle("platform1"), 0x0902, 100, OutputBuffer(100), None)
SESSION = """
import sys, time
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Target, Worker
worker = Worker(Target.driver(sys.argv[1], direct=True))
print(worker.pid, flush=True)
time.sleep(100)
"""


@pytest.fixture(autouse=True)
def _find_worker_again() -> Iterator[None]:
    find_worker.cache_clear()
    yield
    find_worker.cache_clear()


def check_worker(fake_driver: str, create_call: Callable[..., Call]) -> None:
    """Make a call that returns, and one that crashes."""
    with Worker(Target.driver(fake_driver, direct=True).with_deadlines(4), start_seconds=START_SECONDS) as worker:
        assert worker.greeting.platforms[0].name == "Fake platform"
        assert isinstance(worker.call(create_call("clGetPlatformInfo", *QUERY)), Returned)
        assert isinstance(worker.call(create_call("clRetainContext", None)), Died)


@pytest.mark.parametrize("name", WRAPPERS)
def test_worker_runs_below_a_wrapper(
    name: str, fake_driver: str, create_call: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(WRAPPERS[name].split()[0]) is None:
        pytest.skip(f"{name} is not installed")
    monkeypatch.setenv(WRAPPER, WRAPPERS[name])
    target = Target.driver(fake_driver, direct=True)
    assert target.data_limit_bytes == 0
    check_worker(fake_driver, create_call)


@pytest.mark.parametrize("sanitizers", [ADDRESS, THREAD])
def test_worker_with_sanitizers_runs_a_driver(
    sanitizers: str, fake_driver: str, create_call: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in VARIABLES.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv(VARIABLE, str(build_sanitized_worker(sanitizers)))
    assert Target.driver(fake_driver, direct=True).data_limit_bytes == 0
    check_worker(fake_driver, create_call)


@pytest.mark.parametrize("wrapper", ["", FORKING], ids=["alone", "wrapped"])
def test_worker_ends_with_its_session(wrapper: str, fake_driver: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-c", SESSION, fake_driver],
        env={**os.environ, WRAPPER: wrapper},
        stdout=subprocess.PIPE,
        text=True,
    ) as session:
        assert session.stdout is not None
        worker = Path("/proc") / session.stdout.readline().strip()
        is_running = worker.is_dir()
        session.kill()
    assert is_running
    until = time.monotonic() + 20
    while worker.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not worker.exists()


def test_id_of_the_process_is_known_with_the_first_message(fake_driver: str, create_call: Callable[..., Call]) -> None:
    for _ in range(5):
        with Worker(Target.driver(fake_driver, direct=True)) as worker:
            parent = Path(f"/proc/{worker.pid}/status").read_text(encoding="ascii").partition("PPid:")[2].split()[0]
            assert int(parent) != os.getpid(), "the supervisor, not the driver's process"
            assert isinstance(worker.call(create_call("clGetPlatformInfo", *QUERY)), Returned)
