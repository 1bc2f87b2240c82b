"""Names of objects: each has its type and a serial number as its name, so that sequences are reproducible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness.errors import BadCall

if TYPE_CHECKING:
    from collections.abc import Iterable

MEMORY = "void*"
"""The type of memory that a call returned: an allocation or a mapped region."""
BUS_ADDRESS = "bus address"
"""The type of a bus address, by which other devices access memory."""
FUNCTION = "function"
"""The type of the address of an extension function."""
_PREFIXES = {"cl_command_queue": "queue", MEMORY: "pointer", BUS_ADDRESS: "bus"}
_PROPERTY_TYPES = ("cl_platform_id", "cl_device_id", "cl_context", MEMORY)


def name_prefix(handle_type: str) -> str:
    """Return the prefix of names of this type, such as ``device`` for ``cl_device_id``."""
    return _PREFIXES.get(handle_type) or handle_type.removeprefix("cl_").removesuffix("_id")


class ObjectNames:
    """Maps the names of live objects of one process to addresses and back.

    The same type and address always mean the same object, until its name is forgotten.
    """

    def __init__(self, max_forgotten: int | None = None) -> None:
        """Start without names.

        ``max_forgotten``: the number of most recently forgotten names that ``find_name`` still returns; None for all.
        """
        self._max_forgotten = max_forgotten
        self._keys: dict[str, tuple[str, int]] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._serials: dict[str, int] = {}
        self._forgotten: dict[tuple[str, int], str] = {}
        self._permanent: dict[str, tuple[str, int]] = {}
        self._permanent_serials: dict[str, int] = {}
        self._aside: list[tuple[str, int]] = []

    def name_of(self, handle_type: str, address: int) -> str:
        """Return the name of the object, or a new name if the address is unknown for this type."""
        key = (handle_type, address)
        known = self._names.get(key)
        if known is not None:
            return known
        begins = name_prefix(handle_type)
        serial = self._serials.get(begins, 0) + 1
        self._serials[begins] = serial
        name = f"{begins}{serial}"
        self._names[key] = name
        self._keys[name] = key
        return name

    def find_name(self, handle_type: str, address: int) -> str | None:
        """Return the name of the live object at an address, or else of the object that was last there, or None."""
        return self._names.get((handle_type, address)) or self._forgotten.get((handle_type, address))

    def find_live_name(self, handle_type: str, address: int) -> str | None:
        """Return the name of the live object of this type at an address; None if there is none."""
        return self._names.get((handle_type, address))

    def address_of(self, name: str) -> int:
        """Return the object's address; BadCall if the name is unknown."""
        known = self._keys.get(name)
        if known is None:
            there = ", ".join(self._keys)
            raise BadCall(f"no live object {name!r}; known: {there or 'none'}")
        return known[1]

    def find_property_object(self, value: int) -> str | None:
        """Return the name of the platform, device, context or allocation at an address; None if there is none."""
        found = (self._names.get((handle_type, value)) for handle_type in _PROPERTY_TYPES)
        return next((name for name in found if name is not None), None)

    def forget(self, names: Iterable[str]) -> None:
        """Drop these names and ignore unknown ones; serial numbers are not reused before ``begin_example``."""
        for name in names:
            key = self._keys.pop(name, None)
            if key is not None:
                del self._names[key]
                self._forgotten.pop(key, None)
                self._forgotten[key] = name
                if self._max_forgotten is not None and len(self._forgotten) > self._max_forgotten:
                    del self._forgotten[next(iter(self._forgotten))]

    def put_aside(self, name: str) -> None:
        """Drop a name, but keep its object for ``take_back``; BadCall if the name is unknown.

        The objects that were put aside are numbered from 0.
        """
        self.address_of(name)
        self._aside.append(self._keys[name])
        self.forget([name])

    def take_back(self, number: int) -> str:
        """Return a new name for the object that ``put_aside`` kept under this number; BadCall if there is none."""
        if not 0 <= number < len(self._aside):
            raise BadCall(f"no object {number} was put aside")
        return self.name_of(*self._aside[number])

    def make_permanent(self) -> None:
        """Make the current names permanent, so that ``begin_example`` keeps them: the platforms and root devices."""
        self._permanent = dict(self._keys)
        self._permanent_serials = dict(self._serials)

    def begin_example(self) -> None:
        """Drop all names except the permanent ones; serial numbers continue after the permanent names."""
        self._forgotten = {}
        self._names = {key: name for name, key in self._permanent.items()}
        self._keys = dict(self._permanent)
        self._serials = dict(self._permanent_serials)
