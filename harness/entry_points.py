"""Looks up a driver's functions: through a loader, or directly through the driver's dispatch tables.

A lookup returns the address of a function for a platform. If the function has no callable address, it returns the
reason, and the driver is not called.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clconform.calls.call import Absent, Lookup
from clconform.harness.addresses import load_library, symbol
from clconform.harness.errors import HarnessError, one_line

if TYPE_CHECKING:
    from clconform.harness.addresses import Addresses
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

Version = tuple[int, int]
_BY_NAME = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
_BY_PLATFORM_AND_NAME = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_PLATFORM_IDS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
_MOST_PLATFORMS = 64
BY_PLATFORM = (1, 2)
"""The version from which on extension functions are looked up per platform."""
LIBRARY = {
    "": "",
    "has": "; the driver's library knows the function",
    "lacks": "; the driver's library does not know the function either",
}
"""Maps the ``library`` of a ``Lookup`` to the end of a sentence."""


class Platform(NamedTuple):
    """A platform's address, the dispatch table of its objects, and the version that it reports."""

    address: int
    table: int
    version: Version


class EntryPoints(Protocol):
    """Looks up the functions of a driver. ``access`` and ``loader`` are reported in the worker's greeting."""

    access: str
    loader: str

    def platforms(self) -> list[int]:
        """Return the addresses of the platforms; HarnessError if there are none."""

    def library_of(self, platform: int) -> str:
        """Return the path of the library that implements the platform at this address; empty if unknown."""

    def empty(self, function: Function, platform: Platform) -> Absent | None:
        """Return why a function that the loader provides is not available in the driver; None if it is available."""

    def entry(self, function: Function, platform: Platform) -> int | Absent:
        """Return the address of ``function`` for objects of ``platform``, or why it is not available."""


def platform_ids(address: int) -> list[int]:
    """Return the platforms from the clGetPlatformIDs or clIcdGetPlatformIDsKHR at this address; empty on an error."""
    function = _PLATFORM_IDS(address)
    places = (ctypes.c_void_p * _MOST_PLATFORMS)()
    count = ctypes.c_uint32(0)
    if function(_MOST_PLATFORMS, ctypes.addressof(places), ctypes.addressof(count)):
        return []
    return [place for place in places[: min(count.value, _MOST_PLATFORMS)] if place]


def too_new(function: Function, platform: Platform) -> Absent | None:
    """Return a reason if the function requires a later version than the platform's; None otherwise."""
    for gate in function.gates:
        if gate.subject == "platform-version" and gate.since:
            since = tuple(int(part) for part in gate.since.split("."))
            if since > platform.version:
                stated = ".".join(map(str, platform.version))
                return Absent(
                    "no-entry", f"{function.name} is of OpenCL {gate.since}, and the platform states {stated}"
                )
    return None


def is_extension(function: Function) -> bool:
    """Return whether the function belongs to an extension; loaders need not export such functions."""
    return any(gate.subject == "extension" for gate in function.gates)


class DriverLibrary:
    """The shared library of one driver, used without a loader."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._library = load_library(path)
        except OSError as error:
            raise HarnessError(f"cannot load {path}: {one_line(str(error))}") from None
        self._by_name = symbol(self._library, "clGetExtensionFunctionAddress")
        if not self._by_name:
            raise HarnessError(f"{path} is not an OpenCL driver: it does not export clGetExtensionFunctionAddress")

    def exported(self, name: str) -> int:
        """Return the address of an exported symbol, or 0."""
        return symbol(self._library, name)

    def extension(self, name: str) -> int:
        """Return the address that the library's clGetExtensionFunctionAddress returns, or 0."""
        return _BY_NAME(self._by_name)(name.encode()) or 0

    def loader_entry(self, name: str) -> int:
        """Return a function of the ICD interface: exported, or from clGetExtensionFunctionAddress; 0 if missing."""
        return self.exported(name) or self.extension(name)

    def platforms(self) -> list[int]:
        """Return the platforms that the library reports to loaders; HarnessError if there are none."""
        entry = self.extension("clIcdGetPlatformIDsKHR") or self.exported("clIcdGetPlatformIDsKHR")
        if not entry:
            raise HarnessError(f"{self.path} is not an ICD: it does not provide clIcdGetPlatformIDsKHR")
        found = platform_ids(entry)
        if not found:
            raise HarnessError(f"{self.path} reports no platforms; check that its hardware is present and accessible")
        return found


