"""Effects of the calls of a trace on a memory object (allocation, transfer, use), and violations of the note."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Returned
from clconform.calls.harness_actions import ALLOCATE, READ, WRITE
from clconform.calls.linked_allocations import HOST
from clconform.calls.values import Handle, HandleBytes, OffsetPointer
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.oracles.chapters.linked_allocations.allocation_state import DeviceAllocationCommand, OpenMap
from clconform.oracles.chapters.linked_allocations.runtime_rules import is_linkable

if TYPE_CHECKING:
    from clconform.calls.call import Call, Step
    from clconform.calls.values import Value
    from clconform.oracles.chapters.linked_allocations.allocation_state import AllocationState
    from clconform.oracles.chapters.linked_allocations.runtime_rules import NoteDialect
    from clconform.spec_tables import Tables

CREATING = ("clCreateBuffer", "clCreateBufferWithProperties", "clCreateImage", "clCreateImageWithProperties")
READING = ("clEnqueueReadBuffer", "clEnqueueReadBufferRect", "clEnqueueReadImage")
WRITING = ("clEnqueueWriteBuffer", "clEnqueueWriteBufferRect", "clEnqueueWriteImage")
MAPPING, UNMAPPING = ("clEnqueueMapBuffer", "clEnqueueMapImage"), ("clEnqueueUnmapMemObject",)
COPYING = ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect", "clEnqueueCopyImage")
LAUNCHING = ("clEnqueueNDRangeKernel", "clEnqueueTask")
CALLS_WITHOUT_USE = (
    "clReleaseMemObject",
    "clRetainMemObject",
    "clSetKernelArg",
    "clGetMemObjectInfo",
    "clEnqueueMigrateMemObjects",
)
"""Calls that name a memory object but neither move nor use its bytes."""


class NoteViolationError(Exception):
    """Violation of the note by a call; ``record`` is the rule, and the message describes the violation."""

    def __init__(self, requirement: str, words: str) -> None:
        super().__init__(words)
        self.record = requirement


def is_effective(step: Step) -> bool:
    """Return whether a call has an effect: the driver accepted it, or it was not sent because it is undefined."""
    outcome = step.outcome
    if isinstance(outcome, Returned):
        return outcome.value in (None, 0) or isinstance(outcome.value, str)
    return isinstance(outcome, Absent)


def handle_name(value: Value) -> str:
    """Return the name of the handle in a value; empty for values without a handle.

    The value may be a handle, a pointer with an offset from a handle, or the bytes of a handle in a kernel argument.
    """
    if isinstance(value, (OffsetPointer, HandleBytes)):
        value = value.handle
    return value.name if isinstance(value, Handle) else ""


@dataclass
class StepApplier:
    """Applies the calls of a trace to allocation states.

    ``kernels``: for each kernel, the memory object at each argument index. ``owners``: for each pointer to host memory,
    the name of the memory object that uses this memory.
    """

    tables: Tables
    dialect: NoteDialect
    kernels: dict[str, dict[int, str]]
    owners: dict[str, str]

    def involves(self, step: Step, account: AllocationState) -> bool:
        """Return whether a call involves an existing allocation or the host memory of an object."""
        named = self._used_objects(step.call) | {
            handle_name(step.call.arguments.get(name)) for name in ("ptr", "pointer")
        }
        return any(name in account.pointers or bool(account.context_of(name)) for name in named if name)

    def record_argument(self, step: Step) -> None:
        """Record the memory object that a call sets as a kernel argument."""
        call = step.call
        if call.function == "clSetKernelArg" and isinstance(call.arguments.get("arg_value"), HandleBytes):
            self.kernels.setdefault(handle_name(call.kernel), {})[call.arg_index] = handle_name(call.arg_value)

    def _used_objects(self, call: Call) -> set[str]:
        """Return the OpenCL memory objects that a call uses; for a kernel enqueue, the arguments of the kernel."""
        if call.function in LAUNCHING:
            return set(self.kernels.get(handle_name(call.kernel), {}).values())
        return {handle_name(value) for value in call.arguments.values()} - {""}

    def apply(self, step: Step, account: AllocationState, index: int) -> AllocationState:
        """Return the state after a call. Raises NoteViolationError if the note does not allow the call in this state.

        A read or write with unnamed host memory is not a transfer: it is the use that the access makes of the bytes.
        """
        call = step.call
        contexts = sorted({account.context_of(name) for name in self._used_objects(call)} - {""})
        if call.function in CREATING:
            return self._apply_creation(step, account)
        if call.function == ALLOCATE:
            return _apply_host_allocation(step, account)
        if call.function in (READ, WRITE):
            return self.apply_use(account, HOST, writes=call.function == WRITE)
        if not contexts or call.function in CALLS_WITHOUT_USE:
            return account
        if call.function in COPYING and len(contexts) > 1:
            raise NoteViolationError(
                runtime_rules.TRANSFER, "bytes go from one device's allocation to another without the host's"
            )
        if call.function in MAPPING:
            return self._apply_map(step, account, contexts[0], index)
        if call.function in UNMAPPING:
            return _apply_unmap(account, contexts[0], index)
        if call.function in (*READING, *WRITING) and handle_name(call.arguments.get("ptr")):
            return self._apply_transfer(call, account, contexts[0], index)
        for context in contexts:
            account = self.apply_use(account, context, writes=True)
        return account

    # allocations

    def _apply_creation(self, step: Step, account: AllocationState) -> AllocationState:
        call, access = step.call, account.access
        if access is None or access.mode == "construct":
            raise NoteViolationError(
                runtime_rules.LAZY_ALLOCATION, "memory is allocated before anybody accesses the object"
            )
        wanted = account.devices.get(access.context)
        if wanted is None or wanted.context.handle != handle_name(call.context) or wanted.handle:
            raise NoteViolationError(runtime_rules.CREATION, "memory is allocated that the access has no use for")
        pointer = handle_name(call.arguments.get("host_ptr"))
        uses = bool(call.flags & self.tables.enumerants["CL_MEM_USE_HOST_PTR"].value)
        if uses and self.owners.get(pointer, account.memory.name) != account.memory.name:
            raise NoteViolationError(runtime_rules.SAME_OBJECT, "the allocation is made on another object's memory")
        if uses and not wanted.on_host:
            raise NoteViolationError(*self._forbidding_rule(account, wanted))
        if wanted.on_host and not uses:
            raise NoteViolationError(
                runtime_rules.CREATION, "the allocation is linked, but is not made on the host's memory"
            )
        if uses and account.pointers and pointer not in account.pointers:
            raise NoteViolationError(
                runtime_rules.SHARED_MEMORY, "the allocation is made on memory that is not the host's allocation"
            )
        if not uses and call.arguments.get("host_ptr") is not None:
            raise NoteViolationError(
                runtime_rules.CREATION, "the allocation is not linked, but is made from the host's memory"
            )
        handle = step.outcome.value if isinstance(step.outcome, Returned) else ""
        made = replace(wanted, handle=str(handle or f"{access.context}'s allocation"))
        holders = account.holders | {access.context} if uses and HOST in account.holders else account.holders
        pointers = account.pointers | ({pointer} if uses else set())
        return replace(
            account, devices={**account.devices, access.context: made}, holders=holders, pointers=frozenset(pointers)
        )

    def _forbidding_rule(self, account: AllocationState, wanted: DeviceAllocationCommand) -> tuple[str, str]:
        """Return the rule that forbids an allocation on the host's memory, and the message for the violation."""
        if not is_linkable(account.memory, wanted.context, self.dialect):
            return runtime_rules.LINKED_IF_UNIFIED, "a device that does not share the host's memory is linked"
        if account.partner not in ("", wanted.context.name):
            return runtime_rules.NOT_LINKED_BEFORE, "the host's allocation is linked a second time"
        return runtime_rules.CREATION, "an allocation that is not linked is made on the host's memory"

    # transfers

    def _apply_map(self, step: Step, account: AllocationState, context: str, index: int) -> AllocationState:
        call = step.call
        if context != account.partner:
            raise NoteViolationError(runtime_rules.TRANSFER, "an allocation that is not linked is mapped")
        if account.mapped is not None:
            raise NoteViolationError(runtime_rules.TRANSFER, "the host's side is active already, and is mapped again")
        account = consume_transfer(account, ("map", context), index)
        values = {name: self.tables.enumerants[f"CL_MAP_{name}"].value for name in ("WRITE", "WRITE_INVALIDATE_REGION")}
        discards = bool(call.map_flags & values["WRITE_INVALIDATE_REGION"])
        kept = context in account.holders and not discards and covers_object(call, account)
        holders = account.holders | {HOST} if kept else account.holders - {HOST}
        pointer = step.outcome.value if isinstance(step.outcome, Returned) else None
        pointers = account.pointers | ({pointer} if isinstance(pointer, str) else set())
        mapped = OpenMap(str(pointer or ""), not discards, bool(call.map_flags & sum(values.values())))
        return replace(account, mapped=mapped, holders=holders, pointers=frozenset(pointers))

    def _apply_transfer(self, call: Call, account: AllocationState, context: str, index: int) -> AllocationState:
        if context == account.partner:
            raise NoteViolationError(
                runtime_rules.TRANSFER, "linked sides are switched by a read or a write, not by map and unmap"
            )
        reads = call.function in READING
        account = consume_transfer(account, ("read" if reads else "write", context), index)
        if not account.is_host_active:
            raise NoteViolationError(runtime_rules.TRANSFER, "the host's side is used while its counterpart is active")
        source, target = (context, HOST) if reads else (HOST, context)
        pointer = handle_name(call.arguments.get("ptr"))
        pointers = account.pointers | ({pointer} if pointer else set())
        kept = source in account.holders and covers_object(call, account)
        holders = account.holders | {target} if kept else account.holders - {target}
        return replace(account, holders=holders, pointers=frozenset(pointers))

    # uses

    def apply_use(self, account: AllocationState, context: str, *, writes: bool) -> AllocationState:
        """Return the state after the bytes are used in a context.

        ``writes``: whether the use may write bytes. Raises NoteViolationError if the note forbids the use.
        """
        access = account.access
        if access is None or access.mode == "construct" or access.context != context:
            raise NoteViolationError(runtime_rules.TRANSFER, "an allocation is used where nobody accesses the object")
        active = account.is_host_active if context == HOST else context != account.partner or account.mapped is None
        if not active:
            raise NoteViolationError(runtime_rules.TRANSFER, "one side of a pair is used while the other is active")
        if account.filled and context not in account.holders and not access.discards:
            requirement = runtime_rules.READY_AFTER_COMMAND if account.new else runtime_rules.TRANSFER
            raise NoteViolationError(requirement, "the allocation that is used does not hold the latest bytes")
        if not (writes and access.writes):
            return account
        if context == HOST and account.mapped is not None and not account.mapped.writes:
            raise NoteViolationError(runtime_rules.TRANSFER, "the host writes through a map that is only for reading")
        return replace(account, holders=frozenset({context}), filled=True)


