"""Faults of unified shared memory: queries, allocation, freeing, and commands."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Handle, Inside, Items
from clconform.oracles.chapters.kernels.execution_info import POINTERS
from clconform.oracles.chapters.usm.answers import TYPE, TYPES
from clconform.oracles.chapters.usm.clauses import FLAGS, PLACEMENTS
from clconform.oracles.contents.storage import POINTER_BYTES, Reach
from clconform.oracles.contents.unified import TYPE_OF, allocation
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import HostAllocation
from clconform.selftest.planted.contents import spoil
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.contexts import ContextObject
    from clconform.simulator.platform import Simulation

faults = Faults()

ASK, COPY, MIGRATE = "clGetMemAllocInfoINTEL", "clEnqueueMemcpyINTEL", "clEnqueueMigrateMemINTEL"
SET, TELL, WAIT_AND_FREE = "clSetKernelArgMemPointerINTEL", "clSetKernelExecInfo", "clMemBlockingFreeINTEL"
PAGE = 1 << 16


@faults.plant
def inner_addresses_are_bases(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The base of an address inside an allocation is reported as NULL."""
    inside = isinstance(call.arguments.get("ptr"), Inside)
    return _told(simulation, call, outcome, "CL_MEM_ALLOC_BASE_PTR_INTEL", None) if inside else outcome


@faults.plant
def memory_forgets_its_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An allocation does not report its device."""
    return _told(simulation, call, outcome, "CL_MEM_ALLOC_DEVICE_INTEL", None)


@faults.plant
def memory_of_whole_pages(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The size of an allocation is rounded down to whole pages."""
    memory = allocation(call.arguments.get("ptr"), simulation.model)
    pages = memory.size // PAGE if memory is not None else 0
    return _told(simulation, call, outcome, "CL_MEM_ALLOC_SIZE_INTEL", PAGE * pages)


