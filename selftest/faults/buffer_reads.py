"""Helpers for reads of buffers that return zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.contents.storage import Storage
    from clconform.oracles.model.enqueued_command import Command
    from clconform.selftest.faults.registry import SimulatedStep


BUFFER_READERS = ("clEnqueueReadBuffer", "clEnqueueReadBufferRect")
"""The functions that read a buffer to the host. The bytes of a fault of memory are the same for each of them."""


def find_read_storage(step: SimulatedStep) -> Storage | None:
    """Return the memory that one of ``BUFFER_READERS`` reads; None for other calls."""
    buffer = step.find("buffer", Buffer) if step.call.function in BUFFER_READERS else None
    return buffer.memory.storage if buffer is not None and buffer.memory is not None else None


def find_last_writer(step: SimulatedStep) -> Command | None:
    """Return the last command that wrote the memory that one of ``BUFFER_READERS`` reads; None for other calls."""
    storage = find_read_storage(step)
    return step.model.commands.writers.get(storage) if storage is not None else None


def with_zeros(step: SimulatedStep) -> Outcome | None:
    """Return the outcome of a read with zeros in place of its bytes, or None if it has returned no bytes."""
    output = step.outcome.outputs.get("ptr")
    return step.with_bytes("ptr", bytes(len(output.raw))) if output is not None else None
