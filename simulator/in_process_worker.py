"""A worker that runs a simulated platform in the session's process, which avoids process switches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.protocol import Request, RequestRefused
from clconform.harness import BadCall, Deadlines, HarnessError, Target, Worker
from clconform.harness.platform_client import SimulatedClient
from clconform.harness.worker_process import WorkerProcess
from clconform.simulator.server import SimulatorServer
from clconform.simulator.topologies import require_platform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.simulator.answer_policy import FirstAllowedPolicy
    from clconform.simulator.server import Change

_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)


class _OwnProcess(WorkerProcess):
    """The session's process in the role of a platform's process; only the session ends it."""

    def __init__(self, server: SimulatorServer, target: Target) -> None:
        self._server = server
        self._target = target
        self._ended = self.may_be_held = False
        self.pid = os.getpid()

    @property
    def has_died(self) -> bool:
        return False

    def exchange(self, message: bytes, seconds: float) -> bytes:
        del seconds
        if self._ended:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        request = _requests.decode(message)
        answer = self._server.reply(request)
        if answer is None:
            raise NotImplementedError(f"a simulated platform in this process has no answer to {type(request).__name__}")
        if isinstance(answer, RequestRefused):
            raise BadCall(answer.reason)
        return msgspec.msgpack.encode(answer)

    def queue_message(self, message: bytes) -> None:
        self._server.reply(_requests.decode(message))

    def truncate_log(self) -> None:
        """Do nothing: a simulated platform prints nothing."""

    def output_tail(self) -> str:
        return ""

    def check_machine(self) -> None:
        """Do nothing: a simulated platform in this process needs nothing of the machine."""

    def end(self, patience: float) -> None:
        """Do nothing: after an outcome that ends a process, the platform can still be used; ``close`` ends it."""

    def close(self) -> None:
        self._ended = True


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
        self._target = Target.simulated(topology)
        server = SimulatorServer(topology, plan, change)
        if choices is not None:
            server.simulation.choices = choices
        self._process = _OwnProcess(server, self._target)
        self._client = SimulatedClient(self._process)
        server.simulation.session = self.pid = self._process.pid
        self.greeting, self.startup_seconds = server.simulation.build_greeting(), 0.0

    def forget_objects(self, names: Iterable[str]) -> None:
        """Do nothing: a simulated platform never reuses the name of an object."""
