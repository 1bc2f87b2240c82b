"""Takes backtraces with gdb: replays a sequence that crashes, or attaches to a process that hangs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.harness.errors import HarnessError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.calls.call import Call
    from clconform.harness.targets import Target

_MAX_OUTPUT_CHARACTERS = 100_000
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
    stops = ["-ex", "handle SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD nostop noprint pass", "-ex", "catch syscall exit_group"]
    return _run_gdb(
        [_find_gdb(), *_QUIET_OPTIONS, *stops, "-ex", "run", *_BACKTRACE_COMMANDS, "--args", *argv],
        environment,
        seconds,
    )


def replay_backtrace(target: Target, calls: Sequence[Call], *, seconds: float = 120.0) -> str:
    """Make the calls in a fresh worker under gdb; return its transcript with the backtraces.

    The transcript contains ``clconform: the sequence ran to its end`` if the process survived all calls. HarnessError
    as for ``command_backtrace``, and for a simulated platform, because it has no driver to debug.
    """
    if target.kind == "simulated":
        raise HarnessError("a simulated platform has no driver to debug with gdb; replay it without --gdb")
    program = target.worker_command()
    with tempfile.NamedTemporaryFile(prefix="clconform-calls-", suffix=".json") as file:
        Path(file.name).write_bytes(msgspec.json.encode(list(calls)))
        return command_backtrace([*program.argv, "--replay", file.name], program.environment, seconds=seconds)


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
    return output.decode("utf-8", "backslashreplace")[-_MAX_OUTPUT_CHARACTERS:]
