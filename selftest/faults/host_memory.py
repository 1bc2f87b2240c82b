"""Faults of buffers created with CL_MEM_USE_HOST_PTR, which a runtime's zero-copy path depends on."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.harness_actions import READ
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.contents import show_stored_bytes
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.contents.storage import Content, Storage, StorageView

faults = Faults()

CREATE = "clCreateBuffer"


@faults.plant(CREATE, READ)
def host_ptr_never_updated(step: SimulatedStep) -> Outcome | None:
    """A buffer with CL_MEM_USE_HOST_PTR copies the host's bytes at its creation and never writes changes back."""
    copied: dict[int, tuple[Storage, Content]] = step.state("copied_at_first", {})
    if step.call.function == CREATE:
        view = _get_host_ptr_memory(step)
        if view is not None:
            copied[id(view.storage)] = (view.storage, view.storage.read(((0, view.storage.size),)))
        return None
    work = step.find_effect()
    return show_stored_bytes(step, work.reads[0], copied) if work is not None else None


@faults.plant(CREATE)
def host_ptr_contents_ignored(step: SimulatedStep) -> None:
    """A buffer with CL_MEM_USE_HOST_PTR initially contains zeros, whatever the host memory contains."""
    view = _get_host_ptr_memory(step)
    if view is not None:
        view.storage.write(view.spans(0, view.size), defined_bytes(bytes(view.size)))


@faults.plant("clEnqueueMapBuffer", succeeded=True)
def host_ptr_map_elsewhere(step: SimulatedStep) -> Outcome | None:
    """Mapping a buffer with CL_MEM_USE_HOST_PTR returns an address that is not derived from host_ptr."""
    mapped = step.model.mapped_regions[-1]
    if not mapped.region.storage.host:
        return None
    mapped.pointer = f"elsewhere{next(step.state('maps_made', itertools.count(1)))}"
    return msgspec.structs.replace(step.outcome, value=mapped.pointer)


def _get_host_ptr_memory(step: SimulatedStep) -> StorageView | None:
    """Return the memory of a buffer that the call created with CL_MEM_USE_HOST_PTR; None for other buffers."""
    buffer = step.find_created(Buffer) if step.call.flags & step.constant("CL_MEM_USE_HOST_PTR") else None
    return buffer.memory if buffer is not None else None
