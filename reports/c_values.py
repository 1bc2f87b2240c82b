"""Writes arguments in C: numbers, lists and strings, with the names of values in the documents where they exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Self

from clconform.calls.values import (
    BusAddresses,
    Data,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    OffsetPointer,
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.reports.c_data import declare_bytes, wrap_declaration
from clconform.reports.c_updates import format_updates
from clconform.reports.escaping import escape_non_ascii

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.reports.call_formatting import ValueNames
    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Parameter

MACHINE_TYPES = {
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
BUS_ADDRESS_TYPE = "cl_long"
"""The C type of an address on the bus."""
MAX_INLINE_LENGTH = 72
"""Up to this number of characters, a list is written inline, as an argument."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class CProgramError(Exception):
    """A sequence cannot be written as a C program; the message is one line."""


def c_string(text: str) -> str:
    """Return ``text`` as a C string literal in plain ASCII."""
    written = []
    for byte in text.encode("utf-8", "backslashreplace"):
        plain = chr(byte)
        kept = plain.isascii() and plain.isprintable() and plain not in '"\\?%'
        written.append(plain if kept else "\\n" if plain == "\n" else f"\\{byte:03o}")
    return f'"{"".join(written)}"'


def c_comment(text: str) -> str:
    """Return ``text`` made safe for a C comment: one line of visible ASCII that does not end or continue the comment.

    Trigraphs are removed, because one of them stands for a backslash.
    """
    apart = re.sub(r"\?(?=\?)", "? ", escape_non_ascii(text))
    return apart.replace("*/", "* /").replace("/*", "/ *").rstrip("\\ ")


def c_name(name: str) -> str:
    """Return the name if it is a valid identifier in C; else CProgramError."""
    if NAME.fullmatch(name):
        return name
    raise CProgramError(f"{name!r} is not a valid name in C")


def type_prefix(type_: str) -> str:
    """Return a C type as it is written before a name."""
    return type_ if type_.endswith("*") else f"{type_} "


class CNumber(int):
    """A number that the program computes from an output of an earlier call; ``expression``: the C expression."""

    expression: str

    def __new__(cls, value: int, expression: str) -> Self:
        """Return the number ``value``, which the first process computed, with its expression."""
        number = super().__new__(cls, value)
        number.expression = expression
        return number

    def times(self, factor: int) -> CNumber:
        """Return the product with a constant."""
        return self if factor == 1 else CNumber(self * factor, f"{self.expression} * {factor}")


def c_number(value: int, type_: str) -> str:
    """Return a number as a literal of the C type ``type_``, or as its expression."""
    if isinstance(value, CNumber):
        return value.expression
    if -INT_MAX <= value <= INT_MAX:
        return str(value)
    return f"({type_}){value & 0xFFFFFFFFFFFFFFFF:#x}ULL"


def _bus_address(place: int | Handle | OffsetPointer) -> str:
    """Return an address on the bus as a C expression."""
    if isinstance(place, int):
        return c_number(place, BUS_ADDRESS_TYPE)
    return f"{c_name(place.handle.name)} + {place.offset}" if isinstance(place, OffsetPointer) else c_name(place.name)


def _address(value: Handle | OffsetPointer | None) -> str:
    """Return an address in memory as a C expression."""
    if isinstance(value, OffsetPointer):
        return f"(unsigned char *){c_name(value.handle.name)} + {c_number(value.offset, 'size_t')}"
    return "NULL" if value is None else c_name(value.name)


def _string_lines(text: str) -> str:
    """Return a text as C string literals, one for each line."""
    return "\n".join(c_string(line) for line in text.splitlines(keepends=True)) or '""'


class CArgument(NamedTuple):
    """An argument in C: the declarations that precede the call, and the expression to pass.

    ``name``: the array that the pointer points to; empty for other arguments.
    """

    declarations: list[str]
    expression: str
    name: str = ""


