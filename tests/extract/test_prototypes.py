"""Prototypes: parameters, callbacks, arrays, and text that is not a prototype."""

from __future__ import annotations

import pytest

from clconform.spec_tables.requirements import Section
from clconform.tools.extract.prototypes import function_from_prototype, parse_parameter, parse_prototypes

PROTOTYPE = """// Provided by CL_VERSION_1_2 with cl_khr_things
cl_thing clCreateThing(
    cl_context context,
    const cl_thing_properties* properties,
    void (CL_CALLBACK* pfn_notify)(cl_thing thing, void* user_data),
    void* user_data,
    cl_int* errcode_ret);"""


def test_prototype_with_callback_is_parsed() -> None:
    (found,) = parse_prototypes(PROTOTYPE)
    assert found.provided == ("CL_VERSION_1_2", "cl_khr_things")
    assert [parameter.name for parameter in found.parameters] == [
        "context",
        "properties",
        "pfn_notify",
        "user_data",
        "errcode_ret",
    ]
    assert [parameter.direction for parameter in found.parameters] == ["in", "in", "callback", "in", "out"]


def test_error_reporting_and_created_object_are_read_from_prototype() -> None:
    function = function_from_prototype(parse_prototypes(PROTOTYPE)[0], "T", Section("4.1", "Things"))
    assert (function.error_by, function.creates, function.queries) == ("errcode_ret", "cl_thing", False)


def test_query_function_is_recognised_by_its_parameters() -> None:
    listing = """cl_int clGetThingInfo(cl_thing thing, cl_thing_info param_name, size_t param_value_size,
        void* param_value, size_t* param_value_size_ret);"""
    function = function_from_prototype(parse_prototypes(listing)[0], "T", Section("4.1", "Things"))
    assert function.queries
    assert function.error_by == "return"
    assert [parameter.direction for parameter in function.parameters] == ["in", "in", "in", "out", "out"]


@pytest.mark.parametrize(
    ("code", "base", "pointers", "const"),
    [
        ("cl_uint count", "cl_uint", 0, False),
        ("const size_t *lengths", "size_t", 1, True),
        ("const char ** strings", "char", 2, True),
        ("const unsigned char** binaries", "unsigned char", 2, True),
        ("cl_device_id * const devices", "cl_device_id", 1, False),
        ("const cl_uint fill[4]", "cl_uint", 1, True),
    ],
)
def test_parameter_type_is_parsed(code: str, base: str, pointers: int, *, const: bool) -> None:
    parameter = parse_parameter(code)
    assert (parameter.base, parameter.pointers, parameter.const) == (base, pointers, const)


def test_void_prototype_has_no_parameters() -> None:
    (found,) = parse_prototypes("cl_int clFinishAll(void);")
    assert found.parameters == ()


@pytest.mark.parametrize(
    "listing",
    [
        "cl_program program = clCreateProgram(context, 1, &source, NULL, &error);",
        "clCompileProgram(program, 0, NULL, // a comment\n    NULL);",
        "{ CL_DEVICE_PARTITION_EQUALLY, 8,\n  0 }",
        "typedef struct cl_thing_desc { cl_uint kind; } cl_thing_desc;",
    ],
)
def test_code_example_is_not_a_prototype(listing: str) -> None:
    assert parse_prototypes(listing) == []


def test_two_prototypes_in_one_listing_are_parsed() -> None:
    listing = "cl_int clRetainThing(cl_thing thing);\n\ncl_int clReleaseThing(cl_thing thing);"
    assert [prototype.name for prototype in parse_prototypes(listing)] == ["clRetainThing", "clReleaseThing"]


@pytest.mark.parametrize(
    ("code", "direction"),
    [
        ("void* param_value", "out"),
        ("const void* param_value", "in"),
        ("size_t param_value_size", "in"),
        ("void* handle_ptr", "out"),
        ("void* host_ptr", "in"),
        ("cl_event* event", "out"),
        ("ID3D10Buffer* resource", "in"),
    ],
)
def test_parameter_direction_follows_from_type_and_name(code: str, direction: str) -> None:
    assert parse_parameter(code).direction == direction
