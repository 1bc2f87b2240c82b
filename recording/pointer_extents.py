"""The extents of pointer parameters: the kind and the amount of memory that a recording stores for each."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.kernel_functions import POINTER_SETTERS
from clconform.spec_tables.length_parameters import COUNTED_BY, TRIPLES

if TYPE_CHECKING:
    from clconform.harness.type_layout import TypeLayouts
    from clconform.spec_tables.requirements import Function, Parameter


class ExtentKind(Enum):
    """The kind of memory that a parameter points to.

    ``VALUE``: none, the parameter is passed by value. ``ADDRESS``: only the address is recorded. ``ELEMENTS``: a
    counted array. ``TEXT``: a string. ``TEXTS``: a counted array of strings. ``BLOBS``: a counted array of byte
    sequences, each with a length. ``PAIRS``: a list of names and values that ends with 0. ``PARTITION``: a list of
    partition properties. ``CALLBACK``: a function of the program.
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


class PointerExtent(NamedTuple):
    """The extent of a parameter: an array of elements of ``size`` bytes.

    ``counter``: the number of elements, or the parameter that states it. ``size_output``: the output parameter through
    which the driver returns the number of elements written, or empty.
    """

    kind: ExtentKind
    size: int = 0
    counter: str = "1"
    size_output: str = ""
    is_output: bool = False


VALUE, ADDRESS, CALLBACK = (
    PointerExtent(ExtentKind.VALUE),
    PointerExtent(ExtentKind.ADDRESS),
    PointerExtent(ExtentKind.CALLBACK),
)
FILL_COLOR_BYTES = 16
"""The size of the largest fill color."""
REGION_WORDS = 2
"""The number of fields of cl_buffer_region, each of the type size_t."""
ADDRESS_ONLY = (
    "user_data",
    "args",
    "args_mem_loc",
    "svm_ptr",
    "svm_pointer",
    "mapped_ptr",
    "media_adapters",
    "configs",
)
CONTIGUOUS = ("clEnqueueReadBuffer", "clEnqueueWriteBuffer")
"""Functions whose ``ptr`` points to ``size`` contiguous bytes."""
SIZE_OUTPUTS = {
    "platforms": ("num_platforms",),
    "devices": ("num_devices",),
    "out_devices": ("num_devices_ret", "num_devices"),
    "param_value": ("param_value_size_ret",),
    "image_formats": ("num_image_formats",),
    "kernels": ("num_kernels_ret",),
}
"""Maps an output parameter to the parameters that may return the number of elements written to it.

The first of these parameters that a function has is the one that returns the number.
"""


def find_extent(function: Function, parameter: Parameter, machine: TypeLayouts) -> PointerExtent:
    """Return the extent of a function's parameter."""
    if parameter.direction == "callback":
        return CALLBACK
    if not parameter.pointers:
        return VALUE
    if parameter.pointers > 1:
        return _pointer_list_extent(function, parameter, machine)
    if parameter.direction == "out":
        return _output_extent(function, parameter, machine)
    return _input_extent(function, parameter, machine)


def _pointer_list_extent(function: Function, parameter: Parameter, machine: TypeLayouts) -> PointerExtent:
    names = {each.name for each in function.parameters}
    if parameter.name == "strings":
        return PointerExtent(ExtentKind.TEXTS, counter="count")
    if parameter.name == "header_include_names":
        return PointerExtent(ExtentKind.TEXTS, counter="num_input_headers")
    if parameter.name == "binaries" and {"num_devices", "lengths"} <= names:
        return PointerExtent(ExtentKind.BLOBS, counter="num_devices")
    if parameter.name == "svm_pointers":
        return PointerExtent(ExtentKind.ELEMENTS, machine.pointer.size, "num_svm_pointers")
    return ADDRESS


def _input_extent(function: Function, parameter: Parameter, machine: TypeLayouts) -> PointerExtent:
    name, size = parameter.name, _element_size(parameter, machine)
    if parameter.base == "char":
        return PointerExtent(ExtentKind.TEXT)
    if name in ADDRESS_ONLY or (name == "arg_value" and function.name in POINTER_SETTERS) or size is None:
        return ADDRESS
    if "partition" in parameter.base:
        return PointerExtent(ExtentKind.PARTITION)
    if "propert" in parameter.base:
        return PointerExtent(ExtentKind.PAIRS, size)
    if name.endswith(TRIPLES):
        return PointerExtent(ExtentKind.ELEMENTS, size, "3")
    if name in ("fill_color", "buffer_create_info"):  # pointers to void
        count = FILL_COLOR_BYTES if name == "fill_color" else REGION_WORDS * machine.pointer.size
        return PointerExtent(ExtentKind.ELEMENTS, 1, str(count))
    if name == "lengths":
        return PointerExtent(
            ExtentKind.ELEMENTS, size, "count" if _has_value_parameter(function, "count") else "num_devices"
        )
    return ADDRESS if name == "ptr" and function.name not in CONTIGUOUS else _counted_extent(function, parameter, size)


def _counted_extent(function: Function, parameter: Parameter, size: int) -> PointerExtent:
    counter = find_counter(function, parameter)
    if counter:
        return PointerExtent(ExtentKind.ELEMENTS, size, counter)
    return PointerExtent(ExtentKind.ELEMENTS, size) if parameter.name in ("image_format", "image_desc") else ADDRESS


def _output_extent(function: Function, parameter: Parameter, machine: TypeLayouts) -> PointerExtent:
    name, size = parameter.name, _element_size(parameter, machine)
    if size is None or name == "dst_ptr" or (name == "ptr" and function.name not in CONTIGUOUS):
        return ADDRESS
    counter = find_counter(function, parameter)
    if not counter:
        return PointerExtent(ExtentKind.ELEMENTS, size, is_output=True) if parameter.base != "void" else ADDRESS
    told = next((each for each in SIZE_OUTPUTS.get(name, ()) if _has_output(function, each)), "")
    return PointerExtent(ExtentKind.ELEMENTS, size, counter, told, is_output=True)


def find_counter(function: Function, parameter: Parameter) -> str:
    """Return the parameter, passed by value, that states the length of another parameter; or an empty string."""
    return next((each for each in COUNTED_BY.get(parameter.name, ()) if _has_value_parameter(function, each)), "")


def _has_value_parameter(function: Function, name: str) -> bool:
    return any(each.name == name and not each.pointers for each in function.parameters)


def _has_output(function: Function, name: str) -> bool:
    return any(each.name == name and each.direction == "out" for each in function.parameters)


def _element_size(parameter: Parameter, machine: TypeLayouts) -> int | None:
    """Return the size of an element in bytes, 1 for untyped memory; None if it is undefined."""
    if parameter.base in ("void", "unsigned char"):
        return 1
    layout = machine.layout(parameter.base)
    return layout.size if layout is not None else None
