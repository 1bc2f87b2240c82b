"""The process of a worker as the session uses it: its start, its messages, its end, and who is the cause of the end.

The process may run a driver or a simulated platform. A crash or a hang ends it (``ProcessEndedError``); to continue,
the caller starts another one.
"""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from typing import IO, TYPE_CHECKING, TypeVar

from clconform.calls.call import GARBAGE, Died, Hung
from clconform.harness import backtrace, context_lock
from clconform.harness.children import continue_process, has_lost_main_thread, is_child, is_stopped
from clconform.harness.cpu_affinity import CoreBinding
from clconform.harness.errors import HarnessError
from clconform.harness.fork_server import fork_worker
from clconform.harness.host_shortages import ShortageError
from clconform.harness.machine_needs import MachineWatch
from clconform.harness.mailbox import ClosedMailbox, CorruptedMessage, Mailbox
from clconform.harness.process_state import ProcessState
from clconform.harness.slow_calls import SlowCall, observe_processes, used_seconds, wait_beyond_deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Call
    from clconform.harness.fork_server import ChildProcess
    from clconform.harness.targets import Target, WorkerCommand

_T = TypeVar("_T")
_End = TypeVar("_End", Died, Hung)
EXIT_SECONDS = 2.0
_REAPING_SECONDS = 5.0
_OUTPUT_TAIL_BYTES = 4000
_MAX_LOG_BYTES = 1 << 24


class ProcessEndedError(Exception):
    """The process has ended, or was ended.

    ``outcome``: how. ``call``: the call in flight during the start of a driver; None if there was none.
    """

    def __init__(self, outcome: Died | Hung) -> None:
        super().__init__(repr(outcome))
        self.outcome = outcome
        self.call: Call | None = None


