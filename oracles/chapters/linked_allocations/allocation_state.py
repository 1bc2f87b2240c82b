"""State of one memory object of a runtime: its allocations and links, the latest bytes, and the allowed transfers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.linked_allocations import HOST
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.oracles.chapters.linked_allocations.runtime_rules import is_linkable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.linked_allocations import TraceAccess, TraceContext, TraceMemoryObject
    from clconform.oracles.chapters.linked_allocations.runtime_rules import NoteDialect

Transfer: TypeAlias = "tuple[str, str]"
"""Kind (``map``, ``unmap``, ``read`` or ``write``), and the context of the device allocation that is transferred."""


@dataclass(frozen=True)
class DeviceAllocationCommand:
    """Command of a runtime that allocates a memory object in the context of a device.

    ``on_host``: the allocation uses the host's memory. ``handle``: the OpenCL memory object; empty before its creation.
    """

    context: TraceContext
    on_host: bool = False
    handle: str = ""


@dataclass(frozen=True)
class OpenMap:
    """Map through which the host can use its allocation of a linked pair.

    ``pointer``: the name of the mapped memory. ``reads``, ``writes``: whether the map allows reads and writes.
    """

    pointer: str
    reads: bool = True
    writes: bool = True

    def serves(self, *, reads: bool, writes: bool) -> bool:
        """Return whether the map allows the required accesses."""
        return (self.reads or not reads) and (self.writes or not writes)


@dataclass(frozen=True)
class AllocationState:
    """Known state of one memory object in a trace; each step creates a new state.

    ``devices``: the allocation commands of devices, by context. ``host``: whether the host's allocation command exists.
    ``partner``: the context whose allocation is linked with the host's allocation; empty without a link. ``retrieved``:
    whether the host's command came after the command of ``partner``, so that a map returns the host's memory.
    ``pointers``: the names of the host's memory. ``mapped``: the open map of the linked pair. ``holders``: the contexts
    whose allocations hold the latest bytes. ``filled``: whether the object has contents that could be lost. ``last``:
    the context of the last access. ``access``: the current access. ``moves``: the transfers that the current access may
    still make. ``new``: whether the current access created the allocation that it uses. ``met``: the covered rules,
    each with the index of the access that covers the rule.
    """

    memory: TraceMemoryObject
    devices: dict[str, DeviceAllocationCommand] = field(default_factory=dict)
    host: bool = False
    partner: str = ""
    retrieved: bool = False
    pointers: frozenset[str] = frozenset()
    mapped: OpenMap | None = None
    holders: frozenset[str] = frozenset()
    filled: bool = False
    last: str = ""
    access: TraceAccess | None = None
    moves: Counter[Transfer] = field(default_factory=Counter)
    new: bool = False
    met: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def initial(cls, memory: TraceMemoryObject) -> AllocationState:
        """Return the state of an object before its first access.

        If the user passed memory for the object, this memory is the host's allocation and holds the latest bytes.
        """
        if not memory.user:
            return cls(memory)
        return cls(memory, pointers=frozenset({memory.user}), holders=frozenset({HOST}), filled=True)

    @property
    def is_host_active(self) -> bool:
        """Return whether the host may use its allocation: the linked allocation is mapped, or does not exist yet."""
        made = bool(self.partner) and bool(self.devices[self.partner].handle)
        return not made or self.mapped is not None

    def context_of(self, handle: str) -> str:
        """Return the context in which the OpenCL object ``handle`` was allocated, or an empty string."""
        found = (name for name, each in self.devices.items() if each.handle and each.handle == handle)
        return next(found, "")

    def with_covered(self, index: int, *requirements: str) -> AllocationState:
        """Return the state in which the access with this index also covers the rules ``records``."""
        return replace(self, met=self.met | {(requirement, index) for requirement in requirements})


def starting_states(
    account: AllocationState, access: TraceAccess, index: int, contexts: dict[str, TraceContext], dialect: NoteDialect
) -> Iterator[AllocationState]:
    """Yield the states in which an access may start, one for each possible order of the allocation commands before it.

    The host's allocation command may also come before the access, unless the same context made the last access. It may
    precede the allocation command of the context; if the object was accessed before, it may also follow this command.
    """
    target, first = access.context, not account.last
    wanted = [] if target == HOST or target in account.devices else [target]
    orders = [[HOST]] if target == HOST else [wanted]
    if target not in (HOST, account.last):
        orders += [[HOST, *wanted]] if first else [[HOST, *wanted], [*wanted, HOST]]
    seen: list[AllocationState] = []
    for order in orders:
        starts = [replace(account, access=access, new=False)]
        for name in order:
            starts = [made for start in starts for made in _add_allocation(start, name, index, contexts, dialect)]
        for start in starts:
            ready = replace(start, moves=_allowed_transfers(start, access, dialect, first=first))
            if ready not in seen:
                seen.append(ready)
                yield ready


def _add_allocation(
    account: AllocationState, name: str, index: int, contexts: dict[str, TraceContext], dialect: NoteDialect
) -> Iterator[AllocationState]:
    """Yield the states after an allocation command of the host or of a device context.

    For a command of the host, yield one state for each existing allocation that may be linked with the host's
    allocation.
    """
    if name != HOST:
        yield _add_device_allocation(account, contexts[name], index, dialect)
        return
    if account.host:
        yield account
        return
    free = [
        each.context.name
        for each in account.devices.values()
        if is_linkable(account.memory, each.context, dialect)
        and (not dialect.current_only or each.context.name == account.last)
    ]
    known = replace(
        account, host=True, new=account.new or (account.access is not None and account.access.context == HOST)
    )
    if account.memory.user or free:
        known = known.with_covered(index, runtime_rules.HOST_ALLOCATION_SKIPPED)
    if account.devices:
        known = known.with_covered(index, runtime_rules.LINKED_IF_UNIFIED)
    for partner in free:
        yield replace(known, partner=partner, retrieved=True)
    if not free:
        yield known


def _add_device_allocation(
    account: AllocationState, context: TraceContext, index: int, dialect: NoteDialect
) -> AllocationState:
    able = is_linkable(account.memory, context, dialect)
    at_hand = not dialect.current_only or account.last in ("", HOST)
    linked = able and account.host and not account.partner and at_hand
    devices = {**account.devices, context.name: DeviceAllocationCommand(context, on_host=linked)}
    known = replace(account, devices=devices, partner=context.name if linked else account.partner, new=True)
    known = known.with_covered(
        index, runtime_rules.CREATION, *((runtime_rules.LINKED_IF_UNIFIED,) if account.host else ())
    )
    if linked:
        known = known.with_covered(index, runtime_rules.SHARED_MEMORY)
    elif able and account.partner:
        known = known.with_covered(index, runtime_rules.NOT_LINKED_BEFORE)
    if account.devices:
        known = known.with_covered(index, runtime_rules.ONE_ON_THE_HOST)
    return known


def _allowed_transfers(
    account: AllocationState, access: TraceAccess, dialect: NoteDialect, *, first: bool
) -> Counter[Transfer]:
    """Return the transfers that an access may make, each with its maximum number.

    ``first``: whether the access is the first one to the object.
    """
    target = access.context
    if first:
        initial = target not in (HOST, account.partner) and account.memory.user and not access.discards
        return Counter([("write", target)] if initial else [])
    if account.last == target:
        return Counter(
            _map_transfers(account, reads=not access.discards, writes=access.writes) if target == HOST else []
        )
    legs = [*_transfers_to_host(account), *_transfers_from_host(account)]
    if access.discards and dialect.spares_discarded:
        legs = [leg for leg in legs if leg[0] in ("map", "unmap")]
    return Counter(legs)


def _transfers_to_host(account: AllocationState) -> list[Transfer]:
    """Return the transfers, with maps and unmaps, that bring the latest bytes to the host's allocation."""
    assert account.access is not None  # noqa: S101 (set before)
    access, brought = account.access, account.last not in (HOST, account.partner)
    used = access.context == HOST
    if not used and access.context == account.partner and not brought:
        return []
    opened = _map_transfers(account, reads=not used or not access.discards, writes=brought or (used and access.writes))
    return [*opened, ("read", account.last)] if brought else opened


def _map_transfers(account: AllocationState, *, reads: bool, writes: bool) -> list[Transfer]:
    """Return the transfers after which the host can use its allocation of a linked pair.

    ``reads``, ``writes``: the accesses that the map must allow. The list is empty if an open map already allows them,
    or if the host does not need a map.
    """
    if not account.partner or (account.is_host_active and account.mapped is None and account.last == HOST):
        return []
    if account.mapped is None:
        return [("map", account.partner)]
    if account.mapped.serves(reads=reads, writes=writes):
        return []
    return [("unmap", account.partner), ("map", account.partner)]


def _transfers_from_host(account: AllocationState) -> list[Transfer]:
    """Return the transfers, with unmaps, that bring bytes from the host's allocation to the context of the access."""
    assert account.access is not None  # noqa: S101 (set before)
    target = account.access.context
    if target == HOST:
        return []
    if target == account.partner:
        return [("unmap", target)]
    closed = [("unmap", account.partner)] if account.partner else []
    return [("write", target), *closed]
