"""Runs of ``clconform`` in processes forked from one that has imported it, because a short run is mostly startup.

A forked run differs from a run in a shell only in that the imports, the rulebook and the page template are loaded. The
run forks the fork server of a simulated platform from itself. The worker processes of the run are forked from its state
before it reads its arguments. Tests of startup, of shell behaviour and of inherited settings start new processes
instead.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import importlib
import json
import multiprocessing.util
import os
import pkgutil
import random
import resource
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NoReturn, cast

from clconform import suites
from clconform.harness import fork_server
from clconform.harness.sandbox import die_with_parent
from clconform.harness.targets import WorkerCommand
from clconform.runner.gate.stop_signals import SIGNALS
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.oracles.engine.rulebook import Rulebook

PRELOADED_MODULES = ("pytest", "clconform.tools.cli", "clconform.tools.run", "clconform.runner.pytest_plugin.run")
"""Loaded with their imports, but without the plugins, because pytest imports those in its own way."""
PLATFORM_PROGRAMS = {"clconform.simulator", "clconform.selftest.faults"}
"""The programs of simulated platforms."""
PLATFORM_MODULES = ("clconform.simulator.server", "clconform.selftest.faults.every_fault")
"""The modules that these programs import, loaded with their own imports."""
SUITE_MODULES = sorted(
    each.name
    for each in pkgutil.walk_packages(suites.__path__, f"{suites.__name__}.")
    if not each.name.rpartition(".")[2].startswith(("test_", "conftest"))
)
"""The helper modules of suites, without test modules, because pytest imports those in its own way."""
SUITES = str(Path(__file__).with_name("suite_runs.py"))
"""A first argument that selects this program instead of a command."""
PYTHON_OPTIONS = ("-m", "-c")
"""Other first arguments: a module name or a program follows, as for the interpreter."""
_START_SECONDS = 60.0
_SERVER_COMMAND = (sys.executable, "-P", __file__, "clconform")
"""The command that starts the fork server. Its last word is in the command line of every harness process."""


class ForkedRun:
    """A process of ``clconform`` with these arguments, in its own folder and session.

    ``stdout`` and ``stderr``: output files. ``environment``: all variables; None for those of the tests.
    ``limit``: a resource number, such as ``resource.RLIMIT_FSIZE``, and its maximum for the process.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        stdout: BinaryIO,
        stderr: BinaryIO,
        environment: Mapping[str, str] | None = None,
        limit: tuple[int, int] | None = None,
    ) -> None:
        variables = dict(os.environ if environment is None else environment)
        file = os.fstat(stderr.fileno())
        errors = "" if file == os.fstat(stdout.fileno()) else f"/proc/{os.getpid()}/fd/{stderr.fileno()}"
        program = WorkerCommand(
            [*_SERVER_COMMAND, json.dumps(limit), str(folder), errors, *words], variables, template=_SERVER_COMMAND
        )
        child = fork_server.fork_worker(program, stdout.fileno())
        if child is None:  # a sandbox may forbid forks
            child = _start_program(words, folder, stdout, stderr, variables, limit)
        self._child = child
        self.pid = child.pid
        until = time.monotonic() + _START_SECONDS
        while not self._has_opened(file) and child.poll() is None:
            assert time.monotonic() < until, "the process does not begin"
            time.sleep(0.001)

    @property
    def returncode(self) -> int | None:
        """The exit code, if known. A caller that waits for the process id itself must set it."""
        return self._child.returncode

    @returncode.setter
    def returncode(self, code: int) -> None:
        self._child.returncode = code

    def _has_opened(self, errors: os.stat_result) -> bool:
        """Return whether the process has opened its stderr file. Before that, this process must keep the file open."""
        with suppress(OSError):
            return os.path.samestat(Path(f"/proc/{self.pid}/fd/2").stat(), errors)
        return False

    def wait(self, seconds: float) -> int:
        """Return the exit code. Raises TimeoutExpired if the process takes longer."""
        return self._child.wait(seconds)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self._child.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, and wait for its end."""
        self.send_signal(signal.SIGKILL)
        self._child.wait(60)


def _start_program(
    words: Sequence[str],
    folder: Path,
    stdout: BinaryIO,
    stderr: BinaryIO,
    variables: Mapping[str, str],
    limit: tuple[int, int] | None,
) -> subprocess.Popen[bytes]:
    """Start a separate program with these arguments instead of forking."""
    return subprocess.Popen(
        [sys.executable, *(words if words[0] in (SUITES, *PYTHON_OPTIONS) else ("-m", "clconform.tools", *words))],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=(lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None,  # noqa: PLW1509
    )


def run(
    folder: Path,
    *words: str,
    environment: Mapping[str, str] | None = None,
    limit: tuple[int, int] | None = None,
    seconds: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder as a forked run, and return its exit code and output.

    ``environment`` and ``limit``: as for ``ForkedRun``.
    """
    read, written = zip(*(map(_open_descriptor, os.pipe(), ("rb", "wb")) for _ in range(2)), strict=True)
    with read[0], read[1], ThreadPoolExecutor(2) as pool:
        with written[0], written[1]:
            process = ForkedRun(
                folder, *words, stdout=written[0], stderr=written[1], environment=environment, limit=limit
            )
        texts = [pool.submit(file.read) for file in read]
        try:
            code = process.wait(seconds)
        finally:
            process.kill()
        out, err = (text.result(seconds).decode() for text in texts)
    return subprocess.CompletedProcess(words, code, out, err)


