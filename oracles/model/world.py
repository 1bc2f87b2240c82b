"""The state that the model keeps: which objects live, what they are made of, what is known of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.values import Handle
from clconform.oracles.engine.answers import BesideNullError, NullError, UnknownError
from clconform.oracles.model.commands import Order
from clconform.oracles.model.notices import Notices
from clconform.oracles.model.versions import OLDEST, Version, read_version
from clconform.spec_tables.lookups import Lookups

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.oracles.contents.bus import Surface
    from clconform.oracles.contents.maps import MappedRegion
    from clconform.oracles.contents.storage import View
    from clconform.oracles.model.commands import Command
    from clconform.spec_tables import Tables

Fact: TypeAlias = "int | str | tuple[int | str | None, ...] | None"
Answers: TypeAlias = "tuple[tuple[int | str | None, ...], ...]"
"""The answers to a query that are all right, each with its elements."""


@dataclass
class Thing:
    """Any object. ``references`` counts those that the application owns.

    ``facts``: what its queries have answered so far, by query name (or what the simulated platform will answer).
    ``echoes``: by the key of a question, the answers that its making allows.
    """

    type: str
    name: str
    references: int = 1
    facts: dict[str, Fact] = field(default_factory=dict)
    tainted: bool = False
    echoes: dict[str, Answers] = field(default_factory=dict)

    def fact(self, query: str) -> Fact:
        """Return what the query has answered; UnknownError where it has not been asked."""
        if query not in self.facts:
            raise UnknownError(query)
        return self.facts[query]

    def number(self, query: str) -> int:
        """Return a numeric fact; UnknownError where it has not been asked or was no number."""
        value = self.fact(query)
        if not isinstance(value, int):
            raise UnknownError(query)
        return value

    def numbers(self, query: str) -> tuple[int, ...]:
        """Return a list of numbers; UnknownError where it has not been asked."""
        value = self.fact(query)
        if not isinstance(value, tuple):
            raise UnknownError(query)
        return tuple(element for element in value if isinstance(element, int))


@dataclass
class Platform(Thing):
    """A platform: ``version`` and ``extensions`` as it reports them."""

    version: Version = OLDEST
    extensions: frozenset[str] = frozenset()

    def refresh(self) -> None:
        """Read version and extensions from what the platform's queries have answered."""
        self.version = _version(self.facts.get("CL_PLATFORM_VERSION"))
        self.extensions = _words(self.facts.get("CL_PLATFORM_EXTENSIONS"))


@dataclass(frozen=True)
class Topology:
    """Which compute units share what; known on the simulated platform only.

    ``domains``: by ``NUMA``, ``L4`` ... ``L1``, the sets of units that share it.
    """

    units: frozenset[int]
    domains: Mapping[str, tuple[frozenset[int], ...]]


@dataclass
class Partition:
    """One successful partition: its sub-devices share the parent's units.

    ``sizes``: compute units of the parts that are not yet assigned to a sub-device, or None where unknown.
    ``style``: the property list as it must be echoed; a tuple of alternatives. ``resolved``: it was made along the next
    partitionable domain, so that the echo names another one.
    """

    parent: Device
    function: str
    scheme: str
    sizes: list[int] | None
    style: tuple[tuple[int, ...], ...]
    resolved: bool = False


@dataclass
class Device(Thing):
    """A root device or sub-device. ``attached``: number of objects that keep it (contexts, queues, sub-devices).

    ``retained`` and ``released`` count the application's calls, on root devices too. ``timers``: the latest time that
    each of its timers has told, by the name of the output.
    """

    platform: Platform | None = None
    version: Version = OLDEST
    extensions: frozenset[str] = frozenset()
    parent: Device | None = None
    partition: Partition | None = None
    attached: int = 0
    topology: Topology | None = None
    children: int = 0
    retained: int = 0
    released: int = 0
    timers: dict[str, int] = field(default_factory=dict)

    def refresh(self) -> None:
        """Read version and extensions from what the device's queries have answered."""
        self.version = _version(self.facts.get("CL_DEVICE_VERSION"))
        self.extensions = _words(self.facts.get("CL_DEVICE_EXTENSIONS"))

    @property
    def root(self) -> bool:
        """Tell whether this device came from clGetDeviceIDs."""
        return self.parent is None

    @property
    def ancestors(self) -> list[Device]:
        """Return the parent, its parent, and so on up to the root device."""
        line = []
        device = self.parent
        while device is not None:
            line.append(device)
            device = device.parent
        return line


