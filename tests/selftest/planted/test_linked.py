"""Faults of a driver, and of a runtime on top of it, are found and attributed to the correct one of the two."""

# ruff: noqa: ARG002, D102 (the class docstring of a faulty runtime describes its fault)

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.traces import HOST
from clconform.harness import Target
from clconform.oracles.chapters.linked import rules
from clconform.oracles.chapters.linked.zero_copy import ELSEWHERE
from clconform.reports.reading import read_journal
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.runner.session.traces import ProtocolError, recording
from clconform.selftest.planted import host_memory
from clconform.selftest.planted.every_fault import every_fault
from clconform.spec_tables import load
from clconform.suites.chapters.linked import test_traces as suite
from clconform.suites.chapters.linked.places import SIZE, Place
from clconform.suites.chapters.linked.planner import READ, Habits, Memory, Runtime, users
from clconform.suites.kit.kit import Kit

from ...suite_runs import run_suites  # noqa: TID252 (tests are not part of the installed package)
from .blaming import told_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.traces import Mode, Violation
    from clconform.runner.pytest_plugin.aims import Case

DRIVER_FAULTS = {
    "stale-map": "host_read(",
    "unmap-loses-what-was-written": "clEnqueueUnmapMemObject/success: ",
    "copy-shifted-by-one": "clEnqueueCopyBuffer/success: ",
    "host-memory-is-only-copied": "host_read(",
    "host-memory-is-not-taken-in": "clEnqueueReadBuffer/success: ",
}
"""The message that each fault of a driver must produce."""
ANOTHER_ADDRESS = "host-memory-is-mapped-elsewhere"
"""The fault that is a deviation of the map, and only a note about the runtime that links the allocations."""


def traces() -> list[Case]:
    """Return the traces in which the host or a device is first."""
    return [case for case in suite.cases() if "first" in case.boundary]


@pytest.mark.parametrize("fault", DRIVER_FAULTS)
def test_a_drivers_fault_is_found_out(fault: str) -> None:
    assert DRIVER_FAULTS[fault] in told_of("numa-16", fault, traces(), DRIVER_FAULTS[fault])


def test_every_fault_of_host_memory_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == host_memory.__name__}
    assert planted - set(DRIVER_FAULTS) == {ANOTHER_ADDRESS}


def test_a_map_at_another_address_is_a_deviation_of_the_map_alone(tmp_path: Path) -> None:
    options = ["suites/chapters/linked", "--cl-simulated=numa-16", f"--cl-fault={ANOTHER_ADDRESS}", "-k", "first"]
    done = run_suites({"noted": [*options, "--cl-tier=tables", f"--cl-out={tmp_path}"]})["noted"]
    assert done.code == 10, done.output[-4000:]
    journal = read_journal(tmp_path / "journal.jsonl")
    assert {record for deviation in journal.deviations for record in deviation.records} == {
        "clEnqueueMapBuffer/effect/12"
    }
    assert {(note.record, note.observed) for note in journal.notes} == {(rules.SHARED, ELSEWHERE)}


def test_no_fault_is_found_where_there_is_none() -> None:
    assert not told_of("numa-16", "", traces())
    random = ["suites/chapters/linked", "--cl-simulated=numa-16", "--cl-seed=1", "--cl-examples=10", "-k", "random"]
    done = run_suites({"random traces": random})["random traces"]
    assert done.code == 0, done.output[-4000:]


class BothActive(Runtime):
    """A runtime that does not unmap a mapped allocation."""

    def handed_back(self, memory: Memory) -> None:
        memory.mapped = None


class NeverMaps(Runtime):
    """A runtime that uses the host memory while the linked allocation is active."""

    def opened(self, memory: Memory, flags: tuple[str, ...]) -> None:
        memory.rights = flags


class OneMore(Runtime):
    """A runtime that reads twice."""

    def fetched(self, memory: Memory, where: str) -> None:
        super().fetched(memory, where)
        super().fetched(memory, where)


class Stale(Runtime):
    """A runtime that transfers no data."""

    def brought(self, memory: Memory, where: str, mode: Mode) -> None:
        self.on_the_host(memory)


