"""The extents of pointer parameters: the kind and amount of memory that they lead to and a recording keeps."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from clconform.spec_tables.counts import COUNTED_BY, TRIPLES

if TYPE_CHECKING:
    from clconform.harness.machine import Machine
    from clconform.spec_tables.records import Function, Parameter


class Kind(Enum):
    """The kind of memory that a parameter leads to.

    ``VALUE``: it is passed by value. ``ADDRESS``: only its address is recorded. ``ELEMENTS``: a counted array.
    ``TEXT``: a string. ``TEXTS``: a counted array of strings. ``BLOBS``: a counted array of byte sequences, each with a
    length. ``PAIRS``: a list of names and values that ends with 0. ``PARTITION``: a list of partition properties.
    ``CALLBACK``: a function of the program.
    """

    VALUE = "value"
    ADDRESS = "address"
    ELEMENTS = "elements"
    TEXT = "text"
    TEXTS = "texts"
    BLOBS = "blobs"
    PAIRS = "pairs"
    PARTITION = "partition"
    CALLBACK = "callback"


class Place(NamedTuple):
    """The extent of a parameter: ``size`` of an element in bytes; ``counter``: a number, or a parameter.

    ``told``: the output parameter through which the driver returns the number of elements written, or empty.
    """

    kind: Kind
    size: int = 0
    counter: str = "1"
    told: str = ""
    out: bool = False


VALUE, ADDRESS, CALLBACK = Place(Kind.VALUE), Place(Kind.ADDRESS), Place(Kind.CALLBACK)
BYTES = {"fill_color": 16, "buffer_create_info": 16}
"""Untyped parameters to the maximum number of bytes that they lead to."""
OPAQUE = ("user_data", "args", "args_mem_loc", "svm_ptr", "svm_pointer", "mapped_ptr", "media_adapters", "configs")
POINTS_ITSELF = ("clSetKernelArgSVMPointer", "clSetKernelArgMemPointerINTEL")
"""Functions whose ``arg_value`` is an address to record without its contents."""
BY_SIZE = ("clEnqueueReadBuffer", "clEnqueueWriteBuffer")
"""Functions whose ``ptr`` leads to ``size`` contiguous bytes."""
TOLD = {
    "platforms": ("num_platforms",),
    "devices": ("num_devices",),
    "out_devices": ("num_devices_ret", "num_devices"),
    "param_value": ("param_value_size_ret",),
    "image_formats": ("num_image_formats",),
    "kernels": ("num_kernels_ret",),
}
"""Output to the outputs one of which returns its number of elements."""


def place_of(function: Function, parameter: Parameter, machine: Machine) -> Place:
    """Return the extent of a function's parameter."""
    if parameter.direction == "callback":
        return CALLBACK
    if not parameter.pointers:
        return VALUE
    if parameter.pointers > 1:
        return _many(function, parameter)
    if parameter.direction == "out":
        return _written(function, parameter, machine)
    return _read(function, parameter, machine)


def _many(function: Function, parameter: Parameter) -> Place:
    names = {each.name for each in function.parameters}
    if parameter.name == "strings":
        return Place(Kind.TEXTS, counter="count")
    if parameter.name == "header_include_names":
        return Place(Kind.TEXTS, counter="num_input_headers")
    if parameter.name == "binaries" and {"num_devices", "lengths"} <= names:
        return Place(Kind.BLOBS, counter="num_devices")
    if parameter.name == "svm_pointers":
        return Place(Kind.ELEMENTS, 8, "num_svm_pointers")
    return ADDRESS


def _read(function: Function, parameter: Parameter, machine: Machine) -> Place:
    name, size = parameter.name, _size(parameter, machine)
    if parameter.base == "char":
        return Place(Kind.TEXT)
    if name in OPAQUE or (name == "arg_value" and function.name in POINTS_ITSELF) or size is None:
        return ADDRESS
    if "partition" in parameter.base:
        return Place(Kind.PARTITION)
    if "propert" in parameter.base:
        return Place(Kind.PAIRS, size)
    if name.endswith(TRIPLES):
        return Place(Kind.ELEMENTS, size, "3")
    if name in BYTES:
        return Place(Kind.ELEMENTS, 1, str(BYTES[name]))
    if name == "lengths":
        return Place(Kind.ELEMENTS, size, "count" if _has(function, "count") else "num_devices")
    return ADDRESS if name == "ptr" and function.name not in BY_SIZE else _counted(function, parameter, size)


def _counted(function: Function, parameter: Parameter, size: int) -> Place:
    counter = counter_of(function, parameter)
    if counter:
        return Place(Kind.ELEMENTS, size, counter)
    return Place(Kind.ELEMENTS, size) if parameter.name in ("image_format", "image_desc") else ADDRESS


def _written(function: Function, parameter: Parameter, machine: Machine) -> Place:
    name, size = parameter.name, _size(parameter, machine)
    if size is None or name == "dst_ptr" or (name == "ptr" and function.name not in BY_SIZE):
        return ADDRESS
    counter = counter_of(function, parameter)
    if not counter:
        return Place(Kind.ELEMENTS, size, out=True) if parameter.base != "void" else ADDRESS
    told = next((each for each in TOLD.get(name, ()) if _is_output(function, each)), "")
    return Place(Kind.ELEMENTS, size, counter, told, out=True)


def counter_of(function: Function, parameter: Parameter) -> str:
    """Return the value parameter that states the length of another parameter, or an empty string."""
    return next((each for each in COUNTED_BY.get(parameter.name, ()) if _has(function, each)), "")


def _has(function: Function, name: str) -> bool:
    return any(each.name == name and not each.pointers for each in function.parameters)


def _is_output(function: Function, name: str) -> bool:
    return any(each.name == name and each.direction == "out" for each in function.parameters)


def _size(parameter: Parameter, machine: Machine) -> int | None:
    """Return the size of an element in bytes, 1 for untyped memory; None if it is undefined."""
    if parameter.base in ("void", "unsigned char"):
        return 1
    layout = machine.layout(parameter.base)
    return layout.size if layout is not None else None
