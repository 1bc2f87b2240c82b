"""Decodes an output buffer into an ``Output``: numbers, names instead of addresses, strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import UNTOUCHED, Output
from clconform.calls.values import FILL
from clconform.harness.names import POINTED
from clconform.spec_tables.records import Query

if TYPE_CHECKING:
    from clconform.harness.addresses import Addresses
    from clconform.harness.machine import Layout, Machine
    from clconform.harness.names import Names
    from clconform.spec_tables import Tables

_FILLED = bytes([FILL])
_NUMBER = ("",)
TEXT = "const char*"
"""The type of an element that is a pointer to a string."""
LONGEST_TEXTS = 1 << 18
"""Characters of all strings that the addresses of one output lead to."""
UNREADABLE = "(not a readable string)"
"""What stands for a string whose address does not lead to one."""
Decoded = list[int | float | str | None]


class Content(NamedTuple):
    """The type of an output buffer's content.

    ``layout`` of an element; ``text``: it is a string; ``properties``: it may hold objects' addresses; ``texts``: each
    element points to a string.
    """

    layout: Layout | None
    text: bool = False
    properties: bool = False
    texts: bool = False


class Decoder:
    """Decodes output buffers by the tables: typed parameters by their type, ``void`` ones by the query."""

    def __init__(self, tables: Tables, machine: Machine, names: Names, addresses: Addresses) -> None:
        self._names = names
        self._addresses = addresses
        self._queries: dict[tuple[str, int], Content] = {}
        for record in tables.records.values():
            if isinstance(record, Query) and record.name in tables.enumerants:
                key = (record.function, tables.enumerants[record.name].value)
                self._queries[key] = self._of_query(record, machine)

    @staticmethod
    def _of_query(record: Query, machine: Machine) -> Content:
        base = record.type.replace("const ", "").rstrip("*[] ")
        layout = machine.layout(base, record.type.count("*"))
        if record.shape == "string":
            return Content(layout, text=True)
        if record.type == TEXT:
            return Content(machine.layout("size_t"), texts=True)
        return Content(layout, properties=machine.is_property(base) or record.type == POINTED)

    def query(self, function: str, param_name: int) -> Content | None:
        """Return the type of the query's value, or None if the tables do not have the query."""
        return self._queries.get((function, param_name & 0xFFFFFFFF))

    def typed(self, content: bytes, known: Content) -> Output:
        """Decode a buffer of typed elements: one value each, ``UNTOUCHED`` if it still has the fill pattern."""
        return Output(self._values(content, known), len(content.rstrip(_FILLED)))

    def untyped(self, content: bytes, known: Content | None) -> Output:
        """Decode a buffer of bytes: up to the last one written, and by the query's type, if that is known."""
        written = len(content.rstrip(_FILLED))
        raw = content[:written]
        if known is None or not written:
            return Output([], written, raw)
        if known.text:
            return Output([raw.decode("utf-8", "backslashreplace")], written, raw)
        if known.layout is None:
            return Output([], written, raw)
        size = known.layout.size
        values = self._values(content[: -(-written // size) * size], known)
        if known.texts:  # addresses differ from one process to the next, so they are no part of the output
            return Output(self._texts(values), written)
        return Output(values, written, raw)

    def _values(self, content: bytes, known: Content) -> Decoded:
        layout = known.layout
        if layout is None or len(content) < layout.size:
            return []
        values = layout.unpack(content)
        if layout.members == _NUMBER and not known.properties and (layout.size == 1 or FILL not in content):
            return values  # a single byte that looks like the pattern may well have been written
        wide = len(layout.members)
        untouched = _FILLED * layout.size
        decoded: Decoded = []
        for position, value in enumerate(values):
            start = position // wide * layout.size
            if content[start : start + layout.size] == untouched:
                decoded.append(UNTOUCHED)
            else:
                decoded.append(self._value(value, layout.members[position % wide], properties=known.properties))
        return decoded

    def _texts(self, values: Decoded) -> Decoded:
        """Return the strings at addresses, as long as they are not too long together."""
        texts: Decoded = []
        left = LONGEST_TEXTS
        for value in values:
            text = self._text(value) if left > 0 else UNREADABLE
            texts.append(text)
            left -= len(text) if isinstance(text, str) else 1
        return texts

    def _text(self, value: float | str | None) -> str | int | float | None:
        """Return the string at an address; what is none stays as it is, or is told to be unreadable."""
        if not isinstance(value, int):
            return value
        if not value:
            return None
        found = self._addresses.text(value)
        return UNREADABLE if found is None else found.decode("utf-8", "backslashreplace")

    def _value(self, value: float | bytes, member: str, *, properties: bool) -> int | float | str | None:
        if isinstance(value, bytes):  # bytes after the terminator of a name are ignored
            return value.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
        if member and isinstance(value, int):
            return self._names.name(member, value) if value else None
        if properties and isinstance(value, int):
            return self._names.in_properties(value & 0xFFFFFFFFFFFFFFFF) or value
        return value