def start_server(environment: Mapping[str, str]) -> None:
    """Start the fork server for these variables in the main thread. Afterwards, other threads can fork, too."""
    run(Path.cwd(), "--version", environment=environment)


def _open_descriptor(descriptor: int, mode: Literal["rb", "wb"]) -> BinaryIO:
    return cast("BinaryIO", os.fdopen(descriptor, mode))


def _serve(descriptor: int) -> NoReturn:
    """Import the modules of a run, and fork a process for each request."""
    from clconform.reports import html_parts
    from clconform.reports.writer import HTML
    from clconform.runner.journal.header import code_revision
    from clconform.runner.journal.requirement_scope import condition_texts

    for module in (*PRELOADED_MODULES, *SUITE_MODULES):
        importlib.import_module(module)
    condition_texts(load(), _import_platforms())
    code_revision()
    html_parts._environment().get_template(HTML)
    fork_server.serve_starts(descriptor, _run_command)


def _import_platforms() -> Rulebook:
    """Import the modules of simulated platforms, and return the rulebook, which is built once."""
    from clconform.oracles.engine.rulebook import rulebook_of

    for module in PLATFORM_MODULES:
        importlib.import_module(module)
    return rulebook_of(load())


def _run_command(arguments: list[str]) -> NoReturn:
    """Run the requested program in this new process, and end the process."""
    from clconform.tools.cli import main

    limit, folder, errors, *words = arguments
    os.chdir(folder)
    if errors:
        file = os.open(errors, os.O_WRONLY | os.O_APPEND)
        os.dup2(file, 2)
        os.close(file)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in SIGNALS[1:]:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, set(SIGNALS))
    random.seed()
    tempfile.tempdir = None
    if limit := json.loads(limit):
        resource.setrlimit(limit[0], (limit[1], limit[1]))
    fork_server._start_template = _start_fork_server
    if any(word == "-n" or '"-n"' in word for word in words):
        _fork_python_programs()
    if words[0] == SUITES:
        sys.argv = words
        _end_with(lambda: runpy.run_path(SUITES, run_name="__main__"))
    if words[0] in PYTHON_OPTIONS:
        sys.path.insert(0, folder)
        sys.argv = [words[0], *words[2:]]
        _end_with(lambda: _run_python(*words[:2]))
    sys.argv = ["clconform", *words]
    _end_with(main)


def _run_python(option: str, what: str) -> None:
    if option == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(what, {"__name__": "__main__"})  # noqa: S102 (a program of the tests)


def _end_with(carry_out: Callable[[], object]) -> NoReturn:
    """Run a program, then its exit handlers, and exit with its code."""
    code: int | str | None = 0
    try:
        carry_out()
    except SystemExit as end:
        code = end.code
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    raise SystemExit(code)


# the fork servers of simulated platforms, which a run starts as programs


class _ForkServer:
    """The fork server of a simulated platform, forked instead of started as a program."""

    def __init__(self, process: int) -> None:
        self.pid = process

    def kill(self) -> None:
        """Send SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the end, and return the exit code."""
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


_start_template = fork_server._start_template


def _start_fork_server(program: WorkerCommand, requests: int) -> fork_server.TemplateProcess:
    """Fork the fork server of a simulated platform if its modules are loaded here. Otherwise start a program."""
    module = program.template[3]
    variables = fork_server._startup_variables(program.environment)
    receiving = "PYTEST_XDIST_WORKER" in os.environ  # in a thread that holds only the locks of its own messages
    others = threading.active_count() > 1 + receiving  # a lock that another thread holds would stay locked
    if module not in PLATFORM_PROGRAMS or others or variables != fork_server._startup_variables(os.environ):
        return _start_template(program, requests)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about the thread above, since Python 3.12
        process = os.fork()
    if process == 0:
        _run_fork_server(program, requests)
    return _ForkServer(process)


def _run_fork_server(program: WorkerCommand, requests: int) -> NoReturn:
    """Run the fork server in this new process, and end the process."""
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        os.closerange(3, requests)
        os.closerange(requests + 1, os.sysconf("SC_OPEN_MAX"))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in SIGNALS[1:]:
            signal.signal(number, signal.SIG_DFL)
        os.environ.clear()
        os.environ.update(program.environment)
        module, words = program.template[3], program.template[4:]
        sys.argv = [module, *words, "--starts", str(requests)]
        runpy.run_module(module, run_name="__main__")
    finally:
        os._exit(1)


