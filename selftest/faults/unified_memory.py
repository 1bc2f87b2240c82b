"""Faults of unified shared memory: queries, allocation, freeing, and commands."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Outcome, Output, Returned
from clconform.calls.values import ElementList, Handle, OffsetPointer
from clconform.oracles.chapters.kernels.execution_info import POINTERS
from clconform.oracles.chapters.usm.error_conditions import FLAGS, PLACEMENTS
from clconform.oracles.chapters.usm.query_results import TYPE, TYPES
from clconform.oracles.contents.storage import PointerTarget
from clconform.oracles.contents.usm import ALLOCATION_TYPES, allocation_at
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import HostAllocation
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.contexts import ContextObject

faults = Faults()

QUERY, COPY, MIGRATE = "clGetMemAllocInfoINTEL", "clEnqueueMemcpyINTEL", "clEnqueueMigrateMemINTEL"
SET, EXEC_INFO, BLOCKING_FREE = "clSetKernelArgMemPointerINTEL", "clSetKernelExecInfo", "clMemBlockingFreeINTEL"
LAUNCH, EVENT_QUERY = "clEnqueueNDRangeKernel", "clGetEventInfo"
PAGE = 1 << 16


# queries


@faults.plant(QUERY, query="CL_MEM_ALLOC_BASE_PTR_INTEL", succeeded=True)
def inner_pointer_base_is_null(step: SimulatedStep) -> Outcome | None:
    """The base of an address inside an allocation is reported as NULL."""
    return _with_query_value(step, None) if step.argument("ptr", OffsetPointer) is not None else None


faults.plant(QUERY, query="CL_MEM_ALLOC_DEVICE_INTEL", succeeded=True).add(
    "usm-device-not-reported", "An allocation does not report its device.", lambda step: _with_query_value(step, None)
)


@faults.plant(QUERY, query="CL_MEM_ALLOC_SIZE_INTEL", succeeded=True)
def usm_size_rounded_to_pages(step: SimulatedStep) -> Outcome:
    """The size of an allocation is rounded down to whole pages."""
    memory = allocation_at(step.call.ptr, step.model)
    return _with_query_value(step, memory.size // PAGE * PAGE if memory is not None else 0)


faults.plant(QUERY, query=FLAGS, succeeded=True).add(
    "usm-flags-not-reported", "An allocation does not report its flags.", lambda step: _with_query_value(step, 0)
)
faults.plant(QUERY, query=TYPE, succeeded=True).add(
    "usm-type-always-host",
    "Every address is reported as host memory.",
    lambda step: _with_query_value(step, step.constant(TYPES[HostAllocation])),
)


# allocation and freeing


faults.plant(*ALLOCATION_TYPES, succeeded=True).add(
    "usm-misaligned-by-four",
    "Allocations are aligned to only four bytes.",
    lambda step: msgspec.structs.replace(step.outcome, alignment=4),
)


@faults.plant(*ALLOCATION_TYPES)
def usm_alignment_unchecked(step: SimulatedStep) -> Outcome | None:
    """Alignments that are not powers of two are accepted."""
    return step.repeat(alignment=0) if step.call.alignment & (step.call.alignment - 1) else None


@faults.plant(*ALLOCATION_TYPES, succeeded=True)
def usm_initial_placement_rejected(step: SimulatedStep) -> Outcome | None:
    """Flags for the initial placement of an allocation are rejected."""
    listed = step.argument("properties", ElementList)
    flags = [each for each in listed.values[1:2] if isinstance(each, int)] if listed is not None else []
    placed = any(each & step.constant(name) for each in flags for name in PLACEMENTS)
    return step.fail_creation("CL_INVALID_PROPERTY") if placed else None


@faults.plant("clMemFreeINTEL", BLOCKING_FREE)
def inner_pointer_freed(step: SimulatedStep) -> Outcome | None:
    """Freeing an address inside an allocation succeeds."""
    return Returned(0) if step.argument("ptr", OffsetPointer) is not None else None


@faults.plant(BLOCKING_FREE, EVENT_QUERY)
def blocking_free_does_not_wait(step: SimulatedStep) -> Outcome | None:
    """A blocking free returns although commands that use the memory have not started."""
    freed: list[bool] = step.state("left_behind", [])
    if step.call.function == BLOCKING_FREE:
        freed.append(True)
    asked = step.is_query("CL_EVENT_COMMAND_EXECUTION_STATUS") and VALUE in step.outcome.outputs
    queued = Output([step.constant("CL_QUEUED")], 4)
    return step.outcome.with_outputs(param_value=queued) if freed and asked else None


# commands


@faults.plant(COPY, succeeded=True)
def usm_copy_loses_last_byte(step: SimulatedStep) -> None:
    """The last byte of a copy is corrupted."""
    for place in step.writes:
        corrupt_byte(place, -1)


faults.plant(COPY, error="CL_MEM_COPY_OVERLAP").add(
    "usm-overlapping-copy-accepted",
    "Overlapping copies within an allocation are accepted.",
    SimulatedStep.accept,
)
faults.plant(COPY, error="CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST").add(
    "blocking-copy-ignores-failed-events",
    "A blocking copy succeeds although an event in its wait list failed.",
    SimulatedStep.accept,
)


@faults.plant(MIGRATE, error="CL_INVALID_VALUE")
def zero_migration_flags_accepted(step: SimulatedStep) -> Outcome | None:
    """Memory can be migrated with flags of 0."""
    return step.accept() if step.call.flags == 0 else None


# kernels


@faults.plant(SET, succeeded=True)
def argument_pointer_offset_ignored(step: SimulatedStep) -> None:
    """A kernel receives the base of an allocation although an address inside it was set as an argument."""
    arguments = step.model.get(Kernel, step.call.kernel).arguments
    found = arguments.get(step.call.arg_index)
    if found is not None and found.reach is not None:
        base = PointerTarget(found.reach.view, 0, found.reach.owner)
        arguments[step.call.arg_index] = dataclasses.replace(found, reach=base)


faults.plant(SET, error="CL_INVALID_ARG_VALUE").add(
    "pointer-for-any-argument-accepted", "Any kernel argument can be set to an address.", SimulatedStep.accept
)


@faults.plant(LAUNCH, succeeded=True)
def concurrent_atomic_add_lost(step: SimulatedStep) -> None:
    """An atomic addition of one work-item is lost if another work-item adds concurrently."""
    _corrupt_kernel_writes(step, lambda kernel, _memory: kernel.function == "tally")


@faults.plant(LAUNCH, succeeded=True)
def indirect_access_writes_lost(step: SimulatedStep) -> None:
    """Writes of a kernel to memory that it accesses only indirectly are corrupted."""
    _corrupt_kernel_writes(step, lambda kernel, memory: type(memory) in kernel.indirect_types)


@faults.plant(LAUNCH, succeeded=True)
def only_first_listed_pointer_kept(step: SimulatedStep) -> None:
    """Only the first pointer of a kernel's pointer list takes effect."""
    _corrupt_kernel_writes(step, lambda kernel, memory: memory in kernel.indirect_memory.get(POINTERS, [])[1:])


