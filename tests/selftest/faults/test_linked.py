"""Faults of a driver, and of a runtime on top of it, are found, and attributed to the driver or to the runtime."""

# ruff: noqa: ARG002, D102 (the class docstring of a faulty runtime describes its fault)

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.linked_allocations import HOST
from clconform.harness import Target
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.oracles.chapters.linked_allocations.zero_copy import ELSEWHERE
from clconform.reports.journal_reader import read_journal
from clconform.runner.journal.recorder import Recorder
from clconform.runner.linked_allocations.trace_recording import ProtocolViolationError, record_trace
from clconform.runner.session.session import Session
from clconform.selftest.faults import host_memory
from clconform.spec_tables import load
from clconform.suites.chapters.linked_allocations import test_traces as suite
from clconform.suites.chapters.linked_allocations.memory_regions import SIZE, DeviceContext
from clconform.suites.chapters.linked_allocations.planner import (
    READ,
    LinkingRuntime,
    ManagedMemory,
    RuntimeOptions,
    allocate_user_memory,
)
from clconform.suites.kit.kit import Kit

from ...suite_runs import run_suites  # noqa: TID252 (tests are not part of the installed package)
from .attribution import get_messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.linked_allocations import Mode, TraceViolation
    from clconform.runner.pytest_plugin.covers import TableCase

DRIVER_FAULTS = {
    "buffer-maps-stale": "host_read(",
    "unmap-discards-writes": "clEnqueueUnmapMemObject/success: ",
    "copy-rotated-by-one-byte": "clEnqueueCopyBuffer/success: ",
    "host-ptr-never-updated": "host_read(",
    "host-ptr-contents-ignored": "clCreateBuffer/success: ",
}
"""The message that each fault of a driver must produce."""
OTHER_ADDRESS_FAULT = "host-ptr-map-elsewhere"
"""The fault that violates a requirement of maps, and causes only a note about linked allocations."""


def get_traces() -> list[TableCase]:
    """Return the traces whose test values state whether the host or a device comes first."""
    return [case for case in suite.cases() if "first" in case.test_value]


@pytest.mark.parametrize("fault", DRIVER_FAULTS)
def test_driver_fault_below_linking_runtime_causes_expected_message(fault: str) -> None:
    assert DRIVER_FAULTS[fault] in get_messages("numa-16", fault, get_traces(), DRIVER_FAULTS[fault])


def test_every_host_memory_fault_has_an_expected_message() -> None:
    planted = set(host_memory.faults.entries)
    assert planted - set(DRIVER_FAULTS) == {OTHER_ADDRESS_FAULT}


def test_map_at_another_address_violates_only_a_requirement_of_maps(tmp_path: Path) -> None:
    options = [
        "suites/chapters/linked_allocations",
        "--cl-simulated=numa-16",
        f"--cl-fault={OTHER_ADDRESS_FAULT}",
        "-k",
        "first",
    ]
    done = run_suites({"noted": [*options, "--cl-tier=tables", f"--cl-out={tmp_path}"]})["noted"]
    assert done.code == 10, done.output[-4000:]
    journal = read_journal(tmp_path / "journal.jsonl")
    assert {requirement for deviation in journal.deviations for requirement in deviation.requirements} == {
        "clEnqueueMapBuffer/effect/12"
    }
    assert {(note.requirement, note.observed) for note in journal.notes} == {(runtime_rules.SHARED_MEMORY, ELSEWHERE)}


def test_conforming_platform_has_no_deviation() -> None:
    assert not get_messages("numa-16", "", get_traces())
    random = [
        "suites/chapters/linked_allocations",
        "--cl-simulated=numa-16",
        "--cl-seed=1",
        "--cl-examples=10",
        "-k",
        "random",
    ]
    done = run_suites({"random traces": random})["random traces"]
    assert done.code == 0, done.output[-4000:]


class BothActiveRuntime(LinkingRuntime):
    """A runtime that does not unmap a mapped allocation before a device uses it."""

    def unmap_for_device(self, memory: ManagedMemory) -> None:
        memory.mapped_pointer = None


class UnmappedRuntime(LinkingRuntime):
    """A runtime that uses the host memory while the linked allocation is active."""

    def map_for_host(self, memory: ManagedMemory, flags: tuple[str, ...]) -> None:
        memory.map_flags = flags


