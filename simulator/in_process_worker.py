"""A worker that runs a simulated platform in the session's process, which avoids process switches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.protocol import BeginExample, Request, RequestRefused, WorkerReply
from clconform.harness import BadCall, Deadlines, HarnessError, Target, Worker
from clconform.simulator.server import SimulatorServer
from clconform.simulator.topologies import require_platform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.simulator.answer_policy import FirstAllowedPolicy
    from clconform.simulator.server import Change

_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_answers: msgspec.msgpack.Decoder[WorkerReply] = msgspec.msgpack.Decoder(WorkerReply)


class InProcessWorker(Worker):
    """A worker for a simulated platform in the session's process; it does not keep objects between examples.

    Requests and replies are encoded as between processes, so that platform and session do not share objects.
    """

    def __init__(
        self,
        topology: str,
        *,
        deadlines: Deadlines | None = None,
        change: Change | None = None,
        choices: FirstAllowedPolicy | None = None,
    ) -> None:
        """Create the platform; HarnessError for an unknown name.

        ``change``: a fault that does not end the process. ``choices``: chooses the results; by default the first
        allowed ones.
        """
        plan = require_platform(topology)
        self.deadlines = deadlines or Deadlines()
        self._backtraces, self._ended = False, False
        self._target = Target.simulated(topology)
        self._server = SimulatorServer(topology, plan, change)
        if choices is not None:
            self._server.simulation.choices = choices
        self._server.simulation.session = self.pid = os.getpid()
        self.greeting, self.startup_seconds = self._server.simulation.build_greeting(), 0.0

    @property
    def has_died(self) -> bool:
        """Return False: only the session ends this worker."""
        return False

    def begin_example(self) -> None:
        """Start an example, as ``Worker.begin_example`` does."""
        self._server.reply(BeginExample())

    def forget_objects(self, names: Iterable[str]) -> None:
        """Do nothing: a simulated platform never reuses the name of an object."""

    def check_machine(self) -> None:
        """Do nothing: a simulated platform in this process needs nothing of the machine."""

    def output_tail(self) -> str:
        """Return an empty string: a simulated platform prints nothing."""
        return ""

    def close(self) -> None:
        """End the worker."""
        self._ended = True

    def _exchange_messages(self, request: Request, deadline: float) -> WorkerReply:
        del deadline
        if not self.is_alive:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        answer = self._server.reply(_requests.decode(msgspec.msgpack.encode(request)))
        if answer is None:
            raise NotImplementedError(f"a simulated platform in this process has no answer to {type(request).__name__}")
        if isinstance(answer, RequestRefused):
            raise BadCall(answer.reason)
        return _answers.decode(msgspec.msgpack.encode(answer))

    def _end_process(self, patience: float) -> None:
        del patience
        self._ended = True
