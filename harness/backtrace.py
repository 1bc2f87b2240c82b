"""Takes backtraces with gdb: of a command, or of a process that hangs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.harness.errors import HarnessError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_OUTPUT_CHARACTERS = 100_000
_MAX_FRAMES = 64
_ATTACH_SECONDS = 30.0
_QUIET_OPTIONS = [
    *("-nx", "-batch", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off"),
    *("-ex", "set pagination off", "-ex", "set confirm off", "-ex", "set print thread-events off"),
]
_BACKTRACE_COMMANDS = ["-ex", f"bt {_MAX_FRAMES}", "-ex", f"thread apply all bt {_MAX_FRAMES}"]


def process_backtrace(pid: int, *, seconds: float = _ATTACH_SECONDS) -> str:
    """Return the backtraces of all threads of a running process; the process continues afterwards.

    HarnessError if gdb is missing or takes longer than ``seconds``.
    """
    return _run_gdb([_find_gdb(), *_QUIET_OPTIONS, "-p", str(pid), *_BACKTRACE_COMMANDS], None, seconds)


def command_backtrace(
    argv: Sequence[str], environment: Mapping[str, str] | None = None, *, seconds: float = 120.0
) -> str:
    """Run a command under gdb; return its output, and its backtraces at the signal or exit that stopped it.

    ``environment``: the environment of the command; None for that of this process. HarnessError if gdb is missing, or
    if the command does not finish within ``seconds``; gdb and the command are then killed.
    """
    return _run_gdb([*debugger_command(), *argv], environment, seconds)


def debugger_command() -> list[str]:
    """Return the beginning of a command that runs a program under gdb, and takes a backtrace where it stops or exits.

    HarnessError if gdb is missing.
    """
    stops = ["-ex", "handle SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD nostop noprint pass", "-ex", "catch syscall exit_group"]
    return [_find_gdb(), *_QUIET_OPTIONS, *stops, "-ex", "run", *_BACKTRACE_COMMANDS, "--args"]


def _find_gdb() -> str:
    found = shutil.which("gdb")
    if found is None:
        raise HarnessError("gdb is needed for a backtrace but not installed (Debian: apt-get install gdb)")
    return found


def _run_gdb(argv: Sequence[str], environment: Mapping[str, str] | None, seconds: float) -> str:
    with subprocess.Popen(
        argv,
        env=None if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # also kills the debugged process
            raise HarnessError(f"gdb did not finish within {seconds:g} s; the sequence may hang") from None
    return output.decode("utf-8", "backslashreplace")[-MAX_OUTPUT_CHARACTERS:]
