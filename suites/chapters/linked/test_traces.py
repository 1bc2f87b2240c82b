"""Traces of accesses by a runtime that links allocations; every byte is compared after each access."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given

from clconform.runner.pytest_plugin.aims import Case, aims, parametrize
from clconform.runner.session.traces import recording
from clconform.suites.chapters.linked.places import SIZE, Place
from clconform.suites.chapters.linked.planner import Habits, Memory, Runtime, users
from clconform.suites.chapters.linked.strategies import habits, random_traces
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.traces import Mode
    from clconform.runner.session.session import Session
    from clconform.suites.chapters.linked.strategies import RandomTrace

NAME = "linked.traces"
OVERVIEW = "linked-allocations:brief-overview-of-allocations-for-memory-objects"
COMMANDS = "linked-allocations:linked-allocation-commands"
RULES = (
    f"{OVERVIEW}/1",
    f"{OVERVIEW}/2",
    *(f"{COMMANDS}/{number}" for number in range(1, 8)),
    "linked-allocations:command-linking-approach/1",
)
READY, CREATION, SKIPPED, TRANSFER = RULES[1], RULES[6], RULES[7], RULES[8]
SHARED, APART = {"A": True}, {"F": False}
BOTH, TWO, THREE = {"A": True, "F": False}, {"A": True, "B": True}, {"A": True, "B": True, "F": False}


def play(
    cl: Session,
    title: str,
    places: dict[str, bool],
    accesses: list[tuple[str, str, Mode]],
    habits: Habits,
    *,
    memories: dict[str, bool],
    kernels: bool = False,
    size: int = SIZE,
    offset: int = 0,
) -> None:
    """Run accesses of a runtime.

    ``places``: contexts, and whether they share memory with the host. ``memories``: memory objects, and whether they
    have user memory. On platforms with several devices, the contexts use them in rotation.
    """
    kit = Kit(cl)
    devices = itertools.cycle([cl.device, *kit.other_devices])
    made = [
        Place.made(kit, name, device, unified=unified, kernels=kernels, size=size)
        for (name, unified), device in zip(places.items(), devices, strict=False)
    ]
    known = [
        Memory(name, users(kit, seed, size, offset) if own else None, size)
        for seed, (name, own) in enumerate(memories.items())
    ]
    runtime = Runtime(kit, made, known, habits)
    with recording(cl, title, [place.told for place in made], [memory.told for memory in known]) as recorder:
        runtime.run(recorder, accesses)


HISTORIES: dict[str, tuple[str, dict[str, bool], str]] = {
    "the host first": (CREATION, SHARED, "host write, A read, host read, A read_write, host read"),
    "a device first": (SKIPPED, SHARED, "A write, host read, A read_write, host write, A read"),
    "a device apart, the host first": (TRANSFER, APART, "host write, F read, host read, F read_write, host write"),
    "a device apart first": (TRANSFER, APART, "F write, host read_write, F read, host read"),
    "discarded by the host": (TRANSFER, SHARED, "A write, host discard_write, A read, host discard_read_write"),
    "discarded by the device": (TRANSFER, SHARED, "host write, A discard_write, host read, A discard_read_write"),
    "discarded apart": (TRANSFER, APART, "host write, F discard_write, host discard_write, F read_write"),
    "read, then written through a map": (TRANSFER, SHARED, "A write, host read, host write, A read"),
    "the same place again and again": (
        READY,
        SHARED,
        "A write, A read, A read_write, host read, host write, host read",
    ),
    "two contexts": (
        RULES[4],
        TWO,
        "A write, B read, A read_write, host read, B read_write, host write, B read, A read",
    ),
    "two contexts, the host first": (RULES[4], TWO, "host write, A read_write, B read_write, host read_write, B read"),
    "one shares, one does not": (RULES[9], BOTH, "host write, F read_write, A read_write, host read, F read, A read"),
    "the one apart first": (RULES[9], BOTH, "F write, A read_write, F read_write, host read_write, A read"),
    "round and round": (
        RULES[3],
        THREE,
        "A write, B read_write, F read_write, host read_write, A read, B read, F read",
    ),
    "never written": (RULES[0], TWO, "A discard_write, B discard_write, host read"),
}
UNALIGNED, OFFSET = ("the host first", "a device first", "two contexts", "one shares, one does not"), 4
"""Traces that are repeated with misaligned user memory, and the offset of this memory from the start of a page."""
EARLY = Habits(eager=True, latest=True, spares=False, gives_back=False, waits=False)


def _modes(told: str) -> list[tuple[str, str, Mode]]:
    """Return the accesses to the single object from their description."""
    return [("m", *access.split()) for access in told.split(", ")]  # type: ignore[misc]


def cases() -> Iterator[Case]:
    """Yield each trace with and without user memory, and with two sets of runtime options."""
    ways = {"": Habits(), ", early links": EARLY}
    for words, (record, places, told) in HISTORIES.items():
        for own in (False, True):
            for way, chosen in ways.items():
                title = f"{words}{', with user memory' if own else ''}{way}"
                yield Case(record, title, _history(title, places, told, chosen, own=own), RULES)
    for words in UNALIGNED:
        record, places, told = HISTORIES[words]
        title = f"{words}, with user memory aligned to {OFFSET} bytes"
        yield Case(record, title, _history(title, places, told, EARLY, own=True, offset=OFFSET), RULES)
    told = "host write, A read_write, host read_write, A read_write, host read"
    for own in (False, True):
        title = f"by kernels{', with user memory' if own else ''}"
        yield Case(TRANSFER, title, _history(title, SHARED, told, Habits(), own=own, kernels=True), RULES)
    yield Case(RULES[2], "two objects", two_objects, RULES)


def _history(
    title: str, places: dict[str, bool], told: str, chosen: Habits, *, own: bool, kernels: bool = False, offset: int = 0
) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        play(cl, title, places, _modes(told), chosen, memories={"m": own}, kernels=kernels, offset=offset)

    return act


def two_objects(cl: Session) -> None:
    """Access two objects alternately in the same contexts."""
    told = "host write, A read_write, B read, host read_write, A read"
    accesses = [(name, where, mode) for _, where, mode in _modes(told) for name in ("m", "n")]
    play(cl, "two objects", TWO, accesses, Habits(), memories={"m": False, "n": True})


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    if "case" in metafunc.fixturenames:
        parametrize(metafunc, cases())


def test_traces(cl: Session, case: Case) -> None:
    case.act(cl)


@aims(*RULES)
@given(drawn=random_traces(), chosen=habits())
def test_random_traces(cl: Session, drawn: RandomTrace, chosen: Habits) -> None:
    play(
        cl,
        "a random trace",
        drawn.places,
        drawn.accesses,
        chosen,
        memories=drawn.memories,
        size=drawn.size,
        offset=drawn.offset,
    )
