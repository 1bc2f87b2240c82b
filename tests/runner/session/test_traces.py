"""Traces: violations of the protocol and deviations of the driver are separate, in the journal and as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Absent
from clconform.calls.journal import Line, TraceLine
from clconform.calls.traces import HOST, MemoryObject
from clconform.calls.values import OutputBuffer
from clconform.harness import Target
from clconform.oracles.chapters.linked import rules
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.writer import JournalWriter
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Session
from clconform.runner.session.traces import ProtocolError, recording
from clconform.spec_tables import load
from clconform.suites.chapters.linked.places import SIZE, Place
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMORY = MemoryObject("m", SIZE)


class Stage:
    """A session on a simulated platform with a recorder; ``fault``: the fault of the driver, if any."""

    def __init__(self, path: Path, fault: str = "") -> None:
        self.journal = JournalWriter(path)
        self.recorder = Recorder(self.journal)
        options = ("--fault", fault) if fault else ()
        self.session = Session(Target.simulated("numa-16", *options), load(), self.recorder)
        self.recorder.begin("an item")

    def traces(self) -> list[TraceLine]:
        """Return the traces in the journal."""
        lines = self.journal.path.read_bytes().splitlines()
        decoded = [msgspec.json.decode(line, type=Line) for line in lines]
        return [line for line in decoded if isinstance(line, TraceLine)]

    def pair(self, *, twice: bool = False, early: bool = False) -> None:
        """Let a device write, let the host change the data through a map, and read it on the device.

        ``twice``: unmap and map the buffer once more. ``early``: read the buffer before it is unmapped.
        """
        kit = Kit(self.session)
        place = Place.made(kit, "A", self.session.device)
        with recording(self.session, "a pair", [place.told], [MEMORY]) as recorder:
            with recorder.access("m", "A", "discard_write"):
                buffer = place.create(None)
                place.put(buffer, 1)
            with recorder.access("m", HOST, "write"):
                mapped = place.map(buffer, "CL_MAP_READ", "CL_MAP_WRITE")
                if twice:
                    place.unmap(buffer, mapped)
                    mapped = place.map(buffer, "CL_MAP_READ", "CL_MAP_WRITE")
                kit.put(mapped, bytes(SIZE))
            with recorder.access("m", "A", "read"):
                if early:
                    place.look(buffer)
                place.unmap(buffer, mapped)
                place.look(buffer)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path / "journal.jsonl")
    yield stage
    stage.session.close()


def test_a_right_trace_speaks_for_the_rules_that_it_meets(stage: Stage) -> None:
    with stage.session.example():
        stage.pair()
    assert stage.recorder.evidence[rules.TRANSFER] == {"conforms": 2}
    assert rules.NOT_LINKED_BEFORE not in stage.recorder.evidence
    (line,) = stage.traces()
    assert line.violations == []
    assert line.blamed == []
    assert [served.access.mode for served in line.trace.accesses] == ["discard_write", "write", "read"]
    assert line.trace.opening[0].call.function == "clCreateContext"


def test_only_the_first_trace_of_an_item_is_kept(stage: Stage) -> None:
    for _ in range(3):
        with stage.session.example():
            stage.pair()
    assert len(stage.traces()) == 1
    assert stage.recorder.evidence[rules.TRANSFER] == {"conforms": 6}


def test_a_fault_of_the_protocol_is_kept_and_speaks_for_nothing_after_it(stage: Stage) -> None:
    with stage.session.example():
        stage.pair()
    with stage.session.example(), pytest.raises(ProtocolError, match="access 1"):
        stage.pair(twice=True)
    assert [len(line.violations) for line in stage.traces()] == [0, 1]
    assert stage.recorder.evidence[rules.TRANSFER] == {"conforms": 2}
    assert stage.recorder.evidence[rules.CREATION] == {"conforms": 2}
    assert not stage.recorder.deviations


def test_an_undefined_call_is_not_sent_but_told(stage: Stage) -> None:
    with stage.session.example(), pytest.raises(ProtocolError):
        stage.pair(early=True)
    (line,) = stage.traces()
    last = line.trace.accesses[-1].steps[-1]
    assert last.call.function == "clEnqueueReadBuffer"
    assert isinstance(last.outcome, Absent)
    assert (line.violations[0].access, line.violations[0].record) == (2, rules.TRANSFER)


def test_an_undefined_call_that_leaves_no_rule_is_an_error_of_ours(stage: Stage) -> None:
    """The host must not read memory of an unmapped object, regardless of the trace."""
    with stage.session.example():
        _, area = Kit(stage.session).on_area(bytes(SIZE))
        with (
            pytest.raises(UndefinedCallError),
            recording(stage.session, "nothing", [], [MEMORY]) as recorder,
            recorder.access("m", HOST, "construct"),
        ):
            stage.session.host_read(area, SIZE, OutputBuffer(SIZE))


def test_a_deviation_of_the_driver_is_none_of_the_protocols(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "journal.jsonl", "unmap-loses-what-was-written")
    with stage.session.example():
        stage.pair()
    stage.session.close()
    (line,) = stage.traces()
    assert (line.violations, line.blamed) == ([], [2])
    assert ["clEnqueueUnmapMemObject/success"] in [each.records for each in stage.recorder.deviations.values()]
    assert stage.recorder.evidence[rules.TRANSFER] == {"conforms": 1, "deviates": 1}
    assert stage.recorder.evidence[rules.CREATION] == {"conforms": 1}