class LoaderEntryPoints:
    """Looks up functions through a loader, as applications do.

    ``driver``: the library to whose platforms the lookup is restricted; None for all platforms of the loader.
    """

    access = "loader"

    def __init__(self, loader: str, driver: str | None, tables: Tables, addresses: Addresses) -> None:
        self.loader = os.path.realpath(loader)
        self._driver = driver
        self._addresses = addresses
        self._positions = {name: position for position, name in enumerate(tables.dispatch)}
        self._handles = {name for name, known in tables.types.items() if known.kind == "handle"}
        try:
            self._library = load_library(loader)
        except OSError as error:
            raise HarnessError(f"cannot load the loader {loader}: {one_line(str(error))}") from None

    def platforms(self) -> list[int]:
        """Return the loader's platforms, restricted to the selected library; HarnessError if there are none."""
        entry = symbol(self._library, "clGetPlatformIDs")
        if not entry:
            raise HarnessError(f"{self.loader} is not an OpenCL loader: it does not export clGetPlatformIDs")
        found = platform_ids(entry)
        if self._driver is not None:
            found = self._of_driver(found, self._driver)
        elif not found:
            raise HarnessError(
                f"the loader {self.loader} reports no platforms; install a driver, or name one with --driver"
            )
        return found

    def entry(self, function: Function, platform: Platform) -> int | Absent:
        """Return the loader's address, or a reason if its trampoline leads to an empty dispatch table entry."""
        absent = too_new(function, platform)
        if absent:
            return absent
        address = self._extension(function.name, platform) if is_extension(function) else 0
        address = address or symbol(self._library, function.name)
        if not address:
            return self._not_provided(function, platform)
        if self._dispatched(function) and self._addresses.library(address) == self.loader:
            return self._empty(function.name, platform) or address
        return address

    def empty(self, function: Function, platform: Platform) -> Absent | None:
        """Return the reason if the loader exports the function but the driver's dispatch table entry is empty."""
        if too_new(function, platform) or not self._dispatched(function) or not symbol(self._library, function.name):
            return None
        return self._empty(function.name, platform)

    def library_of(self, platform: int) -> str:
        """Return the path of the file that contains the driver's clGetPlatformInfo."""
        table = self._addresses.pointer(platform)
        entry = self._addresses.pointer(table + 8 * self._positions["clGetPlatformInfo"]) if table else None
        return self._addresses.library(entry) if entry else ""

    def _of_driver(self, found: list[int], driver: str) -> list[int]:
        """Return the platforms that the library itself reports, or else those whose functions are in it."""
        loaded = self._addresses.is_mapped(driver)
        own = DriverLibrary(driver).platforms()
        if not loaded:
            raise HarnessError(f"the loader {self.loader} did not load {driver}; try --direct or another --loader")
        kept = [one for one in found if one in own]
        kept = kept or [one for one in found if self.library_of(one) == os.path.realpath(driver)]
        if not kept:
            raise HarnessError(
                f"the loader {self.loader} has {len(found)} platforms, none from {driver}; try --direct or a --loader"
            )
        return kept

    def _extension(self, name: str, platform: Platform) -> int:
        by_platform = symbol(self._library, "clGetExtensionFunctionAddressForPlatform")
        if by_platform and platform.version >= BY_PLATFORM:
            address = _BY_PLATFORM_AND_NAME(by_platform)(platform.address, name.encode())
            return address or 0
        by_name = symbol(self._library, "clGetExtensionFunctionAddress")
        return (_BY_NAME(by_name)(name.encode()) or 0) if by_name else 0

    def _not_provided(self, function: Function, platform: Platform) -> Absent:
        """Return the reason for a function that the loader does not provide.

        Before OpenCL 1.2 loaders find extension functions by name only, and often only those that they know themselves.
        In that case the reason also states whether the driver's library knows the function.
        """
        alone = is_extension(function) and platform.version < BY_PLATFORM
        library = self._asked(self.library_of(platform.address), function.name) if alone else ""
        detail = f"the loader {self.loader} does not provide {function.name}{LIBRARY[library]}"
        return Absent("no-entry", detail, Lookup("loader", path=self.loader, library=library))

    def _dispatched(self, function: Function) -> bool:
        """Return whether a loader dispatches the function through an object's table instead of implementing it."""
        return function.name in self._positions and any(
            parameter.direction == "in" and (parameter.base in self._handles or "propert" in parameter.base)
            for parameter in function.parameters
        )

    def _empty(self, name: str, platform: Platform) -> Absent | None:
        position = self._positions[name]
        entry = self._addresses.pointer(platform.table + 8 * position)
        if entry and self._addresses.is_code(entry):
            return None
        what = "is empty" if not entry else "is not the address of a function"
        library = self._asked(self.library_of(platform.address), name)
        known = LIBRARY[library]
        return Absent(
            "empty-entry",
            f"the loader returns its own address for {name}, but entry {position} of the driver's dispatch table"
            f" {what}{known}",
            Lookup("table", entry=position, holds="no-code" if entry else "nothing", library=library),
        )

    @staticmethod
    def _asked(driver: str, name: str) -> str:
        """Return whether the driver's library has a function, as the ``library`` of a ``Lookup``."""
        try:
            library = DriverLibrary(driver)
        except HarnessError:
            return ""
        return "has" if library.extension(name) or library.exported(name) else "lacks"


