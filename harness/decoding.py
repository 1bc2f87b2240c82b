"""Decodes output buffers into ``Output``: numbers, strings, and names in place of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import UNTOUCHED, Output
from clconform.calls.values import FILL_BYTE
from clconform.harness.names import MEMORY
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from clconform.harness.machine_memory import TextReader
    from clconform.harness.names import ObjectNames
    from clconform.harness.type_layout import TypeLayout, TypeLayouts
    from clconform.spec_tables import Tables

_FILL_BYTE = bytes([FILL_BYTE])
_NUMBER = ("",)
TEXT_TYPE = "const char*"
"""The C type of an element that points to a string."""
MAX_TEXT_CHARACTERS = 1 << 18
"""Maximum total length of the strings that the addresses of one output point to."""
UNREADABLE = "(not a readable string)"
"""Placeholder for a string whose address is invalid."""
DecodedValues = list[int | float | str | None]


class OutputType(NamedTuple):
    """The type of an output buffer's content.

    ``layout``: the layout of one element. ``is_text``: the content is a string. ``has_addresses``: elements may be
    addresses of objects. ``points_to_text``: each element points to a string.
    """

    layout: TypeLayout | None
    is_text: bool = False
    has_addresses: bool = False
    points_to_text: bool = False


class QueryTypes:
    """The types of the values of all queries of the tables, on one machine."""

    def __init__(self, tables: Tables, layouts: TypeLayouts) -> None:
        self._types: dict[tuple[str, int], OutputType] = {}
        for record in tables.requirements.values():
            if isinstance(record, Query) and record.name in tables.enumerants:
                key = (record.function, tables.enumerants[record.name].value)
                self._types[key] = _type_of_query(record, layouts)

    def find(self, function: str, param_name: int) -> OutputType | None:
        """Return the type of the query's value, or None if the tables do not contain the query."""
        return self._types.get((function, param_name & 0xFFFFFFFF))


def _type_of_query(query: Query, layouts: TypeLayouts) -> OutputType:
    base = query.type.replace("const ", "").rstrip("*[] ")
    layout = layouts.layout(base, query.type.count("*"))
    if query.shape == "string":
        return OutputType(layout, is_text=True)
    if query.type == TEXT_TYPE:
        return OutputType(layouts.layout("size_t"), points_to_text=True)
    return OutputType(layout, has_addresses=layouts.is_property(base) or query.type == MEMORY)


class OutputDecoder:
    """Decodes output buffers by the tables: typed parameters by their type, ``void`` parameters by the query."""

    def __init__(self, machine: TypeLayouts, names: ObjectNames, addresses: TextReader) -> None:
        self._names = names
        self._addresses = addresses
        self._address_mask = (1 << 8 * machine.pointer.size) - 1

    def decode_typed(self, content: bytes, known: OutputType) -> Output:
        """Decode a buffer of typed elements; an element that still has the fill pattern becomes ``UNTOUCHED``."""
        return Output(self._decode_values(content, known), len(content.rstrip(_FILL_BYTE)))

    def decode_bytes(self, content: bytes, known: OutputType | None) -> Output:
        """Decode a byte buffer up to the last byte written, by the query's type if ``known`` is not None."""
        written = len(content.rstrip(_FILL_BYTE))
        raw = content[:written]
        if known is None or not written:
            return Output([], written, raw)
        if known.is_text:
            return Output([raw.decode("utf-8", "backslashreplace")], written, raw)
        if known.layout is None:
            return Output([], written, raw)
        size = known.layout.size
        values = self._decode_values(content[: -(-written // size) * size], known)
        if known.points_to_text:  # addresses differ between processes, so the output omits them
            return Output(self._read_texts(values), written)
        return Output(values, written, raw)

    def _decode_values(self, content: bytes, known: OutputType) -> DecodedValues:
        layout = known.layout
        if layout is None or len(content) < layout.size:
            return []
        values = layout.unpack(content)
        if layout.members == _NUMBER and not known.has_addresses and (layout.size == 1 or FILL_BYTE not in content):
            return values  # a single byte equal to the fill pattern may have been written by the driver
        wide = len(layout.members)
        untouched = _FILL_BYTE * layout.size
        decoded: DecodedValues = []
        for position, value in enumerate(values):
            start = position // wide * layout.size
            if content[start : start + layout.size] == untouched:
                decoded.append(UNTOUCHED)
            else:
                decoded.append(
                    self._decode_value(value, layout.members[position % wide], properties=known.has_addresses)
                )
        return decoded

    def _read_texts(self, values: DecodedValues) -> DecodedValues:
        """Return the strings at the addresses, up to ``MAX_TEXT_CHARACTERS`` characters in total."""
        texts: DecodedValues = []
        left = MAX_TEXT_CHARACTERS
        for value in values:
            text = self._read_text(value) if left > 0 else UNREADABLE
            texts.append(text)
            left -= len(text) if isinstance(text, str) else 1
        return texts

    def _read_text(self, value: float | str | None) -> str | int | float | None:
        """Return the string at an address; ``UNREADABLE`` for an invalid address, None for NULL.

        A value that is not an address is returned unchanged.
        """
        if not isinstance(value, int):
            return value
        if not value:
            return None
        found = self._addresses.read_text(value)
        return UNREADABLE if found is None else found.decode("utf-8", "backslashreplace")

    def _decode_value(self, value: float | bytes, member: str, *, properties: bool) -> int | float | str | None:
        if isinstance(value, bytes):  # a fixed-size name: bytes after its terminator are ignored
            return value.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
        if member and isinstance(value, int):
            return self._names.name_of(member, value) if value else None
        if properties and isinstance(value, int):
            return self._names.find_property_object(value & self._address_mask) or value
        return value
