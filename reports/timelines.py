"""Turns the stories of a runtime into small timelines: who accessed what, and what was called for it, lane by lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Returned
from clconform.calls.stories import HOST
from clconform.calls.values import Handle, HandleBytes, Inside
from clconform.reports.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clconform.calls.call import Call, Step
    from clconform.calls.journal import StoryLine
    from clconform.calls.stories import Served, Story
    from clconform.calls.values import Value

ALLOCATE, LINKED, USE = "allocate", "allocate on the host's memory", "use"
TO_THE_HOST = {"map": "clEnqueueMapBuffer", "read": "clEnqueueReadBuffer"}
TO_THE_DEVICE = {"unmap": "clEnqueueUnmapMemObject", "write": "clEnqueueWriteBuffer"}
TRANSFERS = {function: words for words, function in (TO_THE_HOST | TO_THE_DEVICE).items()}
LAUNCH = "clEnqueueNDRangeKernel"
SHOWN = 24
"""Stories that a page shows."""
LEFT, TOP, LANE, STEP, LEAST = 64, 26, 30, 24, 92
"""The drawing's margins, and the sizes of a lane, a move, and an access with few moves."""


class Move(msgspec.Struct, frozen=True):
    """What one call does to a memory object. ``lane``: the context; ``what``: allocate, use, or a transfer.

    ``sent``: the driver was asked. ``fault``: what is wrong with it by the runtime's rules.
    """

    lane: str
    what: str
    sent: bool = True
    fault: str = ""


class AccessResult(msgspec.Struct, frozen=True):
    """One access with what was done for it. ``faults``: what is wrong with all of it. ``blamed``: by the driver."""

    memory: str
    lane: str
    mode: str
    moves: list[Move]
    faults: list[str] = []
    blamed: bool = False


class StoryResult(msgspec.Struct, frozen=True):
    """A story as people see it; ``lanes``: the host first."""

    item: str
    title: str
    lanes: list[str]
    accesses: list[AccessResult]

    @property
    def faults(self) -> list[str]:
        """What is wrong by the runtime's rules, in the story's order."""
        return [
            fault
            for access in self.accesses
            for fault in (*(move.fault for move in access.moves if move.fault), *access.faults)
        ]

    @property
    def blamed(self) -> int:
        """How many accesses there are of which the driver got a call wrong."""
        return sum(access.blamed for access in self.accesses)


def stories_of(lines: Iterable[StoryLine]) -> list[StoryResult]:
    """Return the stories of a journal; those that something is wrong with first."""
    found = [_story(line) for line in lines]
    return sorted(found, key=lambda story: not (story.faults or story.blamed))


def _story(line: StoryLine) -> StoryResult:
    story = line.story
    lanes = _Lanes(story)
    accesses = []
    for index, served in enumerate(story.served):
        faults = {fault.step: fault.words for fault in line.faults if fault.access == index}
        accesses.append(_access(served, lanes, faults, blamed=index in line.blamed))
    return StoryResult(line.item, story.title, [HOST, *(context.name for context in story.contexts)], accesses)


def _access(served: Served, lanes: _Lanes, faults: Mapping[int | None, str], *, blamed: bool) -> AccessResult:
    moves: list[Move] = []
    for number, step in enumerate(served.steps):
        move = lanes.move(step, served, faults.get(number, ""))
        if move is not None and (not moves or move != moves[-1] or move.what != USE):
            moves.append(move)
    access = served.access
    return AccessResult(
        access.memory, access.context, access.mode, moves, [faults[None]] if None in faults else [], blamed
    )


