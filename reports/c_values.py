"""Writes a call's values in C: literals, lists, rooms and strings, with the documents' names where there are any."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import (
    BusAddresses,
    Callback,
    Data,
    Handle,
    HandleBytes,
    Inside,
    Items,
    Pointers,
    Room,
    Rooms,
    Text,
    Texts,
    Value,
)

if TYPE_CHECKING:
    from clconform.reports.facts import Facts
    from clconform.reports.wording import Names
    from clconform.spec_tables.records import Parameter

MACHINE = {
    "int8": "cl_char",
    "uint8": "cl_uchar",
    "int16": "cl_short",
    "uint16": "cl_ushort",
    "int32": "cl_int",
    "uint32": "cl_uint",
    "int64": "cl_long",
    "uint64": "cl_ulong",
    "size_t": "size_t",
    "intptr_t": "intptr_t",
    "float": "cl_float",
    "double": "cl_double",
    "char": "char",
}
INT_MAX = 0x7FFFFFFF
ON_THE_BUS = "cl_long"
"""The type of an address on the bus."""
OF_ADDRESSES = ("cl_bus_address_amd",)
"""Structures that hold nothing but such addresses."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class CProgramError(Exception):
    """A sequence cannot be written as a C program; the message is one line."""


def c_string(text: str) -> str:
    """Return ``text`` as a C string literal in plain ASCII."""
    written = []
    for byte in text.encode("utf-8", "backslashreplace"):
        plain = chr(byte)
        written.append(plain if plain.isascii() and plain.isprintable() and plain not in '"\\?%' else f"\\{byte:03o}")
    return f'"{"".join(written)}"'


