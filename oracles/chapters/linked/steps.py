"""Effects of the calls of a trace on a memory object (allocation, transfer, use), and violations of the note."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Returned
from clconform.calls.host import ALLOCATE, READ, WRITE
from clconform.calls.traces import HOST
from clconform.calls.values import Handle, HandleBytes, Inside
from clconform.oracles.chapters.linked import rules
from clconform.oracles.chapters.linked.account import Allocation, OpenMap
from clconform.oracles.chapters.linked.rules import linkable

if TYPE_CHECKING:
    from clconform.calls.call import Call, Step
    from clconform.calls.values import Value
    from clconform.oracles.chapters.linked.account import Account
    from clconform.oracles.chapters.linked.rules import Dialect
    from clconform.spec_tables import Tables

CREATING = ("clCreateBuffer", "clCreateBufferWithProperties", "clCreateImage", "clCreateImageWithProperties")
READING = ("clEnqueueReadBuffer", "clEnqueueReadBufferRect", "clEnqueueReadImage")
WRITING = ("clEnqueueWriteBuffer", "clEnqueueWriteBufferRect", "clEnqueueWriteImage")
MAPPING, UNMAPPING = ("clEnqueueMapBuffer", "clEnqueueMapImage"), ("clEnqueueUnmapMemObject",)
COPYING = ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect", "clEnqueueCopyImage")
LAUNCHING = ("clEnqueueNDRangeKernel", "clEnqueueTask")
NO_USE = (
    "clReleaseMemObject",
    "clRetainMemObject",
    "clSetKernelArg",
    "clGetMemObjectInfo",
    "clEnqueueMigrateMemObjects",
)
"""Calls that name a memory object but neither move nor use its bytes."""


class WrongError(Exception):
    """A call that violates the note; ``record`` is the rule, the message describes the violation."""

    def __init__(self, record: str, words: str) -> None:
        super().__init__(words)
        self.record = record


def happened(step: Step) -> bool:
    """Return whether a call counts: the driver accepted it, or it was not made because it is undefined."""
    outcome = step.outcome
    if isinstance(outcome, Returned):
        return outcome.value in (None, 0) or isinstance(outcome.value, str)
    return isinstance(outcome, Absent)


def name_of(value: Value) -> str:
    """Return the name of a handle, an inner address or a kernel's argument; empty for other values."""
    if isinstance(value, (Inside, HandleBytes)):
        value = value.handle
    return value.name if isinstance(value, Handle) else ""


