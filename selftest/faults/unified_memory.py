"""Faults of unified shared memory: queries, allocation, freeing, and commands."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, Handle, OffsetPointer
from clconform.oracles.chapters.kernels.execution_info import POINTERS
from clconform.oracles.chapters.usm.error_conditions import FLAGS, PLACEMENTS
from clconform.oracles.chapters.usm.query_results import TYPE, TYPES
from clconform.oracles.contents.storage import POINTER_BYTES, PointerTarget
from clconform.oracles.contents.usm import ALLOCATION_TYPES, allocation_at
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import HostAllocation
from clconform.selftest.faults.contents import corrupt_byte
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.contexts import ContextObject
    from clconform.simulator.platform import Simulation

faults = Faults()

QUERY, COPY, MIGRATE = "clGetMemAllocInfoINTEL", "clEnqueueMemcpyINTEL", "clEnqueueMigrateMemINTEL"
SET, EXEC_INFO, BLOCKING_FREE = "clSetKernelArgMemPointerINTEL", "clSetKernelExecInfo", "clMemBlockingFreeINTEL"
PAGE = 1 << 16


@faults.plant
def inner_pointer_base_is_null(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The base of an address inside an allocation is reported as NULL."""
    inside = isinstance(call.arguments.get("ptr"), OffsetPointer)
    return _replace_query_value(simulation, call, outcome, "CL_MEM_ALLOC_BASE_PTR_INTEL", None) if inside else outcome


@faults.plant
def usm_device_not_reported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An allocation does not report its device."""
    return _replace_query_value(simulation, call, outcome, "CL_MEM_ALLOC_DEVICE_INTEL", None)


@faults.plant
def usm_size_rounded_to_pages(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The size of an allocation is rounded down to whole pages."""
    memory = allocation_at(call.arguments.get("ptr"), simulation.model)
    pages = memory.size // PAGE if memory is not None else 0
    return _replace_query_value(simulation, call, outcome, "CL_MEM_ALLOC_SIZE_INTEL", PAGE * pages)


@faults.plant
def usm_flags_not_reported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An allocation does not report its flags."""
    return _replace_query_value(simulation, call, outcome, FLAGS, 0)


@faults.plant
def usm_type_always_host(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every address is reported as host memory."""
    return _replace_query_value(simulation, call, outcome, TYPE, simulation.model.constant_value(TYPES[HostAllocation]))