class WorkerProcess:
    """A running process below its supervisor. It dies with the thread that started it.

    ``pid``: process id of the driver's process. ``may_be_held``: the call in flight may release a context, so that
    other processes may block it.
    """

    pid: int

    def __init__(
        self,
        target: Target,
        *,
        backtraces: bool = False,
        prefix: Sequence[str] = (),
        options: Sequence[str] = (),
    ) -> None:
        """Start the process; HarnessError if that fails.

        ``backtraces``: as for ``Worker``. ``prefix``, ``options``: words before and after the command of the process.
        """
        self._backtraces = backtraces
        self._prefix, self._options = prefix, options
        self._target = target
        self._machine = MachineWatch(for_driver=target.kind != "simulated")
        self._process, self._mailbox, self._log = self._start(target)
        self._ended, self._extra_seconds = False, 0.0
        self._driver_handle: int | None = None
        self._has_lost_main_thread = False
        self.may_be_held = False
        self.subject = ""
        self._binding = CoreBinding()
        self.pid = self._process.pid

    def _start(self, target: Target) -> tuple[ChildProcess, Mailbox, IO[bytes]]:
        """Start a process for a target; return the process, the session's mailbox and the log file."""
        program = target.worker_command()
        program.argv[:] = [*self._prefix, *program.argv, *self._options]
        return _start_process(program, self._has_ended)

    @property
    def is_alive(self) -> bool:
        """Whether the process accepts messages, as far as the last one has shown."""
        return not self._ended

    @property
    def has_died(self) -> bool:
        """Whether the process has ended by itself; the next message detects this."""
        return self.is_alive and self._process.poll() is not None

    def note_driver_process(self) -> None:
        """Store the id of the driver's process, when its first message has arrived."""
        self.pid = self._find_driver()
        if self.pid != self._process.pid:  # the id is known
            with suppress(OSError):
                self._driver_handle = os.pidfd_open(self.pid)

    def read_state(self) -> ProcessState:
        """Return the limits and properties of the driver's process, for comparisons with later ones."""
        return ProcessState(self.pid)

    def exchange(self, message: bytes, seconds: float) -> bytes:
        """Send a message, and return the reply.

        ProcessEndedError if the process has ended, or has not replied within ``seconds``. HarnessError if it had ended
        before. ShortageError if the machine lacks something that a driver needs, so that the end is not evidence.
        """
        if self._ended:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        mailbox, core = self._mailbox, self._binding.bind()
        mailbox.set_core(core)
        try:
            sent = mailbox.send(message, seconds)
            if sent and mailbox.has_message:  # usually: the peer has run on this core
                reply = mailbox.receive(seconds)
            else:
                reply = self._receive_reply(seconds) if sent else None
        except (ClosedMailbox, CorruptedMessage) as event:
            raise ProcessEndedError(self._explain_end(event)) from None
        except BaseException:  # interrupted: the next request must not receive the reply to this request
            self.end(0)
            raise
        finally:
            if core >= 0:
                self._binding.restore()
        if reply is None:
            raise ProcessEndedError(self.end_hung(seconds))
        return reply

    def receive_first(self, seconds: float) -> bytes:
        """Return the first message of the process; errors as for ``exchange``."""
        try:
            body = self._receive_reply(seconds)
        except (ClosedMailbox, CorruptedMessage) as event:
            raise ProcessEndedError(self._explain_end(event)) from None
        if body is None:
            raise ProcessEndedError(self.end_hung(seconds))
        return body

    def queue_message(self, message: bytes) -> None:
        """Send a message without a reply before the next one that has a reply."""
        self._mailbox.queue_message(message)

    def _receive_reply(self, seconds: float) -> bytes | None:
        """Return the next message; None if it has not arrived within ``seconds``, and the driver only waits."""
        return self.wait_beyond_deadline(self._mailbox.receive, seconds)

    def wait_beyond_deadline(self, wait: Callable[[float], _T | None], seconds: float) -> _T | None:
        """Return the result of ``wait``, which waits for a number of seconds; None if it has none in time.

        The deadline of ``seconds`` is extended while the driver works or is blocked: by the kernel or, if the call may
        release a context, by processes that create or release contexts.
        """
        found, self._extra_seconds = wait_beyond_deadline(
            wait, seconds, functools.partial(self.watch_slow_call, seconds), self._is_held
        )
        return found

    def _is_held(self) -> bool:
        """Return whether other processes may block the call."""
        return self.may_be_held and context_lock.is_context_lock_held()

    def watch_slow_call(self, deadline: float) -> SlowCall:
        """Begin to watch whether the processes of the driver work; ``deadline``: of the call, in seconds."""
        return SlowCall(
            functools.partial(observe_processes, self._process.pid), used_seconds(self._process.pid), deadline
        )

    def output_tail(self) -> str:
        """Return the end of the process's output; the text is untrusted and not escaped."""
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _OUTPUT_TAIL_BYTES, max(0, size - _OUTPUT_TAIL_BYTES))
        return tail.decode("utf-8", "backslashreplace").strip()

    def truncate_log(self) -> None:
        """Delete the output of the process if it has become large."""
        if os.fstat(self._log.fileno()).st_size > _MAX_LOG_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def close(self) -> None:
        """End the process and all processes that it started; further calls do nothing."""
        if self.is_alive:
            self.end(EXIT_SECONDS)
        self._log.close()

    # the end

    def _has_ended(self) -> bool:
        """Return whether the process has ended, or its main thread, which makes the calls.

        This is called while waiting, so it also limits the size of the log, and continues a supervisor that the driver
        has stopped.
        """
        self.truncate_log()
        if self._process.poll() is not None:
            return True
        if is_stopped(self._process.pid):
            continue_process(self._process.pid)
        self._has_lost_main_thread = has_lost_main_thread(self._find_driver())
        return self._has_lost_main_thread

    def _find_driver(self) -> int:
        """Return the id of the driver's process, or that of its supervisor if the driver has overwritten the id."""
        stored = self._mailbox.process
        return stored if is_child(stored, self._process.pid) else self._process.pid

    def _explain_end(self, event: ClosedMailbox | CorruptedMessage) -> Died:
        """Return how the process ended, and end it after an invalid message; ShortageError as for ``exchange``."""
        if isinstance(event, CorruptedMessage):
            return self.end_corrupted()
        return self._attribute_end(self._collect_death())

    def _collect_death(self) -> Died:
        """Return how the process ended, and clean up after it.

        The driver has overwritten the memory for messages if the status that the mailbox states is not that of the end,
        or if the process has left its loop over the requests, although the session has not closed the mailbox.
        """
        if self._has_lost_main_thread:
            self.end(0)
            return Died("exit", "of the main thread", self.output_tail())
        first, is_running = self._mailbox.status, self._process.poll() is None
        self.end(EXIT_SECONDS)
        status = self._mailbox.status
        is_forged = is_running if first is None else first != status
        if is_forged or (status is not None and self._mailbox.has_left) or not _is_possible_status(status):
            return Died(GARBAGE, "", self.output_tail())
        if status is None or os.WIFSIGNALED(status):
            number = os.WTERMSIG(status) if status is not None else signal.SIGKILL
            detail = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            how = {"SIGABRT": "abort", "SIGKILL": "killed"}.get(detail, "signal")
        else:
            how, detail = "exit", str(os.waitstatus_to_exitcode(status))
        return Died(how, detail, self.output_tail())

    def _attribute_end(self, outcome: _End) -> _End:
        """Return the outcome if the driver may be the cause; ShortageError if the machine lacks something it needs."""
        detail = outcome.detail if isinstance(outcome, Died) else ""
        missing = self._machine.find_shortage(detail)
        if missing:
            how = f"ended ({outcome.how} {detail})" if isinstance(outcome, Died) else "did not respond"
            raise ShortageError(f"the process of {self._target} {how}, perhaps because of a shortage: {missing}")
        return outcome

    def check_machine(self) -> None:
        """Raise ShortageError if the machine has lacked something since the start, so that failures are no evidence."""
        missing = self._machine.find_shortage()
        if missing:
            raise ShortageError(missing)

    def end_corrupted(self) -> Died:
        """End the process after a message that it cannot have sent; return this as its end."""
        self.end(0)
        return Died(GARBAGE, "", self.output_tail())

    def end_hung(self, deadline: float) -> Hung:
        """End the process after a call that has not returned within its deadline; ShortageError as for ``exchange``."""
        text = ""
        if self._backtraces:
            with suppress(HarnessError):
                text = backtrace.process_backtrace(self._find_driver())
        self.end(0)
        return self._attribute_end(Hung(deadline, text, float(round(self._extra_seconds))))

    def end(self, patience: float) -> None:
        """Wait ``patience`` seconds for the process to end, then let its supervisor kill it and its descendants."""
        self._ended = True
        self._mailbox.close()
        try:
            if not (patience and self._wait_for_end(patience)):
                self._process.terminate()
                continue_process(self._process.pid)  # a stopped process would not receive the signal
                self._wait_for_end(_REAPING_SECONDS)
        finally:
            if self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)  # the driver's process dies with its supervisor
                self._process.wait()
            self._kill_driver()
            self._mailbox.detach()

    def _kill_driver(self) -> None:
        """Kill the driver's process if it has outlived its supervisor."""
        if self._driver_handle is not None:
            with suppress(OSError):
                signal.pidfd_send_signal(self._driver_handle, signal.SIGKILL)
            os.close(self._driver_handle)
            self._driver_handle = None

    def _wait_for_end(self, seconds: float) -> bool:
        """Wait until the supervisor, the last of the processes, has ended; return whether it ended in time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None


def _is_possible_status(status: int | None) -> bool:
    """Return whether a process may have ended with this status; None: its supervisor has not stored one."""
    return status is None or os.WIFSIGNALED(status) or os.WIFEXITED(status)


def _start_process(program: WorkerCommand, has_ended: Callable[[], bool]) -> tuple[ChildProcess, Mailbox, IO[bytes]]:
    """Start the process of a command; return the process, the session's mailbox and the log file."""
    log = tempfile.TemporaryFile(mode="ab+", buffering=0)  # noqa: SIM115 (lives as long as the worker)
    try:
        mailbox, segment = Mailbox.create(has_ended)
        program.argv.extend(("--mailbox", str(segment)))
        process = fork_worker(program, log.fileno()) or subprocess.Popen(
            program.argv,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    except HarnessError:
        log.close()
        raise
    except OSError as error:
        log.close()
        raise HarnessError(f"cannot start a worker: {error}") from error
    return process, mailbox, log
