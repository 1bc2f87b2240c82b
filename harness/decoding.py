"""Decodes output buffers into ``Output``: numbers, strings, and names in place of addresses."""

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
"""The C type of an element that points to a string."""
LONGEST_TEXTS = 1 << 18
"""Maximum total length of the strings that the addresses of one output point to."""
UNREADABLE = "(not a readable string)"
"""Placeholder for a string whose address is invalid."""
Decoded = list[int | float | str | None]


class Content(NamedTuple):
    """The type of an output buffer's content.

    ``layout``: of one element. ``text``: the content is a string. ``properties``: elements may be addresses of objects.
    ``texts``: each element points to a string.
    """

    layout: Layout | None
    text: bool = False
    properties: bool = False
    texts: bool = False


class Decoder:
    """Decodes output buffers by the tables: typed parameters by their type, ``void`` parameters by the query."""

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
        """Return the type of the query's value, or None if the tables do not contain the query."""
        return self._queries.get((function, param_name & 0xFFFFFFFF))

    def typed(self, content: bytes, known: Content) -> Output:
        """Decode a buffer of typed elements; an element that still has the fill pattern becomes ``UNTOUCHED``."""
        return Output(self._values(content, known), len(content.rstrip(_FILLED)))

    def untyped(self, content: bytes, known: Content | None) -> Output:
        """Decode a byte buffer up to the last byte written, by the query's type if ``known`` is not None."""
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
        if known.texts:  # addresses differ between processes, so the output omits them
            return Output(self._texts(values), written)
        return Output(values, written, raw)

    def _values(self, content: bytes, known: Content) -> Decoded:
        layout = known.layout
        if layout is None or len(content) < layout.size:
            return []
        values = layout.unpack(content)
        if layout.members == _NUMBER and not known.properties and (layout.size == 1 or FILL not in content):
            return values  # a single byte equal to the fill pattern may have been written by the driver
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
        """Return the strings at the addresses, up to ``LONGEST_TEXTS`` characters in total."""
        texts: Decoded = []
        left = LONGEST_TEXTS
        for value in values:
            text = self._text(value) if left > 0 else UNREADABLE
            texts.append(text)
            left -= len(text) if isinstance(text, str) else 1
        return texts

    def _text(self, value: float | str | None) -> str | int | float | None:
        """Return the string at an address; None for NULL, ``UNREADABLE`` for an invalid one, other values unchanged."""
        if not isinstance(value, int):
            return value
        if not value:
            return None
        found = self._addresses.text(value)
        return UNREADABLE if found is None else found.decode("utf-8", "backslashreplace")

    def _value(self, value: float | bytes, member: str, *, properties: bool) -> int | float | str | None:
        if isinstance(value, bytes):  # a fixed-size name: bytes after its terminator are ignored
            return value.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
        if member and isinstance(value, int):
            return self._names.name(member, value) if value else None
        if properties and isinstance(value, int):
            return self._names.in_properties(value & 0xFFFFFFFFFFFFFFFF) or value
        return value
