"""A session that receives recorded replies instead of a driver's, through the usual shared memory and decoder.

No other process runs. The thread of the session also takes the place of the worker at the mailbox, and replies
immediately.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict, deque
from contextlib import suppress
from typing import IO, TYPE_CHECKING

import msgspec

from clconform.calls.call import Call
from clconform.calls.harness_actions import HAS_RETURNED, JOIN
from clconform.calls.protocol import (
    WITHOUT_REPLY,
    AwaitCall,
    BeginCall,
    BeginExample,
    MakeCall,
    MakeConcurrentCalls,
    Request,
)
from clconform.harness import BadCall, Deadlines, HarnessError, Target, Worker
from clconform.harness.mailbox import ClosedMailbox, CorruptedMessage, Mailbox, create_segment, release_segment
from clconform.harness.worker_process import WorkerProcess
from clconform.runner.session.errors import CallNotAllowedError, ExampleOverError, UndefinedCallError
from clconform.runner.session.self_limits import SelfLimits
from clconform.runner.session.session import Session
from clconform.selftest.fuzzing.exchanges import ExchangeFormatError, decode_request, get_request_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.harness.fork_server import ChildProcess
    from clconform.runner.journal.recorder import Recorder
    from clconform.selftest.fuzzing.exchanges import Exchange
    from clconform.spec_tables import Tables

SECONDS = 0.02
"""The deadline of every call and of the start, in seconds."""
OWN_SECONDS, OWN_BYTES = 20.0, 4 << 30
"""The limits on the session's own work between two calls."""
_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)


class UnexpectedError(Exception):
    """A HarnessError ended a session or an example, although no start of a worker had failed."""


class RecordedAnswers:
    """The recorded replies by request.

    Each reply is returned once, but the last reply to a request is returned repeatedly.

    A request that was not recorded does not have a reply.
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Sort exchanges by request; ExchangeFormatError if a request is invalid."""
        self._of: dict[bytes, deque[Exchange]] = defaultdict(deque)
        for exchange in exchanges:
            self._of[get_request_key(decode_request(exchange)) if exchange.request else b""].append(exchange)

    def get_next(self, key: bytes) -> Exchange | None:
        """Return the next exchange for the requests with a key of ``get_request_key``; None if none was recorded."""
        known = self._of.get(key)
        if not known:
            return None
        return known.popleft() if len(known) > 1 else known[0]