@dataclass
class StepReader:
    """Applies calls to accounts. ``kernels``: kernel to the objects that are its arguments.

    ``owners``: host memory to the memory object that it belongs to.
    """

    tables: Tables
    dialect: Dialect
    kernels: dict[str, dict[int, str]]
    owners: dict[str, str]

    def concerns(self, step: Step, account: Account) -> bool:
        """Return whether a call involves an object's existing allocations or its host memory."""
        named = self._objects(step.call) | {name_of(step.call.arguments.get(name)) for name in ("ptr", "pointer")}
        return any(name in account.pointers or bool(account.context_of(name)) for name in named if name)

    def note(self, step: Step) -> None:
        """Record a kernel's argument."""
        call = step.call
        if call.function == "clSetKernelArg" and isinstance(call.arguments.get("arg_value"), HandleBytes):
            self.kernels.setdefault(name_of(call.kernel), {})[call.arg_index] = name_of(call.arg_value)

    def _objects(self, call: Call) -> set[str]:
        """Return the OpenCL memory objects that a call uses."""
        if call.function in LAUNCHING:
            return set(self.kernels.get(name_of(call.kernel), {}).values())
        return {name_of(value) for value in call.arguments.values()} - {""}

    def told(self, step: Step, account: Account, index: int) -> Account:
        """Return the account after a call; WrongError if the note does not allow the call here.

        A read or write of unnamed host memory is not a transfer: the access itself reads or sets the bytes.
        """
        call = step.call
        contexts = sorted({account.context_of(name) for name in self._objects(call)} - {""})
        if call.function in CREATING:
            return self._created(step, account)
        if call.function == ALLOCATE:
            return _allocated(step, account)
        if call.function in (READ, WRITE):
            return self.used(account, HOST, writes=call.function == WRITE)
        if not contexts or call.function in NO_USE:
            return account
        if call.function in COPYING and len(contexts) > 1:
            raise WrongError(rules.TRANSFER, "bytes go from one device's allocation to another without the host's")
        if call.function in MAPPING:
            return self._mapped(step, account, contexts[0], index)
        if call.function in UNMAPPING:
            return _unmapped(account, contexts[0], index)
        if call.function in (*READING, *WRITING) and name_of(call.arguments.get("ptr")):
            return self._moved(call, account, contexts[0], index)
        for context in contexts:
            account = self.used(account, context, writes=True)
        return account

    # allocations

    def _created(self, step: Step, account: Account) -> Account:
        call, access = step.call, account.access
        if access is None or access.mode == "construct":
            raise WrongError(rules.NOTHING_AT_CONSTRUCTION, "memory is allocated before anybody accesses the object")
        wanted = account.devices.get(access.context)
        if wanted is None or wanted.context.handle != name_of(call.context) or wanted.handle:
            raise WrongError(rules.CREATION, "memory is allocated that the access has no use for")
        pointer = name_of(call.arguments.get("host_ptr"))
        uses = bool(call.flags & self.tables.enumerants["CL_MEM_USE_HOST_PTR"].value)
        if uses and self.owners.get(pointer, account.memory.name) != account.memory.name:
            raise WrongError(rules.SAME_OBJECT, "the allocation is made on another object's memory")
        if uses and not wanted.on_host:
            raise WrongError(*self._why_not(account, wanted))
        if wanted.on_host and not uses:
            raise WrongError(rules.CREATION, "the allocation is linked, but is not made on the host's memory")
        if uses and account.pointers and pointer not in account.pointers:
            raise WrongError(rules.SHARED, "the allocation is made on memory that is not the host's allocation")
        if not uses and call.arguments.get("host_ptr") is not None:
            raise WrongError(rules.CREATION, "the allocation is not linked, but is made from the host's memory")
        handle = step.outcome.value if isinstance(step.outcome, Returned) else ""
        made = replace(wanted, handle=str(handle or f"{access.context}'s allocation"))
        holders = account.holders | {access.context} if uses and HOST in account.holders else account.holders
        pointers = account.pointers | ({pointer} if uses else set())
        return replace(
            account, devices={**account.devices, access.context: made}, holders=holders, pointers=frozenset(pointers)
        )

    def _why_not(self, account: Account, wanted: Allocation) -> tuple[str, str]:
        """Return the rule that forbids an allocation on the host's memory."""
        if not linkable(account.memory, wanted.context, self.dialect):
            return rules.IF_UNIFIED, "a device that does not share the host's memory is linked"
        if account.partner not in ("", wanted.context.name):
            return rules.NOT_LINKED_BEFORE, "the host's allocation is linked a second time"
        return rules.CREATION, "an allocation that is not linked is made on the host's memory"

    # transfers

    def _mapped(self, step: Step, account: Account, context: str, index: int) -> Account:
        call = step.call
        if context != account.partner:
            raise WrongError(rules.TRANSFER, "an allocation that is not linked is mapped")
        if account.mapped is not None:
            raise WrongError(rules.TRANSFER, "the host's side is active already, and is mapped again")
        account = spent(account, ("map", context), index)
        values = {name: self.tables.enumerants[f"CL_MAP_{name}"].value for name in ("WRITE", "WRITE_INVALIDATE_REGION")}
        discards = bool(call.map_flags & values["WRITE_INVALIDATE_REGION"])
        kept = context in account.holders and not discards and covers(call, account)
        holders = account.holders | {HOST} if kept else account.holders - {HOST}
        pointer = step.outcome.value if isinstance(step.outcome, Returned) else None
        pointers = account.pointers | ({pointer} if isinstance(pointer, str) else set())
        mapped = OpenMap(str(pointer or ""), not discards, bool(call.map_flags & sum(values.values())))
        return replace(account, mapped=mapped, holders=holders, pointers=frozenset(pointers))

    def _moved(self, call: Call, account: Account, context: str, index: int) -> Account:
        if context == account.partner:
            raise WrongError(rules.TRANSFER, "linked sides are switched by a read or a write, not by map and unmap")
        reads = call.function in READING
        account = spent(account, ("read" if reads else "write", context), index)
        if not account.host_active:
            raise WrongError(rules.TRANSFER, "the host's side is used while its counterpart is active")
        source, target = (context, HOST) if reads else (HOST, context)
        pointer = name_of(call.arguments.get("ptr"))
        pointers = account.pointers | ({pointer} if pointer else set())
        kept = source in account.holders and covers(call, account)
        holders = account.holders | {target} if kept else account.holders - {target}
        return replace(account, holders=holders, pointers=frozenset(pointers))

    # uses

    def used(self, account: Account, context: str, *, writes: bool) -> Account:
        """Return the account after its bytes were used in a context, as the access declared."""
        access = account.access
        if access is None or access.mode == "construct" or access.context != context:
            raise WrongError(rules.TRANSFER, "an allocation is used where nobody accesses the object")
        active = account.host_active if context == HOST else context != account.partner or account.mapped is None
        if not active:
            raise WrongError(rules.TRANSFER, "one side of a pair is used while the other is active")
        if account.filled and context not in account.holders and not access.discards:
            record = rules.READY if account.new else rules.TRANSFER
            raise WrongError(record, "the allocation that is used does not hold the latest bytes")
        if not (writes and access.writes):
            return account
        if context == HOST and account.mapped is not None and not account.mapped.writes:
            raise WrongError(rules.TRANSFER, "the host writes through a map that is only for reading")
        return replace(account, holders=frozenset({context}), filled=True)