def _apply_host_allocation(step: Step, account: AllocationState) -> AllocationState:
    access = account.access
    if access is None or access.mode == "construct":
        raise NoteViolationError(
            runtime_rules.LAZY_ALLOCATION, "memory is allocated before anybody accesses the object"
        )
    if account.memory.user or account.retrieved or account.pointers:
        raise NoteViolationError(
            runtime_rules.HOST_ALLOCATION_SKIPPED, "the host allocates memory although it has some"
        )
    if not account.host:
        raise NoteViolationError(
            runtime_rules.HOST_ALLOCATION_SKIPPED, "the host allocates memory that the access has no use for"
        )
    pointer = step.outcome.value if isinstance(step.outcome, Returned) else None
    return replace(account, pointers=account.pointers | ({pointer} if isinstance(pointer, str) else set()))


def _apply_unmap(account: AllocationState, context: str, index: int) -> AllocationState:
    if context != account.partner or account.mapped is None:
        raise NoteViolationError(runtime_rules.TRANSFER, "an allocation is unmapped that is active already")
    account = consume_transfer(account, ("unmap", context), index)
    holders = account.holders | {context} if HOST in account.holders else account.holders - {context}
    return replace(account, mapped=None, holders=holders)


def consume_transfer(account: AllocationState, move: tuple[str, str], index: int) -> AllocationState:
    """Return the state after a transfer. Raises NoteViolationError if the transfer is not allowed."""
    if account.moves[move] < 1:
        raise NoteViolationError(
            runtime_rules.TRANSFER, f"a transfer too many: {move[0]} of the allocation in {move[1]}"
        )
    return replace(account, moves=account.moves - Counter([move])).with_covered(index, runtime_rules.TRANSFER)


def covers_object(call: Call, account: AllocationState) -> bool:
    """Return whether a transfer moves all bytes of the object. Assumed for rectangles and images."""
    size, offset = call.arguments.get("size"), call.arguments.get("offset", 0)
    return size is None or (offset == 0 and size == account.memory.size)
