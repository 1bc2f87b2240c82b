"""A failure of the worker is attributed to the driver only if the driver has changed what explains it."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import CHANGED, Died
from clconform.harness import process_state
from clconform.harness.errors import ProcessShortageError
from clconform.harness.process_state import ProcessState, find_process_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHORTAGES = tuple(OSError(number, os.strerror(number)) for number in (errno.ENOMEM, errno.EAGAIN, errno.EMFILE))
CHANGE_ON_INPUT = "import os, sys; print(flush=True); line = input(); exec(line); print(flush=True); input()"


class ChangingProcess:
    """A process that executes one line of Python."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid
        self._wait_for_line()

    def execute(self, line: str) -> None:
        """Execute a line, and wait until this is done."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        self._wait_for_line()

    def _wait_for_line(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "\n"


@pytest.fixture
def process() -> Iterator[ChangingProcess]:
    command = [sys.executable, "-c", CHANGE_ON_INPUT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        yield ChangingProcess(started)
        started.kill()


@pytest.mark.parametrize("error", SHORTAGES, ids=repr)
@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_NPROC", "RLIMIT_NOFILE"])
def test_shortage_after_a_limit_was_lowered_is_an_end_of_the_process(
    error: OSError, name: str, process: ChangingProcess
) -> None:
    state = ProcessState(process.pid)
    resource.prlimit(process.pid, getattr(resource, name), (1, 1))
    ended = find_process_end(error, state, "clFinish: the memory for arguments")
    assert isinstance(ended, Died)
    assert (ended.how, ended.detail) == (CHANGED, name)
    assert f"{name} from " in ended.last_output
    assert f"clFinish: the memory for arguments ({error.strerror})" in ended.last_output


@pytest.mark.parametrize("error", SHORTAGES, ids=repr)
def test_shortage_without_a_change_is_not_attributed(error: OSError, process: ChangingProcess) -> None:
    with pytest.raises(ProcessShortageError, match="clFinish"):
        find_process_end(error, ProcessState(process.pid), "clFinish")


def test_limits_of_this_process_are_not_those_of_the_driver(
    process: ChangingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ProcessState(process.pid)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    assert state.changes() == {}


def test_data_limit_of_the_worker_itself_is_no_change(process: ChangingProcess) -> None:
    state = ProcessState(process.pid)
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_DATA)
    state.expect_data_limit(1 << 33)
    resource.prlimit(process.pid, resource.RLIMIT_DATA, (1 << 33, hard))
    assert state.changes() == {}
    resource.prlimit(process.pid, resource.RLIMIT_DATA, (1 << 32, hard))
    assert list(state.changes()) == ["RLIMIT_DATA"]


def test_other_error_without_a_change_is_not_explained(process: ChangingProcess) -> None:
    error = OSError(errno.EBADF, "Bad file descriptor")
    assert find_process_end(error, ProcessState(process.pid), "clFinish") is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("os.umask(0o123)", "umask"),
        ("os.chdir('/proc')", "working folder"),
        ("os.dup2(os.open('/dev/null', os.O_WRONLY), 2)", "descriptor 2"),
        ("os.close(2)", "descriptor 2"),
    ],
)
def test_changed_property_of_the_process_explains_any_error(process: ChangingProcess, line: str, name: str) -> None:
    state = ProcessState(process.pid)
    process.execute(line)
    assert list(state.changes()) == [name]
    ended = find_process_end(OSError(errno.EBADF, "Bad file descriptor"), state, "clFinish")
    assert ended is not None
    assert (ended.how, ended.detail) == (CHANGED, name)


def test_used_up_memory_mappings_explain_a_shortage(
    process: ChangingProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = ProcessState(process.pid)
    limit = tmp_path / "max_map_count"
    monkeypatch.setattr(process_state, "_MAX_MAPPINGS", limit)
    limit.write_text("65530\n", encoding="ascii")
    assert not state.has_used_up_mappings()
    limit.write_text("4\n", encoding="ascii")
    ended = find_process_end(SHORTAGES[0], state, "clFinish")
    assert ended is not None
    assert (ended.how, ended.detail) == (CHANGED, "memory mappings")
