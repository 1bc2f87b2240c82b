"""Callbacks as the session uses them: numbers for the worker's functions, and the records of their invocations.

The worker has a fixed number of functions for each signature of a callback. The session assigns one of them to each
callback of an example, and never assigns it again, because a driver may call it at any later time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import POINTED_OBJECTS, CallbackInvocation
from clconform.harness.decoding import UNREADABLE
from clconform.harness.errors import BadCall
from clconform.harness.names import MEMORY
from clconform.harness.raw_messages import (
    BLOCK_CONTENT,
    CALLBACK,
    CALLBACKS_PER_SIGNATURE,
    MAX_COUNTERS,
    MAX_OFFSETS,
    POINTERS_CONTENT,
    TEXT_CONTENT,
)
from clconform.harness.signatures import callback_signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness.names import ObjectNames
    from clconform.harness.raw_messages import Argument, RawInvocation
    from clconform.harness.type_layout import TypeLayouts
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Callback as Prototype
    from clconform.spec_tables.requirements import Parameter

MAX_TEXT_CHARACTERS = 4096
PRIVATE_DATA = "given"
"""Placeholder for a pointer to implementation-private data."""
MAX_USED_SHARE = 0.75
"""The share of the worker's functions from which on the next example begins in a new process."""
_ArgumentRecord = int | str | list[int | str | None] | None


class ArgumentBlock(NamedTuple):
    """An argument block of a native kernel: its size in bytes, and the offsets of its pointers to memory objects."""

    size: int = 0
    pointer_offsets: tuple[int, ...] = ()


EMPTY_BLOCK = ArgumentBlock()


class _Function(NamedTuple):
    """A function of the worker that is assigned to a callback.

    ``example``: the example of the callback. ``plan``: the steps by which the worker reads memory at its arguments.
    """

    prototype: Prototype
    name: str
    block: ArgumentBlock
    example: int
    plan: dict[int, list[Argument]]