@faults.plant(EXEC_INFO, LAUNCH, succeeded=True)
def pointer_list_clears_indirect_access(step: SimulatedStep) -> None:
    """Setting a kernel's pointer list disables its indirect access flags."""
    kernel = step.model.get(Kernel, step.call.kernel)
    taken_back: set[str] = step.state("taken_back", set())
    if step.call.function == EXEC_INFO:
        (taken_back.add if step.is_query(POINTERS) else taken_back.discard)(kernel.name)
    elif kernel.name in taken_back:
        _corrupt_kernel_writes(step, lambda kernel, memory: type(memory) in kernel.indirect_types)


@faults.plant(EXEC_INFO, error="CL_INVALID_VALUE")
def partial_pointer_in_list_accepted(step: SimulatedStep) -> Outcome | None:
    """A pointer list is accepted if its size is not a multiple of the size of a pointer."""
    odd = step.call.param_value is not None and step.call.param_value_size % step.model.pointer_bytes
    return step.accept() if odd and step.is_query(POINTERS) else None


@faults.plant(LAUNCH, BLOCKING_FREE, EVENT_QUERY)
def blocking_free_ignores_further_pointers(step: SimulatedStep) -> Outcome | None:
    """A blocking free does not wait for kernels that use the memory through a pointer after the first in their list."""
    further: set[str] = step.state("further", set())
    if step.call.function == LAUNCH:
        if step.has_succeeded:
            listed = step.model.get(Kernel, step.call.kernel).indirect_memory.get(POINTERS, [])
            further.update(memory.name for memory in listed[1:])
        return None
    freed = step.argument("ptr", Handle)
    return blocking_free_does_not_wait(step) if freed is None or freed.name in further else None


def _corrupt_kernel_writes(step: SimulatedStep, when: Callable[[Kernel, ContextObject], bool]) -> None:
    """Corrupt the last byte of each region that a kernel has just written, if ``when`` selects the memory."""
    kernel = step.model.get(Kernel, step.call.kernel)
    for place in step.writes:
        if place.owner is not None and when(kernel, place.owner):
            corrupt_byte(place, -1)


def _with_query_value(step: SimulatedStep, answer: Element) -> Outcome:
    return step.outcome.with_outputs(param_value=Output([answer], step.outcome.outputs[VALUE].written))