def _allocated(step: Step, account: Account) -> Account:
    access = account.access
    if access is None or access.mode == "construct":
        raise WrongError(rules.NOTHING_AT_CONSTRUCTION, "memory is allocated before anybody accesses the object")
    if account.memory.user or account.retrieved or account.pointers:
        raise WrongError(rules.HOST_SKIPPED, "the host allocates memory although it has some")
    if not account.host:
        raise WrongError(rules.HOST_SKIPPED, "the host allocates memory that the access has no use for")
    pointer = step.outcome.value if isinstance(step.outcome, Returned) else None
    return replace(account, pointers=account.pointers | ({pointer} if isinstance(pointer, str) else set()))


def _unmapped(account: Account, context: str, index: int) -> Account:
    if context != account.partner or account.mapped is None:
        raise WrongError(rules.TRANSFER, "an allocation is unmapped that is active already")
    account = spent(account, ("unmap", context), index)
    holders = account.holders | {context} if HOST in account.holders else account.holders - {context}
    return replace(account, mapped=None, holders=holders)


def spent(account: Account, move: tuple[str, str], index: int) -> Account:
    """Return the account after a transfer; WrongError if the transfer is not allowed."""
    if account.moves[move] < 1:
        raise WrongError(rules.TRANSFER, f"a transfer too many: {move[0]} of the allocation in {move[1]}")
    return replace(account, moves=account.moves - Counter([move])).meeting(index, rules.TRANSFER)


def covers(call: Call, account: Account) -> bool:
    """Return whether a transfer moves the whole object; assumed for rectangles and images."""
    size, offset = call.arguments.get("size"), call.arguments.get("offset", 0)
    return size is None or (offset == 0 and size == account.memory.size)