class Half(Runtime):
    """A runtime that reads half of the bytes."""

    def fetched(self, memory: Memory, where: str) -> None:
        self.places[where].fetch(memory.buffers[where], self.pointer(memory), size=SIZE // 2)


class ReadsWhatIsLinked(Runtime):
    """A runtime that reads from the linked allocation instead of mapping it."""

    def opened(self, memory: Memory, flags: tuple[str, ...]) -> None:
        memory.at = memory.at or users(self.kit)
        super().fetched(memory, memory.partner)


class LinksTwice(Runtime):
    """A runtime that creates every allocation on the host memory."""

    def allocated(self, memory: Memory, where: str) -> None:
        if where != HOST and where not in memory.buffers and memory.partner:
            memory.buffers[where] = self.places[where].create(memory.at)
        super().allocated(memory, where)


class LinksWhatIsApart(Runtime):
    """A runtime that also links allocations of devices without unified memory."""

    def shares(self, where: str) -> bool:
        return True


class NeverLinks(Runtime):
    """A runtime that links no allocations."""

    def shares(self, where: str) -> bool:
        return False


class Hasty(Runtime):
    """A runtime that allocates memory when an object is constructed."""

    def constructed(self, memory: Memory) -> None:
        memory.buffers["A"] = self.places["A"].create(None)


class Wasteful(Runtime):
    """A runtime that allocates host memory although such memory exists."""

    def on_the_host(self, memory: Memory) -> None:
        if not memory.host:
            users(self.kit)
        super().on_the_host(memory)


class MapsToRead(Runtime):
    """A runtime that maps only for reading."""

    def flags_for(self, mode: Mode) -> tuple[str, ...]:
        return (READ,)


class MapsTwice(Runtime):
    """A runtime that maps memory that is already mapped."""

    def opened(self, memory: Memory, flags: tuple[str, ...]) -> None:
        super().opened(memory, flags)
        memory.mapped = self.places[memory.partner].map(memory.buffers[memory.partner], *flags)


class Restless(Runtime):
    """A runtime that unmaps and maps again without need."""

    def moved(self, memory: Memory, where: str, mode: Mode, *, fresh: bool) -> None:
        super().moved(memory, where, mode, fresh=fresh)
        if where == HOST and memory.mapped:
            rights = memory.rights
            self.handed_back(memory)
            self.opened(memory, rights)


class WritesInVain(Runtime):
    """A runtime that writes data that the first access discards."""

    def moved(self, memory: Memory, where: str, mode: Mode, *, fresh: bool) -> None:
        super().moved(memory, where, "write" if fresh else mode, fresh=fresh)


HOST_FIRST = "host write, A read_write, host read_write"
DEVICE_FIRST = "A write, host read_write, A read_write, host read, host read"
APART = "F write, host read_write, F read, host read"
# the faulty runtime, an access history that exposes it, whether the user provides memory, and the violated rule
PLANTED: list[tuple[type[Runtime], str, bool, str]] = [
    (BothActive, DEVICE_FIRST, False, rules.TRANSFER),
    (BothActive, "A write, host read, A read", False, rules.TRANSFER),
    (NeverMaps, HOST_FIRST, False, rules.TRANSFER),
    (OneMore, APART, False, rules.TRANSFER),
    (Stale, APART, False, rules.READY),
    (Half, APART, False, rules.READY),
    (ReadsWhatIsLinked, HOST_FIRST, False, rules.TRANSFER),
    (LinksTwice, "host write, A read, B read", False, rules.NOT_LINKED_BEFORE),
    (LinksWhatIsApart, "host write, F read_write", False, rules.IF_UNIFIED),
    (NeverLinks, HOST_FIRST, False, rules.CREATION),
    (Hasty, DEVICE_FIRST, False, rules.NOTHING_AT_CONSTRUCTION),
    (Wasteful, DEVICE_FIRST, False, rules.HOST_SKIPPED),
    (Wasteful, HOST_FIRST, True, rules.HOST_SKIPPED),
    (MapsToRead, DEVICE_FIRST, False, rules.TRANSFER),
    (MapsTwice, "A write, host read", False, rules.TRANSFER),
    (Restless, DEVICE_FIRST, False, rules.TRANSFER),
    (WritesInVain, "F discard_write, host read", True, rules.TRANSFER),
]


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder(None)


@pytest.fixture(scope="module")
def session(recorder: Recorder) -> Iterator[Session]:
    session = Session(Target.simulated("numa-16"), load(), recorder)
    yield session
    session.close()


def played(session: Session, runtime: type[Runtime], told: str, *, own: bool) -> list[Violation]:
    """Return the violations of the protocol when a runtime makes these accesses."""
    with session.example():
        kit = Kit(session)
        unified = {"A": True, "B": True, "F": False}
        places = [Place.made(kit, name, session.device, unified=shares) for name, shares in unified.items()]
        memory = Memory("m", users(kit) if own else None)
        running = runtime(kit, places, [memory], Habits(eager=own))
        recorder = None
        try:
            with recording(session, "planted", [place.told for place in places], [memory.told]) as recorder:
                running.run(recorder, [("m", *access.split()) for access in told.split(", ")])  # type: ignore[misc]
        except ProtocolError:
            assert recorder is not None
            return recorder.reading.violations
    return []


@pytest.mark.parametrize(("runtime", "told", "own", "record"), PLANTED)
def test_a_fault_of_the_protocol_is_found_and_is_not_the_drivers(
    runtime: type[Runtime], told: str, record: str, session: Session, recorder: Recorder, *, own: bool
) -> None:
    recorder.begin(f"{runtime.__name__} {told}")
    faults = played(session, runtime, told, own=own)
    assert faults, "nothing was found"
    assert faults[0].record == record, faults
    assert not recorder.deviations
    assert all(set(kinds) <= {"conforms"} for name, kinds in recorder.evidence.items() if name in rules.RULES)


@pytest.mark.parametrize("told", sorted({told for _, told, _, _ in PLANTED}))
@pytest.mark.parametrize("own", [False, True])
def test_a_runtime_that_keeps_to_the_note_is_not_accused(
    told: str, session: Session, recorder: Recorder, *, own: bool
) -> None:
    recorder.begin(f"right {told}")
    assert played(session, Runtime, told, own=own) == []
    assert recorder.evidence[rules.CREATION]["conforms"] > 0
