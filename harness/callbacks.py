"""Callbacks: C functions with the prototypes of the tables that record their arguments and thread.

A callback belongs to the example in which it is passed to the driver. Calls of it during a later example are ignored.
"""

from __future__ import annotations

import ctypes
import struct
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.calls.call import OBJECTS, SHOWN_BYTES, CalledBack
from clconform.harness.decoding import UNREADABLE
from clconform.harness.errors import BadCall
from clconform.harness.names import POINTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.harness.addresses import Addresses
    from clconform.harness.machine import Machine
    from clconform.harness.names import Names
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Callback as Prototype
    from clconform.spec_tables.records import Parameter

LONGEST_TEXT = 4096
MOST_POINTERS = 256
MOST_NOTED = 256
"""Maximum number of callback invocations recorded between two outcomes; further ones are only counted."""
_POINTER = struct.Struct("P")
GIVEN = "given"
"""Placeholder for a pointer to implementation-private data."""


class Block(NamedTuple):
    """An argument block of a native kernel: its size in bytes, and the offsets of its pointers to memory objects."""

    size: int = 0
    pointers: tuple[int, ...] = ()


NOTHING = Block()


class Callbacks:
    """The callbacks of one process, shared by all its bindings; drivers may call them on any thread."""

    def __init__(self, tables: Tables, machine: Machine, names: Names, addresses: Addresses) -> None:
        self._prototypes = tables.callbacks
        self._addresses = addresses
        self._machine = machine
        self._names = names
        self._thunks: dict[tuple[str, str, Block, int], Any] = {}
        self._began = threading.Condition()
        self._example = 0
        self._counts: dict[str, int] = {}
        self._noted: list[tuple[CalledBack, dict[str, tuple[str, int]]]] = []
        self._inside: dict[str, Callable[[], None]] = {}
        self._ours = {threading.get_ident()}

    def begin(self) -> None:
        """Begin an example: calls of earlier callbacks are no longer recorded, although drivers may still make them."""
        with self._began:
            self._example += 1
            self._counts, self._noted, self._inside = {}, [], {}

    def inside(self, name: str, action: Callable[[], None]) -> None:
        """Run ``action`` in each invocation of a callback of this example, after the invocation is recorded."""
        with self._began:
            self._inside[name] = action

    def add_host_thread(self, ident: int | None) -> None:
        """Register a thread permanently as one that makes calls."""
        if ident is not None:
            self._ours.add(ident)

    @contextmanager
    def host_thread(self) -> Iterator[None]:
        """Register the current thread as one that makes calls, for the duration of the block."""
        self._ours.add(threading.get_ident())
        try:
            yield
        finally:
            self._ours.discard(threading.get_ident())  # the system may reuse the id for another thread

    def address(self, function: str, parameter: str, name: str, block: Block = NOTHING) -> int:
        """Return the address of a C function that records its calls under ``name``.

        BadCall if the tables do not define its prototype. ``block``: the argument block of a native kernel, whose
        pointer parameter has no name in the prototype.
        """
        prototype = self._prototypes.get(f"{function}/{parameter}")
        if prototype is None:
            raise BadCall(f"the tables do not define the prototype of {parameter} of {function}")
        key = (prototype.name, name, block, self._example)
        if key not in self._thunks:  # never freed: a driver may call it at any later time
            kinds = [self._passed(parameter) for parameter in prototype.parameters]
            self._thunks[key] = ctypes.CFUNCTYPE(None, *kinds)(self._note(prototype, name, block))
        return ctypes.cast(self._thunks[key], ctypes.c_void_p).value or 0

    def take(self) -> list[CalledBack]:
        """Return and clear the recorded invocations; objects without a name at the time of the call get theirs now."""
        if not self._noted:
            return []
        with self._began:
            taken, self._noted = self._noted, []
        for called, nameless in taken:
            for parameter, (type_name, address) in nameless.items():
                called.arguments[parameter] = self._names.seen(type_name, address) or "no known object"
        return [called for called, _ in taken]

    def wait(self, name: str, times: int, milliseconds: int) -> int:
        """Wait until ``name`` has been called ``times`` times in this example, or for the timeout; return the count."""
        until = time.monotonic() + milliseconds / 1000
        with self._began:
            while self._counts.get(name, 0) < times:
                left = until - time.monotonic()
                if left <= 0 or not self._began.wait(left):
                    break
            return self._counts.get(name, 0)

    def _passed(self, parameter: Parameter) -> Any:
        layout = self._machine.layout(parameter.base, parameter.pointers)
        if layout is None or layout.passed is None:
            raise BadCall(f"the tables do not define how a callback gets {parameter.type}")
        return layout.passed

    def _note(self, prototype: Prototype, name: str, block: Block) -> Callable[..., None]:
        example = self._example

        def note(*values: int | None) -> None:
            called = action = None
            if len(self._noted) < MOST_NOTED:
                called = self._called(prototype, name, block, values)
            with self._began:
                if example == self._example:
                    if called is not None and len(self._noted) < MOST_NOTED:
                        self._noted.append(called)
                    self._counts[name] = self._counts.get(name, 0) + 1
                    self._began.notify_all()
                    action = self._inside.get(name)
            if action is not None:
                action()

        return note

    def _called(
        self, prototype: Prototype, name: str, block: Block, values: tuple[int | None, ...]
    ) -> tuple[CalledBack, dict[str, tuple[str, int]]]:
        """Return the record of an invocation, and those of its handles that have no name yet."""
        nameless: dict[str, tuple[str, int]] = {}
        given = {parameter.name: value or 0 for parameter, value in zip(prototype.parameters, values, strict=True)}
        told = {parameter.name: self._told(parameter, given, block, nameless) for parameter in prototype.parameters}
        if block.pointers:
            told[OBJECTS] = self._led_to(given.get("", 0), block)
        return CalledBack(name, told, threading.get_ident() not in self._ours), nameless

    def _told(
        self, parameter: Parameter, given: dict[str, int], block: Block, nameless: dict[str, tuple[str, int]]
    ) -> int | str | list[int | str | None] | None:
        """Return an argument as shown in outcomes; handles without a name are added to ``nameless``."""
        value = given[parameter.name]
        if parameter.pointers == 0 and not self._machine.is_handle(parameter.base):
            return value
        if not value:
            return None
        if parameter.pointers == 0:
            known = self._names.seen(parameter.base, value)
            if known is None:
                nameless[parameter.name] = (parameter.base, value)
            return known
        if parameter.pointers > 1:
            count = min(next((number for at, number in given.items() if at.startswith("num_")), 0), MOST_POINTERS)
            listed = self._addresses.read(value, count * _POINTER.size)
            if listed is None:
                return UNREADABLE
            addresses = (each for (each,) in _POINTER.iter_unpack(listed))
            return [self._names.seen(POINTED, each) or "no known memory" if each else None for each in addresses]
        if parameter.base == "char":
            text = self._addresses.text(value)
            return UNREADABLE if text is None else text[:LONGEST_TEXT].decode("utf-8", "backslashreplace")
        if parameter.name:
            return value if parameter.name == "user_data" else GIVEN
        return self._held_by(value, block)

    def _held_by(self, start: int, block: Block) -> str:
        """Return the bytes of an argument block in hexadecimal, with zeros in place of its pointers."""
        data = self._addresses.read(start, block.size)
        if data is None:
            return UNREADABLE
        for at in block.pointers:
            data = data[:at] + bytes(_POINTER.size) + data[at + _POINTER.size :]
        return data.hex()

    def _led_to(self, start: int, block: Block) -> list[int | str | None]:
        """Return the first bytes at each pointer of an argument block in hexadecimal; None for NULL."""
        found: list[int | str | None] = []
        for at in block.pointers:
            held = self._addresses.read(start + at, _POINTER.size)
            address = _POINTER.unpack(held)[0] if held is not None else 0
            data = self._addresses.read(address, SHOWN_BYTES) if address else b""
            found.append(UNREADABLE if held is None or data is None else data.hex() or None)
        return found
