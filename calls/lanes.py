"""Steps of calls on lanes: which call a step that waits belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Begun
from clconform.calls.host import HAS_RETURNED, JOIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Call, Step


def waited_for(step: Step) -> int:
    """Return the lane whose call a step waits for, or 0."""
    lane = step.call.arguments.get("lane") if step.call.function in (JOIN, HAS_RETURNED) else 0
    return lane if isinstance(lane, int) else 0


def with_calls(steps: Iterable[Step]) -> Iterator[tuple[Step, Call]]:
    """Yield each step with the call whose outcome it has: the step that ends a call on a lane has that call's."""
    under_way: dict[int, Call] = {}
    for step in steps:
        if isinstance(step.outcome, Begun):
            under_way[step.lane] = step.call
        lane = waited_for(step)
        ended = under_way.get(lane) if step.call.function == JOIN else None
        yield step, ended or step.call
