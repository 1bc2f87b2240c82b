"""The platform of a worker: a driver (``harness/driver.py``), or a simulated platform in another Python process."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Protocol

import msgspec

from clconform.calls.call import Absent, Begun, Call, Died, Hung, Returned
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    BeginExample,
    CallEnded,
    CallPending,
    ConcurrentOutcomes,
    ForgetObjects,
    Greeting,
    KeepObject,
    MakeCall,
    MakeConcurrentCalls,
    RequestRefused,
    RestoreObject,
    TargetReached,
    TargetUnreachable,
    WorkerReply,
)
from clconform.harness.errors import BadCall, HarnessError, fold_line
from clconform.harness.worker_process import ProcessEndedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.protocol import Request
    from clconform.harness.driver_process import DriverProcess

_encode = msgspec.msgpack.Encoder().encode
_replies: msgspec.msgpack.Decoder[WorkerReply] = msgspec.msgpack.Decoder(WorkerReply)
_greetings: msgspec.msgpack.Decoder[Greeting] = msgspec.msgpack.Decoder(Greeting)
_INVALID = (msgspec.MsgspecError, ValueError, RecursionError)


class PlatformClient(Protocol):
    """Makes calls by name.

    ``seconds``: the deadline in seconds. All methods with it raise ProcessEndedError if the process ends, BadCall if a
    call cannot be made, and HarnessError if the process has ended before.
    """

    def make_call(self, call: Call, seconds: float) -> Returned | Absent | CallEnded:
        """Make a call; add its positions while other host threads have calls in flight."""

    def make_concurrent_calls(self, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make calls concurrently, each on a host thread; return their outcomes in order."""

    def make_calls_in_turn(self, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make calls one after the other, whatever they return; return their outcomes in order."""

    def begin_call(self, host_thread: int, call: Call, seconds: float) -> Begun | Absent:
        """Begin a call on a host thread."""

    def await_call(self, host_thread: int, wait: float, seconds: float) -> CallEnded | CallPending:
        """Wait up to ``wait`` seconds for the call on a host thread."""

    def begin_example(self) -> None:
        """Begin an example: only platforms and root devices keep their names."""

    def forget_objects(self, names: Iterable[str]) -> None:
        """Forget objects that no longer exist, so that their addresses may belong to new objects."""

    def put_aside(self, name: str) -> None:
        """Keep an object for later examples, under a number instead of its name; objects are numbered from 0."""

    def take_back(self, number: int, seconds: float) -> Returned:
        """Return the new name of an object that was put aside."""


class SimulatedClient:
    """A platform that answers requests with names in another process (``simulator/server.py``)."""

    def __init__(self, process: DriverProcess) -> None:
        """Expect a greeting from a new process."""
        self._process = process

    def receive_greeting(self, seconds: float) -> TargetReached:
        """Return the first message of the process; HarnessError if there is no such platform."""
        try:
            greeting = _greetings.decode(self._process.receive_first(seconds))
        except _INVALID:
            raise ProcessEndedError(self._process.end_corrupted()) from None
        self._process.note_driver_process()
        if isinstance(greeting, TargetUnreachable):
            raise HarnessError(fold_line(greeting.reason, 2000))
        return greeting

    def make_call(self, call: Call, seconds: float) -> Returned | Absent | CallEnded:
        """Make a call, as described in ``PlatformClient``."""
        reply = self._request(MakeCall(call), seconds)
        return reply if isinstance(reply, (Returned, Absent, CallEnded)) else self._reject()

    def make_concurrent_calls(self, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make calls concurrently, as described in ``PlatformClient``."""
        reply = self._request(MakeConcurrentCalls(list(calls)), seconds)
        if not isinstance(reply, ConcurrentOutcomes) or len(reply.outcomes) != len(calls):
            self._reject()
        return reply.outcomes

    def make_calls_in_turn(self, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make calls one after the other, as described in ``PlatformClient``."""
        made = [self.make_call(call, seconds) for call in calls]
        return [each.outcome if isinstance(each, CallEnded) else each for each in made]

    def begin_call(self, host_thread: int, call: Call, seconds: float) -> Begun | Absent:
        """Begin a call on a host thread, as described in ``PlatformClient``."""
        reply = self._request(BeginCall(host_thread, call), seconds)
        return reply if isinstance(reply, (Begun, Absent)) else self._reject()

    def await_call(self, host_thread: int, wait: float, seconds: float) -> CallEnded | CallPending:
        """Wait for the call on a host thread, as described in ``PlatformClient``."""
        reply = self._request(AwaitCall(host_thread, wait), seconds)
        return reply if isinstance(reply, (CallEnded, CallPending)) else self._reject()

    def begin_example(self) -> None:
        """Begin an example, as described in ``PlatformClient``."""
        self._send(BeginExample())

    def forget_objects(self, names: Iterable[str]) -> None:
        """Forget objects, as described in ``PlatformClient``."""
        self._send(ForgetObjects(list(names)))

    def put_aside(self, name: str) -> None:
        """Keep an object, as described in ``PlatformClient``."""
        self._send(KeepObject(name))

    def take_back(self, number: int, seconds: float) -> Returned:
        """Return the new name of an object, as described in ``PlatformClient``."""
        reply = self._request(RestoreObject(number), seconds)
        return reply if isinstance(reply, Returned) else self._reject()

    def _send(self, request: Request) -> None:
        """Send a request without a reply."""
        self._process.queue_message(_encode(request))

    def _request(self, request: Request, seconds: float) -> WorkerReply:
        try:
            reply = _replies.decode(self._process.exchange(_encode(request), seconds))
        except _INVALID:
            self._reject()
        if isinstance(reply, RequestRefused):
            raise BadCall(reply.reason)
        if isinstance(reply, (Died, Hung)):
            self._process.end(0)
            raise ProcessEndedError(reply)
        return reply

    def _reject(self) -> NoReturn:
        """End the process after a reply that is impossible for its request."""
        raise ProcessEndedError(self._process.end_corrupted())
