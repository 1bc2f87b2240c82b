"""Coverage points of profiling timestamps, and untestable requirements (section 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.events.query_results import TIMESTAMPS
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()

QUERY = "clGetEventProfilingInfo"


def _is_profiled(asked: CompletedCall) -> bool:
    event = asked.subject
    if not isinstance(event, Event) or event.queue is None or event.command is None:
        return False
    return event.profiling and event.is_complete and not event.command.may_have_failed


def _is_comparable(name: str) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether another timestamp of the queried command is already known."""

    def holds(asked: CompletedCall) -> bool:
        event = asked.subject
        return (
            isinstance(event, Event)
            and _is_profiled(asked)
            and any(each in event.facts for each in TIMESTAMPS if each != name)
        )

    return holds


rules.coverage_point(
    "OpenCL:profiling-operations-on-memory-objects-and-kernels/1",
    QUERY,
    "Checked on queries of the timestamps of a complete command.",
    "clGetEventProfilingInfo/success",
    *TIMESTAMPS,
    holds=_is_profiled,
)
for _name in TIMESTAMPS:
    rules.coverage_point(
        f"{_name}/effect/1",
        QUERY,
        "Checked on queries of a timestamp after a query of another timestamp of the same command.",
        _name,
        holds=QueryCoverage((_name,), _is_comparable(_name)),
        requires_success=True,
    )
rules.untestable("clGetEventProfilingInfo/effect/1", "", "no call changes the frequency or the power state of a device")
