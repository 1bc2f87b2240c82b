"""The state of the model: live objects, commands, mapped regions, callbacks, and pending calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from clconform.calls.values import Handle
from clconform.oracles.model.command_state import CommandOrder
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import (
    NullObjectError,
    RelatedToNullError,
    UndefinedBehaviourError,
    UnknownFactError,
)
from clconform.oracles.model.object_table import ObjectTable
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES, TableLookups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.calls.call import Call
    from clconform.oracles.model.callback_registrations import CallbackRegistration
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.devices import PlatformListing
    from clconform.oracles.model.mapped_regions import MappedRegion
    from clconform.oracles.model.object_table import NameSet
    from clconform.spec_tables import Tables

_T = TypeVar("_T", bound="ClObject")
_R = TypeVar("_R")


class Model:
    """The known state of one platform and of the objects created on it in one example."""

    def __init__(
        self, tables: Tables, *, through_loader: bool = False, pointer_bytes: int = DEFAULT_POINTER_BYTES
    ) -> None:
        """Create a model without objects.

        ``through_loader``: calls go through a loader. ``pointer_bytes``: the size of a pointer and of size_t on the
        machine on which the driver runs.

        ``platform_listings``: maps functions to the platforms that they have returned. ``default_devices``: maps
        platforms to their default devices. ``commands``: the commands that may not be complete. ``mapped_regions``: the
        mapped regions. ``callback_registrations``: the registered callbacks, in order. ``has_marker``: the driver
        process has written the marker that other processes must not find in their memory. ``had_marker_before``: an
        earlier process of the example has written it. ``callback_threads``: maps host threads that are inside a
        callback to the name of the callback. ``reentrant_calls``: maps host threads to their pending calls inside a
        callback. ``concurrent_calls``: maps host threads to their pending calls outside callbacks.
        ``concurrent_count``: the number of concurrent calls, including the judged call. ``unusable_objects``: maps the
        objects that later calls must not use to the function that accepted an invalid call with them.
        """
        self.tables = tables
        self.lookups = TableLookups.for_tables(tables, pointer_bytes)
        self.through_loader = through_loader
        self.platforms: dict[str, Platform] = {}
        self.objects = ObjectTable()
        self._tainted: dict[ClObject, None] = {}
        self.released: list[str] = []
        self.platform_listings: dict[str, PlatformListing] = {}
        self.default_devices: dict[str, str] = {}
        self.commands = CommandOrder()
        self.mapped_regions: list[MappedRegion] = []
        self.callback_registrations: list[CallbackRegistration] = []
        self.callback_threads: dict[int, str] = {}
        self.reentrant_calls: dict[int, Call] = {}
        self.concurrent_calls: dict[int, Call] = {}
        self.has_marker = False
        self.had_marker_before = False
        self.concurrent_count = 1
        self.unusable_objects: dict[str, str] = {}
        self._cache: tuple[Call | None, dict[Callable[[Call, Model], object], object]] = (None, {})

    def cached(self, function: Callable[[Call, Model], _R], call: Call) -> _R:
        """Return a function's result for a call, computed once for all rules until the model changes.

        An UnknownFactError or UndefinedBehaviourError of the function is also cached and raised again.
        """
        if self._cache[0] is not call:
            self._cache = (call, {})
        known = self._cache[1]
        if function not in known:
            try:
                known[function] = function(call, self)
            except (UnknownFactError, UndefinedBehaviourError) as error:
                known[function] = error
        found = known[function]
        if isinstance(found, (UnknownFactError, UndefinedBehaviourError)):
            raise found.with_traceback(None)
        return found  # type: ignore[return-value]

    def clear_cache(self) -> None:
        """Discard the cached results for a call; needed whenever the state changes or may have changed."""
        self._cache = (None, {})

    @property
    def pointer_bytes(self) -> int:
        """The size of a pointer, a handle and size_t on the machine on which the driver runs, in bytes."""
        return self.lookups.pointer_bytes

    @property
    def size_max(self) -> int:
        """The largest size_t on the machine on which the driver runs."""
        return (1 << 8 * self.lookups.pointer_bytes) - 1

    def constant_value(self, enumerant: str) -> int:
        """Return the value of an enumerant, from the default tables if these tables lack it; KeyError if both do."""
        return self.lookups.values[enumerant]

    def add(self, thing: ClObject) -> None:
        """Add a new live object under its name."""
        self.objects[thing.name] = thing
        if thing.tainted:
            self._tainted[thing] = None

    def taint(self, thing: ClObject) -> None:
        """Record that the state of an object is unknown."""
        thing.tainted = True
        self._tainted[thing] = None

    def remove(self, thing: ClObject) -> None:
        """Remove an object without references or uses; its name may be reused.

        Objects that were created from it without keeping it alive may then report any handle for it. So may objects in
        an unknown state. The facts with the removed handle are therefore removed from such objects.
        """
        self.objects.pop(thing.name, None)
        self.released.append(thing.name)
        self._tainted.pop(thing, None)
        children = (each for each in self.objects.children_of(thing) if isinstance(each, ContextObject))
        for each in (*self._tainted, *children):
            each.facts = {query: fact for query, fact in each.facts.items() if fact != thing.name}

    def live_names(self, type_name: str) -> NameSet:
        """Return the names of all live objects of one handle type."""
        return self.objects.names_of(type_name)

    def find(self, value: object) -> ClObject | None:
        """Return the object that a handle names, or None for NULL and for unknown names."""
        if isinstance(value, Handle):
            return self.objects.get(value.name)
        return None

    def find_all(self, values: Iterable[object]) -> list[ClObject]:
        """Return the objects of the handles among ``values``, without unknown objects."""
        things = self.objects
        return [things[value.name] for value in values if isinstance(value, Handle) and value.name in things]

    def object_of(self, value: object) -> ClObject:
        """Return the object that a handle names; RelatedToNullError for NULL, UnknownFactError for an unknown name."""
        if value is None:
            raise RelatedToNullError("NULL")
        found = self.find(value)
        if found is None:
            raise UnknownFactError(str(value))
        return found

    def get(self, kind: type[_T], value: object) -> _T:
        """Return the object of a class that a handle names.

        RelatedToNullError for NULL; UnknownFactError for an unknown name or an object of another class.
        """
        found = self.object_of(value)
        if not isinstance(found, kind):
            raise UnknownFactError(str(value))
        return found

    def device(self, value: object) -> Device:
        """Return the device that a handle names; errors as for ``get``."""
        return self.get(Device, value)

    def context(self, value: object) -> Context:
        """Return the context that a handle names; errors as for ``get``."""
        return self.get(Context, value)

    def require(self, kind: type[_T], value: object) -> _T:
        """Return the object as ``get`` does, but raise NullObjectError for NULL.

        Clauses about this object alone use it.
        """
        if value is None:
            raise NullObjectError("NULL")
        return self.get(kind, value)

    def objects_of_class(self, kind: type[_T]) -> list[_T]:
        """Return the live objects of a class, in the order of their creation."""
        return self.objects.of_class(kind)

    def root_devices(self, platform: Platform | None = None) -> list[Device]:
        """Return the root devices of one platform, or of all platforms."""
        return [
            thing
            for thing in self.objects_of_class(Device)
            if thing.is_root and (platform is None or thing.platform is platform)
        ]

    def first_device(self, platform: Platform | None = None) -> Device | None:
        """Return the first root device of one platform, or of all platforms; None if there are no devices."""
        for thing in self.objects_of_class(Device):
            if thing.parent is None and platform in (None, thing.platform):
                return thing
        return None

    def platform_of(self, values: Iterable[object]) -> Platform | None:
        """Return the platform of the objects of these handles, or else the first known platform."""
        return self.platform_of_objects(self.find_all(values))

    def platform_of_objects(self, things: Iterable[ClObject]) -> Platform | None:
        """Return the platform of these objects, or else the first known platform."""
        for found in things:
            thing: ClObject | None = found
            while isinstance(thing, ContextObject):
                thing = thing.context
            if isinstance(thing, Context) and thing.devices:
                thing = thing.devices[0]
            if isinstance(thing, Device):
                return thing.platform
            if isinstance(thing, Platform):
                return thing
        return next(iter(self.platforms.values()), None)
