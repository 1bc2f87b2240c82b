"""The driver in a worker process: makes calls, returns their outcomes, and caches each platform's entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.calls.call import Absent, Begun, Call, Output, Returned
from clconform.calls.harness_actions import AWAIT, HOST_ACTIONS, IN_CALLBACK, build_call
from clconform.calls.protocol import CallEnded, CallPending, ConcurrentOutcomes, DeviceIdentity, PlatformIdentity
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import Handle, HostCallback, OutputBuffer, Value
from clconform.harness.binding import FunctionBinding
from clconform.harness.entry_points import EntryPoints, PlatformEntry
from clconform.harness.errors import BadCall, HarnessError
from clconform.harness.host import HostMemory
from clconform.harness.names import ObjectNames
from clconform.harness.threads import Lane, LaneInCallback, Order, at_once
from clconform.spec_tables.versions import OLDEST, Version, parse_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clconform.harness.addresses import ProcessMemory
    from clconform.harness.prototypes import Prepared
    from clconform.spec_tables import Tables

_MAX_STRING_BYTES = 1 << 16
_MAX_NAME_LENGTH = 1 << 12
_MAX_DEVICES = 256
_MAX_WAIT_SECONDS = 24 * 3600
"""Maximum number of seconds to wait for a call on a host thread."""


def _ignore_call(_: Call) -> None:
    """Ignore a call that the driver is about to make."""


class Driver:
    """Calls functions of the platforms that its entry points report, and names their objects."""

    def __init__(self, tables: Tables, entry_points: EntryPoints, addresses: ProcessMemory) -> None:
        self.names = ObjectNames()
        self._tables = tables
        self._argument_forms = ArgumentTypes(tables)
        self._entry_points = entry_points
        self._addresses = addresses
        self._binding = FunctionBinding(tables, self.names, addresses)
        self._host = HostMemory(self.names)
        self._platforms: list[PlatformEntry] = []
        self._group_bindings: list[FunctionBinding] = []
        self._host_threads: dict[int, tuple[Lane, FunctionBinding]] = {}
        self._callback_threads: dict[int, tuple[LaneInCallback, FunctionBinding]] = {}
        self._order = Order()
        self._announce: Callable[[Call], object] = _ignore_call
        self._entries: dict[tuple[str, int], int | Absent] = {}

    def query_platforms(
        self, pattern: str = "", announce: Callable[[Call], object] | None = None
    ) -> list[PlatformIdentity]:
        """Query the platforms and root devices, and keep their names for the lifetime of the process.

        ``pattern``: part of a platform's or a vendor's name, case-insensitive; only matching platforms are kept.
        ``announce`` is called with each call before it is made. A query that fails yields an empty value. HarnessError
        if no platform matches.
        """
        self._announce = announce or _ignore_call
        self._announce(
            Call("clGetPlatformIDs", {"num_entries": 0, "platforms": None, "num_platforms": OutputBuffer(1)})
        )
        addresses = self._entry_points.platforms()
        stated = [self._query_identity(address) for address in addresses]
        kept = [
            index for index, (name, vendor, _) in enumerate(stated) if pattern.lower() in f"{name}\n{vendor}".lower()
        ]
        if not kept:
            there = "; ".join(f"{name} ({vendor})" for name, vendor, _ in stated)
            raise HarnessError(f"no platform matches {pattern!r}; available: {there}")
        self._platforms = [
            PlatformEntry(addresses[index], self._addresses.read_pointer(addresses[index]) or 0, stated[index][2])
            for index in kept
        ]
        self._entries.clear()
        self.names = ObjectNames()
        self._binding = FunctionBinding(self._tables, self.names, self._addresses)
        self._host = HostMemory(self.names)
        self._group_bindings = []
        handles = [self.names.name_of("cl_platform_id", platform.address) for platform in self._platforms]
        seen = [self._query_platform(handle) for handle in handles]
        self.names.make_permanent()
        return seen

    def libraries(self) -> list[str]:
        """Return the distinct paths of the libraries of these platforms, in platform order."""
        found = (self._entry_points.library_of(platform.address) for platform in self._platforms)
        return [path for path in dict.fromkeys(found) if path]

    def find_missing_functions(self) -> dict[str, str]:
        """Return the functions that the loader exports but the first platform's driver lacks, each with the reason."""
        found = {}
        for name in self._tables.dispatch:
            function = self._tables.functions.get(name)
            absent = self._entry_points.find_missing(function, self._platforms[0]) if function else None
            if absent:
                found[name] = absent.detail
        return found

    def perform_in_order(self, call: Call) -> Returned | Absent | CallEnded:
        """Make the call as ``perform`` does; add its positions if other host threads have calls in flight."""
        lanes = (*self._host_threads.values(), *self._callback_threads.values())
        if not lanes or not any(lane.busy for lane, _ in lanes):
            return self.perform(call)
        entered = self._order.next()
        outcome = self.perform(call)
        return CallEnded(outcome, entered, self._order.next())

    def start_on_thread(self, thread_number: int, call: Call) -> Begun | Absent:
        """Start a call on a host thread, or return why the function is not available.

        BadCall: the call cannot be expressed in C, the host thread is busy, or the thread cannot be started.
        """
        entry = self._find_entry(call)
        if isinstance(entry, Absent):
            return entry
        if thread_number not in self._host_threads and thread_number not in self._callback_threads:
            thread = Lane(thread_number, self._order)
            self._binding.callbacks.add_host_thread(thread.ident)
            self._host_threads[thread_number] = thread, self._create_binding()
        lane, binding = self._callback_threads.get(thread_number) or self._host_threads[thread_number]
        if lane.busy:
            raise BadCall(f"host thread {thread_number} has a call in flight; join it first")
        return Begun(lane.begin(binding.prepare(call, entry)))

    def join_thread(self, thread_number: int, seconds: float) -> CallEnded | CallPending:
        """Wait up to ``seconds`` for the call on a host thread to return; BadCall if it has no call in flight."""
        found = self._callback_threads.get(thread_number) or self._host_threads.get(thread_number)
        if found is None:
            raise BadCall(f"host thread {thread_number} has no call in flight")
        if not 0 <= seconds <= _MAX_WAIT_SECONDS:
            raise BadCall(f"cannot wait for {seconds} seconds")
        lane, binding = found
        made = lane.end(seconds)
        return CallPending() if made is None else CallEnded(binding.finish(*made), lane.entered, lane.returned)

    def _create_binding(self) -> FunctionBinding:
        """Return a binding with its own memory, for a further host thread."""
        return FunctionBinding(self._tables, self.names, self._addresses, self._binding.callbacks)

    def perform(self, call: Call) -> Returned | Absent:
        """Make the call, or return why the function is not available; BadCall if it cannot be expressed in C."""
        if call.function in HOST_ACTIONS:
            reason = self._argument_forms.find_mismatch(call)
            if reason:
                raise BadCall(reason)
            if call.function == IN_CALLBACK:
                return self._schedule_in_callback(call)
            return self._wait_for_callback(call) if call.function == AWAIT else self._host.perform(call)
        entry = self._find_entry(call)
        return entry if isinstance(entry, Absent) else self._binding.invoke(call, entry)

    def _wait_for_callback(self, call: Call) -> Returned:
        """Wait for a callback, and return how often it was called.

        BadCall if the ``callback`` argument is not a callback.
        """
        if not isinstance(call.callback, HostCallback):
            raise BadCall(f"{call.function} needs a callback, not {call.callback!r}")
        times = self._binding.callbacks.wait_for_calls(call.callback.name, call.times, call.milliseconds)
        return Returned(times, callbacks=self._binding.callbacks.take_invocations())

    def _schedule_in_callback(self, call: Call) -> Returned:
        """Arrange that the next call of a host thread is made from inside a callback.

        BadCall if the ``callback`` argument is not a callback, or if the host thread has a call in flight.
        """
        if not isinstance(call.callback, HostCallback):
            raise BadCall(f"{call.function} needs a callback, not {call.callback!r}")
        known = self._callback_threads.get(call.host_thread) or self._host_threads.get(call.host_thread)
        if known is not None and known[0].busy:
            raise BadCall(f"host thread {call.host_thread} has a call in flight; join it first")
        lane = LaneInCallback(self._order)
        self._callback_threads[call.host_thread] = lane, self._create_binding()
        self._binding.callbacks.set_action(call.callback.name, lane.make)
        return Returned(None)

    def call_concurrently(self, calls: Sequence[Call]) -> ConcurrentOutcomes:
        """Make the calls concurrently, each on a host thread with its own memory; return their outcomes in order.

        BadCall: a call cannot be expressed in C, or a thread cannot be started; no call is made then. Arguments are
        prepared before all calls and outputs are decoded after them, in the order of ``calls``, so that object names
        are reproducible.
        """
        entries = [self._find_entry(call) for call in calls]
        while len(self._group_bindings) < len(calls):
            self._group_bindings.append(self._create_binding())
        ready = {
            index: self._group_bindings[index].prepare(calls[index], entry)
            for index, entry in enumerate(entries)
            if not isinstance(entry, Absent)
        }
        made = zip(ready.items(), at_once([self._create_thread_action(each) for each in ready.values()]), strict=True)
        returned = {index: self._group_bindings[index].finish(prepared, *went) for (index, prepared), went in made}
        return ConcurrentOutcomes(
            [entry if isinstance(entry, Absent) else returned[index] for index, entry in enumerate(entries)]
        )

    def _create_thread_action(self, prepared: Prepared) -> Callable[[], tuple[Any, float]]:
        """Return a function that makes the call; during the call, its thread is registered as a host thread."""

        def make() -> tuple[Any, float]:
            with self._binding.callbacks.registered_host_thread():
                return prepared.make()

        return make

    def _find_entry(self, call: Call) -> int | Absent:
        """Return the address of the called function for its platform, or why the function is not available."""
        function = self._binding.function(call.function)
        index = self._platform_of(call)
        entry = self._entries.get((call.function, index))
        if entry is None:
            entry = self._entries[call.function, index] = self._entry_points.find_entry(
                function, self._platforms[index]
            )
        return entry

    def begin_example(self) -> None:
        """Begin an example: forget all host areas, and all objects except platforms and root devices."""
        self.names.begin_example()
        self._host.begin()
        self._binding.callbacks.begin_example()
        self._callback_threads.clear()

    def forget_objects(self, names: Iterable[str]) -> None:
        """Forget the named objects."""
        self.names.forget(names)

    def _platform_of(self, call: Call) -> int:
        """Return the index of a call's platform; 0 if no object of the call shows its platform.

        An object belongs to the platform whose dispatch table it has.
        """
        if len(self._platforms) > 1:
            tables = [platform.dispatch_table for platform in self._platforms]
            for address in self._binding.argument_addresses(call):
                own = [index for index, platform in enumerate(self._platforms) if platform.address == address]
                if own:
                    return own[0]
                table = self._addresses.read_pointer(address)
                if table in tables:
                    return tables.index(table)
        return 0

    def _query_identity(self, address: int) -> tuple[str, str, Version]:
        """Query a platform's name, vendor and version before its other properties are known."""
        self._platforms = [PlatformEntry(address, self._addresses.read_pointer(address) or 0, OLDEST)]
        self._entries.clear()
        handle = self.names.name_of("cl_platform_id", address)
        version = parse_version(self._query_text("clGetPlatformInfo", handle, "CL_PLATFORM_VERSION")) or OLDEST
        name, vendor = (
            self._query_name("clGetPlatformInfo", handle, f"CL_PLATFORM_{what}") for what in ("NAME", "VENDOR")
        )
        return name, vendor, version

    def _query_platform(self, handle: str) -> PlatformIdentity:
        name, vendor, version, profile, extensions = (
            self._query_text("clGetPlatformInfo", handle, f"CL_PLATFORM_{what}")
            for what in ("NAME", "VENDOR", "VERSION", "PROFILE", "EXTENSIONS")
        )
        every = self._enumerant_value("CL_DEVICE_TYPE_ALL")
        devices = self._query_call(
            "clGetDeviceIDs", Handle(handle), every, _MAX_DEVICES, OutputBuffer(_MAX_DEVICES), OutputBuffer(1)
        )
        found: list[str] = []
        if devices is not None and devices.value == 0:
            listed, counted = devices.outputs.values()
            count = counted.values[0]
            if isinstance(count, int):
                found = [name for name in listed.values[:count] if isinstance(name, str) and name.startswith("device")]
        seen = [self._query_device(device) for device in found]
        return PlatformIdentity(handle, name, vendor, version, profile, extensions, seen)

    def _query_device(self, handle: str) -> DeviceIdentity:
        name, version, driver_version = (
            self._query_name("clGetDeviceInfo", handle, what)
            for what in ("CL_DEVICE_NAME", "CL_DEVICE_VERSION", "CL_DRIVER_VERSION")
        )
        kind, units = (
            self._query_number("clGetDeviceInfo", handle, what)
            for what in ("CL_DEVICE_TYPE", "CL_DEVICE_MAX_COMPUTE_UNITS")
        )
        return DeviceIdentity(handle, name, kind, version, driver_version, units)

    def _query_call(self, function: str, *values: Value) -> Returned | None:
        call = build_call(function, self._tables.functions, *values)
        self._announce(call)
        outcome = self.perform(call)
        return outcome if isinstance(outcome, Returned) else None

    def _query_output(self, function: str, handle: str, what: str, size: int) -> Output | None:
        """Return a query's value as an output of at most ``size`` bytes; None if the query fails."""
        answer = self._query_call(
            function, Handle(handle), self._enumerant_value(what), size, OutputBuffer(size), OutputBuffer(1)
        )
        if answer is None or answer.value != 0:
            return None
        return next(iter(answer.outputs.values()))

    def _query_text(self, function: str, handle: str, what: str) -> str:
        sized = self._query_call(function, Handle(handle), self._enumerant_value(what), 0, None, OutputBuffer(1))
        if sized is None or sized.value != 0:
            return ""
        size = next(iter(sized.outputs.values())).values[0]
        if not isinstance(size, int) or not 0 < size <= _MAX_STRING_BYTES:
            return ""
        value = self._query_output(function, handle, what, size)
        return value.raw.split(b"\0")[0].decode("utf-8", "backslashreplace") if value is not None else ""

    def _query_name(self, function: str, handle: str, what: str) -> str:
        """Return the value of a query for a name, cut to ``_MAX_NAME_LENGTH`` characters."""
        return self._query_text(function, handle, what)[:_MAX_NAME_LENGTH]

    def _query_number(self, function: str, handle: str, what: str) -> int:
        value = self._query_output(function, handle, what, 8)
        return int.from_bytes(value.raw, "little") if value is not None else 0

    def _enumerant_value(self, enumerant: str) -> int:
        return self._tables.enumerants[enumerant].value