class DoubleReadRuntime(LinkingRuntime):
    """A runtime that reads the data of a device twice."""

    def read_to_host(self, memory: ManagedMemory, where: str) -> None:
        super().read_to_host(memory, where)
        super().read_to_host(memory, where)


class StaleRuntime(LinkingRuntime):
    """A runtime that allocates memory but does not transfer the data."""

    def transfer_through_host(self, memory: ManagedMemory, where: str, mode: Mode) -> None:
        self.allocate_on_host(memory)


class HalfReadRuntime(LinkingRuntime):
    """A runtime that reads only half of the bytes of an allocation."""

    def read_to_host(self, memory: ManagedMemory, where: str) -> None:
        self.places[where].read_to_host(memory.buffers[where], self.get_host_pointer(memory), size=SIZE // 2)


class ReadLinkedRuntime(LinkingRuntime):
    """A runtime that reads from the linked allocation instead of mapping it."""

    def map_for_host(self, memory: ManagedMemory, flags: tuple[str, ...]) -> None:
        memory.host_pointer = memory.host_pointer or allocate_user_memory(self.kit)
        super().read_to_host(memory, memory.partner)


class LinkTwiceRuntime(LinkingRuntime):
    """A runtime that links an allocation to the host memory although another allocation is already linked to it."""

    def allocate(self, memory: ManagedMemory, where: str) -> None:
        if where != HOST and where not in memory.buffers and memory.partner:
            memory.buffers[where] = self.places[where].create_buffer(memory.host_pointer)
        super().allocate(memory, where)


class LinkSeparateRuntime(LinkingRuntime):
    """A runtime that also links allocations of devices without unified memory."""

    def shares_host_memory(self, where: str) -> bool:
        return True


class UnlinkedRuntime(LinkingRuntime):
    """A runtime that does not link any allocations to the host memory."""

    def shares_host_memory(self, where: str) -> bool:
        return False


class EagerRuntime(LinkingRuntime):
    """A runtime that allocates memory when an object is constructed."""

    def construct(self, memory: ManagedMemory) -> None:
        memory.buffers["A"] = self.places["A"].create_buffer(None)


class ExtraHostRuntime(LinkingRuntime):
    """A runtime that allocates host memory again although it is already allocated."""

    def allocate_on_host(self, memory: ManagedMemory) -> None:
        if not memory.host_allocated:
            allocate_user_memory(self.kit)
        super().allocate_on_host(memory)


class ReadMapRuntime(LinkingRuntime):
    """A runtime that maps memory only for reading."""

    def get_map_flags(self, mode: Mode) -> tuple[str, ...]:
        return (READ,)


class DoubleMapRuntime(LinkingRuntime):
    """A runtime that maps memory that is already mapped."""

    def map_for_host(self, memory: ManagedMemory, flags: tuple[str, ...]) -> None:
        super().map_for_host(memory, flags)
        memory.mapped_pointer = self.places[memory.partner].map(memory.buffers[memory.partner], *flags)


class SwitchingRuntime(LinkingRuntime):
    """A runtime that unmaps and maps again without need."""

    def transfer(self, memory: ManagedMemory, where: str, mode: Mode, *, fresh: bool) -> None:
        super().transfer(memory, where, mode, fresh=fresh)
        if where == HOST and memory.mapped_pointer:
            rights = memory.map_flags
            self.unmap_for_device(memory)
            self.map_for_host(memory, rights)


class NeedlessWriteRuntime(LinkingRuntime):
    """A runtime that writes data that the first access discards."""

    def transfer(self, memory: ManagedMemory, where: str, mode: Mode, *, fresh: bool) -> None:
        super().transfer(memory, where, "write" if fresh else mode, fresh=fresh)


HOST_FIRST = "host write, A read_write, host read_write"
DEVICE_FIRST = "A write, host read_write, A read_write, host read, host read"
SEPARATE = "F write, host read_write, F read, host read"
# the faulty runtime, an access history that exposes it, whether the user provides memory, and the violated rule
FAULTY_RUNTIMES: list[tuple[type[LinkingRuntime], str, bool, str]] = [
    (BothActiveRuntime, DEVICE_FIRST, False, runtime_rules.TRANSFER),
    (BothActiveRuntime, "A write, host read, A read", False, runtime_rules.TRANSFER),
    (UnmappedRuntime, HOST_FIRST, False, runtime_rules.TRANSFER),
    (DoubleReadRuntime, SEPARATE, False, runtime_rules.TRANSFER),
    (StaleRuntime, SEPARATE, False, runtime_rules.READY_AFTER_COMMAND),
    (HalfReadRuntime, SEPARATE, False, runtime_rules.READY_AFTER_COMMAND),
    (ReadLinkedRuntime, HOST_FIRST, False, runtime_rules.TRANSFER),
    (LinkTwiceRuntime, "host write, A read, B read", False, runtime_rules.NOT_LINKED_BEFORE),
    (LinkSeparateRuntime, "host write, F read_write", False, runtime_rules.LINKED_IF_UNIFIED),
    (UnlinkedRuntime, HOST_FIRST, False, runtime_rules.CREATION),
    (EagerRuntime, DEVICE_FIRST, False, runtime_rules.LAZY_ALLOCATION),
    (ExtraHostRuntime, DEVICE_FIRST, False, runtime_rules.HOST_ALLOCATION_SKIPPED),
    (ExtraHostRuntime, HOST_FIRST, True, runtime_rules.HOST_ALLOCATION_SKIPPED),
    (ReadMapRuntime, DEVICE_FIRST, False, runtime_rules.TRANSFER),
    (DoubleMapRuntime, "A write, host read", False, runtime_rules.TRANSFER),
    (SwitchingRuntime, DEVICE_FIRST, False, runtime_rules.TRANSFER),
    (NeedlessWriteRuntime, "F discard_write, host read", True, runtime_rules.TRANSFER),
]


@pytest.fixture(scope="module")
def run_recorder() -> Recorder:
    return Recorder(None)


@pytest.fixture(scope="module")
def shared_session(run_recorder: Recorder) -> Iterator[Session]:
    session = Session(Target.simulated("numa-16"), load(), run_recorder)
    yield session
    session.close()


def run_accesses(
    shared_session: Session, runtime: type[LinkingRuntime], told: str, *, own: bool
) -> list[TraceViolation]:
    """Make accesses with a runtime, and return the violations of the protocol."""
    with shared_session.example():
        kit = Kit(shared_session)
        unified = {"A": True, "B": True, "F": False}
        places = [
            DeviceContext.create_context(kit, name, shared_session.device, unified=shares)
            for name, shares in unified.items()
        ]
        memory = ManagedMemory("m", allocate_user_memory(kit) if own else None)
        running = runtime(kit, places, [memory], RuntimeOptions(host_first=own))
        recorder = None
        try:
            with record_trace(
                shared_session, "planted", [place.traced_context for place in places], [memory.traced_object]
            ) as recorder:
                running.run(recorder, [("m", *access.split()) for access in told.split(", ")])  # type: ignore[misc]
        except ProtocolViolationError:
            assert recorder is not None
            return recorder.evaluation.violations
    return []


@pytest.mark.parametrize(("runtime", "told", "own", "record"), FAULTY_RUNTIMES)
def test_protocol_violation_is_attributed_to_the_runtime(
    runtime: type[LinkingRuntime], told: str, record: str, shared_session: Session, run_recorder: Recorder, *, own: bool
) -> None:
    run_recorder.begin_item(f"{runtime.__name__} {told}")
    faults = run_accesses(shared_session, runtime, told, own=own)
    assert faults, "nothing was found"
    assert faults[0].requirement == record, faults
    assert not run_recorder.deviations
    assert all(
        set(kinds) <= {"conforms"} for name, kinds in run_recorder.evidence.items() if name in runtime_rules.RULE_TEXTS
    )


@pytest.mark.parametrize("told", sorted({told for _, told, _, _ in FAULTY_RUNTIMES}))
@pytest.mark.parametrize("own", [False, True])
def test_conforming_runtime_has_no_violation(
    told: str, shared_session: Session, run_recorder: Recorder, *, own: bool
) -> None:
    run_recorder.begin_item(f"right {told}")
    assert run_accesses(shared_session, LinkingRuntime, told, own=own) == []
    assert run_recorder.evidence[runtime_rules.CREATION]["conforms"] > 0