def _version(fact: Fact) -> Version:
    return read_version(fact) if isinstance(fact, str) and fact else OLDEST


@functools.lru_cache
def _words(fact: Fact) -> frozenset[str]:
    return frozenset(fact.split()) if isinstance(fact, str) else frozenset()


@dataclass
class Listing:
    """What a function has told of the platforms: how many there are, and which, once it has shown all of them."""

    number: int | None = None
    names: frozenset[str] = frozenset()


@dataclass
class Context(Thing):
    """A context with its devices.

    ``listed``: how many devices its making named, repeated ones included. ``candidates``: where it was made by a type,
    the root devices of that type; which of them it holds is open. ``terminable`` and ``terminated``: whether its work
    can be called off, and has been. ``defaults``: by device, the queues that have been its default, the last one now.
    """

    devices: list[Device] = field(default_factory=list)
    listed: int = 0
    candidates: list[Device] = field(default_factory=list)
    terminable: bool = False
    terminated: bool = False
    defaults: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Child(Thing):
    """An object that belongs to a context: a queue, memory object, sampler, program, kernel or event.

    ``sort``: what the handle's type leaves open: ``buffer``, ``sub-buffer``, ``image``, ``pipe``; ``host queue``,
    ``device queue``; ``user event``; ``svm``, ``host area``; ``host memory``, ``device memory``,
    ``shared memory``; ``built-in`` programs.
    ``kernels``: the names of those that a program will hold, where they are known.
    ``argument_info``: a program keeps what its kernels' arguments are. ``profiling``: a queue's commands are timed.
    ``complete``: the ``command`` of an event is known to be over. ``in_order``: a queue's commands follow each other.
    ``offset``: where a sub-buffer begins in the buffer that holds it, in bytes. ``flags``: those that a memory object
    was made with, or inherited. ``memory``: the bytes of a buffer, a region, an allocation or an area of the host,
    where they are kept. ``fine``: the host may use them at any time. ``alignment``: what the address of shared memory
    is a multiple of in any case, in bytes. ``reaches`` and ``listed``: the sorts of memory, and by the name under which
    it was told of them the memory, that a kernel may use without an argument for it. ``bus``: the place on the bus at
    which a buffer lies, or that of another device's buffer which it leads to.
    """

    sort: str = ""

    context: Context | None = None
    device: Device | None = None
    parent: Child | None = None
    devices: list[Device] = field(default_factory=list)
    built: list[Device] = field(default_factory=list)
    source: str = ""
    kernels: tuple[str, ...] = ()
    binary: bool = False
    size: int = 0
    offset: int = 0
    flags: int = 0
    memory: View | None = None
    arguments: dict[int, object] = field(default_factory=dict)
    in_order: bool = True
    command: Command | None = None
    fine: bool = False
    alignment: int = 0
    reaches: set[str] = field(default_factory=set)
    listed: dict[str, list[Child]] = field(default_factory=dict)
    bus: Surface | None = None
    profiling: bool = False
    complete: bool = False
    argument_info: bool = False


