"""Strategies of random traces: contexts, memory objects, accesses with their modes, and runtime options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from clconform.calls.linked_allocations import HOST
from clconform.suites.chapters.linked_allocations.memory_regions import SIZE
from clconform.suites.chapters.linked_allocations.planner import RuntimeOptions

if TYPE_CHECKING:
    from clconform.calls.linked_allocations import Mode

MAX_ACCESSES = 10
SIZES, OFFSETS = (64, 252, SIZE, 1000, 4096), (0, 4, 64, 2048)
MODES: tuple[Mode, ...] = ("read", "write", "read_write", "discard_write", "discard_read_write")


@dataclass(frozen=True)
class RandomTrace:
    """Contexts, memory objects and accesses of a random trace.

    ``places``: for each context, whether it shares memory with the host. ``memories``: for each object, whether it has
    user memory. ``size``: bytes of the objects; ``offset``: distance of the user memory from an aligned address.
    """

    places: dict[str, bool]
    memories: dict[str, bool]
    accesses: list[tuple[str, str, Mode]]
    size: int = SIZE
    offset: int = 0


def runtime_options() -> st.SearchStrategy[RuntimeOptions]:
    """Return a strategy for all combinations of the runtime's options."""
    return st.builds(RuntimeOptions, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans())


@st.composite
def random_traces(draw: st.DrawFn) -> RandomTrace:
    """Draw a trace of accesses to one or two objects, on the host and in up to three contexts."""
    places = {name: draw(st.booleans(), name) for name in draw(st.sampled_from(("A", "AB", "AB", "ABC")), "contexts")}
    memories = {name: draw(st.booleans(), name) for name in draw(st.sampled_from(("m", "m", "mn")), "objects")}
    one = st.tuples(
        st.sampled_from(list(memories)), st.sampled_from((HOST, HOST, *places, *places)), st.sampled_from(MODES)
    )
    accesses = draw(st.lists(one, min_size=2, max_size=MAX_ACCESSES), "accesses")
    return RandomTrace(places, memories, accesses, draw(st.sampled_from(SIZES), "size"), draw(st.sampled_from(OFFSETS)))
