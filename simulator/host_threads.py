"""Pending calls on host threads of the simulated platform; a seeded scheduler chooses the order of their returns.

A call inside a callback is made when the callback is invoked. Any other call returns at its ``host_join`` at the
latest. Before that it may return after any other call, once the event that it waits for has occurred: over many
examples every allowed order occurs, and the same calls always have the same order.
"""

from __future__ import annotations

import itertools
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Begun, Call, Hung, Outcome, Returned
from clconform.calls.protocol import CallEnded, CallPending, RequestRefused
from clconform.oracles.contents.access_rules import find_endless_wait
from clconform.oracles.engine.call_context import CallContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.protocol import WorkerReply
    from clconform.simulator.platform import Simulation

    Change = Callable[[Simulation, Call, Outcome], Outcome]


@dataclass
class _PendingCall:
    """A call on a host thread, with its outcome and the position of its return once it has returned."""

    call: Call
    entered: int
    outcome: Outcome | None = None
    returned: int = 0


class SimulatedHostThreads:
    """The host threads of one simulated platform; ``change``: the planted fault."""

    def __init__(self, simulation: Simulation, change: Change, seed: int) -> None:
        self._simulation, self._change, self._seed = simulation, change, seed
        self.begin_example()

    def begin_example(self) -> None:
        """Forget all calls."""
        self._positions = itertools.count(1)
        self._under_way: dict[int, _PendingCall] = {}
        self._history = ""

    def make_call(self, call: Call, answer: Callable[[Call], WorkerReply]) -> WorkerReply:
        """Make a call, and let some pending calls return after it; add its positions if calls were pending before."""
        if not self._under_way:
            return answer(call)
        entered = next(self._positions)
        outcome = answer(call)
        if not isinstance(outcome, (Returned, Absent)):
            return outcome
        ended = CallEnded(outcome, entered, next(self._positions))
        self._call_inside_callbacks(outcome)
        self._return_some(call)
        return ended

    def begin_call(self, host_thread: int, call: Call) -> WorkerReply:
        """Begin an OpenCL call on a host thread.

        If the call has to wait, it returns immediately only if a fault causes this.
        """
        if host_thread in self._under_way:
            return RequestRefused(f"a call is in flight on host thread {host_thread}; end it first")
        if host_thread in self._simulation.model.callback_threads:
            self._under_way[host_thread] = _PendingCall(call, 0)
            self._simulation.model.reentrant_calls[host_thread] = call
            return Begun()
        begun = self._under_way[host_thread] = _PendingCall(call, next(self._positions))
        if self._must_wait(call):
            hasty = self._change(self._simulation, call, Hung(0.0))
            if isinstance(hasty, Returned):
                begun.outcome, begun.returned = hasty, next(self._positions)
        self._return_some(call)
        return Begun(begun.entered)

    def end_call(self, host_thread: int, seconds: float) -> WorkerReply:
        """End a call that can return, or report that it is pending."""
        if host_thread not in self._under_way:
            return RequestRefused(f"no call is in flight on host thread {host_thread}")
        begun = self._under_way[host_thread]
        inside = host_thread in self._simulation.model.callback_threads
        if begun.outcome is None and not inside and not self._must_wait(begun.call):
            self._return_call(begun)
        if begun.outcome is None:
            time.sleep(seconds)
            return CallPending()
        del self._under_way[host_thread]
        if isinstance(begun.outcome, (Returned, Absent)):
            return CallEnded(begun.outcome, begun.entered, begun.returned)
        return begun.outcome

    def _must_wait(self, call: Call) -> bool:
        simulation = self._simulation
        return bool(find_endless_wait(CallContext(call, simulation.model, simulation.oracle.rulebook)))

    def _return_some(self, call: Call) -> None:
        """Choose pending calls among those that can return, and let them return after this call."""
        self._history += f"{call.function} {sorted(call.arguments.items(), key=lambda pair: pair[0])!r}\n"
        draw = random.Random(f"{self._seed} {self._history}")  # noqa: S311 (a schedule, no secret)
        inside = self._simulation.model.callback_threads
        waiting = [
            begun
            for host_thread, begun in self._under_way.items()
            if begun.outcome is None and host_thread not in inside
        ]
        for begun in draw.sample(waiting, len(waiting)):
            if draw.random() < 0.5 and not self._must_wait(begun.call):  # noqa: PLR2004 (as often as not)
                self._return_call(begun)

    def _return_call(self, begun: _PendingCall) -> None:
        simulation, call = self._simulation, begun.call
        outcome = simulation.count_callbacks(call, self._change(simulation, call, simulation.make_call(call)))
        begun.outcome, begun.returned = outcome, next(self._positions)
        self._call_inside_callbacks(outcome)

    def _call_inside_callbacks(self, outcome: Outcome) -> None:
        """Make the calls inside the callbacks that were invoked."""
        names = {each.name for each in outcome.callbacks} if isinstance(outcome, Returned) else set()
        for host_thread, begun in self._under_way.items():
            if begun.entered == 0 and self._simulation.model.callback_threads.get(host_thread) in names:
                begun.entered = next(self._positions)
                self._return_call(begun)
                self._simulation.model.reentrant_calls.pop(host_thread, None)