class CallbackFunctions:
    """The callbacks of one driver process."""

    def __init__(self, tables: Tables, layouts: TypeLayouts, names: ObjectNames, signatures: Mapping[str, int]) -> None:
        """Start without callbacks; ``signatures``: maps the signatures that the worker has to their numbers."""
        self._tables = tables
        self._layouts = layouts
        self._names = names
        self._signatures = signatures
        self._example = 0
        self._functions: dict[tuple[int, int], _Function] = {}
        self._used: dict[int, int] = dict.fromkeys(signatures.values(), 0)
        self._assigned: dict[tuple[str, str, ArgumentBlock], list[Argument]] = {}
        self._counters: dict[str, int] = {}
        self._nameless: list[tuple[CallbackInvocation, str, str, int]] = []

    def begin_example(self) -> None:
        """Begin an example: earlier callbacks are no longer recorded, although drivers may still invoke them."""
        self._example += 1
        self._assigned, self._counters = {}, {}

    @property
    def are_used_up(self) -> bool:
        """Whether a new process should replace this one, because few functions are left."""
        return max(self._used.values(), default=0) >= MAX_USED_SHARE * CALLBACKS_PER_SIGNATURE

    def counter_of(self, name: str) -> int:
        """Return the number under which the worker counts the invocations of a callback; BadCall if there are none."""
        counter = self._counters.setdefault(name, len(self._counters))
        if counter >= MAX_COUNTERS:
            raise BadCall(f"an example has more than {MAX_COUNTERS} callbacks; end it earlier")
        return counter

    def argument(self, function: str, parameter: str, name: str, block: ArgumentBlock = EMPTY_BLOCK) -> list[Argument]:
        """Return the argument for a callback that is recorded under ``name``.

        BadCall if the tables do not define its prototype, or if there are too many callbacks. ``block``: the argument
        block of a native kernel, whose pointer parameter has no name in the prototype.
        """
        prototype = self._tables.callbacks.get(f"{function}/{parameter}")
        if prototype is None:
            raise BadCall(f"the tables do not define the prototype of {parameter} of {function}")
        key = (prototype.name, name, block)
        known = self._assigned.get(key)
        if known is None:
            known = self._assigned[key] = self._assign(prototype, name, block)
        return known

    def _assign(self, prototype: Prototype, name: str, block: ArgumentBlock) -> list[Argument]:
        letters = callback_signature(prototype, self._tables.types)
        signature = self._signatures.get(letters)
        if signature is None:
            raise BadCall(f"the program that runs drivers has no callback with the prototype of {prototype.name}")
        number = self._used[signature]
        if number >= CALLBACKS_PER_SIGNATURE:
            raise BadCall(f"an example has too many callbacks like {prototype.name}; end it earlier")
        counter = self.counter_of(name)
        self._used[signature] = number + 1
        plan = {
            position: step
            for position, parameter in enumerate(prototype.parameters)
            if (step := self._content_step(prototype, position, parameter, block)) is not None
        }
        self._functions[signature, number] = _Function(prototype, name, block, self._example, plan)
        return [CALLBACK, signature, number, counter, list(plan.values())]

    def _content_step(
        self, prototype: Prototype, position: int, parameter: Parameter, block: ArgumentBlock
    ) -> list[Argument] | None:
        """Return the step by which the worker reads the memory at an argument; None if it reads nothing there."""
        if parameter.pointers > 1:
            counts = (at for at, each in enumerate(prototype.parameters) if each.name.startswith("num_"))
            return [POINTERS_CONTENT, position, next(counts)]
        if parameter.pointers and parameter.base == "char":
            return [TEXT_CONTENT, position]
        if parameter.pointers and not parameter.name:
            if len(block.pointer_offsets) > MAX_OFFSETS:
                raise BadCall(f"a native kernel has {len(block.pointer_offsets)} pointers, more than {MAX_OFFSETS}")
            return [BLOCK_CONTENT, position, block.size, list(block.pointer_offsets)]
        return None

    # invocations

    def decode_invocations(self, raw: list[RawInvocation]) -> list[CallbackInvocation] | None:
        """Return the records of invocations in this example; None if an invocation is impossible.

        Call this before new objects of the same reply get names, and ``name_new_objects`` afterwards.
        """
        found: list[CallbackInvocation] = []
        for each in raw:
            function = self._functions.get((each.signature, each.number))
            if function is None or len(each.words) != len(function.prototype.parameters):
                return None
            if function.example == self._example:
                record = self._decode_invocation(function, each)
                if record is None:
                    return None
                found.append(record)
        return found

    def name_new_objects(self) -> None:
        """Name the objects in the decoded invocations that did not have a name before."""
        while self._nameless:
            record, parameter, type_name, address = self._nameless.pop()
            record.arguments[parameter] = self._names.find_name(type_name, address) or "no known object"

    def _decode_invocation(self, function: _Function, raw: RawInvocation) -> CallbackInvocation | None:
        contents = dict(zip(function.plan, raw.contents, strict=False))
        arguments: dict[str, _ArgumentRecord] = {}
        pointed: list[bytes | None] | None = None
        for position, (parameter, word) in enumerate(zip(function.prototype.parameters, raw.words, strict=True)):
            read = contents.get(position)
            if isinstance(read, list):
                if len(read) != 1 + len(function.block.pointer_offsets):
                    return None
                content, pointed = read[0], read[1:]
            else:
                content = read
            arguments[parameter.name] = self._decode_argument(parameter, word, content, function.block)
        if function.block.pointer_offsets:
            arguments[POINTED_OBJECTS] = [
                UNREADABLE if data is None else data.hex() or None
                for data in pointed or [None] * len(function.block.pointer_offsets)
            ]
        record = CallbackInvocation(function.name, arguments, raw.driver_thread)
        for parameter, word in zip(function.prototype.parameters, raw.words, strict=True):
            if arguments[parameter.name] is None and word:
                self._nameless.append((record, parameter.name, parameter.base, word))
        return record

    def _decode_argument(
        self, parameter: Parameter, word: int, content: bytes | None, block: ArgumentBlock
    ) -> _ArgumentRecord:
        """Return an argument as shown in outcomes; None also for an object without a name."""
        if parameter.pointers == 0 and not self._layouts.is_handle(parameter.base):
            layout = self._layouts.layout(parameter.base)
            return word if layout is None else layout.from_word(word)
        if not word:
            return None
        if parameter.pointers == 0:
            return self._names.find_name(parameter.base, word)
        if parameter.pointers == 1 and parameter.base != "char" and parameter.name:
            return word if parameter.name == "user_data" else PRIVATE_DATA
        if content is None:
            return UNREADABLE
        if parameter.pointers > 1:
            addresses = self._layouts.pointer.unpack(content)
            return [self._names.find_name(MEMORY, each) or "no known memory" if each else None for each in addresses]
        if parameter.base == "char":
            return content[:MAX_TEXT_CHARACTERS].decode("utf-8", "backslashreplace")
        return self._hide_pointers(content, block).hex()

    def _hide_pointers(self, data: bytes, block: ArgumentBlock) -> bytes:
        """Return an argument block with zeros in place of its pointers."""
        size = self._layouts.pointer.size
        for at in block.pointer_offsets:
            data = data[:at] + bytes(size) + data[at + size :]
        return data
