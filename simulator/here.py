"""A simulated platform in the process of its session: a worker that needs no process, and no time to reach one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.protocol import Answer, Begin, Refused, Request
from clconform.harness import BadCall, Deadlines, HarnessError, Target, Worker
from clconform.simulator.serving import Server
from clconform.simulator.topologies import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.simulator.serving import Change

_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)


class Here(Worker):
    """A worker for a simulated platform that is in this process; it keeps no objects from one example to the next.

    Requests and answers are encoded as they are between processes, so that neither side sees the other's objects.
    """

    def __init__(self, topology: str, *, deadlines: Deadlines | None = None, change: Change | None = None) -> None:
        """Make the platform; HarnessError if there is none of that name. ``change``: a fault that ends no process."""
        plan = plan_of(topology)
        if plan is None:
            raise HarnessError(f"unknown topology {topology!r}; clconform platforms lists them")
        self.deadlines = deadlines or Deadlines()
        self._backtraces, self._ended = False, False
        self._target = Target.simulated(topology)
        self._server = Server(topology, plan, change)
        self._server.simulation.session = self.pid = os.getpid()
        self.greeting, self.started_in = self._server.simulation.reached(), 0.0

    @property
    def has_died(self) -> bool:
        """Never: nothing ends it but its session."""
        return False

    def begin(self) -> None:
        """Start an example, as ``Worker.begin`` does."""
        self._server.reply(Begin())

    def forget(self, names: Iterable[str]) -> None:
        """Do nothing: a simulated platform gives each object a name of its own."""

    def said(self) -> str:
        """Return nothing: it prints nothing."""
        return ""

    def close(self) -> None:
        """End the worker."""
        self._ended = True

    def _exchange(self, request: Request, allowed: float) -> Answer:
        del allowed
        if not self.alive:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        answer = self._server.reply(_requests.decode(msgspec.msgpack.encode(request)))
        if answer is None:
            raise NotImplementedError(f"a simulated platform in this process has no answer to {type(request).__name__}")
        if isinstance(answer, Refused):
            raise BadCall(answer.reason)
        return _answers.decode(msgspec.msgpack.encode(answer))

    def _is_held_up(self, until: float, request: Request | None = None) -> bool:
        del until, request
        return False

    def _end(self, patience: float) -> None:
        del patience
        self._ended = True