class _DummyProcess:
    """Takes the place of the worker's process.

    It has the id of the current process. Waiting for it and terminating it have no effect.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        del timeout
        self.returncode = 0
        return 0

    def terminate(self) -> None:
        self.returncode = 0


class ReplayMailbox(Mailbox):
    """The session's mailbox, which receives recorded replies.

    The first one is the reply for the start of the worker.
    """

    def __init__(self, answers: RecordedAnswers) -> None:
        segment = create_segment()
        super().__init__(segment, driver=False, has_ended=lambda: False)
        self._other = Mailbox(segment, driver=True, has_ended=lambda: False)
        release_segment(segment)
        self._answers = answers
        self.process = os.getpid()
        self._post_answer(b"")

    def send(self, message: bytes, seconds: float | None = None) -> bool:
        """Send a request as ``Mailbox.send`` does, and put the recorded reply into the mailbox.

        Return whether the request was sent.
        """
        sent = super().send(message, seconds)
        with suppress(ClosedMailbox, CorruptedMessage, msgspec.MsgspecError, RecursionError):
            while sent:
                body = self._other.receive(0)
                if body is None:
                    break
                request = _requests.decode(body)
                if not isinstance(request, WITHOUT_REPLY):
                    self._post_answer(get_request_key(request))
                    break  # the session waits; the request has been overwritten
        return sent

    def _post_answer(self, key: bytes) -> None:
        exchange = self._answers.get_next(key)
        if exchange is None:
            return
        if exchange.answer:
            self._other.send(exchange.answer, 0)
        for offset, content in exchange.writes:
            fitting = content[: max(0, len(self._map) - offset)]
            self._map[offset : offset + len(fitting)] = fitting
        if exchange.status >= 0:
            self._other.set_ended(exchange.status & 0xFFFFFFFF)


class _ReplayProcess(WorkerProcess):
    """The part of a process that the session sees, without a process."""

    def __init__(self, target: Target, answers: RecordedAnswers) -> None:
        self._answers = answers
        super().__init__(target)

    def _start(self, target: Target) -> tuple[ChildProcess, Mailbox, IO[bytes]]:
        del target
        log = tempfile.TemporaryFile(mode="ab+", buffering=0)  # noqa: SIM115 (lives as long as the worker)
        return _DummyProcess(), ReplayMailbox(self._answers), log


class ReplayWorker(Worker):
    """A worker without a process."""

    def __init__(self, target: Target, answers: RecordedAnswers) -> None:
        self._answers = answers
        super().__init__(target, deadlines=Deadlines(SECONDS, SECONDS, SECONDS), start_seconds=SECONDS)

    def _start_process(self, target: Target, *, backtraces: bool) -> WorkerProcess:
        del backtraces
        return _ReplayProcess(target, self._answers)


class ReplaySession(Session):
    """A session whose workers do not have a process."""

    def __init__(self, answers: RecordedAnswers, tables: Tables, recorder: Recorder) -> None:
        own = SelfLimits(OWN_SECONDS, OWN_BYTES)
        try:
            with own.limit_block():
                super().__init__(
                    Target.simulated("recorded"),
                    tables,
                    recorder,
                    robustness=True,
                    keeps_contexts="always",
                    own_work=own,
                    start=lambda target, _deadlines: ReplayWorker(target, answers),
                )
        except HarnessError as error:
            if hasattr(self, "base") and error is not self.process.start_error:
                raise UnexpectedError(str(error)) from error
            raise


def get_example_requests(exchanges: Sequence[Exchange]) -> list[list[Request]]:
    """Return the requests of each example after the first; ExchangeFormatError if a request is invalid."""
    found: list[list[Request]] = []
    for exchange in exchanges:
        if exchange.request:
            request = decode_request(exchange)
            if isinstance(request, BeginExample):
                found.append([])
            elif found:
                found[-1].append(request)
    return found


def replay_exchanges(exchanges: Sequence[Exchange], tables: Tables, recorder: Recorder) -> int:
    """Open a session with recorded replies and make the recorded calls; return the number of judged calls.

    ExchangeFormatError: a request is invalid. HarnessError: the session does not open, because no recorded start
    reports a testable platform. Any other exception is an error of this project: unexpected replies may only end the
    current example.
    """
    examples = get_example_requests(exchanges)
    with_session = ReplaySession(RecordedAnswers(exchanges), tables, recorder)
    try:
        for number, requests in enumerate(examples):
            recorder.begin_item(f"example {number}")
            _run_example(with_session, requests)
        return with_session.call_count
    finally:
        with_session.close()


def _run_example(session: ReplaySession, requests: Iterable[Request]) -> None:
    """Make the calls of one example; skip calls that are not possible in the current state."""
    try:
        with session.self_limits.limit_block(), session.example():
            for request in requests:
                with suppress(UndefinedCallError, CallNotAllowedError):
                    _make_request(session, request)
    except (BadCall, ExampleOverError):
        return
    except HarnessError as error:
        if error is not session.process.start_error:
            raise UnexpectedError(str(error)) from error


def _make_request(session: ReplaySession, request: Request) -> None:
    match request:
        case MakeCall(call):
            session.call(call)
        case MakeConcurrentCalls(calls):
            try:
                session.call_concurrently(calls)
            except BadCall:
                raise
            except ValueError:  # the calls may conflict in the current state of the model
                for call in calls:
                    session.call(call)
        case BeginCall(host_thread, call):
            session.host_thread(host_thread).call(call)
        case AwaitCall(host_thread, _):
            session.call(Call(HAS_RETURNED, {"host_thread": host_thread, "milliseconds": 1}))
            session.call(Call(JOIN, {"host_thread": host_thread}))
        case _:
            raise ExchangeFormatError(f"{type(request).__name__} is none of the requests that are repeated")