@faults.plant
def flags_of_memory_are_forgotten(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An allocation does not report its flags."""
    return _told(simulation, call, outcome, FLAGS, 0)


@faults.plant
def all_memory_is_the_hosts(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every address is reported as host memory."""
    return _told(simulation, call, outcome, TYPE, simulation.model.value(TYPES[HostAllocation]))


@faults.plant
def memory_off_by_four(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Allocations are aligned to only four bytes."""
    del simulation
    made = call.function in TYPE_OF and isinstance(outcome, Returned) and outcome.value is not None
    return msgspec.structs.replace(outcome, alignment=4) if made else outcome


@faults.plant
def any_alignment_will_do(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Alignments that are not powers of two are accepted."""
    wrong = call.function in TYPE_OF and call.alignment & (call.alignment - 1)
    return simulation.answer(_with(call, alignment=0)) if wrong else outcome


@faults.plant
def placements_are_refused(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Flags for the initial placement of an allocation are rejected."""
    listed = call.arguments.get("properties")
    bits = listed.values[1:2] if call.function in TYPE_OF and isinstance(listed, Items) else ()
    placed = any(isinstance(each, int) and each & simulation.model.value(name) for each in bits for name in PLACEMENTS)
    if not placed or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    code = simulation.model.value("CL_INVALID_PROPERTY")
    return Returned(None, {**outcome.outputs, "errcode_ret": Output([code], 4)})


@faults.plant
def inner_addresses_are_freed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Freeing an address inside an allocation succeeds."""
    del simulation
    inside = "MemFree" in call.function or call.function == WAIT_AND_FREE
    return Returned(0) if inside and isinstance(call.arguments.get("ptr"), Inside) else outcome


@faults.plant
def frees_without_waiting(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking free returns although commands that use the memory have not started."""
    if call.function == WAIT_AND_FREE:
        simulation.__dict__["left_behind"] = True
    status = "CL_EVENT_COMMAND_EXECUTION_STATUS"
    asked = call.function == "clGetEventInfo" and call.param_name == simulation.model.value(status)
    waiting = asked and isinstance(outcome, Returned) and "left_behind" in simulation.__dict__
    if not waiting or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    return _answered(outcome, simulation.model.value("CL_QUEUED"), 4)


@faults.plant
def unified_copies_lose_a_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The last byte of a copy is corrupted."""
    if call.function == COPY and isinstance(outcome, Returned) and outcome.value == 0:
        try:
            places = simulation.oracle.rulebook.effect_of(call, simulation.model).writes
        except (UnknownError, ForbiddenError):  # the copied memory is unknown, or the call does not copy
            return outcome
        for place in places:
            spoil(place, -1)
    return outcome


@faults.plant
def overlaps_are_copied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Overlapping copies within an allocation are accepted."""
    return _taken(simulation, call, outcome, COPY, "CL_MEM_COPY_OVERLAP")


@faults.plant
def blocking_copies_do_not_look_at_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking copy succeeds although an event in its wait list failed."""
    return _taken(simulation, call, outcome, COPY, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST")


@faults.plant
def arguments_begin_where_memory_does(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel receives the base of an allocation although an address inside it was set as an argument."""
    if call.function == SET and isinstance(outcome, Returned) and outcome.value == 0:
        arguments = simulation.model.get(Kernel, call.kernel).arguments
        found = arguments.get(call.arg_index)
        if found is not None and found.reach is not None:
            base = Reach(found.reach.view, 0, found.reach.owner)
            arguments[call.arg_index] = dataclasses.replace(found, reach=base)
    return outcome


@faults.plant
def local_memory_takes_pointers(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Any kernel argument can be set to an address."""
    return _taken(simulation, call, outcome, SET, "CL_INVALID_ARG_VALUE")


@faults.plant
def migrations_take_no_flags(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Memory can be migrated with flags of 0."""
    zero = call.function == MIGRATE and call.flags == 0
    return _taken(simulation, call, outcome, MIGRATE, "CL_INVALID_VALUE") if zero else outcome


@faults.plant
def atomics_meet_and_lose(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An atomic addition of one work-item is lost if another work-item adds concurrently."""
    _lose(simulation, call, outcome, lambda kernel, _memory: kernel.function == "tally")
    return outcome


@faults.plant
def types_are_not_reached(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Writes of a kernel to memory that it accesses only indirectly are corrupted."""
    _lose(simulation, call, outcome, lambda kernel, memory: type(memory) in kernel.reaches)
    return outcome


@faults.plant
def lists_have_one_pointer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Only the first pointer of a kernel's pointer list takes effect."""
    _lose(simulation, call, outcome, lambda kernel, memory: memory in kernel.listed.get(POINTERS, [])[1:])
    return outcome


@faults.plant
def a_list_takes_flags_back(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Setting a kernel's pointer list disables its indirect access flags."""
    kernel = simulation.model.known(call.arguments.get("kernel"))
    taken_back: set[str] = simulation.__dict__.setdefault("taken_back", set())
    if call.function == TELL and isinstance(kernel, Kernel) and _went_well(outcome):
        lists = call.param_name == simulation.model.value(POINTERS)
        (taken_back.add if lists else taken_back.discard)(kernel.name)
    _lose(simulation, call, outcome, lambda each, memory: each.name in taken_back and type(memory) in each.reaches)
    return outcome


@faults.plant
def lists_of_odd_sizes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A pointer list is accepted if its size is not a multiple of the size of a pointer."""
    odd = call.function == TELL and call.param_value is not None and call.param_value_size % POINTER_BYTES
    listing = odd and call.param_name == simulation.model.value(POINTERS)
    return _taken(simulation, call, outcome, TELL, "CL_INVALID_VALUE") if listing else outcome


@faults.plant
def freed_once_the_first_is_over(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking free does not wait for kernels that use the memory through a pointer after the first in their list."""
    further: set[str] = simulation.__dict__.setdefault("further", set())
    if call.function == "clEnqueueNDRangeKernel" and _went_well(outcome):
        listed = simulation.model.get(Kernel, call.kernel).listed.get(POINTERS, [])
        further.update(memory.name for memory in listed[1:])
    if call.function == WAIT_AND_FREE and isinstance(call.ptr, Handle) and call.ptr.name not in further:
        return outcome
    return frees_without_waiting(simulation, call, outcome)


def _lose(simulation: Simulation, call: Call, outcome: Outcome, when: Callable[[Kernel, ContextObject], bool]) -> None:
    """Corrupt the last byte of each region that a kernel has just written, if ``when`` selects the memory."""
    if call.function != "clEnqueueNDRangeKernel" or not _went_well(outcome):
        return
    kernel = simulation.model.get(Kernel, call.kernel)
    for place in simulation.oracle.rulebook.effect_of(call, simulation.model).writes:
        if place.owner is not None and when(kernel, place.owner):
            spoil(place, -1)


def _went_well(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and outcome.value == 0


def _told(simulation: Simulation, call: Call, outcome: Outcome, query: str, answer: Element) -> Outcome:
    """Return the outcome of an allocation query of this name with another value."""
    asked = call.function == ASK and call.param_name == simulation.model.value(query)
    if not asked or not isinstance(outcome, Returned) or outcome.value != 0 or "param_value" not in outcome.outputs:
        return outcome
    return _answered(outcome, answer, outcome.outputs["param_value"].written)


def _answered(outcome: Returned, answer: Element, size: int) -> Outcome:
    return outcome.with_outputs(param_value=Output([answer], size))


def _taken(simulation: Simulation, call: Call, outcome: Outcome, function: str, code: str) -> Outcome:
    """Return success if the outcome is the error ``code`` of ``function``; any other outcome is returned unchanged."""
    refused = isinstance(outcome, Returned) and outcome.value == simulation.model.value(code)
    return Returned(0, outcome.outputs) if call.function == function and refused else outcome  # type: ignore[union-attr]


def _with(call: Call, **changed: int) -> Call:
    return Call(call.function, {**call.arguments, **changed})
