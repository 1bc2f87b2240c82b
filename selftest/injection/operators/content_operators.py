"""Faults of memory contents: bytes flipped, lost or shifted, at the start, the middle or the end of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.harness_actions import READ, WRITE
from clconform.calls.values import FILL_BYTE, Data, ElementList, Handle, OffsetPointer
from clconform.selftest.injection.fault import FaultEffect
from clconform.selftest.injection.operators.object_operators import RESULT
from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.outcome_changes import get_content, has_succeeded, with_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()

START, MIDDLE, END = "start", "middle", "end"
FLIP_MASK = 0x10
CONTENT = "content"
NON_TRANSFERS = ("Map", "Migrate", "Advise", "Unmap")
"""Parts of the names of commands that do not copy bytes."""


def find_memory(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the pointer parameters through which a function reads or writes bytes, and the memory that it returns."""
    del tables
    if function.queries:
        return
    for each in function.parameters:
        if each.base == "void" and each.pointers == 1 and each.name != "user_data":
            yield from ((each.name, where) for where in (START, MIDDLE, END))
    if function.returns == "void*" and any(each.name == "size" for each in function.parameters):
        yield from ((RESULT, where) for where in (START, MIDDLE, END))


def find_lengths(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the size parameters of a command, so that the last bytes can be omitted."""
    del tables
    if function.name.startswith("clEnqueue") and not any(word in function.name for word in NON_TRANSFERS):
        yield from ((each.name, END) for each in function.parameters if each.name in ("size", "region"))


def find_offsets(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the offset parameters of a command."""
    measured = [place for place, _ in find_lengths(function, tables)]
    if measured:
        names = (each.name for each in function.parameters if each.base == "size_t")
        yield from ((name, START) for name in names if name.endswith(("offset", "origin")))


class WrittenSpan(NamedTuple):
    """Bytes that the function should have written, from a named address on."""

    base: str
    start: int
    end: int


class ByteEffect(FaultEffect):
    """Changes bytes: in data passed to the driver, in an output buffer, or in later reads of written memory."""

    sees_all_calls = True

    def start(self) -> None:
        """Forget the memory that the function wrote in earlier items."""
        self.spans: list[WrittenSpan] = []
        self.place = self.fault.place
        taken = any(word in self.function.name for word in NON_TRANSFERS)
        named = [each for each in self.function.parameters if each.name == self.place]
        self.inward = any(taken or each.const for each in named)
        self.changes_call = False

    def begin(self) -> None:
        """Forget the memory of the previous example."""
        super().begin()
        self.spans = []

    def edit(self, content: bytes, at: int) -> bytes:
        """Return ``content`` with a change at position ``at``."""
        raise NotImplementedError

    def corrupt(self, content: bytes) -> bytes:
        """Return ``content`` with a change at its start, middle or end, as the fault selects."""
        at = {START: 0, MIDDLE: len(content) // 2, END: len(content) - 1}[self.fault.subject]
        return self.edit(content, at)

    def before(self, call: Call) -> Call | Outcome:
        """Return the call with changed bytes, if the function gets bytes from the application."""
        self.changes_call = False
        given = call.arguments.get(self.place)
        if call.function == self.fault.function and isinstance(given, Data) and given.content:
            changed = self.corrupt(given.content)
            if changed != given.content:
                self.changes_call = True
                arguments: dict[str, Value] = {**call.arguments, self.place: Data(changed)}
                return Call(call.function, arguments) if self.is_due() else call
        return call

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Change bytes in the function's output buffer, or in a later read of memory that the function has written."""
        if isinstance(outcome, Returned):
            if call.function == READ:
                outcome = self._change_read(call, outcome)
            elif call.function == WRITE:
                base, _ = _locate(call.arguments["pointer"])
                self.spans = [span for span in self.spans if span.base != base]
            elif call.function == self.fault.function and has_succeeded(self.function, outcome):
                self._record_write(call, outcome)
        return super().after(call, outcome, again)

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Change the bytes in an output buffer."""
        content = get_content(call, outcome, self.place)
        if content is None or not has_succeeded(self.function, outcome):
            return outcome
        changed = self.corrupt(content)
        return with_content(outcome, self.place, changed) if changed != content else outcome

    def _record_write(self, call: Call, outcome: Returned) -> None:
        size = call.arguments.get("size")
        pointer = call.arguments.get(self.place)
        if self.place == RESULT and isinstance(outcome.value, str):
            pointer = Handle(outcome.value)
        base, offset = _locate(pointer)
        if isinstance(size, int) and base and not self.inward:
            self.spans.append(WrittenSpan(base, offset, offset + size))

    def _change_read(self, call: Call, outcome: Returned) -> Returned:
        content = get_content(call, outcome, CONTENT)
        base, offset = _locate(call.arguments["pointer"])
        if content is None:
            return outcome
        changed = content
        for span in self.spans:
            start, end = max(span.start - offset, 0), min(span.end - offset, len(content))
            if span.base == base and start < end:
                changed = changed[:start] + self.corrupt(changed[start:end]) + changed[end:]
        return with_content(outcome, CONTENT, changed) if changed != content and self.is_due() else outcome


def _locate(value: Value) -> tuple[str, int]:
    if isinstance(value, OffsetPointer):
        return value.handle.name, value.offset
    return (value.name, 0) if isinstance(value, Handle) else ("", 0)


class TransferEffect(FaultEffect):
    """Changes the numbers of a command, so that it moves fewer bytes, or other bytes."""

    def start(self) -> None:
        """Forget the changed call of an earlier item."""
        self.pending = False

    def before(self, call: Call) -> Call | Outcome:
        """Return the call with a smaller or shifted range, if the range has more than one element."""
        self.pending = False
        if call.function != self.fault.function:
            return call
        given = call.arguments
        step = given.get("pattern_size", 1)
        size, region = given.get("size"), given.get("region")
        changed: dict[str, Value] = dict(given)
        if isinstance(size, int) and isinstance(step, int) and 0 < step < size < 1 << 32:
            changed["size"] = size - step
            begins = given.get(self.fault.place)
            if self.fault.place != "size" and isinstance(begins, int):
                changed[self.fault.place] = begins + step
        elif isinstance(region, ElementList) and isinstance(region.values[0], int) and 1 < region.values[0] < 1 << 32:
            changed["region"] = ElementList((region.values[0] - 1, *region.values[1:]))
            origin = given.get(self.fault.place)
            if self.fault.place != "region" and isinstance(origin, ElementList) and isinstance(origin.values[0], int):
                changed[self.fault.place] = ElementList((origin.values[0] + 1, *origin.values[1:]))
        else:
            return call
        self.pending = True
        self.met += 1
        return Call(call.function, changed) if self.fault.occurrence in (0, self.met) else call

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Count the call with the changed range as affected, if the call succeeded."""
        if self.pending and isinstance(outcome, Returned) and has_succeeded(self.function, outcome):
            self.applied += self.fault.occurrence in (0, self.met)
        self.pending = False
        return super().after(call, outcome, again)


@operators.operator("flipped", find_memory)
class Flipped(ByteEffect):
    """A bit of a byte is flipped."""

    def edit(self, content: bytes, at: int) -> bytes:
        """Flip a bit of the byte at position ``at``."""
        return content[:at] + bytes([content[at] ^ FLIP_MASK]) + content[at + 1 :]


@operators.operator("dropped", find_memory)
class Dropped(ByteEffect):
    """A byte is lost, and the following bytes move up by one."""

    def edit(self, content: bytes, at: int) -> bytes:
        """Remove the byte at position ``at``; the last byte becomes the fill value of unwritten memory."""
        return content[:at] + content[at + 1 :] + bytes([FILL_BYTE])


@operators.operator("shifted", find_memory)
class Shifted(ByteEffect):
    """The bytes from a position on are shifted by one, and the byte at the position is duplicated."""

    def edit(self, content: bytes, at: int) -> bytes:
        """Shift the bytes from position ``at`` by one, and keep the length."""
        at = min(at, max(0, len(content) - 2))
        return (content[:at] + content[at : at + 1] + content[at:])[: len(content)]


@operators.operator("too-few", find_lengths)
class TooFew(TransferEffect):
    """The last bytes of a transfer, or of each of its rows, are not transferred."""


@operators.operator("too-far", find_offsets)
class TooFar(TransferEffect):
    """A transfer begins one byte later and is one byte shorter."""