class Model:
    """All that is known of one platform and of the objects made on it in one example."""

    def __init__(self, tables: Tables, *, through_loader: bool = False) -> None:
        """Start with nothing known. ``through_loader``: a loader stands before the driver.

        ``listings``: by function, the platforms that it has told of; ``defaults``: platform to its default device.
        ``order``: the commands that may not be over; ``maps``: the regions that are mapped; ``notices``: the callbacks
        that were registered. ``marked``: the driver's process was given the mark that no other may find;
        ``marked_before``: an earlier process of the example was.
        """
        self.tables = tables
        self.lookups = Lookups.of(tables)
        self.through_loader = through_loader
        self.platforms: dict[str, Platform] = {}
        self.things: dict[str, Thing] = {}
        self.gone: list[str] = []
        self.listings: dict[str, Listing] = {}
        self.defaults: dict[str, str] = {}
        self.order = Order()
        self.maps: list[MappedRegion] = []
        self.notices = Notices()
        self.marked = False
        self.marked_before = False

    def value(self, enumerant: str) -> int:
        """Return the value of a named constant; KeyError where the tables have none."""
        return self.tables.enumerants[enumerant].value

    def add(self, thing: Thing) -> None:
        """Take a new living object in, by its name."""
        self.things[thing.name] = thing

    def drop(self, thing: Thing) -> None:
        """Take an object out whose last reference and last use are gone; its name may come back for another."""
        self.things.pop(thing.name, None)
        self.gone.append(thing.name)

    def alive(self, type_name: str) -> frozenset[str]:
        """Return the names of all living objects of one handle type."""
        return frozenset(name for name, thing in self.things.items() if thing.type == type_name)

    def known(self, value: object) -> Thing | None:
        """Return the object that a handle names, or None for NULL and for names that the model does not have."""
        if isinstance(value, Handle):
            return self.things.get(value.name)
        return None

    def named(self, values: Iterable[object]) -> list[Thing]:
        """Return the objects that handles among values name, as far as the model has them."""
        things = self.things
        return [things[value.name] for value in values if isinstance(value, Handle) and value.name in things]

    def thing(self, value: object) -> Thing:
        """Return the object that a handle names.

        BesideNullError for NULL, UnknownError for a name that the model does not have.
        """
        if value is None:
            raise BesideNullError("NULL")
        found = self.known(value)
        if found is None:
            raise UnknownError(str(value))
        return found

    def device(self, value: object) -> Device:
        """Return the device that a handle names; UnknownError where it is no living device."""
        found = self.thing(value)
        if not isinstance(found, Device):
            raise UnknownError(str(value))
        return found

    def context(self, value: object) -> Context:
        """Return the context that a handle names; UnknownError where it is no living context."""
        found = self.thing(value)
        if not isinstance(found, Context):
            raise UnknownError(str(value))
        return found

    def child(self, value: object) -> Child:
        """Return the context's object that a handle names; UnknownError where it is none."""
        found = self.thing(value)
        if not isinstance(found, Child):
            raise UnknownError(str(value))
        return found

    def given(self, value: object) -> Child:
        """Return the context's object that a handle names, for a clause about that object alone; NullError for NULL."""
        if value is None:
            raise NullError("NULL")
        return self.child(value)

    def root_devices(self, platform: Platform | None = None) -> list[Device]:
        """Return the root devices, of one platform or of all."""
        return [
            thing
            for thing in self.things.values()
            if isinstance(thing, Device) and thing.root and (platform is None or thing.platform is platform)
        ]

    def first_device(self, platform: Platform | None = None) -> Device | None:
        """Return the first root device of a platform, or of all; None where there is none."""
        for thing in self.things.values():
            if isinstance(thing, Device) and thing.parent is None and platform in (None, thing.platform):
                return thing
        return None

    def platform_of(self, values: Iterable[object]) -> Platform | None:
        """Return the platform that a call's handles belong to; the only one where they do not tell."""
        return self.platform_behind(self.named(values))

    def platform_behind(self, things: Iterable[Thing]) -> Platform | None:
        """Return the platform that objects belong to; the only one where they do not tell."""
        for found in things:
            thing: Thing | None = found
            while isinstance(thing, Child):
                thing = thing.context
            if isinstance(thing, Context) and thing.devices:
                thing = thing.devices[0]
            if isinstance(thing, Device):
                return thing.platform
            if isinstance(thing, Platform):
                return thing
        return next(iter(self.platforms.values()), None)