class _Lanes:
    """Knows in which context a call of a story works."""

    def __init__(self, story: Story) -> None:
        self._contexts = {context.handle: context.name for context in story.contexts}
        self._buffers: dict[str, str] = {}
        self._kernels: dict[str, str] = {}
        self._host = {memory.user for memory in story.objects if memory.user}

    def move(self, step: Step, served: Served, fault: str) -> Move | None:
        """Return what a call does to the story's objects, or None where it does nothing to them."""
        found = self._found(step, served)
        if found is None:
            return None
        lane, what = found
        return Move(lane, what, not isinstance(step.outcome, Absent), fault)

    def _found(self, step: Step, served: Served) -> tuple[str, str] | None:
        call = step.call
        made = step.outcome.value if isinstance(step.outcome, Returned) else None
        if call.function == "clCreateBuffer":
            lane = self._contexts.get(_name(call.context), served.access.context)
            if isinstance(made, str):
                self._buffers[made] = lane
            on_host = call.arguments.get("host_ptr") is not None
            self._host |= {_name(call.host_ptr)} if on_host else set()
            return lane, LINKED if on_host else ALLOCATE
        if call.function == "host_allocate":
            self._host |= {made} if isinstance(made, str) else set()
            return HOST, ALLOCATE
        if call.function in ("host_read", "host_write"):
            return (HOST, USE) if _name(call.pointer) in self._host else None
        if call.function == "clSetKernelArg":
            self._kernels[_name(call.kernel)] = _name(call.arg_value)
            return None
        return self._by_a_command(call, made)

    def _by_a_command(self, call: Call, made: object) -> tuple[str, str] | None:
        named = [_name(value) for value in call.arguments.values()]
        if call.function == LAUNCH:
            named.append(self._kernels.get(_name(call.kernel), ""))
        lane = next((self._buffers[name] for name in named if name in self._buffers), "")
        if not lane or not call.function.startswith("clEnqueue"):
            return None
        what = TRANSFERS.get(call.function, USE)
        if what in ("read", "write") and not _name(call.arguments.get("ptr")):
            return lane, USE
        if what == "map" and isinstance(made, str):
            self._host.add(made)
        return lane, what


def _name(value: Value) -> str:
    if isinstance(value, (Inside, HandleBytes)):
        value = value.handle
    return value.name if isinstance(value, Handle) else ""


@dataclass(frozen=True)
class Mark:
    """A move as it is drawn: a dot or a square at ``y``, a square that is tied to ``to``, or an arrow from there."""

    kind: str
    x: int
    y: int
    to: int
    words: str
    fault: bool

    @property
    def head(self) -> str:
        """The points of an arrow's head."""
        back = self.to + (-7 if self.to > self.y else 7)
        return f"{self.x},{self.to} {self.x - 4},{back} {self.x + 4},{back}"


@dataclass(frozen=True)
class Band:
    """An access as it is drawn: from ``x`` on, so wide; ``y``: the lane that is used, if one is."""

    x: int
    width: int
    y: int | None
    words: str
    told: str
    wrong: bool
    marks: list[Mark]


@dataclass(frozen=True)
class Timeline:
    """A story as it is drawn."""

    title: str
    item: str
    width: int
    height: int
    lanes: list[tuple[str, int]]
    bands: list[Band]
    faults: list[str]
    blamed: int


def timelines(stories: Sequence[StoryResult]) -> list[Timeline]:
    """Return the drawings of the first stories."""
    return [_drawn(story) for story in stories[:SHOWN]]


def _drawn(story: StoryResult) -> Timeline:
    rows = {lane: TOP + LANE * number + LANE // 2 for number, lane in enumerate(story.lanes)}
    bands, x = [], LEFT
    for access in story.accesses:
        band = _band(access, x, rows)
        bands.append(band)
        x += band.width
    lanes = [(visible(name, limit=12), y) for name, y in rows.items()]
    height = TOP + LANE * len(rows)
    faults = [visible(fault) for fault in story.faults]
    return Timeline(visible(story.title), visible(story.item), x + 8, height, lanes, bands, faults, story.blamed)


def _band(access: AccessResult, x: int, rows: Mapping[str, int]) -> Band:
    host = rows[HOST]
    marks = [
        mark
        for number, move in enumerate(access.moves)
        for mark in _marks(move, x + STEP // 2 + 4 + number * STEP, rows.get(move.lane, host), host)
    ]
    width = max(LEAST, 8 + STEP * len(access.moves))
    words = "made" if access.mode == "construct" else f"{access.lane} {access.mode.replace('_', ' ')}"
    told = "; ".join(f"{move.what} in {move.lane}{'' if move.sent else ' (not sent)'}" for move in access.moves)
    wrong = access.blamed or bool(access.faults) or any(move.fault for move in access.moves)
    told = visible(f"{access.memory}: {told or 'nothing'}")
    used = None if access.mode == "construct" else rows.get(access.lane)
    return Band(x, width, used, visible(words, limit=40), told, wrong, marks)


def _marks(move: Move, x: int, y: int, host: int) -> Iterator[Mark]:
    words = visible(f"{move.what} in {move.lane}{': ' + move.fault if move.fault else ''}")
    fault = bool(move.fault)
    if move.what in TO_THE_HOST:
        yield Mark("switched" if move.what == "map" else "copied", x, y, host, words, fault)
    elif move.what in TO_THE_DEVICE:
        yield Mark("switched" if move.what == "unmap" else "copied", x, host, y, words, fault)
    elif move.what == LINKED:
        yield Mark("linked", x, y, host, words, fault)
    else:
        yield Mark("dot" if move.what == USE else "square", x, y, y, words, fault)