def c_comment(text: str) -> str:
    """Return ``text`` as it may stand in a C comment: one line that neither ends the comment nor goes on."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("??/", "?? /").rstrip("\\ ")


def c_name(name: str) -> str:
    """Return the name if C can take it; a CProgramError where it cannot."""
    if NAME.fullmatch(name):
        return name
    raise CProgramError(f"{name!r} is no name in C")


def c_number(value: int, type_: str) -> str:
    """Return a number of that C type as a literal."""
    if -INT_MAX <= value <= INT_MAX:
        return str(value)
    return f"({type_}){value & 0xFFFFFFFFFFFFFFFF:#x}ULL"


def _on_the_bus(place: int | Handle | Inside) -> str:
    """Return an address on the bus as an expression."""
    if isinstance(place, int):
        return c_number(place, ON_THE_BUS)
    return f"{c_name(place.handle.name)} + {place.offset}" if isinstance(place, Inside) else c_name(place.name)


def _address(value: Handle | Inside | None) -> str:
    """Return an address in memory."""
    if isinstance(value, Inside):
        return f"(unsigned char *){c_name(value.handle.name)} + {c_number(value.offset, 'size_t')}"
    return "NULL" if value is None else c_name(value.name)


class Argument(NamedTuple):
    """An argument in C: lines that declare what it needs, and the expression. ``element``: what a room is made of."""

    declarations: list[str]
    expression: str
    element: str = ""


class Values:
    """Writes arguments; ``core`` are the types that common headers have, the others become machine types."""

    def __init__(self, tables: Facts, names: Names, core: set[str]) -> None:
        self._tables = tables
        self._names = names
        self._core = core

    def type(self, base: str) -> str:
        """Return how to spell a type so that common headers know it; a structure of an extension is ``void``."""
        if base in self._core or base == "void":
            return base
        known = self._tables.types.get(base)
        if known is not None and known.kind != "handle" and known.base in MACHINE:
            return MACHINE[known.base]
        return "void *" if known is not None and known.kind == "handle" else "void"

    def spelled(self, parameter: Parameter) -> str:
        """Return a parameter's type, for a prototype of our own."""
        if parameter.direction == "callback":
            return "void *"
        if not parameter.pointers and self.type(parameter.base) == "void":
            return "unsigned int"  # UINT, of the extensions that share objects with Direct3D
        return f"{'const ' if parameter.const else ''}{self.type(parameter.base)} {'*' * parameter.pointers}".strip()

    def is_handle(self, base: str) -> bool:
        """Tell whether the type is that of an OpenCL object."""
        known = self._tables.types.get(base)
        return known is not None and known.kind == "handle"

    def argument(self, parameter: Parameter, value: Value) -> Argument:  # noqa: C901, PLR0912 (one case a kind)
        """Return ``value`` as the argument for ``parameter``; what it declares is named like the parameter."""
        name = c_name(parameter.name)
        cast = f"({self.spelled(parameter)})"
        match value:
            case None:
                return Argument([], "NULL" if parameter.pointers or self.is_handle(parameter.base) else "0")
            case int():
                return Argument(
                    [], cast + c_number(value, "size_t") if parameter.pointers else self._number(value, parameter.base)
                )
            case Handle():
                return Argument([], c_name(value.name))
            case Inside():
                return Argument([], _address(value))
            case Pointers():
                lines = [f"{name}[{at}] = {_address(one)};" for at, one in enumerate(value.values)]
                return Argument([f"static void *{name}[{len(lines) or 1}];", *lines], cast + name)
            case Items():
                return Argument([self._list(name, parameter, value)], name)
            case BusAddresses(surface, signal):
                places = f"{_on_the_bus(surface)}, {_on_the_bus(signal)}"
                return Argument([f"{ON_THE_BUS} {name}[] = {{{places}}};"], name)
            case Room():
                return self._room(parameter, value.count)
            case Rooms():
                each = [f"struct room {name}_{at} = make_room({count});" for at, count in enumerate(value.counts)]
                places = ", ".join(f"{name}_{at}.at" for at in range(len(value.counts)))
                return Argument([*each, f"void *{name}[] = {{{places}}};"], name)
            case Data():
                return self._data(name, parameter, value.content)
            case HandleBytes():
                return Argument([], f"&{c_name(value.handle.name)}")
            case Text():
                return Argument([f"static char {name}[] = {c_string(value.content)};"], cast + name)
            case Texts():
                texts = ", ".join(c_string(content) for content in value.contents)
                return Argument([f"const char *{name}[] = {{{texts or 'NULL'}}};"], cast + name)
            case Callback():
                raise CProgramError(f"{name} takes no callback")

    def _room(self, parameter: Parameter, count: int) -> Argument:
        name, type_ = c_name(parameter.name), self.type(parameter.base)
        element = "unsigned char" if type_ in {"void", "char"} and parameter.pointers == 1 else type_
        element += " *" * (parameter.pointers - 1)
        if parameter.base in OF_ADDRESSES:
            element, count = ON_THE_BUS, count * len(self._tables.types[parameter.base].fields)
        return Argument(
            [f"struct room {name} = make_room({c_number(count, 'size_t')} * sizeof({element}));"],
            f"({self.spelled(parameter)}){name}.at",
            element,
        )

    def _number(self, value: int, base: str) -> str:
        named = self._names.number(value, base)
        return named if named.startswith("CL_") else c_number(value, self.type(base))

    def _list(self, name: str, parameter: Parameter, items: Items) -> str:
        type_ = "unsigned char" if parameter.base == "void" and parameter.pointers == 1 else self.type(parameter.base)
        type_ += " *" * (parameter.pointers - 1)
        type_ = f"const {type_}" if parameter.const and parameter.pointers > 1 else type_
        known = self._tables.types.get(parameter.base)
        if known is not None and known.kind == "struct" and parameter.pointers == 1:
            return self._structures(name, [field for field, _ in known.fields], type_, items)
        written = []
        for value, word in zip(items.values, self._names.listed(items.values, parameter.base), strict=True):
            if isinstance(value, int):
                written.append(word if word.startswith("CL_") else c_number(value, type_))
            elif value is None:
                written.append(f"({type_})0")
            else:
                written.append(f"({type_}){c_name(value.name)}")
        if not written:
            return f"{type_} {name}[1] = {{0}}; /* an empty list, but no NULL */"
        return f"{type_} {name}[] = {{{', '.join(written)}}};"

    def _structures(self, name: str, fields: list[str], type_: str, items: Items) -> str:
        """Return structures whose fields' values stand one after another, each field by its name."""
        words = []
        for value in items.values:
            plain = "NULL" if value is None else value.name if isinstance(value, Handle) else str(value)
            words.append(c_name(plain) if isinstance(value, Handle) else plain)
        each = [words[start : start + len(fields)] for start in range(0, len(words), len(fields))]
        written = [
            ", ".join(f".{field} = {word}" for field, word in zip(fields, one, strict=False) if word != "0")
            for one in each
        ]
        return f"{type_} {name}[] = {{{', '.join(f'{{{one}}}' for one in written)}}};"

    def _data(self, name: str, parameter: Parameter, content: bytes) -> Argument:
        data = ", ".join(f"0x{byte:02x}" for byte in content) or "0"
        lines = [f"static _Alignas(128) unsigned char {name}[] = {{{data}}};"]
        if parameter.pointers == 1:
            return Argument(lines, f"({self.spelled(parameter)}){name}")
        lines.append(f"static unsigned char *{name}_at[] = {{{name}}};")
        return Argument(lines, f"({self.spelled(parameter)}){name}_at")
