"""One memory object of a runtime: its allocations, which are linked, where its latest bytes are, how they may move."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.traces import HOST
from clconform.oracles.chapters.linked import rules
from clconform.oracles.chapters.linked.rules import linkable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.traces import Access, Context, MemoryObject
    from clconform.oracles.chapters.linked.rules import Dialect

Move: TypeAlias = "tuple[str, str]"
"""``map``, ``unmap``, ``read`` or ``write``, with the context of the device's allocation that takes part."""


@dataclass(frozen=True)
class Allocation:
    """A device's allocation command; ``on_host``: to be made on the host's memory. ``handle``: OpenCL's object."""

    context: Context
    on_host: bool = False
    handle: str = ""


@dataclass(frozen=True)
class OpenMap:
    """The map through which the host's side of a pair is active; ``reads``, ``writes``: what it is for."""

    pointer: str
    reads: bool = True
    writes: bool = True

    def serves(self, *, reads: bool, writes: bool) -> bool:
        """Return whether the map is for such a use, so that none else is needed."""
        return (self.reads or not reads) and (self.writes or not writes)


@dataclass(frozen=True)
class Account:
    """What is known of one memory object while a trace is told; a step makes a new account.

    ``host``: there is an allocation command of the host's. ``partner``: the context whose allocation it is linked with.
    ``retrieved``: it came after that one, so that its memory is what a map gives. ``pointers``: the host's memory.
    ``holders``: the contexts whose allocations hold the latest bytes. ``filled``: there are bytes to be lost.
    ``last``: the context of the last access. ``moves``: the transfers that the access may still make.
    ``new``: the access has made the allocation that it uses. ``met``: rules put to the test, with their access.
    """

    memory: MemoryObject
    devices: dict[str, Allocation] = field(default_factory=dict)
    host: bool = False
    partner: str = ""
    retrieved: bool = False
    pointers: frozenset[str] = frozenset()
    mapped: OpenMap | None = None
    holders: frozenset[str] = frozenset()
    filled: bool = False
    last: str = ""
    access: Access | None = None
    moves: Counter[Move] = field(default_factory=Counter)
    new: bool = False
    met: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def of(cls, memory: MemoryObject) -> Account:
        """Return the account of an object that nobody has accessed; what the user gave with it is at the host's."""
        if not memory.user:
            return cls(memory)
        return cls(memory, pointers=frozenset({memory.user}), holders=frozenset({HOST}), filled=True)

    @property
    def host_active(self) -> bool:
        """Return whether the host's side may be used: it has no pair, or only itself is made, or it is mapped."""
        made = bool(self.partner) and bool(self.devices[self.partner].handle)
        return not made or self.mapped is not None

    def context_of(self, handle: str) -> str:
        """Return the context of the allocation that an OpenCL object is, or an empty string."""
        found = (name for name, each in self.devices.items() if each.handle and each.handle == handle)
        return next(found, "")

    def meeting(self, index: int, *records: str) -> Account:
        """Return the account with rules that an access has put to the test."""
        return replace(self, met=self.met | {(record, index) for record in records})


def commands(
    account: Account, access: Access, index: int, contexts: dict[str, Context], dialect: Dialect
) -> Iterator[Account]:
    """Yield the accounts that an access may start from, one for each way to make the allocation commands it needs.

    A transfer between devices, and the user's memory, bring the host's command along, before the other or after it.
    """
    target, first = access.context, not account.last
    wanted = [] if target == HOST or target in account.devices else [target]
    orders = [[HOST]] if target == HOST else [wanted]
    if target not in (HOST, account.last):
        orders += [[HOST, *wanted]] if first else [[HOST, *wanted], [*wanted, HOST]]
    seen: list[Account] = []
    for order in orders:
        starts = [replace(account, access=access, new=False)]
        for name in order:
            starts = [made for start in starts for made in _made(start, name, index, contexts, dialect)]
        for start in starts:
            ready = replace(start, moves=_allowed(start, access, dialect, first=first))
            if ready not in seen:
                seen.append(ready)
                yield ready


