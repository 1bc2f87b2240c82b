"""Associates the steps that wait for a host thread with the call that they wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Begun
from clconform.calls.harness_actions import HAS_RETURNED, JOIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Call, Step


def awaited_thread(step: Step) -> int:
    """Return the number of the host thread that a step waits for, or 0."""
    host_thread = step.call.arguments.get("host_thread") if step.call.function in (JOIN, HAS_RETURNED) else 0
    return host_thread if isinstance(host_thread, int) else 0


def pair_with_calls(steps: Iterable[Step]) -> Iterator[tuple[Step, Call]]:
    """Yield each step with the call whose outcome it has: its own call, or the pending call that it ends."""
    under_way: dict[int, Call] = {}
    for step in steps:
        if isinstance(step.outcome, Begun):
            under_way[step.host_thread] = step.call
        host_thread = awaited_thread(step)
        ended = under_way.get(host_thread) if step.call.function == JOIN else None
        yield step, ended or step.call
