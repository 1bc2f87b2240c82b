"""A fault between processes: memory that keeps its contents after its process has ended."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Data, OutputBuffer
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

FILLS = ("clEnqueueFillBuffer", "clEnqueueSVMMemFill")
READS = {"clEnqueueReadBuffer": "ptr", "clEnqueueSVMMemcpy": "dst_ptr"}
"""The functions that read memory, with the parameter for the output buffer."""


@faults.plant
def memory_outlives_process(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """New memory contains the pattern with which another process filled its memory."""
    kept = Path(tempfile.gettempdir()) / f"clconform-memory-{simulation.session}"
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    if call.function in FILLS and isinstance(call.pattern, Data):
        simulation.__dict__["has_filled"] = True
        kept.write_bytes(call.pattern.content)
    output_buffer = call.arguments.get(READS.get(call.function, ""))
    if not isinstance(output_buffer, OutputBuffer) or "has_filled" in simulation.__dict__ or not kept.exists():
        return outcome
    pattern = kept.read_bytes()
    kept.unlink()
    raw = (pattern * (output_buffer.count // len(pattern) + 1))[: output_buffer.count]
    outputs = {**outcome.outputs, READS[call.function]: Output([], len(raw), raw)}
    return msgspec.structs.replace(outcome, outputs=outputs)
