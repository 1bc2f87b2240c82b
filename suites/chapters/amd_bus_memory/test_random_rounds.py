"""Random rounds of bus transfers: writer, range, start of the wait and observer vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.calls.values import ElementList
from clconform.runner.pytest_plugin.covers import covers
from clconform.suites.chapters.amd_bus_memory.kit import STATUS, BusKit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "amd_bus_memory.random_rounds"


@dataclass(frozen=True)
class BusRound:
    """One write to another device's memory, and the signal after it.

    ``away``: the memory belongs to the other device. ``step``: the increment of the signal value. ``early``: the wait
    for the signal is enqueued before the data write. ``asked``: the status of the wait's event is queried before and
    after the signal. ``read``: the memory is read at the end of the round; otherwise the queue is only finished.
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
        BusRound,
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


@covers(
    "clEnqueueWaitSignalAMD/success",
    "clEnqueueWriteSignalAMD/success",
    "clEnqueueMakeBuffersResidentAMD/success",
    "clEnqueueWriteSignalAMD/effect/1",
    STATUS,
)
@given(rounds=ROUNDS)
def test_random_rounds_deliver_data_with_the_signal(cl: Session, rounds: list[BusRound]) -> None:
    kit = BusKit(cl)
    pairs = {away: kit.bus.create_pair(pattern_bytes(SIZE, away), on_other_device=away) for away in (False, True)}
    values = dict.fromkeys(pairs, 0)
    for seed, each in enumerate(rounds, 2):
        values[each.away] += each.step
        _run_round(kit, each, pairs[each.away], values[each.away], pattern_bytes(each.size, seed))
    for away, (buffer, _) in pairs.items():
        kit.read(buffer, 0, SIZE, queue=kit.there if away else kit.here)


def _run_round(kit: BusKit, each: BusRound, pair: tuple[Handle, Handle], value: int, content: bytes) -> None:
    (buffer, view), cl = pair, kit.cl
    writer, reader = (kit.here, kit.there) if each.away else (kit.there, kit.here)
    event = kit.await_signal(buffer, value, reader) if each.early else None
    if event is not None and each.asked:
        cl.clFlush(reader)
        cl.query("clGetEventInfo", event, STATUS)
    kit.send(view, content, writer, each.offset)
    kit.write_signal(view, value, writer)
    event = event or kit.await_signal(buffer, value, reader)
    if each.asked:
        cl.clWaitForEvents(1, ElementList((event,)))
        cl.query("clGetEventInfo", event, STATUS)
    if each.read:
        kit.read(buffer, 0, SIZE, queue=reader)
    else:
        kit.finish(reader)
