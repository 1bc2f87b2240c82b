"""Extraction of callback types from the prototypes that take them."""

from __future__ import annotations

import pytest

from clconform.spec_tables.requirements import Function, Section
from clconform.tools.extract.callbacks import extract_callbacks
from clconform.tools.extract.prototypes import function_from_prototype, parse_prototypes

PROTOTYPE = """cl_int clUse(cl_thing thing,
    void (CL_CALLBACK *pfn_notify)(cl_thing thing, const void *data, size_t cb, void* list[], void *user_data),
    void (CL_CALLBACK* user_func)(void*), void* user_data);"""


def use_function() -> Function:
    return function_from_prototype(parse_prototypes(PROTOTYPE)[0], "T", Section("1", "Use"))


def test_callback_parameters_are_parsed() -> None:
    notify, plain = extract_callbacks([use_function()])
    assert (notify.name, notify.returns) == ("clUse/pfn_notify", "void")
    assert [(p.name, p.base, p.pointers, p.const) for p in notify.parameters] == [
        ("thing", "cl_thing", 0, False),
        ("data", "void", 1, True),
        ("cb", "size_t", 0, False),
        ("list", "void", 2, False),
        ("user_data", "void", 1, False),
    ]
    assert {p.direction for p in notify.parameters} == {"in"}
    assert (plain.parameter, [(p.name, p.type) for p in plain.parameters]) == ("user_func", [("", "void*")])


def test_unnamed_function_pointer_is_not_a_parameter() -> None:
    assert parse_prototypes("cl_int clUse(void*);") == []


def test_malformed_function_pointer_is_reported() -> None:
    function = use_function()
    odd = Function("clOdd", "cl_int", (type(function.parameters[0])("pfn", "int", "int", 0, False, "callback"),), "T",
                   Section("", ""))  # fmt: skip
    with pytest.raises(ValueError, match="clOdd"):
        extract_callbacks([odd])
