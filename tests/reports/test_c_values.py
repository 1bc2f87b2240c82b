"""Values of calls in C: structures by their fields' names, lists of rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Handle, Inside, Items, Room, Rooms
from clconform.reports.c_values import Values
from clconform.reports.wording import Names
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.spec_tables.records import Parameter

TABLES = load()


def written(function: str, parameter: str, value: Value) -> str:
    """Return what an argument declares, and its expression."""
    values = Values(TABLES, Names(TABLES), {"cl_image_desc", "cl_image_format", "cl_mem", "void"})
    argument = values.argument(_parameter(function, parameter), value)
    return " ".join([*argument.declarations, argument.expression])


def _parameter(function: str, name: str) -> Parameter:
    return next(each for each in TABLES.functions[function].parameters if each.name == name)


def test_a_structure_names_its_fields() -> None:
    shown = written("clCreateImage", "image_format", Items((4277, 4314)))
    assert "cl_image_format image_format[] = {{.image_channel_order = 4277, .image_channel_data_type = 4314}};" in shown


def test_an_object_in_a_structure_is_its_variable_and_zeros_are_left_out() -> None:
    desc = Items((0x10F0, 16, 0, 0, 0, 0, 0, 0, 0, Handle("mem1")))
    shown = written("clCreateImage", "image_desc", desc)
    assert "{.image_type = 4336, .image_width = 16, .mem_object = mem1}" in shown


def test_a_list_of_rooms_points_to_each() -> None:
    shown = written("clGetProgramInfo", "param_value", Rooms((8, 16)))
    assert "struct room param_value_0 = make_room(8); struct room param_value_1 = make_room(16);" in shown
    assert "void *param_value[] = {param_value_0.at, param_value_1.at}; param_value" in shown


def test_addresses_on_the_bus_are_numbers_with_names() -> None:
    shown = written("clCreateBuffer", "host_ptr", BusAddresses(Inside(Handle("bus1"), 2048), Handle("bus2")))
    assert shown == "cl_long host_ptr[] = {bus1 + 2048, bus2}; host_ptr"
    shown = written("clEnqueueMakeBuffersResidentAMD", "bus_addresses", Room(2))
    assert "struct room bus_addresses = make_room(4 * sizeof(cl_long));" in shown
