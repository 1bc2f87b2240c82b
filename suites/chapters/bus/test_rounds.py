"""Rounds drawn at random: which device writes, how much and where, when the other one begins to wait, who looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.calls.values import Items
from clconform.runner.pytest_plugin.aims import aims
from clconform.suites.chapters.bus.desk import STATUS, WAIT, WRITE, BusDesk
from clconform.suites.chapters.bus.neighbours import RESIDENT, SIZE
from clconform.suites.data.bench import telling

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "bus.rounds"


@dataclass(frozen=True)
class Round:
    """One write over the bus with its signal.

    ``away``: the memory is the other device's. ``step``: by how much the value grows. ``early``: the wait is enqueued
    first. ``asked``: the wait's event is asked before and after. ``read``: the memory is read at the end of the round,
    not only waited for.
    """

    away: bool
    offset: int
    size: int
    step: int
    early: bool
    asked: bool
    read: bool


ROUNDS = st.lists(
    st.builds(
        Round,
        away=st.booleans(),
        offset=st.integers(0, SIZE // 2),
        size=st.integers(1, SIZE // 2),
        step=st.sampled_from((1, 2, 1 << 8, 1 << 16, 1 << 28)),
        early=st.booleans(),
        asked=st.booleans(),
        read=st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@aims(f"{WAIT}/success", f"{WRITE}/success", f"{RESIDENT}/success", f"{WRITE}/effect/1", STATUS)
@given(rounds=ROUNDS)
def test_rounds(cl: Session, rounds: list[Round]) -> None:
    desk = BusDesk(cl)
    pairs = {away: desk.neighbours.pair(telling(SIZE, away), away=away) for away in (False, True)}
    values = dict.fromkeys(pairs, 0)
    for seed, each in enumerate(rounds, 2):
        values[each.away] += each.step
        _play(desk, each, pairs[each.away], values[each.away], telling(each.size, seed))
    for away, (buffer, _) in pairs.items():
        desk.read(buffer, 0, SIZE, queue=desk.there if away else desk.here)


def _play(desk: BusDesk, each: Round, pair: tuple[Handle, Handle], value: int, content: bytes) -> None:
    (buffer, view), cl = pair, desk.cl
    writer, reader = (desk.here, desk.there) if each.away else (desk.there, desk.here)
    event = desk.await_signal(buffer, value, reader) if each.early else None
    if event is not None and each.asked:
        cl.clFlush(reader)
        cl.query("clGetEventInfo", event, STATUS)
    desk.send(view, content, writer, each.offset)
    desk.signal(view, value, writer)
    event = event or desk.await_signal(buffer, value, reader)
    if each.asked:
        cl.clWaitForEvents(1, Items((event,)))
        cl.query("clGetEventInfo", event, STATUS)
    if each.read:
        desk.read(buffer, 0, SIZE, queue=reader)
    else:
        desk.finish(reader)
