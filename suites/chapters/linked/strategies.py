"""What random traces draw: contexts, memory objects, who accesses what in which mode, and a runtime's habits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from clconform.calls.traces import HOST
from clconform.suites.chapters.linked.places import SIZE
from clconform.suites.chapters.linked.planner import Habits

if TYPE_CHECKING:
    from clconform.calls.traces import Mode

MOST_ACCESSES = 10
SIZES, OFFSETS = (64, 252, SIZE, 1000, 4096), (0, 4, 64, 2048)
MODES: tuple[Mode, ...] = ("read", "write", "read_write", "discard_write", "discard_read_write")


@dataclass(frozen=True)
class RandomTrace:
    """Contexts with whether they share the host's memory, objects with whether the user gives memory, and accesses.

    ``size``: bytes of the objects; ``offset``: how far past an aligned address the user's memory begins.
    """

    places: dict[str, bool]
    memories: dict[str, bool]
    accesses: list[tuple[str, str, Mode]]
    size: int = SIZE
    offset: int = 0


def habits() -> st.SearchStrategy[Habits]:
    """What the note leaves to a runtime, in any mix."""
    return st.builds(Habits, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans())


@st.composite
def random_traces(draw: st.DrawFn) -> RandomTrace:
    """Accesses to one or two objects, by the host and in up to three contexts."""
    places = {name: draw(st.booleans(), name) for name in draw(st.sampled_from(("A", "AB", "AB", "ABC")), "contexts")}
    memories = {name: draw(st.booleans(), name) for name in draw(st.sampled_from(("m", "m", "mn")), "objects")}
    one = st.tuples(
        st.sampled_from(list(memories)), st.sampled_from((HOST, HOST, *places, *places)), st.sampled_from(MODES)
    )
    accesses = draw(st.lists(one, min_size=2, max_size=MOST_ACCESSES), "accesses")
    return RandomTrace(places, memories, accesses, draw(st.sampled_from(SIZES), "size"), draw(st.sampled_from(OFFSETS)))
