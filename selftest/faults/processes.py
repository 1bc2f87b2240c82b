"""A fault between processes: memory that keeps its contents after its process has ended."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()

FILLS = ("clEnqueueFillBuffer", "clEnqueueSVMMemFill")
READS = {"clEnqueueReadBuffer": "ptr", "clEnqueueSVMMemcpy": "dst_ptr"}
"""The functions that read memory, with the parameter for the output buffer."""


@faults.plant(*FILLS, *READS, succeeded=True)
def memory_outlives_process(step: SimulatedStep) -> Outcome | None:
    """New memory contains the pattern with which another process filled its memory."""
    file = Path(tempfile.gettempdir()) / f"clconform-memory-{step.simulation.session}"
    filled: list[bool] = step.state("has_filled", [])
    pattern, output_buffer = (
        step.argument("pattern", Data),
        step.argument(READS.get(step.call.function, ""), OutputBuffer),
    )
    if pattern is not None:
        filled.append(True)
        file.write_bytes(pattern.content)
    if output_buffer is None or filled or not file.exists():
        return None
    kept = file.read_bytes()
    file.unlink()
    raw = (kept * (output_buffer.count // len(kept) + 1))[: output_buffer.count]
    return step.with_bytes(READS[step.call.function], raw)