class ValueWriter:
    """Writes arguments in C.

    ``core``: the types that all headers define; other types are written as machine types. ``named``: the names of
    values in use. ``uses``: the helpers in use.
    """

    def __init__(self, tables: ReportTables, names: ValueNames, core: set[str]) -> None:
        self._tables = tables
        self._names = names
        self._core = core
        self.named: set[str] = set()
        self.uses: set[str] = set()

    def type_name(self, base: str) -> str:
        """Return a type as a C program without extension headers writes it.

        Extension structures become ``void``.
        """
        if base in self._core or base == "void":
            return base
        known = self._tables.types.get(base)
        if known is not None and known.kind != "handle" and known.base in MACHINE_TYPES:
            return MACHINE_TYPES[known.base]
        return "void *" if known is not None and known.kind == "handle" else "void"

    def structure_scalars(self, base: str) -> tuple[str, int]:
        """Return the common scalar type and the number of fields of the structure ``base``.

        ``("", 0)`` if ``base`` is not a structure, or the fields do not have the same scalar type.
        """
        known = self._tables.types.get(base)
        fields = known.fields if known is not None and known.kind == "struct" else ()
        found = [self._tables.types.get(type_) for _, type_ in fields]
        kinds = {one.base if one is not None and one.kind != "handle" else None for one in found}
        alike = kinds.pop() if len(kinds) == 1 else None
        return (MACHINE_TYPES[alike], len(fields)) if alike in MACHINE_TYPES else ("", 0)

    def parameter_type(self, parameter: Parameter) -> str:
        """Return the C type of a parameter in a generated prototype."""
        if parameter.direction == "callback":
            return "void *"
        if not parameter.pointers and self.type_name(parameter.base) == "void":
            return "unsigned int"  # UINT, of the extensions that share objects with Direct3D
        type_ = self.type_name(parameter.base)
        if type_ == "void *" and parameter.const and parameter.pointers:
            return (
                f"void *const {'*' * parameter.pointers}"  # the list is constant; the targets of its elements are not
            )
        return f"{'const ' if parameter.const else ''}{type_} {'*' * parameter.pointers}".strip()

    def is_handle(self, base: str) -> bool:
        """Return whether a type is the type of OpenCL objects, such as ``cl_mem``."""
        known = self._tables.types.get(base)
        return known is not None and known.kind == "handle"

    def cast(self, parameter: Parameter, element: str) -> str:
        """Return the cast with which an array of ``element`` is passed as an argument; empty if C needs no cast."""
        spelled = self.parameter_type(parameter)
        plain = spelled if parameter.pointers > 1 else spelled.removeprefix("const ").replace("*const ", "*")
        same = plain.replace(" ", "") == f"{element}*".replace(" ", "")
        return "" if same or plain == "void *" else f"({spelled})"

    def argument(  # noqa: C901, PLR0912 (one case a kind)
        self, parameter: Parameter, value: Value, local: Callable[[str], str], *, longest: int = MAX_INLINE_LENGTH
    ) -> CArgument:
        """Return ``value`` as the argument for ``parameter``; ``local`` returns a unique name for a variable.

        ``longest``: the maximum number of characters of an inline list.
        """
        name = c_name(parameter.name)
        match value:
            case None:
                return CArgument([], "NULL" if parameter.pointers or self.is_handle(parameter.base) else "0")
            case int():
                if parameter.pointers:
                    return CArgument([], f"({self.parameter_type(parameter)}){c_number(value, 'size_t')}")
                return CArgument([], self._number(value, parameter.base))
            case Handle() | OffsetPointer():
                return CArgument([], _address(value))
            case Pointers():
                return self._array(parameter, "void *", [_address(one) for one in value.values], local, longest)
            case ElementList():
                return self._items(parameter, value, local, longest)
            case DispatchConfigs(configs):
                return CArgument(*format_updates(configs, local, _address))
            case BusAddresses(surface, signal):
                return self._array(parameter, BUS_ADDRESS_TYPE, [_bus_address(surface), _bus_address(signal)], local)
            case Data():
                return self._data(parameter, value.content, local(name))
            case HandleBytes():
                return CArgument([], f"&{c_name(value.handle.name)}")
            case Text():
                return CArgument([], f"{self.cast(parameter, 'char')}{c_string(value.content)}")
            case Texts():
                texts = [_string_lines(content) for content in value.contents]
                return self._array(parameter, "const char *", texts, local)
            case _:
                raise CProgramError(f"{name} cannot be a {type(value).__name__.lower()}")

    def _array(
        self,
        parameter: Parameter,
        type_: str,
        parts: list[str],
        local: Callable[[str], str],
        longest: int = MAX_INLINE_LENGTH,
    ) -> CArgument:
        """Return a list as an argument: inline if it is short, else declared before the call."""
        cast = self.cast(parameter, type_)
        inline = f"({type_}[]){{{', '.join(parts) or '0'}}}"
        if len(inline) <= longest and "\n" not in inline:
            return CArgument([], f"{cast}{inline}")
        name = local(c_name(parameter.name))
        return CArgument(wrap_declaration(f"{type_prefix(type_)}{name}[] = {{", parts or ["0"]), f"{cast}{name}", name)

    def _number(self, value: int, base: str) -> str:
        return self._named_value(self._names.number(value, base), value, self.type_name(base))

    def _named_value(self, word: str, value: int, type_: str) -> str:
        """Return a value by its name in the documents, or as a number if it has none."""
        if isinstance(value, CNumber) or not word.startswith("CL_"):
            return c_number(value, type_)
        self.named.update(re.findall(r"\w+", word))
        return word

    def _items(self, parameter: Parameter, items: ElementList, local: Callable[[str], str], longest: int) -> CArgument:
        type_ = (
            "unsigned char" if parameter.base == "void" and parameter.pointers == 1 else self.type_name(parameter.base)
        )
        type_ += " " * (parameter.pointers > 1) + "*" * (parameter.pointers - 1)
        type_ = f"const {type_}" if parameter.const and parameter.pointers > 1 else type_
        known = self._tables.types.get(parameter.base)
        if known is not None and known.kind == "struct" and parameter.pointers == 1:
            return self._array(parameter, type_, self._structures(known.fields, items), local, longest)
        written = []
        for value, word in zip(items.values, self._names.listed(items.values, parameter.base), strict=True):
            if isinstance(value, int):
                written.append(self._named_value(word, value, type_))
            elif value is None:
                written.append("NULL" if type_.endswith("*") or self.is_handle(parameter.base) else "0")
            else:
                plain = self.is_handle(parameter.base) or type_.endswith("*")
                wide = "(uintptr_t)" if known is not None and known.base == "uint64" else ""  # also on 32 bits
                written.append(c_name(value.name) if plain else f"({type_}){wide}{c_name(value.name)}")
        return self._array(parameter, type_, written, local, longest)

    def _structures(self, fields: Sequence[tuple[str, str]], items: ElementList) -> list[str]:
        """Return the C initialisers of structures, with the name of each field.

        ``items``: the values of all fields of all structures in order.
        """
        written = []
        for start in range(0, len(items.values), len(fields)):
            words = []
            for (field, base), value in zip(fields, items.values[start:], strict=False):
                if isinstance(value, Handle):
                    words.append(f".{field} = {c_name(value.name)}")
                elif value:
                    words.append(f".{field} = {self._number(value, base)}")
            written.append(f"{{{', '.join(words) or '0'}}}")
        return written

    def _data(self, parameter: Parameter, content: bytes, name: str) -> CArgument:
        lines, series = declare_bytes(name, content)
        if series:
            self.uses.add("series")
        if parameter.pointers == 1:
            return CArgument(lines, f"{self.cast(parameter, 'unsigned char')}{name}", name)
        lines.append(f"static unsigned char *{name}_at[] = {{{name}}};")
        return CArgument(lines, f"({self.parameter_type(parameter)}){name}_at")