def _made(account: Account, name: str, index: int, contexts: dict[str, Context], dialect: Dialect) -> Iterator[Account]:
    """Yield the accounts with one allocation command more, linked as it must be: several where it has a choice."""
    if name != HOST:
        yield _made_for_a_device(account, contexts[name], index, dialect)
        return
    if account.host:
        yield account
        return
    free = [
        each.context.name
        for each in account.devices.values()
        if linkable(account.memory, each.context, dialect)
        and (not dialect.current_only or each.context.name == account.last)
    ]
    known = replace(
        account, host=True, new=account.new or (account.access is not None and account.access.context == HOST)
    )
    if account.memory.user or free:
        known = known.meeting(index, rules.HOST_SKIPPED)
    if account.devices:
        known = known.meeting(index, rules.IF_UNIFIED)
    for partner in free:
        yield replace(known, partner=partner, retrieved=True)
    if not free:
        yield known


def _made_for_a_device(account: Account, context: Context, index: int, dialect: Dialect) -> Account:
    able = linkable(account.memory, context, dialect)
    at_hand = not dialect.current_only or account.last in ("", HOST)
    linked = able and account.host and not account.partner and at_hand
    devices = {**account.devices, context.name: Allocation(context, on_host=linked)}
    known = replace(account, devices=devices, partner=context.name if linked else account.partner, new=True)
    known = known.meeting(index, rules.CREATION, *((rules.IF_UNIFIED,) if account.host else ()))
    if linked:
        known = known.meeting(index, rules.SHARED)
    elif able and account.partner:
        known = known.meeting(index, rules.NOT_LINKED_BEFORE)
    if account.devices:
        known = known.meeting(index, rules.ONE_ON_THE_HOST)
    return known


def _allowed(account: Account, access: Access, dialect: Dialect, *, first: bool) -> Counter[Move]:
    """Return the transfers that an access may make, each as often as it may."""
    target = access.context
    if first:
        initial = target not in (HOST, account.partner) and account.memory.user and not access.discards
        return Counter([("write", target)] if initial else [])
    if account.last == target:
        return Counter(_mapped_for(account, reads=not access.discards, writes=access.writes) if target == HOST else [])
    legs = [*_to_the_host(account), *_from_the_host(account)]
    if access.discards and dialect.spares_discarded:
        legs = [leg for leg in legs if leg[0] in ("map", "unmap")]
    return Counter(legs)


def _to_the_host(account: Account) -> list[Move]:
    """Return how the bytes come from where they are to the host's allocation, mapped for what comes next."""
    assert account.access is not None  # noqa: S101 (set before)
    access, brought = account.access, account.last not in (HOST, account.partner)
    used = access.context == HOST
    if not used and access.context == account.partner and not brought:
        return []
    opened = _mapped_for(account, reads=not used or not access.discards, writes=brought or (used and access.writes))
    return [*opened, ("read", account.last)] if brought else opened


def _mapped_for(account: Account, *, reads: bool, writes: bool) -> list[Move]:
    """Return how the host's side of a pair becomes active, unless it is so and its map serves."""
    if not account.partner or (account.host_active and account.mapped is None and account.last == HOST):
        return []
    if account.mapped is None:
        return [("map", account.partner)]
    if account.mapped.serves(reads=reads, writes=writes):
        return []
    return [("unmap", account.partner), ("map", account.partner)]


def _from_the_host(account: Account) -> list[Move]:
    """Return how the bytes come from the host's allocation to where they are wanted; a pair between is given back."""
    assert account.access is not None  # noqa: S101 (set before)
    target = account.access.context
    if target == HOST:
        return []
    if target == account.partner:
        return [("unmap", target)]
    closed = [("unmap", account.partner)] if account.partner else []
    return [("write", target), *closed]
