"""The driver in its process, as the session uses it: makes calls by name, and returns their outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Begun, Call, Output, Returned
from clconform.calls.harness_actions import AWAIT, HOST_ACTIONS, IN_CALLBACK, build_call
from clconform.calls.protocol import CallEnded, CallPending, DeviceIdentity, PlatformIdentity, TargetReached
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import Handle, HostCallback, OutputBuffer, Value
from clconform.harness import raw_messages
from clconform.harness.binding import CallBinding
from clconform.harness.callbacks import CallbackFunctions
from clconform.harness.entry_points import PlatformEntry
from clconform.harness.errors import BadCall, HarnessError
from clconform.harness.host_actions import HostActions
from clconform.harness.machine_memory import ProcessMemory
from clconform.harness.names import ObjectNames
from clconform.harness.process_types import ProcessTypes
from clconform.harness.raw_messages import MAX_LANES, RawBegun, RawGroup, RawPending, RawReturned
from clconform.harness.worker_process import EXIT_SECONDS
from clconform.spec_tables.versions import OLDEST, Version, parse_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.harness.driver_connection import DriverConnection
    from clconform.harness.entry_points import EntryPoints
    from clconform.harness.prototypes import Prepared
    from clconform.harness.raw_messages import RawInvocation, RawReply, RawResult
    from clconform.spec_tables import Tables

_MAX_STRING_BYTES = 1 << 16
_MAX_NAME_LENGTH = 1 << 12
_MAX_DEVICES = 256
_MAX_WAIT_SECONDS = 24 * 3600
"""Maximum number of seconds to wait for a call on a host thread."""
_MAX_TOGETHER = 256
_NANOSECONDS = 1_000_000_000


class Driver:
    """Calls functions of the platforms that its entry points report, and names their objects.

    All methods that make a request raise the exceptions of ``DriverConnection.request``. ``names``: the objects of this
    process. ``announced_call``: the call that is made during the start; None before and after it.
    """

    def __init__(self, tables: Tables, connection: DriverConnection, entry_points: EntryPoints) -> None:
        self.announced_call: Call | None = None
        self._tables = tables
        self._connection = connection
        self._argument_forms = ArgumentTypes(tables, connection.machine.pointer_bytes)
        self._entry_points = entry_points
        self._types = ProcessTypes.for_processes(tables, connection.machine, connection.signatures)
        self._layouts = self._types.layouts
        self._memory = ProcessMemory(connection)
        self._platforms: list[PlatformEntry] = []
        self._has_one_platform = False
        self._platform_indices: dict[int, int] = {}
        self._entries: dict[tuple[str, int], int | Absent] = {}
        self._pending: dict[int, Prepared] = {}
        self._callback_lanes: set[int] = set()
        self._use_names(ObjectNames())

    def _use_names(self, names: ObjectNames) -> None:
        connection = self._connection
        self.names = names
        self._callbacks = CallbackFunctions(self._tables, self._layouts, names, connection.callback_signatures)
        self._binding = CallBinding(self._types, names, self._memory, self._callbacks)
        self._host = HostActions(self._layouts, names)

    # the start

    def open(self, pattern: str = "", known: TargetReached | None = None) -> TargetReached:
        """Query the platforms and root devices, and keep their names for the lifetime of the process.

        ``pattern``: part of a platform's or a vendor's name, case-insensitive; only matching platforms are kept.
        ``known``: the result of an earlier process; if this one has as many platforms and devices, only the names of
        several platforms are compared. A query that fails yields an empty value. HarnessError if no platform matches.
        """
        self.announced_call = Call(
            "clGetPlatformIDs", {"num_entries": 0, "platforms": None, "num_platforms": OutputBuffer(1)}
        )
        addresses = self._entry_points.platforms()
        if known is not None and not self._has_platforms(addresses, known):
            known = None
        if known is None:
            addresses = self._keep_matching(addresses, pattern)
        else:
            versions = [parse_version(platform.version) or OLDEST for platform in known.platforms]
            self._platforms = list(map(self._create_entry, addresses, versions))
        self._has_one_platform = len(addresses) == 1
        self._entries.clear()
        self._use_names(ObjectNames())
        handles = [self.names.name_of("cl_platform_id", address) for address in addresses]
        reached = self._find_known_devices(handles, known) if known is not None else None
        if reached is None:
            reached = self._query_platforms(handles)
        self.names.make_permanent()
        self.announced_call = None
        return reached

    def _keep_matching(self, addresses: list[int], pattern: str) -> list[int]:
        """Keep the platforms whose name or vendor contains the pattern, and return their addresses."""
        stated = [self._query_identity(address) for address in addresses]
        kept = [
            index for index, (name, vendor, _) in enumerate(stated) if pattern.lower() in f"{name}\n{vendor}".lower()
        ]
        if not kept:
            there = "; ".join(f"{name} ({vendor})" for name, vendor, _ in stated)
            raise HarnessError(f"no platform matches {pattern!r}; available: {there}")
        self._platforms = [self._create_entry(addresses[index], stated[index][2]) for index in kept]
        return [addresses[index] for index in kept]

    def _query_platforms(self, handles: list[str]) -> TargetReached:
        """Query the properties of the named platforms and of their root devices."""
        seen = [self._query_platform(handle) for handle in handles]
        access, loader = self._entry_points.access, self._entry_points.loader
        libraries, missing = self._find_libraries(), self._find_missing_functions()
        return TargetReached(access, loader, libraries, seen, missing, self._layouts.machine.pointer_bytes)

    def _has_platforms(self, addresses: list[int], known: TargetReached) -> bool:
        """Return whether the process has the known platforms, in the same order."""
        if len(addresses) != len(known.platforms):
            return False
        return len(addresses) == 1 or all(
            self._query_identity(address)[0] == platform.name
            for address, platform in zip(addresses, known.platforms, strict=True)
        )

    def _find_known_devices(self, handles: list[str], known: TargetReached) -> TargetReached | None:
        """Name the root devices; return the known platforms if each has as many devices as before, None otherwise."""
        found = [self._query_devices(handle) for handle in handles]
        before = [[device.handle for device in platform.devices] for platform in known.platforms]
        return known if found == before else None

    def _create_entry(self, address: int, version: Version) -> PlatformEntry:
        return PlatformEntry(address, self._memory.read_pointer(address) or 0, version)

    def _find_libraries(self) -> list[str]:
        """Return the distinct paths of the libraries of these platforms, in platform order."""
        found = (self._entry_points.library_of(platform.address) for platform in self._platforms)
        return [path for path in dict.fromkeys(found) if path]

    def _find_missing_functions(self) -> dict[str, str]:
        """Return the functions that the loader exports but the first platform's driver lacks, each with the reason."""
        found = {}
        for name in self._tables.dispatch:
            function = self._tables.functions.get(name)
            absent = self._entry_points.find_missing(function, self._platforms[0]) if function else None
            if absent:
                found[name] = absent.detail
        return found

    # calls

    def make_call(self, call: Call, seconds: float) -> Returned | Absent | CallEnded:
        """Make the call, or return why the function is not available; BadCall if it cannot be expressed in C.

        ``seconds``: the deadline. If other host threads have calls in flight, add the positions of this call.
        """
        self._begin(call.function, seconds)
        entry = self._entries.get((call.function, 0)) if self._has_one_platform else None
        if entry is None:
            if call.function in HOST_ACTIONS:
                return self._perform_action(call)
            entry = self._find_entry(call)
        if isinstance(entry, Absent):
            return entry
        prepared = self._binding.prepare(call, entry)
        return self._finish(prepared, self._connection.call([raw_messages.CALL, *prepared.request]))

    def _begin(self, subject: str, seconds: float) -> None:
        self._connection.subject, self._connection.seconds = subject, seconds

    def _finish(self, prepared: Prepared, raw: RawReturned) -> Returned | CallEnded:
        """Return the outcome of a call whose reply has arrived."""
        outcome = self._decode(prepared, raw, raw.invocations)
        return CallEnded(outcome, raw.entered, raw.returned) if raw.returned else outcome

    def _decode(self, prepared: Prepared, raw: RawReturned | RawResult, invocations: list[RawInvocation]) -> Returned:
        """Return the outcome of a call, with these invocations of callbacks."""
        callbacks = self._callbacks.decode_invocations(invocations)
        outcome = self._binding.finish(prepared, raw)
        if callbacks is None or outcome is None:
            self._connection.reject(raw)
        self._callbacks.name_new_objects()
        outcome.callbacks.extend(callbacks)
        return outcome

    def _perform_action(self, call: Call) -> Returned | CallEnded:
        """Perform a harness action."""
        reason = self._argument_forms.find_mismatch(call)
        if reason:
            raise BadCall(reason)
        if call.function == IN_CALLBACK:
            raw = self._connection.call([raw_messages.IN_CALLBACK, call.host_thread, self._counter_of(call)])
            self._callback_lanes.add(call.host_thread)
            outcome: Returned | None = Returned(None)
        elif call.function == AWAIT:
            nanoseconds = call.milliseconds * (_NANOSECONDS // 1000)
            wait = [raw_messages.WAIT_FOR_CALLBACK, self._counter_of(call), call.times, nanoseconds]
            raw = self._connection.call(wait)
            outcome = Returned(raw.result)
        else:
            raw = self._connection.call(self._host.encode(call))
            outcome = self._host.decode(call, raw)
        callbacks = self._callbacks.decode_invocations(raw.invocations)
        if outcome is None or callbacks is None:
            self._connection.reject(raw)
        self._callbacks.name_new_objects()
        outcome.callbacks.extend(callbacks)
        return CallEnded(outcome, raw.entered, raw.returned) if raw.returned else outcome

    def _counter_of(self, call: Call) -> int:
        """Return the number under which the callback of an action is counted; BadCall if it is not a callback."""
        if not isinstance(call.callback, HostCallback):
            raise BadCall(f"{call.function} needs a callback, not {call.callback!r}")
        if call.function == IN_CALLBACK and not 0 <= call.host_thread < MAX_LANES:
            raise BadCall(f"the number of a host thread must be less than {MAX_LANES}, not {call.host_thread}")
        return self._callbacks.counter_of(call.callback.name)

    def begin_call(self, host_thread: int, call: Call, seconds: float) -> Begun | Absent:
        """Start a call on a host thread, or return why the function is not available.

        BadCall: the call cannot be expressed in C, or the host thread is busy.
        """
        self._begin(call.function, seconds)
        entry = self._find_entry(call)
        if isinstance(entry, Absent):
            return entry
        if not 0 <= host_thread < MAX_LANES:
            raise BadCall(f"the number of a host thread must be less than {MAX_LANES}, not {host_thread}")
        if host_thread in self._pending:
            raise BadCall(f"host thread {host_thread} has a call in flight; join it first")
        prepared = self._binding.prepare(call, entry)
        reply = self._connection.request([raw_messages.BEGIN_ON, host_thread, *prepared.request])
        if not isinstance(reply, RawBegun):
            self._connection.reject(reply)
        self._pending[host_thread] = prepared
        return Begun(reply.entered)

    def await_call(self, host_thread: int, wait: float, seconds: float) -> CallEnded | CallPending:
        """Wait up to ``wait`` seconds for the call on a host thread; BadCall if it has no call in flight.

        ``seconds``: the deadline for the reply.
        """
        prepared = self._pending.get(host_thread)
        if prepared is None:
            raise BadCall("this host thread has no call in flight")
        if not 0 <= wait <= _MAX_WAIT_SECONDS:
            raise BadCall(f"cannot wait for {wait} seconds")
        self._begin(prepared.call.function, seconds)
        reply = self._connection.request([raw_messages.AWAIT, host_thread, int(wait * _NANOSECONDS)])
        if isinstance(reply, RawPending):
            return CallPending()
        if not isinstance(reply, RawReturned):
            self._connection.reject(reply)
        del self._pending[host_thread]
        ended = self._finish(prepared, reply)
        return ended if isinstance(ended, CallEnded) else CallEnded(ended)

    def make_concurrent_calls(self, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make the calls concurrently, each on a host thread with its own memory; return their outcomes in order.

        BadCall: a call cannot be expressed in C; no call is made then, nor if a thread cannot be started.
        """
        return self._make_calls(raw_messages.TOGETHER, calls, seconds)

    def make_calls_in_turn(self, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make the calls one after the other by one message; return their outcomes in order.

        BadCall: a call cannot be expressed in C; no call is made then.
        """
        return self._make_calls(raw_messages.IN_TURN, calls, seconds)

    def _make_calls(self, request: int, calls: Sequence[Call], seconds: float) -> list[Returned | Absent]:
        """Make the calls by one request, and return their outcomes in order."""
        self._begin(", ".join(dict.fromkeys(call.function for call in calls)), seconds)
        if len(calls) > _MAX_TOGETHER:
            raise BadCall(f"at most {_MAX_TOGETHER} calls can be made by one message, not {len(calls)}")
        entries = [self._find_entry(call) for call in calls]
        ready = {
            index: self._binding.prepare(calls[index], entry)
            for index, entry in enumerate(entries)
            if not isinstance(entry, Absent)
        }
        returned = self._make_group(request, ready) if ready else {}
        return [entry if isinstance(entry, Absent) else returned[index] for index, entry in enumerate(entries)]

    def _make_group(self, request: int, ready: dict[int, Prepared]) -> dict[int, Returned]:
        """Make prepared calls by one request, and return their outcomes by index."""
        reply: RawReply = self._connection.request([request, *(each.request for each in ready.values())])
        if not isinstance(reply, RawGroup) or len(reply.results) != len(ready):
            self._connection.reject(reply)
        invocations, found = reply.invocations, {}
        for (index, prepared), raw in zip(ready.items(), reply.results, strict=True):
            found[index] = self._decode(prepared, raw, invocations)
            invocations = []
        return found

    # objects and examples

    def begin_example(self) -> None:
        """Begin an example: forget all host areas, and all objects except platforms and root devices.

        If most of the worker's callback functions are used, the process is ended instead.
        """
        if self._callbacks.are_used_up:
            process = self._connection.process
            if process.is_alive:
                process.end(EXIT_SECONDS)
            return
        self.names.begin_example()
        self._callbacks.begin_example()
        for host_thread in self._callback_lanes:
            self._pending.pop(host_thread, None)
        self._callback_lanes.clear()
        self._platform_indices.clear()
        self._connection.send_without_reply([raw_messages.BEGIN_EXAMPLE])

    def forget_objects(self, names: Iterable[str]) -> None:
        """Forget the named objects, so that their addresses may belong to new objects."""
        self.names.forget(names)
        self._platform_indices.clear()

    def put_aside(self, name: str) -> None:
        """Keep an object for later examples, under a number instead of its name; BadCall if the name is unknown."""
        self.names.put_aside(name)

    def take_back(self, number: int, seconds: float) -> Returned:
        """Return the new name of an object that was put aside; BadCall if the number is unknown."""
        del seconds
        return Returned(self.names.take_back(number))

    # entry points

    def _find_entry(self, call: Call) -> int | Absent:
        """Return the address of the called function for its platform, or why the function is not available."""
        function = self._binding.function(call.function)
        index = 0 if self._has_one_platform else self._platform_of(call)
        entry = self._entries.get((call.function, index))
        if entry is None:
            entry = self._entries[call.function, index] = self._entry_points.find_entry(
                function, self._platforms[index]
            )
        return entry

    def _platform_of(self, call: Call) -> int:
        """Return the index of a call's platform; 0 if no object of the call shows its platform."""
        for address in self._binding.argument_addresses(call):
            index = self._platform_indices.get(address)
            if index is None:
                index = self._platform_indices[address] = self._find_platform(address)
            if index >= 0:
                return index
        return 0

    def _find_platform(self, address: int) -> int:
        """Return the index of the platform whose dispatch table an object has; -1 if there is none."""
        for index, platform in enumerate(self._platforms):
            if platform.address == address:
                return index
        tables = [platform.dispatch_table for platform in self._platforms]
        table = self._memory.read_pointer(address)
        return tables.index(table) if table in tables else -1

    # queries at the start

    def _query_identity(self, address: int) -> tuple[str, str, Version]:
        """Query a platform's name, vendor and version before its other properties are known."""
        self._platforms = [self._create_entry(address, OLDEST)]
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
        seen = [self._query_device(device) for device in self._query_devices(handle)]
        return PlatformIdentity(handle, name, vendor, version, profile, extensions, seen)

    def _query_devices(self, handle: str) -> list[str]:
        """Return the names of the root devices of a platform."""
        every = self._enumerant_value("CL_DEVICE_TYPE_ALL")
        devices = self._query_call(
            "clGetDeviceIDs", Handle(handle), every, _MAX_DEVICES, OutputBuffer(_MAX_DEVICES), OutputBuffer(1)
        )
        if devices is None or devices.value != 0:
            return []
        listed, counted = devices.outputs.values()
        count = counted.values[0]
        if not isinstance(count, int):
            return []
        return [name for name in listed.values[:count] if isinstance(name, str) and name.startswith("device")]

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
        self.announced_call = call
        outcome = self.make_call(call, self._connection.seconds)
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
        return int.from_bytes(value.raw, self._connection.machine.integer_order) if value is not None else 0

    def _enumerant_value(self, enumerant: str) -> int:
        return self._tables.enumerants[enumerant].value
