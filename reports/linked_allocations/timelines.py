"""Draws the traces of a runtime as small timelines: a row for each context, and a band for each access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.linked_allocations import HOST
from clconform.reports.escaping import escape_unprintable
from clconform.reports.linked_allocations.trace_results import LINKED, TO_THE_DEVICE, TO_THE_HOST, USE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clconform.reports.linked_allocations.trace_results import TraceAccessResult, TraceAction, TraceResult

MAX_TRACES_SHOWN = 24
"""Maximum number of traces in a page."""
LEFT, TOP, ROW_HEIGHT, MOVE_WIDTH, MIN_ACCESS_WIDTH = 64, 26, 30, 24, 92
"""Sizes in the drawing: the margins, a row, an action, and an access with few actions."""


@dataclass(frozen=True)
class TimelineMark:
    """An action as drawn: a dot, a square, a square with a line, or an arrow.

    ``y``: the position of the dot or square, or the start of the arrow. ``to``: the end of the line or arrow.
    """

    kind: str
    x: int
    y: int
    to: int
    title: str
    violation: bool

    @property
    def head(self) -> str:
        """The points of the head of an arrow."""
        back = self.to + (-7 if self.to > self.y else 7)
        return f"{self.x},{self.to} {self.x - 4},{back} {self.x + 4},{back}"


@dataclass(frozen=True)
class TimelineBand:
    """An access as drawn: its left edge ``x`` and its width; ``y``: the row of the context in use, or None."""

    x: int
    width: int
    y: int | None
    title: str
    description: str
    has_deviation: bool
    marks: list[TimelineMark]


@dataclass(frozen=True)
class Timeline:
    """A trace as drawn."""

    title: str
    item: str
    width: int
    height: int
    contexts: list[tuple[str, int]]
    bands: list[TimelineBand]
    violations: list[str]
    num_driver_deviations: int


@dataclass(frozen=True)
class DrawnTraces:
    """The traces of a result, and the timelines of the first ``MAX_TRACES_SHOWN``."""

    traces: Sequence[TraceResult]
    timelines: list[Timeline]


def draw_traces(traces: Sequence[TraceResult]) -> DrawnTraces | None:
    """Return the traces for a page, or None if there are none."""
    return DrawnTraces(traces, draw_timelines(traces)) if traces else None


def draw_timelines(traces: Sequence[TraceResult]) -> list[Timeline]:
    """Return the drawings of the first ``MAX_TRACES_SHOWN`` traces."""
    return [_draw_trace(trace) for trace in traces[:MAX_TRACES_SHOWN]]


def _draw_trace(trace: TraceResult) -> Timeline:
    rows = {context: TOP + ROW_HEIGHT * number + ROW_HEIGHT // 2 for number, context in enumerate(trace.contexts)}
    bands, x = [], LEFT
    for access in trace.accesses:
        band = _draw_access(access, x, rows)
        bands.append(band)
        x += band.width
    contexts = [(escape_unprintable(name, limit=12), y) for name, y in rows.items()]
    height = TOP + ROW_HEIGHT * len(rows)
    violations = [escape_unprintable(violation) for violation in trace.violations]
    return Timeline(
        escape_unprintable(trace.title),
        escape_unprintable(trace.item),
        x + 8,
        height,
        contexts,
        bands,
        violations,
        trace.num_driver_deviations,
    )


def _draw_access(access: TraceAccessResult, x: int, rows: Mapping[str, int]) -> TimelineBand:
    host = rows[HOST]
    marks = [
        mark
        for number, action in enumerate(access.actions)
        for mark in _draw_marks(
            action, x + MOVE_WIDTH // 2 + 4 + number * MOVE_WIDTH, rows.get(action.context, host), host
        )
    ]
    width = max(MIN_ACCESS_WIDTH, 8 + MOVE_WIDTH * len(access.actions))
    title = "created" if access.mode == "construct" else f"{access.context} {access.mode.replace('_', ' ')}"
    description = "; ".join(
        f"{action.action} in {action.context}{'' if action.was_sent else ' (not sent)'}" for action in access.actions
    )
    wrong = access.driver_deviates or bool(access.violations) or any(action.violation for action in access.actions)
    description = escape_unprintable(f"{access.memory}: {description or 'nothing'}")
    used = None if access.mode == "construct" else rows.get(access.context)
    return TimelineBand(x, width, used, escape_unprintable(title, limit=40), description, wrong, marks)


def _draw_marks(action: TraceAction, x: int, y: int, host: int) -> Iterator[TimelineMark]:
    title = escape_unprintable(
        f"{action.action} in {action.context}{': ' + action.violation if action.violation else ''}"
    )
    violation = bool(action.violation)
    if action.action in TO_THE_HOST:
        yield TimelineMark("switched" if action.action == "map" else "copied", x, y, host, title, violation)
    elif action.action in TO_THE_DEVICE:
        yield TimelineMark("switched" if action.action == "unmap" else "copied", x, host, y, title, violation)
    elif action.action == LINKED:
        yield TimelineMark("linked", x, y, host, title, violation)
    else:
        yield TimelineMark("dot" if action.action == USE else "square", x, y, y, title, violation)
