"""Callbacks: C functions that have the prototypes in the tables, and record their arguments and thread.

A callback belongs to the example in which it is passed to the driver. Its invocations during a later example are
ignored.
"""

from __future__ import annotations

import ctypes
import struct
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.calls.call import POINTED_OBJECTS, SHOWN_BYTES, CallbackInvocation
from clconform.harness.decoding import UNREADABLE
from clconform.harness.errors import BadCall
from clconform.harness.names import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.harness.addresses import ProcessMemory
    from clconform.harness.names import ObjectNames
    from clconform.harness.type_layout import TypeLayouts
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Callback as Prototype
    from clconform.spec_tables.requirements import Parameter

MAX_TEXT_CHARACTERS = 4096
MAX_POINTERS = 256
MAX_RECORDED = 256
"""Maximum number of callback invocations recorded between two outcomes; further ones are only counted."""
_POINTER = struct.Struct("P")
PRIVATE_DATA = "given"
"""Placeholder for a pointer to implementation-private data."""


class ArgumentBlock(NamedTuple):
    """An argument block of a native kernel: its size in bytes, and the offsets of its pointers to memory objects."""

    size: int = 0
    pointer_offsets: tuple[int, ...] = ()


EMPTY_BLOCK = ArgumentBlock()


class CallbackRecorder:
    """The callbacks of one process, shared by all its bindings; drivers may call them on any thread."""

    def __init__(self, tables: Tables, machine: TypeLayouts, names: ObjectNames, addresses: ProcessMemory) -> None:
        self._prototypes = tables.callbacks
        self._addresses = addresses
        self._machine = machine
        self._names = names
        self._thunks: dict[tuple[str, str, ArgumentBlock, int], Any] = {}
        self._condition = threading.Condition()
        self._example = 0
        self._counts: dict[str, int] = {}
        self._invocations: list[tuple[CallbackInvocation, dict[str, tuple[str, int]]]] = []
        self._actions: dict[str, Callable[[], None]] = {}
        self._host_threads = {threading.get_ident()}

    def begin_example(self) -> None:
        """Begin an example: earlier callbacks are no longer recorded, although drivers may still invoke them."""
        with self._condition:
            self._example += 1
            self._counts, self._invocations, self._actions = {}, [], {}

    def set_action(self, name: str, action: Callable[[], None]) -> None:
        """Run ``action`` in each invocation of a callback of this example, after the invocation is recorded."""
        with self._condition:
            self._actions[name] = action

    def add_host_thread(self, ident: int | None) -> None:
        """Register a thread permanently as one that makes calls."""
        if ident is not None:
            self._host_threads.add(ident)

    @contextmanager
    def registered_host_thread(self) -> Iterator[None]:
        """Register the current thread as one that makes calls, for the duration of the block."""
        self._host_threads.add(threading.get_ident())
        try:
            yield
        finally:
            self._host_threads.discard(threading.get_ident())  # the system may reuse the id for another thread

    def callback_address(self, function: str, parameter: str, name: str, block: ArgumentBlock = EMPTY_BLOCK) -> int:
        """Return the address of a C function that records its calls under ``name``.

        BadCall if the tables do not define its prototype. ``block``: the argument block of a native kernel, whose
        pointer parameter has no name in the prototype.
        """
        prototype = self._prototypes.get(f"{function}/{parameter}")
        if prototype is None:
            raise BadCall(f"the tables do not define the prototype of {parameter} of {function}")
        key = (prototype.name, name, block, self._example)
        if key not in self._thunks:  # never freed: a driver may call it at any later time
            kinds = [self._ctypes_of(parameter) for parameter in prototype.parameters]
            self._thunks[key] = ctypes.CFUNCTYPE(None, *kinds)(self._create_function(prototype, name, block))
        return ctypes.cast(self._thunks[key], ctypes.c_void_p).value or 0

    def take_invocations(self) -> list[CallbackInvocation]:
        """Return and clear the recorded invocations.

        Objects that did not have a name when the callback was invoked are looked up again.
        """
        if not self._invocations:
            return []
        with self._condition:
            taken, self._invocations = self._invocations, []
        for called, nameless in taken:
            for parameter, (type_name, address) in nameless.items():
                called.arguments[parameter] = self._names.find_name(type_name, address) or "no known object"
        return [called for called, _ in taken]

    def wait_for_calls(self, name: str, times: int, milliseconds: int) -> int:
        """Wait until ``name`` has been called ``times`` times in this example, or for the timeout; return the count."""
        until = time.monotonic() + milliseconds / 1000
        with self._condition:
            while self._counts.get(name, 0) < times:
                left = until - time.monotonic()
                if left <= 0 or not self._condition.wait(left):
                    break
            return self._counts.get(name, 0)

    def _ctypes_of(self, parameter: Parameter) -> Any:
        layout = self._machine.layout(parameter.base, parameter.pointers)
        if layout is None or layout.ctypes_class is None:
            raise BadCall(f"the tables do not define how a callback gets {parameter.type}")
        return layout.ctypes_class

    def _create_function(self, prototype: Prototype, name: str, block: ArgumentBlock) -> Callable[..., None]:
        example = self._example

        def note(*values: int | None) -> None:
            called = action = None
            if len(self._invocations) < MAX_RECORDED:
                called = self._create_record(prototype, name, block, values)
            with self._condition:
                if example == self._example:
                    if called is not None and len(self._invocations) < MAX_RECORDED:
                        self._invocations.append(called)
                    self._counts[name] = self._counts.get(name, 0) + 1
                    self._condition.notify_all()
                    action = self._actions.get(name)
            if action is not None:
                action()

        return note

    def _create_record(
        self, prototype: Prototype, name: str, block: ArgumentBlock, values: tuple[int | None, ...]
    ) -> tuple[CallbackInvocation, dict[str, tuple[str, int]]]:
        """Return the record of an invocation, and a mapping from parameters to handles without a name."""
        nameless: dict[str, tuple[str, int]] = {}
        given = {parameter.name: value or 0 for parameter, value in zip(prototype.parameters, values, strict=True)}
        told = {
            parameter.name: self._describe_argument(parameter, given, block, nameless)
            for parameter in prototype.parameters
        }
        if block.pointer_offsets:
            told[POINTED_OBJECTS] = self._pointed_bytes(given.get("", 0), block)
        return CallbackInvocation(name, told, threading.get_ident() not in self._host_threads), nameless

    def _describe_argument(
        self, parameter: Parameter, values: dict[str, int], block: ArgumentBlock, nameless: dict[str, tuple[str, int]]
    ) -> int | str | list[int | str | None] | None:
        """Return an argument as shown in outcomes; handles without a name are added to ``nameless``."""
        value = values[parameter.name]
        if parameter.pointers == 0 and not self._machine.is_handle(parameter.base):
            return value
        if not value:
            return None
        if parameter.pointers == 0:
            known = self._names.find_name(parameter.base, value)
            if known is None:
                nameless[parameter.name] = (parameter.base, value)
            return known
        if parameter.pointers > 1:
            count = min(next((number for at, number in values.items() if at.startswith("num_")), 0), MAX_POINTERS)
            listed = self._addresses.read(value, count * _POINTER.size)
            if listed is None:
                return UNREADABLE
            addresses = (each for (each,) in _POINTER.iter_unpack(listed))
            return [self._names.find_name(MEMORY, each) or "no known memory" if each else None for each in addresses]
        if parameter.base == "char":
            text = self._addresses.read_text(value)
            return UNREADABLE if text is None else text[:MAX_TEXT_CHARACTERS].decode("utf-8", "backslashreplace")
        if parameter.name:
            return value if parameter.name == "user_data" else PRIVATE_DATA
        return self._block_bytes(value, block)

    def _block_bytes(self, start: int, block: ArgumentBlock) -> str:
        """Return the bytes of an argument block in hexadecimal, with zeros in place of its pointers."""
        data = self._addresses.read(start, block.size)
        if data is None:
            return UNREADABLE
        for at in block.pointer_offsets:
            data = data[:at] + bytes(_POINTER.size) + data[at + _POINTER.size :]
        return data.hex()

    def _pointed_bytes(self, start: int, block: ArgumentBlock) -> list[int | str | None]:
        """Return the first bytes at each pointer of an argument block in hexadecimal; None for NULL."""
        found: list[int | str | None] = []
        for at in block.pointer_offsets:
            held = self._addresses.read(start + at, _POINTER.size)
            address = _POINTER.unpack(held)[0] if held is not None else 0
            data = self._addresses.read(address, SHOWN_BYTES) if address else b""
            found.append(UNREADABLE if held is None or data is None else data.hex() or None)
        return found
