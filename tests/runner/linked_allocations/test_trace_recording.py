"""Recorded traces: violations of the protocol are separate from deviations of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Absent
from clconform.calls.line_kinds import JournalLine
from clconform.calls.linked_allocations import HOST, TraceLine, TraceMemoryObject
from clconform.calls.values import OutputBuffer
from clconform.harness import Target
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.writer import JournalWriter
from clconform.runner.linked_allocations.trace_recording import ProtocolViolationError, record_trace
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.chapters.linked_allocations.memory_regions import SIZE, DeviceContext
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMORY = TraceMemoryObject("m", SIZE)


class TraceStage:
    """A session on a simulated platform with a recorder; ``fault``: the fault of the driver, if any."""

    def __init__(self, path: Path, fault: str = "") -> None:
        self.journal = JournalWriter(path)
        self.recorder = Recorder(self.journal)
        options = ("--fault", fault) if fault else ()
        self.session = Session(Target.simulated("numa-16", *options), load(), self.recorder)
        self.recorder.begin_item("an item")

    def traces(self) -> list[TraceLine]:
        """Return the traces in the journal."""
        lines = self.journal.path.read_bytes().splitlines()
        decoded = [msgspec.json.decode(line, type=JournalLine) for line in lines]
        return [line for line in decoded if isinstance(line, TraceLine)]

    def access_pair(self, *, twice: bool = False, early: bool = False) -> None:
        """Let a device write, let the host change the data through a map, and read it on the device.

        ``twice``: unmap and map the buffer once more. ``early``: read the buffer before it is unmapped.
        """
        kit = Kit(self.session)
        place = DeviceContext.create_context(kit, "A", self.session.device)
        with record_trace(self.session, "a pair", [place.traced_context], [MEMORY]) as recorder:
            with recorder.announce_access("m", "A", "discard_write"):
                buffer = place.create_buffer(None)
                place.write_on_device(buffer, 1)
            with recorder.announce_access("m", HOST, "write"):
                mapped = place.map(buffer, "CL_MAP_READ", "CL_MAP_WRITE")
                if twice:
                    place.unmap(buffer, mapped)
                    mapped = place.map(buffer, "CL_MAP_READ", "CL_MAP_WRITE")
                kit.write_host(mapped, bytes(SIZE))
            with recorder.announce_access("m", "A", "read"):
                if early:
                    place.read_on_device(buffer)
                place.unmap(buffer, mapped)
                place.read_on_device(buffer)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[TraceStage]:
    stage = TraceStage(tmp_path / "journal.jsonl")
    yield stage
    stage.session.close()


def test_valid_trace_is_evidence_for_its_rules(stage: TraceStage) -> None:
    with stage.session.example():
        stage.access_pair()
    assert stage.recorder.evidence[runtime_rules.TRANSFER] == {"conforms": 2}
    assert runtime_rules.NOT_LINKED_BEFORE not in stage.recorder.evidence
    (line,) = stage.traces()
    assert line.violations == []
    assert line.deviating_accesses == []
    assert [served.access.mode for served in line.trace.accesses] == ["discard_write", "write", "read"]
    assert line.trace.opening[0].call.function == "clCreateContext"


def test_only_first_trace_of_item_is_stored(stage: TraceStage) -> None:
    for _ in range(3):
        with stage.session.example():
            stage.access_pair()
    assert len(stage.traces()) == 1
    assert stage.recorder.evidence[runtime_rules.TRANSFER] == {"conforms": 6}


def test_trace_with_protocol_violation_does_not_give_evidence(stage: TraceStage) -> None:
    with stage.session.example():
        stage.access_pair()
    with stage.session.example(), pytest.raises(ProtocolViolationError, match="access 1"):
        stage.access_pair(twice=True)
    assert [len(line.violations) for line in stage.traces()] == [0, 1]
    assert stage.recorder.evidence[runtime_rules.TRANSFER] == {"conforms": 2}
    assert stage.recorder.evidence[runtime_rules.CREATION] == {"conforms": 2}
    assert not stage.recorder.deviations


def test_undefined_call_is_recorded_but_not_made(stage: TraceStage) -> None:
    with stage.session.example(), pytest.raises(ProtocolViolationError):
        stage.access_pair(early=True)
    (line,) = stage.traces()
    last = line.trace.accesses[-1].steps[-1]
    assert last.call.function == "clEnqueueReadBuffer"
    assert isinstance(last.outcome, Absent)
    assert (line.violations[0].access, line.violations[0].requirement) == (2, runtime_rules.TRANSFER)


def test_undefined_call_without_protocol_violation_raises_error(stage: TraceStage) -> None:
    """The host must not read memory of an unmapped object, regardless of the trace."""
    with stage.session.example():
        _, area = Kit(stage.session).buffer_and_area(bytes(SIZE))
        with (
            pytest.raises(UndefinedCallError),
            record_trace(stage.session, "nothing", [], [MEMORY]) as recorder,
            recorder.announce_access("m", HOST, "construct"),
        ):
            stage.session.host_read(area, SIZE, OutputBuffer(SIZE))


def test_driver_deviation_is_not_protocol_violation(tmp_path: Path) -> None:
    stage = TraceStage(tmp_path / "journal.jsonl", "unmap-discards-writes")
    with stage.session.example():
        stage.access_pair()
    stage.session.close()
    (line,) = stage.traces()
    assert (line.violations, line.deviating_accesses) == ([], [2])
    assert ["clEnqueueUnmapMemObject/success"] in [each.requirements for each in stage.recorder.deviations.values()]
    assert stage.recorder.evidence[runtime_rules.TRANSFER] == {"conforms": 1, "deviates": 1}
    assert stage.recorder.evidence[runtime_rules.CREATION] == {"conforms": 1}
