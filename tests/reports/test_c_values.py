"""C code for values of calls: structures with field names, and lists of output buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given, strategies

from clconform.calls.values import (
    BusAddresses,
    Data,
    ElementList,
    Handle,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Texts,
)
from clconform.reports.c_data import ByteSeries, find_period, find_series
from clconform.reports.c_outputs import OutputWriter
from clconform.reports.c_values import ValueWriter
from clconform.reports.call_formatting import ValueNames
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.spec_tables.requirements import Parameter

TABLES = load()


def c_argument(function: str, parameter: str, value: Value) -> str:
    """Return the C code of an argument: its declarations and the expression to pass."""
    values = ValueWriter(TABLES, ValueNames(TABLES), {"cl_image_desc", "cl_image_format", "cl_mem", "void", "char"})
    argument = values.argument(_parameter(function, parameter), value, str)
    return " ".join([*argument.declarations, argument.expression])


def create_outputs() -> OutputWriter:
    return OutputWriter(TABLES, ValueWriter(TABLES, ValueNames(TABLES), {"void"}), str, 8)


def _repeat(content: bytes) -> bytes:
    return content * 99


def _parameter(function: str, name: str) -> Parameter:
    return next(each for each in TABLES.functions[function].parameters if each.name == name)


def test_structure_is_initialised_by_field_names() -> None:
    shown = c_argument("clCreateImage", "image_format", ElementList((4277, 4314)))
    named = "{{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}}"
    assert shown == f"cl_image_format image_format[] = {named}; image_format"


def test_structure_omits_zero_fields_and_refers_to_objects_by_variable() -> None:
    desc = ElementList((0x10F0, 16, 0, 0, 0, 0, 0, 0, 0, Handle("mem1")))
    shown = c_argument("clCreateImage", "image_desc", desc)
    assert "{.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 16, .mem_object = mem1}" in shown


def test_list_of_extension_objects_has_type_pointer_to_const_handles() -> None:
    values, listed = (
        ValueWriter(TABLES, ValueNames(TABLES), {"void"}),
        _parameter("clEnqueueSignalSemaphoresKHR", "sema_objects"),
    )
    assert values.parameter_type(listed) == "void *const *"
    assert values.cast(listed, "void *") == ""


def test_list_of_output_buffers_is_an_array_of_pointers() -> None:
    one = create_outputs().pointer_list(_parameter("clGetProgramInfo", "param_value"), OutputBuffers((8, 16)))
    assert (one.before, one.expression) == (["void *param_value[] = {output(8), output(16)};"], "param_value")


def test_bus_addresses_are_written_as_named_numbers() -> None:
    shown = c_argument("clCreateBuffer", "host_ptr", BusAddresses(OffsetPointer(Handle("bus1"), 2048), Handle("bus2")))
    assert shown == "(cl_long[]){bus1 + 2048, bus2}"
    one = create_outputs().judged_output(
        _parameter("clEnqueueMakeBuffersResidentAMD", "bus_addresses"), OutputBuffer(2), None, guarded=True
    )
    assert one.before == ["cl_long *bus_addresses = output(4 * sizeof(cl_long));"]


def test_handle_in_a_list_of_64_bit_values_is_widened_from_any_pointer() -> None:
    wide = ElementList((0x2051, Handle("device1"), 0, 0))  # CL_MEM_DEVICE_HANDLE_LIST_KHR and its end
    shown = c_argument("clCreateBufferWithProperties", "properties", wide)
    assert "(cl_ulong)(uintptr_t)device1" in shown
    narrow = ElementList((0x1084, Handle("platform1"), 0))  # CL_CONTEXT_PLATFORM
    shown = c_argument("clCreateContext", "properties", narrow)
    assert "(intptr_t)platform1" in shown
    assert "uintptr_t" not in shown


def test_short_list_is_an_expression_and_long_list_is_a_declared_array() -> None:
    assert (
        c_argument("clWaitForEvents", "event_list", ElementList((Handle("event1"), None))) == "(void *[]){event1, NULL}"
    )
    many = c_argument(
        "clWaitForEvents", "event_list", ElementList(tuple(Handle(f"event{number}") for number in range(99)))
    )
    assert many.startswith("void *event_list[] = {     event0, event1, ")
    assert many.endswith("event98 }; event_list")


def test_each_line_of_program_source_is_a_separate_string() -> None:
    shown = c_argument("clCreateProgramWithSource", "strings", Texts(("first line\n" * 2, "second text" * 9)))
    lines = ['"first line\\n"', '"first line\\n",', f'"{"second text" * 9}",']
    assert shown == f"const char *strings[] = {{     {'     '.join(lines)} }}; strings"


def test_bytes_in_arithmetic_series_are_written_as_series_calls() -> None:
    content = bytes((7 * number + 3 * (number // 241)) % 241 for number in range(4096))
    found = find_series(content)
    assert found[:2] == [ByteSeries(0, 241, 0, 7, 241), ByteSeries(241, 241, 3, 7, 241)]
    made = b"".join(bytes((one.first + one.step * at) % one.modulus for at in range(one.size)) for one in found)
    assert made == content
    assert "series(ptr + 241, 241, 3, 7, 241);" in c_argument("clEnqueueWriteBuffer", "ptr", Data(content))
    assert "0x02, 0x01, 0x00" in c_argument("clEnqueueWriteBuffer", "ptr", Data(bytes(range(255, -1, -1))))


def test_repeated_byte_pattern_is_written_once() -> None:
    content = bytes((0, 0, 9, 8, 1) * 50)
    shown = c_argument("clEnqueueWriteBuffer", "ptr", Data(content))
    assert "ptr[250] = {0x00, 0x00, 0x09, 0x08, 0x01};" in shown
    assert "for (size_t i = 5; i < sizeof ptr; i++) ptr[i] = ptr[i - 5];" in shown
    assert find_period(content[:-1]) == 5
    assert find_period(bytes(range(200)) * 3) == 0


@given(
    strategies.binary(min_size=1, max_size=300) | strategies.builds(_repeat, strategies.binary(min_size=1, max_size=3))
)
@example(b"\x19\xca{\x16")
def test_series_found_in_bytes_reproduce_these_bytes(content: bytes) -> None:
    found = find_series(content)
    made = b"".join(bytes((one.first + one.step * at) % one.modulus for at in range(one.size)) for one in found)
    assert made == content
    assert [one.start for one in found] == [sum(each.size for each in found[:at]) for at in range(len(found))]
