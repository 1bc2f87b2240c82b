"""Valid traces with one changed call: a repeated transfer, or a missing map or unmap, is always detected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.linked_allocations import HOST, ServedAccess, Trace, TraceLine
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.oracles.chapters.linked_allocations.trace_judge import judge
from clconform.reports.journal_reader import read_journal
from clconform.spec_tables import load

from ..suite_runs import run_suites  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Step

MAP, UNMAP = "clEnqueueMapBuffer", "clEnqueueUnmapMemObject"
TRANSFERS = (MAP, UNMAP, "clEnqueueReadBuffer", "clEnqueueWriteBuffer")


@dataclass(frozen=True)
class TracePosition:
    """The position of a call in a trace."""

    trace: Trace
    access: int
    step: int

    @property
    def served_access(self) -> ServedAccess:
        """The access to which the call belongs."""
        return self.trace.accesses[self.access]

    @property
    def call(self) -> Step:
        """The step with the call and its outcome."""
        return self.served_access.steps[self.step]

    def with_steps(self, *steps: Step) -> Trace:
        """Return the trace with this step replaced by other steps."""
        changed = [*self.served_access.steps[: self.step], *steps, *self.served_access.steps[self.step + 1 :]]
        served = list(self.trace.accesses)
        served[self.access] = msgspec.structs.replace(self.served_access, steps=changed)
        return msgspec.structs.replace(self.trace, accesses=served)


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Trace]:
    """Return the traces of a short run."""
    out = tmp_path_factory.mktemp("traces")
    options = ["--cl-simulated=numa-16", "--cl-tier=tables", f"--cl-out={out}"]
    assert run_suites({"smoke": ["suites/chapters/linked_allocations", *options]})["smoke"].code == 0
    found = [line.trace for line in read_journal(out / "journal.jsonl").find_lines(TraceLine)]
    assert len(found) > 60
    return found


def find_transfers(traces: list[Trace]) -> Iterator[TracePosition]:
    """Yield the position of each call that transfers data of a buffer in a trace, or maps or unmaps the buffer."""
    for trace in traces:
        for access, served in enumerate(trace.accesses):
            mine = {step.outcome.value for each in trace.accesses for step in each.steps if _creates_object(step)}  # type: ignore[union-attr]
            for number, step in enumerate(served.steps):
                names = {getattr(value, "name", "") for value in step.call.arguments.values()}
                pointed = hasattr(step.call.arguments.get("ptr", step.call), "name") or step.call.function in (
                    MAP,
                    UNMAP,
                )
                if step.call.function in TRANSFERS and names & mine and pointed:
                    yield TracePosition(trace, access, number)


def _creates_object(step: Step) -> bool:
    return step.call.function == "clCreateBuffer"


def test_trace_with_a_repeated_transfer_is_a_violation(traces: list[Trace]) -> None:
    places = list(find_transfers(traces))
    assert len(places) > 100
    for place in places:
        faults = judge(place.with_steps(place.call, place.call), load()).violations
        assert faults, place
        assert (faults[0].access, faults[0].step, faults[0].requirement) == (
            place.access,
            place.step + 1,
            runtime_rules.TRANSFER,
        )


def test_trace_without_a_needed_map_or_unmap_is_a_violation(traces: list[Trace]) -> None:
    """Only a map before an access by the host, or an unmap before an access by a device, is needed."""
    left_out = 0
    for place in find_transfers(traces):
        wanted = MAP if place.served_access.access.context == HOST else UNMAP
        rest = [step.call.function for step in place.served_access.steps[place.step + 1 :]]
        near = any(name in (MAP, UNMAP) for name in rest) or place.call.call.function != wanted
        before = [step.call.function for step in place.served_access.steps[: place.step]]
        handed_back = "clEnqueueWriteBuffer" in before
        if near or handed_back:
            continue
        left_out += 1
        faults = judge(place.with_steps(), load()).violations
        assert faults, place
        assert faults[0].access == place.access
    assert left_out > 50
