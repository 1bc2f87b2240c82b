"""Looks up a driver's functions: through a loader, or directly through the driver's dispatch tables.

A lookup returns the address of a function for a platform. If the function has no callable address, it returns the
reason, and the driver is not called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from clconform.calls.call import Absent, FunctionLookup
from clconform.calls.values import FILL_BYTE
from clconform.harness.dispatch_tables import DispatchTables
from clconform.harness.errors import HarnessError, fold_line
from clconform.harness.library_paths import has_folder, has_name
from clconform.harness.machine_memory import ProcessMemory
from clconform.harness.raw_messages import OUTPUT
from clconform.spec_tables.versions import Version, read_version

if TYPE_CHECKING:
    from clconform.harness.driver_connection import DriverConnection
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

_BY_NAME, _BY_PLATFORM_AND_NAME, _PLATFORM_IDS = "pp", "ppp", "iupp"
"""Signatures of the functions that find functions and platforms."""
_COUNT_BYTES = 4
_BASICS = ("clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo", "clCreateContext")
"""Functions of which every dispatch table has at least one."""
_FILLED = bytes([FILL_BYTE])
_MAX_PLATFORMS = 64
PLATFORM_LOOKUP_VERSION = Version(1, 2)
"""The version from which on extension functions are looked up per platform."""
LIBRARY_PHRASES = {
    "": "",
    "has": "; the driver's library knows the function",
    "lacks": "; the driver's library does not know the function either",
}
"""Maps the ``library`` of a ``FunctionLookup`` to the end of a sentence."""


class PlatformEntry(NamedTuple):
    """A platform's address, the dispatch table of its objects, and the version that it reports."""

    address: int
    dispatch_table: int
    version: Version


class EntryPoints(Protocol):
    """Looks up the functions of a driver.

    ``access``: how the functions are found, such as ``loader`` or ``direct``. ``loader``: the loader's path, or empty.
    """

    access: str
    loader: str

    def platforms(self) -> list[int]:
        """Return the addresses of the platforms; HarnessError if there are none."""

    def library_of(self, platform: int) -> str:
        """Return the path of the library that implements the platform at this address; empty if unknown."""

    def find_missing(self, function: Function, platform: PlatformEntry) -> Absent | None:
        """Return why the driver lacks a function that the loader provides; None if the driver has the function."""

    def find_entry(self, function: Function, platform: PlatformEntry) -> int | Absent:
        """Return the address of ``function`` for objects of ``platform``, or why it is not available."""


def query_platform_ids(connection: DriverConnection, address: int) -> list[int]:
    """Return the platforms from the clGetPlatformIDs or clIcdGetPlatformIDsKHR at this address; empty on an error."""
    size = connection.machine.pointer_bytes
    places = [OUTPUT, _MAX_PLATFORMS * size]
    raw = connection.call_function(address, _PLATFORM_IDS, _MAX_PLATFORMS, places, [OUTPUT, _COUNT_BYTES])
    if raw.result or len(raw.outputs) != len(_PLATFORM_IDS) - 2:
        return []
    order = connection.machine.integer_order
    listed, counted = raw.outputs
    count = int.from_bytes(counted.ljust(_COUNT_BYTES, b"\0"), order)
    listed += _FILLED * (-len(listed) % size)  # a reply omits such bytes at the end
    found = [int.from_bytes(listed[at : at + size], order) for at in range(0, len(listed), size)]
    return [place for place in found[: min(count, _MAX_PLATFORMS)] if place]


def find_function(connection: DriverConnection, address: int, name: str, platform: int | None = None) -> int:
    """Return the address that a function for look-ups returns for a name, 0 for none.

    ``platform``: the address of a platform, for functions that look up per platform.
    """
    text = name.encode() + b"\0"
    if platform is None:
        return connection.call_function(address, _BY_NAME, text).result
    return connection.call_function(address, _BY_PLATFORM_AND_NAME, platform, text).result


def load_library(connection: DriverConnection, path: str, what: str) -> int:
    """Return the handle of a library, which is loaded in the driver's process; HarnessError if that fails.

    ``what``: the path, after a word for it in the message.
    """
    try:
        return connection.load_library(path)
    except OSError as error:
        raise HarnessError(f"cannot load {what}: {fold_line(str(error))}") from None


