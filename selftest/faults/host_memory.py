"""Faults of buffers created with CL_MEM_USE_HOST_PTR, which a runtime's zero-copy path depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.harness_actions import READ
from clconform.calls.values import Handle
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import Content, Storage, StorageView
    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def host_ptr_never_updated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A buffer with CL_MEM_USE_HOST_PTR copies the host's bytes at its creation and never writes changes back."""
    copied: dict[int, tuple[Storage, Content]] = simulation.__dict__.setdefault("copied_at_first", {})
    view = _get_host_ptr_memory(simulation, call, outcome)
    if view is not None:
        copied[id(view.storage)] = (view.storage, view.storage.read(((0, view.storage.size),)))
    if call.function != READ or not isinstance(outcome, Returned):
        return outcome
    (place,) = simulation.oracle.rulebook.effect_of(call, simulation.model).reads
    _, shown = copied.get(id(place.storage), (None, None))
    if shown is None:
        return outcome
    raw = b"".join(shown.bytes_held[start : start + size] for start, size in place.spans)
    return msgspec.structs.replace(outcome, outputs={"content": Output([], len(raw), raw)})


@faults.plant
def host_ptr_contents_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A buffer with CL_MEM_USE_HOST_PTR initially contains zeros, whatever the host memory contains."""
    view = _get_host_ptr_memory(simulation, call, outcome)
    if view is not None:
        view.storage.write(view.spans(0, view.size), defined_bytes(bytes(view.size)))
    return outcome


@faults.plant
def host_ptr_map_elsewhere(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Mapping a buffer with CL_MEM_USE_HOST_PTR returns an address that is not derived from host_ptr."""
    if call.function != "clEnqueueMapBuffer" or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    mapped = simulation.model.mapped_regions[-1]
    if not mapped.region.storage.host:
        return outcome
    count = simulation.__dict__["maps_made"] = simulation.__dict__.get("maps_made", 0) + 1
    mapped.pointer = f"elsewhere{count}"
    return msgspec.structs.replace(outcome, value=mapped.pointer)


def _get_host_ptr_memory(simulation: Simulation, call: Call, outcome: Outcome) -> StorageView | None:
    """Return the memory of a buffer that the call created with CL_MEM_USE_HOST_PTR; None for other calls."""
    if call.function != "clCreateBuffer" or not isinstance(outcome, Returned) or not isinstance(outcome.value, str):
        return None
    if not call.flags & simulation.model.constant_value("CL_MEM_USE_HOST_PTR"):
        return None
    return simulation.model.get(Buffer, Handle(outcome.value)).memory