# the processes that share the work of a run: one-line Python programs with some descriptors


class _ProgramForker:
    """A process in its initial state, from which programs are forked."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        self._one = threading.Lock()
        self._process = os.fork()
        if self._process == 0:
            self._socket.close()
            _serve_programs(theirs)
        theirs.close()

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        os.waitpid(self._process, 0)

    def spawn(self, _path: bytes, args: Sequence[bytes], descriptors: Sequence[int]) -> int:
        """Start a process of multiprocessing. The arguments are those of its ``spawnv_passfds``."""
        words = [os.fsdecode(word) for word in args]
        where = words.index("-c")
        return self.start(words[where + 1], words[where + 2 :], {each: each for each in descriptors})

    def start(self, line: str, arguments: Sequence[str], descriptors: Mapping[int, int]) -> int:
        """Start a program with the given descriptor numbers, and return its process id."""
        mask = [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())]
        request = [line, [*arguments], [*descriptors], dict(os.environ), str(Path.cwd()), mask]
        with self._one:
            socket.send_fds(self._socket, [json.dumps(request).encode()], [*descriptors.values()])
            process = int(self._socket.recv(32))
        assert process > 0
        return process


def _serve_programs(requests: socket.socket) -> NoReturn:
    die_with_parent()
    fork_server._start_template = _start_fork_server
    while True:
        request, descriptors, *_ = socket.recv_fds(requests, 1 << 20, 8)
        if not request:
            os._exit(0)
        process = fork_server._clone(fork_server._CLONE, fork_server._CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
        if process == 0:
            requests.close()
            try:
                _run_program(descriptors, *json.loads(request))
            finally:
                os._exit(1)
        for each in descriptors:
            os.close(each)
        requests.sendall(str(process).encode())


def _run_program(
    descriptors: Sequence[int],
    line: str,
    arguments: list[str],
    numbers: list[int],
    environment: dict[str, str],
    folder: str,
    mask: list[int],
) -> None:
    apart = [fcntl.fcntl(each, fcntl.F_DUPFD, 1000) for each in descriptors]
    for each in descriptors:
        os.close(each)
    for each, number in zip(apart, numbers, strict=True):
        os.dup2(each, number)
        os.close(each)
    if 0 in numbers:
        sys.stdin, sys.stdout = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    _set_command_line(sys.executable, "-c", line)
    random.seed()
    sys.argv = ["-c", *arguments]
    code = 1
    try:
        _end_with(lambda: exec(line, {"__name__": "__main__"}))  # noqa: S102 (a line of the libraries below)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    os._exit(code)


def _set_command_line(*words: str) -> None:
    """Set the command line of this process, truncated to the available space."""
    begin, end = (
        int(word) for word in Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()[45:47]
    )
    ctypes.memmove(begin, "\0".join(words).encode()[: end - begin - 1].ljust(end - begin, b"\0"), end - begin)


def _fork_python_programs() -> None:
    """Let this process fork the processes of pytest-xdist and multiprocessing."""
    from execnet import gateway_io

    of_xdist = getattr(gateway_io, "Popen2IOMaster", None)
    if of_xdist is None or not hasattr(multiprocessing.util, "spawnv_passfds"):
        return  # other versions of these libraries start programs: slower, with the same results
    programs = _ProgramForker()

    class Process(of_xdist):
        def __init__(self, args: list[str], execmodel: Any) -> None:
            theirs, ours = zip(os.pipe(), os.pipe()[::-1], strict=True)
            self.popen = _ForkedProgram(programs.start(args[-1], (), {0: theirs[0], 1: theirs[1], 2: 2}))
            for each in theirs:
                os.close(each)
            streams = os.fdopen(ours[0], "wb"), os.fdopen(ours[1], "rb")
            super(of_xdist, self).__init__(*streams, execmodel=execmodel)

    gateway_io.Popen2IOMaster = Process
    multiprocessing.util.spawnv_passfds = programs.spawn


@contextmanager
def forking_processes() -> Iterator[None]:
    """Fork the processes that multiprocessing starts from the current state of this process."""
    whole = getattr(multiprocessing.util, "spawnv_passfds", None)
    if whole is None:
        yield
        return
    _import_platforms()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    programs = _ProgramForker()
    multiprocessing.util.spawnv_passfds = programs.spawn
    try:
        yield
    finally:
        multiprocessing.util.spawnv_passfds = whole
        programs.close()


class _ForkedProgram(fork_server._ForkedWorker):
    """A Python program of pytest-xdist or multiprocessing, forked instead of started."""

    def kill(self) -> None:
        """Send SIGKILL."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


if __name__ == "__main__":
    _serve(int(sys.argv[sys.argv.index("--starts") + 1]))