def version_obstacle(function: Function, platform: PlatformEntry) -> Absent | None:
    """Return a reason if the function requires a later version than the platform's; None otherwise."""
    for gate in function.applicability:
        if gate.subject == "platform-version" and gate.since and read_version(gate.since) > platform.version:
            stated = f"{function.name} is of OpenCL {gate.since}, and the platform states {platform.version}"
            return Absent("no-entry", stated)
    return None


def is_extension(function: Function) -> bool:
    """Return whether the function belongs to an extension; loaders need not export such functions."""
    return any(gate.subject == "extension" for gate in function.applicability)


class DriverLibrary:
    """The shared library of one driver, used without a loader."""

    def __init__(self, path: str, connection: DriverConnection) -> None:
        """Load the library in the driver's process; HarnessError if that fails, or if it is not a driver."""
        self.path = path
        self._connection = connection
        self._library = load_library(connection, path, path)
        self._by_name = connection.find_symbol(self._library, "clGetExtensionFunctionAddress")
        if not self._by_name:
            raise HarnessError(f"{path} is not an OpenCL driver: it does not export clGetExtensionFunctionAddress")

    def real_path(self) -> str:
        """Return the path of the library with symbolic links resolved."""
        if has_folder(self.path):
            return self._connection.real_path(self.path)
        return ProcessMemory(self._connection).library_at(self._by_name) or self.path

    def exported_symbol(self, name: str) -> int:
        """Return the address of an exported symbol, or 0."""
        return self._connection.find_symbol(self._library, name)

    def extension_function(self, name: str) -> int:
        """Return the address that the library's clGetExtensionFunctionAddress returns, or 0."""
        return find_function(self._connection, self._by_name, name)

    def loader_function(self, name: str) -> int:
        """Return the address of a function of the ICD interface, 0 if missing.

        The function is exported, or clGetExtensionFunctionAddress returns its address.
        """
        return self.exported_symbol(name) or self.extension_function(name)

    def platforms(self) -> list[int]:
        """Return the platforms that the library reports to loaders; HarnessError if there are none."""
        entry = self.extension_function("clIcdGetPlatformIDsKHR") or self.exported_symbol("clIcdGetPlatformIDsKHR")
        if not entry:
            raise HarnessError(f"{self.path} is not an ICD: it does not provide clIcdGetPlatformIDsKHR")
        found = query_platform_ids(self._connection, entry)
        if not found:
            raise HarnessError(f"{self.path} reports no platforms; check that its hardware is present and accessible")
        return found


