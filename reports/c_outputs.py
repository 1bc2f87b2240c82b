"""Writes output buffers of calls in C.

Only those of the last call, whose outcome is checked, have guard bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import UNTOUCHED, Output, Returned
from clconform.reports.c_values import BUS_ADDRESS_TYPE, CNumber, c_name, c_number, type_prefix

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from clconform.calls.values import OutputBuffer, OutputBuffers
    from clconform.reports.c_values import ValueWriter
    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Parameter

BYTE = "unsigned char"
ERROR = "errcode_ret"
WORD_SIZE = 4
"""Number of bytes of a ``cl_uint``."""
MAX_INLINE_BYTES = 1024
"""Up to this number of bytes, an output that is not read is written inline, as an argument."""


class COutputBuffer(NamedTuple):
    """An output buffer in C: its name, its element type, and its number of elements.

    ``guarded``: the name is a pointer to memory between guard bytes; otherwise it is a variable.
    """

    name: str
    element: str
    length: int
    guarded: bool = True

    @property
    def address(self) -> str:
        """The C expression for the address of the buffer."""
        return self.name if self.guarded else f"&{self.name}"

    @property
    def has_one_element(self) -> bool:
        """Whether the buffer always has one element."""
        return self.length == 1 and not isinstance(self.length, CNumber)

    @property
    def first_element(self) -> str:
        """The C expression for the first element of the buffer."""
        return f"*{self.name}" if self.guarded else self.name

    @property
    def size(self) -> str:
        """The C expression for the size of the buffer in bytes."""
        count = c_number(self.length, "size_t")
        if self.element == BYTE:
            return count
        if not self.guarded:
            return f"sizeof {self.name}"
        return f"sizeof({self.element})" if self.has_one_element else f"{count} * sizeof({self.element})"


class COutput(NamedTuple):
    """An output in C.

    ``before``: the lines before the call. ``expression``: the argument. ``after``: the lines after the call that name
    new objects.
    """

    before: list[str]
    expression: str
    after: tuple[str, ...] = ()
    buffer: COutputBuffer | None = None
    creates_objects: bool = False


def created_objects(
    parameter: str, element: str, outcome: Returned, known: Collection[str], pointer_bytes: int
) -> dict[int, str]:
    """Map positions in an output to the names of the objects that first appear there.

    ``pointer_bytes``: the size of an address.
    """
    output = outcome.outputs.get(parameter)
    found: dict[int, str] = {}
    for position, value in enumerate(output.values if output else ()):
        if output and _is_new_object(value, output, element, {*known, *found.values()}, pointer_bytes):
            found[position] = c_name(str(value))
    return found


def _is_new_object(value: object, output: Output, element: str, known: Collection[str], pointer_bytes: int) -> bool:
    if not isinstance(value, str) or value == UNTOUCHED or not element or value in known:
        return False
    return element != BYTE or (bool(re.fullmatch(r"[a-z_]+\d+", value)) and _has_addresses(output, pointer_bytes))


def _has_addresses(output: Output, pointer_bytes: int) -> bool:
    """Return whether an output of bytes consists of addresses: its size is the size of an address for each value."""
    return bool(output.digest) or len(output.raw) == pointer_bytes * len(output.values)


class OutputWriter:
    """Writes the outputs of calls in C; ``uses``: the helpers in use."""

    def __init__(
        self, tables: ReportTables, values: ValueWriter, local: Callable[[str], str], pointer_bytes: int
    ) -> None:
        """Start without helpers; ``local``: returns an unused name; ``pointer_bytes``: the size of an address."""
        self._tables = tables
        self._values = values
        self._local = local
        self._pointer_bytes = pointer_bytes
        self.uses: set[str] = set()

    def buffer(self, parameter: Parameter, output_buffer: OutputBuffer) -> COutputBuffer:
        """Return a buffer without a name.

        The buffer for a structure of equal scalars is an array of these scalars.
        """
        type_ = self._values.type_name(parameter.base)
        element = BYTE if type_ in {"void", "char"} and parameter.pointers == 1 else type_
        if parameter.pointers > 1:
            element += ("" if element.endswith("*") else " ") + "*" * (parameter.pointers - 1)
        count = output_buffer.count
        scalar, fields = self._values.structure_scalars(parameter.base) if parameter.pointers == 1 else ("", 0)
        if scalar:
            element, count = scalar, count.times(fields) if isinstance(count, CNumber) else count * fields
        return COutputBuffer("", element, count)

    def judged_output(
        self, parameter: Parameter, output_buffer: OutputBuffer, output: Output | None, *, guarded: bool
    ) -> COutput:
        """Return an output of the last call; ``output``: the expected output if the program compares it, else None.

        A list, and any buffer whose size the call passes to the driver, has guard bytes. A single value is a variable
        unless it is ``guarded``. The program does not read a single value that is neither compared nor the error code.
        """
        buffer = self.buffer(parameter, output_buffer)
        if guarded or not buffer.has_one_element or buffer.element == BYTE:
            name = self._local(c_name(parameter.name))
            buffer = buffer._replace(name=name)
            self.uses |= {"output", "overrun"}
            line = f"{type_prefix(buffer.element)}*{name} = output({buffer.size});"
            return COutput([line], f"{self._values.cast(parameter, buffer.element)}{name}", buffer=buffer)
        if parameter.name != ERROR and output is None:
            return self._unused_output(parameter, buffer, self._values.cast(parameter, buffer.element))
        name = self._local(c_name(parameter.name))
        buffer = buffer._replace(name=name, guarded=False)
        if output is not None and UNTOUCHED in output.values:
            self.uses.add("fill")
            lines = [f"{type_prefix(buffer.element)}{name};", f"memset(&{name}, FILL, sizeof {name});"]
        else:
            lines = [f"{type_prefix(buffer.element)}{name} = {self._initial_value(parameter)};"]
        return COutput(lines, f"{self._values.cast(parameter, buffer.element)}&{name}", buffer=buffer)

    def filled_output(self, parameter: Parameter, output_buffer: OutputBuffer) -> COutput:
        """Return an output of a last call that does not return; it contains the fill pattern, as in a test run."""
        buffer = self.buffer(parameter, output_buffer)
        self.uses.add("output")
        return COutput([], f"output({buffer.size})")

    def _initial_value(self, parameter: Parameter) -> str:
        """Return the initial value of a single output: 1 for an error code (no error code is 1), else 0 or NULL."""
        known = self._tables.types.get(parameter.base)
        if known is not None and known.kind == "struct" and parameter.pointers == 1:
            return "{0}"
        handle = parameter.pointers > 1 or self._values.is_handle(parameter.base)
        return "1" if parameter.name == ERROR else "NULL" if handle else "0"

    def plain_output(
        self, parameter: Parameter, output_buffer: OutputBuffer, made: dict[int, str], used: Collection[str]
    ) -> COutput:
        """Return an output of a call before the last.

        ``made``: maps positions in this output to objects. The program declares a variable for each of them that is in
        ``used``.
        """
        buffer = self.buffer(parameter, output_buffer)
        names = {position: name for position, name in made.items() if name in used}
        if parameter.name == ERROR and output_buffer.count == 1:
            self.uses.add("error")
            return COutput([], "&error")
        kind = "void *" if buffer.element == BYTE else buffer.element
        nothing = "0" if kind == BUS_ADDRESS_TYPE else "NULL"
        cast = self._values.cast(parameter, buffer.element)
        if isinstance(buffer.length, CNumber):
            return self._output_of_returned_size(parameter, buffer, kind, names)
        if list(names) == [0] and buffer.length <= (self._pointer_bytes if buffer.element == BYTE else 1):
            return COutput([f"{type_prefix(kind)}{names[0]} = {nothing};"], f"{cast}&{names[0]}")
        if names:
            name = self._local(c_name(parameter.name))
            width = self._pointer_bytes if buffer.element == BYTE else 1
            count = -(-buffer.length // width)
            after = tuple(f"{type_prefix(kind)}{one} = {name}[{position}];" for position, one in names.items())
            return COutput([f"{type_prefix(kind)}{name}[{count}] = {{{nothing}}};"], f"{cast}{name}", after)
        return self._unused_output(parameter, buffer, cast)

    def _output_of_returned_size(
        self, parameter: Parameter, buffer: COutputBuffer, kind: str, names: dict[int, str]
    ) -> COutput:
        """Return an output whose size an earlier call has returned.

        ``kind``: the type of its objects. ``names``: maps their positions to their names.
        """
        self.uses.add("output")
        if not names:
            return COutput([], f"output({buffer.size})")
        name = self._local(c_name(parameter.name))
        after = tuple(f"{type_prefix(kind)}{one} = {name}[{position}];" for position, one in names.items())
        line = f"{type_prefix(kind)}*{name} = output({buffer.size});"
        return COutput([line], f"{self._values.cast(parameter, buffer.element)}{name}", after)

    def number_output(
        self, parameter: Parameter, output_buffer: OutputBuffer, output: Output
    ) -> tuple[COutput, list[str]]:
        """Return an output whose numbers later calls use, and the C expressions of its elements.

        ``output``: its contents in the first process.
        """
        buffer = self.buffer(parameter, output_buffer)
        kind = buffer.element
        if kind == BYTE:
            kind = "cl_uint" if len(output.raw) == WORD_SIZE * len(output.values) else "cl_ulong"
        name = self._local(c_name(parameter.name))
        cast = self._values.cast(parameter, kind)
        if len(output.values) == 1 and not isinstance(buffer.length, CNumber):
            return COutput([f"{type_prefix(kind)}{name} = 0;"], f"{cast}&{name}"), [name]
        self.uses.add("output")
        line = f"{type_prefix(kind)}*{name} = output({buffer.size});"
        return COutput([line], f"{cast}{name}"), [f"{name}[{element}]" for element in range(len(output.values))]

    def _unused_output(self, parameter: Parameter, buffer: COutputBuffer, cast: str) -> COutput:
        """Return an output that the program does not read."""
        element, count = buffer.element, max(buffer.length, 1)
        if element == BYTE and self._values.type_name(parameter.base) == "void":
            element, count = "cl_ulong", (count + 7) // 8
        if count * 8 > MAX_INLINE_BYTES:
            name = self._local(c_name(parameter.name))
            return COutput([f"static {element} {name}[{c_number(count, 'size_t')}];"], f"{cast}{name}")
        return COutput([], f"{cast}({element}[{count}]){{0}}")

    def pointer_list(self, parameter: Parameter, output_buffers: OutputBuffers) -> COutput:
        """Return an output that is a list of pointers; each of them points to a buffer of its own."""
        self.uses.add("output")
        name = self._local(c_name(parameter.name))
        each = ", ".join(f"output({c_number(count, 'size_t')})" for count in output_buffers.counts)
        return COutput([f"void *{name}[] = {{{each or 'NULL'}}};"], f"{self._values.cast(parameter, 'void *')}{name}")
