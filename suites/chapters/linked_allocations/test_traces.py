"""Traces of accesses by a runtime that links allocations. After each access, every byte is compared."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given

from clconform.runner.linked_allocations.trace_recording import record_trace
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, covers
from clconform.suites.chapters.linked_allocations.memory_regions import SIZE, DeviceContext
from clconform.suites.chapters.linked_allocations.planner import (
    LinkingRuntime,
    ManagedMemory,
    RuntimeOptions,
    allocate_user_memory,
)
from clconform.suites.chapters.linked_allocations.strategies import random_traces, runtime_options
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.linked_allocations import Mode
    from clconform.runner.session.session import Session
    from clconform.suites.chapters.linked_allocations.strategies import RandomTrace

NAME = "linked_allocations.traces"
COMMANDS = "linked-allocations:linked-allocation-commands"
RULES = (
    "linked-allocations:brief-overview-of-allocations-for-memory-objects/1",
    "linked-allocations:brief-overview-of-allocations-for-memory-objects/2",
    *(f"{COMMANDS}/{number}" for number in range(1, 8)),
    "linked-allocations:command-linking-approach/1",
)
DATA_AVAILABLE, CREATION, SKIPPED, TRANSFER = RULES[1], RULES[6], RULES[7], RULES[8]
SHARED_CONTEXT, SEPARATE_CONTEXT = {"A": True}, {"F": False}
SHARED_AND_SEPARATE, TWO_CONTEXTS, THREE_CONTEXTS = (
    {"A": True, "F": False},
    {"A": True, "B": True},
    {"A": True, "B": True, "F": False},
)


def run_trace(
    cl: Session,
    title: str,
    places: dict[str, bool],
    accesses: list[tuple[str, str, Mode]],
    habits: RuntimeOptions,
    *,
    memories: dict[str, bool],
    kernels: bool = False,
    size: int = SIZE,
    offset: int = 0,
) -> None:
    """Run a runtime that performs these accesses.

    ``places``: for each context, whether it shares memory with the host. ``memories``: for each object, whether it has
    user memory. If the platform has several devices, the contexts use them in rotation.
    """
    kit = Kit(cl)
    devices = itertools.cycle([cl.device, *kit.other_devices])
    made = [
        DeviceContext.create_context(kit, name, device, unified=unified, kernels=kernels, size=size)
        for (name, unified), device in zip(places.items(), devices, strict=False)
    ]
    known = [
        ManagedMemory(name, allocate_user_memory(kit, seed, size, offset) if own else None, size)
        for seed, (name, own) in enumerate(memories.items())
    ]
    runtime = LinkingRuntime(kit, made, known, habits)
    with record_trace(
        cl, title, [place.traced_context for place in made], [memory.traced_object for memory in known]
    ) as recorder:
        runtime.run(recorder, accesses)


TRACES: dict[str, tuple[str, dict[str, bool], str]] = {
    "the host first": (CREATION, SHARED_CONTEXT, "host write, A read, host read, A read_write, host read"),
    "a device first": (SKIPPED, SHARED_CONTEXT, "A write, host read, A read_write, host write, A read"),
    "a separate device, the host first": (
        TRANSFER,
        SEPARATE_CONTEXT,
        "host write, F read, host read, F read_write, host write",
    ),
    "a separate device first": (TRANSFER, SEPARATE_CONTEXT, "F write, host read_write, F read, host read"),
    "discarded by the host": (TRANSFER, SHARED_CONTEXT, "A write, host discard_write, A read, host discard_read_write"),
    "discarded by the device": (
        TRANSFER,
        SHARED_CONTEXT,
        "host write, A discard_write, host read, A discard_read_write",
    ),
    "discarded by a separate device": (
        TRANSFER,
        SEPARATE_CONTEXT,
        "host write, F discard_write, host discard_write, F read_write",
    ),
    "read, then written through a map": (TRANSFER, SHARED_CONTEXT, "A write, host read, host write, A read"),
    "repeated access in one place": (
        DATA_AVAILABLE,
        SHARED_CONTEXT,
        "A write, A read, A read_write, host read, host write, host read",
    ),
    "two contexts": (
        RULES[4],
        TWO_CONTEXTS,
        "A write, B read, A read_write, host read, B read_write, host write, B read, A read",
    ),
    "two contexts, the host first": (
        RULES[4],
        TWO_CONTEXTS,
        "host write, A read_write, B read_write, host read_write, B read",
    ),
    "one device shares, one does not": (
        RULES[9],
        SHARED_AND_SEPARATE,
        "host write, F read_write, A read_write, host read, F read, A read",
    ),
    "the separate device first": (
        RULES[9],
        SHARED_AND_SEPARATE,
        "F write, A read_write, F read_write, host read_write, A read",
    ),
    "a cycle of all contexts": (
        RULES[3],
        THREE_CONTEXTS,
        "A write, B read_write, F read_write, host read_write, A read, B read, F read",
    ),
    "never written": (RULES[0], TWO_CONTEXTS, "A discard_write, B discard_write, host read"),
}
UNALIGNED, OFFSET = ("the host first", "a device first", "two contexts", "one device shares, one does not"), 4
"""Traces that are repeated with misaligned user memory, and the distance of this memory from an aligned address."""
EARLY_LINKS = RuntimeOptions(
    host_first=True, link_last=True, skip_discarded=False, unmap_after_transfer=False, blocking=False
)


def _parse_accesses(description: str) -> list[tuple[str, str, Mode]]:
    """Return the accesses to the only memory object, from a comma-separated description."""
    return [("m", *access.split()) for access in description.split(", ")]  # type: ignore[misc]


def cases() -> Iterator[TableCase]:
    """Yield each trace with and without user memory, and with two selections of runtime options."""
    ways = {"": RuntimeOptions(), ", early links": EARLY_LINKS}
    for words, (requirement, places, told) in TRACES.items():
        for own in (False, True):
            for way, chosen in ways.items():
                title = f"{words}{', with user memory' if own else ''}{way}"
                yield TableCase(requirement, title, _trace_steps(title, places, told, chosen, own=own), RULES)
    for words in UNALIGNED:
        requirement, places, told = TRACES[words]
        title = f"{words}, with user memory aligned to {OFFSET} bytes"
        yield TableCase(
            requirement, title, _trace_steps(title, places, told, EARLY_LINKS, own=True, offset=OFFSET), RULES
        )
    told = "host write, A read_write, host read_write, A read_write, host read"
    for own in (False, True):
        title = f"by kernels{', with user memory' if own else ''}"
        yield TableCase(
            TRANSFER, title, _trace_steps(title, SHARED_CONTEXT, told, RuntimeOptions(), own=own, kernels=True), RULES
        )
    yield TableCase(RULES[2], "two objects", access_two_objects, RULES)


def _trace_steps(
    title: str,
    places: dict[str, bool],
    description: str,
    options: RuntimeOptions,
    *,
    own: bool,
    kernels: bool = False,
    offset: int = 0,
) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        run_trace(
            cl,
            title,
            places,
            _parse_accesses(description),
            options,
            memories={"m": own},
            kernels=kernels,
            offset=offset,
        )

    return act


def access_two_objects(cl: Session) -> None:
    """Access two objects alternately in the same contexts."""
    told = "host write, A read_write, B read, host read_write, A read"
    accesses = [(name, where, mode) for _, where, mode in _parse_accesses(told) for name in ("m", "n")]
    run_trace(cl, "two objects", TWO_CONTEXTS, accesses, RuntimeOptions(), memories={"m": False, "n": True})


test_linked_allocations_keep_content = TableTest(cases)


@covers(*RULES)
@given(drawn=random_traces(), chosen=runtime_options())
def test_random_accesses_keep_content(cl: Session, drawn: RandomTrace, chosen: RuntimeOptions) -> None:
    run_trace(
        cl,
        "a random trace",
        drawn.places,
        drawn.accesses,
        chosen,
        memories=drawn.memories,
        size=drawn.size,
        offset=drawn.offset,
    )
