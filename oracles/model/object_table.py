"""The live objects of a model by their names, also found by class and by parent."""

from __future__ import annotations

from collections import deque
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.oracles.model.cl_object import ClObject

MAX_REMOVED = 4096
"""Maximum number of removed objects that earlier sets of names still contain."""
_T = TypeVar("_T")


class _Entry(NamedTuple):
    """An object of the table; ``added``: the time at which its name was added."""

    added: int
    thing: ClObject
    parent: ClObject | None


class _RemovedName(NamedTuple):
    """The name of a removed object, and the times between which it was in the table."""

    name: str
    type_name: str
    added: int
    removed: int


class ObjectTable(dict[str, "ClObject"]):
    """Maps the names of live objects to the objects, in the order of their creation."""

    def __init__(self, objects: Mapping[str, ClObject] | None = None) -> None:
        super().__init__()
        self._entries: dict[type[ClObject], dict[str, _Entry]] = {}
        self._children: dict[ClObject, dict[str, None]] = {}
        self._removed: deque[_RemovedName] = deque(maxlen=MAX_REMOVED)
        self._time = 0
        for name, thing in (objects or {}).items():
            self[name] = thing

    def __setitem__(self, name: str, thing: ClObject) -> None:
        """Add or replace an object."""
        self._time += 1
        known = self._forget(name) if name in self else None
        super().__setitem__(name, thing)
        parent = getattr(thing, "parent", None)
        added = known.added if known is not None else self._time
        self._entries.setdefault(type(thing), {})[name] = _Entry(added, thing, parent)
        if parent is not None:
            self._children.setdefault(parent, {})[name] = None

    def __delitem__(self, name: str) -> None:
        """Remove an object; KeyError if there is none of this name."""
        thing = self[name]
        self._time += 1
        entry = self._forget(name)
        self._removed.append(_RemovedName(name, thing.type, entry.added, self._time))
        super().__delitem__(name)

    def pop(self, name: str, *default: object) -> object:  # type: ignore[override]
        """Remove an object and return it, or ``default``."""
        if name not in self:
            return super().pop(name, *default)
        thing = self[name]
        del self[name]
        return thing

    def _forget(self, name: str) -> _Entry:
        of_class = self._entries[type(self[name])]
        entry = of_class.pop(name)
        if entry.parent is not None:
            children = self._children[entry.parent]
            del children[name]
            if not children:
                del self._children[entry.parent]
        return entry

    def of_class(self, kind: type[_T]) -> list[_T]:
        """Return the objects of a class and its subclasses, in the order of their creation."""
        found = [entries for each, entries in self._entries.items() if entries and issubclass(each, kind)]
        every = sorted((entry for entries in found for entry in entries.values()), key=attrgetter("added"))
        return [entry.thing for entry in every]  # type: ignore[misc]

    def children_of(self, parent: ClObject) -> Iterator[ClObject]:
        """Yield the objects whose parent was the object ``parent`` when they were added."""
        return (self[name] for name in self._children.get(parent, ()))

    def names_of(self, type_name: str) -> NameSet:
        """Return the names of the objects of a handle type that exist now."""
        return NameSet(self, type_name, self._time)

    def was_present(self, name: str, type_name: str, time: int) -> bool:
        """Return whether an object of a handle type had this name at a time of this table."""
        thing = self.get(name)
        if thing is not None and thing.type == type_name and self._entries[type(thing)][name].added <= time:
            return True
        return any(
            each.name == name and each.type_name == type_name and each.added <= time
            for each in self._removed_after(time)
        )

    def _removed_after(self, time: int) -> Iterator[_RemovedName]:
        for each in reversed(self._removed):
            if each.removed <= time:
                return
            yield each


class NameSet:
    """The names of the objects of one handle type that existed at one time; later changes do not affect it."""

    def __init__(self, table: ObjectTable, type_name: str, time: int) -> None:
        self._table, self._type_name, self._time = table, type_name, time

    def __contains__(self, name: object) -> bool:
        """Return whether an object had this name."""
        return isinstance(name, str) and self._table.was_present(name, self._type_name, self._time)