class DispatchTableEntryPoints:
    """Looks up functions without a loader: in one library's dispatch tables and exports."""

    access = "direct"
    loader = ""

    def __init__(self, driver: str, tables: Tables, addresses: Addresses) -> None:
        self._library = DriverLibrary(driver)
        self._addresses = addresses
        self._positions = {name: position for position, name in enumerate(tables.dispatch)}
        self._for_platform = self._library.loader_entry("clIcdGetFunctionAddressForPlatformKHR")

    def platforms(self) -> list[int]:
        """Return the platforms that the library reports; HarnessError if there are none."""
        return self._library.platforms()

    def empty(self, function: Function, platform: Platform) -> Absent | None:  # noqa: ARG002 (as the other class)
        """Return None: without a loader, missing functions are not exported."""
        return None

    def library_of(self, platform: int) -> str:  # noqa: ARG002 (there is only one)
        """Return the path of the library with symbolic links resolved."""
        return os.path.realpath(self._library.path)

    def entry(self, function: Function, platform: Platform) -> int | Absent:
        """Return the driver's address, from its ICD function, its dispatch table or its exports, in this order."""
        absent = too_new(function, platform)
        if absent:
            return absent
        name = function.name
        if self._for_platform:
            address = _BY_PLATFORM_AND_NAME(self._for_platform)(platform.address, name.encode())
            if address:
                return int(address)
        position = self._positions.get(name)
        if position is not None:
            address = self._addresses.pointer(platform.table + 8 * position)
            if address and self._addresses.is_code(address):
                return address
        known = self._extension(name, platform) if is_extension(function) else self._library.exported(name)
        if known:
            return known
        if position is not None:
            lookup = Lookup("table", entry=position)
            return Absent("no-entry", f"entry {position} ({name}) of the driver's dispatch table is empty", lookup)
        lookup = Lookup("library", path=self._library.path)
        return Absent("no-entry", f"{self._library.path} does not provide {name}", lookup)

    def _extension(self, name: str, platform: Platform) -> int:
        by_platform = self._library.exported("clGetExtensionFunctionAddressForPlatform")
        if not by_platform:
            position = self._positions.get("clGetExtensionFunctionAddressForPlatform")
            if position is not None and platform.version >= BY_PLATFORM:
                by_platform = self._addresses.pointer(platform.table + 8 * position) or 0
        if by_platform and self._addresses.is_code(by_platform):
            address = _BY_PLATFORM_AND_NAME(by_platform)(platform.address, name.encode())
            if address:
                return int(address)
        return self._library.extension(name)