@faults.plant
def usm_misaligned_by_four(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Allocations are aligned to only four bytes."""
    del simulation
    made = call.function in ALLOCATION_TYPES and isinstance(outcome, Returned) and outcome.value is not None
    return msgspec.structs.replace(outcome, alignment=4) if made else outcome


@faults.plant
def usm_alignment_unchecked(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Alignments that are not powers of two are accepted."""
    wrong = call.function in ALLOCATION_TYPES and call.alignment & (call.alignment - 1)
    return simulation.make_call(_with_arguments(call, alignment=0)) if wrong else outcome


@faults.plant
def usm_initial_placement_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Flags for the initial placement of an allocation are rejected."""
    listed = call.arguments.get("properties")
    bits = listed.values[1:2] if call.function in ALLOCATION_TYPES and isinstance(listed, ElementList) else ()
    placed = any(
        isinstance(each, int) and each & simulation.model.constant_value(name) for each in bits for name in PLACEMENTS
    )
    if not placed or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    code = simulation.model.constant_value("CL_INVALID_PROPERTY")
    return Returned(None, {**outcome.outputs, "errcode_ret": Output([code], 4)})


@faults.plant
def inner_pointer_freed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Freeing an address inside an allocation succeeds."""
    del simulation
    inside = "MemFree" in call.function or call.function == BLOCKING_FREE
    return Returned(0) if inside and isinstance(call.arguments.get("ptr"), OffsetPointer) else outcome


@faults.plant
def blocking_free_does_not_wait(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking free returns although commands that use the memory have not started."""
    if call.function == BLOCKING_FREE:
        simulation.__dict__["left_behind"] = True
    status = "CL_EVENT_COMMAND_EXECUTION_STATUS"
    asked = call.function == "clGetEventInfo" and call.param_name == simulation.model.constant_value(status)
    waiting = asked and isinstance(outcome, Returned) and "left_behind" in simulation.__dict__
    if not waiting or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    return _with_query_value(outcome, simulation.model.constant_value("CL_QUEUED"), 4)


@faults.plant
def usm_copy_loses_last_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last byte of a copy is corrupted."""
    if call.function == COPY and isinstance(outcome, Returned) and outcome.value == 0:
        try:
            places = simulation.oracle.rulebook.effect_of(call, simulation.model).writes
        except (UnknownFactError, UndefinedBehaviourError):  # the copied memory is unknown, or the call does not copy
            return outcome
        for place in places:
            corrupt_byte(place, -1)
    return outcome


@faults.plant
def usm_overlapping_copy_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Overlapping copies within an allocation are accepted."""
    return _accept(simulation, call, outcome, COPY, "CL_MEM_COPY_OVERLAP")


@faults.plant
def blocking_copy_ignores_failed_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking copy succeeds although an event in its wait list failed."""
    return _accept(simulation, call, outcome, COPY, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST")


@faults.plant
def argument_pointer_offset_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel receives the base of an allocation although an address inside it was set as an argument."""
    if call.function == SET and isinstance(outcome, Returned) and outcome.value == 0:
        arguments = simulation.model.get(Kernel, call.kernel).arguments
        found = arguments.get(call.arg_index)
        if found is not None and found.reach is not None:
            base = PointerTarget(found.reach.view, 0, found.reach.owner)
            arguments[call.arg_index] = dataclasses.replace(found, reach=base)
    return outcome


@faults.plant
def pointer_for_any_argument_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Any kernel argument can be set to an address."""
    return _accept(simulation, call, outcome, SET, "CL_INVALID_ARG_VALUE")


@faults.plant
def zero_migration_flags_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Memory can be migrated with flags of 0."""
    zero = call.function == MIGRATE and call.flags == 0
    return _accept(simulation, call, outcome, MIGRATE, "CL_INVALID_VALUE") if zero else outcome


@faults.plant
def concurrent_atomic_add_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An atomic addition of one work-item is lost if another work-item adds concurrently."""
    _corrupt_kernel_writes(simulation, call, outcome, lambda kernel, _memory: kernel.function == "tally")
    return outcome


@faults.plant
def indirect_access_writes_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Writes of a kernel to memory that it accesses only indirectly are corrupted."""
    _corrupt_kernel_writes(simulation, call, outcome, lambda kernel, memory: type(memory) in kernel.indirect_types)
    return outcome


@faults.plant
def only_first_listed_pointer_kept(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Only the first pointer of a kernel's pointer list takes effect."""
    _corrupt_kernel_writes(
        simulation, call, outcome, lambda kernel, memory: memory in kernel.indirect_memory.get(POINTERS, [])[1:]
    )
    return outcome


@faults.plant
def pointer_list_clears_indirect_access(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Setting a kernel's pointer list disables its indirect access flags."""
    kernel = simulation.model.find(call.arguments.get("kernel"))
    taken_back: set[str] = simulation.__dict__.setdefault("taken_back", set())
    if call.function == EXEC_INFO and isinstance(kernel, Kernel) and _has_succeeded(outcome):
        lists = call.param_name == simulation.model.constant_value(POINTERS)
        (taken_back.add if lists else taken_back.discard)(kernel.name)
    _corrupt_kernel_writes(
        simulation, call, outcome, lambda each, memory: each.name in taken_back and type(memory) in each.indirect_types
    )
    return outcome


@faults.plant
def partial_pointer_in_list_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pointer list is accepted if its size is not a multiple of the size of a pointer."""
    odd = call.function == EXEC_INFO and call.param_value is not None and call.param_value_size % POINTER_BYTES
    listing = odd and call.param_name == simulation.model.constant_value(POINTERS)
    return _accept(simulation, call, outcome, EXEC_INFO, "CL_INVALID_VALUE") if listing else outcome


@faults.plant
def blocking_free_ignores_further_pointers(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking free does not wait for kernels that use the memory through a pointer after the first in their list."""
    further: set[str] = simulation.__dict__.setdefault("further", set())
    if call.function == "clEnqueueNDRangeKernel" and _has_succeeded(outcome):
        listed = simulation.model.get(Kernel, call.kernel).indirect_memory.get(POINTERS, [])
        further.update(memory.name for memory in listed[1:])
    if call.function == BLOCKING_FREE and isinstance(call.ptr, Handle) and call.ptr.name not in further:
        return outcome
    return blocking_free_does_not_wait(simulation, call, outcome)


def _corrupt_kernel_writes(
    simulation: Simulation, call: Call, outcome: Outcome, when: Callable[[Kernel, ContextObject], bool]
) -> None:
    """Corrupt the last byte of each region that a kernel has just written, if ``when`` selects the memory."""
    if call.function != "clEnqueueNDRangeKernel" or not _has_succeeded(outcome):
        return
    kernel = simulation.model.get(Kernel, call.kernel)
    for place in simulation.oracle.rulebook.effect_of(call, simulation.model).writes:
        if place.owner is not None and when(kernel, place.owner):
            corrupt_byte(place, -1)


def _has_succeeded(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and outcome.value == 0


def _replace_query_value(simulation: Simulation, call: Call, outcome: Outcome, query: str, answer: Element) -> Outcome:
    """Return the outcome of an allocation query of this name with another value."""
    asked = call.function == QUERY and call.param_name == simulation.model.constant_value(query)
    if not asked or not isinstance(outcome, Returned) or outcome.value != 0 or "param_value" not in outcome.outputs:
        return outcome
    return _with_query_value(outcome, answer, outcome.outputs["param_value"].written)


def _with_query_value(outcome: Returned, answer: Element, size: int) -> Outcome:
    return outcome.with_outputs(param_value=Output([answer], size))


def _accept(simulation: Simulation, call: Call, outcome: Outcome, function: str, code: str) -> Outcome:
    """Return success if the outcome is the error ``code`` of ``function``; any other outcome is returned unchanged."""
    refused = isinstance(outcome, Returned) and outcome.value == simulation.model.constant_value(code)
    return Returned(0, outcome.outputs) if call.function == function and refused else outcome  # type: ignore[union-attr]


def _with_arguments(call: Call, **changed: int) -> Call:
    return Call(call.function, {**call.arguments, **changed})