class LoaderEntryPoints:
    """Looks up functions through a loader, as applications do.

    ``driver``: a library; only its platforms are used. None for all platforms of the loader.
    """

    access = "loader"

    def __init__(self, loader: str, driver: str | None, tables: Tables, connection: DriverConnection) -> None:
        """Load the loader in the driver's process; HarnessError if that fails."""
        self._driver = driver
        self._connection = connection
        self._addresses = ProcessMemory(connection)
        self._dispatch_tables = DispatchTables(tables.dispatch, self._addresses)
        self._handles = {name for name, known in tables.types.items() if known.kind == "handle"}
        library, names = load_library(connection, loader, f"the loader {loader}"), list(tables.functions)
        self._symbols = dict(zip(names, connection.find_symbols(library, names), strict=True))
        self._libraries: dict[str, DriverLibrary | None] = {}
        named = connection.real_path(loader) if has_folder(loader) else ""
        self.loader = named or self._addresses.library_at(self._find_symbol("clGetPlatformIDs")) or loader

    def is_loader(self, library: str) -> bool:
        """Return whether a library, specified by a path or a name, is the loader itself."""
        if has_folder(library):
            return self._connection.real_path(library) == self.loader
        return has_name(self.loader, library)

    def platforms(self) -> list[int]:
        """Return the loader's platforms, restricted to the selected library; HarnessError if there are none."""
        entry = self._find_symbol("clGetPlatformIDs")
        if not entry:
            raise HarnessError(f"{self.loader} is not an OpenCL loader: it does not export clGetPlatformIDs")
        found = query_platform_ids(self._connection, entry)
        if self._driver is not None:
            found = self._platforms_of_driver(found, self._driver)
        elif not found:
            raise HarnessError(
                f"the loader {self.loader} reports no platforms; install a driver, or name one with --driver"
            )
        return found

    def find_entry(self, function: Function, platform: PlatformEntry) -> int | Absent:
        """Return the loader's address of a function, or a reason if the driver's entry for it is empty.

        The loader's function calls the entry in the dispatch table of the driver.
        """
        absent = version_obstacle(function, platform)
        if absent:
            return absent
        address = self._extension_function(function.name, platform) if is_extension(function) else 0
        address = address or self._find_symbol(function.name)
        if not address:
            return self._missing_in_loader(function, platform)
        if self._is_dispatched(function) and self._addresses.library_at(address) == self.loader:
            return self._find_empty_entry(function.name, platform) or address
        return address

    def find_missing(self, function: Function, platform: PlatformEntry) -> Absent | None:
        """Return a reason if the loader exports the function, but the driver's entry in the dispatch table is empty."""
        if (
            version_obstacle(function, platform)
            or not self._is_dispatched(function)
            or self._dispatch_tables.function(platform.dispatch_table, function.name)
            or not self._find_symbol(function.name)
        ):
            return None
        return self._find_empty_entry(function.name, platform)

    def library_of(self, platform: int) -> str:
        """Return the path of the file that contains the driver's clGetPlatformInfo."""
        table = self._addresses.read_pointer(platform)
        entry = self._dispatch_tables.entry(table, "clGetPlatformInfo") if table else None
        return self._addresses.library_at(entry) if entry else ""

    def _platforms_of_driver(self, found: list[int], driver: str) -> list[int]:
        """Return the platforms in ``found`` that the library reports, or else those with functions in the library."""
        loaded = self._addresses.is_mapped(driver)
        library = DriverLibrary(driver, self._connection)
        own = library.platforms()
        if not loaded:
            raise HarnessError(f"the loader {self.loader} did not load {driver}; try --direct or another --loader")
        kept = [one for one in found if one in own]
        real = library.real_path()
        kept = kept or [one for one in found if self.library_of(one) == real]
        if not kept:
            raise HarnessError(
                f"the loader {self.loader} has {len(found)} platforms, none from {driver}; try --direct or a --loader"
            )
        return kept

    def _find_symbol(self, name: str) -> int:
        """Return the address of a function of the tables that the loader exports, or 0."""
        return self._symbols[name]

    def _extension_function(self, name: str, platform: PlatformEntry) -> int:
        by_platform = self._find_symbol("clGetExtensionFunctionAddressForPlatform")
        if by_platform and platform.version >= PLATFORM_LOOKUP_VERSION:
            return find_function(self._connection, by_platform, name, platform.address)
        by_name = self._find_symbol("clGetExtensionFunctionAddress")
        return find_function(self._connection, by_name, name) if by_name else 0

    def _missing_in_loader(self, function: Function, platform: PlatformEntry) -> Absent:
        """Return the reason for a function that the loader does not provide.

        Before OpenCL 1.2 loaders find extension functions by name only, and often only those that the loader itself
        knows. In that case the reason also states whether the driver's library knows the function.
        """
        alone = is_extension(function) and platform.version < PLATFORM_LOOKUP_VERSION
        library = self._library_status(self.library_of(platform.address), function.name) if alone else ""
        detail = f"the loader {self.loader} does not provide {function.name}{LIBRARY_PHRASES[library]}"
        return Absent("no-entry", detail, FunctionLookup("loader", path=self.loader, library=library))

    def _is_dispatched(self, function: Function) -> bool:
        """Return whether a loader dispatches the function through an object's table instead of implementing it."""
        return self._dispatch_tables.position(function.name) is not None and any(
            parameter.direction == "in" and (parameter.base in self._handles or "propert" in parameter.base)
            for parameter in function.parameters
        )

    def _find_empty_entry(self, name: str, platform: PlatformEntry) -> Absent | None:
        position = self._dispatch_tables.position(name)
        is_filled = self._dispatch_tables.function(platform.dispatch_table, name)
        if position is None or is_filled or not self._has_table(platform):
            return None
        entry = self._dispatch_tables.entry(platform.dispatch_table, name)
        what = "is not the address of a function" if entry else "is empty"
        library = self._library_status(self.library_of(platform.address), name)
        known = LIBRARY_PHRASES[library]
        return Absent(
            "empty-entry",
            f"the loader returns its own address for {name}, but entry {position} of the driver's dispatch table"
            f" {what}{known}",
            FunctionLookup("table", entry=position, entry_content="no-code" if entry else "nothing", library=library),
        )

    def _has_table(self, platform: PlatformEntry) -> bool:
        """Return whether a platform begins with the address of a dispatch table, as objects of an ICD loader do.

        The platforms of Wine's loader, and of a driver that exports all functions itself, need no table.
        """
        return any(self._dispatch_tables.function(platform.dispatch_table, name) for name in _BASICS)

    def _library_status(self, driver: str, name: str) -> str:
        """Return whether the driver's library has a function, as the ``library`` of a ``FunctionLookup``."""
        if driver not in self._libraries:
            try:
                self._libraries[driver] = DriverLibrary(driver, self._connection)
            except HarnessError:
                self._libraries[driver] = None
        library = self._libraries[driver]
        if library is None:
            return ""
        return "has" if library.extension_function(name) or library.exported_symbol(name) else "lacks"


