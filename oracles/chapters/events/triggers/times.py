"""Coverage points of profiling timestamps, and untestable requirements (section 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.events.answers import TIMES
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()

QUERY = "clGetEventProfilingInfo"


def _timed(asked: AnsweredCall) -> bool:
    event = asked.subject
    if not isinstance(event, Event) or event.queue is None or event.command is None:
        return False
    return event.profiling and event.complete and not event.command.failed


def _beside_others(name: str) -> Callable[[AnsweredCall], bool]:
    """Return the test that a timestamp is queried when another timestamp of the command is known."""

    def holds(asked: AnsweredCall) -> bool:
        event = asked.subject
        return isinstance(event, Event) and _timed(asked) and any(each in event.facts for each in TIMES if each != name)

    return holds


rules.trigger(
    "OpenCL:profiling-operations-on-memory-objects-and-kernels/1",
    QUERY,
    "Checked on queries of the timestamps of a complete command.",
    f"{QUERY}/success",
    *TIMES,
    holds=_timed,
)
for _name in TIMES:
    rules.trigger(
        f"{_name}/effect/1",
        QUERY,
        "Checked on queries of a timestamp when another one is known: timestamps are in the order of the states.",
        _name,
        holds=Answered((_name,), _beside_others(_name)),
        by_success=True,
    )
rules.untestable(
    f"{QUERY}/effect/1",
    "",
    "no call changes the frequency or the power state of a device",
)
