"""Forks workers from a process that has already imported all modules, because imports dominate a worker's start.

The main thread of a session's process starts such a template process. The template serves all threads and ends with
the session's process. Its forks are children of the session's process, like other workers (``CLONE_PARENT``), and die
with the main thread. A template has one thread and never loads a driver: each worker loads its driver itself, in its
own environment. Workers with heap checks use a separate template, because the C library enables them only at program
start.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import platform
import signal
import socket
import subprocess
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, Protocol, TypeAlias

from clconform.harness.children import continue_process
from clconform.harness.sandbox import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.harness.targets import WorkerCommand

_CLONE = {"x86_64": 56, "aarch64": 220, "riscv64": 220}.get(platform.machine(), -1)
_CLONE_PARENT = 0x8000
_clone = ctypes.PyDLL(None).syscall  # keeps the interpreter lock, as os.fork does
_clone.argtypes = (ctypes.c_long, *[ctypes.c_ulong] * 5)
_clone.restype = ctypes.c_long
_START_SECONDS = 300.0
_FORK_SECONDS = 10.0
"""Maximum seconds for a fork by a template that has forked before; the worker is then started in the ordinary way."""
_MAX_REQUEST_BYTES, _MAX_REPLY_BYTES = 1 << 20, 32
_STARTUP_PREFIXES = ("PYTHON", "LD_", "MALLOC_", "GLIBC_")
"""Prefixes of environment variables that only have an effect when a program starts."""
_MAX_PAUSE_SECONDS = 0.05
_HEAP_CHECK_VARIABLE = "MALLOC_CHECK_"
_TemplateKey: TypeAlias = "tuple[tuple[str, ...], bool]"
"""The command of a template, and whether its C library checks the heap."""


class ChildProcess(Protocol):
    """A child of this process, with the interface of ``subprocess.Popen``."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit code; ``subprocess.TimeoutExpired`` after ``timeout`` seconds."""

    def terminate(self) -> None:
        """Send SIGTERM."""


class TemplateProcess(Protocol):
    """The process of a template, with the interface of ``subprocess.Popen``."""

    pid: int

    def kill(self) -> None:
        """Send SIGKILL."""

    def wait(self) -> int:
        """Wait for the end, and return the exit code."""


class _ForkedWorker:
    """A child of this process that a template has forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            try:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # it has ended, and its status was discarded; subprocess also assumes 0
                ended, status = self.pid, 0
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        until, pause = time.monotonic() + (timeout or 0), 0.0005
        while self.poll() is None:
            if timeout is not None and time.monotonic() >= until:
                raise subprocess.TimeoutExpired("a forked worker", timeout)
            time.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)
        return self.returncode or 0

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


def template_processes() -> set[int]:
    """Return the ids of the running template processes of this process."""
    return {template.process_id for template in list(_templates.values())}


class _Template:
    """A running template process.

    ``variables``: the variables of its environment that only have an effect at program start. ``is_forbidden``: a
    sandbox forbids the system call that forks workers.
    """

    is_forbidden: ClassVar[bool] = False

    def __init__(self, program: WorkerCommand) -> None:
        """Start the template; OSError if that fails."""
        self.key, self.variables = _template_key(program), _startup_variables(program.environment)
        self.session = os.getpid()
        self._socket, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        self._socket.settimeout(_START_SECONDS)
        with theirs:
            try:
                self._process = _start_template(program, theirs.fileno())
            except OSError:
                self._socket.close()
                raise

    def can_fork(self, program: WorkerCommand) -> bool:
        """Return whether this template can fork the worker: start-up variables and session's process must be equal."""
        return (self.variables, self.session) == (_startup_variables(program.environment), os.getpid())

    def fork(self, arguments: list[str], environment: Mapping[str, str], output: int) -> ChildProcess | None:
        """Fork a worker with this output descriptor; return None if that fails. The template is then unusable."""
        with suppress(OSError):
            request = json.dumps([arguments, dict(environment), str(Path.cwd())]).encode()
            continue_process(self._process.pid)
            socket.send_fds(self._socket, [request], [output])
            pid = int(self._socket.recv(_MAX_REPLY_BYTES) or b"0")
            self._socket.settimeout(_FORK_SECONDS)
            if pid > 0:
                return _ForkedWorker(pid)
            _Template.is_forbidden = pid < 0
        return None

    @property
    def process_id(self) -> int:
        """The id of the template process."""
        return self._process.pid

    def close(self) -> None:
        """End the template if this process has started it."""
        self._socket.close()
        if self.session == os.getpid():
            self._process.kill()
            self._process.wait()


def _start_template(program: WorkerCommand, requests: int) -> TemplateProcess:
    """Start a template that reads its requests from a descriptor; OSError if that fails."""
    return subprocess.Popen(
        [*program.template, "--starts", str(requests)],
        env=program.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[requests],
    )


_templates_lock = threading.Lock()
_templates: dict[_TemplateKey, _Template] = {}


def fork_worker(program: WorkerCommand, output: int) -> ChildProcess | None:
    """Fork a worker from a template, with a descriptor for the worker's output; None if that is not possible."""
    if not program.template or _CLONE < 0 or _Template.is_forbidden:
        return None
    with _templates_lock:
        template = _templates.get(_template_key(program))
        try:
            if template is None or not template.can_fork(program):
                if threading.current_thread() is not threading.main_thread():
                    return None
                _end_template(template)
                template = _templates[_template_key(program)] = _Template(program)
            child = template.fork(program.argv[len(program.template) :], program.environment, output)
        except OSError:
            child = None
        except BaseException:  # interrupted: the next request must not receive the reply to this request
            _end_template(template)
            raise
        if child is None:
            _end_template(template)
        return child


@atexit.register
def close_templates() -> None:
    """End the templates of this process; the next worker starts a new one."""
    with _templates_lock:
        for template in list(_templates.values()):
            _end_template(template)


def _end_template(template: _Template | None) -> None:
    if template is not None:
        template.close()
        _templates.pop(template.key, None)


def _template_key(program: WorkerCommand) -> _TemplateKey:
    """Return the key of a template: a process has at most one running template per key."""
    return program.template, _HEAP_CHECK_VARIABLE in program.environment


def _startup_variables(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_STARTUP_PREFIXES)}


# functions that run in the template process


def serve_starts(descriptor: int, start: Callable[[list[str]], NoReturn]) -> NoReturn:
    """Fork a worker for each request, until the session's process closes the connection.

    ``start``: runs a worker with its arguments in the new process.
    """
    die_with_parent()
    gc.freeze()
    with socket.socket(fileno=descriptor) as requests:
        while True:
            request, outputs, *_ = socket.recv_fds(requests, _MAX_REQUEST_BYTES, 1)
            if not request:
                os._exit(0)
            pid = _clone(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
            if pid == 0:
                requests.close()
                _run_forked_worker(*json.loads(request), output=outputs[0], start=start)
            os.close(outputs[0])
            requests.sendall(str(pid).encode())


def _run_forked_worker(
    arguments: list[str],
    environment: dict[str, str],
    folder: str,
    *,
    output: int,
    start: Callable[[list[str]], NoReturn],
) -> NoReturn:
    """Run a worker in this forked process, with its environment, working folder and output."""
    code = 1
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.environ.clear()
        os.environ.update(environment)
        with suppress(OSError):
            os.chdir(folder)
        start(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 (the new process must not continue with the template's code)
        traceback.print_exc()
    finally:
        os._exit(code)