class DispatchTableEntryPoints:
    """Looks up functions without a loader: in one library's dispatch tables and exports."""

    access = "direct"
    loader = ""

    def __init__(self, driver: str, tables: Tables, connection: DriverConnection) -> None:
        """Load the library in the driver's process; HarnessError if that fails, or if it is not a driver."""
        self._connection = connection
        self._library = DriverLibrary(driver, connection)
        self._addresses = ProcessMemory(connection)
        self._dispatch_tables = DispatchTables(tables.dispatch, self._addresses)
        self._for_platform = self._library.loader_function("clIcdGetFunctionAddressForPlatformKHR")

    def platforms(self) -> list[int]:
        """Return the platforms that the library reports; HarnessError if there are none."""
        return self._library.platforms()

    def find_missing(self, function: Function, platform: PlatformEntry) -> Absent | None:  # noqa: ARG002 (interface of EntryPoints)
        """Return None: without a loader, missing functions are not exported."""
        return None

    def library_of(self, platform: int) -> str:  # noqa: ARG002 (there is only one library)
        """Return the path of the library with symbolic links resolved."""
        return self._library.real_path()

    def find_entry(self, function: Function, platform: PlatformEntry) -> int | Absent:
        """Return the driver's address, from its ICD function, its dispatch table or its exports, in this order."""
        absent = version_obstacle(function, platform)
        if absent:
            return absent
        name = function.name
        if self._for_platform:
            address = find_function(self._connection, self._for_platform, name, platform.address)
            if address:
                return address
        entry = self._dispatch_tables.current_function(platform.dispatch_table, name)
        if entry:
            return entry
        known = (
            self._extension_function(name, platform) if is_extension(function) else self._library.exported_symbol(name)
        )
        if known:
            return known
        position = self._dispatch_tables.position(name)
        if position is not None:
            lookup = FunctionLookup("table", entry=position)
            return Absent("no-entry", f"entry {position} ({name}) of the driver's dispatch table is empty", lookup)
        lookup = FunctionLookup("library", path=self._library.path)
        return Absent("no-entry", f"{self._library.path} does not provide {name}", lookup)

    def _extension_function(self, name: str, platform: PlatformEntry) -> int:
        lookup = "clGetExtensionFunctionAddressForPlatform"
        by_platform = self._library.exported_symbol(lookup)
        if not by_platform and platform.version >= PLATFORM_LOOKUP_VERSION:
            by_platform = self._dispatch_tables.current_function(platform.dispatch_table, lookup)
        if by_platform and self._addresses.is_code(by_platform):
            address = find_function(self._connection, by_platform, name, platform.address)
            if address:
                return address
        return self._library.extension_function(name)
