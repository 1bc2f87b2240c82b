"""The driver in a worker process: makes calls, returns their outcomes, and caches each platform's entry points."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clconform.calls.call import Absent, Begun, Call, Output, Returned
from clconform.calls.fitting import ArgumentForms
from clconform.calls.host import AWAIT, HOST_STEPS, IN_CALLBACK, call_of
from clconform.calls.protocol import DeviceSeen, Ended, PlatformSeen, Together, UnderWay
from clconform.calls.values import Callback, Handle, OutputBuffer, Value
from clconform.harness.binding import Binding
from clconform.harness.entry_points import EntryPoints, Platform, Version
from clconform.harness.errors import BadCall, HarnessError
from clconform.harness.host import HostMemory
from clconform.harness.names import Names
from clconform.harness.threads import Lane, LaneInCallback, Order, at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clconform.harness.addresses import Addresses
    from clconform.harness.prototypes import Prepared
    from clconform.spec_tables import Tables

_VERSION = re.compile(r"OpenCL ([0-9]{1,4})\.([0-9]{1,4})")
_OLDEST: Version = (1, 0)
_LONGEST_STRING_BYTES = 1 << 16
_LONGEST_NAME = 1 << 12
_MOST_DEVICES = 256
_LONGEST_WAIT = 24 * 3600
"""Maximum number of seconds to wait for a call on a host thread."""


def _nobody(_: Call) -> None:
    """Ignore a call that is announced."""


class Driver:
    """Calls functions of the platforms that an entry point reports, and names their objects."""

    def __init__(self, tables: Tables, entry_points: EntryPoints, addresses: Addresses) -> None:
        self.names = Names()
        self._tables = tables
        self._forms = ArgumentForms(tables)
        self._entry_points = entry_points
        self._addresses = addresses
        self._binding = Binding(tables, self.names, addresses)
        self._host = HostMemory(self.names)
        self._platforms: list[Platform] = []
        self._threads: list[Binding] = []
        self._lanes: dict[int, tuple[Lane, Binding]] = {}
        self._in_callbacks: dict[int, tuple[LaneInCallback, Binding]] = {}
        self._order = Order()
        self._tell: Callable[[Call], object] = _nobody
        self._entries: dict[tuple[str, int], int | Absent] = {}

    def survey(self, wanted: str = "", tell: Callable[[Call], object] | None = None) -> list[PlatformSeen]:
        """Query the platforms and root devices, and keep their names for the lifetime of the process.

        ``wanted``: part of a platform's or a vendor's name, case-insensitive; only matching platforms are kept.
        ``tell`` is called with each call before it is made. A query that fails yields an empty value. HarnessError if
        no platform matches.
        """
        self._tell = tell or _nobody
        self._tell(Call("clGetPlatformIDs", {"num_entries": 0, "platforms": None, "num_platforms": OutputBuffer(1)}))
        addresses = self._entry_points.platforms()
        stated = [self._introduce(address) for address in addresses]
        kept = [
            index for index, (name, vendor, _) in enumerate(stated) if wanted.lower() in f"{name}\n{vendor}".lower()
        ]
        if not kept:
            there = "; ".join(f"{name} ({vendor})" for name, vendor, _ in stated)
            raise HarnessError(f"no platform matches {wanted!r}; available: {there}")
        self._platforms = [
            Platform(addresses[index], self._addresses.pointer(addresses[index]) or 0, stated[index][2])
            for index in kept
        ]
        self._entries.clear()
        self.names = Names()
        self._binding = Binding(self._tables, self.names, self._addresses)
        self._host = HostMemory(self.names)
        self._threads = []
        handles = [self.names.name("cl_platform_id", platform.address) for platform in self._platforms]
        seen = [self._see_platform(handle) for handle in handles]
        self.names.settle()
        return seen

    def libraries(self) -> list[str]:
        """Return the distinct paths of the libraries of these platforms, in platform order."""
        found = (self._entry_points.library_of(platform.address) for platform in self._platforms)
        return [path for path in dict.fromkeys(found) if path]

    def empty_entries(self) -> dict[str, str]:
        """Return the functions that the loader exports but the first platform's driver lacks, each with the reason."""
        found = {}
        for name in self._tables.dispatch:
            function = self._tables.functions.get(name)
            absent = self._entry_points.empty(function, self._platforms[0]) if function else None
            if absent:
                found[name] = absent.detail
        return found

    def ask(self, call: Call) -> Returned | Absent | Ended:
        """Make the call as ``perform`` does; add its positions while other host threads have calls in flight."""
        lanes = (*self._lanes.values(), *self._in_callbacks.values())
        if not lanes or not any(lane.busy for lane, _ in lanes):
            return self.perform(call)
        entered = self._order.next()
        outcome = self.perform(call)
        return Ended(outcome, entered, self._order.next())

    def begin_on(self, number: int, call: Call) -> Begun | Absent:
        """Start a call on a host thread, or return why the function is not available.

        BadCall: the call cannot be expressed in C, the host thread is busy, or it cannot be started.
        """
        entry = self._entry(call)
        if isinstance(entry, Absent):
            return entry
        if number not in self._lanes and number not in self._in_callbacks:
            thread = Lane(number, self._order)
            self._binding.callbacks.add_host_thread(thread.ident)
            self._lanes[number] = thread, self._another_binding()
        lane, binding = self._in_callbacks.get(number) or self._lanes[number]
        if lane.busy:
            raise BadCall(f"host thread {number} has a call in flight; join it first")
        return Begun(lane.begin(binding.prepare(call, entry)))

    def end_on(self, number: int, seconds: float) -> Ended | UnderWay:
        """Wait up to ``seconds`` for the call on a host thread to return; BadCall if it has no call in flight."""
        found = self._in_callbacks.get(number) or self._lanes.get(number)
        if found is None:
            raise BadCall(f"host thread {number} has no call in flight")
        if not 0 <= seconds <= _LONGEST_WAIT:
            raise BadCall(f"cannot wait for {seconds} seconds")
        lane, binding = found
        made = lane.end(seconds)
        return UnderWay() if made is None else Ended(binding.finish(*made), lane.entered, lane.returned)

    def _another_binding(self) -> Binding:
        """Return a binding with its own memory, for another host thread."""
        return Binding(self._tables, self.names, self._addresses, self._binding.callbacks)

    def perform(self, call: Call) -> Returned | Absent:
        """Make the call, or return why the function is not available; BadCall if it cannot be expressed in C."""
        if call.function in HOST_STEPS:
            reason = self._forms.unfit(call)
            if reason:
                raise BadCall(reason)
            if call.function == IN_CALLBACK:
                return self._in_callback(call)
            return self._await(call) if call.function == AWAIT else self._host.perform(call)
        entry = self._entry(call)
        return entry if isinstance(entry, Absent) else self._binding.invoke(call, entry)

    def _await(self, call: Call) -> Returned:
        """Wait for a callback, and return how often it was called; BadCall if the argument is not a callback."""
        if not isinstance(call.callback, Callback):
            raise BadCall(f"{call.function} needs a callback, not {call.callback!r}")
        times = self._binding.callbacks.wait(call.callback.name, call.times, call.milliseconds)
        return Returned(times, called_back=self._binding.callbacks.take())

    def _in_callback(self, call: Call) -> Returned:
        """Make the next call of a host thread from inside a callback.

        BadCall if the argument is not a callback, or if the host thread has a call in flight.
        """
        if not isinstance(call.callback, Callback):
            raise BadCall(f"{call.function} needs a callback, not {call.callback!r}")
        known = self._in_callbacks.get(call.lane) or self._lanes.get(call.lane)
        if known is not None and known[0].busy:
            raise BadCall(f"host thread {call.lane} has a call in flight; join it first")
        lane = LaneInCallback(self._order)
        self._in_callbacks[call.lane] = lane, self._another_binding()
        self._binding.callbacks.inside(call.callback.name, lane.make)
        return Returned(None)

    def ask_together(self, calls: Sequence[Call]) -> Together:
        """Make the calls concurrently, each on a host thread with its own memory; return their outcomes in order.

        BadCall: a call cannot be expressed in C, or a thread cannot be started; no call is made then. Arguments are
        prepared before all calls and outputs are decoded after them, in the order of ``calls``, so that object names
        are reproducible.
        """
        entries = [self._entry(call) for call in calls]
        while len(self._threads) < len(calls):
            self._threads.append(self._another_binding())
        ready = {
            index: self._threads[index].prepare(calls[index], entry)
            for index, entry in enumerate(entries)
            if not isinstance(entry, Absent)
        }
        made = zip(ready.items(), at_once([self._on_a_thread(each) for each in ready.values()]), strict=True)
        returned = {index: self._threads[index].finish(prepared, *went) for (index, prepared), went in made}
        return Together(
            [entry if isinstance(entry, Absent) else returned[index] for index, entry in enumerate(entries)]
        )

    def _on_a_thread(self, prepared: Prepared) -> Callable[[], tuple[Any, float]]:
        """Return a function that makes the call and registers its thread as a host thread meanwhile."""

        def make() -> tuple[Any, float]:
            with self._binding.callbacks.host_thread():
                return prepared.make()

        return make

    def _entry(self, call: Call) -> int | Absent:
        """Return the address of the called function for its platform, or why the function is not available."""
        function = self._binding.function(call.function)
        index = self._platform_of(call)
        entry = self._entries.get((call.function, index))
        if entry is None:
            entry = self._entries[call.function, index] = self._entry_points.entry(function, self._platforms[index])
        return entry

    def begin(self) -> None:
        """Begin an example: forget all host areas, and all objects except platforms and root devices."""
        self.names.begin()
        self._host.begin()
        self._binding.callbacks.begin()
        self._in_callbacks.clear()

    def forget(self, names: Iterable[str]) -> None:
        """Forget the named objects."""
        self.names.forget(names)

    def _platform_of(self, call: Call) -> int:
        """Return the index of a call's platform, by its first object's dispatch table; the first one by default."""
        if len(self._platforms) > 1:
            tables = [platform.table for platform in self._platforms]
            for address in self._binding.addresses(call):
                own = [index for index, platform in enumerate(self._platforms) if platform.address == address]
                if own:
                    return own[0]
                table = self._addresses.pointer(address)
                if table in tables:
                    return tables.index(table)
        return 0

    def _introduce(self, address: int) -> tuple[str, str, Version]:
        """Query a platform's name, vendor and version before its other properties are known."""
        self._platforms = [Platform(address, self._addresses.pointer(address) or 0, _OLDEST)]
        self._entries.clear()
        handle = self.names.name("cl_platform_id", address)
        found = _VERSION.match(self._text("clGetPlatformInfo", handle, "CL_PLATFORM_VERSION"))
        version = (int(found[1]), int(found[2])) if found else _OLDEST
        name, vendor = (self._name("clGetPlatformInfo", handle, f"CL_PLATFORM_{what}") for what in ("NAME", "VENDOR"))
        return name, vendor, version

    def _see_platform(self, handle: str) -> PlatformSeen:
        name, vendor, version, profile, extensions = (
            self._text("clGetPlatformInfo", handle, f"CL_PLATFORM_{what}")
            for what in ("NAME", "VENDOR", "VERSION", "PROFILE", "EXTENSIONS")
        )
        every = self._value("CL_DEVICE_TYPE_ALL")
        devices = self._ask(
            "clGetDeviceIDs", Handle(handle), every, _MOST_DEVICES, OutputBuffer(_MOST_DEVICES), OutputBuffer(1)
        )
        found: list[str] = []
        if devices is not None and devices.value == 0:
            listed, counted = devices.outputs.values()
            count = counted.values[0]
            if isinstance(count, int):
                found = [name for name in listed.values[:count] if isinstance(name, str) and name.startswith("device")]
        seen = [self._see_device(device) for device in found]
        return PlatformSeen(handle, name, vendor, version, profile, extensions, seen)

    def _see_device(self, handle: str) -> DeviceSeen:
        name, version, driver_version = (
            self._name("clGetDeviceInfo", handle, what)
            for what in ("CL_DEVICE_NAME", "CL_DEVICE_VERSION", "CL_DRIVER_VERSION")
        )
        kind, units = (
            self._number("clGetDeviceInfo", handle, what) for what in ("CL_DEVICE_TYPE", "CL_DEVICE_MAX_COMPUTE_UNITS")
        )
        return DeviceSeen(handle, name, kind, version, driver_version, units)

    def _ask(self, function: str, *values: Value) -> Returned | None:
        call = call_of(function, self._tables.functions, *values)
        self._tell(call)
        outcome = self.perform(call)
        return outcome if isinstance(outcome, Returned) else None

    def _query(self, function: str, handle: str, what: str, size: int) -> Output | None:
        """Return a query's value as an output of at most ``size`` bytes; None if the query fails."""
        answer = self._ask(function, Handle(handle), self._value(what), size, OutputBuffer(size), OutputBuffer(1))
        if answer is None or answer.value != 0:
            return None
        return next(iter(answer.outputs.values()))

    def _text(self, function: str, handle: str, what: str) -> str:
        sized = self._ask(function, Handle(handle), self._value(what), 0, None, OutputBuffer(1))
        if sized is None or sized.value != 0:
            return ""
        size = next(iter(sized.outputs.values())).values[0]
        if not isinstance(size, int) or not 0 < size <= _LONGEST_STRING_BYTES:
            return ""
        value = self._query(function, handle, what, size)
        return value.raw.split(b"\0")[0].decode("utf-8", "backslashreplace") if value is not None else ""

    def _name(self, function: str, handle: str, what: str) -> str:
        """Return the value of a query for a name, cut to ``_LONGEST_NAME`` characters."""
        return self._text(function, handle, what)[:_LONGEST_NAME]

    def _number(self, function: str, handle: str, what: str) -> int:
        value = self._query(function, handle, what, 8)
        return int.from_bytes(value.raw, "little") if value is not None else 0

    def _value(self, enumerant: str) -> int:
        return self._tables.enumerants[enumerant].value
